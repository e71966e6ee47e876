#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of limits, cut: without some events, and in time.  No figure without a mark contradicts what the whole recording
says: parts of `why`, instances of `latency`, sums of `tasks` and `cpus`.  Prints TAP.

usage: limit_cuts.py [--cuts=N] [--seed=N]
"""
import bisect
import collections
import csv
import io
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from limit_machine import Machine                              # noqa: E402
from report_common import DATA, LONG, PROGRAM, Failure, Tap, run     # noqa: E402

PROBES = ("throttle_group", "unthrottle_group")
TIMER = ("hrtimer_expire_entry",)
SETS = (PROBES, TIMER, ("sched_waking",), ("sched_wakeup",), ("sched_migrate_task",))
EVENTS = tuple(event for events in SETS for event in events)
DATAS = ("waits", "sched", "sched-7.2")
# what a recorder left out
KINDS = {
    "sched_waking alone": ("sched_wakeup", "sched_migrate_task", *PROBES, *TIMER),
    "sched_switch alone": EVENTS,
    "no timer": TIMER,
    "no probes": PROBES,
    "no limits": PROBES + TIMER,
    "no sched_migrate_task": ("sched_migrate_task",),
    "no sched_wakeup": ("sched_wakeup",),
    "no sched_waking": ("sched_waking",),
    "whole": (),
}
# lower bounds without sched_migrate_task, and from the first record on
LEAST = ("migr", "idle µs", "known µs", "busy µs", "run µs", "partial µs")
# averages; and what is cut off at the ends
NOT_OF_A_PART = ("queue", "partial µs")
SHORT_NS = 20000        # from the expiry of a limit's timer to what it does
UNKNOWN = re.compile(r"unknown|waits$|sleep or wait|idle \(not explained|~|suspended|offline|gone|not yet")


def rows(trace, *words):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv", trace]).decode())))


class Told:
    """What is said of one file."""

    def __init__(self, trace, pids):
        self.first = int(rows(trace, "report", "--head=1")[0]["ts_ns"])
        self.parts = {pid: [(int(row["start_ns"]), int(row["end_ns"]), meaning(row, pid)) for row in rows(trace, "why", "--task=%d" % pid)]
                      for pid in pids}
        self.waits = {}         # what a task was called is not compared
        for kind in ("wakeup", "preempted"):
            self.waits[kind] = {(row["pid"], row["end_ns"]): (int(row["start_ns"]), re.sub(r".*-(\d+)$", r"\1", row["what"])) for row in rows(trace, "latency", "--kind=" + kind)
                                if row["doubtful"] != "1"}
        self.tables = {command: table(trace, command) for command in ("tasks", "cpus")}


def meaning(row, pid):
    """None: it is not said what the task did."""
    what = row["what"]
    if row["depth"] != "0":
        return "asleep", row["pid"] if row["depth"] == "1" else None
    if int(row["doubtful"]) or UNKNOWN.match(what):
        return None
    if re.match("runs|idle|behind |throttled ", what):
        return re.sub(r"^behind .*-(\d+)$", r"behind \1", what), None
    return "asleep", None


def table(trace, command):
    """{(task or CPU, column): figure} of the text, where it has no mark."""
    lines = run([PROGRAM, command, trace]).decode().splitlines()
    heads = re.split(r"  +| (?=max wasted)", lines[0].strip())
    found, names = {}, collections.Counter(line.split()[0] for line in lines[1:])
    for line in lines[1:]:
        cells = re.split(r"  +", re.sub("([~>]) ", r"\1  ", line.strip()))
        if names[cells[0]] > 1:         # tasks with one pid
            continue
        for head, cell in zip(heads[1:], cells[1:]):
            if re.match(r"[0-9.]+$", cell):
                found[cells[0], head] = float(cell)
    return found


def contradictions(whole, cut, in_time):
    found = collections.Counter()
    examples = {}

    def tell(kind, text):
        found[kind] += 1
        examples.setdefault(kind, text)
    for pid, parts in cut.parts.items():
        for begin, end, what, truth in pairs(parts, whole.parts[pid]):
            if what[0] != truth[0] or (what[1] and truth[1] and what[1] != truth[1]):
                word = [re.sub(r" .*", "", of[0]) for of in (what, truth)]
                tell("why: %s for %s" % tuple(word), "task %d from %d to %d: %s, not %s" % (pid, begin, end, what, truth))
    for kind, waits in cut.waits.items():
        for (pid, end), (start, what) in waits.items():
            truth = whole.waits[kind].get((pid, end))
            # of a preempted task `what` is who came, unless a limit is told; a waking may be before the first record
            if truth and truth[0] >= cut.first and "~" not in what and (abs(truth[0] - start) > SHORT_NS or truth[1] != what and (kind == "wakeup" or "throttled" in what)):
                tell("latency " + kind, "task %s to %s: %s, not %s" % (pid, end, (start, what), truth))
    for command, figures in cut.tables.items():
        for key, figure in figures.items():
            truth = whole.tables[command].get(key)
            if truth is not None and (figure > truth if in_time or key[1] in LEAST else figure != truth) and not (in_time and key[1] in NOT_OF_A_PART):
                tell("%s: %s" % (command, key[1]), "%s: %s, not %s" % (key[0], figure, truth))
    return {kind: (nr, examples[kind]) for kind, nr in found.items()}


def pairs(parts, truths):
    """Times in which both say what it did."""
    starts = [part[0] for part in truths]
    for begin, end, what in parts:
        at = max(bisect.bisect_right(starts, begin) - 1, 0)
        while what and at < len(truths) and truths[at][0] < end:
            low, high = max(begin, truths[at][0]), min(end, truths[at][1])
            if low + SHORT_NS < high and truths[at][2]:
                yield low, high, what, truths[at][2]
            at += 1


def cut_lines(lines, places, rng):
    """Some events are left out; now and then, the recording is shorter."""
    name = rng.choice(list(KINDS))
    out = set(KINDS[name])
    if rng.random() < 0.3:
        out |= {event for events in rng.sample(SETS, rng.randrange(1, len(SETS))) for event in events}
    in_time = rng.random() < 0.4
    low, high = sorted(rng.choice(places) for _ in range(2)) if in_time else (0, len(lines))
    if "sched_wakeup" in out and ("sched_waking" in out or not any(line[2] == "sched_waking" for line in lines)):
        out.add("sched_wakeup_new")
    kept = [line for line in lines[low:high] if line[2] not in out]
    words = "without %s%s" % (", ".join(sorted(out)) or "nothing", ", lines %d to %d" % (low, high) if in_time else "")
    return kept, in_time, words


class Recorded:
    """The kernel's text of a recording."""
    throttlings = ()

    def __init__(self, name):
        text = run([PROGRAM, "report", "--style=kernel", os.path.join(DATA, "good", name, "trace.dat")]).decode()
        found = re.findall(r"^( *\S.*-\d+ +\[(\d+)\] \S+ +(\d+)\.(\d+): (\w+): .*\n)", text, re.M)
        self.lines = [(int(s) * 10**6 + int(us), int(cpu), event, line) for line, cpu, s, us, event in found]
        self.pids = sorted({int(pid) for line in self.lines if line[2] == "sched_switch" for pid in re.findall(r"_pid=(\d+)", line[3])} - {0})[:8]

    def write(self, folder, name, lines):
        path = os.path.join(folder, name + ".txt")
        with open(path, "w", encoding="utf-8") as out:
            out.write("# tracer: nop\n#\n")
            out.writelines(line[3] for line in lines)
        return path


class Cuts:
    """A machine or a recording for each ten cuts."""

    def __init__(self, seed):
        self.seed, self.machine, self.whole, self.woken = seed, None, None, None

    def told(self, folder, lines):
        return Told(self.machine.write(folder, "whole", lines), self.machine.pids)

    def check(self, nr, folder):
        rng = random.Random("%d %d" % (self.seed, nr))
        if nr % 10 == 0:
            self.machine = Recorded(DATAS[nr // 10 % len(DATAS)]) if nr // 10 % 4 == 1 else \
                Machine(self.seed + nr, nr_cpus=2 + nr // 10 % 3, steps=600)
            self.whole = self.told(folder, self.machine.lines)
            # a group that is throttled when a recording begins is not known to be
            self.places = [i for i, line in enumerate(self.machine.lines) if not any(a < line[0] <= b for a, b in self.machine.throttlings)]
            # without sched_waking, a sleep ends with its sched_wakeup
            self.woken = self.told(folder, [line for line in self.machine.lines if line[2] != "sched_waking"])
        lines, in_time, words = cut_lines(self.machine.lines, self.places, rng)
        if sum(line[2] == "sched_switch" for line in lines) < 10:
            return {}, words
        known = {int(pid) for line in lines if line[2] == "sched_switch" for pid in re.findall(r"_pid=(\d+)", line[3])}
        pids = [pid for pid in self.machine.pids if pid in known]
        whole = self.woken if "sched_waking" not in {line[2] for line in lines} else self.whole
        return contradictions(whole, Told(self.machine.write(folder, "cut", lines), pids), in_time), words


def main():
    told = dict(re.match(r"--(cuts|seed)=(\d+)$", word).groups() for word in sys.argv[1:])
    nr, cuts = int(told.get("cuts", 300 if LONG else 20)), Cuts(int(told.get("seed", 1)))
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(nr):
            found, words = cuts.check(i, folder)

            def case(found=found):
                if found:
                    raise Failure("\n".join("%s, %d times: %s" % (kind, times, text) for kind, (times, text) in sorted(found.items())))
            tap.case("cut %d, %s" % (i, words), case)
    tap.end()


if __name__ == "__main__":
    main()
