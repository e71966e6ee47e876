# SPDX-License-Identifier: GPL-2.0-or-later
"""How long things took, worked out from the plain list of a buffer's events, kind by kind as the definitions have them.

Slow and simple, and without a line of the program's code: what latency.py compares the command with.  States of tasks
are sched_oracle.py's; calls are graph_oracle.py's.
"""
import bisect
import json
import re

import sched_oracle

HZ = (100, 250, 300, 1000)


class Instance:
    """One row; end None: it is open."""

    def __init__(self, kind, start, end, cpu, pid, comm, doubtful, ref, moved=None, prio=None, wakeup=None, what=None, age=None):
        self.kind, self.start, self.end, self.cpu, self.pid, self.comm = kind, start, end, cpu, pid, comm
        self.doubtful, self.ref, self.moved, self.prio, self.wakeup, self.what = doubtful, ref, moved, prio, wakeup, what
        self.late = False               # a wake-up that began before: in no figure
        self.age, self.paused = age, 0

    def duration(self):
        return max(self.end - self.start, 0) - self.paused

    def row(self):
        def text(value):
            return "" if value is None else str(value)
        return [self.kind, str(self.start), text(self.end), "" if self.end is None else str(self.duration()), text(self.cpu),
                str(self.pid), self.comm, str(int(self.doubtful)), text(self.moved), text(self.prio), text(self.wakeup), "", "", ""]


class Event(sched_oracle.Event):
    __slots__ = ("system", "full", "fields", "order")


def buffers(lines, names, letters, plus, saved):
    """The lines of report --format=json as buffers, in the file's order; those without events are None."""
    found, lost = {}, set()
    for line in lines:
        row = json.loads(line)
        key = row.get("instance", "")
        if "lost" in row:
            lost.add((key, row["cpu"]))
            continue
        if "system" not in row:
            continue
        event = Event(row["ts_ns"] if "ts_ns" in row else row["ts"], row["cpu"], (key, row["cpu"]) in lost,
                      row["event"] if row["system"] == "sched" else "", row["pid"])
        lost.discard((key, row["cpu"]))
        event.system, event.full, event.fields = row["system"], row["event"], row["fields"]
        event.any, event.line = row["system"] == "sched", line
        fields = row["fields"]
        if event.name == "sched_switch":
            event.pid, event.comm, event.prio = fields["prev_pid"], fields["prev_comm"], fields["prev_prio"]
            event.pid2, event.comm2, event.prio2 = fields["next_pid"], fields["next_comm"], fields["next_prio"]
            event.state = fields["prev_state"]
        elif event.name in sched_oracle.WAKES or event.name == "sched_migrate_task":
            event.pid, event.comm, event.prio = fields["pid"], fields["comm"], fields.get("prio")
            event.target = fields.get("dest_cpu", fields.get("target_cpu", fields.get("cpu")))
            event.success = fields.get("success")
        elif row["event"] in sched_oracle.LIVES:
            event.name, event.pid = row["event"], fields[sched_oracle.LIVES[row["event"]]]
        found.setdefault(key, []).append(event)
    out = []
    for name in names:
        if found.get(name):
            buffer = sched_oracle.Buffer(found[name], letters, plus, saved)
            for order, event in enumerate(buffer.events):
                event.order = order
            out.append(buffer)
    return out


class Names:
    """The name of a pid at a time: the last one up to it, else the first after it, else the saved.

    Of several names of one moment it is one that is also seen at the next, then one that was not at
    the moment before, then the last by its bytes.
    """

    def __init__(self, found):
        self.saved, known = found[0].saved, {}
        for buffer in found:
            now = {}
            for event in buffer.events:
                tasks = []
                if event.name == "sched_switch":
                    tasks = [(event.pid, event.comm), (event.pid2, event.comm2)]
                elif event.name in sched_oracle.WAKES or event.name == "sched_migrate_task":
                    tasks = [(event.pid, event.comm)]
                elif (event.system, event.full) == ("task", "task_rename") and "pid" in event.fields:
                    tasks = [(event.fields["pid"], event.fields["newcomm"])]
                for pid, comm in tasks:
                    if now.get(pid) != comm:
                        known.setdefault(pid, {}).setdefault(event.ts, set()).add(comm)
                    now[pid] = comm
        self.known = {pid: sorted(moments.items()) for pid, moments in known.items()}

    def at(self, pid, ts):
        known = self.known.get(pid)
        if pid == 0 or not known:
            return self.saved.get(pid, "<...>") if pid else "<idle>"
        i = max(bisect.bisect_right(known, ts, key=lambda moment: moment[0]) - 1, 0)
        before = known[i - 1][1] if i else ()
        after = known[i + 1][1] if i + 1 < len(known) else ()
        return max(known[i][1],
                   key=lambda name: (2 * (name in after) + (name not in before), name.encode()))


def gaps_of(buffer):
    first = min((event.ts for event in buffer.events), default=None)
    return {cpu: [(list_[i - 1].ts if i else first, event.ts) for i, event in enumerate(list_) if event.lost]
            for cpu, list_ in buffer.cpus.items()}


# --- states of tasks ------------------------------------------------------------------------------
class States(sched_oracle.Oracle):
    def __init__(self, buffer, names, keep=None):
        self.names, self.now, self.at_end, self.instances, self.begun, self.woken = names, None, False, [], {}, {}
        super().__init__(buffer, keep=keep)

    def take(self, event, number):
        self.now = event
        super().take(event, number)

    def wake(self, event, number):
        task = self.tasks.get(event.pid)
        wake = task.wake if task else None
        had = wake.woken if wake else None
        super().wake(event, number)
        if wake and task.wake is wake and wake.woken and not had:
            self.woken[wake] = event.ts

    def become(self, task, state, ts, cpu=None, cut=False):
        sched_oracle.Oracle.become(task, state, ts, cpu, cut)
        self.begun[task] = self.now

    def end(self):
        self.at_end = True
        super().end()

    def add(self, task, until, cpu, cut=False, kept=None, doubtful=False):
        super().add(task, until, cpu, cut, kept, doubtful)
        kinds = {"waiting": "wakeup", "preempted": "preempted", "sleep": "sleep", "blocked": "blocked"}
        kind = kinds.get(task.state)
        if not kind or (cut and not self.at_end) or (self.keep and not kept):
            return
        if kind == "wakeup" and not task.wake:
            return
        start = self.begun[task]
        comm = self.names.at(task.pid, start.ts)
        instance = Instance(kind, task.since, None if self.at_end else until, start.cpu, task.pid, comm, doubtful, start.order,
                            age=until - task.since)
        if kind == "wakeup":
            instance.cpu = None if self.at_end else cpu
            if not self.at_end:
                # a switch of the task may be missing since its last one
                if not doubtful and not self.has_gap(task.last_switch_ts, until):
                    instance.moved = int(task.last_switch_cpu not in (None, cpu))
            instance.prio = start.prio
            instance.late = self.is_late(start)
            instance.doubtful |= instance.late
            if task.wake in self.woken and not self.at_end:
                instance.wakeup = self.woken[task.wake] - task.since
            instance.what = "not known" if self.hides_waker(start) or start.common_pid < 0 else (
                "%s-%d" % (self.names.at(start.common_pid, start.ts), start.common_pid))
        elif kind == "preempted" and task.cause == (None, "throttled"):
            instance.what = "throttled (%s)" % ("its deadline budget was used up" if start.prio < 0 else
                                                "real-time tasks had used up their time")
        elif kind == "preempted" and "server" in task.cause[1]:
            instance.what = "kept from running (its time was used up, or the fair server went first)"
        elif kind == "preempted":
            instance.what = "%s-%d" % (self.names.at(start.pid2, start.ts), start.pid2)
        self.instances.append(instance)


# --- pairs ----------------------------------------------------------------------------------------
def number(value):
    return int(value, 0) if isinstance(value, str) and value[:1] in "0123456789-" else value


def task_key(event):
    """pid 0 is another task on each CPU."""
    return (event.common_pid, event.cpu) if event.common_pid == 0 else event.common_pid


def sector(event):
    value = number(event.fields["sector"])
    return 0 if value in (-1, 2**64 - 1) else value


DEFERRABLE = 0x80000    # include/linux/timer.h: such a timer may be late


def work(event):
    """What a request does, behind the F of a flush before it."""
    rwbs = event.fields["rwbs"]
    return rwbs[1:2] if rwbs[:1] == "F" and rwbs[1:] else rwbs[:1]


def plain(event):
    """Without what is said of flushes before and behind it."""
    return event.fields["rwbs"].replace("F", "")


def request(start, _):
    return "%s %d + %d" % (start.fields["rwbs"], number(start.fields["sector"]), start.fields["nr_sector"])


def named(system, name, key=lambda event: ()):
    """Of an event: its key; None if it is another one."""
    return lambda event: key(event) if event.system == system and event.full == name else None


def field(name, *more):
    return lambda event: tuple(number(event.fields[one]) for one in (name, *more))


def on_cpu(key):
    return lambda event: (event.cpu, *key(event))


def of_task(key):
    return lambda event: (task_key(event), *key(event))


def blk(action):
    """Records of the blk tracer with this action: (device, sector)."""
    return lambda event: (event.fields["device"], event.fields["sector"]) if (event.system, event.full) == ("ftrace", "blktrace") \
        and event.fields["action"] & 0xff == action else None


def part(system, head, tail, cpu):
    """Events with a name between head and tail: (CPU, name) or (task, name)."""
    def key(event):
        if event.system != system or not event.full.startswith(head) or not event.full.endswith(tail):
            return None
        if len(event.full) <= len(head) + len(tail):
            return None
        return (event.cpu if cpu else task_key(event), event.full[len(head):len(event.full) - len(tail)])
    return key


def marker(pattern, of_a_task=False):
    """Lines of trace_marker that match, and are not more than that: the groups are the key."""
    def key(event):
        if (event.system, event.full) != ("ftrace", "print") or "buf" not in event.fields:
            return None
        found = re.fullmatch(pattern, event.fields["buf"].rstrip("\n"))
        return found and (task_key(event) if of_a_task else found.groups())
    return key


class Pair:
    """A kind's start and end; of_a_task: only one task has both; drops: an event that shows that what is open on its CPU is no
    instance; by_cpu: a gap of the CPU forgets it; mode: last, first, nested, queue, name (a task has
    one at a time: the last start counts, and the end of another one shows that its own is missing).  held: flags of all
    records of the CPU while it is open.  task: of
    the start, whose it is instead of the task that ran."""

    def __init__(self, kind, start, end, by_cpu=False, mode="last", what=None, unmatched=False, task=None, of_a_task=False, pauses=False,
                 drops=lambda event: False, held=0):
        self.of_a_task, self.drops, self.held = of_a_task, drops, held
        self.kind, self.start, self.end, self.by_cpu, self.mode, self.what = kind, start, end, by_cpu, mode, what
        self.unmatched, self.task, self.pauses = unmatched, task, pauses


def monitor(event, name=None):
    """The name of a monitor that tells of a step or a violation, and whether it is a violation; None: no such event."""
    found = re.fullmatch(r"(event|error_env|error)_(\w+)", event.full)
    if event.system != "rv" or not found or "state" not in event.fields or name not in (None, found[2]):
        return None
    return found[2], found[1] != "event"


def of_id(event):
    """The task that a monitor is about; pid 0 is one for each CPU."""
    return event.fields["id"] or f"CPU {event.cpu}"


def enters(whose, name=None):
    """A step to another state: whose it is, the monitor and that state."""
    def key(event):
        found = monitor(event, name)
        if not found or found[1] or event.fields["state"] == event.fields["next_state"] or ("id" in event.fields) == bool(name):
            return None
        return (whose(event), found[0], event.fields["next_state"])
    return key


def leaves(whose, name=None):
    """The same of the state that it leaves, or in which it is violated."""
    def key(event):
        found = monitor(event, name)
        if not found or ("id" in event.fields) == bool(name) or \
                (not found[1] and event.fields["state"] == event.fields["next_state"]):
            return None
        return (whose(event), found[0], event.fields["state"])
    return key


def state(start, end):
    return "%s %s -> %s" % (monitor(start)[0], start.fields["next_state"], end.fields.get("next_state", "violation"))


SYSCALL = Pair("syscall", part("syscalls", "sys_enter_", "", False), part("syscalls", "sys_exit_", "", False), mode="name",
               of_a_task=True,
               what=lambda start, end: start.full[len("sys_enter_"):])


def call_number(of_signal):
    """The end of rt_sigreturn, which is 15 on x86_64, has the number -1: it restores the registers."""
    def key(event):
        nr = number(event.fields["id"])
        return ("signal" if nr == of_signal else nr,)
    return key


RAW = Pair("syscall", named("raw_syscalls", "sys_enter", of_task(call_number(15))),
           named("raw_syscalls", "sys_exit", of_task(call_number(-1))), mode="name", of_a_task=True)


def wakes_idle(event):
    """An idle state ends, or in a kernel that says so here the function around it switches interrupts on."""
    return (event.system, event.full) == ("power", "cpu_idle") and event.fields["state"] in (-1, 2**32 - 1) or \
        (event.system, event.full) == ("preemptirq", "irq_enable") and not event.common_pid and \
        str(event.fields.get("caller_offs", "")).startswith(("cpuidle_enter", "arch_cpu_idle"))


def idles(event):
    """The idle task runs."""
    return (event.system, event.full) == ("power", "cpu_idle") and event.fields["state"] in (-1, 2**32 - 1) or \
        (event.system, event.full) == ("preemptirq", "irq_enable") and not event.common_pid or \
        event.name == "sched_switch" and event.pid == 0


PAIRS = [
    Pair("irq", named("irq", "irq_handler_entry", on_cpu(field("irq"))), named("irq", "irq_handler_exit", on_cpu(field("irq"))), True,
         what=lambda start, end: "irq " + start.fields.get("name", "")),
    Pair("softirq", named("irq", "softirq_entry", on_cpu(field("vec"))), named("irq", "softirq_exit", on_cpu(field("vec"))), True,
         pauses=True),
    Pair("softirq", named("irq", "tasklet_entry", on_cpu(field("tasklet"))), named("irq", "tasklet_exit", on_cpu(field("tasklet"))),
         True, pauses=True),
    Pair("softirq_raise", named("irq", "softirq_raise", on_cpu(field("vec"))), named("irq", "softirq_entry", on_cpu(field("vec"))),
         True, "first"),
    Pair("timer", named("timer", "hrtimer_expire_entry", on_cpu(field("hrtimer"))),
         named("timer", "hrtimer_expire_exit", on_cpu(field("hrtimer"))), True),
    Pair("timer", named("timer", "timer_expire_entry", on_cpu(field("timer"))),
         named("timer", "timer_expire_exit", on_cpu(field("timer"))), True, pauses=True),
    Pair("work", named("workqueue", "workqueue_execute_start", of_task(field("work"))),
         named("workqueue", "workqueue_execute_end", of_task(field("work"))), of_a_task=True),
    Pair("work_delay", named("workqueue", "workqueue_queue_work", field("work")),
         named("workqueue", "workqueue_execute_start", field("work"))),
    Pair("kthread_work", named("sched", "sched_kthread_work_execute_start", of_task(field("work"))),
         named("sched", "sched_kthread_work_execute_end", of_task(field("work"))), of_a_task=True),
    Pair("kthread_work_delay", named("sched", "sched_kthread_work_queue_work", field("work")),
         named("sched", "sched_kthread_work_execute_start", field("work"))),
    Pair("vector", part("irq_vectors", "", "_entry", True), part("irq_vectors", "", "_exit", True), True,
         what=lambda start, end: start.full[:-len("_entry")]),
    Pair("lock", named("lock", "contention_begin", of_task(field("lock_addr"))),
         named("lock", "contention_end", of_task(field("lock_addr"))), mode="first", of_a_task=True),
    Pair("irqsoff", named("preemptirq", "irq_disable", on_cpu(lambda event: ())),
         named("preemptirq", "irq_enable", on_cpu(lambda event: ())), True, drops=wakes_idle, held=0x01),
    Pair("preemptoff", named("preemptirq", "preempt_disable", on_cpu(lambda event: ())),
         named("preemptirq", "preempt_enable", on_cpu(lambda event: ())), True, drops=idles, held=sched_oracle.PREEMPT_OFF),
    Pair("marker", marker(r"B\|\d+\|.*", True), marker(r"E(\|.*)?", True), mode="nested",
         what=lambda start, end: start.fields["buf"].split("|", 2)[2]),
    Pair("marker", marker(r"S\|(\d+)\|([^|]+)\|(-?\d+)"), marker(r"F\|(\d+)\|([^|]+)\|(-?\d+)"),
         what=lambda start, end: start.fields["buf"].split("|")[2]),
    Pair("marker", marker(r"G\|(\d+)\|([^|]+)\|[^|]*\|(-?\d+)"), marker(r"H\|(\d+)\|([^|]+)(?:\|[^|]+)?\|(-?\d+)"),
         what=lambda start, end: start.fields["buf"].split("|")[3]),
    Pair("rv", enters(of_id), leaves(of_id), what=state, task=lambda start: start.fields["id"]),
    *(Pair("rv", enters(lambda event: event.cpu, name), leaves(lambda event: event.cpu, name), True, "name", what=state)
      for name in ("wip", "sco", "sts", "snep", "scpd", "opid")),
    Pair("block", blk(7), blk(8), mode="queue"),
]


class Measured:
    """Instances of one kind; keep(event): does a filter keep it?"""

    def __init__(self, buffer, names, keep=lambda event: True):
        self.buffer, self.names, self.keep = buffer, names, keep
        self.gaps = gaps_of(buffer)
        self.last = max(event.ts for event in buffer.events)

    def gap(self, start, end):
        return any(x < end and y > start for gaps in self.gaps.values() for x, y in gaps)

    def instance(self, kind, start, end, what=None, by_cpu=False, task=None):
        doubtful = not by_cpu and self.gap(start.ts, end.ts if end else self.last)
        pid = task(start) if task else start.common_pid
        return Instance(kind, start.ts, end.ts if end else None, start.cpu, pid,
                        self.names.at(pid, start.ts), doubtful, start.order,
                        what=what(start, end) if what and end else None, age=self.last - start.ts)

    def pair(self, pair):
        """(instances, open ones)"""
        stacks, found, has_ends, switched, mixed = {}, [], False, set(), set()
        for event in self.buffer.events:
            if pair.by_cpu and event.lost:
                for starts in stacks.values():
                    starts[:] = [start for start in starts if start.cpu != event.cpu]
            if pair.drops(event):
                for starts in stacks.values():
                    starts[:] = [start for start in starts if start.cpu != event.cpu]
            if pair.held:
                self.end_held(pair, event, stacks, switched)
            key = pair.end(event)
            has_ends |= key is not None
            if key is not None:
                starts = stacks.get(key[:1] if pair.mode == "name" else key, [])
                start = starts.pop(0 if pair.mode == "queue" else -1) if starts else None
                if start and pair.start(start) == key and (self.keep(start) or self.keep(event)):
                    found.append(self.instance(pair.kind, start, event, pair.what, pair.by_cpu, pair.task))
                    found[-1].doubtful |= start in mixed
                    if pair.pauses:
                        self.pause(found[-1], start, event)
            key = pair.start(event)
            if key is not None:
                starts = stacks.setdefault(key[:1] if pair.mode == "name" else key, [])
                if pair.mode in ("nested", "queue") or not starts:
                    starts.append(event)
                elif pair.mode != "first":
                    starts[:] = [event]
                elif not number(event.fields.get("lock_addr", 1)):    # hidden: it may be another lock
                    mixed.add(starts[0])
        if pair.by_cpu and not has_ends:    # not recorded, since the CPU went on
            return found, []
        opens = [start for starts in stacks.values() for start in starts if self.keep(start) and
                 not (pair.of_a_task and self.is_over(start)) and (start.common_pid or pair.kind not in ("irqsoff", "preemptoff"))]
        instances = [self.instance(pair.kind, start, None, by_cpu=pair.by_cpu, task=pair.task) for start in opens]
        for start, instance in zip(opens, instances):
            instance.doubtful |= start in mixed
        return found, instances

    @staticmethod
    def end_held(pair, event, stacks, switched):
        """The end of what is open is missing: interrupts or preemption are on again, or a second task leaves the CPU."""
        switches = event.name == "sched_switch"
        on = not event.flags & pair.held and not (pair.held == 0x01 and event.flags & 0x40)
        for starts in stacks.values():
            starts[:] = [start for start in starts if start.cpu != event.cpu or not (
                on and start.flags & pair.held or switches and start in switched)]
            switched.update(start for start in starts if switches and start.cpu == event.cpu)

    def is_over(self, start):
        """The task of a start has exited since, or its call has no end and nothing tells that it lives."""
        pid, gone, known = start.common_pid, False, False
        for event in self.buffer.events:
            if event.name != "sched_switch" or pid not in (event.pid, event.pid2) or not pid:
                gone |= event.name == "sched_process_exit" and event.pid == pid and event.order > start.order and not known
                continue
            known = True
            gone = event.pid == pid and self.buffer.kind(event.state) == "gone"
        return gone or not known and self.is_final(start)

    @staticmethod
    def is_final(start):
        return start.full in ("sys_enter_exit", "sys_enter_exit_group", "sys_enter_rt_sigreturn") or \
            start.system == "raw_syscalls" and start.fields["id"] in (15, 60, 231)

    def requests(self, kind, start_name, end_name, key):
        """Ranges of sectors: one has ended when all its sectors have, a flush when one without sectors has.  Sectors that are under way twice
        are those of the first, if it does the same.  key(event): what start and end have in common beside sectors."""
        under_way, found, again, waits, shared, mixed = [], [], [], {}, set(), set()
        unseen, late = [], set()        # sent back without having been issued before; what goes on where one of these was
        for event in self.buffer.events:
            if event.system != "block":
                continue
            first, nr = (sector(event), event.fields["nr_sector"]) if "nr_sector" in event.fields else (None, None)
            if event.full == "block_rq_requeue" and start_name == "block_rq_issue":
                again += [one for one in under_way if one[0] == key(event) and one[2] == first][-1:]
                if not any(one[0] == key(event) and one[3] & set(range(first, first + nr)) for one in under_way + unseen):
                    unseen.append((key(event), event, first, set(range(first, first + nr))))
            if event.full == start_name:
                repeated = next((one for one in again if one[0] == key(event) and one[2] == first), None)
                back = next((one for one in unseen if one[0] == key(event) and one[2] == first), None)
                if back and not repeated:
                    unseen.remove(back)
                    late.add(event)
                if repeated:
                    again = [one for one in again if one is not repeated]
                else:
                    # of one that began a second ago or more, the end was not recorded
                    before = len(under_way)
                    under_way = [one for one in under_way if one[0] != key(event) or event.ts - one[1].ts < 10**9 or work(one[1]) != work(event) or
                                 not (one[3] & set(range(first, first + nr)) or (not nr and one[2] == first and not one[1].fields["nr_sector"]))]
                    if len(under_way) < before:     # its end may still come
                        mixed.add(event)
                    for one in under_way:
                        if one[0] == key(event) and (work(one[1]) == work(event) and one[3] & set(range(first, first + nr)) or not nr and
                                                     one[2] == first and not one[1].fields["nr_sector"] and
                                                     plain(one[1]) == plain(event)):
                            shared.update((one[1], event))
                            if (one[2], one[1].fields["nr_sector"]) != (first, nr) or event in mixed:
                                mixed.update((one[1], event))
                    under_way.append((key(event), event, first, set(range(first, first + nr))))
            if event.full == "block_bio_complete" and start_name == "block_bio_queue":
                one = self.whole(under_way, key(event), event)
                if one:
                    under_way.remove(one)
                    if self.keep(one[1]) or self.keep(event):
                        found.append(self.instance(kind, one[1], event, what=request))
            if event.full == end_name:
                sectors = set(range(first, first + nr))
                unseen = [one for one in unseen if one[0] != key(event) or not one[3] <= sectors]
                for one in [one for one in under_way if one[0] == key(event) and work(one[1]) == work(event)]:
                    length, rwbs = one[1].fields["nr_sector"], event.fields["rwbs"]
                    taken, flushed = one[3] & sectors, not nr and (
                        not length and one[2] == first and plain(one[1]) == plain(event) or
                        waits.get(one[1]) == rwbs and first in (one[2], one[2] + length))
                    one[3].difference_update(taken)
                    sectors -= taken
                    if taken and one[3] and one[1] in shared:
                        mixed.add(one[1])
                    if taken and not one[3] and one[1].fields["rwbs"].count("F") > rwbs.count("F"):
                        waits[one[1]] = rwbs        # for the flush behind it
                    elif (taken and not one[3]) or flushed:
                        under_way.remove(one)
                        if self.keep(one[1]) or self.keep(event):
                            found.append(self.instance(kind, one[1], event, what=request))
                    if flushed:
                        break
        opens = [self.instance(kind, one[1], None) for one in under_way if self.keep(one[1])]
        for instance in found + opens:
            instance.doubtful |= self.buffer.events[instance.ref] in mixed or \
                instance.end is not None and self.buffer.events[instance.ref] in late
        return found, opens

    def pause(self, instance, start, end):
        """A softirq waits while another task has its task's CPU; it is not known how long if one of its kind began in that task."""
        events, away = self.buffer.cpus[start.cpu], None
        for event in events[events.index(start) + 1:events.index(end)]:
            if (event.system, event.full) == (start.system, start.full):
                instance.doubtful |= event.common_pid != start.common_pid
                away = None
            elif event.name == "sched_switch" and event.pid2 != start.common_pid:
                away = event.ts if away is None else away
            elif event.name == "sched_switch" and away is not None:
                instance.paused += max(event.ts - away, 0)
                away = None
        if instance.doubtful or end.common_pid != start.common_pid:
            instance.paused = 0

    @staticmethod
    def whole(under_way, key, event):
        """The bio that a block_bio_complete is of: both have the same last sector, if possible the same first one, too; of several the
        first.  What ends before that is a piece that was split off."""
        first, nr, best = sector(event), event.fields["nr_sector"], None
        for one in under_way:
            length, begins = one[1].fields["nr_sector"], one[2] == first
            is_flush = not length and not nr and begins and plain(one[1]) == plain(event)
            if one[0] == key and work(one[1]) == work(event) and (is_flush or length and one[2] + length == first + nr) and \
                    (best is None or begins and best[2] != first):
                best = one
        return best

    def late(self):
        """Timers: how long after their time they expired."""
        started, found, jiffies, ticks = {}, [], [], []
        for event in self.buffer.events:
            if event.system != "timer":
                continue
            if event.full == "timer_start" and number(event.fields.get("flags", 0)) & DEFERRABLE:
                continue
            if event.full in ("hrtimer_start", "timer_start"):
                started[event.full[0], event.fields["hrtimer" if event.full[0] == "h" else "timer"]] = event
            if event.full not in ("hrtimer_expire_entry", "timer_expire_entry"):
                continue
            is_hrtimer = event.full[0] == "h"
            now = number(event.fields["now"])
            if not is_hrtimer:
                ticks.append((now, event.ts))
            start = started.pop((event.full[0], event.fields["hrtimer" if is_hrtimer else "timer"]), None)
            if start is None or not (self.keep(start) or self.keep(event)):
                continue
            instance = Instance("timer_late", event.ts, event.ts, event.cpu, event.common_pid,
                                self.names.at(event.common_pid, event.ts),
                                self.gap(start.ts, event.ts), event.order)
            late = max(now - number(start.fields["expires"]), 0)
            if is_hrtimer:
                instance.start = event.ts - late
                found.append(instance)
            else:
                jiffies.append((instance, late))
        hz = self.hz(ticks)
        for instance, late in jiffies if hz else ():
            instance.start = instance.end - late * 10**9 // hz
            found.append(instance)
        return found

    @staticmethod
    def hz(ticks):
        if len(ticks) < 2 or ticks[-1][0] - ticks[0][0] < 24:
            return None
        measured = (ticks[-1][0] - ticks[0][0]) * 10**9 / (ticks[-1][1] - ticks[0][1])
        return next((hz for hz in HZ if hz * 0.92 < measured < hz * 1.08), None)

    def all(self):
        """{kind: (instances, open ones)}, without states and calls."""
        kinds = {}

        def add(kind, found, opens):
            kinds.setdefault(kind, ([], []))
            kinds[kind][0].extend(found)
            kinds[kind][1].extend(opens)
        for pair in PAIRS:
            add(pair.kind, *self.pair(pair))
        add("syscall", *self.pair(SYSCALL))
        kinds["raw"] = self.pair(RAW)
        add("block", *self.requests("block", "block_rq_issue", "block_rq_complete",
                                    lambda event: (event.fields["dev"], event.fields["rwbs"], event.fields.get("cmd"))))
        add("block_queue", self.requests("block_queue", "block_bio_queue", "block_rq_complete", lambda event: event.fields["dev"])[0], [])
        add("block_queue", self.pair(Pair("block_queue", blk(1), blk(8), mode="queue"))[0], [])
        add("timer_late", self.late(), [])
        return kinds


# --- all kinds ------------------------------------------------------------------------------------
def measure(found, keep=None, sched_keep=None):
    """{kind: (instances in the order of the command, open ones)} of all buffers of a file."""
    kinds, had_sched = {}, False
    names = Names(found) if found else None
    has_switches = any(event.name == "sched_switch" for buffer in found for event in buffer.events)
    for buffer in found:
        parts = Measured(buffer, names, keep or (lambda event: True)).all()
        if not had_sched:
            states = States(buffer, names, sched_keep).instances
            for kind in ("wakeup", "preempted", "blocked", "sleep"):
                parts[kind] = ([i for i in states if i.kind == kind and i.end is not None],
                               [i for i in states if i.kind == kind and i.end is None and has_switches])
        had_sched |= any(event.any for event in buffer.events)
        for kind, (ended, opens) in parts.items():
            kinds.setdefault(kind, ([], []))
            kinds[kind][0].extend(ended)
            kinds[kind][1].extend(opens)
    raw = kinds.pop("raw", ([], []))
    if len(raw[0]) > 2 * len(kinds.get("syscall", ([],))[0]):
        kinds["syscall"] = raw
    for ended, opens in kinds.values():
        ended.sort(key=lambda i: (-i.duration(), i.start, i.cpu))
        opens.sort(key=lambda i: (i.start, -1 if i.cpu is None else i.cpu))
    return kinds


def sums(ended, opens):
    """The line of a kind, without its name."""
    sure = sorted(i.duration() for i in ended if not i.doubtful and not i.late)
    n = len(sure)
    line = [n, len(opens), len(ended) - n]
    if not n:
        return [str(value) for value in line] + [""] * 8

    def rank(permille):
        return sure[(permille * n + 999) // 1000 - 1]
    line += [sure[0], sum(sure) // n, rank(500), rank(950), rank(990), rank(999), sure[-1], sum(sure)]
    return [str(value) for value in line]
