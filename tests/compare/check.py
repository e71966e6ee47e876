#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftop-trace check: each column of each table against the CSV of the command; the worst instance against the lists of
instances; doubt against bounds computed here; TAP by prove; mistakes in rules; --baseline against diff.  Prints TAP."""
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LIMIT_S, LONG, PROGRAM, SHARED, Failure, Tap, program_for, run, shared_fixtures     # noqa: E402

# What has all tables: with lost events, without, clocks without a unit, tracers.
TRACES = ("cpu4", "sched", "clock-tsc", "fgraph-7.2", "timerlat", "stack")
if LONG:
    TRACES += ("waits", "function-repeats", "osnoise-rt", "blk", "instances")
# Tables of rules, and the commands that print them.
TABLES = (("tasks", ["tasks"]), ("cpus", ["tasks", "--queues"]), ("functions", ["functions"]), ("latency", ["latency"]),
          ("events", ["count", "--by=event"]), ("count", ["count", "--by=event"]), ("wakeups", ["wakeups"]),
          ("noise", ["noise"]), ("noise --samples", ["noise", "--samples"]), ("noise --histogram", ["noise", "--histogram"]),
          ("stacks", ["stacks"]), ("stacks --events", ["stacks", "--events"]),
          ("tasks --preempted", ["tasks", "--preempted"]), ("tasks --woken", ["tasks", "--woken"]),
          ("why --blocked-by", ["why", "--blocked-by"]), ("count --by=comm,cpu", ["count", "--by=comm,cpu"]),
          ("latency --kind=wakeup", ["latency", "--kind=wakeup"]), ("latency --kind=call", ["latency", "--kind=call"]),
          ("latency --kind=sleep --open", ["latency", "--kind=sleep", "--open"]),
          ("latency --kind=wakeup --by=task", ["latency", "--kind=wakeup", "--by=task"]),
          ("latency --kind=call --histogram", ["latency", "--kind=call", "--histogram"]))
FILTERS = ("", "comm == rcu* || cpu == 1")
DEFAULTS = {"latency": "n", "functions": "calls", "events": "count", "tasks": "switches"}


def good(name):
    path = os.path.join(DATA, "good", name, "trace.dat")
    return path if os.path.exists(path) else os.path.join(SHARED, "fixtures", name, "trace.dat")


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def rows_of(words, path, status=0):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv", path], status).decode(errors="replace"))))


def ask(*words):
    done = subprocess.run([program_for(list(words)), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          check=False, timeout=LIMIT_S)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def verdicts(rules, path, *options):
    """An object for each rule."""
    with tempfile.NamedTemporaryFile("w", suffix=".rules", encoding="utf-8") as file:
        file.write("".join(rule + "\n" for rule in rules))
        file.flush()
        status, out, error = ask("check", "--format=json", *options, file.name, path)
    check(status < 2, status, error)
    found = [json.loads(line) for line in out.splitlines()]
    check([row["rule"] for row in found] == list(rules), "the rules are others", [row["rule"] for row in found])
    check(status == any(row["verdict"] not in ("holds", "skipped") for row in found), "exit status", status)
    return found


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


# --- each column -----------------------------------------------------------------------------------

def column_rules(table, where, column, values):
    """(rule, what is compared with, does it hold for the figures)"""
    most, least = max(values), min(values)
    name = f"{table} {column}"
    for op, limit, holds in (("<=", most, True), ("<", most, False), (">=", least, True), (">", least, False), ("==", most, least == most),
                             ("!=", most + 1, True)):
        limit = int(limit) if limit == int(limit) else limit
        yield f"{name} {op} {limit}{where}", most if op[0] in "<" else least, holds


def columns(trace, table, words, condition):
    """Those without doubt hold or are broken as the CSV says, and the worst row's figure is its most or least."""
    path = good(trace)
    status, out, error = ask(*words, "--format=csv", *(["-F", condition] if condition else []), path)
    if status:		# no task, no tracer, no filter there: a rule on it is an error, too
        where = f" if {condition}" if condition else ""
        check(ask("check", "-e", f"{table} n >= 0{where}", path)[0] in (1, 2), error)
        return
    rows = list(csv.DictReader(io.StringIO(out)))
    lossy = json.loads(run([PROGRAM, "info", "--format=json", path]))
    lossy = lossy["lost_events"] != 0 or lossy["lost_unknown"]
    where = f" if {condition}" if condition else ""
    asked = []
    for column in out.splitlines()[0].split(",") if rows else []:
        values = [number(row[column]) for row in rows if row[column] != ""]
        if not values or None in values or any(v > 2 ** 53 for v in values):
            continue
        asked += list(column_rules(table, where, column, values))
    if not asked:
        return
    sure = not lossy and not any(number(row.get(name) or "0") for row in rows for name in ("doubtful", "doubtful_ns", "open", "unclosed"))
    for found, (rule, figure, holds) in zip(verdicts([rule for rule, _, _ in asked], path), asked):
        op = re.search(r" ([<>=!]+) ", rule)[1]
        if "is a guess (~)" in (found["why"] or ""):		# no sched_wakeup tells for which CPU a task waited
            continue
        if found["value"] is not None and found["least"] > found["value"]:	# an open one has lasted longer
            continue
        if found["verdict"] == "not known" and found["most"] is None and trace == "sched":	# without sched_waking: lower bounds
            check(found["value"] is None or (found["least"] == found["value"] and (op != ">=" or not holds)), rule, found)
            continue
        if sure or found["least"] == found["most"] == found["value"] or found["verdict"] == "holds":
            check(found["verdict"] == ("holds" if holds else "broken"), rule, found)
        if found["verdict"] == "broken" and op in ("<", ">"):
            check(found["value"] == figure or found["least"] != found["value"], rule, found, "not", figure)
        if sure and op in ("<", ">"):
            check(found["value"] == figure, rule, found, "not", figure)
        if found["value"] is not None and found["least"] == found["value"]:	# no open one has lasted longer
            check(found["verdict"] != "broken" or not holds or op == "==", rule, "is broken falsely", found)


def words_and_names(trace):
    """Words are compared as globs; a row is chosen by its name; without a column, counts count; shares are of the span."""
    path = good(trace)
    for table, column in DEFAULTS.items():
        rows = rows_of(["count", "--by=event"] if table == "events" else [table], path)
        if not any(row[column] for row in rows):
            continue
        key = "comm" if table == "tasks" else list(rows[0])[-1 if table == "events" else 0]
        row = max(rows, key=lambda row: int(row[column] or 0))
        most = max(int(other[column] or 0) for other in rows if other[key] == row[key])
        name = f"'{row[key]}'"
        got = verdicts([f"{table} {name} {column} < {most}", f"{table} {name} < {most}", f"{table} {name} n < {most}",
                        f"{table} {name[:-2]}*' {column} < {most}"], path)
        check(all(one["verdict"] == "broken" and one["value"] == most and one["row"] == row[key] for one in got), got)
    info = json.loads(run([PROGRAM, "info", "--format=json", path]))
    span = info.get("last_ts_ns", info.get("last_ts")) - info.get("first_ts_ns", info.get("first_ts"))
    tasks = rows_of(["tasks"], path)
    if any(row["run_ns"] for row in tasks):
        most = max(int(row["run_ns"]) for row in tasks)
        one, = verdicts(["tasks run% < 0"], path)
        check(math.isclose(one["value"], 100 * most / span), one, 100 * most / span)
        comms = {row["comm"] for row in tasks}
        one, other = verdicts(["tasks comm == *", "tasks comm != rcu*"], path)
        check(one["verdict"] == "holds" and other["verdict"] == ("broken" if any(c.startswith("rcu") for c in comms) else "holds"), other)
        check(other["verdict"] == "holds" or other["word"].startswith("rcu"), other)


def whole(trace):
    path = good(trace)
    info = json.loads(run([PROGRAM, "info", "--format=json", path]))
    span = info.get("last_ts_ns", info.get("last_ts")) - info.get("first_ts_ns", info.get("first_ts"))
    lost = info["lost_events"]
    knows = lost is not None
    if not knows:	# what is known of it, or 1
        lost = verdicts(["lost < 0"], path)[0]["value"]
        check(lost > 0 or not info["lost_unknown"], lost)
    for name, figure in (("span_ns", span), ("lost", lost), ("damaged", info["damaged_pages"])):
        same, less, more = verdicts([f"{name} == {figure}", f"{name} < {figure}", f"{name} > {figure}"], path)
        check(same["value"] == figure, same)
        check(same["verdict"] in ("holds", "holds" if knows else "not known"), same)
        check(less["verdict"] == "broken" and more["verdict"] in ("broken", "not known"), less, more)
    one, = verdicts(["lost == 0"], path)
    check(one["verdict"] == ("broken" if lost else "holds" if knows else "not known"), one)
    events = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", path]).splitlines()] if lost else []
    gaps = [(row["lost"], next(later.get("ts_ns", later.get("ts")) for later in events[i:] if "event" in later and later["cpu"] == row["cpu"]), row["cpu"])
            for i, row in enumerate(events) if row.get("lost")]
    if gaps and info["lost_events"]:	# it is told at the CPU's next event
        check((one["at_ns"], one["cpu"]) in {gap[1:] for gap in gaps if gap[0] == max(gaps)[0]}, one, gaps)


def one_number():
    """The kernel's statistics (overrun) say how many events were lost in gaps of unknown size: 8743 and 4554."""
    path = good("fgraph-depth")
    one, = verdicts(["lost == 13297"], path)
    check(one["verdict"] == "holds", one)
    for command in ("info", "summary"):
        facts = json.loads(run([PROGRAM, command, "--format=json", path]))
        check((facts["lost_events"], facts["lost_unknown"]) == (13297, 0), facts["lost_events"])


def of_a_part():
    """Before CPU 0's first record, at 7.430860435, 949 events were lost: in a part of it they are its own only if all are."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.dat")
        for options, verdict, knows in ((["--file-version=6"], "broken", 949), (["--to=7.5"], "broken", 949),
                                        (["--cpu=0"], "broken", 949), (["--cpu=1-3"], "holds", 0),
                                        (["--from=7.44"], "holds", 0), (["--from=7.43"], "not known", None),
                                        (["--to=7.43"], "not known", None)):
            run([PROGRAM, "cut", "--force", "-o", path, *options, good("cpu4")])
            one, = verdicts(["lost == 0"], path)
            check(one["verdict"] == verdict, options, one)
            for command in ("info", "summary"):
                facts = json.loads(run([PROGRAM, command, "--format=json", path]))
                check((facts["lost_events"], facts["lost_unknown"]) == (knows, 0), options, facts["lost_events"])
            is_whole = options[0].startswith("--file")
            check(facts["overwritten"] == (949 if is_whole else None), options, facts["overwritten"])
            one, = verdicts(["overwritten == 949"], path)
            check(one["verdict"] == ("holds" if is_whole else "not known"), options, one)


def joined():
    """Each file's statistics are those of its own buffer."""
    with tempfile.TemporaryDirectory() as folder:
        other, path = os.path.join(folder, "other.dat"), os.path.join(folder, "both.dat")
        shutil.copy(good("fgraph-depth"), other)
        run([PROGRAM, "cut", "-o", path, good("fgraph-depth"), other])
        facts = json.loads(run([PROGRAM, "info", "--format=json", path]))
        check([cpu["lost_events"] for cpu in facts["cpu_stats"]] == [8743, 4554, 8743, 4554], facts["cpu_stats"])
        check((facts["lost_events"], facts["lost_unknown"]) == (26594, 0), facts["lost_events"])


def cut_off():
    """What a file lacks at its end is lost, too, but how much is not known; nor is any count of the rest."""
    with tempfile.TemporaryDirectory() as folder, open(good("sched"), "rb") as whole_file:
        path = os.path.join(folder, "part.dat")
        with open(path, "wb") as part:
            part.write(whole_file.read()[:-9000])
        check([one["verdict"] for one in verdicts(["lost == 0", "duration < 10s", "duration < 1us"], path)] ==
              ["not known", "not known", "broken"])
        check(json.loads(run([PROGRAM, "info", "--format=json", path]))["lost_events"] is None, "lost_events")
        status, out, _ = ask("check", "--baseline=" + good("sched"), path)
        check(status == 1 and not re.search("^ok [0-9]+ (?!.*# SKIP)", out, re.M), status, out)


# --- the worst instance ----------------------------------------------------------------------------

def worst(trace):
    """Where the most of a figure is from, by the list of what it is made of."""
    path = good(trace)
    info = json.loads(run([PROGRAM, "info", "--format=json", path]))
    end = info.get("last_ts_ns", info.get("last_ts"))
    kinds = [row["kind"] for row in rows_of(["latency"], path)]
    asked = verdicts([f"latency {kind} max < 0" for kind in kinds], path) if kinds else []
    for kind, found in zip(kinds, asked):
        ended, opens = split(kind, path, end)
        counted = [row for row in ended if row["counts"]]
        most = max((row["length"] for row in counted), default=-1)
        if opens and (opens[0]["length"] > most and opens[0]["is_sure"] or not counted):
            counted, most = opens, opens[0]["length"]
        if not counted:		# only doubtful ones
            check(found["at_ns"] is None, kind, found)
            continue
        places = {(int(row["start_ns"]), row["cpu"], row["pid"]) for row in counted if row["length"] == most}
        check(found["verdict"] == "broken", kind, found)
        check((found["at_ns"], "" if found["cpu"] is None else str(found["cpu"]), found["task"].rpartition("-")[2]) in places,
              kind, found, places)
        check(ask(*shown_by(found))[0] == 0 if "--view" not in found["command"] else True, found["command"])
    calls = [row for row in rows_of(["latency", "--kind=call"], path) if row["duration_ns"]] if "call" in kinds else []
    if calls:
        found, = verdicts(["functions max < 0"], path)
        most = max(int(row["duration_ns"]) for row in calls)
        check(found["value"] == most or found["value"] // 1000 * 1000 == most, found, most)	# starts of a text are whole µs
        check(found["at_ns"] in {int(row["start_ns"]) for row in calls if int(row["duration_ns"]) == most}, found)
        check(found["row"] in {row["what"] for row in calls if int(row["duration_ns"]) == most}, found)
    wakes = [row for row in rows_of(["wakeups"], path) if row["latency_ns"]]
    sure = [row for row in wakes if row["doubtful"] == "0"]
    if sure:
        most = max(int(row["latency_ns"]) for row in sure)
        slow = [row for row in sure if int(row["latency_ns"]) == most]
        for rule, in_sums in (("tasks max_wakeup < 0", True), ("wakeups latency < 0", False)):
            found, = verdicts([rule], path)
            check(found["value"] == most and found["at_ns"] in {int(row["wake_ts_ns"]) for row in slow}, rule, found, slow)
            check(found["task"].rpartition("-")[2] in {row["pid"] for row in slow}, found)
            check(in_sums or str(found["cpu"]) in {row["cpu"] for row in slow}, found)
    samples = rows_of(["noise", "--samples"], path) if trace == "timerlat" else []
    if samples:
        found, = verdicts(["noise thread_max < 0"], path)
        slow = max((row for row in samples if row["thread_ns"]), key=lambda row: int(row["thread_ns"]))
        check(found["value"] == int(slow["thread_ns"]) and found["cpu"] == int(slow["cpu"]), found, slow)
        check(found["at_ns"] == int(slow["ts_ns"]) - max(int(slow["thread_ns"]), int(slow["irq_ns"] or 0)), found, slow)
    counted = rows_of(["count", "--by=event"], path)
    found, = verdicts([f"count {counted[0]['event']} < 0"], path)
    first = next(row for row in map(json.loads, run([PROGRAM, "report", "--format=json", "-F", counted[0]["event"], "--head=2", path]).splitlines())
                 if "event" in row)
    check(found["at_ns"] == first.get("ts_ns", first.get("ts")) and found["cpu"] == first["cpu"], found, first)


def shown_by(found):
    return found["command"].replace("'", "").split()[1:]


# --- doubt -----------------------------------------------------------------------------------------

def split(kind, path, end):
    """Instances of a kind with their ends, and without, the oldest first."""
    ended, opens = [], []
    for row in rows_of(["latency", "--kind=" + kind, "--open"], path):
        row["is_sure"] = row["doubtful"] == "0" if kind != "call" else row["duration_ns"] != ""	# an exit may be lost
        row["counts"] = row["is_sure"] and row["duration_ns"] != ""
        row["length"] = int(row["duration_ns"]) if row["duration_ns"] else end - int(row["start_ns"])
        (ended if row["duration_ns"] else opens).append(row)
    return ended, opens


def nearest_rank(values, permille):
    values = sorted(values)
    return values[max((permille * len(values) + 999) // 1000, 1) - 1] if values else None


def bounds(kind, column, permille, path, end, lossy):
    """(figure, least, most): doubtful ones took between no time and what is listed, open ones what they have lasted; but those
    that have lasted no longer than the figure tell nothing yet.  A percentile may be that of those that ended, too."""
    ended, opens = split(kind, path, end)
    figure = nearest_rank([row["length"] for row in ended if row["counts"]], permille)
    longer = [row for row in opens if row["length"] > (figure or 0)]
    doubtful = [row for row in ended if not row["counts"]]
    least = [row["length"] for row in ended if row["counts"]] + [row["length"] for row in longer if row["is_sure"]] + [0] * len(doubtful)
    least = nearest_rank(least, permille) or 0
    most = nearest_rank([row["length"] for row in ended + longer], permille)
    if column == "max":
        return figure, least, None if lossy else most
    return figure, min(least, figure or 0), max(most or 0, figure or 0)


def doubt(trace):
    path = good(trace)
    info = json.loads(run([PROGRAM, "info", "--format=json", path]))
    lossy = info["lost_events"] != 0 or info["lost_unknown"] or info["damaged_pages"]
    end = info.get("last_ts_ns", info.get("last_ts"))
    unit = "ns" if "first_ts_ns" in info else ""
    nr = 0
    for kind in [row["kind"] for row in rows_of(["latency"], path)]:
        for column, permille in (("p50", 500), ("p95", 950), ("p99", 990), ("p999", 999), ("max", 1000)):
            figure, least, most = bounds(kind, column, permille, path, end, lossy)
            if figure is None:
                continue
            limits = sorted({least, figure, most or figure + 1, figure + 1, max(figure - 1, 0)})
            rules = [f"latency {kind} {column} {op} {limit}{unit}" for limit in limits for op in ("<", "<=", ">", ">=", "==")]
            for rule, found in zip(rules, verdicts(rules, path)):
                check((found["value"], found["least"], found["most"]) == (figure, least, most), rule, found, "not", figure, least, most)
                nr += expect(rule, least, math.inf if most is None else most, found)
    check(nr or trace != "cpu4", "nothing was in doubt")


def expect(rule, least, most, found):
    """All numbers between, at whole ns, hold to the rule, or break it, or it is not known.  Return: is it not?"""
    op, limit = re.search(r" ([<>=]+) (\d+)", rule).groups()
    limit = int(limit)
    tested = [v for v in {least, most, limit - 1, limit, limit + 1} if least <= v <= most]
    holds = {{"<": v < limit, "<=": v <= limit, ">": v > limit, ">=": v >= limit, "==": v == limit}[op] for v in tested}
    expected = "not known" if len(holds) == 2 else "holds" if True in holds else "broken"
    check(found["verdict"] == expected, rule, found, "not", expected)
    return expected == "not known"


def unknown():
    """What cannot be known is not ok, and says why; what is known decides."""
    for trace, rule, verdict, words in (
            ("cpu4", "latency syscall max < 10ms", "not known", "no rows named syscall"),
            ("cpu4", "latency wakup max < 10ms", "not known", "did you mean wakeup?"),
            ("cpu4", "functions vfs_nothing n == 0", "not known", "no rows named vfs_nothing"),
            ("cpu4", "functions nothing n >= 1", "not known", "no rows"),
            ("cpu4", "latency wakeup n < 100000", "not known", "events were lost"),
            ("cpu4", "latency wakeup n >= 100", "holds", ""),
            ("cpu4", "latency wakeup n < 100", "broken", "n of wakeup is 157"),
            ("cpu4", "count sched_migrate_task == 0 if comm == pinned", "not known", "events were lost"),
            ("cpu4", "why --blocked-by total < 1000s", "not known", "events were lost"),
            ("cpu4", "why --blocked-by count < 100000", "not known", "events were lost"),
            ("sched", "count sched_migrate_task == 0 if comm == pinned", "holds", ""),
            ("sched", "count sched_migrate_task >= 1", "holds", ""),
            ("sched", "count irq_handler_entry == 0", "not known", "no rows named irq_handler_entry"),
            ("sched", 'count sched_migrate_task == 0 if sched_migrate_task: comm == "nobody"', "holds", ""),
            ("blk", "count irq_handler_entry == 0", "not known", "does not tell whether it was recorded"),	# all formats are saved there
            # of a recording of these monitors; of one whose kernel's text has 9 lines of error_sleep; of others
            ("../rv", "events rv:error_* == 0", "holds", "count of error_sco, error_wwnr is 0"),
            ("../rv", "events rv:error_stall == 0", "not known", "no rows named rv:error_stall"),
            ("rv-7.2", "events rv:error_* == 0", "broken", "count of error_sleep is 9"),
            ("rv-7.2", "events rv:error_env_* <= 3", "holds", "count of error_env_stall is 3"),
            ("rv-7.2", "events rv:error_wip == 0", "not known", "does not tell whether it was recorded"),
            # the format of sched_switch is there in any case, and those of the kernel's own system
            ("../rv", "events sched_switch == 0", "not known", "does not tell whether it was recorded"),
            ("../rv", "events ftrace:funcgraph_entry == 0", "not known", "does not tell whether it was recorded"),
            # wake-ups without a switch: who ran and who waited is not known
            *(("stack", f"tasks {rule}", "not known", "nothing was measured") for rule in (
                "run < 1000s", "run% < 100", "switches == 0", "preemptions == 0", "migrations == 0", "sleep < 1000s", "blocked == 0s",
                "wait < 1000s", "max_wait < 1000s", "doubtful == 0s")),
            ("stack", "tasks wakeups >= 0", "holds", ""),
            # switches without a wake-up
            ("date", "tasks wakeups == 0", "not known", "nothing was measured"),
            ("date", "tasks woke == 0", "not known", "nothing was measured"),
            ("stack", "latency wakeup n == 0", "not known", "no rows named wakeup"),
            ("sched", "cpus irq < 1s", "not known", "nothing was measured"),
            ("sched", "cpus softirq == 0s", "not known", "nothing was measured"),
            ("sched", "events rv:error_* == 0", "not known", "no rows named rv:error_*"),
            ("sched", "events sched:sched_switch >= 1", "holds", ""),
            ("sched", "events irq:sched_switch >= 1", "not known", "no rows named irq:sched_switch"),
            ("function-repeats", "tasks wait% < 5", "not known", "no sched events"),
            ("function-repeats", "functions max < 1s", "not known", "nothing was measured"),
            ("sched", "tasks wait% < 5 if comm == nobody", "not known", ""),
            ("sched", "latency wakeup p99 < 1s if comm == nobody", "not known", ""),
            ("timerlat", "noise user_max < 1s", "not known", "nothing was measured")):
        found, = verdicts([rule], good(trace))
        check(found["verdict"] == verdict and words in found["why"], trace, rule, found)


# --- the output ------------------------------------------------------------------------------------

def tap_of_prove(folder):
    """prove reads it: the numbers of the tests that fail are those of the rules that JSON tells so of."""
    rules = ["lost == 0", "latency wakeup p99 < 1ns", "duration > 1ms", "latency wakeup max < 10s if comm == '#x' || cpu == 0", "tasks comm != \"a # TODO b\"",
             "damaged == 0"]
    path = good("sched")
    failed = [i + 1 for i, found in enumerate(verdicts(rules, path)) if found["verdict"] != "holds"]
    check(failed and len(failed) < len(rules), failed)
    with open(os.path.join(folder, "rules"), "w", encoding="utf-8") as file:
        file.write("".join(rule + "\n" for rule in rules))
    prove = shutil.which("prove")
    for mistakes, file_rules in ((failed, "rules"), ([], "sound")):
        if not mistakes:
            with open(os.path.join(folder, "sound"), "w", encoding="utf-8") as file:
                file.write("duration > 1ms\nlost == 0\n")
        done = subprocess.run([prove, "--exec", f"{os.path.abspath(PROGRAM)} check {file_rules}", os.path.abspath(path)], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=LIMIT_S)
        out = done.stdout.decode()
        check((done.returncode == 0) == (not mistakes), out)
        check("Parse errors" not in out and "No plan" not in out, out)
        if mistakes:
            check(f"Failed {len(mistakes)}/{len(rules)} subtests" in out, out)
            numbers = re.search(r"Failed tests?:\s+([\d, -]+)", out)[1]
            check(re.sub(r"(\d+)-(\d+)", lambda m: ", ".join(map(str, range(int(m[1]), int(m[2]) + 1))), numbers).strip()
                  == ", ".join(map(str, mistakes)), out)


# As kunit.py of the kernel's tree reads a line.
KTAP = re.compile(r"(ok|not ok) (\d+) ?(- )?([^#]*)( # .*)?|# .*|KTAP version 1|1\.\.\d+")


def ktap_lines():
    path = good("cpu4")
    status, out, _ = ask("check", "-e", "lost == 0", "-e", "latency wakeup p99 < 1ns", "-e", "damaged == 0", path)
    lines = out.splitlines()
    check(status == 1 and lines[:2] == ["KTAP version 1", "1..3"], out)
    check(all(KTAP.fullmatch(line) for line in lines), out)
    check([line for line in lines if "ok " in line[:7]] == ["not ok 1 - lost == 0", "not ok 2 - latency wakeup p99 < 1ns", "ok 3 - damaged == 0"], out)
    check("# lost_events is 949" in lines and any(line.startswith("# see: ftop-trace --view=timeline '--at=") for line in lines), out)
    status, out, _ = ask("check", "-e", "lost == 0", good("sched"), path)
    check(status == 1 and f"ok 1 - {good('sched')}: lost == 0" in out and f"not ok 2 - {path}: lost == 0" in out, out)
    check([row["file"] for row in map(json.loads, ask("check", "--format=json", "-e", "lost == 0", good("sched"), path)[1].splitlines())]
          == [good("sched"), path], "file")
    rows = list(csv.DictReader(io.StringIO(ask("check", "--format=csv", "-e", "lost == 0", path)[1])))
    check(rows[0]["verdict"] == "broken" and rows[0]["value"] == "949", rows)


MISTAKES = (
    ("latncy wakeup max < 1ms", 1, "no table is named latncy; did you mean latency? The tables are: tasks, cpus, "),
    ("latency wakeup mx < 1ms", 16, "no column is named mx; did you mean max? The columns are: kind, n, "),
    ("latency wakeup max < 10", 22, "max_ns is a time: the limit needs a unit, as in 100us or 10ms"),
    ("latency wakeup max", 19, "here one of < <= == != >= > is due"),
    ("latency wakeup max << 3ms", 20, "here one of < <= == != >= > is due"),
    ("latency wakeup max = 3ms", 20, "here one of < <= == != >= > is due"),
    ("latency wakeup max <", 21, "the limit is missing"),
    ("latency wakeup max < 3 foo", 24, "after the limit, only `if` and a filter may stand"),
    ("latency wakeup max < 3ms iff x", 26, "after the limit, only `if` and a filter may stand"),
    ("latency wakeup max < 3ms if", 28, "the filter is missing"),
    ("latency wakeup max < 3ms if comn == x", 29, "no event has a field comn; did you mean comm?"),
    ("latency wakeup max < abc", 22, "words are compared by == and !="),
    ("latency wakeup max == abc", 23, "max_ns has numbers, and this is none"),
    ("latency --kind=wakup duration < 3ms", 1, "there is no kind wakup; did you mean wakeup?"),
    ("latency --knd=wakeup duration < 3ms", 1, "unknown option --knd; did you mean --kind?"),
    ("lots == 0", 1, "no column is named lots; did you mean lost? The columns are: lost_events, "),
    ("duration > 5", 12, "span_ns is a time: the limit needs a unit"),
    ("latency 'wakeup max < 3ms", 9, "the quote has no end"),
    ("latency a b c < 3", 13, "only a row and a column may stand"),
    ("lost < 3ms", 8, "lost_events is no time: the limit is a plain number"),
    ("< 3", 1, "a rule begins with a table"),
    ("count n < 1x", 11, "not a number with one of the units"),
    ("tasks wait% < 5ms", 15, "wait_ns is no time: the limit is a plain number"),
    ("why max < 3ms", 1, "give --task=NAME or --blocked-by"),
    ("wakeups < 3", 1, "wakeups has no counts: name a column before the limit"),
)


def mistakes(folder):
    path = good("cpu4")
    for rule, at, words in MISTAKES:
        status, out, error = ask("check", "-e", rule, path)
        check(status == 2 and not out and f"-e '{rule}': column {at}: " in error and words in error, rule, status, out, error)
        name = os.path.join(folder, "bad")
        with open(name, "w", encoding="utf-8") as file:
            file.write(f"# a comment\n\n  lost == 949\r\n{rule}\n")
        status, out, error = ask("check", name, path)
        check(status == 2 and not out and error.startswith(f"ftop-trace: {name}:4:{at}: ") and words in error, rule, status, out, error)
    empty = os.path.join(folder, "empty")
    with open(empty, "w", encoding="utf-8") as file:
        file.write("# none\n")
    for words, said in ((["-e", "", path], "-e: no rule is in it"), ([empty, path], "no rules are in it"), ([], "no rules: give a file"),
                        ([os.path.join(folder, "nosuch"), path], "nosuch: No such file"), (["-e", "lost == 0", os.path.join(folder, "no.dat")], "No such file"),
                        (["-e", "lost == 0", "--by=tasks", path], "need --baseline"), (["-e", "lost == 0", "-F", "x", path], "each rule has its own"),
                        (["-e", "lost < 3ms", good("clock-tsc")], "is no time"),
                        (["-e", "tasks run < 3ms", good("clock-tsc")], "run_ns is in units of the trace's clock")):
        status, out, error = ask("check", *words)
        check(status == 2 and not out and said in error, words, status, out, error)


def parts():
    """--from, --to, --cpu and --task are those of the tables."""
    path = good("cpu4")
    for options in (["--from=7.45", "--to=7.5"], ["--cpu=1"], ["--task=rcu_preempt"]):
        for table, column in (("tasks", "run_ns"), ("latency", "total_ns"), ("count", "count")):
            words = ["count", "--by=event"] if table == "count" else [table]
            most = max(int(row[column] or 0) for row in rows_of([*words, *options], path))
            found, = verdicts([f"{table} {column} <= {most - 1}"], path, *options)
            check(found["verdict"] == "broken" and found["value"] == most, options, found, most)


# --- --baseline ------------------------------------------------------------------------------------

def baseline(a, b, options):
    """What diff does not call noise, and took longer, or was more by a tenth, is worse."""
    old, new = good(a), good(b)
    diffs = [json.loads(line) for line in run([PROGRAM, "diff", "--format=json", *options, old, new]).decode().splitlines()]
    status, out, error = ask("check", "--format=json", "--baseline=" + old, *options, new)
    found = {row["row"]: row for row in map(json.loads, out.splitlines())}
    check(status == any(row["verdict"] in ("broken", "not known") for row in found.values()), status, error)
    compared = 0
    for row in diffs:
        got = found[row["name"]]
        if not row["a_count"] or not row["b_count"]:
            check(got["verdict"] == "skipped", row, got)
            continue
        compared += 1
        check(f"{row['name']}: no worse than in {old}" == got["rule"], got)
        if row["verdict"] == "noise":
            check(got["verdict"] == "holds", row, got)
        elif (row.get("z") or 0) >= 2.58 or (row.get("total_ratio") or row["count_ratio"] or 0) > 1 / 0.9:
            check(got["verdict"] == "broken", row, got)
        elif "tasks" not in " ".join(options):	# z of its waits is not printed
            check(got["verdict"] == "holds", row, got)
    check(all(row["verdict"] in ("holds", "skipped") for name, row in found.items() if name and name not in {row["name"] for row in diffs}), "rows without a change")
    compared += a == b
    check(bool(compared) == (None not in found), "nothing is compared", out)


def baselines():
    """Of several runs, a row is worse if it is so beside each; how much these differ is said, and what chance does."""
    old, new, options = [good("sched"), good("waits")], good("sched-7.2"), ["--by=latency"]
    each = []
    for path in old:
        rows = map(json.loads, ask("check", "--format=json", "--baseline=" + path, *options, new)[1].splitlines())
        each.append({row["row"]: row["verdict"] for row in rows})
    status, out, error = ask("check", "--format=json", *["--baseline=" + path for path in old], *options, new)
    found = {row["row"]: row["verdict"] for row in map(json.loads, out.splitlines())}
    for name, verdict in found.items():
        known = {one[name] for one in each if one.get(name, "skipped") != "skipped"} or {"skipped"}
        check(verdict == ("holds" if "holds" in known else known.pop()), name, verdict, each)
    check(len(set(found.values())) == 3, found)
    worse = sum(verdict == "broken" for verdict in found.values())
    check(status == 1 and f"{new}: {worse} of 3 rows are worse than in all runs of the baseline" in error and "1 in 3:" in error, error)
    diffs = [json.loads(line) for path in old for line in run([PROGRAM, "diff", "--format=json", *options, path, new]).decode().splitlines()]
    rates = [row["a_total_ns"] / row["a_cpu_ns"] for row in diffs if row["name"] == "wakeup"]
    text = ask("check", *["--baseline=" + path for path in old], *options, new)[1]
    check("# the 2 runs of the baseline that have it differ by %.0f %%\n" % (100 * (max(rates) / min(rates) - 1)) in text, rates, text)


def main():
    tap = Tap()
    for trace in TRACES + tuple(name for name, _, _ in shared_fixtures() if LONG and name not in TRACES):
        for table, words in TABLES:
            for condition in FILTERS if table in ("tasks", "latency", "functions", "count") and trace in ("cpu4", "sched") else FILTERS[:1]:
                tap.case(f"{trace}: {table} {condition}", columns, trace, table, words, condition)
        tap.case(f"{trace}: words, rows, shares", words_and_names, trace)
        tap.case(f"{trace}: the trace as a whole", whole, trace)
        tap.case(f"{trace}: the worst instance", worst, trace)
        tap.case(f"{trace}: doubt", doubt, trace)
    tap.case("one number of a loss", one_number)
    tap.case("losses of a part", of_a_part)
    tap.case("losses of files that were joined", joined)
    tap.case("a file that was cut off", cut_off)
    tap.case("what is not known", unknown)
    tap.case("lines of KTAP", ktap_lines)
    tap.case("a part of the trace", parts)
    with tempfile.TemporaryDirectory() as folder:
        if shutil.which("prove"):
            tap.case("prove reads it", tap_of_prove, folder)
        else:
            tap.skip("prove reads it", "there is no prove: it is a part of perl")
        tap.case("mistakes", mistakes, folder)
    for a, b, options in (("sched", "sched", []), ("sched", "waits", ["--by=tasks"]), ("cpu4", "fgraph-depth", ["--by=functions"]), ("cpu4", "waits", ["--by=latency"]),
                          ("waits", "cpu4", ["--by=latency", "--per=trace"]), ("cpu4", "sched", ["--by=events"]), ("cpu4", "timerlat", ["--by=noise"])):
        tap.case(f"--baseline: {a}, {b} {options}", baseline, a, b, options)
    tap.case("several --baseline", baselines)
    tap.end()


main()
