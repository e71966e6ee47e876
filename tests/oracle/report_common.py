# SPDX-License-Identifier: GPL-2.0-or-later
"""What the report tests share: the program, the traces with their reports, TAP.

./dev test asks thousands of questions.  With the sanitizers an answer costs five times as much, most of it to start the
program.  So of each kind of question the first and then every fiftieth is put to the build with sanitizers, and the others to
the plain build (FTOP_PLAIN_PROGRAM).  Each test also puts the first question on a fourth of the traces to it, each on another
fourth; with --long, and in a plain make check, all are put to the program under test.
"""
import collections
import gzip
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from waiting import LIMIT_S, until                              # noqa: E402, F401

SRC = os.environ.get("FTOP_SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("FTOP_BUILD", os.path.join(SRC, "build-run"))
DATA = os.environ.get("FTOP_TEST_DATA", os.path.join(SRC, "tests", "data"))
SHARED = os.environ.get("FTOP_SHARED", "")
PROGRAM = os.environ.get("FTOP_PROGRAM", os.path.join(BUILD, "ftop-trace"))
PLAIN = os.environ.get("FTOP_PLAIN_PROGRAM", "")	# the same without sanitizers, for most questions; "" = none
EVERY = 50		# question of a kind that PROGRAM answers all the same
LONG = bool(os.environ.get("FTOP_TEST_LONG"))
TRACE_CMD = shutil.which("trace-cmd")


def version_of(trace_cmd):
    """(3, 1); (0, 0) where it tells none."""
    done = subprocess.run([trace_cmd, "version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False)
    found = re.search(rb"trace-cmd version (\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


TRACE_CMD_VERSION = version_of(TRACE_CMD) if TRACE_CMD else (0, 0)
# Options for the text that the trace-cmd at hand prints; from 3.3 on each line has flags.
AS_TRACE_CMD = ["--compat=3.4"] if TRACE_CMD_VERSION >= (3, 3) else []


def read_text(path):
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        return file.read()


def traces(folder):
    """(name, trace, report) of each trace below a folder."""
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        for report in ("report.txt", "report.txt.gz"):
            path = os.path.join(folder, name, report)
            if os.path.exists(path):
                found.append((name, os.path.join(folder, name, "trace.dat"), path))
    return found


def shared_fixtures():
    """Those beside the project that tests/data does not hold, too; with FTOP_TEST_LONG all."""
    def held(name):
        path = os.path.join(DATA, "good", name, "trace.dat")
        return os.path.exists(path) and filecmp.cmp(path, os.path.join(SHARED, "fixtures", name, "trace.dat"), shallow=False)
    found = traces(os.path.join(SHARED, "fixtures")) if SHARED else []
    return [trace for trace in found if LONG or not held(trace[0])]


def corpus(folder):
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".dat"):
            path = os.path.join(folder, name[:-4] + ".report.txt")
            if os.path.exists(path):
                found.append((name[:-4], os.path.join(folder, name), path))
    return found


ASKED = collections.Counter()		# how often a kind of question was put, or one on a trace


CHOICES = ("--kind", "--by", "--format", "--style")		# options whose value chooses what runs


def kind_of(words):
    """The command and its options, without what stands behind them, which the same lines look at."""
    return tuple(words[:1]) + tuple(word if word.split("=")[0] in CHOICES else word.split("=")[0]
                                    for word in words[1:] if re.match(r"--?[a-zA-Z]", word))


def is_sampled(path):
    return zlib.crc32((sys.argv[0] + path).encode()) % 4 == 0


def program_for(words):
    """Which build is asked: the same one in each run of a test."""
    if not PLAIN:
        return PROGRAM
    kind = kind_of(words)
    files = [word for word in words if os.path.exists(word) and not word.startswith(tempfile.gettempdir())]
    first = any(not ASKED[file] and is_sampled(file) for file in files) or ASKED[kind] % EVERY == 0
    ASKED.update(files + [kind])
    return PROGRAM if first else PLAIN


def asked(*words):
    """The command line for one of the builds."""
    return [program_for(list(words))] + list(words)


def run(argv, status=0):
    """Standard output; raises with what went wrong."""
    if argv[0] == PROGRAM:
        argv = [program_for(argv[1:])] + argv[1:]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != status:
        raise Failure("%s: exit status %d, %s" % (" ".join(argv), done.returncode, done.stderr.decode(errors="replace")))
    return done.stdout


def report(options, *files):
    return run([PROGRAM, "report"] + options + list(files))


def is_latency_text(path):
    """A trace.dat with the text of a latency tracer: its report is that text, whatever the options."""
    return b"\n# tracer: " in report([], path)


def trace_cmd_report(options, *files):
    """What trace-cmd prints, however it ends: it has traces of its own to stumble over."""
    argv = [TRACE_CMD, "report"] + options
    for file in files:
        argv += ["-i", file]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    return done.stdout


def trace_cmd_like(text, options, *files):
    """The same; asked again if it is not this text: of an old file, one run in fifty shows all times as raw numbers."""
    for _ in range(3):
        told = trace_cmd_report(options, *files)
        if told == text:
            break
    return told


class Turn:
    """Of the questions put on each trace a short run puts every fifth; on the next trace the next fifth."""
    traces = 0

    def __init__(self):
        self.nr = Turn.traces
        Turn.traces += 1

    def comes(self):
        self.nr += 1
        return LONG or self.nr % 5 == 0


class Failure(Exception):
    pass


def same(got, expected):
    if got == expected:
        return
    got_lines, expected_lines = got.split(b"\n"), expected.split(b"\n")
    for i, line in enumerate(expected_lines):
        if i >= len(got_lines) or got_lines[i] != line:
            raise Failure("line %d is\n  %r\ninstead of\n  %r" %
                          (i + 1, got_lines[i] if i < len(got_lines) else None, line))
    raise Failure("%d lines too many, the first is\n  %r" %
                  (len(got_lines) - len(expected_lines), got_lines[len(expected_lines)]))


class Tap:
    def __init__(self):
        self.nr = 0
        self.failed = 0

    def case(self, name, test, *args):
        self.nr += 1
        try:
            test(*args)
            print("ok %d - %s" % (self.nr, name), flush=True)
        except Failure as failure:
            self.failed += 1
            print("not ok %d - %s" % (self.nr, name))
            for line in str(failure).split("\n"):
                print("# " + line, flush=True)

    def skip(self, name, reason):
        self.nr += 1
        print("ok %d - %s # SKIP %s" % (self.nr, name, reason), flush=True)

    def end(self):
        print("1..%d" % self.nr)
        sys.exit(1 if self.failed else 0)
