#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trace-cmd reports of a cut what it reports of that part of the whole, CPU by CPU.

What is expected are trace-cmd's own lines of the whole trace, chosen here by their times, CPUs, tasks and names; a cut of
everything has the same report in each form.  Lines are those of report -R, which joins no calls, so that each record has
one; names of tasks that saved_cmdlines lacks come from earlier lines and are left out.  Marks of lost events are those of
the whole; a filter adds some, but only where it took out what readers need.  Of made-up traces the generator knows the
stamps.  KernelShark's library opens each, where it is installed.  Prints TAP.
"""
import collections
import ctypes.util
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import (BUILD, DATA, LONG, PROGRAM, TRACE_CMD, Failure, Tap, read_text, run, same, shared_fixtures,
                           trace_cmd_report, traces)

RECORD = re.compile(rb"^ *(?:(?P<buffer>\S+): )?(?P<comm>.*?)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] .*?(?P<ts>\d+(?:\.\d+)?): +"
                    rb"(?P<event>\S+): (?P<rest>.*)$", re.S)
LOST = re.compile(rb"^ *(?:(?P<buffer>\S+): )?CPU:\d+ \[(?:(?P<count>\d+) )?EVENTS DROPPED\]$")
STACKS = (b"kernel_stack", b"user_stack")
NEEDED = {b"sched_switch", b"sched_waking", b"sched_wakeup", b"sched_wakeup_new", b"funcgraph_entry", b"funcgraph_exit",
          b"fgraph_retaddr_entry"}
QUICK = ("cpu4", "lost-text", "instances", "stack", "subbuf", "clock-tsc", "irqsoff", "v6")
FORMS = ([], ["--file-version", "6"], ["--file-version", "7", "--compression", "none"], ["--compression", "zlib"],
         ["--compression", "zstd"])
TEXTS = ("cpu4", "marker", "stack", "sched-text", "lost-text")
PRINTS = {b"bprint", b"bputs", b"raw_data"}     # a text does not tell these apart
SCHED = re.compile(rb": (sched_(?:switch|waking|wakeup|migrate_task): .*)")
MADE_UP = ("v6-be32", "v6-buffers", "v7", "v7-be64", "v7-buffers", "v7-le32", "v7-sparse", "v7-zstd")
KSHARK = ctypes.util.find_library("kshark")
SHARKS = itertools.count()
# What KernelShark does on opening; its plugins print.
LOAD = """
import ctypes, sys
lib, context, rows = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_void_p()
lib.kshark_instance(ctypes.byref(context))
lib.kshark_load_entries.restype = ctypes.c_ssize_t
stream = lib.kshark_open(context, sys.argv[2].encode())
sys.exit(0 if stream >= 0 and lib.kshark_load_entries(context, stream, ctypes.byref(rows)) == int(sys.argv[3]) else 1)
"""


class Record:
    def __init__(self, match, loss):
        self.buffer, self.cpu = (loss or match)["buffer"], int(match["cpu"])
        self.pid, self.event = int(match["pid"]), match["event"]
        self.ts = stamp(match["ts"])
        rest = match["rest"]
        if self.event == b"kernel_stack" and b"size=" in rest:	# behind its addresses trace-cmd prints what follows in memory
            size = int(re.search(rb"size=(\d+)", rest)[1])
            rest = b", ".join(rest.split(b", ")[:8 * size])
        # without the name, which earlier lines may tell
        self.text = b"%d %d %s %s" % (self.pid, self.ts, self.event, rest)
        # the count before it as text; b"" = unknown; None = nothing was lost
        self.lost = (loss["count"] or b"") if loss else None


def stamp(text):
    seconds, _, fraction = text.partition(b".")
    return int(seconds) * 10 ** 9 + int(fraction.ljust(9, b"0")) if fraction else int(text)


def records_of(path):
    """{(buffer, CPU): records}"""
    streams, lost = {}, None
    for line in trace_cmd_report(["-t", "-R"], path).split(b"\n"):
        match = RECORD.match(line)
        if match:
            record = Record(match, lost)	# the line of a loss has the buffer of both
            streams.setdefault((record.buffer, record.cpu), []).append(record)
        lost = LOST.match(line)
    return streams


def cut(out, options, *files):
    if os.path.exists(out):
        os.unlink(out)
    run([PROGRAM, "cut", "-o", out, *options, *files])


def compare(whole, path, keep, marks=True):
    """keep(record, the one before it, was that kept?); marks: are those of the whole the only ones?"""
    got, number = records_of(path), 0
    for key in sorted(whole.keys() | got.keys(), key=str):
        kept, last, before = [], None, False
        for record in whole.get(key, []):
            before, last = keep(record, last, before), record
            kept += [record] if before else []
        same(b"\n".join(r.text for r in got.get(key, [])), b"\n".join(r.text for r in kept))
        for ours, record in zip(got.get(key, []), kept):
            number += (1 + (ours.lost is not None)) * (key[0] is None)	# it opens the top buffer
            if marks and ours.lost != record.lost or record.lost is not None and ours.lost is None:
                raise Failure("%r: %r lost before %r instead of %r" % (key, ours.lost, record.text, record.lost))
    if KSHARK and number and (LONG or next(SHARKS) % 3 == 0) and subprocess.run(
            [sys.executable, "-c", LOAD, KSHARK, path, str(number)], stdout=subprocess.DEVNULL, check=False).returncode:
        raise Failure("KernelShark's library loads no %d entries" % number)
    return got


def check_marks(whole, got, wants):
    """A mark needs lost events, or records taken out before it that readers need."""
    for key, records in got.items():
        ours, gap = iter(records), False
        for record in whole[key]:
            gap |= record.lost is not None
            if wants(record):
                mine = next(r for r in ours if r.text == record.text)
                if mine.lost == b"" and not gap:
                    raise Failure("%r: a mark, but nothing was taken out before %r" % (key, record.text))
            gap |= not wants(record) and record.event in NEEDED


def whole_cases(tap, name, trace, folder, forms):
    out = os.path.join(folder, "out.dat")
    original = functools.lru_cache(None)(lambda: (trace_cmd_report([], trace), run([PROGRAM, "report", trace])))

    def form(options):
        cut(out, options, trace)
        theirs, ours = original()
        if options[-1:] != ["zlib"] and theirs:		# trace-cmd 3.1 reads no zlib; ours has the same of all forms
            same(trace_cmd_report([], out), theirs)
        same(run([PROGRAM, "report", out]), ours)

    for options in forms:
        tap.case("all of %s %s" % (name, " ".join(options)), form, options)


def seconds(clock):
    return (lambda ns: "%dns" % ns) if clock == "boot" else \
        str if clock in ("counter", "x86-tsc", "uptime") else lambda ns: "%d.%09d" % divmod(ns, 10 ** 9)


def part_cases(name, trace, folder):
    """(name, test, arguments)"""
    whole, out = records_of(trace), os.path.join(folder, "out.dat")
    every = [r for records in whole.values() for r in records]
    stamps = sorted(r.ts for r in every)
    if not every:
        return
    show = seconds(json.loads(run([PROGRAM, "info", "--format=json", trace]))["clock"])

    def window(first, last, *options):
        cut(out, ["--from", show(first), "--to", show(last), *options], trace)
        compare(whole, out, lambda r, last_, before: first <= r.ts <= last)

    def cpu(nr):
        cut(out, ["--cpu", str(nr)], trace)
        compare(whole, out, lambda r, last, before: r.cpu == nr)

    def chosen(options, wants):
        """With the stacks of these records, and the exits of leaves."""
        def keep(r, last, before):
            return wants(r) or (before and (r.event in STACKS or (
                wants(last) and last.event.endswith(b"_entry") and r.event == b"funcgraph_exit" and last.pid == r.pid and
                called(last) == called(r))))
        cut(out, options, trace)
        check_marks(whole, compare(whole, out, keep, False), wants)

    n = len(stamps)
    yield "a third of", window, stamps[n // 3], stamps[2 * n // 3]
    yield "two records of", window, stamps[n // 2], stamps[min(n // 2 + 1, n - 1)]
    yield "from the middle, zstd, of", window, stamps[n // 2], stamps[-1], "--compression", "zstd"
    yield "a CPU of", cpu, max(key[1] for key in whole)
    pids = [r.pid for r in every]
    pid = max(set(pids) - {0} or {0}, key=pids.count)
    yield "a task of", chosen, ["--task", str(pid)], lambda r: r.pid == pid
    yield "all tasks but the idle one, zstd, of", chosen, ["-v", "-F", "pid == 0", "--compression", "zstd"], lambda r: r.pid != 0
    events = [r.event for r in every]
    event = max(events, key=events.count)
    yield "the most frequent event of", chosen, ["-F", event.decode()], lambda r: r.event == event
    if b"sched_switch" in events:
        yield "some switches of", chosen, ["-F", "prev_prio < 120"], lambda r: re.search(rb"prev_prio=(-\d+|\d|\d\d|1[01]\d)\b", r.text)


def text_case(dat, text, folder):
    """A cut of a text has the events that trace-cmd reads from the trace.dat of the same buffer."""
    path, out, part = (os.path.join(folder, name) for name in ("trace.txt", "out.dat", "part.dat"))
    with open(path, "wb") as file:
        file.write(text)
    cut(out, [], path)
    is_timed = not text.startswith(b"# tracer: function_graph") or b" TIME " in text[:300]
    theirs, ours = records_of(dat), records_of(out)

    def named(records):
        return b"\n".join(b"%d %s" % (r.pid, b"print" if r.event in PRINTS else r.event) for r in records)

    for key in theirs.keys() | ours.keys():
        same(named(ours[key]), named(theirs[key]))
        for mine, record in zip(ours[key], theirs[key]):
            if is_timed and abs(mine.ts // 1000 - record.ts // 1000) > 1:	# the kernel rounds
                raise Failure("%r at %d, not %d" % (mine.text, mine.ts, record.ts))
    same(*(b"\n".join(sorted(SCHED.findall(trace_cmd_report([], of)))) for of in (out, dat)))
    for table in ("graph", "tasks"):
        same(*(run([PROGRAM, table, "--format=csv", of]) for of in (out, path)))
    if not is_timed:
        return
    every = sorted(r.ts for records in ours.values() for r in records)
    first, last = every[len(every) // 3], every[len(every) // 2]
    cut(part, ["--from", "%d.%09d" % divmod(first, 10 ** 9), "--to", "%d.%09d" % divmod(last, 10 ** 9)], path)
    same(b"\n".join(sorted(r.text for records in records_of(part).values() for r in records)),
         b"\n".join(sorted(r.text for records in ours.values() for r in records if first // 1000 <= r.ts // 1000 <= last // 1000)))


def called(record):
    return re.search(rb"\bfunc=(\S+)", record.text)[1]


def made_up_cases(tap, name, folder):
    """Our own report, as trace-cmd does not read all of them, beside the generator's list of stamps."""
    trace, out, listed = (os.path.join(folder, file) for file in ("made-up.dat", "out.dat", "list"))
    run([os.path.join(BUILD, "tests", "tools", "make_trace"), name, trace, listed])
    streams = {}
    with open(listed, encoding="ascii") as file:
        for line in file:
            stream, ts = map(int, line.split())
            streams.setdefault(stream, []).append(ts)

    def window(options, first, last):
        cut(out, ["--from", "%dns" % first, "--to", "%dns" % last, *options], trace)
        got = {}
        for line in run([PROGRAM, "report", "--format=json", out]).splitlines():
            row = json.loads(line)
            if "ts_ns" in row:
                got.setdefault((row.get("instance"), row["cpu"]), []).append(row["ts_ns"])
        expected = [[ts for ts in stamps if first <= ts <= last] for stamps in streams.values()]
        if sorted(got.values()) != sorted(filter(None, expected)):
            raise Failure("other stamps")

    every = sorted(itertools.chain(*streams.values()))
    for options in FORMS[1:] if LONG else [[]]:
        if name.endswith("-buffers") and options[-1:] == ["6"]:
            continue			# their sub-buffers have several sizes
        tap.case("all of made-up %s %s" % (name, " ".join(options)), window, options, 0, every[-1])
        if all(stamps == sorted(stamps) for stamps in streams.values()):
            tap.case("a half of made-up %s %s" % (name, " ".join(options)), window, options, every[len(every) // 4],
                     every[3 * len(every) // 4])


def said(*argv):
    done = subprocess.run([PROGRAM, *argv], capture_output=True, check=False)
    return (done.stdout + done.stderr).decode(errors="replace")


def cut_out(folder):
    """What a filter of cut left out is not lost without a mark; figures of states may be higher."""
    part = os.path.join(folder, "thinned.dat")
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    run([PROGRAM, "cut", "-o", part, "--task=trace-cmd", trace])
    for command in ("info", "tasks", "summary"):
        if "no loss is marked" in said(command, part) or (command == "info" and "cut out or lost" not in said(command, part)):
            raise Failure("%s: %s" % (command, said(command, part)))
    for rule in ("lost == 0", "tasks blocked < 1ns if comm == \"trace-cmd\"", "tasks wait < 1ns if comm == \"trace-cmd\""):
        if "# not known" not in said("check", "-e", rule, part):
            raise Failure("%s: %s" % (rule, said("check", "-e", rule, part)))


def named_rows(path, first, last, *options):
    rows = map(json.loads, run([PROGRAM, "report", "--format=json", *options, path]).splitlines())
    return sorted((r["ts_ns"], r["cpu"], r["event"], r["pid"], r["comm"]) for r in rows
                  if first <= r.get("ts_ns", -1) <= last)


def names_in_parts(folder):
    """Tasks were renamed before and in these windows: a part, and a part of a part, has the names of the whole."""
    half, part, text = (os.path.join(folder, name) for name in ("half.dat", "part.dat", "trace.txt"))
    with open(text, "wb") as file:
        file.write(read_text(os.path.join(DATA, "good", "lost-text", "kernel-trace.txt.gz")))
    for trace in [os.path.join(DATA, "good", name, "trace.dat") for name in
                  ("cpu4", "instances", "latency-format-rt", "lost-text", "stack")] + [text]:
        every = named_rows(trace, 0, 2 ** 63)
        stamps = [row[0] for row in every]
        middle, last, third = stamps[len(stamps) // 2], stamps[-1], stamps[2 * len(stamps) // 3]
        cut(half, ["--from", "%dns" % middle], trace)
        cut(part, ["--from", "%dns" % third], half)
        for path, first in ((half, middle), (part, third)):
            wanted = named_rows(trace, first, last)
            if named_rows(path, 0, last) != wanted:
                raise Failure("%s: other names" % trace)
            name = max((row[4] for row in wanted), key=[row[4] for row in wanted].count)
            same(*(run([PROGRAM, "report", "-F", 'comm == "%s"' % name, "--count", *window, of]) for of, window in
                   ((path, []), (trace, ["--from", "%dns" % first]))))
            same(*(run([PROGRAM, "count", "--by=comm", "--format=csv", *window, of]) for of, window in
                   ((path, []), (trace, ["--from", "%dns" % first]))))
        events = [row[2] for row in every if not row[2].startswith("sched_")]
        cut(part, ["-F", max(events, key=events.count)], trace)
        kept = collections.Counter(named_rows(part, 0, last))
        if not kept or kept - collections.Counter(every):
            raise Failure("%s: other names without the events of sched" % trace)


def joined(folder):
    """Tasks and CPUs are those of one buffer: the others with switches or wake-ups are named, those without are not told."""
    both, one = os.path.join(folder, "joined.dat"), os.path.join(folder, "one.dat")
    files = [os.path.join(DATA, "good", name, "trace.dat") for name in ("sched", "cpu4")]
    run([PROGRAM, "cut", "-o", both, *files])
    second = next(reversed(re.findall(r"^(?:buffers)? +(\S+): \d+ CPUs with data", said("info", both), re.M)))
    run([PROGRAM, "cut", "-o", one, "--buffer=" + second, both])
    for command in (["tasks"], ["cpus"], ["wakeups"], ["why", "--blocked-by"], ["summary"]):
        for path, told in ((both, True), (one, False), (files[0], False)):
            if ("of one buffer; these are left out: " + second in said(*command, path)) != told:
                raise Failure("%s %s: %s" % (command, path, said(*command, path)))


def main():
    tap = Tap()
    every = {name: trace for name, trace, _ in traces(os.path.join(DATA, "good")) + shared_fixtures()}
    found = {name: trace for name, trace in every.items() if LONG or name in QUICK}
    turn = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("what was cut out is no loss", cut_out, folder)
        tap.case("names of tasks in parts", names_in_parts, folder)
        tap.case("buffers that are left out", joined, folder)
        for name, trace in found.items() if TRACE_CMD else ():
            forms = FORMS if LONG else [FORMS[next(turn) % len(FORMS)]]
            whole_cases(tap, name, trace, folder, forms)
            if name == "v7-zlib" or b"\n# tracer:" in trace_cmd_report([], trace)[:300]:
                continue
            for kind, test, *words in part_cases(name, trace, folder):
                if LONG or next(turn) % 5 == 0:
                    tap.case(kind + " " + name, test, *words)
        for name, dat in every.items() if TRACE_CMD else ():
            text = next(filter(os.path.exists, (os.path.join(os.path.dirname(dat), "kernel-trace.txt" + end)
                                                for end in ("", ".gz"))), None)
            if text and name in TEXTS:
                tap.case("the text of " + name, text_case, dat, read_text(text), folder)
        for name in MADE_UP:
            if LONG or next(turn) % 3 == 0:
                made_up_cases(tap, name, folder)
    if not TRACE_CMD:
        tap.skip("cuts of recorded traces", "no trace-cmd")
    tap.end()


main()
