# SPDX-License-Identifier: GPL-2.0-or-later
"""The traces that are compared with sched_oracle.py: recorded ones, and those that make_sched_trace makes up."""
import json
import os
import tempfile

import sched_oracle
from report_common import BUILD, DATA, PROGRAM, SHARED, TRACE_CMD, Failure, corpus, run, shared_fixtures, traces


def buffers(path):
    return [buffer["name"] for buffer in json.loads(run([PROGRAM, "info", "--format=json", path]))["buffers"]]


def interrupts(path, buffer):
    """Which records were made in interrupts, where report does not tell it; or while these, or preemption, were off."""
    by_line = {}
    for event in buffer.events:
        if event.line:
            by_line.setdefault(event.line, []).append(event)
    filters = [(bit, "common_flags & %d" % bit) for bit, _ in sched_oracle.INTERRUPTS]
    if any('"system":"preemptirq"' in line for line in by_line):
        filters += [(0x01, "common_flags & 1"), (sched_oracle.PREEMPT_OFF, "common_preempt_count & 15")]
    for bit, text in filters if by_line else ():
        for line in run([PROGRAM, "report", "--format=json", "-F", text, path]).decode().splitlines():
            for event in by_line.get(line, ()):
                event.flags |= bit


def recorded(tap, listed, compare):
    """A case for each trace with sched events: compare(path, buffer); listed(path): its lines of report, as JSON."""
    found = traces(os.path.join(DATA, "good"))
    if SHARED:
        found += shared_fixtures() + corpus(os.path.join(SHARED, "corpus"))
    for name, path, _ in found:
        if name == "pid":               # of one task alone: tests/program/sentences.py has what is told of such traces
            continue
        lines = listed(path)
        if not any('"system":"sched"' in line for line in lines):
            continue
        buffer = sched_oracle.from_json(lines, buffers(path), TRACE_CMD, path) if TRACE_CMD else None
        if buffer:
            tap.case(name, compare, path, buffer)
        else:
            tap.skip(name, "trace-cmd, which tells the letters of states, is missing or cannot read this")


def made_up(tap, nr, in_case, steps, check, what=""):
    """nr of them, some in a case: check(path, path of the list of its events, seed)."""
    tool = os.path.join(BUILD, "tests", "tools", "make_sched_trace")

    def case(first):
        with tempfile.TemporaryDirectory() as folder:
            path, list_ = os.path.join(folder, "trace.dat"), os.path.join(folder, "list")
            for seed in range(first, first + in_case):
                run([tool, str(seed), str(steps), path, list_])
                try:
                    check(path, list_, seed)
                except Failure as failure:
                    raise Failure("seed %d: %s" % (seed, failure)) from failure

    for first in range(0, nr, in_case):
        if os.path.exists(tool):
            tap.case("%smade-up traces from %d on" % (what, first), case, first)
        else:
            tap.skip("%smade-up traces from %d on" % (what, first), "make_sched_trace was not built")
