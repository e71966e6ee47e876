#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks equals, to the nanosecond, what stacks_oracle.py works out from trace-cmd's text.  Prints TAP.

On recorded traces with stacks, and without stacks on the made-up ones of sched.py: with loss, missing ends and wake-ups,
and records that contradict each other.
"""
import collections
import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import sched_oracle                                             # noqa: E402
import stacks_oracle                                            # noqa: E402
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, is_latency_text, run, shared_fixtures, \
    traces                                                       # noqa: E402
from sched_common import buffers, interrupts, made_up                       # noqa: E402

MADE = 400 if LONG else 10
STEPS = 1500
USER_FRAME = re.compile(r"0x[0-9a-f]{1,12}$|[^;]*\+0x[0-9a-f]+$|.* \[.*\.so.*\]$")      # of an address; FILE+OFFSET; FUNCTION [FILE]
MODES = {"off": "--off-cpu", "waker": "--waker", "both": "--both"}


def asked(path, *options):
    """(the stacks, how many waits are doubtful, how many are open)"""
    done = subprocess.run([PROGRAM, "stacks", "--format=csv", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode == 2 and b"the trace has no such task" in done.stderr:
        return {}, 0, 0
    if done.returncode:
        raise Failure(done.stderr[:400])
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(errors="replace"))))
    found = {row["stack"]: [int(row["total_ns"]), int(row["waits"])] for row in rows}
    if len(found) != len(rows):
        raise Failure("a stack stands there twice")
    if [int(row["total_ns"]) for row in rows] != sorted((int(row["total_ns"]) for row in rows), reverse=True):
        raise Failure("not in the order of the totals")
    told = done.stderr.decode(errors="replace")
    numbers = [re.search(words, told) for words in (r"(\d+) doubtful waits?", r"(\d+) unfinished waits?")]
    return found, *(int(number[1]) if number else 0 for number in numbers)


def same(what, path, oracle, mode, *options):
    found, doubtful, left = asked(path, MODES[mode], *options)
    expected = oracle.folded(mode)
    for stack in sorted(set(found) | set(expected)):
        if found.get(stack) != expected.get(stack):
            raise Failure("%s: %s: %s, not %s" % (what, stack, found.get(stack), expected.get(stack)))
    if (doubtful, left) != (oracle.doubtful, oracle.open):
        raise Failure("%s: %s doubtful and open, not %s" % (what, (doubtful, left), (oracle.doubtful, oracle.open)))


def monotonic(buffer):
    return all(a.ts <= b.ts for events in buffer.cpus.values() for a, b in zip(events, events[1:]))


def compare(path, buffer, stacks):
    for mode in MODES:
        same(mode, path, stacks_oracle.Waits(buffer, stacks), mode)
    cpus = set(sorted(buffer.cpus)[::2])
    same("--cpu", path, stacks_oracle.Waits(buffer, stacks, lambda event, pid, comm: event.cpu in cpus), "both",
         "--cpu", ",".join(map(str, sorted(cpus))))
    times = sorted(event.ts for event in buffer.events)
    start, end = times[len(times) // 3], times[2 * len(times) // 3]
    same("--from --to", path, stacks_oracle.Waits(buffer, stacks, lambda event, pid, comm: start <= event.ts <= end), "off",
         "--from", "%dns" % start, "--to", "%dns" % end)
    same("--task", path, stacks_oracle.Waits(buffer, stacks, lambda event, pid, comm: comm.startswith("k") or pid == 1), "off",
         "--task", "k*", "--task", "1")
    keep = sched_oracle.Keep(lambda event, pid: event.cpu == 0)
    same("-F", path, stacks_oracle.Waits(buffer, stacks, keep=keep), "both", "-F", "cpu == 0")


def recorded_one(path, buffer):
    interrupts(path, buffer)
    stacks = stacks_oracle.stacks_of(buffer, TRACE_CMD, path)
    if not any(event.name == "sched_switch" for event in stacks):
        raise Failure("no stacks behind switches")
    compare(path, buffer, stacks)
    folded(path)


def counted(path, *options):
    """Of --events: {stack: count}, without the frames of user space, and how many have any."""
    text = run([PROGRAM, "stacks", "--events", "--format=csv", *options, path]).decode(errors="replace")
    found, with_user = collections.Counter(), 0
    for row in csv.DictReader(io.StringIO(text)):
        event, *frames = row["stack"].split(";")
        kernel = list(itertools.dropwhile(USER_FRAME.match, frames))
        with_user += int(row["count"]) * (kernel != frames)
        if kernel:
            found[";".join([event] + kernel)] += int(row["count"])
    return found, with_user


def events_one(path, buffer, lines):
    """Stacks by how often they were recorded, from trace-cmd's text; the kernel's own text has the same."""
    stacks = stacks_oracle.stacks_of(buffer, TRACE_CMD, path)
    times = sorted(event.ts for event in buffer.events)
    start, end = times[len(times) // 3], times[2 * len(times) // 3]
    for options, kept in (((), lambda event: True), (("-F", "cpu == 0"), lambda event: event.cpu == 0),
                          (("--cpu=1",), lambda event: event.cpu == 1),
                          ((f"--from={start}ns", f"--to={end}ns"), lambda event: start <= event.ts <= end)):
        expected = collections.Counter(";".join([json.loads(event.line)["event"], *names]) for event, names in stacks.items()
                                       if kept(event))
        found, user = counted(path, *options)
        if found != expected:
            raise Failure(f"{options}: {sorted(set(found.items()) ^ set(expected.items()))[:4]}")
        if not options and user != sum(row["event"] == "user_stack" and bool(row["fields"]["caller"]) for row in map(json.loads, lines)):
            raise Failure(f"{user} stacks with user space")
    text = os.path.join(os.path.dirname(path), "kernel-trace.txt.gz")
    if os.path.exists(text) and counted(text)[0] != counted(path)[0]:
        raise Failure("the kernel's text has other stacks")


def folded(path):
    """The same lines as CSV has, in ns; and the tree's outermost frames are the sums of their stacks."""
    found, _, _ = asked(path)
    lines = run([PROGRAM, "stacks", "--folded", path]).decode().split("\n")[:-1]
    if dict(line.rsplit(" ", 1) for line in lines) != {stack: str(ns) for stack, (ns, _) in found.items()}:
        raise Failure("--folded has other stacks")
    sums = {}
    for stack, (ns, waits) in found.items():
        entry = sums.setdefault(stack.split(";")[0], [0, 0])
        entry[0] += ns
        entry[1] += waits
    tree, lines, stacks = {}, [], {}
    for line in run([PROGRAM, "stacks", "--unit=ns", path]).decode().split("\n")[1:-1]:
        total, _, waits, rest = re.match(r" *(\d+) +([\d.]+) +(\d+)  (.*)$", line).groups()
        if not rest.startswith(" "):
            tree[rest] = [int(total), int(waits)]
        lines[len(rest) - len(rest.lstrip()):] = [rest.strip().replace(" → ", ";")]
        stacks[";".join(lines)] = int(total)
    if tree != sums:
        raise Failure("the tree's outermost frames are %s, not %s" % (tree, sums))
    if any(stacks.get(stack, 0) < ns for stack, (ns, _) in found.items()):
        raise Failure("the tree lacks stacks")


def made_one(path, list_, _seed):
    buffer = sched_oracle.from_list(list_)
    if monotonic(buffer):
        compare(path, buffer, {})


def main():
    tap = Tap()
    found = traces(os.path.join(DATA, "good")) + (shared_fixtures() if SHARED else [])
    for name, path, _ in found:
        if not TRACE_CMD:
            break
        lines = run([PROGRAM, "report", "--format=json", path]).decode(errors="replace").split("\n")[:-1]
        names = buffers(path)
        if len(names) != 1 or not any('"event":"kernel_stack"' in line for line in lines) or is_latency_text(path):
            continue
        buffer = sched_oracle.from_json(lines, names, TRACE_CMD, path)
        if buffer:
            tap.case(name + ": --events", events_one, path, buffer, lines)
        if buffer and any(event.name == "sched_switch" for event in stacks_oracle.stacks_of(buffer, TRACE_CMD, path)):
            tap.case(name, recorded_one, path, buffer)
    if not TRACE_CMD:
        tap.skip("recorded traces", "trace-cmd is missing")
    made_up(tap, MADE, 5, STEPS, made_one)
    tap.end()


main()
