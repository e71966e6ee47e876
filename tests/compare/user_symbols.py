#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of user space in stacks, from a block written here by hand, and from PROCMAPS of trace-cmd.  Prints TAP.

The addresses are those that trace-cmd prints.  The file with the block has to be the same trace to trace-cmd.
"""
import csv
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run, trace_cmd_report  # noqa: E402
from user_stacks import ALWAYS, records, with_block           # noqa: E402


def stacks(path):
    text = run([PROGRAM, "stacks", "--events", "--format=csv", path]).decode(errors="replace")
    return {row["stack"]: int(row["count"]) for row in csv.DictReader(io.StringIO(text))}


def named(folder, path):
    """A block with a function around each address: each stack has these names, as often as trace-cmd prints it."""
    expected, lines, seen = {}, ["file - offset /usr/lib/libx.so"], set()
    for tgid, addresses in records(path):
        for at, address in enumerate(addresses):
            place = address - bool(at)
            if (tgid, address) not in seen:
                seen.add((tgid, address))
                lines.append(f"map {tgid} {place:x}-{place + 1:x} {len(seen) << 8:x} {ALWAYS} 0")
                lines.append(f"name 0 {(len(seen) << 8) - 16:x}-{(len(seen) << 8) + 1:x} f_{tgid}_{address:x}")
        names = [f"f_{tgid}_{address:x} [libx.so]" for address in addresses]
        if names:
            expected.setdefault(";".join(reversed(names)), 0)
            expected[";".join(reversed(names))] += 1
    if not expected:
        raise Failure("no addresses in user stacks")
    block = "\n".join(lines).encode() + b"\n"
    new = with_block(path, os.path.join(folder, "named.dat"), block)
    found = {}
    for stack, count in stacks(new).items():
        frames = ";".join(frame for frame in stack.split(";") if frame.endswith(" [libx.so]"))
        if frames:
            found[frames] = found.get(frames, 0) + count
    if found != expected:
        raise Failure(f"{sorted(set(found.items()) ^ set(expected.items()))[:4]}")
    if run([PROGRAM, "report", new]) != run([PROGRAM, "report", path]) or \
            trace_cmd_report([], new) != trace_cmd_report([], path):
        raise Failure("report has changed")


def objects(folder, path):
    """The kernel's text: the file of an address, as seq_print_user_ip() of the kernel prints it; else the address."""
    frames = [(tgid, address) for tgid, addresses in records(path) for address in addresses]
    ends = {tgid: [min(a for of, a in frames if of == tgid), max(a for of, a in frames if of == tgid)] for tgid, _ in frames}
    lines = ["file - offset /usr/lib/libx.so"]
    lines += [f"map {tgid} {first:x}-{last:x} 1000 {ALWAYS} 0" for tgid, (first, last) in ends.items() if first < last]
    new = with_block(path, os.path.join(folder, "objects.dat"), "\n".join(lines).encode() + b"\n")
    for words, behind in (([], ""), (["-O", "sym-addr"], " <%016x>")):
        got = run([PROGRAM, "report", "--style=kernel", "-O", "sym-userobj", *words, new]).decode(errors="replace")
        found = re.findall(r"^ => ( <\w+>|/.*)$", got, re.M)
        expected = [f"/usr/lib/libx.so[+0x{address - ends[tgid][0]:x}]" + (behind and behind % address)
                    if address < ends[tgid][1] else " <%016x>" % address for tgid, address in frames]
        if found != expected or not any("[+" in frame for frame in found):
            raise Failure(f"{[pair for pair in zip(found, expected) if pair[0] != pair[1]][:2]}, {len(found)} of {len(expected)}")


def replaces(folder, path):
    """A section at the end replaces the one before: also all else that it says."""
    first = with_block(path, os.path.join(folder, "first.dat"), b"", b"cut one\n")
    second = with_block(first, os.path.join(folder, "second.dat"), b"", b"cut two\n")
    for new, word in ((first, b"one"), (second, b"two")):
        if not re.search(rb"\bcut\b.*" + word, run([PROGRAM, "info", new]), re.S):
            raise Failure(f"info of {new} lacks {word}")
    # cut short, it is none: the trace stays what it was
    with open(second, "rb") as f:
        data = f.read()
    for missing in (1, 9, 30):
        with open(second, "wb") as f:
            f.write(data[:-missing])
        if run([PROGRAM, "report", second]) != run([PROGRAM, "report", path]):
            raise Failure(f"without the last {missing} bytes it is another trace")


def version_6(folder, path):
    new = os.path.join(folder, "v6.dat")
    run([PROGRAM, "cut", "--file-version=6", "-o", new, path])
    named(folder, new)
    replaces(folder, new)


def main():
    tap = Tap()
    path = os.path.join(DATA, "good", "stack", "trace.dat")
    with tempfile.TemporaryDirectory() as folder:
        if TRACE_CMD:
            tap.case("functions of a block", named, folder, path)
            tap.case("the kernel's text, with files", objects, folder, path)
            tap.case("a section at the end", replaces, folder, path)
            tap.case("version 6", version_6, folder, path)
        else:
            tap.skip("functions of a block", "trace-cmd is missing")
    tap.end()


main()
