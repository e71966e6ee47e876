#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
screen.py - records from the screen of the real program, on whole kernels in a virtual machine.
Prints TAP.

usage: screen.py [KERNEL...]     default: cloud, or $FTOP_VM_KERNELS

A virtio console of the machine is the terminal, and its other end is here.  The program is too
far away to see when it is done, so text on the screen is waited for, and keys wait in the terminal.
Only behind Escape nothing may follow at once: what it does has to be seen.
"""
import os
import re
import sys
import tempfile

import vm

sys.path.insert(0, f"{vm.top}/tests/screens")
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)
from terminal import Failure

TERM = "tmux-256color"


class Screen:
    """The program in the machine, as on a terminal of 100x30."""

    def __init__(self, kernel, program, work):
        machine = vm.Machine(kernel, modules=("virtio_console",))
        machine.copy_program(program)
        vm.copy_terminal(machine.root, TERM)
        machine.prepare(work, f"{vm.here}/screen-payload.sh")
        command = machine.command(work)
        command += ["-chardev", "stdio,id=screen,signal=off", "-device", "virtio-serial-pci",
                    "-device", "virtconsole,chardev=screen"]
        self.term = terminal.Terminal(command, dict(os.environ), "/", 100, 30, TERM)

    def see(self, *texts):
        for text in texts:
            self.term.see(text)

    def see_match(self, pattern):
        """The text that matches."""
        found = []

        def shown():
            found[:] = [match[0] for match in (re.search(pattern, row) for row in self.term.rows()) if match]
            return found
        self.term.wait_for(shown, f"{pattern!r} was not shown")
        return found[0]

    def type(self, *keys):
        for key in keys:
            self.term.key(key)

    def take_setup(self, number):
        """One of the built-in set-ups, whatever was recorded last."""
        self.type("n", *["Up"] * 8, *["Down"] * number, "Enter")

    def see_it_record(self):
        """It is past its preparations: stopped in these, it records nothing.  And its clock runs."""
        self.see("CPU   0")
        clock = self.see_match(r"rec \d\d:\d\d")
        self.term.wait_for(lambda: not self.term.shows(clock), f"it stays at {clock!r}")


def open_screen(m):
    m.see("No trace.dat in this folder")
    m.type("R")
    m.see("events can be recorded here", "q Back")
    m.take_setup(0)
    m.see_match(r"sched \(\d+ of \d")
    # a set-up keeps the command that was recorded last
    m.type(*"jjjjjj", "Enter", "C-u", "Enter")
    m.see_match("command +none")
    m.type(*"kkkkkk")


def play(m, ok):
    m.see_match(r"rec \d\d:\d\d")
    m.type("Enter")
    ok("record -e sched tells how it goes, on a terminal that the command has too")
    m.see("[Summary]")
    m.type("1")
    m.see("[1 Events]", "sched_")
    ok("then the trace is browsed")
    m.type("Q")
    open_screen(m)
    m.type("j", "j")
    ok("R: the kernel's events")
    m.type("Enter", *"sched_wakeup")
    m.see("comm=%s pid=%d", "find: sched_wakeup_")
    ok("an event's format")
    m.type("Escape")
    m.see("find: _")
    m.type("Escape")
    m.see("q Back")
    m.type("R")
    m.see_it_record()
    ok("R starts: time and buffers")
    m.type("C-c")
    m.see("[Summary]", "trace.dat: ")
    ok("Ctrl-C stops, the trace opens")
    m.type("R")
    m.see("events can be recorded here", "q Back")
    m.type("R")
    m.see_it_record()
    m.type("q")
    m.see("s Stop, open the trace")
    m.type("s")
    m.see("trace-1.dat: ")
    ok("R R repeats it, q and s stop")
    m.type("R")
    m.see("events can be recorded here", "q Back")
    # a command that ends the recording; with --long calls as a tree: switching all functions takes the machine long
    number, shown = (3, "tracer +function_graph") if "FTOP_TEST_LONG" in os.environ else (6, r"syscalls \(\d+ of \d")
    m.take_setup(number)
    m.see_match(shown)
    m.type(*"jjjjjj", "Enter", *"cat /proc/self/stat", "Enter")
    m.see_match("command +cat /proc/self/stat")
    m.type("R")
    m.see("Type yes to run it")
    m.type(*"yes", "Enter")
    m.see("trace-2.dat: ")
    ok("a set-up by name, with a command")
    m.type("R")
    m.see("events can be recorded here", "q Back")
    m.take_setup(0)
    m.type("j", "j", "Enter", *"sched_swich", "End", "Space")
    m.see("did you mean sched_switch?")
    ok("a mistake is told at once, with the nearest name")
    m.type("Escape")
    m.see("q Back")
    m.type("q")
    m.see("[Summary]")
    m.type("Q")

    open_screen(m)
    m.type("R")
    m.see("recorder killed by SIGKILL", "[Summary]")
    ok("the recorder is killed: what was written is shown")
    m.type("Q")

    open_screen(m)
    m.type("R")
    m.see("the end", "trace.dat")
    if m.term.shows("trace.dat.part"):
        raise Failure("trace.dat.part is left")
    ok("the screen is killed: the recorder finishes the file")
    if not m.term.shows("tracefs: same"):
        raise Failure("tracefs is not as before")
    ok("tracefs is as before")
    m.type("Enter")


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
