# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the functions test_*() of a script, and prints TAP.  One that returns a text was skipped for that reason."""
import subprocess
import sys


def run(names, which=lambda name: True):
    """names: the script's globals().  Returns its exit status."""
    tests = [(n[5:], f) for n, f in names.items() if n.startswith("test_") and which(n)]
    failed = 0
    print(f"1..{len(tests)}")
    for nr, (name, test) in enumerate(tests, 1):
        try:
            skipped = test()
            print(f"ok {nr} - {name}" + (f" # SKIP {skipped}" if skipped else ""))
        except (AssertionError, OSError, TypeError, subprocess.SubprocessError) as e:
            failed = 1
            print("# " + str(e).replace("\n", "\n# "))
            print(f"not ok {nr} - {name}")
        sys.stdout.flush()
    return failed
