# SPDX-License-Identifier: GPL-2.0-or-later
"""What an interval of a task was spent on, worked out from the plain list of a buffer's events.

The states of tasks and CPUs come from sched_oracle.py.  Interrupts, and what wakers did meanwhile, are looked up one by
one, in lists: what why.py compares its parts with.
"""
import bisect
import json
import re
import subprocess

import queue_oracle
import sched_oracle

DEPTH = 64
INTERRUPTS = 0x40 | 0x08 | 0x10         # in common_flags


def kind_of(event):
    """Of an interrupt without a record of its own."""
    return "NMI" if event.flags & 0x40 else "softirq" if event.flags & 0x18 == 0x10 else "interrupt"


class State:
    """What a task does since a moment; until stays None where records contradict it."""

    def __init__(self, name, since, cpu, wake):
        self.name, self.since, self.cpu, self.wake = name, since, cpu, wake
        self.until, self.doubtful, self.stopped = None, False, False
        self.queues = ()                # of a wait: where it stood, one after the other
        self.reason = self.limited = None       # of one that nobody caused, from then on


class History(queue_oracle.Queues):
    """Keeps each state of each task."""

    def __init__(self, buffer):
        self.states = {}
        super().__init__(buffer)

    def become(self, task, state, ts, cpu=None, cut=False):
        before = self.states.setdefault(task, [])
        if before and before[-1].name == "gone" and before[-1].until is None and state == "running" and not cut:
            before[-1].until = ts
        before.append(State(state, ts, cpu, task.wake if state == "waiting" else None))
        super().become(task, state, ts, cpu, cut)
        before[-1].queues = self.standing.get(task, ())
        before[-1].stopped = state == "sleep" and task.stopped
        if state == "preempted" and task.cause[0] is None:
            before[-1].reason, before[-1].limited = task.cause[1], ts

    def be_passed(self, task, ts, reason):
        super().be_passed(task, ts, reason)
        self.states[task][-1].limited, self.states[task][-1].reason = task.limit
        self.states[task][-1].queues = self.queued[task][-1] if task not in self.standing else self.standing[task]

    def add(self, task, until, cpu, cut=False, kept=None, doubtful=False):
        super().add(task, until, cpu, cut, kept, doubtful)
        if task in self.states:
            self.states[task][-1].until, self.states[task][-1].doubtful = until, doubtful


# --- interrupts ------------------------------------------------------------------
class Words:
    """How a file calls its interrupts and timers."""

    def __init__(self, actions=None, symbols=None):
        """@actions: names of softirqs by their numbers; @symbols: sorted [(address, name)]."""
        self.actions, self.symbols = actions or {}, symbols or []

    def symbol(self, address):
        at = bisect.bisect_right(self.symbols, address, key=lambda symbol: symbol[0])
        if not at:
            return hex(address)
        at = bisect.bisect_left(self.symbols, self.symbols[at - 1][0], key=lambda symbol: symbol[0])
        return self.symbols[at][1]

    def begins(self, event):
        """(class, words) of an event that begins an interrupt or timer, ("end", class), or None."""
        name, fields, system = event.name, event.values, None
        if event.line:
            row = json.loads(event.line)
            name, fields, system = row["event"], row["fields"], row["system"]
        if name == "irq_handler_entry":
            return "irq", "irq %s" % (fields.get("name") or fields.get("irq", fields.get("number")))
        if name == "softirq_entry":
            number = fields.get("vec", fields.get("number"))
            return "softirq", "softirq %s" % self.actions.get(number, number)
        if name in ("irq_handler_exit", "softirq_exit"):
            return "end", name.partition("_")[0].replace("irq_handler", "irq")
        if system == "irq_vectors" and name.endswith("_entry"):
            return "irq", "ipi " + name[:-len("_entry")]
        if system == "irq_vectors" and name.endswith("_exit"):
            return "end", "irq"
        if system == "timer" and name in ("hrtimer_expire_entry", "timer_expire_entry"):
            return "timer", "timer " + self.symbol(int(fields["function"], 0))
        if system == "timer" and name in ("hrtimer_expire_exit", "timer_expire_exit"):
            return "end", "timer"
        return None


def words_of(trace_cmd, path):
    text = subprocess.run([trace_cmd, "dump", "--events", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout.decode(errors="replace")
    found = re.search(r"name: softirq_entry\n.*?print fmt: (.*?)\n", text, re.S)
    actions = {int(number): name for number, name in re.findall(r'\{ *(\d+), *"(\w+)" *\}', found[1])} if found else {}
    text = subprocess.run([trace_cmd, "dump", "--kallsyms", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout.decode(errors="replace")
    symbols = [(int(address, 16), name) for address, name in re.findall(r"^\s*([0-9a-f]{8,16}) . (\S+)", text, re.M)]
    return Words(actions, sorted(symbols, key=lambda symbol: symbol[0]))


class Why:
    def __init__(self, buffer, words, idle_exit=10**7):
        """@idle_exit: how long a CPU may take out of idle."""
        self.buffer, self.words, self.idle_exit = buffer, words, idle_exit
        self.history = History(buffer)
        self.created = {}               # task -> when it was created
        for event in buffer.events:
            self.see_creation(event)
        self.contexts = {}              # cpu -> [(since, words or None)]
        self.open = {}                  # event of a wake-up -> words of the innermost entry, or None
        self.cpus = {}                  # cpu -> [(since, until, what)]
        self.names = {json.loads(event.line)["event"] if event.line else event.name for event in buffer.events}
        for cpu, events in buffer.cpus.items():
            self.find_contexts(cpu, events)
        for cpu, state, pid, since, until in self.history.cpu_intervals:
            if since < until:
                self.cpus.setdefault(cpu, []).append((since, until, pid if state == "run" else state))
        for list_ in self.cpus.values():
            list_.sort(key=lambda one: one[:2])

    def see_creation(self, event):
        pid, row = None, json.loads(event.line) if event.line else {}
        if event.name == "sched_wakeup_new" and event.success != 0:
            pid = event.pid
        elif event.name == "sched_process_fork" and row:
            pid = row["fields"]["child_pid"]
        elif row.get("event") == "task_newtask" and row["system"] == "task":
            pid = row["fields"]["pid"]
        task = self.history.life(pid, event.ts) if pid else None
        states = self.history.states.get(task, [])
        if task and not any(state.since is not None and state.since < event.ts for state in states[:1]):
            self.created.setdefault(task, event.ts)

    def unknown(self, task, start, end, depth):
        parts, at = [], start
        if start < self.created.get(task, start):
            at = min(self.created[task], end)
            parts.append((start, at, depth, task.pid, "not yet created"))
        return parts + ([(at, end, depth, task.pid, "unknown")] if at < end else [])

    def find_contexts(self, cpu, events):
        stack, kept, found = [], [], self.contexts.setdefault(cpu, [])
        owners, paused = {}, []         # of a softirq that a switch pauses (PREEMPT_RT): its task; [(task, change)]
        made = {}                       # id of a change: in which interrupts its record was made

        def tell(ts):
            found.append((ts, next((words for class_, words in reversed(stack) if class_ != "timer"), None)))
        before, begun = None, False     # since the records began, or began again, no switch came
        for event in events:
            over = next((i for i, one in enumerate(stack) if made.get(id(one), 0) & ~event.flags), None)
            if over is not None and not event.lost:     # this record was not made in it
                del stack[over:]
                tell(before.ts)
                begun = False
            gap = event.lost or event in self.history.missing
            if gap or before is None or event.name == "sched_switch":
                if event.name == "sched_switch" and not gap:
                    paused += [(event.pid, one) for one in stack if owners.get(id(one)) == event.pid]
                else:
                    paused.clear()
                stack.clear()           # an interrupt does not last over these
                tell(before.ts if gap and before is not None else event.ts)
                begun = event.name != "sched_switch"
                if event.name == "sched_switch":
                    stack += [one for pid, one in paused if pid == event.pid2]
                    paused = [(pid, one) for pid, one in paused if pid != event.pid2]
                tell(event.ts)
            before = event
            change = self.begins(event)
            if change and change[0] != "end":
                flags = event.flags & INTERRUPTS
                for at in range(len(stack) - 1, -1, -1):        # the same one again: its end is missing
                    if stack[at][0] != change[0]:
                        break
                    if change[0] == "timer" and stack[at] == change or change[0] != "timer" and flags and \
                            made.get(id(stack[at])) == flags and (change[0] == "softirq" or stack[at] == change):
                        del stack[at:]
                stack.append(change)
                kept.append(change)     # for its id
                made[id(change)] = flags
                if change[0] == "softirq" and not event.flags & 0x58:
                    owners[id(change)] = event.common_pid
                tell(event.ts)
            elif change and change[1] in [class_ for class_, _ in stack]:
                while stack.pop()[0] != change[1]:
                    pass
                tell(event.ts)
            elif change and begun and change[1] != "timer" and all(class_ == "timer" for class_, _ in stack):
                found[-1] = found[-1][0], "interrupt"   # its entry is missing
                tell(event.ts)
            if event.name in sched_oracle.WAKES:
                # an interrupt on top of a softirq has no record of its own
                flags = made.get(id(stack[-1])) if stack else 0
                inside = flags == event.flags & INTERRUPTS if flags else stack and not (event.flags & 0x48 and stack[-1][0] == "softirq")
                self.open[event] = stack[-1][1] if inside else None

    def begins(self, event):
        """As of the words; but where none of an event's ends is recorded, nothing begins."""
        change = self.words.begins(event)
        return None if change and change[0] != "end" and self.names_of(event).isdisjoint(self.names) else change

    @staticmethod
    def names_of(event):
        name = json.loads(event.line)["event"] if event.line else event.name
        return {name[:-len("entry")] + "exit"} if name.endswith("_entry") else {name}

    @staticmethod
    def at(list_, ts):
        found = bisect.bisect_right(list_, ts, key=lambda one: one[0])
        return list_[found - 1] if found else None

    def cpu_parts(self, cpu, start, end):
        """(from, to, what): words of an interrupt, a pid, "idle", "lost", "unknown"."""
        edges = {start, end}
        for since, _ in self.contexts.get(cpu, ()):
            edges.add(min(max(since, start), end))
        for since, until, _ in self.cpus.get(cpu, ()):
            edges.update((min(max(since, start), end), min(max(until, start), end)))
        edges = sorted(edges)
        parts = []
        for a, b in zip(edges, edges[1:]):
            context, run = self.at(self.contexts.get(cpu, []), a), self.at(self.cpus.get(cpu, []), a)
            what = context[1] if context and context[1] else run[2] if run and run[1] > a else "unknown"
            if parts and parts[-1][2] == what:
                parts[-1] = (parts[-1][0], b, what)
            else:
                parts.append((a, b, what))
        return parts

    def wait_parts(self, state, start, end):
        """(from, to, what, is it a guess): what the CPUs did in whose queues it stood; "astray" where that is not known."""
        parts = []
        if state.reason and end > state.limited:
            reason = "kept from running" if "server" in state.reason else state.reason
            before = self.wait_parts(state, start, state.limited) if start < state.limited else []
            return before + [(max(start, state.limited), end, reason, reason != "sched_yield")]
        for stay in state.queues:
            a, b = max(start, stay.start), min(end, stay.end)
            if a < min(b, stay.chosen):
                parts.append((a, min(b, stay.chosen), "astray", False))
                a = min(b, stay.chosen)
            if a < b and (stay.is_astray or stay.cpu not in self.buffer.cpus):
                parts.append((a, b, "astray", False))
            elif a < b:
                idle = "idle" if self.leaves_idle(state, stay) else "not explained"
                parts += [(c, d, idle if what == "idle" else what, stay.guessed)
                          for c, d, what in self.cpu_parts(stay.cpu, a, b)]
        return parts

    def leaves_idle(self, state, stay):
        """Was the CPU on its way out of idle?  It idled once, not too long, when the task came to it or until the task ran."""
        idles = [(a, b) for a, b, what in self.cpus.get(stay.cpu, ()) if what == "idle" and a < stay.end and b > stay.chosen]
        if len(idles) != 1:
            return not idles
        (since, until), woken = idles[0], state.name == "waiting"
        came = since <= stay.chosen if woken else since < stay.start
        ran = woken and stay is state.queues[-1] and until >= stay.end
        return (came or ran) and min(until, stay.end) - max(since, stay.chosen) <= self.idle_exit

    def why(self, task, start, end, depth=0, asked=()):
        """[(from, to, depth, pid, what)], where pids stand for tasks."""
        parts, at = [], start
        asked += ((task, start, end),)
        states = self.history.states.get(task, [])
        for number, state in enumerate(states):
            if state.until is None or state.since is None or state.name == "unknown":
                continue
            a, b = max(state.since, at), min(state.until, end)
            if a >= b:
                continue
            if at < a:
                parts += self.unknown(task, at, a, depth)
            at = b
            parts += self.of_state(task, state, states[number + 1] if number + 1 < len(states) else None, a, b, depth, asked)
        return parts + self.unknown(task, at, end, depth)

    def parts(self, task, start, end):
        """The same, what is unknown in one."""
        found = []
        for part in self.why(task, start, end):
            if found and part[4] == found[-1][4] == "unknown" and part[2:4] == found[-1][2:4] and found[-1][1] == part[0]:
                part = (found.pop()[0],) + part[1:]
            found.append(part)
        return found

    def of_state(self, task, state, after, start, end, depth, asked):
        pid = task.pid

        def one(what):
            return [(start, end, depth, pid, what)]
        if after and after.since != state.until:
            after = None
        if state.doubtful:
            is_unwoken = state.name in ("sleep", "blocked") and not self.history.has_gap(state.since, state.until)
            return one("sleep or wait" if is_unwoken else "unknown")
        if state.name == "gone":
            return one("gone")
        if state.name == "running":
            parts = []
            for a, b, what in self.cpu_parts(state.cpu, start, end):
                serves = task.names and task.names[-1][1].startswith(("ksoftirqd/", "ktimers/", "ktimersd/", "irq/"))
                what = what if isinstance(what, str) and " " in what and not (serves and what.startswith("softirq ")) else "runs"
                if parts and parts[-1][4] == what == "runs":
                    a = parts.pop()[0]
                parts.append((a, b, depth, pid, what))
            return parts
        if state.name in ("waiting", "preempted"):
            if not after or after.name != "running":
                return one("waits")
            return [(a, b, depth, pid, "behind %d" % what if isinstance(what, int) and what != pid else
                     {"lost": "unknown", pid: "unknown", "astray": "waits", "not explained": "idle (not explained)"}.get(what, what))
                    for a, b, what, _ in self.wait_parts(state, start, end)]
        if state.stopped:
            return one("stopped")
        if not after or after.name != "waiting":
            return one("asleep")
        wake, waker = after.wake.event, after.wake.waker
        if self.history.hides_waker(wake) or wake.common_pid < 0:
            return one("asleep")
        if wake not in self.buffer.own and (wake.flags & INTERRUPTS or wake.common_pid == 0):
            return one(self.open[wake] or (kind_of(wake) if wake.flags & INTERRUPTS else "asleep"))
        if (waker, start, end) in asked:
            return one("with %d" % wake.common_pid)
        if depth >= DEPTH:
            return one("asleep")
        return self.why(waker, start, end, depth + 1, asked)
