# SPDX-License-Identifier: GPL-2.0-or-later
"""Who ran, waited and slept, worked out from the plain list of a buffer's events.

Slow and simple, rule by rule as the definitions of the numbers have them, and without a line of the program's code:
what sched.py compares its tasks, wake-ups and intervals with.
"""
import bisect
import itertools
import json
import re
import subprocess


class Event:
    """One record: what is not told stays None."""
    __slots__ = ("ts", "key", "cpu", "lost", "name", "common_pid", "pid", "comm", "pid2", "comm2", "state", "target",
                 "any", "line", "prio", "prio2", "success", "values", "flags", "suspends")

    def __init__(self, ts, cpu, lost, name, common_pid):
        self.ts, self.cpu, self.lost, self.name, self.common_pid = ts, cpu, lost, name, common_pid
        self.key = self.pid = self.comm = self.pid2 = self.comm2 = self.state = self.target = None
        self.line = self.prio = self.prio2 = self.success = None
        self.suspends = None            # a suspend_resume: whether it begins
        self.flags = 0                  # of the common ones, those of interrupts
        self.values = {}                # by name: what a filter can ask of it


class Buffer:
    """Events of all CPUs, with what is known besides."""

    def __init__(self, events, letters, plus, saved):
        self.letters, self.plus, self.saved = letters, plus, saved
        self.has_server = True          # the kernel may have the fair server
        self.own = None                 # see own_softirqs(), which needs the flags
        self.cpus = {}
        for event in events:
            self.cpus.setdefault(event.cpu, []).append(event)
        self.events = []
        for cpu, list_ in self.cpus.items():
            key = None
            for position, event in enumerate(list_):
                key = event.ts if key is None else max(key, event.ts)
                event.key = (key, cpu, position)
        self.nr_cpus = len(self.cpus)   # or more: some have no record
        self.events = sorted((event for list_ in self.cpus.values() for event in list_), key=lambda event: event.key)

    def absences(self):
        """(from, to, name) between two records of any CPUs: nothing could be recorded on any."""
        found = []
        pairs = [{event.pid, event.pid2} - {0} for event in self.events if event.name == "sched_switch"]
        infers = any(not pairs[0] & pair for pair in pairs) and self.nr_cpus < 2 * len(self.cpus)
        times = sorted({event.key[0] for event in self.events})
        suspends = {}                   # ts -> it begins, or ends
        for event in self.events:
            if event.suspends is not None:
                suspends.setdefault(event.ts, set()).add(event.suspends)
        for start, end in zip(times, times[1:]):
            if end - start > 100_000_000 and True in suspends.get(start, ()) and False in suspends.get(end, ()):
                found.append((start, end, "suspended"))
            elif end - start > 2_000_000_000 and infers:
                found.append((start, end, "~tracing off"))
        return found

    def told(self, state):
        """The letters of a prev_state."""
        # Linux 4.14 to 4.19 recorded the number of one bit instead of a mask.
        if len(self.letters) == 8 and self.letters[7] == (0x80, "I") and state < 8 and state & (state - 1):
            state = 1 << (state - 1)
        return {letter for bit, letter in self.letters if bit and state & bit == bit}

    def kind(self, state):
        """Where a task goes that leaves the CPU with this prev_state."""
        if state == 0 or (self.plus and state & self.plus):
            return "preempted"
        told = self.told(state)
        if "D" in told:
            return "blocked"
        if told & set("XZx"):
            return "gone"
        return "sleep"


# --- lists of events ---------------------------------------------------------
WAKES = ("sched_waking", "sched_wakeup", "sched_wakeup_new")
BIRTHS = ("sched_process_fork", "task_newtask")
YIELDS = ("sys_enter_sched_yield", "sys_exit_sched_yield")
LIVES = {"sched_process_fork": "child_pid", "task_newtask": "pid", "sched_process_exit": "pid"}     # and the field


def from_list(path):
    """A list of tests/tools/make_sched_trace."""
    letters, plus, events = [], 0, []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line == "events\n":
                break
            bit, letter = line.split()
            if letter == "+":
                plus = int(bit)
            else:
                letters.append((int(bit), letter))
        for line in file:
            word = line.split()
            event = Event(int(word[1]), int(word[0]), word[2] == "1", word[3], int(word[4]))
            event.flags, event.any = int(word[5]), word[3].startswith("sched_")
            if event.name == "sched_switch":
                event.pid, event.comm, event.pid2, event.comm2 = int(word[6]), word[7], int(word[9]), word[10]
                event.prio, event.prio2, event.state = int(word[8]), int(word[11]), int(word[12])
            elif event.name in WAKES or event.name == "sched_migrate_task":
                event.pid, event.comm, event.prio, event.target = int(word[6]), word[7], int(word[8]), int(word[13])
            event.values["number"] = int(word[12])      # of an interrupt
            events.append(event)
    return Buffer(events, letters, plus, {1001: "saved", 100: "never"})


def print_format(trace_cmd, path):
    """(letters, bit of "+") out of the print format of sched_switch."""
    text = subprocess.run([trace_cmd, "dump", "--events", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    found = re.search(r"name: sched_switch\n.*?print fmt: (.*?)\n", text, re.S)
    if not found:
        return [], 0
    text = found.group(1)
    letters = [(int(bit, 0), letter) for bit, letter in re.findall(r'\{ *(0x[0-9a-f]+|\d+), *"(\w)" *\}', text)]
    found = re.search(r'REC->prev_state & ([^?:]*) \? "\+"', text)
    # A constant expression: numbers, brackets, + - | <<.
    plus = found.group(1) if found else "0"
    assert re.fullmatch(r"[0-9a-fx()|+\-< ]*", plus)
    return letters, eval(plus)          # pylint: disable=eval-used


def saved_names(trace_cmd, path):
    text = subprocess.run([trace_cmd, "dump", "--cmd-lines", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    return {int(pid): name for pid, name in re.findall(r"^\s*(\d+) (.+)$", text, re.M)}


def from_json(lines, names, trace_cmd, path):
    """The lines of report --format=json; the first buffer that has sched events, of all by their names in the file's order.

    None where trace-cmd cannot tell the print format.
    """
    letters, plus = print_format(trace_cmd, path)
    buffer = from_lines(lines, names, letters, plus, saved_names(trace_cmd, path)) if letters else None
    with open(path, "rb") as file:
        release = re.search(rb"Linux \S+ (\d+)\.(\d+)", file.read())
    if buffer and release:
        buffer.has_server = (int(release[1]), int(release[2])) >= (6, 8)
    return buffer


def from_lines(lines, names, letters, plus, saved):
    buffers = {}
    lost = set()
    for line in lines:
        row = json.loads(line)
        key = row.get("instance", "")
        if "lost" in row:
            lost.add((key, row["cpu"]))
            continue
        event = Event(row["ts_ns"] if "ts_ns" in row else row["ts"], row["cpu"], (key, row["cpu"]) in lost,
                      row["event"] if row["system"] == "sched" else "", row["pid"])
        event.any = row["system"] == "sched"
        event.line = line
        lost.discard((key, row["cpu"]))
        fields = row["fields"]
        if event.name == "sched_switch":
            event.pid, event.comm = fields["prev_pid"], fields["prev_comm"]
            event.pid2, event.comm2, event.state = fields["next_pid"], fields["next_comm"], fields["prev_state"]
            event.prio, event.prio2 = fields["prev_prio"], fields["next_prio"]
        elif row["event"] in LIVES:
            event.name, event.pid = row["event"], fields[LIVES[row["event"]]]
        elif event.name in WAKES or event.name == "sched_migrate_task":
            event.pid, event.comm, event.prio = fields["pid"], fields["comm"], fields.get("prio")
            event.target = fields.get("dest_cpu", fields.get("target_cpu", fields.get("cpu")))
            event.success = fields.get("success")
        elif row["system"] == "syscalls" and row["event"] in YIELDS:
            event.name = row["event"]
        elif row["event"] == "suspend_resume":
            event.suspends = fields["start"] in ("begin", 1, True)
        if event.name != "sched_switch" and "prio" in fields:
            event.values["prio"] = fields["prio"]       # the event's own field goes first
        buffers.setdefault(key, []).append(event)
    for name in names:
        if any(event.any for event in buffers.get(name, [])):
            return Buffer(buffers[name], letters, plus, saved)
    return None


# --- softirqs of the network -----------------------------------------------------
def own_softirqs(buffer):
    """Wake-ups by a softirq of the network that the task itself raised which ran: they are that task's.

    Only its softirq_raise records came since that softirq began last, none of them in an interrupt, and no interrupt began since.
    """
    found = set()
    for list_ in buffer.cpus.values() if any(event.line and "softirq_raise" in event.line for event in buffer.events) else ():
        raised, inside = {2: {"?"}, 3: {"?"}}, []       # who raised it; softirqs: (is it its task's own, flags)
        for event in list_:
            row = json.loads(event.line) if event.line else {"event": event.name, "system": "irq", "fields": {}}
            name, vec = row["event"], row["fields"].get("vec", event.values.get("number"))
            if event.lost:
                raised, inside = {2: {"?"}, 3: {"?"}}, []
            while inside and inside[-1][1] & ~event.flags:
                inside.pop()
            if name == "sched_switch":
                inside = []
            elif name == "softirq_raise" and vec in raised:
                own = inside and inside[-1][0]
                raised[vec].add("?" if event.flags & 0x48 or event.flags & 0x10 and not own else event.common_pid or "?")
            elif name == "softirq_entry":
                inside.append((vec in raised and raised[vec] == {event.common_pid}, event.flags & 0x58))
                raised.update({vec: set()} if vec in raised else {})
            elif name == "softirq_exit":
                inside[-1:] = []
            elif name == "irq_handler_entry" or row["system"] == "irq_vectors" and name.endswith("_entry"):
                for by in raised.values():
                    by.update("?" if by else "")
            if event.name in WAKES and event.flags & 0x58 == 0x10 and inside and inside[-1][0]:
                found.add(event)
    return found


# --- the rules ------------------------------------------------------------------
class Task:
    def __init__(self, pid, born):
        self.pid, self.born = pid, born
        self.state, self.since, self.cpu, self.cut = "unknown", None, None, False
        self.last_cpu = self.last_switch_cpu = self.wake = self.cause = None
        self.last_switch_ts = float("-inf")
        self.ended = False              # it has exited, and has not run since
        self.elsewhere = False          # it was put on a CPU without records, or was last seen there
        self.throttled = 0
        self.limit = None               # (since, why) it waits, and not for others
        self.stopped = False            # by a signal or a tracer, when it left its CPU last
        self.unforced = False           # it left its CPU in R, and was not preempted
        self.late = False               # it waits since a sched_wakeup whose sched_waking may be lost
        self.prio = None
        self.sums = dict.fromkeys(("run", "run_cut", "wait", "sleep", "blocked", "doubtful"), 0)
        self.switches = self.preemptions = self.wakeups = self.migrations = self.moves = 0
        self.longest = ""               # of no wake-up
        self.longest_at = None          # the switch that ended the longest wake-up
        self.listed, self.names = False, []


class Wake:
    def __init__(self, event, task):
        self.event, self.task = event, task
        self.woken = event.name != "sched_waking"       # it has had a sched_wakeup
        self.is_first = task.last_cpu is None and not task.elsewhere    # nothing tells of its CPU but this
        self.run_ts = self.cpu = self.doubtful = None
        self.waker = self.waker_comm = None


class Keep:
    """A filter, by what it says of an event as one of a task: @holds(event, pid)."""

    def __init__(self, holds, of_coming=False, of_leaving=False):
        """@of_coming: it asks for wait or wakelat; @of_leaving: for ran or state."""
        self.holds, self.of_coming, self.of_leaving = holds, of_coming, of_leaving

    def its(self, event):
        """Does the event count for the task that ran?"""
        if self.of_coming and not (self.of_leaving and event.name == "sched_switch"):
            return False
        return self.holds(event, event.common_pid)

    def other(self, event):
        """And for the one that comes, is woken or migrates?"""
        if event.name == "sched_switch":
            return (self.of_coming or not self.of_leaving) and self.holds(event, event.pid2)
        return self.holds(event, event.pid)

    def rows(self, events):
        """Tasks that an event that matches is of."""
        return {event.common_pid if not self.of_coming or event.name not in ("sched_switch",) + WAKES else
                event.pid2 if event.name == "sched_switch" else event.pid
                for event in events if self.holds(event, event.common_pid)}


PREEMPT_OFF = 0x100     # common_preempt_count, beside the common flags
INTERRUPTS = ((0x40, "NMI"), (0x08, "hard irq"), (0x10, "softirq"))

COLUMN = {"waiting": "wait", "preempted": "wait", "sleep": "sleep", "blocked": "blocked"}


class Oracle:
    def __init__(self, buffer, only=None, keep=None):
        """@only: a set of CPUs: sums are of what happens there; @keep: a Keep: of what it keeps."""
        self.buffer, self.only, self.keep = buffer, only, keep
        self.tasks, self.wakes = {}, []     # by pid: the last task that had it
        self.all, self.ts = [], None
        self.intervals = []
        self.stays = []                 # (task, state, length) of those with both ends recorded
        self.waits = []                 # (state, pid, who caused it, from, to, doubtful): those that ended with a run and count
        self.left = {}                  # sched_switch -> the task that left
        self.switches = []              # (ts, task, CPU) of who left and of who came
        self.cpus = {}                  # cpu -> [state, pid, since]: what is on it
        self.yields = {}                # cpu -> the pid that is in sched_yield
        if buffer.own is None:
            buffer.own = own_softirqs(buffer)
        self.by_stopper = set()         # wake-ups by a task of priority 0, which the stopper has
        self.cpu_intervals = []         # (cpu, state, pid, from, to)
        self.stretches = {}             # event -> (end of the stretch before or None, pid of its first switch or None)
        self.gaps = {}                  # cpu -> [(from, to)]
        self.only_switches = set()      # those where only a switch is missing
        self.has_waking = any(event.name == "sched_waking" for event in buffer.events)
        self.has_wakes = any(event.name in ("sched_waking", "sched_wakeup", "sched_wakeup_new") and event.success != 0
                             for event in buffer.events)
        self.lacks_since = float("inf") # when a task was put on a CPU that has no record
        self.missing = {}               # event -> (ts of the record before, pid): the switch to that task is missing
        self.came = {}                  # event -> pid: that task runs since; the switch to it may be among lost events
        self.absences = buffer.absences()
        self.left_out = list(self.absences)     # that were not told yet
        self.behind = []                # (key, CPU, event, pid): a stretch that begins behind one
        self.find_stretches()
        for cpu in buffer.cpus:
            self.find_missing(cpu)
        for number, event in enumerate(buffer.events):
            self.take(event, number)
        self.end()

    def task(self, pid):
        if pid not in self.tasks:
            self.tasks[pid] = Task(pid, self.ts)
            self.all.append(self.tasks[pid])
        return self.tasks[pid]

    def life(self, pid, ts):
        """The last task with the pid that is known by then, else the first one; None: there is none."""
        lives = [task for task in self.all if task.pid == pid]
        return next((task for task in reversed(lives) if task.born <= ts), lives[0] if lives else None)

    # Who is born with the pid of a task that has exited is another task.
    def birth(self, event):
        former = self.tasks.get(event.pid)
        if former and (former.ended or former.state not in ("running", "unknown") or
                       former.state == "unknown" and former.last_switch_cpu is not None):
            self.wait_lost(former, None)
            if former.state != "gone":
                self.become(former, "gone", event.ts)
            former.last_cpu = None
            del self.tasks[event.pid]
        self.task(event.pid)

    def pid_is_its(self, task):
        """The first and the last moment at which the pid is this task's."""
        births = [one.born for one in self.all if one.pid == task.pid]
        at = births.index(task.born)
        return births[at] if at else -float("inf"), births[at + 1] - 1 if births[at + 1:] else float("inf")

    def find_stretches(self):
        first_ts = self.first_ts = min((event.ts for event in self.buffer.events), default=None)
        for cpu, list_ in self.buffer.cpus.items():
            self.gaps[cpu] = [(list_[i - 1].ts if i else first_ts, event.ts) for i, event in enumerate(list_) if event.lost]
            absent = {i: end for i in range(1, len(list_)) for start, end, _ in self.absences
                      if not list_[i].lost and list_[i - 1].ts <= start and end <= list_[i].ts}
            begins = [i for i, event in enumerate(list_) if i == 0 or event.lost or i in absent]
            for n, i in enumerate(begins):
                upto = begins[n + 1] if n + 1 < len(begins) else len(list_)
                first = self.find_first(list_[i:upto], list_[i].lost)
                if i in absent:
                    self.behind.append((absent[i], cpu, list_[i], first))
                else:
                    self.stretches[list_[i]] = (list_[i - 1].ts if i else None, first)
        self.behind.sort(key=lambda one: one[:2])

    # Who runs when a stretch begins: the task that its first switch leaves, unless others have records before that.
    def find_first(self, stretch, lost):
        switch = next((event for event in stretch if event.name == "sched_switch"), None)
        if switch is None:
            return None
        if switch.common_pid not in (-1, switch.pid):
            return switch.pid           # records do not tell who runs
        # a task that leaves makes no sched events, but others
        on, is_lost, before = None, lost or not stretch[0].any, None
        for event in stretch[:stretch.index(switch) + 1]:
            pid = switch.pid if event is switch else event.common_pid
            if pid >= 0 and on not in (None, pid):
                if not is_lost:
                    self.missing[event] = before, pid
                    self.lacks_switch(event.cpu, before, event.ts)
                else:
                    self.came[event] = pid
                is_lost = False
            on = pid if pid >= 0 else on
            before = event.ts
        others = any(event.common_pid not in (-1, switch.pid) for event in stretch[:stretch.index(switch)])
        return None if others else switch.pid

    # Nothing was recorded: of each CPU, unless it has lost events, and its next record comes behind those.
    def be_absent(self, start, end):
        for cpu, list_ in self.buffer.cpus.items():
            following = next((event for event in list_ if event.key[0] >= end), None)
            if list_[0].key[0] >= end:
                continue
            if following and following.lost:
                self.lose(cpu, list_[list_.index(following) - 1].ts)
                continue
            self.gaps[cpu].append((start, end))
            self.lose(cpu, start)
            self.cpu_becomes(cpu, start, "lost")
            self.cpu_becomes(cpu, end, "unknown")
        begun = [cpu for cpu, list_ in self.buffer.cpus.items() if list_[0].key[0] < end]
        for cpu in {task.last_cpu for task in self.all} - set(begun):
            self.lose(cpu, start)

    # What begins, or is lost, before this event without an event of its own.
    def come_to(self, key):
        while self.left_out and self.left_out[0][1] <= key[0]:
            self.be_absent(*self.left_out.pop(0)[:2])
        while self.behind and self.behind[0][:2] <= key[:2]:
            ts, cpu, _, pid = self.behind.pop(0)
            self.cpu_becomes(cpu, ts, "unknown" if pid is None or pid < 0 else "run" if pid else "idle", pid)
            if pid is not None and pid > 0:
                self.ts = ts
                self.begin(ts, cpu, pid)

    # Rule 7, from a stretch's first switch on; up to it: find_first().
    def find_missing(self, cpu):
        on = left = before = None       # None: not known
        for event in self.buffer.cpus[cpu]:
            switches, pid = event.name == "sched_switch", event.common_pid
            if event.lost or any(event is one for _, _, one, _ in self.behind):
                on = None
            if switches and pid < 0:
                pid = event.pid
            sure = on is not None and pid >= 0 and not (switches and pid != event.pid)
            if sure and pid != on and (switches or pid != left):
                self.missing[event] = before, pid
                self.lacks_switch(cpu, before, event.ts)
            if sure and (pid == on or event in self.missing):
                on, left = pid, None
            if switches:
                on, left = event.pid2 if pid == event.pid else None, event.pid
            before = event.ts

    def lacks_switch(self, cpu, start, end):
        self.gaps[cpu].append((start, end))
        self.only_switches.add((cpu, start, end))

    def all_gaps(self):
        return itertools.chain.from_iterable(self.gaps.values())

    def has_gap(self, start, end):
        return end >= self.lacks_since or any(x < end and y > start for x, y in self.all_gaps())

    def has_loss(self, start, end):
        """Of more than a switch: a wake-up may be among it."""
        return end >= self.lacks_since or any(x < end and y > start for cpu, gaps in self.gaps.items() for x, y in gaps
                                              if (cpu, x, y) not in self.only_switches)

    def is_asked(self, cpu):
        return self.only is None or cpu in self.only

    def its(self, event):
        return self.keep is None or self.keep.its(event)

    def other(self, event):
        return self.keep is None or self.keep.other(event)

    # An interval ends, and counts; cpu: where a wait leads to; kept: by a filter, None: no event ends it.
    def add(self, task, until, cpu, cut=False, kept=None, doubtful=False):
        if task.state in ("unknown", "gone") or not (self.keep is None or kept):
            return
        if not self.is_asked(task.cpu if task.state == "running" else
                             task.last_switch_cpu if task.state in ("sleep", "blocked") else cpu):
            return
        length = until - task.since
        if doubtful:
            task.sums["doubtful"] += length
        if task.state == "running":
            task.sums["run_cut" if task.cut or cut else "run"] += length
        else:
            task.sums[COLUMN[task.state]] += length
        if task.state == "preempted" and task.limit and task.limit[1] == "throttled":
            task.throttled += until - task.limit[0]     # no timers are made up that end it earlier
        if not cut and not task.cut and not doubtful:
            self.stays.append((task, task.state, max(length, 0)))
        self.intervals.append((task, task.state, task.since, until, task.cpu if task.state == "running" else None,
                               int(doubtful)))

    @staticmethod
    def become(task, state, ts, cpu=None, cut=False):
        task.state, task.since, task.cpu, task.cut, task.late = state, ts, cpu, cut, False

    # Rule 6.  is_in: a switch-in ends the state; or no wake-up was recorded, which could have ended it
    def is_doubtful(self, task, until, is_in=False):
        if task.state not in COLUMN:
            return False
        return (is_in and task.state in ("sleep", "blocked")) or task.late or \
            (task.state in ("waiting", "preempted") and task.elsewhere) or \
            (self.has_loss if task.state in ("sleep", "blocked") else self.has_gap)(task.since, until)

    def take(self, event, number):
        self.come_to(event.key)
        self.ts = event.ts
        if event in self.stretches:
            end, first = self.stretches[event]
            if end is not None:
                self.lose(event.cpu, end)
                self.cpu_becomes(event.cpu, end, "lost")
            elif event.lost and self.first_ts < event.ts:
                self.cpu_becomes(event.cpu, self.first_ts, "lost")
            self.cpu_becomes(event.cpu, event.ts, "unknown" if first is None or first < 0 else "run" if first else "idle", first)
            if first is not None and first > 0:
                self.begin(event.ts, event.cpu, first)
        if event in self.missing or event in self.came:
            before, pid = self.missing.get(event, (None, self.came.get(event)))
            for former in self.all:
                if former.state == "running" and former.cpu == event.cpu and former.pid != pid:
                    former.wake = None
                    self.become(former, "unknown", event.ts)
            if before is not None:
                self.cpu_becomes(event.cpu, before, "lost")
            self.cpu_becomes(event.cpu, event.ts, "run" if pid else "idle", pid)
            if pid:
                self.begin(event.ts, event.cpu, pid)
        if event.pid is not None and event.pid > 0 and (
                event.name in BIRTHS or event.name == "sched_wakeup_new" and event.success != 0):
            self.birth(event)
        if event.name == "sched_process_exit" and event.pid > 0:
            self.task(event.pid).ended = True
        if event in self.stretches or event in self.missing or event in self.came:
            self.yields[event.cpu] = None
        if event.name in YIELDS:
            self.yields[event.cpu] = event.common_pid if event.name == YIELDS[0] else None
        if event.name == "sched_switch":
            self.switch(event, number)
            self.yields[event.cpu] = None
        elif event.name in WAKES:
            self.wake(event, number)
        elif event.name == "sched_migrate_task" and event.pid > 0:
            self.see_target(event)
            task = self.task(event.pid)
            task.listed = True
            self.see_name(task, number, event.comm, event.ts)
            task.prio = event.prio
            task.last_cpu = event.target
            task.elsewhere = event.target not in self.buffer.cpus
            task.migrations += self.is_asked(event.target) and self.other(event)

    # Who sleeps does not rename itself: another task may have that pid by now.
    def see_name(self, task, number, comm, ts):
        if task.state in ("sleep", "blocked") and task.names and task.names[-1][1] != comm:
            self.become(task, "unknown", ts)
        task.names.append((number, comm))

    # What is on a CPU is another: the interval before counts, or was none.
    def cpu_becomes(self, cpu, ts, state, pid=None, true=True):
        before = self.cpus.get(cpu)
        if before:
            self.cpu_intervals.append((cpu, before[0] if true else "unknown", before[1] if true else None, before[2], ts))
        self.cpus[cpu] = (state, pid if state == "run" else None, ts)

    # Nothing tells how long a wait lasted that ends here: who caused it is known all the same.
    def wait_lost(self, task, cpu):
        if task.state in ("waiting", "preempted") and self.is_asked(cpu) and self.keep is None:
            self.waits.append((task.state, task, task.cause, task.since, None, True))

    # Rule 1
    def begin(self, ts, cpu, pid):
        task = self.task(pid)
        self.wait_lost(task, cpu)
        task.listed = True
        task.wake = None
        task.ended = False
        self.become(task, "running", ts, cpu, True)
        task.last_cpu = cpu
        task.elsewhere = False

    # Rule 4
    def lose(self, cpu, end):
        for task in self.all:
            if task.state == "unknown" or task.last_cpu != cpu:
                continue
            if task.since <= end:
                self.add(task, end, cpu, True, doubtful=self.is_doubtful(task, end))
            self.wait_lost(task, cpu)
            task.wake = None
            self.become(task, "unknown", None)

    # Rule 2
    def switch(self, event, number):
        cpu, ts = event.cpu, event.ts
        was = self.cpus.get(cpu)
        if event.pid > 0:
            true = event.pid in self.tasks and self.tasks[event.pid].state == "running" and \
                self.tasks[event.pid].cpu == cpu and was[1] == event.pid
        else:
            true = was[0] == "idle"
        self.cpu_becomes(cpu, ts, "run" if event.pid2 > 0 else "idle", event.pid2, true)
        for task in self.all:
            if task.state == "preempted" and task.last_cpu == cpu and task.pid not in (event.pid, event.pid2) and not task.limit and \
                    not self.has_gap(task.since, ts):
                reason = self.goes_before(task.prio, event, self.buffer.has_server)
                if reason:
                    self.be_passed(task, ts, reason)
        if event.pid > 0:
            prev = self.left[event] = self.task(event.pid)
            prev.listed = True
            prev.names.append((number, event.comm))
            prev.prio = event.prio
            if prev.state == "running" and prev.cpu == cpu:
                self.add(prev, ts, cpu, kept=self.its(event))
                if not prev.cut:
                    event.values["ran"] = ts - prev.since
            self.wait_lost(prev, cpu)
            prev.wake = None
            kind = event.values["state"] = self.buffer.kind(event.state)
            prev.stopped = kind == "sleep" and self.buffer.told(event.state) in ({"T"}, {"t"})
            counts = self.is_asked(cpu) and self.its(event)
            reason = self.not_preempted(event) if kind == "preempted" else None
            prev.preemptions += kind == "preempted" and counts and not reason
            prev.unforced = bool(self.buffer.plus) and event.state == 0
            prev.switches += counts
            prev.last_cpu = prev.last_switch_cpu = cpu
            prev.last_switch_ts = ts
            self.switches.append((ts, prev, cpu))
            prev.elsewhere = False
            prev.cause = (None, reason) if reason else (self.cause(event.pid2), "")
            self.become(prev, kind, ts)
            prev.limit = (ts, reason) if reason else None
            prev.ended |= kind == "gone"
        for task in self.all:
            if task.pid != event.pid and task.state == "running" and task.cpu == cpu:
                self.become(task, "unknown", None)
        if event.pid2 > 0:
            following = self.task(event.pid2)
            following.listed = True
            self.see_name(following, number, event.comm2, ts)
            following.prio = event.prio2
            counts = self.is_asked(cpu) and self.other(event)
            doubtful = self.is_doubtful(following, ts, True)
            if following.state in COLUMN:
                self.add(following, ts, cpu, kept=counts, doubtful=doubtful)
            if following.state in ("waiting", "preempted") and not doubtful:
                event.values["wait"] = ts - following.since
            if following.state in ("waiting", "preempted") and counts:
                self.waits.append((following.state, following, following.cause, following.since, ts, doubtful))
            if following.wake:
                following.wake.run_ts, following.wake.cpu, following.wake.doubtful = ts, cpu, doubtful
                late = self.is_late(following.wake.event)
                if not doubtful:
                    event.values["wakelat"] = following.wake.event.values["wakelat"] = ts - following.wake.event.ts
                if counts and not doubtful and not late:
                    following.longest = following.longest or 0
                if counts and not doubtful and not late and ts - following.wake.event.ts > following.longest:
                    following.longest, following.longest_at = ts - following.wake.event.ts, event
                following.wake = None
            if following.last_switch_cpu not in (None, cpu):
                following.moves += counts
            following.last_cpu = following.last_switch_cpu = cpu
            following.last_switch_ts = ts
            self.switches.append((ts, following, cpu))
            following.elsewhere = following.ended = False
            self.become(following, "running", ts, cpu)

    def be_passed(self, task, ts, reason):
        """It waits behind others of its class or above, and somebody of a lower one comes: a deadline is used up by who runs alone."""
        task.limit = task.since if task.prio < 0 else ts, reason

    @staticmethod
    def goes_before(prio, event, has_server):
        """Why a task of this priority in R does not run instead of who comes: that one may not go before it."""
        rank = [0 if one < 0 else 1 if one < 100 else 2 for one in (prio, event.prio2)]
        if event.pid2 <= 0:
            rank[1] = 3
        if rank[0] == 0 and event.pid2 > 0 and event.prio2 == 0:
            rank[1] = 0                 # maybe of the stop class
        if rank[0] < 2 and rank[1] > rank[0]:
            is_nice = has_server and event.pid2 > 0 and event.prio2 >= 100
            return ("budget", "real-time")[rank[0]] + " or server" if is_nice else "throttled"
        return None

    def not_preempted(self, event):
        """Why nobody preempted a task that leaves its CPU in R: who comes may not go before it, or it gave the CPU away."""
        if event.state == 0 and self.yields.get(event.cpu) == event.pid:
            return "throttled" if event.prio < 0 or self.goes_before(event.prio, event, False) else "sched_yield"
        return self.goes_before(event.prio, event, self.buffer.has_server)

    # Who took the CPU, or woke a task: a pid that is no task's, or (pid, which of its tasks).
    def cause(self, pid):
        return (pid, self.all.index(self.task(pid)) if pid > 0 else 0)

    def hides_waker(self, event):
        """A sched_wakeup alone, where the task is to run: another CPU may have had this one do it.

        It does that in an interrupt, as it idles, or as the stopper, of priority 0, makes a task migrate.
        """
        return event.name == "sched_wakeup" and event.target in (None, event.cpu) and (
            event.flags & 0x48 != 0 or not event.flags & 0x10 and (event.common_pid <= 0 or event in self.by_stopper))

    def is_late(self, event):
        """Its sched_waking is missing, of which others are recorded: the task waited before, and is in no maximum."""
        return event.name == "sched_wakeup" and self.has_waking

    # Rule 3
    def see_target(self, event):
        if event.target not in self.buffer.cpus:
            self.lacks_since = min(self.lacks_since, event.ts)

    def wake(self, event, number):
        if event.pid <= 0:
            return
        task = self.task(event.pid)
        task.listed = True
        self.see_name(task, number, event.comm, event.ts)
        task.prio = event.prio
        if event.success == 0:
            return
        if event.name != "sched_waking" and task.state != "running" and event.target is not None:
            task.last_cpu = event.target
            task.elsewhere = event.target not in self.buffer.cpus
            self.see_target(event)
        if task.state == "running" or task.state == "preempted" and (not task.unforced or self.has_gap(task.since, event.ts)):
            return
        if task.state == "waiting":
            if event.name != "sched_waking" and not task.wake.woken:
                task.wake.woken = True
                return
            self.wait_lost(task, event.cpu)
            late = event.name == "sched_wakeup" and self.has_waking
        else:
            doubtful = task.state == "preempted" or self.is_doubtful(task, event.ts)
            self.wait_lost(task, event.cpu)
            late = event.name == "sched_wakeup" and self.has_waking and (
                task.state == "unknown" and (event.ts >= self.lacks_since or any(x < event.ts for x, _ in self.all_gaps())) or
                task.state in ("sleep", "blocked") and doubtful)
            self.add(task, event.ts, task.last_cpu if task.state == "preempted" else event.cpu, kept=self.other(event), doubtful=doubtful)
            if task.state != "unknown" and not doubtful:
                event.values["state"] = task.state
        task.wakeups += self.is_asked(event.cpu) and self.other(event)
        by = self.tasks.get(event.common_pid)
        if by and by.last_switch_cpu is not None and by.prio == 0:
            self.by_stopper.add(event)
        task.cause = (None, "not known") if self.hides_waker(event) else next(
            ((None, name) for bit, name in INTERRUPTS if event.flags & bit and event not in self.buffer.own), (self.cause(event.common_pid), ""))
        task.wake = Wake(event, task)
        self.wakes.append(task.wake)
        if event.common_pid > 0:
            waker = task.wake.waker = self.task(event.common_pid)
            task.wake.waker_comm = waker.names[-1][1] if waker.names else None
        self.become(task, "waiting", event.ts)
        task.late = late
        if event.name == "sched_waking" and event.target is not None:
            task.elsewhere = event.target not in self.buffer.cpus

    # Rule 5
    def end(self):
        if not self.buffer.events:
            return
        last = max(event.ts for event in self.buffer.events)
        migrations = any(event.name == "sched_migrate_task" for event in self.buffer.events)
        for cpu, (state, pid, since) in self.cpus.items():
            self.cpu_intervals.append((cpu, state, pid, since, max(since, last)))
        for task in self.all:
            self.add(task, last, task.last_cpu, True, doubtful=self.is_doubtful(task, last, not self.has_wakes))
            if not migrations:
                task.migrations = task.moves

    # --- what a filter can ask
    def find_prios(self):
        """The priority of each event's task: the last that a switch told by then, else the first."""
        told = {}
        for event in self.buffer.events:
            event.values["task"] = event.pid if event.name in WAKES else event.pid2 if event.name == "sched_switch" else event.common_pid
            if event.name == "sched_switch":
                event.values["prio"] = event.prio2
                for pid, prio in ((event.pid, event.prio), (event.pid2, event.prio2)):
                    told.setdefault(pid, []).append((event.ts, prio))
        for known in told.values():
            known.sort(key=lambda one: one[0])
        times = {pid: [ts for ts, _ in known] for pid, known in told.items()}
        for event in self.buffer.events:
            known = told.get(event.common_pid)
            if "prio" not in event.values and known:
                event.values["prio"] = known[max(0, bisect.bisect_right(times[event.common_pid], event.ts) - 1)][1]

    # --- what the program prints -----------------------------------------------
    def name(self, pid, known=None, first=False, task=None):
        if pid == 0:
            return "<idle>"
        task = task or self.tasks.get(pid)
        if known is not None:
            return known
        if task and task.names:
            return task.names[0 if first else -1][1]
        return self.buffer.saved.get(pid, "<...>")

    def listed(self):
        """The tasks that have a row, in the order of these."""
        def any_of(task):
            return any(value for name, value in task.sums.items() if name != "doubtful") or task.switches or task.wakeups or task.migrations

        matching = self.keep.rows(self.buffer.events) if self.keep else ()
        rows = [task for task in self.all if task.listed and (any_of(task) or (self.only is None and (
            self.keep is None or task.pid in matching)))]
        return sorted(rows, key=lambda task: (-(task.sums["run"] + task.sums["run_cut"]), task.pid))

    def knows_runs(self):
        """Without a switch, nobody knows who ran."""
        return any(event.name == "sched_switch" for list_ in self.buffer.cpus.values() for event in list_)

    def task_rows(self):
        knows = self.knows_runs()

        def known(*figures):
            return figures if knows else [""] * len(figures)
        return [[task.pid, self.name(task.pid, task=task),
                 *known(*(task.sums[name] for name in ("run", "run_cut", "wait", "sleep", "blocked")), task.switches, task.preemptions),
                 task.migrations if knows or task.migrations else "", task.wakeups if self.has_wakes or task.wakeups else "",
                 task.longest, *known(task.sums["doubtful"]),
                 "" if task.last_switch_cpu is None else task.last_switch_cpu,
                 "" if self.keep else task.throttled or ""]     # the traces have no limits of groups
                for task in self.listed()]

    def pair_rows(self, state, first=None, last=None):
        """Who caused waits of whom that began from @first to @last."""
        pairs = {}
        for waited, task, cause, start, end, doubtful in self.waits:
            if waited == state and (first is None or first <= start <= last):
                sure, unsure = pairs.setdefault((self.all.index(task), cause), ([], []))
                (unsure if doubtful else sure).append((None if doubtful else max(end - start, 0), start))
        # A pid that is none is nobody's.
        rows = []
        for (task, (cause, name)), (sure, unsure) in pairs.items():
            by, which = cause or (None, 0)
            if "server" in name:
                name = "not known"
            if not name:
                name = self.name(by, task=self.all[which] if by > 0 else None) if by >= 0 else "not known"
            rows.append((self.all[task].pid, by, name, sure, len(unsure), self.all[task], (task, which)))
        kinds = ("", "sched_yield", "throttled", "timer", "NMI", "hard irq", "softirq", "<idle>", "not known")
        rows.sort(key=lambda row: (-sum(wait for wait, _ in row[3]), row[0], max(row[1] or 0, 0),
                                   0 if row[1] and row[1] > 0 else kinds.index(row[2]), row[6]))
        found = []
        for pid, by, name, sure, unsure, task, _ in rows:
            figures = [""] * 4
            if sure:
                total, longest = sum(wait for wait, _ in sure), max(wait for wait, _ in sure)
                figures = [total, total // len(sure), longest, next(start for wait, start in sure if wait == longest)]
            found.append([pid, self.name(pid, task=task), "" if by is None or by < 0 else by, name, len(sure), *figures, unsure])
        return found

    def wake_rows(self):
        rows = []
        for wake in self.wakes:
            ran = wake.run_ts is not None
            waker = wake.event.common_pid
            hidden = waker < 0 or self.hides_waker(wake.event)
            rows.append([wake.event.ts, wake.run_ts if ran else "", wake.run_ts - wake.event.ts if ran else "",
                         wake.task.pid, wake.event.comm, wake.cpu if ran else "", "" if hidden else waker,
                         "" if hidden else self.name(waker, wake.waker_comm, True, wake.waker), int(wake.doubtful) if ran else ""])
        return rows
