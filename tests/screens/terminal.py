# SPDX-License-Identifier: GPL-2.0-or-later
"""A program in a pseudo-terminal, and what a user would see there.

Beside the terminal emulation (pyte) this knows two things that tests need: when
a program is done with what it was sent, without sleeping for a fixed time, and
whether it left the terminal as it found it.
"""
import fcntl
import functools
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte
from wcwidth import wcwidth

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from waiting import LIMIT_S

ANSWERS = {"light": b"ffff/fafa/f0f0", "dark": b"1a1a/1a1a/2020"}	# to OSC 11
LOOK_S = 0.02		# between two looks at the program; each asks the kernel of all its threads
QUIET_LOOKS = 3		# at which nothing had moved: settled
WAIT_S = 0.1		# between two looks while something is waited for
GIVE_UP_LOOKS = int(os.environ.get("FTOP_TEST_GIVE_UP", "100"))	# at which nothing had moved: it never comes


class Failure(AssertionError):
    """What the test says when it fails."""


@functools.lru_cache(None)
def is_narrow(text):
    """Does each character take one cell?"""
    return all(wcwidth(char) == 1 for char in text)


class Screen(pyte.Screen):
    """pyte's screen, with the scrolling that screen's and tmux's terminfo have."""

    answer = None		# takes what the terminal sends by itself

    def __init__(self, *args):
        self.cells = {}		# by attributes, by character: pyte makes each anew
        super().__init__(*args)

    def draw(self, data):
        """pyte's, faster for what most is: text of narrow characters that fits into its row."""
        end = self.cursor.x + len(data)
        is_plain = end <= self.columns and not self.charset and pyte.modes.IRM not in self.mode
        if not (is_plain and is_narrow(data) and self.g0_charset is pyte.charsets.LAT1_MAP):
            super().draw(data)
            return
        line, attrs = self.buffer[self.cursor.y], self.cursor.attrs
        cells = self.cells.setdefault(attrs, {})
        for x, char in enumerate(data, self.cursor.x):
            if char not in cells:
                cells[char] = attrs._replace(data=char)
            line[x] = cells[char]
        self.cursor.x = end
        self.dirty.add(self.cursor.y)

    def write_process_input(self, data):
        if self.answer:
            self.answer(data.encode())

    def scroll_up(self, count=None):
        self._scroll(count, self.index, bottom=True)

    def scroll_down(self, count=None):
        self._scroll(count, self.reverse_index, bottom=False)

    def _scroll(self, count, step, bottom):
        top, end = self.margins or (0, self.lines - 1)
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = end if bottom else top
        for _ in range(count or 1):
            step()
        self.cursor.x, self.cursor.y = x, y


class Stream(pyte.ByteStream):
    csi = dict(pyte.ByteStream.csi, S="scroll_up", T="scroll_down")
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


@functools.lru_cache(None)
def terminfo(term):
    """The string capabilities of a terminal, as infocmp prints them."""
    text = subprocess.run(["infocmp", "-1", "-x", term], capture_output=True, text=True)
    if text.returncode:
        raise Failure(f"no terminfo entry for {term}")
    found = {}
    for line in text.stdout.splitlines():
        match = re.match(r"\t(\w+)=(.*),$", line)
        if match:
            found[match[1]] = (match[2].replace(r"\E", "\x1b").replace("^H", "\b")
                               .replace("^?", "\x7f").replace(r"\177", "\x7f").encode())
    return found


NAMED_KEYS = {		# tmux's names: bytes, or a capability of terminfo
    "Enter": b"\r", "Escape": b"\x1b", "Tab": b"\t", "Space": b" ", "BSpace": b"\x7f",
    "BTab": "kcbt", "Up": "kcuu1", "Down": "kcud1", "Left": "kcub1", "Right": "kcuf1",
    "Home": "khome", "End": "kend", "PageUp": "kpp", "PPage": "kpp", "PageDown": "knp",
    "NPage": "knp", "IC": "kich1", "DC": "kdch1",
    **{f"F{n}": f"kf{n}" for n in range(1, 13)},
}


def key_bytes(name, term):
    """What a terminal sends for a key; a single character stands for itself."""
    if name in NAMED_KEYS:
        what = NAMED_KEYS[name]
        if isinstance(what, bytes):
            return what
        if what not in terminfo(term):
            raise Failure(f"{term} has no key {name}")
        return terminfo(term)[what]
    if re.fullmatch(r"C-.", name):
        return bytes([ord(name[2].upper()) & 0x1f])
    if re.fullmatch(r"M-.", name):
        return b"\x1b" + name[2].encode()
    if len(name) == 1:
        return name.encode()
    raise Failure(f"unknown key {name!r}")


def with_children(pid):
    """A process and those that it started, which work for it."""
    found = [pid]
    for parent in found:
        try:
            with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
                found += children.read().split()
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def _lead(slave, report, control, argv, env, cwd, before):
    """The shell's part: leads the session, so that the terminal outlives the program."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(slave, os.getpid())
        for number in range(1, signal.NSIG):
            if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
                signal.signal(number, signal.SIG_DFL)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        os.closerange(3, 256)
        os.chdir(cwd)
        if before:
            before()
        os.execvpe(argv[0], argv, env)
    os.write(report, f"{pid}\n".encode())
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            os.tcsetpgrp(slave, os.getpgrp())
            os.write(report, b"stopped\n")
            if not os.read(control, 1):
                os.kill(pid, signal.SIGKILL)
            os.tcsetpgrp(slave, pid)
            os.killpg(pid, signal.SIGCONT)
            continue
        if os.WIFSIGNALED(status):
            os.write(report, f"{signal.Signals(os.WTERMSIG(status)).name}\n".encode())
        else:
            os.write(report, f"{os.WEXITSTATUS(status)}\n".encode())
        os.read(control, 1)
        os._exit(0)


class Terminal:
    """One program on one pseudo-terminal."""

    def __init__(self, argv, env, cwd, columns=80, lines=24, term="tmux-256color", background="", before=None):
        """before: called by the process that becomes the program."""
        self.term = term
        self.background = background	# one of ANSWERS; "mute": not even DA1 is answered; "": nothing else
        self.asked = False
        self.raw = bytearray()
        self.sent_at = None		# the activity before the last bytes were sent
        self.state = None		# "stopped", an exit status or a signal's name; None: runs
        self.screen = Screen(columns, lines)
        self.display = None		# its rows; None: they are to be taken from it
        self.stream = Stream(self.screen)
        if self.background != "mute":
            self.screen.answer = self.send
        self.master, self.slave = os.openpty()
        self._set_size(columns, lines)
        self.modes_before = termios.tcgetattr(self.slave)
        self.report, report = os.pipe()
        control, self.control = os.pipe()
        self.started = time.monotonic()
        self.leader = os.fork()
        if self.leader == 0:
            try:
                os.close(self.report)
                os.close(self.control)
                os.close(self.master)
                _lead(self.slave, report, control, argv, dict(env, TERM=term), cwd, before)
            finally:
                os._exit(127)
        os.close(report)
        os.close(control)
        self.pid = int(self._read_report())
        os.set_blocking(self.report, False)
        os.set_blocking(self.master, False)

    def _read_report(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self.report, 1)
            if not byte:
                raise Failure("the program could not be started")
            line += byte
        return line.decode().strip()

    def _set_size(self, columns, lines):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    # --- input -------------------------------------------------------------
    def send(self, data):
        self.sent_at = self._activity()[0]
        os.set_blocking(self.master, True)
        os.write(self.master, data)
        os.set_blocking(self.master, False)

    def key(self, name):
        self.send(key_bytes(name, self.term))

    def tell_mouse(self, button, column, line, release=False):
        """What a mouse does at a cell counted from 1, as this terminal reports it."""
        asked = self.raw.rfind(b"\x1b[?1006h") > self.raw.rfind(b"\x1b[?1006l")
        if asked and not self.term.startswith("screen"):	# GNU screen sends bytes
            self.send(b"\x1b[<%d;%d;%d%c" % (button, column, line, ord("m" if release else "M")))
        else:
            self.send(b"\x1b[M" + bytes([32 + (3 if release else button), 32 + column, 32 + line]))

    def mouse(self, button, column, line):
        """A press (and release)."""
        self.tell_mouse(button, column, line)
        if button < 64:
            self.tell_mouse(button, column, line, release=True)

    def drag(self, start, end):
        self.tell_mouse(0, *start)
        self.settle()
        self.tell_mouse(32, *end)
        self.tell_mouse(0, *end, release=True)

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        self.display = None
        self._set_size(columns, lines)		# the kernel sends SIGWINCH

    def signal(self, number):
        os.kill(self.pid, number)

    def resume(self):
        self.state = None
        os.write(self.control, b"c")

    # --- output ------------------------------------------------------------
    def pump(self, seconds):
        """Takes what comes within a time; True if something came."""
        ready, _, _ = select.select([self.master, self.report], [], [], seconds)
        came = False
        if self.master in ready:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            self.raw += data
            if b"\x1b]11;?\a" in self.raw and not self.asked:
                self.asked = True
                if self.background in ANSWERS:
                    self.send(b"\x1b]11;rgb:%s\x1b\\" % ANSWERS[self.background])
            self.stream.feed(data)
            self.display = None
            came = bool(data)
        if self.report in ready:
            data = os.read(self.report, 64)
            if data:
                self.state = data.decode().split()[-1]
                came = True
            else:
                time.sleep(0.005)
        return came

    def _activity(self):
        """What changes while the program works: switches, unread input; is a thread at work?"""
        at_work = False
        unread = struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]
        seen = [unread]
        try:
            for thread in (f"{pid}/task/{thread}" for pid in with_children(self.pid)
                           for thread in os.listdir(f"/proc/{pid}/task")):
                with open(f"/proc/{thread}/status", encoding="utf-8", errors="replace") as status:
                    text = status.read()
                seen.append(thread)
                seen += re.findall(r"ctxt_switches:\t(\d+)", text)
                # t: stopped by the broker.  A child may stay a zombie; of the program's end the leader tells.
                at_rest = "St" if thread == f"{self.pid}/task/{self.pid}" else "StZ"
                if not re.search(rf"^State:\t[{at_rest}]", text, re.M):
                    seen.append(time.monotonic())	# never twice the same
                    at_work = True
        except (FileNotFoundError, ProcessLookupError):
            seen.append(time.monotonic())	# a thread ends just now, or the program
            at_work = True
        return seen, at_work

    def settle(self, looks=QUIET_LOOKS):
        """Returns once the program sleeps, has read its input and prints nothing."""
        end = time.monotonic() + LIMIT_S
        before, same, printed = None, 0, time.monotonic()
        looked = working = 0		# since something was printed
        while True:
            if self.pump(LOOK_S):
                before, printed = None, time.monotonic()
                looked = working = 0
            if self.state is not None:
                while self.pump(LOOK_S):
                    pass
                return
            activity, at_work = self._activity()
            looked += 1
            working += at_work
            same = same + 1 if activity == before else 0
            before = activity
            # What was sent may be on its way: the kernel hands it over by a thread of its own.
            if same >= looks and activity != self.sent_at:
                return
            # A program with a clock of its own never sleeps long, but for the most part: silence must do then.
            silent = looked >= 25 and time.monotonic() - printed >= 1.0
            if silent and activity[0] == 0 and 2 * working < looked:
                return
            if time.monotonic() > end:
                raise Failure("the program does not come to rest")

    def wait_for(self, condition, what):
        """Until a condition is true.  The failure is what, once the program has ended or sleeps for good."""
        end = time.monotonic() + LIMIT_S
        before, same = None, 0
        while not condition():
            if self.state not in (None, "stopped"):
                raise Failure(f"{what}; the program ended: {self.state}")
            activity = None if self.pump(WAIT_S) else self._activity()[0]
            same = same + 1 if activity and activity == before else 0
            before = activity
            if same >= GIVE_UP_LOOKS or time.monotonic() > end:
                raise Failure(what)

    def see(self, text):
        self.wait_for(lambda: self.shows(text), f"{text!r} was not shown")

    def rows(self):
        """The screen as text, blanks at the right cut."""
        return [row.rstrip() for row in self._display()]

    def shows(self, text):
        return any(text in row for row in self._display())

    def _display(self):
        if self.display is None:
            self.display = self.screen.display
        return self.display

    def cell(self, line, column):
        """How a cell looks, in words; what cannot be seen on a blank is left out."""
        char = self.screen.buffer[line][column]
        said = []
        visible = char.data.strip() != "" or char.reverse or char.underscore
        if char.bold and visible:
            said.append("bold")
        said += [name for name in ("italics", "underscore", "strikethrough", "reverse")
                 if getattr(char, name)]
        if char.fg != "default" and visible:
            said.append(f"fg={char.fg}")
        if char.bg != "default":
            said.append(f"bg={char.bg}")
        return " ".join(said)

    # --- end ---------------------------------------------------------------
    def hang_up(self):
        """The terminal goes, as its window does when it is closed: the kernel sends SIGHUP."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def not_restored(self):
        """What the program left changed in the terminal, in words."""
        wrong = []
        now = termios.tcgetattr(self.slave)
        names = ("iflag", "oflag", "cflag", "lflag", "ispeed", "ospeed", "control characters")
        for name, old, new in zip(names, self.modes_before, now):
            if old != new:
                wrong.append(f"{name} was {old!r}, is {new!r}" if isinstance(old, list)
                             else f"{name} was {old:#o}, is {new:#o}")
        for mode, what in ((b"1049", "the alternate screen"), (b"1000", "the mouse (1000)"),
                           (b"1002", "the mouse (1002)"), (b"1003", "the mouse (1003)"),
                           (b"1006", "the mouse (1006)"), (b"2004", "bracketed paste"),
                           (b"1", "application cursor keys")):
            switches = re.findall(rb"\x1b\[\?(?:\d+;)*%s(?:;\d+)*([hl])" % mode, bytes(self.raw))
            if switches and switches[-1] == b"h":
                wrong.append(f"{what} is still on")
        if self.screen.cursor.hidden:
            wrong.append("the cursor is still hidden")
        return wrong

    def close(self):
        """Ends the program if it still runs, and gives the terminal back."""
        if self.state in (None, "stopped"):
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.close(self.control)
        os.waitpid(self.leader, 0)
        for fd in (self.report, self.master, self.slave):
            if fd >= 0:
                os.close(fd)
