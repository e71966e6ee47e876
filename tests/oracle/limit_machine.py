# SPDX-License-Identifier: GPL-2.0-or-later
"""
A made-up machine whose cgroups have limits: what it records, line by line.

Each CPU has a queue.  A group that used up its quota is throttled on the CPU where it did, with the groups in it, until
the timer of its period expires.  Tasks sleep, wake each other, and are moved.  Times are µs.
"""
import os
import random

from private_section import with_blocks
from report_common import PROGRAM, run

STEP = 250
GROUPS = {"/one": (28, 10000, 50000), "/top": (54, 16000, 40000), "/top/in": (80, 6000, 20000)}     # id, quota, period
PLACES = ("/", "/one", "/one", "/top", "/top/in", "/top/in")


class Task:
    def __init__(self, pid, group):
        self.pid, self.group, self.name = pid, group, "t%d" % pid
        self.cpu, self.state, self.until, self.is_there = 0, "asleep", 0, True

    def groups(self):
        return [g for g in GROUPS if (self.group + "/").startswith(g + "/")]


class Machine:
    """lines: (µs, CPU, event, text)."""

    def __init__(self, seed, nr_cpus=3, nr_tasks=9, steps=1200):
        self.random = random.Random(seed)
        self.nr_cpus, self.lines, self.now = nr_cpus, [], 0
        self.runs = [None] * nr_cpus
        self.tasks = [Task(101 + i, PLACES[self.random.randrange(len(PLACES))]) for i in range(nr_tasks)]
        self.pids = [task.pid for task in self.tasks]
        self.used, self.throttled = dict.fromkeys(GROUPS, 0), {g: set() for g in GROUPS}
        self.periods, self.sums, self.since = dict.fromkeys(GROUPS, 0), dict.fromkeys(GROUPS, 0), {}
        for task in self.tasks:
            task.cpu, task.until = self.random.randrange(nr_cpus), self.random.randrange(3000)
        self.throttlings = []       # (begin, end) of any
        for step in range(steps):
            self.now = step * STEP
            self.expire(step * STEP)
            for task in self.tasks:
                if task.state == "asleep" and task.until <= step * STEP:
                    self.wake(task)
            for cpu in range(nr_cpus):
                self.tick(cpu)
            if self.random.random() < 0.1:
                self.balance()
        for cpu in range(nr_cpus):      # each recording of switches ends at the same time
            if not self.runs[cpu]:
                self.switch(cpu, Task(90 + cpu, "/"), "R")
            self.switch(cpu, None, "S")

    # --- records
    def record(self, cpu, event, text):
        self.now += self.random.randrange(1, 4)
        task = self.runs[cpu]
        self.lines.append((self.now, cpu, event, "%16s-%-7d [%03d] d..2. %5d.%06d: %s: %s\n" % (
            task.name if task else "<idle>", task.pid if task else 0, cpu, 100 + self.now // 10**6, self.now % 10**6, event, text)))
        return self.now

    def switch(self, cpu, to, state):
        old = [(task.name, task.pid) if task else ("swapper/%d" % cpu, 0) for task in (self.runs[cpu], to)]
        self.record(cpu, "sched_switch", "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120" % (
            *old[0], state if self.runs[cpu] else "R", *old[1]))
        self.runs[cpu] = to
        if to:
            to.state, to.burst, to.is_there = "runs", self.now + self.random.randrange(500, 12000), True

    def moved(self, task, cpu, on):
        if task.cpu != cpu:
            self.record(on, "sched_migrate_task", "comm=%s pid=%d prio=120 orig_cpu=%d dest_cpu=%d" % (task.name, task.pid, task.cpu, cpu))
            task.cpu = cpu

    # --- what happens
    def may_run(self, task):
        return not any(task.cpu in self.throttled[group] for group in task.groups())

    def wake(self, task):
        on = self.random.randrange(self.nr_cpus)
        self.record(on, "sched_waking", "comm=%s pid=%d prio=120 target_cpu=%03d" % (task.name, task.pid, task.cpu))
        self.moved(task, self.random.randrange(self.nr_cpus) if self.random.random() < 0.3 else task.cpu, on)
        self.record(on, "sched_wakeup", "comm=%s pid=%d prio=120 target_cpu=%03d" % (task.name, task.pid, task.cpu))
        task.state = "queued"

    def inside(self, group):
        return [g for g in GROUPS if (g + "/").startswith(group + "/")]

    def throttle(self, cpu, group):
        self.since[group, cpu] = self.now
        for each in self.inside(group):
            self.record(cpu, "throttle_group", "(tg_throttle_down+0x0/0x30) cgroup=%d cpu=%d" % (GROUPS[each][0], cpu))
        self.throttled[group].add(cpu)

    def expire(self, ts):
        for group, (_, _, period) in GROUPS.items():
            if ts % period or not self.used[group]:
                continue
            on = self.random.randrange(self.nr_cpus)
            self.record(on, "hrtimer_expire_entry", "hrtimer=%016x function=sched_cfs_period_timer now=%d" % (0xff00 + GROUPS[group][0], ts * 1000))
            self.periods[group] += bool(self.throttled[group])
            self.used[group] = 0
            for cpu in sorted(self.throttled[group]):
                for each in reversed(self.inside(group)):
                    self.record(on, "unthrottle_group", "(tg_unthrottle_up+0x0/0x30) cgroup=%d cpu=%d" % (GROUPS[each][0], cpu))
                self.throttlings.append((self.since.pop((group, cpu)), self.now))
                self.sums[group] += self.now - self.throttlings[-1][0]
            self.throttled[group].clear()

    def pick(self, cpu):
        found = [task for task in self.tasks if task.state == "queued" and task.cpu == cpu and self.may_run(task)]
        return self.random.choice(found) if found else None

    def tick(self, cpu):
        task, state = self.runs[cpu], None
        if task:
            for group in task.groups():
                self.used[group] += STEP
            spent = [group for group in task.groups() if self.used[group] >= GROUPS[group][1] and cpu not in self.throttled[group]]
            if spent:
                self.throttle(cpu, spent[0])
            if not self.may_run(task):
                state = "R"
            elif self.now >= task.burst:
                state = self.random.choice("SSSD")
            elif self.random.random() < 0.08 and self.pick(cpu):
                state = self.random.choice(("R", "R+"))
        if task and not state:
            return
        to = self.pick(cpu)
        if task is None and to is None:
            return
        self.switch(cpu, to, state)
        if task:
            task.state = "queued" if state[0] == "R" else "asleep"
            task.until = self.now + self.random.randrange(300, 9000)

    def balance(self):
        # once in a wait: without sched_migrate_task, no record tells that it left a CPU and came back
        found = [task for task in self.tasks if task.state == "queued" and task.is_there and self.may_run(task)]
        idle = [cpu for cpu in range(self.nr_cpus) if not self.runs[cpu]]
        if found and idle:
            task = self.random.choice(found)
            self.moved(task, idle[0], idle[0])
            task.is_there = False

    # --- a file
    def write(self, folder, name, lines):
        """A trace.dat of these lines, with what the recorder saw of tasks and groups."""
        text, plain, path = (os.path.join(folder, name + end) for end in (".txt", ".plain", ".dat"))
        with open(text, "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n")
            out.writelines(line[3] for line in lines)
        run([PROGRAM, "cut", "--force", "-o", plain, text])
        names = ["/", *GROUPS]
        told = ["string %d\n%s" % (len(each), each) for each in names]
        told += ["task 0 0 %d 1 -1 0 0 0 %d 0" % (task.pid, names.index(task.group) + 1) for task in self.tasks]
        for group, (number, quota, period) in GROUPS.items():
            place = names.index(group) + 1
            told += ["cgroup 0 %d %d %d 100 0 0 0 0 0" % (place, quota, period), "cgroup_id %d %d" % (place, number),
                     "cgroup %d %d %d %d 100 0 %d %d %d 0" % (10**11 + 10**3 * self.now, place, quota, period, self.periods[group],
                                                           self.periods[group], self.sums[group])]
        block = "".join(line + "\n" for line in told).encode()
        return with_blocks(plain, path, {"saved_tgids": b"", "tasks": block})
