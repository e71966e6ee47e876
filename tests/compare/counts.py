#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftop-trace count beside what is counted here in trace-cmd's text: events by name, CPU and task on every trace, the
branch tracer's places, mmiotrace's accesses, sums and filters.  Prints TAP."""
import collections
import csv
import io
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, read_text, run, shared_fixtures, traces      # noqa: E402

LINE = re.compile(r" *(.*)-(\d+) +\[(\d+)\] +[\d.]+: (\w+): *(.*)")


def rows(path, *options):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, "count", "--format=csv", *options, path]).decode(errors="replace"))))


def lines(report):
    """(event, CPU, pid, text) of each event."""
    return [(found[4], found[3], found[2], found[5])
            for found in map(LINE.fullmatch, read_text(report).decode(errors="replace").split("\n")) if found]


def same(what, found, expected):
    for key in sorted(set(found) | set(expected)):
        if found.get(key) != expected.get(key):
            raise Failure("%s: %s: %s, not %s" % (what, key, found.get(key), expected.get(key)))


def events(trace, report):
    expected = collections.Counter((event, int(cpu), int(pid)) for event, cpu, pid, _ in lines(report))
    table = rows(trace, "--by", "event,cpu,pid")
    counts = [int(row["count"]) for row in table]
    same("events", {(row["event"], int(row["cpu"]), int(row["pid"])): int(row["count"]) for row in table}, expected)
    if counts != sorted(counts, reverse=True):
        raise Failure("not in the order of the counts")
    if not table:
        raise Failure("nothing is counted")


def branches(trace, report):
    """Text: LINE:FUNCTION:FILE (CORRECT)"""
    expected = collections.defaultdict(lambda: [0, 0])
    for _, _, _, text in lines(report):
        line, function, file, correct = re.fullmatch(r"(\d+):(.*):(.*) \((\d)\)(?: CONSTANT)?", text).groups()
        expected[function, file, line][0] += 1
        expected[function, file, line][1] += correct == "0"
    table = rows(trace)
    same("branches", {(row["func"], row["file"], row["line"]): [int(row["count"]), int(row["wrong"])] for row in table}, expected)
    worst = max(wrong for _, wrong in expected.values())
    if int(table[0]["wrong"]) != worst or not worst:
        raise Failure("the first place was wrong %s times, not %d" % (table[0]["wrong"], worst))


def of_texts(trace, report, kernel, scratch):
    """trace-cmd's text, and the kernel's: the same table."""
    def table(path):
        return {tuple(row[name] for name in row if name not in ("count", "wrong")): (row["count"], row.get("wrong")) for row in rows(path)}
    expected = table(trace)
    for number, text in enumerate((read_text(report), read_text(os.path.join(os.path.dirname(report), kernel)))):
        path = os.path.join(scratch, "trace%d.txt" % number)
        with open(path, "wb") as out:
            out.write(text)
        same("text %d" % number, table(path), expected)


def accesses(trace, text):
    """The kernel's own text: R|W WIDTH TIME MAP ADDRESS VALUE PC 0"""
    words = [line.split() for line in read_text(text).decode().split("\n") if re.match("[RW] ", line)]
    expected = collections.Counter((word[3], {"R": "read", "W": "write"}[word[0]], word[1], int(word[4], 16)) for word in words)
    table = rows(trace)
    same("accesses", {(row["map_id"], row["opcode"], row["width"], int(row["phys"], 16)): int(row["count"]) for row in table},
         expected)
    reads = {row["map_id"]: int(row["count"]) for row in rows(trace, "-F", "opcode == 1", "--by=map_id")}
    same("reads by map", reads, collections.Counter(word[3] for word in words if word[0] == "R"))


ACTIONS = {"Q": "queue", "M": "backmerge", "F": "frontmerge", "G": "getrq", "R": "requeue",
           "D": "issue", "C": "complete", "P": "plug", "U": "unplug_io", "UT": "unplug_timer",
           "I": "insert", "X": "split", "A": "remap", "m": "message"}


def requests(trace, text):
    """The kernel's own text: TIME: MAJOR,MINOR ACTION RWBS SECTOR + SECTORS, in whole µs."""
    line = re.compile(r".* (\d+)\.(\d{6}): +(\d+,\d+) +(?:\d+,\d+ +)?([A-Zm]+) +[A-Z]+"
                      r"(?: (\d+))?.*")
    found = map(line.fullmatch, read_text(text).decode().split("\n"))
    counts, began, spans = collections.Counter(), {}, collections.defaultdict(list)
    flying, most = collections.Counter(), collections.Counter()
    for seconds, micros, device, action, sector in (match.groups() for match in found if match):
        us = int(seconds) * 1000000 + int(micros)
        counts[device, ACTIONS[action]] += 1
        if action in "QD":
            flying[device] += action == "D" and (device, sector, "D") not in began
            most[device] = max(most[device], flying[device])
            began[device, sector, action] = us
        elif action == "C":
            flying[device] -= (device, sector, "D") in began
            for step in "QD":
                if (device, sector, step) in began:
                    spans[device, step].append(us - began.pop((device, sector, step)))
    table = rows(trace)
    same("actions", {(row["device"], row["action"]): int(row["count"]) for row in table}, counts)
    same("most in flight",
         {row["device"]: int(row["in_flight"]) for row in table if row["action"] == "issue"}, most)
    for row in table:
        for step, name in (("Q", "q2c"), ("D", "d2c")) if row["action"] == "complete" else ():
            times = spans[row["device"], step]
            for figure, us in (("avg", sum(times) / len(times)), ("max", max(times))):
                if abs(int(row["%s_%s_ns" % (name, figure)]) / 1000 - us) > 1:
                    raise Failure("%s %s: %s, not %s µs" % (name, figure, row, us))
    if not spans:
        raise Failure("nothing was completed")


def as_latency(trace):
    """
    D2C and Q2C, of flushes and merged requests too, are what latency measures: the kinds block and block_queue.  They
    are the same if a filter keeps nothing but the completions.
    """
    kinds = csv.DictReader(io.StringIO(run([PROGRAM, "latency", "--format=csv", trace]).decode()))
    kinds = {row["kind"]: row for row in kinds}
    table = rows(trace)
    for figure, kind in (("d2c", "block"), ("q2c", "block_queue")):
        found = [[row[figure + "_avg_ns"], row[figure + "_max_ns"]] for row in table if row[figure + "_max_ns"]]
        if found != [[kinds[kind]["avg_ns"], kinds[kind]["max_ns"]]]:
            raise Failure("%s: %s, not %s" % (figure, found, kinds[kind]))
    ends = [row for row in table if row["d2c_max_ns"]]
    alone = rows(trace, "-F", ends[0].get("event", "action & 0xff == 8"))
    if alone != ends:
        raise Failure("filtered: %s, not %s" % (alone, ends))


def field_file(trace):
    """Of several traces, the field file has not the name of the column that tells the trace."""
    one = rows(trace, "--by=file")
    text = run([PROGRAM, "count", "--format=csv", "--by=file", trace, trace]).decode()
    both = list(csv.DictReader(io.StringIO(text)))
    if both != [{"trace_file": trace, **row} for row in one + one] or not one:
        raise Failure("%s, not %s" % (both[:2], one[:2]))
    text = run([PROGRAM, "count", "--format=json", "--by=file", trace, trace]).decode()
    if [{name: str(value) for name, value in json.loads(line).items()} for line in text.splitlines()] != both:
        raise Failure("as JSON: " + text[:200])


def sums(trace, report):
    """Text: comm=NAME pid=PID runtime=NS [ns] …"""
    expected = collections.defaultdict(lambda: [0, 0])
    for event, cpu, _, text in lines(report):
        if event == "sched_stat_runtime":
            expected[int(cpu)][0] += 1
            expected[int(cpu)][1] += int(re.search(r" runtime=(\d+) ", text)[1])
    table = rows(trace, "--event=sched:sched_stat_runtime", "--by=cpu", "--sum=runtime")
    same("CPUs", {int(row["cpu"]): [int(row["count"]), int(row["runtime"])] for row in table}, expected)


def globs(trace, report):
    """--event with a glob counts what grep counts."""
    named = collections.Counter(line[0] for line in lines(report))
    for glob, expression in (("sched_w*", r"sched_w"), ("sched:*_switch", r".*_switch$"), ("sched*", "sched")):
        table = rows(trace, "--event=" + glob, "--by=event")
        same(glob, {row["event"]: int(row["count"]) for row in table},
             {name: nr for name, nr in named.items() if re.match(expression, name)})


def main():
    tap = Tap()
    good = os.path.join(DATA, "good")
    found = {name: (trace, report) for name, trace, report in traces(good)}
    for name in ("sched", "stack", "instances", "marker", "function-args"):
        tap.case("events of " + name, events, *found[name])
    for name, trace, report in shared_fixtures():
        if name in ("cpu4", "syscalls", "irq", "net", "hwlat"):
            tap.case("events of " + name, events, trace, report)
    tap.case("globs", globs, *found["sched"])
    tap.case("branches", branches, *found["branch"])
    with tempfile.TemporaryDirectory() as scratch:
        tap.case("branches of texts", of_texts, *found["branch"], "kernel-trace.txt.gz", scratch)
        tap.case("accesses of texts", of_texts, *found["mmio-events-7.2"], "kernel-trace.txt", scratch)
    tap.case("accesses to memory-mapped I/O", accesses, found["mmio-events-7.2"][0],
             os.path.join(good, "mmio-events-7.2", "kernel-trace.txt"))
    for name in ("blk", "blk-7.2"):
        tap.case("block devices of " + name, requests, found[name][0],
                 os.path.join(good, name, "kernel-trace.txt"))
    for name in ("blk", "blk-7.2", "block-flush-7.2"):
        tap.case("D2C and Q2C of %s, as latency" % name, as_latency, found[name][0])
    for name, trace, _ in shared_fixtures():
        if name == "block":
            tap.case("D2C and Q2C of the recorded %s, as latency" % name, as_latency, trace)
    tap.case("a field named file", field_file, found["branch"][0])
    tap.case("sums", sums, *found["sched"])
    tap.end()


if __name__ == "__main__":
    main()
