#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of trace-cmd report has with any of its options what it has without.

Options that change the columns of lines, in combinations that a seed draws, beside trace-cmd's text without options: the same
events of each task and CPU, the same switches and wake-ups of each task, as many latencies.  No more lines are unknown.  The
text without options has the events and tables of the trace.dat.  Prints TAP.
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, read_text, run     # noqa: E402

FOLDERS = [os.path.join(DATA, "good")] + ([os.path.join(SHARED, "fixtures")] if SHARED else [])
OPTIONS = ("--ts-diff", "--raw-ts", "-l", "-t", "-w", "-q", "-V", "-R", "--debug", "--ts2secs 1000000", "--cpu 0", "--cpu 1")
PAIRS = 300 if LONG else 30
SEED = 6
# "dNh41435940359040:", "dNh32392669359315:" without a blank: how many of these digits are flags, the line does not tell.
JOINED = {"wakeup-rt-max", "osnoise-rt"}
COLUMNS = ("switches", "preemptions", "migrations", "wakeups")
# The kernel's text does not tell these apart.
PRINTS = {"bprint", "bputs", "raw_data"}
# trace-cmd's text has one time for all events: 0.000004.
TIMELESS = {"clock-uptime"}
# trace-cmd prints no more of the events of the tracer blk than "123".
EMPTY = {"blk", "blk-7.2", "blk-classic-7.2"}
# -R prints strings with newlines and other bytes as they are.
RAW_LINES = {"synth-7.2", "latency-format-probes-7.2"}
# Events of a name that one of sched has, too: a text does not tell systems apart.
NAMESAKES = {"sample-custom"}


def table(*args):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *args, "--format=csv"]).decode(errors="replace"))))


def facts(path, has_cpus, has_units):
    """Names are cut in latency format, times have other units with --raw-ts and --ts2secs: then seconds without records look
    like time in which tracing was off."""
    events = sorted((row["cpu"], row["pid"], "print" if row["event"] in PRINTS else row["event"]) for row in table("report", path))
    if not has_cpus or not has_units:
        return [events]
    tasks = {row["pid"]: [row[name] for name in COLUMNS] for row in table("tasks", path)}
    return [events, tasks, {row["kind"]: row["n"] for row in table("latency", path)}]


def text_of(dat, options, path):
    words = [word for option in options for word in option.split()]
    with open(path, "wb") as out:
        subprocess.run([TRACE_CMD, "report", "-i", dat, *words], stdout=out, stderr=subprocess.DEVNULL, check=False)


def same(wanted, found):
    for want, got in zip(wanted, found):
        if got != want:
            differ = [item for item in want if item not in got][:2], [item for item in got if item not in want][:2]
            raise Failure("%d, not %d; %s" % (len(got), len(want), differ))


def unknown(path):
    return json.loads(run([PROGRAM, "info", "--format=json", path]))["unknown_lines"]


def check(dat, options, scratch):
    plain, other = os.path.join(scratch, "plain.txt"), os.path.join(scratch, "options.txt")
    text_of(dat, (), plain)
    text_of(dat, options, other)
    cpus = {option[-1] for option in options if option.startswith("--cpu")}
    has_units = not {"--raw-ts", "--ts2secs 1000000"} & set(options)
    want = facts(plain, not cpus, has_units)
    want[0] = [row for row in want[0] if not cpus or row[0] in cpus]
    if cpus and (not want[0] or b"# tracer: " in read_text(other)):
        return	# no event of these CPUs; the text of a latency tracer is printed for any
    if unknown(other) > unknown(plain):
        raise Failure("%d lines are not understood" % unknown(other))
    got = facts(other, not cpus, has_units)
    for of in (want, got) if cpus or "-R" in options else ():	# a leaf's exit may be one of another CPU
        of[0] = [row for row in of[0] if not row[2].startswith("funcgraph")]
    same(want, got)


def check_plain(dat, scratch):
    """trace-cmd makes one line of an entry and an exit of different CPUs."""
    path = os.path.join(scratch, "plain.txt")
    text_of(dat, (), path)
    if os.path.getsize(path) < 100:	# trace-cmd cannot read it
        return
    want, got = facts(dat, True, True), facts(path, True, True)
    for of in (want, got):
        of[0] = [row for row in of[0] if not row[2].startswith("funcgraph")]
    same(want, got)


SWITCH = ("            %s-%d     [000]    10.%06d: sched_switch:          prev_comm=%s prev_pid=%d prev_prio=120 "
          "prev_state=%s next_comm=%s next_pid=%d next_prio=120\n")


def states(numbers, preempted, asleep):
    """Of report -R: task 100 leaves the CPU in each of these states, task 200 runs between.  The kernel's sched.h
    tells what they are; which kernel it was, the other numbers."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
        text.write("cpus=1\n")
        for i, number in enumerate(numbers):
            text.write(SWITCH % ("one", 100, 100 * i, "one", 100, number, "two", 200))
            text.write(SWITCH % ("two", 200, 100 * i + 50, "two", 200, "0", "one", 100))
        text.flush()
        task = next(row for row in table("tasks", text.name) if row["pid"] == "100")
        got = int(task["preemptions"]), bool(float(task["sleep_ns"] or 0))
    if got != (preempted, asleep):
        raise Failure("%s: preempted %d times, asleep: %s" % (numbers, *got))


def name_of(dat):
    return " ".join(dat.split(os.sep)[-2:]).replace(" trace.dat", "")


def is_events(dat):
    """A text in the place of sub-buffers, and several buffers, have no columns, or one more."""
    about = json.loads(run([PROGRAM, "info", "--format=json", dat]))
    return about["events"] and len(about["buffers"]) == 1


def main():
    tap, chance = Tap(), random.Random(SEED)
    dats = [os.path.join(folder, name, "trace.dat") for folder in FOLDERS for name in sorted(os.listdir(folder))]
    corpus = os.path.join(SHARED, "corpus") if SHARED else ""
    dats += [os.path.join(corpus, name) for name in sorted(os.listdir(corpus)) if name.endswith(".dat")] if os.path.isdir(corpus) else []
    dats = [dat for dat in dats if os.path.exists(dat) and os.path.getsize(dat) < 4 << 20]
    if not TRACE_CMD:
        print("1..0 # SKIP no trace-cmd")
        return 0
    for numbers, preempted, asleep in (
            (("256",), 1, False),			# since 4.14
            (("512",), 1, False),			# before 3.9
            (("1024", "512"), 1, True),			# since 3.9: 512 is parked
            (("0x800", "0x40"), 1, False),		# since 4.2: 64 is dead
            (("4096", "1026", "0x82"), 1, False),	# since 4.8: D|N, D|K
            (("256", "64"), 1, True),			# since 4.14: 64 is parked
            (("64",), 0, False),			# parked or dead, nobody knows
            (("1", "128"), 0, True)):			# S, I
        tap.case("report -R: prev_state %s" % " ".join(numbers), states, numbers, preempted, asleep)
    with tempfile.TemporaryDirectory() as scratch:
        dats = [dat for dat in dats if is_events(dat)]
        for dat in dats if LONG else chance.sample(dats, 8):
            if not set(dat.split(os.sep)) & (TIMELESS | NAMESAKES | EMPTY):
                tap.case("without options: " + name_of(dat), check_plain, dat, scratch)
        for _ in range(PAIRS):
            dat = chance.choice(dats)
            options = chance.sample(OPTIONS, chance.randint(1, 4))
            wrong = TIMELESS | (JOINED if {"-l", "--raw-ts"} <= set(options) else set()) | (RAW_LINES if "-R" in options else set())
            if not set(dat.split(os.sep)) & wrong:
                tap.case("%s %s" % (name_of(dat), " ".join(options)), check, dat, options, scratch)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
