# SPDX-License-Identifier: GPL-2.0-or-later
"""
screen.py - records from the screen of the real program on this machine's kernel.

Prints TAP.  As record.py: tracefs is compared before and after each test.

usage: screen.py [NAME-PART...]
"""
import glob
import os
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import record as live

from waiting import until

sys.path.insert(0, f"{live.TOP}/tests/screens")
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)

USER = 65534


def status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return line.split()[1:]
    return None


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def records(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return b"--status-fd" in f.read()
    except OSError:
        return False


def recorders(browser):
    """Of the children of the browser's helper, those that record: pids."""
    pids = [int(os.path.basename(p)) for p in glob.glob("/proc/[0-9]*")]
    helpers = [p for p in pids if parent_of(p) == browser]
    return [p for p in pids if parent_of(p) in helpers and records(p)]


class Screen:
    """The program on a terminal, in this folder and with a home of its own."""

    def __init__(self, *words, env=(), cols=100, rows=30):
        os.makedirs("home", exist_ok=True)
        os.chmod("home", 0o777)
        os.chmod(".", 0o777)
        home = os.path.abspath("home")
        os.makedirs("home/ftop-trace", exist_ok=True)
        with open("home/ftop-trace/config", "w", encoding="utf-8") as file:
            file.write("first = events\n")	# the rows of what was recorded, not their Summary
        env = dict(os.environ, HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, FTOP_DATADIR=live.TOP, **dict(env))
        if "SUDO_UID" not in dict(env):
            env.pop("SUDO_UID", None)
        self.term = terminal.Terminal([live.PROGRAM, *words], env, os.getcwd(), cols, rows)

    def __enter__(self):
        return self

    def __exit__(self, kind, *args):
        if kind:
            print("# on the screen:\n" + "\n".join("# |" + row for row in self.term.rows() if row))
        self.term.close()

    def see(self, *texts):
        for text in texts:
            self.term.see(text)

    def type(self, *keys):
        """Keys wait in the terminal until the program takes them.  While it records it never comes to rest, so what a key
        brings about has to be seen."""
        for key in keys:
            self.term.key(key)

    def answer(self, *keys):
        self.see("Type yes to run it")
        self.type(*keys, "Enter")

    def open_record(self):
        self.see("No trace.dat in this folder")
        self.type("R")
        self.see("events can be recorded here", "sched (")

    def start(self):
        self.type("R")
        self.see("rec 00:", "CPU   0")

    def is_shut_in(self):
        pid = self.term.pid
        assert status(pid, "NoNewPrivs") == ["1"], status(pid, "NoNewPrivs")
        if os.uname().machine in ("x86_64", "aarch64"):
            assert status(pid, "Seccomp") == ["2"], status(pid, "Seccomp")


def test_record_and_browse():
    with Screen() as screen:
        screen.open_record()
        screen.start()
        screen.is_shut_in()
        # who records is not shut in, or it could not
        recorder, = recorders(screen.term.pid)
        assert status(recorder, "NoNewPrivs") == ["0"], status(recorder, "NoNewPrivs")
        screen.type("C-c")
        screen.see("[1 Events]", "trace.dat: ")
        screen.is_shut_in()
        # once more: a name that is free is found, and nothing is asked
        screen.type("R")
        screen.see("events can be recorded here")
        screen.start()
        screen.type("C-c")
        screen.see("trace-1.dat: ")
    assert live.report("trace.dat") and live.report("trace-1.dat")


def test_a_command_is_confirmed():
    with Screen() as screen:
        screen.open_record()
        screen.type("j", "j", "j", "j")
        screen.see(">command")
        screen.type("Enter", *"touch ran-it", "Enter", "R")
        screen.answer("n")
        screen.see("was not confirmed")
        assert not os.path.exists("ran-it") and not os.path.exists("trace.dat")
        screen.type("R")
        screen.answer(*"yes")
        screen.see("[1 Events]")
    assert os.path.exists("ran-it")


def test_the_screen_is_killed():
    with Screen() as screen:
        screen.open_record()
        screen.start()
        assert os.path.exists("trace.dat.part")
        recorder, = recorders(screen.term.pid)
        os.kill(screen.term.pid, signal.SIGKILL)
        until(lambda: os.path.exists("trace.dat") and not os.path.exists("trace.dat.part"),
              "the recorder does not finish its file")
        until(lambda: not glob.glob(f"{live.TRACING}/instances/ftop-{recorder}-*"), "an instance is left")
    assert live.report("trace.dat")


def test_the_recorder_is_killed():
    with Screen() as screen:
        screen.open_record()
        screen.start()
        recorder, = recorders(screen.term.pid)
        os.kill(recorder, signal.SIGKILL)
        screen.see("recorder killed by SIGKILL: this is what it wrote")
        screen.see("[1 Events]")
    until(lambda: live.sweep() or not live.own_instances(), "the next recorder has not mended tracefs")


def test_recorded_under_sudo_and_browsed():
    sudo = {"SUDO_UID": str(USER), "SUDO_GID": str(USER), "SUDO_USER": "nobody"}
    with Screen("record", "-e", "sched", "-o", "own.dat", "--", "sleep", "0.5", env=sudo) as screen:
        screen.see("[1 Events]")
        screen.is_shut_in()
        assert status(screen.term.pid, "Uid") == [str(USER)] * 4, status(screen.term.pid, "Uid")
        assert os.stat("own.dat").st_uid == USER
        # as a user without rights it is told what is missing
        screen.type("R")
        screen.see("only root can record here")


def test_nothing_is_opened_while_the_command_writes():
    command = "echo $$ >pid; while :; do echo still at work; sleep 0.1; done"
    with Screen("record", "-e", "sched", "-o", "own.dat", "--duration", "300ms", "--", "sh", "-c", command) as screen:
        screen.term.wait_for(lambda: screen.term.state is not None, "no end")
        os.kill(live.written_pid(), signal.SIGKILL)
        assert screen.term.state == "0", screen.term.state
        assert b"sh still runs (pid" in screen.term.raw and b"[1 Events]" not in screen.term.raw
    assert live.report("own.dat")


def test_recorded_in_the_shell_and_once_more():
    words = ("-e", "sched:sched_switch", "-f", "prev_prio < 200", "-b", "8M", "-o", "own.dat", "--", "sleep", "0.3")
    with Screen("record", *words) as screen:
        screen.see("[1 Events]")
        screen.type("R")
        screen.see("same as:  ftop-trace record -e sched:sched_switch -f 'prev_prio < 200' -b 8M sleep 0.3")
        screen.type("R")	# the shell's command is not asked for again
        screen.see("trace.dat: ")
        screen.type("R")
        screen.see(">events")
        screen.type("j", "j", "j", "j")
        screen.see(">command")
        screen.type("Enter", *" 0.1", "Enter", "R")
        screen.see("Type yes to run it")
    assert live.events_of(live.report("trace.dat")) == {"sched_switch"}


def events_shown(screen):
    found = re.search(r"([\d ]+) events", screen.term.rows()[0])
    return int(found.group(1).replace(" ", "")) if found else 0


def grows(screen):
    """Until more events are shown than now, with the cursor on the last one."""
    now = events_shown(screen)
    screen.term.wait_for(lambda: events_shown(screen) > now and "100 %" in screen.term.rows()[0], f"no more than {now} events")


def shows_all(screen, name):
    """Until the header counts what the finished file has."""
    nr = len([line for line in live.report(name) if "EVENTS DROPPED" not in line])
    screen.term.wait_for(lambda: events_shown(screen) == nr, f"{nr} events are not shown")


def is_in(screen, name):
    """Until this file is shown."""
    screen.term.wait_for(lambda: screen.term.rows()[0].startswith(f" {name} "), f"{name} is not shown")


def test_live():
    with Screen("live", "-e", "sched", "-o", "own.dat", "--", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done") as screen:
        screen.see("rec 00:", "own.dat.part", "6 Whole", "the last 10.00 s")
        screen.is_shut_in()
        screen.type("1")
        grows(screen)
        grows(screen)
        # a list goes on, too, and can be limited to the last second
        screen.type("6")
        screen.see("range 10.00 s")
        screen.type(":", *"last 1s", "Enter")
        screen.see("range 1.000 s")
        now = events_shown(screen)
        screen.term.wait_for(lambda: events_shown(screen) > now, "the list does not go on")
        open("stop", "w").close()
        is_in(screen, "own.dat")
        screen.type("1")
        screen.see("[1 Events]")
        shows_all(screen, "own.dat")


def test_live_is_discarded():
    with Screen("live", "-e", "sched", "-o", "own.dat") as screen:
        screen.see("rec 00:", "own.dat.part", "6 Whole")
        screen.type("q")
        screen.see("s Stop and save  d Discard  k Leave it running  Esc Stay")
        screen.type("Escape")
        now = events_shown(screen)
        screen.term.wait_for(lambda: events_shown(screen) > now, "it does not go on")
        screen.type("q", "d")
        screen.see("own.dat was discarded")
    assert not [name for name in os.listdir() if name.startswith("own.dat")], os.listdir()


def test_live_is_refused():
    """On a large screen, the form with its lists says why."""
    with Screen("live", "-p", "no_such_tracer", cols=160, rows=50) as screen:
        screen.see("nothing was recorded: -p no_such_tracer: no such tracer", "events can be recorded here", "│ [ ] ")


def test_now():
    """Its columns are those of the finished file in the same window.  Groups are known while it records."""
    cgroup = live.cgroup_of("self")
    top = "▾ / " if cgroup == "/" else "▸ " + re.match("/[^/]*|.*", cgroup).group(0)[:5]      # its end may be cut off
    with Screen("live", "-e", "sched", "-o", "own.dat", "--", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done", cols=115) as screen:
        screen.see("6 Whole", "the last 10.00 s", " %, rec ")
        screen.type("-", "-", "-")
        screen.see("the last 1.000 s")
        screen.term.wait_for(lambda: re.search(r" [3-9]\.\d{3} s  ", screen.term.rows()[0]), "it does not go on")
        screen.see(">", "  switch  ")   # a task is chosen
        screen.type("o", "g")
        screen.see("[cgroups]", top)
        screen.type("o", "t")
        screen.see("[tasks]")
        screen.type("Enter")
        screen.see("[3 Timeline]")
        screen.type("q")
        screen.see("6 Whole", "the last 1.000 s")       # it follows again
        screen.type("*")
        screen.see("stopped; the recording goes on")
        screen.type("h", "y", "c")
        screen.see("command copied")
        copied = "\n".join(screen.term.rows())
        window = re.search(r"--from ([\d.]+) --to ([\d.]+) ", copied).groups()
        screen.term.wait_for(lambda: not re.search("counted so far|Adding up", "\n".join(screen.term.rows())), "it counts on")
        screen.type("S", "c")
        screen.see("save the table as CSV")
        screen.type("C-u", *"now.csv", "Enter")
        screen.see("Type yes to save it")
        screen.type(*"yes", "Enter")
        screen.see("rows saved to now.csv")
        open("stop", "w").close()
        is_in(screen, "own.dat")
        screen.see("1.000 s to")        # the window is as long as before
    def own(lines):
        """Rows of the command and its children: kernels that hide tasks hide none of these."""
        return {row for row in lines if row.split(",")[1] in ("sh", "sleep")}

    with open("now.csv", encoding="utf-8") as file:
        shown = file.read().splitlines()
    table = subprocess.run([live.PROGRAM, "tasks", "--format=csv", "--from", window[0], "--to", window[1], "own.dat"],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert shown[0] == table[0] and len(own(shown)) > 10, (window, shown[:3], table[0], len(own(shown)))
    assert own(shown) <= own(table), (window, own(shown) - own(table))
    idle = {row for row in table if set(row.split(",")[2:5] + row.split(",")[6:11]) == {"0"}}
    assert own(table) - own(shown) <= idle, (window, own(table) - own(shown))


def test_a_ring():
    """What is shown goes on and is dropped; the cursor goes on to the first row that is left, marks keep their times."""
    with Screen("live", "-e", "sched", "-m", "2s", "-o", "own.dat", "--", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done") as screen:
        screen.see("rec 00:", "own.dat.part", "6 Whole", "wait max▾")
        screen.type("1")
        grows(screen)
        # the mark is on the newest row: the oldest ones may be dropped, and the message shown, before it is set
        # with both marks the Δ, of b before a, is not that of the cursor, which is at the end
        screen.type("m", "d", "a", "g", "b", "G")
        delta = re.compile(r"Δ +−\d\S* \S+")
        screen.term.wait_for(lambda: "100 %" in screen.term.rows()[0] and delta.search("".join(screen.term.rows())), "nothing is measured")
        measured = delta.search("".join(screen.term.rows())).group(0)
        screen.type("g")
        screen.see("  row 1 ", " were overwritten", "only the time is left of ", "mark")
        screen.see("kept ", " MB", "Older records of CPU")
        def row():
            return [r for r in screen.term.rows() if r.startswith(">")]
        first = row()
        screen.term.wait_for(lambda: row() != first, "the first row stays")
        screen.see("  row 1 ", measured)
        screen.type("'", "d")
        screen.see("  row 1 ", measured)
        screen.type("G")
        time = re.compile(r" (\d+\.\d{3}) s, ")
        screen.term.wait_for(lambda: "100 %" in screen.term.rows()[0], "the cursor is not at the end")
        grows(screen)
        kept = float(time.search(screen.term.rows()[0]).group(1))
        assert 1 < kept < 6, kept
        shown = [re.match(r".(\d+)\.(\d{9}) ", row) for row in screen.term.rows()]
        shown = [int(found.group(1) + found.group(2)) for found in shown if found]
        open("stop", "w").close()
        is_in(screen, "own.dat")
        screen.see("[1 Events]", "100 %")
        shows_all(screen, "own.dat")
    assert len(shown) > 10 and set(shown) <= set(live.times("own.dat")), shown
    assert max(live.times("own.dat")) - min(live.times("own.dat")) < 6e9


def test_another_recording_is_followed():
    p = live.start("-e", "sched", "-o", "own.dat", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done")
    live.wait_written(p, path="own.dat.part")
    with Screen("own.dat.part") as screen:
        screen.see("[1 Events]", "own.dat.part")
        screen.type("G")
        grows(screen)
        open("stop", "w").close()
        live.finish(p)
        is_in(screen, "own.dat")
        screen.see("the recording has ended: this is own.dat", "100 %")
        shows_all(screen, "own.dat")


def test_the_recorder_that_is_followed_is_killed():
    """All that it wrote is shown then."""
    p = live.start("-e", "sched", "-o", "own.dat", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done")
    live.wait_written(p, path="own.dat.part")
    with Screen("own.dat.part") as screen:
        screen.see("[1 Events]", "own.dat.part")
        screen.type("G")
        grows(screen)
        p.kill()
        open("stop", "w").close()       # the command has its pipes
        p.communicate()
        until(lambda: live.sweep() or not live.own_instances(), "the next recorder has not mended tracefs")
        screen.term.wait_for(lambda: events_shown(screen) == len(live.report("own.dat.part")), "not all that it wrote is shown")
        screen.see("the recorder has died: this is what it wrote")
        screen.type("9")
        screen.see("%cpu", " events/s")
        assert "9223372036" not in "".join(screen.term.rows()), screen.term.rows()


if __name__ == "__main__":
    sys.exit(live.main(globals()))
