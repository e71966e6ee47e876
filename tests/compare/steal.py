#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stolen time, in traces made by hand: what the recorder read in /proc/stat.  Expected by hand; prints TAP."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from private_section import with_blocks                         # noqa: E402
from report_common import DATA, PROGRAM, Failure, Tap, run      # noqa: E402

SCHED = os.path.join(DATA, "good", "sched", "trace.dat")


def check(right, *what):
    if not right:
        raise Failure(" ".join(str(of) for of in what))


def watched(folder, lines):
    """A trace with these lines about the machine."""
    return with_blocks(SCHED, os.path.join(folder, "watched.dat"), {"saved_tgids": b"", "machine": lines})


def words(*command):
    return " ".join(run([PROGRAM, *command]).decode().split())


def test_watched(folder):
    trace = watched(folder, b"virt kvm\nwatched 100 200000000000 203000000000\n"
                            b"steal 200000000000 201000000000 0 12\nsteal 201000000000 202000000000 1 3\n"
                            b"steal 202000000000 203000000000 0 2\n")
    told = ("CPU 0 0.140 s, CPU 1 0.030 s in 3.000 s, counted in ticks of 0.010 s; most at once 0.120 s of CPU 0, "
            "from 200.000000000 to 201.000000000")
    check("stolen time " + told + " known tasks" in words("info", trace), words("info", trace))
    check(told in words("summary", trace), words("summary", trace))
    steal = json.loads(run([PROGRAM, "info", "--format=json", trace]))["machine"]["steal"]
    second = 1000000000
    check(steal == {"tick_ns": 10000000, "from_ns": 200 * second, "to_ns": 203 * second, "stolen_ns": 170000000,
                    "growth": [{"cpu": 0, "from_ns": 200 * second, "to_ns": 201 * second, "stolen_ns": 120000000},
                               {"cpu": 1, "from_ns": 201 * second, "to_ns": 202 * second, "stolen_ns": 30000000},
                               {"cpu": 0, "from_ns": 202 * second, "to_ns": 203 * second, "stolen_ns": 20000000}]}, steal)


def test_nothing_stolen(folder):
    """A virtual machine was watched, a real one was, and nobody looked."""
    trace = watched(folder, b"virt kvm\nwatched 100 200000000000 203000000000\n")
    check("stolen time nothing in 3.000 s, counted in ticks of 0.010 s" in words("info", trace), words("info", trace))
    check("stolen" not in words("summary", trace), words("summary", trace))
    trace = watched(folder, b"virt none\nwatched 100 -1 -1\n")
    check("stolen" not in words("info", trace), words("info", trace))
    trace = watched(folder, b"virt kvm\n")
    check("stolen" not in words("info", trace), words("info", trace))
    check(json.loads(run([PROGRAM, "info", "--format=json", trace]))["machine"]["steal"] is None, "not null")


def test_many_cpus(folder):
    """The clock of the trace cannot be read; four CPUs are named, all are in the sum."""
    lines = b"watched 100 -1 -1\n" + b"".join(b"steal -1 -1 %d %d\n" % (cpu, cpu) for cpu in range(1, 8))
    told = ("stolen time CPU 1 0.010 s, CPU 2 0.020 s, CPU 3 0.030 s, CPU 4 0.040 s and 3 more CPUs, 0.280 s in all, "
            "counted in ticks of 0.010 s known tasks")
    check(told in words("info", watched(folder, lines)), words("info", watched(folder, lines)))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("what /proc/stat said, second by second", test_watched, folder)
        tap.case("nothing was stolen, or nobody looked", test_nothing_stolen, folder)
        tap.case("many CPUs, a clock that cannot be read", test_many_cpus, folder)
    tap.end()


main()
