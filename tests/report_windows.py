#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--from --to --head --tail print the lines of the full report that they should.

The full report's lines are numbered by hand: a line is one event, a leaf of
function_graph ("f();") two, its exit being the next event of that buffer.  The
stamps are those of report -t.  A window then holds the lines whose first event
lies in it, and the lines that say what was lost before them.
"""
import os
import re

from report_common import DATA, LONG, SHARED, Failure, Tap, report, same, traces

HEADER = re.compile(rb"^(?P<name>.*?)(?P<comm>.{16,}?)-(?P<pid>\d+) +\[(?P<cpu>\d{3})\] ?\s*"
                    rb"(?P<ts>\d+(\.\d+)?): (?P<event>\S+): ")
UNKNOWN = b"[UNKNOWN EVENT][UNKNOWN EVENT] (NULL):"
LOST = re.compile(rb"^\s*(\S+: )?\s*CPU:\d+ \[(\d+ )?EVENTS DROPPED\]$")


def stamp(text):
    """ns, or a count"""
    if b"." not in text:
        return int(text)
    seconds, fraction = text.split(b".")
    return int(seconds) * 10 ** 9 + int(fraction.ljust(9, b"0"))


def blocks(text):
    """The report's head, and [first event's number, stamp, lines] of each of its lines."""
    lines = text.split(b"\n")[:-1]
    head, found, pending, number = [], [], [], 0
    for line in lines:
        match = HEADER.match(line)
        if not found and not pending and line.split(b": ")[-1].strip().startswith(b"cpus="):
            head.append(line)
        elif LOST.match(line):
            pending.append(line)
        elif match or UNKNOWN in line:
            leaf = match and match["event"] == b"funcgraph_entry" and line.rstrip().endswith(b"();")
            found.append([number, stamp(match["ts"]) if match else None, pending + [line]])
            pending = []
            number += 2 if leaf else 1
        elif found and not pending:
            found[-1][2].append(line)
        else:
            raise Failure("a line that belongs to none: %r" % line)
    return head, found, number


def text_of(head, found):
    lines = list(head)
    for _, _, block in found:
        lines += block
    return b"".join(line + b"\n" for line in lines)


def window(trace, options, keep):
    full = report(["-t"], trace)
    head, found, total = blocks(full)
    same(text_of(head, found), full)
    expected = text_of(head, [b for b in found if keep(b, total)])
    same(report(["-t", "--exact"] + options, trace), expected)
    # Without --exact, what earlier lines tell may be missing: names, and the indent of functions.
    quick = report(["-t"] + options, trace)
    plain = lambda t: re.sub(rb": (function|func_repeats): +", rb": \1: ",
                             re.sub(rb"(?m)^ *(\S.*?)?-(\d+) +\[", rb"\2 [", t))
    same(plain(quick), plain(expected))


def head_case(trace, count):
    window(trace, ["--head", str(count)], lambda b, total: b[0] < count)


def tail_case(trace, count):
    window(trace, ["--tail", str(count)], lambda b, total: b[0] >= total - count)


def seconds(ns):
    return "%d.%09d" % (ns // 10 ** 9, ns % 10 ** 9)


def time_case(trace, first, last, counts):
    show = str if counts else seconds
    window(trace, ["--from", show(first), "--to", show(last)],
           lambda b, total: b[1] is not None and first <= b[1] <= last)


def from_case(trace, first, counts):
    window(trace, ["--from", str(first) if counts else seconds(first)],
           lambda b, total: b[1] is not None and b[1] >= first)


def cases(tap, name, trace):
    full = report(["-t"], trace)
    if b"# tracer:" in full[:200] or UNKNOWN in full:
        return
    try:
        _, found, total = blocks(full)
    except Failure as failure:
        tap.case(name + " can be taken apart", fail, failure)
        return
    if not found:
        return
    counts = re.search(rb"\] ?\s*\d+: ", full) is not None
    if counts and b"." in HEADER.match(found[0][2][-1])["ts"]:
        counts = False
    for count in (0, 1, 50, total // 2, total + 5):
        tap.case("--head %d %s" % (count, name), head_case, trace, count)
        tap.case("--tail %d %s" % (count, name), tail_case, trace, count)
    # Around a leaf: between its two events, and at its entry.
    leaves = [i for i in range(len(found) - 1) if found[i + 1][0] - found[i][0] == 2]
    if leaves:
        number = found[leaves[len(leaves) // 2]][0]
        tap.case("--tail from a leaf's exit " + name, tail_case, trace, total - number - 1)
        tap.case("--tail from a leaf's entry " + name, tail_case, trace, total - number)
        tap.case("--head to a leaf's entry " + name, head_case, trace, number + 1)
    stamps = sorted(b[1] for b in found)
    middle, later = stamps[len(stamps) // 3], stamps[2 * len(stamps) // 3]
    tap.case("--from --to " + name, time_case, trace, middle, later, counts)
    tap.case("--from behind a stamp " + name, from_case, trace, middle + 1, counts)
    tap.case("--from the last " + name, from_case, trace, stamps[-1], counts)
    tap.case("--from beyond " + name, from_case, trace, stamps[-1] + 1, counts)


def fail(failure):
    raise failure


def main():
    tap = Tap()
    found = traces(os.path.join(DATA, "good"))
    if SHARED and LONG:
        found += traces(os.path.join(SHARED, "fixtures"))
    # A merge that goes astray behind a leaf orders the two reports differently; boot and uptime are shown in other
    # units than they are asked for.
    odd = ("fgraph-depth", "clock-boot", "clock-uptime", "v7-zlib")
    for name, trace, _ in found:
        if name not in odd:
            cases(tap, name, trace)
    tap.end()


main()
