# SPDX-License-Identifier: GPL-2.0-or-later
"""Small traces of tasks that hold each other up, played step by step, with the answer that why must give.

Times are in µs from the beginning; task N is called tN.
"""
import re
import struct

import graph_traces
import latency_traces
from graph_traces import FORMATS, HARDIRQ, SOFTIRQ, common, format_text

SWITCH, WAKING = 600, 601
START = 10**9
WAKEUP_TIMER = graph_traces.function(5)         # called f5
SCHED = [
    format_text("sched_switch", SWITCH, [
        ("char prev_comm[16]", 8, 16, 0), ("pid_t prev_pid", 24, 4, 1), ("int prev_prio", 28, 4, 1),
        ("long prev_state", 32, 8, 1), ("char next_comm[16]", 40, 16, 0), ("pid_t next_pid", 56, 4, 1),
        ("int next_prio", 60, 4, 1)],
                '"prev_state=%s%s", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "|", { 0x1, "S" }, '
                '{ 0x2, "D" }, { 0x10, "X" }) : "R", REC->prev_state & 0x100 ? "+" : ""'),
    format_text("sched_waking", WAKING, [("char comm[16]", 8, 16, 0), ("pid_t pid", 24, 4, 1), ("int prio", 28, 4, 1),
                                         ("int target_cpu", 32, 4, 1)], '"pid=%d", REC->pid'),
]
STATES = {"R": 0x100, "S": 1, "D": 2, "X": 0x10}


def name(pid):
    return b"t%d" % pid if pid else b"swapper"


class Play:
    def __init__(self, nr_cpus):
        self.formats = [(system, texts) for system, texts in latency_traces.formats() if system != "sched"]
        self.formats.append(("sched", SCHED))
        self.records, self.lost = [[] for _ in range(nr_cpus)], [set() for _ in range(nr_cpus)]
        self.running = [0] * nr_cpus
        self.prios = {}                         # the kernel's numbers, of tasks that are not nice 0

    def add(self, at, cpu, payload):
        self.records[cpu].append((START + 1000 * at, payload))

    def switch(self, at, cpu, pid, state="S"):
        """The task that runs goes into a state, and another one runs."""
        prev, self.running[cpu] = self.running[cpu], pid
        self.add(at, cpu, common(SWITCH, 0, prev) + struct.pack(
            "<16siiq16sii", name(prev), prev, self.prios.get(prev, 120), STATES[state] if prev else 0,
            name(pid), pid, self.prios.get(pid, 120)))

    def wake(self, at, cpu, pid, flags=0):
        self.add(at, cpu, common(WAKING, flags, self.running[cpu]) + struct.pack("<16siii", name(pid), pid, self.prios.get(pid, 120), cpu))

    def moves(self, text):
        """Switches and wake-ups. "AT CPU>PID": another task runs, with the letter of the state that the former one goes into; "AT CPU!PID": a wake-up."""
        for at, cpu, what, pid, state in re.findall(r"(\d+) (\d)([>!])(\d+)([A-Z]?)", text):
            if what == "!":
                self.wake(int(at), int(cpu), int(pid))
            else:
                self.switch(int(at), int(cpu), int(pid), state or "S")

    def event(self, at, cpu, event, *values):
        id_, letters = next(latency_traces.NUMBERS[key] for key in latency_traces.NUMBERS if key[1] == event)
        self.add(at, cpu, common(id_, 0, self.running[cpu]) + struct.pack(letters, *values))

    def lose(self, cpu):
        """Events are lost before the next record."""
        self.lost[cpu].add(len(self.records[cpu]))

    def write(self, path):
        before, graph_traces.FORMATS = FORMATS, [FORMATS[0]] + [one for one in self.formats if one[0] not in ("ftrace", "sched")] + [
            ("sched", SCHED)]
        try:
            graph_traces.write(path, self.records, self.lost)
        finally:
            graph_traces.FORMATS = before


def chain(play):
    """1 waits for 2, which waits for a timer over idle."""
    play.moves("0 0>1, 0 1>2, 10 0>0, 15 1>0")
    play.event(100, 1, "local_timer_entry", 236)
    play.event(102, 1, "hrtimer_expire_entry", 7, 0, WAKEUP_TIMER)
    play.wake(103, 1, 2, HARDIRQ)
    play.event(104, 1, "hrtimer_expire_exit", 7)
    play.event(106, 1, "local_timer_exit", 236)
    play.moves("110 1>2, 150 1!1, 160 0>1, 200 0>0")
    return 1, 0, 200, [(0, 10, 0, 1, "runs"), (10, 15, 1, 2, "runs"), (15, 103, 1, 2, "timer f5"), (103, 106, 1, 2, "ipi local_timer"),
                       (106, 110, 1, 2, "idle"), (110, 150, 1, 2, "runs"), (150, 160, 0, 1, "idle"), (160, 200, 0, 1, "runs")]


def convoy(play):
    """3 waits for the lock of 2, which waits for the lock of 1."""
    for cpu in range(3):
        play.switch(0, cpu, cpu + 1)
    play.moves("10 1>0D, 20 2>0D, 100 0!2, 105 1>2, 150 1!3, 152 2>3, 200 2>0")
    return 3, 5, 200, [(5, 20, 0, 3, "runs"), (20, 100, 2, 1, "runs"), (100, 105, 1, 2, "idle"), (105, 150, 1, 2, "runs"),
                       (150, 152, 0, 3, "idle"), (152, 200, 0, 3, "runs")]


def fork_join(play):
    """1 starts 2 and 3, and waits until the last one ends."""
    for cpu in range(1, 3):
        play.switch(0, cpu, 10 + cpu)
        play.switch(1, cpu, 0)
    play.moves("0 0>1, 10 0!2, 11 0!3, 12 1>2, 14 2>3, 20 0>0, 60 1>0X, 90 2!1, 91 2>0X, 95 0>1, 99 0>0")
    return 1, 0, 95, [(0, 20, 0, 1, "runs"), (20, 90, 1, 3, "runs"), (90, 95, 0, 1, "idle")]


def ping_pong(play):
    """1 and 2 wake each other; what was before the first moment of 2 is not known."""
    play.moves("0 0>1, 10 0>0, 30 1>2, 40 1!1, 42 0>1, 45 1>0, 60 0!2, 63 1>2, 65 0>0, 80 1!1, 81 0>1, 99 0>0")
    return 1, 0, 81, [(0, 10, 0, 1, "runs"), (10, 30, 1, 2, "unknown"), (30, 40, 1, 2, "runs"), (40, 42, 0, 1, "idle"),
                      (42, 65, 0, 1, "runs"), (65, 80, 1, 2, "runs"), (80, 81, 0, 1, "idle")]


def same_moment(play):
    """2 is recorded to wake 1 although it sleeps itself until 1 wakes it: they wait with each other."""
    play.moves("0 0>1, 0 1>2, 10 0>0, 10 1>0")
    play.running[1] = 2                 # the record is made by 2, which has left
    play.moves("50 1!1")
    play.running[0] = 1
    play.moves("50 0!2")
    play.running = [0, 0]
    play.moves("60 0>1, 60 1>2")
    return 1, 10, 60, [(10, 50, 2, 1, "with 2"), (50, 60, 0, 1, "idle")]


def preempted_holder(play):
    """1 waits for 2, which 3 preempts meanwhile."""
    play.moves("0 0>1, 0 1>2, 10 0>0D, 20 1>3R")
    play.event(40, 1, "softirq_entry", 1)
    play.event(45, 1, "softirq_exit", 1)
    play.moves("70 1>2, 80 1!1, 81 0>1, 90 0>0")
    return 1, 0, 90, [(0, 10, 0, 1, "runs"), (10, 20, 1, 2, "runs"), (20, 40, 1, 2, "behind 3"), (40, 45, 1, 2, "softirq 1"),
                      (45, 70, 1, 2, "behind 3"), (70, 80, 1, 2, "runs"), (80, 81, 0, 1, "idle"), (81, 90, 0, 1, "runs")]


def interrupt_over_idle(play):
    """The interrupt that wakes 1 comes while its CPU idles, nested in a softirq, and another while it runs."""
    play.moves("0 0>1")
    play.event(3, 0, "irq_handler_entry", 11, b"eth0")
    play.event(5, 0, "irq_handler_exit", 11, 1)
    play.moves("10 0>0")
    play.event(40, 0, "softirq_entry", 3)
    play.event(50, 0, "irq_handler_entry", 11, b"eth0")
    play.wake(51, 0, 1, HARDIRQ | SOFTIRQ)
    play.event(55, 0, "irq_handler_exit", 11, 1)
    play.event(60, 0, "softirq_exit", 3)
    play.moves("70 0>1, 80 0>0")
    return 1, 0, 80, [(0, 3, 0, 1, "runs"), (3, 5, 0, 1, "irq eth0"), (5, 10, 0, 1, "runs"), (10, 51, 0, 1, "irq eth0"),
                      (51, 55, 0, 1, "irq eth0"), (55, 60, 0, 1, "softirq 3"), (60, 70, 0, 1, "idle"), (70, 80, 0, 1, "runs")]


def loss(play):
    """Events of CPU 0 are lost while 1 sleeps: it may have run meanwhile."""
    play.moves("0 0>1, 10 0>0")
    play.lose(0)
    play.event(50, 0, "softirq_entry", 3)
    play.event(52, 0, "softirq_exit", 3)
    play.moves("60 0!1, 70 0>1, 80 0>0")
    return 1, 0, 80, [(0, 10, 0, 1, "runs"), (10, 60, 0, 1, "unknown"), (60, 70, 0, 1, "idle"), (70, 80, 0, 1, "runs")]


def no_wakeup(play):
    """The wake-up of 1 was not recorded; at the end it waits."""
    play.moves("0 0>1, 10 0>2D, 30 0>1, 40 0>2R, 60 0>0")
    return 1, 0, 60, [(0, 10, 0, 1, "runs"), (10, 30, 0, 1, "sleep or wait"), (30, 40, 0, 1, "runs"), (40, 60, 0, 1, "waits")]


def woken_twice(play):
    """2 wakes 1 after its clock has gone back, and again, which shows that records are missing: 1 slept until the first time."""
    play.moves("0 0>1, 0 1>2, 10 0>0")
    play.event(55, 1, "softirq_entry", 3)
    play.event(60, 1, "softirq_exit", 3)
    play.moves("50 1!1, 70 1!1, 80 0>1, 90 0>0")
    return 1, 0, 90, [(0, 10, 0, 1, "runs"), (10, 50, 1, 2, "runs"), (50, 70, 0, 1, "unknown"), (70, 80, 0, 1, "idle"),
                      (80, 90, 0, 1, "runs")]


def deep(play):
    """Each of 70 tasks waits for the next one: at depth 64 why asks no more."""
    tasks, at = 70, 1000
    for pid in range(1, tasks + 1):
        play.switch(pid, 0, pid)
    for pid in range(tasks - 1, 0, -1):
        play.wake(at, 0, pid)
        play.switch(at + 1, 0, pid)
        at += 2
    play.switch(at, 0, 0)
    found = [(depth, depth + 1, depth - 1, depth, "runs") for depth in range(1, 66)]
    found.append((66, 1008, 64, 65, "asleep"))          # until 66 wakes it
    return 1, 1, 1008, found


# Who runs and who waits, by the kernel's numbers; what the other CPU does; why the one waits behind the other.
RULES = [
    (98, 98, "5 1>0", "both are real-time 1: equal priority, no preemption; CPU 1 was idle meanwhile, but the task is seen on CPU 0 only"),
    (-1, -1, "22 1>0", "both are deadline: the earlier deadline goes first; CPU 1 was idle for 60 % of it, but the task is seen on CPU 0 only"),
    (120, 120, "30 1>0", "both are nice 0"),
    (120, 130, "", "nice 0 and nice 10"),
    (50, 120, "", "real-time 49 goes before nice 0"),
    (120, 98, "", "although real-time 1 goes before nice 0, unless that one inherited a priority"),
]


def rule(play, runs, waits, other):
    """2 waits behind 1 from 10 to 40, is blocked, waits for idle, sleeps, and waits again."""
    play.prios = {1: runs, 2: waits}
    play.moves("0 1>3, %s, 99 1>4" % other)
    play.moves("0 0>1, 10 0!2, 40 0>2, 50 0>0D, 58 0!2, 70 0>2, 80 0>0S, 92 0!2, 95 0>2, 99 0>0")


PLAYS = [(chain, 2), (convoy, 3), (fork_join, 3), (ping_pong, 2), (same_moment, 2), (preempted_holder, 2),
         (interrupt_over_idle, 1), (loss, 1), (no_wakeup, 1), (woken_twice, 2), (deep, 1)]
