#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wait, wakelat, ran, state and prio of the filter language keep the events that sched_oracle.py, rule by rule and without
the program's code, gives these values.  The names of tasks are the same with any number of workers.
Prints TAP.
"""
import bisect
import functools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import sched_oracle                                             # noqa: E402
from report_common import LONG, PROGRAM, Failure, Tap, Turn, run   # noqa: E402
from sched_common import buffers, made_up, recorded             # noqa: E402

NUMBERS = ("wait", "wakelat", "ran", "prio", "task")
STATES = ("preempted", "sleep", "blocked", "gone")
# Several values of a record in one comparison; prio is of another pass, which has to come first.
COMPUTED = (
    ("sched_switch: wait + ran > 100us", ("wait", "ran"), lambda of: of["wait"] + of["ran"] > 100000),
    ("wait > ran", ("wait", "ran"), lambda of: of["wait"] > of["ran"]),
    ("wait > prio * 100", ("wait", "prio"), lambda of: of["wait"] > of["prio"] * 100),
    ("wakelat % 2 == 1", ("wakelat",), lambda of: of["wakelat"] >= 0 and of["wakelat"] % 2 == 1),
    ("wakelat + state > 50us", ("wakelat", "state"), lambda of: of["wakelat"] + STATES.index(of["state"]) > 49997),
)
# All that is asked is asked while the values come, where nothing else can match.
WHOLE = (
    ("cpu < 2 && sched/*: state == sleep", lambda of: of.get("state") == "sleep" and of["cpu"] < 2),
    ("cpu > 0 && wait > 5us && !(ran > 100us)",
     lambda of: of["cpu"] > 0 and of.get("wait", 0) > 5000 and of.get("ran", 0) <= 100000),
    ("(wakelat > 5us || ran > 50us) && !(wait > 10us)",
     lambda of: (of.get("wakelat", 0) > 5000 or of.get("ran", 0) > 50000) and of.get("wait", 0) <= 10000),
    ("wait > 5us || wakelat > 5us", lambda of: of.get("wait", 0) > 5000 or of.get("wakelat", 0) > 5000),
    ("wait + ran > 20us && wait < 1ms",
     lambda of: "wait" in of and "ran" in of and of["wait"] + of["ran"] > 20000 and of["wait"] < 1000000),
    ("wait > 5us && cpu == 0 && cpu == 1", lambda of: False),
    ("!(wait > 5us) && cpu == 0 && ran >= 0",
     lambda of: of.get("wait", 0) <= 5000 and of["cpu"] == 0 and of.get("ran", -1) >= 0),
)
MOST = 40                               # values of a list
MADE = 100 if LONG else 5
STEPS = 800


def listed(path, *options):
    """Lines of report, as JSON."""
    return run([PROGRAM, "report", "--format=json", *options, path]).decode().splitlines()


def alone(path):
    """The same with one CPU."""
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    try:
        return listed(path)
    finally:
        os.sched_setaffinity(0, cpus)


def check_in_turn(turn, path, events, expression, holds):
    if not turn.comes():
        return
    # Stacks follow what matches, and losses go before it; prio is told of other buffers, too.
    sure = {event.line for event in events if '_stack","fields"' not in event.line}
    got = [line for line in listed(path, "-F", expression) if line in sure]
    expected = [event.line for event in events if event.line in sure and holds({**event.values, "cpu": event.cpu})]
    if sorted(got) == sorted(expected):     # in whose order report puts them is not the question
        return
    extra, missing = sorted(set(got) - set(expected)), sorted(set(expected) - set(got))
    raise Failure("%s: %d lines, not %d\n  too many: %s\n  missing: %s" %
                  (expression, len(got), len(expected), extra[:2], missing[:2]))


def compare(path, buffer, seed=1):
    oracle = sched_oracle.Oracle(buffer)
    oracle.find_prios()
    events = buffer.events
    choose = random.Random(seed)
    check = functools.partial(check_in_turn, Turn(), path, events)
    for name in NUMBERS:
        values = sorted({event.values[name] for event in events if name in event.values})
        if not values:
            continue
        check("%s >= %d" % (name, values[0]), lambda of, n=name: n in of)
        some = set(choose.sample(values, min(MOST, len(values))))
        check("%s in (%s)" % (name, ", ".join(map(str, sorted(some)))),
              lambda of, n=name, s=some: of.get(n) in s)
        # What computes is asked while the values come, of each type of events for itself.
        check("%s * 3 > %d" % (name, 2 * values[-1]), lambda of, n=name, m=values[-1]: of.get(n, 0) * 3 > 2 * m)
        check("%s - 1 not in (%s)" % (name, ", ".join(map(str, sorted(some)))),
              lambda of, n=name, s=some: n in of and of[n] - 1 not in s)
        middle = values[bisect.bisect_left(values, values[len(values) // 2])]
        check("%s > %d" % (name, middle), lambda of, n=name, m=middle: of.get(n, m) > m)
    for expression, names, holds in COMPUTED:
        if any(all(name in event.values for name in names) for event in events):
            check(expression, lambda of, n=names, h=holds: all(name in of for name in n) and h(of))
    if any("wait" in event.values for event in events) and any("wakelat" in event.values for event in events):
        for expression, holds in WHOLE:
            check(expression, holds)
    for state in STATES:
        if any(event.values.get("state") == state for event in events):
            check("sched/*: state == %s" % state, lambda of, s=state: of.get("state") == s)


def compare_made_up(path, list_, seed):
    told = sched_oracle.from_list(list_)
    lines = listed(path)
    if lines != alone(path):
        raise Failure("with one CPU, and so one worker, the names of tasks are others")
    if not any('"system":"sched"' in line for line in lines):
        return
    buffer = sched_oracle.from_lines(lines, buffers(path), told.letters, told.plus, told.saved)
    if not buffer:
        return
    # Which records follow on a loss is the maker's to know: report does not tell all.
    for event, of_list in zip(buffer.events, told.events):
        event.lost = of_list.lost
    compare(path, buffer, seed)


def main():
    tap = Tap()
    recorded(tap, listed, compare)
    made_up(tap, MADE, 10, STEPS, compare_made_up)
    tap.end()


main()
