#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures ftop-trace beside trace-cmd, KernelShark's library and a bare walk.

usage: bench.py [NAME...]

NAMEs choose rows by a part of their name: first, tail, jump, index, perf.data, scroll, memory, text,
zstd, cpus, every, names, many, report, grep, tables, summary, filter, typing, timeline, latency,
graph, recorder, live.  Peers run in turn with ours, medians are compared.  Latencies are
wall time; work over a whole trace is CPU seconds, which survive a busy machine.
Every file is read into the page cache before it is measured.

The traces are made once, in ${XDG_CACHE_HOME:-~/.cache}/ftop-trace-bench, out of a
recording of this machine (or, where that is refused, out of a fixture).
"""
import atexit
import contextlib
import fcntl
import csv
import json
import os
import re
import resource
import select
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
build = os.environ.get("FTOP_BUILD", os.path.join(top, "build-run"))
program = os.path.join(build, "ftop-trace")
cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                     "ftop-trace-bench")
MEGABYTES = int(os.environ.get("FTOP_BENCH_MB", "2100"))
TEXT_MEGABYTES = min(MEGABYTES, 300)	# of traces that peers print whole
COLUMNS, LINES = 80, 24
PEER_SECONDS = 60		# of CPU time that a slow peer may take


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# --- traces ----------------------------------------------------------------
def recorded(path):
    done = subprocess.run([sys.executable, os.path.join(here, "record.py"), path, "30"],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return True
    say("bench:", done.stderr.strip())
    return False


def seed():
    path = os.path.join(cache, "seed.dat")
    if os.path.exists(path):
        return path
    os.makedirs(cache, exist_ok=True)
    say("bench: recording this machine")
    if recorded(path):
        return path
    shared = os.environ.get("FTOP_SHARED", os.path.join(os.path.dirname(top), "shared"))
    for fixture in (os.path.join(shared, "fixtures/sched/trace.dat"),
                    os.path.join(top, "tests/data/good/cpu4/trace.dat")):
        if os.path.exists(fixture):
            say(f"bench: nothing can be recorded here: all traces are made of {fixture}")
            # make_trace repeats sub-buffers as they are, so they must not be compressed.
            subprocess.run([program, "cut", "--compression=none", "-o", path, fixture], check=True)
            return path
    sys.exit("bench: nothing can be recorded here, and there is no fixture")


def made(name, megabytes, cpus=0, compression="none"):
    """A trace of the cache; made if it is not there."""
    path = os.path.join(cache, name)
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(seed()):
        say(f"bench: making {path}")
        subprocess.run([os.path.join(build, "tests/bench/make_trace"), seed(), path,
                        str(megabytes), str(cpus), compression], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def big():
    return made("big.dat", MEGABYTES)


def zstd():
    """A compressed file of about 200 MB, with as much in it as big()."""
    return made("zstd.dat", MEGABYTES, 0, "zstd")


def part():
    """A trace small enough for peers to print all of it, and the same packed."""
    return made("part.dat", TEXT_MEGABYTES), made("partzstd.dat", TEXT_MEGABYTES, 0, "zstd")


def perf():
    """A perf.data of two kinds of events with call chains, and the same events as a trace.dat."""
    path = os.path.join(cache, "perf.data")
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        say(f"bench: recording {path}")
        subprocess.run(["perf", "record", "-q", "-m", "8192", "-a", "-g", "-e", "sched:sched_switch", "-e", "cpu-clock",
                        "-o", path + ".new", "--", "perf", "bench", "sched", "messaging", "-g", "4", "-l", "44000"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([program, "cut", "-o", path + ".dat", path + ".new"], check=True)
        os.rename(path + ".new", path)
    return path, path + ".dat"


def perfetto():
    """A trace as one of Perfetto, and the trace."""
    dat = part()[0]
    path = os.path.join(cache, "part.pftrace")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(dat):
        say(f"bench: making {path}")
        subprocess.run([program, "export", "--perfetto=" + path, dat], check=True, stderr=subprocess.DEVNULL)
    return path, dat


def text():
    """trace-cmd's text of a trace, and the trace."""
    dat = part()[0]
    path = os.path.join(cache, "part.txt")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(dat):
        say(f"bench: making {path}")
        with open(path + ".new", "wb") as out:
            subprocess.run([program, "report", dat], stdout=out, check=True)
        os.rename(path + ".new", path)
    return path, dat


def warm(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


# --- programs --------------------------------------------------------------
def run(*argv):
    """(wall seconds, CPU seconds, stdout) of a command, as words or as one for the shell."""
    command = ["sh", "-c", argv[0]] if len(argv) == 1 else list(argv)
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        size, head = 0, b""
        while True:
            data = os.read(child.stdout.fileno(), 1 << 20)
            if not data:
                break
            size += len(data)
            if len(head) < 1 << 20:
                head += data
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 141, -13):
        sys.exit(f"bench: {' '.join(argv)}: exit status {child.returncode}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, head


def silent(*argv):
    """(wall seconds, CPU seconds) of a command whose output nobody takes."""
    begin = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"bench: {' '.join(argv)}: exit status {child.returncode}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime


def wall(*argv):
    return run(*argv)[0]


def cpu(*argv):
    return run(*argv)[1]


def stopped_after(seconds, *argv):
    """(CPU seconds, whether it was stopped) of a peer that may take too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=limit) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, child.returncode in (-signal.SIGXCPU, -signal.SIGKILL)


class Session:
    """ftop-trace on a pseudo-terminal, with the time of each piece of output."""

    def __init__(self, *args):
        take, give = os.pipe()
        self.pid, self.fd = os.forkpty()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
                # What was kept of a former sitting is not to be measured, nor the user's own to be changed.
                os.environ |= {"TERM": "tmux-256color", "LANG": "C.UTF-8", "XDG_STATE_HOME": "/proc/nowhere",
                               "XDG_CONFIG_HOME": "/proc/nowhere"}
                os.write(give, struct.pack("d", time.monotonic()))
                os.execv(program, [program, *args])
            finally:
                os._exit(127)
        os.close(give)
        self.begin = struct.unpack("d", os.read(take, 8))[0]
        os.close(take)
        self.output = []		# (time, bytes)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.output.append((None, os.read(self.fd, 65536)))
        except OSError:
            sys.exit("bench: ftop-trace ended")
        self.output[-1] = (time.monotonic(), self.output[-1][1])
        return True

    def first_screen(self, limit=20):
        """Seconds from exec to the piece of output that completes the first frame."""
        from_screen = import_screen()
        screen, stream = from_screen.Screen(COLUMNS, LINES), None
        stream = from_screen.Stream(screen)
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.read(0.02):
                when, data = self.output[-1]
                stream.feed(data)
                rows = [row.strip() for row in screen.display]
                # header, overview, list down to its last row, key bar
                if all(rows[nr] for nr in (0, 1, 5, LINES - 6, LINES - 1)):
                    return when - self.begin
        sys.exit("bench: no first screen: " + repr([row for row in screen.display if row.strip()]))

    def key(self, data, quiet=0.008):
        """Seconds from a key to the last output it brings."""
        while self.read(0):
            pass
        begin = last = time.monotonic()
        os.write(self.fd, data)
        while self.read(1.0 if last == begin else quiet):
            last = self.output[-1][0]
        return last - begin

    def text(self):
        return b"".join(data for _, data in self.output)

    def rows(self):
        """What stands on the screen now."""
        terminal = import_screen()
        screen = terminal.Screen(COLUMNS, LINES)
        terminal.Stream(screen).feed(self.text())
        return screen.display

    def anon_bytes(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as status:
            return int(re.search(r"RssAnon:\s*(\d+)", status.read())[1]) * 1024

    def close(self):
        """Ends it; CPU seconds that it took."""
        os.kill(self.pid, 15)
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        used = os.wait4(self.pid, 0)[2]
        os.close(self.fd)
        return used.ru_utime + used.ru_stime


def import_screen():
    sys.path.insert(0, os.path.join(top, "tests/screens"))
    sys.dont_write_bytecode = True
    import terminal
    return terminal


def first_screen(path):
    session = Session(path)
    seconds = session.first_screen()
    session.close()
    return seconds


def info(path):
    """What --format=json says of a file."""
    import json
    return json.loads(run(program, "info", "--format=json", path)[2])


# --- rows ------------------------------------------------------------------
ROWS = []		# (name, function)
TABLE = []		# (row, ours, theirs, ratio, limit)


def row(name):
    def keep(function):
        ROWS.append((name, function))
        return function
    return keep


def in_turn(ours, theirs, runs=5):
    a, b = [], []
    for _ in range(runs):
        a.append(ours())
        b.append(theirs())
    return statistics.median(a), statistics.median(b)


def entry(what, ours, theirs, limit, unit="s"):
    """A line of the table; theirs None: the limit is absolute; limit None: there is none."""
    scale = {"s": 1, "ms": 1000, "MB": 1e-6, "B": 1, "ns": 1e9}[unit]
    ratio = ours if theirs is None else ours / theirs
    allowed = ""
    if limit is not None:
        allowed = f"{limit * scale:.4g} {unit}" if theirs is None else f"{limit:g}"
    TABLE.append((what, f"{ours * scale:.4g} {unit}",
                  "" if theirs is None else f"{theirs * scale:.4g} {unit}",
                  "" if theirs is None else f"{ratio:.3f}", allowed,
                  "" if limit is None else "ok" if ratio <= limit else "MISSED"))
    say("  ".join(TABLE[-1]))


@row("first screen")
def _first():
    warm(big())
    entry("first screen : trace-cmd report | head -50",
          *in_turn(lambda: first_screen(big()),
                   lambda: wall(f"trace-cmd report {big()} | head -50")), 0.5, "ms")
    small = made("small.dat", 30)
    warm(small)
    entry(f"first screen, {MEGABYTES / 1000:.1f} GB : 30 MB",
          *in_turn(lambda: first_screen(big()), lambda: first_screen(small), 9), 1.2, "ms")


@row("tail and jump")
def _tail():
    warm(big())
    first = statistics.median(first_screen(big()) for _ in range(5))
    tail = statistics.median(wall(program, "report", "--tail", "50", big()) for _ in range(5))
    entry("report --tail 50 : first screen", tail, first, 3, "ms")
    about = info(big())
    for percent in (1, 50, 99):
        at = about["first_ts_ns"] + (about["last_ts_ns"] - about["first_ts_ns"]) * percent // 100
        stamp = f"{at // 10**9}.{at % 10**9:09}"
        jump = statistics.median(wall(program, "report", "--from", stamp, "--head", "50", big())
                                 for _ in range(5))
        entry(f"report --from ({percent} %) --head 50 : first screen", jump, first, 3, "ms")
    session = Session(big())
    session.first_screen()
    jumps = [session.key(b":%d%%\r" % percent) for percent in (50, 3, 97, 20, 80)]
    session.close()
    entry("jump to a percentage on the screen : first screen", statistics.median(jumps), first,
          3, "ms")


@row("index")
def _index():
    warm(big())
    entry("whole index (info) : bare walk of every header",
          *in_turn(lambda: cpu(program, "info", big()),
                   lambda: cpu(os.path.join(build, "tests/bench/walk"), big())), 2.5)
    if kshark():
        entry("whole index (info) : libkshark's load",
              *in_turn(lambda: cpu(program, "info", big()), lambda: cpu(kshark(), big()), 3), 0.06)
        # What a user waits: the library has one thread, we have all CPUs.
        entry("  the same in wall time",
              *in_turn(lambda: wall(program, "info", big()), lambda: wall(kshark(), big()), 5), None)


@row("perf.data")
def _perf():
    if not shutil.which("perf"):
        say("bench: perf is not installed: no perf.data")
        return
    theirs, ours = perf()
    warm(theirs)
    warm(ours)
    entry("index (info) of a perf.data : of the same events in a trace.dat",
          *in_turn(lambda: cpu(program, "info", theirs), lambda: cpu(program, "info", ours)), 2)
    entry("  the same in wall time",
          *in_turn(lambda: wall(program, "info", theirs), lambda: wall(program, "info", ours)), None)
    entry("index (info) of a perf.data : perf script",
          *in_turn(lambda: cpu(program, "info", theirs), lambda: silent("perf", "script", "-i", theirs)[1], 1), 0.05)


@row("Perfetto")
def _perfetto():
    theirs, ours = perfetto()
    warm(theirs)
    warm(ours)
    entry("index (info) of a trace of Perfetto : of the trace.dat it is made from",
          *in_turn(lambda: cpu(program, "info", theirs), lambda: cpu(program, "info", ours), 9), 3)
    entry("  the same in wall time",
          *in_turn(lambda: wall(program, "info", theirs), lambda: wall(program, "info", ours), 9), None)
    entry("  first screen of both", *in_turn(lambda: first_screen(theirs), lambda: first_screen(ours)), 1.5, "ms")


@row("scroll")
def _scroll():
    warm(big())
    pages, session = [], None
    for _ in range(5):
        session = Session(big())
        begin = session.begin
        session.first_screen()
        while time.monotonic() - begin < 0.5:	# the index takes about so long
            pages.append(session.key(b"\x1b[6~"))
        session.close()
    entry(f"a page of scrolling while the index is built, median of {len(pages)}",
          statistics.median(pages), None, 0.005, "ms")
    entry("  the slowest of them", max(pages), None, None, "ms")


def memory_of(path, what):
    warm(path)
    events = info(path)["events"]
    session = Session(path)
    session.first_screen()
    for percent in (10, 90, 30, 70, 50):
        session.key(b":%d%%\r" % percent, quiet=0.05)
        for _ in range(40):
            session.key(b"\x1b[6~")
    session.key(b"G", quiet=0.1)
    session.key(b"g", quiet=0.1)
    session.key(b"/sched_switch\r", quiet=0.2)
    for _ in range(20):
        session.key(b"n", quiet=0.02)
    session.key(b"/there is no such text\r", quiet=0.2)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        session.read(0.1)
    used = session.anon_bytes()
    session.close()
    entry(f"RssAnon after browsing all over {what} ({events / 1e6:.1f} M events)", used, None,
          events + 40e6, "MB")


@row("memory")
def _memory():
    memory_of(big(), f"{MEGABYTES / 1000:.1f} GB")
    memory_of(zstd(), f"{os.path.getsize(zstd()) / 1e6:.0f} MB of zstd")


LETTERS = "[a-z][0-9]{3}[a-z]"


@row("text")
def _text():
    path, dat = text()
    for file in (path, dat):
        warm(file)
    what = f"text, {os.path.getsize(path) / 1e6:.0f} MB"
    entry(f"{what}: first screen : of the trace.dat of these events",
          *in_turn(lambda: first_screen(path), lambda: first_screen(dat)), 1.5, "ms")
    entry(f"{what}: whole index (info) : wc -l",
          *in_turn(lambda: cpu(program, "info", path), lambda: cpu("wc", "-l", path)), 4)
    entry(f"{what}: tasks : grep -c sched_switch",
          *in_turn(lambda: cpu(program, "tasks", path), lambda: cpu("grep", "-c", "sched_switch", path), 3), 8)
    for word in ("migration", "no such text") if shutil.which("rg") else ():
        entry(f"{what}: report --grep '{word}' : rg",
              *in_turn(lambda: cpu(program, "report", "--grep", word, path), lambda: cpu("rg", word, path)), 4)
    entry(f"{what}: report --grep of an expression without a word : grep -cP",
          *in_turn(lambda: cpu(program, "report", "--grep", LETTERS, path), lambda: cpu("grep", "-cP", LETTERS, path), 3), 3)
    memory_of(path, what)


def graph_text():
    """500 MB of the kernel's text of function_graph, which has no times; None where the fixture does not lie here."""
    dat, path = of_fixture("fgraph"), os.path.join(cache, "fgraph.txt")
    if dat and not os.path.exists(path):
        say(f"bench: making {path}")
        with open(path + ".new", "wb") as out:
            subprocess.run([program, "report", "--style=kernel", dat], stdout=out, check=True)
        os.rename(path + ".new", path)
    return path if dat else None


@row("text of function_graph")
def _graph_text():
    path = graph_text()
    if not path:
        return
    warm(path)
    entry(f"text of function_graph, {os.path.getsize(path) / 1e6:.0f} MB: whole index (info) : wc -l",
          *in_turn(lambda: cpu(program, "info", path), lambda: cpu("wc", "-l", path), 9), 12)


@row("zstd")
def _zstd():
    if not kshark():
        return
    path = made("zstd200.dat", 200, 0, "zstd")
    warm(path)
    entry("zstd, 200 MB unpacked: index (info) : libkshark's load",
          *in_turn(lambda: cpu(program, "info", path), lambda: cpu(kshark(), path), 3), None)
    # The library's time grows with the square of the size: minutes, so it is stopped.
    path = zstd()
    warm(path)
    ours = statistics.median(cpu(program, "info", path) for _ in range(3))
    theirs, stopped = stopped_after(PEER_SECONDS, kshark(), path)
    size = os.path.getsize(path) / 1e6
    entry(f"zstd, a file of {size:.0f} MB: index (info) : libkshark's load"
          + (", stopped" if stopped else ""), ours, theirs, 0.05)


@row("cpus")
def _cpus():
    few, many = made("cpus2.dat", 100), made("cpus256.dat", 100, 256)
    for path in (few, many):
        warm(path)
    nr_few, nr_many = info(few)["events"], info(many)["events"]
    for what, command in (("index (info)", "info"), ("report", "report")):
        ours, theirs = in_turn(lambda: cpu(program, command, many), lambda: cpu(program, command, few))
        entry(f"{what} per event, 256 CPUs : 2 CPUs", ours / nr_many, theirs / nr_few, 1.5, "ns")


def many_cpus(number):
    """A made-up trace of so many CPUs, and as many events whatever that number is."""
    path = os.path.join(cache, f"cpus-{number}.dat")
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        subprocess.run([os.path.join(build, "tests/tools/make_trace"), f"cpus-{number}", path], check=True)
    return path


def timeline_shown(path):
    """CPU seconds from the start until the Timeline shows all of a trace."""
    session = Session(path)
    session.first_screen()
    session.key(b"3", quiet=0.5)
    return session.close()


@row("timeline of many CPUs")
def _timeline_cpus():
    few = many_cpus(8)
    for number in (1024, 4096):
        many = many_cpus(number)
        for path in (few, many):
            warm(path)
        entry(f"start to the whole Timeline, {number:,} CPUs : 8 CPUs, as many events",
              *in_turn(lambda: timeline_shown(many), lambda: timeline_shown(few), 5), 1.5, "ms")


# FILE: the trace; OUT: a new folder.  hist, symbols and export --chrome have nothing to do in these traces.
EVERY = ("report", "report --format=json", "report -F next_pid<1000", "info", "fields", "tasks", "cpus", "wakeups", "timeline",
         "latency", "latency --kind=wakeup --anatomy", "why --task=107 --sums", "why --blocked-by", "functions", "graph", "count", "noise",
         "stacks", "summary", "diff FILE FILE", "diff --by=tasks FILE FILE", "check -e lost==0 -e tasks>=0 -e cpus>=0 FILE",
         "export --perfetto=-", "export --tables OUT FILE", "cut -o OUT/cut.dat FILE")


def asked(words, path):
    """CPU seconds of a command."""
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        argv = [word.replace("FILE", path).replace("OUT", folder) for word in words.split()]
        return silent(program, *argv, *([] if "FILE" in words else [path]))[1]


def of_switches(number):
    """A text of switches on so many CPUs, and as many lines whatever that number is."""
    def lines():
        draw, running = random.Random(1), [0] * number
        for i in range(100000):
            cpu = draw.randrange(number)
            was, running[cpu] = running[cpu], 0 if running[cpu] else 100 + draw.randrange(500)
            yield (f"          task-{was}     [{cpu:03}] d..2. 0.{i:06}: sched_switch: prev_comm=t{was} prev_pid={was} prev_prio=120 "
                   f"prev_state=S ==> next_comm=t{running[cpu]} next_pid={running[cpu]} next_prio=120\n")
    return kernel_text(f"switches-{number}-cpus.txt", lines())


@row("every command, memory of tasks")
def _every():
    for what, make in (("trace", many_cpus), ("text", of_switches)):
        few, worst = make(8), (0, "")
        for number in (256, 1024):
            many = make(number)
            for path in (few, many):
                warm(path)
            for words in EVERY:
                ours, theirs = in_turn(lambda: asked(words, many), lambda: asked(words, few))
                entry(f"{what}, {words}, {number:,} CPUs : 8 CPUs, as many events", ours, theirs, 2, "ms")
                worst = max(worst, (ours / theirs, words, ours, theirs))
        entry(f"  the worst of a {what}: {worst[1]}", worst[2], worst[3], None, "ms")
    few, many = names(1000, 1, "new"), names(400000, 1, "new")
    for command in ("timeline", "tasks", "cpus") if many else ():
        entry(f"{command}, 400 000 tasks that each create the next: memory of a task",
              (peak_bytes(program, command, many) - peak_bytes(program, command, few)) / 399000, None, 600, "B")


def names(number, step, *kind):
    """Switches between tasks that each have a name and a pid; None where the fixture does not lie here."""
    seed_path, path = os.path.join(cache, "sched-v6.dat"), os.path.join(cache, "-".join(["names", str(number), str(step), *kind]) + ".dat")
    fixture = os.path.join(os.environ.get("FTOP_SHARED", os.path.join(os.path.dirname(top), "shared")),
                           "fixtures/sched/trace.dat")
    if not os.path.exists(path):
        if not os.path.exists(fixture):
            say("bench: no trace of this kind:", fixture, "is not there")
            return None
        os.makedirs(cache, exist_ok=True)
        subprocess.run([os.path.join(build, "tests/tools/rewrite_trace"), fixture, seed_path, "v6"], check=True)
        subprocess.run([sys.executable, os.path.join(here, "make_names.py"), seed_path, path, str(number), str(step), *kind],
                       check=True)
    return path


@row("names")
def _names():
    for step in (1, 4096):		# 4096: pids that collide in small tables
        path = names(800000, step)
        if not path:
            return
        warm(path)
        for command in ("info", "report", "timeline", "tasks"):
            entry(f"{command}, 800 000 names and pids {step} apart : trace-cmd report",
                  *in_turn(lambda: silent(program, command, path)[1],
                           lambda: silent("trace-cmd", "report", "-i", path)[1], 3), 2)


def kernel_text(name, lines):
    """A text of the kernel in the cache, of these lines."""
    path = os.path.join(cache, name)
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        with open(path + ".new", "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n")
            out.writelines(lines)
        os.rename(path + ".new", path)
    return path


def of_cpus(number):
    """A text with a line of each CPU."""
    return kernel_text(f"text-{number}-cpus.txt",
                       (f"  task{i}-{1000 + i} [{i:03}] d..2. 100.{i * 3:06}: sched_waking: comm=work{i} pid={2000 + i} "
                        f"prio=120 target_cpu={i:03}\n" for i in range(number)))


def of_types(number):
    """A text with a line of each event type."""
    return kernel_text(f"text-{number}-types.txt",
                       (f"  task{i % 50}-{1000 + i % 50} [{i % 2:03}] d..2. 100.{i * 3:06}: event_{i}: a={i} b={i * 2}\n"
                        for i in range(number)))


@row("many CPUs and event types")
def _many():
    for what, commands, make, number in (("CPUs with a line each", ("info", "tasks"), of_cpus, 4096),
                                         ("event types with a line each", ("count",), of_types, 25000)):
        few, more = make(number), make(4 * number)
        for path in (few, more):
            warm(path)
        for command in commands:
            entry(f"text, {command}, {4 * number:,} {what} : {number:,} of them",
                  *in_turn(lambda: cpu(program, command, more), lambda: cpu(program, command, few), 3), 5)


def medians(runs, *commands):
    """The median of each figure of each command; they run in turn."""
    results = [[] for _ in commands]
    for _ in range(runs):
        for nr, command in enumerate(commands):
            results[nr].append(command())
    return [[statistics.median(column) for column in zip(*lines)] for lines in results]


@row("report")
def _report():
    path, packed = part()
    for file in (path, packed):
        warm(file)
    same_text(made("cpus2.dat", 100))
    ours, theirs, zipped, first, peers_first = medians(
        3, lambda: silent(program, "report", path), lambda: silent("trace-cmd", "report", path),
        lambda: silent(program, "report", packed), lambda: (wall(f"{program} report {path} | head -50"),),
        lambda: (wall(f"trace-cmd report {path} | head -50"),))
    entry(f"report of everything, {TEXT_MEGABYTES} MB : trace-cmd report", ours[1], theirs[1], 0.10)
    entry(f"  the same in wall time, on {len(os.sched_getaffinity(0))} CPUs", ours[0], theirs[0], 0.07)
    entry("  report of the same in zstd : of the plain file", zipped[1], ours[1], 1.3)
    entry("  report --format=csv of the same : as text",
          *in_turn(lambda: cpu(program, "report", "--format=csv", path), lambda: cpu(program, "report", path), 3), 2.5)
    entry("report | head -50, wall time : trace-cmd report | head -50", first[0], peers_first[0], 0.5, "ms")


def exported(path):
    """(wall seconds, CPU seconds) of export --tables into a new folder."""
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        return run(program, "export", "--tables", folder, path)[:2]


@row("tables")
def _tables():
    path = part()[0]
    warm(path)
    events = info(path)["events"]
    (seconds, used), (index,) = medians(3, lambda: exported(path), lambda: (cpu(program, "info", path),))
    entry(f"export --tables, wall time of an event of {events / 1e6:.1f} M, on {len(os.sched_getaffinity(0))} CPUs",
          seconds / events, None, 1 / 3e6, "ns")
    entry("  its CPU time : whole index (info)", used, index, None)


@row("summary")
def _summary():
    for path in filter(None, (part()[0], of_fixture("sched"), of_fixture("syscalls"))):
        warm(path)
        entry(f"summary of {os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB : whole index (info)",
              *in_turn(lambda: cpu(program, "summary", path), lambda: cpu(program, "info", path)), 5)


GENERAL = "[=x] ?-?1[0-9]?$"	# what was returned: all lines have to be made
PARTLY = "NR [0-9]+ .*7ff[0-9a-f]+"	# of two frequent events


@row("grep")
def _grep():
    path, packed = part()
    for file in (path, packed):
        warm(file)
    rare = min((kind for kind in info(path)["event_types"] if kind["count"] > 100), key=lambda kind: kind["count"])["name"]
    for what, regex, limit in (("a regular expression", GENERAL, 0.10), ("one of two frequent events", PARTLY, 0.10),
                               (f"a literal that names an event ({rare})", rare, 0.02),
                               ("a literal that names a task (kworker)", "kworker", 0.02)):
        same_lines(path, regex)
        ours, theirs, zipped = medians(3, lambda: run(program, "report", "--grep", regex, path)[:2],
                                       lambda: run(f"trace-cmd report {path} | grep -E '{regex}'")[:2],
                                       lambda: run(program, "report", "--grep", regex, packed)[:2])
        entry(f"report --grep, {what} : trace-cmd report | grep -E", ours[1], theirs[1], limit)
        if regex == GENERAL:
            entry("  the same in zstd : of the plain file", zipped[1], ours[1], 1.3)


# Two tasks that make system calls, 50 a ms each: with their switches and interrupts, some 100,000 events a second.
LIVE_LOAD = """
import os, time
if os.fork() == 0: time.sleep(0)
while True:
    for _ in range(%d): os.getppid()
    time.sleep(.002)
"""
LIVE_SECONDS = 20


def can_record():
    """Whether something can be recorded here; says why not."""
    tried = subprocess.run([program, "record", "-q", "--no-browse", "-e", "sched_switch", "-o",
                            os.path.join(cache, "try.dat"), "true"], capture_output=True, text=True)
    if tried.returncode:
        say("bench: recording:", tried.stderr.strip(), "(tests/vm/bench.py measures in a VM)")
        return False
    os.unlink(os.path.join(cache, "try.dat"))
    return True


class Live(Session):
    """A recording on the screen, of this load, until close()."""

    def __init__(self, calls, path, *options):
        self.load = subprocess.Popen([sys.executable, "-c", LIVE_LOAD % calls], start_new_session=True)
        atexit.register(self.end_load)
        super().__init__("live", "-e", "sched", "-e", "irq", "-e", "raw_syscalls", "-o", path, *options)
        self.see(b"the last 10.00 s")

    def see(self, text, limit=60):
        end = time.monotonic() + limit
        while text not in self.text():
            if time.monotonic() > end:
                sys.exit(f"bench: live: {text} is not shown: {self.rows()}")
            self.read(0.1)

    def read_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)

    def cpu(self):
        """Of the screen and its workers; the recorder is another process."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def share(self):
        """Of a CPU, that the screen takes in LIVE_SECONDS."""
        begin, used = time.monotonic(), self.cpu()
        self.read_for(LIVE_SECONDS)
        return (self.cpu() - used) / (time.monotonic() - begin)

    def end_load(self):
        if self.load.returncode is None:
            os.killpg(self.load.pid, signal.SIGKILL)
            self.load.wait()

    def finish(self):
        self.end_load()
        os.write(self.fd, b"\x03")
        self.see(b"the recording has ended")
        self.close()


def marker_delays(session):
    """Seconds from a line in trace_marker to the row that shows it."""
    import glob
    for keys in (b"1", b"f", b"print\r", b"G"):
        os.write(session.fd, keys)
        session.read_for(0.5)       # it never comes to rest
    delays = []
    for i in range(12):
        text = b"live-%d-end" % i
        session.read_for(0.3 + 0.07 * i)
        begin = time.monotonic()
        for path in glob.glob("/sys/kernel/tracing/instances/ftop-*/trace_marker"):
            with contextlib.suppress(OSError), open(path, "wb", buffering=0) as marker:
                marker.write(text)      # not where another recording has stopped or ends
        session.see(text)
        delays.append(time.monotonic() - begin)
    return delays


def events_each_second(path):
    about = info(path)
    return about["events"] / (about["last_ts_ns"] - about["first_ts_ns"]) * 1e9


@row("live")
def _live():
    os.makedirs(cache, exist_ok=True)
    if not can_record():
        TABLE.append(("live", "", "", "", "", ""))
        return
    folder = tempfile.mkdtemp(prefix="ftop-bench-")     # the browser writes no hidden files
    path = os.path.join(folder, "live.dat")
    session = Live(50, path)
    session.read_for(2)
    share = session.share()
    # to the first output: it never comes to rest
    keys = [session.key(key, 0) for key in (b"j", b"k", b"+", b"-", b"j", b"k", b"6")]
    waits = session.key(b"j", 0)        # Tasks has no rows yet
    keys.append(session.key(b"4", 0))
    session.read_for(1)
    keys += [session.key(key, 0) for key in (b"j", b"k", b"j", b"9")]
    session.finish()
    about = info(path)
    rate = events_each_second(path)
    passes = cpu(program, "tasks", path) + cpu(program, "latency", path) - cpu(program, "info", path)
    entry(f"live, {rate:,.0f} events/s: the screen's CPU time, Now at 80x24", share, None, 0.05)
    entry("  the same, per event : index, tasks and latency of the finished file",
          share / rate, passes / about["events"], 1.3, "ns")
    entry("  a key while all this goes on", statistics.median(keys), None, 0.05, "ms")
    entry("    the slowest of them", max(keys), None, None, "ms")
    entry("    one that waits for the rows of a view just opened", waits, None, None, "ms")
    TABLE.append(("  events lost, with the screen", str(about.get("lost_events", 0)), "", "", "0",
                  "ok" if not about.get("lost_events") else "MISSED"))
    os.unlink(path)
    session = Live(50, path, "-m", "20s")
    session.read_for(25)                # the ring has gone round
    ring = session.share()
    session.finish()
    entry("  the screen's CPU time where a ring keeps 20 s", ring, None, 0.05)
    os.unlink(path)
    session = Live(3, path)
    few = session.share()
    delays = sorted(marker_delays(session))
    session.finish()
    few_rate = events_each_second(path)
    entry(f"  what an event adds, beyond {few_rate:,.0f} events/s : index, tasks and latency",
          (share - few) / (rate - few_rate), passes / about["events"], None, "ns")
    shutil.rmtree(folder)
    entry("live, 10,000 events/s: from an event to its row, the longest", delays[-1], None, 1.2)
    entry("  half of them", statistics.median(delays), None, 0.6)


# figure, what it is, limit of the ratio
RECORDER = (
    ("slowdown", "load while recording (sched, same clock) : while trace-cmd records", 1.0),
    ("cpu", "recorder's CPU time per GB recorded : bare splice loop", 1.3),
    ("start-to-tracing", "start to the command's first instruction : trace-cmd record", 0.5),
    ("stop-to-file", "SIGINT to the finished file : trace-cmd record", 0.5),
    ("stop-to-prompt", "  and to the prompt, tracefs put back : trace-cmd, which leaves it", None),
    ("bytes", "bytes written to disk : trace-cmd record", 0.6),
)


def recorder_figures():
    """{figure: [(ours, theirs)]} of recorder.sh; None, and why, where nothing can be recorded here."""
    for tool in ("perf", "trace-cmd"):
        if not shutil.which(tool):
            say(f"bench: recorder: no {tool} here")
            return None
    if not can_record():
        return None
    done = subprocess.run(["sh", os.path.join(here, "recorder.sh"), program,
                           os.path.join(build, "tests/bench/record_probe"), cache, "6", "300"],
                          stdout=subprocess.PIPE, text=True, check=True)
    figures = {}
    for line in done.stdout.splitlines():
        if line.startswith("skip "):
            say("bench: recorder:", line[5:])
        else:
            name, ours, theirs = line.split()
            figures.setdefault(name, []).append((float(ours), float(theirs)))
    return figures


@row("recorder")
def _recorder():
    os.makedirs(cache, exist_ok=True)
    figures = recorder_figures()
    if figures is None:
        TABLE.append(("recorder", "", "", "", "", ""))
        return
    for name, what, limit in RECORDER:
        if name in figures:
            ours, theirs = (statistics.median(side) for side in zip(*figures[name]))
            entry(what, ours, theirs, limit, "MB" if name == "bytes" else "s")
    lost = sum(ours > 0 for ours, _ in figures["lost"])
    TABLE.append(("runs of 5 that lost events (sched, irq, syscalls, timer; 1.4 MB a CPU)", str(lost), "", "", "0",
                  "ok" if len(figures["lost"]) == 5 and not lost else "MISSED"))


def same_text(path, *options):
    """Speed is worth nothing if the text differs."""
    done = subprocess.run(["bash", "-c", 'cmp <("$0" report "${@:2}" "$1") <(trace-cmd report "${@:2}" "$1")',
                           program, path, *options], capture_output=True, text=True)
    if done.returncode:
        TABLE.append((" ".join(("report", *options)) + " : trace-cmd report, text", "", "", "", "",
                      "DIFFERS " + done.stdout.strip()[-40:]))


def same_lines(path, regex):
    """The same of --grep, which has the line of the CPUs besides."""
    done = subprocess.run(["bash", "-c", 'cmp <("$0" report --grep "$2" "$1" | tail -n +2) <(trace-cmd report "$1" | grep -E "$2")',
                           program, path, regex], capture_output=True, text=True)
    if done.returncode:
        TABLE.append((f"report --grep {regex} : trace-cmd report | grep -E, text", "", "", "", "",
                      "DIFFERS " + done.stdout.strip()[-40:]))


def probe(*args):
    """What filter_probe tells, in a dictionary."""
    import json
    return json.loads(run(os.path.join(build, "tests/bench/filter_probe"), *args)[2])


NUMERIC = "sched_switch: next_pid > 0 && next_pid < 20"
TYPED = "sched_switch && next_pid > 0 && next_pid < 20"


def of_fixture(name):
    """500 MB out of a fixture; None where it does not lie here."""
    fixture = os.path.join(os.environ.get("FTOP_SHARED", os.path.join(os.path.dirname(top), "shared")),
                           "fixtures", name, "trace.dat")
    path, unpacked = os.path.join(cache, name + ".dat"), os.path.join(cache, name + "-seed.dat")
    if os.path.exists(path):
        return path
    if not os.path.exists(fixture):
        say("bench: no trace of this kind:", fixture, "is not there")
        return None
    os.makedirs(cache, exist_ok=True)
    say(f"bench: making {path}")
    subprocess.run([os.path.join(build, "tests/tools/rewrite_trace"), fixture, unpacked, "v7"], check=True)
    subprocess.run([os.path.join(build, "tests/bench/make_trace"), unpacked, path, "520"], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def latency_trace():
    """500 MB of sched, irq, timer and system call events."""
    path, small = os.path.join(cache, "latency.dat"), os.path.join(cache, "latency-seed.dat")
    if os.path.exists(path):
        return path
    os.makedirs(cache, exist_ok=True)
    say("bench: recording this machine")
    done = subprocess.run([sys.executable, os.path.join(here, "record.py"), small, "30", "sched,irq,timer,syscalls"],
                          capture_output=True, text=True)
    if done.returncode:
        say("bench:", done.stderr.strip())
        return made("latency.dat", 520)
    say(f"bench: making {path}")
    subprocess.run([os.path.join(build, "tests/bench/make_trace"), small, path, "520"], check=True, stdout=subprocess.DEVNULL)
    return path


def limited(seconds, *argv):
    """(CPU seconds, most bytes) of a peer that may take too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


@row("latency")
def _latency():
    path = latency_trace()
    warm(path)
    events = info(path)["events"]
    entry(f"latency, all kinds in {events / 1e6:.1f} M events : whole index (info)",
          *in_turn(lambda: cpu(program, "latency", path), lambda: cpu(program, "info", path), 9), 3)
    seconds, most = limited(PEER_SECONDS, "trace-cmd", "report", "--profile", path)
    entry("  CPU time : trace-cmd report --profile" + (", stopped" if seconds >= PEER_SECONDS else ""),
          statistics.median(cpu(program, "latency", path) for _ in range(3)), seconds, 0.05)
    entry("  memory : trace-cmd report --profile", peak_bytes(program, "latency", path), most, 0.05, "MB")
    entry("  memory, with the instances of a kind", peak_bytes(program, "latency", "--kind=syscall", "--head=10", path), None, 200e6, "MB")
    entry("  memory, with a million instances sorted", peak_bytes(program, "latency", "--kind=syscall", "--sort=start", path), None, 200e6, "MB")


def peak_bytes(*argv):
    """Without preexec_fn the child would share our memory at first, and have our peak."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=int) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss * 1024


@row("timeline")
def _timeline():
    path = of_fixture("sched")
    if not path:
        return
    probe = os.path.join(build, "tests/bench/sched_probe")
    warm(path)
    events = info(path)["events"]

    def measure(what, key):
        return statistics.median(json.loads(run(probe, what, path)[2])[key] for _ in range(5))

    entry(f"timeline: CPU time of an event of {events / 1e6:.1f} M, sums of tasks", measure("sums", "cpu") / events, None,
          50e-9, "ns")
    entry("  the same, the whole model", measure("model", "cpu") / events, None, 50e-9, "ns")
    entry("  redraw of 200 columns by 40 rows, average of all zooms", measure("redraw", "average_ms") / 1e3, None, 0.005, "ms")
    entry("  the slowest zoom", measure("redraw", "slowest_ms") / 1e3, None, 0.005, "ms")
    if kshark():
        entry("  from opening to the first picture : libkshark's load",
              *in_turn(lambda: json.loads(run(probe, "first", path)[2])["wall"], lambda: wall(kshark(), path)), 0.1, "ms")
        entry("  memory, with the whole model : libkshark's",
              *in_turn(lambda: peak_bytes(probe, "model", path), lambda: peak_bytes(kshark(), path), 3), 0.1, "MB")


@row("why")
def _why():
    path = of_fixture("sched")
    if not path:
        return
    probe = os.path.join(build, "tests/bench/sched_probe")
    warm(path)
    found = [json.loads(run(probe, "why", path)[2]) for _ in range(3)]
    entry(f"why: the slowest of 40 tasks, over 10 s, {found[0]['parts']} parts", min(f["slowest_ms"] for f in found) / 1e3, None,
          0.1, "ms")
    entry("  what blocked all tasks, over the whole trace", min(f["all_ms"] for f in found) / 1e3, None, None, "ms")


CALL = re.compile(r"\d\.\d{3} +\d+\.\d{3} +[▸▾]? *\S+\(")	# duration, self, name


def tree_on_screen(session, percent):
    """Seconds from Enter to the last output that a jump in Graph brings: calls, with their times."""
    before = session.rows()
    seconds = session.key(b":%d%%\r" % percent, quiet=0.25)
    rows = session.rows()
    if rows == before or not any(CALL.search(row) for row in rows):
        sys.exit(f"bench: no calls on the screen at {percent} %: {rows}")
    return seconds


def graph_session(path):
    """(seconds of jumps, bytes in the end): a sitting with the tree, slow places and the table of functions."""
    session = Session(path)
    session.first_screen()
    session.key(b"2", quiet=1)
    jumps = [tree_on_screen(session, percent) for percent in (50, 3, 97, 20, 81, 66, 12, 38, 91)]
    peak = session.anon_bytes()
    for keys in (b"E", b"G", b"g", b"]", b"]", b":50%\r", b"5", b"\r", b"K", b"2"):
        session.key(keys, quiet=1)
        peak = max(peak, session.anon_bytes())
    session.close()
    return jumps, peak


@row("graph")
def _graph():
    for name, what in (("fgraph-events", "calls and sched events"), ("fgraph-overwritten", "all functions")):
        path = of_fixture(name)
        if not path:
            return
        warm(path)
        about = info(path)
        records = about["events"]
        ours, theirs = medians(3, lambda: silent(program, "functions", path), lambda: silent("trace-cmd", "report", path))
        entry(f"functions of everything, {os.path.getsize(path) / 1e6:.0f} MB of {what}: CPU time of one of {records / 1e6:.1f} M records",
              ours[1] / records, None, 1 / 8e6, "ns")
        entry("  the whole table : trace-cmd report", ours[1], theirs[1], 0.2)
        entry("  the same in wall time", ours[0], theirs[0], 0.2)
        entry("  memory (VmHWM)", peak_bytes(program, "functions", path), None, 200e6, "MB")
        jumps, peak = graph_session(path)
        entry(f"  the tree at a random place on the screen, median of {len(jumps)}", statistics.median(jumps), None, 0.1, "ms")
        entry("  the slowest of them", max(jumps), None, 0.1, "ms")
        entry("  RssAnon after a sitting with Graph and Functions, the most", peak, None, 200e6, "MB")


def rare_task(path):
    """The pid of the task that left its CPU the least often, but did."""
    rows = csv.DictReader(subprocess.run([program, "tasks", "--format=csv", path], stdout=subprocess.PIPE, text=True,
                                         check=True).stdout.splitlines())
    return min((row for row in rows if int(row["switches"]) > 1), key=lambda row: int(row["switches"]))["pid"]


@row("filter")
def _filter():
    path, small, packed = big(), made("cpus2.dat", 100), zstd()
    size = f"{os.path.getsize(path) / 1e9:.1f} GB"
    for file in (path, small, packed):
        warm(file)
    same_text(small, "-F", NUMERIC)
    ours, theirs = in_turn(lambda: cpu(program, "report", "--count", "-F", NUMERIC, path),
                           lambda: cpu("trace-cmd", "report", "-F", NUMERIC, path), 3)
    walk = os.path.join(build, "tests/bench/walk")
    entry(f"numeric filter, {size}, no index, --count : trace-cmd report -F", ours, theirs, 0.08)
    entry("  the same : a bare walk of every header",
          *in_turn(lambda: cpu(program, "report", "--count", "-F", NUMERIC, path), lambda: cpu(walk, path)), 2)
    entry("  its lines, report -F : trace-cmd report -F",
          statistics.median(cpu(program, "report", "-F", NUMERIC, path) for _ in range(3)), theirs, 0.08)
    rare = min(info(path)["event_types"], key=lambda kind: kind["count"])["name"]
    task = rare_task(path)
    for what, asked, peers in ((f"a rare event ({rare})", rare, rare),
                               (f"a rare task ({task})", f"pid == {task}", f".*:common_pid == {task}")):
        entry(f"with the index, {what} : trace-cmd report -F",
              statistics.median(probe("index", path, asked)["cpu"] for _ in range(3)),
              cpu("trace-cmd", "report", "-F", peers, path), 0.02)
    _filter_zstd(path, packed)
    typed = [probe("typing", path, TYPED) for _ in range(3)]
    entry("typing a filter: rows on the screen, the slowest key",
          statistics.median(one["frame"] for one in typed), None, 0.05, "ms")
    entry("  the longest time in which no key is heard",
          statistics.median(one["slice"] for one in typed), None, None, "ms")
    entry("  the last key's count", statistics.median(one["wall"] for one in typed), None, None, "ms")


@row("typing")
def _typing():
    import typing_session
    path = os.environ.get("FTOP_BENCH_TYPED") or big()
    warm(path)
    typed = [typing_session.measure(path) for _ in range(3)]
    one = typed[0]
    say(f"bench: typed into {path}: {one['text']}: {one['matches']} rows")
    what = f"{one['keys']} keys, 10 a second, {one['types']} event types"

    def median(name):
        return statistics.median(run[name] for run in typed)
    entry(f"typing a filter ({what}): the key that is on the screen last", median("echo"), None, 0.05, "ms")
    entry("  its rows at rest", median("rows"), None, None, "ms")
    entry("  CPU time of the main thread until the next key, the dearest", median("main_cpu"), None, None, "ms")
    entry("  the main thread waited for a CPU of a busy machine", median("main_waited"), None, None, "ms")
    entry("  the last key's count is complete", median("count"), None, None, "ms")
    entry("  workers stop that are not wanted", median("stop"), None, 0.02, "ms")


# What models derive, on one trace with little that matches and much, by itself, computed with and beside other terms.
DERIVED = (("sched", ("wait > 1ms", "state == sleep", "prio < 100", "wait + ran > 1ms", "wakelat * 2 > 100us",
                      "state == sleep && next_prio < 130")),
           ("fgraph-overwritten", ("self > 10us", "net < 2us", "under vfs_*", "under _raw*", "self * 2 > dur",
                                   "under _raw* && depth > 3")),
           ("fgraph-events", ("self < 2us", "under vfs_*", "under *lock*", "self * 2 > dur", "wait + ran > 100us")))


# Bytes that a model may hold for each record with the value, or within the functions (derived_values.h).
HELD = {"wait": 3.5, "ran": 3.5, "wakelat": 3.5, "state": 1.5, "self": 3, "net": 3, "under": 2}


def held(path, text):
    """What models may hold for a filter."""
    words = text.split(" && ")[0]
    return sum(per_record * int(run(program, "report", "--count", "-F", words if name == "under" else f"{name} >= 0", path)[2])
               for name, per_record in HELD.items() if name in text.split())


@row("filter memory")
def _filter_memory():
    path = big()
    events = info(path)["events"]
    entry("memory of a filter with some matches everywhere",
          probe("index", path, "raw_syscalls:* || sched_switch")["bytes"], None, events / 8 + 1e6, "MB")
    for name, filters in DERIVED:
        path = of_fixture(name)
        if not path:
            continue
        for text in filters:
            one = probe("index", path, text)
            limit = info(path)["events"] / 8 + 1e6 + held(path, text)
            entry(f"  of {text}, with what its model holds ({os.path.getsize(path) / 1e6:.0f} MB)", one["bytes"], None, limit, "MB")
            entry("    the most of the heap until it is found, with all that works at it", one["peak"], None, None, "MB")


def _filter_zstd(path, packed):
    """A packed file with as much in it: what unpacking takes, and half of what the plain one does."""
    ours, plain, unpacking = [], [], []
    for _ in range(3):
        ours.append(probe("pass", packed, NUMERIC)["cpu"])
        plain.append(probe("pass", path, NUMERIC)["cpu"])
        unpacking.append(probe("unpack", packed)["cpu"])
    entry("zstd, numeric filter : unpacking + 0.5 of the plain filter", statistics.median(ours),
          statistics.median(unpacking) + 0.5 * statistics.median(plain), 1)


def kshark():
    """The probe of libkshark; None where it cannot be built."""
    path = os.path.join(build, "tests/bench/kshark_load")
    source = os.path.join(here, "kshark_load.c")
    if os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(source):
        return path
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libkshark"],
                           capture_output=True, text=True)
    if flags.returncode == 0:
        subprocess.run(["gcc", "-O2", "-o", path, source, *flags.stdout.split()], check=True)
        return path
    say("bench: no libkshark here:", flags.stderr.strip().split("\n")[0])
    return None


def main():
    names = sys.argv[1:]
    subprocess.run(["make", "-s", "-C", build, "bench-programs"], check=True)
    for name, function in ROWS:
        if not names or any(part in name for part in names):
            function()
    if not TABLE:
        sys.exit("bench: no such row: " + ", ".join(name for name, _ in ROWS))
    head = ("what", "ftop-trace", "peer", "ratio", "limit", "")
    widths = [max(len(line[nr]) for line in TABLE + [head]) for nr in range(6)]
    print()
    for line in [head] + TABLE:
        print("  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in
                                                      zip(line[1:], widths[1:])]).rstrip())
    missed = sum(line[5] not in ("", "ok") for line in TABLE)
    print(f"{sum(line[5] == 'ok' for line in TABLE)} limits kept, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
