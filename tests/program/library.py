#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
library.py - libtraceevent and plugins in a process of their own: what hostile formats do to it costs one event's text, and whose plugins
are loaded.

Prints TAP.  With FTOP_SHARED, also plays the hostile traces that are kept there.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from random import Random

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap
from waiting import LIMIT_S

BUILD = os.environ.get("FTOP_BUILD", ".")
PROGRAM = os.path.abspath(os.path.join(BUILD, "ftop-trace"))
REWRITE = os.path.abspath(os.path.join(BUILD, "tests", "tools", "rewrite_trace"))
TRACE = os.path.abspath(os.path.join(os.environ.get("FTOP_TEST_DATA", "tests/data"), "good", "sched", "trace.dat"))
HOSTILE = os.path.join(os.environ.get("FTOP_SHARED", ""), "cases", "attack")
USER = 65534
COMMANDS = ("report", "report -R", "report -N", "report -L", "report --style=kernel", "graph --style=kernel", "info")
REPORT = re.compile(rb"^.* sched_stat_runtime: .*$", re.M)

# Print formats of sched_stat_runtime, and whether libtraceevent gets to see them.
FORMATS = (
    ('"%d", 1 % 0', False),
    ('"%d", 1 / (0x0)', False),
    ('"%s", __print_array(REC->comm, 2000000000, 8)', False),
    ('"%s", __print_hex(REC->comm, 1000000)', False),
    ('"%s", __print_hex_str(REC->comm, REC->runtime*1000000)', False),
    ('"%s", __print_array(REC->comm + 100000000, 10, 8)', False),
    # libtraceevent 1.7 and 1.8 die of this one
    ('"%d", REC->pid != -1 ? REC->pid : 0{ 1, "b" }, { -1 }', True),
)

PLUGIN = """
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
static int hello(struct trace_seq *s, struct tep_record *r, struct tep_event *e, void *c) { return !trace_seq_puts(s, "HELLO"); }
static int die(struct trace_seq *s, struct tep_record *r, struct tep_event *e, void *c) { return *(volatile int *)8; }
int TEP_PLUGIN_LOADER(struct tep_handle *t)
{
	tep_register_event_handler(t, -1, "sched", "sched_wakeup_new", die, NULL);
	return tep_register_event_handler(t, -1, "sched", "sched_switch", hello, NULL);
}
"""


def run(words, path, user=None, **env):
    """Output and messages of a command that has ended well."""
    kept = {k: v for k, v in os.environ.items() if k not in ("HOME", "TRACEEVENT_PLUGIN_DIR", "SUDO_UID")}
    done = subprocess.run([PROGRAM, *words.split(), path], capture_output=True, timeout=LIMIT_S, env=dict(kept, **env), user=user, group=user,
                          extra_groups=None if user is None else [], check=False)
    assert done.returncode in (0, 1), f"{words} {path}: {done.returncode}, {done.stderr[-300:]!r}"
    for report in done.stderr.split(b"=" * 65):		# a sanitizer's; those of libtraceevent end a helper
        assert b"Sanitizer" not in report or re.search(rb"\n    #[0-2] [^\n]*libtraceevent", report), report.decode(errors="replace")
    return done.stdout, done.stderr.decode()


def with_format(trace, print_fmt):
    """The trace with another print format of the same length."""
    event = trace.index(b"name: sched_stat_runtime\n")
    begin = trace.index(b"print fmt: ", event) + 11
    end = trace.index(b"\n", begin)
    assert len(print_fmt) <= end - begin
    return trace[:begin] + print_fmt.encode().ljust(end - begin) + trace[end:]


# What mutated print formats are made of, beside their own words.
WORDS = (b"( ) { } [ ] , ; ? : + - * / % << >> & | ! ~ == -> 0 1 -1 8 65535 100000 4294967295 18446744073709551615 REC REC->pid REC->x (int)"
         b" (char*) sizeof \"%s\" \"%p\" \"%*s\" \"%*pbl\" \"%pI6c\" \"|\" {1,\"a\"} __print_flags( __print_symbolic( __print_hex( __print_hex_str("
         b" __print_array( __get_str( __get_dynamic_array( __get_bitmask( __get_rel_str( __get_sockaddr(").split()


def mutated(random, text):
    """A print format with some words removed, repeated, exchanged or added; as long as before."""
    words = re.findall(rb'"(?:\\.|[^"\\])*"|\w+|->|<<|>>|&&|\|\||==|\s+|.', text, re.S)
    for _ in range(random.choice((0, 1, 2, 4, 8))):
        at, other = random.randrange(len(words)), random.choice((random.choice(WORDS), random.choice(words)))
        words[at:at + random.randrange(2)] = [other] * random.randrange(3) or [b" "]
    return b"".join(words)[:len(text)].ljust(len(text))


def test_mutated_formats():
    """At random, in all event types at once: with FTOP_TEST_LONG some thousand times."""
    random = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hostile.dat")
        subprocess.run([REWRITE, TRACE, path, "v6"], check=True)
        with open(path, "rb") as f:
            trace = f.read()
        rows = len(run("report", path)[0].splitlines())
        for nr in range(2000 if os.environ.get("FTOP_TEST_LONG") else 30):
            with open(path, "wb") as f:
                f.write(re.sub(rb"(?<=\nprint fmt: )[^\n]+", lambda m: mutated(random, m.group()), trace))
            for command in ("report", "report --style=kernel"):
                out, _ = run(command, path)
                assert len(out.splitlines()) >= rows, f"{command}, number {nr}"


def test_hostile_formats():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hostile.dat")
        subprocess.run([REWRITE, TRACE, path, "v6"], check=True)
        with open(path, "rb") as f:
            trace = f.read()
        others = REPORT.sub(b"", run("report", path)[0])
        for print_fmt, asked in FORMATS:
            with open(path, "wb") as f:
                f.write(with_format(trace, print_fmt))
            for command in COMMANDS:
                out, told = run(command, path)
                deaths = told.count("libtraceevent fails on the event sched:sched_stat_runtime: its fields are shown")
                assert len(out) > 1000 and deaths <= asked, f"{command}, {print_fmt}: {told}"
            out, _ = run("report", path)
            fields = b"[FAILED TO PARSE] comm=trace-cmd pid=231 runtime=1903216"
            assert fields in out, (print_fmt, REPORT.findall(out)[0])
            assert REPORT.sub(b"", out) == others, print_fmt


def test_hostile_traces():
    traces = sorted(glob.glob(os.path.join(HOSTILE, "D6-*.zst")) + glob.glob(os.path.join(HOSTILE, "fmt-*.zst")))
    if not traces:
        return "FTOP_SHARED does not have them"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hostile.dat")
        for trace in traces:
            subprocess.run(["zstd", "-dqf", trace, "-o", path], check=True)
            for command in COMMANDS:
                out, _ = run(command, path)
                assert len(out) > 1000, (command, trace)
    return None


def test_whose_plugins():
    """Those of the user are asked for every event, whatever the slashes; nobody else's are."""
    flags = subprocess.run(["pkg-config", "--cflags", "libtraceevent"], capture_output=True, text=True, check=False).stdout
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
    if not compiler:
        return "no compiler for a plugin"
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        folder, trace = os.path.join(home, ".local", "lib", "traceevent", "plugins"), os.path.join(home, "trace.dat")
        os.makedirs(folder)
        shutil.copy(TRACE, trace)
        with open(os.path.join(home, "hello.c"), "w", encoding="ascii") as f:
            f.write(PLUGIN)
        made = subprocess.run([compiler, "-shared", "-fPIC", *shlex.split(flags), "-o", os.path.join(folder, "hello.so"), f.name],
                              check=False, capture_output=True)
        if made.returncode:
            return "a plugin cannot be compiled"
        user = None if os.geteuid() else USER
        if user:
            os.chown(folder, user, user)
        switches = run("report", trace, user)[0].count(b" sched_switch: ")

        def hellos(user=user, **env):
            return [run(f"report{way}", trace, user, **env)[0].count(b"HELLO") for way in ("", " -L", " -N")]

        assert switches > 100
        for path in (folder, folder + "/", folder.replace("/lib/", "//lib///") + "//"):
            assert hellos(TRACEEVENT_PLUGIN_DIR=path) == [switches, switches, 0], path
        for path in (home, home + "/"):
            assert hellos(HOME=path) == [switches, switches, 0], path
        out, told = run("report", trace, user, HOME=home)
        assert told.count("a plugin fails on the event sched:sched_wakeup_new: its fields are shown; it crashed (SIGSEGV)") == 1, told
        assert b" sched_wakeup_new:     [FAILED TO PARSE] comm=" in out
        os.chmod(folder, 0o777)
        assert hellos(HOME=home) == hellos(TRACEEVENT_PLUGIN_DIR=folder) == [0, 0, 0], "others may write there"
        os.chmod(folder, 0o755)
        if not user:
            return None
        assert hellos(None, HOME=home) == hellos(None, TRACEEVENT_PLUGIN_DIR=folder + "/") == [0, 0, 0], "root loads it"
        os.chown(folder, user - 1, user)
        assert hellos(HOME=home) == hellos(TRACEEVENT_PLUGIN_DIR=folder) == [0, 0, 0], "another user's"
    return None


sys.exit(tap.run(globals()))
