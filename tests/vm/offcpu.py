# SPDX-License-Identifier: GPL-2.0-or-later
"""
offcpu.py - stacks --off-cpu beside bcc's offcputime: one workload, seen by both at the same time in a virtual machine.
Prints TAP.

offcputime counts from the switch away to the switch back; stacks counts to the wake-up, and wakeups tells the rest.  It
takes its stamps before and after it has walked the stack, which makes each wait longer by some us (here, emulated, some 50).

usage: offcpu.py [KERNEL...]       default: cloud, or $FTOP_VM_KERNELS
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import vm

LEAST_TASKS = 50


def ours(program, *words):
    text = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return list(csv.DictReader(io.StringIO(text.decode(errors="replace"))))


def theirs(path):
    """ns off the CPU, by pid."""
    sums = {}
    with open(path, errors="replace") as file:
        for pid, us in re.findall(r"^ +- +.* \((\d+)\)\n +(\d+)$", file.read(), re.M):
            sums[int(pid)] = sums.get(int(pid), 0) + int(us) * 1000
    return sums


def lived_and_waited(program, path):
    """Those that were born and died while it was recorded, and how long they waited for a CPU after a sleep.

    offcputime counts for longer: a worker thread that lived on may end a sleep after the recording."""
    with_new = ours(program, "report", "--format=csv", "-F", "sched_wakeup_new", path)
    born = {int(re.search(r":(\d+) \[", row["text"])[1]): int(row["ts_ns"]) for row in with_new}
    switches = ours(program, "report", "--format=csv", "-F", "sched_switch", path)
    ends = {re.search(r":(\d+) \[\d+\] [XZ] ", row["text"]) for row in switches} - {None}
    died = {int(end[1]) for end in ends}
    born = {pid: ts for pid, ts in born.items() if pid in died}
    waits = dict.fromkeys(born, 0)
    for row in ours(program, "wakeups", "--format=csv", path):
        pid = int(row["pid"])
        if pid in born and int(row["wake_ts_ns"]) > born[pid] and row["latency_ns"]:
            waits[pid] += int(row["latency_ns"])
    return waits


def compare(tap, name, program, folder):
    trace, counted = f"{folder}/trace.dat", theirs(f"{folder}/bcc.txt")
    waits = lived_and_waited(program, trace)
    tap.tell(f"{name}: at least {LEAST_TASKS} tasks lived while both counted",
             None if len(waits) >= LEAST_TASKS else f"{len(waits)} tasks")
    words = [word for pid in waits for word in ("--task", str(pid))]
    mine = sum(int(row["total_ns"]) for row in ours(program, "stacks", "--format=csv", *words, trace)) + sum(waits.values())
    bcc = sum(counted.get(pid, 0) for pid in waits)
    print(f"# {name}: {len(waits)} tasks, {mine / 1e6:.3f} ms off the CPU, offcputime says {bcc / 1e6:.3f} ms")
    tap.tell(f"{name}: they were off the CPU for as long, within 2 %",
             None if bcc and abs(mine - bcc) <= 0.02 * bcc else f"{mine / 1e6:.3f} ms, offcputime says {bcc / 1e6:.3f} ms")


def run(tap, name, program):
    tool = shutil.which("offcputime", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not tool:
        raise vm.Unavailable("offcputime is not installed (Debian: libbpf-tools)")
    machine = vm.Machine(name)
    machine.root.copy(program, "/usr/local/bin/ftop-trace")
    machine.root.copy(os.path.realpath(tool), "/usr/local/bin/offcputime")
    said = []
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/offcpu-payload.sh", out, said.append)
            if status == 77:
                raise vm.Unavailable("offcputime does not work there: " + "".join(said).strip()[-200:])
            fault = f"status {status}\n{''.join(said)}" if status else None
        except vm.NoResult as why:
            fault = f"{why}\n{machine.console[-4000:]}"
        tap.tell(f"{name}: both counted", fault)
        if not fault:
            compare(tap, name, program, out)


if __name__ == "__main__":
    sys.exit(vm.main(run, "offcpu", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
