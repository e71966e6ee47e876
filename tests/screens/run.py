#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays keys to the real program in a pseudo-terminal and compares what it shows.

usage: run.py [--update | --show] [--program FILE] [--jobs N] [FILE.test...]

Without files, those of FTOP_SCREENS, else all *.test beside this script; a name without a folder is one of these.
Prints TAP.  The program is that of FTOP_BUILD, else of build-run (./dev build).  --update writes the screens that
the program shows into the files (read the diff before you commit it), and its pictures; --show prints them.

A test is a text file, read from top to bottom:

    # comment
    trace good/cpu4/trace.dat=cpu4.dat
                                of tests/data, or shared/fixtures/... where these lie, or
                                made/SAMPLE, which tests/tools/make_trace writes;
                                =NAME is what the program sees it as; :N before
                                it: its first N bytes alone
    beside good/sched/trace.dat=b.dat
                                a trace in its folder, not on its command line
    args --theme dark           what else stands on the command line (instead of
                                or before the traces); $DATA is tests/data,
                                $SCREENS this folder
    size 80x24                  the default
    term tmux-256color          the default; any without REP; skipped where ncurses does not know it
    env NO_COLOR=1              $SCREENS and $PATH are put in
    first summary               the option first; else the trace opens with Events
    background light            what the terminal answers to OSC 11; dark; mute: it does not even answer DA1
    keys j j PageDown C-l "typed text" Enter
    shows 7.573284              waits until this text is on the screen, in one row
    hides 7.573284              waits until it is not
    screen                      waits until the screen is this one: for the look of a view alone
    ```
    24 rows, without the blanks at their right
    ```
    attrs 1 4-6                 how the cells of these rows look, a letter each
    ```
    1 aaaaa....bbb
    a reverse
    b bold fg=green
    ```
    frame w                     the screen is a frame of the picture; w: the key that led to it
    picture six-keys            ui/pictures/six-keys.svg shows these frames
    raw \\e]52;c;                the program has printed these bytes
    file out.txt                it has written this file (it runs in an empty folder)
    ```
    contents
    ```
    printed out.csv tasks --format=csv t.dat
                                it has written what ftop-trace prints with these arguments
    again                       after its end: it is started once more, in the same folders
    exit 0                      waits for its end: a status or SIGTERM; the terminal
                                must be as before

Keys have tmux's names; text in quotes is typed.  Between keys the program is
left to come to rest.  In a row of keys also:
    @resize 60x15   @signal TERM   @click 10,5   @double-click 10,5   @wheel-down 10,5   @wheel-up 10,5   @right-click 10,5   @middle-click 10,5
    @ctrl-wheel-down 10,5   @ctrl-wheel-up 10,5   @drag 10,5-20,5
    @wait "text"    @until "text" KEY (presses it until the text is shown)
    @stopped (wait for Ctrl-Z to stop it; the terminal must be as before)
    @size "trace.dat 1000" (the file grows or shrinks)      @remove "trace.dat"
    @continue       @type "text" (in one go, without rests; \\\\e is ESC, \\\\r Enter)
A test without exit is ended by SIGTERM, and then as well the terminal must be as before.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
sys.dont_write_bytecode = True
try:
    import picture
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)
from terminal import Failure

PICTURES = os.path.join(os.path.dirname(os.path.dirname(here)), "ui", "pictures")
SETUP = ("trace", "beside", "args", "size", "term", "env", "background", "first")
BLOCKS = ("screen", "attrs", "file")
STEPS = ("keys", "shows", "hides", "frame", "picture", "raw", "printed", "again", "exit") + BLOCKS


# Buttons as terminals number them; 16: Ctrl is held down.
MOUSE = {"click": 0, "middle-click": 1, "right-click": 2, "wheel-up": 64, "wheel-down": 65, "ctrl-wheel-up": 80,
         "ctrl-wheel-down": 81}


class Skip(Exception):
    """Why a test cannot run here."""


class Step:
    """A line of a test, with the block behind it."""

    def __init__(self, number, word, rest):
        self.number, self.word, self.rest = number, word, rest
        self.block = []
        self.begin = self.end = None	# lines of the block in the file, without its fences


def read_test(path):
    """The lines of a file, and the steps in them."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    steps, at = [], 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word not in SETUP + STEPS:
            raise Failure(f"line {at}: unknown word {word!r}")
        step = Step(at, word, rest.strip())
        if word in BLOCKS:
            if at >= len(lines) or lines[at] != "```" or "```" not in lines[at + 1:]:
                raise Failure(f"line {at}: {word} wants a block between two lines ```")
            step.begin = at + 1
            step.end = lines.index("```", step.begin)
            step.block = lines[step.begin:step.end]
            at = step.end + 1
        steps.append(step)
    return lines, steps


def size_of(text):
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match:
        raise Failure(f"{text!r} is no size like 80x24")
    return int(match[1]), int(match[2])


def tokens_of(text):
    """Pairs (is typed text, what)."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', text)
    return [(False, word) if word else (True, re.sub(r"\\(.)", r"\1", typed))
            for typed, word in found]


def row_numbers(text):
    rows = []
    for part in text.split():
        first, _, last = part.partition("-")
        rows += range(int(first), int(last or first) + 1)
    return rows


def difference(wanted, got, what="row"):
    """Rows that differ, one above the other, and a mark under what differs."""
    said = []
    for nr in range(max(len(wanted), len(got))):
        old = wanted[nr] if nr < len(wanted) else ""
        new = got[nr] if nr < len(got) else ""
        if old == new:
            continue
        width = max(len(old), len(new))
        mark = "".join("^" if a != b else " " for a, b in zip(old.ljust(width), new.ljust(width)))
        said += [f"{what} {nr + 1:3} wanted |{old}|", f"{what} {nr + 1:3} shown  |{new}|",
                 f"{'':{len(what) + 12}}{mark.rstrip()}"]
    return said


def without_end(rows):
    """Rows without the empty ones at the end."""
    while rows and not rows[-1]:
        rows = rows[:-1]
    return rows


def look(term, rows):
    """The block of attrs: a letter for each look, '.' for a plain cell."""
    letters, lines = {}, []
    for row in rows:
        line = ""
        for column in range(term.screen.columns):
            said = term.cell(row - 1, column)
            if said and said not in letters:
                letters[said] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(letters)]
            line += letters[said] if said else "."
        lines.append(f"{row} {line.rstrip('.')}".rstrip())
    return lines + [f"{letter} {said}" for said, letter in letters.items()]


class Player:
    """Runs one test file."""

    def __init__(self, path, options):
        self.path, self.options = path, options
        self.lines, self.steps = read_test(path)
        self.edits = []			# (begin, end, new lines), for --update
        self.frames = []
        self.term = None
        self.folder = tempfile.mkdtemp(prefix="ftop-screen-")

    # --- the program -------------------------------------------------------
    def data_path(self, name):
        if not name.startswith("shared/"):
            return os.path.join(self.options.data, name)
        if not self.options.shared:
            raise Skip("the shared fixtures are not here (FTOP_SHARED)")
        return os.path.join(self.options.shared, name[len("shared/"):])

    def make_trace(self, sample):
        tool = os.path.join(os.path.dirname(self.options.program), "tests/tools/make_trace")
        path = os.path.join(self.folder, sample)
        if not os.access(tool, os.X_OK):
            raise Skip("make_trace was not built")
        subprocess.run([tool, sample, path], check=True)
        return path

    def start(self):
        setup = {"size": "80x24", "term": "tmux-256color", "args": "", "background": "", "first": "events"}
        env = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
               if name in os.environ}
        env |= {"HOME": self.folder, "XDG_CONFIG_HOME": self.folder + "/config",
                "XDG_STATE_HOME": self.folder + "/state", "XDG_CACHE_HOME": self.folder + "/cache",
                "LANG": "C.UTF-8", "TZ": "UTC", "FTOP_DATADIR": self.options.datadir,
                "FTOP_PROGRAM": self.options.program}
        os.makedirs(self.folder + "/state/ftop-trace")
        files = []
        for step in self.steps:
            if step.word == "env":
                name, _, value = step.rest.partition("=")
                env[name] = value.replace("$SCREENS", here).replace("$PATH", env.get("PATH", ""))
            elif step.word in ("trace", "beside"):
                for word in step.rest.split():
                    path, _, name = word.partition("=")
                    path, _, size = path.partition(":")
                    if path.startswith("made/"):
                        path = self.make_trace(path[len("made/"):])
                    files.append((self.data_path(path), name or os.path.basename(path), size, step.word == "trace"))
            elif step.word in SETUP:
                setup[step.word] = step.rest
        os.makedirs(self.folder + "/config/ftop-trace")
        with open(self.folder + "/config/ftop-trace/config", "w") as file:
            file.write(f"first = {setup['first']}\n")
        argv = [self.options.program] + [
            word.replace("$DATA", self.options.data).replace("$SCREENS", here) for _, word in tokens_of(setup["args"])]
        work = os.path.join(self.folder, "work")
        os.mkdir(work)
        for file, name, size, opened in files:	# by its name alone, as a user in its folder would
            if not os.path.exists(file):
                raise Failure(f"{file} is not there")
            os.makedirs(os.path.dirname(os.path.join(work, name)), exist_ok=True)
            (shutil.copytree if os.path.isdir(file) else shutil.copyfile)(file, os.path.join(work, name))	# a test may change it
            if size:
                os.truncate(os.path.join(work, name), int(size))
            argv += [name] if opened else []
        try:
            terminal.terminfo(setup["term"])
        except Failure as unknown:
            raise Skip(str(unknown))	# one of ncurses-term
        columns, lines = size_of(setup["size"])
        self.begun = (argv, env, work, columns, lines, setup["term"], setup["background"])
        self.term = terminal.Terminal(*self.begun)
        self.term.settle()

    def alive(self):
        if self.term.state not in (None, "stopped"):
            raise Failure(f"the program ended: {self.term.state}")

    # --- steps -------------------------------------------------------------
    def do_keys(self, step):
        tokens = iter(tokens_of(step.rest))
        for typed, word in tokens:
            self.alive()
            if typed:
                for char in word:
                    self.term.send(char.encode())
                    self.term.settle()
            elif word.startswith("@") and len(word) > 1:
                self.do_at(word[1:], tokens)
            else:
                self.term.key(word)
                self.term.settle()
                if word == "Escape":	# it waited for the rest of a sequence
                    self.term.settle(looks=8)

    def do_at(self, word, tokens):
        term = self.term
        if word in ("stopped", "continue"):
            getattr(self, "do_" + word)()
            return
        argument = next(tokens, (False, ""))[1]
        if word == "wait":
            term.see(argument)
        elif word == "until":
            self.press_until(next(tokens, (False, ""))[1], argument)
        elif word in ("size", "remove"):
            name, _, size = argument.partition(" ")
            path = os.path.join(self.folder, "work", name)
            os.truncate(path, int(size)) if word == "size" else os.remove(path)
        elif word == "type":
            term.send(argument.replace("\\e", "\x1b").replace("\\r", "\r").encode())
        elif word == "resize":
            term.resize(*size_of(argument))
        elif word == "signal":
            term.signal(signal.Signals["SIG" + argument])
        elif word in MOUSE:
            column, line = map(int, argument.split(","))
            term.mouse(MOUSE[word], column, line)
        elif word == "double-click":        # at once: the program counts the time between
            column, line = map(int, argument.split(","))
            term.mouse(0, column, line)
            term.mouse(0, column, line)
        elif word == "drag":
            term.drag(*(tuple(map(int, end.split(","))) for end in argument.split("-")))
        else:
            raise Failure(f"unknown @{word}")
        term.settle()

    def press_until(self, key, text):
        for _ in range(100):
            if self.term.shows(text):
                return
            self.term.key(key)
            self.term.settle()
        raise Failure(f"{text!r} was not shown by 100 times {key}")

    def do_stopped(self):
        self.term.wait_for(lambda: self.term.state == "stopped", "the program did not stop")
        self.restored()

    def do_continue(self):
        self.term.resume()
        self.term.settle()

    def do_shows(self, step):
        self.term.see(step.rest)

    def do_hides(self, step):
        self.term.wait_for(lambda: not self.term.shows(step.rest), f"{step.rest!r} was not hidden")

    def do_frame(self, step):
        self.term.settle(looks=15)
        self.frames.append(picture.Frame(self.term.screen, step.rest, self.term.background == "light"))

    def do_picture(self, step):
        path, film = os.path.join(PICTURES, step.rest + ".svg"), picture.film(self.frames)
        if self.options.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(film)
        elif not self.options.show:
            with open(path, encoding="utf-8") as file:
                if file.read() != film:
                    raise Failure(f"{path} does not show this: run.py --update {os.path.basename(self.path)}")

    def do_raw(self, step):
        wanted = step.rest.replace("\\e", "\x1b").encode()
        self.term.wait_for(lambda: wanted in self.term.raw, f"{step.rest} was not printed")

    def do_again(self, step):
        self.term.wait_for(lambda: self.term.state not in (None, "stopped"), "again: no end")
        self.term.close()
        self.term = terminal.Terminal(*self.begun)
        self.term.settle()

    def do_exit(self, step):
        self.term.wait_for(lambda: self.term.state not in (None, "stopped"), "no end")
        self.term.settle()
        if self.term.state not in (step.rest, "SIG" + step.rest):
            raise Failure(f"the program ended with {self.term.state}, not with {step.rest}")
        self.restored()

    def restored(self):
        wrong = self.term.not_restored()
        if wrong:
            raise Failure("\n".join(["the terminal is not as before:"] + wrong))

    def block(self, step, shown, what="row"):
        """Compares a block, or takes what is shown as the new one."""
        if self.options.update or self.options.show:
            self.term and self.term.settle(looks=15)
            self.edits.append((step, shown()))
            return
        wanted = without_end([row.rstrip() for row in step.block])
        try:
            self.term.wait_for(lambda: shown() == wanted, "")
            self.term.settle()
        except Failure:
            pass
        if shown() != wanted:
            said = [f"{step.word} {step.rest}".strip() + " differs"]
            said += difference(wanted, shown(), what) + ["the whole screen:"]
            raise Failure("\n".join(said + [f"|{row}" for row in self.term.rows()]))

    def do_screen(self, step):
        self.block(step, lambda: without_end(self.term.rows()))

    def do_attrs(self, step):
        rows = row_numbers(step.rest)
        self.block(step, lambda: look(self.term, rows), "line")

    def do_file(self, step):
        path = os.path.join(self.folder, "work", step.rest)

        def contents():
            if not os.path.exists(path):
                return ["(no such file)"]
            with open(path, encoding="utf-8", errors="replace") as file:
                return without_end([row.rstrip() for row in file.read().split("\n")])
        self.block(step, contents, "line")

    def do_printed(self, step):
        name, *words = step.rest.split()
        _, env, work, *_ = self.begun
        done = subprocess.run([self.options.program, *words], cwd=work, env=env, capture_output=True, check=True)
        path = os.path.join(work, name)
        if not done.stdout or not os.path.exists(path):
            raise Failure(f"{name} was not written, or ftop-trace {' '.join(words)} prints nothing")
        with open(path, "rb") as file:
            wrong = difference(done.stdout.decode().split("\n"), file.read().decode().split("\n"), "line")
        if wrong:
            raise Failure("\n".join(wrong))

    # --- all of it ---------------------------------------------------------
    def play(self):
        try:
            self.start()
            for step in self.steps:
                if step.word in SETUP:
                    continue
                try:
                    getattr(self, "do_" + step.word)(step)
                except Failure as failure:
                    raise Failure(f"line {step.number}: {failure}") from None
            if self.term.state is None:
                self.term.signal(signal.SIGTERM)
                self.term.wait_for(lambda: self.term.state is not None, "no end after SIGTERM")
                self.term.settle()
                self.restored()
        except Failure as failure:
            shown = self.term.rows() if self.term else []
            if "the whole screen" not in str(failure):
                failure = Failure("\n".join([str(failure), "on the screen:"]
                                            + [f"|{row}" for row in shown if row]))
            raise failure
        finally:
            if self.term:
                self.term.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def rewrite(self):
        """Writes the blocks anew; True if something changed."""
        lines = list(self.lines)
        for step, block in reversed(self.edits):
            lines[step.begin:step.end] = block
        if lines == self.lines:
            return False
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return True


def run_one(path, options):
    """(ok, skipped or not ok; lines to print)."""
    player = None
    try:
        player = Player(path, options)
        player.play()
        said = []
        if options.show:
            for step, block in player.edits:
                said += [f"{step.word} {step.rest}".strip()] + block
        elif options.update and player.rewrite():
            said = ["rewritten: read the difference"]
        return "ok", said
    except Skip as skip:
        return "skip", [str(skip)]
    except Failure as failure:
        return "not ok", str(failure).split("\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:])
    top = os.path.dirname(os.path.dirname(here))
    build = os.environ.get("FTOP_BUILD", os.path.join(top, "build-run"))
    shared = os.environ.get("FTOP_SHARED", os.path.join(os.path.dirname(top), "shared"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--program", default=os.path.join(build, "ftop-trace"))
    parser.add_argument("--jobs", type=int, default=4 * os.cpu_count())     # they wait for the most part
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    options.data = os.path.abspath(
        os.environ.get("FTOP_TEST_DATA", os.path.join(top, "tests", "data")))
    options.datadir = os.environ.get("FTOP_DATADIR", top)
    options.shared = shared if os.path.isdir(os.path.join(shared, "fixtures")) else None
    chosen = [name if os.path.dirname(name) else os.path.join(here, name) for name in options.files]
    files = chosen or [os.path.join(top, name)
                       for name in os.environ.get("FTOP_SCREENS", "").split()] or sorted(
        os.path.join(here, name) for name in os.listdir(here) if name.endswith(".test"))
    if not os.access(options.program, os.X_OK):
        print(f"Bail out! {options.program} is not there (--program)")
        return 1
    print(f"1..{len(files)}")
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_one, path, options) for path in files]
        for nr, (path, run) in enumerate(zip(files, runs), 1):
            result, said = run.result()
            name = os.path.splitext(os.path.basename(path))[0]
            if result == "skip":
                print(f"ok {nr} - {name} # SKIP {said[0]}")
                continue
            for line in said:
                print(line if options.show else f"# {line}".rstrip())
            print(f"{result} {nr} - {name}", flush=True)
            failed += result != "ok"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
