# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up traces with the events of all kinds of latency: trace.dat files of version 6, the same for the same seed.

Starts and ends at random on some CPUs: nested ones, ends without a start, starts without an end, tasks and timers that
move, and records that are lost.
"""
import random
import struct

import graph_traces
from graph_traces import common, format_text

NUMBERS = {}		# (system, event): (id, [struct letter or length of a string])


LETTERS = {"int": ("i", 4, 1), "unsigned int": ("I", 4, 0), "unsigned long": ("Q", 8, 0), "long": ("q", 8, 1),
           "void *": ("Q", 8, 0), "dev_t": ("I", 4, 0), "sector_t": ("Q", 8, 0), "s64": ("q", 8, 1), "u32": ("I", 4, 0),
           "char[8]": ("8s", 8, 0), "char[16]": ("16s", 16, 0), "pid_t": ("i", 4, 1)}

EVENTS = [
    ("irq", "irq_handler_entry", [("int", "irq"), ("char[16]", "name")]),
    ("irq", "irq_handler_exit", [("int", "irq"), ("int", "ret")]),
    ("irq", "softirq_raise", [("unsigned int", "vec")]),
    ("irq", "softirq_entry", [("unsigned int", "vec")]),
    ("irq", "softirq_exit", [("unsigned int", "vec")]),
    ("irq", "tasklet_entry", [("void *", "tasklet"), ("void *", "func")]),
    ("irq", "tasklet_exit", [("void *", "tasklet"), ("void *", "func")]),
    ("timer", "hrtimer_start", [("void *", "hrtimer"), ("void *", "function"), ("s64", "expires")]),
    ("timer", "hrtimer_expire_entry", [("void *", "hrtimer"), ("s64", "now"), ("void *", "function")]),
    ("timer", "hrtimer_expire_exit", [("void *", "hrtimer")]),
    ("timer", "timer_start", [("void *", "timer"), ("void *", "function"), ("unsigned long", "expires")]),
    ("timer", "timer_expire_entry", [("void *", "timer"), ("unsigned long", "now"), ("void *", "function")]),
    ("timer", "timer_expire_exit", [("void *", "timer")]),
    ("workqueue", "workqueue_queue_work", [("void *", "work"), ("void *", "function")]),
    ("workqueue", "workqueue_execute_start", [("void *", "work"), ("void *", "function")]),
    ("workqueue", "workqueue_execute_end", [("void *", "work"), ("void *", "function")]),
    ("irq_vectors", "local_timer_entry", [("int", "vector")]),
    ("irq_vectors", "local_timer_exit", [("int", "vector")]),
    ("irq_vectors", "reschedule_entry", [("int", "vector")]),
    ("irq_vectors", "reschedule_exit", [("int", "vector")]),
    ("syscalls", "sys_enter_read", [("int", "__syscall_nr")]),
    ("syscalls", "sys_exit_read", [("int", "__syscall_nr"), ("int", "pad"), ("long", "ret")]),
    ("syscalls", "sys_enter_futex", [("int", "__syscall_nr")]),
    ("syscalls", "sys_exit_futex", [("int", "__syscall_nr"), ("int", "pad"), ("long", "ret")]),
    ("raw_syscalls", "sys_enter", [("long", "id")]),
    ("raw_syscalls", "sys_exit", [("long", "id"), ("long", "ret")]),
    ("lock", "contention_begin", [("void *", "lock_addr"), ("unsigned int", "flags")]),
    ("lock", "contention_end", [("void *", "lock_addr"), ("int", "ret")]),
    ("preemptirq", "irq_disable", [("u32", "caller_offs"), ("u32", "parent_offs")]),
    ("preemptirq", "irq_enable", [("u32", "caller_offs"), ("u32", "parent_offs")]),
    ("preemptirq", "preempt_disable", [("u32", "caller_offs"), ("u32", "parent_offs")]),
    ("preemptirq", "preempt_enable", [("u32", "caller_offs"), ("u32", "parent_offs")]),
    ("block", "block_rq_issue", [("dev_t", "dev"), ("u32", "nr_sector"), ("sector_t", "sector"), ("char[8]", "rwbs")]),
    ("block", "block_rq_complete", [("dev_t", "dev"), ("u32", "nr_sector"), ("sector_t", "sector"), ("char[8]", "rwbs")]),
    ("block", "block_bio_queue", [("dev_t", "dev"), ("u32", "nr_sector"), ("sector_t", "sector"), ("char[8]", "rwbs")]),
    ("block", "block_bio_complete", [("dev_t", "dev"), ("u32", "nr_sector"), ("sector_t", "sector"), ("char[8]", "rwbs")]),
    ("ftrace", "print", [("unsigned long", "ip"), ("char[16]", "buf")]),
]
MARKERS = (b"B|1|n%d", b"B|1|n|%d", b"E|%d", b"E|%d", b"E", b"S|1|a|%d", b"F|1|a|%d", b"F|2|a|%d", b"S|1|a", b"G|1|a|x|%d", b"H|1|a|%d",
           b"H|1|a|y|%d", b"C|1|n|%d", b"I|1|n%d", b"EE|%d", b"some words\n")


def formats():
    """As graph_traces.FORMATS, with the events above."""
    systems = {}
    for i, (system, name, fields) in enumerate(EVENTS):
        offset, listed, letters = 8, [], "<"
        for type_, field in fields:
            letter, size, signed = LETTERS[type_]
            if offset % min(size, 8):
                letters += "%dx" % (min(size, 8) - offset % min(size, 8))
                offset += min(size, 8) - offset % min(size, 8)
            c_type, bracket, length = type_.partition("[")
            listed.append((c_type + " " + field + bracket + length, offset, size, signed))
            letters += letter
            offset += size
        NUMBERS[system, name] = 400 + i, letters
        shown = [(field, "%llu" if LETTERS[type_][0] == "Q" else "%d") for type_, field in fields if "char" not in type_]
        systems.setdefault(system, []).append(format_text(name, 400 + i, listed, '"%s", %s' % (
            " ".join("=".join(one) for one in shown), ", ".join("REC->" + field for field, _ in shown))))
    (_, own), *others = graph_traces.FORMATS
    return [("ftrace", own + systems.pop("ftrace"))] + others + list(systems.items())


TASKS = 6


class Machine:
    """A task runs on one CPU at a time."""

    def __init__(self, seed, cpus, events, fields):
        self.dice, self.cpus, self.now = random.Random(seed), cpus, [10**9] * cpus
        self.records = [[] for _ in range(cpus)]
        self.events = events
        self.fields = fields            # how many values a key has
        self.running = [0] * cpus
        self.left = [0] * TASKS         # when a task last left a CPU

    def value(self, name, cpu):
        """Few values, so that starts and ends meet."""
        few = self.dice.randrange(self.fields)
        at = self.now[cpu]
        return {"name": b"irq-of-%d" % few, "rwbs": self.dice.choice((b"R", b"WS", b"FF")), "dev": 0x800000 + few % 2,
                "sector": self.dice.choice((few * 8, few * 8, 2**64 - 1)), "nr_sector": self.dice.choice((0, 8, 8, 16)),
                "now": at, "expires": at - 5000 + self.dice.randrange(20000), "ret": self.dice.choice((0, 7, -2, -11, 1 << 40)),
                "buf": self.marker(few), "pad": 0}.get(name, few)

    def marker(self, few):
        text = self.dice.choice(MARKERS)
        return text % few if b"%" in text else text

    def step(self, cpu):
        self.now[cpu] += self.dice.choice((0, 1, 10, 300, 70000, 2000000))
        if self.dice.random() < 0.1:
            former = self.running[cpu]
            self.running[cpu] = next_ = self.dice.choice([task for task in range(TASKS) if not task or task not in self.running])
            self.now[cpu] = max(self.now[cpu], self.left[next_] + 1)
            self.left[former] = self.now[cpu] if former else 0
            self.records[cpu].append((self.now[cpu], graph_traces.switch(former, self.running[cpu])))
            return
        system, name = self.dice.choice(self.events)
        id_, letters = NUMBERS[system, name]
        fields = next(fields for s, n, fields in EVENTS if (s, n) == (system, name))
        values = [self.value(field, cpu) for _, field in fields]
        values = [value & 0x7fffffff if type_ == "int" else value for value, (type_, _) in zip(values, fields)]
        if system == "raw_syscalls" and self.dice.random() < 0.3:	# rt_sigreturn
            values[0] = 15 if name == "sys_enter" else -1
        if name in ("timer_start", "timer_expire_entry"):        # jiffies of 4 ms
            values = [4294900000 + value // 4000000 if field in ("now", "expires") else value
                      for value, (_, field) in zip(values, fields)]
        self.records[cpu].append((self.now[cpu], common(id_, 0, self.running[cpu]) + struct.pack(letters, *values)))


def write(path, records, lost, per_page=1000):
    """As graph_traces.write, with the events above."""
    before, graph_traces.FORMATS = graph_traces.FORMATS, formats()
    try:
        graph_traces.write(path, records, lost, per_page=per_page)
    finally:
        graph_traces.FORMATS = before


def make(path, seed, steps=1500):
    dice = random.Random(seed)
    formats()
    names = [(system, name) for system, name, _ in EVENTS]
    systems = dice.sample(sorted({system for system, _ in names}), dice.randint(1, 8))
    events = [name for name in names if name[0] in systems and dice.random() < 0.95] or names
    machine = Machine(seed, dice.randint(1, 4), events, dice.choice((1, 2, 5)))
    for _ in range(steps):
        machine.step(dice.randrange(machine.cpus))
    lost = []
    for records in machine.records:
        marks = {i for i in range(len(records)) if dice.random() < dice.choice((0, 0.002, 0.02))}
        lost.append(marks)
    write(path, machine.records, lost, dice.choice((5, 50, 1000)))
