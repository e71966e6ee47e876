# SPDX-License-Identifier: GPL-2.0-or-later
"""
openings.py - what each command opens for writing, as the kernel is asked for it (tests/tools/openings.c).

Each opening is by a name in a folder that was opened, as src/base/file_place.h does it, or is one of OTHERS, which have a reason.
The commands are those that the program lists, so that a new one is not forgotten.  Prints TAP.

Without an argument: commands that need no root.  live: those that record on this machine's kernel.

usage: openings.py [live]
"""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.dont_write_bytecode = True
import tap
from waiting import LIMIT_S, until

BUILD = os.environ.get("FTOP_BUILD", ".")
PROGRAM = os.path.abspath(os.path.join(BUILD, "ftop-trace"))
TOOL = os.path.abspath(os.path.join(BUILD, "tests", "tools", "openings"))
DATA = os.path.abspath(os.path.join(os.environ.get("FTOP_TEST_DATA", "tests/data"), "good"))
TRACE = os.path.join(DATA, "cpu4", "trace.dat")

LISTS = "tasks cpus latency noise count stacks wakeups why functions graph timeline summary info fields report".split()
# Command: its runs.
RUNS = {
    **{name: [[name, TRACE]] for name in LISTS},
    "stacks": [["stacks", "--off-cpu", "t.dat.gz"]],
    "diff": [["diff", TRACE, TRACE]],
    "check": [["check", "--baseline", TRACE, TRACE]],
    "why": [["why", "--blocked-by", TRACE]],
    "export": [["export", "--perfetto=out.pftrace", TRACE], ["export", "--chrome=out.json", TRACE], ["export", "--chrome=link", TRACE],
               ["export", "--chrome=/dev/stdout", TRACE], ["export", "--chrome=/dev/null", TRACE], ["export", "--chrome=a/b", "t.dat.gz"],
               ["export", "--tables=tables/set", "--name=x", TRACE], ["export", "--tables=a", "--format=csv", "--name=x", TRACE]],
    "cut": [["cut", "-ocut.dat", TRACE], ["cut", "--force", "-ocut.dat", "--compression=zlib", TRACE], ["cut", "-oa/cut.dat", TRACE, TRACE]],
    "symbols": [["symbols", "user.dat"], ["symbols", "-onew.dat", "user.dat"], ["symbols", "link.dat"]],
    "hist": [["hist", os.path.join(DATA, "hist", "kept.dat")]],
    "recover": [["recover", "r.dat.part"], ["recover", "-oa/r.dat", "r.dat.part"]],
    "list": [["list"]],
    "doctor": [["doctor"]],
}
RECORD = ["record", "--no-browse", "-q", "-e", "sched_switch"]
INSTANCE = "openings-test"
TRACING = "/sys/kernel/tracing"
LIVE = {
    "record": [[*RECORD, "-olive.dat", "true"], [*RECORD, "-olive.dat", "--compression=zlib", "true"], [*RECORD, "-oa/v6.dat", "--file-version=6", "true"],
               [*RECORD, "-osplit.dat", "--until=wakeup > 1ns", "-e", "sched_waking", "--split", "--hits=2", "--on-hit=true", "--duration=1"],
               [*RECORD, "-okilled.dat", "sh", "-c", "kill -9 $PPID"], ["recover", "killed.dat.part"]],
    "symbols": [[*RECORD, "-O", "userstacktrace", "-ostacks.dat", "true"], ["symbols", "stacks.dat"], ["symbols", "-onamed.dat", "stacks.dat"]],
    "live": [["live", "--text", "--by=events", "--count=1", "--interval=100ms", "--no-who", "-e", "sched_switch", "-olive2.dat"]],
    "extract": [["extract", "-oextracted.dat", "-B", INSTANCE]],
    "list": [["list", "-e"]],
    "doctor": [["doctor"]],
    "hist": [["hist"]],
}
BY_KEYS = ("demo",)             # these show the screen: see keys()

TRACEFS = r"/sys/kernel/(debug/)?tracing(/.*)?|/sys/kernel/debug/tracing(/.*)?"
# Why another opening is harmless: what it opens, as a pattern of FOLDER/NAME.
OTHERS = (
    (r"/dev/(null|tty|cpu_dma_latency)", "a device with a fixed name, in a folder of root's"),
    (TRACEFS, "the kernel's own files"),
    (r"/run/ftop-trace(/.*)?", "the journal's folder, which is root's"),
)
O_DIRECTORY, O_CREAT, O_NOFOLLOW, O_TMPFILE = os.O_DIRECTORY, os.O_CREAT, os.O_NOFOLLOW, os.O_TMPFILE


def reason(flags, folder, name):
    """Why this may be opened; None: it may not."""
    makes = flags & (O_DIRECTORY | O_CREAT) == O_DIRECTORY | O_CREAT
    if folder and name and "/" not in name and (makes or flags & O_NOFOLLOW):
        return "a name in an opened folder"
    if flags & O_TMPFILE == O_TMPFILE:
        return "a file without a name"
    if folder and not name:
        return "a stream that was looked at"
    whole = f"{folder}/{name}" if folder and not name.startswith("/") else folder + name
    for pattern, why in OTHERS:
        if re.fullmatch(pattern, whole):
            return why
    return None


def commands():
    """Those that the program lists."""
    text = subprocess.run([PROGRAM, "help", "all"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"^  (\w+) ", text.split("Commands:\n", 1)[1].split("\n\n", 1)[0], re.M)


class Folder:
    """Where the commands run, with what they read."""

    def __enter__(self):
        self.at = tempfile.mkdtemp()
        self.out = os.path.join(self.at, "openings")
        for name in ("a", "home"):
            os.mkdir(self.path(name))
        stacks = os.path.join(DATA, "stack", "trace.dat")
        for name, source in (("t.dat", TRACE), ("linked.dat", stacks), ("user.dat", stacks), ("r.dat.part", TRACE)):
            shutil.copy(source, self.path(name))
        subprocess.run(["gzip", "-k", "t.dat"], cwd=self.at, check=True)
        for link, to in (("link", "a/linked"), ("link.dat", "linked.dat")):
            os.symlink(to, self.path(link))
        open(self.path("a/linked"), "wb").close()
        return self

    def __exit__(self, *args):
        shutil.rmtree(self.at)

    def path(self, name):
        return os.path.join(self.at, name)

    def env(self):
        env = {k: v for k, v in os.environ.items() if k not in ("SUDO_UID", "SUDO_GID", "PKEXEC_UID", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        return dict(env, HOME=self.path("home"), TERM="xterm-256color")

    def openings(self):
        with open(self.out, encoding="utf-8", errors="replace") as file:
            lines = [line.split("\t") for line in file.read().splitlines()]
        return [(process, int(flags, 16), folder, name) for process, flags, folder, name in lines if process.startswith("ftop-")]

    def run(self, words):
        """Its openings, and what it said."""
        done = subprocess.run([TOOL, self.out, PROGRAM, *words], cwd=self.at, env=self.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=LIMIT_S)
        return self.openings(), done


def judge(words, openings):
    """Sentences about what may not be opened."""
    return [f"{' '.join(words)}: {process} opens '{folder}' '{name}' with {flags:#x}" for process, flags, folder, name in openings
            if not reason(flags, folder, name)]


def keys(folder):
    """The browser, which saves its marks, what it remembers, and rows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    shown = bytearray()

    def browser():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def shows(what):
        while select.select([master], [], [], 0)[0]:
            shown.extend(os.read(master, 65536))
        return what()
    p = subprocess.Popen([TOOL, folder.out, PROGRAM, "--view=events", "t.dat"], cwd=folder.at, env=folder.env(), stdin=slave, stdout=slave,
                         stderr=slave, preexec_fn=browser)
    try:
        for typed, what in ((b"", lambda: b"Quit" in shown), (b"maSt\r", lambda: os.path.exists(folder.path("t.dat.txt"))),
                            (b"Sd\r", lambda: os.path.exists(folder.path("t-2.dat"))), (b"Q", lambda: p.poll() is not None)):
            os.write(master, typed)
            until(lambda what=what: shows(what), f"what {typed} brings about")
    finally:
        p.kill()
        p.wait()
        os.close(slave)
        os.close(master)
    return folder.openings()


OUTPUTS = ("export", "cut", "symbols", "record", "live", "recover", "extract")     # each writes a file


def test_no_command_is_forgotten():
    known = set(RUNS) | set(LIVE) | set(BY_KEYS)
    assert set(commands()) == known, f"without a run: {set(commands()) - known}; no command: {known - set(commands())}"
    assert reason(os.O_WRONLY | O_CREAT | O_NOFOLLOW, "/tmp", "x") and not reason(os.O_WRONLY | O_CREAT, "/tmp", "x")
    assert not reason(os.O_WRONLY | O_CREAT, "", "/tmp/x") and not reason(os.O_RDWR | O_NOFOLLOW, "/tmp", "a/x")


def check_runs(runs):
    with Folder() as folder:
        for name in sorted(runs):
            written = []
            for words in runs[name]:
                openings, done = folder.run(words)
                assert done.returncode != 2, (words, done)
                wrong = judge(words, openings)
                assert not wrong, "\n".join(wrong)
                written += [name for _, flags, where, name in openings if where.startswith(folder.at)]
            assert bool(written) == (name in OUTPUTS), (name, written, done)


def test_what_commands_open():
    check_runs(RUNS)


def test_what_the_browser_opens():
    with Folder() as folder:
        openings = keys(folder)
        wrong = judge(["t.dat"], openings)
        assert not wrong, "\n".join(wrong)
        names = " ".join(name for _, _, _, name in openings)
        for name in ("marks", "t.dat.txt", "t-2.dat.part", "ftop-trace"):      # the last one: its own folder
            assert name in names, (name, names, os.listdir(folder.at))


def test_what_recorders_open():
    if os.geteuid() or not os.path.exists(f"{TRACING}/events/sched"):
        return "needs root, and tracefs"
    instance = f"{TRACING}/instances/{INSTANCE}"
    os.mkdir(instance)                  # for extract, with an event, and stopped
    try:
        for name, value in (("trace_marker", "there"), ("tracing_on", "0")):
            with open(f"{instance}/{name}", "w", encoding="ascii") as file:
                file.write(value)
        check_runs(LIVE)
    finally:
        os.rmdir(instance)
    return None


def main():
    live = sys.argv[1:] == ["live"]
    if subprocess.run([TOOL, os.devnull, "/bin/true"], check=False).returncode:
        print("1..0 # SKIP this machine has no ptrace() with PTRACE_GET_SYSCALL_INFO (Linux 5.3)")
        return 0
    return tap.run(globals(), lambda name: ("recorders" in name) == live)


sys.exit(main())
