#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A text that comes from a pipe, on the screen: what has come is shown, the cursor, marks and cursors of tables stay,
and at the end the screen is that of the text as a file, which another process opened.

The program has its end of a FIFO as standard input; the test writes to the other end.  Prints TAP.
"""
import gzip
import os
import signal
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "screens")]
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)
sys.path.insert(0, os.path.join(here, "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap

# trace-cmd's text of a recording with four CPUs
with gzip.open(os.path.join(DATA, "good", "cpu4", "report.txt.gz")) as file:
    LINES = file.read().splitlines(keepends=True)[:3000]


class Screen:
    """The program on a terminal.  to: where its text is written, None with a path."""

    def __init__(self, folder, path=None):
        env = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "FTOP_DATADIR")
               if name in os.environ}
        env |= {"HOME": os.path.join(folder, "none"), "XDG_CONFIG_HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC"}
        os.makedirs(os.path.join(folder, "ftop-trace"), exist_ok=True)
        with open(os.path.join(folder, "ftop-trace", "config"), "w", encoding="utf-8") as config:
            config.write("first = events\n")	# of the file, too
        fifo = os.path.join(folder, "fifo")
        self.to = None

        def take_input():
            fd = os.open(fifo, os.O_RDONLY)
            os.dup2(fd, 0)
            os.close(fd)

        if not path:
            if os.path.exists(fifo):
                os.unlink(fifo)
            os.mkfifo(fifo)
        self.term = terminal.Terminal([PROGRAM, path or "-"], env, folder, 100, 30, before=None if path else take_input)
        if not path:
            self.to = open(fifo, "wb", buffering=0)

    def __enter__(self):
        return self

    def __exit__(self, kind, *args):
        if kind:
            print("# on the screen:\n" + "\n".join("# |" + row for row in self.term.rows() if row))
        if self.to:
            self.to.close()
        self.term.close()

    def write(self, lines):
        self.to.write(b"".join(lines))

    def end(self):
        self.to.close()
        self.term.see("the pipe has ended: this is all that came")

    def keys(self, *keys):
        for key in keys:
            self.term.key(key)

    def here(self):
        """The row under the cursor."""
        return next((row for row in self.term.rows() if row.startswith(">")), None)

    def events(self):
        """The number of events in the header."""
        words = self.term.rows()[0].split("  ")
        return next((int(w.split(" event")[0].replace(" ", "")) for w in words if " event" in w and "~" not in w), None)

    def see_events(self, nr):
        self.term.wait_for(lambda: self.events() == nr, f"not {nr} events")

    def body(self):
        """The screen without what names the file, and without messages."""
        return self.term.rows()[1:-1]


def same(ours, theirs, what):
    if ours != theirs:
        raise Failure(f"{what}:\n{ours}\n{theirs}")


def nr_events(lines):
    """A call without calls in it, "f();", has an entry and an exit."""
    return sum(1 + line.rstrip().endswith(b"();") for line in lines if not line.startswith((b"cpus=", b"CPU:")))


def write_file(folder, lines):
    path = os.path.join(folder, "whole.txt")
    with open(path, "wb") as out:
        out.writelines(lines)
    return path


def same_as_file(screen, folder, lines, mark, *keys):
    """Both screens after the same keys; mark: those that the pipe's screen has had."""
    with Screen(folder, write_file(folder, lines)) as file:
        file.term.see("events")
        file.keys(*mark)
        for each in (screen, file):
            each.keys(*keys)
            each.term.settle()
        same(screen.body(), file.body(), f"keys {keys}: pipe and file differ")


def follows(folder):
    with Screen(folder) as screen:
        screen.write(LINES[:500])
        screen.term.see("still reading")
        screen.see_events(nr_events(LINES[:500]))
        screen.keys("Down", "Down", "Down", "a", "Down")
        screen.term.settle()
        row = screen.here()
        half = LINES[1000][:30]
        screen.write(LINES[500:1000] + [half])
        screen.see_events(nr_events(LINES[:1000]))
        same(screen.here(), row, "the cursor moved")
        if not any(line.startswith("A") for line in screen.term.rows()):
            raise Failure("mark A is not shown any more")
        screen.keys("G")
        screen.term.settle()
        row = screen.here()
        screen.write([LINES[1000][30:]] + LINES[1001:2000])
        screen.see_events(nr_events(LINES[:2000]))
        screen.term.wait_for(lambda: screen.here() not in (None, row), "the cursor does not follow the end")
        screen.write(LINES[2000:])
        screen.end()
        screen.term.settle()
        if screen.term.shows("still reading"):
            raise Failure("the header says that the text goes on")
        screen.see_events(nr_events(LINES))
        same_as_file(screen, folder, LINES, ("Down", "Down", "Down", "a"), "G")
        for view in "23456":
            same_as_file(screen, folder, LINES, ("Down", "Down", "Down", "a"), "1", "g", view, "g")


def tables_stay(folder):
    with Screen(folder) as screen:
        screen.write(LINES[:500])
        screen.see_events(nr_events(LINES[:500]))
        screen.keys("6")
        screen.term.wait_for(screen.here, "no tasks")
        screen.keys("Down", "Down")
        screen.term.settle()
        task = screen.here().split()[0]
        screen.write(LINES[500:2000])
        screen.see_events(nr_events(LINES[:2000]))
        screen.term.wait_for(lambda: screen.here() and screen.here().split()[0] == task, f"the cursor is not on {task}")
        screen.keys("3")
        screen.term.see("window")
        screen.keys("+", "+")
        screen.term.settle()
        window = screen.term.rows()[0].split("  ")[-1]
        screen.write(LINES[2000:])
        screen.end()
        same(screen.term.rows()[0].split("  ")[-1], window, "the window of the timeline")


def a_cpu_comes_late(folder):
    """Refs number the CPUs that there are: the first line of CPU 0 moves those of CPU 1."""
    line = b"    task-%d  [%03d] 5.%06d: sched_waking: comm=x pid=7 prio=120 target_cpu=000\n"
    first = [line % (80 + i % 2, 1, 11 + i // 3) for i in range(60)]
    later = [line % (90, 0, 100 + i) for i in range(60)]
    with Screen(folder) as screen:
        screen.write(first)
        screen.see_events(60)
        screen.keys("Down", "a", "Down", "Down", "Down")	# of rows with the same time
        screen.term.settle()
        number = screen.term.rows()[0].split("row ")[1].split()[0]
        row = screen.here().split()
        screen.write(later)
        screen.see_events(120)
        same([word for word in screen.here().split() if word != "1"], row, "the cursor moved")	# there is a column CPU now
        same(screen.term.rows()[0].split("row ")[1].split()[0], number, "the cursor's number")
        if not any(r.startswith("A") for r in screen.term.rows()):
            raise Failure("mark A is not shown any more")
        screen.end()
        same_as_file(screen, folder, first + later, ("Down", "a"), "g")


def quits(folder):
    """The writer waits with half a line, and may never write again.  What has come can be saved."""
    with Screen(folder) as screen:
        screen.write(LINES[:100] + [b"half"])
        screen.see_events(nr_events(LINES[:100]))
        screen.keys("S", "d")
        screen.term.see("save all events as a trace: stdin.dat")
        screen.keys("Enter")
        screen.term.see("events saved to stdin.dat")
        screen.keys("q")
        screen.term.wait_for(lambda: screen.term.state is not None, "it does not end")
        same(screen.term.state, "0", "its status")
        same(screen.term.not_restored(), [], "the terminal")
        try:
            screen.write(LINES[:1])
        except BrokenPipeError:
            return
        raise Failure("the pipe is still open")


def signals(folder):
    """They reach the screen, though another thread reads the pipe: SIGINT is a key, SIGTERM ends it cleanly."""
    with Screen(folder) as screen:
        screen.write(LINES[:100])
        screen.see_events(nr_events(LINES[:100]))
        screen.term.signal(signal.SIGINT)
        screen.term.settle()
        screen.term.signal(signal.SIGTERM)
        screen.term.wait_for(lambda: screen.term.state is not None, "it does not end")
        same(screen.term.state, "SIGTERM", "its status")
        same(screen.term.not_restored(), [], "the terminal")


def no_text(folder):
    """A trace.dat is opened when all of it is there."""
    path = os.path.join(DATA, "good", "cpu4", "trace.dat")
    with open(path, "rb") as file:
        data = file.read()
    with Screen(folder) as screen:
        screen.write([data[:100000]])
        screen.write([data[100000:]])
        screen.to.close()
        screen.term.see("events")
        if screen.term.shows("still reading") or screen.term.shows("damaged"):
            raise Failure("it was opened before its end")
        with Screen(folder, path) as file:
            for each in (screen, file):
                each.keys("g")
                each.term.settle()
            same(screen.body(), file.body(), "pipe and file differ")


def no_line(folder):
    """Nothing, or nothing of a trace: the same mistake as in a file."""
    for contents in (b"", b"hello\nworld\n"):
        path = write_file(folder, [contents])
        file = subprocess.run([PROGRAM, path], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        pipe = subprocess.run([PROGRAM, "-"], input=contents, capture_output=True, check=False)
        same((pipe.returncode, pipe.stderr.replace(b"-:", path.encode() + b":")), (file.returncode, file.stderr), contents)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, test in (("lines are shown as they come", follows), ("tables and windows stay", tables_stay),
                           ("a CPU whose first line comes late", a_cpu_comes_late), ("q while the pipe goes on", quits),
                           ("signals while the pipe goes on", signals),
                           ("what is no text", no_text), ("a pipe without a line of a trace", no_line)):
            def run(test=test):
                try:
                    test(folder)
                except terminal.Failure as failure:
                    raise Failure(str(failure)) from failure
            tap.case(name, run)
    tap.end()


main()
