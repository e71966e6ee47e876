# SPDX-License-Identifier: GPL-2.0-or-later
"""How many tasks wait for each CPU, and when CPUs idle meanwhile, moment by moment: for tests of tasks --queues.

Between two stamps nothing changes: each such piece of time is looked at by itself.
"""
import sched_oracle


class Stay:
    """A part of a wait for one CPU, between two numbers of events: cpu is None until a record tells it."""

    def __init__(self, number, ts, cpu, waking=None):
        self.first, self.start, self.cpu, self.waking = number, ts, cpu, waking     # waking: what a sched_waking names
        self.stop = self.end = None
        self.guessed = self.is_astray = False       # astray: it then ran on another CPU, though no record tells of a move
        self.chosen = ts                # since then it is known that it is that CPU, if its sched_waking names another one


class Queues(sched_oracle.Oracle):
    """In which queues tasks stand: of the CPU that they left, or to which a sched_wakeup, then migrations send them.

    From a sched_waking on it is not known: it is that of the next sched_wakeup, or, as a guess, of where the task then runs.
    Whom its limit keeps from running stands in none; no timers that end that are made up.
    """

    def __init__(self, buffer):
        self.queued, self.standing, self.number = {}, {}, 0     # by task: all, those of its present wait
        self.lost_at = None
        super().__init__(buffer)

    def end(self):
        super().end()
        self.number += 1
        for task in list(self.standing):
            self.leave(task, max(event.ts for event in self.buffer.events), None)

    def take(self, event, number):
        self.number, self.ts = number, event.ts
        super().take(event, number)
        if event.name == "sched_migrate_task" and event.pid > 0:
            self.move(event, False)

    # What an absence does is done before the event behind it.
    def come_to(self, key):
        self.number -= 1
        super().come_to(key)
        self.number += 1

    def wake(self, event, number):
        if event.pid > 0 and event.name != "sched_waking" and event.success != 0:
            self.move(event, True)
        super().wake(event, number)

    def move(self, event, is_wakeup):
        stays, cpu = self.standing.get(self.tasks.get(event.pid)), event.target
        if not stays or cpu is None:
            return
        if stays[-1].cpu is None:
            stays[-1].cpu = cpu if is_wakeup else None
            if is_wakeup and stays[-1].waking not in (None, cpu):
                stays[-1].chosen = self.ts
        elif stays[-1].cpu != cpu:
            stays[-1].stop, stays[-1].end = self.number, self.ts
            stays.append(Stay(self.number, self.ts, cpu))

    def be_passed(self, task, ts, reason):
        super().be_passed(task, ts, reason)
        if reason != "real-time or server" and task in self.standing:
            self.leave(task, ts, None)

    def lose(self, cpu, end):
        self.lost_at = end
        super().lose(cpu, end)

    def leave(self, task, ts, ran_on):
        stays = self.standing.pop(task)
        last = stays[-1]
        last.stop, last.end = self.number, ts
        if ts is None:                  # what it did is not known since
            last.end = max(self.lost_at, last.start)
        if last.cpu is None:
            last.cpu = ran_on if ran_on is not None else last.waking if task.last_cpu is None and not task.elsewhere else task.last_cpu
            last.guessed = True
        elif ran_on is not None and ran_on != last.cpu:
            last.is_astray, last.guessed = True, last.cpu in self.buffer.cpus
        self.queued.setdefault(task, []).append(stays)

    def become(self, task, state, ts, cpu=None, cut=False):
        if task in self.standing:
            self.leave(task, ts, cpu if state == "running" else None)
        if state == "preempted" and task.cause not in ((None, "throttled"), (None, "budget or server")):
            self.standing[task] = [Stay(self.number, ts, task.last_cpu)]
        if state == "waiting":
            event = task.wake.event
            self.standing[task] = [Stay(self.number, ts, None if event.name == "sched_waking" else event.target, event.target)]
        sched_oracle.Oracle.become(task, state, ts, cpu, cut)


class Pieces(Queues):
    """After the last event of each stamp, how many tasks wait for which CPU."""

    def __init__(self, buffer):
        self.numbers = []               # (ts, the number of the last event with it)
        self.cuts = {}                  # cpu -> numbers of events before which others were lost, but for its first one
        super().__init__(buffer)
        changes = {}                    # number of an event -> [(cpu, one more or less)]
        self.guessed = []               # (from, to)
        for stay in (stay for waits in self.queued.values() for stays in waits for stay in stays):
            cuts = [cut for cut in self.cuts.get(stay.cpu, ()) if stay.first < cut < stay.stop]
            changes.setdefault(stay.first, []).append((stay.cpu, 1))
            changes.setdefault(min(cuts, default=stay.stop), []).append((stay.cpu, -1))
            if stay.guessed and stay.cpu in buffer.cpus:
                self.guessed.append((stay.start, stay.end))
        self.noted, waiting, at = [], {}, 0     # (ts, {cpu: tasks})
        for ts, number in self.numbers:
            for change in range(at, number + 1):
                for cpu, nr in changes.get(change, ()):
                    waiting[cpu] = waiting.get(cpu, 0) + nr
            at = number + 1
            self.noted.append((ts, dict(waiting)))

    def take(self, event, number):
        if event.lost and event is not self.buffer.cpus[event.cpu][0]:
            self.cuts.setdefault(event.cpu, []).append(number)
        super().take(event, number)
        if self.numbers and self.numbers[-1][0] == event.ts:
            self.numbers.pop()
        self.numbers.append((event.ts, number))


def longest(pieces):
    """(start, length) of the first longest run of pieces, of which those that touch are one."""
    joined = []
    for start, end in pieces:
        if joined and joined[-1][1] == start:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    start, end = max(joined, key=lambda one: (one[1] - one[0], -one[0]), default=(None, None))
    return ["", 0] if start is None else [start, end - start]


def rows(buffer, first=None, last=None):
    """What tasks --queues prints, from first to last."""
    oracle = Pieces(buffer)
    end = max(event.ts for event in buffer.events)
    pieces = [(start, stop, waiting) for (start, waiting), stop in
              zip(oracle.noted, [ts for ts, _ in oracle.noted[1:]] + [end]) if start < stop]
    if first is not None:
        pieces = [(max(start, first), min(stop, last), waiting) for start, stop, waiting in pieces
                  if max(start, first) < min(stop, last)]
    idle = {cpu: [(a, b) for one, state, _, a, b in oracle.cpu_intervals if one == cpu and state == "idle"] for cpu in buffer.cpus}

    start, stop = (oracle.noted[0][0], end) if first is None else (first, last)
    guessed = sum(max(0, min(b, stop) - max(a, start)) for a, b in oracle.guessed)

    def lost(cpu, start, stop):
        return any(a < stop and b > start for a, b in oracle.gaps[cpu])

    def known(cpu, start, stop):
        return buffer.cpus[cpu][0].ts <= start and not lost(cpu, start, stop)

    result = []
    for cpu in sorted(buffer.cpus):
        others = [other for other in buffer.cpus if other != cpu]
        total = waited = doubtful = spare = 0
        sure, spares = [], []
        for start, stop, waiting in pieces:
            is_doubtful = any(lost(other, start, stop) for other in others)
            if known(cpu, start, stop):
                total += stop - start
                waited += (stop - start) * waiting.get(cpu, 0)
                doubtful += (stop - start) * is_doubtful
                if not is_doubtful:
                    sure.append((start, stop, waiting.get(cpu, 0)))
            if known(cpu, start, stop) and any(a <= start and stop <= b for a, b in idle[cpu]) and any(
                    known(other, start, stop) and waiting.get(other, 0) >= 2 for other in others):
                spare += stop - start
                if not is_doubtful:
                    spares.append((start, stop))
        most = max((number for _, _, number in sure), default=0)
        place = ["", ""]
        if most:                        # the first time, as long as it lasted
            times = [(start, stop) for start, stop, number in sure if number == most]
            place = [times[0][0], times[0][1]]
            for start, stop in times:
                if start == place[1]:
                    place[1] = stop
            place[1] -= place[0]
        where, length = longest(spares)
        if total:
            result.append([cpu, total, waited, most, *place, spare, length, where, doubtful, guessed])
    return result
