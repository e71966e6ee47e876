# SPDX-License-Identifier: GPL-2.0-or-later
"""
faults.py - what a recorder leaves behind that is killed at a random moment, fills the disk, or
loses tracefs, a CPU or whoever watches it, on whole kernels in a virtual machine.  Prints TAP.
The cases are in faults-payload.sh.

usage: faults.py [KERNEL...] [=CASE...]     default: cloud, or $FTOP_VM_KERNELS

FTOP_FAULT_MOMENTS: random moments for each signal (3; ./dev test --long has 50)
FTOP_FAULT_SEED: what they are drawn from (1)
"""
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

import record
import vm

MODULES = ("loop", "ext4", "vfat", "nls_cp437", "nls_iso8859-1", "nls_ascii")


# What machines that run side by side take on, in the words of faults-payload.sh.
SHARES = ("recorder-SIG* watcher-SIG*", "not recorder-SIG* watcher-SIG*")


def boot(name, program, wanted):
    """Runs tests in one machine.  What is to be told of them: (name, fault, skip)."""
    moments = os.environ.get("FTOP_FAULT_MOMENTS", "3")
    seed = os.environ.get("FTOP_FAULT_SEED", "1")
    machine = vm.Machine(name, modules=MODULES)
    machine.root.copy(program, "/usr/local/bin/ftop-trace")
    machine.root.copy(record.tool(os.path.dirname(program), "workload"), "/usr/local/bin/workload")
    machine.root.copy(shutil.which("trace-cmd"), "/usr/local/bin/trace-cmd")
    machine.root.copy(shutil.which("mke2fs"), "/usr/local/bin/mke2fs")
    machine.root.copy("/usr/lib/x86_64-linux-gnu/traceevent")
    machine.root.file("/vm/faults", f"{moments} {seed} {wanted}\n")
    results = []
    before, rest = [], [""]    # what a case said, for the one that fails; a line without its end

    def heard(text):
        *lines, rest[0] = (rest[0] + text).split("\n")
        for line in lines:
            if "FTOP_VM_VERBOSE" in os.environ:
                print("#", line, flush=True)
            found = re.match(r"(not ok|ok|skip) - (.*)", line)
            if not found:
                before.append(line)
            elif found.group(1) == "skip":
                results.append((found.group(2).split(":")[0], None, found.group(2)))
            else:
                fault = "\n".join(before + [f"seed {seed}"]) if found.group(1) == "not ok" else None
                results.append((found.group(2), fault, None))
                before.clear()

    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/faults-payload.sh", out, heard)
            fault = f"status {status}" if status else None
        except vm.NoResult as why:
            fault = "\n".join([str(why), *before[-10:], machine.console[-4000:]])
    return results + [(f"all of {wanted} ran", fault, None)]


def run(tap, name, program, cases):
    for tool in ("trace-cmd", "mke2fs"):
        if not shutil.which(tool):
            raise vm.Unavailable(f"{tool} is not installed")
    record.tool(os.path.dirname(program), "workload")
    vm.kernel(name)
    with concurrent.futures.ThreadPoolExecutor() as machines:
        for results in machines.map(lambda wanted: boot(name, program, wanted), [" ".join(cases)] if cases else SHARES):
            for what, fault, skip in results:
                tap.tell(f"{name}: {what}", fault, skip)


if __name__ == "__main__":
    CASES = [a[1:] for a in sys.argv[1:] if a.startswith("=")]
    KERNELS = [a for a in sys.argv[1:] if not a.startswith("=")]
    sys.exit(vm.main(lambda tap, name, program: run(tap, name, program, CASES), "faults of a recorder",
                     KERNELS or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
