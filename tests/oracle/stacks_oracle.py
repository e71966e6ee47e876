# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of waits, worked out from trace-cmd's text and the plain list of a buffer's events.

The waits are those of sched_oracle.py.  The stacks are the addresses that trace-cmd report prints, named by the symbols
that trace-cmd dump finds in the file: the first one listed at the highest address that is not above.
"""
import bisect
import itertools
import json
import re
import subprocess

import sched_oracle

WAITS = ("sleep", "blocked", "preempted")


class Symbols:
    def __init__(self, trace_cmd, path):
        text = subprocess.run([trace_cmd, "dump", "--kallsyms", "-i", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
        self.names = {}
        for words in map(str.split, text.split("\n")):
            if len(words) in (3, 4) and len(words[1]) == 1:     # address, type, name, [module]
                self.names.setdefault(int(words[0], 16), " ".join(words[2:]))
        self.starts = sorted(self.names)

    def name(self, address):
        if address == 0x7fffffff:       # FTRACE_TRAMPOLINE_MARKER: so the kernel prints it
            return "[FTRACE TRAMPOLINE]"
        at = bisect.bisect_right(self.starts, address)
        return self.names[self.starts[at - 1]] if at else "0x%x" % address


def printed_stacks(trace_cmd, path):
    """By CPU, in order: the addresses of each kernel_stack, the innermost first."""
    text = subprocess.run([trace_cmd, "report", "-t", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode(errors="replace")
    found, last = {}, None
    for line in text.split("\n"):
        head = re.match(r" *\S.*-\d+ +\[(\d+)\].* \d+\.\d+: +(\S+):", line)
        frame = re.match(r"=> .*\(([0-9a-f]+)\)$", line)
        if head:
            last = None
            if head[2] == "kernel_stack":
                last = []
                found.setdefault(int(head[1]), []).append(last)
        elif frame and last is not None:
            last.append(int(frame[1], 16))
    return found


def stacks_of(buffer, trace_cmd, path):
    """event -> the names of its stack, the outermost first."""
    printed, symbols, found = printed_stacks(trace_cmd, path), Symbols(trace_cmd, path), {}
    for cpu, events in buffer.cpus.items():
        following = iter(printed.get(cpu, []))
        for before, event in zip([None] + events, events):
            if event.any or json.loads(event.line)["event"] != "kernel_stack":
                continue
            addresses = next(following)
            if before and not event.lost and before.common_pid == event.common_pid and addresses:
                names = [symbols.name(address) for address in addresses]
                names = itertools.dropwhile(lambda name: name.startswith(("__traceiter_", "trace_event_", "perf_trace_")), names)
                found[before] = list(names)[::-1]
        assert next(following, None) is None, "trace-cmd has more stacks"
    return found


class Waits(sched_oracle.Oracle):
    """@began(event, pid, comm): does a wait count that this switch begins?"""

    def __init__(self, buffer, stacks, began=lambda event, pid, comm: True, keep=None):
        self.stacks, self.counts, self.now = stacks, began, None
        self.found = []                 # (comm, off-CPU stack, name of the waker or None, its stack, ns)
        self.doubtful = self.open = 0
        super().__init__(buffer, None, keep)

    def take(self, event, number):
        self.now = event
        super().take(event, number)

    def become(self, task, state, ts, cpu=None, cut=False):
        super().become(task, state, ts, cpu, cut)
        comm = self.now.comm
        task.began = self.now if state in WAITS and self.counts(self.now, task.pid, comm) else None

    def stack(self, event):
        return self.stacks.get(event, ["[no stack]"])

    def waker(self, task):
        """Name and stack of who ends the wait."""
        event = self.now
        if task.state == "preempted":
            return None, None
        if event.name == "sched_switch":
            return "[no wake-up]", ["[no stack]"]
        if self.hides_waker(event) or event.common_pid < 0:
            return "[not known]", ["[no stack]"]
        kind = next((name for bit, name in sched_oracle.INTERRUPTS if event.flags & bit), None)
        if not kind and event.common_pid == 0:
            kind = "<idle>"
        if not kind:
            names = self.tasks[event.common_pid].names if event.common_pid in self.tasks else []
            kind = names[-1][1] if names else self.buffer.saved.get(event.common_pid, "<...>")
        return kind, self.stack(event)

    def add(self, task, until, cpu, cut=False, kept=None, doubtful=False):
        super().add(task, until, cpu, cut, kept, doubtful)
        if task.state not in WAITS or not task.began:
            return
        if cut:
            self.open += 1
        elif self.keep is not None and not self.other(self.now):
            return
        elif doubtful:
            self.doubtful += 1
        else:
            self.found.append((task.began.comm, self.stack(task.began), *self.waker(task), max(until - task.since, 0)))

    def folded(self, mode):
        """stack -> [ns, waits]"""
        sums = {}
        for comm, off, waker, stack, ns in self.found:
            if mode == "waker":
                frames = None if waker is None else [waker] + stack
            else:
                frames = [comm] + off
                if mode == "both" and waker is not None:
                    frames = frames + ["--"] + stack[::-1] + [waker]
            if frames is not None:
                entry = sums.setdefault(";".join(frame.replace(";", ":") for frame in frames), [0, 0])
                entry[0] += ns
                entry[1] += 1
        return sums
