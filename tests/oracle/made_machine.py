# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up traces of many CPUs: the kernel's text, made into a trace.dat, with lines about the machine."""
import os
import random

from private_section import with_machine
from report_common import PROGRAM, run

AWAKE = 4294967295	# state of cpu_idle: PWR_EVENT_EXIT


def machine(nr, threads=2, cores=4, caches=2, nodes=2):
    """{CPU: what it shares}: threads of a core, cores of a cache, caches of a node, nodes of a package."""
    cpus = {}
    for cpu in range(nr):
        core = cpu // threads
        cache = core // cores
        node = cache // caches
        cpus[cpu] = {"core": core * threads, "cluster": core * threads, "package": node // nodes, "node": node,
                     "l2": core * threads, "l3": cache * cores * threads,
                     "capacity": 1024 if cpu % 3 else 512, "min_khz": 400000, "max_khz": 2000000}
    return cpus


class Made:
    """events: (ns, CPU, name, {field: value}), in their order."""

    def __init__(self, seed, nr_cpus, steps):
        self.nr_cpus = nr_cpus
        self.events = []
        self.now = 100 * 10**9
        self.random = random.Random(seed)
        self.runs = [False] * nr_cpus
        for cpu in range(nr_cpus):
            self.event(cpu, "sched_switch", prev=0, next=1000 + cpu)
            self.runs[cpu] = True
        for _ in range(steps):
            self.step()

    def event(self, cpu, name, **fields):
        self.now += 1000 * self.random.randrange(1, 40)
        self.events.append((self.now, cpu, name, fields))

    def step(self):
        what, cpu = self.random.random(), self.random.randrange(self.nr_cpus)
        if what < 0.15:
            self.event(cpu, "cpu_frequency", state=self.random.randrange(4, 21) * 100000,
                       cpu_id=self.random.randrange(self.nr_cpus))
        elif what < 0.3:
            self.event(cpu, "sched_migrate_task", pid=1000 + cpu, orig_cpu=cpu,
                       dest_cpu=self.random.randrange(self.nr_cpus))
        elif self.runs[cpu]:
            self.event(cpu, "sched_switch", prev=1000 + cpu, next=0)
            if what < 0.9:
                self.event(cpu, "cpu_idle", state=self.random.randrange(4), cpu_id=cpu)
            self.runs[cpu] = False
        else:
            self.event(cpu, "cpu_idle", state=AWAKE, cpu_id=cpu)
            self.event(cpu, "sched_switch", prev=0, next=1000 + cpu)
            self.runs[cpu] = True

    def lines(self):
        task = ["<idle>-0"] * self.nr_cpus
        yield "# tracer: nop\n#\n"
        for ns, cpu, name, fields in self.events:
            text = " ".join(f"{key}={value}" for key, value in fields.items())
            before = task[cpu]
            if name == "sched_switch":
                names = {pid: f"t{pid - 1000}" if pid else f"swapper/{cpu}" for pid in fields.values()}
                old, new = fields["prev"], fields["next"]
                text = (f"prev_comm={names[old]} prev_pid={old} prev_prio=120 prev_state={'S' if old else 'R'} ==> "
                        f"next_comm={names[new]} next_pid={new} next_prio=120")
                task[cpu] = f"{names[new]}-{new}" if new else "<idle>-0"
            elif name == "sched_migrate_task":
                text = f"comm=t{fields['pid'] - 1000} pid={fields['pid']} prio=120 orig_cpu={fields['orig_cpu']} " \
                       f"dest_cpu={fields['dest_cpu']}"
            yield f"{before:>16}     [{cpu:03}] d..1. {ns // 10**9:5}.{ns % 10**9 // 1000:06}: {name}: {text}\n"

    def write(self, folder, name, cpus):
        """The path of the trace.dat."""
        text, plain, path = (os.path.join(folder, name + end) for end in (".txt", ".plain", ".dat"))
        with open(text, "w", encoding="ascii") as out:
            out.writelines(self.lines())
        run([PROGRAM, "cut", "-o", plain, text])
        return with_machine(plain, path, cpus)
