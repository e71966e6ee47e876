#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the screen tests' runner: what it must notice, it notices.  Prints TAP.

The program it is shown is this file itself, started with --toy.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))

TOY = r'''#!/bin/sh
exec %s %s --toy "$@"
'''

SCREEN = """screen
```
rows 24 columns 80 keys {keys}
second row
```
"""

# name, test file, must pass, words of the report when it must not
CASES = [
    ("a screen as wanted", "keys a b\n" + SCREEN.format(keys="ab") + "keys q\nexit 0\n", True, ""),
    ("another screen", SCREEN.format(keys="x"), False, "row   1 wanted"),
    ("keys by name", "keys Up PageDown F5 BTab C-a Enter\nshows <UP><NPAGE><F5><BTAB><1><10>\n",
     True, ""),
    ("typed text", 'keys "x y\\"z"\nshows keys x y"z\n', True, ""),
    ("a slow answer is waited for", "keys s\nshows slow answer\n", True, ""),
    ("long work without a word is waited for", "keys t 0\nshows keys late\n", True, ""),
    ("a text that never comes", "shows nonsense\n", False, "was not shown"),
    ("a key again and again", 'keys @until "keys aaa" a b\nshows keys aaab\n', True, ""),
    ("a key that brings nothing", 'keys @until "nonsense" a\n', False, "was not shown"),
    ("a new size", "keys @resize 60x15\nshows rows 15 columns 60\n", True, ""),
    ("looks", "attrs 2\n```\n2 aaaaaa.bbb\na bold fg=red\nb reverse\n```\n", True, ""),
    ("other looks", "attrs 2\n```\n2 aaaaaa.bbb\na bold fg=green\nb reverse\n```\n", False,
     "attrs 2 differs"),
    ("end by a signal", "keys @signal TERM\nexit 143\n", True, ""),
    ("a crash", "keys @signal SEGV\nkeys j\n", False, "SIGSEGV"),
    ("another exit status", "keys q\nexit 3\n", False, "ended with 0"),
    ("a terminal left in disorder", "keys @signal KILL\nexit KILL\n", False,
     "the alternate screen is still on"),
    ("stopped and continued", "keys C-z @stopped @continue b\nshows keys b\n", True, ""),
    ("a written file", "keys w\nfile out.txt\n```\nwritten\n```\n", True, ""),
    ("another written file", "keys w\nfile out.txt\n```\nelse\n```\n", False, "wanted |else|"),
    ("bytes printed", "keys c\nraw \\e]52;c;QQ==\n", True, ""),
    ("a word it does not know", "press j\n", False, "unknown word"),
    ("shared fixtures that are not here", "trace shared/none.dat\n", None, "shared fixtures"),
]


def toy():
    """A small curses program: shows its keys and its size."""
    import curses
    import signal
    import threading
    import time

    os.environ["ESCDELAY"] = "25"

    worked = []

    def stop(*_):		# the wrapper ends curses; a second endwin() is an error in ncurses 6.5
        sys.exit(143)

    def work():		# longer than a program's silence means that it rests
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            pass
        worked.append(True)

    def loop(window):
        signal.signal(signal.SIGTERM, stop)
        curses.use_default_colors()
        curses.init_pair(1, curses.COLOR_RED, -1)
        keys = ""
        while True:
            window.erase()
            rows, columns = window.getmaxyx()
            window.addstr(0, 0, f"rows {rows} columns {columns} keys {keys}")
            window.addstr(1, 0, "second", curses.color_pair(1) | curses.A_BOLD)
            window.addstr(1, 7, "row", curses.A_REVERSE)
            window.refresh()
            key = window.getch()
            if key == ord("q"):
                return
            if key == ord("s"):
                window.addstr(3, 0, "slow")
                window.refresh()
                time.sleep(0.4)
                keys += "slow answer"
            elif key == ord("t"):
                threading.Thread(target=work, daemon=True).start()
            elif key == ord("0"):
                keys += "late" if worked else "early"
            elif key == ord("w"):
                with open("out.txt", "w", encoding="utf-8") as file:
                    file.write("written\n")
            elif key == ord("c"):
                os.write(1, b"\x1b]52;c;QQ==\a")
            elif key == curses.KEY_RESIZE:
                pass
            elif 32 <= key < 127:
                keys += chr(key)
            elif key > 255:
                keys += "<" + curses.keyname(key).decode()[4:].replace("(", "").strip(")") + ">"
            else:
                keys += f"<{key}>"
    curses.wrapper(loop)


def run_case(folder, name, text, passes):
    path = os.path.join(folder, name.replace(" ", "-") + ".test")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    env = dict(os.environ, FTOP_SHARED="/nonexistent")
    if not passes:		# what never comes need not be waited for so long
        env["FTOP_TEST_GIVE_UP"] = "20"
    return subprocess.run(
        [sys.executable, os.path.join(here, "run.py"), "--program", os.path.join(folder, "toy"),
         path], capture_output=True, text=True, env=env)


def main():
    try:
        import pyte
        del pyte
    except ImportError as error:
        print(f"1..0 # SKIP {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        toy_path = os.path.join(folder, "toy")
        with open(toy_path, "w", encoding="utf-8") as file:
            file.write(TOY % (sys.executable, os.path.abspath(__file__)))
        os.chmod(toy_path, 0o755)
        print(f"1..{len(CASES) + 1}")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda case: run_case(folder, *case[:3]), CASES))
        for nr, ((name, _, passes, words), done) in enumerate(zip(CASES, runs), 1):
            if passes is None:
                good = "# SKIP" in done.stdout and words in done.stdout
            elif passes:
                good = done.returncode == 0 and "\nok 1 " in done.stdout
            else:
                good = done.returncode == 1 and "not ok 1 " in done.stdout and words in done.stdout
            if not good:
                print("".join(f"# {line}\n" for line in
                              (done.stdout + done.stderr).splitlines()), end="")
                failed += 1
            print(("ok" if good else "not ok") + f" {nr} - runner: {name}", flush=True)

        path = os.path.join(folder, "update.test")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# kept\nkeys k\n" + SCREEN.format(keys="old") + "keys l\n"
                       + SCREEN.format(keys="old"))
        subprocess.run([sys.executable, os.path.join(here, "run.py"), "--update", "--program",
                        toy_path, path], capture_output=True)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        good = text == ("# kept\nkeys k\n" + SCREEN.format(keys="k") + "keys l\n"
                        + SCREEN.format(keys="kl"))
        if not good:
            print("".join(f"# {line}\n" for line in text.splitlines()), end="")
            failed += 1
        print(("ok" if good else "not ok") + f" {len(CASES) + 1} - runner: --update")
    return 1 if failed else 0


if __name__ == "__main__":
    if "--toy" in sys.argv:
        toy()
    else:
        sys.exit(main())
