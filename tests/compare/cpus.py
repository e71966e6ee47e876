#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What CPUs share and did, of made-up traces, beside a count in Python.  Prints TAP."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from made_machine import Made, machine  # noqa: E402
from report_common import PROGRAM, Failure, Tap, run  # noqa: E402


def filters(made, cpus, path):
    """node and core are those of the event's CPU; where they are not known, nothing matches."""
    for name in ("node", "core"):
        words = sorted({cpu[name] for cpu in cpus.values()})
        for number, word in enumerate(words):
            value = word if name == "node" else number
            expected = sum(1 for _, cpu, _, _ in made.events if cpus.get(cpu, {}).get(name) == word)
            found = int(run([PROGRAM, "report", "--count", "-F", f"{name} == {value}", path]))
            if found != expected:
                raise Failure(f"{name} == {value}: {found} events, not {expected}")
    unknown = sum(1 for _, cpu, _, _ in made.events if cpu not in cpus)
    found = int(run([PROGRAM, "report", "--count", "-F", "!(node >= 0)", path]))
    if found != unknown:
        raise Failure(f"without a node: {found} events, not {unknown}")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        made, cpus = Made(1, 24, 3000), machine(24)
        tap.case("filter names", filters, made, cpus, made.write(folder, "made", cpus))
        del cpus[5]
        tap.case("filter names: a CPU is not known", filters, made, cpus, made.write(folder, "less", cpus))
    tap.end()


main()
