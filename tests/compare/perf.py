#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A perf.data has what perf reads in it.

The files of tests/data/perf were recorded in a virtual machine; its README.md says how.  Beside each is the text of perf
script, of one also the addresses of all call chains, of one the sums of perf sched timehist and latency.  Prints TAP.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from perf_swapped import swapped                                # noqa: E402
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, read_text, run, same, trace_cmd_report  # noqa: E402

FOLDER = os.path.join(DATA, "perf")
STACKS = ("kernel_stack", "user_stack")
# comm, task, CPU if it was recorded, time, event, text
SCRIPT = re.compile(r" *(.*?) +(-?\d+) (?:\[(\d+)\] )? *(\d+)\.(\d{9}): +(\S+) ?(.*)")
# The kernel's text: comm-pid [cpu] flags time: event: text
KERNEL = re.compile(r".{16}--?\d+ +\[\d+\] \S{5} +\d+\.\d+: (\w+): (.*)")
SAMPLE = re.compile(r"\d+ (\d+) 0x[0-9a-f]+ \[.*PERF_RECORD_SAMPLE")
ENTRY = re.compile(r"\.+ +\d+: ([0-9a-f]{16})")
SWITCHES = {(0, 0): "IN", (1, 0): "OUT", (1, 1): "OUT preempt"}
CONTEXTS = {2**64 - 128: "kernel_stack", 2**64 - 512: "user_stack"}
COUNTED, COUNTED_IN_SCRIPT = "sched_sched_wakeup", "sched:sched_wakeup"     # of points.data
SAMPLE_ID_BYTES = 32                    # of switches.data: tid, time, id, cpu


# No file of this machine is one that was recorded there.
NAMELESS = "--sysroot=" + FOLDER
ROOT = os.path.join(FOLDER, "root")
NAMES = os.path.join(ROOT, "names.data.gz")
os.environ["HOME"] = FOLDER


def path_of(name):
    return os.path.join(FOLDER, name + ".data.gz")


def rows(path):
    """All events, in JSON; a stack is put to the event before it."""
    found = []
    for line in run([PROGRAM, "report", "--format=json", path]).decode(errors="replace").splitlines():
        row = json.loads(line)
        if row["event"] in STACKS:
            found[-1][row["event"]] = [int(str(address), 0) for address in row["fields"]["caller"]]
        else:
            found.append(row)
    return found


def texts(path):
    """The text of each event of a tracepoint, as the kernel prints it."""
    lines = run([PROGRAM, "report", "--style=kernel", path]).decode(errors="replace").splitlines()
    found = [KERNEL.match(line) for line in lines]
    return [match[2] for match in found if match and match[1] not in STACKS + ("switch",)]


def name_in_script(row):
    return row["event"].replace("_", "-") if row["system"] == "perf" else row["system"] + ":" + row["event"]


def check_name(row, names):
    """A task may get another name at the time of a row; perf has those of workers from /proc, with the work behind them."""
    name = row["comm"].replace("<idle>", "swapper")
    if name not in names and not any("kworker" in there and there.startswith(name) for there in names):
        raise Failure("%r is called %s" % (row, names))


def as_in_script(name):
    """
    Each row of perf script, in its order.  Of a tracepoint that is counted in samples of another one, perf prints that one's text.
    """
    script = read_text(os.path.join(FOLDER, name + ".txt.gz")).decode(errors="replace").splitlines()
    got = [row for row in rows(path_of(name)) if name != "switches" or row["system"] == "perf"]
    switches = [row for row in got if row["event"] == "switch"]
    got = [row for row in got if row["event"] != "switch"]
    kernel = [] if name == "switches" else texts(path_of(name))
    expected, names, told = [], {}, []
    for line in script:
        comm, pid, cpu, seconds, ns, event, text = SCRIPT.match(line).groups()
        ts = int(seconds) * 10**9 + int(ns)
        if event == "PERF_RECORD_SWITCH":
            told.append((ts, int(pid), text.strip()))
        if not event.startswith("PERF_RECORD"):
            expected.append((ts, int(cpu or 0), int(pid), event.rstrip(":"), text.strip()))
        names.setdefault((ts, int(pid)), set()).add(comm)
    if len(expected) != len(got) or (kernel and len(kernel) != len(got)):
        raise Failure("%d rows and %d texts instead of %d" % (len(got), len(kernel), len(expected)))
    if sorted(told) != sorted((row["ts_ns"], row["pid"], SWITCHES[row["fields"]["out"], row["fields"]["preempt"]]) for row in switches):
        raise Failure("switches of tasks: %d rows instead of %d" % (len(switches), len(told)))
    # the clock of the machine stands still at times: rows of one time are compared CPU by CPU
    expected.sort(key=lambda row: row[:2])
    for nr, (there, row) in enumerate(zip(expected, got)):
        text = there[4] and kernel[nr].strip()
        here = (row["ts_ns"], row["cpu"], row["pid"], name_in_script(row), text)
        if row["event"] == COUNTED:
            here, there = here[:3], there[:3] if there[3] == COUNTED_IN_SCRIPT else None
        if here != there:
            raise Failure("row %d is\n  %r\ninstead of\n  %r" % (nr, here, there))
        check_name(row, names[row["ts_ns"], row["pid"]])


def style(name):
    """
    The lines of perf script, but for names of functions, which perf took from files that are not here (of addresses of the kernel,
    for all but those), and the order of rows of one time.  A row may have several lines: its stack, and a blank one.  A task may get
    its name at the time of a row (check_name()).
    """
    def rows_of(text):
        text = re.sub(r"(?m)^(\t[0-9a-f]{16}) .*$", r"\1", text.decode(errors="replace"))
        text = re.sub(r"(?m)^(\t[ 0-9a-f]{16}|.{16} .*: +[0-9a-f]+) \S+ (\(.*\))$", r"\1 [unknown] \2", text)
        found = re.findall(r"(?m)^[^\t\n].*\n(?:\t.*\n|\n)*", text)
        if "".join(found) != text:
            raise Failure("a stack without its event")
        return sorted(re.sub(r"^.+?(?= +\d+ (?:\[\d+\] )? *\d+\.\d+: )", "", row) for row in found), sorted(found)

    got, whole = rows_of(run([PROGRAM, "report", "--style=perf", path_of(name)]))
    expected, all_of_it = rows_of(read_text(os.path.join(FOLDER, name + ".lines.gz")))
    if got != expected:
        raise Failure("%d rows instead of %d; %r" % (len(got), len(expected), sorted(set(expected) ^ set(got))[:4]))
    if len(set(all_of_it) - set(whole)) > 0.25 * len(all_of_it):
        raise Failure("names of tasks: %r" % sorted(set(all_of_it) - set(whole))[:4])


def chains():
    """The kernel's part and that of user space, which ends before an address 0."""
    expected, space = [], None
    for line in read_text(os.path.join(FOLDER, "stacks.chains.gz")).decode().splitlines():
        sample, entry = SAMPLE.match(line), ENTRY.match(line)
        if sample:
            expected.append((int(sample[1]), {}))
        elif int(entry[1], 16) >= 2**64 - 4095:
            space = CONTEXTS[int(entry[1], 16)]
        else:
            expected[-1][1].setdefault(space, []).append(int(entry[1], 16))
    expected = sorted(expected, key=lambda sample: sample[0])
    for (ts, stacks), row in zip(expected, rows(path_of("stacks"))):
        user = stacks.get("user_stack", [])
        stacks["user_stack"] = user[:user.index(0)] if 0 in user else user
        if ts != row["ts_ns"] or any(stacks.get(kind, []) != row.get(kind, []) for kind in STACKS):
            raise Failure("at %d: %r instead of %r" % (ts, row, stacks))


def flame():
    """Whole stacks and how often each was sampled, folded from the frames of perf script; the innermost are first there."""
    expected = collections.Counter()
    for sample in read_text(os.path.join(FOLDER, "stacks.frames.gz")).decode().strip("\n").split("\n\n"):
        event, *frames = sample.split("\n")
        folded = [event.strip(" :").split(":")[-1].replace("-", "_")]
        for address, file in reversed([re.fullmatch(r"\s+([0-9a-f]+) \((.*)\)", frame).groups() for frame in frames]):
            if int(address, 16):
                known = file[0] == "/"
                folded.append("%s0x%s" % (os.path.basename(file) + "+" if known else "", address))
        expected[";".join(folded)] += 1
    lines = run([PROGRAM, "stacks", NAMELESS, "--events", "--folded", path_of("stacks")]).decode().splitlines()
    got = {stack: int(count) for stack, count in (line.rsplit(" ", 1) for line in lines)}
    if got != expected:
        raise Failure(repr(sorted(set(got.items()) ^ set(expected.items()))[:4]))


def runtimes():
    """Tasks that ran within the trace: how often, and how long, in µs as perf prints it."""
    table = csv.DictReader(io.StringIO(run([PROGRAM, "tasks", "--format=csv", path_of("sched")]).decode(errors="replace")))
    tasks = {int(row["pid"]): row for row in table}
    with open(os.path.join(FOLDER, "sched.timehist"), encoding="utf-8") as file:
        lines = [re.match(r" +\S+\[(\d+)\] +\d+ +(\d+) +([\d.]+)", line) for line in file]
    lines = [match for match in lines if match]
    if len(lines) < 15:
        raise Failure("only %d tasks in the text of perf" % len(lines))
    for match in lines:
        task = tasks[int(match[1])]
        if int(task["switches"]) != int(match[2]) or "%d.%03d" % divmod(int(task["run_ns"]) // 1000, 1000) != match[3]:
            raise Failure("%r instead of %s" % (task, match[0]))


def delays():
    """
    What perf sched latency prints: from sched_wakeup on, where we take sched_waking; of preempted tasks in state R, not in R+;
    and a task that is first seen when it begins to run waited 0.
    """
    def table(command):
        return list(csv.DictReader(io.StringIO(run([PROGRAM, command, "--format=csv", path_of("sched")]).decode(errors="replace"))))

    woken, waits, seen = [], collections.defaultdict(list), set()
    for row in rows(path_of("sched")):
        fields = row["fields"]
        if row["event"] in ("sched_wakeup", "sched_wakeup_new"):
            woken.append((row["ts_ns"], fields["pid"]))
            seen.add(fields["pid"])
        elif row["event"] == "sched_switch":
            if fields["next_pid"] not in seen | {fields["prev_pid"]}:
                waits[fields["next_pid"]].append(0)
            seen |= {fields["prev_pid"], fields["next_pid"]}
    for row in table("wakeups"):
        pid, end = int(row["pid"]), int(row["run_ts_ns"] or 0)
        waits[pid] += [end - ts for ts, task in woken if task == pid and int(row["wake_ts_ns"]) <= ts <= end][:1]
    for row in table("timeline"):
        if row["row"] == "task" and row["state"] == "preempted" and row["detail"] == "R":
            waits[int(row["pid"])].append(int(row["duration_ns"]))
    with open(os.path.join(FOLDER, "sched.latency"), encoding="utf-8") as file:
        lines = [re.match(r" +\S.*:(\d+) +\|.*\| +(\d+) \| avg: +([\d.]+) ms \| max: +([\d.]+) ms", line) for line in file]
    for line in lines:
        there = waits[int(line[1])] or [0]
        got = (str(len(waits[int(line[1])])), "%.3f" % (sum(there) / len(there) / 1e6), "%.3f" % (max(there) / 1e6))
        if got != line.groups()[1:]:
            raise Failure("%r instead of %s" % (there, line[0]))
    if not lines:
        raise Failure("no tasks in the text of perf")


def switch_records(data):
    """(time, CPU, task, next task, could run on) of each SWITCH_CPU_WIDE of a task that leaves, from the bytes."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        if kind == 15 and misc & 1 << 13:
            _, tid, ts, _, cpu = struct.unpack_from("<IIQQI", data, at + size - SAMPLE_ID_BYTES)
            yield ts, cpu, tid, struct.unpack_from("<I", data, at + 12)[0], bool(misc & 1 << 14)
        at += size


def switches():
    got = [(row["ts_ns"], row["cpu"], row["fields"]["prev_pid"], row["fields"]["next_pid"], row["fields"]["prev_state"] == 0)
           for row in rows(path_of("switches")) if row["event"] == "sched_switch"]
    expected = sorted(switch_records(read_text(path_of("switches"))))
    if not expected or sorted(got) != expected:
        raise Failure("%r instead of %r" % (got[:3], expected[:3]))


def cgroups():
    """Samples of each cgroup, as perf report -F sample,cgroup counts them; where a task moves, it is known up to then."""
    counts = {name: int(run([PROGRAM, "report", "--count", "-F", 'period > 0 && cgroup == "%s"' % name, path_of("cgroups")]))
              for name in ("/", "/recorded/inner")}
    if counts["/recorded/inner"] != 22 or not 24 - 1 <= counts["/"] <= 24:
        raise Failure(repr(counts))
    if b"left out        namespaces of tasks: 27\n" not in run([PROGRAM, "info", path_of("cgroups")]):
        raise Failure("namespaces are not counted")


def one_program():
    """
    perf record PROG: no sched_switch tells that the program comes to a CPU, so states are in no table, which says why; nor in a
    trace.dat of it.  Counts are as in perf script.
    """
    with tempfile.TemporaryDirectory() as folder:
        new = os.path.join(folder, "trace.dat")
        run([PROGRAM, "cut", "-o", new, path_of("program")])
        for path in (path_of("program"), new):
            for words in (["tasks"], ["cpus"], ["wakeups"], ["latency"], ["latency", "--kind=sleep"], ["timeline"]):
                done = subprocess.run([PROGRAM, *words, "--format=csv", path], capture_output=True, check=True)
                if done.stderr.count(b"perf recorded some tasks only") != 1 or re.search(rb"(?m)^(?!cpu,|row,)[^,\n]*,.*(sleeps|waits|,S,)", done.stdout):
                    raise Failure("%s: %r, %r" % (words, done.stdout, done.stderr))
                if words != ["timeline"] and done.stdout.count(b"\n") != 1:
                    raise Failure("%s: %r" % (words, done.stdout))
            same(run([PROGRAM, "count", "--format=csv", path]), b"count,event\n10,sched_switch\n6,sched_waking\n")


def sound():
    """A sound file whose samples do not tell their CPU: a note, and nothing is damaged."""
    lines = run([PROGRAM, "summary", path_of("task")])
    if b"samples do not tell their CPU" not in lines or b"damaged or missing" in lines:
        raise Failure(repr(lines))


def no_chains():
    """Samples without call chains are stacks of one frame: as many in each file as perf script prints."""
    found = re.findall(r"\(([^ ()]+)\)$", read_text(os.path.join(FOLDER, "task.lines.gz")).decode(), re.M)
    expected = collections.Counter("" if name == "[kernel.kallsyms]" else os.path.basename(name) for name in found)
    got = collections.Counter()
    for row in csv.DictReader(io.StringIO(run([PROGRAM, "stacks", NAMELESS, "--format=csv", path_of("task")]).decode())):
        event, frame = row["stack"].split(";")
        got[frame.split("+")[0] if "+" in frame else ""] += int(row["count"])
        if event != "page_faults":
            raise Failure(event)
    if got != expected:
        raise Failure("%r instead of %r" % (got, expected))
    done = subprocess.run([PROGRAM, "stacks", path_of("sched")], capture_output=True, check=True)
    if b"perf recorded no call chains; to record some: perf record -g\n" not in done.stderr or done.stdout:
        raise Failure(repr(done))


def leaves(*options):
    """How many samples end in each function, and what is told."""
    done = subprocess.run([PROGRAM, "stacks", "--format=csv", *options, NAMES], capture_output=True, check=True)
    got = collections.Counter()
    for row in csv.DictReader(io.StringIO(done.stdout.decode())):
        got[row["stack"].split(";")[-1]] += int(row["count"])
    return got, done.stderr.decode()


def functions():
    """Functions of user space: those of perf report, with as many samples; their callers are those of perf script."""
    with open(os.path.join(ROOT, "names.report"), encoding="utf-8") as file:
        rows_there = re.findall(r"^ +[\d.]+% +(\d+) +(\S+) +\[\.\] (\S+)", file.read(), re.M)
    expected = {"%s [%s]" % (name, file): int(count) for count, file, name in rows_there}
    got, told = leaves("--sysroot=" + ROOT)
    if got != expected or "without names" in told:
        raise Failure("%r instead of %r; %s" % (got, expected, told))
    if leaves("--sysroot=" + ROOT, "--functions")[0] != expected:
        raise Failure("--functions")
    folded = collections.Counter()
    for sample in read_text(os.path.join(ROOT, "names.frames.gz")).decode().strip("\n").split("\n\n"):
        event, *frames = sample.split("\n")
        frames = [re.fullmatch(r"\s+([0-9a-f]+) (\S+) \((.*)\)", frame).groups() for frame in frames]
        # the last call of _start returns to an address behind it, where perf finds no function; the call is in _start
        names = ["0x" + ip if file[0] != "/" else "%s [%s]" % (name.replace("[unknown]", "_start"), os.path.basename(file))
                 for ip, name, file in frames]
        folded[";".join([re.sub("[-:]", "_", event.strip(" :")), *reversed(names)])] += 1
    lines = run([PROGRAM, "stacks", "--sysroot=" + ROOT, "--folded", NAMES]).decode().splitlines()
    if {stack: int(count) for stack, count in (line.rsplit(" ", 1) for line in lines)} != folded:
        raise Failure("%r instead of %r" % (lines, folded))


def other_files():
    """A file that is gone, or another one now, has no names, which is told; but perf keeps files by their build IDs."""
    with open(os.path.join(ROOT, "opt", "ftop", "names"), "rb") as file:
        good = file.read()
    identity = re.search(rb"\x14\0\0\0\x03\0\0\0GNU\0(.{20})", good, re.S)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "opt", "ftop"))
        for why in ("not found", "has another build ID"):
            got, told = leaves("--sysroot=" + folder)
            if any("[names]" in name for name in got) or "/opt/ftop/names: " + why not in told:
                raise Failure("%r %s" % (got, told))
            with open(os.path.join(folder, "opt", "ftop", "names"), "wb") as file:
                file.write(good.replace(identity[1], bytes(20)))
        number = identity[1].hex()
        kept = os.path.join(folder, ".debug", ".build-id", number[:2], number[2:])
        os.makedirs(kept)
        shutil.copy(os.path.join(ROOT, "opt", "ftop", "names"), os.path.join(kept, "elf"))
        os.environ["HOME"] = folder
        try:
            got, told = leaves("--sysroot=" + folder)
        finally:
            os.environ["HOME"] = FOLDER
        if got != leaves("--sysroot=" + ROOT)[0] or "build ID" in told:
            raise Failure("%r %s" % (got, told))


def old_magic():
    """Before Linux 3.4 perf.data began with PERFFILE; all else is the same."""
    data = read_text(path_of("sched"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        with open(path, "wb") as file:
            file.write(data.replace(b"PERFILE2", b"PERFFILE", 1))
        same(run([PROGRAM, "report", path]), run([PROGRAM, "report", path_of("sched")]))


def threads():
    """What perf record --threads wrote is a folder: it says so."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "data"), "wb") as file:
            file.write(read_text(path_of("sched")))
        done = subprocess.run([PROGRAM, "info", folder], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False)
        if done.returncode == 0 or b"record without --threads" not in done.stderr:
            raise Failure(repr(done.stderr))


def piped():
    """What is read from a pipe is what is read from a file."""
    for name in ("pipe", "sched"):
        done = subprocess.run([PROGRAM, "report", "-"], input=read_text(path_of(name)), stdout=subprocess.PIPE, check=True)
        same(done.stdout, run([PROGRAM, "report", path_of(name)]))


def other_byte_order(name):
    """A file of a machine with the other byte order has the same text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "perf.data"), os.path.join(folder, "swapped.data")]
        for path, turn in zip(paths, (bytes, swapped)):
            with open(path, "wb") as file:
                file.write(turn(read_text(path_of(name))))
        for words in (["report", "--format=json"], ["report", "--style=perf"], ["stacks", "--events", "--folded"]):
            same(*(run([PROGRAM, *words, NAMELESS, path]) for path in reversed(paths)))


def cut(name):
    """A trace.dat of it has the same events and stacks; a task has its last name there, where records tell none."""
    def events(path):
        return re.sub(rb'"comm":"[^"]*","system"', b'"system"', run([PROGRAM, "report", "--format=json", path]))

    with tempfile.TemporaryDirectory() as folder:
        new = os.path.join(folder, "trace.dat")
        run([PROGRAM, "cut", "-o", new, path_of(name)])
        same(events(new), events(path_of(name)))
        same(*(run([PROGRAM, "stacks", NAMELESS, "--events", path]) for path in (new, path_of(name))))
        if not TRACE_CMD:
            return
        lines = re.findall(rb"^ *\S+-\d+ +\[\d+\] +\d+\.\d+: (\S+):", trace_cmd_report([], new), re.M)
        if len(lines) != events(new).count(b"\n"):
            raise Failure("trace-cmd reads %d events" % len(lines))


def cut_short():
    """A file that ends early costs what is missing."""
    data = read_text(path_of("sched"))
    whole = [row["ts_ns"] for row in rows(path_of("sched"))]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        for part in (3, 2):
            with open(path, "wb") as file:
                file.write(data[:len(data) - len(data) // part])
            got = [json.loads(line)["ts_ns"] for line in run([PROGRAM, "report", "--format=json", path]).splitlines()]
            if len(got) < 50 or not set(got) <= set(whole) or b"the file ends here" not in run([PROGRAM, "info", path]):
                raise Failure("%d rows of %d bytes" % (len(got), os.path.getsize(path)))


def main():
    tap = Tap()
    names = sorted(file[:-len(".data.gz")] for file in os.listdir(FOLDER) if file.endswith(".data.gz"))
    for name in names:
        tap.case("%s: rows of perf script" % name, as_in_script, name)
    for name in names:
        tap.case("%s: --style=perf" % name, style, name)
    tap.case("call chains", chains)
    tap.case("folded stacks", flame)
    tap.case("times of perf sched timehist", runtimes)
    tap.case("delays of perf sched latency", delays)
    tap.case("switches of --switch-events", switches)
    tap.case("cgroups", cgroups)
    tap.case("one program", one_program)
    tap.case("a sound file", sound)
    tap.case("no call chains", no_chains)
    tap.case("functions of user space", functions)
    tap.case("files that are other ones now", other_files)
    tap.case("the magic of old perf", old_magic)
    tap.case("a folder of --threads", threads)
    tap.case("a pipe", piped)
    for name in names:
        if name != "packed":            # what is compressed is not turned round
            tap.case("%s: in the other byte order" % name, other_byte_order, name)
    for name in ("sched", "stacks", "switches"):
        tap.case("%s: cut to a trace.dat" % name, cut, name)
    tap.case("a file that ends early", cut_short)
    tap.end()


main()
