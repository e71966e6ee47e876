#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""summary: at most 200 lines of 80 columns; JSON has what the text has; its figures are those of the tables, which other tests
compare with oracles, and of trace-cmd's text.  Prints TAP."""
import collections
import csv
import io
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, read_text, run, traces        # noqa: E402

TITLES = {"events": "event_types", "kind": "latency", "CPU": "cpu_stats", "task": "tasks", "calls": "functions", "tracer": "noise"}


def check(holds, *what):
    if not holds:
        raise Failure(" ".join(map(str, what)))


def table(trace, *words):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv", trace]).decode(errors="replace"))))


def number(text):
    return int(text) if text else None


def us(text):
    """A time of text in ns; None: there is none."""
    return None if text == "–" else round(float(text.rstrip("~")) * 1000)


def same_facts(text, facts, unit):
    """Each list of the text has the lines of JSON's, and the numbers of each line."""
    top, *lists = text.rstrip("\n").split("\n\n")
    found = {}
    for part in lists:
        heading, *lines = part.split("\n")
        if heading == "notes":
            check(" ".join(" ".join(lines).split()) == " ".join(" ".join(facts["notes"]).split()), "notes:", lines)
            continue
        found[TITLES[heading.split()[0]]] = lines
    for key in TITLES.values():
        lines = found.get(key, [])
        check(len(lines) == len(facts[key]), key, len(lines), "lines, not", len(facts[key]))
        for line, row in zip(lines, facts[key]):
            if "run_cut_ns" in row:             # text has their sum
                row["run_ns"] += row.pop("run_cut_ns")
                doubtful = row.pop("doubtful_ns")
                check(("~" in line) == (doubtful > 0), key, doubtful, line)
                row = {name: value or None for name, value in row.items()}      # the text has no 0, as that of tasks
            numbers = re.findall(r"(?<=[ >~])[\d.]+(?=[~>]?[ ]|[~>]?$)", " " + line)
            for name, value in row.items():
                if isinstance(value, int) and name.endswith("_ns") and name != "at_ns" and unit:
                    check(any("." in number and us(number) == value for number in numbers), key, name, value, line)
                elif isinstance(value, int) and name != "at_ns":
                    check(str(value) in numbers, key, name, value, line)
    for line in top.split("\n"):
        key, value = line[:16].strip().replace(" ", "_"), line[16:]
        if re.fullmatch(r"[\d ]+", value):
            check(facts.get(key) == int(value.replace(" ", "")), key, value)
        else:
            check(key in facts or key + "_ns" in facts, key)


def whole(trace, report):
    text = run([PROGRAM, "summary", trace]).decode()
    facts = json.loads(run([PROGRAM, "summary", "--format=json", trace]))
    info = json.loads(run([PROGRAM, "info", "--format=json", trace]))
    lines = text.split("\n")
    check(len(lines) <= 200, len(lines), "lines")
    check(max(map(len, lines)) <= 80, "a line of", max(map(len, lines)), "cells")
    same_facts(text, facts, "cpu_time_ns" in facts)
    for key in ("events", "lost_events", "lost_unknown", "damaged_pages", "size_bytes"):
        check(facts[key] == info[key], key, facts[key])
    times = [value for row in [facts, *(one for key in TITLES.values() for one in facts[key])]
             for key, value in row.items() if key.endswith(("_ns", "_ts"))]
    check(all(value is None or isinstance(value, int) for value in times), "times are integers")
    names = collections.Counter(re.findall(r"^ *.*-\d+ +\[\d+\][^:]*?:? +[\d.]+: (\w+): ", read_text(report).decode(errors="replace"), re.M))
    for row in facts["event_types"]:
        name = row["event"].split("/")[1]
        if name in names and not name.startswith("funcgraph") and sum(other["event"].endswith("/" + name) for other in facts["event_types"]) == 1:
            check(row["events"] == names[name], name, row["events"], names[name])


def worst(trace, *part):
    """The worst of each list, as the tables have it, of the trace or a part."""
    def table(trace, *words):
        return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, *part, "--format=csv", trace]).decode(errors="replace"))))

    facts = json.loads(run([PROGRAM, "summary", "--format=json", *part, trace]))
    check(facts.get("selected", "") == " ".join(part), facts.get("selected"))
    counts = {row["event"]: int(row["count"]) for row in table(trace, "count")}
    for row in facts["event_types"]:
        check(counts[row["event"].split("/")[1]] == row["events"], row)
    for row in facts["latency"]:
        listed = [one for one in table(trace, "latency", "--kind=" + row["kind"]) if one["doubtful"] == "0" or row["kind"] == "call"]
        check(row["n"] == len(listed), row["kind"], row["n"], len(listed))
        if listed:
            check((row["max_ns"], row["at_ns"]) == (int(listed[0]["duration_ns"]), int(listed[0]["start_ns"])), row, listed[0])
            check(row["task"] == "%s-%s" % (listed[0]["comm"], listed[0]["pid"]), row["task"])
    # a recorder that the trace does not name is called as its program; recorder() looks at trace-cmd's
    tasks = [row for row in table(trace, "tasks") if row["comm"] != "ftop-trace"]
    tasks.sort(key=lambda row: (-int(row["run_ns"]) - int(row["run_cut_ns"]), int(row["pid"])))
    for row, task in zip(facts["tasks"], tasks):
        check(row["task"] == "%s-%s" % (task["comm"], task["pid"]), row["task"])
        check(all(row[key] == int(task[key]) for key in ("run_ns", "run_cut_ns", "wait_ns")), row)
        check((row["max_wakeup_ns"] or 0) == int(task["max_wakeup_ns"] or 0), row)
    functions = {row["function"]: row for row in table(trace, "functions")}
    starts = {}
    for call in table(trace, "latency", "--kind=call"):
        starts.setdefault(call["what"], set()).add((call["duration_ns"], call["start_ns"]))
    for row in facts["functions"]:
        of = functions[row["function"]]
        check((row["calls"], row["self_ns"], row["max_ns"]) == (int(of["calls"]), number(of["self_ns"]), int(of["max_ns"])), row)
        check((str(row["max_ns"]), str(row["at_ns"])) in starts.get(row["function"], ()), row)
    check([row["self_ns"] or 0 for row in facts["functions"]] ==
          sorted((int(row["self_ns"] or 0) for row in functions.values()), reverse=True)[:len(facts["functions"])], "not the busiest functions")
    check(bool(facts["cpu_stats"]) != any(word.startswith(("--task", "--filter")) for word in part), "CPUs of a task")
    queues = {row["cpu"]: row for row in table(trace, "tasks", "--queues")} if facts["cpu_stats"] else {}
    for row in facts["cpu_stats"]:
        check(str(row["spare_ns"]) == queues[str(row["cpu"])]["spare_ns"], row, queues[str(row["cpu"])])


def outside(*paths):
    """Of several files, one may not have the window: it says so."""
    found = [json.loads(line) for line in run([PROGRAM, "summary", "--format=json", "--from=61.72", *paths]).decode().splitlines()]
    check([bool(facts["event_types"]) for facts in found] == [True, False], "events of the window")
    check([any("nothing in this window" in line for line in facts["notes"]) for facts in found] == [False, True], "notes")


def doubtful(trace):
    """Exits alone: each call is an orphan, so no function has a self."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "exits.dat")
        run([PROGRAM, "cut", "--filter=dur > 100us && comm == \"trace-cmd\"", "-o", path, trace])
        facts = json.loads(run([PROGRAM, "summary", "--format=json", path]))
        check([row["event"] for row in facts["event_types"]] == ["ftrace/funcgraph_exit"], facts["event_types"])
        rows = facts["functions"]
        check(rows and all(row["self_ns"] is None and row["max_ns"] > 100000 for row in rows), rows)
        same_facts(run([PROGRAM, "summary", path]).decode(), facts, True)
        text = run([PROGRAM, "summary", path]).decode()
        lines = text.split(" function\n", 1)[1].split("\n\n")[0].splitlines()
        check(len(lines) == len(rows) and all(line.split()[1] == "–" for line in lines), lines)
        check(all(row["self_ns"] == row["net_ns"] == "" for row in table(path, "functions")), "self in functions")


def late(trace, report):
    """A CPU whose records begin late may have been busier: > says so.  No event is lost, each CPU has a switch."""
    records = re.findall(r"^.*-\d+ +\[(\d+)\][^:]*? +([\d.]+): (\w+): ", read_text(report).decode(), re.M)
    begins = {}
    for cpu, ts, event in reversed(records):
        begins[int(cpu)] = float(ts)
    check({int(cpu) for cpu, ts, event in records if event == "sched_switch"} == set(begins), "a switch on each CPU")
    first, last = float(records[0][1]), float(records[-1][1])
    lines = run([PROGRAM, "summary", trace]).decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["CPU", "%busy"])
    marked = {cpu: lines[at + 1 + i].split()[1].startswith(">") for i, cpu in enumerate(sorted(begins))}
    wanted = {cpu: begin - first > (last - first) / 1000 for cpu, begin in begins.items()}
    check(marked == wanted and True in wanted.values(), marked, wanted)


def waits(trace):
    """A task that was woken before the trace began, and then ran: no wait of it is known.  The cells are those of tasks."""
    of_tasks = run([PROGRAM, "tasks", trace]).decode().splitlines()
    of_summary = run([PROGRAM, "summary", trace]).decode().splitlines()
    at = of_summary.index(next(line for line in of_summary if line.startswith("task ")))
    check(of_tasks[0].split()[1:7] == ["task", "run", "µs", "partial", "µs", "wait"], of_tasks[0])
    check(of_tasks[1].split()[:5] == ["213", "wl-rt", "30", "30", "–"], of_tasks[1])
    check(of_summary[at + 1].split() == ["wl-rt-213", "30.000", "0.7", "–", "–", "–"], of_summary[at + 1])


def noise(trace):
    row, = json.loads(run([PROGRAM, "summary", "--format=json", trace]))["noise"]
    first = table(trace, "noise", "--samples", "--head=1")[0]
    check(row["tracer"] == "timerlat" and str(row["worst_ns"]) in first.values() and str(row["at_ns"]) in first.values(), row, first)


def recorder(trace, program, nr):
    """The tasks of that name are not among the top ones, unless they are asked for; a note tells how long they ran."""
    facts = json.loads(run([PROGRAM, "summary", "--format=json", trace]))
    rows = [row for row in table(trace, "tasks") if row["comm"] == program]
    share = 100 * sum(int(row["run_ns"]) + int(row["run_cut_ns"]) for row in rows) / facts["span_ns"]
    check(len(rows) == nr and not [row for row in facts["tasks"] if row["task"].startswith(program)], "tasks:", facts["tasks"])
    check("the recorder's own tasks are not listed: they ran %.1f %% of a CPU" % share in facts["notes"], share, facts["notes"])
    facts = json.loads(run([PROGRAM, "summary", "--format=json", "--task=" + program, trace]))
    check(len(facts["tasks"]) == nr, program, facts["tasks"])


def main():
    tap = Tap()
    good = os.path.join(DATA, "good")
    for name, trace, report in traces(good):
        tap.case(name, whole, trace, report)
    for name in ("cpu4", "sched", "waits"):
        tap.case("the worst of " + name, worst, os.path.join(good, name, "trace.dat"))
    tap.case("a part of waits", worst, os.path.join(good, "waits", "trace.dat"), "--from=+100ms", "--to=+500ms", "--cpu=1")
    tap.case("a task of sched", worst, os.path.join(good, "sched", "trace.dat"), "--task=wl-ping*")
    tap.case("matches of cpu4", worst, os.path.join(good, "cpu4", "trace.dat"), "--from=+1ms", "--filter=pid > 1")
    tap.case("a window that one file lacks", outside, *[os.path.join(good, name, "trace.dat") for name in ("sched", "waits")])
    tap.case("doubtful calls alone", doubtful, os.path.join(good, "fgraph-7.2", "trace.dat"))
    for name in ("sched", "sched-7.2", "subbuf"):
        tap.case("a late CPU of " + name, late, *next(of[1:] for of in traces(good) if of[0] == name))
    tap.case("no wait is known", waits, os.path.join(good, "wakeup-rt", "trace.dat"))
    tap.case("trace-cmd's tasks", recorder, os.path.join(good, "sched", "trace.dat"), "trace-cmd", 3)
    tap.case("tasks of a recording that does not name its recorder's", recorder, os.path.join(good, "waits", "trace.dat"), "ftop-trace", 3)
    tap.case("noise", noise, os.path.join(good, "timerlat", "trace.dat"))
    tap.end()


if __name__ == "__main__":
    main()
