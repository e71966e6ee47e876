#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Missing records never make anything look worse than it was, unless that is marked.

A random stretch of one CPU's records is dropped, with a loss mark in its place; what is told then
stands beside what the whole trace tells.
"""
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


def calls(before, after, unseen):
    """Where a task was on a third CPU meanwhile, the definitions do not see it."""
    figures, durations = before
    worse, found = after
    for (function, figure), values in worse.items():
        most = figures.get((function, figure), [(0, None)])[0][0]
        for value, (_, pid, start, end) in values:
            if value > most and not any(first < end and last > start for first, last in unseen.get(pid, [])):
                raise Failure("%s: %s is %d at most, not %d" % (function, figure, most, value))
    if not found <= durations:
        raise Failure("calls that never were: %r" % sorted(found - durations)[:3])


WORST = ((worst_calls, calls),)


def dropped(path, folder, seed, drops):
    """Each of WORST: what it tells of the whole trace, and how to compare that with the rest."""
    dice, rest = random.Random(seed), os.path.join(folder, "dropped.dat")
    whole = drop_traces.Droppable(path)
    before = [tell(path) for tell, _ in WORST]
    for _ in range(drops):
        drop = whole.drop(rest, dice)
        for (tell, compare), told in zip(WORST, before):
            try:
                compare(told, tell(rest), whole.unseen(drop))
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
    for name in ("cpu4", "fgraph-depth", "fgraph-7.2"):
        if TRACE_CMD:
            tap.case(name, recorded, os.path.join(DATA, "good", name, "trace.dat"), folder)
        else:
            tap.skip(name, "no trace-cmd, which makes the file that is rewritten")
    tap.case("%d made-up machines" % MACHINES, machines, folder)
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
