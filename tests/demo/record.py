#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
record.py - makes demo.dat: records the mishap in a virtual machine, until a run shows what the tour tells.

usage: record.py PROGRAM [OUTPUT]

PROGRAM is the ftop-trace that records.  On a busy host the machine's time passes unevenly: chrt -r 1 tests/demo/record.py ... helps.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{here}/../vm")
import vm  # noqa: E402

MOST_BYTES = 1_500_000
MOST_RUN_NS = 45_000_000        # of the client, which has little to do: more is the host's noise
STARTS = 8


class Machine(vm.Machine):
    """Preemption also inside the kernel, so that a call of the lock's holder is cut in two."""

    def command(self, work):
        return [word + " preempt=full" if word.startswith("console=") else word for word in super().command(work)]


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def fault(program, path):
    """What a run lacks for the demo, or None."""
    if os.path.getsize(path) > MOST_BYTES:
        return f"{os.path.getsize(path)} bytes"
    if not re.search(r"^lost events +0$", output(program, "info", path), re.M):
        return "lost events"
    last = output(program, "report", "--tail=1", path).strip().splitlines()[-1]
    took = re.search(r"request (\d+) took ([\d.]+) ms$", last)
    if not took or not 6 <= int(took[1]) <= 12 or not 40 <= float(took[2]) <= 60:
        return f"its last row: {last}"
    switches = [(float(re.search(r" ([\d.]+): sched_switch", line)[1]), line) for line in
                output(program, "report", "-F", "sched_switch && (comm == backup || comm == encoder)", path).splitlines()[1:]]
    preempted = [ts for ts, line in switches if re.search(r"backup:\d+ \[\d+\] R\+? ==> encoder", line)]
    left = [ts for ts, line in switches if re.search(r" encoder:\d+ \[\d+\] [RS]\+? ==> backup", line)]
    if not preempted or not any(ts - preempted[-1] > 0.040 for ts in left):
        return "the lock's holder was not preempted for long"
    tasks = csv.DictReader(io.StringIO(output(program, "tasks", "--format=csv", path)))
    run_ns = next(int(row["run_ns"]) for row in tasks if row["comm"] == "client")
    return f"the client ran for {run_ns} ns" if run_ns > MOST_RUN_NS else None


def take(program, out):
    """The first recording of a start that fits, or None."""
    for name in sorted(os.listdir(out)):
        if name.endswith(".dat"):
            why = fault(program, f"{out}/{name}")
            print(f"{name}: {why or 'taken'}", flush=True)
            if not why:
                return f"{out}/{name}"
    return None


def main(program, result):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["cc", "-O2", "-Wall", "-static", "-pthread", "-o", f"{work}/mishap", f"{here}/mishap.c"], check=True)
        for start in range(STARTS):
            machine = Machine("cloud", cpus=4)
            machine.root.copy(program, "/usr/local/bin/ftop-trace")
            machine.root.copy(f"{work}/mishap", "/usr/local/bin/mishap")
            out = f"{work}/{start}"
            machine.run(f"{here}/record-payload.sh", out, lambda text: print(text, end="", flush=True))
            found = take(program, out)
            if found:
                shutil.copyfile(found, result)
                return 0
    return 1


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else f"{here}/demo.dat"))
