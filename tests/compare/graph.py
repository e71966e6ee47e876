#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""graph prints the trees that the definitions say, call by call, beside the oracle; and the kernel's own text."""
import collections
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle
import graph_traces
import slice_oracle
from functions import plain
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, read_text, report, run, same

SEEDS = 600 if LONG else 6
LEVELS = ["task", "softirq", "irq", "nmi"]


def objects(options, trace):
    return [json.loads(line) for line in run([PROGRAM, "graph", "--format=json"] + options + [trace]).splitlines()]


SURE_APART, LIKELY_APART = 10**4, 10**5   # ns: so much later than its entry is a calltime that nosleep-time moved; without switches


def start_of(task, call):
    """With nosleep-time, the calltime is later than the entry by the time that the task was off the CPU."""
    apart = call.call - call.entry.ts if call.cut and not call.doubtful() and call.level == 0 and call.call <= call.exit.ts else 0
    return call.entry.ts if apart >= (SURE_APART if task.switched else LIKELY_APART) else call.call


def row_of(oracle, task, call, level, local):
    exit_ts = call.exit.ts if call.exit else None
    row = {"kind": "call" if call.kind == "closed" or call.lone else call.kind, "level": level, "pid": task.key[0]}
    if isinstance(call, slice_oracle.Slice):
        row.update(function=call.name, context="slice")
    else:
        row.update(function=oracle.function(call.func), depth=call.depth, context=LEVELS[call.level])
    if call.timed():
        row["start_ns"] = start_of(task, call) if local else exit_ts - call.duration()
        row["duration_ns"] = call.duration()
        if call.doubtful():
            row["doubtful"] = True
        else:
            row["self_ns"] = call.self_time()
            if call.has_net:
                row["net_ns"] = call.net()
    else:
        row["start_ns"] = call.entry.ts
    first, last = call.entry or call.exit, call.exit or call.entry
    row["cpu"] = first.cpu
    if last.cpu != first.cpu:
        row["end_cpu"] = last.cpu
    return row


def expected_rows(oracle, buffer):
    """Every call and every time off the CPU, task by task, what is above before what is below."""
    rows = []

    def add(task, calls, level):
        for call in calls:
            rows.append(row_of(oracle, task, call, level, buffer.local))
            below = [("call", c, None) for c in call.children]
            for start, end in sorted(call.rows):
                at = len(below)
                while at and began(below[at - 1][1]) >= end:
                    at -= 1
                below.insert(at, ("off_cpu", None, (start, end)))
                below = [b if b[0] == "call" else b for b in below]
            for kind, child, gap in below:
                if kind == "call":
                    add(task, [child], level + 1)
                else:
                    rows.append({"kind": kind, "level": level + 1, "pid": task.key[0], "start_ns": gap[0],
                                 "duration_ns": gap[1] - gap[0]})

    def began(call):
        if call is None:
            return 0
        return call.call if call.timed() else call.entry.ts
    for task in sorted((t for t in buffer.tasks.values() if t.roots), key=lambda t: t.first):
        add(task, task.roots, 0)
    return rows


WORDS = ("kind", "level", "pid", "function", "depth", "context", "start_ns", "duration_ns", "self_ns", "net_ns", "doubtful", "cpu",
         "end_cpu")


def essence(row, words=WORDS):
    if row["kind"] == "off_cpu":
        words = ("kind", "level", "pid", "start_ns", "duration_ns") if "level" in words else \
                ("kind", "pid", "start_ns", "duration_ns")
    return tuple(row.get(word) for word in words)


def compare_trees(oracle, buffers, got):
    got = [row for row in got if row["kind"] != "inferred"]     # of another buffer's tracer function: function_tree.py
    expected = [row for buffer in buffers for row in expected_rows(oracle, buffer)]
    for i, row in enumerate(expected):
        if i >= len(got) or essence(got[i]) != essence(row):
            raise Failure("row %d is\n  %r\ninstead of\n  %r" % (i + 1, got[i] if i < len(got) else None, row))
    if len(got) > len(expected):
        raise Failure("%d rows too many" % (len(got) - len(expected)))


def sums_agree(got):
    """Self times of a tree and its times off the CPU are the outermost calls' durations, where no call is doubtful."""
    roots, parts, doubtful = 0, 0, False
    timed = []				# is the row at this level timed?
    for row in got:
        del timed[row["level"]:]
        outermost = not any(timed)
        is_timed = row["kind"] in ("call", "orphan")
        timed.append(is_timed)
        if is_timed:
            roots += row["duration_ns"] if outermost else 0
            parts += row.get("self_ns", 0)
            doubtful |= "doubtful" in row
        elif row["kind"] == "off_cpu":
            parts += row["duration_ns"]
    if not doubtful and roots != parts:
        raise Failure("outermost calls take %d ns, their parts %d" % (roots, parts))
    return not doubtful


def recorded(trace, folder):
    oracle, buffers = graph_oracle.read(plain(trace, folder))
    got = objects([], trace)
    compare_trees(oracle, buffers, got)
    sums_agree(got)


def generated(make, folder):
    path = os.path.join(folder, "generated.dat")
    whole = 0
    for seed in range(2000, 2000 + SEEDS):
        what = make(path, seed)
        try:
            oracle, buffers = graph_oracle.read(path)
            got = objects([], path)
            compare_trees(oracle, buffers, got)
            whole += sums_agree(got)
        except Failure as failure:
            raise Failure("seed %d (%s): %s" % (seed, what, failure)) from None
    if make == graph_traces.simulate and not whole:
        raise Failure("no tree was without doubtful calls")


def without_room(folder):
    """Printed as they end, the calls are the same, with the same figures; each once."""
    path = os.path.join(folder, "generated.dat")
    words = [word for word in WORDS if word not in ("level",)]
    for seed in range(3000, 3000 + SEEDS // 4):
        graph_traces.simulate_whole(path, seed)
        held, streamed = objects([], path), objects(["--max-calls", "2000"], path)
        sums = [collections.Counter(essence(row, words) for row in rows) for rows in (held, streamed)]
        if sums[0] != sums[1]:
            raise Failure("seed %d: %d rows, not %d; missing %r, too many %r" %
                          (seed, len(streamed), len(held), list(sums[0] - sums[1])[:3], list(sums[1] - sums[0])[:3]))


# Slices of texts, by hand: level, pid, name, start and duration, self in us (None: no end).  Of graph.txt, frame begins in a
# call and ends in one, and draw, too: 5 of its 23 us are in the call in which it ends, and 2 in that in which it begins.
SLICES = {
    "trace.txt": [(0, 1230, "frame", 50000100, 1500, 500), (1, 1230, "layout a|b", 50000200, 400, 400), (1, 1230, "draw", 50000900, 600, 600),
                  (0, 1230, "frame", 50003450, 100, 100), (0, 1240, "upload", 50001100, None, None), (1, 1240, "stuck", 50003000, None, None)],
    "no-switches.txt": [(0, 1234, "draw", 100000000, 400, 200), (1, 1234, "layout a|b", 100000100, 200, 200)],
    "graph.txt": [(0, 12, "ksys_write", 100000010, 8, 4), (1, 12, "tracing_mark_write", 100000012, 4, 4),
                  (0, 12, "frame", 100000015, 60, 29), (1, 12, "ksys_read", 100000030, 5, 5), (1, 12, "ksys_write", 100000040, 4, 4),
                  (1, 12, "draw", 100000042, 23, 17), (2, 12, "do_futex", 100000050, 6, 6), (1, 12, "ksys_write", 100000060, 6, 6),
                  (0, 12, "ksys_write", 100000070, 10, 10), (0, 12, "ksys_read", 100000082, 3, 3),
                  (0, 13, "upload", 100000034, None, None), (1, 13, "ksys_read", 100000046, 2, 2), (1, 13, "(no name)", 100000048, 1, 1)],
}


def slices(name):
    """An end without its begin is an event, as that of stuck, which was open where events were lost; S and F are events."""
    us = lambda row, key: row[key] // 1000 if key in row else None
    got = [(row["level"], row["pid"], row["function"], us(row, "start_ns"), us(row, "duration_ns"), us(row, "self_ns"))
           for row in objects([], os.path.join(DATA, "atrace", name)) if row["kind"] != "off_cpu"]
    if got != SLICES[name]:
        raise Failure("%r\ninstead of\n%r" % (got, SLICES[name]))
    texts = [row["text"] for row in objects(["--events"], os.path.join(DATA, "atrace", name)) if row["kind"] == "event"]
    wanted = {"trace.txt": ("E|1230", 2), "no-switches.txt": ("F|1230|fetch|7", 1), "graph.txt": ("E|12", 1)}[name]
    if sum(text.endswith(": " + wanted[0]) for text in texts) != wanted[1]:
        raise Failure("not %d of %s in %r" % (wanted[1], wanted[0], texts))


def placed(rows):
    """Each row and the one that it is in, in any order."""
    path, found = [], collections.Counter()
    for row in rows:
        del path[row["level"]:]
        path.append(essence(row))
        found[path[-1], path[-2] if len(path) > 1 else None] += 1
    return found


def made_up_slices(folder):
    """Every slice, call and time off the CPU is in what the oracle says, with its figures."""
    path, seen = os.path.join(folder, "slices.dat"), collections.Counter()
    for seed in range(4000, 4000 + SEEDS):
        what = graph_traces.simulate_slices(path, seed)
        oracle, buffers = slice_oracle.read(path)
        wanted, got = placed(expected_rows(oracle, buffers[0])), placed(objects([], path))
        if wanted != got:
            raise Failure("seed %d (%s): missing %r, too many %r" % (seed, what, list(wanted - got)[:3], list(got - wanted)[:3]))
        for (row, above), times in wanted.items():
            seen[row[0]] += times
            if above and "slice" in above:
                seen["slice in a slice" if "slice" in row else row[0] + " in a slice"] += times
    if min(seen[word] for word in ("slice in a slice", "call in a slice", "off_cpu in a slice", "unclosed")) < 50:
        raise Failure("only %r" % seen)


def marks(trace, text):
    """One duration for each exit, with the mark that the kernel gave it."""
    kernel = collections.Counter()
    for line in text.decode(errors="replace").splitlines():
        match = re.match(r"[^|]*?([+!#*@$ ]) ([0-9]+\.?[0-9]*) us +\|", line) or \
            re.match(r".*\|[^|]*?([+!#*@$ ]) ([0-9]+\.?[0-9]*) us +\|", line)
        if match:
            kernel[(match[1], match[2])] += 1
    if len(kernel) < 100:
        raise Failure("only %d durations in the kernel's text" % len(kernel))
    ours = collections.Counter()
    for line in run([PROGRAM, "graph", trace]).decode().splitlines():
        match = re.match(r" *[0-9.]+ +\d+ ([+!#*@$ ])[~ ] *(\d+)\.(\d{3}) +(?!\(off the CPU)\S", line)
        if match:
            whole = match[2]
            digits = min(3, 7 - len(whole)) if len(whole) < 7 else 0
            ours[(match[1], whole + ("." + match[3][:digits] if digits else ""))] += 1
    if ours != kernel:
        raise Failure("%r, but the kernel has %r" % (list(ours - kernel)[:5], list(kernel - ours)[:5]))


def bounds(folder):
    """Marks at and around their bounds, in the tree, in the table and in the kernel's text."""
    path = os.path.join(folder, "bounds.dat")
    values = [b + d for b in (10**4, 10**5, 10**6, 10**7, 10**8, 10**9) for d in (-1, 0, 1)]
    records, now = [], 10**9
    for nr, ns in enumerate(values):
        records += [(now + 10, graph_traces.entry(5, nr, 0)), (now + 20 + ns, graph_traces.leave(5, nr, 0, now, now + ns))]
        now += ns + 1000
    graph_traces.write(path, [records])
    marks_ = " +!#*@$"
    wanted = {"f%d" % nr: marks_[(nr + 1) // 3] for nr in range(len(values))}
    tree = run([PROGRAM, "graph", path]).decode().splitlines()
    kernel = run([PROGRAM, "graph", "--style=kernel", path]).decode().splitlines()
    table = run([PROGRAM, "functions", path]).decode().splitlines()
    for name, mark in wanted.items():
        row = next(line for line in tree if line.endswith("  " + name + "();"))
        if row[18] != mark:
            raise Failure("the tree marks %s with %r, not %r: %s" % (name, row[18], mark, row))
        row = next(line for line in kernel if line.endswith("  " + name + "();"))
        if row[4] != mark:
            raise Failure("the kernel's text marks %s with %r, not %r: %s" % (name, row[4], mark, row))
        row = next(line for line in table if line.endswith("  " + name))
        if (mark != " ") != (" %s " % mark in row) and mark != " ":
            raise Failure("the table does not mark %s with %r: %s" % (name, mark, row))


def deep(folder):
    """Lines of deep calls stay short: beyond 100 levels they are not indented further, and have their level as a number."""
    path = os.path.join(folder, "deep.dat")
    levels = 3000
    entries = [(10**9 + nr, graph_traces.entry(5, nr % 40, nr)) for nr in range(levels)]
    exits = [(10**9 + 2 * levels - nr, graph_traces.leave(5, nr % 40, nr, 10**9 + nr, 10**9 + 2 * levels - nr))
             for nr in reversed(range(levels))]
    graph_traces.write(path, [entries + exits])

    def shown(level, text):
        return "  " * min(level, 100) + ("(level %d) " % level if level > 100 else "") + text
    names = ["f%d" % (nr % 40) for nr in range(levels)]
    wanted = [shown(nr, name + "() {") for nr, name in enumerate(names[:-1])] + [shown(levels - 1, names[-1] + "();")]
    wanted += [shown(nr, "}") for nr in reversed(range(levels - 1))]
    lines = run([PROGRAM, "graph", path]).decode().splitlines()
    begin = next((nr for nr, line in enumerate(lines) if line.endswith("f0() {")), None)
    column = begin is not None and lines[begin].index("f0() {")
    got = [line[column:] for line in lines[begin:begin + len(wanted)]] if begin is not None else []
    for ours, expected in zip(got, wanted):
        if not ours.startswith(expected) or len(ours) > len(expected) + 20:
            raise Failure("%r instead of %r" % (ours, expected))
    if len(got) != len(wanted):
        raise Failure("%d lines instead of %d" % (len(got), len(wanted)))


def choices(trace):
    """--depth, --min, --task, --cpu, --by, -F keep calls with those above them, and nothing else."""
    rows = objects([], trace)

    def kept(wanted):
        path, chosen = [], set()
        for i, row in enumerate(rows):
            del path[row["level"]:]
            path.append(i)
            if wanted(row):
                chosen.update(path)
        return [rows[i] for i in sorted(chosen)]
    for options, wanted in ((["--min", "1ms"], lambda r: r.get("duration_ns", 0) >= 10**6),
                            (["--depth", "2"], lambda r: r["level"] < 2),
                            (["--task", "80"], lambda r: r["pid"] == 80),
                            (["--task", "on-cpu-1"], lambda r: r["comm"] == "on-cpu-1"),
                            (["-F", "func == hrtimer_start_range_ns"], lambda r: r.get("function") == "hrtimer_start_range_ns")):
        got = [essence(row) for row in objects(options, trace) if row["kind"] != "off_cpu"]
        expected = [essence(row) for row in kept(wanted) if row["kind"] != "off_cpu"]
        if got != expected:
            raise Failure("%r: %d rows, not %d" % (options, len(got), len(expected)))
    by_cpu = objects(["--by=cpu"], trace)
    if sorted(map(essence, by_cpu)) != sorted(map(essence, rows)):
        raise Failure("--by=cpu has other calls")
    starts = [(row["cpu"], row["start_ns"]) for row in by_cpu if row["level"] == 0]
    if starts != sorted(starts):
        raise Failure("--by=cpu is not in order")
    events = [row for row in objects(["--events", "--task", "80"], trace) if row["kind"] == "event"]
    above = objects(["--events", "--task", "80"], trace)
    if not events or above[above.index(events[-1]) - 1]["level"] > events[-1]["level"] + 20:
        raise Failure("no events in the tree")


def kernel_style(folder, text):
    options = []
    if os.path.exists(os.path.join(folder, "kernel-options")):
        options = read_text(os.path.join(folder, "kernel-options")).decode().split()
    trace = os.path.join(folder, "trace.dat")
    got = run([PROGRAM, "graph", "--style=kernel"] + options + [trace])
    same(got, report(["--style=kernel"] + options, trace))
    if text is not None:
        same(got, text)


def listing():
    for words in (["--style=kernel", "-O", "list"], ["-O", "list"]):
        if run([PROGRAM, "graph"] + words) != report(["--style=kernel", "-O", "list"]):
            raise Failure("-O list differs from report's")
    cpu4 = os.path.join(DATA, "good", "cpu4", "trace.dat")
    same(run([PROGRAM, "graph", "--style=kernel", "--task", "80", "--cpu", "1", "--from", "7.5", cpu4]),
         report(["--style=kernel", "-F", "pid == 80", "--cpu", "1", "--from", "7.5"], cpu4))
    for words in (["--min", "soon"], ["-O", "funcgraph-tail"], ["--style=kernel", "--depth", "3"], ["--by", "name"]):
        run([PROGRAM, "graph"] + words + [cpu4], status=2)


# Equal to the last byte: what the traces lack in the others stands in report_kernel.py.
WHOLE = ("fgraph", "fgraph-7.2", "fgraph-depth", "fgraph-filter", "fgraph-flat", "fgraph-options", "fgraph-overwritten",
         "fgraph-retaddr", "fgraph-retval", "fgraph-retval-dec")


def slow_places(oracle, buffer, threshold, net):
    """The innermost calls that reach it, in the order in which ] visits them."""
    def length(call):
        if not call.timed() or (net and (call.doubtful() or not call.has_net)):
            return 0
        return call.net() if net else call.duration()
    first = min(record.ts for records in oracle.buffers for record in records)
    found = []
    for task in buffer.tasks.values():
        for call in task.calls():
            if length(call) >= threshold and not any(length(below) >= threshold for below in call.below()):
                # What began before the trace stands where its exit is.
                found.append((call.call if call.call >= first else call.exit.ts, call.exit.cpu, call.exit.position, call))
    return [call for _, _, _, call in sorted(found, key=lambda place: place[:3])]


def keys_of_slow_places(trace, threshold, keys, net, folder):
    """] pressed from the start, in the real program, shows every one of them and nothing else; [ the same backwards."""
    oracle, buffers = graph_oracle.read(plain(trace, folder))
    calls = slow_places(oracle, buffers[0], threshold, net)
    if len(calls) < 5:
        raise Failure("only %d places" % len(calls))
    lines = ["trace %s" % os.path.relpath(trace, DATA), "size 80x24", "shows Events", "keys 2 g " + keys + (" T n" if net else " T w")]
    least = "%g ms" % (threshold / 1e6) if threshold >= 1e6 else "%g µs" % (threshold / 1e3)

    def shows(call):
        us = (call.call + 500) // 1000
        lines.append("shows %5d.%06d  slow: ≥ %s %s" % (us // 1000000, us % 1000000, least, "net" if net else "wall"))
        lines.append("shows %d.%03d " % (call.duration() // 1000, call.duration() % 1000))
    for call in calls:
        lines.append("keys ]")
        shows(call)
    lines += ["keys ]", "shows wrapped to the beginning"]
    shows(calls[0])
    lines += ["keys [", "shows wrapped to the end"]
    for call in calls[-2::-1][:5]:
        lines.append("keys [")
        shows(call)
    test = os.path.join(folder, "slow.test")
    with open(test, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    run(["/usr/bin/python3", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "screens", "run.py"),
         "--program", PROGRAM, test])


def kernel_text(folder):
    for name in ("kernel-trace.txt", "kernel-trace.txt.gz"):
        if os.path.exists(os.path.join(folder, name)):
            return read_text(os.path.join(folder, name))
    return None


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix="graph")
    good = os.path.join(DATA, "good")
    cpu4 = os.path.join(good, "cpu4", "trace.dat")
    places = [os.path.join(good, name) for name in ("cpu4", "fgraph-7.2", "fgraph-depth")]
    if SHARED:
        fixtures = os.path.join(SHARED, "fixtures")
        places += [os.path.join(fixtures, name) for name in sorted(os.listdir(fixtures)) if "fgraph" in name or
                   name == "tc34-instances"]
    for place in places:
        name = os.path.basename(place)
        if TRACE_CMD:
            tap.case("%s: every call of every tree" % name, recorded, os.path.join(place, "trace.dat"), folder)
        else:
            tap.skip("%s: every call of every tree" % name, "no trace-cmd, which makes the file that the oracle reads")
        if "instances" not in name:
            tap.case("%s: in the kernel's style" % name, kernel_style, place,
                     kernel_text(place) if name in WHOLE and place.startswith(SHARED or "/-") else None)
        if kernel_text(place) and name not in ("fgraph-flat", "fgraph-overwritten"):
            tap.case("%s: marks are the kernel's" % name, marks, os.path.join(place, "trace.dat"), kernel_text(place))
    tap.case("%d made-up machines" % SEEDS, generated, graph_traces.simulate, folder)
    tap.case("%d times records at random" % SEEDS, generated, graph_traces.chaos, folder)
    tap.case("trees that cannot be held", without_room, folder)
    tap.case("marks at their bounds", bounds, folder)
    tap.case("calls that are deep", deep, folder)
    for name in SLICES:
        tap.case("slices of " + name, slices, name)
    tap.case("slices of %d made-up machines" % SEEDS, made_up_slices, folder)
    tap.case("which calls are shown", choices, cpu4)
    depth = os.path.join(good, "fgraph-depth", "trace.dat")
    for trace, ns, keys, net in ((cpu4, 10**7, "T *", False), (cpu4, 5 * 10**5, 'T = "500us" Enter', True), (depth, 10**7, "T *", False),
                                 (depth, 8 * 10**6, 'T = "8ms" Enter', False)) + \
            (((cpu4, 10**5, "T !", True), (depth, 10**5, "T !", False)) if LONG else ()):
        name = "%s: ] at %d µs of %s" % (os.path.basename(os.path.dirname(trace)), ns // 1000, "net" if net else "wall time")
        if TRACE_CMD:
            tap.case(name, keys_of_slow_places, trace, ns, keys, net, folder)
        else:
            tap.skip(name, "no trace-cmd, which makes the file that the oracle reads")
    tap.case("the kernel's options, words that are off", listing)
    shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    sys.exit(main())
