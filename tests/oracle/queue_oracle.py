# SPDX-License-Identifier: GPL-2.0-or-later
"""How many tasks wait for each CPU, and when CPUs idle meanwhile, moment by moment: for tests of tasks --queues.

Between two stamps nothing changes: each such piece of time is looked at by itself.
"""
import sched_oracle


class Pieces(sched_oracle.Oracle):
    """Notes after the last event of each stamp how many tasks wait for which CPU."""

    def __init__(self, buffer):
        self.noted = []                 # (ts, {cpu: tasks})
        self.cuts = {}                  # cpu -> key of the last event before which others were lost, but for its first one
        super().__init__(buffer)

    def note(self):
        waiting = {}
        for task in self.tasks.values():
            if task.state in ("waiting", "preempted"):
                cpu = task.last_cpu
                if cpu is None and task.wake and task.wake.is_first:    # its sched_waking names a CPU
                    cpu = task.wake.event.target
                    if self.cuts.get(cpu, task.wake.event.key) > task.wake.event.key:
                        continue
                waiting[cpu] = waiting.get(cpu, 0) + 1
        return waiting

    def take(self, event, number):
        if event.lost and event is not self.buffer.cpus[event.cpu][0]:
            self.cuts[event.cpu] = event.key
        super().take(event, number)
        if self.noted and self.noted[-1][0] == event.ts:
            self.noted.pop()
        self.noted.append((event.ts, self.note()))


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
            result.append([cpu, total, waited, most, *place, spare, length, where, doubtful])
    return result
