# SPDX-License-Identifier: GPL-2.0-or-later
"""
record_until.py - record --until on this machine's kernel: it stops at what was planted.

A task named `plant` sleeps for long now and then, and prints when, by the clock of the trace.  Prints TAP.  As record.py:
tracefs is compared before and after each test.

usage: record_until.py [NAME-PART...]
"""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import record as live
import screen as screens

from waiting import LIMIT_S, until

EVENTS = ("-e", "sched_switch", "-e", "sched_waking")
NAP = "clock_nanosleep"
CALLS = ("-e", f"syscalls:sys_enter_{NAP}", "-e", f"syscalls:sys_exit_{NAP}")
# Again and again forty short sleeps, then a long one.  A line tells the long one's begin and end by CLOCK_MONOTONIC.
PLANT = """
import os, time
with open("/proc/self/comm", "w") as comm: comm.write("plant")
while True:
    for i in range(40): time.sleep(0.002)
    began = time.monotonic_ns()
    time.sleep(0.4)
    print(began, time.monotonic_ns(), flush=True)
"""
LIMIT_NS = 300_000_000
OVER = "> 300ms"
# of the planted moments
LONG_CALL = f"syscall {OVER} && name == {NAP} && comm == plant"


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


class Plant:
    """The task, and the long moments that it has told when it ended."""

    def __enter__(self):
        self.file = open("planted", "w+", encoding="ascii")
        self.process = subprocess.Popen([sys.executable, "-c", PLANT], stdout=self.file)
        until(lambda: name_of(self.process.pid) == "plant", "it has no name")
        return self

    def __exit__(self, *args):
        self.process.kill()
        self.process.wait()
        self.file.close()

    def moments(self):
        with open("planted", encoding="ascii") as file:
            return [tuple(map(int, line.split())) for line in file if line.endswith("\n")]

    def holds(self, hit):
        """Is the hit in one of the long moments, and as long?"""
        def found():
            return [m for m in self.moments() if m[0] <= hit["from_ns"] < m[1]]
        until(lambda: found() or self.moments()[-1:] > [(hit["to_ns"],)], "the plant tells nothing")
        assert len(found()) == 1, (hit, self.moments())
        assert hit["to_ns"] <= found()[0][1] and hit["to_ns"] - hit["from_ns"] > LIMIT_NS, (hit, found())


def hits_of(path="t.dat"):
    return live.info_of(path)["hits"]


def stamps(path, pattern):
    """ns of the lines of trace-cmd's report that match."""
    lines = live.report(path, "-t")
    return [int(m[1].replace(".", "")) for line in lines if re.search(pattern, line) and (m := re.search(r" (\d+\.\d{9}):", line))]


def run_until(*conditions, options=EVENTS, **kw):
    words = [word for condition in conditions for word in ("--until", condition)]
    return live.record(*words, *options, "-o", "t.dat", stdin=subprocess.DEVNULL, **kw)


def stopped(condition, plant, options=EVENTS, **kw):
    """It stops at a long moment, which is in the file: one hit."""
    p = run_until(condition, options=options, **kw)
    hits = hits_of()
    assert len(hits) == 1 and hits[0]["condition"] == condition, hits
    assert "stopped by --until" in p.stderr and hits[0]["what"] in p.stderr, p.stderr
    plant.holds(hits[0])
    return hits[0]


def test_a_sleep():
    """Its ends are the records that trace-cmd shows, and the latency list of the whole file has it."""
    with Plant() as plant:
        hit = stopped(f"sleep {OVER} && comm == plant", plant)
    assert hit["from_ns"] in stamps("t.dat", f"sched_switch: +plant:{plant.process.pid} .* ==> "), hit
    assert hit["to_ns"] in stamps("t.dat", f"sched_waking: .*pid={plant.process.pid} "), hit
    # what lingers is there
    assert max(stamps("t.dat", ".")) > hit["to_ns"] + 50_000_000
    p = subprocess.run([live.PROGRAM, "latency", "--kind=sleep", "--task=plant", "--format=json", "t.dat"], stdout=subprocess.PIPE,
                       text=True, check=True)
    rows = [json.loads(line) for line in p.stdout.splitlines()]
    assert any(row["start_ns"] == hit["from_ns"] and row["duration_ns"] == hit["to_ns"] - hit["from_ns"] for row in rows), rows[:2]


def test_a_system_call_by_its_name():
    with Plant() as plant:
        hit = stopped(f"syscall {OVER} && name == {NAP} && comm == plant", plant, CALLS)
    assert NAP in hit["what"] and hit["from_ns"] in stamps("t.dat", f"sys_enter_{NAP}"), hit


def test_a_pair_of_the_user():
    os.makedirs("config/ftop-trace")
    with open("config/ftop-trace/pairs", "w", encoding="ascii") as file:
        file.write(f"pair nap syscalls:sys_enter_{NAP} -> syscalls:sys_exit_{NAP} by pid\n")
    with Plant() as plant:
        hit = stopped(f"pair:nap {OVER} && comm == plant", plant, CALLS, env=dict(os.environ, XDG_CONFIG_HOME=os.path.abspath("config")))
    assert hit["from_ns"] in stamps("t.dat", f"sys_enter_{NAP}"), hit


def test_a_function():
    with open(f"{live.TRACING}/available_tracers", encoding="ascii") as file:
        if "function_graph" not in file.read().split():
            raise live.Skip("this kernel has no tracer function_graph")
    with Plant() as plant:
        hit = stopped(f"hrtimer_nanosleep {OVER} && comm == plant", plant, ("-p", "function_graph", "-l", "hrtimer_nanosleep", "-C", "mono"))
    assert "hrtimer_nanosleep" in hit["what"], hit


def test_an_event():
    p = live.record("--until", "sched_process_exit && comm == planted", "-e", "sched_process_exit", "-o", "t.dat", "--", "sh", "-c",
                    f"exec >out 2>&1; cp {shutil.which('true')} planted; ./planted; until [ -e ended ]; do sleep 0.05; done")
    open("ended", "w").close()
    hits = hits_of()
    assert len(hits) == 1 and hits[0]["from_ns"] == hits[0]["to_ns"], hits
    assert [hits[0]["from_ns"]] == stamps("t.dat", "sched_process_exit: +comm=planted"), hits
    assert "sh still runs" in p.stderr, p.stderr


def counted(recorder, what):
    """Of the events in its buffer, not in that of names."""
    return sum(int(n) for path in glob.glob(f"{live.TRACING}/instances/ftop-{recorder.pid}-*[0-9]/per_cpu/cpu*/stats")
               for n in re.findall(rf"^{what}: (\d+)", open(path, encoding="ascii").read(), re.M))


def throttled(busy):
    """A task in a group with a limit: what later records tell of a switch is a hit, and report -F has it."""
    group = live.limited_group()
    burns = subprocess.Popen(["sh", "-c", f"echo $$ > {group}/cgroup.procs; while :; do :; done"])
    spin = "import os, sys\nos.nice(19)\nos.sched_setaffinity(0, [int(sys.argv[1])])\nwhile True: pass"
    processes = [burns] + [subprocess.Popen([sys.executable, "-c", spin, str(cpu)]) for cpu in os.sched_getaffinity(0) if busy]
    condition = f"throttled > 20ms && task == {burns.pid}"
    try:
        said = run_until(condition, options=("--setup=scheduling", "-C", "mono", "--duration=20")).stderr
    finally:
        for process in processes:
            process.kill()
            process.wait()
        until(lambda: not open(group + "/cgroup.procs").read(), "the group is empty")
        os.rmdir(group)
    info = live.info_of("t.dat")
    if not info["hits"] and info["missing_switches"] and not busy:
        assert "switches are missing" in said, said
        raise live.Skip("this kernel hides switches")
    hit, = info["hits"]
    found = live.asked("report", "-t", "-F", condition, "t.dat").splitlines()
    assert [line for line in found if f" {hit['from_ns'] // 10**9}.{hit['from_ns'] % 10**9:09}: sched_switch:" in line], (hit, found)


def test_throttled():
    throttled(busy=False)


def test_throttled_where_no_cpu_idles():
    """Also of a kernel that hides switches from idle: a wait beside a missing switch is in doubt."""
    throttled(busy=True)


def test_lost_events():
    """Its recorder does not read for a while."""
    load = "import os\nwhile True: os.getppid()"
    with live.start("--until", "lost > 0", "-e", "raw_syscalls", "-b", "16", "-o", "t.dat", stdin=subprocess.DEVNULL) as p, \
            subprocess.Popen([sys.executable, "-c", load]) as busy:
        try:
            until(lambda: counted(p, "entries"), "nothing is recorded")
            os.kill(p.pid, signal.SIGSTOP)
            until(lambda: counted(p, "overrun"), "nothing is lost")
        finally:
            busy.kill()
            os.kill(p.pid, signal.SIGCONT)
        said = live.finish(p)
    assert len(hits_of()) == 1 and "lost" in hits_of()[0]["what"], said
    assert any("EVENTS DROPPED" in line for line in live.report("t.dat"))


def test_what_still_lasts():
    """A task that hangs: it has not left the function.  Others sleep less often than it is looked at."""
    with open(f"{live.TRACING}/available_tracers", encoding="ascii") as file:
        if "function_graph" not in file.read().split():
            raise live.Skip("this kernel has no tracer function_graph")
    hang = "import time\nwith open('/proc/self/comm', 'w') as comm: comm.write('hangs')\nfor i in range(9999): time.sleep(0.01 + 6000 * (i > 300))"
    with subprocess.Popen([sys.executable, "-c", hang]) as hangs:
        p = run_until("hrtimer_nanosleep > 1s && comm == hangs", options=("-p", "function_graph", "-l", "hrtimer_nanosleep", "-C", "mono"))
        hangs.kill()
    assert "so far: hangs-" in p.stderr and len(hits_of()) == 1, p.stderr
    assert hits_of()[0]["to_ns"] - hits_of()[0]["from_ns"] > 1_000_000_000


def test_two_conditions():
    with Plant() as plant:
        p = run_until("sched_process_exit && comm == nobody", LONG_CALL, options=(*CALLS, "-e", "sched_process_exit"))
    hits = hits_of()
    assert [hit["condition"] for hit in hits] == [LONG_CALL], p.stderr
    plant.holds(hits[0])


def put(kind, name):
    """What somebody has put there; the victim is what a link leads to."""
    if kind == "folder":
        os.mkdir(name)
    elif kind == "fifo":
        os.mkfifo(name)
    elif kind == "link":
        os.symlink("victim", name)
    elif kind == "hard link":
        os.link("victim", name)
    else:
        with open(name, "w", encoding="ascii") as file:
            file.write("precious")


def test_what_nobody_named_is_not_replaced():
    """As root, and as root for a user; whatever is there, and before anything is recorded."""
    os.chmod(".", 0o777)
    put("text", "victim")
    os.chmod("victim", 0o600)
    for rights in ({}, {"SUDO_UID": "65534", "SUDO_GID": "65534"}):
        for name in ("t.1.dat", "t.3.dat", "t.2.dat.part", "t.dat.part.packing", "t.dat.part"):
            for kind in ("text", "link", "folder", "fifo", "hard link"):
                put(kind, name)
                before = os.lstat(name)
                p = live.start("--until", f"sleep {OVER}", "--split", "--hits=3", *EVENTS, "-o", "t.dat", "touch", "ran",
                               env={**os.environ, **rights})
                said = p.communicate(timeout=LIMIT_S)[1]
                assert p.returncode and f"{name} " in said, (name, kind, said)
                assert os.lstat(name)[:7] == before[:7] and sorted(os.listdir(".")) == sorted(["victim", name]), (name, kind)
                with open("victim", encoding="ascii") as file:
                    assert file.read() == "precious"
                (os.rmdir if kind == "folder" else os.remove)(name)
    put("text", "trace.dat")
    assert "trace.dat is not a trace" in live.record(*EVENTS, "touch", "ran", rc=2).stderr and not os.path.exists("ran")


def test_three_hits_in_files_of_their_own():
    live.record("-e", "sched_switch", "-o", "t.2.dat", "true")      # of a former recording
    os.chmod("t.2.dat", 0o600)
    with open("on-hit", "w", encoding="ascii") as file:
        file.write('#!/bin/sh\n{ echo "$@"; cat; } >>"$2.told"\n')
    os.chmod("on-hit", 0o755)
    with Plant() as plant:
        run_until(LONG_CALL, options=(*CALLS, "--hits=3", "--split", "--linger=50ms", "--on-hit=./on-hit x"))
    hits = hits_of()
    assert len(hits) == 3 and sorted(hit["to_ns"] for hit in hits) == [hit["to_ns"] for hit in hits], hits
    whole = stamps("t.dat", ".")
    for i, hit in enumerate(hits, 1):
        plant.holds(hit)
        assert hits_of(f"t.{i}.dat") == [hit], (hit, hits_of(f"t.{i}.dat"))
        # the whole ring, up to what lingers
        assert stamps(f"t.{i}.dat", ".") == [ts for ts in whole if ts <= hit["to_ns"] + 50_000_000], i
        with open(f"t.{i}.dat.told", encoding="utf-8") as file:
            words, told = file.readline(), json.loads(file.readline())
        assert words == f"x t.{i}.dat\n" and told["hit"] == i and told["from_ns"] == hit["from_ns"], (words, told)
    assert len(glob.glob("t.*.dat")) == 3
    assert [os.stat(f"t.{i}.dat").st_mode & 0o777 for i in (1, 2)] == [0o640, 0o600]


def test_hits_of_one_file():
    """What ends within --linger of a hit is in its file, and no other one."""
    with Plant() as plant:
        run_until(LONG_CALL, options=(*CALLS, "--hits=2", "--split", "--linger=3s"))
    hits = hits_of()
    assert len(hits) == 2 and hits[1]["to_ns"] - hits[0]["to_ns"] > 3_000_000_000, hits
    assert sorted(glob.glob("t.*.dat")) == ["t.1.dat", "t.2.dat"]
    for i, hit in enumerate(hits, 1):
        plant.holds(hit)
        assert hits_of(f"t.{i}.dat") == [hit]
        told = re.search(r", and (\d+) more hits within 3\.000 s$", hit["what"])
        planted = [m for m in plant.moments() if hit["to_ns"] < m[1] <= hit["to_ns"] + 3_000_000_000]
        assert told and abs(int(told[1]) - len(planted)) <= 1, (hit, len(planted))


def test_a_ring_that_has_dropped_its_beginning():
    with Plant() as plant:
        run_until(LONG_CALL, options=(*CALLS, "--hits=6", "-m", "1s"))
    hits = hits_of()
    assert len({hit["from_ns"] for hit in hits}) == 6
    for hit in hits:
        plant.holds(hit)
    # of a CPU with few events, the first sub-buffer is not full, and stays
    first = [min(found) for cpu in range(os.cpu_count()) if (found := stamps("t.dat", rf"\[{cpu:03}\]"))]
    assert max(first) > hits[0]["from_ns"], "nothing was dropped"
    assert min(stamps("t.dat", ".")) < hits[-1]["from_ns"]


def test_it_does_not_happen():
    p = live.record("--until", "sched_process_exit && comm == nobody", "-e", "sched_process_exit", "-o", "t.dat", "--on-hit=touch told", "--",
                    "sh", "-c", "exit 3")
    assert p.stderr.startswith("ftop-trace: recording until sched_process_exit && comm == nobody\n"), p.stderr
    assert "--until: it did not happen" in p.stderr and hits_of() == [] and live.report(), p.stderr
    assert not os.path.exists("told")


def test_what_ends_with_the_recording():
    """The last records are judged, too."""
    p = live.record("--until", "sched_process_exit && comm == sh", "-e", "sched_process_exit", "-o", "t.dat", "--", "sh", "-c", "exit 0")
    assert len(hits_of()) == 1, p.stderr


MISTAKES = (
    ("wakup > 5ms", EVENTS, "did you mean wakeup?"),
    ("wakeup > 5", EVENTS, "--until wakeup > 5: of a latency, > and a time with its unit are asked for, as in wakeup > 5ms\n"),
    ("sleep >= 5ms && comm == sh", EVENTS, "as in sleep > 5ms\n"),
    ("wakeup > 5ms", EVENTS[:2], "add -e sched_waking"),
    ("wakeup > 5ms", EVENTS[2:], "add -e sched_switch"),
    ("irq > 1ms", EVENTS, "add -e irq:irq_handler_entry -e irq:irq_handler_exit"),
    ("vfs_read > 1ms", EVENTS, "need -p function_graph"),
    ("under vfs_read", EVENTS, "this records no calls (function_graph)"),
    ("stack contains vfs_read", EVENTS, "this records no stacks: record -T records them"),
    ("pair:none > 1ms", EVENTS, "no such pair"),
    ("sched_switch && prev_stat == S", EVENTS, "did you mean prev_state?\n  sched_switch && prev_stat == S\n                  ^^^^^^^^^\n"),
    ("sched_switch && prev_state == S", EVENTS[2:], "no event that this records can match"),
    ("sched_process_wait", EVENTS, "-e records events"),
    ("sleep > 20s", EVENTS, "-m (--keep) must be longer"),
    ("sleep > 2s", (*EVENTS, "-m", "1s"), "-m (--keep) must be longer"),
    ("syscall > 1ms && name == fsync", CALLS, "does not record fsync by its name; add -e syscalls:sys_enter_fsync -e syscalls:sys_exit_fsync\n"),
    ("syscall > 1ms && name == fsync", ("-e", "raw_syscalls"), "write id == NUMBER"),
    ("sleep > 2s foo", EVENTS, "behind the time comes &&"),
    ("sleep > 2s &&", EVENTS, "no filter behind &&"),
    ("sleep > 2s", (*EVENTS, "-C", "counter", "-m", "1M"), "does not measure time"),
)


def test_mistakes_are_told_before_anything_is_recorded():
    for condition, options, message in MISTAKES:
        p = live.record("--until", condition, *options, "-o", "t.dat", "touch", "ran", rc=2)
        assert message in p.stderr, (condition, p.stderr)
        assert p.stderr == live.record("--check", "--until", condition, *options, "-o", "t.dat", "touch", "ran", rc=2).stderr, condition
        assert not glob.glob("t.dat*") and not os.path.exists("ran"), condition
    for words in (("--hits=2",), ("--split",), ("--on-hit=true",)):
        assert "requires --until" in live.record(*words, "-e", "sched_switch", "-o", "t.dat", "true", rc=2).stderr


def test_the_screen_opens_at_the_hit():
    with Plant() as plant:
        hit = stopped(f"sleep {OVER} && comm == plant", plant)
    with screens.Screen("t.dat") as screen:
        screen.see("stopped by sleep > 300ms && comm == plant: sleep of", "A")
        screen.see("[3 Timeline]", ">plant-")
        screen.type("M")
        seconds = f"{hit['from_ns'] // 10**9}.{hit['from_ns'] % 10**9:09}"
        screen.see("Marks and notes", "A  ", "B  ", f'"  {seconds[:-3]}')
        screen.type("Escape", "q", "q", "q")


def test_live_stops_too():
    with Plant() as plant:
        p = subprocess.run([live.PROGRAM, "live", "--text", "--by=events", *CALLS, "--until", LONG_CALL,
                            "-o", "t.dat"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
        assert p.returncode == 0, p.stderr
        plant.holds(hits_of()[0])


def judges(recorder):
    """The child that judges: it has the recorder's name."""
    found = []
    for path in glob.glob("/proc/[0-9]*/comm"):
        pid = int(path.split("/")[2])
        try:
            name = name_of(pid)
        except OSError:
            continue
        if name == "ftop-judge" and screens.parent_of(pid) == recorder:
            found.append(pid)
    return found


def test_it_tells_how_far_it_has_judged():
    """The process that judges stands still for a while."""
    def ago(least, most=float("inf")):
        told = [json.loads(line) for line in open("status", encoding="utf-8") if line.endswith("\n")]
        told = [line["judged_ns_ago"] for line in told if line["type"] == "status"]
        return told and least < told[-1] < most

    with open("status", "w", encoding="utf-8") as status:
        p = live.start("--until", "sched_process_exit && comm == nobody", f"--status-fd={status.fileno()}", *EVENTS,
                       "-e", "sched_process_exit", "-o", "t.dat", stdin=subprocess.DEVNULL, pass_fds=(status.fileno(),))
    until(lambda: ago(0), "nothing is judged")
    judge = judges(p.pid)[0]
    os.kill(judge, signal.SIGSTOP)
    until(lambda: ago(2_500_000_000), "it is not late")
    os.kill(judge, signal.SIGCONT)
    until(lambda: ago(0, 2_500_000_000), "it is late for ever")
    p.send_signal(signal.SIGINT)
    live.finish(p)


def killed(draw, judge):
    """SIGKILL at any moment: what was recorded opens."""
    with Plant():
        p = live.start("--until", LONG_CALL, "--hits=2", *CALLS, "-o", "t.dat", stdin=subprocess.DEVNULL)
        time.sleep(draw.random() * 1.5)
        victims = judges(p.pid) if judge else [p.pid]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        p.communicate(timeout=LIMIT_S)
        until(lambda: not [name for name in os.listdir(f"{live.TRACING}/instances") if name.startswith(f"ftop-{p.pid}-")],
              "an instance is left")
    if os.path.exists("t.dat.part"):
        recovered = subprocess.run([live.PROGRAM, "recover", "-o", "t.dat", "t.dat.part"], stderr=subprocess.PIPE, text=True, check=False)
        # before the file has its head there is nothing in it
        assert not recovered.returncode or re.search("the recording had not begun|not an interrupted recording", recovered.stderr), recovered.stderr
        if recovered.returncode:
            os.remove("t.dat.part")
    if os.path.exists("t.dat"):
        live.report()
        os.remove("t.dat")


def test_sigkill_of_either_process():
    draw = random.Random(os.environ.get("FTOP_FAULT_SEED", "1"))
    for moment in range(2 * int(os.environ.get("FTOP_FAULT_MOMENTS", "3"))):
        killed(draw, moment % 2 == 0)


if __name__ == "__main__":
    sys.exit(live.main(globals()))
