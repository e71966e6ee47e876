# SPDX-License-Identifier: GPL-2.0-or-later
"""
perf.py - tasks, wakeups, why and latency beside perf sched timehist: one workload, recorded by both at the same time in a virtual machine;
and live --text beside pidstat.  Prints TAP.

Each takes its own time stamp of an event, some us apart, and perf books the last run of some tasks that exit under the pid
-1; so single figures differ a little, and totals hardly.

usage: perf.py [KERNEL...]       default: cloud, or $FTOP_VM_KERNELS
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import vm

NEAR_MS = 0.020         # of two stamps of the same event
LEAST_TASKS = 50


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode(errors="replace")


class Perf:
    def __init__(self, path):
        self.born, self.dead, self.runs, self.delays = set(), set(), {}, {}
        self.off, self.delay = {}, {}           # ms off the CPU, and from wake-ups to runs, by pid
        for line in output("perf", "script", "-i", path, "-F", "time,event,trace").splitlines():
            found = re.search(r"sched_wakeup_new: .*?pid=(\d+) prio", line)
            if found:
                self.born.add(int(found.group(1)))
            found = re.search(r"prev_pid=(\d+) prev_prio=\d+ prev_state=[XZ]", line)
            if found:
                self.dead.add(int(found.group(1)))
        for line in output("perf", "sched", "-i", path, "timehist", "-s").splitlines():
            found = re.match(r"\s*\S.*?\[(-?\d+)(?:/\d+)?\]\s+-?\d+\s+(\d+)\s+([\d.]+)\s", line)
            if found:
                self.runs[int(found.group(1))] = (int(found.group(2)), float(found.group(3)))
        for line in output("perf", "sched", "-i", path, "timehist").splitlines():
            found = re.match(r"\s*([\d.]+) \[\d+\]\s+.*?\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", line)
            if not found:
                continue
            pid, wait, delay = int(found.group(2)), float(found.group(3)), float(found.group(4))
            # the first time it waits to run without having left a CPU
            self.off[pid] = self.off.get(pid, 0) + (wait if pid in self.off else max(wait, delay))
            self.delay[pid] = self.delay.get(pid, 0) + delay
            if delay:
                start = float(found.group(1)) * 1e3 - float(found.group(5))
                self.delays.setdefault(pid, []).append((start, delay))


def ours(program, *words):
    return list(csv.DictReader(io.StringIO(output(program, *words[:-1], "--format=csv", words[-1]))))


def sum_of(program, *words):
    """ms of all rows"""
    return sum(int(row["total_ns"]) for row in ours(program, *words)) / 1e6


def compare(tap, name, program, folder):
    perf = Perf(f"{folder}/perf.data")
    tasks = {int(row["pid"]): row for row in ours(program, "tasks", f"{folder}/trace.dat")}
    both = [pid for pid in perf.born & perf.dead if pid in perf.runs and pid in tasks]
    tap.tell(f"{name}: at least {LEAST_TASKS} tasks lived while both recorded",
             None if len(both) >= LEAST_TASKS else f"{len(both)} tasks")

    same = [pid for pid in both if int(tasks[pid]["switches"]) == perf.runs[pid][0]]
    tap.tell(f"{name}: they ran as often", None if len(same) >= 0.98 * len(both) else f"{len(same)} of {len(both)} tasks")

    mine, theirs = sum(int(tasks[pid]["run_ns"]) for pid in same) / 1e6, sum(perf.runs[pid][1] for pid in same)
    tap.tell(f"{name}: they ran for as long, within 1 %",
             None if same and abs(mine - theirs) <= 0.01 * theirs else f"{mine:.3f} ms, perf says {theirs:.3f} ms")

    runs = {}
    for row in ours(program, "wakeups", f"{folder}/trace.dat"):
        if row["run_ts_ns"]:
            runs.setdefault(int(row["pid"]), []).append((int(row["run_ts_ns"]) / 1e6, int(row["latency_ns"]) / 1e6))
    near = total = 0
    for pid in both:
        for start, delay in perf.delays.get(pid, []):
            total += 1
            closest = min(runs.get(pid, [(0, 0)]), key=lambda run: abs(run[0] - start))
            near += abs(closest[1] - delay) <= NEAR_MS
    tap.tell(f"{name}: nine in ten wake-ups took as long, within {NEAR_MS * 1000:.0f} us",
             None if total and near >= 0.9 * total else f"{near} of {total} wake-ups")

    for what, words, theirs in (
            ("what held each up (why) is as long as it was off the CPU", ["why", "--blocked-by"], perf.off),
            ("culprits of its wake-ups (latency) are as long as the delays", ["latency", "--kind=wakeup", "--culprits"], perf.delay)):
        pairs = [(sum_of(program, *words, "--task", str(pid), f"{folder}/trace.dat"), theirs.get(pid, 0)) for pid in same]
        mine, all_theirs = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        near = sum(abs(a - b) <= 0.02 * b + 5 * NEAR_MS for a, b in pairs)
        tap.tell(f"{name}: {what}, within 2 %",
                 None if pairs and near >= 0.9 * len(pairs) and abs(mine - all_theirs) <= 0.02 * all_theirs else
                 f"{near} of {len(pairs)} tasks; {mine:.3f} ms, perf says {all_theirs:.3f} ms")


def compare_file(tap, name, program, folder):
    """
    Our views of what perf recorded, beside perf's own figures, which are of the same stamps: equal to the us.  And beside our own
    recording of the same time: the same switches.
    """
    perf = Perf(f"{folder}/perf.data")
    theirs, mine = ({int(row["pid"]): row for row in ours(program, "tasks", f"{folder}/{file}")} for file in ("perf.data", "trace.dat"))
    both = [pid for pid in perf.born & perf.dead if pid in perf.runs and pid in mine and pid in theirs]
    lost = [pid for pid in both if theirs[pid]["switches"] != mine[pid]["switches"]]
    tap.tell(f"{name}: a perf.data has the switches of our own recording",
             f"{len(lost)} of {len(both)} tasks differ, {lost[:9]}" if lost or len(both) < LEAST_TASKS else None)
    same = [pid for pid in both if (int(theirs[pid]["switches"]), int(theirs[pid]["run_ns"]) // 1000) ==
            (perf.runs[pid][0], round(perf.runs[pid][1] * 1000))]
    # the others are those whose last run perf books under -1
    tap.tell(f"{name}: tasks of a perf.data ran as often and as long as perf sched timehist says, to the us",
             None if both and len(same) >= 0.98 * len(both) else f"{len(same)} of {len(both)} tasks")


def live_shares(path):
    """{pid: (per cent that it ran, per cent that it waited)} of all windows of live --text."""
    spans, sums = 0, {}
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if row.get("type") == "window":
            spans += row["to_ns"] - row["from_ns"]
        elif "pid" in row:
            ran, waited = sums.get(row["pid"], (0, 0))
            sums[row["pid"]] = ran + row["run_ns"] + row["run_cut_ns"], waited + row["wait_ns"]
    return {pid: (100 * ran / spans, 100 * waited / spans) for pid, (ran, waited) in sums.items()} if spans else {}


def pidstat_shares(path):
    """The same, from the averages of pidstat."""
    shares = {}
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[:1] == ["Average:"] and words[2].isdigit():
            shares[int(words[2])] = float(words[7]), float(words[6])
    return shares


def compare_live(tap, name, folder):
    """
    Their windows begin some 100 ms apart, and pidstat leaves out what the host takes of the machine's time: so the part that a task
    ran of the time in which it could run, which the load and the scheduler set.
    """
    ours, theirs = live_shares(f"{folder}/now.json"), pidstat_shares(f"{folder}/pidstat")
    halves = [int(pid) for pid in open(f"{folder}/halves", encoding="ascii").read().split()]
    parts = [[100 * ran / (ran + waited) if ran + waited else 0 for ran, waited in (of.get(pid, (0, 0)) for pid in halves)]
             for of in (ours, theirs)]
    tap.tell(f"{name}: tasks ran for the part of the time that pidstat says, within 5 %",
             None if len(halves) == 3 and all(ours.get(pid, (0, 0))[0] > 5 for pid in halves) and
             all(abs(a - b) < 5 for a, b in zip(*parts)) else f"live: {parts[0]}; pidstat: {parts[1]}")


def run(tap, name, program):
    for tool, package in (("perf", "linux-perf"), ("pidstat", "sysstat")):
        if not shutil.which(tool):
            raise vm.Unavailable(f"{tool} is not installed (Debian: {package})")
    machine = vm.Machine(name)
    machine.root.copy(program, "/usr/local/bin/ftop-trace")
    for tool in ("perf", "pidstat"):
        machine.root.copy(os.path.realpath(shutil.which(tool)), f"/usr/local/bin/{tool}")
    said = []
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/perf-payload.sh", out, said.append)
            fault = f"status {status}\n{''.join(said)}" if status else None
        except vm.NoResult as why:
            fault = f"{why}\n{machine.console[-4000:]}"
        tap.tell(f"{name}: both recorded", fault)
        if not fault:
            compare(tap, name, program, out)
            compare_file(tap, name, program, out)
            compare_live(tap, name, out)


if __name__ == "__main__":
    sys.exit(vm.main(run, "perf", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
