#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compare what two builds of ftop-trace print: for changes that must not change it.

    tests/tools/compare_programs.py OLD NEW [-c REGEX] [-t REGEX] [-i REGEX] [-o FOLDER] [--long] [TRACE...]

OLD and NEW are programs.  Every command runs on every trace with both; stdout, stderr and the exit
status must be equal byte for byte.  Without TRACE: those of $FTOP_SHARED and tests/data.
-c, -t: only commands, or traces, that match.  -i: lines that match are not compared.  -o: keeps both outputs of what differs in this
folder.  --long: all commands on all traces; else those that print every event run on small traces
only.  The last line counts.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
FORMATS = ["", "--format=csv", "--format=json"]
SMALL = 4 << 20

# With each of FORMATS.
TABLES = [
    "tasks", "tasks --preempted", "tasks --woken", "tasks --queues", "tasks --sort=wait",
    "wakeups --head=500", "wakeups --sort=latency --head=10",
    "latency", "latency --kind=wakeup --head=300", "latency --kind=call --head=300",
    "latency --kind=irq", "latency --kind=block", "latency --kind=syscall --head=300",
    "latency --kind=wakeup --histogram", "latency --kind=wakeup --open --head=300",
    "latency --kind=wakeup --anatomy --head=300", "latency --kind=wakeup --culprits",
    "latency --kind=preempted --culprits", "latency --kind=call --sort=start --head=50",
    "count", "count --by=event,comm --sum=common_pid", "count --by=cpu,pid --sort=count:asc",
    "count -e sched_switch --by=prev_comm,prev_state",
    "noise", "noise --samples", "noise --histogram", "noise --analysis=3",
    "noise --samples --sort=cpu --head=5",
    "functions", "functions --stacks", "functions --sort=max", "functions --sort=calls --head=7",
    "stacks --off-cpu", "stacks --waker", "stacks --both", "stacks --events",
    "why", "why --blocked-by", "fields", "timeline", "graph --head=300",
]
# As they are.
OTHERS = [
    "info", "info --format=json", "summary", "summary --format=json", "report --count",
    "stacks --folded", "stacks --events --folded", "functions --folded",
    "noise --style=rtla", "noise --style=rtla --histogram", "noise --style=rtla --analysis=3",
    "why --task=1",
] + [f"diff --by={by} {form} @ @" for by in ("functions", "tasks", "latency", "stacks", "events", "scheduler")
     for form in ("", "--format=json")]
# Every event.
WHOLE = ["report", "report --format=csv", "report --format=json", "report --kernel", "graph",
         "timeline --format=csv"]
EXPORTS = ["export --tables"]


def program(path, words, trace, folder):
    """What it prints: status, stdout, stderr, and the files that it writes."""
    argv = [str(path)] + words.replace("@", "\0").split()
    if "\0" in argv:
        argv = [str(trace) if word == "\0" else word for word in argv]
    elif words.startswith("export"):
        argv += [str(folder / "tables"), str(trace)]
    else:
        argv.append(str(trace))
    env = dict(os.environ, FTOP_DATADIR=str(TOP), LC_ALL="C.UTF-8", HOME=str(folder))
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=env,
                          timeout=1800, check=False)
    parts = [f"status {done.returncode}\n".encode(), done.stdout,
             done.stderr.replace(bytes(folder), b"FOLDER")]
    for name in sorted(p for p in folder.rglob("*") if p.is_file()):
        parts += [f"\n== {name.relative_to(folder)}\n".encode(), name.read_bytes()]
    return b"".join(parts)


def ask(job):
    outputs = []
    for path in job["programs"]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                outputs.append(program(path, job["words"], job["trace"], Path(folder)))
            except subprocess.TimeoutExpired:
                outputs.append(f"{path}: no end".encode())
    return job, outputs


def find_traces(args):
    if args.traces:
        return [Path(t) for t in args.traces]
    roots = [TOP / "tests/data"]
    shared = os.environ.get("FTOP_SHARED")
    if shared:
        roots += [Path(shared) / name for name in ("fixtures", "corpus", "cases")]
    traces = [p for root in roots for p in sorted(root.rglob("*"))
              if p.is_file() and (p.name in ("trace.dat", "trace.txt", "trace") or p.suffix == ".dat")]
    return [p for p in traces if re.search(args.traces_like, str(p))]


def without(ignored, output):
    """The lines that count."""
    if not ignored:
        return output
    return [line for line in output.splitlines() if not re.search(ignored.encode(), line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("traces", nargs="*")
    parser.add_argument("-c", dest="commands", default="")
    parser.add_argument("-t", dest="traces_like", default="")
    parser.add_argument("-i", dest="ignored")
    parser.add_argument("-o", dest="out")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    tables = [f"{words} {form}".strip() for words in TABLES for form in FORMATS]
    jobs = []
    traces = find_traces(args)
    for trace in traces:
        every = args.long or trace.stat().st_size <= SMALL
        for words in tables + OTHERS + (WHOLE + EXPORTS if every else []):
            if re.search(args.commands, words):
                jobs.append({"programs": (Path(args.old).resolve(), Path(args.new).resolve()),
                             "words": words, "trace": trace.resolve()})
    different = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for job, (old, new) in pool.map(ask, jobs):
            if without(args.ignored, old) == without(args.ignored, new):
                continue
            different += 1
            print(f"differs: {job['words']} {job['trace']}", flush=True)
            if args.out:
                base = Path(args.out) / re.sub(r"[^\w.-]+", "_", f"{job['words']} {job['trace']}")[-200:]
                base.parent.mkdir(parents=True, exist_ok=True)
                base.with_name(base.name + ".old").write_bytes(old)
                base.with_name(base.name + ".new").write_bytes(new)
    print(f"{len(jobs)} outputs of {len(traces)} traces compared, {different} differ")
    sys.exit(bool(different) or not jobs)


if __name__ == "__main__":
    main()
