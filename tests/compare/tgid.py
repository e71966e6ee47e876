#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The name tgid of filters, beside a plain walk over the raw fields that trace-cmd prints.  Prints TAP."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run, shared_fixtures, traces, trace_cmd_report

LINE = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\][ -].*?(\d+\.\d+): +(\w+): +(.*)$")
NEW_THREAD = 0x10000


def field(name, text, base=10):
    found = re.search(r"\b%s=(-?\w+)" % name, text)
    return int(found.group(1), base) if found else None


def events(path):
    """(pid, event, fields) in the order of the trace."""
    for line in trace_cmd_report(["-R", "-t"], path).decode(errors="replace").split("\n"):
        found = LINE.match(line)
        if found:
            yield int(found.group(2)), found.group(5), found.group(6)


class Lives:
    """Of each pid, the tasks that had it: where each begins in the list of events, and what is told of it."""

    def __init__(self, path):
        self.events = list(events(path))
        self.lives = collections.defaultdict(lambda: [[-1, None, None]])  # first event, group, parent
        for i, (pid, event, text) in enumerate(self.events):
            if event == "task_newtask":
                child, thread = field("pid", text), field("clone_flags", text, 16) & NEW_THREAD
                self.lives[child].append([i, None if thread else child, pid if thread else None])
        for i, (pid, event, text) in enumerate(self.events):
            if event == "user_stack" and field("tgid", text):
                self.tell(pid, i, field("tgid", text))
            elif event == "sched_process_exec":
                self.tell(field("pid", text), i, field("pid", text))
                self.tell(field("old_pid", text), i, field("pid", text))

    def life(self, pid, i):
        return [life for life in self.lives[pid] if life[0] <= i][-1]

    def tell(self, pid, i, tgid):
        life = self.life(pid, i)
        if pid and life[1] is None:
            life[1] = tgid

    def group(self, pid, i, depth=0):
        if not pid:
            return 0
        life = self.life(pid, i)
        if life[1] is None and life[2] is not None and depth < 50:
            return self.group(life[2], life[0], depth + 1)
        return life[1]


def count(expression, path):
    return int(run([PROGRAM, "report", "--count", "-F", expression, path]))


def compare(path):
    lives = Lives(path)
    groups = collections.Counter(lives.group(pid, i) for i, (pid, _, _) in enumerate(lives.events))
    if set(groups) <= {None, 0}:
        raise Failure("the trace tells of no process")
    for tgid, expected in groups.most_common(8):
        got = count("!(tgid >= 0)" if tgid is None else "tgid == %d" % tgid, path)
        if got != expected:
            raise Failure("tgid %s: %d events, not %d" % (tgid, got, expected))
    same = sum(lives.group(pid, i) == pid for i, (pid, _, _) in enumerate(lives.events))
    if count("tgid == pid", path) != same:
        raise Failure("tgid == pid: not %d events" % same)
    some = sorted(tgid for tgid in groups if tgid)[:3]
    if count("tgid in (%s)" % ",".join(map(str, some)), path) != sum(groups[tgid] for tgid in some):
        raise Failure("tgid in %s: not what they have each" % some)
    if count("tgid not in (%s)" % ",".join(map(str, some)), path) != \
            sum(n for tgid, n in groups.items() if tgid is not None and tgid not in some):
        raise Failure("tgid not in %s: not the others that are known" % some)


def telling(found):
    for name, path, _ in found:
        raw = trace_cmd_report(["-R", "-t"], path)
        if b"task_newtask: " in raw or b"user_stack: " in raw or b"sched_process_exec: " in raw:
            yield name, path


def main():
    tap = Tap()
    if not TRACE_CMD:
        tap.skip("tgid", "there is no trace-cmd")
        tap.end()
    for name, path in telling(traces(os.path.join(DATA, "good")) + shared_fixtures()):
        tap.case("%s: tgid is what its events tell" % name, compare, path)
    tap.end()


main()
