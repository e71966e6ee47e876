#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report -F finds what matches in one pass of all CPUs before it prints; where only
a part of the trace is asked for, it asks for each record as it comes.  The two
must tell the same, also with stacks and lost events in between, and --count the
number of both.  Each trace has a third of the expressions, with FTOP_TEST_LONG=1 all.
"""
import functools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LONG, PLAIN, PROGRAM, Tap, report, same, traces

FILTERS = ("pid != 0", "pid == 0", "lost || CPU == 0")
OF_EVENTS = ("!FREQUENT && !func*", "func* && pid != 0", "kernel_stack")
# Of what is asked to find expressions, nothing is compared.
TELLER = PLAIN or PROGRAM


@functools.lru_cache(maxsize=None)
def frequent(path):
    """The type that most events are of: an event that the trace does not know is an error."""
    info = json.loads(subprocess.run([TELLER, "info", "--format=json", path], capture_output=True, check=True).stdout)
    return max(info["event_types"], key=lambda kind: kind["count"], default={"name": "print"})["name"]


@functools.lru_cache(maxsize=None)
def known(word, path):
    """Does the file have a format of such an event?  Some were made with those of their own events alone."""
    return subprocess.run([TELLER, "report", "--count", "-F", word, path], capture_output=True, check=False).returncode == 0


def check(expression, path):
    for word, other in ("func*", frequent(path)[:4] + "*"), ("kernel_stack", frequent(path)):
        if word in expression and not known(word, path):
            expression = expression.replace(word, other)
    if "FREQUENT" in expression:
        expression = expression.replace("FREQUENT", frequent(path))
    ahead = ["-F", expression]
    each = ahead + ["--from", "+0", "--exact"]
    for options in ([], ["--format", "csv", "--cpu", "1"], ["--count"]):
        same(report(options + ahead, path), report(options + each, path))


def main():
    tap = Tap()
    for name, path, _ in traces(os.path.join(DATA, "good")):
        # a small file of a latency tracer's text has no formats, so an event's name is an error
        expressions = FILTERS + (OF_EVENTS if known(frequent(path), path) else ())
        for expression in expressions if LONG else expressions[sum(name.encode()) % 3::3]:
            tap.case("%s: %s" % (name, expression), check, expression, path)
    return tap.end()


if __name__ == "__main__":
    raise SystemExit(main())
