#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report is, byte for byte, what trace-cmd report 3.1.6 prints; with --compat=3.4, what 3.4 does.

The stored reports are trace-cmd's; with the options it is asked itself, where it
is installed, for the text of its version.  The fixtures and the corpus of real kernels are taken where they
lie beside the project; with FTOP_TEST_LONG=1 all options on all of them, else a third of the options on each of our own.

Of function_graph with several CPUs trace-cmd's whole text is not what is wanted: report_by_cpu.py says why, and what is.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import report_by_cpu
from report_common import (AS_TRACE_CMD, BUILD, DATA, LONG, PROGRAM, SHARED, TRACE_CMD, TRACE_CMD_VERSION, Failure, Tap,
                           corpus, read_text, report, run, same, trace_cmd_like, trace_cmd_report, traces)

OPTIONS = [["-l"], ["-t"], ["-R"], ["-N"], ["--cpu", "0"], ["--ts-diff"], ["-I", "-S"], ["--raw-ts", "-t"],
           ["-R", "-l", "--ts-diff", "-t"], ["-L"], ["-O", "fgraph:tailprint", "-O", "fgraph:depth"],
           ["-O", "ftrace:parent=1", "-O", "ftrace:indent=0"]]
# trace-cmd 3.1.6 cannot read zlib: see rewritten() below.
ZLIB = "v7-zlib"
NO_BTF = "its arguments and return addresses of functions came with trace-cmd 3.4"
NO_ARRAYS = "libtraceevent 1.8 cannot read its print formats"
# What another trace-cmd than 3.1 prints otherwise than 3.4 with libtraceevent 1.9, or than we do as 3.4.
OTHERWISE = {
    (3, 3): {"fgraph-7.2": NO_BTF, "fgraph-args": NO_BTF, "fgraph-args-retval": NO_BTF, "fgraph-retaddr": NO_BTF,
             "function-args": NO_BTF, "tc34-fgraph-args-btf": NO_BTF,
             "sample": NO_ARRAYS, "sample-7.2": NO_ARRAYS, "subbuf": NO_ARRAYS, "subbuf-record": NO_ARRAYS},
    (3, 4): {"lost": "libtraceevent 1.9 reads the print formats of maple_tree, we read them as 1.8"},
}.get(TRACE_CMD_VERSION, {})


# Their stored texts have a leaf whose exit is another CPU's, which leaves no trace of its own exit's line.
JOINED_ACROSS = ("fgraph-depth", "graph-two-cpus")
# With these no line depends on the record that follows.
JOINS_NOTHING = {"-R", "-N", "-L"}


def as_stored(name, trace, stored):
    text = read_text(stored)
    if not report_by_cpu.is_graph(text):
        same(report([], trace), text)
    elif name not in JOINED_ACROSS:
        report_by_cpu.as_stored([], trace, text)
    else:
        report_by_cpu.as_merged([], trace)


@functools.lru_cache(maxsize=None)
def is_graph_file(file):
    return report_by_cpu.is_graph(report([], file))


def goes_back():
    """graph-two-cpus shows the difference: trace-cmd's time goes back."""
    text = read_text(os.path.join(DATA, "good", "graph-two-cpus", "report.txt.gz"))
    stamps = [record.ts for record in report_by_cpu.take_apart(text)[1]]
    if stamps == sorted(stamps):
        raise Failure("trace-cmd's text is in the order of time")


# What libtraceevent 1.9 prints of its own memory: the address that a number stands at, for the number
ADDRESS = re.compile(rb"(foo_bar: .*\[8\] )0x[0-9a-f]+(?=bl$)", re.M)


def as_34(options, trace, stored):
    """--compat=3.4: the text of trace-cmd 3.4 with libtraceevent 1.9."""
    text = read_text(stored)
    if report_by_cpu.is_graph(text) and not JOINS_NOTHING & set(options):
        report_by_cpu.as_stored(["--compat=3.4"] + options, trace, text)
        return
    same(ADDRESS.sub(rb"\1", report(["--compat=3.4"] + options, trace)), ADDRESS.sub(rb"\1", text))


def as_trace_cmd(options, *files):
    if not JOINS_NOTHING & set(options) and any(is_graph_file(file) for file in files):
        report_by_cpu.as_merged(options, *files)
        return
    text = report(AS_TRACE_CMD + options, *files)
    told = trace_cmd_like(text, options, *files)
    if AS_TRACE_CMD:
        text, told = ADDRESS.sub(rb"\1", text), ADDRESS.sub(rb"\1", told)
    same(text, told)


# Since Linux 6.19 the blk tracer writes struct blk_io_trace2, whose fields trace-cmd takes from the places of the older one.
# Ours are beside the kernel's text in latency.py.
BLK2 = ("blk-7.2", "blk-classic-7.2")
FIELDS = re.compile(rb"(blktrace: ).*")


def without_fields(options, trace):
    ours, theirs = report(AS_TRACE_CMD + options, trace), trace_cmd_report(options, trace)
    same(FIELDS.sub(rb"\1", ours), FIELDS.sub(rb"\1", theirs))


def rewritten(tool, trace, kind):
    """A trace in another container has the same report."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.dat")
        run([tool, trace, copy, kind])
        same(report([], trace), report([], copy))
        if TRACE_CMD and kind != "zlib":
            same(trace_cmd_report([], trace) if is_graph_file(trace) else report(AS_TRACE_CMD, trace),
                 trace_cmd_report([], copy))


def shifted(tool, options, offsets, *files):
    """--offset is trace-cmd's text of files that say by themselves that they are shifted."""
    with tempfile.TemporaryDirectory() as folder:
        copies, ours = [], []
        for nr, (file, ns) in enumerate(zip(files, offsets)):
            os.mkdir(os.path.join(folder, str(nr)))
            copies.append(os.path.join(folder, str(nr), "trace.dat"))
            run([tool, file, copies[-1], "v7", "%+d" % ns])
            ours += ["--offset", "%s%+dns" % (file + "=" if len(files) > 1 else "", ns)]
        told = trace_cmd_report(options, *copies)
        same(report(AS_TRACE_CMD + options + ours, *files), told)
        if told == trace_cmd_report(options, *files):
            raise Failure("trace-cmd knows nothing of the offset")


def exit_is_quiet():
    """A reader that goes away ends the report without an error."""
    trace = os.path.join(DATA, "good", "fgraph-depth", "trace.dat")
    with subprocess.Popen([PROGRAM, "report", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reporter:
        if reporter.stdout.readline() != b"cpus=2\n":
            raise Failure("the first line is another one")
        reporter.stdout.close()
        message = reporter.stderr.read()
    if reporter.returncode or message:
        raise Failure("exit status %d, %r" % (reporter.returncode, message))


def full_disk():
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    out = run(["sh", "-c", '"$0" report "$1" 2>&1 >/dev/full; echo status $?', PROGRAM, trace])
    if b"status 1" not in out or b"No space left" not in out:
        raise Failure("a full disk gave %r" % out)


def main():
    tap = Tap()
    good = traces(os.path.join(DATA, "good"))
    shared = traces(os.path.join(SHARED, "fixtures")) + corpus(os.path.join(SHARED, "corpus")) if SHARED else []
    for name, trace, stored in good:
        if name in JOINED_ACROSS and (not TRACE_CMD or AS_TRACE_CMD):
            tap.skip("stored " + name, "trace-cmd 3.1 or 3.2 is not installed")
        else:
            tap.case("stored " + name, as_stored, name, trace, stored)
    tap.case("time goes back in trace-cmd's text", goes_back)
    if not shared:
        tap.skip("fixtures and corpus", "no shared fixtures beside the project")
    for name, trace, stored in shared:
        if name != ZLIB and (name not in JOINED_ACROSS or (TRACE_CMD and not AS_TRACE_CMD)):
            tap.case("stored fixture " + name, as_stored, name, trace, stored)
    for name, trace, _ in good + shared:
        for options, stored in (([], "report-3.4.txt"), ([], "report-3.4.txt.gz"), (["-R"], "report-3.4-R.txt.gz"),
                                (["-O", "ftrace:parent=1", "-O", "ftrace:offset=1"], "report-3.4-parent.txt.gz")):
            path = os.path.join(os.path.dirname(trace), stored)
            if os.path.exists(path):
                tap.case(" ".join(["--compat=3.4"] + options + [name]), as_34, options, trace, path)
    for name, trace, _ in good + (shared if LONG else []):
        for options in OPTIONS if LONG else OPTIONS[sum(name.encode()) % 3::3]:
            if name == ZLIB:
                continue
            case = "%s %s" % (" ".join(options), name)
            if not TRACE_CMD:
                tap.skip(case, "trace-cmd is not installed")
            elif name in OTHERWISE:
                tap.skip(case, OTHERWISE[name])
            else:
                tap.case(case, without_fields if name in BLK2 and "-R" in options else as_trace_cmd, options, trace)
    binary = {name: trace for name, trace, _ in good + shared}
    pairs = [p for p in (("sched", "function"), ("instances", "cpu4"), ("fgraph", "fgraph-7.2")) if
             p[0] in binary and p[1] in binary]
    for a, b in pairs:
        if not TRACE_CMD:
            tap.skip("two files %s %s" % (a, b), "trace-cmd is not installed")
        elif a in OTHERWISE or b in OTHERWISE:
            tap.skip("two files %s %s" % (a, b), OTHERWISE.get(a) or OTHERWISE[b])
        else:
            tap.case("two files %s %s" % (a, b), as_trace_cmd, ["-t"], binary[a], binary[b])
    tool = os.path.join(BUILD, "tests", "tools", "rewrite_trace")
    if os.path.exists(tool) and "cpu4" in binary:
        for kind in ("v7", "zlib", "zstd", "v6"):
            tap.case("rewritten " + kind, rewritten, tool, binary["cpu4"], kind)
        if ZLIB in binary:
            tap.case("zlib fixture", rewritten, tool, binary[ZLIB], "v7")
    for options, offsets, names in ((["-t"], [1500000], ["sched"]), (["-l"], [-61706691068], ["sched"]), ([], [12345], ["instances"]),
                                    (["-t"], [0, 50008000000], ["sched", "instances"]),
                                    (["--ts-diff"], [-30000000, -50000000000], ["instances", "sched"])):
        case = "--offset %s %s" % (offsets, names)
        if not TRACE_CMD or not os.path.exists(tool):
            tap.skip(case, "trace-cmd is not installed")
        elif all(name in binary for name in names):
            tap.case(case, shifted, tool, options, offsets, *(binary[name] for name in names))
    tap.case("reader goes away", exit_is_quiet)
    tap.case("full disk", full_disk)
    tap.end()


main()
