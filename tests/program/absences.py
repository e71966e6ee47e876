#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Times in which nothing could be recorded: tracing off, suspended, a CPU offline.  No task runs, waits or sleeps then, no
CPU is busy or idle, and it is said what they are.  The texts are made up; what is to come out was worked out by hand.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

from report_common import PROGRAM, Failure, Tap  # noqa: E402  pylint: disable=wrong-import-position


def line(cpu, ts, comm, pid, text):
    return ts, cpu, "%16s-%-7d [%03d] d..2. %.6f: %s" % (comm, pid, cpu, ts, text)


def switch(cpu, ts, prev, state, following):
    """Tasks are (name, pid); None is idle."""
    (prev, pid), (following, pid2) = (task or ("swapper/%d" % cpu, 0) for task in (prev, following))
    prio, prio2 = (0 if name.startswith("migration") else 120 for name in (prev, following))
    return line(cpu, ts, prev if pid else "<idle>", pid,
                "sched_switch: prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d" %
                (prev, pid, prio, state, following, pid2, prio2))


def write(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n#\n" + "".join(text + "\n" for _, _, text in sorted(lines, key=lambda one: one[:2])))


def run(*argv):
    done = subprocess.run([PROGRAM, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stdout.decode(), done.stderr.decode()


def rows(command, path, key):
    out, told = run(command, "--format=csv", path)
    return {int(row[key]): row for row in csv.DictReader(io.StringIO(out))}, told


def expect(what, got, expected):
    if got != expected:
        raise Failure("%s: %r, not %r" % (what, got, expected))


def us(row, *names):
    return [int(row[name] or 0) // 1000 for name in names]


def exported(path):
    """The gaps with a name in the export: {(CPU, name, from, to)}, in us."""
    out, _ = run("export", "--chrome=-", path)
    tracks, open_at, gaps = {}, {}, set()
    for event in json.loads(out)["traceEvents"] if out else []:
        if event["ph"] == "M":
            tracks[event["tid"]] = int(event["args"]["name"].removeprefix("CPU ").removesuffix(": not recorded"))
        elif event["ph"] == "B":
            open_at[event["tid"], event["name"]] = event["ts"]
        else:
            gaps.add((tracks[event["tid"]], event["name"], open_at.pop((event["tid"], event["name"])), event["ts"]))
    return gaps


def whys(path, pid):
    """What a task's gaps are called, in the order of time: [(name, from, to)], in us."""
    out, _ = run("why", "--task=%d" % pid, "--format=csv", path)
    return [(row["what"], int(row["start_ns"]) // 1000, int(row["end_ns"]) // 1000) for row in csv.DictReader(io.StringIO(out))
            if row["what"] in ("unknown", "~offline", "suspended", "~tracing off")]


def check(lines, told, tasks, cpus, gaps=(), why=()):
    """
    tasks: {pid: [run, run_cut, wait, sleep]}, cpus: {number: [busy, idle]}, in us; told: by tasks, after the program's name;
    gaps: [(CPUs, name, from, to)] of the export, why: [(pid, [(name, from, to)])], in s.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        write(path, lines)
        found, said = rows("tasks", path, "pid")
        for pid, expected in tasks.items():
            expect("task %d" % pid, us(found[pid], "run_ns", "run_cut_ns", "wait_ns", "sleep_ns"), expected)
        found, _ = rows("cpus", path, "cpu")
        for cpu, expected in cpus.items():
            expect("CPU %d" % cpu, us(found[cpu], "busy_ns", "idle_ns"), expected)
        for text in told:
            if text not in said:
                raise Failure("tasks says %r, not %r" % (said, text))
        if not told and "nothing was recorded" in said:
            raise Failure("tasks says %r" % said)
        expect("export", exported(path), {(cpu, name, at * 1e6, to * 1e6) for cpus, name, at, to in gaps for cpu in cpus})
        for pid, parts in why:
            expect("why %d" % pid, whys(path, pid), [(name, at * 1e6, to * 1e6) for name, at, to in parts])
        info, _ = run("info", path)
        expect("no event is lost", "lost events     0\n" in info and "missing  " not in info, True)
        expect("info tells it", "not recorded" in info, bool(told))


APP, OTHER, THIRD = ("app", 100), ("other", 101), ("third", 102)


def tracing_off():
    """Twice; in between CPU 1 has no record."""
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER),
             switch(1, 1.5, OTHER, "S", None),
             switch(0, 5, APP, "S", None), switch(0, 5.5, None, "R", THIRD),
             switch(0, 9, THIRD, "S", None), switch(1, 9.25, OTHER, "S", None)]
    check(lines, ["~tracing off for 7.000 s: nothing was recorded then"],
          # other runs since tracing is on again; what CPU 1 did from 5 to 5.5 is not known
          {100: [0, 500000, 0, 500000], 101: [500000, 250000, 0, 0], 102: [0, 0, 0, 250000]},
          {0: [500000, 750000], 1: [750000, 0]},
          [((0, 1), "~tracing off", 1.5, 5), ((0, 1), "~tracing off", 5.5, 9)],
          # nothing tells whether app still slept from 9 on
          [(100, [("~tracing off", 1.5, 5), ("~tracing off", 5.5, 9), ("unknown", 9, 9.25)])])


def one_task():
    """All switches are of one task: its own sleep, where others were filtered out."""
    lines = [record for i in range(4) for record in (switch(i % 2, 1 + 5 * i, None, "R", APP), switch(i % 2, 1.5 + 5 * i, APP, "S", None))]
    check(lines, [], {100: [2000000, 0, 0, 13500000]}, {0: [1000000, 14500000]})


def suspended():
    """Short, in the middle of a system call; the clock goes on."""
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER), line(0, 1.25, "app", 100, "sys_enter: NR 0 (3, 7f, 10, 0, 0, 0)"),
             line(1, 1.5, "other", 101, "suspend_resume: machine_suspend[3] begin"),
             line(1, 3, "other", 101, "suspend_resume: machine_suspend[3] end"), line(0, 3.25, "app", 100, "sys_exit: NR 0 = 16"),
             switch(0, 3.5, APP, "S", None), switch(1, 4, OTHER, "S", None)]
    check(lines, ["suspended for 1.500 s: nothing was recorded then"],
          {100: [0, 1000000, 0, 500000], 101: [0, 1500000, 0, 0]}, {0: [1000000, 500000], 1: [1500000, 0]},
          [((0, 1), "suspended", 1.5, 3)], [(100, [("suspended", 1.5, 3)]), (101, [("suspended", 1.5, 3)])])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        write(path, lines)
        out, _ = run("latency", "--kind=syscall", "--format=csv", path)
        row = next(csv.DictReader(io.StringIO(out)))
        expect("the call is doubtful", (row["duration_ns"], row["doubtful"]), ("2000000000", "1"))
        out, _ = run("timeline", "--cpu=0", "--at=2", path)
        expect("a sentence", "The machine was suspended for 1.500 s, from 1.500000 to 3.000000." in " ".join(out.split()), True)


def queued():
    """CPU 1 goes offline while a task waits for it: its stopper moves that one and the one that ran there."""
    stopper = ("migration/1", 21)
    moves = [line(1, 2 + (1 + i) / 128, *stopper, "sched_migrate_task: comm=%s pid=%d prio=120 orig_cpu=1 dest_cpu=0" % task)
             for i, task in enumerate((OTHER, THIRD))]
    woken = [line(0, 1.5, *APP, "sched_%s: comm=third pid=102 prio=120 target_cpu=001" % what) for what in ("waking", "wakeup")]
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER), *woken, switch(1, 2, OTHER, "R+", stopper), *moves,
             switch(0, 2.5, APP, "R", THIRD), switch(0, 3, THIRD, "S", OTHER), switch(0, 3.5, OTHER, "S", APP),
             switch(1, 4, None, "R", ("cpuhp/1", 22)), switch(1, 4.25, ("cpuhp/1", 22), "S", None), switch(0, 4.5, APP, "S", None)]
    check(lines, ["CPU 1 ~offline for 1.984 s"],
          {100: [2500000, 0, 1000000, 0], 101: [1500000, 0, 1000000, 1000000], 102: [500000, 0, 1000000, 1500000], 21: [0, 15625, 0, 0]},
          # since 2.015625; what CPU 1 did until the record of 4 is not known
          {0: [3500000, 0], 1: [1265625, 250000]}, [((1,), "~offline", 2.015625, 4)], [(101, []), (102, [("unknown", 1, 1.5)])])


def in_a_wait():
    """The machine is suspended while a task waits, and CPU 1 is quiet."""
    woken = [line(1, 1.75, *OTHER, "sched_%s: comm=third pid=102 prio=120 target_cpu=000" % what) for what in ("waking", "wakeup")]
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER), *woken, switch(1, 1.875, OTHER, "S", None),
             line(0, 2, *APP, "suspend_resume: machine_suspend[3] begin"), line(0, 32, *APP, "suspend_resume: machine_suspend[3] end"),
             switch(0, 32.5, APP, "R+", THIRD), switch(0, 33, THIRD, "S", APP), switch(1, 33, None, "R", OTHER), switch(0, 33.5, APP, "S", None)]
    check(lines, ["suspended for 30.000 s"], {100: [500000, 1500000, 500000, 0], 102: [500000, 0, 250000, 500000], 101: [875000, 500000, 0, 125000]},
          {0: [2500000, 0], 1: [1375000, 1125000]}, [((0, 1), "suspended", 2, 32)],
          [(102, [("unknown", 1, 1.75), ("suspended", 2, 32), ("unknown", 32, 32.5)]), (100, [("suspended", 2, 32)])])


def offline():
    """Two CPUs at different times, one to the end; on CPU 3 the stopper runs as long, but leaves."""
    stoppers = {cpu: ("migration/%d" % cpu, 20 + cpu) for cpu in range(4)}
    lines = [switch(0, 1, None, "R", APP), switch(0, 3, APP, "S", None)]
    for cpu, task in ((1, OTHER), (2, THIRD)):
        lines += [switch(cpu, 1, None, "R", task), switch(cpu, 1.25, task, "S", None), switch(cpu, 1.25 * cpu, None, "R", stoppers[cpu])]
    lines += [switch(1, 2, None, "R", stoppers[1]), switch(1, 2.25, stoppers[1], "S", None)]
    lines += [switch(3, 1, None, "R", ("last", 103)), switch(3, 1.5, ("last", 103), "R+", stoppers[3]),
              switch(3, 1.75, stoppers[3], "S", ("last", 103)), switch(3, 3, ("last", 103), "S", None)]
    check(lines, ["CPU 1 ~offline for 0.750 s, CPU 2 ~offline for 0.500 s"],
          {21: [250000, 0, 0, 750000], 22: [0, 0, 0, 0], 23: [250000, 0, 0, 1250000], 103: [1750000, 0, 250000, 0]},
          {0: [2000000, 0], 1: [500000, 750000], 2: [250000, 1250000], 3: [2000000, 0]},
          [((1,), "~offline", 1.25, 2), ((2,), "~offline", 2.5, 3)], [(21, [("unknown", 1, 1.25), ("~offline", 1.25, 2)]), (22, [("unknown", 1, 2.5), ("~offline", 2.5, 3)])])


def to_idle():
    """Suspend to idle: what CPUs do on the way, and an interrupt behind it, is recorded; the last one that stops names the pause."""
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER),
             line(1, 1.5, "other", 101, "suspend_resume: machine_suspend[1] begin"), switch(1, 1.625, OTHER, "D", None),
             line(1, 1.75, "<idle>", 0, "suspend_resume: timekeeping_freeze[1] begin"), switch(0, 1.75, APP, "D", None),
             line(0, 2, "<idle>", 0, "suspend_resume: timekeeping_freeze[0] begin"),
             line(0, 9, "<idle>", 0, "suspend_resume: timekeeping_freeze[0] end"), line(0, 9, "<idle>", 0, "irq_handler_entry: irq=9 name=acpi"),
             line(1, 9.25, "<idle>", 0, "suspend_resume: timekeeping_freeze[1] end"), switch(1, 9.5, None, "R", OTHER),
             line(1, 9.5, "other", 101, "suspend_resume: machine_suspend[1] end"), switch(0, 9.75, None, "R", APP), switch(1, 10, OTHER, "S", None)]
    check(lines, ["suspended for 7.000 s"], {100: [750000, 250000, 0, 0], 101: [1125000, 0, 0, 0]}, {0: [1000000, 1000000], 1: [1125000, 875000]},
          [((0, 1), "suspended", 2, 9)])


def short():
    """By a clock that stops meanwhile, a suspension is a moment; so is a CPU's way to its stopper."""
    lines = [switch(0, 1, None, "R", APP), line(0, 1.5, "app", 100, "suspend_resume: machine_suspend[3] begin"),
             line(0, 1.501, "app", 100, "suspend_resume: machine_suspend[3] end"), switch(0, 2, APP, "S", None), switch(0, 3, None, "R", APP)]
    check(lines, [], {100: [1000000, 0, 0, 1000000]}, {0: [1000000, 1000000]})


def at_the_ends():
    """CPU 0 records before, CPU 1 behind: no CPU has a pause of its own.  Two pauses share a record."""
    lines = [switch(0, 1, None, "R", APP), switch(0, 1.5, APP, "S", OTHER), switch(1, 5, None, "R", THIRD), switch(1, 9, THIRD, "S", None),
             switch(1, 9.5, None, "R", APP)]
    check(lines, ["~tracing off for 7.500 s"], {100: [500000, 0, 0, 0], 101: [0, 0, 0, 0], 102: [0, 0, 0, 500000]}, {1: [0, 500000]},
          # CPU 1 is not known of before its first record
          [((0,), "~tracing off", 1.5, 5), ((0, 1), "~tracing off", 5, 9)])


def others_record():
    """A CPU that records ticks is no silence, however idle all are."""
    lines = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER), switch(0, 1.5, APP, "S", None), switch(1, 1.5, OTHER, "S", None)]
    lines += [line(1, 2.5 + i, "<idle>", 0, "hrtimer_cancel: hrtimer=0xffff") for i in range(6)]
    lines += [switch(0, 9, None, "R", APP), switch(0, 9.5, APP, "S", None)]
    check(lines, [], {100: [1000000, 0, 0, 7500000]}, {0: [1000000, 7500000]})


def ticks():
    """Two busy CPUs had a tick each 4 ms, but for 300 ms neither: no time stolen from one of them.  With one CPU idle, that may be."""
    def tick(cpu, i, task):
        return line(cpu, 1 + i / 256 + cpu / 1e6, *task, "local_timer_entry: vector=236")
    heard = [i for i in range(1, 256) if i not in range(65, 142)]
    begun, ended = [switch(0, 1, None, "R", APP), switch(1, 1, None, "R", OTHER)], [switch(0, 2, APP, "S", None), switch(1, 2, OTHER, "S", None)]
    first, second = ([tick(cpu, i, task) for i in heard] for cpu, task in enumerate((APP, OTHER)))
    check(begun + first + second + ended, ["~tracing off for 0.305 s"], {100: [0, 695313, 0, 0], 101: [0, 695313, 0, 0]},
          {0: [695313, 0], 1: [695313, 0]}, [((0, 1), "~tracing off", 1.250001, 1.554688)])
    check(begun + first + ended[:1] + [switch(1, 1.125, OTHER, "S", None)], [], {100: [1000000, 0, 0, 0]}, {0: [1000000, 0]})


def main():
    tap = Tap()
    for case in (tracing_off, one_task, suspended, to_idle, short, at_the_ends, others_record, offline, queued, in_a_wait, ticks):
        tap.case(case.__name__, case)
    tap.end()


main()
