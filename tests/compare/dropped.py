#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Missing records never make anything look worse than it was, unless that is marked.

A random stretch of one CPU's records is dropped, with a loss mark in its place; what is told then
stands beside what the whole trace tells.
"""
import csv
import io
import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import drop_traces
import graph_traces
from functions import plain
from report_common import DATA, LONG, PROGRAM, TRACE_CMD, Failure, Tap, run

DROPS = 40 if LONG else 8
MACHINES = 200 if LONG else 15


def worst_calls(trace):
    """Of each function: self and net of its calls, the largest first; all durations."""
    figures, durations = {}, set()
    for line in run([PROGRAM, "graph", "--format=json", trace]).splitlines():
        row = json.loads(line)
        if row["kind"] not in ("call", "orphan"):
            continue
        call = row["function"], row["pid"], row["start_ns"], row["start_ns"] + row["duration_ns"]
        durations.add(call)
        for figure in ("self_ns", "net_ns") if not row.get("doubtful") else ():
            figures.setdefault((row["function"], figure), []).append((row[figure], call))
    return {key: sorted(values, reverse=True) for key, values in figures.items()}, durations


def calls(before, after, whole, drop):
    """Where a task was on a third CPU meanwhile, the definitions do not see it."""
    unseen = whole.unseen(drop)
    figures, durations = before
    worse, found = after
    for (function, figure), values in worse.items():
        most = figures.get((function, figure), [(0, None)])[0][0]
        for value, (_, pid, start, end) in values:
            if value > most and not any(first < end and last > start for first, last in unseen.get(pid, [])):
                raise Failure("%s: %s is %d at most, not %d" % (function, figure, most, value))
    if not found <= durations:
        raise Failure("calls that never were: %r" % sorted(found - durations)[:3])


STAYS = ("wait", "preempted", "sleep", "blocked")


def worst_stays(trace):
    """Of each task: its certain waits, sleep and blocks that a record ends; its longest wake-up latency."""
    states = [row for row in csv_rows("timeline", trace) if row["row"] == "task"]
    stays = {}
    for row, after in zip(states, states[1:]):
        if row["state"] in STAYS and row["doubtful"] == "0" and after["pid"] == row["pid"] and after["state"] != "unknown":
            stay = int(row["duration_ns"]), int(row["start_ns"]), int(row["end_ns"]), after["cpu"]
            stays.setdefault((int(row["pid"]), row["state"]), []).append(stay)
    return stays, {int(row["pid"]): int(row["max_wakeup_ns"]) for row in csv_rows("tasks", trace)}


def csv_rows(command, trace):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, command, "--format=csv", trace]).decode())))


def stays(before, after, whole, drop):
    """A stay that was shorter in the whole trace is marked, unless the task moved to that CPU by a record that is dropped."""
    (known, latencies), (worse, worse_latencies) = before, after
    unseen = set()
    for (pid, state), list_ in worse.items():
        most = max((stay[0] for stay in known.get((pid, state), [])), default=0)
        for length, start, end, cpu in list_:
            if length > most and not whole.moved_unseen(drop, pid, start, end, state in STAYS[:2] and int(cpu or -1)):
                raise Failure("pid %d, %s: %d at most, not %d from %d" % (pid, state, most, length, start))
            if length > most:
                unseen.add((pid, length))
    for pid, latency in worse_latencies.items():
        if latency > latencies.get(pid, 0) and (pid, latency) not in unseen:
            raise Failure("pid %d: wake-ups take %d at most, not %d" % (pid, latencies.get(pid, 0), latency))


WORST = ((worst_calls, calls), (worst_stays, stays))


def dropped(path, folder, seed, drops):
    """Each of WORST: what it tells of the whole trace, and how to compare that with the rest."""
    dice, rest = random.Random(seed), os.path.join(folder, "dropped.dat")
    whole = drop_traces.Droppable(path)
    before = [tell(path) for tell, _ in WORST]
    for _ in range(drops):
        drop = whole.drop(rest, dice)
        for (tell, compare), told in zip(WORST, before):
            try:
                compare(told, tell(rest), whole, drop)
            except Failure as failure:
                raise Failure("seed %d, without %s: %s" % (seed, drop, failure)) from None


def recorded(trace, folder):
    dropped(plain(trace, folder), folder, 1, DROPS)


def machines(folder):
    path = os.path.join(folder, "generated.dat")
    for seed in range(MACHINES):
        graph_traces.simulate_whole(path, seed, 4000)
        dropped(path, folder, seed, 2)


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="dropped")
    for name in ("cpu4", "fgraph-depth", "fgraph-7.2", "sched-7.2"):
        if TRACE_CMD:
            tap.case(name, recorded, os.path.join(DATA, "good", name, "trace.dat"), folder)
        else:
            tap.skip(name, "no trace-cmd, which makes the file that is rewritten")
    tap.case("%d made-up machines" % MACHINES, machines, folder)
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
