#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""function_graph texts have the calls of their trace.dat, whichever columns the kernel's options print.

The texts of tests/data/graph-options and of $FTOP_GRAPH_TEXTS (folders with a trace.dat and texts/NAMES.txt.gz) are
what kernels printed of one buffer that was stopped, under the options that their names list.  Of the trace.dat in
tests/data, event types and symbols that nobody needs were taken out.  All combinations come from the case graph-options
of tests/vm/record_cases.py, which calls this script.

What is expected are the calls of the trace.dat, without those that the text does not have: interrupts without
funcgraph-irqs, durations without funcgraph-duration, which are times between two lines with funcgraph-abstime.
Values returned are compared where durations are: a call of one line without a duration has no end that could keep
the value.  What no line names cannot be compared: without funcgraph-cpu and -proc, nothing tells apart calls of
several CPUs; without funcgraph-cpu, idle tasks.  Without funcgraph-abstime, one clock of durations serves all CPUs: an
end whose beginning was overwritten may begin too late on it, so levels of its task are not compared.  Prints TAP.
"""
import collections
import copy
import csv
import gzip
import io
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, run                    # noqa: E402

OPTIONS = ("cpu", "proc", "abstime", "duration", "tail", "overrun", "overhead", "irqs", "retval", "retaddr", "args")
UNNAMED = 4194305                       # + CPU: a task that the text does not name
FOLDERS = [os.path.join(DATA, "graph-options")] + list(filter(None, os.environ.get("FTOP_GRAPH_TEXTS", "").split(":")))


class Call:
    def __init__(self, row):
        self.pid, self.level, self.function, self.kind = int(row["pid"]), int(row["level"]), row["function"], row["kind"]
        self.cpu, self.duration = row["cpu"], int(row["duration_ns"]) if row["duration_ns"] else None
        self.returned = row["return"]

    def place(self):
        return self.pid if self.pid else -1 - int(self.cpu), self.level, self.function


def calls_of(path):
    rows = csv.DictReader(io.StringIO(run([PROGRAM, "graph", "--format=csv", path]).decode()))
    return [Call(row) for row in rows if row["kind"] not in ("off_cpu", "event")]


def printed(ns):
    """The digits that the kernel prints of a duration: seven at most."""
    drop = 10 ** min(3, max(0, len(str(ns // 1000)) - 4))
    return ns // drop * drop


def visible(calls, hidden):
    """Without interrupts: calls of their entry functions, and what these call."""
    inside = {}
    for call in calls:
        if call.level > inside.get(call.pid, 1 << 30):
            continue
        inside.pop(call.pid, None)
        if call.function in hidden:
            inside[call.pid] = call.level
        else:
            yield call


def without_orphans(calls):
    """An end without its beginning has no times, and is no call then: those in it are one level up."""
    above = collections.defaultdict(list)
    for call in calls:
        stack = above[call.place()[0]]
        del stack[call.level:]
        stack.append(call.kind == "orphan")
        if call.kind != "orphan":
            call = copy.copy(call)
            call.level -= sum(stack)
            yield call


def times_of(dat):
    """Of calls that take two lines: the task, the time between them in whole µs, as ns."""
    rows, open_calls, last = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", dat]).splitlines()], {}, {}
    for row in rows:
        if row.get("event") in ("funcgraph_entry", "fgraph_retaddr_entry"):
            open_calls[row["pid"] or -1 - row["cpu"], row["fields"]["depth"]] = row
        elif row.get("event") == "funcgraph_exit":
            entry = open_calls.pop((row["pid"] or -1 - row["cpu"], row["fields"]["depth"]), None)
            if entry and last.get(row["cpu"]) is not entry:
                yield row["pid"], (row["ts_ns"] // 1000 - entry["ts_ns"] // 1000) * 1000
        last[row["cpu"]] = row


def same(got, want, what):
    wrong = collections.Counter(got)
    wrong.subtract(collections.Counter(want))
    wrong = {key: number for key, number in wrong.items() if number}
    if wrong:
        raise Failure("%s: %d of %d differ: %s" % (what, len(wrong), len(want), sorted(wrong.items(), key=str)[:6]))


def compare(path, want, times, on, irqs, cpus):
    unknown = json.loads(run([PROGRAM, "info", "--format=json", path]))["unknown_lines"]
    if unknown:
        raise Failure("%d lines were not understood" % unknown)
    got = calls_of(path)
    if "irqs" not in on:
        want = list(visible(want, irqs))
    if not on & {"cpu", "proc"} and cpus > 1:
        return "calls", same([c.function for c in got if c.kind != "orphan"], [c.function for c in want if c.kind != "orphan"], "functions")
    named = {c.pid for c in got if c.pid < UNNAMED}
    if "cpu" not in on:
        named.discard(0)
    if "duration" not in on:
        want = list(without_orphans(want))
    got, want = ([c for c in of if c.pid in named] for of in (got, want))
    shifted = {c.pid for c in want if c.kind == "orphan"} if cpus > 1 and not on & {"abstime"} else set()

    def place(call):
        task, level, function = call.place()
        return task if "cpu" in on else call.pid, None if call.pid in shifted else level, function

    if "duration" in on:
        same([(*place(c), c.kind, printed(c.duration or 0)) for c in got],
             [(*place(c), c.kind, printed(c.duration or 0)) for c in want], "calls")
        if "retval" in on:
            same([(*place(c), c.returned) for c in got], [(*place(c), c.returned) for c in want], "values returned")
        return "durations", None
    same(map(place, got), list(map(place, want)), "calls")
    if "abstime" not in on:
        if any(c.duration for c in got):
            raise Failure("durations without times")
        return "nesting", None
    mine = collections.Counter((c.pid, c.duration) for c in got if c.kind == "call")
    theirs = collections.Counter((pid, ns) for pid, ns in times if pid in named)
    if mine - theirs or ("irqs" in on and theirs - mine):
        raise Failure("durations by times: %s, not %s" % (mine - theirs, theirs - mine))
    return "times", None


MIGRATED = b"""# tracer: function_graph
#
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
#      |          |     |    |           |   |                     |   |   |   |
   10.000000 |   0)     sh-144      |               |  outer() {
   10.000010 |   1)     sh-144      |               |    inner() {
 ------------------------------------------
 1)     sh-144      =>    other-9
 ------------------------------------------

   10.000020 |   1)   other-9       |   1.000 us    |  other();
   10.000030 |   0)     sh-144      | + 20.000 us   |    }
   10.000040 |   0)     sh-144      | + 40.000 us   |  }
"""


def migrated(path):
    """A CPU's first switch is from a task whose calls began on another: they stay open."""
    with open(path, "wb") as out:
        out.write(MIGRATED)
    same([(c.pid, c.level, c.function, c.kind, c.duration) for c in calls_of(path)],
         [(144, 0, "outer", "call", 40000), (144, 1, "inner", "call", 20000), (9, 0, "other", "call", 1000)], "calls")


def words(on, names):
    return [word for o in names for word in ("-O", ("" if o in on else "no") + "funcgraph-" + o)]


def main():
    tap, kinds = Tap(), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.txt")

        def check(want, times, text, on, irqs, cpus):
            with open(path, "wb") as out:
                out.write(text)
            kinds[compare(path, want, times, on, irqs, cpus)[0]] += 1

        tap.case("a call goes on while a CPU switches from its task for the first time", migrated, path)
        for folder in FOLDERS:
            dat = os.path.join(folder, "trace.dat")
            names = [name[:-len(".txt.gz")] for name in sorted(os.listdir(os.path.join(folder, "texts")))]
            want, times = calls_of(dat), list(times_of(dat))
            if not want:
                raise Failure("%s: no calls" % dat)
            cpus = len({call.cpu for call in want})
            full = run([PROGRAM, "report", "--style=kernel", *words(OPTIONS, OPTIONS), dat])
            irqs = set(re.findall(r"==========>.*\n.*\|\s+([\w.]+)\(", full.decode()))
            for name in names:
                with gzip.open(os.path.join(folder, "texts", name + ".txt.gz")) as file:
                    text = file.read()
                case = want, times, text, set(name.split("-")), irqs, cpus
                tap.case("%s: %s" % (os.path.basename(folder), name), check, *case)
                text = b"".join(line for line in text.splitlines(True) if not line.startswith(b"#"))
                tap.case("%s: %s, as trace_pipe prints it" % (os.path.basename(folder), name), check, want, times, text, *case[3:])
    print("# compared: " + ", ".join("%s of %d" % item for item in sorted(kinds.items())))
    tap.end()


if __name__ == "__main__":
    main()
