#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--from --to --head --tail print the lines of the full report that they should.

The full report is trace-cmd's own (ours where 3.1 or 3.2 is not installed or cannot
read the file, or where it holds calls of several CPUs; tests/compare/report_parity.py tests it).
Its lines are numbered here: a line is one event, a leaf of function_graph ("f();") two,
its exit being the next event of that CPU; where that lies among the others, report -R
tells, which joins nothing.  The stamps are those of report -t.  A
window then holds the lines whose first event lies in it, with what was lost
before them.  Of a latency tracer's text it holds the comments at its top, and
the entries with their stacks.

Lines of unknown events tell no stamp: for made-up traces make_trace lists the
stamps, so that there every line has one that no reader was asked for.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_by_cpu import is_graph
from report_common import (AS_TRACE_CMD, BUILD, DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, Turn, corpus, report, run,
                           same, trace_cmd_like, traces)

HEADER = re.compile(rb"^(?P<name>.*?)(?P<comm>.{16,}?)-(?P<pid>\d+) +\[(?P<cpu>\d{3})\] ?\s*"
                    rb"(?P<ts>\d+(\.\d+)?): (?P<event>\S+): ")
UNKNOWN = b"[UNKNOWN EVENT][UNKNOWN EVENT] (NULL):"
LOST = re.compile(rb"^\s*(\S+: )?\s*CPU:\d+ \[(\d+ )?EVENTS DROPPED\]$")
# Entries of latency text: "trace-cm-72  0d..1.  15us#: f" and "  28 us |   1)  wl-67  | ..."
ENTRY = re.compile(rb"^(?:.{8,}-\d+ +\d+\S{4,8} +(?P<us>-?\d+)us[ +!#*@$]: | *(?P<rel>-?\d+) us \| +\d+\) )")


class Block:
    """A line of the report, or a leaf's, with what goes along with it."""
    def __init__(self, number, events, ts, lines):
        self.number = number		# events of the lines before it
        self.events = events		# 2 of a leaf
        self.ts = ts			# of its first event: ns or counts; None = not told
        self.lines = lines


class Full:
    """A full report in pieces."""
    def __init__(self, text):
        self.text = text
        self.head, self.blocks, self.total = [], [], 0
        self.events = []		# by time: (stamp, block, is it the first of the block?)
        self.foot = b""
        self.is_text = False
        self.every = False		# all windows, and --exact with each
        self.nr = 0			# windows so far
        self.goes_back = None		# made up: do the stamps of a CPU? Then only --exact must be right

    def text_of(self, blocks):
        lines = list(self.head)
        for block in blocks:
            lines += block.lines
        return b"".join(line + b"\n" for line in lines) + self.foot

    def add(self, events, ts, lines):
        self.blocks.append(Block(self.total, events, ts, lines))
        self.events += [(ts, self.blocks[-1], nr == 0) for nr in range(events)]
        self.total += events

    def place_events(self, single):
        """The same events, in a report without leaves: where is each?"""
        streams = {}
        for block in self.blocks:
            streams.setdefault(stream_of(block), []).extend((block, nr == 0) for nr in range(block.events))
        streams = {stream: iter(events) for stream, events in streams.items()}
        self.events = [(block.ts, *next(streams[stream_of(block)])) for block in single.blocks]
        if len(self.events) != self.total:
            raise Failure("%d events instead of %d" % (self.total, len(self.events)))

    def first_events(self, count, inside=lambda ts: True):
        """The blocks that begin in the first events, of those inside; one that begins counts with all of its events."""
        found, nr = set(), 0
        for ts, block, first in self.events:
            if inside(ts) and nr < count:
                nr += block.events if first else block not in found
                found |= {block} if first else set()
        return found

    def last_events(self, count, inside=lambda ts: True):
        events = [event for event in self.events if inside(event[0])]
        return {block for _, block, first in events[max(0, len(events) - count):] if first}

    def of(self, what, *args):
        return self.first_events(*args) if what == "--head" else self.last_events(*args)


def stream_of(block):
    """Buffer and CPU."""
    line = next(line for line in block.lines if not LOST.match(line))
    return re.match(rb" *(\S+: )?", line)[1], re.search(rb"-\d+ +\[(\d+)\]", line)[1]


def stamp(text):
    """ns, or a count"""
    if b"." not in text:
        return int(text)
    seconds, fraction = text.split(b".")
    return int(seconds) * 10 ** 9 + int(fraction.ljust(9, b"0"))


def binary_report(text, stamps=None):
    """stamps: of all events in the order of the report, where they are known from elsewhere."""
    full, pending = Full(text), []
    for line in text.split(b"\n")[:-1]:
        match = HEADER.match(line)
        if not full.blocks and not pending and line.split(b": ")[-1].strip().startswith(b"cpus="):
            full.head.append(line)
        elif LOST.match(line):
            pending.append(line)
        elif match or UNKNOWN in line:
            leaf = match and match["event"] == b"funcgraph_entry" and line.rstrip().endswith(b"();")
            ts = stamp(match["ts"]) if match else None
            if stamps is not None:
                known = stamps[full.total]
                if ts not in (None, known):
                    raise Failure("event %d has the stamp %d instead of %d" % (full.total, ts, known))
                ts = known
            full.add(2 if leaf else 1, ts, pending + [line])
            pending = []
        elif full.blocks and not pending:
            full.blocks[-1].lines.append(line)
        else:
            raise Failure("a line that belongs to none: %r" % line)
    return full


def latency_report(text):
    full = Full(text)
    full.is_text = True
    full.foot = b"\n"			# trace-cmd's, behind the text
    for line in text[:-1].split(b"\n")[:-1]:
        entry = ENTRY.match(line)
        if line.startswith((b"#", b"cpus=")):
            full.head.append(line)
        elif entry:
            leaf = entry["rel"] and re.search(rb"\) *;(  */\*.*)?$", line)
            full.add(2 if leaf else 1, int(entry["us"] or entry["rel"]) * 1000, [line])
        elif full.blocks:
            full.blocks[-1].lines.append(line)
        else:
            raise Failure("a line that belongs to no entry: %r" % line)
    return full


def full_report(trace, stamps=None):
    ours = report(["-t"], trace)
    # Made-up records may be too small for trace-cmd; and 3.1.6 cannot read zlib.
    asked = TRACE_CMD and not AS_TRACE_CMD and stamps is None and not is_graph(ours)
    text = (trace_cmd_like(ours, ["-t"], trace) if asked else b"") or ours
    full = latency_report(text) if b"\n# tracer:" in text[:200] else binary_report(text, stamps)
    same(full.text_of(full.blocks), text)
    if not full.is_text and full.total > len(full.blocks):
        full.place_events(binary_report(report(["-t", "-R"], trace)))
    return full


def without_history(text):
    """What earlier lines tell may be missing without --exact: names, and the indent of functions."""
    return re.sub(rb": (function|func_repeats): +", rb": \1: ",
                  re.sub(rb"(?m)^ *(\S.*?)?-(\d+) +\[", rb"\2 [", text))


def window(trace, full, options, keep):
    """--exact is tried with every second window of the many traces of a short run."""
    expected = full.text_of([b for b in full.blocks if keep(b)])
    full.nr += 1
    if full.every or full.nr % 2:
        same(report(["-t", "--exact"] + options, trace), expected)
    if not full.goes_back:
        same(without_history(report(["-t"] + options, trace)), without_history(expected))


def counted(trace, full, what, count):
    kept = full.of(what, count)
    window(trace, full, [what, str(count)], lambda b: b in kept)


def seconds(ns):
    return "%s%d.%09d" % ("-" if ns < 0 else "", abs(ns) // 10 ** 9, abs(ns) % 10 ** 9)


def timed(trace, full, show, first, last, extra):
    """extra: --head or --tail of what the times leave."""
    options = ["--from", show(first)] if first is not None else []
    options += ["--to", show(last)] if last is not None else []
    inside = lambda ts: ts is not None and (first is None or first <= ts) and (last is None or ts <= last)
    kept = {b for b in full.blocks if inside(b.ts)}
    if extra:
        kept = full.of(*extra, inside)
        options += [extra[0], str(extra[1])]
    window(trace, full, options, lambda b: b in kept)


def show_of(trace):
    """How a stamp of the report is given to --from."""
    clock = json.loads(run([PROGRAM, "info", "--format=json", trace]))["clock"]
    if clock == "boot":			# trace-cmd prints its ns as they are
        return lambda ns: "%dns" % ns
    return str if clock in ("counter", "x86-tsc", "uptime") else seconds


def cases(tap, name, trace, stamps=None, goes_back=None):
    try:
        full = full_report(trace, stamps)
        full.goes_back = goes_back
    except Failure as failure:
        tap.case(name + " can be taken apart", fail, failure)
        return
    if not full.blocks:
        return
    show = show_of(trace)
    total = full.total
    # of our own every fourth one, the same ones each time
    full.every = LONG or full.goes_back is not None or (trace.startswith(DATA) and sum(name.encode()) % 4 == 0)
    turn = Turn()

    def case(*words):
        if full.every or turn.comes():
            tap.case(*words)

    for count in (0, 1, 50, total // 2, total + 5) if full.every else (50, total // 2):
        case("--head %d %s" % (count, name), counted, trace, full, "--head", count)
        case("--tail %d %s" % (count, name), counted, trace, full, "--tail", count)
    # Around a leaf: between its two events, and at its entry.
    leaves = [b for b in full.blocks if b.events == 2]
    if leaves:
        leaf = leaves[len(leaves) // 2]
        number = next(nr for nr, event in enumerate(full.events) if event[1] is leaf)
        case("--tail from a leaf's exit " + name, counted, trace, full, "--tail", total - number - 1)
        case("--tail from a leaf's entry " + name, counted, trace, full, "--tail", total - number)
        case("--head to a leaf's entry " + name, counted, trace, full, "--head", leaf.number + 1)
        leaf = leaves[len(leaves) // 3]
        case("--from behind a leaf's entry " + name, timed, trace, full, show, leaf.ts + 1, None, None)
        case("--to a leaf's entry " + name, timed, trace, full, show, None, leaf.ts, None)
    stamps = sorted(b.ts for b in full.blocks if b.ts is not None)
    middle, later = stamps[len(stamps) // 3], stamps[2 * len(stamps) // 3]
    case("--from --to " + name, timed, trace, full, show, middle, later, None)
    case("--from --to --head " + name, timed, trace, full, show, middle, later, ("--head", 7))
    case("--from behind a stamp " + name, timed, trace, full, show, middle + 1, None, None)
    case("--to before a stamp " + name, timed, trace, full, show, None, later - 1, None)
    if not full.every:
        return
    case("--to a quarter " + name, timed, trace, full, show, None, stamps[len(stamps) // 4], None)
    case("--from --tail " + name, timed, trace, full, show, middle, None, ("--tail", 7))
    case("--from the last " + name, timed, trace, full, show, stamps[-1], None, None)
    case("--from beyond " + name, nothing_beyond, trace, stamps[-1] + 1)


def nothing_beyond(trace, ts):
    """A window with nothing of the trace is an error."""
    run([PROGRAM, "report", "--from", "%d.%09d" % divmod(ts, 10 ** 9), trace], status=2)


def fail(failure):
    raise failure


def listed(path):
    """Stamps in the order of trace-cmd's merge (always the stream whose next event is the earliest), and does one go back?"""
    streams = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            stream, ts = line.split()
            streams.setdefault(int(stream), []).append(int(ts))
    heads, merged = {number: 0 for number in streams}, []
    while heads:
        number = min(heads, key=lambda n: (streams[n][heads[n]], n))
        merged.append(streams[number][heads[number]])
        heads[number] += 1
        if heads[number] == len(streams[number]):
            del heads[number]
    return merged, any(s != sorted(s) for s in streams.values())


MADE_UP = ("v6-be32", "v6-buffers", "v7", "v7-be64", "v7-buffers", "v7-le32", "v7-sparse", "v7-zstd")


def made_up_cases(tap, name):
    tool = os.path.join(BUILD, "tests", "tools", "make_trace")
    with tempfile.TemporaryDirectory() as folder:
        trace, list_ = os.path.join(folder, name + ".dat"), os.path.join(folder, "list")
        run([tool, name, trace, list_])
        cases(tap, "made-up " + name, trace, *listed(list_))


def main():
    tap = Tap()
    found = {name: (name, trace) for name, trace, _ in traces(os.path.join(DATA, "good"))}
    if SHARED:
        for name, trace, _ in traces(os.path.join(SHARED, "fixtures")) + corpus(os.path.join(SHARED, "corpus")):
            found.setdefault(name, (name, trace))
    else:
        tap.skip("fixtures and corpus", "no shared fixtures beside the project")
    for name, trace in found.values():
        cases(tap, name, trace)
    for name in MADE_UP:
        made_up_cases(tap, name)
    tap.end()


main()
