#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""why equals, to the nanosecond, what why_oracle.py works out from the plain list of events.  Prints TAP.

Parts of random intervals and tasks, of recorded and made-up traces, and of traces with a known answer.
"""
import csv
import io
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import sched_oracle                                             # noqa: E402
import why_oracle                                               # noqa: E402
import why_traces                                               # noqa: E402
from report_common import DATA, LONG, PROGRAM, TRACE_CMD, Failure, Tap, run   # noqa: E402
from sched_common import made_up, recorded                      # noqa: E402

MADE = 250 if LONG else 8
QUESTIONS = 60 if LONG else 3           # for each trace


def rows(path, *words):
    command = ["why"] if words[0] not in ("latency", "wakeups") else []
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *command, *words, "--format=csv", path]).decode())))


def parts(path, pid, start, end, unit="ns"):
    """As the oracle has them: without names of tasks, functions, and letters of states."""
    found = []
    for row in rows(path, "--task", str(pid), "--from", "%d%s" % (start, unit), "--to", "%d%s" % (end, unit)):
        what = re.sub(r"^(behind|with) .*-(\d+)$", r"\1 \2", row["what"])
        what = re.sub(r"^(asleep|sleep or wait) \(.*", r"\1", what)
        if int(row["duration_ns"]) != int(row["end_ns"]) - int(row["start_ns"]):
            raise Failure("duration of %s" % row)
        found.append((int(row["start_ns"]), int(row["end_ns"]), int(row["depth"]), int(row["pid"]), what))
    return found


def tile(found, start, end):
    """The parts fill the interval, one after the other."""
    edges = [start] + [part[1] for part in found]
    return all(part[0] == edge and part[0] < part[1] for part, edge in zip(found, edges)) and edges[-1] == max(start, end)


def interrupts(path, buffer):
    """Which wake-ups were made in interrupts, where report does not tell it."""
    by_line = {}
    for event in buffer.events:
        if event.line and event.name in sched_oracle.WAKES:
            by_line.setdefault(event.line, []).append(event)
    for bit in (0x40, 0x08, 0x10) if by_line else ():
        for line in run([PROGRAM, "report", "--format=json", "-F", "sched/*: common_flags & %d" % bit, path]).decode().splitlines():
            for event in by_line.get(line, ()):
                event.flags |= bit


def compare(path, buffer, seed=None):
    if not buffer.events or any(event.ts != event.key[0] for event in buffer.events):
        return                          # a clock that goes back has no intervals
    interrupts(path, buffer)
    words = why_oracle.words_of(TRACE_CMD, path) if buffer.events[0].line else why_oracle.Words()
    oracle = why_oracle.Why(buffer, words)
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    times = sorted(event.ts for event in buffer.events)
    tasks = [task for task, states in oracle.history.states.items() if any(state.until is not None for state in states)]
    tasks.sort(key=lambda task: (task.pid, task.born))
    if tasks:
        anatomy(path, oracle)
    wakers(path, oracle)
    chance = random.Random(seed or len(times))
    for number in range(QUESTIONS if tasks else 0):
        task = chance.choice(tasks)
        pid = task.pid
        start, end = sorted(chance.choice(times) + chance.choice((-1, 0, 0, 1)) for _ in range(2))
        if not number:
            start, end = times[0], times[-1]
        first, last = oracle.history.pid_is_its(task)
        start, end = max(start, first), min(end, last)
        if start > end:
            continue
        got, expected = parts(path, pid, start, end, unit), oracle.parts(task, start, end)
        if not tile(got, start, end):
            raise Failure("pid %d from %d to %d: the parts do not fill it" % (pid, start, end))
        for a, b in zip(got + [None], expected + [None]):
            if a != b:
                raise Failure("pid %d from %d to %d: %s, not %s" % (pid, start, end, a, b))


def anatomy(path, oracle):
    """What CPUs did while tasks waited for them, one by one and summed."""
    for kind, name in (("wakeup", "waiting"), ("preempted", "preempted")):
        expected, sums, doubtful = [], {}, 0
        for states in oracle.history.states.values():
            for state, after in zip(states, states[1:]):
                if state.name != name or state.until is None or after.name != "running" or after.since != state.until:
                    continue
                parts = [(state.since, *part) for part in oracle.cpu_parts(after.cpu, state.since, state.until)]
                expected += parts
                doubtful += len(parts) if state.doubtful else 0
                for _, start, end, what in parts if not state.doubtful else ():
                    sums.setdefault(what, []).append(end - start)
        got = [(int(row["start_ns"]), int(row["part_start_ns"]), int(row["part_end_ns"]), without_name(row["what"]))
               for row in rows(path, "latency", "--kind", kind, "--anatomy")]
        if sorted(got, key=str) != sorted(expected, key=str):
            wrong = sorted(set(got) ^ set(expected), key=str)
            raise Failure("--anatomy of %s: %d parts, not %d; %s" % (kind, len(got), len(expected), wrong[:4]))
        first = [(int(row["start_ns"]), int(row["part_start_ns"])) for row in rows(path, "latency", "--kind", kind, "--anatomy", "--head=2")]
        begins = [i for i, part in enumerate(got) if part[0] == part[1]] + [len(got)] * 3
        if first != [part[:2] for part in got[:begins[2]]]:
            raise Failure("--anatomy --head=2 of %s: %s: not all parts of two waits" % (kind, first))
        marked = sum(line.count(b"~") for line in run([PROGRAM, "latency", "--kind", kind, "--anatomy", path]).splitlines())
        if marked != doubtful:
            raise Failure("--anatomy of %s: %d parts are marked as doubtful, not %d" % (kind, marked, doubtful))
        summed = {}
        for row in rows(path, "latency", "--kind", kind, "--culprits"):
            what = without_name(row["what"])
            count, total, most = summed.get(what, (0, 0, 0))        # several tasks may have had a pid
            summed[what] = [count + int(row["count"]), total + int(row["total_ns"]), max(most, int(row["max_ns"]))]
        if summed != {what: [len(lengths), sum(lengths), max(lengths)] for what, lengths in sums.items()}:
            raise Failure("--culprits of %s: %s, not %s" % (kind, summed, sums))


def wakers(path, oracle):
    """What made each wake-up: the task, or the innermost interrupt; the same in wakeups and latency."""
    def context(event):
        in_interrupt = event.flags & why_oracle.INTERRUPTS or event.common_pid == 0
        return (oracle.open[event] or "interrupt") if in_interrupt else ""
    expected = [[str(wake.event.ts), context(wake.event)] for wake in oracle.history.wakes]
    got = [[row["wake_ts_ns"], row["context"]] for row in rows(path, "wakeups")]
    if got != expected:
        raise Failure("wakeups: woken by %s" % next(pair for pair in zip(got, expected) if pair[0] != pair[1]).__repr__())
    ended = sorted([str(wake.event.ts), context(wake.event)] for wake in oracle.history.wakes if wake.run_ts is not None)
    got = sorted([row["start_ns"], row["context"]] for row in rows(path, "latency", "--kind", "wakeup"))
    if got != ended:
        raise Failure("latency --kind=wakeup: woken by %s" % [pair for pair in zip(got, ended) if pair[0] != pair[1]][:1])


def without_name(what):
    if what.startswith("unknown ("):
        return "unknown"
    if what in ("idle", "lost") or what.split()[0] in ("irq", "softirq", "ipi"):
        return what
    return int(what.rpartition("-")[2])


def known(path, play, nr_cpus):
    """A trace with a known answer, of which each interval is also as the oracle has it."""
    stage = why_traces.Play(nr_cpus)
    pid, start, end, expected = play(stage)
    stage.write(path)
    start, end = (why_traces.START + 1000 * at for at in (start, end))
    expected = [(why_traces.START + 1000 * a, why_traces.START + 1000 * b, *rest) for a, b, *rest in expected]
    got = [(a, b, depth, task, re.sub(r" t?(\d+)$", r" \1", what)) for a, b, depth, task, what in parts(path, pid, start, end)]
    if got != expected:
        raise Failure("%s, not %s" % (got, expected))
    if TRACE_CMD:
        buffer = sched_oracle.from_json(listed(path), [""], TRACE_CMD, path)
        compare(path, buffer)


def rules(path):
    """The reason of a wait behind a task: priorities, and another CPU that idled."""
    for runs, waits, other, reason in why_traces.RULES:
        stage = why_traces.Play(2)
        why_traces.rule(stage, runs, waits, other)
        stage.write(path)
        text = run([PROGRAM, "why", "--task=t2", path]).decode()
        found = re.findall(r"CPU taken by t1-1 \((.*)\)$", text, re.M)
        if found != [reason]:
            raise Failure("%s, not %s: %s" % (found, reason, text))


def held(path):
    """The groups of --blocked-by add up: 2 waits 30 + 12 + 3 us for a CPU, is blocked for 8, and sleeps for 12."""
    stage = why_traces.Play(2)
    why_traces.rule(stage, 120, 120, "5 1>0")
    stage.write(path)
    found = {}
    for row in rows(path, "--blocked-by", "--task=t2"):
        found.setdefault(row["held"], []).append((int(row["count"]), int(row["total_ns"])))
    sums = {group: (sum(count for count, _ in of), sum(total for _, total in of)) for group, of in found.items()}
    if sums != {"wait": (3, 45000), "blocked": (1, 8000), "sleep": (1, 12000)}:
        raise Failure("%s of %s" % (sums, found))


def words(path):
    """--sums has the words of the tree, after the task that each is about."""
    reasons = {}
    for word, pattern in (("tree", r" {2,}(\S.*)$"), ("sums", r" \S+: (\S.*)$")):
        text = run([PROGRAM, "why", "--task=236"] + ["--sums"] * (word == "sums") + [path]).decode()
        lines = re.findall(r"^ +[\d.]+ +\S+ +\d+ +[\d.]+" + pattern, text, re.M)
        reasons[word] = {re.sub(r" \((now|both|until|nice|real-time).*", "", line) for line in lines}
    wakers = {line for line in reasons["tree"] if re.fullmatch(r"asleep until wl-\d+ woke it", line)}      # a level, no part
    if not wakers or reasons["tree"] - wakers != reasons["sums"] or "asleep until an interrupt woke it" not in reasons["sums"]:
        raise Failure(reasons)


def window(path):
    """Of 5 to 15 us, 1 is known from 10 on, 2 not at all: 5 us of all tasks, and none is less than nothing."""
    stage = why_traces.Play(1)
    stage.moves("10 0>1 20 0>2S 30 0>1")
    stage.write(path)
    text = run([PROGRAM, "why", "--blocked-by", "--from=1.000005", "--to=1.000015", path]).decode()
    if not re.search(r"^ +5\.000 100\.0 +1 +5\.000 all tasks from ", text, re.M) or re.search(r"(^| )-\d", text):
        raise Failure(text)


def moved():
    """Where a preempted task waited before it was moved, from the record of its first migration."""
    path, waits, expected = os.path.join(DATA, "good", "cpu4", "trace.dat"), {}, set()
    for line in run([PROGRAM, "report", "-t", path]).decode().splitlines():
        switch = re.search(r" sched_switch: +.*?:(\d+) \[\d+\] (\S+) ==> .*?:(\d+) ", line)
        migration = re.search(r" (\d+\.\d{9}): sched_migrate_task: .* pid=(\d+) .* orig_cpu=(\d+) ", line)
        if switch:
            waits.pop(switch[1], None)          # its switch-in was lost
            at = waits.pop(switch[3], None)
            expected |= {at} if at else set()
            waits.update({switch[1]: None} if switch[2] in ("R", "R+") else {})
        if migration and migration[2] in waits:
            waits[migration[2]] = waits[migration[2]] or (migration[1], migration[3])
    text = run([PROGRAM, "latency", "--kind=preempted", "--anatomy", path]).decode()
    found = set(re.findall(r"until (\S+) it waited for CPU (\d+)", text))
    if found != expected or ("7.536290906", "2") not in found:
        raise Failure("%s, not %s" % (found, expected))
    text = run([PROGRAM, "why", "--task=80", "--from=7.520519261", "--to=7.536372086", path]).decode()
    if "CPU taken by on-cpu-0-79 (until 7.536290906 it waited for CPU 2, taken by wl-81; " not in text or "share the CPU" in text:
        raise Failure(text)


def listed(path):
    return run([PROGRAM, "report", "--format=json", path]).decode().splitlines()


def main():
    tap = Tap()
    recorded(tap, listed, compare)
    tap.case(moved.__doc__, moved)
    tap.case(words.__doc__, words, os.path.join(DATA, "good", "sched", "trace.dat"))
    with tempfile.TemporaryDirectory() as folder:
        for play, nr_cpus in why_traces.PLAYS:
            tap.case(play.__doc__, known, os.path.join(folder, "trace.dat"), play, nr_cpus)
        tap.case(rules.__doc__, rules, os.path.join(folder, "trace.dat"))
        tap.case(held.__doc__, held, os.path.join(folder, "trace.dat"))
        tap.case(window.__doc__, window, os.path.join(folder, "trace.dat"))
    made_up(tap, MADE, 5, 1500, lambda path, list_, seed: compare(path, sched_oracle.from_list(list_), seed))
    return tap.end()


sys.exit(main())
