#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the text commands say besides their output: damage, wrong words, help.  Prints TAP."""
import csv
import gzip
import io
import itertools
import json
import lzma
import os
import random
import re
import resource
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LIMIT_S, PROGRAM, SHARED, Failure, Tap, program_for, until

PROGRAM = os.path.abspath(PROGRAM)
CPU4 = os.path.join(DATA, "good", "cpu4", "trace.dat")
DEMO = os.path.join(os.path.dirname(DATA), "demo", "demo.dat")


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def ask(*words, status=0, folder=None, env=()):
    """(stdout, stderr).  What is wrong is always told by the program under test, sound answers of a kind by another build."""
    done = subprocess.run([PROGRAM if status else program_for(list(words))] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          env=dict(os.environ, **dict(env)), stdin=subprocess.DEVNULL, check=False, timeout=LIMIT_S)
    check(done.returncode == status, words, "ended with", done.returncode, done.stderr)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def is_quiet(*words):
    out, error = ask(*words, CPU4)
    check(out and not error, words, error)


def cut_is_told(folder, *options):
    """Behind the first 70 KiB of CPU data: the options that follow it are gone."""
    path = write(folder, "cut.dat", read(CPU4)[:-70000])
    out, error = ask("report", *options, path)
    check(len(out.split("\n")) > 100, "only", out[:200])
    check("cut.dat: byte " in error, error)
    check(len(error.split("\n")) <= 8, error)


def cut_in_info(folder):
    path = write(folder, "cut.dat", read(CPU4)[:-70000])
    lines = ask("info", path)[0].split("\n")
    check(any(line.startswith("problems        byte ") for line in lines[:6]), lines[:8])
    check(not any(line == "damaged pages   0" for line in lines), "reads as if all were well")
    check(json.loads(ask("info", "--format=json", path)[0])["notes"], "no notes in JSON")
    check("\nnotes,0\n" not in ask("info", "--format=csv", path)[0], "no notes in CSV")


def damaged_pages_are_told(folder, *options):
    """Bytes of a chunk that are none: its sub-buffers cannot be unpacked."""
    data = bytearray(read(CPU4))
    data[100 * 4096:101 * 4096] = bytes((i * i * 31 + 7) % 251 for i in range(4096))
    path = write(folder, "pages.dat", bytes(data))
    nr = json.loads(ask("info", "--format=json", path)[0])["damaged_pages"]
    check(nr > 0, "nothing is damaged")
    error = ask("report", *options, path)[1]
    check("%d sub-buffer" % nr in error, nr, error)


def words_are_named():
    for words, said in (
            (["reprot", "x.dat"], "no such file or command: reprot; did you mean report?"),
            (["zzzzzzzzz"], "no such file or command: zzzzzzzzz"),
            (["--ascii", "dmeo"], "no such file or command: dmeo; did you mean demo?"),
            (["--from=1", "taks"], "no such file or command: taks; did you mean tasks?"),
            (["--asci", "tasks"], "unknown option --asci"),
            (["help", "taks"], "no manual page or guide has 'taks'; did you mean tasks?"),
            (["help", "no such words"], "no manual page or guide has 'no such words'"),
            (["report", "-F", "pid == ", CPU4], "-F: a value is missing here\n  pid == \n         ^\n"),
            (["report", "-F", "a: nxt", CPU4], '-F: no event is named a\n  a: nxt\n  ^\n'),
            (["latency", "wakeup", CPU4], "wakeup: no such file; did you mean --kind=wakeup?"),
            (["count", "sched_switch", CPU4], "sched_switch: no such file; did you mean --event=sched_switch?"),
            (["why", "client", CPU4], "client: no such file; did you mean --task=client?"),
            (["report", "wl", CPU4], "wl: no such file; did you mean --grep=wl?"),
            (["record"], "nothing to record: name events with -e, or a tracer with -p, as in ftop-trace record -e sched\n"),
            (["record", "-a"], "-a is not an option of ftop-trace record: leave it out: all CPUs are recorded anyway"),
            (["graph", "vfs_read", CPU4], "vfs_read: no such file; did you mean -F 'func == vfs_read'?"),
            (["report", "--grep=(", CPU4], "--grep (: invalid regular expression"),
            (["report", "-v", "-v", "-F", "sched", CPU4], "-v applies to all -F after it"),
            (["report", "--cpu", "x", CPU4], "--cpu: 'x' is not a list"),
            (["latency", "--kind=wakeup", "--kind=preempted", CPU4], "only one --kind"),
            (["report", "--head", "-1", CPU4], "--head: '-1' is not a whole number"),
            (["report", "--tail=x", CPU4], "--tail: 'x' is not a whole number"),
    ):
        out, error = ask(*words, status=2)
        check(not out and error.startswith("ftop-trace: " + said), words, error)


def files_come_before_words(folder):
    """What is there is a file, and tells what is wrong with it as one."""
    for name in ("alive", "reprot"):
        write(folder, name, b"no trace")
        check("not a trace.dat" in ask(name, folder=folder, status=1)[1], name)
    check("cannot open" in ask("missing.dat", folder=folder, status=1)[1], "a path")


def pipes_are_refused(folder):
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    for words in (["report", fifo], ["info", fifo], [fifo]):
        error = ask(*words, status=1)[1]
        check(error == "ftop-trace: %s: is a pipe, not a file: save it to a file first\n" % fifo, error)
    done = subprocess.run([PROGRAM, "report", "/dev/stdin"], input=read(CPU4), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=LIMIT_S)
    check(done.returncode == 1 and b"is a pipe" in done.stderr, done.stderr)
    check("is a device" in ask("report", "/dev/null", status=1)[1], "/dev/null")


def zstd_of(data):
    """A frame without compression, as RFC 8878 has it: a header with the size, blocks of at most 128 KiB."""
    blocks = [data[at:at + 131072] for at in range(0, len(data), 131072)]
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + b"".join(
        struct.pack("<I", len(block) << 3 | (nr == len(blocks) - 1))[:3] + block for nr, block in enumerate(blocks))


def pipes():
    """- is what comes from a pipe, compressed or not."""
    data, text = read(CPU4), gzip.decompress(read(os.path.join(os.path.dirname(CPU4), "kernel-trace.txt.gz")))
    for contents, words, expected in ((data, ("report", "-"), ask("report", CPU4)[0].encode()),
                                      (gzip.compress(data), ("report", "-"), ask("report", CPU4)[0].encode()),
                                      (text, ("report", "-"), text), (b"", ("info", "-"), None)):
        done = subprocess.run([PROGRAM, *words], input=contents, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=LIMIT_S)
        if expected is None:
            check(done.returncode == 1 and b"ftop-trace: -: " in done.stderr, done.stderr)
        else:
            check(done.returncode == 0 and done.stdout == expected, "-", len(contents), done.stderr)


def zip_of(files, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return out.getvalue()


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return out.getvalue()


def members(folder):
    """The trace in a zip or tar archive; what begins as one of Perfetto is one if its name says so, too."""
    rest = {"logs/readme.txt": b"words\n", "proto/other.pb": b"\n\x03abc" * 5}
    data = read(CPU4)
    path = os.path.join(folder, "x.pftrace")
    ask("export", "--perfetto=" + path, CPU4)
    perfetto, count = read(path), ask("report", "--count", path)[0]
    os.unlink(path)
    for pack in (zip_of, lambda files: zip_of(files, zipfile.ZIP_STORED), tar_of, lambda files: gzip.compress(tar_of(files))):
        for files, expected in (({**rest, "a/trace.dat": data}, "15823\n"), ({**rest, "a/x.pftrace": perfetto}, count)):
            check(ask("report", "--count", write(folder, "packed.dat", pack(files)))[0] == expected, pack, files.keys())
    for wrong, said in ((zip_of(rest), "a zip archive of 2 files, none of them a trace"),
                        (tar_of({"b.dat": data, "c.dat": data}), "a tar archive with 2 traces: unpack it, and open one or more of them (b.dat, c.dat)"),
                        (zip_of({"a.dat": data}, zipfile.ZIP_BZIP2), "a zip archive with files that are encrypted, packed in a rare way or too large: "
                                                                     "unpack it first"),
                        (zip_of({"a.dat": data})[:5000], "byte 5000 (0x1388): the zip archive is damaged: its end, which lists the files, is missing"),
                        (zip_of({"a.dat": data}).replace(zlib.crc32(data).to_bytes(4, "little"), b"abcd"), "the checksum is another one"),
                        (tar_of({"a.dat": data})[:9000], "byte 0 (0x0): the tar archive is damaged: it ends early")):
        error = ask("info", write(folder, "packed.dat", wrong), status=1)[1]
        check(error.endswith(said + "\n"), error)


def archives(folder):
    """Of any name, they are read as what is in them; what is wrong with one is told with the place."""
    data = read(CPU4)
    packed = {"zstd": zstd_of(data), "gzip": gzip.compress(data[:100000]) + gzip.compress(data[100000:]), "xz": lzma.compress(data)}
    plain = ask("report", CPU4)
    before = sorted(os.listdir(folder))
    for name, archive in packed.items():
        path = write(folder, "packed.dat", archive)
        if b"cannot unpack" in subprocess.run([PROGRAM, "info", path], stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False).stderr:
            continue
        check(ask("report", path, env={"TMPDIR": folder}) == plain == ask("report", "-i", path), name)
        check(ask("tasks", path, CPU4)[0].count("on-cpu-0") == 2, name, "of two files")
        error = ask("info", write(folder, "cut.dat", archive[:300000]), status=1)[1]
        check(error == f"ftop-trace: {folder}/cut.dat: byte 300000 (0x493e0): the {name} archive is damaged: it ends early; "
              f"what {name} -dc still writes can be opened\n", error)
    # many short archives one after the other; the last begins wherever a block of 1 MiB ends
    empty, named = gzip.compress(b""), b"\x1f\x8b\x08\x08" + bytes(4) + b"\0\3%s\0\3\0" + bytes(8)
    for end in range((1 << 20) - 20, (1 << 20) + 2, 3):
        many = empty * ((end - 40) // 20) + named % (b"n" * ((end - 40) % 20 + 19))
        check(len(many) == end and ask("report", "--count", write(folder, "packed.dat", many + packed["gzip"])) == ("15823\n", ""), end)
    # what `atrace -z` writes, with -o and without
    text = gzip.decompress(read(os.path.join(os.path.dirname(CPU4), "kernel-trace.txt.gz")))
    expected = ask("report", write(folder, "other.gz", text))[0]
    for before_it in (b"TRACE:\n", b"capturing trace... done\nTRACE:\n"):
        packed["zlib"] = before_it + zlib.compress(text)
        check(ask("report", write(folder, "packed.dat", packed["zlib"]))[0] == expected, before_it)
    error = ask("info", write(folder, "cut.dat", packed["zlib"][:5000]), status=1)[1]
    check(error.endswith("byte 5000 (0x1388): the zlib archive is damaged: it ends early\n"), error)
    chance = random.Random(1)
    for archive in packed.values():
        for _ in range(12):
            wrong = bytearray(archive)
            wrong[chance.choice((chance.randrange(40), chance.randrange(len(wrong))))] ^= 1 << chance.randrange(8)
            done = subprocess.run([PROGRAM, "info", write(folder, "wrong.dat", wrong)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=LIMIT_S, check=False)
            check(done.returncode in (0, 1), "a wrong bit:", done.returncode)
    wrong = bytearray(packed["gzip"])
    wrong[50000:50100] = bytes(100)
    error = ask("info", write(folder, "wrong.dat", wrong), status=1)[1]
    check(re.match(r"ftop-trace: \S*/wrong.dat: byte \d+ \(0x\w+\): the gzip archive is damaged: ", error), error)
    path = write(folder, "other.gz", gzip.compress(b"BZh........."))
    check("other.gz: packed with gzip, but what is in it is no trace: it is compressed with bzip2" in ask("report", path, status=1)[1], "bzip2 in gzip")
    check("is no trace\n" in ask("info", write(folder, "zero.gz", gzip.compress(bytes(10**7))), status=1)[1], "zeros")
    members(folder)
    left = set(os.listdir(folder)) - set(before) - {"packed.dat", "cut.dat", "wrong.dat", "other.gz", "zero.gz"}
    check(not left, "files are left:", left)
    done = subprocess.run([PROGRAM, "info", write(folder, "packed.dat", packed["gzip"])], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                          preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                              resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))), check=False)
    check(b"packed.dat: byte" in done.stderr and b"File too large; TMPDIR can name another folder" in done.stderr, done.stderr)


def foreign_files(folder):
    way_out = "the text of perf script: open the perf.data itself"
    for text, said in ((b"simple-terminat 198792.736893:    1001001 cpu-clock:\n\t643 f (/a)\n", way_out),
                       (b"BZh91AY....", "compressed with bzip2"), (b"cpus=4\n  <idle>-0", "nor the text of a trace"),
                       (b" swapper     0   1     5.000010: sched:sched_switch: prev_comm=a", way_out),
                       (b"bash   7/7  [000]     5.000010:      1 ffffffff81399b09 f ([k])", way_out), (b" 7160 [000]  3151.025087:  ffffffff81399b09\n", way_out),
                       (b" bash  7160  ffffffff81399b09 try_to_wake_up ([k])\n", way_out), (b"ffffffff81000000 T _text\n", "a trace\n"), (b"no", "not a trace.dat, perf.data or Perfetto file")):
        error = ask("report", write(folder, "foreign", text), status=1)[1]
        check(error.startswith(f"ftop-trace: {folder}/foreign: byte 0 (0x0): not a trace.dat, perf.data or Perfetto file") and said in error, error)


def options_before_the_command():
    """Where they stand is all the same, as long as they are the command's own."""
    for before in (["--task", "61"], ["--format", "csv"], ["--format=json", "--cpu", "0-1", "--from", "7.4"]):
        check(ask(*before, "tasks", CPU4) == ask("tasks", *before, CPU4) == ask("tasks", CPU4, *before), before)
    check(ask("--task", "tasks", "tasks", CPU4, status=2) == ask("tasks", "--task", "tasks", CPU4, status=2), "an argument that is a command's name")
    check(ask("--help", "graph") == ask("graph", "-h"), "--help before the command")
    error = ask("-e", "sched", "record", "--check", "-o", "x/y", "--frob", status=2)[1]
    check("unknown option --frob" in error and "ftop-trace record --help" in error, error)
    for view in ("timeline", "tasks", "latency", "graph", "functions", "summary", "why", "wakeups", "stacks", "noise", "events"):
        check(ask("--view", view, CPU4, status=1) == ask(f"--view={view}", CPU4, status=1), view)
        check("browsing needs a terminal" in ask("--view", view, CPU4, status=1)[1], view)


def rows_of(*words):
    """Rows of a CSV, without the line of titles."""
    return list(csv.reader(io.StringIO(ask(*words)[0])))[1:]


def sorted_tables():
    """--sort is a sort of the rows; rows without a value come last, equal ones stay in their order."""
    for command, column, place, is_number in (("tasks", "wait", 4, True), ("tasks", "comm", 1, False), ("wakeups", "latency", 2, True),
                                              ("functions", "max", 10, True), ("functions", "function", 0, False)):
        rows = rows_of(command, "--format=csv", CPU4)
        known, others = [r for r in rows if r[place]], [r for r in rows if not r[place]]

        def key(row):
            return int(row[place]) if is_number else row[place].encode()
        up, down = sorted(known, key=key) + others, sorted(known, key=key, reverse=True) + others
        first, second = (down, up) if is_number else (up, down)
        for words, expected in (([column], first), (["-" + column], second), ([column + ":asc"], up), ([column + ":desc"], down)):
            got = rows_of(command, "--format=csv", "--sort", *words, CPU4)
            check(got == expected, command, words, got[:3], expected[:3])
        check(rows_of(command, "--format=csv", "--sort", column, "--head", "3", CPU4) == first[:3], command, "--head")
    said = "--sort: no column is named nose; the columns are: "
    for form, columns in (("text", "task, woken, latency, CPU, woken by"), ("csv", "wake_ts, run_ts, latency, pid, comm, cpu, waker_pid, waker_comm")):
        check(said + columns in ask("wakeups", "--sort", "nose", "--format", form, CPU4, status=2)[1], "an unknown column of", form)
    check("max, open, orphan" in ask("functions", "--sort=nose", CPU4, status=2)[1], "a mark is no column to sort by")
    # the order is that of what is shown: run of text holds the runs that were cut off, which CSV has apart
    shown = [float(line.split()[2].replace("–", "0")) for line in ask("tasks", "--sort=run", CPU4)[0].splitlines()[1:]]
    check(shown == sorted(shown, reverse=True), "tasks --sort=run", shown)
    net = ask("latency", "--kind=call", "--sort=net", CPU4)[0].splitlines()
    check(net[0].split()[3:5] == ["net", "µs"], net[0])
    nets = [float(line.split()[2].rstrip("~").replace("–", "0")) for line in net[1:]]
    check(nets == sorted(nets, reverse=True), "latency --sort=net", nets[:5])


def units_of_text():
    """All figures of a column have one unit, and are those of CSV."""
    for unit, ns in (("ns", 1), ("us", 1000), ("ms", 10**6), ("s", 10**9)):
        for command, name, place in (("functions", "self", 3), ("tasks", "run", 2)):
            lines = ask(command, "--unit", unit, CPU4)[0].splitlines()
            check(f"{name} {unit.replace('u', 'µ')}" in lines[0], lines[0])
            values = rows_of(command, "--format=csv", CPU4)
            for line, row in zip(lines[1:], values):
                text = line.split()[place if command == "tasks" else place - 1]
                value = row[3] if command == "functions" else int(row[2]) + int(row[3])
                check(text == "–" or round(float(text) * ns) == int(value), command, unit, line, value)
    # what is doubtful has its mark behind the number, for sort -n
    sleeps = [line.split()[5] for line in ask("tasks", CPU4)[0].splitlines()[1:]]
    expected = [row[5] for row in rows_of("tasks", "--format=csv", CPU4)]
    check(all(text == "–" or round(float(text.rstrip("~")) * 1000) == int(value) for text, value in zip(sleeps, expected)), sleeps)
    check(any(text.endswith("~") for text in sleeps), "nothing is doubtful")
    check("--unit: 'm' is not one of 'us', 'ns', 'ms', 's'" in ask("tasks", "--unit=m", CPU4, status=2)[1], "an unknown unit")


def exported_files(folder):
    """The trace itself is not overwritten; nor is anything, by any name, unless the new file is whole."""
    trace, out = write(folder, "trace.dat", read(CPU4)), write(folder, "out", b"old")
    os.symlink("out", os.path.join(folder, "link"))
    os.mkfifo(os.path.join(folder, "pipe"))
    there = sorted(os.listdir(folder))
    check("export needs a format" in ask("export", trace, status=2)[1], "no format")
    check("is the input; give another name" in ask("export", "--perfetto", trace, trace, status=2)[1], "the trace")
    check("is the input; give another name" in ask("export", "--perfetto=trace.dat", folder=folder, status=2)[1], "its default name")
    check(read(trace) == read(CPU4), "it is as it was")
    for path in (out, out + "2"):
        ask("export", "--perfetto", path, os.path.join(folder, "missing"), status=1)
        ask("export", "--chrome", path, "-F", "nosuch", trace, status=2)
        error = ask("export", "--chrome", path, os.path.join(DATA, "good", "sched-7.2", "trace.dat"), status=1)[1]
        check("no calls, slices or marks for Chrome's JSON" in error, "a trace of switches", error)
    check("is not a regular file" in ask("export", "--perfetto", folder, trace, status=2)[1], "a folder")
    check("No space left" in ask("export", "--perfetto", "/dev/full", trace, status=1)[1], "a full device, by its name")
    check("No such file" in ask("export", "--perfetto", "none/x", trace, folder=folder, status=1)[1], "a missing folder")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "export", "--perfetto=-", trace], stdout=full, stderr=subprocess.PIPE, check=False)
    check(done.returncode == 1 and b"-: writing the output: No space left" in done.stderr, "a full device", done.stderr)
    check(sorted(os.listdir(folder)) == there and read(out) == b"old", "all is as it was")
    ask("export", "--perfetto", os.path.join(folder, "link"), trace)
    check(read(out) == subprocess.run([PROGRAM, "export", "--perfetto=-", trace], stdout=subprocess.PIPE, check=True).stdout, "packets")
    check(sorted(os.listdir(folder)) == there and os.path.islink(os.path.join(folder, "link")), "the link stays")
    with subprocess.Popen(["cat", os.path.join(folder, "pipe")], stdout=subprocess.PIPE) as reader:
        with subprocess.Popen([PROGRAM, "export", "--perfetto", "pipe", trace], cwd=folder) as writer:
            piped = reader.stdout.read()
    check(writer.returncode == 0 and piped == read(out), "packets to a pipe")
    check(stat.S_ISFIFO(os.lstat(os.path.join(folder, "pipe")).st_mode) and sorted(os.listdir(folder)) == there, "the pipe stays")


WRITERS = (["export", "--perfetto", "out"], ["export", "--chrome", "out"], ["export", "--tables", "set", "--name=out"], ["cut", "--force", "-o", "out"])


def left(folder):
    return {name: read(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names}


def has_part(folder):
    return any(name.endswith(".part") for name in left(folder))


def interrupted(folder):
    """A signal, or no room: nothing half written is left, an old file stays, and that is said."""
    write(folder, "out", b"old")
    write(folder, "busy.dat", read(os.path.join(os.environ.get("FTOP_SRC", "."), "tests", "demo", "demo.dat")))
    there = left(folder)
    for words in WRITERS:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            for _ in range(50):             # it may have been quicker, and all is written
                with subprocess.Popen([PROGRAM, *words, "busy.dat"], cwd=folder, stderr=subprocess.PIPE) as p:
                    while p.poll() is None and not has_part(folder):
                        pass
                    p.send_signal(number)
                    said = p.stderr.read()
                if p.returncode == -number and (left(folder) == there or has_part(folder)):
                    break
                shutil.rmtree(os.path.join(folder, "set"), ignore_errors=True)
                write(folder, "out", b"old")
            check(p.returncode == -number, words, number, p.returncode)
            check(number == signal.SIGKILL or said.endswith(b"interrupted; what was not complete is removed\n"), words, number, said)
            if number == signal.SIGKILL:        # the other process removes what was not complete
                until(lambda: left(folder) == there, lambda: f"{words}: {list(left(folder))} is left")
            check(left(folder) == there, words, number, list(left(folder)))
        done = subprocess.run([PROGRAM, *words, "busy.dat"], stderr=subprocess.PIPE, cwd=folder, check=False,
                              preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                                  resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))))
        check(done.returncode == 1 and b"File too large" in done.stderr, words, done)
        check(left(folder) == there, words, "no room", list(left(folder)))


def several_files(folder):
    """Each file has its own rows: those that it has alone."""
    other = write(folder, "other.dat", read(os.path.join(DATA, "good", "sched", "trace.dat")))
    noisy = write(folder, "noisy.dat", read(os.path.join(DATA, "good", "osnoise-rt", "trace.dat")))
    for command in ("tasks", "functions", "wakeups", "latency", "count", "noise", "stacks", "graph", "timeline",
                    "info", "fields"):
        text, both = [], []
        files = (CPU4, other) if command != "noise" else (noisy, os.path.join(DATA, "good", "osnoise-rt", "trace.dat"))
        for path in files:
            alone = ask(command, path)[0]
            text.append(alone if command == "info" else f"{path}:\n{alone}")
            for line in ask(command, "--format=json", path)[0].splitlines():
                both.append(dict(json.loads(line), file=path))
        check(ask(command, *files)[0] == "\n".join(text), command, "as text")
        check([json.loads(line) for line in ask(command, "--format=json", *files)[0].splitlines()] == both, command, "as JSON")
        rows = [[path] + row for path in files for row in rows_of(command, "--format=csv", path)]
        check(rows_of(command, "--format=csv", *files) == rows, command, "as CSV")
        check(ask(command, "--format=csv", *files)[0].startswith("file,"), command, "title")
    check(ask("functions", "--folded", CPU4, other)[0].splitlines() ==
          [f"{CPU4};{line}" for line in ask("functions", "--folded", CPU4)[0].splitlines()], "--folded")
    check(ask("tasks", "--count", CPU4, CPU4)[0] == f"{CPU4}: 24\n" * 2, "--count")
    error = ask("tasks", "--from=100", CPU4, other)[1].splitlines()
    check(len(error) == 2 and all(line.startswith(f"ftop-trace: {path}: nothing in this window: the trace spans") for path, line in
                                  zip((CPU4, other), error)), "notes name the file", error)
    check("the files are: " in ask("tasks", "--offset=x=+1ms", CPU4, other, status=2)[1], "an offset of no file")
    check(ask("tasks", "--offset=other.dat=+1ms", CPU4, other)[0].startswith(f"{CPU4}:\n"), "an offset of one file")


def count_words():
    """Fields that no event has, events that the trace has not, events without the field."""
    sched = os.path.join(DATA, "good", "sched", "trace.dat")
    check("foo: no counted event has this field" in ask("count", "--by=event,foo", sched, status=2)[1], "an unknown key")
    check("foo: no counted event has this field" in ask("count", "--by=event", "--sum=foo", sched, status=2)[1], "an unknown sum")
    check("--by: no field is named" in ask("count", "--by=,", sched, status=2)[1], "no key")
    check("241304 events lost: not counted" in
          ask("count", os.path.join(DATA, "good", "branch", "trace.dat"))[1], "lost events")
    check("cpu is named twice" in ask("count", "--by=cpu", "--sum=cpu", sched, status=2)[1], "the same field twice")
    check("--by: at most 8 fields" in ask("count", "--by=a,b,c,d,e,f,g,h,i", sched, status=2)[1], "too many keys")
    check("--event may be given once" in ask("count", "-e", "a", "-e", "b", sched, status=2)[1], "two events")
    check("the trace has no events sched_swich; did you mean sched_switch?\n" in ask("count", "-e", "sched_swich", sched, status=2)[1], "another event")
    check("prev_com: no counted event has this field" in ask("count", "--by=prev_com", sched, status=2)[1] and
          "; did you mean prev_comm?" in ask("count", "--by=prev_com", sched, status=2)[1], "a near field")
    check("there is no kind wake; did you mean wakeup?; there are: " in ask("latency", "--kind=wake", sched, status=2)[1], "a near kind")
    both = rows_of("count", "--format=csv", "--by=event,next_comm", sched)
    check({row[1] for row in both} == {"sched_switch"}, "events without the field", both)
    check(re.search(r"\d+ events without all of the fields", ask("count", "--by=event,next_comm", sched)[1]), "that is said")
    check(ask("count", "--by=event,cpu", "--count", sched)[0] == f"{len(rows_of('count', '--format=csv', '--by=event,cpu', sched))}\n",
          "the number of rows")


def lower_bounds_are_told():
    """Where events are lost within the range, what is counted is a lower bound; CPU 0 of cpu4 begins with lost events."""
    lost = "events were lost: times that tasks ran and all counts are lower bounds"
    clean = CPU4.replace("cpu4", "sched")
    for words in ([], ["--woken"], ["--queues"], ["--to=7.4"]):
        check(ask("tasks", *words, CPU4)[1] == f"ftop-trace: {lost}\n", "a sentence", words)
    for words in (["--from=7.6", CPU4], [clean]):
        check(lost not in ask("tasks", *words)[1], "nothing is lost", words)
        check(lost not in " ".join(ask("summary", *words)[0].split()), "nothing is lost", words)
    check(f"{lost}, and what lasted meanwhile is doubtful" in " ".join(ask("summary", CPU4)[0].split()), "summary")


def cut_refusals(folder):
    """What is no new file is not written, and nothing is left of what went wrong."""
    trace, text = os.path.join(folder, "x.dat"), os.path.join(DATA, "good", "irqsoff", "trace.dat")
    shutil.copy(CPU4, trace)
    write(folder, "there.dat", b"old")
    write(folder, "left.dat.part", b"")
    os.mkfifo(os.path.join(folder, "fifo"))
    before = sorted(os.listdir(folder))
    for words, said, status in (
            ([], "-o NEW is missing", 2), (["-o", "there.dat"], "there.dat exists; --force replaces it", 2),
            (["-o", "x.dat"], "x.dat is the input; give another name", 2), (["--force", "-o", "./x.dat"], "./x.dat is the input; give", 2),
            (["-o", "fifo"], "is not a regular file; a pipe or device cannot get a name", 2),
            (["--force", "-o", "/dev/null"], "is not a regular file", 2), (["-o", "none/y.dat"], "No such file or directory", 1),
            (["-o", "left.dat"], "left.dat.part exists", 1), (["-o", "y.dat", "--buffer=foo"], "no such CPU or buffer", 2),
            (["-o", "y.dat", "--cpu=4"], "the trace has none of these CPUs; its last one is CPU 3", 2), (["-o", "y.dat", "-F", "nosuch"], "is named nosuch", 2),
            (["-o", "y.dat", "--file-version=6", "--compression=zstd"], "cannot be compressed", 2),
            (["-o", "y.dat", os.path.join(DATA, "good", "sched-7.2", "trace.dat")], "cannot be joined", 1),
            (["-o", "y.dat", os.path.join(DATA, "good", "clock-tsc", "trace.dat")], "clocks that cannot be compared", 1)):
        out, error = ask("cut", *words, "x.dat", folder=folder, status=status)
        check(not out and said in error, words, error)
    check("which is written whole or not at all" in ask("cut", "-o", "y.dat", "--from=1us", text, folder=folder, status=1)[1], "text")
    kernel_text = write(folder, "k.txt", gzip.decompress(read(os.path.join(os.path.dirname(CPU4), "kernel-trace.txt.gz"))))
    ask("cut", "-o", "y.dat", kernel_text, folder=folder)
    check("ftop-trace export --perfetto=y.pftrace" in ask("cut", "-o", "y.pftrace", kernel_text, folder=folder, status=2)[1], "another form")
    cut = os.path.join(folder, "y.dat")
    check(ask("count", cut)[0] == ask("count", kernel_text)[0] and read(cut).startswith(b"\x17\x08\x44tracing"), "a text")
    os.remove(cut)
    done = subprocess.run([PROGRAM, "cut", "-o", "y.dat", "x.dat"], stderr=subprocess.PIPE, cwd=folder, check=False,
                          preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                              resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))))
    check(done.returncode == 1 and b"y.dat: cannot write at byte 65536: File too large" in done.stderr, done.stderr)
    check(sorted(os.listdir(folder)) == sorted(before + ["k.txt"]), os.listdir(folder))
    check(read(os.path.join(folder, "there.dat")) == b"old", "another file")


def cuts_are_told(folder):
    """info shows what was chosen, of each cut of a cut; wall time and names of processes stay."""
    demo = os.path.join(os.environ.get("FTOP_SRC", "."), "tests", "demo", "demo.dat")
    out, again = os.path.join(folder, "a.dat"), os.path.join(folder, "b.dat")
    clock = re.search(r"(?m)^clock .*", ask("info", demo)[0])[0]
    tgids = ask("report", "--style=kernel", "-O", "record-tgid", demo)[0]
    for options in (["--file-version=6"], ["--file-version=7", "--compression=none"], ["--compression=zstd"]):
        check(ask("cut", "--force", "-o", out, *options, demo)[1] == f"ftop-trace: {out}: 23 531 events\n", options)
        check(clock in ask("info", out)[0] and "wall time" in clock, "wall time", options)
        check(ask("report", "--style=kernel", "-O", "record-tgid", out)[0] == tgids, "processes", options)
        check(json.loads(ask("info", "--format=json", out)[0])["cut"] == "", "nothing was cut out")
        ask("cut", "--force", "-o", again, "--from=+10ms", "-F", "sched_switch || comm ~ \"a*\"", out)
        ask("cut", "--force", "-o", out, "--cpu=0-2", "-v", "-F", "irq", again)
        lines = ["--from=45.139189454 '--filter=sched_switch || comm ~ \"a*\"'", "--cpu=0-2 -v --filter=irq"]
        check(json.loads(ask("info", "--format=json", out)[0])["cut"] == "\n".join(lines), ask("info", out)[0])
        check("\ncut             only %s is left of the recording\n                only %s is" % tuple(lines) in ask("info", out)[0], "info")
        check("saved_tgids" not in ask("report", "--count", out)[1], "a note")
    ask("cut", "--force", "-o", out, "--task=234", CPU4.replace("cpu4", "sched"))
    check("gaps of unknown size, of events cut out or lost\n" in ask("info", out)[0], "info of gaps")
    check("events were cut out or lost, how many is unknown" in ask("count", out)[1], "count of gaps")
    ask("cut", "--force", "-o", out, "-F", "next_pid == 234 || prev_pid == 234",
        CPU4.replace("cpu4", "sched"))
    check("Doubtful: events were cut out or lost meanwhile" in
          " ".join(ask("timeline", "--task=15", "--at=61.7168", out)[0].split()), "the reason of a doubt")
    ask("cut", "--force", "-o", out, "-F", "next_pid > 80", CPU4)
    check("949 events lost, and an unknown number cut out or lost" in ask("count", out)[1],
          "both sorts of gaps")
    ask("cut", "--force", "-o", out, "--cpu=0", CPU4)
    check("949 events lost" in ask("count", out)[1], "the kernel's gaps")


def joined_traces(folder):
    """Each file is a buffer; trace-cmd's prefix is its name."""
    paths = [shutil.copy(os.path.join(DATA, "good", name, "trace.dat"), os.path.join(folder, name + ".dat"))
             for name in ("cpu4", "instances", "fgraph-depth")]
    out = os.path.join(folder, "all.dat")
    ask("cut", "-o", out, *paths)
    names = [b["name"] for b in json.loads(ask("info", "--format=json", out)[0])["buffers"]]
    check(names == ["", "instances", "instances:gr", "instances:bar", "instances:foo", "fgraph-depth"], names)
    # of two names of an address, the text takes the one or the other
    ends = lambda text: sorted(re.findall(r"(?m)-(\d+ +\[\d.*?: \S+:)", text))
    check(ends(ask("report", "-R", "-t", out)[0]) == ends(ask("report", "-R", "-t", *paths)[0]), "records")
    check(ask("report", "-F", "lost", "--count", out)[0] == ask("report", "-F", "lost", "--count", *paths)[0], "lost events")


def noise_words():
    """One sort of rows at a time; what a tracer does not have is said."""
    timerlat, osnoise, hwlat = (os.path.join(DATA, "good", name, "trace.dat") for name in ("timerlat", "osnoise-rt", "hwlat"))
    check("only one of --samples, --histogram and --analysis" in ask("noise", "--samples", "--histogram", timerlat, status=2)[1],
          "two sorts")
    check("has no records of timerlat, osnoise or hwlat" in ask("noise", CPU4)[1], "another trace")
    lines = ask("noise", CPU4, timerlat)[0].splitlines()
    check(lines[:3] == [CPU4 + ":", "", timerlat + ":"], "each file has its line")
    check("no records of hwlat are selected" in ask("noise", "--tracer=hwlat", timerlat)[1], "another tracer")
    check("does not record what happened" in ask("noise", "--analysis=1", hwlat, status=2)[1], "analysis of hwlat")
    check("rtla does not print this of osnoise" in ask("noise", "--style=rtla", "--histogram", osnoise, status=2)[1], "rtla")
    check("not a whole number" in ask("noise", "--analysis=0", timerlat, status=2)[1], "no samples")
    check(ask("noise", "--count", timerlat)[0] == "2\n", "CPUs")
    check(ask("noise", "--count", "--cpu=1", "--samples", timerlat)[0] == "118\n", "samples of a CPU")
    check(ask("noise", "--count", "--samples", "-F", "context == 0", "-F", "context == 1 && seqnum < 9", timerlat)[0] == "236\n",
          "samples that a filter keeps")
    check(ask("noise", "--count", "--samples", "--from=44.3", timerlat)[0] == "26\n", "samples of a range")
    text = ask("noise", "--style=rtla", "--analysis=1", timerlat)[0]
    check(text.startswith("## CPU 0 hit stop tracing, analyzing it ##\n  Previous IRQ interference:" + 18 * " " + "up to       3.44 us\n") and
          text.endswith("-\n  Thread latency:" + 41 * " " + "7417.75 us (100%)\n"), "rtla's analysis")


def stacks_modes():
    """One sort of stacks at a time; a trace without stacks says how to record them."""
    waits = os.path.join(DATA, "good", "waits", "trace.dat")
    check("only one of --off-cpu, --waker, --both, --events and --functions" in ask("stacks", "--waker", "--both", waits, status=2)[1], "two sorts")
    check(ask("stacks", "--off-cpu", "--off-cpu", waits)[0] == ask("stacks", waits)[0], "the same one twice")
    check("record --setup waits" in ask("stacks", CPU4)[1], "no stacks")
    check("nothing in this window: the trace spans 5.24" in ask("stacks", "--events", "--from=1", "--to=2", waits, status=2)[1], "a window")
    check(ask("stacks", "--events", "--to=5.2406", waits)[1] == "ftop-trace: no stack is of an event that the options select\n", "a short one")
    check("record -e EVENT -R stacktrace" in ask("stacks", "--events", CPU4)[1], "no stacks of events")
    check(ask("stacks", "--folded", "--task=rcu*", "--head=1", waits)[0].startswith("rcu_preempt;ret_from_fork;kthread;"), "one task")


def folded_stacks():
    """--sort, --head and --grep choose among them; none of them is a title."""
    def value(line):
        return int(line.rsplit(" ", 1)[1])

    waits = os.path.join(DATA, "good", "waits", "trace.dat")
    for command, path, column in (("functions", CPU4, "value"), ("stacks", waits, "total")):
        def folded(*options):
            return ask(command, "--folded", *options, path)[0].splitlines()

        lines = folded()
        check(len(lines) > 3 and all(re.fullmatch(".+ [0-9]+", i) for i in lines), command, lines)
        check(folded("--head=3") == lines[:3], command, "--head")
        check(folded("--head=1", f"--grep={value(lines[-1])}$")[0].endswith(f"{value(lines[-1])}"),
              command, "--grep and --head")
        check([value(i) for i in folded(f"--sort={column}:asc")] == sorted(map(value, lines)),
              command, "--sort")


def why_task():
    """A task by its pid, a name that it had, or both; of several with a name, the one that waited longest."""
    for task in ("80", "on-cpu-1", "on-cpu-1-80", "sh-80"):
        check(ask("why", "--task", task, CPU4)[0] == ask("why", "--task=80", CPU4)[0], task)
    text, told = ask("why", "--task=sh", CPU4)
    pids = re.search(r"--task sh: \d+ tasks had this name:((?: \d+)+)", told)[1].split()
    rows = csv.DictReader(io.StringIO(ask("tasks", "--format=csv", CPU4)[0]))
    waited = {row["pid"]: int(row["wait_ns"] or 0) + int(row["blocked_ns"] or 0) for row in rows}
    check(len(pids) > 1 and text == ask("why", "--task", max(pids, key=waited.get), CPU4)[0], "several")
    check("--task nosuch: the trace has no such task" in ask("why", "--task=nosuch", CPU4, status=2)[1], "none")
    check("why: give --task=NAME or --blocked-by" in ask("why", CPU4, status=2)[1], "no task")
    check("the tree has an order of its own" in ask("why", "--task=80", "--sort=total", CPU4, status=2)[1], "--sort")
    rows = rows_of("why", "--format=csv", "--sums", "--task=80", CPU4)
    parts = rows_of("why", "--format=csv", "--task=80", CPU4)
    check(sum(int(row[4]) for row in rows) == sum(int(row[2]) for row in parts), "--sums", rows)
    # interrupts divide parts, not what is counted
    check(0 < sum(int(row[3]) for row in rows) <= len(parts), "--sums: how many")


def ascii_only():
    """With --ascii, or where the locale has no more, text is ASCII; the figures stay."""
    c_locale = dict(os.environ, LC_ALL="C")
    for words in (["tasks"], ["wakeups"], ["latency"], ["functions"], ["timeline"], ["graph"], ["info"], ["fields"], ["summary"],
                  ["why", "--blocked-by"], ["why", "--task=80"], ["diff", "--by=tasks", CPU4.replace("cpu4", "sched")]):
        plain = subprocess.run([PROGRAM, *words, CPU4], stdout=subprocess.PIPE, env=c_locale, check=True).stdout
        check(plain.isascii() and plain == ask(*words, "--ascii", CPU4)[0].encode(), words)
        wide = ask(*words, CPU4)[0]
        check(len(plain) == len(wide) or words == ["timeline"], words, "other widths")	# with another legend


def graph_as_csv():
    """A row for each object of JSON."""
    names = ask("graph", "--format=csv", CPU4)[0].splitlines()[0].split(",")
    rows = [dict(zip(names, row)) for row in rows_of("graph", "--format=csv", "--events", CPU4)]
    objects = [json.loads(line) for line in ask("graph", "--format=json", "--events", CPU4)[0].splitlines()]
    check(len(rows) == len(objects) > 3000, len(rows), len(objects))
    for row, values in zip(rows, objects):
        check(row["doubtful"] == ("" if "function" not in values else "1" if values.get("doubtful") else "0"), row, values)
        check(row["text"] == values.get("text", values.get("state", values.get("args", ""))), row, values)
        for name in ("start_ns", "cpu", "pid", "comm", "level", "kind", "function", "context", "duration_ns", "self_ns", "net_ns"):
            check(row[name] == str(values.get(name, "")), name, row, values)


def exclusions():
    for options, said in ((["--format=json", "-l", "-R"], "--format=json cannot be combined with -l"),
                          (["--format=json", "-R"], "--format=json cannot be combined with -R"),
                          (["--format=csv", "--ts-diff"], "--format=csv cannot be combined with --ts-diff")):
        check(said in ask("report", *options, CPU4, status=2)[1], options)
    ask("report", "--format=csv", "-R", CPU4)


def missing_cpus():
    out, error = ask("report", "--cpu=1,9-12,99", CPU4)
    check(error == "ftop-trace: --cpu: the trace has no CPU 9-12,99; it has 4 CPUs\n", error)
    check("[001]" in out, "CPU 1 is not shown")
    check(not ask("report", "--cpu=0-3", CPU4)[1], "nothing is missing")
    check("no CPU 4;" in ask("report", "--format=json", "--cpu=4", CPU4, CPU4, status=2)[1], "the most of a file")


def nothing_selected():
    """What is not in the trace at all is an error, before anything is printed; that it did nothing is not."""
    timerlat = os.path.join(DATA, "good", "timerlat", "trace.dat")
    for words in (["tasks"], ["wakeups"], ["latency"], ["latency", "--kind=wakeup"], ["count"], ["noise"], ["stacks", "--events"],
                  ["graph"], ["functions"], ["timeline"], ["report"]):
        path = timerlat if words[0] == "noise" else CPU4
        out, error = ask(*words, "--cpu=99", path, status=2)
        check(not out and "--cpu: the trace has no" in error, words, out, error)
        for window in (["--from=9999"], ["--to=0.5"]):
            out, error = ask(*words, *window, path, status=2)
            check(not out and "nothing in this window: the trace spans" in error, words, out, error)
        if words != ["report"]:            # of several files it makes one trace
            ask(*words, "--cpu=99", "--from=9999", path, CPU4)
    for words in (["tasks"], ["wakeups"], ["latency"], ["tasks", "--woken"], ["stacks"], ["graph"], ["functions"], ["count"], ["timeline"],
                  ["why"], ["report"], ["report", "--count"], ["graph", "--style=kernel"], ["export", "--chrome=-"]):
        out, error = ask(*words, "--task=nosuch", CPU4, status=2)
        check(words[0] in ("report", "export") or "kernel" in words[-1] or not out, words, out)
        check(error == "ftop-trace: --task nosuch: the trace has no such task\n", words, error)
        error = ask(*words, "--task=clint", DEMO, status=2)[1]
        check(error == "ftop-trace: --task clint: the trace has no such task; did you mean client?\n", words, error)
    for words in (["report", "--count"], ["functions"], ["graph"]):
        error = ask(*words, "--task=client", "--to=+0", DEMO)[1]
        check("no such task" not in error, words, error)
    check(not ask("wakeups", "--task=trace-cmd", CPU4)[1].count("no such task"), "it was not woken, but is there")


def empty_ranges():
    """A range that ends before it begins is refused, in the same words by all; one of a single moment is none of these."""
    text = os.path.join(DATA, "good", "irqsoff", "trace.dat")
    for words in (["report"], ["report", "--style=kernel"], ["report", "--format=csv"], ["tasks"], ["wakeups"], ["latency"], ["stacks"],
                  ["timeline"], ["why", "--task=80"], ["functions"], ["graph"], ["graph", "--style=kernel"]):
        for begin, end in (("9", "8"), ("+2ms", "+1999us"), ("7.500000001", "7.5"), ("+1s", "7.5")):
            out, error = ask(*words, "--from", begin, "--to", end, CPU4, status=2)
            check(error == f"ftop-trace: --from {begin} --to {end}: the range ends before it begins\n" and not out, words, error)
        ask(*words, "--from", "7.5", "--to", "7500ms", CPU4)
    check("the range ends before it begins" in ask("report", "--from", "20us", "--to", "15us", text, status=2)[1], "latency text")


def latency_of_a_latency_tracer():
    """`latency` says where what the tracer measured stands."""
    check("the trace is the text of a latency tracer; ftop-trace info tells what that measured" in
          ask("latency", os.path.join(DATA, "good", "irqsoff", "trace.dat"))[1], "latency of a latency tracer")


def record_mistakes(folder):
    """What trace-cmd takes and we do not has a hint; a file that cannot be, a user that is not, are told with the rest."""
    os.makedirs(os.path.join(folder, "tracefs", "events", "sched", "sched_switch"))
    for name, text in (("available_events", b"sched:sched_switch\n"), ("available_tracers", b"function wakeup_rt nop\n")):
        write(os.path.join(folder, "tracefs"), name, text)

    def told(*words, status=2):
        return ask("record", "--check", "--tracefs", "tracefs", "-e", "sched", *words, "true", folder=folder, status=status)[1]

    told(status=0)
    told("-o", "new.dat", "--linger", "1", status=0)
    for option in ("-k", "-a", "-H x", "--profile", "--by-comm", "--poll", "--nosplice", "--no-filter", "--module x", "--ts-offset 1",
                   "--tsc2nsec", "--proc-map", "--stderr", "--verbose", "--nofifos", "--name x"):
        error = told(*option.split())
        check(f"{option.split()[0]} is not an option of ftop-trace record: " in error, option, error)
    error = told("--user", "no such user", "-o", "missing/t.dat", "-p", "functoin")
    for mistake in ("no user is named no such user", "-o missing/t.dat: missing: No such file", "did you mean function?"):
        check(mistake in error, error)
    check("-o tracefs exists and is a folder" in told("-o", "tracefs"), "a folder")
    check("exists and is not a regular file" in told("-o", "/dev/null"), "a device")
    check("-o 'tracefs/': not a file name" in told("-o", "tracefs/"), "an empty name")
    check(told("--status-fd", "-1") == "ftop-trace: --status-fd: '-1' is not a whole number from 0 to 1048576\n", "no descriptor")
    out, error = ask("record", "--check", "--tracefs", "tracefs", "-e", "sched", "--user", "root", "--linger", "1", folder=folder, status=2)
    check("--user requires a command" in error and "--linger requires a command" in error, "what is a command's")
    for words in (("--cpu", "0", "-M", "1"), ("-M", "1", "-M", "1"), ("--cpu", "0", "--cpu", "0")):
        check("the CPUs of a buffer can only be given once" in told(*words), words)
    told("--cpu", "0", "-B", "other", "-M", "1", "-e", "sched", status=0)
    # monitors that this kernel does not have
    error = told("--monitor", "wwnr", status=1)
    check("--monitor: there is no " in error and "/rv/available_monitors: not in this kernel (CONFIG_RV" in error, error)
    # what arguments of system calls point to
    check("/syscall_user_buf_size: Linux 6.19 and later have it" in told("--syscall-bytes", "20", status=1), "not there")
    write(os.path.join(folder, "tracefs"), "syscall_user_buf_size", b"63\n")
    check("--syscall-bytes requires events of system calls" in told("--syscall-bytes", "0"), "no system calls")
    check("--syscall-bytes: '-1'" in told("--syscall-bytes=-1"), "not negative")
    # a set-up of the record screen, by its name
    told("--setup", "scheduling", status=0)
    error = told("--setup", "wiats")
    check("--setup 'wiats': no such preset; there are: scheduling, latency, waits, " in error and "did you mean waits?" in error, error)
    check("-f 'pid': there is no -e before it" in told("--setup", "scheduling", "-f", "pid"), "whose filter")
    check("sched:sched_waking: no such event: left out" in told("--setup", "waits", status=0), "it has events that this kernel lacks")
    check("period: requires -p with one of the tracers: timerlat osnoise" in told("--setup", "scheduling,period=1ms"), "keys without a tracer")
    check("did you mean period?" in told("-p", "nop", "--measure", "peroid=1ms"), "an unknown key")
    # of a latency tracer there is a second file
    os.mkdir(os.path.join(folder, "t.max.dat"))
    told("-o", "t.dat", status=0)
    check("t.max.dat is a folder, which a latency tracer does not replace" in told("-p", "wakeup_rt", "-o", "t.dat"), "its second file")
    write(folder, "v.max.dat", b"a text")
    check("v.max.dat is not a trace, which a latency tracer does not replace" in told("-p", "wakeup_rt", "-o", "v.dat"), "a text")
    write(folder, "u.max.dat", b"")
    told("-p", "wakeup_rt", "-o", "u.dat", status=0)


EVENTS = """sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq:irq_handler_entry irq_vectors:x timer:x
ipi:x block:block_rq_issue osnoise:x syscalls:sys_enter_openat rv:event_wwnr rv:error_wwnr"""

FORMAT = "name: NAME\nID: NUMBER\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" + "".join(
    f"\tfield:{field};\toffset:{8 + 16 * i};\tsize:{size};\tsigned:1;\n" for i, (field, size) in enumerate((
        ("u32 nr_sector", 4), ("long prev_state", 8), ("__data_loc char[] __filename_val", 4), ("pid_t pid", 4), ("pid_t next_pid", 4),
        ("char next_comm[16]", 16), ("pid_t prev_pid", 4), ("char prev_comm[16]", 16), ("int prev_prio", 4), ("int next_prio", 4),
        ("char comm[16]", 16)))) + '\nprint fmt: "x"\n'


def until_is_checked(folder):
    """--check refuses what the start refuses, in the same words, and says what there would be; it leaves nothing."""
    before = sorted(os.listdir(folder))
    switches = ("-e", "sched_switch", "-e", "sched_waking")
    for options, condition, told in (
            (switches, "latency > 10ms", "latency is no kind of latency (ftop-trace help until tells more);"),
            (switches, "wakup > 1ms", "did you mean wakeup?"),
            (switches, "block > 1ms", "add -e block:block_rq_issue -e block:block_rq_complete"),
            (switches, "name == fsync", "no event has a field name"),
            (switches, "under vfs_read", "records no calls"),
            (switches, "stack contains vfs_read", "records no stacks: record -T"),
            (("-e", "irq"), "wait > 1ms", "no event that this records can match"),
            ((*switches, "-m", "1s"), "wait > 1ms", "must be at least 5 s"),
            ((*switches, "-C", "counter", "-m", "1M"), "wakeup > 1ms", "the clock counter does not measure time"),
            (("-B", "own", *switches, "-C", "counter", "-m", "1M"), "wakeup > 1ms", "the clock counter does not measure time")):
        error = ask("record", "--check", "--tracefs", "tracefs", *options, "--until", condition, folder=folder, status=2)[1]
        check(told in error and "would have" not in error, condition, error)
    for condition in ("wait > 1ms", "ran > 3ms", "wakelat > 5ms", "state == preempted", "wakeup > 1ms", "lost > 0"):
        error = ask("record", "--check", "--tracefs", "tracefs", *switches, "--until", condition, folder=folder)[1]
        check(error == f"ftop-trace: --check: nothing is wrong; trace.dat would have 2 events of sched; until {condition}\n", error)
    error = ask("record", "--check", "--tracefs", "tracefs", "-p", "function_graph", "-B", "own", "-e", "sched_switch", "-e", "timer:x",
                "-o", "t.dat", "--until", "sched_switch", folder=folder)[1]
    check(error.endswith("t.dat would have what function_graph traces; in the buffer own sched:sched_switch, timer:x; until sched_switch\n"),
          error)
    check(not ask("record", "--check", "-q", "--tracefs", "tracefs", *switches, "--until", "wait > 1ms", folder=folder)[1], "-q is quiet")
    check(sorted(os.listdir(folder)) == before, "it leaves nothing")


def record_examples(folder):
    """Each line "ftop-trace ..." of ftop-trace-record(1) is taken: record by --check, others beside --help."""
    for number, event in enumerate(EVENTS.split()):
        os.makedirs(os.path.join(folder, "tracefs", "events", *event.split(":")))
        text = FORMAT.replace("NAME", event.split(":")[1]).replace("NUMBER", str(300 + number))
        for below, name, text in ((event.split(":"), "format", text), (event.split(":"), "enable", "0"),
                                  (event.split(":")[:1], "enable", "0")):
            write(os.path.join(folder, "tracefs", "events", *below), name, text.encode())
    write(os.path.join(folder, "tracefs", "events"), "header_page", b"".join(
        f"\tfield: {field};\toffset:{offset};\tsize:{size};\tsigned:1;\n".encode() for field, offset, size in (
            ("u64 timestamp", 0, 8), ("local_t commit", 8, 8), ("int overwrite", 8, 1), ("char data", 16, 4080))))
    os.makedirs(os.path.join(folder, "tracefs", "osnoise"))
    for name in ("set_ftrace_filter", "set_graph_function", "set_event_pid", "tracing_thresh", "osnoise/timerlat_period_us", "osnoise/cpus",
                 "synthetic_events"):
        write(os.path.join(folder, "tracefs"), name, b"")
    for name, text in (("available_events", EVENTS.replace(" ", "\n")), ("available_tracers", "function_graph timerlat osnoise nop\n"),
                       ("available_filter_functions", "vfs_read\n"), ("trace_clock", "[local] mono counter\n"), ("syscall_user_buf_size", "63\n")):
        write(os.path.join(folder, "tracefs"), name, text.encode())
    os.mkdir(os.path.join(folder, "tracefs", "rv"))
    write(os.path.join(folder, "tracefs", "rv"), "available_monitors", b"wwnr\n")
    for cpu in range(os.cpu_count()):
        os.makedirs(os.path.join(folder, "tracefs", "per_cpu", f"cpu{cpu}"))
    page = ask("--print-man", "ftop-trace-record.1")[0].replace("\\-", "-").replace("\\e\n", "").replace("\\&", "")
    examples = re.findall(r"^  (ftop-trace .*)$", page, re.M)
    check(len(examples) > 20, examples)
    for example in examples:
        words = shlex.split(example)[1:]
        command = [word for word in ("curl", "make", "cat") if word in words]
        words = words[:words.index(command[0])] + ["true"] if command else words
        if words[0] == "record":
            ask("record", "--check", "--tracefs", "tracefs", *words[1:], folder=folder)
        else:
            ask(*words, "--help", folder=folder)
    error = ask("record", "--check", "--tracefs", "tracefs", "--setup", "?", folder=folder, status=2)[1]
    for name in re.search("there are: ([^;\n]*)", error)[1].split(", "):
        check(re.search(rf"^  '?{name}\b", page, re.M), "--setup", name)
    until_is_checked(folder)


def help_options(words):
    """"-F, --filter=EXPR" → its text, of a command's --help; "--grep, --count" → that of a group."""
    found, name = {}, None
    listed, *groups = ask(*(words + ["--help"] if words else ["help", "all"]))[0].split("Options", 1)[1].split("Common options")
    for line in re.findall(r"^  [A-Z]\w+ +(.*(?:\n {6}.*)*)", "".join(groups), re.M):
        options, _, text = " ".join(line.split()).partition(": ")
        found[options.replace(" ", ", ")] = text or "see COMMON OPTIONS"
    groups, found = found, {}
    for line in listed.split("\n")[1:]:
        if re.match(" {2,6}-", line):
            name, _, text = line.strip().partition("  ")
            found[name] = text.strip()
        elif line.startswith(" "):          # others are headings
            found[name] += " " + line.strip()
    found.pop("-h, --help", None)
    found.pop("--version", None)
    return {name: text.strip() for name, text in (found | groups).items()}


MAN_PAGES = ("ftop-trace.1", "ftop-trace-record.1", "ftop-trace-config.5", "ftop-trace-filter.7", "ftop-trace-json.5", "ftop-trace-keys.7",
             "ftop-trace-verdicts.7")


def man_page():
    """Each command's part has its options, with the texts of its --help, each on lines of their own."""
    page, record = (ask("--print-man", name)[0].replace("\\-", "-").replace("\\&", "").replace("\\e", "\\") for name in MAN_PAGES[:2])
    options = re.search(r"^\.SH OPTIONS\n(.*?)(?=^\.SH )", record, re.M | re.S)[1]
    check(len(re.findall(r"^\.SS ", options, re.M)) > 5, "headings")
    options = re.sub(r"^\.SS .*\n", "", options, flags=re.M)
    offered = re.findall(r"^--([a-z-]+)", ask("--complete", "ftop-trace record --")[0], re.M)
    listed = re.findall(r"^\.B (?:-.?, )?--([a-z-]+)", options, re.M)
    check(sorted(listed + ["help"]) == sorted(offered), "the headings have each option once", listed, offered)
    page = page.replace("See ftop-trace-record(1).\n", options)
    commands = re.findall(r'^\.SS "ftop-trace ?(.*?)"\n(.*?)(?=^\.S[SH] )', page, re.M | re.S)
    check(len(commands) > 10, "commands:", len(commands))
    for words, text in commands:
        name = re.match(r"[a-z]*", words).group()
        options = {item.split("\n", 1)[0]: " ".join(item.split("\n")[1:]) for item in text.split("\n.TP\n.B ")[1:]}
        expected = {re.sub(r"=\S{65,}$", "=WORD", option): told      # too long for a line
                    for option, told in help_options([name] if name else []).items()}
        check(sorted(options) == sorted(expected), name, list(options), list(expected))
        for option, told in expected.items():
            got = options[option]
            check(" ".join(got.split()).startswith(" ".join(told.split())), name, option, got, told)
    items = re.findall(r"^\.TP\n(.*)\n(.*)", page, re.M)
    check(len(items) == page.count(".TP\n"), "an item without a text")
    for name, text in items:
        check(name.startswith(".B ") and text and not text.startswith("."), name, text)


def man_pages_fit():
    """Lines that stay lines have 80 columns, 7 of them indent; no part is empty."""
    for name in MAN_PAGES:
        page = ask("--print-man", name)[0]
        for escape, shown in (("\\-", "-"), ("\\&", ""), ("\\e", "\\")):
            page = page.replace(escape, shown)
        lines = "".join(re.findall(r"^\.nf\n(.*?)^\.fi\n", page, re.M | re.S)).split("\n")
        wide = [line for line in lines if len(line) > 73]
        check(not wide, name, wide)
        check(not re.search(r"^\.SS [^\n]*\n\.S[SH]", page, re.M), name, "an empty part")


def man_pages_are_clean():
    """As groff and mandoc see them."""
    for name in MAN_PAGES:
        page = ask("--print-man", name)[0]
        check(page.count("\n.SH NAME\n") == 1 and page.count("\n.SH \"SEE ALSO\"\n") == 1, name)
        done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-z"], input=page.encode(), stderr=subprocess.PIPE, check=False)
        check(done.returncode == 0 and not done.stderr, name, done.stderr.decode(errors="replace"))
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=page.encode(), stdout=subprocess.PIPE, check=False)
            told = [line for line in done.stdout.decode(errors="replace").splitlines() if "missing date" not in line]
            check(not told, name, told)
    check("no page is named x" in ask("--print-man", "x", status=2)[1], "an unknown page")


def man_pages_tell_all():
    """Keys, commands and options of the browser, each with a text; commands with examples that work."""
    keys = ask("--print-man", "ftop-trace-keys.7")[0].replace("\\-", "-")
    for item in (".B j Down\n", ".B :tour\n", ".B :plot EVENT[.FIELD]\n", ".B :set [NAME VALUE]\n", ".SS \"Timeline\"\n", ".B ?"):
        check(item in keys, item)
    config = ask("--print-man", "ftop-trace-config.5")[0]
    check(".B theme\n" in config and ".B ascii\n" in config, "options")
    page = ask("--print-man", "ftop-trace.1")[0].replace("\\-", "-")
    examples = re.findall(r"^\.B ftop-trace (.*)$", page.split(".SH EXAMPLES")[1], re.M)
    check(len(examples) > 5, examples)
    for example in examples:
        if example.split()[0] in ("report", "wakeups", "functions", "graph", "tasks", "timeline"):
            words = shlex.split(example.split("|")[0].replace("before.dat after.dat", "").replace("=bash", "=sh"))
            ask(*words, folder=os.path.dirname(CPU4))


# Each has events that others lack: of disks, system calls, a monitor; of more than a second.
RECORDINGS = [CPU4, DEMO] + [os.path.join(DATA, "good", name, "trace.dat") for name in ("block-flush-7.2", "waits", "rv-7.2", "fgraph-7.2")]
RECORDINGS += [os.path.join(SHARED, "fixtures", "mem", "trace.dat")] if SHARED else []


def works(words, folder):
    """None; or what a recording lacks for it, or is wrong."""
    done = subprocess.run([PROGRAM] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, stdin=subprocess.DEVNULL,
                          check=False, timeout=LIMIT_S)
    return None if done.returncode in ((0, 1) if words[0] == "check" else (0,)) else done.stderr.decode()


def help_examples():
    """
    Each example of ftop-trace(1) works on a real recording, whatever its files are called; so does each "PAIR" there.  Examples
    of record and live are record_examples'; others that need a kernel or write files are asked for their help.
    """
    page = ask("--print-man", "ftop-trace.1")[0].replace("\\-", "-").replace("\\e\n", "").replace("\\&", "")
    examples = [shlex.split(re.split("[|>]", re.sub("=bash", "=wl-ping-74", example))[0])[1:] for example in re.findall(r"^  ftop-trace .*$", page, re.M)]
    pairs = re.findall(r'pair of events \(repeatable\): "(\w+)(.*?)"', page.replace("\n", " "))
    check(len(examples) > 20 and len(pairs) == 1, examples, pairs)
    examples += [["latency", "--pair", name + rest, "--kind=" + name] for name, rest in pairs]
    for words in examples:
        words = [re.sub(r"\{(\w+),.*\}", r"\1", word) for word in words]	# the shell's {old1,old2}.dat
        names = {"trace.dat"} | {word.split("=")[-1] for word in words if word.endswith(".dat")}
        if words[0] in ("record", "live", "extract", "hist", "cut", "export"):
            ask(*itertools.takewhile(lambda word: word not in ("make", "./prog"), words), "--help")
            continue
        found = []
        for recording in RECORDINGS:
            with tempfile.TemporaryDirectory() as folder:
                for name in names:
                    os.symlink(recording, os.path.join(folder, name))
                found.append(works(words, folder))
            if found[-1] is None:
                break
        if all(error and "the trace has no events " in error for error in found):
            print("# no recording has the events of ftop-trace %s" % " ".join(words))
            continue
        check(found[-1] is None, words, found)


# How no native engineer writes: whoever does something, and what it is done to, has a name.
FOREIGN = r"\b(is|are|was|were) told\b|\btells? (of|it|that|how)\b|\bof which\b|\bare none\b|(?:^|[.:;] )What "


def man_pages_are_plain():
    """No phrase of FOREIGN is in a sentence."""
    for name in MAN_PAGES:
        page = re.sub(r"\n(?!\.)", " ", ask("--print-man", name)[0].replace("\\-", "-").replace("\\&", ""))
        found = [match.group() for match in re.finditer(rf".{{0,40}}(?:{FOREIGN}).{{0,40}}", page, re.M)]
        check(not found, name, found)


def help_finds():
    """help WORD says where pages, sections, options, keys and terms stand, in full; else which sentences have the word."""
    for words, found in ((["--until"], "ftop-trace-record(1), OPTIONS, Until something happens\n  --until=CONDITION\n      stop when"),
                         (["until"], "ftop-trace-record(1), RECORDING UNTIL SOMETHING HAPPENS\n      --until is for"),
                         (["keys"], "ftop-trace-keys(7)\n      views, keys and commands"),
                         (["W"], "ftop-trace-keys(7), KEYS, jump\n  W\n"), (["plot"], "  :plot EVENT[.FIELD]\n"),
                         (["Doubtful"], "ftop-trace(1), TERMS\n  doubtful, ~\n"), (["sort"], "ftop-trace(1), COMMON OPTIONS\n  --sort="),
                         (["theme"], "ftop-trace-config(5), OPTIONS\n  theme\n"),
                         (["softirq_storms"], "ftop-trace-filter(7), DESCRIPTION\n      Built in are slow_calls"),
                         (["page", "fault"], "ftop-trace-filter(7), DESCRIPTION\n      \"page fault\", /fault|trap/")):
        out = ask("help", *words)[0]
        check(found in out, words, out)
        check(max(map(len, out.split("\n"))) <= 80, words, out)
    check("  w\n" not in ask("help", "W")[0] and "ftop-trace-keys" not in ask("help", "-e")[0], "others")
    check("see COMMON OPTIONS" not in ask("help", "sort")[0], "where it is described, only")
    check(re.search(r"\n\d+ more lines have it", ask("help", "these")[0]), "too many")
    order = re.findall(r"^(ftop-trace[-a-z]*)\(", ask("help", "prio")[0], re.M)
    check("ftop-trace-json" in order and order == sorted(order, key=lambda page: page == "ftop-trace-json"), "JSON is last", order)


def ends_of_ranges(folder):
    """A text has whole microseconds: all of those at the end of a range are in it."""
    path = os.path.join(folder, "same.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n#\n" + "".join(
            f"             a-1     [000] d..2.     1.{us:06}: sched_waking: comm={name} pid=2 prio=120 target_cpu=000\n"
            for us, name in ((1, "before"), (2, "first"), (2, "second"), (3, "after"))))
    for command in ("report",), ("report", "--format=csv"), ("report", "--style=trace-cmd"):
        out = ask(*command, "--from", "1.000002", "--to", "1.000002", path)[0]
        check(re.findall(r"comm=(\w+)", out) == ["first", "second"], command, out)
    out = ask("report", "--format=csv", "--tail=2", "--to", "1.0000025", path)[0]
    check(re.findall(r"comm=(\w+)", out) == ["first", "second"], "--tail", out)
    check(re.search(r"^ +2 .*sched_waking$", ask("count", "--from", "1.000002", "--to", "1.000002", path)[0], re.M), "count")


def guides():
    """help GUIDE has all words of the document in their order; help WORD finds names there that the manual does not have."""
    share = os.path.join(os.environ.get("FTOP_SRC", "."), "share")
    for name in "first-steps", "flight-recorder", "from-other-tools", "guests", "install", "limits", "locks":
        with open(os.path.join(share, name + ".md"), encoding="utf-8") as file:
            text = re.sub(r"^.*\n\|[ -]+\|.*\n", "", file.read(), flags=re.M)	# headings of tables
        text = re.sub(r"\]\([^)]*\)", "]", text)	# where links lead
        out = ask("help", name)[0]
        check(re.findall(r"\w+", out) == re.findall(r"\w+", text), "other words", name, out)
        check("`" not in out and "](" not in out and "\n|" not in out, "marks", name, out)
    for word, found in (("mutex", "help locks, What is known of which lock\n  mutex of glibc"),
                        ("contended", "ftop-trace help locks, Terms\n  contended\n      a task wants"),
                        ("uftrace", "ftop-trace help from-other-tools, uftrace\n")):
        check(found in ask("help", word)[0], word)
    check("\nLocks\n" in ask("help", "verdicts")[0] and "\n  CPU taken by TASK\n" in ask("help", "verdicts")[0], "verdicts")
    check("from-other-tools" not in ask("help", "--until")[0], "the manual has it")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("record: mistakes in its options", record_mistakes, folder)
    with tempfile.TemporaryDirectory() as folder:
        tap.case("record: the examples of its page", record_examples, folder)
        for options in ([], ["--format=json"], ["--format=csv"]):
            name = " ".join(["report"] + options)
            tap.case(name + " of a sound file says nothing else", is_quiet, "report", *options)
            tap.case(name + " tells that a file was cut", cut_is_told, folder, *options)
            tap.case(name + " tells of damaged sub-buffers", damaged_pages_are_told, folder, *options)
        tap.case("info tells that a file was cut", cut_in_info, folder)
        tap.case("pipes are refused", pipes_are_refused, folder)
        tap.case("traces in archives", archives, folder)
        tap.case("a trace from a pipe", pipes)
        tap.case("files that are no trace.dat", foreign_files, folder)
        tap.case("files that export writes", exported_files, folder)
        tap.case("several files", several_files, folder)
        tap.case("ends of ranges of texts", ends_of_ranges, folder)
        tap.case("files come before words", files_come_before_words, folder)
    tap.case("help of a command", lambda: check(ask("help", "report") == ask("report", "--help"), "they differ"))
    tap.case("man page: options as in the help", man_page)
    tap.case("man pages: tables and examples fit into 80 columns", man_pages_fit)
    if shutil.which("groff"):
        tap.case("man pages: groff has nothing to say", man_pages_are_clean)
    else:
        tap.skip("man pages: groff has nothing to say", "no groff here")
    tap.case("man pages: keys, settings, examples", man_pages_tell_all)
    tap.case("man pages: examples work on recordings", help_examples)
    tap.case("man pages: plain English", man_pages_are_plain)
    tap.case("--sort and --head", sorted_tables)
    tap.case("--unit", units_of_text)
    tap.case("sorts of stacks", stacks_modes)
    tap.case("folded stacks are rows", folded_stacks)
    tap.case("words of count", count_words)
    tap.case("lower bounds", lower_bounds_are_told)
    for test in (interrupted, cut_refusals, cuts_are_told, joined_traces):
        with tempfile.TemporaryDirectory() as folder:
            tap.case(test.__name__, test, folder)
    tap.case("words of noise", noise_words)
    tap.case("why: the task", why_task)
    tap.case("--ascii and LC_ALL=C", ascii_only)
    tap.case("graph as CSV", graph_as_csv)
    tap.case("options before the command", options_before_the_command)
    tap.case("options that exclude each other", exclusions)
    tap.case("CPUs that are not there", missing_cpus)
    tap.case("what is not in the trace", nothing_selected)
    tap.case("ranges that end before they begin", empty_ranges)
    tap.case("latencies of a latency tracer's text", latency_of_a_latency_tracer)
    tap.case("words that are off are named", words_are_named)
    tap.case("help WORD", help_finds)
    tap.case("guides", guides)
    tap.case("help is --help", lambda: check(ask("help") == ask("--help"), "they differ"))
    tap.end()


main()
