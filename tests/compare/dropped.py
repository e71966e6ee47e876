#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Missing records never make anything look other than it was, unless that is marked.

A random stretch of one CPU's records is dropped from a recording, with a loss mark in its place; or its file is cut off at a
random byte.  Whatever is told then
without a mark of doubt stands beside what is told of the whole recording: an interval with both ends is one of the
whole's, any other one is a part of one; a sum is no larger.  What the whole recording says, the other tests compare with
their oracles.

FTOP_TEST_LONG=1, or an argument, which is their number: so many stretches of all recordings.
"""
import csv
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import drop_traces
import graph_traces
from functions import plain
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, run

DROPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200 if LONG else 16
MACHINES = 200 if LONG else 10
RECORDINGS = ("cpu4", "fgraph-depth", "fgraph-7.2", "sched-7.2", "sched", "irq", "syscalls", "fgraph", "block", "timerlat")
HELD = 4                # of these, the first are in tests/data


def csv_rows(command, *options):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, command, "--format=csv", *options]).decode())))


def number(text):
    return int(text) if text else None


class Intervals:
    """Intervals by what they are: do they have one, or one that contains it?"""

    def __init__(self):
        self.by_key = {}

    def add(self, key, start, end):
        self.by_key.setdefault(key, []).append((start, end))

    def has(self, key, start, end):
        return (start, end) in self.by_key.get(key, ())

    def contain(self, key, start, end):
        return any(first <= start and end <= last for first, last in self.by_key.get(key, ()))

    def need(self, key, start, end, whole=True):
        if not (self.has(key, start, end) if whole else self.contain(key, start, end)):
            near = [one for one in self.by_key.get(key, ()) if one[0] <= end and start <= one[1]]
            raise Failure("%s from %d to %d is not in the whole recording: there it is %r" % (key, start, end, near[:3]))


# --- calls -------------------------------------------------------------------------
def tell_calls(trace):
    """Each call with its self and net; None where they are not told."""
    told = {}
    for line in run([PROGRAM, "graph", "--format=json", trace]).splitlines():
        row = json.loads(line)
        if row["kind"] in ("call", "orphan"):
            call = row["function"], row["pid"], row["start_ns"], row["start_ns"] + row["duration_ns"]
            told.setdefault(call, []).append((row.get("self_ns"), row.get("net_ns")))
    return told


def check_calls(before, after, _whole, _drop):
    """A call's duration is exact, and so are its self and net where they are told."""
    for (function, pid, start, end), told in after.items():
        known = before.get((function, pid, start, end))
        if not known:
            raise Failure("a call of %s from %d to %d that never was" % (function, start, end))
        for own, net in told:
            if not any(one[0] in (own, None) and one[1] in (net, None) or own is None or one[0] == own and net is None for one in known):
                raise Failure("%s from %d to %d: self and net are %r, not %r" % (function, start, end, known, (own, net)))


# --- states ------------------------------------------------------------------------
STAYS = ("wait", "preempted", "sleep", "blocked")


def tell_states(trace):
    rows = csv_rows("timeline", trace)
    last = max((int(row["end_ns"]) for row in rows), default=0)
    states = []
    for row, after in zip(rows, rows[1:] + [None]):
        key = row["row"], row["cpu" if row["row"] != "task" or row["state"] == "run" else "pid"], row["pid"], row["state"]
        follows = after and after["row"] == row["row"] and after["pid" if row["row"] == "task" else "cpu"] == row["pid" if row["row"] == "task" else "cpu"]
        closed = follows and after["state"] not in ("unknown", "lost") and not after["detail"].endswith("cut")
        closed = (closed or int(row["end_ns"]) == last) and not row["detail"].endswith("cut")
        states.append((key, int(row["start_ns"]), int(row["end_ns"]), row["doubtful"] == "1", closed))
    return states


def check_states(before, after, _whole, drop):
    known, last = Intervals(), max((end for _, _, end, _, _ in after), default=0)
    for key, start, end, _, _ in before:
        known.add(key, start, end)
    for key, start, end, doubtful, closed in after:
        if not doubtful and key[3] not in ("unknown", "lost", "gone"):
            ends = isinstance(drop, drop_traces.Cut) and end == last        # the file's end, not that of the recording
            known.need(key, start, end, closed and key[0] == "task" and not ends)


def tell_wakes(trace):
    return [(int(row["pid"]), int(row["wake_ts_ns"]), int(row["run_ts_ns"]), row["cpu"], row["doubtful"] == "1")
            for row in csv_rows("wakeups", trace) if row["run_ts_ns"]]


def check_wakes(before, after, _whole, _drop):
    known = {wake[:4] for wake in before}
    for wake in after:
        if not wake[4] and wake[:4] not in known:
            raise Failure("the wake-up of %d at %d, answered at %d on CPU %s, never was" % wake[:4])


def tell_tasks(trace):
    return {row["pid"]: {name: number(value) or 0 for name, value in row.items() if name not in ("comm", "max_wakeup_comm")}
            for row in csv_rows("tasks", trace)}


def check_tasks(before, after, _whole, _drop):
    for pid, told in after.items():
        known = before[pid]
        for task in known, told:
            task["sure"] = task["wait_ns"] + task["sleep_ns"] + task["blocked_ns"] - task["doubtful_ns"]
            task["all"] = task["run_ns"] + task["run_cut_ns"]
        known["sure"] += known["doubtful_ns"]
        for name in ("run_ns", "all", "sure", "switches", "preemptions", "max_wakeup_ns"):
            if told[name] > known[name]:
                raise Failure("pid %s: %s is %d, not %d" % (pid, name, known[name], told[name]))


# --- latency -----------------------------------------------------------------------
# Their starts are the first of several: without it, a later one is told.
FIRST = ("softirq_raise", "lock", "irqsoff", "preemptoff")


def tell_latency(trace):
    told = []
    for kind in csv_rows("latency", trace):
        if kind["kind"] == "call" or not any(int(kind[name]) for name in ("n", "open", "doubtful")):
            continue
        for row in csv_rows("latency", "--kind", kind["kind"], "--open", trace):
            what = re.sub(r"(?<= = ).*", "", row["what"]) if not row["end_ns"] else row["what"]
            told.append(((kind["kind"], row["pid"], row["cpu"], what if kind["kind"] not in STAYS + ("wakeup",) else ""),
                         int(row["start_ns"]), number(row["end_ns"]), row["doubtful"] == "1"))
    return told


def check_latency(before, after, _whole, drop):
    """Where a file is cut, what went on there is open, but it began as in the whole."""
    known, opens = Intervals(), {(key, start) for key, start, end, _ in before if end is None}
    begun = {(key[:2], start) for key, start, _, _ in before} if str(drop).endswith(" on") else ()
    for key, start, end, _ in before:
        if end is not None:
            known.add(key, start, end)
    for key, start, end, doubtful in after:
        if doubtful:
            continue
        if end is not None:
            known.need(key, start, end, key[0] not in FIRST)
        elif (key, start) not in opens and (key[:2], start) not in begun:
            raise Failure("%s from %d is not open in the whole recording" % (key, start))


# --- why -----------------------------------------------------------------------------
ASKED = 3               # tasks of a trace, those that ran longest
WORDS = {"sleep": "asleep", "blocked": "asleep", "wait": "waits", "preempted": "waits"}


def tell_why(trace):
    """The task's own parts, and those of who woke it, by depth; names may be known later than pids."""
    told, states = {}, Intervals()
    for (row, _, pid, state), start, end, _, _ in tell_states(trace):
        if row == "task":
            states.add((WORDS.get(state), pid), start, end)
    for row in csv_rows("tasks", "--head=%d" % ASKED, trace):
        try:
            parts = csv_rows("why", "--task", row["pid"], trace)
        except Failure as failure:          # it was only woken, in what is left
            if "no state of this task is known" not in str(failure):
                raise
            continue
        for part in parts:
            what = re.sub(r"(behind|with) .*-(\d+)$", r"\1 \2", part["what"])
            what = re.sub(r"\) in .*", ")", what)
            if part["what"] != "unknown" and not what.startswith("sleep or wait"):
                told.setdefault(row["pid"], []).append(((part["depth"], part["pid"], what), int(part["start_ns"]), int(part["end_ns"])))
    return told, states


def check_why(before, after, _whole, _drop):
    (told, states), (less, _) = before, after
    for pid, parts in less.items():
        known = Intervals()
        for key, start, end in told.get(pid, []):
            known.add(key, start, end)
        for (depth, of, what), start, end in parts if pid in told else []:
            # Where the records that tell more are lost, the state itself is told.
            if what.split()[0] in WORDS.values():
                states.need((what.split()[0], of), start, end, False)
            else:
                known.need((depth, of, what), start, end, False)


FIGURES = ((tell_calls, check_calls), (tell_states, check_states), (tell_wakes, check_wakes), (tell_tasks, check_tasks),
           (tell_latency, check_latency), (tell_why, check_why))


def dropped(path, folder, seed, drops, figures=FIGURES):
    """What each of the figures tells of the whole recording, beside the rest."""
    dice, rest = random.Random(seed), os.path.join(folder, "dropped.dat")
    whole = drop_traces.Droppable(path)
    before, failures = [tell(path) for tell, _ in figures], []
    for i in range(drops):
        drop = whole.cut(rest, dice) if i % 4 == 1 else whole.drop(rest, dice)
        for (tell, check), told in zip(figures, before):
            try:
                check(told, tell(rest), whole, drop)
            except Failure as failure:
                failures.append("seed %d, without %s: %s" % (seed, drop, failure))
    if failures:
        raise Failure("\n".join(["%d of %d" % (len(failures), drops * len(figures))] + failures))


def recorded(trace, folder, drops):
    dropped(plain(trace, folder), folder, 1, drops)


def machines(folder):
    """Their CPUs' clocks differ, so that a task comes before it has left: the whole tells no state of it, the rest may."""
    path = os.path.join(folder, "generated.dat")
    for seed in range(MACHINES):
        graph_traces.simulate_whole(path, seed, 4000)
        dropped(path, folder, seed, 2, FIGURES[:1])


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="dropped")
    names = RECORDINGS if SHARED and (LONG or len(sys.argv) > 1) else RECORDINGS[:HELD]
    for i, name in enumerate(names):
        trace = os.path.join(DATA, "good", name, "trace.dat")
        if not os.path.exists(trace):
            trace = os.path.join(SHARED, "fixtures", name, "trace.dat")
        if TRACE_CMD:
            tap.case(name, recorded, trace, folder, DROPS // len(names) + (i < DROPS % len(names)))
        else:
            tap.skip(name, "no trace-cmd, which makes the file that is rewritten")
    tap.case("%d made-up machines" % MACHINES, machines, folder)
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
