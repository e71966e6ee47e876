#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of filters that calls tell (self, net, ret, under), beside graph_oracle.py.  Prints TAP.

On recorded traces with function_graph records, and on made-up ones.
"""
import bisect
import collections
import fnmatch
import os
import random
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle
import graph_traces
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, read_text, run

SEEDS = 400 if LONG else 2
ERRORS = range(-4095, 0)


class Buffer(graph_oracle.Buffer):
    """Knows when calls without an exit were seen to have ended."""

    def add(self, record):
        open_calls = [call for task in self.tasks.values() for call in task.stack] \
            if record.name in ("funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit") else []
        super().add(record)
        for call in open_calls:
            if call.kind == "unclosed" and not hasattr(call, "until"):
                call.until = record.ts


class Calls:
    def __init__(self, path):
        self.path = path
        self.trace = graph_oracle.Trace(path)
        self.buffers = [Buffer(self.trace, records, self.trace.clock) for records in self.trace.buffers]
        self.records = [record for records in self.trace.buffers for record in records]
        self.calls = [(task.key, call) for b in self.buffers for task in b.tasks.values() for call in task.calls()]
        self.by_task = collections.defaultdict(list)
        for r in self.records:
            self.by_task[(r.pid, r.cpu if r.pid == 0 else None)].append(r)
        self.timed = [call for _, call in self.calls if call.timed() and call.duration() >= 0]
        self.sure = [call for call in self.timed if not call.doubtful()]

    def within(self, name, keep=lambda record: True):
        """Moments of tasks: records from that of the entry to that of the exit."""
        spans = collections.defaultdict(list)
        for key, call in self.calls:
            if not fnmatch.fnmatchcase(self.trace.function(call.func), name):
                continue
            begin = call.entry.ts if call.entry else call.exit.ts - max(0, call.duration())
            end = call.exit.ts if call.exit else getattr(call, "until", float("inf"))
            spans[key].append((begin, end))
        nr = 0
        for key, of_task in spans.items():
            begins, ends = [], []           # apart from each other
            for begin, end in sorted(span for span in of_task if span[0] <= span[1]):
                if ends and begin <= ends[-1]:
                    ends[-1] = max(ends[-1], end)
                else:
                    begins.append(begin)
                    ends.append(end)
            for r in self.by_task.get(key, ()):
                at = bisect.bisect_right(begins, r.ts) - 1
                nr += at >= 0 and r.ts <= ends[at] and keep(r)
        return nr

    def check(self, expression, expected):
        got = int(run([PROGRAM, "report", "--count", "-F", expression, self.path]))
        if got != expected:
            raise Failure("%s: %d events, not %d" % (expression, got, expected))

    def check_figures(self, some):
        for name, figure in (("self", graph_oracle.Call.self_time), ("net", graph_oracle.Call.net)):
            having = [call for call in self.sure if name == "self" or call.has_net]
            values = sorted(figure(call) for call in having)
            for limit in some.sample(values, min(len(values), 2)):
                self.check("%s > %dns" % (name, limit), sum(v > limit for v in values))
            self.check("%s == dur" % name, sum(figure(call) == call.duration() for call in having))
            low, high = sorted(some.choice(values or [0]) for _ in range(2))
            inside = sum(low <= v <= high for v in values)
            self.check("%s in %d-%d" % (name, low, high), inside)
            self.check("%s not in (%d, %d)" % (name, low, high), sum(v not in (low, high) for v in values))
            self.check("%s < %dns || %s >= %dns" % (name, low, name, high), sum(v < low or v >= high for v in values))
            self.check("%s != %d" % (name, low), sum(v != low for v in values))
        self.check("net != self", sum(c.net() != c.self_time() for c in having))
        # What computes with them is asked as the calls come, of the whole record.
        self.check("self * 2 > dur", sum(c.self_time() * 2 > c.duration() for c in self.sure))
        self.check("net - self > 1us && depth < 4", sum(c.net() - c.self_time() > 1000 and c.depth < 4 for c in having))
        limit = some.choice([c.self_time() for c in self.sure] or [0])
        self.check("self <= %d && depth < 4" % limit, sum(c.self_time() <= limit and c.depth < 4 for c in self.sure))
        self.check("(self <= %d || net > self) && !(dur > 5us || net > 3us)" % limit,
                   sum((c.self_time() <= limit or (c.has_net and c.net() > c.self_time())) and c.duration() <= 5000 and
                       not (c.has_net and c.net() > 3000) for c in self.sure))
        self.check("self + depth + cpu > %d" % limit, sum(c.self_time() + c.depth + c.exit.cpu > limit for c in self.sure))
        self.check("self + 1 not in (%d, %d)" % (limit, limit + 1),
                   sum(c.self_time() + 1 not in (limit, limit + 1) for c in self.sure))

    def check_under(self, some):
        names = collections.Counter(self.trace.function(call.func) for _, call in self.calls)
        names = [name for name in names if re.fullmatch(r"\w+", name) and not name.startswith("0x")]
        for name in some.sample(names, min(len(names), 4)):
            self.check("under %s" % name, self.within(name))
            cpu = some.choice(self.records).cpu
            self.check("under %s && cpu != %d" % (name, cpu), self.within(name, lambda r, n=cpu: r.cpu != n))
            self.check("common_pid > 0 && under %s && !(funcgraph_exit && cpu == %d)" % (name, cpu),
                       self.within(name, lambda r, n=cpu: r.pid > 0 and not (r.name == "funcgraph_exit" and r.cpu == n)))


def compare(path, seed):
    calls = Calls(path)
    some = random.Random(seed)
    if not calls.calls:
        raise Failure("no calls in it")
    calls.check_figures(some)
    calls.check_under(some)


def recorded(trace, folder):
    plain = os.path.join(folder, "plain.dat")
    run([TRACE_CMD, "convert", "-i", trace, "-o", plain, "--file-version", "6"])
    compare(plain, 1)


def generated(make, folder):
    path = os.path.join(folder, "generated.dat")
    for seed in range(SEEDS):
        what = make(path, seed)
        try:
            compare(path, seed)
        except Failure as failure:
            raise Failure("seed %d (%s): %s" % (seed, what, failure)) from None


def large(folder, back):
    """More calls than wait at a time; of simulate_whole() they are told late.  @back: sub-buffers of a CPU change places."""
    path = os.path.join(folder, "large.dat")
    for seed in range(2, 9) if LONG else (5,) if back else (2, 3):
        what = (graph_traces.simulate if back or seed % 2 else graph_traces.simulate_whole)(path, seed, 40000)
        if back:
            exchange(path)
        calls = Calls(path)
        if not back and len(calls.calls) < 10000:
            raise Failure("seed %d: %d calls are too few" % (seed, len(calls.calls)))
        for name in ("f*", "f?", "f7", "*"):
            try:
                calls.check("under %s" % name, calls.within(name))
            except Failure as failure:
                raise Failure("seed %d (%s): %s" % (seed, what, failure)) from None


def exchange(path):
    """The clock of the first CPU goes back."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        table = data.index(b"flyrecord\0") + 10
        at, size = struct.unpack_from("<QQ", data, table)
        nr = size // graph_traces.PAGE
        for page in range(4, nr - 4, 8):
            one, other = (slice(at + n * graph_traces.PAGE, at + (n + 1) * graph_traces.PAGE) for n in (page, page + 3))
            data[one], data[other] = data[other], data[one]
        file.seek(0)
        file.write(data)


def returned(place, has_errors, folder):
    """The kernel's own text, which has errors with a sign: what the trace and that text say to the same questions."""
    text = read_text(next(path for path in (os.path.join(place, "kernel-trace.txt" + end) for end in ("", ".gz"))
                          if os.path.exists(path)))
    path = os.path.join(folder, "kernel-trace.txt")
    with open(path, "wb") as file:
        file.write(text)
    for trace in (os.path.join(place, "trace.dat"), path):
        returned_in(trace, text, has_errors)


def returned_in(trace, text, has_errors):
    told = collections.Counter(int(value) for value in re.findall(rb"ret *= *(-\d+)\b", text))
    errors = {value: n for value, n in told.items() if value in ERRORS}
    if not errors and has_errors:
        raise Failure("the kernel's text tells of no error")
    for value, n in list(errors.items()) + ([(None, sum(errors.values()))] if errors else []):
        expression = "ret < 0" if value is None else "ret == %d" % value
        got = int(run([PROGRAM, "report", "--count", "-F", "funcgraph_exit && " + expression, trace]))
        if got != n:
            raise Failure("%s: %d events, not %d" % (expression, got, n))
    raw = collections.Counter(int(value, 16) for value in re.findall(rb"ret=0x([0-9a-f]+)\b", text))
    for value, n in [(value, n) for value, n in raw.most_common(12) if value < 2**31 or 2**32 <= value < 2**64 - 4095]:
        got = int(run([PROGRAM, "report", "--count", "-F", "funcgraph_exit && ret == 0x%x" % value, trace]))
        if got != n:
            raise Failure("ret == 0x%x: %d events, not %d" % (value, got, n))
    addresses = sum(n for value, n in raw.items() if 2**63 <= value < 2**64 - 4095)
    got = int(run([PROGRAM, "report", "--count", "-F", "funcgraph_exit && ret > 0x7fffffffffffffff", trace]))
    if got != addresses or not addresses:
        raise Failure("%d addresses, not %d" % (got, addresses))


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="filter-calls")
    good = os.path.join(DATA, "good")
    places = [os.path.join(good, name) for name in ("cpu4", "fgraph-7.2", "fgraph-depth")]
    fixtures = os.path.join(SHARED, "fixtures") if SHARED else ""
    if SHARED:
        places += [os.path.join(fixtures, name) for name in ("fgraph-events", "tc34-instances") +
                   (("fgraph", "fgraph-overwritten", "fgraph-flat") if LONG else ())]
    for place in places:
        name = "%s: self, net, under" % os.path.relpath(place, SHARED if SHARED in place and SHARED else DATA)
        if TRACE_CMD:
            tap.case(name, recorded, os.path.join(place, "trace.dat"), folder)
        else:
            tap.skip(name, "no trace-cmd, which makes the file that the oracle reads")
    tap.case("%d made-up machines" % SEEDS, generated, graph_traces.simulate, folder)
    tap.case("%d times records at random" % SEEDS, generated, graph_traces.chaos, folder)
    tap.case("large made-up machines: under", large, folder, False)
    tap.case("the same with a clock that goes back", large, folder, True)
    if SHARED:
        for name in ("fgraph-retval", "fgraph-retval-dec"):
            tap.case("%s: ret is what the kernel printed" % name, returned, os.path.join(fixtures, name), "dec" in name, folder)
    shutil.rmtree(folder)
    tap.end()


main()
