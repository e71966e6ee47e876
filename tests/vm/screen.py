#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
screen.py - records from the screen of the real program, on whole kernels in a virtual machine.
Prints TAP.

usage: screen.py [KERNEL...]     default: cloud, or $FTOP_VM_KERNELS

A virtio console of the machine is the terminal, and its other end is here.  The program is too
far away to see when it is done, so text on the screen is waited for.
"""
import os
import re
import sys
import tempfile
import time

import vm

sys.path.insert(0, f"{vm.top}/tests/screens")
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (Debian: apt-get install python3-pyte)")
    sys.exit(0)
from terminal import Failure

LIMIT = 90.0		# seconds for one thing to be shown; the machine is emulated
TERM = "tmux-256color"


def terminfo():
    for folder in ("/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo"):
        path = f"{folder}/{TERM[0]}/{TERM}"
        if os.path.exists(path):
            return path
    raise vm.Unavailable(f"no terminfo entry for {TERM}")


class Screen:
    """The program in the machine, as on a terminal of 100x30."""

    def __init__(self, kernel, program, work):
        machine = vm.Machine(kernel, modules=("virtio_console",))
        machine.root.copy(program, "/usr/local/bin/ftop-trace")
        with open(terminfo(), "rb") as file:
            machine.root.file(f"/lib/terminfo/{TERM[0]}/{TERM}", file.read())
        ctype = "/usr/lib/locale/C.utf8/LC_CTYPE"
        if os.path.exists(ctype):	# else the screens are in ASCII
            with open(ctype, "rb") as file:
                machine.root.file(ctype, file.read())
        machine.prepare(work, f"{vm.here}/screen-payload.sh")
        command = machine.command(work)
        command += ["-chardev", "stdio,id=screen,signal=off", "-device", "virtio-serial-pci",
                    "-device", "virtconsole,chardev=screen"]
        self.term = terminal.Terminal(command, dict(os.environ), "/", 100, 30, TERM)

    def see(self, text, limit=LIMIT):
        self.term.wait_for(lambda: self.term.shows(text), f"{text!r} was not shown", limit)

    def rest(self, seconds=1.5, limit=4):
        """Nothing came for so long; or it never rests, as while it records."""
        start = quiet = time.monotonic()
        while time.monotonic() - quiet < seconds and time.monotonic() - start < limit:
            if self.term.pump(0.05):
                quiet = time.monotonic()

    def type(self, keys):
        for key in keys:
            self.term.key(key)
            self.rest(0.5)

    def see_match(self, pattern):
        self.term.wait_for(lambda: any(re.search(pattern, row) for row in self.term.rows()),
                           f"{pattern!r} was not shown", LIMIT)


def open_screen(m):
    m.see("No trace.dat in this folder")
    m.type("R")
    m.see("events can be recorded here")
    m.rest()
    m.type(["n"] + ["Up"] * 8 + ["Enter"])	# scheduling, whatever was recorded last
    m.see_match("sched \\(")


def play(m, ok):
    m.see("rec 00:1", 400)
    ok("record -e sched -- sleep 12 tells how it goes, on a terminal that the command has too")
    m.see("[1 Events]")
    m.see("sched_")
    ok("then the trace is browsed")
    m.type("Q")
    open_screen(m)
    m.see_match(r"sched \(\d+ of \d")
    m.type("jj")
    ok("R: the kernel's events")
    m.type(["Enter"] + list("sched_wakeup"))
    m.see("comm=%s pid=%d")
    ok("an event's format")
    m.type(["Escape", "Escape", "R"])
    m.see("rec 00:0")
    m.see("CPU   0")
    m.see_match("rec 00:0[2-9]")
    ok("R starts: time and buffers")
    m.type(["C-c"])
    m.see("[1 Events]")
    m.see("trace.dat: ")
    ok("Ctrl-C stops, the trace opens")
    m.type("RR")
    m.see("rec 00:0")
    m.see("CPU   0")	# it is past its preparations: stopped in these, it records nothing
    m.type("q")
    m.see("recording:")
    m.type("s")
    m.see("trace-1.dat: ")
    ok("R R repeats it, q and s stop")
    m.type(["R"])
    m.see("events can be recorded here")
    m.rest()
    # a command that ends the recording, calls as a tree where the kernel has them
    m.type(["n"] + ["Up"] * 8 + ["Down"] * 3 + ["Enter"])
    m.see_match("tracer +function_graph")
    m.type(["j"] * 6 + ["Enter"] + list("cat /proc/self/stat") + ["Enter"])
    m.rest()
    m.type("R")
    m.see("Type yes to run it")
    m.type(list("yes") + ["Enter"])
    m.see("trace-2.dat: ")
    m.see("[1 Events]")
    ok("a set-up by name, with a command")
    m.type("R")
    m.see("events can be recorded here")
    m.type(["n"] + ["Up"] * 8 + ["Enter"] + ["j"] * 2 + ["Enter"] + list("sched_swich") + ["End", "Space"])
    m.see("did you mean sched_switch?")
    ok("a mistake is told at once, with the nearest name")
    m.type(["Escape", "Escape"])
    m.see("[1 Events]")
    m.type("Q")

    open_screen(m)
    m.type("R")
    m.see("rec 00", 40)		# before the kill, so that a failure shows the screen
    m.see("recorder killed by SIGKILL", 150)
    m.see("[1 Events]")
    ok("the recorder is killed: what was written is shown")
    m.type("Q")

    open_screen(m)
    m.type("R")
    m.see("rec 00", 40)
    m.see("the end", 200)
    m.see("trace.dat")
    if m.term.shows("trace.dat.part"):
        raise Failure("trace.dat.part is left")
    ok("the screen is killed: the recorder finishes the file")
    if not m.term.shows("tracefs: same"):
        raise Failure("tracefs is not as before")
    ok("tracefs is as before")
    m.type(["Enter"])


def run(tap, name, program):
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as work:
        screen = Screen(name, program, work)
        try:
            play(screen, lambda what: tap.tell(f"{name}: {what}"))
            tap.tell(f"{name}: all of it ran")
        except Failure as failure:
            shown = "\n".join("|" + row for row in screen.term.rows() if row)
            tap.tell(f"{name}: all of it ran", f"{failure}\non the screen:\n{shown}")
        finally:
            screen.term.close()


if __name__ == "__main__":
    sys.exit(vm.main(run, "the screen", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
