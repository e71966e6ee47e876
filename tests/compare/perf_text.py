#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of perf script has what the perf.data of the same recording has.

NAME.lines.gz is what perf script printed, without options; what its option -F leaves out, or adds, is left out of that text or
added to it here, as perf prints it.  Prints TAP.
"""
import collections
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, read_text, run, same     # noqa: E402

FOLDER = os.path.join(DATA, "perf")
# Events of each file that the text lacks: records that are not samples, and names of tracepoints that perf only counts.
UNTOLD = {"switches": {"sched_switch"}, "cgroups": {"switch"}, "points": {"sched_sched_wakeup", "sched_wakeup"}}
HEAD = re.compile(r"(?m)^( *)(\S.*?)( +)(\d+)( (?:\[\d+\] )? *\d+\.\d+: +)(\d+ +)?([a-z]\S*: )")
MESSAGE = b"nor the text of a trace, but the text of perf script: open the perf.data itself\n"
STEP = 2000                             # ns: of the difference of two times in µs


# No file of this machine is one that was recorded there.
NAMELESS = "--sysroot=" + FOLDER
os.environ["HOME"] = FOLDER


def data_of(name):
    return os.path.join(FOLDER, name + ".data.gz")


def script(name):
    return read_text(os.path.join(FOLDER, name + ".lines.gz")).decode(errors="replace")


def table(*args):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *args, "--format=csv"]).decode(errors="replace"))))


def events(path, untold=frozenset()):
    """How many there are of each type, task and CPU."""
    return collections.Counter((row["event"], row["pid"], row["cpu"]) for row in table("report", path) if row["event"] not in untold)


def same_events(path, name):
    got, want = (events(of, UNTOLD.get(name, set())) for of in (path, data_of(name)))
    if got != want or not got:
        raise Failure("%r, not %r" % (sorted((got - want).items())[:4], sorted((want - got).items())[:4]))


def stacks(path):
    return b"\n".join(sorted(run([PROGRAM, "stacks", NAMELESS, "--events", "--folded", path]).splitlines()))


def same_table(path, name, command, key):
    """Equal but for names of tasks, which perf.data tells earlier, for the text's microseconds, and for what its lines do not tell:
    whether a task woke another, or an interrupt over it."""
    got, want = ({tuple(row[column] for column in key): row for row in table(command, of)} for of in (path, data_of(name)))
    if set(got) != set(want):
        raise Failure("%s: %r" % (command, sorted(set(got) ^ set(want))[:4]))
    for place, row in want.items():
        for column, there in row.items():
            here = got[place][column]
            if column == "woke" and not here:
                continue
            slack = STEP * (int(row.get("switches") or row.get("n") or 0) + int(row.get("wakeups") or 0) + 2) if column.endswith("_ns") else 0
            if here != there and "comm" not in column and (not slack or not here or not there or abs(int(here) - int(there)) > slack):
                raise Failure("%s %s: %s is %s, not %s" % (command, place, column, here, there))


def changed(how):
    """The text, each of whose samples is made by `how` of what it begins with."""
    return lambda text: HEAD.sub(lambda m: how(*(part or "" for part in m.groups())), text)


# What perf script -F prints.
FORMS = {
    "pid/tid": changed(lambda before, comm, space, pid, time, period, event: f"{before}{comm}{space}{pid}/{pid} {time}{period}{event}"),
    "without period": changed(lambda before, comm, space, pid, time, period, event: f"{before}{comm}{space}{pid}{time}{event}"),
    "without comm": changed(lambda before, comm, space, pid, time, period, event: f"{pid:>7}{time}{period}{event}"),
    "comm with blanks": changed(lambda before, comm, space, pid, time, period, event: f"{before}a 1 b{space}{pid}{time}{period}{event}"),
    "with a header": lambda text: "# ========\n# captured on    : Sat Nov 28 10:00:00 2026\n# ========\n#\n" + text,
    "at most addresses": lambda text: re.sub(r"(?m)^(\t *[0-9a-f]+) \S+ (\(.*\))$", r"\1 \2", text),
}
# What is ambiguous or has no task, time or event.
REFUSED = {
    "without task": changed(lambda before, comm, space, pid, time, period, event: f"{comm}{time}{period}{event}"),
    "without event": changed(lambda before, comm, space, pid, time, period, event: f"{before}{comm}{space}{pid}{time} ffffffff9b810fe8 "),
    "-L": changed(lambda before, comm, space, pid, time, period, event: re.sub(r"\[0*(\d+)\]", r"\1", f"{comm:>8.8} {pid:>7}{time}{period}{event}")),
}


def write(scratch, text):
    path = os.path.join(scratch, "script.txt")
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return path


def whole(scratch, name):
    """Also in nanoseconds, as our own style prints it; there, tables are equal to the last digit."""
    text = script(name)
    path = write(scratch, text)
    same_events(path, name)
    same(run([PROGRAM, "report", path]), text.encode())
    for options in ((), ("-t",)):
        path = write(scratch, run([PROGRAM, "report", "--style=perf", *options, data_of(name)]).decode(errors="replace"))
        same_events(path, name)
        if name not in UNTOLD:
            same_table(path, name, "tasks", ("pid",))
            same_table(path, name, "latency", ("kind",))


def forms(scratch):
    for what, change in FORMS.items():
        for name in ("stacks", "pipe"):
            try:
                same_events(write(scratch, change(script(name))), name)
            except Failure as failure:
                raise Failure("%s: %s" % (what, failure)) from failure


def refused(scratch):
    for what, change in REFUSED.items():
        done = subprocess.run([PROGRAM, "info", write(scratch, change(script("pipe")))], capture_output=True, check=False)
        if done.returncode != 1 or not done.stderr.endswith(MESSAGE):
            raise Failure("%s: %r" % (what, done))


def chains(scratch):
    """Whole stacks, with [unknown] functions and without any; a function is one whatever the place in it, and its name may have blanks."""
    want = stacks(data_of("stacks"))
    text = run([PROGRAM, "report", NAMELESS, "--style=perf", data_of("stacks")]).decode()
    for change in (str, FORMS["at most addresses"]):
        same(stacks(write(scratch, change(text))), want)
    text = ("a b  7 [001]     5.000001:        250 cycles:u: \n\tffffffff9b810fe8 do_it+0x8 ([kernel.kallsyms])\n"
            "\t            1f8 f(int, char)+0x18 (/usr/bin/a (deleted))\n\t            2f8 operator new (/lib/b)\n\t            3f8 g (inlined)\n"
            "\tffffffffff600000 [unknown] ([vsyscall])\n\n"
            "a b  7 [001]     5.000002:        250 cycles:u: \n\tffffffff9b810ff0 do_it+0x10 ([kernel.kallsyms])\n"
            "\t            1fa f(int, char)+0x1a (/usr/bin/a (deleted))\n\t            2f8 operator new (/lib/b)\n\t            3f8 g (inlined)\n"
            "\tffffffffff600000 [unknown] ([vsyscall])\n\n")
    same(stacks(write(scratch, text)), b"cycles_u;0xffffffffff600000;g;operator_new;f(int,_char);do_it 2")
    got = events(write(scratch, text))
    want = {(name, "7", "1"): 2 for name in ("cycles_u", "kernel_stack", "user_stack")}
    if got != want:
        raise Failure(repr(got))


def names(scratch):
    """Systems of tracepoints, letters behind names, tasks that have no name or have ended, lines that are no samples."""
    text = ("           :-1    -1 [000]     5.000001: probe:f: (ffff) a=1\n           :-1    -1/-1 [000]     5.000001: probe:f: (ffff) a=1\n"
            "           :12    12 [000]     5.000002: probe_libc:f: (ffff) b=2\n"
            "             x    12 [000]     5.000003:      1 cpu-clock:pppH:  ffffffff9b810fe8 f ([k])\n"
            "             x    12 [000]     5.000004: PERF_RECORD_COMM: x:12/12\n"
            "             x    12 [000]     5.000005:      1 cpu/mem-loads,ldlat=30/P:  ffffffff9b810fe8 f ([k])\n")
    path = write(scratch, text)
    got = [(row["system"], row["event"], row["pid"], row["comm"]) for row in table("report", path)]
    if got != 2 * [("probe", "f", "4194305", "unknown")] + [("probe_libc", "f", "12", "x"), ("perf", "cpu_clock", "12", "x"), ("perf", "cpu_mem_loads_ldlat_30_P", "12", "x")]:
        raise Failure(repr(got))
    if not run([PROGRAM, "report", "--count", "-F", "period == 1", path]).startswith(b"2\n"):
        raise Failure("periods")


def states(scratch):
    """Without CPUs, or of some tasks only, it is not known when tasks ran."""
    def no_cpu(text):
        return re.sub(r" \[\d+\] ", " ", text, flags=re.M)
    for text, has_cpu in ((no_cpu(script("sched")), False), (script("program"), True), (script("points"), True)):
        done = subprocess.run([PROGRAM, "tasks", write(scratch, text)], capture_output=True, check=True)
        if done.stdout.count(b"\n") > 1 or done.stderr.count(b"perf recorded some tasks only") != 1 or \
           (b"samples do not tell their CPU: all are shown on CPU 0" in done.stderr) == has_cpu:
            raise Failure(repr(done))
    if b"tell their CPU" not in run([PROGRAM, "summary", write(scratch, script("task"))]):
        raise Failure("a profile without CPUs")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(file[:-len(".lines.gz")] for file in os.listdir(FOLDER) if file.endswith(".lines.gz")):
            tap.case("%s: events and tables of its perf.data" % name, whole, scratch, name)
        for case in (forms, refused, chains, names, states):
            tap.case(case.__name__, case, scratch)
    tap.end()


main()
