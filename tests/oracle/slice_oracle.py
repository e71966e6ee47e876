# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices that tasks wrote to trace_marker around calls, worked out slowly and plainly: beside graph_oracle.

B and E nest on their task's stack.  A call is in a slice if all of it is, by the order of the records.  What a slice
and a call beside it share counts once for self.
"""
import graph_oracle


def order(record):
    return record.key, record.cpu, record.position


class Slice(graph_oracle.Call):
    def __init__(self, name, record, root):
        super().__init__("open", None, None, record, 0)
        self.name, self.call, self.root, self.end = name, record.ts, root, None

    def self_time(self):
        calls, slices = [], []
        for child in self.timed_children():
            (slices if isinstance(child, Slice) else calls).append(child)
        twice = sum(max(0, min(s.ret, c.ret) - max(s.call, c.call)) for s in slices for c in calls)
        return super().self_time() + twice

    def holds(self, call):
        """Is it around this outermost call, which has ended?"""
        last = call.exit or call.shown
        after = order(call.entry) > order(self.entry) if call.entry else call.call >= self.call
        return after and last is not None and (self.end is None or order(last) < self.end)


class Buffer(graph_oracle.Buffer):
    def __init__(self, trace, records, clock):
        self.slices = {}			# of each task: (all, those that are open)
        super().__init__(trace, records, clock)
        for task in self.tasks.values():
            every, still = self.slices.get(task, ([], []))
            for one in still:
                one.kind = "unclosed"
                open_ = [call for call in [one.root, *one.root.below()] if call.kind == "unclosed" and not call.shown] if one.root else []
                if open_:			# the trace ends in the call in which it was written
                    one.inside = one.above = open_[-1]
            for call in list(task.roots):
                around = [one for one in every if one.inside is None and one.holds(call)]
                if around:
                    task.roots.remove(call)
                    around[-1].children.append(call)
            for one in every:
                (one.above.children if one.above else task.roots).append(one)
            for one in every:
                one.find_split(task)
                one.has_net = self.local and self.known_switches and one.timed() and one.net_known()

    def add(self, record):
        if record.name != "print":
            super().add(record)
            return
        task = self.task(record.pid, record.cpu)
        self.count(task, record)
        every, still = self.slices.setdefault(task, ([], []))
        letter, _, name = record.data[16:].split(b"\n")[0].decode().partition("|")
        if letter == "B":
            one = Slice(name.partition("|")[2], record, task.stack[0] if task.stack else None)
            one.above, one.inside = still[-1] if still else None, None
            every.append(one)
            still.append(one)
        elif still:
            one = still.pop()
            one.kind, one.exit, one.ret, one.end = "closed", record, record.ts, order(record)

    def lost(self, task, record):
        every, still = self.slices.get(task, ([], []))
        for one in still:
            one.kind, one.end = "unclosed", order(record)
            if one.root and one.root in task.stack:	# it had not begun: the call in which it was written goes on
                one.inside = one.above = task.stack[-1]
        still.clear()

    def around(self, task, start, end, cut):
        every, _ = self.slices.get(task, ([], []))
        around = [one for one in every if one.timed() and one.call <= start and end <= one.ret]
        return super().around(task, start, end, cut) or (around[-1] if around else None)


def read(path):
    trace = graph_oracle.Trace(path)
    return trace, [Buffer(trace, records, trace.clock) for records in trace.buffers]
