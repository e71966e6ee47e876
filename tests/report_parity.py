#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report is, byte for byte, what trace-cmd report 3.1.6 prints; with --compat=3.4, what 3.4 does.

The stored reports are trace-cmd's; with the options it is asked itself, where it
is installed, for the text of its version.  The fixtures and the corpus of real kernels are taken where they
lie beside the project; with FTOP_TEST_LONG=1 all options on all of them.
"""
import os
import re
import subprocess
import tempfile

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


def as_stored(trace, stored):
    same(report([], trace), read_text(stored))


# What libtraceevent 1.9 prints of its own memory: the address that a number stands at, for the number
ADDRESS = re.compile(rb"(foo_bar: .*\[8\] )0x[0-9a-f]+(?=bl$)", re.M)


def as_34(options, trace, stored):
    """--compat=3.4: the text of trace-cmd 3.4 with libtraceevent 1.9."""
    same(ADDRESS.sub(rb"\1", report(["--compat=3.4"] + options, trace)), ADDRESS.sub(rb"\1", read_text(stored)))


def as_trace_cmd(options, *files):
    text = report(AS_TRACE_CMD + options, *files)
    told = trace_cmd_like(text, options, *files)
    if AS_TRACE_CMD:
        text, told = ADDRESS.sub(rb"\1", text), ADDRESS.sub(rb"\1", told)
    same(text, told)


def rewritten(tool, trace, kind):
    """A trace in another container has the same report."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.dat")
        run([tool, trace, copy, kind])
        same(report([], trace), report([], copy))
        if TRACE_CMD and kind != "zlib":
            same(report(AS_TRACE_CMD, trace), trace_cmd_report([], copy))


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
        tap.case("stored " + name, as_stored, trace, stored)
    if not shared:
        tap.skip("fixtures and corpus", "no shared fixtures beside the project")
    for name, trace, stored in shared:
        if name != ZLIB:
            tap.case("stored fixture " + name, as_stored, trace, stored)
    for name, trace, _ in good + shared:
        for options, stored in (([], "report-3.4.txt"), ([], "report-3.4.txt.gz"), (["-R"], "report-3.4-R.txt.gz"),
                                (["-O", "ftrace:parent=1", "-O", "ftrace:offset=1"], "report-3.4-parent.txt.gz")):
            path = os.path.join(os.path.dirname(trace), stored)
            if os.path.exists(path):
                tap.case(" ".join(["--compat=3.4"] + options + [name]), as_34, options, trace, path)
    for name, trace, _ in good + (shared if LONG else []):
        for options in OPTIONS:
            if name == ZLIB:
                continue
            case = "%s %s" % (" ".join(options), name)
            if not TRACE_CMD:
                tap.skip(case, "trace-cmd is not installed")
            elif name in OTHERWISE:
                tap.skip(case, OTHERWISE[name])
            else:
                tap.case(case, as_trace_cmd, options, trace)
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
    tap.case("reader goes away", exit_is_quiet)
    tap.case("full disk", full_disk)
    tap.end()


main()
