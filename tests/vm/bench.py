# SPDX-License-Identifier: GPL-2.0-or-later
"""
bench.py - the recorder's rows of the bench in a virtual machine, where this machine's kernel does
not let us record.  Prints the figures of each round, then their medians and ratios.

Times are those of an emulated machine: only ratios mean something, and they say more of QEMU's
CPUs than of real ones.

usage: bench.py [KERNEL [ROUNDS [LOOPS]]]     default: cloud 3 20
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import vm


def main(name="cloud", rounds="3", loops="20"):
    build = vm.find_build()
    subprocess.run(["make", "-s", "-C", build, "tests/bench/record_probe"], check=True)
    machine = vm.Machine(name, modules=("loop", "ext4"))
    for source in (f"{build}/ftop-trace", f"{build}/tests/bench/record_probe", *map(shutil.which, ("trace-cmd", "perf", "mke2fs"))):
        machine.root.copy(source, f"/usr/local/bin/{os.path.basename(source)}")
    machine.root.copy("/usr/lib/x86_64-linux-gnu/traceevent")
    machine.root.copy(f"{vm.top}/tests/bench/recorder.sh", "/vm/recorder.sh")
    machine.root.file("/vm/bench", f"{rounds} {loops}\n")
    said = []

    def heard(text):
        said.append(text)
        print(text, end="", flush=True)

    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        status = machine.run(f"{vm.here}/bench-payload.sh", out, heard)
    figures = {}
    for line in "".join(said).splitlines():
        words = line.split()
        if len(words) == 3 and words[0] != "skip":
            figures.setdefault(words[0], []).append((float(words[1]), float(words[2])))
    for figure, pairs in figures.items():
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        print(f"{figure:20} {ours:12.3f} {theirs:12.3f}" + (f"  {ours / theirs:.3f}" if theirs and figure != "lost" else ""))
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
