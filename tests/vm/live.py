# SPDX-License-Identifier: GPL-2.0-or-later
"""
live.py - the tests of tests/live on kernels that let everybody trace, in a virtual machine: for machines whose own kernel does
not.  Prints TAP: each test of theirs is one here.

usage: live.py [KERNEL...]     default: cloud, or $FTOP_VM_KERNELS; FTOP_VM_CASES: parts of the names of tests

FTOP_FAULT_MOMENTS: moments at which a CPU goes off and comes back (2); of the other faults, tests/live has as many.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

import vm

PYTHON = "/usr/bin/python3"
MODULES = "/usr/lib/python3/dist-packages"
TERM = "tmux-256color"
UNUSED = ("test", "idlelib", "ensurepip", "lib2to3", "pydoc_data", "distutils", "tkinter", "turtledemo", "unittest", "__pycache__")


def copy_python(root):
    """The interpreter and its library: Debian's, whatever this script runs with."""
    root.copy(os.path.realpath(PYTHON), PYTHON)
    library = "/usr/lib/" + os.path.basename(os.path.realpath(PYTHON))
    if not os.path.isdir(library):
        raise vm.Unavailable(f"{library} is not there (package python3)")
    for name in os.listdir(library):
        if name not in UNUSED and not name.startswith("config-"):
            root.copy(f"{library}/{name}")


def run(tap, name, program):
    machine = vm.Machine(name, memory_mb=2048, modules=("loop", "ext4"))
    copy_python(machine.root)
    machine.root.copy(program, "/project/build/ftop-trace")
    for path in ("tests/live", "tests/lib/waiting.py", "tests/screens/terminal.py"):
        machine.root.copy(f"{vm.top}/{path}", f"/project/{path}")
    vm.copy_terminal(machine.root, TERM)
    for module in ("pyte", "wcwidth"):
        if os.path.isdir(f"{MODULES}/{module}"):
            machine.root.copy(f"{MODULES}/{module}")
    machine.root.file("/project/cases", os.environ.get("FTOP_VM_CASES", ""))
    machine.root.file("/project/moments", os.environ.get("FTOP_FAULT_MOMENTS", "2"))
    for plugins in glob.glob("/usr/lib/*/traceevent/plugins"):
        machine.root.copy(plugins)
    for tool in ("trace-cmd", "mkfs.ext4", "setpriv"):
        path = shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if path:
            machine.root.copy(path, f"/usr/bin/{tool}")
    said = []
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/live-payload.sh", out, said.append)
            fault = f"status {status}" if status else None
        except vm.NoResult as why:
            fault = f"{why}\n{machine.console[-4000:]}"
    script, before, planned, told = "", [], 0, 0
    for line in "".join(said).splitlines():
        found = re.match(r"(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$", line)
        plan = re.match(r"1\.\.(\d+)(?: # SKIP (.*))?", line)
        if line.startswith("== ") and line.endswith(".py"):
            script = line[3:-3]
        elif plan:
            planned += int(plan.group(1))
            if plan.group(2):
                tap.tell(f"{name}: live {script}", f"all of it is skipped: {plan.group(2)}")
        elif found:
            told += 1
            tap.tell(f"{name}: live {script}: {found.group(2)}", "\n".join(before) or "it is not so" if found.group(1) else None,
                     found.group(3))
            before = []
        else:
            before.append(line)
    if not fault and told != planned:
        fault = f"{told} of {planned} tests ran\n" + "\n".join(before[-20:])
    tap.tell(f"{name}: all live tests ran", fault)


if __name__ == "__main__":
    sys.exit(vm.main(run, "live tests", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
