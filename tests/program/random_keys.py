#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random keys, mouse clicks, sizes and pieces of filters, typed into the program on traces of all kinds: it does not
end, comes to rest after each lot of them, and leaves the terminal as it was.  Runs best on a build with sanitizers.

usage: random_keys.py [--keys N] [--seed N] [TRACE...]

Without traces: some of tests/data and made-up ones, and the corpus where it lies beside the project.  A failure names
the seed and the last keys.  Prints TAP.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "screens")]
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, LONG, PROGRAM, SHARED, corpus

TRACES = ("good/cpu4", "good/fgraph-7.2", "good/function-repeats", "good/sched-7.2", "good/irqsoff", "good/instances")
MADE = ("hostile", "wrap", "v7-buffers-zstd")
LOT = 40		# keys between two looks at it
# Not: R, which would record on this machine, and what stops or ends it (q Q C-c C-\ C-z).
LETTERS = [chr(c) for c in range(33, 127) if chr(c) not in "RqQ"] + [f"C-{c}" for c in "abdefghklnopruwxy"]
NAMED = ["Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
         "PageDown", "DC", "F1", "F5"]
VIEWS = list("1234567890")
WORDS = ("/sched", "fsched_switch", "fpid == 0 and cpu != 1", "fwait > 1ms", "fdur > 10us", "f(((", "f~~ \"x[", "fcomm =~ \"s.*\"",
         ":50%", ":7.5", ":#100", "ma", "'a", "&prio", "/(a+)+$", "f" + "x" * 300, "f\u00e4\u4e2d\u0301")
SIZES = ((80, 24), (200, 60), (40, 10), (20, 5), (1, 1), (120, 40), (300, 100))


def play(term, rng, keys, said):
    """Sends keys; what was sent is put into said."""
    for nr in range(keys):
        kind = rng.random()
        if kind < 0.70:
            said.append(rng.choice(LETTERS))
            term.key(said[-1])
        elif kind < 0.85:
            said.append(rng.choice(NAMED))
            term.key(said[-1])
        elif kind < 0.91:
            said.append(rng.choice(VIEWS))
            term.key(said[-1])
        elif kind < 0.95:
            said.append(rng.choice(WORDS))
            term.send(said[-1].encode() + (b"\r" if rng.random() < 0.5 else b"\x1b"))
        elif kind < 0.99:
            # X10 reports end at 223; a key in the last line might end the program
            where = rng.randint(1, min(term.screen.columns, 223)), rng.randint(1, max(1, term.screen.lines - 1))
            said.append(f"@{where[0]},{where[1]}")
            term.mouse(rng.choice((0, 0, 2, 64, 65)), *where)
        else:
            size = rng.choice(SIZES)
            said.append(f"@resize {size[0]}x{size[1]}")
            term.resize(*size)
        # A key by itself, or with what follows it.
        if rng.random() < 0.5:
            term.pump(0.01)
        if term.state == "stopped":	# Suspend, chosen in a list
            term.resume()
        if term.state is not None:
            raise terminal.Failure(f"ended: {term.state}")
        if nr % LOT == LOT - 1:
            term.settle()


def try_trace(path, seed, keys):
    """Why it failed, or None."""
    rng, said = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work")
        os.mkdir(work)
        (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, os.path.join(work, "trace.dat"))
        env = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "FTOP_DATADIR")
               if name in os.environ}
        env |= {"HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC"}
        term = terminal.Terminal([PROGRAM, "trace.dat"], env, work, *rng.choice(SIZES[:2]))
        try:
            term.settle()
            play(term, rng, keys, said)
            term.settle()
            if term.state == "stopped":
                term.resume()
            term.signal(signal.SIGTERM)
            term.wait_for(lambda: term.state not in (None, "stopped"), "no end")
            term.settle()
            wrong = term.not_restored()
            if term.state != "SIGTERM" or wrong:
                return f"ended with {term.state}; {'; '.join(wrong)}"
        except terminal.Failure as failure:
            rows = "\n# ".join(term.rows())
            return f"{failure}\n# seed {seed}, after {len(said)} keys, the last: {said[-60:]!r}\n# {rows}"
        finally:
            term.close()
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=20000 if LONG else 240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    if not os.access(PROGRAM, os.X_OK):
        print(f"1..0 # SKIP {PROGRAM} is not built")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        traces = options.traces
        if not traces:
            traces = [os.path.join(DATA, name, "trace.dat") for name in TRACES]
            for sample in MADE:
                traces.append(os.path.join(folder, sample + ".dat"))
                subprocess.run([os.path.join(BUILD, "tests/tools/make_trace"), sample, traces[-1]], check=True)
            if SHARED and LONG:
                traces += [path for _, path, _ in corpus(os.path.join(SHARED, "corpus"))]
        print(f"1..{len(traces)}", flush=True)
        for number, path in enumerate(traces, 1):
            why = try_trace(path, options.seed + number, options.keys)
            failed += why is not None
            name = "/".join(path.split("/")[-2:])
            print(f"not ok {number} - {name}\n# {why}" if why else f"ok {number} - {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
