#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stolen time, in traces made by hand: what the recorder read in /proc/stat; what is inferred of silent CPUs.  Expected by
hand; prints TAP.
"""
import csv
import io
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


# --- silences -----------------------------------------------------------------------------------

HR = "hrtimer_expire_entry: hrtimer=00000000c0ffee00 function=%s now=1"
TICKS = {"hrtimer": HR % "tick_sched_timer", "nohz": HR % "tick_nohz_handler", "x86": "local_timer_entry: vector=236",
         "arm": "irq_handler_entry: irq=11 name=arch_timer"}
OTHER_TIMER = HR % "hrtimer_wakeup"
MARK = "tracing_mark_write: x"
SECOND = 1000000


class Guest:
    """The kernel's text.  A CPU runs busy-10, and has a tick in each @period, in us."""

    def __init__(self, tick, period, learn=25):
        self.tick, self.period, self.events = TICKS[tick], period, []
        self.at(SECOND - 10, "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
                "next_comm=busy next_pid=10 next_prio=120", task="<idle>-0")
        self.now = SECOND
        self.ticks(learn)

    def at(self, us, text, task="busy-10", flags="d..1."):
        self.events.append("%16s     [000] %s %5d.%06d: %s\n" % (task, flags, us // SECOND, us % SECOND, text))

    def ticks(self, nr):
        for _ in range(nr):
            self.at(self.now, self.tick, flags="d.h1.")
            self.now += self.period
        return self.now                                         # when the next one is due

    def switch(self, us, idle):
        busy, swapper = ("busy", 10), ("swapper/0", 0)
        prev, to = (busy, swapper) if idle else (swapper, busy)
        self.at(us, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120"
                % (*prev, "S" if idle else "R", *to), task="busy-10" if idle else "<idle>-0")

    def late(self, us):
        """The next tick comes so much too late; the ones after it are in step."""
        due = self.now
        self.at(due + us, self.tick, flags="d.h1.")
        self.now += (us // self.period + 1) * self.period
        return due, due + us

    def found(self, folder):
        path = os.path.join(folder, "guest.txt")
        with open(path, "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n" + "".join(self.events))
        text = run([PROGRAM, "latency", "--kind=steal", "--format=csv", path]).decode()
        rows = [(int(row["start_ns"]) // 1000, int(row["end_ns"]) // 1000, int(row["pid"])) for row in csv.DictReader(io.StringIO(text))]
        return sorted(rows)


def test_silences(folder):
    for tick, period in (("hrtimer", 4000), ("nohz", 1000), ("x86", 4000), ("x86", 10000), ("arm", 3333)):
        guest = Guest(tick, period)
        expected = [guest.late(5 * period)]
        guest.ticks(2)
        guest.at(guest.now - period // 2, MARK)                 # the last event is not the tick
        expected.append(guest.late(period + 4))
        guest.ticks(1)
        guest.late(period - 10)                                 # not by a period
        guest.ticks(3)
        us = guest.now + 3 * period                             # another timer's function comes first, in the same interrupt
        guest.at(us - 2, OTHER_TIMER, flags="d.h1.")
        expected.append(guest.late(3 * period))
        guest.ticks(2)
        found = guest.found(folder)
        check(found == [(*row, 10) for row in expected], tick, period, found, expected)


def test_no_silences(folder):
    guest = Guest("hrtimer", 4000)
    due = guest.now                                             # the CPU was idle meanwhile
    guest.switch(due - 1000, True)
    guest.switch(due + 20000, False)
    guest.late(21000)
    due = guest.ticks(2)                                        # a task is the first to write: interrupts were off
    guest.at(due + 19990, MARK)
    guest.late(20000)
    due = guest.ticks(2)                                        # it wrote when the tick was overdue already
    guest.at(due + 100, MARK)
    guest.late(20000)
    guest.ticks(2)                                              # events were lost
    guest.events.append("CPU:0 [LOST 5 EVENTS]\n")
    guest.late(20000)
    guest.ticks(3)
    check(guest.found(folder) == [], guest.found(folder))


def test_unknown(folder):
    """Too few ticks; no tick; nobody knows who ran; another timer is no tick."""
    guest = Guest("hrtimer", 4000, 24)                          # 23 intervals
    guest.late(20000)
    check(guest.found(folder) == [], "23 intervals")
    guest = Guest("hrtimer", 4000)
    guest.events = guest.events[1:]
    guest.late(20000)
    check(guest.found(folder) == [], "no switches")
    guest = Guest("hrtimer", 4000)
    guest.tick = OTHER_TIMER
    guest.late(20000)
    check(guest.found(folder) == [], "another timer")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("what /proc/stat said, second by second", test_watched, folder)
        tap.case("nothing was stolen, or nobody looked", test_nothing_stolen, folder)
        tap.case("many CPUs, a clock that cannot be read", test_many_cpus, folder)
        tap.case("a silent CPU whose tick is overdue", test_silences, folder)
        tap.case("silent CPUs that were not away", test_no_silences, folder)
        tap.case("not enough is known", test_unknown, folder)
    tap.end()


main()
