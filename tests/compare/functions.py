#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""functions is what the definitions say, to the nanosecond: beside an oracle that shares nothing with it.

On every trace with function_graph records, and on made-up ones (graph_traces.py).
"""
import csv
import io
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle
import graph_traces
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, read_text, run

SEEDS = 1500 if LONG else 15


def functions(options, trace):
    rows = list(csv.reader(io.StringIO(run([PROGRAM, "functions", "--format=csv"] + options + [trace]).decode("utf-8"))))
    if rows[0] != graph_oracle.COLUMNS:
        raise Failure("the heading is %r" % rows[0])
    return rows[1:]


def near(got, expected):
    """The deviations are near, which double precision allows; all else is equal."""
    *others, deviation = expected
    longest = expected[10]
    return got[:-1] == others and (got[-1] == deviation or (got[-1] and deviation and
                                                            abs(int(got[-1]) - int(deviation)) <= 1 + int(longest) // 10**7))


def compare(got, expected):
    expected = [[str(value) for value in row] for row in expected]
    for i, row in enumerate(expected):
        if i >= len(got) or not near(got[i], row):
            raise Failure("row %d is\n  %r\ninstead of\n  %r" % (i + 1, got[i] if i < len(got) else None, row))
    if len(got) > len(expected):
        raise Failure("%d rows too many" % (len(got) - len(expected)))


def plain(trace, folder):
    """The trace in version 6, which the oracle reads; None where trace-cmd cannot make it."""
    path = os.path.join(folder, "plain.dat")
    run([TRACE_CMD, "convert", "-i", trace, "-o", path, "--file-version", "6"])
    return path


def recorded(trace, folder):
    oracle, buffers = graph_oracle.read(plain(trace, folder))
    expected = graph_oracle.functions(oracle, buffers)
    if not expected:
        raise Failure("no calls in it")
    compare(functions([], trace), expected)


def generated(first, seeds, make, folder):
    path = os.path.join(folder, "generated.dat")
    for seed in range(first, first + seeds):
        what = make(path, seed)
        oracle, buffers = graph_oracle.read(path)
        try:
            compare(functions([], path), graph_oracle.functions(oracle, buffers))
        except Failure as failure:
            raise Failure("seed %d (%s): %s" % (seed, what, failure)) from None


def seconds(ns):
    return "%d.%09d" % (ns // 10**9, ns % 10**9)


def scopes(folder):
    """Calls of a window, of CPUs, of tasks, that match: those whose exit is there, or the entry of those without."""
    path = os.path.join(folder, "generated.dat")
    for seed in range(20):
        graph_traces.simulate(path, seed)
        oracle, buffers = graph_oracle.read(path)
        end = lambda call: call.exit or call.entry
        times = sorted(end(c).ts for b in buffers for t in b.tasks.values() for c in t.calls())
        if len(times) < 10:
            continue
        first, last = times[len(times) // 3], times[len(times) // 2]
        for options, wanted in (
                (["--from", seconds(first), "--to", seconds(last)], lambda c: first <= end(c).ts <= last),
                (["--cpu", "0,3"], lambda c: end(c).cpu in (0, 3)),
                (["--task", "2", "--task", "task3"], lambda c: end(c).pid in (2, 3)),
                (["-F", "dur >= 20us && dur != 20001"], lambda c: c.timed() and c.duration() >= 20000 and c.duration() != 20001),
                (["--task", "task1-1", "--to", seconds(last)], lambda c: end(c).pid == 1 and end(c).ts <= last),
                (["-F", "func == f1 || func == f3", "--task", "task*"],
                 lambda c: c.func in (graph_traces.function(1), graph_traces.function(3)) and end(c).pid)):
            try:
                compare(functions(options, path), graph_oracle.functions(oracle, buffers, wanted))
            except Failure as failure:
                raise Failure("seed %d, %s: %s" % (seed, " ".join(options), failure)) from None


def windows_add_up(trace):
    whole = {row[0]: [int(v or 0) for v in row[1:]] for row in functions([], trace)}
    parts = {}
    for window in (["--to", "7.5"], ["--from", "7.500000001", "--to", "7.6"], ["--from", "7.600000001"]):
        for row in functions(window, trace):
            sums = parts.setdefault(row[0], [0] * 14)
            for i in (0, 1, 2, 3, 10, 11, 12, 13):
                sums[i] += int(row[1 + i] or 0)
    for name, sums in parts.items():
        if any(sums[i] != whole[name][i] for i in (0, 1, 2, 3, 10, 11, 12, 13)):
            raise Failure("%s: %r, not %r" % (name, sums, whole[name]))
    if set(parts) != set(whole):
        raise Failure("functions are missing")


def formats(trace):
    """JSON and text say what CSV says, folded stacks add up to the self times."""
    rows = functions([], trace)
    objects = [json.loads(line) for line in run([PROGRAM, "functions", "--format=json", trace]).splitlines()]
    if [["" if v is None else str(v) for v in o.values()] for o in objects] != rows:
        raise Failure("json differs")
    if list(objects[0]) != graph_oracle.COLUMNS:
        raise Failure("keys are %r" % list(objects[0]))
    text = run([PROGRAM, "functions", "--head=5", trace]).decode().splitlines()
    if len(text) != 6 or [line.split()[-1] for line in text[1:]] != [row[0] for row in rows[:5]]:
        raise Failure("text is %r" % text)
    selfs = {}
    for line in run([PROGRAM, "functions", "--folded", trace]).decode().splitlines():
        stack, value = line.rsplit(" ", 1)
        name = stack.split(";")[-1]
        selfs[name] = selfs.get(name, 0) + int(value)
    if selfs != {row[0]: int(row[3]) for row in rows if int(row[3])}:
        raise Failure("folded stacks differ")


def beside_the_kernels_text(trace, text):
    """Calls and their times by function, from the kernel's own lines; it cuts times from 10 ms on to seven digits."""
    calls, sums, cut, longest = {}, {}, set(), {}
    for line in text.decode().splitlines():
        match = re.match(r"[^|]*\|[^|]*\|?.*?([\d.]+) us +\| +(?:\} /\* (\S+?(?: \[\w+\])?) \*/|(\S+?(?: \[\w+\])?)\(\);)$", line)
        if not match:
            continue
        name = match[2] or match[3]
        whole, _, part = match[1].partition(".")
        calls[name] = calls.get(name, 0) + 1
        ns = int(whole) * 1000 + int((part + "000")[:3])
        sums[name] = sums.get(name, 0) + ns
        longest[name] = max(longest.get(name, 0), ns)
        if len(part) < 3:
            cut.add(name)
    rows = {row[0]: row for row in functions([], trace)}
    if sum(calls.values()) < 4000:
        raise Failure("only %d calls in the kernel's text" % sum(calls.values()))
    for name, nr in calls.items():
        if int(rows[name][1]) != nr:
            raise Failure("%s: %s calls, not %d" % (name, rows[name][1], nr))
        average = int(rows[name][6])
        if name in cut:
            if not 0 <= average * nr + nr - sums[name] <= nr * 1001:
                raise Failure("%s: %d ns on average, %d ns in all" % (name, average, sums[name]))
        elif (average, int(rows[name][10])) != (sums[name] // nr, longest[name]):
            raise Failure("%s: %d ns on average, %s at most, not %d and %d" %
                          (name, average, rows[name][10], sums[name] // nr, longest[name]))
    if len(calls) - len(cut) < 100:
        raise Failure("only %d functions are told to the nanosecond" % (len(calls) - len(cut)))


UNITS = {"ns": 1, "µs": 1000, "ms": 1000000, "s": 1000000000}
CELL = r"[+!#*@$]?[\d.]+ (?:ns|µs|ms|s)"


def cells(line):
    """Calls and times of a row of the Functions view; a histogram lies behind them."""
    match = re.match(r"[> ](\S+)\s+(\d[\d ]*?)\s+((?:%s\s*)+)" % CELL, line)
    return match and (match[1], int(match[2].replace(" ", "")), re.findall(CELL, match[3]))


def screen_columns(heading):
    columns = re.sub(r" [▾▴v^]| dur:", "", heading.partition("1 µs")[0]).split()
    return [name + "_ns" for name in columns if name not in ("function", "calls", "open", "orphan")]


def on_the_screen(screens, trace):
    """The figures that the tests of the view expect, beside the command's."""
    rows = {row[0]: dict(zip(graph_oracle.COLUMNS, row)) for row in functions([], trace)}
    seen = 0
    for path in screens:
        columns = None
        for line in read_text(path).decode("utf-8").splitlines():
            if re.match(r" function.* calls", line):
                columns = screen_columns(line)
            row = columns and cells(re.sub("[█▉▊▋▌▍▎▏]", " ", line))    # without bars
            if not row or row[0] not in rows or len(row[2]) != len(columns):
                continue
            expected = rows[row[0]]
            if int(expected["calls"]) != row[1]:
                raise Failure("%s: %s calls, not %d" % (row[0], expected["calls"], row[1]))
            for column, cell in zip(columns, row[2]):
                number, unit = cell.lstrip("+!#*@$").split()
                value = int(expected[column])
                if abs(float(number) * UNITS[unit] - value) > value / 1000:
                    raise Failure("%s: %s is %s, not %s" % (row[0], column, expected[column], cell))
                seen += 1
    if seen < 300:
        raise Failure("only %d figures on the screens" % seen)


def sleep_is_no_work(trace):
    """Calls whose entry is lost slept in schedule(): that is in none of its sums."""
    row = next(row for row in functions([], trace) if row[0] == "schedule")
    if int(row[3]) >= 5000000:
        raise Failure("self of schedule is %s ns" % row[3])


def usage(trace, empty):
    if run([PROGRAM, "functions", "--format=csv", empty]).count(b"\n") != 1:
        raise Failure("rows of a trace without calls")
    for words in (["--from", "soon"], ["--format=xml"], ["-F", "func =="], ["--task", "x", "--cpu", "z"]):
        run([PROGRAM, "functions"] + words + [trace], status=2)


def of_both_tracers(trace):
    """Where calls have times, records of the tracer function are never counted beside them, in any window."""
    lines = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", trace]).decode().splitlines()]
    times = [line["ts_ns"] for line in lines if line.get("event") == "function"]
    for ts in times[::max(1, len(times) // 5)]:
        rows = list(csv.DictReader(io.StringIO(run(
            [PROGRAM, "functions", "--format=csv", "--from=%dns" % ts, "--to=%dns" % ts, trace]).decode())))
        if any(not int(row["calls"]) and not int(row["unclosed"]) for row in rows) or \
                any(int(row["calls"]) and not row["max_ns"] for row in rows):
            raise Failure("at %d: %s" % (ts, rows))
    if not times:
        raise Failure("no record of the tracer function")


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="functions")
    good = os.path.join(DATA, "good")
    places = [os.path.join(good, name) for name in ("cpu4", "fgraph-7.2", "fgraph-depth")]
    if SHARED:
        fixtures = os.path.join(SHARED, "fixtures")
        places += [os.path.join(fixtures, name) for name in sorted(os.listdir(fixtures))
                   if "fgraph" in name or name in ("v6", "tc34-instances")]
    for place in places:
        name = "%s: every figure of every function" % os.path.relpath(place, SHARED if SHARED in place and SHARED else DATA)
        if TRACE_CMD:
            tap.case(name, recorded, os.path.join(place, "trace.dat"), folder)
        else:
            tap.skip(name, "no trace-cmd, which makes the file that the oracle reads")
    tap.case("%d made-up machines" % SEEDS, generated, 0, SEEDS, graph_traces.simulate, folder)
    tap.case("%d times records at random" % SEEDS, generated, 0, SEEDS, graph_traces.chaos, folder)
    tap.case("windows, CPUs, tasks, filters", scopes, folder)
    cpu4 = os.path.join(good, "cpu4", "trace.dat")
    tap.case("windows add up to the whole", windows_add_up, cpu4)
    tap.case("text, json and folded stacks", formats, cpu4)
    tap.case("self of schedule() without lost entries", sleep_is_no_work, cpu4)
    screens = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "screens")
    tap.case("the screens of the Functions view", on_the_screen,
             [os.path.join(screens, "functions-%s.test" % name) for name in ("picture", "wide")], cpu4)
    options = os.path.join(SHARED, "fixtures", "fgraph-options")
    if SHARED:
        tap.case("beside sums over the kernel's text", beside_the_kernels_text, os.path.join(options, "trace.dat"),
                 read_text(os.path.join(options, "kernel-trace.txt.gz" if os.path.exists(
                     os.path.join(options, "kernel-trace.txt.gz")) else "kernel-trace.txt")))
        tap.case("windows of a trace of both tracers", of_both_tracers,
                 os.path.join(SHARED, "fixtures", "tc34-instances", "trace.dat"))
    tap.case("words that are off, traces without calls", usage, cpu4, os.path.join(good, "sched", "trace.dat"))
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
