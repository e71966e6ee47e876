# SPDX-License-Identifier: GPL-2.0-or-later
"""
extract.py - buffers that this test filled itself, by writing to tracefs, as trace.dat: the text is
what the kernel's file trace shows of them, and they are left as they were or empty.

Prints TAP.  As record.py: tracefs is compared before and after each test.

usage: extract.py [NAME-PART...]
"""
import collections
import contextlib
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import record as live

from waiting import LIMIT_S, until

NAME = "livetest-extract"
FOLDER = f"{live.TRACING}/instances/{NAME}"
CPUS = os.sched_getaffinity(0)


def extract(*words, rc=0, **kw):
    p = subprocess.run([live.PROGRAM, "extract", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       timeout=LIMIT_S, **kw)
    assert p.returncode == rc, f"status {p.returncode}, not {rc}: {p.stderr}"
    assert "Sanitizer" not in p.stderr, p.stderr
    return p.stderr


def write(file, value):
    with open(f"{FOLDER}/{file}", "w") as f:
        f.write(value)


def read(file):
    with open(f"{FOLDER}/{file}", errors="surrogateescape") as f:
        return f.read()


def stats(cpu):
    return {key: value for key, value in re.findall(r"^(.+?): +(.*)$", read(f"per_cpu/cpu{cpu}/stats"), re.M)}


def total(key):
    return sum(int(stats(cpu)[key]) for cpu in CPUS)


@contextlib.contextmanager
def instance(events=("sched",), **files):
    """An instance that is stopped; files: "trace_clock" and others, with "__" for a slash."""
    if not os.path.exists("/sys/kernel/tracing/saved_cmdlines_size"):
        raise live.Skip("no saved_cmdlines_size")
    os.mkdir(FOLDER)
    try:
        write("tracing_on", "0")
        write("buffer_size_kb", "256")
        for file, value in files.items():
            write(file.replace("__", "/"), value)
        for event in events:
            write(f"events/{event}/enable", "1")
        yield
    finally:
        os.rmdir(FOLDER)


def on_all_cpus(work):
    for cpu in CPUS:
        os.sched_setaffinity(0, {cpu})
        work(cpu)
    os.sched_setaffinity(0, CPUS)


def wakes(least):
    """Records until there are so many events."""
    write("tracing_on", "1")

    def some():
        for _ in range(200):
            time.sleep(0.0001)
        return total("entries") + total("overrun") >= least
    until(some, "too few events", 0.01)
    write("tracing_on", "0")


def marks(nr, size=40, first=0):
    """Marks on each CPU in turn."""
    def work(cpu):
        for i in range(nr):
            write("trace_marker", f"mark {first + i} on {cpu} ".ljust(size, "x") + "\n")
    write("tracing_on", "1")
    on_all_cpus(work)
    write("tracing_on", "0")


def lines(text):
    """Without names: the kernel forgets them when others trace, and the file has those of tasks that live."""
    return [re.sub(r"^.{16}-(\d+) +(?=[\[(])", r"\1 ", line) for line in text.splitlines()]


def ours(path, *options):
    p = subprocess.run([live.PROGRAM, "report", "--style=kernel", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       encoding="utf-8", errors="surrogateescape", timeout=LIMIT_S)
    assert p.returncode == 0 and not p.stderr, p.stderr
    return p.stdout


def check_equal(theirs, *options, path="t.dat"):
    compare(lines(theirs), lines(ours(path, *options)))


def compare(wanted, found):
    assert len(wanted) > 12, wanted
    for i, (a, b) in enumerate(zip(found, wanted), 1):
        assert a == b, f"line {i} is\n{a}\nand not the kernel's\n{b}"
    assert len(found) == len(wanted), (len(found), len(wanted))


def dropped(path="t.dat"):
    """Lost events as trace-cmd tells them: the number, by CPU."""
    p = subprocess.run(["trace-cmd", "report", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return {int(cpu): int(n) for cpu, n in re.findall(r"^CPU:(\d+) \[(\d+) EVENTS DROPPED\]$", p.stdout, re.M)}


def state():
    """What a reader of the buffer sees, and what the kernel counts."""
    counted = [{k: v for k, v in stats(cpu).items() if k != "now ts"} for cpu in sorted(CPUS)]
    return lines(read("trace")), counted


def check_left_as_it_was(*words, options=()):
    before = state()
    told = extract("-B", NAME, "-o", "t.dat", *words)
    assert "the buffer is as it was" in told, told
    assert state() == before
    check_equal(read("trace"), *options)
    return told


def can_map():
    return tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 10)


def need_mapping():
    if not can_map():
        raise live.Skip("this kernel does not map its buffers")


# --- without emptying ------------------------------------------------------------------------------


def test_events():
    need_mapping()
    with instance(buffer_size_kb="8192"):   # however busy the machine is, none is overwritten
        wakes(2000)
        before = total("entries")
        told = check_left_as_it_was()
        assert f"{before:,}".replace(",", " ") + " events of instance " + NAME in told, told
        # every other program reads it, too
        assert len(live.report()) == before


def test_the_oldest_are_overwritten():
    """The number of lost events is the kernel's, before the first one of its CPU; it is no loss of what is left."""
    need_mapping()
    with instance((), buffer_size_kb="16"):
        marks(2000)
        lost = {cpu: int(stats(cpu)["overrun"]) for cpu in CPUS}
        told = check_left_as_it_was()
        assert min(lost.values()) > 1000 and "older ones were lost" in told, told
        assert dropped() == lost, (dropped(), lost)
        info = json.loads(subprocess.run([live.PROGRAM, "info", "--format=json", "t.dat"], stdout=subprocess.PIPE, check=True).stdout)
        assert info["lost_events"] == info["lost_unknown"] == 0, info


def test_some_were_read():
    """With trace_pipe, in the middle of a sub-buffer; with trace_pipe_raw, several as a whole."""
    need_mapping()
    with instance(()):
        marks(1500)
        with open(f"{FOLDER}/trace_pipe") as pipe:
            seen = [pipe.readline() for _ in range(20)]
        assert all("mark" in line for line in seen), seen
        check_left_as_it_was()
        for cpu in CPUS:
            raw = os.open(f"{FOLDER}/per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
            for _ in range(5):
                assert os.read(raw, 4096)
            os.close(raw)
        assert total("read events") > 200
        os.unlink("t.dat")
        check_left_as_it_was()


def test_all_were_read_and_some_came():
    need_mapping()
    with instance(()):
        marks(300)
        extract("-B", NAME, "-o", "all.dat", "--consume")
        assert total("entries") == 0
        for i in range(3):
            marks(20, first=100 * i)
            check_left_as_it_was()
            os.unlink("t.dat")


def test_around_the_ring_again():
    """Sub-buffers that were read and not written again hold old records on some kernels: these are not in the file."""
    need_mapping()
    with instance((), buffer_size_kb="32"):
        for i in range(12):
            marks(130, first=1000 * i)
            check_left_as_it_was()
            if i % 3:
                for cpu in CPUS:
                    raw = os.open(f"{FOLDER}/per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
                    for _ in range(i % 4 + 1):
                        os.read(raw, 4096)
                    os.close(raw)
                os.unlink("t.dat")
                check_left_as_it_was()
            os.unlink("t.dat")


def test_large_sub_buffers():
    need_mapping()
    with instance((), buffer_subbuf_size_kb="16"):
        marks(900, size=300)
        assert check_left_as_it_was()


def test_filtered_events():
    """What a filter discards is padding in the sub-buffer, which the kernel does not count."""
    need_mapping()
    with instance((), events__sched__sched_switch__filter="prev_pid & 1"):
        write("events/sched/sched_switch/enable", "1")
        wakes(300)
        check_left_as_it_was()


def test_clocks():
    need_mapping()
    clocks = re.sub(r"[\[\]]", "", open(f"{live.TRACING}/trace_clock").read()).split()
    for clock in sorted({"local", "global", "mono", "boot", "perf"} & set(clocks)):
        with instance((), trace_clock=clock):
            marks(50)
            check_left_as_it_was()
            info = subprocess.run([live.PROGRAM, "info", "t.dat"], stdout=subprocess.PIPE, text=True).stdout
            assert re.search(rf"^clock:? +{clock}\b", info, re.M | re.I), info
        os.unlink("t.dat")


def test_thread_groups():
    """They are printed from the kernel's list, in the file."""
    need_mapping()
    with instance():
        write("options/record-tgid", "1")
        wakes(500)
        check_left_as_it_was(options=("-O", "record-tgid"))
        assert re.search(r"^\d+ \( +\d+\) \[", "\n".join(lines(read("trace"))), re.M), "no thread group"


def test_where_it_is_from():
    """Its instance, tracer and options that are set: in info."""
    with instance((), trace_options="sym-offset"):
        marks(3)
        options = [word for word in read("trace_options").split() if not word.startswith("no")]
        extract("-B", NAME, "-o", "t.dat", "--consume")
    assert "sym-offset" in options
    info = subprocess.run([live.PROGRAM, "info", "t.dat"], stdout=subprocess.PIPE, text=True).stdout
    assert re.search(rf"^extracted +instance {NAME}, tracer nop, options {' '.join(options)}$", info, re.M), info
    subprocess.run([live.PROGRAM, "cut", "-o", "part.dat", "--from=0", "t.dat"], check=True, stdout=subprocess.DEVNULL)
    info = subprocess.run([live.PROGRAM, "info", "--format=json", "part.dat"], stdout=subprocess.PIPE, text=True).stdout
    assert f"instance {NAME}, tracer nop" in json.loads(info)["extracted"], info


def test_compressed():
    need_mapping()
    with instance():
        wakes(1000)
        check_left_as_it_was("--compression=zstd")


# --- by emptying -----------------------------------------------------------------------------------


def test_consume():
    with instance():
        wakes(2000)
        text = read("trace")
        told = extract("-B", NAME, "-o", "t.dat", "--consume")
        assert "the buffer is empty now" in told and total("entries") == 0, told
        check_equal(text)


def test_consume_tells_what_was_lost():
    with instance((), buffer_size_kb="16"):
        marks(2000)
        text, lost = read("trace"), total("overrun")
        told = extract("-B", NAME, "-o", "t.dat", "--consume")
        assert f"{lost:,}".replace(",", " ") + " older ones were lost" in told, told
        check_equal(text)


def test_only_by_emptying():
    """Where the kernel refuses to map the buffer, as while a trigger takes snapshots."""
    with instance():
        if not os.path.exists(f"{FOLDER}/snapshot") and can_map():
            raise live.Skip("no snapshots in this kernel")
        wakes(200)
        if can_map():
            write("events/sched/sched_process_exit/trigger", "snapshot")
        before = state()
        try:
            told = extract("-B", NAME, "-o", "t.dat", rc=1)
            assert "would empty it, and --consume does that" in told and state() == before, told
            assert not os.listdir(".")
            extract("-B", NAME, "-o", "t.dat", "--consume")
        finally:
            if can_map():
                write("events/sched/sched_process_exit/trigger", "!snapshot")
        compare(before[0], lines(ours("t.dat")))


def test_snapshot():
    with instance():
        if not os.path.exists(f"{FOLDER}/snapshot"):
            assert "CONFIG_TRACER_SNAPSHOT" in extract("-B", NAME, "--snapshot", "-o", "t.dat", rc=1)
            return
        wakes(1000)
        write("snapshot", "1")
        text = read("snapshot")
        assert "--consume does that" in extract("-B", NAME, "--snapshot", "-o", "t.dat", rc=1)
        assert read("snapshot") == text
        assert "the snapshot is empty now" in extract("-B", NAME, "--snapshot", "-o", "t.dat", "--consume")
        check_equal(text)
        write("snapshot", "0")


# --- which buffer ----------------------------------------------------------------------------------


def test_the_only_one():
    with instance(()):
        marks(10)
        if subprocess.run(["grep", "-lE", "^entries: [1-9]", *(f"{live.TRACING}/per_cpu/cpu{c}/stats" for c in CPUS)],
                          stdout=subprocess.DEVNULL).returncode == 0:
            raise live.Skip("the top instance holds events of others")
        text = read("trace")
        extract("--consume", "-o", "t.dat")
        check_equal(text)
        assert "no buffer holds events" in extract("-o", "u.dat", rc=1)


def test_several():
    with instance(()):
        marks(10)
        other = f"{FOLDER}-2"
        os.mkdir(other)
        try:
            with open(f"{other}/trace_marker", "w") as f:
                f.write("x\n")
            with open(f"{other}/tracing_on", "w") as f:
                f.write("0")
            told = extract("-o", "t.dat", rc=2)
            assert f"-B {NAME}" in told and f"-B {NAME}-2" in told, told
        finally:
            os.rmdir(other)


# --- mistakes --------------------------------------------------------------------------------------


def test_no_such_instance():
    with instance(()):
        assert f"-B livetest-extrakt: no such instance; did you mean {NAME}?" in extract("-B", "livetest-extrakt", rc=2)


def test_still_recording():
    with instance():
        write("tracing_on", "1")
        told = extract("-B", NAME, "-o", "t.dat", rc=1)
        assert f"{FOLDER} is still recording; stop it first: echo 0 > {FOLDER}/tracing_on" in told, told
        assert read("tracing_on") == "1\n" and not os.listdir(".")
        assert "is still recording" in extract("-B", NAME, "-o", "t.dat", "--consume", rc=1)


def test_empty():
    with instance(()):
        for words in ((), ("--consume",)):
            assert f"{FOLDER} holds no events" in extract("-B", NAME, "-o", "t.dat", *words, rc=1)
        assert not os.listdir(".")


def test_output_exists():
    with instance(()):
        marks(3)
        before = state()
        open("t.dat", "w").close()
        assert "t.dat exists already; name another file with -o" in extract("-B", NAME, "-o", "t.dat", "--consume", rc=1)
        os.rename("t.dat", "t.dat.part")
        with open("t.dat.part", "w") as f:
            f.write("not ours")
        assert "t.dat.part" in extract("-B", NAME, "-o", "t.dat", "--consume", rc=1)
        assert state() == before


def test_no_rights():
    def become_nobody():
        os.setgid(65534)
        os.setuid(65534)
    os.chmod(".", 0o777)
    shown = extract("--top", "-o", "t.dat", rc=1, preexec_fn=become_nobody)
    assert "extract needs root: sudo ftop-trace extract" in shown, shown
    assert not os.listdir(".")


def test_under_sudo_the_file_is_the_users():
    os.chmod(".", 0o777)
    with instance(()):
        marks(3)
        extract("-B", NAME, "-o", "t.dat", "--consume", env=dict(os.environ, SUDO_UID="65534", SUDO_GID="65534"))
    assert os.stat("t.dat").st_uid == 65534


def test_no_last_boot():
    with instance(()):
        marks(3)
        assert f"{FOLDER} holds nothing of the boot before" in extract("-B", NAME, "--last-boot", "-o", "t.dat", rc=1)
        assert "no buffer holds events of the boot before" in extract("--last-boot", "-o", "t.dat", rc=1)


def test_one_buffer_at_a_time():
    for words in (("--top", "-B", "x"), ("--top", "--last-boot"), ("--snapshot", "--last-boot")):
        assert "name one buffer" in extract(*words, rc=2)


def test_a_full_disk():
    """What was taken out of the buffer is not lost."""
    def work():
        with instance((), buffer_size_kb="8192"):
            marks(4000, size=1000)
            events = total("entries")
            told = extract("-B", NAME, "-o", "mnt/t.dat", "--consume", rc=1)
            assert "mnt/t.dat.part: ftop-trace recover mnt/t.dat.part" in told, told
            left = total("entries")
            found = subprocess.run([live.PROGRAM, "report", "--count", "mnt/t.dat.part"], stdout=subprocess.PIPE, text=True)
            assert left < events and int(found.stdout) > 0, (events, left, found.stdout)
    live.mounted("tmpfs", 12 << 20, work)


def events_by_cpu(path):
    """(seconds, "PID EVENT: FIELDS") by CPU, in order; without the state of who leaves, which another CPU may change meanwhile."""
    found = collections.defaultdict(list)
    for line in live.report(path, "-t"):
        match = re.match(r" *.*-(\d+) +\[(\d+)\] +(?:\S+ )?([\d.]+): +(.*)$", line)
        if match:
            found[int(match[2])].append((float(match[3]), f"{match[1]} {re.sub(' [A-Z+]+ ==>', ' ==>', match[4])}"))
    return found


def test_recording_beside():
    """A buffer beside the recording has no event of interrupts and the scheduler that this one lacks, also while the recorder's tasks
    run: some of the interrupts hit these."""
    kinds = [kind for kind in ("irq", "irq_vectors", "timer", "block") if os.path.exists(f"{live.TRACING}/events/{kind}")]
    words = [word for kind in (*kinds, "sched_switch", "sched_waking") for word in ("-e", kind)]
    with instance(("sched/sched_switch", "sched/sched_waking", *kinds), trace_clock="mono", buffer_size_kb="65536"):
        write("tracing_on", "1")
        work = live.load()
        try:
            live.record("-q", *words, "-C", "mono", "-b", "32M", "-s", "500", "-o", "t.dat", "--duration", str(2 * live.SLOW))
        finally:
            work.kill()
            work.wait()
        write("tracing_on", "0")
        assert not total("overrun"), "the buffer beside is too small"
        extract("-B", NAME, "-o", "all.dat")
    info = json.loads(subprocess.run([live.PROGRAM, "info", "--format=json", "t.dat"], stdout=subprocess.PIPE, check=True).stdout)
    assert not info["lost_events"], "the recording lost events"
    recorded, beside = events_by_cpu("t.dat"), events_by_cpu("all.dat")
    for cpu, events in recorded.items():
        first, last = events[0][0] + 0.001, events[-1][0] - 0.001
        theirs = collections.Counter(text for seconds, text in beside[cpu] if first < seconds < last)
        missing = theirs - collections.Counter(text for _, text in events)
        assert len(theirs) > 100 and not missing, f"CPU {cpu} lacks {missing.total()} of {theirs.total()}: {missing.most_common(5)}"


if __name__ == "__main__":
    sys.exit(live.main(globals()))
