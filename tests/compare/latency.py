#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""latency equals, to the nanosecond, what latency_oracle.py works out from the plain list of events.  Prints TAP.

Every kind, on recorded traces and on made-up ones: with nesting, loss, missing and open ends, tasks that move.
"""
import csv
import io
import json
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle                                             # noqa: E402
import graph_traces                                             # noqa: E402
import latency_oracle                                           # noqa: E402
import latency_traces                                           # noqa: E402
import sched_oracle                                             # noqa: E402
from functions import plain                                     # noqa: E402
from report_common import BUILD, DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, corpus, is_latency_text, read_text, \
    run, shared_fixtures, traces                                # noqa: E402
from sched_common import buffers, interrupts                    # noqa: E402

MADE = 400 if LONG else 8
STEPS = 1200


def rows(path, *options):
    table = list(csv.reader(io.StringIO(run([PROGRAM, "latency", "--format=csv", *options, path]).decode())))
    # what woke a task is compared in why.py, and what is told of locks in locks.py
    others = ("context", "holder_pid", "holder_comm", "lock_type", "lock_address", "woken_by_pid", "woken_by_comm", "shared", "at_least")
    kept = [i for i, name in enumerate(table[0]) if name not in others]
    return [[row[i] for i in kept] for row in table[1:]]


def lines_of(path):
    return run([PROGRAM, "report", "--format=json", path]).decode().splitlines()


def listed(path, lines):
    """The buffers of a file; None where trace-cmd cannot tell the letters of states."""
    letters, plus = sched_oracle.print_format(TRACE_CMD, path)
    if not letters and any('"system":"sched"' in line for line in lines):
        return None
    return latency_oracle.buffers(lines, buffers(path), letters, plus, sched_oracle.saved_names(TRACE_CMD, path))


def difference(what, got, expected):
    for i in range(max(len(got), len(expected))):
        a, b = got[i] if i < len(got) else None, expected[i] if i < len(expected) else None
        if a != b:
            raise Failure("%s, row %d of %d: %s\n  expected of %d: %s" % (what, i, len(got), a, len(expected), b))


def compare_kind(path, kind, ended, opens, options=()):
    got = rows(path, "--kind=" + kind, "--open", *options)
    # those that are equal in time and CPU may be in another order
    difference(" ".join([kind, *options]), sorted(row[:7] + row[8:] for row in got), sorted(i.row() for i in ended + opens))
    keys = [(-int(row[3]), int(row[1]), int(row[4] or -1)) for row in got if row[3]]
    if keys != sorted(keys):
        raise Failure("%s: not the longest first" % kind)
    known = {}
    for i in ended:
        known.setdefault(tuple(i.row()), []).append(i.what)
    for row in got:
        whats = known.get(tuple(row[:7] + row[8:]), [None])
        if None not in whats and not any(row[7].startswith(what) for what in whats):
            raise Failure("%s: %s, not %s" % (kind, row[7], whats))


def compare(path, found, kinds=None):
    kinds = kinds or latency_oracle.measure(found)
    got = {row[0]: row[1:] for row in rows(path) if row[0] != "call"}
    expected = {kind: latency_oracle.sums(*instances) for kind, instances in kinds.items() if instances[0] or instances[1]}
    difference("kinds", sorted(got.items()), sorted(expected.items()))
    for kind in expected:
        compare_kind(path, kind, *kinds[kind])
    return expected


def filtered(path, found):
    """-F keeps what starts or ends with a match; a range what starts in it."""
    cpu = max(event.cpu for buffer in found for event in buffer.events)
    kinds = latency_oracle.measure(found, lambda event: event.cpu == cpu,
                                   sched_oracle.Keep(lambda event, _: event.cpu == cpu))
    times = sorted(event.ts for buffer in found for event in buffer.events)
    first, last = times[len(times) // 4], times[len(times) * 3 // 4]
    whole = latency_oracle.measure(found)
    for kind, (ended, opens) in whole.items():
        if not ended:
            continue
        kept, unended = kinds[kind]
        # which states are open at the end no record tells
        compare_kind(path, kind, kept, [i for i in unended if kind not in STATES], ["-F", "cpu == %d" % cpu])
        compare_kind(path, kind, [i for i in ended if first <= i.start <= last], [i for i in opens if first <= i.start <= last],
                     ["--from", "%dns" % first, "--to", "%dns" % last])
        compare_kind(path, kind, [i for i in ended if i.cpu == cpu], [i for i in opens if i.cpu == cpu], ["--cpu", str(cpu)])


STATES = ("wakeup", "preempted", "blocked", "sleep")


def mark(duration):
    """The kernel's, see trace_output.c."""
    for limit, letter in ((10**9, "$"), (10**8, "@"), (10**7, "*"), (10**6, "#"), (10**5, "!"), (10**4, "+")):
        if duration > limit:
            return letter
    return ""


def calls(trace, folder):
    """Calls: those of the oracle of graphs, with its times."""
    path = plain(trace, folder)
    oracle, graphs = graph_oracle.read(path)
    expected = []
    for buffer in graphs:
        for task in buffer.tasks.values():
            for call in task.calls():
                if call.timed():
                    known = not call.doubtful()
                    expected.append(["call", str(call.call), str(call.ret), str(call.duration()), str(call.exit.cpu), str(call.exit.pid),
                                     oracle.function(call.func), str(int(not known)),
                                     str(int(not any(True for _ in call.timed_children()))) if known else "",
                                     str(call.net()) if known and call.has_net else "", mark(call.duration())])
    if not expected:
        raise Failure("no calls in it")
    if oracle.clock == "local":
        difference("call", sorted(row[:6] + row[7:9] + row[12:] for row in rows(path, "--kind=call")), sorted(expected))


def recorded(path, lines, found, seen):
    for buffer in found:
        interrupts(path, buffer)
    seen.update(compare(path, found))
    if (LONG or len(seen) % 4 == 0) and any(buffer.events for buffer in found) and '"ts_ns"' in lines[0]:
        filtered(path, found)


def made_up(first, nr, seen):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.dat")
        for seed in range(first, first + nr):
            latency_traces.make(path, seed, STEPS)
            found = latency_oracle.buffers(lines_of(path), [""], [(1, "S"), (2, "D")], 0, {})
            names = {pid: "task%d" % pid for pid in range(1, 40)}
            for buffer in found:
                buffer.saved = names
            try:
                seen.update(compare(path, found))
                if seed % 4 == 0:
                    filtered(path, found)
            except Failure as failure:
                raise Failure("seed %d: %s" % (seed, failure)) from failure


def states(first, nr):
    """States of tasks, on the traces that sched.py plays."""
    tool = os.path.join(BUILD, "tests", "tools", "make_sched_trace")
    with tempfile.TemporaryDirectory() as folder:
        path, list_ = os.path.join(folder, "trace.dat"), os.path.join(folder, "list")
        for seed in range(first, first + nr):
            run([tool, str(seed), "800", path, list_])
            buffer = sched_oracle.from_list(list_)
            if any(a.ts > b.ts for events in buffer.cpus.values() for a, b in zip(events, events[1:])):
                continue                # the clock goes back: order and time are not one
            found = latency_oracle.buffers(lines_of(path), buffers(path), buffer.letters, buffer.plus, buffer.saved)
            same = next((one for one in found if len(one.events) == len(buffer.events)), buffer)
            for event, plain_event in zip(same.events, buffer.events):
                event.lost, event.flags = plain_event.lost, plain_event.flags   # before the first record, too, which report does not tell
            try:
                compare(path, found)
            except Failure as failure:
                raise Failure("seed %d: %s" % (seed, failure)) from failure


def one_source():
    """
    Which events tell of system calls is decided on the whole trace, also for one CPU; and where summary counts starts at first.
    """
    reads, raw = (1, "syscalls", "sys_enter_read", "sys_exit_read"), (0, "raw_syscalls", "sys_enter", "sys_exit")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calls.dat")
        for what, calls, cpus in (("syscalls", [reads] * 3 + [raw], ["1"] * 3),
                                  ("calls without an end", [reads[:3]] * 3 + [raw] * 2, ["0"] * 2)):
            records = [[], []]
            latency_traces.formats()
            for cpu, system, *names in calls:
                for name in names:
                    id_, letters = latency_traces.NUMBERS[system, name]
                    values = [0] * len(struct.unpack(letters, bytes(struct.calcsize(letters))))
                    payload = graph_traces.common(id_, 0, 1 + cpu) + struct.pack(letters, *values)
                    records[cpu].append((10**9 + 1000 * len(records[cpu]), payload))
            latency_traces.write(path, records, None)
            found = rows(path, "--kind=syscall")
            difference(what, [row[4] for row in found], cpus)
            difference(what + ", CPU 0", rows(path, "--kind=syscall", "--cpu=0"), [row for row in found if row[4] == "0"])
            facts = json.loads(run([PROGRAM, "summary", "--format=json", path]))
            difference(what + ", summary", [row["n"] for row in facts["latency"]], [len(cpus)])


def by_pair(path):
    """A user's pair is the kind of the same events."""
    for kind, pair in (("softirq", "own irq:softirq_entry -> irq:softirq_exit by cpu,vec"),
                       ("softirq_raise", "own softirq_raise softirq_entry by cpu,vec first"),
                       ("softirq_raise", "own softirq_raise [vec < 100] -> softirq_entry [vec >= 0] by cpu,vec first")):
        expected = [row[1:7] + row[8:] for row in rows(path, "--kind=" + kind)]
        difference(pair, [row[1:7] + row[8:] for row in rows(path, "--pair=" + pair, "--kind=own")], expected)
    expected = [row[1:7] + row[8:] for row in rows(path, "--kind=softirq")]
    difference("-H", [row[1:7] + row[8:] for row in rows(path, "-H", "irq:softirq_entry,vec/softirq_exit,vec,p",
                                                         "--kind=softirq_entry")], expected)


def histogram(path):
    durations = [int(row[3]) for row in rows(path, "--kind=softirq") if row[8] == "0"]
    got = [[int(value) for value in row] for row in rows(path, "--kind=softirq", "--histogram")]
    expected = [[first, last, sum(first <= value < last for value in durations)] for first, last, _ in got]
    difference("histogram", got, expected)
    if sum(row[2] for row in got) != len(durations):
        raise Failure("some are not in it")


GROUPED = (("cpu4", "wakeup", "task"), ("cpu4", "wakeup", "cpu"), ("cpu4", "wakeup", "prio"), ("cpu4", "wakeup", "moved"),
           ("cpu4", "sleep", "task"), ("fgraph-depth", "call", "mark"), ("fgraph-depth", "call", "leaf"), ("fgraph-depth", "call", "cpu"))
NAMES = {"task": lambda r: r["pid"], "cpu": lambda r: "CPU " + r["cpu"],
         "prio": lambda r: "priority " + r["prio"], "moved": lambda r: {"1": "moved", "0": "not moved", "": "not known"}[r["moved"]],
         "mark": lambda r: r["mark"] or " ", "leaf": lambda r: {"1": "leaf", "0": "not a leaf", "": "not known"}[r["leaf"]]}


def grouped(path, kind, by):
    """Sums of groups are those of the instances, which are compared with the oracle above."""
    words = ["latency", "--kind=" + kind, "--format=csv"]
    expected = {}
    for row in csv.DictReader(io.StringIO(run([PROGRAM, *words, path]).decode())):
        if row["doubtful"] == "0" or kind == "call":
            expected.setdefault(NAMES[by](row), []).append(int(row["duration_ns"]))
    found = {}
    for row in csv.DictReader(io.StringIO(run([PROGRAM, *words, "--by=" + by, path]).decode())):
        name = row["group"][0] if by == "mark" and row["group"] != "open" else row["group"]
        name = name.rpartition("-")[2] if by == "task" else name
        if int(row["n"]):
            found[name] = [int(row[column]) for column in ("n", "min_ns", "max_ns", "total_ns")]
    expected = {name: [len(values), min(values), max(values), sum(values)] for name, values in expected.items()}
    if found != expected or not found:
        raise Failure("%s by %s: %r instead of %r" % (kind, by, found, expected))


def without_unit(path):
    """A clock that counts: text has its numbers, without a unit."""
    text = run([PROGRAM, "latency", path]).decode().splitlines()
    got = {line.split()[0]: line.split()[1:] for line in text[1:]}
    if "µs" in text[0] or got != {row[0]: row[1:] for row in rows(path)}:
        raise Failure("%s" % text)


def slept_in(path):
    """The function that a task slept in: the first of the stack behind its switch that is not the scheduler's."""
    stacks, last = {}, {}
    for line in run(["trace-cmd", "report", "-t", path]).decode(errors="replace").splitlines():
        found = re.match(r"\s*(.+)-(\d+)\s+\[(\d+)\].*?(\d+)\.(\d+): (\S+):", line)
        if found:
            place = found[3] if found[6] in ("sched_switch", "kernel_stack") else None
            if found[6] == "sched_switch":
                last[place] = int(found[4] + found[5]), int(found[2])
            key = last.get(place) if found[6] == "kernel_stack" else None
        elif line.startswith("=> ") and key:
            stacks.setdefault(key, []).append(line.split()[1].split("+")[0])
    seen = 0
    for row in rows(path, "--kind=sleep"):
        functions = stacks.get((int(row[1]), int(row[5])), [])
        functions = [name for name in functions if "sched" not in name]
        if functions and row[7].partition(" in ")[2] not in functions[:2]:
            raise Failure("%s, not one of %s" % (row, functions[:2]))
        seen += bool(functions)
    if seen < 5:
        raise Failure("only %d stacks" % seen)


def blk_tracer(folder):
    """D2C and Q2C of the blk tracer's records, from the kernel's own lines: the last start of a device and sector."""
    starts, expected = {}, {"D": [], "Q": []}
    for line in read_text(os.path.join(folder, "kernel-trace.txt")).decode().split("\n"):
        found = re.search(r" ([A-Z]{1,2}) +([A-Z]+) (\d+) \+ (\d+) \[", line)
        if not found or line.startswith("#"):
            continue
        time, device = re.search(r"(\d+)\.(\d{6,9})", line), re.search(r"\d+,\d+", line)[0]
        ts = int(time[1]) * 10 ** 9 + int(time[2].ljust(9, "0"))
        if found[1] in expected:
            starts[found[1], device, found[3]] = ts, f"{found[2]} sector {found[3]}, {512 * int(found[4])} bytes"
        for action in expected if found[1] == "C" else ():
            start = starts.pop((action, device, found[3]), None)
            if start is not None:
                expected[action].append((start[0], ts - start[0], start[1]))
    within = 1 if len(time[2]) == 9 else 1000      # ns
    for kind, action in (("block", "D"), ("block_queue", "Q")):
        text = run([PROGRAM, "latency", "--kind=" + kind, "--format=csv", os.path.join(folder, "trace.dat")]).decode()
        rows = sorted((int(row["start_ns"]), int(row["duration_ns"]), row["what"]) for row in csv.DictReader(io.StringIO(text)))
        if len(rows) < 8 or len(rows) != len(expected[action]):
            raise Failure(f"{kind}: {len(rows)} instances, the kernel's text has {len(expected[action])}")
        for ours, theirs in zip(rows, sorted(expected[action])):
            if abs(ours[0] - theirs[0]) > within or abs(ours[1] - theirs[1]) > within or ours[2] != theirs[2]:
                raise Failure(f"{kind}: {ours}, not {theirs}")


KINDS = ("wakeup", "preempted", "blocked", "sleep", "irq", "softirq", "softirq_raise", "timer", "timer_late", "work", "work_delay",
         "kthread_work", "vector", "syscall", "lock", "irqsoff", "preemptoff", "block", "block_queue", "marker", "rv")


def markers():
    """Slices of trace_marker in a text: worked out by hand.  Times in us after 50 s; upload is open, and CPU 1
    loses events from 3100 to 3500."""
    expected = [(100, 1500, 0, 1230, "app", "frame", 0), (700, 1200, 0, 1230, "app", "fetch", 0), (900, 600, 0, 1230, "app", "draw", 0),
                (3000, 500, 1, 1240, "render", "stuck", 1), (200, 400, 0, 1230, "app", "layout a|b", 0),
                (2100, 400, 1, 1240, "render", "GET /", 0), (2600, 200, 1, 1240, "render", "POST", 0),
                (3450, 100, 0, 1230, "app", "frame", 1), (1100, None, 1, 1240, "render", "upload", 1)]
    path = os.path.join(DATA, "atrace", "trace.txt")
    got = [(int(row[1]) // 1000 - 50000000, int(row[3]) // 1000 if row[3] else None, int(row[4]), int(row[5]), row[6], row[7], int(row[8]))
           for row in rows(path, "--kind=marker", "--open")]
    difference("markers", got, expected)
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "trace.html")       # as systrace.py and catapult write it, behind a megabyte of scripts
        with open(path, encoding="utf-8") as text, open(page, "w", encoding="utf-8") as out:
            out.write("<!DOCTYPE html>\n<html><head><script>\n" + "var a = { b: 12 - 3 }; /* x-1 [000] 12.5: y: z */\n" * 30000 +
                      '</script></head><body>\n  <script class="trace-data" type="application/text">\n' + text.read() +
                      '  </script>\n  <script class="trace-data" type="application/text">\n{}\n  </script>\n</body>\n</html>\n')
        difference("page", lines_of(page), lines_of(path))
        with open(path, encoding="utf-8") as text, open(page, "w", encoding="utf-8") as out:     # systrace of 2012
            out.write("<!DOCTYPE HTML>\n<html><script>\n" + "var a = [12, 5];\n" * 5000 + '</script><script>\n  var linuxPerfData = "\\\n' +
                      text.read().replace("tracing_mark_write: ", "0: ").replace("\n", "\\n\\\n") + "  </script>\n</html>\n")
        difference("old page", lines_of(page), lines_of(path))
    difference("sums", [row[1:6] for row in rows(path) if row[0] == "marker"], [["6", "1", "2", "200000", "716666"]])
    innermost = {"app": [(100, "frame"), (200, "layout a|b"), (600, "frame"), (700, "fetch"), (900, "draw"), (1500, "fetch"),
                         (3450, "frame")],
                 "render": [(1100, "upload"), (2100, "GET /"), (2500, "upload"), (2600, "POST"), (2800, "upload"), (3000, "stuck"),
                            (3500, "upload")]}
    text = run([PROGRAM, "timeline", "--format=csv", "--plot=marker", path]).decode()
    slices = [row for row in csv.DictReader(io.StringIO(text)) if row["row"] == "slice"]
    for comm, expected in innermost.items():
        begun = [(int(row["start_ns"]) // 1000 - 50000000, row["state"]) for row in slices if row["comm"] == comm]
        difference("slices of " + comm, [row for i, row in enumerate(begun) if not i or row[1] != begun[i - 1][1]], expected)
    for counter, expected in (("queue", [("50000250000", "3"), ("50001800000", "5")]), ("1230|queue", [("50000250000", "3"), ("50001800000", "5")]),
                              ("7|queue", []), ("heap size", [("50001200000", "-40")])):
        text = run([PROGRAM, "timeline", "--format=csv", "--plot=marker." + counter, path]).decode()
        difference(counter, [(row[1], row[8]) for row in csv.reader(io.StringIO(text)) if row[0] == "plot"], expected)


def all_seen(seen):
    if not set(KINDS) <= seen:
        raise Failure("none of " + " ".join(sorted(set(KINDS) - seen)))


def main():
    tap, seen = Tap(), set()
    found = traces(os.path.join(DATA, "good"))
    if SHARED:
        found += shared_fixtures() + corpus(os.path.join(SHARED, "corpus"))
    for name, path, _ in found:
        lines = lines_of(path)
        if not any('"ts' in line for line in lines[:3]) or is_latency_text(path) or name == "pid":  # see sched_common.recorded()
            continue
        buffers_of = listed(path, lines) if TRACE_CMD else None
        if buffers_of is not None:
            tap.case(name, recorded, path, lines, buffers_of, seen)
        else:
            tap.skip(name, "trace-cmd, which tells the letters of states, is missing or cannot read this")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cpu4", "fgraph-depth", "fgraph-7.2"):
            if TRACE_CMD:
                tap.case("calls of " + name, calls, os.path.join(DATA, "good", name, "trace.dat"), folder)
    for first in range(0, MADE, 8):
        tap.case("made-up traces from %d on" % first, made_up, first, 8, seen)
    for first in range(0, MADE // 2, 6):
        tap.case("states of made-up traces from %d on" % first, states, first, 6)
    tap.case("system calls from two sources", one_source)
    tap.case("pairs of the user", by_pair, os.path.join(DATA, "good", "cpu4", "trace.dat"))
    if TRACE_CMD:
        tap.case("functions that tasks slept in", slept_in, os.path.join(DATA, "good", "waits", "trace.dat"))
    for name in ("blk", "blk-7.2", "blk-classic-7.2"):
        tap.case("requests of " + name, blk_tracer, os.path.join(DATA, "good", name))
    for name, kind, by in GROUPED:
        tap.case("%s of %s by %s" % (kind, name, by), grouped, os.path.join(DATA, "good", name, "trace.dat"), kind, by)
    tap.case("a clock without a unit", without_unit, os.path.join(DATA, "good", "clock-tsc", "trace.dat"))
    tap.case("markers of a text", markers)
    tap.case("histogram", histogram, os.path.join(DATA, "good", "cpu4", "trace.dat"))
    tap.case("all kinds were there", all_seen, seen)
    tap.end()


if __name__ == "__main__":
    main()
