#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who holds a lock, and up to when: latency and why against trace-cmd's text of the same records.  Prints TAP.

The rule is worked out here from the text alone, for mutexes of glibc in traces that saw their tasks begin and end:
share/locks.md.  A deadlock of two, and a lock whose holder sleeps, are in the trace.
"""
import csv
import io
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run   # noqa: E402

LINE = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\d+(?P<flags>\D[^ ]{4}) +(?P<s>\d+)\.(?P<ns>\d{9}): "
                  r"(?P<name>\w+): +(?P<text>.*)$")
WAITING = (0, 6, 9, 11, 13)		# FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2
CLONE_THREAD = 0x10000


class Wait:
    def __init__(self, begin, pid, address):
        self.begin, self.pid, self.address = begin, pid, address
        self.end = self.holder = None
        self.sleeps = []		# [switch, wake-up or None, pid of a waker that is no interrupt or None]


def fields(text):
    return {name: int(value, 16 if "x" in value else 10) for name, value in re.findall(r"(\w+)=(-?0x[0-9a-f]+|-?\d+)", text)}


def is_mutex(call):
    """A private mutex of glibc that is locked and awaited: its kind has only a type and bits about elision."""
    return (call["op"] & 0xff == 0x80 and call["val"] == call["word"] == 2 and call["users"] > 0
            and not call["kind"] & ~0x303)


def read(path):
    """The waits in futex calls, in the order of their begin; releases: (time, holder, address of the lock)."""
    waits, now, process, over, releases, last = [], {}, {}, set(), [], 0
    for line in run([TRACE_CMD, "report", "-l", "-t", "-i", path]).decode().splitlines():
        line = LINE.match(line)
        if not line:
            continue
        pid, name, text = int(line["pid"]), line["name"], line["text"]
        ts = last = int(line["s"]) * 10**9 + int(line["ns"])
        if name == "task_newtask":
            child = fields(text)
            thread = int(re.search(r"clone_flags=(\w+)", text)[1], 16) & CLONE_THREAD
            process[child["pid"]] = process.get(pid, pid) if thread else child["pid"]
        elif name == "sched_process_exit":
            over.add(fields(text)["pid"])
        elif name == "futex":
            call = fields(text)
            if call["op"] & 0x7f in WAITING:
                now[pid] = Wait(ts, pid, (process.get(pid, pid), call["uaddr"]))
                owner = call["owner"]
                if (is_mutex(call) and owner != pid and owner not in over and
                        process.get(owner, owner) == process.get(pid, pid)):
                    now[pid].holder = owner
                waits.append(now[pid])
        elif name == "sys_exit_futex" and pid in now:
            now.pop(pid).end = ts
        elif name == "sched_switch":
            if pid in now and not re.search(r" \[\d+\] R\+? ==>", text):
                now[pid].sleeps.append([ts, None, None])
        elif name == "sched_waking":
            woken = fields(text)["pid"]
            by_task = None if line["flags"][2] in "hsHzZ" or not pid else pid
            if woken in now and now[woken].sleeps and not now[woken].sleeps[-1][1]:
                now[woken].sleeps[-1][1:] = ts, by_task
                if by_task:
                    releases.append((ts, by_task, now[woken].address))
    return waits, releases, last


def rows(path, *words):
    return csv.DictReader(io.StringIO(run([PROGRAM, "latency", "--kind=futex", *words, "--format=csv", path]).decode()))


def compare_holders(path):
    waits, _, _ = read(path)
    found = {(int(row["start_ns"]), int(row["pid"])): row for row in rows(path, "--open")}
    known = 0
    if len(waits) < 10 or len(found) != len(waits):
        raise Failure("%d waits, not %d" % (len(found), len(waits)))
    for wait in waits:
        row = found.get((wait.begin, wait.pid))
        told = row and (row["holder_pid"], row["end_ns"])
        if told != (str(wait.holder or ""), str(wait.end or "")):
            raise Failure("wait of %d at %d: %s, not holder %s, end %s" % (wait.pid, wait.begin, told, wait.holder, wait.end))
        known += wait.holder is not None
    if known < 8:
        raise Failure("only %d holders are known" % known)


def held_until(wait, releases, start, woken, waker, last):
    """From then on another task may hold the lock."""
    if waker == wait.holder and woken:
        return woken
    for ts, holder, address in releases:
        if holder == wait.holder and address == wait.address and wait.begin <= ts < (woken or last):
            return max(ts, start)
    return start if waker else woken or last


def compare_why(path):
    """The time that why says the holder is the reason for, of each sleep in a wait."""
    waits, releases, last = read(path)
    cut = asked = 0
    for wait in waits:
        if not wait.holder or len(wait.sleeps) != 1:
            continue
        start, woken, waker = wait.sleeps[0]
        until = held_until(wait, releases, start, woken, waker, last)
        text = run([PROGRAM, "why", "--task=%d" % wait.pid, "--from=%dns" % start, "--to=%dns" % (woken or last), path]).decode()
        told = sum(round(float(line[1]) * 1000) for line in
                   re.finditer(r"^ *(\d+\.\d{3}) .*\d   waits for mutex .* held by .*-%d$" % wait.holder, text, re.M))
        if told != until - start:
            raise Failure("sleep of %d at %d: held by %d for %d, not %d ns:\n%s" %
                          (wait.pid, start, wait.holder, told, until - start, text))
        asked += 1
        cut += start < until < (woken or last)
    if asked < 5:
        raise Failure("only %d sleeps" % asked)
    print("# %d sleeps, %d of which had another holder later" % (asked, cut))


def compare_deadlock(path):
    """Two threads wait for each other at the end."""
    pids = {}
    for wait in read(path)[0]:
        if wait.end is None and wait.holder:
            pids[wait.pid] = wait.holder
    pairs = [(pid, other) for pid, other in pids.items() if pids.get(other) == pid]
    if len(pairs) != 2:
        raise Failure("no deadlock of two: %s" % pids)
    for pid, other in pairs:
        text = run([PROGRAM, "why", "--task=%d" % pid, path]).decode()
        if not re.search(r"waits for mutex .* held by \S+-%d\n.* deadlock: it waits for mutex .* held by \S+-%d\n" % (other, pid), text):
            raise Failure("why --task=%d:\n%s" % (pid, text))


def main():
    path = os.path.join(DATA, "locks", "trace.dat")
    tap = Tap()
    if not TRACE_CMD:
        tap.skip("locks", "there is no trace-cmd")
        tap.end()
    tap.case("holders are what the words of locks tell", compare_holders, path)
    tap.case("why follows a holder until that wakes a task that waits for the lock", compare_why, path)
    tap.case("tasks that wait for each other are a deadlock", compare_deadlock, path)
    tap.end()


main()
