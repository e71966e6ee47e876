# SPDX-License-Identifier: GPL-2.0-or-later
"""
held.py - recordings of which one thread or helper process does not go on from a drawn call, for ever
(tests/attack/fault.c).  SIGTERM ends each: it is told who did not answer, the file is complete, and tracefs is as before.

Prints TAP.

usage: held.py [NAME-PART...]

FTOP_FAULT_MOMENTS: calls that are drawn for each thread and process (1; ./dev test --long has 20)
FTOP_FAULT_SEED: what they are drawn from (1)
"""
import contextlib
import glob
import mmap
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import record as live

from waiting import LIMIT_S, until

MOMENTS = int(os.environ.get("FTOP_FAULT_MOMENTS", "1"))
SEED = os.environ.get("FTOP_FAULT_SEED", "1")
LIBRARY = os.path.join(os.path.dirname(live.PROGRAM or ""), "tests/attack/fault.so")
MOST_TASKS = 500
LEAST_TASKS = 4
PF_EXITING = 4      # of the flags in /proc/PID/stat
FEW = 3     # threads and processes of each test that are held, unless there are more moments
# without a signal, it would wait longer than this; a busy machine takes longer over everything
GIVEN_UP_S = 15 * live.SLOW * max(1, os.getloadavg()[0] / os.cpu_count())
LATE = re.compile(r"do(es)? not answer|is not waited for|before the recording began")


class Page:
    """What the library counts: see tests/attack/fault.c."""
    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.file.truncate(mmap.PAGESIZE)
        self.page = mmap.mmap(self.file.fileno(), mmap.PAGESIZE)

    def number(self, index):
        return int.from_bytes(self.page[8 * index:8 * index + 8], "little")

    def held_in(self):
        """The process; 0: none is held."""
        return self.number(0)

    def calls(self):
        """Of each thread and process, in the order in which they were made."""
        return [self.number(2 + task) for task in range(min(self.number(1), MOST_TASKS - 1))]


def is_dying(pid):
    """SIGKILL is pending, or it exits."""
    try:
        with open(f"/proc/{pid}/status") as status, open(f"/proc/{pid}/stat") as stat:
            pending = re.findall(r"^S[ih][gd]Pnd:\s+(\w+)$", status.read(), re.M)
            return any(int(mask, 16) & 1 << signal.SIGKILL - 1 for mask in pending) or bool(int(stat.read().rpartition(")")[2].split()[6]) & PF_EXITING)
    except OSError:
        return True


def left_of(mark):
    """Processes with this word in their environment."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/environ", "rb") as environ:
                if mark.encode() in environ.read().split(b"\0"):
                    found.append(int(os.path.basename(folder)))
        except OSError:
            continue
    return [pid for pid in found if not live.is_gone(pid) and not is_dying(pid)]


def threads_of(pid):
    """What each thread waits for: its name, the function of the kernel, and the system call with its arguments."""
    found = []
    for folder in sorted(glob.glob(f"/proc/{pid}/task/*")):
        with contextlib.suppress(OSError):
            found.append(" ".join(open(f"{folder}/{name}", encoding="ascii").read().strip() for name in ("comm", "wchan", "syscall")))
    return "; ".join(found)


def record_held(words, task, call, moment, again=False):
    """What the library counted, is what was held left, the status, what was told, and how long SIGTERM took.
    again: two more that follow it."""
    page, mark = Page(), f"HELD_BY={os.getpid()}"
    env = dict(os.environ, LD_PRELOAD=LIBRARY, FAULT_KIND="hold", FAULT_TASK=str(task), FAULT_AT=str(call),
               FAULT_FD=str(page.file.fileno()), HELD_BY=str(os.getpid()))
    p = live.start("-q", *words, env=env, pass_fds=[page.file.fileno()])
    try:
        if task == 0:       # what a recording does that nothing holds
            until(lambda: len(page.calls()) >= LEAST_TASKS, "too few threads and processes")
        time.sleep(moment)
        p.send_signal(signal.SIGTERM)
        sent = time.monotonic()
        for number in range(2 if again else 0):     # not two at once: they would be one
            until(lambda: p.poll() is not None or time.monotonic() - sent > (number + 1) * GIVEN_UP_S / 5, "")
            p.send_signal(signal.SIGTERM)
        until(lambda: p.poll() is not None or time.monotonic() - sent > GIVEN_UP_S, "")
        assert p.returncode is not None, f"SIGTERM has not ended it within {GIVEN_UP_S} s: {threads_of(p.pid)}"
        took = time.monotonic() - sent
    finally:
        p.kill()
        left = left_of(mark)
        for pid in left:        # what is held stays; the others would have ended
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return page, page.held_in() in (p.pid, *left), p.wait(), p.communicate(timeout=LIMIT_S)[1], took


def check_file(path, told=""):
    if "recover repairs it" in told or "recover completes it" in told:        # no room on the disk, or nobody packs
        subprocess.run([live.PROGRAM, "recover", f"{path}.part"], check=True, stdout=subprocess.DEVNULL)
    assert not os.path.exists(f"{path}.part"), f"{path}.part is left: {told}"
    if os.path.exists(path):
        facts = subprocess.run([live.PROGRAM, "info", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert facts.returncode == 0 and re.search(r"^damaged pages +0$", facts.stdout, re.M), facts.stdout + facts.stderr
        live.report(path)
        os.unlink(path)


def hold_each(words, path="t.dat", again=False, has_command=False, only=0):
    """A process that nobody has to wait for may be killed instead: of that nobody is told.  Nor of a command that goes on.
    only: a task that is held in its first call, after it could have begun."""
    if not os.access(LIBRARY, os.R_OK):
        raise live.Skip(f"{LIBRARY} is not built")
    draw = random.Random(f"{SEED} {words}")
    page, _, _, told, _ = record_held(words, 0, 0, 1.5)
    check_file(path, told)
    calls, before = page.calls(), live.snapshot()
    print(f"# seed {SEED}; calls of each thread and process: {calls}")
    tasks = list(enumerate(calls, 1))
    for task, most in [(only, 1)] if only else tasks if MOMENTS > 1 else draw.sample(tasks, FEW):
        for _ in range(1 if only else MOMENTS):
            call, moment = draw.choice((1, draw.randint(1, most or 1))), draw.uniform(1.5 if only else 0, 2 * live.SLOW)
            what = f"task {task}, call {call} of {most}, {moment:.3f} s"
            try:
                page, is_left, status, told, took = record_held(words, task, call, moment, again)
                print(f"# {what}: held in {page.held_in()}, {took:.1f} s, status {status}: {told.strip()!r:.200}", flush=True)
                assert status in (1, -signal.SIGTERM), f"status {status}: {told}"
                assert not is_left or has_command or LATE.search(told), f"nobody is told of: {told}"
                check_file(path, told)
                changed = live.differences(before, live.snapshot())
                assert not changed and not live.own_instances(), f"tracefs was changed: {changed[:5]}"
            except AssertionError as error:
                raise AssertionError(f"seed {SEED}, {what}: {error}") from error


def test_threads_and_processes():
    hold_each(("-e", "sched_switch", "-o", "t.dat"))


def test_command_and_judge():
    hold_each(("-e", "sched_switch", "--until", "sched_process_exec && pid == 0", "-o", "t.dat", "--", "sleep", "100000"), has_command=True)


def test_judge():
    hold_each(("-e", "sched_switch", "--until", "sched_process_exec && pid == 0", "-o", "t.dat"))


def test_packing():
    hold_each(("-e", "sched", "--compression=zstd", "-O", "userstacktrace", "-o", "t.dat"), again=True)


def test_packing_with_one_signal():
    """The thread that packs, after the watcher, those that read names and look up tasks, and the readers: nobody hurries, but it does nothing."""
    hold_each(("-e", "sched", "--compression=zstd", "-o", "t.dat"), only=4 + os.cpu_count())


def test_full_disk():
    """It ends by itself, or by SIGTERM; what is held is given up."""
    def work():
        busy = live.load()
        try:
            hold_each(("-e", "sched", "-o", "mnt/t.dat"), "mnt/t.dat")
        finally:
            busy.kill()
            busy.wait()
    live.mounted("tmpfs", 2 << 20, work)


if __name__ == "__main__":
    sys.exit(live.main(globals()))
