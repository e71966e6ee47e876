#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""export --tables: Parquet by a reader of our own, against formulas, the same tables as CSV, trace-cmd's text and the other
commands.  Prints TAP.
"""
import bisect
import collections
import csv
import io
import os
import re
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import limits
import parquet
from report_common import BUILD, DATA, LONG, PROGRAM, SRC, TRACE_CMD, Failure, Tap, run, trace_cmd_report

TABLES = ("sched_slice", "thread_state", "thread", "process", "slice", "irq_slice", "softirq_slice", "counter",
          "ftrace_event", "args", "wakeup", "latency")
ROWS = 1000005 if LONG else 33000          # more than a row group; more than a page
QUERIES = os.path.join(SRC, "share", "queries")
DEMO = os.path.join(SRC, "tests", "demo", "demo.dat")


def equal(got, expected, what):
    if got != expected:
        raise Failure("%s: %r instead of %r" % (what, got, expected))


# --- the writer -----------------------------------------------------------------------------

def formulas(rows):
    """The rows of tests/tools/make_parquet, as its source has them."""
    odd = ["", "café", "caf\ufffd", "a\"b,c\n", "🐧"]
    mixed = 1
    for i in range(rows):
        mixed = (mixed * 6364136223846793005 + 1442695040888963407) % 2**64
        number = mixed if i % 3 else mixed >> i % 64
        few = ("abcdefghi"[i % 9] if i % 9 else "abc") if i % 5 else None
        many = str(mixed) if i % 1000 else str(mixed).ljust(160, "x")
        yield ("every row", i, number - 2**64 if number >= 2**63 else number, -i if i % 7 == 3 else None, None,
               mixed - 2**64 if mixed >= 2**63 else mixed, few, many, None, odd[i % 5])


def check_writer(path, rows):
    run([os.path.join(BUILD, "tests/tools/make_parquet"), path, str(rows)])
    only = ("constant", "id", "sparse", "never", "few", "odd") if rows > 100000 else None    # the rest takes minutes
    found, groups = parquet.read(path, only)
    equal(groups, [1000000] * (rows // 1000000) + ([rows % 1000000] if rows % 1000000 else []), "row groups")
    names = ("constant", "id", "mixed", "sparse", "never", "plain", "few", "many", "none", "odd")
    for i, row in enumerate(formulas(rows)):
        for name, value in zip(names, row):
            if name not in found:
                continue
            got = found[name][i]
            if (got.decode() if isinstance(got, bytes) else got) != value and not (name == "many" and i % 1000 == 0):
                raise Failure("row %d, %s: %r instead of %r" % (i, name, got, value))
            if name == "many" and i % 1000 == 0:
                equal((got[:len(str(int(row[5]) % 2**64))].decode(), len(got)), (str(row[5] % 2**64), 160), name)


# --- the tables -----------------------------------------------------------------------------

class Export:
    """A trace's tables, as Parquet and as CSV."""

    def __init__(self, trace, folder, name):
        self.trace = trace
        self.names = Names(trace)
        self.tables = {}
        run([PROGRAM, "export", "--tables", folder, "--name", name, trace])
        run([PROGRAM, "export", "--tables=" + folder, "--format=csv", "--name=" + name, trace])
        for table in TABLES:
            with open(os.path.join(folder, table, name + ".csv"), encoding="utf-8", newline="") as file:
                lines = list(csv.reader(file))
            found, _ = parquet.read(os.path.join(folder, table, name + ".parquet"))
            equal(list(found), lines[0], table + ": columns")
            equal(len(lines) - 1, len(found["trace"]), table + ": rows")
            for i, column in enumerate(lines[0]):
                for row, got in enumerate(found[column]):
                    text = "" if got is None else got.decode() if isinstance(got, bytes) else str(got)
                    if text != lines[row + 1][i]:
                        raise Failure("%s, row %d, %s: %r, as CSV %r" % (table, row, column, got, lines[row + 1][i]))
                found[column] = [v.decode() if isinstance(v, bytes) else v for v in found[column]]
            if set(found["trace"]) - {name}:
                raise Failure("%s: rows of %r" % (table, set(found["trace"])))
            self.tables[table] = [dict(zip(found, row)) for row in zip(*found.values())]

    def rows(self, table, **where):
        return [row for row in self.tables[table] if all(row[key] == value for key, value in where.items())]


def command(*words):
    """The rows of one of our commands, whose figures other tests hold against trace-cmd and an oracle."""
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv"]).decode())))


def number(text):
    return int(text) if text else None


class Names:
    """Names of tasks at a time, as `report` prints them, which others hold against trace-cmd."""

    def __init__(self, trace):
        self.seen, self.told = collections.defaultdict(list), {}
        for row in command("report", trace):
            if row.get("ts_ns") and row["comm"]:
                self.seen[int(row["pid"])].append((int(row["ts_ns"]), row["comm"]))
            for comm, pid in re.findall(r"\bcomm=(\S+) pid=(\d+)", row["text"]):
                self.told[int(pid)] = comm

    def get(self, ts, pid, otherwise):
        seen = self.seen.get(pid)
        if not seen:
            return self.told.get(pid, otherwise)
        return seen[max(bisect.bisect_right(seen, ts, key=lambda s: s[0]) - 1, 0)][1]


def check_events(export):
    """Time, CPU, task and name of each event, and the fields of its text, as trace-cmd prints them."""
    line = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\][ -].*?(\d+)\.(\d+): +(\w+): +(.*)$")
    expected = []
    for text in trace_cmd_report(["-R", "-t"], export.trace).decode(errors="replace").split("\n"):
        found = line.match(text)
        if found:
            expected.append((int(found[4]) * 10**9 + int(found[5]), int(found[3]), int(found[2]), found[6], found[7]))
    rows = export.rows("ftrace_event")
    equal([(r["ts"], r["cpu"], r["utid"], r["name"]) for r in rows], [e[:4] for e in expected], "events")
    args = collections.defaultdict(dict)
    for row in export.rows("args"):
        args[row["arg_set_id"]][row["key"]] = row
    checked = 0
    for row, (_, _, _, name, text) in zip(rows, expected):
        for key, value in re.findall(r"(\w+)=(-?\d+)(?= |$)", text) if name != "raw_data" else ():     # in hex
            arg = args[row["arg_set_id"]].get(key)
            if arg and arg["value_type"] in ("int", "uint"):
                if arg["int_value"] != int(value):
                    raise Failure("%s %s: %r instead of %s" % (name, key, arg["int_value"], value))
                checked += 1
    if rows and not checked:
        raise Failure("no field was compared")


def check_tasks(export):
    """Sums of states, by task, are what `tasks` prints."""
    names = {row["utid"]: row["name"] for row in export.rows("thread")}
    sums = collections.Counter()
    for row in export.rows("sched_slice"):
        sums[row["utid"], "run_cut_ns" if row["cut"] else "run_ns"] += row["dur"]
        sums[row["utid"], "switches"] += row["end_state"] is not None
    for row in export.rows("thread_state"):
        state = row["state"]
        if state == "Running":
            sums[row["utid"], "run_all"] += row["dur"]
            continue
        column = "wait_ns" if state[0] == "R" else "blocked_ns" if "D" in state else "sleep_ns"
        sums[row["utid"], column] += row["dur"]
        sums[row["utid"], "doubtful_ns"] += row["dur"] * row["doubtful"]
        sums[row["utid"], "throttled_ns"] += row["throttled"] or 0
    for task in command("tasks", export.trace):
        pid = int(task["pid"])
        for column in ("run_ns", "run_cut_ns", "wait_ns", "sleep_ns", "blocked_ns", "doubtful_ns"):
            # without switches, `tasks` does not know
            equal(sums[pid, column], int(task[column] or sums[pid, column]), "pid %d, %s" % (pid, column))
        equal(sums[pid, "throttled_ns"], int(task["throttled_ns"] or 0), "pid %d, throttled" % pid)
        equal(sums[pid, "run_all"], sums[pid, "run_ns"] + sums[pid, "run_cut_ns"], "pid %d, Running" % pid)
        last = export.names.get(1 << 63, pid, task["comm"])
        equal(names[pid] or "<...>", last, "name of %d" % pid)


def check_limits(folder):
    """How long limits kept tasks from running: each wait, `tasks` and its Parquet."""
    path = os.path.join(folder, "limits.txt")
    for name, play, waits in (("dl", limits.two_budgets(), [20000, 20000, 5000]), ("dl", limits.budget((), True), [60000] * 5), ("spin", limits.yields(), [])):
        play.write(path)
        export = Export(path, os.path.join(folder, "limits"), "%s-%d" % (name, len(waits)))
        check_tasks(export)
        equal([row["throttled"] // 1000 for row in export.rows("thread_state", utid=play.pids[name]) if row["throttled"]], waits, name)
        list_path = os.path.join(folder, "tasks.parquet")
        with open(list_path, "wb") as out:
            subprocess.run([PROGRAM, "tasks", "--format=parquet", path], stdout=out, stderr=subprocess.DEVNULL, check=True)
        found, _ = parquet.read(list_path)
        equal(dict(zip(found["pid"], found["throttled_ns"]))[play.pids[name]], 1000 * sum(waits) or None, name)


def check_wakeups(export):
    got = [(r["ts"], r["run_ts"], r["dur"], r["utid"], r["comm"], r["cpu"], r["waker_utid"], r["waker_comm"],
            r["context"] or "", r["doubtful"]) for r in export.rows("wakeup")]
    expected = [(number(r["wake_ts_ns"]), number(r["run_ts_ns"]), number(r["latency_ns"]), number(r["pid"]), r["comm"],
                 number(r["cpu"]), number(r["waker_pid"]),
                 export.names.get(int(r["wake_ts_ns"]), int(r["waker_pid"]), r["waker_comm"]) if r["waker_pid"] else None, r["context"],
                 number(r["doubtful"]))
                for r in command("wakeups", export.trace)]
    equal(sorted(got, key=repr), sorted(expected, key=repr), "wake-ups")


def check_latency(export):
    """Each kind's instances, one by one; of slices what they are."""
    total = 0
    for kind in command("latency", export.trace):
        rows = export.rows("latency", kind=kind["kind"])
        got = [(r["ts"], r["dur"], r["cpu"], r["utid"], r["comm"], r["doubtful"]) for r in rows]
        expected = []
        for r in command("latency", "--open", "--kind=" + kind["kind"], export.trace):
            ts, pid, comm = number(r["start_ns"]), number(r["pid"]), r["comm"]
            if kind["kind"] != "wakeup":		# its name is in the record
                comm = export.names.get(ts, pid, comm)
            expected.append((ts, number(r["duration_ns"]), number(r["cpu"]), pid, comm,
                             number(r["doubtful"])))
        equal(sorted(got, key=repr), sorted(expected, key=repr), kind["kind"])
        total += len(rows)
    equal(total, len(export.rows("latency")), "instances")


def check_calls(export):
    """Counts and extremes by function; each slice lies in its parent, one level below it."""
    functions = collections.defaultdict(list)
    calls = {row["id"]: row for row in export.rows("slice", category="function")}
    for row in calls.values():
        if row["dur"] is not None:
            functions[row["name"]].append(row["dur"])
        parent = calls.get(row["parent_id"])
        if row["parent_id"] is not None:
            equal((parent["utid"], parent["depth"]), (row["utid"], row["depth"] - 1), "the call above %r" % row)
        else:
            equal(row["depth"], 0, "the depth of %r" % row)
    expected = {(r["function"], int(r["calls"]), int(r["min_ns"]), int(r["max_ns"]))
                for r in command("functions", export.trace) if r["min_ns"]}
    equal({(name, len(d), min(d), max(d)) for name, d in functions.items()}, expected, "functions")


def check_ids(export):
    for table in TABLES:
        ids = [row["id"] for row in export.rows(table) if "id" in row]
        equal(len(ids), len(set(ids)), table + ": ids")


def check_queries(export):
    """share/queries, asked by SQLite; the answers beside them are DuckDB's, too (tables_engines.py)."""
    base = sqlite3.connect(":memory:")
    for table, rows in export.tables.items():
        columns = list(rows[0]) if rows else ["trace"]
        base.execute("CREATE TABLE %s (%s)" % (table, ", ".join(columns)))
        base.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(columns))),
                         [tuple(row.values()) for row in rows])
    queries = sorted(name for name in os.listdir(QUERIES) if name[0].isdigit() and name.endswith(".sql"))
    equal(len(queries), 10, "queries")
    for name in queries:
        with open(os.path.join(QUERIES, name), encoding="utf-8") as query, \
                open(os.path.join(QUERIES, name[:-4] + ".txt"), encoding="utf-8") as answer:
            found = base.execute(query.read())
            lines = ["|".join(column[0] for column in found.description)]
            lines += ["|".join("" if value is None else str(value) for value in row) for row in found]
            equal("\n".join(lines) + "\n", answer.read(), name)


def check_text(folder):
    """Of a text without times only durations are times; no made-up address or time is told."""
    path = os.path.join(folder, "untimed.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n"
                   "# |     |   |                     |   |   |   |\n"
                   " 0)               |  vfs_read() {\n 0)   0.500 us    |    rw_verify_area();\n 0)   3.000 us    |  }\n")
    export = Export(path, os.path.join(folder, "text"), "text")
    equal([(r["ts"], r["dur"], r["name"], r["depth"]) for r in export.rows("slice")],
          [(None, 3000, "vfs_read", 0), (None, 500, "rw_verify_area", 1)], "slices")
    equal({r["ts"] for table in ("ftrace_event", "latency") for r in export.rows(table)}, {None}, "times")
    equal({(r["key"], r["int_value"], r["string_value"]) for r in export.rows("args")},
          {("func", None, "vfs_read"), ("func", None, "rw_verify_area"), ("depth", 0, None), ("depth", 1, None)}, "fields")


def check_reasons(folder):
    """Why a task slept is told of its last sleep, unless it has run since; as trace_processor's PushBlockedReason() does."""
    random.seed(19)
    lines, expected, now, running = [], [], 1000000, 10
    line = lambda pid, text: lines.append("     t%d-%d      [000] d..2. %5d.%06d: %s\n" % (pid, pid, now // 1000000, now % 1000000, text))
    for _ in range(300):
        task, state = running, random.choice("SD")
        running, begun = 21 - task, now
        line(task, "sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=t%d next_pid=%d next_prio=120" %
             (task, task, state, running, running))
        now += random.randrange(5, 50)
        told = [(random.randrange(2), random.choice(("io_schedule", "pipe_read"))) for _ in range(random.choice((0, 1, 1, 2)))]
        early = random.random() < 0.3		# before the waking, else after it
        for when in (True, False):
            for io_wait, function in told if early == when else ():
                line(running, "sched_blocked_reason: pid=%d iowait=%d caller=%s+0x10/0x20" % (task, io_wait, function))
                now += 1
            if when:
                expected.append((task, begun * 1000, state) + (told[-1] if told else (None, None)))
                line(running, "sched_waking: comm=t%d pid=%d prio=120 target_cpu=000" % (task, task))
                now += 1
        if random.random() < 0.3:		# of a task that runs: of none
            line(running, "sched_blocked_reason: pid=%d iowait=1 caller=late+0x10/0x20" % running)
        now += 1
    path = os.path.join(folder, "reasons.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n#\n" + "".join(lines))
    rows = Export(path, os.path.join(folder, "reasons"), "reasons").rows("thread_state")
    asleep = [row for row in rows if row["state"] in ("S", "D")]
    equal(sorted((r["utid"], r["ts"], r["state"], r["io_wait"], r["blocked_function"]) for r in asleep), sorted(expected), "reasons")
    equal({(r["io_wait"], r["blocked_function"]) for r in rows if r not in asleep}, {(None, None)}, "other states")


def check_order(folder):
    """The order of rows is the same each time, also of what one event ends: the flush of a queue."""
    trace = os.path.join(DATA, "good", "block-flush-7.2", "trace.dat")
    ends = set()
    for name in "abc":
        run([PROGRAM, "export", "--tables", os.path.join(folder, name), "--format=csv", "--name=x", trace])
        with open(os.path.join(folder, name, "latency", "x.csv"), encoding="utf-8") as file:
            ends.add(file.read())
    equal(len(ends), 1, "different files")


# --- the folder -----------------------------------------------------------------------------

def refused(words, *expected, name="export"):
    done = subprocess.run([PROGRAM, name, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    for text in expected:
        if text.encode() not in done.stderr:
            raise Failure("%r says %r" % (words, done.stderr))
    if not done.returncode:
        raise Failure("%r is accepted" % (words,))


def files_of(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))


def check_full(folder):
    """No room: nothing half written stays.  A limit on the size of files stands for a full disk."""
    out = os.path.join(folder, "full")
    done = subprocess.run([PROGRAM, "export", "--tables", out, DEMO], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          preexec_fn=limit_files)
    if done.returncode != 1 or b"/demo: writing the output: File too large" not in done.stderr:
        raise Failure("%d, %r" % (done.returncode, done.stderr))
    equal(files_of(out), [], "files")


def check_folder(folder):
    """A name for each file; nothing is replaced, nothing half written stays."""
    for name in ("web 1.dat", "web/trace.dat", "../x.dat"):
        path = os.path.join(folder, "in", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(DEMO, path)
    out = os.path.join(folder, "out")
    run([PROGRAM, "export", "--tables", out] + [os.path.join(folder, "in", n) for n in ("web 1.dat", "web/trace.dat")])
    equal(sorted(os.listdir(os.path.join(out, "slice"))), ["web.parquet", "web_1.parquet"], "names")
    equal(sorted(os.listdir(out)), sorted(TABLES), "tables")
    before = files_of(out)
    refused(["--tables", out, os.path.join(folder, "in", "web 1.dat")], "web_1.parquet exists; remove it, or give the trace another name")
    refused(["--tables", out, "--name=../../x", os.path.join(folder, "in", "no.dat")], "no.dat")
    refused(["--tables", out, "--name=a", DEMO, DEMO], "--name is for one FILE")
    refused(["--tables", out, "--from=1", DEMO], "whole traces")
    refused(["--tables", out, "--format=json", DEMO], "json")
    refused(["--perfetto=-", "--format=csv", DEMO], "for --tables")
    refused(["--perfetto=-", DEMO, DEMO], "several traces need a file to write to")
    refused(["--tables", os.path.join(folder, "in", "web 1.dat"), DEMO], "web 1.dat")
    equal(files_of(out), before, "files")
    run([PROGRAM, "export", "--tables", out, "--name=../../.x", DEMO])
    equal(sorted(set(os.listdir(os.path.join(out, "args"))) - {"web.parquet", "web_1.parquet"}), [".._.._.x.parquet"][:0] or
          ["_._.._.x.parquet"], "a name with slashes")


# Each list prints the columns of its CSV as Parquet, too.
LISTS = (("sched", "tasks"), ("sched", "tasks --queues"), ("sched", "wakeups"), ("cpu4", "latency"),
         ("cpu4", "latency --kind=wakeup"), ("cpu4", "why --blocked-by"), ("waits", "stacks"), ("stack", "stacks --events"),
         ("timerlat", "noise"), ("timerlat", "noise --samples"), ("timerlat", "noise --analysis=2"),
         ("cpu4", "count --by=event,comm"), ("branch", "count"), ("graph-two-cpus", "functions"), ("sched", "noise"))


def check_list(folder, name, words):
    trace = os.path.join(DATA, "good", name, "trace.dat")
    path = os.path.join(folder, "list.parquet")
    lines = list(csv.reader(io.StringIO(run([PROGRAM, *words.split(), "--format=csv", trace]).decode())))
    with open(path, "wb") as out:
        subprocess.run([PROGRAM, *words.split(), "--format=parquet", trace], stdout=out, stderr=subprocess.DEVNULL, check=True)
    found, _ = parquet.read(path)
    equal(list(found), lines[0], "columns")
    for i, column in enumerate(lines[0]):
        values = ["" if value is None else value.decode() if isinstance(value, bytes) else str(value) for value in found[column]]
        equal(values, [line[i] for line in lines[1:]], column)


def refuse_list(words):
    refused(["--format=parquet", *words[1:]], "--format=parquet: of one FILE", name=words[0])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("every kind of column, %d rows" % ROWS, check_writer, os.path.join(folder, "t.parquet"), ROWS)
        tap.case("no rows", check_writer, os.path.join(folder, "t.parquet"), 0)
        tap.case("the folder of a dataset", check_folder, folder)
        tap.case("no room", check_full, folder)
        tap.case("a text without times", check_text, folder)
        tap.case("why tasks slept", check_reasons, folder)
        tap.case("limits", check_limits, folder)
        tap.case("the order of rows", check_order, folder)
        for name, words in LISTS:
            tap.case("%s: %s as Parquet" % (name, words), check_list, folder, name, words)
        trace = os.path.join(DATA, "good", "sched", "trace.dat")
        for words in (["count", trace, trace], ["count", "--grep=x", trace], ["tasks", "--count", trace]):
            tap.case("%s: no Parquet" % " ".join(words[:2]), refuse_list, words)
        traces = [("demo", DEMO)] + [(name, os.path.join(DATA, "good", name, "trace.dat"))
                                     for name in ("sched", "cpu4", "stack") + (("marker", "instances", "waits", "probes-syms-7.2",
                                                                               "irqsoff-graph", "lost-text") if LONG else ())]
        for name, path in traces:
            export = Export(path, os.path.join(folder, "d"), name)
            for check in (check_tasks, check_wakeups, check_latency, check_calls, check_ids):
                tap.case("%s: %s" % (name, check.__name__[6:]), check, export)
            if name == "demo":
                tap.case("the queries on the demo", check_queries, export)
            if TRACE_CMD and name in ("sched", "stack", "marker", "waits"):
                tap.case("%s: events" % name, check_events, export)
            elif name == "sched":
                tap.skip("%s: events" % name, "no trace-cmd")
    tap.end()


main()
