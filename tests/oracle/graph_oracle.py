# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of function_graph traces, worked out slowly and plainly: the oracle of functions and graph.

It reads a trace.dat of version 6 by itself (trace-cmd convert makes one of any other), has every
record and every call as an object, and follows the definitions rule by rule, each over the
whole tree.  Nothing here knows how ftop-trace does it.
"""
import bisect
import itertools
import statistics
import struct

NMI, HARDIRQ, SOFTIRQ = 0x40, 0x08, 0x10
ENTRIES = ("funcgraph_entry", "fgraph_retaddr_entry")
STACKS = ("funcgraph_exit", "kernel_stack", "function", "func_repeats") + ENTRIES	# what no event proves


# --- the file ----------------------------------------------------------------
class Field:
    def __init__(self, offset, size, signed):
        self.offset, self.size, self.signed = offset, size, signed

    def of(self, data, order):
        piece = data[self.offset:self.offset + self.size]
        return int.from_bytes(piece, order, signed=self.signed) if len(piece) == self.size else 0


class Format:
    def __init__(self, system, text):
        self.system = system
        self.name = self.id = None
        self.fields, self.declared = {}, {}
        for line in text.decode("latin1").split("\n"):
            if line.startswith("name:"):
                self.name = line[5:].strip()
            elif line.startswith("ID:"):
                self.id = int(line[3:])
            elif line.startswith("\tfield:"):
                parts = dict(p.strip().split(":", 1) for p in line.strip().rstrip(";").split(";"))
                name = parts["field"].split()[-1].split("[")[0].lstrip("*")
                self.declared[name] = parts["field"]
                self.fields[name] = Field(int(parts["offset"]), int(parts["size"]),
                                          parts.get("signed") == "1" and "[" not in parts["field"])


class Record:
    def __init__(self, cpu, ts, key, position, format_, data, order):
        self.cpu, self.ts, self.key, self.position = cpu, ts, key, position
        self.format = format_
        self.data, self.order = data, order
        self.name = format_.name if format_ else None
        self.system = format_.system if format_ else None
        self.pid = int.from_bytes(data[4:8], order, signed=True)
        self.flags = data[2]
        self.lost_before = False

    def __getitem__(self, field):
        return self.format.fields[field].of(self.data, self.order)


class Trace:
    """Buffers as lists of records in the order of report; clocks; kallsyms."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.at = 0
        self.head()

    def take(self, size):
        piece = self.bytes[self.at:self.at + size]
        self.at += size
        return piece

    def number(self, size):
        return int.from_bytes(self.take(size), self.order)

    def string(self):
        end = self.bytes.index(b"\0", self.at)
        piece = self.bytes[self.at:end]
        self.at = end + 1
        return piece

    def head(self):
        assert self.take(10) == b"\x17\x08\x44tracing", "no trace.dat"
        assert self.string() == b"6", "not version 6"
        self.order = "big" if self.take(1) == b"\1" else "little"
        self.long_size = self.number(1)
        self.page_size = self.number(4)
        assert self.string() == b"header_page"
        header = self.take(self.number(8))
        self.commit_size = 4 if b"commit;\toffset:8;\tsize:4" in header else 8
        assert self.string() == b"header_event"
        self.take(self.number(8))
        self.formats = {}
        for _ in range(self.number(4)):
            self.add_format("ftrace", self.take(self.number(8)))
        for _ in range(self.number(4)):
            system = self.string().decode()
            for _ in range(self.number(4)):
                self.add_format(system, self.take(self.number(8)))
        self.read_symbols(self.take(self.number(4)))
        self.take(self.number(4))
        self.take(self.number(8))
        cpus = self.number(4)
        self.clock, extra = "local", []
        kind = self.take(10)
        if kind == b"options  \0":
            while True:
                option = self.number(2)
                if not option:
                    break
                data = self.take(self.number(4))
                if option == 4:            # TRACECLOCK
                    self.clock = data.decode().split("[")[1].split("]")[0]
                if option == 3:            # BUFFER
                    extra.append(int.from_bytes(data[:8], self.order))
            kind = self.take(10)
        assert kind == b"flyrecord\0", kind
        self.places = self.at		# of each CPU's data: offset and size
        self.buffers = [self.read_buffer(cpus)]
        for offset in extra:
            self.at = offset
            if self.take(10) == b"flyrecord\0":
                self.buffers.append(self.read_buffer(cpus))

    def add_format(self, system, text):
        format_ = Format(system, text)
        self.formats[format_.id] = format_

    def read_symbols(self, text):
        self.symbols, self.ends = [], {}
        listed = {}
        for line in text.decode("latin1").rstrip("\0").split("\n"):
            words = line.split(None, 2)
            if len(words) < 3 or words[1] in "Aa" or words[2].startswith("$"):
                continue
            name, _, module = words[2].partition("\t")
            listed.setdefault(int(words[0], 16), name + (" " + module if module else ""))
            self.ends.setdefault(name, int(words[0], 16))
        self.symbols = sorted(listed.items())
        if self.symbols and not self.symbols[-1][0]:
            self.symbols = []

    def function(self, address):
        low, high = 0, len(self.symbols)
        while low < high:
            middle = (low + high) // 2
            if self.symbols[middle][0] <= address:
                low = middle + 1
            else:
                high = middle
        return self.symbols[low - 1][1] if low else "0x%x" % address

    def read_buffer(self, cpus):
        places = [(self.number(8), self.number(8)) for _ in range(cpus)]
        records = []
        for cpu, (offset, size) in enumerate(places):
            records += self.read_cpu(cpu, self.bytes[offset:offset + size])
        records.sort(key=lambda r: (r.key, r.cpu, r.position))
        return records

    def read_cpu(self, cpu, data):
        records, key = [], 0
        for at in range(0, len(data), self.page_size):
            lost, page = self.read_page(data[at:at + self.page_size])
            for i, (ts, payload) in enumerate(page):
                key = max(key, ts)
                format_ = self.formats.get(int.from_bytes(payload[:2], self.order))
                records.append(Record(cpu, ts, key, len(records), format_, payload, self.order))
                records[-1].lost_before = lost and i == 0
        return records

    def read_page(self, page):
        ts = int.from_bytes(page[:8], self.order)
        commit = int.from_bytes(page[8:8 + self.commit_size], self.order)
        lost = bool(commit & 1 << 31)
        start = 8 + self.commit_size
        end = start + (commit & 0xfffff)
        records, at = [], start
        while at + 4 <= end:
            word = int.from_bytes(page[at:at + 4], self.order)
            kind, delta = (word >> 27, word & 0x7ffffff) if self.order == "big" else (word & 31, word >> 5)
            at += 4
            if kind == 29 and not delta:
                break
            length = int.from_bytes(page[at:at + 4], self.order)
            if kind in (30, 31):
                time = (length << 27) + delta
                ts = ts + time if kind == 30 else time | ts & 0xf8 << 56
                at += 4
            elif kind == 29:
                ts += delta
                at += (length + 3) & ~3
            else:
                ts += delta
                if kind:
                    length = 4 * kind
                else:
                    length = ((length + 3) & ~3) - 4
                    at += 4
                records.append((ts, page[at:at + length]))
                at += length
        return lost, records


# --- calls ---------------------------------------------------------------------
class Call:
    """kind: closed, orphan, unclosed; open while its exit may come."""

    def __init__(self, kind, func, depth, record, level):
        self.kind, self.func, self.depth, self.level = kind, func, depth, level
        self.entry = self.exit = None
        if kind == "open":
            self.entry = record
        else:
            self.exit = record
        self.call = self.ret = None
        self.parent, self.children, self.rows = None, [], []
        self.shown = None		# unclosed: the record that shows it
        self.gap = False		# open across a gap
        self.lone = False		# no entry was ever recorded: none is lost
        self.has_net = False		# time off the CPU is known in its buffer, and interrupts in it
        self.sum = None			# of lost(), once all is known
        self.cut = False		# nosleep-time: it began with its entry
        self.split = []			# levels of interrupts that began before it and ended in it, by wrong ends
        self.irqs, self.proofs = [], []	# interrupts recorded as events: (begin, end, level); events in others: (ts, level)

    def timed(self):
        return self.kind in ("closed", "orphan")

    def duration(self):
        return self.ret - self.call

    def below(self):
        for child in self.children:
            yield child
            yield from child.below()

    def timed_children(self):
        for child in self.children:
            if child.timed():
                yield child
            else:
                yield from child.timed_children()

    def self_time(self):
        return self.duration() - sum(c.duration() for c in self.timed_children()) - sum(e - s for s, e in self.rows)

    def is_orphan(self):
        return self.kind == "orphan" and not self.lone

    def doubtful(self):
        """Something of it may be missing: its self and net do not exist."""
        return self.is_orphan() or self.gap or self.self_time() < 0 or self.net() < 0

    def net(self):
        return self.duration() - self.lost()[0]

    def net_known(self):
        """No interrupt in it shows itself, by an event, that is recorded neither as calls nor as events."""
        return self.lost()[1]

    def lost(self):
        """Time that its net does not have; and is that all?"""
        def in_one(begin, end, irqs):
            return any(b <= begin and end <= e for b, e, _ in irqs)

        def cut_by_one(begin, end, irqs):
            return any(b < end and begin < e for b, e, _ in irqs) and not in_one(begin, end, irqs)

        def add(call, irqs):
            if call.timed():
                irqs = [irq for irq in call.irqs if irq[2] > self.level]
                others = [[other for other in irqs if other != irq] for irq in irqs]
                ns = sum(e - b for (b, e, _), rest in zip(irqs, others) if not in_one(b, e, rest))
                known = not any(b < o[0] < e < o[1] for (b, e, _), rest in zip(irqs, others) for o in rest)
                known &= not any(level > self.level for level in call.split)
                known &= all(in_one(ts, ts, irqs) for ts, level in call.proofs if level > self.level)
            else:
                ns, known = 0, True
            for begin, end in call.rows:
                known &= not cut_by_one(begin, end, irqs)
                ns += 0 if in_one(begin, end, irqs) else end - begin
            for child in call.children:
                if not child.timed():
                    more = add(child, irqs)
                elif in_one(child.call, child.ret, irqs):
                    more = 0, True
                elif child.level > self.level:
                    more = child.duration(), not cut_by_one(child.call, child.ret, irqs)
                else:
                    more = add(child, [])
                    known &= not cut_by_one(child.call, child.ret, irqs)
                ns, known = ns + more[0], known & more[1]
            return ns, known
        if self.sum is None:
            self.sum = add(self, [])
        return self.sum

    def find_split(self, task):
        begin = self.entry.ts if self.cut else self.call
        self.split = [level for b, e, level in task.irqs if self.timed() and b < begin < e <= self.ret]

    def is_outer(self):
        above = self.parent
        while above:
            if above.timed() and above.func == self.func:
                return False
            above = above.parent
        return True


class Task:
    def __init__(self, key):
        self.key, self.roots, self.stack, self.gaps = key, [], [], []
        self.left = self.first = self.former = None
        self.places = {}		# for around(): timed calls by their begin; the latest return up to each
        self.irqs, self.proofs, self.open_irqs = [], [], {}
        self.switched = self.gone = False	# its switches are recorded; it left a CPU since its last graph record

    def siblings(self, call):
        return call.parent.children if call.parent else self.roots

    def attach(self, call):
        call.parent = self.stack[-1] if self.stack else None
        self.siblings(call).append(call)

    def leave(self, record=None):
        call = self.stack.pop()
        call.kind, call.shown = "unclosed", record

    def calls(self):
        for root in self.roots:
            yield root
            yield from root.below()


class Buffer:
    def __init__(self, trace, records, clock):
        self.trace, self.tasks, self.local = trace, {}, clock == "local"
        self.irq = (trace.ends.get("__irqentry_text_start", 0), trace.ends.get("__irqentry_text_end", 0))
        self.softirq = (trace.ends.get("__softirqentry_text_start", 0), trace.ends.get("__softirqentry_text_end", 0))
        self.known_switches, self.calls = False, 0
        self.gaps = self.find_gaps(records)
        # no tracing_thresh is below 1 us: what took less has lost its entry
        self.has_entries = any(r.system == "ftrace" and (r.name in ENTRIES or r.name == "funcgraph_exit" and
                                                         0 <= r["rettime"] - r["calltime"] < 1000) for r in records)
        for record in records:
            self.add(record)
        for task in self.tasks.values():
            while task.stack:
                task.leave()
            if self.local:
                for gap in task.gaps:
                    call = self.around(task, gap[0], gap[1], False)
                    if call:
                        call.rows.append(gap)
                for irq in task.irqs:
                    call = self.around(task, irq[0], irq[1], True)
                    if call:
                        call.irqs.append(irq)
                for call in task.calls():
                    call.find_split(task)
                for ts, level in task.proofs:
                    call = self.around(task, ts, ts, True)
                    if call:
                        call.proofs.append((ts, level))
            for call in task.calls():
                call.has_net = self.local and self.known_switches and call.timed() and call.net_known()

    @staticmethod
    def find_gaps(records):
        """Of each CPU: from the last record before a loss mark to the first after it."""
        gaps, last = {}, {}
        for record in sorted(records, key=lambda r: (r.cpu, r.position)):
            if record.lost_before:
                gaps.setdefault(record.cpu, []).append((last.get(record.cpu, -1), record.ts))
            last[record.cpu] = record.ts
        return gaps

    def task(self, pid, cpu):
        key = (pid, cpu if pid == 0 else None)
        if key not in self.tasks:
            self.tasks[key] = Task(key)
        return self.tasks[key]

    def level(self, record, func):
        if record.flags & NMI:
            return 3
        if record.flags & HARDIRQ or self.irq[0] <= func < self.irq[1]:
            return 2
        return 1 if record.flags & SOFTIRQ or self.softirq[0] <= func < self.softirq[1] else 0

    def add(self, record):
        if record.system == "ftrace" and record.name in ENTRIES:
            self.enter(self.task(record.pid, record.cpu), record)
        elif record.system == "ftrace" and record.name == "funcgraph_exit":
            self.leave(self.task(record.pid, record.cpu), record)
        elif record.system == "sched" and record.name == "sched_switch":
            self.known_switches = True
            back = self.task(record["next_pid"], record.cpu)
            if back.left is not None and record.ts > back.left:
                back.gaps.append((back.left, record.ts))
            back.left = None
            back.switched = self.local		# on another clock switches are not used: more is doubtful
            gone = self.task(record["prev_pid"], record.cpu)
            gone.left, gone.switched, gone.gone = record.ts, self.local, True

        if record.system == "ftrace" and record.name in STACKS:
            return
        begins, level = self.interrupt_of(record)
        task, open_ = self.task(record.pid, record.cpu), None
        if begins is False:
            open_ = task.open_irqs.pop(level, None)
        # if a call entered in it has not returned, this end is another one's
        if open_ is not None and open_ < record.ts and not (task.stack and task.stack[-1].entry.ts > open_):
            task.irqs.append((open_, record.ts, level))
        elif level:
            task.proofs.append((record.ts, level))
        if begins:
            task.open_irqs[level] = record.ts

    def interrupt_of(self, record):
        """(True, level): one begins; (False, level): it ends; (None, level): this is in one, as its flags say."""
        where, _, what = (record.name or "").rpartition("_")
        if record.system == "irq" and where in ("irq_handler", "softirq") or record.system == "irq_vectors" and what in ("entry", "exit"):
            return what == "entry", 1 if where == "softirq" else 2
        return None, self.level(record, -1)

    def enter(self, task, record):
        self.count(task, record)
        while task.stack and task.stack[-1].depth >= record["depth"]:
            task.leave(record)
        call = Call("open", record["func"], record["depth"], record, self.level(record, record["func"]))
        task.attach(call)
        task.stack.append(call)

    def count(self, task, record):
        """A graph record of the task: was there a gap since its last one?"""
        for cpu, ts in [task.former] if task.former else []:
            stayed = cpu == record.cpu and (task.key[0] == 0 or task.switched and not task.gone)
            cpus = [cpu] if stayed else self.gaps
            if any(self.gap_within(c, ts, record.ts) for c in cpus):
                for call in task.stack:
                    call.gap = True
                self.lost(task, record)
        task.former = record.cpu, record.ts
        task.gone = task.left is not None	# functions go on after sched_switch
        self.calls += 1
        if task.first is None:
            task.first = self.calls

    def gap_within(self, cpu, since, until):
        return any(begin < until and end > since for begin, end in self.gaps.get(cpu, []))

    def lost(self, task, record):
        """For slice_oracle."""

    def leave(self, task, record):
        self.count(task, record)
        func, depth = record["func"], record["depth"]
        while task.stack and task.stack[-1].depth > depth:
            task.leave(record)
        if task.stack and task.stack[-1].depth == depth and task.stack[-1].func == func:
            call = task.stack.pop()
            call.kind, call.exit = "closed", record
        else:
            if task.stack and task.stack[-1].depth == depth:
                task.leave(record)
            call = Call("orphan", func, depth, record, self.level(record, func))
            task.attach(call)
        call.call, call.ret = record["calltime"], record["rettime"]
        call.lone = not self.has_entries
        if call.lone:			# it was never seen open
            call.gap = any(self.gap_within(cpu, call.call if self.local else -1, record.ts) for cpu in self.gaps)
        if self.local and call.entry:
            call.gap |= self.gap_within(call.entry.cpu, call.call, call.entry.ts)
        if self.local:
            call.gap |= self.gap_within(call.exit.cpu, call.ret, call.exit.ts)
        # a later calltime is nosleep-time's, or the exit is another call's
        if self.local and call.entry and call.call > call.entry.ts and task.switched:
            call.gap |= not any(end > call.entry.ts for _, end in task.gaps)
        call.cut = bool(call.entry) and call.call > call.entry.ts and (
            not task.switched or any(end > call.entry.ts for _, end in task.gaps))
        self.adopt(task, call)
        self.move(task, call)

    @staticmethod
    def adopt(task, call):
        siblings = task.siblings(call)
        place = first = siblings.index(call)
        while first and siblings[first - 1].timed() and siblings[first - 1].depth > call.depth and \
                siblings[first - 1].call >= call.call:
            first -= 1
        adopted = siblings[first:place]
        del siblings[first:place]
        for child in adopted:
            child.parent = call
        call.children[:0] = adopted

    @staticmethod
    def move(task, call):
        late = [c for c in call.children if c.timed() and c.call >= call.ret]
        call.children = [c for c in call.children if c not in late]
        siblings = task.siblings(call)
        place = siblings.index(call) + 1
        siblings[place:place] = late
        for child in late:
            child.parent = call.parent

    @staticmethod
    def around(task, start, end, cut):
        """The innermost timed call that contains it whole: of several, the first to return.  All calls are known by then.

        cut: an interrupt may be in a call of nosleep-time, which began with its entry; a time off the CPU is not.
        """
        if cut not in task.places:
            calls = [(c.entry.ts if cut and c.cut else c.call, number, c) for number, c in enumerate(task.calls()) if c.timed() and
                     (cut or not (c.kind == "closed" and c.call > c.entry.ts))]
            begun = sorted(calls)
            task.places[cut] = begun, [c[0] for c in begun], list(itertools.accumulate((c.ret for _, _, c in begun), max))
        begun, begins, latest = task.places[cut]
        at = bisect.bisect_right(begins, start) - 1
        around = []
        while at >= 0 and latest[at] >= end:	# those before have all returned
            around += [begun[at][2]] if end <= begun[at][2].ret else []
            at -= 1
        return min(around, key=lambda c: (c.exit.key, c.exit.cpu, c.exit.position)) if around else None


# --- functions --------------------------------------------------------------------
COLUMNS = ("function,calls,total_ns,self_ns,net_ns,min_ns,avg_ns,p50_ns,p95_ns,p99_ns,max_ns,leaf_calls,"
           "unclosed,orphans,doubtful,stddev_ns").split(",")


def percentile(values, p):
    return values[-(-p * len(values) // 100) - 1]


def functions(trace, buffers, wanted=lambda call: True):
    """The rows of `functions --format=csv`, without its heading."""
    rows = {}
    for buffer in buffers:
        for task in buffer.tasks.values():
            for call in task.calls():
                if wanted(call):
                    rows.setdefault(call.func, []).append(call)
    table = []
    for func, calls in rows.items():
        timed = [c for c in calls if c.timed()]
        durations = sorted(c.duration() for c in timed)
        outer = [c for c in timed if c.is_outer()]
        sure = [c for c in timed if not c.doubtful()]
        row = [trace.function(func), len(timed), sum(c.duration() for c in outer),
               sum(c.self_time() for c in sure) if sure else "",
               sum(c.net() for c in outer if c in sure and c.has_net) if any(c.has_net for c in sure) else ""]
        if timed:
            row += [durations[0], sum(durations) // len(durations), percentile(durations, 50), percentile(durations, 95),
                    percentile(durations, 99), durations[-1]]
        else:
            row += [""] * 6
        row += [sum(not c.children and not c.lone for c in timed), len(calls) - len(timed), sum(c.is_orphan() for c in timed),
                len(timed) - len(sure), int(statistics.pstdev(durations)) if timed else ""]
        table.append((-row[2], row[0].encode("latin1"), func, row))
    return [row for _, _, _, row in sorted(table)]


def read(path):
    trace = Trace(path)
    return trace, [Buffer(trace, records, trace.clock) for records in trace.buffers]
