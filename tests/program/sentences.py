#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of who, why and how long, in traces that are easily misread (tests/data/sentences).

A case is the trace, the command, what it must print, and what it must not: regular expressions, over lines that were joined.
What is right was read from the records.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, run  # noqa: E402  pylint: disable=wrong-import-position

CASES = (
    # an interrupt over firefox wakes sshd
    ("woke-interrupt", "tasks --format=json", ['"comm":"firefox".*?"woke":0,'], []),
    ("woke-interrupt", "timeline --format=json", [r'"detail":"woken by irq eth0 \(in 500\)"'], []),
    ("woke-interrupt", "tasks --woken", ["sshd-200 +hard irq "], ["firefox"]),
    ("woke-interrupt", "wakeups", [r"irq eth0 \(in firefox-500\)"], []),
    # what is said of the longest wait is not true of all
    ("longest-only", "why --task=100", [r"hog-200 \(the longest: both are nice 0; CPU 1 was idle meanwhile"], ["share"]),
    # SCHED_RR: its slice was over
    ("rr-recorded", "why --task=rrone", ["both are real-time 10: round robin, or it gave the CPU away"], ["no preemption"]),
    ("edf", "why --task=100", ["both are deadline: the earlier deadline goes first"], ["no preemption"]),
    ("stopper-deadline", "why --task=100", [r"migration/0-20 \(the stop class goes before all others"], ["although"]),
    # it waits with nice 0, and is boosted later
    ("pi-boost", "why --task=low", [r"mid-109 \(the longest: real-time 30 goes before nice 0"], ["although"]),
    # the tick of a full dynticks CPU stops while a task runs
    ("nohzfull", "summary", ["steal is inferred: a full dynticks CPU"], []),
    # who polls may be woken by any interrupt
    ("poll-nic", "timeline --task=proxy --at=1.2", ["woken by an interrupt"], ["timer"]),
)


def case(trace, words, said, unsaid):
    out = re.sub(r"\s+", " ", run([PROGRAM, *words.split(), os.path.join(DATA, "sentences", trace + ".txt")]).decode())
    for text in said:
        if not re.search(text, out):
            raise Failure("%r is not said: %s" % (text, out))
    for text in unsaid:
        if re.search(text, out):
            raise Failure("%r is said: %s" % (text, out))


def main():
    tap = Tap()
    for trace, words, said, unsaid in CASES:
        tap.case("%s, %s" % (trace, words), case, trace, words, said, unsaid)
    tap.end()


main()
