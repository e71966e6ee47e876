# SPDX-License-Identifier: GPL-2.0-or-later
"""
doctor.py - doctor and list on whole kernels that nobody traced on yet, in a virtual machine; and whether each file that the
kernel has in tracefs is in share/ftrace-features.md.  Prints TAP.  The cases are in doctor-payload.sh.

usage: doctor.py [KERNEL...]     default: cloud, or $FTOP_VM_KERNELS
"""
import os
import re
import sys
import tempfile

import vm

sys.path.insert(0, f"{vm.top}/tests/lib")
import features     # noqa: E402


def without_a_row(listing):
    """The fault, if the kernel has files that nobody wrote about."""
    paths = []
    if os.path.exists(listing):
        with open(listing, encoding="utf-8") as file:
            paths = file.read().splitlines()
    if "./current_tracer" not in paths or "./instances/t/current_tracer" not in paths:
        return f"{len(paths)} files were listed"
    unknown = features.unknown(paths)
    return "add to share/ftrace-features.md: " + " ".join(unknown) if unknown else None


def run(tap, name, program):
    machine = vm.Machine(name)
    machine.copy_program(program)
    said = []
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/doctor-payload.sh", out, said.append)
            fault = f"status {status}" if status else None
        except vm.NoResult as why:
            fault = f"{why}\n{machine.console[-4000:]}"
        unknown = without_a_row(f"{out}/files")
    before = []     # what a case said, for the one that fails
    for line in "".join(said).splitlines():
        found = re.match(r"(not )?ok - (.*)", line)
        if not found:
            before.append(line)
            continue
        tap.tell(f"{name}: {found.group(2)}", "\n".join(before) or "it is not so" if found.group(1) else None)
        before = []
    tap.tell(f"{name}: each file of tracefs is in the table of features", unknown)
    tap.tell(f"{name}: all of it ran", fault)


if __name__ == "__main__":
    sys.exit(vm.main(run, "doctor", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
