#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diff beside figures that are worked out here: from made-up calls, from trace-cmd's text, by the oracles of scheduling.
Prints TAP."""
import csv
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import latency_oracle                                           # noqa: E402
import limits                                                   # noqa: E402
import queue_oracle                                             # noqa: E402
import sched_oracle                                             # noqa: E402
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run, trace_cmd_report          # noqa: E402
from sched_common import buffers                                # noqa: E402

GOOD = os.path.join(DATA, "good")
TREE = {"ksys_read": ("vfs_read", "fdput"), "vfs_read": ("copy_to_user", "slow_one"), "ksys_write": ("vfs_write",),
        "vfs_write": ("slow_one",)}


def good(name):
    return os.path.join(GOOD, name, "trace.dat")


def diff(a, b, by, *options):
    lines = run([PROGRAM, "diff", "--format=json", "--by=" + by, *options, a, b]).decode().splitlines()
    return [json.loads(line) for line in lines]


# --- made-up calls ----------------------------------------------------------------------------------
class Made:
    """A text of function_graph on two CPUs, and what is in it; times in ns, whole µs."""

    def __init__(self, seed, calls, slower=1.0):
        self.random, self.slower = random.Random(seed), slower
        self.lines, self.calls, self.spans = [], {}, []
        for cpu in (0, 1):
            self.cpu, self.now = cpu, 5000000000 + 1000 * cpu
            first = self.now
            for _ in range(calls):
                self.call(self.random.choice(("ksys_read", "ksys_write")), 0)
                self.now += 1000 * self.random.randrange(1, 20)
            self.spans.append((first, self.calls_end))
        self.lines.sort(key=lambda line: line[0])

    def line(self, duration, what):
        length = "%.3f us" % (duration / 1000) if duration else ""
        self.lines.append((self.now, " %12.6f |   %d)  worker-%d   | %11s   |  %s" %
                           (self.now / 1e9, self.cpu, 100 + self.cpu, length, what)))

    def call(self, name, depth):
        start, below = self.now, 0
        indent = "  " * depth
        own = 1000 * self.random.randrange(2, 30)
        if name == "slow_one":
            own = int(own * self.slower) // 1000 * 1000
        if name in TREE:
            self.line(0, indent + name + "() {")
            for callee in TREE[name]:
                self.now += 1000
                below += self.call(callee, depth + 1)
            self.now += own
            self.line(self.now - start, indent + "}")
        else:
            self.line(own, indent + name + "();")
            self.now += own
        self.calls_end = self.now
        self.calls.setdefault(name, []).append((self.now - start, self.now - start - below))
        return self.now - start

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            file.write("# tracer: function_graph\n#\n#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
                       "#      |          |     |    |           |   |                     |   |   |   |\n")
            file.writelines(line + "\n" for _, line in self.lines)

    def cpu_ns(self):
        end = max(end for _, end in self.spans)
        return sum(end - first for first, _ in self.spans)


def rank_test(a, b):
    """z of B's ranks: each value's rank is the mean place of its equals."""
    values = sorted(a + b)
    first, last = {}, {}
    for place, value in enumerate(values, 1):
        first.setdefault(value, place)
        last[value] = place
    ranks = {value: (first[value] + last[value]) / 2 for value in first}
    n, m, nr = len(a), len(b), len(values)
    u = sum(ranks[value] for value in b) - m * (m + 1) / 2
    ties = sum((last[v] - first[v] + 1) ** 3 - (last[v] - first[v] + 1) for v in first)
    variance = n * m / 12 * ((nr + 1) - ties / (nr * (nr - 1)))
    return (u - n * m / 2) / math.sqrt(variance) if variance > 0 else 0.0


def percentile(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def near(what, got, expected, within=0.001):
    if (got is None) != (expected is None) or (got is not None and abs(got - expected) > max(within, abs(expected) * 1e-9)):
        raise Failure("%s is %s, not %s" % (what, got, expected))


def check_durations(row, side, values):
    near(row["name"] + " count", row[side + "_count"], len(values))
    for percent, key in ((50, "_p50_ns"), (99, "_p99_ns"), (100, "_max_ns")):
        near(row["name"] + key, row[side + key], percentile(values, percent) if values else None)


def ratio(row, key, a, b):
    near("%s %s_ratio" % (row["name"], key), row[key + "_ratio"], b / a if a else None, 1e-5)


def check_row(row, of, cpu_ns):
    """@of: the durations of both; the row's figures per second of CPU time."""
    for side, values, time in zip("ab", of, cpu_ns):
        near("CPU time of " + side, row[side + "_cpu_ns"], time)
        check_durations(row, side, values)
    near(row["name"] + " rate", row["delta_count_per_s"],
         len(of[1]) * 1e9 / cpu_ns[1] - len(of[0]) * 1e9 / cpu_ns[0])
    near(row["name"] + " total", row["delta_total_ns_per_s"],
         sum(of[1]) * 1e9 / cpu_ns[1] - sum(of[0]) * 1e9 / cpu_ns[0], 1)
    for key, sums in (("count", [len(values) for values in of]), ("total", [sum(values) for values in of])):
        ratio(row, key, sums[0] / cpu_ns[0], sums[1] / cpu_ns[1])
    for percent, key in ((50, "p50"), (99, "p99"), (100, "max")):
        ratio(row, key, *[percentile(values, percent) if all(of) else 0 for values in of])
    z = rank_test(*of) if min(map(len, of)) >= 8 else None
    near(row["name"] + " z", row["z"], z)
    rates = [len(values) / time for values, time in zip(of, cpu_ns)]
    expected = len(of[0]) * cpu_ns[1] / cpu_ns[0]
    counts_differ = abs(rates[0] - rates[1]) > 0.1 * max(rates) and (
        abs(len(of[1]) - sum(map(len, of)) * cpu_ns[1] / sum(cpu_ns)) >=
        2.58 * math.sqrt(sum(map(len, of)) * cpu_ns[0] * cpu_ns[1] / sum(cpu_ns) ** 2)) if expected or of[1] else False
    differs = max(map(len, of)) >= 8 and (counts_differ or (z is not None and abs(z) >= 2.58))
    if row["verdict"] != ("differs" if differs else "noise"):
        raise Failure("%s is %s" % (row["name"], row["verdict"]))


def calls(seed, nr, slower, folder):
    made = [Made(seed, nr), Made(seed, nr, slower)]
    paths = [os.path.join(folder, name) for name in ("a.txt", "b.txt")]
    for one, path in zip(made, paths):
        one.write(path)
    rows = diff(*paths, "functions")
    cpu_ns = [sum(max(end for _, end in one.spans) - first for first, _ in one.spans) for one in made]
    if rows[0]["name"] != "slow_one" or rows[0]["verdict"] != "differs":
        raise Failure("first comes %s, %s" % (rows[0]["name"], rows[0]["verdict"]))
    if {row["name"] for row in rows} != set(made[0].calls):
        raise Failure("functions are %s" % sorted(row["name"] for row in rows))
    for row in rows:
        of = [one.calls[row["name"]] for one in made]
        check_row(row, [[duration for duration, _ in one] for one in of], cpu_ns)
        for side, values in zip("ab", of):
            near(row["name"] + " total", row[side + "_total_ns"], sum(duration for duration, _ in values))
            near(row["name"] + " self", row[side + "_self_ns"], sum(own for _, own in values))
        near(row["name"] + " self", row["delta_self_ns_per_s"],
             sum(own for _, own in of[1]) * 1e9 / cpu_ns[1] - sum(own for _, own in of[0]) * 1e9 / cpu_ns[0], 1)
    changes = [abs(row["delta_total_ns_per_s"]) for row in rows]
    if changes != sorted(changes, reverse=True):
        raise Failure("not in the order of changes: %s" % changes)


def whole(folder):
    """The same work on a quiet and on a busy machine, as sums of the whole traces: other calls fill the CPU time of B.  Of two
    recordings of a command, that is the default."""
    made = [Made(1, 200), Made(1, 200)]
    paths = [os.path.join(folder, name) for name in ("quiet.txt", "busy.txt")]
    made[1].now += 9 * 10**9
    made[1].line(1000, "other_work();")
    for one, path in zip(made, paths):
        one.write(path)
    per_second = {row["name"]: row for row in diff(*paths, "functions")}
    if per_second["vfs_read"]["total_ratio"] > 0.1:
        raise Failure("per second, vfs_read is %r" % per_second["vfs_read"])
    rows = diff(*paths, "functions", "--per=trace")
    if [row["name"] for row in rows] != ["other_work"] or "delta_total_ns_per_s" in rows[0]:
        raise Failure("rows are %r" % rows)
    near("counts", [rows[0]["a_count"], rows[0]["b_count"], rows[0]["count_ratio"]] == [0, 1, None], True)
    warned = subprocess.run([PROGRAM, "diff", *paths], capture_output=True, check=True).stderr.decode()
    if "busy.txt has " not in warned or "--per=trace" not in warned:
        raise Failure("the warning is %r" % warned)


def equal(trace):
    for by in ("functions", "tasks", "latency", "stacks", "events", "scheduler"):
        if diff(trace, trace, by):
            raise Failure("by %s, a trace differs from itself" % by)
    text = run([PROGRAM, "diff", trace, trace]).decode().splitlines()
    if text[-1] != "no differences":
        raise Failure("the text ends with %r" % text[-1])


def nothing():
    """Traces without calls are not alike by their functions."""
    text = run([PROGRAM, "diff", "--by=functions", good("sched"), good("waits")]).decode().splitlines()
    if text[-1] != "nothing to compare":
        raise Failure("the text ends with %r" % text[-1])


def one_sided():
    """Both have a run queue, which has no count; only one has net, so their selves are of different things."""
    text = run([PROGRAM, "diff", "--by=scheduler", good("sched"), good("waits")]).decode()
    if " gone " in text or not re.search(r"^0\.636 times as long \(better\) .* run queue$", text, re.M):
        raise Failure("the text is %r" % text)
    done = subprocess.run([PROGRAM, "diff", "--by=functions", "--format=json", good("cpu4"), good("fgraph-depth")], capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    told = {row["self_ratio"] for row in rows} | {row["delta_self_ns_per_s"] for row in rows}
    if told != {None} or b"self is not compared" not in done.stderr:
        raise Failure("self is compared: %r" % told)


def missing(folder):
    """What a row cannot have is null, not 0: switches have no length, a run queue is no instance, orphans have no self."""
    rows = {row["name"]: row for row in diff(good("sched"), good("waits"), "scheduler")}
    for name, lacks in (("switches", "total"), ("migrations", "total"), ("run queue", "count"), ("idle, others waited", "count")):
        told = {key: value for key, value in rows[name].items() if lacks in key or re.search("p50|p99|max", key)}
        if len(told) < 16 or set(told.values()) != {None}:
            raise Failure("%s has %r" % (name, told))
        if not rows[name]["a_total_ns" if lacks == "count" else "a_count"]:
            raise Failure("%s has nothing: %r" % (name, rows[name]))
    exits = os.path.join(folder, "exits.dat")
    run([PROGRAM, "cut", "--filter=dur > 100us && comm == \"trace-cmd\"", "-o", exits, good("fgraph-7.2")])
    rows = [row for row in diff(exits, good("fgraph-7.2"), "functions") if row["a_count"]]
    if not rows or {row[key] for row in rows for key in ("a_self_ns", "self_ratio", "delta_self_ns_per_s")} != {None}:
        raise Failure("orphans have a self: %r" % rows)
    if not any(row["b_self_ns"] for row in rows) or not all(row["a_total_ns"] for row in rows):
        raise Failure("the others have none: %r" % rows)


# --- recorded traces --------------------------------------------------------------------------------
def covered(trace):
    """Of trace-cmd's text: from each CPU's first event to the last of all, without gaps."""
    last, first, gaps, lost = {}, {}, 0, set()
    for line in trace_cmd_report(["-t"], trace).decode(errors="replace").splitlines():
        dropped = re.match(r"CPU:(\d+) \[(?:\d+ )?EVENTS DROPPED\]", line)
        event = re.match(r".*?-\d+ +\[(\d+)\][^:]*? +(\d+)\.(\d{9}): ", line)
        if dropped:
            lost.add(int(dropped[1]))
        if not event:
            continue
        cpu, ts = int(event[1]), int(event[2]) * 10 ** 9 + int(event[3])
        if cpu in lost and cpu in last:
            gaps += ts - last[cpu]
        lost.discard(cpu)
        first.setdefault(cpu, ts)
        last[cpu] = ts
    return sum(max(last.values()) - ts for ts in first.values()) - gaps


def cpu_time(a, b):
    row = diff(a, b, "events")[0]
    for side, trace in zip("ab", (a, b)):
        near("CPU time of " + trace, row[side + "_cpu_ns"], covered(trace))


def slices(buffer):
    """Runs between two switches of a CPU, both recorded, nothing lost between them."""
    found = []
    for events in buffer.cpus.values():
        before = None
        for event in events:
            if event.lost:
                before = None
            if event.name == "sched_switch":
                if before and before.pid2 == event.pid > 0:
                    found.append((before.ts, event.ts))
                before = event
    return found


def scheduler(a, b, window=None):
    """@window: in ms since the first event; what began in it counts."""
    of, queues, cpu_ns, counts = [], [], [], []
    for trace in (a, b):
        lines = run([PROGRAM, "report", "--format=json", trace]).decode(errors="replace").splitlines()
        letters, plus = sched_oracle.print_format(TRACE_CMD, trace)
        buffer = latency_oracle.buffers(lines, buffers(trace), letters, plus, sched_oracle.saved_names(TRACE_CMD, trace))[0]
        names_of = latency_oracle.Names([buffer])
        start, last = min(event.ts for event in buffer.events), max(event.ts for event in buffer.events)
        first, end = (start + window[0] * 10**6, start + window[1] * 10**6) if window else (start, last)
        done = [one for one in latency_oracle.States(buffer, names_of).instances
                if one.end is not None and not one.doubtful and first <= one.start <= end]
        of.append({"wake-up latency, stayed": [one.duration() for one in done if one.kind == "wakeup" and one.moved == 0],
                   "wake-up latency, migrated": [one.duration() for one in done if one.kind == "wakeup" and one.moved == 1],
                   "wake-up latency, stayed or migrated": [one.duration() for one in done if one.kind == "wakeup" and one.moved is None],
                   "preempted": [one.duration() for one in done if one.kind == "preempted"],
                   "slice": [stop - since for since, stop in slices(buffer) if first <= since <= end]})
        rows = queue_oracle.rows(buffer, first, end) if window else queue_oracle.rows(buffer)
        queues.append({"run queue": sum(row[2] for row in rows), "idle, others waited": sum(row[6] for row in rows)})
        cpu_ns.append(sum(max(min(last, end) - max(events[0].ts, first), 0) for events in buffer.cpus.values()))
        names_of = [event.name for event in buffer.events if first <= event.ts <= end]
        counts.append({"switches": names_of.count("sched_switch"), "migrations": names_of.count("sched_migrate_task")})
    rows = {row["name"]: row for row in
            diff(a, b, "scheduler", *(["--from=+%dms" % window[0], "--to=+%dms" % window[1]] if window else []))}
    for name in of[0]:
        if name in rows or any(one[name] for one in of):
            check_row(rows[name], [one[name] for one in of], cpu_ns)
    for name in queues[0]:
        near(name, rows.get(name, {"delta_total_ns_per_s": 0})["delta_total_ns_per_s"],
             queues[1][name] * 1e9 / cpu_ns[1] - queues[0][name] * 1e9 / cpu_ns[0], 1)
    for name in counts[0]:
        near(name, [rows[name]["a_count"], rows[name]["b_count"]] == [one[name] for one in counts], True)


def names(folder):
    """Tasks with numbers in their names are one row."""
    switch = "  %s-%d [000] d... %12.6f: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120"
    tasks = [("nginx-1", 11), ("nginx-22", 12), ("kworker/0:1-mm", 13), ("kworker/u8:2", 14), ("jbd2/sda1-8", 15), ("sha256sum", 16)]
    path = os.path.join(folder, "names.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n")
        for i in range(24):
            (a, p), (b, q) = tasks[i % 6], tasks[(i + 1) % 6]
            file.write(switch % (a, p, 1 + i / 1000, a, p, b, q) + "\n")
    found = {row["name"]: row["b_count"] for row in diff(good("hwlat"), path, "tasks") if row["b_count"]}
    if found != {"nginx-*": 8, "kworker": 8, "jbd2/sda1-*": 4, "sha256sum": 4}:
        raise Failure("tasks are %s" % found)


def victim(path, seed, longer, rounds=60):
    """hog runs; each ms, it wakes victim, which waits for it, runs and sleeps.  Return: how long it ran and waited, in ns."""
    line = "  %s-%d [000] d..2. %12.6f: "
    switch = line + "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120"
    numbers, runs, waits, now = random.Random(seed), [], [], 1000000
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n")
        file.write(switch % ("victim", 12, now / 1e6, "victim", 12, "S", "hog", 11) + "\n")
        for _ in range(rounds):
            run_us, wait_us = numbers.randrange(50, 90), numbers.randrange(20, 40) * longer
            runs.append(run_us * 1000)
            waits.append(wait_us * 1000)
            file.write((line + "sched_waking: comm=victim pid=12 prio=120 target_cpu=000") % ("hog", 11, (now + 500) / 1e6) + "\n")
            file.write(switch % ("hog", 11, (now + 500 + wait_us) / 1e6, "hog", 11, "R", "victim", 12) + "\n")
            file.write(switch % ("victim", 12, (now + 500 + wait_us + run_us) / 1e6, "victim", 12, "S", "hog", 11) + "\n")
            now += 1000
    return runs, waits


def judged_waits(folder):
    """A task whose waits are six times as long differs, though its runs do not."""
    paths = [os.path.join(folder, name) for name in ("short.txt", "long.txt")]
    for seed, longer, verdict in ((2, 6, "differs"), (2, 1, "noise"), (1, 6, "differs")):
        made = [victim(paths[0], 1, 1), victim(paths[1], seed, longer)]
        z_runs, z_waits = [rank_test(a, b) for a, b in zip(*made)]
        near("runs", abs(z_runs) < 2.58, True)
        near("waits", abs(z_waits) >= 2.58, verdict == "differs")
        row, = [row for row in diff(*paths, "tasks") if row["name"] == "victim"]
        near("z", row["z"], z_runs)
        near("verdict of waits %d times as long" % longer, row["verdict"] == verdict, True)


def groups(a, b, kind, key, *options):
    """A kind's instances, which latency.py compares with an oracle, by name; doubtful ones do not count."""
    of = [{}, {}]
    for side, trace in enumerate((a, b)):
        text = run([PROGRAM, "latency", "--kind=" + kind, "--format=csv", *options, trace]).decode()
        for row in csv.DictReader(io.StringIO(text)):
            if row["doubtful"] == "0":
                name = re.sub(r"(?<=[/:])\d+|\d+$", "*", row[key]) if not row[key].startswith("kworker") else "kworker"
                of[side].setdefault(name, []).append(int(row["duration_ns"]))
    rows = diff(a, b, "latency", "--kind=" + kind, *options)
    cpu_ns = [rows[0]["a_cpu_ns"], rows[0]["b_cpu_ns"]]
    if {row["name"] for row in rows} != set(of[0]) | set(of[1]) or len(rows) < 3 - len(options):
        raise Failure("groups are %s" % [row["name"] for row in rows])
    for row in rows:
        check_row(row, [one.get(row["name"], []) for one in of], cpu_ns)


def findings(folder):
    """In text, the verdict says by how much B is worse or better, as the columns do; counts are neither."""
    made = [Made(1, 200), Made(1, 200, 2.0)]
    paths = [os.path.join(folder, name) for name in ("fast.txt", "slow.txt")]
    for one, path in zip(made, paths):
        one.write(path)
    for a, b, word in ((*paths, "worse"), (*paths[::-1], "better")):
        text = run([PROGRAM, "diff", "--by=functions", a, b]).decode()
        p50 = [percentile([duration for duration, _ in one.calls["slow_one"]], 50) for one in made]
        times = p50[1] / p50[0] if word == "worse" else p50[0] / p50[1]
        if not re.search(r"^%.3g times as long \(%s\) .* slow_one$" % (times, word), text, re.M):
            raise Failure("not %g times, %s: %s" % (times, word, text))
    victim(paths[0], 1, 1)
    waits = [sum(victim(path, 1, longer)[1]) for path, longer in zip(paths, (1, 6))]
    text = run([PROGRAM, "diff", "--by=tasks", "--per=trace", *paths]).decode()
    if not re.search(r"^waits %.3g times as long \(worse\) .* victim$" % (waits[1] / waits[0]), text, re.M):
        raise Failure("waits: %s" % text)
    victim(paths[1], 1, 1, 180)
    text = run([PROGRAM, "diff", "--by=events", "--per=trace", *paths]).decode()
    if not re.search(r"^3 times as many .* sched/sched_waking$", text, re.M):
        raise Failure("counts: %s" % text)


def part(folder):
    """Wake-ups each 0.5 ms, on CPU 0 and 1 in turn: from +10 to +30 ms there are 41.  A has only those of CPU 0."""
    line = "  task-%d [%03d] d..2. %12.6f: sched_wakeup: comm=task pid=%d prio=120 target_cpu=001"
    paths = [os.path.join(folder, name) for name in ("half.txt", "part.txt")]
    for path, step in zip(paths, (2, 1)):
        with open(path, "w", encoding="ascii") as file:
            file.write("# tracer: nop\n")
            file.writelines(line % (11 + i % 2, i % 2, 1 + i / 2000, 13) + "\n" for i in range(0, 100, step))
    window = ("--from=+10ms", "--to=+30ms")
    for more, count_a, count_b in (((), 21, 41), (("--task=12",), 0, 20), (("-F", "CPU == 1"), 0, 20)):
        row, = diff(*paths, "events", *window, *more)
        near("events with %s" % (more,), [row["a_count"], row["b_count"]] == [count_a, count_b], True)
        near("CPU time", [row["a_cpu_ns"], row["b_cpu_ns"]] == [20 * 10**6, 40 * 10**6], True)
    for more in (["--cpu=0"], ["--cpu=0", "--task=11"], ["--cpu=0", "--task=12"]):
        near("rows with %s" % more, diff(*paths, "events", *window, *more) == [], True)
    for more, wrong in (["--task=99", b"no such task"], ["--cpu=7", b"none of these CPUs"], ["--from=3", b"half.txt: nothing in this window"]):
        done = subprocess.run([PROGRAM, "diff", more, *paths], capture_output=True, check=False)
        if done.returncode != 2 or wrong not in done.stderr:
            raise Failure("%s: %r" % (more, done))


def late_cpu(folder):
    """Of a CPU whose first events are lost, what comes later is recorded: here 100 and 35 ms."""
    line = "  task-%d [%03d] d..2. %12.6f: sched_wakeup: comm=task pid=%d prio=120 target_cpu=001"
    lines = [line % (11, 0, 1 + i / 100, 12) for i in range(7)] + ["CPU:1 [LOST 5 EVENTS]"]
    lines += [line % (12, i % 2, 1 + (6 + i / 2) / 100, 11) for i in range(9)]
    path = os.path.join(folder, "late.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n" + "\n".join(lines) + "\n")
    row, = diff(good("cpu4"), path, "events")[:1]
    near("CPU time", row["b_cpu_ns"], 100 * 10**6 + 35 * 10**6)


def compare_list(a, b, by, sides):
    """@sides: {name: figures} of A and of B, from the command that prints the list, which other tests hold against an oracle."""
    rows = {row["name"]: row for row in diff(a, b, by)}
    for name in sorted(set(sides[0]) | set(sides[1])):
        values = [side.get(name, {}) for side in sides]
        if name not in rows:
            if values[0] != values[1]:
                raise Failure("%s is not there: %r" % (name, values))
            continue
        for side, value in zip("ab", values):
            for figure, wanted in value.items():
                if rows[name]["%s_%s" % (side, figure)] != wanted:
                    raise Failure("%s, %s of %s: %r instead of %r" % (name, figure, side, rows[name], wanted))
        if rows[name]["verdict"] == "not known":
            if all(values) or rows[name]["a_count"] not in (None, values[0].get("count")) or rows[name]["delta_count_per_s"] is not None:
                raise Failure("%s is not known: %r" % (name, rows[name]))
            continue
        rates = [value.get("count", 0) * 1e9 / rows[name][side + "_cpu_ns"] for side, value in zip("ab", values)]
        near(name, rows[name]["delta_count_per_s"], rates[1] - rates[0], 0.002)
    if not rows or not set(rows) <= set(sides[0]) | set(sides[1]):
        raise Failure("rows of %s: %r" % (by, sorted(rows)))


def printed(path, *words):
    return csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv", path]).decode()))


def throttled(folder):
    """How long limits kept tasks from running, in us, as limits.py made them up; None: that is not known."""
    a, b, none = (os.path.join(folder, name) for name in ("two.txt", "one.txt", "none.txt"))
    limits.two_budgets().write(a)
    limits.budget().write(b)
    limits.yields().write(none)
    for first, second, by, name, of_a, of_b in ((a, b, "tasks", "dl", 45000, 299500), (a, b, "tasks", "dl*", 20000, 0), (a, b, "tasks", "hog", 0, None),
                                                (a, b, "cgroup", "not known", 65000, 299500), (none, a, "tasks", "spin", None, 0)):
        row = {row["name"]: row for row in diff(first, second, by, "--per=trace")}[name]
        got = tuple(row[side + "_throttled_ns"] for side in "ab")
        if got != tuple(None if us is None else us * 1000 for us in (of_a, of_b)):
            raise Failure("%s of %s: %r" % (name, by, got))
        near(name, row["throttled_ratio"], of_b / of_a if of_a and of_b is not None else None, 1e-5)
    row = {row["name"]: row for row in diff(a, b, "scheduler", "--per=trace")}["throttled"]
    if (row["a_total_ns"], row["b_total_ns"]) != (65000000, 299500000):
        raise Failure(row)
    row = {row["name"]: row for row in diff(a, b, "tasks")}["dl"]
    near("a second", row["delta_throttled_ns_per_s"], 299500 * 1e12 / row["b_cpu_ns"] - 45000 * 1e12 / row["a_cpu_ns"], 1)
    for first, second, shown in ((a, b, True), (none, none, False), (good("cpu4"), good("sched"), False)):
        if ("throttled" in run([PROGRAM, "diff", "--by=tasks", first, second]).decode()) != shown:
            raise Failure("the column of %s and %s" % (first, second))


def counts(a, b):
    compare_list(a, b, "counts", [{row["event"]: {"count": int(row["count"])} for row in printed(path, "count")} for path in (a, b)])


def noises(a, b):
    """timerlat's latencies of A, osnoise of B."""
    sides = [{}, {}]
    for row in printed(a, "noise"):
        for what in ("irq", "thread"):
            sides[0]["timerlat CPU %s %s" % (row["cpu"], what)] = {"count": int(row[what + "_count"]), "max_ns": int(row[what + "_max_ns"])}
    for row in printed(b, "noise"):
        sides[1]["osnoise CPU %s noise" % row["cpu"]] = {"count": int(row["periods"]), "total_ns": int(row["noise_ns"]),
                                                         "max_ns": int(row["max_noise_ns"])}
    compare_list(a, b, "noise", sides)


def verdicts(a, b, by, *options):
    done = subprocess.run([PROGRAM, "diff", "--format=json", "--by=" + by, *options, a, b], capture_output=True, check=True)
    rows = {row["name"]: row for row in map(json.loads, done.stdout.decode().splitlines())}
    for row in rows.values():
        unknown = [side for side in "ab" if row[side + "_count"] is row.get(side + "_total_ns") is row.get(side + "_p50_ns") is None]
        if (row["verdict"] == "not known") != bool(unknown) or (unknown and any(row.get(key) is not None for key in row if "ratio" in key)):
            raise Failure("%s is %r" % (row["name"], row))
    return {name for name, row in rows.items() if row["verdict"] == "not known"}, set(rows), done.stderr.decode()


def not_recorded(folder):
    """What one trace has and the other did not record is neither gone nor new.  cpu4 has events of sched and irq, and calls;
    timerlat only what its tracer writes; formats of `sched` are those of what it recorded, without sched_waking."""
    cpu4, sched, timerlat = good("cpu4"), good("sched"), good("timerlat")
    unknown, every, told = verdicts(cpu4, sched, "events")
    wanted = {"ftrace/funcgraph_entry", "ftrace/funcgraph_exit", "irq/softirq_entry", "irq/softirq_exit", "irq/softirq_raise", "sched/sched_waking"}
    if not wanted < unknown or unknown & {"sched/sched_switch", "sched/sched_wakeup"} or "may not have recorded" not in told:
        raise Failure("events: %s, %s" % (unknown, told))
    for a, b in ((cpu4, timerlat), (timerlat, cpu4)):
        for by in ("tasks", "scheduler", "latency", "wakeups", "why", "functions", "events", "noise"):
            unknown, every, told = verdicts(a, b, by)
            if not every or unknown != every:
                raise Failure("by %s: %s of %s" % (by, unknown, every))
    unknown, every, told = verdicts(cpu4, sched, "latency")
    if "softirq" not in unknown or unknown & {"preempted", "wakeup"}:
        raise Failure("latency: %s of %s" % (unknown, every))
    # wake-ups alone say nothing of who ran
    alone, both = os.path.join(folder, "alone.txt"), os.path.join(folder, "both.txt")
    victim(both, 1, 1)
    with open(both, encoding="ascii") as file, open(alone, "w", encoding="ascii") as out:
        out.writelines(line for line in file if "sched_switch" not in line)
    for by in ("tasks", "scheduler", "latency", "wakeups", "why"):
        unknown, every, told = verdicts(both, alone, by)
        if not every or unknown != every:
            raise Failure("without switches, by %s: %s of %s" % (by, unknown, every))
    # recorded, and not there in this part: that is known
    unknown, every, told = verdicts(cpu4, sched, "latency", "--kind=preempted")
    if unknown or not every:
        raise Failure("preempted: %s of %s" % (unknown, every))


def damaged(folder):
    """What a damaged file has less of may be in what cannot be read; its rates are of what can be."""
    whole_one, cut_off = good("sched"), os.path.join(folder, "cut-off.dat")
    with open(whole_one, "rb") as file, open(cut_off, "wb") as out:
        out.write(file.read()[:-4096])
    for a, b in ((whole_one, cut_off), (cut_off, whole_one)):
        rows = diff(a, b, "events", "--per=trace")
        if not rows or {row["verdict"] for row in rows} != {"not known"} or None in {row["a_count"] for row in rows}:
            raise Failure("rows are %r" % rows)


def main():
    tap = Tap()
    for name in ("cpu4", "sched", "waits", "lost-text", "irqsoff"):
        tap.case("no differences: " + name, equal, good(name))
    tap.case("traces without calls", nothing)
    tap.case("what only one of both has", one_sided)
    tap.case("groups of wake-ups", groups, good("cpu4"), good("sched"), "wakeup", "comm")
    tap.case("groups of wake-ups on a CPU", groups, good("cpu4"), good("sched"), "wakeup", "comm", "--cpu=0")
    tap.case("what count prints", counts, good("cpu4"), good("sched"))
    tap.case("what noise prints", noises, good("timerlat"), good("osnoise-rt"))
    with tempfile.TemporaryDirectory() as folder:
        for seed, nr, slower in ((1, 200, 2.0), (2, 40, 3.0), (3, 500, 1.3)):
            tap.case("%d calls, %g times as slow" % (nr, slower), calls, seed, nr, slower, folder)
        tap.case("sums of whole traces", whole, folder)
        tap.case("names of tasks", names, folder)
        tap.case("what a row cannot have", missing, folder)
        start = os.path.join(folder, "start.dat")
        run([PROGRAM, "cut", "-o", start, "--to=+80ms", good("cpu4")])
        tap.case("groups of softirqs", groups, good("cpu4"), start, "softirq", "what")
        tap.case("what was not recorded", not_recorded, folder)
        tap.case("what a damaged file has less of", damaged, folder)
        tap.case("limits", throttled, folder)
        tap.case("waits of tasks", judged_waits, folder)
        tap.case("what the verdict says", findings, folder)
        tap.case("a part of traces", part, folder)
        tap.case("a CPU that begins with lost events", late_cpu, folder)
    if TRACE_CMD:
        tap.case("CPU time", cpu_time, good("cpu4"), good("sched"))
        tap.case("CPU time with lost events", cpu_time, good("lost-text"), good("subbuf"))
        tap.case("the scheduler", scheduler, good("sched"), good("sched-7.2"))
        tap.case("the scheduler in a window", scheduler, good("sched"), good("sched-7.2"), (10, 40))
    else:
        tap.skip("recorded traces", "trace-cmd is missing")
    tap.end()


if __name__ == "__main__":
    main()
