#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tasks and wakeups equal, to the nanosecond, what sched_oracle.py works out from the plain list of events.  Prints TAP.

On recorded traces that list is report's (which report_rows.py compares with trace-cmd's), on made-up ones that of their
maker: with loss, pids used again, runnable tasks that migrate, wake-ups of running ones, switches without a wake-up, and
records that contradict each other.
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import queue_oracle                                             # noqa: E402
import sched_oracle                                             # noqa: E402
from noise_oracle import SOFTIRQS                                # noqa: E402
from report_common import BUILD, DATA, LIMIT_S, LONG, PROGRAM, TRACE_CMD, Failure, Tap, run     # noqa: E402
from report_common import SHARED                                 # noqa: E402
from sched_common import interrupts, made_up, recorded                      # noqa: E402

MADE = 1000 if LONG else 5
REASONED = 50 if LONG else 24           # made-up traces whose reasons are looked at: these have all kinds
FEW = 5                                 # filters of a trace: others have others
STEPS = 1500
MOST_EVENTS = 20000                     # of a trace whose queues are looked at


# What wakeups tells of interrupts is compared in why.py; the name and priority at the longest wake-up, in longest_as(); how
# long single stays lasted, in stays().
CALLS = ("lost-text", "subbuf")         # traces with events of system calls, one with gaps
STAYS = ("wait_avg_ns", "wait_p99_ns", "max_wait_ns", "max_run_ns", "max_sleep_ns", "max_block_ns")
ELSEWHERE = ("context", "max_wakeup_comm", "max_wakeup_prio", *STAYS, "woke", "syscalls", "syscalls_ns", "irqs", "irqs_ns", "prio",
             "stolen_ns", "stolen_doubtful_ns", "stolen_unknown_ns")   # steal.py


def rows(command, path, *options):
    text = run([PROGRAM, command, "--format=csv", *options, path]).decode()
    table = list(csv.reader(io.StringIO(text)))
    kept = [i for i, name in enumerate(table[0]) if name not in ELSEWHERE]
    return [[row[i] for i in kept] for row in table]


def longest_as(path, oracle):
    """The name and priority of each task at its longest wake-up."""
    text = run([PROGRAM, "tasks", "--format=csv", path]).decode()
    got = [[row["pid"], row["max_wakeup_comm"], row["max_wakeup_prio"]] for row in csv.DictReader(io.StringIO(text))]
    expected = []
    for task in oracle.listed():
        event = task.longest_at
        expected.append([str(task.pid), *([event.comm2, str(event.prio2)] if event else ["", ""])])
    if any(row[2] == "None" for row in expected):       # the list does not have priorities
        got, expected = ([row[:2] for row in table] for table in (got, expected))
    return differences("longest wake-up", got, expected)


def stays(path, oracle, *options):
    """Mean, 99th percentile and longest of what each task did with both ends recorded."""
    text = run([PROGRAM, "tasks", "--format=csv", *options, path]).decode()
    got = [[row["pid"], *(row[name] for name in STAYS)] for row in csv.DictReader(io.StringIO(text))]
    lengths, waits = {}, {}
    for task, state, length in oracle.stays:
        lengths[task, state] = max(lengths.get((task, state), 0), length)
    for _, task, _, start, end, doubtful in oracle.waits:
        if not doubtful:
            waits.setdefault(task, []).append(max(end - start, 0))
    expected = []
    for task in oracle.listed():
        of = sorted(waits.get(task, []))
        figures = [sum(of) // len(of), of[-(-len(of) * 99 // 100) - 1], of[-1]] if of else [""] * 3
        figures += [lengths.get((task, state)) or "" for state in ("running", "sleep", "blocked")]
        expected.append([str(task.pid), *map(str, figures)])
    return differences(" ".join(["stays", *options]), got, expected)


def differences(what, got, expected):
    wrong = []
    if len(got) != len(expected):
        wrong.append("%s: %d rows, not %d" % (what, len(got), len(expected)))
    for i, (a, b) in enumerate(zip(got, expected)):
        if a != b:
            wrong.append("%s, row %d: %s" % (what, i, ",".join(a)))
            wrong.append("  expected: %s" % ",".join(b))
    return wrong


def compare(path, buffer, seed=None):
    interrupts(path, buffer)
    oracle = sched_oracle.Oracle(buffer)
    if not monotonic(buffer):
        compare_sums(path, oracle)
        return
    wrong = differences("tasks", rows("tasks", path)[1:], [[str(v) for v in row] for row in oracle.task_rows()])
    wrong += differences("wakeups", rows("wakeups", path)[1:], [[str(v) for v in row] for row in oracle.wake_rows()])
    # Every second CPU, and by name.
    some = set(sorted(buffer.cpus)[::2])
    if some:
        there, option = sched_oracle.Oracle(buffer, some), ["--cpu", ",".join(map(str, sorted(some)))]
        wrong += differences("tasks --cpu", rows("tasks", path, *option)[1:], [[str(v) for v in row] for row in there.task_rows()])
        wrong += stays(path, there, *option)
    wrong += differences("tasks --task", rows("tasks", path, "--task", "t*", "--task", "1")[1:],
                         [[str(v) for v in row] for row in oracle.task_rows() if row[0] == 1 or row[1].startswith("t")])
    wrong += differences("wakeups --task", rows("wakeups", path, "--task", "t*", "--task", "1")[1:],
                         [[str(v) for v in row] for row in oracle.wake_rows() if row[3] == 1 or row[4].startswith("t")])
    wrong += longest_as(path, oracle)
    wrong += stays(path, oracle)
    wrong += window(path, buffer, oracle)
    wrong += pairs(path, buffer, oracle, some)
    wrong += queues(path, buffer)
    wrong += filtered(path, buffer, oracle)
    wrong += counted(path, buffer, seed)
    if not wrong:
        wrong += intervals(path, oracle)
    if wrong:
        raise Failure("\n".join(wrong[:8]))


def compare_sums(path, oracle):
    """With a clock that goes back, what is doubtful is not the same in order and in time, and there is no picture."""
    wrong = differences("tasks", [row[:11] for row in rows("tasks", path)[1:]],
                        [[str(v) for v in row[:11]] for row in oracle.task_rows()])
    wrong += differences("wakeups", [row[:-1] for row in rows("wakeups", path)[1:]],
                         [[str(v) for v in row[:-1]] for row in oracle.wake_rows()])
    if wrong:
        raise Failure("\n".join(wrong[:8]))


def window(path, buffer, oracle):
    """tasks and wakeups --from --to: the parts of intervals, the switches and the wake-ups that are in it."""
    if not buffer.events or not oracle.knows_runs():
        return []
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    times = sorted(event.ts for event in buffer.events)
    first, last = times[len(times) // 3], times[len(times) * 2 // 3]
    options = ["--from", "%d%s" % (first, unit), "--to", "%d%s" % (last, unit)]
    expected = {}
    for task, state, start, end, _, doubtful in oracle.intervals:
        part = max(0, min(end, last) - max(start, first))
        sums = expected.setdefault(task, [0] * 6)
        sums[("running", "waiting", "sleep", "blocked").index("waiting" if state == "preempted" else state)] += part
        sums[5] += part * doubtful
    for event in buffer.events:
        if event.name == "sched_switch" and event.pid > 0 and first <= event.ts <= last:
            expected.setdefault(oracle.left[event], [0] * 6)[4] += 1
    table = rows("tasks", path, *options)[1:]
    found = [[int(row[0]), int(row[2]) + int(row[3])] + [int(row[i]) for i in (4, 5, 6, 7, 12)] for row in table]
    last_cpus = {task: [str(task.pid), str(cpu)] for ts, task, cpu in oracle.switches if first <= ts <= last}
    return differences("last CPU in a window", sorted([row[0], row[13]] for row in table if row[13]),
                       sorted(last_cpus.values())) + differences("tasks in a window", [[str(v) for v in row] for row in sorted(found) if any(row[1:])],
                       [[str(v) for v in row] for row in sorted([task.pid, *sums] for task, sums in expected.items())
                        if any(row[1:])]) + differences(
        "wakeups in a window", rows("wakeups", path, *options)[1:],
        [[str(v) for v in row] for row in oracle.wake_rows() if first <= row[0] <= last])


def pairs(path, buffer, oracle, some):
    """Who preempted and who woke whom: of all, in a window, on some CPUs."""
    wrong = []
    if not buffer.events:
        return wrong
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    times = sorted(event.ts for event in buffer.events)
    first, last = times[len(times) // 4], times[len(times) * 3 // 4]
    window = ["--from", "%d%s" % (first, unit), "--to", "%d%s" % (last, unit)]
    cpus = ["--cpu", ",".join(map(str, sorted(some)))]
    there = sched_oracle.Oracle(buffer, some)
    lines = [event.line for event in buffer.events if event.line and event.name in sched_oracle.WAKES]
    for option, state in (("--preempted", "preempted"), ("--woken", "waiting")):
        if state == "waiting" and len(set(lines)) < len(lines):
            continue                    # which of two equal lines was made in an interrupt?
        for options, expected in (([], oracle.pair_rows(state)), (window, oracle.pair_rows(state, first, last)),
                                  (cpus, there.pair_rows(state))):
            wrong += differences("tasks %s" % " ".join([option, *options]), rows("tasks", path, option, *options)[1:],
                                 [[str(v) for v in row] for row in expected])
    return wrong


def queues(path, buffer):
    """How many tasks wait for each CPU: in all, and in a window."""
    if not any(event.name == "sched_switch" for event in buffer.events) or len(buffer.events) > MOST_EVENTS:
        return []
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    times = sorted(event.ts for event in buffer.events)
    first, last = times[len(times) // 4], times[len(times) * 3 // 4]
    window = ["--from", "%d%s" % (first, unit), "--to", "%d%s" % (last, unit)]
    wrong = []
    for options, expected in (([], queue_oracle.rows(buffer)), (window, queue_oracle.rows(buffer, first, last))):
        found = rows("tasks", path, "--queues", *options)[1:]
        wrong += differences("tasks --queues %s" % " ".join(options), [row[:len(expected[0])] for row in found] if expected else found,
                             [[str(v) for v in row] for row in expected])
    return wrong


# CPU 5 has no records.  b is put there, then woken twice: both waits are for that CPU.  c is new: its sched_waking names
# CPU 1, its sched_wakeup CPU 5, for which it waits from the beginning.
ELSEWHERE_TEXT = """\
 a-1 [000] d..2. 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
 d-4 [001] d..2. 1.000000: sched_switch: prev_comm=d prev_pid=4 prev_prio=120 prev_state=S ==> next_comm=d next_pid=4 next_prio=120
 a-1 [000] d..2. 2.000000: sched_migrate_task: comm=b pid=2 prio=120 orig_cpu=0 dest_cpu=5
 a-1 [000] d..2. 3.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=001
 a-1 [000] d..2. 4.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=001
 a-1 [000] d..2. 5.000000: sched_wakeup: comm=b pid=2 prio=120 target_cpu=005
 a-1 [000] d..2. 6.000000: sched_waking: comm=c pid=3 prio=120 target_cpu=001
 a-1 [000] d..2. 6.250000: sched_wakeup: comm=c pid=3 prio=120 target_cpu=005
 a-1 [000] d..2. 8.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=c next_pid=3 next_prio=120
"""


def queues_elsewhere():
    """Nobody waits for a CPU who was put on one without records."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write(ELSEWHERE_TEXT)
        found = [row[:3:2] for row in rows("tasks", path, "--queues")[1:]]
    if found != [["0", "0"], ["1", "0"]]:
        raise Failure(f"{found}")


# On either CPU a has a call, and an interrupt comes while it runs.
MOVES_TEXT = """\
 <idle>-0 [000] d..2. 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
 a-7 [000] ..... 1.100000: sys_enter: NR 0 (3, 0, 0, 0, 0, 0)
 a-7 [000] d.h.. 1.120000: irq_handler_entry: irq=3 name=x
 a-7 [000] d.h.. 1.130000: irq_handler_exit: irq=3 ret=handled
 a-7 [000] ..... 1.200000: sys_exit: NR 0 = 0
 a-7 [000] d..2. 1.300000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=swapper/0 next_pid=0 next_prio=120
 <idle>-0 [001] d..2. 1.500000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
 a-7 [001] ..... 1.600000: sys_enter: NR 1 (3, 0, 0, 0, 0, 0)
 a-7 [001] d.h.. 1.700000: irq_handler_entry: irq=3 name=x
 a-7 [001] d.h.. 1.750000: irq_handler_exit: irq=3 ret=handled
 a-7 [001] ..... 1.900000: sys_exit: NR 1 = 0
 a-7 [001] d..2. 2.000000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
"""


def moves():
    """What tasks --cpu counts of a task that moves: the figures are read off the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write(MOVES_TEXT)
        for options, expected in (([], ["2", "400000000", "2", "60000000", "500000000", "200000000"]),
                                  (["--cpu=0"], ["1", "100000000", "1", "10000000", "300000000", ""]),
                                  (["--cpu=1"], ["1", "300000000", "1", "50000000", "500000000", "200000000"])):
            text = run([PROGRAM, "tasks", "--format=csv", *options, path]).decode()
            row = next(csv.DictReader(io.StringIO(text)))
            found = [row[name] for name in ("syscalls", "syscalls_ns", "irqs", "irqs_ns", "max_run_ns", "max_wait_ns")]
            if found != expected:
                raise Failure(f"{options}: {found}, not {expected}")


def filtered(path, buffer, oracle):
    """wakeups and timeline -F leave wake-ups, tasks and CPUs that an event of one CPU is of."""
    cpu = max(buffer.cpus)
    pids = {event.common_pid for event in buffer.cpus[cpu]}
    wrong = differences("wakeups -F", rows("wakeups", path, "-F", "cpu == %d" % cpu)[1:],
                         [[str(v) for v in row] for row, wake in zip(oracle.wake_rows(), oracle.wakes)
                          if wake.event.cpu == cpu])
    # Without the name, which is not sure where two CPUs tell one at the same moment.
    every, kept = ([row[:7] + row[8:] for row in rows("timeline", path, *options)[1:]]
                   for options in ([], ["-F", "cpu == %d" % cpu]))
    return wrong + differences("timeline -F", kept, [row for row in every if (int(row[6]) in pids if row[0] == "task" else
                                                                             int(row[5]) == cpu)])


def middle(values):
    return sorted(values)[len(values) // 2]


def filters(buffer):
    """(options, Keep) of filters that say in numbers what they keep."""
    switch, wakes = (lambda event: event.name == "sched_switch"), sched_oracle.WAKES
    cpu, pid = max(buffer.cpus), middle([event.common_pid for event in buffer.events])
    ts = middle([event.ts for event in buffer.events])
    unit = "" if any(event.line and '"ts_ns"' not in event.line for event in buffer.events) else "ns"
    found = [
        (["cpu == %d" % cpu], sched_oracle.Keep(lambda event, _: event.cpu == cpu)),
        (["!(cpu == %d)" % cpu], sched_oracle.Keep(lambda event, _: event.cpu != cpu)),
        (["CPU == %d && time >= %d%s" % (cpu, ts, unit)], sched_oracle.Keep(lambda event, _: event.cpu == cpu and event.ts >= ts)),
    ]
    switches = [event for event in buffer.events if switch(event)]
    woken = [event for event in buffer.events if event.name in wakes]
    if switches:
        prev, following = middle([event.pid for event in switches]), middle([event.pid2 for event in switches])
        found += [
            (["sched_switch"], sched_oracle.Keep(lambda event, _: switch(event))),
            (["prev_pid == %d" % prev], sched_oracle.Keep(lambda event, _: switch(event) and event.pid == prev)),
            (["!(next_pid == %d)" % following],
             sched_oracle.Keep(lambda event, _: not (switch(event) and event.pid2 == following))),
            (["prev_pid == %d" % prev, "next_pid <= %d" % following],
             sched_oracle.Keep(lambda event, _: switch(event) and (event.pid == prev or event.pid2 <= following))),
            # As one of the task that it is counted for.
            (["sched_switch: pid == %d" % pid], sched_oracle.Keep(lambda event, task: switch(event) and task == pid)),
            (["!sched_switch || !(sched_switch: pid == %d)" % pid],
             sched_oracle.Keep(lambda event, task: not (switch(event) and task == pid))),
        ]
    if woken:
        wake, target = middle([event.name for event in woken]), middle([event.pid for event in woken])
        found += [(["sched/%s" % wake], sched_oracle.Keep(lambda event, _: event.name == wake)),
                  (["%s: pid == %d" % (wake, target)],
                   sched_oracle.Keep(lambda event, _: event.name == wake and event.pid == target))]
    # What happens twice at one moment has no sure values.
    if len({(event.ts, event.cpu, event.pid, event.pid2) for event in buffer.events}) < len(buffer.events):
        return found
    for name, of_coming in (("wait", True), ("wakelat", True), ("ran", False)):
        values = [event.values[name] for event in buffer.events if name in event.values]
        if values:
            least = middle(values)
            found += [(["%s >= %d" % (name, least)],
                       sched_oracle.Keep(lambda event, _, n=name, m=least: event.values.get(n, m - 1) >= m, of_coming,
                                         not of_coming)),
                      (["!(%s >= %d)" % (name, least)],
                       sched_oracle.Keep(lambda event, _, n=name, m=least: event.values.get(n, m - 1) < m, of_coming,
                                         not of_coming))]
    if any(event.values.get("state") == "sleep" for event in buffer.events):
        found.append((["sched/*: state == sleep"],
                      sched_oracle.Keep(lambda event, _: event.values.get("state") == "sleep", False, True)))
    return found


def counted(path, buffer, seed=None):
    """tasks -F: figures of what a filter keeps, of several what any of them does."""
    wrong = []
    found = filters(buffer)
    if seed is not None or not LONG:    # the same ones each time
        found = random.Random(seed or len(buffer.events)).sample(found, min(FEW, len(found)))
    for nr, (texts, keep) in enumerate(found):
        oracle, words = sched_oracle.Oracle(buffer, keep=keep), [word for text in texts for word in ("-F", text)]
        if LONG or nr % 2 == 0:
            wrong += differences("tasks -F %s" % texts, rows("tasks", path, *words)[1:],
                                 [[str(v) for v in row] for row in oracle.task_rows()])
        if LONG or nr % 2:
            wrong += differences("tasks --preempted -F %s" % texts, rows("tasks", path, "--preempted", *words)[1:],
                                 [[str(v) for v in row] for row in oracle.pair_rows("preempted")])
    return wrong


def monotonic(buffer):
    """Does no clock go back?"""
    return all(event.ts == event.key[0] for event in buffer.events)


def intervals(path, oracle):
    """Every interval of each CPU and task."""
    got = {"cpu": [], "task": []}
    for row in rows("timeline", path)[1:]:
        what, start, end, _, state, cpu, pid = row[:7]
        if what == "cpu":
            got[what].append((int(cpu), state, int(pid) if pid else None, int(start), int(end)))
        elif state != "unknown":
            got[what].append((int(pid), "waiting" if state == "wait" else "running" if state == "run" else state, int(start),
                              int(end), int(cpu) if cpu else None, int(row[9])))
    wrong = differences("task intervals", [list(map(str, i)) for i in sorted(got["task"], key=str) if i[1] != "gone"],
                        [list(map(str, i)) for i in sorted(((task.pid, *rest) for task, *rest in oracle.intervals), key=str)])
    if not any(event.name == "sched_switch" for event in oracle.buffer.events):
        return wrong                    # the program tells who was seen on a CPU instead
    wrong += differences("CPU intervals", [list(map(str, i)) for i in sorted(got["cpu"], key=str)],
                         [list(map(str, i)) for i in sorted(oracle.cpu_intervals, key=str)])
    return wrong


def plain_list(path):
    return run([PROGRAM, "report", "--format=json", path]).decode().splitlines()


def plots(path):
    """timeline --plot beside the fields that trace-cmd prints: time, CPU and value of each event."""
    wrong = []
    text = run([TRACE_CMD, "report", "-t", "-R", path]).decode(errors="replace")
    for event, field in (("sched_switch", "next_prio"), ("sched_waking", "target_cpu"), ("sched_stat_runtime", "runtime")):
        got = csv.reader(io.StringIO(run([PROGRAM, "timeline", "--format=csv", "--plot", "%s.%s" % (event, field),
                                          path]).decode()))
        line = re.compile(r" \[(\d+)\][ -].*?(\d+)\.(\d{9}): %s: .*\b%s=(0x[0-9a-f]+|-?\d+)" % (event, field))
        expected = [(int(m[2]) * 10**9 + int(m[3]), int(m[1]), int(m[4], 16 if m[4].startswith("0x") else 10))
                    for m in line.finditer(text)]
        wrong += differences(event, sorted([row[1], row[5], row[8]] for row in got if row[0] == "plot"),
                             sorted([str(v) for v in e] for e in expected))
        if not expected:
            wrong.append("trace-cmd prints no %s" % event)
    if wrong:
        raise Failure("\n".join(wrong[:8]))


def without_rows():
    """Nothing that is printed comes without a word, and a clock without a unit is named."""
    text = os.path.join(DATA, "good", "irqsoff", "trace.dat")
    for options, expected in (([text], "the trace has no sched events, so CPUs show where events are, not what ran"),):
        done = subprocess.run([PROGRAM, "timeline", "--width", "80", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode or expected not in done.stderr.decode():
            raise Failure("%s: %d, %s" % (" ".join(options), done.returncode, done.stderr.decode()))
    ticks = run([PROGRAM, "timeline", "--format=json", os.path.join(DATA, "good", "clock-tsc", "trace.dat")])
    for line in ticks.decode().splitlines():
        if json.loads(line)["clock"] != "x86-tsc":
            raise Failure(line)


def told(path, *options):
    """What timeline --at says below the picture, in one line."""
    text = run([PROGRAM, "timeline", "--width", "100", *options, path]).decode()
    legend = re.search(r"(█ run|░ not known).*\n", text)
    return re.sub(r"\s+", " ", text[legend.end():]).strip()


REASONS = (("lost", r"^Its state from \S+(?: to \S+| on) is not known\. (?:[\d ]*event|Event)s? of CPU (\d+) (?:was|were) lost\."),
           ("absent", r" is not known\. ~Tracing off: nothing was recorded on any CPU for ()"),
           ("leaves", r" is not known: it leaves CPU (\d+) then, and no record shows when it came\."),
           ("comes", r" is not known: it comes to CPU (\d+) then, and no record shows when it left another one\."),
           ("runs", r" is not known: it runs on CPU (\d+) then, and no record shows when it came\."),
           ("came", r" is not known: it came to CPU (\d+), and no record shows when it left\."),
           ("woken", r" is not known: it was woken by .* on CPU (\d+)(?: \(.*\))?, then woken again: records are missing\."),
           ("missing", r" is not known: records are missing\.()"))


def is_reason(buffer, reason, cpu, pid, start, end):
    """Do the events support the reason given for a time that nothing is known about?"""
    def switches(ts):
        return [event for event in buffer.events if event.ts == ts and event.name == "sched_switch"]

    def gaps():
        return [(before.ts, after.ts) for before, after in zip(buffer.cpus[cpu], buffer.cpus[cpu][1:]) if after.lost]

    if reason == "lost":
        return any(before <= start <= after for before, after in gaps())
    if reason == "absent":
        return any(before <= start < after for before, after, _ in buffer.absences())
    if reason == "came":
        return any(event.pid2 == pid and event.cpu == cpu for event in switches(start))
    if reason == "runs":
        missing = sched_oracle.Oracle(buffer).missing
        return any(event.ts == end and (event.lost or event is buffer.cpus[cpu][0] or event in missing)
                   for event in buffer.cpus[cpu])
    if reason == "leaves":
        return any(event.pid == pid and event.cpu == cpu for event in switches(end))
    if reason == "woken":
        return all(any(event.ts == ts and event.name in sched_oracle.WAKES and event.pid == pid for event in buffer.events)
                   for ts in (start, end))
    if reason == "comes":
        return any(event.pid2 == pid and event.cpu == cpu for event in switches(end))
    return not any(event.pid2 == pid for event in switches(start)) and not any(event.pid == pid for event in switches(end))


def reasons(path, buffer, seed, seen):
    """The words on times of tasks that nothing is known of, a few of each trace: lost, or what contradicts what."""
    listed = [row for row in rows("timeline", path)[1:] if row[0] == "task"]
    unknown = [row for row in listed if row[4] == "unknown" and row[1] != row[2]]
    gaps = [gap for cpu in sched_oracle.Oracle(buffer).gaps.values() for gap in cpu]
    rare = [row for row, after in zip(listed, listed[1:])
            if row in unknown and after[4] == "run" and after[6] == row[6] and int(after[1]) in [to for _, to in gaps]
            and not any(start <= int(row[1]) <= to for start, to in gaps)]
    for row in random.Random(seed).sample(unknown, min(FEW, len(unknown))) + rare[:1]:
        start, end, pid = int(row[1]), int(row[2]), int(row[6])
        got = told(path, "--task", str(pid), "--at", "%dns" % start)
        found = next(((name, match) for name, form in REASONS for match in [re.search(form, got)] if match), None)
        if not found or not is_reason(buffer, found[0], int(found[1][1] or -1), pid, start, end):
            raise Failure("pid %d from %d to %d: %s" % (pid, start, end, got))
        seen.add(found[0])


def missing_are_told(path, nr):
    """No table hides that switches are missing."""
    for rule in ("tasks run < 3600s", "latency preempted max < 3600s"):
        ran = subprocess.run([PROGRAM, "check", "-e", rule, path], capture_output=True, timeout=LIMIT_S, check=False)
        if ran.returncode != 1 or b"# not known: " not in ran.stdout or b": switches are missing" not in ran.stdout:
            raise Failure("check: %s holds: %s" % (rule, ran.stdout.decode()))
    for command in ("tasks", "cpus", "wakeups", "latency", "summary"):
        ran = subprocess.run([PROGRAM, command, path], capture_output=True, timeout=LIMIT_S, check=True)
        if b"missing switches: at least %d," % nr not in ran.stdout + ran.stderr:
            raise Failure("%s does not tell that %d switches are missing" % (command, nr))


def contradictions(tool):
    """A CPU that does not record switches from idle: what ran between is not known, and the text says why."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mute.dat")
        run([tool, "sched-mute", path])
        buffer = sched_oracle.from_lines(plain_list(path), [""], [(1, "S")], 0, {})
        missing = sched_oracle.Oracle(buffer).missing
        missing_are_told(path, len(missing))
        for event, (before, pid) in missing.items():
            start, end = time_text(before), time_text(event.ts)
            comm = json.loads(event.line)["comm"]
            expected = "The switch to %s on CPU 0 was not recorded: it was between %s and %s." % (
                "%s-%d" % (comm, pid) if pid else "<idle>", start, end)
            got = told(path, "--cpu", "0", "--at", "%dns" % ((before + event.ts) // 2))
            if event.cpu or not got.startswith(expected):
                raise Failure("%s\n  expected: %s" % (got, expected))
            got = told(path, "--task", str(pid), "--at", "%dns" % (event.ts - 1)) if pid else ""
            expected = " to %s is not known: it (runs on|leaves) CPU 0 then, and no record shows when it came" % end
            if pid and not re.search(expected, got):
                raise Failure("%s\n  expected: … %s" % (got, expected))
        if len(missing) < 3:
            raise Failure("only %d switches that contradict each other" % len(missing))
        for row in rows("timeline", path, "--cpu", "0")[1:]:
            if row[0] == "cpu" and row[4] == "idle" and any(
                    before < int(row[2]) and int(row[1]) < event.ts for event, (before, _) in missing.items()):
                raise Failure("idle where a switch is missing: %s" % row)


def without_last_names(text):
    """Without what tasks are called later: sh-100 (now wl-ping)."""
    return re.sub(r" \(now [^)]*\)", "", text)


def who_comes(path):
    """A task that leaves while it could go on, in state R or R+, is preempted by the next one."""
    lines = [json.loads(line) for line in plain_list(path)]
    switches = {(line["fields"]["prev_pid"], line["ts_ns"]): line for line in lines if line.get("event") == "sched_switch"}
    seen = {"R": 0, "R+": 0}
    for row in rows("timeline", path)[1:]:
        if row[0] != "task" or row[4] != "preempted" or seen[row[8]] > 3:
            continue
        switch = switches[int(row[6]), int(row[1])]
        came = "%s-%d" % (switch["fields"]["next_comm"], switch["fields"]["next_pid"])
        if not switch["fields"]["next_pid"]:
            continue
        words = "preempted on CPU %d by %s."
        got = without_last_names(told(path, "--task", row[6], "--at", "%sns" % row[1]))
        if ": " + words % (switch["cpu"], came) not in got:
            raise Failure("%s\n  expected: … %s" % (got, words % (switch["cpu"], came)))
        words = "; preempted by %s after"
        got = without_last_names(told(path, "--cpu", str(switch["cpu"]), "--at", "%dns" % (int(row[1]) - 1)))
        if words % came not in got:
            raise Failure("%s\n  expected: … %s" % (got, words % came))
        seen[row[8]] += 1
    if not all(seen.values()):
        raise Failure("%s" % seen)


def words_of_cpus(path):
    """The state that a CPU idles in, and the softirq that it handles."""
    last, nr = {}, {"idle": 0, "softirq": 0}
    for line in map(json.loads, plain_list(path)):
        event, cpu = line.get("event"), line.get("cpu")
        if event == "softirq_entry" and nr["softirq"] < FEW:
            got = told(path, "--cpu", str(cpu), "--at", "%dns" % line["ts_ns"])
            words = "On CPU %d, softirq %s runs for " % (cpu, SOFTIRQS[line["fields"]["vec"]])
            if words not in got:
                raise Failure("%s: %s" % (line, got))
            nr["softirq"] += 1
        if event == "cpu_idle":
            state, since = last.get(cpu, (2 ** 32 - 1, 0))
            got = told(path, "--cpu", str(cpu), "--at", "%dns" % ((since + line["ts_ns"]) // 2)) \
                if state < 2 ** 32 - 1 and nr["idle"] < FEW else ""
            if got.startswith("CPU %d idle " % cpu):     # not where events are lost
                if ", in idle state %d" % state not in got:
                    raise Failure("%s: %s" % (line, got))
                nr["idle"] += 1
            last[cpu] = line["fields"]["state"], line["ts_ns"]
    if min(nr.values()) < FEW:
        raise Failure("only %s" % nr)


def all_seen(seen):
    if len(seen) < len(REASONS):
        raise Failure("only %s" % " ".join(sorted(seen)))


def time_text(ts):
    return "%d.%09d" % divmod(ts, 10**9)


def several_buffers_without(tool):
    """Several buffers, of which none tells of tasks: each is looked at once."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.dat")
        subprocess.run([tool, "v7-buffers-zstd", path], check=True)
        for command in ("tasks", "wakeups", "timeline"):
            try:
                done = subprocess.run([PROGRAM, command, path], capture_output=True, text=True, timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                raise Failure(command + " has no end")
            if done.returncode or "the trace has no sched events" not in done.stderr:
                raise Failure("%s: status %d, %s" % (command, done.returncode, done.stderr))


def system_calls(path):
    """Time in system calls is that of those that latency lists, and that latency.py compares; their number, that of entries."""
    entries, times = {}, {}
    for row in csv.DictReader(io.StringIO(run([PROGRAM, "report", "--format=csv", path]).decode())):
        if row["event"].startswith("sys_enter"):
            entries[row["pid"]] = entries.get(row["pid"], 0) + 1
    text = run([PROGRAM, "latency", "--kind=syscall", "--format=csv", path]).decode()
    for row in csv.DictReader(io.StringIO(text)):
        if row["doubtful"] == "0" and row["duration_ns"]:
            times[row["pid"]] = times.get(row["pid"], 0) + int(row["duration_ns"])
    text = run([PROGRAM, "tasks", "--format=csv", path]).decode()
    got = [[row["pid"], row["syscalls"], row["syscalls_ns"]] for row in csv.DictReader(io.StringIO(text)) if row["pid"] in entries]
    expected = [[pid, str(entries[pid]), str(times.get(pid, 0))] for pid, _, _ in got]
    wrong = differences("system calls", got, expected)
    if wrong or len(got) < 3:
        raise Failure("\n".join(wrong or ["only %s" % got]))


def tasks_seen(path):
    """Without switches, the rows of CPUs are where events are: those of a task within 10 us of each other are one stretch."""
    expected, last = {}, {}
    for ts, cpu, pid, *_ in rows("report", path)[1:]:
        if not ts:                                          # lost events have no time
            last.pop(cpu, None)
            continue
        if last.get(cpu, (0, ""))[1] != pid or int(ts) - last[cpu][0] >= 10000:
            expected.setdefault(cpu, []).append((ts, pid))
        last[cpu] = int(ts), pid
    found = {}
    for kind, start, _, _, state, cpu, pid, *_ in rows("timeline", path)[1:]:
        if kind == "cpu" and state in ("seen", "idle"):
            found.setdefault(cpu, []).append((start, pid or "0"))
    if found != expected or max(map(len, found.values())) < 5:
        for cpu in expected:
            if found.get(cpu) != expected[cpu]:
                raise Failure("CPU %s: %s, not %s" % (cpu, sorted(set(found.get(cpu, [])) - set(expected[cpu]))[:5],
                                                      sorted(set(expected[cpu]) - set(found.get(cpu, [])))[:5]))
        raise Failure("only %s" % found)


def main():
    tap = Tap()
    recorded(tap, plain_list, compare)
    tap.case("queues of CPUs without records", queues_elsewhere)
    tap.case("tasks --cpu of one that moves", moves)
    tap.case("timelines without rows", without_rows)
    for name in ("fgraph-depth", "fgraph-7.2"):
        tap.case("tasks seen in " + name, tasks_seen, os.path.join(DATA, "good", name, "trace.dat"))
    for name in CALLS:
        tap.case("system calls of " + name, system_calls, os.path.join(DATA, "good", name, "trace.dat"))
    power = os.path.join(SHARED, "fixtures", "lost", "trace.dat")
    if os.path.exists(power):
        tap.case("idle states and softirqs", words_of_cpus, power)
    else:
        tap.skip("idle states and softirqs", "FTOP_SHARED has no such recording")
    tap.case("who comes", who_comes, os.path.join(DATA, "good", "sched-7.2", "trace.dat"))
    if TRACE_CMD:
        tap.case("plots of fields", plots, os.path.join(DATA, "good", "cpu4", "trace.dat"))
    else:
        tap.skip("plots of fields", "trace-cmd is missing")
    tool = os.path.join(BUILD, "tests", "tools", "make_trace")
    if os.path.exists(tool):
        tap.case("switches that contradict each other", contradictions, tool)
        tap.case("several buffers without switches", several_buffers_without, tool)
    else:
        tap.skip("switches that contradict each other", "make_trace was not built")
        tap.skip("several buffers without switches", "make_trace was not built")
    made_up(tap, MADE, 25, STEPS, lambda path, list_, seed: compare(path, sched_oracle.from_list(list_), seed))
    seen = set()

    def check_reasons(path, list_, seed):
        buffer = sched_oracle.from_list(list_)
        if monotonic(buffer) and any(event.name == "sched_switch" for event in buffer.events):
            reasons(path, buffer, seed, seen)

    made_up(tap, REASONED, REASONED, STEPS, check_reasons, "reasons in ")
    if os.path.exists(tool):
        tap.case("reasons of all kinds", all_seen, seen)
    tap.end()


main()
