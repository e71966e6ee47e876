# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up function_graph traces: trace.dat files of version 6, the same for the same seed.

simulate() plays CPUs that run tasks which call, return, are interrupted and put off the CPU;
chaos() has records that no kernel would write.
"""
import random
import struct

PAGE = 4096
ENTRY, EXIT, SWITCH, OTHER, PRINT = 11, 10, 300, 301, 5
IRQ, SOFT, VECTOR = (302, 303), (304, 305), (306, 307)		# entry, exit
HARDIRQ, SOFTIRQ, NMI = 0x08, 0x10, 0x40
TEXT = 0xffffffff81000000
IRQ_TEXT = TEXT + 0x100000		# functions that interrupts begin with
MODULE = 0xffffffffc0000000

COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""


def format_text(name, id_, fields, print_fmt):
    lines = "".join("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field for field in fields)
    return ("name: %s\nID: %d\nformat:\n%s%s\nprint fmt: %s\n" % (name, id_, COMMON, lines, print_fmt)).encode()


FORMATS = [("ftrace", [
    format_text("funcgraph_entry", ENTRY, [("unsigned long func", 8, 8, 0), ("int depth", 16, 4, 1)],
                '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    format_text("funcgraph_exit", EXIT, [("unsigned long func", 8, 8, 0), ("int depth", 16, 4, 1),
                                         ("unsigned int overrun", 20, 4, 0), ("unsigned long long calltime", 24, 8, 0),
                                         ("unsigned long long rettime", 32, 8, 0)],
                '"<-- %ps (%d) (start: %llx  end: %llx) over: %d", (void *)REC->func, REC->depth, REC->calltime, '
                'REC->rettime, REC->depth'),
]), ("sched", [
    format_text("sched_switch", SWITCH, [("char prev_comm[16]", 8, 16, 0), ("pid_t prev_pid", 24, 4, 1),
                                         ("int prev_prio", 28, 4, 1), ("long prev_state", 32, 8, 1),
                                         ("char next_comm[16]", 40, 16, 0), ("pid_t next_pid", 56, 4, 1),
                                         ("int next_prio", 60, 4, 1)],
                '"prev_pid=%d ==> next_pid=%d", REC->prev_pid, REC->next_pid'),
]), ("gen", [
    format_text("other", OTHER, [("int value", 8, 4, 1)], '"value=%d", REC->value'),
])]
# Of machines that record interrupts as events; others use these numbers for events of their own.
IRQ_FORMATS = [("irq", [
    format_text("irq_handler_entry", IRQ[0], [("int irq", 8, 4, 1)], '"irq=%d", REC->irq'),
    format_text("irq_handler_exit", IRQ[1], [("int irq", 8, 4, 1)], '"irq=%d", REC->irq'),
    format_text("softirq_entry", SOFT[0], [("unsigned int vec", 8, 4, 0)], '"vec=%u", REC->vec'),
    format_text("softirq_exit", SOFT[1], [("unsigned int vec", 8, 4, 0)], '"vec=%u", REC->vec'),
]), ("irq_vectors", [
    format_text("local_timer_entry", VECTOR[0], [("int vector", 8, 4, 1)], '"vector=%d", REC->vector'),
    format_text("local_timer_exit", VECTOR[1], [("int vector", 8, 4, 1)], '"vector=%d", REC->vector'),
])]
HEADER_PAGE = b"""\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
HEADER_EVENT = b"""# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits
"""


def function(number):
    """Address of a function: of the kernel, of interrupts' entries, of a module."""
    if number < 40:
        return TEXT + 0x1000 * number
    return IRQ_TEXT + 0x100 * (number - 40) if number < 44 else MODULE + 0x80 * (number - 44)


def symbols():
    lines = ["%016x T f%d" % (function(n), n) for n in range(40)]
    lines += ["%016x T alias_of_f3" % function(3), "%016x T __irqentry_text_start" % IRQ_TEXT]
    lines += ["%016x T irq%d" % (function(n), n) for n in range(40, 44)]
    lines += ["%016x T __irqentry_text_end" % (IRQ_TEXT + 0x400)]
    lines += ["%016x t m%d\t[mod]" % (function(n), n) for n in range(44, 48)]
    return ("\n".join(lines) + "\n").encode()


def common(type_, flags, pid):
    return struct.pack("<HBBi", type_, flags, 0, pid)


def entry(pid, func, depth, flags=0):
    return common(ENTRY, flags, pid) + struct.pack("<Qi", function(func), depth)


def leave(pid, func, depth, call, ret, flags=0):
    return common(EXIT, flags, pid) + struct.pack("<QiIQQ", function(func), depth, 0, call, ret)


def switch(prev, next_, flags=0):
    return common(SWITCH, flags, prev) + struct.pack("<16siiq16sii", b"task%d" % prev, prev, 120, 1,
                                                     b"task%d" % next_, next_, 120)


def other(pid, flags=0, type_=OTHER):
    return common(type_, flags, pid) + struct.pack("<i", 7)


def marker(pid, text):
    return common(PRINT, 0, pid) + struct.pack("<Q", TEXT) + text + b"\n\0"


# --- the file ---------------------------------------------------------------------
def pages(records, lost, per_page):
    """Sub-buffers of (ts, payload); a mark before each record whose number is in lost, which begins one.

    Where the clock goes back, one begins, too: inside them it cannot.
    """
    out, page, ts, marked = [], b"", 0, False

    def end():
        nonlocal page
        commit = len(page) - 8 | (1 << 31 if marked else 0)
        out.append((page[:8] + struct.pack("<Q", commit) + page[8:]).ljust(PAGE, b"\0"))
        page = b""
    in_page = 0
    for number, (when, payload) in enumerate(records):
        payload = payload.ljust((len(payload) + 3) & ~3, b"\0")
        if page and (len(page) + len(payload) + 24 > PAGE - 16 or number in lost or when < ts or in_page >= per_page):
            end()
        if not page:
            page, ts, marked, in_page = struct.pack("<Q", when), when, number in lost, 0
        in_page += 1
        delta = when - ts
        if delta >= 1 << 59:
            raise ValueError("too much time between two records")
        if delta >= 1 << 27:
            page += struct.pack("<II", 30 | (delta & 0x7ffffff) << 5, delta >> 27)
            delta = 0
        ts = when
        short = len(payload) <= 28 * 4      # else the length has a word of its own, which it counts
        page += (struct.pack("<I", len(payload) // 4 | delta << 5) if short else struct.pack("<II", delta << 5, len(payload) + 4)) + payload
    if page:
        end()
    return b"".join(out)


def write(path, cpus, lost=None, clock="local", per_page=1000, uname=None, more=()):
    """cpus: for each CPU its records (ts, payload) in their order; lost: for each a set of record numbers."""
    lost = lost or [set()] * len(cpus)
    head = b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", PAGE)
    head += b"header_page\0" + struct.pack("<Q", len(HEADER_PAGE)) + HEADER_PAGE
    head += b"header_event\0" + struct.pack("<Q", len(HEADER_EVENT)) + HEADER_EVENT
    ftrace = FORMATS[0][1]
    head += struct.pack("<I", len(ftrace)) + b"".join(struct.pack("<Q", len(t)) + t for t in ftrace)
    systems = [*FORMATS[1:], *more]
    head += struct.pack("<I", len(systems))
    for system, texts in systems:
        head += system.encode() + b"\0" + struct.pack("<I", len(texts))
        head += b"".join(struct.pack("<Q", len(t)) + t for t in texts)
    names = b"".join(b"%d task%d\n" % (pid, pid) for pid in range(1, 40)) + b"\0"
    for text, size in ((symbols(), "<I"), (b"", "<I"), (names, "<Q")):
        head += struct.pack(size, len(text)) + text
    clocks = ("[%s] other" % clock).encode() + b"\0"
    head += struct.pack("<I", len(cpus)) + b"options  \0" + struct.pack("<HI", 4, len(clocks)) + clocks
    if uname:
        head += struct.pack("<HI", 5, len(uname) + 1) + uname.encode() + b"\0"
    head += struct.pack("<H", 0) + b"flyrecord\0"
    data = [pages(records, marks, per_page) for records, marks in zip(cpus, lost)]
    at = (len(head) + 16 * len(cpus) + 8 + len(clocks) + PAGE - 1) // PAGE * PAGE
    for piece in data:
        head += struct.pack("<QQ", at, len(piece))
        at += len(piece)
    head += struct.pack("<Q", len(clocks)) + clocks
    with open(path, "wb") as file:
        file.write(head.ljust((len(head) + PAGE - 1) // PAGE * PAGE, b"\0") + b"".join(data))


# --- a machine ----------------------------------------------------------------------
class Cpu:
    def __init__(self, number, start):
        self.number, self.now, self.records, self.running = number, start, [], 0


class Machine:
    """Each CPU steps in turn, so that their clocks stay near each other."""

    def __init__(self, seed, nr_cpus, nr_tasks, features):
        self.random = random.Random(seed)
        self.features = features
        self.cpus = [Cpu(i, 10**9 + 100 * i) for i in range(nr_cpus)]
        self.stacks = {pid: [] for pid in range(1, nr_tasks + 1)}
        for cpu in self.cpus:
            self.stacks[-1 - cpu.number] = []		# idle
        self.waiting = list(range(1, nr_tasks + 1))
        self.max_depth = 12

    def has(self, feature):
        return feature in self.features

    def task(self, cpu):
        return cpu.running or -1 - cpu.number

    def tick(self, cpu, most=400):
        cpu.now += self.random.randint(1, most)

    def put(self, cpu, payload):
        self.tick(cpu, 60)
        cpu.records.append((cpu.now, payload))

    def skipped(self, func):
        """Not traced, but on the stack all the same: a gap in the depths."""
        return self.has("gaps") and func % 7 == 3

    def interrupt(self, cpu, flags=0):
        """A whole interrupt on the stack of what runs."""
        if self.has("irq-events") and self.random.random() < 0.6:
            self.recorded_interrupt(cpu, flags)
            return
        stack = self.stacks[self.task(cpu)]
        if self.has("softirqs") and not flags and self.random.random() < 0.4:
            level, func = SOFTIRQ, self.random.randrange(10, 20)
        elif self.has("nmis") and self.random.random() < 0.2:
            level, func = NMI | HARDIRQ, self.random.randrange(20, 30)
        else:
            level = HARDIRQ if self.random.random() < 0.7 else 0	# by its address alone
            func = self.random.randrange(40, 44)
        for _ in range(self.random.randint(1, 2)):
            self.call(cpu, flags | level, func)
            for _ in range(self.random.randint(0, 3)):
                self.call(cpu, flags | level, self.random.randrange(40))
                if self.has("nested") and not flags and self.random.random() < 0.2:
                    self.interrupt(cpu, level)
                self.leave(cpu, flags | level)
            self.leave(cpu, flags | level)
        assert len(stack) <= 40

    def recorded_interrupt(self, cpu, flags=0):
        """An interrupt whose events are recorded; some of its functions, or events in it, may be, too."""
        soft = not flags and self.random.random() < 0.4
        types = SOFT if soft else self.random.choice((IRQ, VECTOR))
        flags |= SOFTIRQ if soft else HARDIRQ
        around = self.random.random() < 0.3
        if around:			# the function that calls the handler is traced
            self.call(cpu, flags, self.random.randrange(40, 44))
        if self.random.random() > 0.05:
            self.put(cpu, other(cpu.running, flags, types[0]))
        for _ in range(self.random.randint(0, 3)):
            dice = self.random.random()
            if dice < 0.3:
                self.put(cpu, other(cpu.running, flags))
            elif dice < 0.5 and soft:
                self.recorded_interrupt(cpu, flags)
            else:
                self.call(cpu, flags, self.random.randrange(40))
                self.leave(cpu, flags)
        if self.random.random() > 0.05:
            self.put(cpu, other(cpu.running, flags, types[1]))
        if around:
            self.leave(cpu, flags)
        if self.random.random() < 0.1:	# of one that is not recorded
            self.put(cpu, other(cpu.running, self.random.choice((HARDIRQ, SOFTIRQ, NMI))))

    def call(self, cpu, flags, func):
        stack = self.stacks[self.task(cpu)]
        self.tick(cpu)
        call = cpu.now
        if self.has("irq-at-call") and not flags and self.random.random() < 0.1:
            stack.append((func, call))
            self.interrupt(cpu)
            stack.pop()
        stack.append((func, call))
        if not self.skipped(func):
            self.put(cpu, entry(cpu.running, func, len(stack) - 1, flags))

    def leave(self, cpu, flags):
        stack = self.stacks[self.task(cpu)]
        self.tick(cpu)
        func, call = stack[-1]
        ret = cpu.now
        if self.has("irq-at-return") and not flags and self.random.random() < 0.1:
            self.interrupt(cpu)
        stack.pop()
        if not self.skipped(func):
            self.put(cpu, leave(cpu.running, func, len(stack), call, ret, flags))

    def switch(self, cpu):
        """Another task, or none, goes on here; this one anywhere."""
        if not self.waiting and not cpu.running:
            return
        if self.waiting and self.random.random() < 0.8:
            next_ = self.waiting.pop(self.random.randrange(len(self.waiting)))
        else:
            next_ = 0
        if next_ == cpu.running:
            return
        if self.has("switches"):
            self.put(cpu, switch(cpu.running, next_))
        if cpu.running:
            self.waiting.append(cpu.running)
        cpu.running = next_

    def mark(self, cpu):
        """A slice of the program begins or ends; mostly in a call that is traced."""
        text = b"B|1|s%d" % self.random.randrange(4) if self.random.random() < 0.52 else b"E|1"
        traced = self.has("losses") or self.random.random() < 0.7
        if traced:
            self.call(cpu, 0, 5)
            self.call(cpu, 0, 6)
        self.put(cpu, marker(cpu.running, text))
        if traced:
            self.leave(cpu, 0)
            self.leave(cpu, 0)

    def step(self, cpu):
        stack, dice = self.stacks[self.task(cpu)], self.random.random()
        if self.has("slices") and cpu.running and not stack and self.random.random() < 0.4:
            self.mark(cpu)
        elif dice < 0.35 and len(stack) < self.max_depth:
            few = self.has("recursion") and self.random.random() < 0.5
            self.call(cpu, 0, self.random.randrange(3) if few else self.random.randrange(44 if self.has("any") else 40))
        elif dice < 0.75 and len(stack) > self.has("stays"):
            self.leave(cpu, 0)
        elif dice < 0.82:
            self.switch(cpu)
        elif dice < 0.86 and self.has("irqs"):
            self.interrupt(cpu)
        elif dice < 0.9 and self.has("others"):
            self.put(cpu, other(cpu.running))
        else:
            self.tick(cpu, 3000)

    def run(self, steps):
        for _ in range(steps):
            self.step(min(self.cpus, key=lambda cpu: cpu.now))
        return [cpu.records for cpu in self.cpus]


def drop(records, seed, share, marked=0.8):
    """Lose runs of records; most of them are marked."""
    dice = random.Random(seed)
    kept, marks = [], set()
    skip = 0
    for record in records:
        if not skip and dice.random() < share:
            skip = dice.randint(1, 30)
            if dice.random() < marked:
                marks.add(len(kept))
        if skip:
            skip -= 1
        else:
            kept.append(record)
    return kept, marks


FEATURES = ("switches", "irqs", "softirqs", "nmis", "nested", "irq-at-call", "irq-at-return", "gaps", "recursion", "others", "any", "irq-events")


def simulate_whole(path, seed, steps=15000):
    """The same with nothing cut off or lost; what tasks call first never returns."""
    dice = random.Random(seed)
    features = [f for f in FEATURES if dice.random() < 0.7 and f not in ("gaps", "irq-at-call")] + ["stays"]
    write(path, Machine(seed, dice.randint(1, 2), dice.randint(1, 3), features).run(steps), more=IRQ_FORMATS)
    return " ".join(features)


def simulate(path, seed, steps=3000):
    """A trace with some of the features, some of its beginning cut off, and losses. Returns what it is, in words."""
    dice = random.Random(seed)
    features = [f for f in FEATURES if dice.random() < 0.7]
    machine = Machine(seed, dice.randint(1, 5), dice.randint(1, 8), features)
    cpus = machine.run(steps)
    begin = min(r[0][0] for r in cpus if r)
    cut = begin + dice.choice((0, 20000, 200000))
    cpus = [[r for r in records if r[0] >= cut] for records in cpus]
    if dice.random() < 0.2:			# tracing_thresh: exits alone
        cpus = [[r for r in records if struct.unpack("<H", r[1][:2])[0] != ENTRY] for records in cpus]
        features.append("exits-only")
    losses = [drop(records, seed + i, dice.choice((0, 0.002, 0.02))) for i, records in enumerate(cpus)]
    clock = "local" if dice.random() < 0.85 else "global"
    write(path, [kept for kept, _ in losses], [marks for _, marks in losses], clock, dice.choice((1000, 20, 3)), more=IRQ_FORMATS)
    return "%d CPUs, %s, clock %s" % (len(cpus), " ".join(features), clock)


def simulate_slices(path, seed, steps=3000):
    """With slices.  Losses are marked, and seen: on one CPU, and slices are written in calls that are traced."""
    global FORMATS
    dice = random.Random(seed)
    nr_cpus = dice.choice((1, 1, 2, 4))
    share = dice.choice((0, 0.002, 0.01)) if nr_cpus == 1 else 0
    never = ["irq-at-call"] + ["irq-at-return"] * (share > 0)
    features = [f for f in FEATURES if dice.random() < 0.7 and f not in never] + ["slices", "switches"] + ["losses"] * (share > 0)
    cpus = Machine(seed, nr_cpus, dice.randint(1, 6), features).run(steps)
    cut = min(r[0][0] for r in cpus if r) + dice.choice((0, 20000))
    losses = [drop([r for r in records if r[0] >= cut], seed, share, 1) for records in cpus]
    before, own = FORMATS, format_text("print", PRINT, [("unsigned long ip", 8, 8, 0), ("char buf[]", 16, 0, 0)],
                                       '"%ps: %s", (void *)REC->ip, REC->buf')
    FORMATS = [("ftrace", FORMATS[0][1] + [own])] + FORMATS[1:]
    try:
        write(path, [kept for kept, _ in losses], [marks for _, marks in losses], "local", dice.choice((1000, 20, 3)), more=IRQ_FORMATS)
    finally:
        FORMATS = before
    return "%d CPUs, %s" % (len(cpus), " ".join(features))


def chaos(path, seed, steps=600):
    """Records at random, in a few small numbers so that many are equal."""
    dice = random.Random(seed)
    nr_cpus = dice.randint(1, 3)
    cpus = []
    for _ in range(nr_cpus):
        now, records = 10**6, []
        for _ in range(steps):
            now += dice.choice((0, 0, 1, 5, 20))
            pid, depth, func = dice.randrange(4), dice.randrange(5), dice.randrange(4)
            flags = dice.choice((0, 0, 0, HARDIRQ, SOFTIRQ, NMI))
            what = dice.random()
            if what < 0.45:
                records.append((now, entry(pid, func, depth, flags)))
            elif what < 0.9:
                call = max(1, now - dice.choice((0, 5, 30, 100, 400)))
                records.append((now, leave(pid, func, depth, call, call + dice.choice((0, 5, 30, 100)), flags)))
            else:
                records.append((now, other(pid, flags)))
        cpus.append(records)
    write(path, cpus, more=IRQ_FORMATS)
