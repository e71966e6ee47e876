#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of the tracer function are what src/calls/call_guess.h says: beside a slow oracle that follows its rules on objects.

It reads the file by itself (graph_oracle.Trace), has each task's open calls as a list, and looks through all of it at
every step.  Where the function was recorded with a stack trace, the tree is compared with that, too: whatever stands
above a call must be on its stack.
"""
import collections
import csv
import io
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle
from functions import plain
from report_common import DATA, PROGRAM, SHARED, Failure, Tap, run

LEVELS = ["task", "softirq", "irq", "nmi"]


class Call:
    def __init__(self, record, address, name, start, level, parent, calls, stack):
        self.record, self.address, self.name, self.start = record, address, name, start
        self.level, self.parent, self.calls, self.stack = level, parent, calls, stack

    def above(self):
        call, nr = self.parent, 0
        while call:
            call, nr = call.parent, nr + 1
        return nr


class Oracle:
    def __init__(self, trace, records):
        self.trace, self.open, self.calls = trace, {}, []
        self.irq = (trace.ends.get("__irqentry_text_start", 0), trace.ends.get("__irqentry_text_end", 0))
        self.starts = [address for address, _ in trace.symbols]
        self.seen, self.lost = {}, {}           # of tasks: where last, and losses; of CPUs: losses
        losses = 0
        behind = {}
        for record in records:
            behind[(record.cpu, record.position)] = record
        for record in records:
            if record.lost_before:
                losses += 1
                self.lost[record.cpu] = losses
            if record.system == "ftrace" and record.name in ("function", "func_repeats"):
                self.add(record, behind.get((record.cpu, record.position + 1)), losses)

    def start_of(self, address):
        """Where the symbol begins; an address below all of them is in none."""
        best = None
        low, high = 0, len(self.starts)
        while low < high:
            middle = (low + high) // 2
            if self.starts[middle] <= address:
                best, low = self.starts[middle], middle + 1
            else:
                high = middle
        return best

    def level(self, record, address):
        if record.flags & graph_oracle.NMI:
            return 3
        if record.flags & graph_oracle.HARDIRQ or self.irq[0] <= address < self.irq[1]:
            return 2
        return 1 if record.flags & graph_oracle.SOFTIRQ else 0

    def stack(self, record):
        size, at = self.trace.long_size, record.format.fields["caller"].offset
        addresses = []
        while at + size <= len(record.data):
            address = int.from_bytes(record.data[at:at + size], record.order)
            if address == (1 << 8 * size) - 1:
                break
            addresses.append(self.start_of(address))
            at += size
        return addresses

    def add(self, record, after, losses):
        address, caller = record["ip"], self.start_of(record["parent_ip"])
        start, level = self.start_of(address), self.level(record, address)
        key = (record.pid, record.cpu if not record.pid else None)
        former = self.open.get(key, [])
        if key in self.seen:
            cpu, known = self.seen[key]
            if any(self.lost.get(c, 0) > known for c in (cpu, record.cpu)):
                former = []
        self.seen[key] = (record.cpu, losses)
        lower = [call for call in former if call.level < level]
        same = [call for call in former if call.level == level]
        stack = None
        if record.name == "function" and after and after.system == "ftrace" and after.name == "kernel_stack":
            stack = self.stack(after)
            whole = stack
            if start in stack:
                stack = stack[stack.index(start) + 1:]
            kept, outermost_first = [], list(reversed(stack))
            for call in same:
                if call.start not in outermost_first:
                    break
                outermost_first = outermost_first[outermost_first.index(call.start) + 1:]
                kept.append(call)
            stack = whole
        else:
            places = [i for i, call in enumerate(same) if caller is not None and call.start == caller]
            kept = same[:places[-1] + 1] if places else []
        stays = lower + kept
        calls = record["count"] if record.name == "func_repeats" else 1
        call = Call(record, address, self.trace.function(address), start, level, stays[-1] if stays else None, calls, stack)
        self.calls.append(call)
        self.open[key] = stays + [call]


def rows_of(oracle):
    rows = collections.defaultdict(list)
    for call in oracle.calls:
        record = call.record
        row = {"level": call.above(), "function": call.name, "start_ns": record.ts, "context": LEVELS[call.level],
               "cpu": record.cpu}
        if call.calls != 1:
            row["calls"] = call.calls
        rows[(record.pid, record.cpu if not record.pid else None)].append(row)
    return rows


def rows_printed(trace, options):
    rows = collections.defaultdict(list)
    text = run([PROGRAM, "graph", "--format=json"] + options + [trace])
    for line in text.decode("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in ("event", "off_cpu"):
            continue
        if row["kind"] != "inferred" or any(name.endswith("_ns") and name != "start_ns" for name in row):
            raise Failure("a call of the tracer function is told as %r" % row)
        key = (row["pid"], row["cpu"] if not row["pid"] else None)
        rows[key].append({name: row[name] for name in ("level", "function", "start_ns", "context", "cpu", "calls")
                          if name in row})
    return rows


def compare(trace, path, options=()):
    """Return: how many calls stand below others."""
    oracle = graph_oracle.Trace(path)
    first = Oracle(oracle, oracle.buffers[0])
    expected, got = rows_of(first), rows_printed(trace, list(options))
    if not expected:
        raise Failure("no functions in it")
    if set(expected) != set(got):
        raise Failure("tasks are %r" % sorted(set(expected) ^ set(got), key=str))
    for key, rows in expected.items():
        for i, row in enumerate(rows):
            if i >= len(got[key]) or got[key][i] != row:
                raise Failure("task %r, call %d is\n  %r\ninstead of\n  %r" %
                              (key, i + 1, got[key][i] if i < len(got[key]) else None, row))
        if len(rows) != len(got[key]):
            raise Failure("task %r has %d calls too many" % (key, len(got[key]) - len(rows)))
    check_stacks(first)
    check_counts(first, trace)
    return sum(row["level"] > 0 for rows in expected.values() for row in rows)


def check_stacks(oracle):
    """What the oracle has above a call is on the stack that was recorded with it."""
    for call in oracle.calls:
        above = call.parent
        while call.stack is not None and above and above.level == call.level:
            if above.start not in call.stack:
                raise Failure("%s stands above %s, and is not on its stack" % (above.name, call.name))
            above = above.parent


def check_counts(oracle, trace):
    counts = collections.Counter()
    for call in oracle.calls:
        counts[call.address, call.name] += call.calls
    table = list(csv.DictReader(io.StringIO(run([PROGRAM, "functions", "--format=csv", trace]).decode("utf-8"))))
    got = collections.Counter()
    for row in table:
        got[row["function"]] += int(row["calls"])
        if any(row[name] for name in row if name not in ("function", "calls")):
            raise Failure("times of %s were made up: %r" % (row["function"], row))
    expected = collections.Counter()
    for (_, name), nr in counts.items():
        expected[name] += nr
    if got != expected:
        raise Failure("counts differ: %r" % ((got - expected) + (expected - got)))
    if [int(row["calls"]) for row in table] != sorted((int(row["calls"]) for row in table), reverse=True):
        raise Failure("those called most often do not stand first")
    folded = run([PROGRAM, "functions", "--folded", trace]).decode("utf-8").splitlines()
    if sum(int(line.rsplit(" ", 1)[1]) for line in folded) != sum(expected.values()):
        raise Failure("folded stacks have other counts")


def recorded(trace, folder, least):
    below = compare(trace, plain(trace, folder))
    if below < least:
        raise Failure("only %d calls below others" % below)


def with_events(trace, folder):
    """Other events in the tree change nothing."""
    compare(trace, plain(trace, folder), ["--events"])


def held_few(trace, folder):
    """More than can be held: printed as it goes."""
    oracle = graph_oracle.Trace(plain(trace, folder))
    expected = rows_of(Oracle(oracle, oracle.buffers[0]))
    got = rows_printed(trace, ["--max-calls", "100"])
    flat = lambda rows: sorted((key, row["start_ns"], row["function"]) for key, list_ in rows.items() for row in list_)
    if sorted(map(str, flat(expected))) != sorted(map(str, flat(got))):
        raise Failure("other calls")


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="function_tree")
    tap.case("good/function-repeats", recorded, os.path.join(DATA, "good", "function-repeats", "trace.dat"), folder, 1000)
    if SHARED:
        fixtures = os.path.join(SHARED, "fixtures")
        for name, least in (("function", 100), ("function-args", 10), ("function-repeats", 1000), ("function-stack", 1),
                            ("latency-format-function", 900)):
            path = os.path.join(fixtures, name, "trace.dat")
            tap.case(name, recorded, path, folder, least)
            tap.case(name + ", with events", with_events, path, folder)
            tap.case(name + ", few held", held_few, path, folder)
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
