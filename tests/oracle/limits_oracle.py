# SPDX-License-Identifier: GPL-2.0-or-later
"""
When limits of cgroups kept tasks from running, by the kernel's own text of the probes of record, of switches and of the
timers of limits: for each group what its cpu.stat should count, and for each task its times.
"""
import collections
import re

ROW = re.compile(r"\s*.+-(\d+)\s+\[(\d+)\]\s\S+\s+(\d+)\.(\d+): (\w+): (.*)")


def parse(text):
    """(µs, pid, CPU, event, arguments) of each line."""
    found = (ROW.match(line) for line in text.splitlines())
    return [(int(m[3]) * 10**6 + int(m[4]), int(m[1]), int(m[2]), m[5], m[6]) for m in found if m]


def numbers(text, *names):
    return [int(re.search(rf"\b{name}=(\d+)", text)[1]) for name in names]


class Limits:
    """@ids: {number: path}; @groups: {pid: path}.  Times are µs."""

    def __init__(self, text, ids, groups):
        self.rows, self.ids, self.groups = parse(text), ids, groups
        self.by_task = any(row[3] == "throttle_task" for row in self.rows)
        own = self.own(enumerate(self.rows), "throttle_group") | self.own(reversed(list(enumerate(self.rows))), "unthrottle_group")
        self.throttled = collections.defaultdict(dict)      # CPU: {group: since when} whose own limit is used up there
        self.clock = {}                                     # (group, CPU): since when the kernel counts
        self.sums = collections.Counter()                   # group: what it counts, over all CPUs
        self.expiries = collections.defaultdict(list)       # timer: (when, {group: since when} that are throttled on any CPU)
        self.queue, self.leaves, self.taken, self.since = {}, set(), set(), {}
        self.times = collections.defaultdict(list)          # (pid, group): how long, each time
        for i, row in enumerate(self.rows):
            getattr(self, row[3], lambda *of: None)(*row, i in own)

    def own(self, rows, event):
        """The records of a group's own limit: those of the groups in it follow, and precede it where that ends."""
        follow, found = collections.Counter(), set()
        for i, (_, _, on, name, text) in rows:
            group, cpu = (self.ids.get(numbers(text, "cgroup")[0]), numbers(text, "cpu")[0]) if name == event else (None, None)
            if group and follow[on, group, cpu]:
                follow[on, group, cpu] -= 1
            elif group:
                found.add(i)
                follow.update((on, other, cpu) for other in self.ids.values() if other.startswith(group + "/"))
        return found

    def limits(self, pid, cpu):
        """From the highest down."""
        return sorted((group for group in self.throttled[cpu] if (self.groups[pid] + "/").startswith(group + "/")), key=len)

    def see(self, pid, us):
        cpu = self.queue.get(pid)
        limits = self.limits(pid, cpu) if cpu is not None and (not self.by_task or pid in self.taken) else []
        since, group = self.since.get(pid, (0, None))
        if group and limits[:1] != [group]:
            self.times[pid, group].append(us - since)
            del self.since[pid]
        if limits and pid not in self.since:
            self.since[pid] = us, limits[0]
        if not limits:
            self.taken.discard(pid)

    def throttle_group(self, us, _pid, _on, _name, text, own):
        number, cpu = numbers(text, "cgroup", "cpu")
        if own:
            self.throttled[cpu][self.ids[number]] = us
            if not self.by_task:
                self.clock[self.ids[number], cpu] = us
            self.see_all(cpu, us)

    def unthrottle_group(self, us, _pid, _on, _name, text, own):
        number, cpu = numbers(text, "cgroup", "cpu")
        if own:
            self.throttled[cpu].pop(self.ids[number], None)
            self.sums[self.ids[number]] += us - self.clock.pop((self.ids[number], cpu), us)
            self.see_all(cpu, us)

    def see_all(self, cpu, us):
        for pid in [pid for pid, queue in self.queue.items() if queue == cpu]:
            self.see(pid, us)

    def throttle_task(self, us, pid, on, *_):
        if pid in self.groups and self.limits(pid, on):
            self.leaves.add(pid)
            for group in self.limits(pid, on):      # it counts since the first task left
                self.clock.setdefault((group, on), us)

    def sched_switch(self, us, _pid, on, _name, text, _own):
        prev, to = numbers(text, "prev_pid", "next_pid")
        if prev in self.groups and re.search(r"prev_state=R\+? ", text):
            self.queue[prev] = on
            self.taken |= self.leaves & {prev}
            self.see(prev, us)
        self.leaves.discard(prev)
        if self.queue.pop(to, None) is not None:
            self.see(to, us)

    def sched_wakeup(self, us, _pid, _on, _name, text, _own):
        pid, cpu = numbers(text, "pid", "target_cpu")
        if pid in self.groups and pid not in self.queue:
            self.queue[pid] = cpu
            self.see(pid, us)

    def sched_migrate_task(self, us, _pid, _on, _name, text, _own):
        pid, cpu = numbers(text, "pid", "dest_cpu")
        if pid in self.queue:
            self.queue[pid] = cpu
            self.see(pid, us)

    def hrtimer_expire_entry(self, us, _pid, _on, _name, text, _own):
        timer, = re.findall(r"hrtimer=(\S+)", text)
        since = {}
        for groups in self.throttled.values():
            for group, begin in groups.items():
                since[group] = min(since.get(group, begin), begin)
        self.expiries[timer].append((us, since))

    def periods(self, group, period_us):
        """
        nr_throttled, if each timer was the group's: the periods up to an expiry at which it was throttled on any CPU.  A
        timer that is late has several, but none from before the group was throttled, as it may have stood still then.
        """
        found = set()
        for expiries in self.expiries.values():
            times = [us for us, _ in expiries]
            grid = min({us % period_us for us in times}, key=lambda first: sum((us - first) % period_us for us in times))
            nr = [(us - grid) // period_us for us in times]
            found.add(sum(max(1, min(nr[i] - (nr[i - 1] if i else 0), nr[i] - (since[group] - grid) // period_us))
                          for i, (_, since) in enumerate(expiries) if group in since))
        return found
