#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""why equals, to the nanosecond, what why_oracle.py works out from the plain list of events.  Prints TAP.

Parts of random intervals and tasks, of recorded and made-up traces, and of traces with a known answer.
"""
import csv
import io
import math
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import sched_oracle                                             # noqa: E402
import why_oracle                                               # noqa: E402
import why_traces                                               # noqa: E402
from report_common import BUILD, DATA, LONG, PROGRAM, TRACE_CMD, Failure, Tap, run   # noqa: E402
from sched_common import interrupts, made_up, recorded          # noqa: E402

MAKE_TRACE = os.path.join(BUILD, "tests", "tools", "make_trace")
MADE = 250 if LONG else 8
QUESTIONS = 60 if LONG else 3           # for each trace


def rows(path, *words):
    command = ["why"] if words[:1] not in (("latency",), ("wakeups",), ("cpus",)) else []
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *command, *words, "--format=csv", path]).decode())))


ABSENCES = ("unknown", "~tracing off", "suspended", "~offline")


def parts(path, pid, start, end, unit="ns"):
    """As the oracle has them: without names of tasks, functions, and letters of states."""
    found = []
    for row in rows(path, "--task", str(pid), "--from", "%d%s" % (start, unit), "--to", "%d%s" % (end, unit)):
        what = re.sub(r"^(behind|with) .*-(\d+)$", r"\1 \2", row["what"])
        what = re.sub(r"^(asleep|stopped|sleep or wait|throttled|kept from running) \(.*", r"\1", what)
        if int(row["duration_ns"]) != int(row["end_ns"]) - int(row["start_ns"]):
            raise Failure("duration of %s" % row)
        part = int(row["start_ns"]), int(row["end_ns"]), int(row["depth"]), int(row["pid"]), what
        if what in ABSENCES:            # tests/program/absences.py has these
            part = (*part[:4], "unknown")
            if found and found[-1][1:] == (part[0], *part[2:]):
                part = (found.pop()[0], *part[1:])
        found.append(part)
    return found


def tile(found, start, end):
    """The parts fill the interval, one after the other."""
    edges = [start] + [part[1] for part in found]
    return all(part[0] == edge and part[0] < part[1] for part, edge in zip(found, edges)) and edges[-1] == max(start, end)


def compare(path, buffer, seed=None):
    if not buffer.events or any(event.ts != event.key[0] for event in buffer.events):
        return                          # a clock that goes back has no intervals
    interrupts(path, buffer)
    words = why_oracle.words_of(TRACE_CMD, path) if buffer.events[0].line else why_oracle.Words()
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    oracle = why_oracle.Why(buffer, words) if unit else why_oracle.Why(buffer, words, math.inf)
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


def holds(parts):
    """[(what, how long)] of a wait: what one task did is one, and interrupts on top of it divide it not."""
    found, last = [], None              # last: the task that has the CPU, interrupts or not
    for _, start, end, what in parts:
        if isinstance(what, int) and last is not None and found[last][0] == what:
            found[last] = (what, found[last][1] + end - start)
            continue
        found.append((what, end - start))
        if isinstance(what, int):
            last = len(found) - 1
        elif what.split()[0] not in ("irq", "softirq", "ipi", "interrupt"):
            last = None
    return found


def anatomy(path, oracle):
    """What CPUs did while tasks waited for them, one by one and summed."""
    for kind, name in (("wakeup", "waiting"), ("preempted", "preempted")):
        expected, sums, doubtful = [], {}, 0
        for states in oracle.history.states.values():
            for state, after in zip(states, states[1:]):
                if state.name != name or state.until is None or after.name != "running" or after.since != state.until:
                    continue
                found = oracle.wait_parts(state, state.since, state.until)
                parts = [(state.since, start, end, what) for start, end, what, _ in found]
                expected += parts
                doubtful += sum(state.doubtful or is_guess for *_, is_guess in found)
                for what, length in holds(parts) if not state.doubtful else ():
                    sums.setdefault(what, []).append(length)
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
        if oracle.history.hides_waker(event) or event.common_pid < 0:
            return "not known"
        if event in oracle.buffer.own:
            return ""
        if event.flags & why_oracle.INTERRUPTS:
            return oracle.open[event] or why_oracle.kind_of(event)
        return event.common_pid == 0 and oracle.open[event] or ""
    expected = [[str(wake.event.ts), context(wake.event)] for wake in oracle.history.wakes]
    got = [[row["wake_ts_ns"], row["context"]] for row in rows(path, "wakeups")]
    if got != expected:
        raise Failure("wakeups: woken by %s" % next(pair for pair in zip(got, expected) if pair[0] != pair[1]).__repr__())
    ended = sorted([str(wake.event.ts), context(wake.event)] for wake in oracle.history.wakes if wake.run_ts is not None)
    got = sorted([row["start_ns"], row["context"]] for row in rows(path, "latency", "--kind", "wakeup"))
    if got != ended:
        raise Failure("latency --kind=wakeup: woken by %s" % [pair for pair in zip(got, ended) if pair[0] != pair[1]][:1])


def without_name(what):
    if what == "idle (not explained)":
        return "not explained"
    if what.startswith("unknown ("):
        return "astray" if "sched_migrate_task" in what else "unknown"
    if what.startswith(("throttled (", "kept from running (")):
        return what.partition(" (")[0]
    if what in ("idle", "lost", "astray") or what.split()[0] in ("irq", "softirq", "ipi", "interrupt"):
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
    wakers = {line for line in reasons["tree"] if re.fullmatch(r"asleep until wl\S*-\d+ (\(was \S+\) )?woke it", line)}      # a level, no part
    if not wakers or reasons["tree"] - wakers != reasons["sums"] or "asleep (S)" not in reasons["sums"]:
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
    """A preempted task waits for the CPU that it left up to its migration: that CPU's own records say behind whom."""
    path, start, left, ran = os.path.join(DATA, "good", "cpu4", "trace.dat"), 7520519261, 7536290906, 7536372086
    expected, runs, since = {}, "behind 80", start
    lines = re.findall(r" \[002\] +(\d+)\.(\d{9}): (sched_switch|softirq_entry|softirq_exit): +(.*)", run([PROGRAM, "report", "-t", path]).decode())
    for at, name, text in [(int(seconds + ns), *rest) for seconds, ns, *rest in lines] + [(left, "end", "")]:
        if start <= at <= left:
            what = "softirq " + re.search(r"action=(\w+)", text)[1] if name == "softirq_exit" else runs
            expected[what] = expected.get(what, 0) + at - since
            runs = "behind " + re.search(r"==> .*:(\d+) ", text)[1] if name == "sched_switch" else runs
            since = at
    got = {}
    for a, b, _, _, what in parts(path, 80, start, left):
        got[what] = got.get(what, 0) + b - a
    if got != {what: ns for what, ns in expected.items() if ns} or "behind 81" not in got:
        raise Failure("%s, not %s" % (got, expected))
    after = [what for a, b, _, _, what in parts(path, 80, left, ran)]
    if "behind 81" in after or parts(path, 80, start, ran) != parts(path, 80, start, left) + parts(path, 80, left, ran):
        raise Failure(after)


# c leaves CPU 0, moves to CPU 1, where it runs; it is then woken for CPU 0, where it ran before its last run.
QUEUES_TEXT = """\
 c-3 [000] d..2. 1.000000: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=R ==> next_comm=c next_pid=3 next_prio=120
 b-2 [001] d..2. 1.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
 c-3 [000] d..2. 1.010000: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120
 b-2 [001] d..2. 1.040000: sched_migrate_task: comm=c pid=3 prio=120 orig_cpu=0 dest_cpu=1
 b-2 [001] d..2. 1.050000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=c next_pid=3 next_prio=120
 c-3 [001] d..2. 1.060000: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
 b-2 [001] d..2. 1.070000: sched_waking: comm=c pid=3 prio=120 target_cpu=001
 b-2 [001] d..2. 1.071000: sched_wakeup: comm=c pid=3 prio=120 target_cpu=000
 a-1 [000] d..2. 1.090000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=c next_pid=3 next_prio=120
"""


def queues(folder):
    """Waits whose CPU is known, whose move is not recorded, and whose wake-up names no CPU; in ms, read off the text."""
    path = os.path.join(folder, "trace.txt")
    preempted, moved_ = [(10, 40, "behind 1"), (40, 50, "behind 2")], [(10, 50, "waits")]
    # its sched_waking names CPU 1, its sched_wakeup CPU 0
    woken, guessed_ = [(70, 71, "waits"), (71, 90, "behind 1")], [(70, 90, "behind 1")]
    # what is left out; the waits; how long tasks waited for either CPU, and for which it is not known; marked lines of why
    for out, waits, sums, guessed, marks in (
            ("never", preempted + woken, [50, 10], 0, 0), ("sched_migrate", moved_ + woken, [60, 0], 40, 0),
            ("sched_wakeup", preempted + guessed_, [50, 10], 20, 1), ("sched_(wakeup|migrate)", moved_ + guessed_, [60, 0], 60, 1)):
        with open(path, "w", encoding="ascii") as file:
            file.write("".join(line + "\n" for line in QUEUES_TEXT.splitlines() if not re.search(out, line)))
        got = [(a // 10**6 - 1000, b // 10**6 - 1000, what) for a, b, _, _, what in parts(path, 3, 1010000000, 1090000000)
               if what != "runs" and "asleep" not in what]
        cpus = rows(path, "cpus")
        text = run([PROGRAM, "cpus", path]).decode()
        found = [int(row["waited_ns"]) // 10**6 for row in cpus], {int(row["guessed_ns"]) // 10**6 for row in cpus}
        if got != waits or found != (sums, {guessed}) or ("~" in text) != bool(guessed):
            raise Failure("without %s: %s, not %s; %s, not %s: %s" % (out, got, waits, found, (sums, guessed), text))
        tree = run([PROGRAM, "why", "--task=3", "--from=1.01", "--to=1.09", path]).decode()
        if sum("~" in line for line in tree.splitlines()) != marks:
            raise Failure("without %s: %s" % (out, tree))


# Parts of waits of tests/data/idle/waits.txt in ms after 1 s, read off the text.
IDLE = [
    (10, 15, "idle"),                                   # woken for an idle CPU
    (20, 23, "idle (not explained)"),                   # it leaves the CPU, which then idles, though it could run
    (40, 70, "idle (not explained)"),                   # woken for an idle CPU, too long before
    (90, 100, "behind 2"), (100, 104, "idle"),          # its sched_wakeup may have been late
    (120, 125, "behind 2"), (125, 127, "idle (not explained)"), (127, 130, "behind 2"), (130, 133, "idle (not explained)"),
    (140, 145, "behind 2"), (145, 150, "idle"),         # moved to an idle CPU
]


def idle():
    """A CPU that idles while a task waits for it is on its way out of idle, or why it idles is not explained; in parts, too."""
    path = os.path.join(DATA, "idle", "waits.txt")
    got = [(a // 10**6 - 1000, b // 10**6 - 1000, what) for a, b, depth, pid, what in parts(path, 5, 1010000000, 1150000000)
           if pid == 5 and what != "runs"]
    if got != IDLE:
        raise Failure("%s, not %s" % (got, IDLE))
    for start, end, what in IDLE:
        middle = (start + end) * 500000 + 10**9
        found = parts(path, 5, middle - 400000, middle + 300000)
        if found != [(middle - 400000, middle + 300000, 0, 5, what)]:
            raise Failure("%s, not %s" % (found, what))
        told = " explain " in " ".join(run([PROGRAM, "timeline", "--task=5", "--at=%dns" % middle, path]).decode().split())
        if told != ("explained" in what or start == 120 or start == 127):
            raise Failure("--at=%d: %s" % (middle, told))


def bound(folder):
    """Tasks that may run on CPU 2 alone, as the recorder saw (~) before and after, wait for it while CPUs that they may not use idle."""
    path = os.path.join(folder, "bound.dat")
    run([MAKE_TRACE, "bound", path])
    buffer = sched_oracle.from_json(listed(path), [""], TRACE_CMD, path)
    cpus, marks, shares = why_oracle.Why(buffer, why_oracle.Words()).cpus, set(), set()
    for kind in ("wakeup", "preempted"):
        spans = [(int(row["part_start_ns"]), int(row["part_end_ns"])) for row in rows(path, "latency", "--kind", kind, "--anatomy")]
        text = run([PROGRAM, "latency", "--kind", kind, "--anatomy", path]).decode().splitlines()[1:]
        for (start, end), line in zip(spans, text, strict=True):
            idle = {cpu: sum(max(0, min(b, end) - max(a, start)) for a, b, what in cpus[cpu] if what == "idle") for cpu in (0, 1, 2)}
            told = re.search(r"(~?)may run on CPU 2 only; CPUs? (\S+) (?:was|were) idle (meanwhile|for (\S+) (\S+) of these)", line)
            free = [cpu for cpu in (0, 1) if idle[cpu] and idle[cpu] * 2 >= end - start]
            if told and (2 * idle[2] >= end - start or told[2] != "-".join(map(str, free)) or
                         (told[3] == "meanwhile") != (min(idle[cpu] for cpu in free) == end - start)):
                raise Failure("%s: CPUs idled for %s ns" % (line, idle))
            if told and told[4] and abs(float(told[4]) * {"ns": 1, "µs": 1e3}[told[5]] / min(idle[cpu] for cpu in free) - 1) > 0.001:
                raise Failure("%s: CPUs idled for %s ns" % (line, idle))
            marks.update([told[1]] if told else [])
    for pid in (100, 107, 114):
        for line in run([PROGRAM, "why", "--sums", "--task=%d" % pid, path]).decode().splitlines():
            fair = re.search(r"-(\d+) \((?:the longest: )?(?:both are )?nice -?\d+(?: and nice -?\d+)?( (?:and )?~share the CPU)?[;)]", line)
            if fair:
                shares.add(bool(fair[2]))
                if bool(fair[2]) != ({pid, int(fair[1])} == {100, 114}):      # of 107 it is not known since when
                    raise Failure(line)
    if shares != {False, True}:
        raise Failure("shares: %s" % shares)
    if marks != {"~"}:
        raise Failure("marks: %s" % marks)


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
        tap.case(queues.__doc__, queues, folder)
        tap.case(idle.__doc__, idle)
        if os.path.exists(MAKE_TRACE) and TRACE_CMD:
            tap.case(bound.__doc__, bound, folder)
        else:
            tap.skip(bound.__doc__, "make_trace was not built, or trace-cmd is missing")
        tap.case(window.__doc__, window, os.path.join(folder, "trace.dat"))
    made_up(tap, MADE, 5, 1500, lambda path, list_, seed: compare(path, sched_oracle.from_list(list_), seed))
    return tap.end()


sys.exit(main())
