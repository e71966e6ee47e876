# SPDX-License-Identifier: GPL-2.0-or-later
"""
live_faults.py - ftop-trace live, and at random moments a fault: the recorder or the screen is killed, the screen is
stopped for a while, the disk is full, the terminal goes, a CPU goes off and comes back.  Each time the file opens with
all that the screen had shown, no process is left, and tracefs is as before.  Some recordings keep only the last
second (-m): of these, the last row is there.

Prints TAP.  A case is one fault; where it fails, its moment is told.

usage: live_faults.py [NAME-PART...]

FTOP_FAULT_MOMENTS: moments of each fault (1; ./dev test --long has 20)
FTOP_CPU_MOMENTS: those of the CPU that goes off and comes back, in a virtual machine (1)
FTOP_FAULT_SEED: what they are drawn from (1)
"""
import glob
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import record as live
import screen as screens

from waiting import LIMIT_S, until

MOMENTS = int(os.environ.get("FTOP_FAULT_MOMENTS", "1"))
CPU_MOMENTS = int(os.environ.get("FTOP_CPU_MOMENTS", "1"))
SEED = os.environ.get("FTOP_FAULT_SEED", "1")
STOPPED_S = 20 if MOMENTS >= 20 else 3      # how long the screen is stopped
LATEST_S = 3 * live.SLOW            # moments are within so many seconds of the start
DISK_BYTES = 48 << 20
CPU1 = "/sys/devices/system/cpu/cpu1/online"
FILE = "own.dat"
LOAD = "until [ -e {stop} ]; do sleep 0.005; done"


def output(*words):
    return subprocess.run([live.PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)


def ours():
    """Processes of the program that were started here: their home is."""
    home = f"HOME={os.path.abspath('home')}".encode()
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/environ", "rb") as environ, open(f"{folder}/cmdline", "rb") as words:
                if home in environ.read().split(b"\0") and words.read().startswith(live.PROGRAM.encode()):
                    found.append(int(os.path.basename(folder)))
        except OSError:
            continue
    return [pid for pid in found if not live.is_gone(pid)]


class Recording(screens.Screen):
    """live, and the last that its screen showed."""

    def __init__(self, draw, folder="."):
        self.file = f"{folder}/{FILE}"
        self.stop_file = os.path.abspath("stop")
        self.events = self.now = 0  # that the header counts: the most, the last
        self.row = None             # number and time of the last row, in Events
        self.in_events = draw.random() < 0.5
        self.rings = draw.random() < 0.3    # the oldest may go
        self.typed = False
        super().__init__("live", "-e", "sched", "-e", "irq", *(("-m", "1s") if self.rings else ()), "-o", self.file, "--",
                         "sh", "-c", LOAD.format(stop=self.stop_file))

    def __exit__(self, kind, *args):
        open(self.stop_file, "w").close()       # the command goes on without a recorder
        super().__exit__(kind, *args)

    def look(self):
        """Takes what comes.  A screen is read when it is whole: nothing more comes."""
        if self.term.pump(0.05):
            return
        rows = self.term.rows()
        if self.in_events and not self.typed and self.term.shows("6 Whole"):
            self.type("1", "G")
            self.typed = True
        if not re.search(r"~[\d ]+ events", rows[0]):       # an estimate
            self.now = screens.events_shown(self)
            self.events = max(self.events, self.now)
        number = re.search(r"  row ([\d ]+?) +100 %", rows[0])
        last = [re.match(r">(\d+\.\d{9}) ", row) for row in rows]
        last = [row for row in last if row]
        if number and len(last) == 1:
            self.row = int(number[1].replace(" ", "")), last[0][1].zfill(20)

    def until(self, found, what):
        end = time.monotonic() + LIMIT_S
        while not (result := found()):
            self.look()
            assert time.monotonic() < end, what
        return result

    def wait(self, seconds):
        end = time.monotonic() + seconds
        self.until(lambda: self.term.state is not None or time.monotonic() >= end, "")

    def ended(self):
        return self.term.state not in (None, "stopped")

    def recorder(self):
        return next(iter(screens.recorders(self.term.pid)), None)

    def written(self):
        told = output("report", "--count", f"{self.file}.part").stdout
        return int(told or 0)

    def grow(self):
        """More is shown than before; of a ring, the number may fall."""
        before = self.now
        self.until(lambda: self.ended() or self.now != before, "the screen does not go on")
        assert not self.ended(), f"the screen ended: {self.term.state}"

    def end(self):
        """The command ends, and the user closes what is shown then."""
        open(self.stop_file, "w").close()
        self.until(lambda: self.ended() or not self.recorder(), "the recording does not end with its command")
        self.quit()

    def quit(self):
        """q closes what is shown, whatever that is."""
        end = time.monotonic() + LIMIT_S
        while not self.ended():
            assert time.monotonic() < end, "q does not end it"
            self.type("s" if self.term.shows("s Stop and save") else "q")
            while self.term.pump(0.3) and time.monotonic() < end:
                pass
        assert self.term.state in ("0", "1"), self.term.state
        wrong = self.term.not_restored()
        assert not wrong, wrong

    def check(self):
        """All that was shown is in the file, and nothing else of it is left."""
        until(lambda: not ours(), lambda: f"left: {[(pid, live.stat_of(pid)) for pid in ours()]}")
        assert not live.own_instances(), f"left in tracefs: {live.own_instances()}"
        folder = os.path.dirname(self.file)
        if os.path.exists(f"{self.file}.part"):
            before = self.written()
            told = output("recover", f"{self.file}.part").stderr
            if "had not begun" in told or "not an interrupted recording" in told or "ends early" in told:
                assert not before and not self.events, told
                return
            assert os.path.exists(self.file), told
            self.events = self.events if self.rings else max(self.events, before)
        left = [name for name in os.listdir(folder) if name.startswith(FILE) and name != FILE]
        assert not left, left
        if not os.path.exists(self.file):
            assert not self.events, f"{self.events} events had been shown, and there is no file"
            return
        self.compare()

    def lines(self):
        return [line for line in live.report(self.file, "-t") if "EVENTS DROPPED" not in line]

    @staticmethod
    def time_of(line):
        return re.search(r" (\d+\.\d{9}): ", line)[1].zfill(20)

    def compare(self):
        facts = output("info", self.file)
        assert facts.returncode == 0 and re.search(r"^damaged pages +0$", facts.stdout, re.M), facts.stdout + facts.stderr
        lines = self.lines()
        counted = output("report", "--count", self.file).stdout
        assert len(lines) == int(counted), (len(lines), counted)
        times = [self.time_of(line) for line in lines]
        if self.rings:
            assert not self.row or self.row[1] in times or self.row[1] < times[0], (self.row, times[0], times[-1])
            return
        assert len(lines) >= self.events, f"{self.events} events had been shown, {len(lines)} are there"
        if self.row:
            number, stamp = self.row
            earlier, until_then = sum(t < stamp for t in times), sum(t <= stamp for t in times)
            assert earlier < number <= until_then, f"row {number} had the time {stamp}; {earlier} are older, {until_then} not newer"


# --- the faults ----------------------------------------------------------------------------------------


def recorder_killed(recording, draw):
    pid = recording.until(lambda: recording.recorder() or recording.ended(), "nothing records")
    if draw.random() < 0.25:        # while it ends
        open(recording.stop_file, "w").close()
        recording.wait(draw.uniform(0, 0.3))
    if pid is not True:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    recording.until(lambda: not recording.recorder(), "it does not die")
    if recording.events:
        said = ("this is what it wrote", "the recording has ended", " events, ", "nothing was recorded")
        recording.until(lambda: any(map(recording.term.shows, said)), "the screen does not tell its end")
        assert not recording.term.shows("nothing was recorded")
    recording.quit()


def screen_killed(recording, draw):
    if draw.random() < 0.25:
        open(recording.stop_file, "w").close()
        recording.wait(draw.uniform(0, 0.3))
    os.kill(recording.term.pid, signal.SIGKILL)
    recording.until(recording.ended, "it does not die")


def screen_stopped(recording, draw):
    before = recording.written() if recording.recorder() and os.path.exists(f"{recording.file}.part") else None
    os.kill(recording.term.pid, signal.SIGSTOP)
    end = time.monotonic() + STOPPED_S
    until(lambda: time.monotonic() >= end, "")
    if before:
        until(lambda: recording.written() > before, "the recorder waits for the screen")
    recording.until(lambda: recording.term.state, "it does not stop")
    recording.term.resume()
    recording.grow()
    recording.grow()
    recording.end()


def terminal_gone(recording, draw):
    if draw.random() < 0.5:
        os.kill(recording.term.pid, signal.SIGHUP)
        recording.until(recording.ended, "it does not end")
    else:
        recording.term.hang_up()


def disk_full(recording, draw):
    """All room is taken at once; the recorder says so, and what it had written is there."""
    filler = os.open("disk/filler", os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(filler, bytes(4096))
    except OSError:
        os.close(filler)
    recording.until(lambda: recording.ended() or recording.term.shows("No space left"), "it does not say that the disk is full")
    recording.quit()
    os.unlink("disk/filler")


def cpu_off_and_on(recording, draw):
    """The other CPU is shown meanwhile; of this one, what it did afterwards is in the file, too."""
    def switch(on):
        with open(CPU1, "w") as file:
            file.write(str(on))

    try:
        switch(0)
        recording.grow()
        recording.grow()
        shown = recording.row
    finally:
        switch(1)
    recording.grow()
    recording.end()
    if shown:
        times = [recording.time_of(line) for line in recording.lines() if "[001]" in line]
        assert shown[1] < max(times), (shown, max(times))


# --- running -------------------------------------------------------------------------------------------


def at_moments(fault, folder=".", moments=MOMENTS):
    draw = random.Random(f"{SEED} {fault.__name__}")
    top = os.getcwd()
    for number in range(moments):
        moment = draw.uniform(0, LATEST_S)
        os.mkdir(f"{top}/{number}")
        os.chdir(f"{top}/{number}")
        if folder != ".":
            os.mkdir(folder)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder], check=True)
        try:
            with Recording(draw, folder) as recording:
                recording.wait(moment)
                fault(recording, draw)
                recording.check()
            print(f"# {fault.__name__} {moment:.3f} s after the start: {recording.events} events were shown", flush=True)
        except Exception as error:
            raise AssertionError(f"seed {SEED}, moment {number}, {moment:.3f} s after the start: {error!r}") from error
        finally:
            if folder != ".":
                subprocess.run(["umount", folder], check=True)


def test_recorder_silent():
    """A recorder that does not run is no quiet machine; and one that the kernel stopped says so."""
    with screens.Screen("live", "-e", "sched", "-o", FILE) as screen:
        screen.see("rec 00:", "buffers ")
        pids = screens.recorders(screen.term.pid)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        screen.see(", silent for ", "buffers not known")
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        screen.see("buffers 0 %, rec ")
        for switch in (path for pid in pids for path in glob.glob(f"/sys/kernel/tracing/instances/ftop-{pid}-*/tracing_on")):
            with open(switch, "w", encoding="ascii") as file:
                file.write("0")
        screen.see(f"{FILE}: ", "; stopped by the kernel ")


def test_file_replaced():
    """Another file has come to the name: it stays, and so does what was recorded."""
    recorder = subprocess.Popen([live.PROGRAM, "record", "-e", "sched", "-o", FILE, "sh", "-c", "until [ -e stop ]; do sleep 0.01; done"],
                                stderr=subprocess.PIPE, text=True)
    until(lambda: os.path.exists(f"{FILE}.part"), "nothing is recorded")
    os.rename(f"{FILE}.part", "moved.dat.part")
    with open(f"{FILE}.part", "w", encoding="ascii") as file:
        file.write("hello")
    open("stop", "w", encoding="ascii").close()
    said = recorder.communicate(timeout=LIMIT_S)[1]
    assert recorder.returncode == 1 and f"{FILE}.part is another file now" in said, said
    with open(f"{FILE}.part", encoding="ascii") as file:
        assert file.read() == "hello"
    assert not os.path.exists(FILE)
    assert "recovered" in output("recover", "moved.dat.part").stderr or os.path.exists("moved.dat")


def test_recorder_killed():
    at_moments(recorder_killed)


def test_screen_killed():
    at_moments(screen_killed)


def test_screen_stopped():
    at_moments(screen_stopped)


def test_terminal_gone():
    at_moments(terminal_gone)


def test_disk_full():
    at_moments(disk_full, "disk")


def test_cpu_off_and_on():
    if not os.path.exists("/vm/guard.sh"):
        raise live.Skip("only in a virtual machine: others use the CPUs of this one")
    if not os.path.exists(CPU1):
        raise live.Skip("CPU 1 cannot be switched off")
    at_moments(cpu_off_and_on, moments=CPU_MOMENTS)


if __name__ == "__main__":
    sys.exit(live.main(globals()))
