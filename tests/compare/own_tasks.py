#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Switches between tasks of the recorder, which earlier versions of record left out, are no missing switches of others.  Prints TAP.

They excluded its tasks from events (set_event_notrace_pid), so the kernel left out a switch from one of them to
another.  Which switches that are comes from trace-cmd's text.
"""
import csv
import io
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run   # noqa: E402

LINE = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +[\d.]+: (?P<name>\w+): +(?P<text>.*)$")
SWITCH = re.compile(r"^.*:(\d+) \[\d+\] \S+ ==> .*:(\d+) \[\d+\]")


def unseen(path):
    """(name, name) of the tasks between which there is no record of a switch."""
    on, found = {}, []
    for line in run([TRACE_CMD, "report", "-i", path]).decode().splitlines():
        line = LINE.match(line)
        if not line:
            continue
        pid, cpu = line["pid"], line["cpu"]
        before = on.get(cpu)
        if before and pid not in before[:2]:
            found.append((before[2], line["comm"]))
        switch = SWITCH.match(line["text"]) if line["name"] == "sched_switch" else None
        name = line["text"].partition("==> ")[2].rpartition(":")[0] if switch else line["comm"]
        on[cpu] = (switch[2], pid, name) if switch else (pid, pid, name)
    return found


def compare(path):
    found = unseen(path)
    if not found or any(name != "ftop-trace" for names in found for name in names):
        raise Failure("unseen switches: %s" % found)
    told = subprocess.run([PROGRAM, "tasks", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr
    if b"missing" in told or b"lower bounds" in told:
        raise Failure(told.decode())
    for row in csv.DictReader(io.StringIO(run([PROGRAM, "cpus", "--format=csv", path]).decode())):
        known, spent = int(row["known_ns"]), int(row["busy_ns"]) + int(row["idle_ns"])
        if known != spent:
            raise Failure("CPU %s: %d ns are known, and %d ns are told" % (row["cpu"], known, spent))
    for row in csv.DictReader(io.StringIO(run([PROGRAM, "tasks", "--format=csv", path]).decode())):
        if int(row["doubtful_ns"] or 0):
            raise Failure("doubtful: %s" % row)


def main():
    tap = Tap()
    if not TRACE_CMD:
        tap.skip("own tasks", "there is no trace-cmd")
        tap.end()
    tap.case("only switches between the recorder's tasks are unseen, and nothing is missing", compare,
             os.path.join(DATA, "own-tasks", "trace.dat"))
    tap.end()


main()
