#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-F, -v, --compat-filter, --grep and --count of all text commands: beside their whole output, and Python's re.  Prints TAP."""
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, asked, report, run

CPU4 = os.path.join(DATA, "good", "cpu4", "trace.dat")
OPTIONS = ("--filter=", "--compat-filter", "--grep=", "--count")
COMMON = "--from --to --cpu --task -F -v --grep --count --head".split()
COMMANDS = ("report", "fields", "functions", "graph", "tasks", "timeline", "wakeups")


def same(got, expected):
    if got != expected:
        raise Failure("%.600r\ninstead of\n%.600r" % (got, expected))


def ask(command, *options, status=0):
    """Lines of standard output."""
    return run([PROGRAM, command, *options, CPU4], status).decode().splitlines()


def is_quiet_about(command, *options, status, said):
    done = subprocess.run(asked(command, *options, CPU4), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != status or done.stdout or said not in done.stderr.decode():
        raise Failure("%s %s: %d, %r, %s" % (command, " ".join(options), done.returncode, done.stdout[:80], done.stderr.decode()))


def rows(command, nr_headings, regex, *options):
    """--grep keeps the headings and the rows that match; --count counts these."""
    whole = ask(command, *options)
    wanted = [line for line in whole[nr_headings:] if re.search(regex, line)]
    if not 0 < len(wanted) < len(whole) - nr_headings:
        raise Failure("%d of %d rows match" % (len(wanted), len(whole)))
    same("\n".join(ask(command, "--grep", regex, *options)), "\n".join(whole[:nr_headings] + wanted))
    same(ask(command, "--grep", regex, "--count", *options), [str(len(wanted))])
    same(ask(command, "--count", *options), [str(len(whole) - nr_headings)])


def head():
    """functions --head: the first of those that match."""
    wanted = [line for line in ask("functions", "--format=csv")[1:] if "lock" in line]
    same(ask("functions", "--format=csv", "--grep", "lock", "--head", "3")[1:], wanted[:3])
    same(ask("functions", "--grep", "lock", "--head", "3", "--count"), ["3"])


def picture():
    """A picture: the rows of CPUs and tasks are what --grep chooses from."""
    whole = ask("timeline", "--width", "90", "--at", "7.6")
    above, below = whole[:2], [i for i, line in enumerate(whole) if "▲" in line][0]
    wanted = [line for line in whole[2:below] if re.search("on-cpu-[12]-", line)]
    got = ask("timeline", "--width", "90", "--at", "7.6", "--grep", "on-cpu-[12]-")
    same(got[:2] + got[2:2 + len(wanted)], above + wanted)
    same(got[2 + len(wanted):4 + len(wanted)], whole[below:below + 2])
    if not got[4 + len(wanted)].startswith(" Running on CPU 1 since "):
        raise Failure("the words are not about the first row that is there: %s" % got[4 + len(wanted):])
    same(ask("timeline", "--width", "90", "--grep", "on-cpu-[12]-", "--count"), [str(len(wanted))])


def tree(regex, *options):
    """graph: rows that match, and those they are in; by the levels of the whole tree."""
    whole = ask("graph", "--format=json", *options)
    levels = [json.loads(line)["level"] for line in whole]
    wanted, matches = set(), [i for i, line in enumerate(whole) if re.search(regex, line)]
    for i in matches:
        wanted.add(i)
        level, above = levels[i], i
        while level:
            above -= 1
            if levels[above] == level - 1:
                wanted.add(above)
                level -= 1
    if not matches or len(wanted) == len(whole):
        raise Failure("%d of %d rows match" % (len(matches), len(whole)))
    same("\n".join(ask("graph", "--format=json", "--grep", regex, *options)), "\n".join(whole[i] for i in sorted(wanted)))
    same(ask("graph", "--format=json", "--grep", regex, "--count", *options), [str(len(matches))])
    same(ask("graph", "--format=json", "--grep", regex, "--count", "--max-calls=100", *options), [str(len(matches))])


def tree_of_text():
    """The lines of the text that match are all in it, and each bracket that is opened is closed."""
    whole = ask("graph", "--task", "80")
    wanted = [line for line in whole if re.search(r"read_hpet|off the CPU", line)]
    got = ask("graph", "--task", "80", "--grep", r"read_hpet|off the CPU")
    same([line for line in got if re.search(r"read_hpet|off the CPU", line)], wanted)
    text = "\n".join(got)
    if text.count("{") != text.count("}") or not set(line for line in got if " }" not in line) <= set(whole):
        raise Failure(text)


def counted_tree():
    """Without --grep: the calls that are asked for, not those above them, nor what is in them."""
    for expression in ("func == schedule", "dur > 1ms", "cpu == 1"):
        calls = list(csv.DictReader(io.StringIO("\n".join(ask("functions", "--format=csv", "-F", expression)))))
        same(ask("graph", "--count", "-F", expression), [str(sum(int(c["calls"]) + int(c["unclosed"]) for c in calls))])
    same(ask("graph", "--count"), [str(len(ask("graph", "--format=json")))])
    same(ask("graph", "--count", "--by=cpu", "--max-calls=100"), [str(len(ask("graph", "--format=json")))])


def kernels_tree():
    options = ["-v", "-F", "func == schedule", "--grep", "lock"]
    same(run([PROGRAM, "graph", "--style=kernel"] + options + [CPU4]), report(["--style=kernel"] + options, CPU4))
    same(ask("graph", "--style=kernel", "--count", "--task", "80", "--task", "on-cpu-2", "-F", "cpu == 1", "-F", "cpu == 2"),
         report(["--count", "-F", "(pid == 80 || comm == \"on-cpu-2\") && cpu in 1-2"], CPU4).decode().splitlines())
    is_quiet_about("graph", "--style=kernel", "--compat-filter", "-F", "x", "--task", "80", status=2, said="--task cannot be combined with --compat-filter")


def fields():
    """Events that match, with how many they are; headings keep what is below them."""
    found = list(csv.DictReader(io.StringIO("\n".join(ask("fields", "--format=csv", "-F", "cpu == 1", "-F", "lost")))))
    told = {}
    for line in report(["--format=json", "--cpu=1"], CPU4).splitlines():
        event = json.loads(line)
        if "event" in event:
            told[event["event"]] = told.get(event["event"], 0) + 1
    same({row["event"]: int(row["events"]) for row in found if row["event"]}, told)
    same({int(row["events"]) for row in found if not row["event"]}, {sum(told.values())})
    whole = "\n".join(ask("fields")).split("\n\n")
    same("\n".join(ask("fields", "--grep", "^sched/sched_switch:")),
         "\n".join(part for part in whole if part.startswith("sched/sched_switch:")))
    some = [[line for line in part.splitlines()[1:] if "prio" in line] for part in whole]
    same("\n".join(ask("fields", "--grep", "prio")),
         "\n\n".join("\n".join([part.splitlines()[0]] + lines) for part, lines in zip(whole, some) if lines))
    same(ask("fields", "--grep", "prio", "--count"), [str(sum(len(lines) for lines in some))])


def negated():
    """-v drops what matches, and with it and without there is everything, once."""
    for command, expression in (("wakeups", "pid == 0"), ("wakeups", "sched_waking && cpu == 1")):
        whole, some, others = (ask(command, "--format=csv", *options)[1:] for options in
                               ([], ["-F", expression], ["-v", "-F", expression]))
        if not some or not others or sorted(some + others) != sorted(whole):
            raise Failure("%s %s: %d and %d of %d" % (command, expression, len(some), len(others), len(whole)))
    counts = [sum(int(row["calls"]) for row in csv.DictReader(io.StringIO("\n".join(ask("functions", "--format=csv", *options)))))
              for options in ([], ["-F", "dur > 5us"], ["-v", "-F", "dur > 5us"])]
    if not counts[1] or not counts[2] or counts[1] + counts[2] != counts[0]:
        raise Failure(str(counts))
    for command in COMMANDS:
        options = ["-F", "cpu == 2", "-v", "-F", "sched_switch", "-F", "pid == 0"]
        same(ask(command, *options), ask(command, "-F", "cpu == 2 && !sched_switch && !(pid == 0)"))


def compat():
    """trace-cmd's rules bind from left to right."""
    for command in COMMANDS:
        options = ["--compat-filter", "-F", "sched_wak.*,funcgraph_exit: common_pid == 80 || common_pid == 79 && CPU == 1"]
        same(ask(command, *options), ask(command, "-F", "(sched_wak* || funcgraph_exit) && (common_pid == 80 || common_pid == 79) && cpu == 1"))
        if ask(command, *options) == ask(command):
            raise Failure("%s: nothing was left out" % command)


def listed():
    for command in COMMANDS:
        text = run([PROGRAM, command, "--help"]).decode().split("Common options, which ftop-trace help options describes:")[1]
        words = re.findall(r"^[^\t\n]+", run([PROGRAM, "--complete", f"ftop-trace {command} -"]).decode(), re.M)
        if not all(option in words for option in OPTIONS) or not all(word in text.split() for word in COMMON):
            raise Failure("%s lacks one of them" % command)
    if re.search(r"--grep|--filter", run([PROGRAM, "info", "--help"]).decode()):
        raise Failure("info lists what it refuses")


def refused():
    if not {word.rstrip("=") for word in OPTIONS} <= set(run([PROGRAM, "help", "options"]).decode().replace("=", " ").split()):
        raise Failure("help options lacks one of them")
    for option in (["-F", "sched_switch"], ["-v"], ["--compat-filter"], ["--grep", "x"], ["--count"], ["--filter=x"]):
        is_quiet_about("info", *option, status=2, said="it describes the whole file; ftop-trace fields")
    for command in COMMANDS:
        is_quiet_about(command, "--grep", "(", status=2, said="--grep (: invalid regular expression")
        is_quiet_about(command, "-v", "-v", status=2, said="-v applies to all -F after it")
        is_quiet_about(command, "-F", "prev_stat == R", status=2, said="-F: no event has a field prev_stat; did you mean prev_state?\n  prev_stat == R\n  ^^^^^^^^^\n")


def said(command, *options, status=0, trace=CPU4):
    """Standard output and what is told beside it."""
    done = subprocess.run(asked(command, *options, trace), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != status:
        raise Failure("%s %s: %d, %s" % (command, " ".join(options), done.returncode, done.stderr.decode()))
    return done.stdout.decode(), done.stderr.decode()


def outside():
    """A window that the trace is not in is the reason, whoever is asked."""
    times = [line.split() for line in ask("info") if line.startswith("span")][0]
    span = " %s to %s" % (times[1], times[3].rstrip(","))
    for command in COMMANDS:
        if command == "fields":
            continue
        for window in (["--from", "100"], ["--to", "1"], ["--from", "100", "-F", "sched_switch"]):
            told = said(command, *window, status=2)[1]
            if told.count("nothing in this window: the trace spans" + span) != 1 or "nothing matches in" in told:
                raise Failure("%s %s: %s" % (command, " ".join(window), told))
        if "nothing in this window" in said(command, "--from", "7.6", "--to", "7.61")[1]:
            raise Failure("%s: there is something in this window" % command)


def none():
    """No line that --grep wants is told, and is no failure."""
    for command in COMMANDS:
        for more in ([], ["-F", "sched_switch"], ["--count"]):
            told = said(command, "--grep", "XY.Z", *more)[1]
            if "-F" in more and command in ("functions", "graph", "wakeups"):	# these have no rows then
                continue
            if "--grep XY.Z: no line matches" not in told or "nothing matches" in told:
                raise Failure("%s %s: %s" % (command, " ".join(more), told))
        if "no line matches" in said(command, "--grep", ".")[1]:
            raise Failure("%s: lines match" % command)


def woken_only():
    """A task that others wake and that has no event of its own has a row: then something matches."""
    trace = os.path.join(DATA, "good", "sched-7.2", "trace.dat")
    events = [json.loads(line) for line in said("report", "--format=json", trace=trace)[0].splitlines()]
    own = {event["pid"] for event in events if "pid" in event}
    woken = {event["fields"]["pid"] for event in events if event.get("event") in ("sched_waking", "sched_wakeup")} - own
    for pid in sorted(woken)[:3]:
        out, told = said("tasks", "--format=csv", "-F", "pid == %d" % pid, trace=trace)
        if "\n%d," % pid not in out or "nothing matches" in told:
            raise Failure("%d: %s, %s" % (pid, out, told))
    same(said("wakeups", "--count", "-F", "sched_switch"), ("0\n", "ftop-trace: no wake-up matches\n"))
    if not woken:
        raise Failure("there is no such task")
    if "nothing matches" not in said("tasks", "-F", "pid == 99999")[1]:
        raise Failure("nothing is told of what does not match")


def given_up():
    """A regular expression that takes too many steps everywhere does not take them for the whole trace, and that is an error."""
    regex = r"(x|\s*\S+\s*)+[@#]"
    for command, options in (("report", ["--grep", regex]), ("report", ["--count", "--grep", regex, "--style=kernel"]),
                             ("report", ["-F", "/%s/" % regex]), ("graph", ["--grep", regex]), ("tasks", ["-F", "/%s/" % regex]),
                             *((command, ["-F", "/%s/" % regex]) for command in (
                                 "functions", "count", "cpus", "wakeups", "latency", "stacks --events", "timeline", "fields"))):
        out, told = said(*command.split(), *options, status=1)
        if "matching stopped" not in told or "0\n" == out:
            raise Failure("%s %s: %s, %s" % (command, " ".join(options), out[:80], told))


def main():
    tap = Tap()
    for command, nr, regex, options in (
            ("tasks", 1, r"on-cpu-\d +1", ()), ("tasks", 1, "^[0-9]+,on", ("--format=csv",)), ("tasks", 0, '"preemptions":4', ("--format=json",)),
            ("wakeups", 1, r"rcu.*idle>\)$", ()), ("wakeups", 1, ",80,", ("--format=csv",)), ("wakeups", 0, '"cpu":3,', ("--format=json",)),
            ("functions", 1, "_spin_.*lock$", ()), ("functions", 1, "^_raw_spin", ("--format=csv",)), ("functions", 0, "clock", ("--format=json",)),
            ("functions", 0, "schedule;.*enqueue", ("--folded",)),
            ("timeline", 1, "^task,.*,wait,", ("--format=csv",)), ("timeline", 0, '"state":"idle"', ("--format=json",)),
            ("fields", 1, "^sched,sched_waking", ("--format=csv",)), ("fields", 0, '"type":"pid_t"', ("--format=json",))):
        tap.case("%s %s: rows with %s" % (command, " ".join(options), regex), rows, command, nr, regex, *options)
    tap.case("functions --head", head)
    tap.case("timeline as a picture", picture)
    tap.case("graph: calls, and those above them", tree, '"function":"ktime_get"')
    tap.case("graph: off the CPU, of some calls", tree, '"kind":"off_cpu"', "--min", "1ms")
    tap.case("graph: down to a depth", tree, '"duration_ns":2', "--depth", "2")
    tap.case("graph as text", tree_of_text)
    tap.case("graph --count", counted_tree)
    tap.case("graph --style=kernel", kernels_tree)
    tap.case("fields -F", fields)
    tap.case("-v", negated)
    tap.case("--compat-filter", compat)
    tap.case("listed by help and completion", listed)
    tap.case("refused, and why", refused)
    tap.case("a window outside of the trace", outside)
    tap.case("--grep that no line matches", none)
    tap.case("tasks -F of a task that is only woken", woken_only)
    tap.case("regular expressions that are given up", given_up)
    tap.end()


main()
