# SPDX-License-Identifier: GPL-2.0-or-later
"""
locks.py - whether those who are said to hold a lock do so, of every wait for it of at least 100 us.  Prints TAP.

Locks of programs: locks.c notes when each thread has which lock, by the clock of the trace.  Locks of the kernel: kprobes in the
same recording tell who gives up which lock.  The holder of a wait is asked for twice: of the fields that were recorded, by holder()
below, which shows that these tell it; and of the program.

usage: locks.py [KERNEL...]            default: cloud, or $FTOP_VM_KERNELS
       locks.py cost [KERNEL [ROUNDS]]   what recording costs the convoy of locks.c: takes of its lock a second
"""
import bisect
import collections
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile

import record
import vm

LEAST_NS = 100_000
WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, LOCK_PI, UNLOCK_PI, WAIT_BITSET, WAKE_BITSET, LOCK_PI2 = 0, 1, 3, 4, 5, 6, 7, 9, 10, 13
WAITS = (WAIT, WAIT_BITSET, LOCK_PI, LOCK_PI2)
WAKES = (WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET)
PRIVATE, OWNER_DIED, WAITERS, TID = 128, 1 << 30, 1 << 31, (1 << 30) - 1
NOT_AS_EXPECTED = (1 << 64) - 11        # EAGAIN: the word was another when the kernel looked, so it did not wait
MUTEX_KINDS = 0x383             # recursive, error checking, adaptive; process-shared; with or without elision
MODES = ("list", "pid-namespace", "pid-shifted")
# Of "list": locks that somebody is known to hold while others wait; and waits of which nothing tells who is waited for.
HELD = ("convoy hand-off nested nested.2 trylock deadlock deadlock.2 recursive errorcheck adaptive pi pi-timed robust robust-timed "
        "pi-robust dies shared shared-robust shared-pi cond").split()
NOT_HELD = ("self protect dies-robust dies-pi-robust inherited cond.cond sem rwlock barrier barrier-shared made made-no-users "
            "made-no-kind made-shared made-as-glibc made-as-shared made-by-user made-readers other").split()

# They look like a mutex of glibc, bit by bit.  Who wakes whom would tell that they are none; latency does not look at that.
TWINS = ("made-as-glibc", "made-as-shared", "made-by-user")


def rows_of(program, *words):
    """Rows of a table, one by one."""
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as asked:
        yield from csv.DictReader(asked.stdout)
        if asked.wait():
            raise AssertionError(f"{' '.join(words)}: {asked.stderr.read()[-300:]}")


def fields(text):
    return {name: int(value, 0) for name, value in re.findall(r"(\w+)=(-?\w+)", text)}


# --- what the program noted -----------------------------------------------------------------

class Hold:
    """From `got` to `drop` a thread certainly has a lock; it has given it up, and woken who waits, by `free`, if it says when."""

    def __init__(self, tid, got):
        self.tid, self.got, self.drop, self.free = tid, got, None, None


class Notes:
    def __init__(self, path):
        self.objects = []
        self.process, self.started = {}, {}     # of a thread
        self.holds = collections.defaultdict(list)      # of an address, in order; no two at a time
        self.gone = {}                          # of an address: when a thread that had it was no more
        lines = []
        with open(path) as file:
            for line in file:
                words = line.split()
                if words[0] == "object":
                    self.objects.append((int(words[2], 0), int(words[3]), words[1], words[4]))
                else:
                    lines.append((int(words[1]), int(words[0]), words[2], words[3], int(words[4], 0)))
        having = {}
        for ns, tid, event, lock, address in sorted(lines):
            if event == "start":
                self.process[tid], self.started[tid] = int(lock), ns
            elif event == "got":
                having[tid, address] = Hold(tid, ns)
                self.holds[address].append(having[tid, address])
            elif event in ("drop", "exit"):
                having[tid, address].drop = ns
            elif event == "free":
                having.pop((tid, address)).free = ns
            elif event == "gone":
                self.gone.setdefault(address, ns)
        for holds in self.holds.values():
            assert all(a.drop < b.got for a, b in zip(holds, holds[1:])), "two threads had one mutex"

    def object(self, address):
        """Its name, and what says who holds it."""
        for begin, size, name, owner in self.objects:
            if begin <= address < begin + size:
                return name, owner
        return "other", "none"

    def holders(self, address, begin, end, waiter):
        """All that may be said of a moment between begin and end: tids, and None for nobody."""
        found, holds = set(), self.holds[address]
        for before, hold in zip([None, *holds], [*holds, None]):
            if before and before.got <= end and begin <= before.drop:
                found.add(before.tid)
            # Until it has given it up, it may still have it, or be about to wake who waited before another took it.
            given_up = before and (before.free or self.gone.get(address) or (hold.drop if hold else end))
            leaves = before and before.drop <= end and begin <= given_up
            if begin < (hold.got if hold else float("inf")) and (before.drop if before else 0) < end:
                found |= {None} | ({hold.tid} if hold else set()) | ({before.tid} if leaves else set())
            if leaves:
                found.add(None)
        return {None if tid == waiter else tid for tid in found}


# --- what was recorded ------------------------------------------------------------------------

class FutexWait:
    def __init__(self, ts, pid, call):
        self.begin, self.pid, self.call = ts, pid, call
        self.read = None                # the task's next record: what stands in the lock was read before that
        self.duration = self.waited = None


class Futexes:
    """Calls of futex in a recording."""

    def __init__(self, program, path):
        self.waits, self.ends = [], {}
        self.calls = collections.defaultdict(list)      # of a word: (ts, pid, operation)
        inside = {}
        for row in rows_of(program, "report", "--format=csv", path):
            ts, pid = int(row["ts_ns"]), int(row["pid"])
            if pid in inside and not inside[pid].read:
                inside[pid].read = ts
            if (row["system"], row["event"]) == ("locks", "futex"):
                inside[pid] = FutexWait(ts, pid, fields(row["text"]))
                call = inside[pid].call
                self.calls[call["uaddr"]].append((ts, pid, call["op"] & 127))
            elif row["event"] == "sys_exit_futex" and pid in inside:
                wait = inside.pop(pid)
                wait.duration, wait.waited = ts - wait.begin, int(row["text"], 16) != NOT_AS_EXPECTED
                if wait.call["op"] & 127 in WAITS and wait.duration >= LEAST_NS:
                    self.waits.append(wait)
            elif row["event"] == "sched_process_exit":
                self.ends[pid] = ts

    def first_waker(self, wait, process):
        """The task whose call on the word was the first to wake anybody after the wait began."""
        for ts, pid, operation in self.calls[wait.call["uaddr"]]:
            one_process = process.get(pid) == process.get(wait.pid)
            if ts > wait.begin and operation in WAKES and (one_process or not wait.call["op"] & PRIVATE):
                return pid
        return None


def candidate(call):
    """The owner that stands in a mutex of glibc, if it is one; 0: none."""
    operation, word = call["op"] & 127, call["word"]
    if operation in (LOCK_PI, LOCK_PI2):
        return 0 if word & OWNER_DIED else word & TID
    if operation not in (WAIT, WAIT_BITSET) or call["val"] != word:
        return 0
    if word & WAITERS:          # robust
        return 0 if word & OWNER_DIED else word & TID
    return call["owner"] if word == 2 and call["users"] and not call["kind"] & ~MUTEX_KINDS else 0


def holder(wait, futexes, notes):
    """
    Who holds the lock that a wait is for, by what was recorded, or None.  What looks like an owner is one if the first call that wakes
    somebody on that word, after the wait began, is its own: a mutex that others wait for is given up by such a call.  What happens to
    lie behind other words, or counts in another PID namespace, is another task's number.
    """
    tid = candidate(wait.call)
    if tid in (0, wait.pid) or futexes.ends.get(tid, wait.begin) < wait.begin:
        return None
    waker = futexes.first_waker(wait, notes.process)
    if waker or not wait.call["op"] & PRIVATE:
        return tid if waker == tid else None
    return tid if notes.process.get(tid) == notes.process[wait.pid] and notes.started[tid] <= wait.begin else None


# --- locks of programs ------------------------------------------------------------------------

class Verdicts:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.faults = []

    def add(self, case, verdict, text=""):
        self.counts[case][verdict] += 1
        if verdict in ("wrong", "missed"):
            self.faults.append(f"{case}: {verdict}: {text}")

    def tell(self, what):
        total = collections.Counter()
        for case, counts in self.counts.items():
            print(f"# {what}: {case}:", ", ".join(f"{nr} {verdict}" for verdict, nr in sorted(counts.items())))
            total.update(counts)
        print(f"# {what}: all:", ", ".join(f"{nr} {verdict}" for verdict, nr in sorted(total.items())))

    def fault(self, held=(), others=()):
        """What is wrong.  Of some there must be waits, and of those that are held, some with a holder."""
        missing = [f"no wait for {case}" for case in (*held, *others) if case not in self.counts]
        missing += [f"no holder of {case}" for case in held if not any(word.startswith("right") for word in self.counts[case])]
        return "\n".join(missing + self.faults[:10] + ([f"{len(self.faults)} in all"] if self.faults else [])) or None


def judge(said, wait, notes, may_be_empty):
    """may_be_empty: the holder need not be known, as in a PID namespace.  Gives the lock, the verdict, and what was said."""
    name, owner = notes.object(wait.call["uaddr"])
    true = notes.holders(wait.call["uaddr"], wait.begin, wait.read, wait.pid) if owner != "none" else {None}
    if said in true:
        verdict = "empty by rule" if true == {None} else "right" if len(true) == 1 else "right, while it changes hands"
    elif said is None:
        # One that ends with its lock wakes nobody who would tell of it.
        is_rule = may_be_empty or owner == "made" or name.startswith("dies") or not wait.waited
        verdict = "empty by rule" if is_rule else "missed"
    else:
        verdict = "wrong"
    return name, verdict, f"{wait.pid} at {wait.begin} for {wait.duration} ns: {said}, not {true}: {wait.call}"


def said_by(program, path, kind):
    """The holders that the program tells, by pid and begin of the wait."""
    rows = rows_of(program, "latency", f"--kind={kind}", "--format=csv", path)
    return {(int(row["pid"]), int(row["start_ns"])): int(row["holder_pid"]) if row["holder_pid"] else None for row in rows}


def tell_programs(tap, name, program, out, mode):
    notes, futexes = Notes(f"{out}/{mode}.log"), Futexes(program, f"{out}/{mode}.dat")
    of_fields, of_program = Verdicts(), Verdicts()
    said = said_by(program, f"{out}/{mode}.dat", "futex")
    for wait in futexes.waits:
        if wait.pid not in notes.process:
            continue
        # Who holds a mutex with priority inheritance calls to give it up only if somebody had waited by then.
        is_first = wait.call["op"] & 127 in (LOCK_PI, LOCK_PI2) and not wait.call["word"] & WAITERS
        of_fields.add(*judge(holder(wait, futexes, notes), wait, notes, mode != "list" or is_first))
        if (wait.pid, wait.begin) in said:
            case, verdict, text = judge(said[wait.pid, wait.begin], wait, notes, mode != "list")
            of_program.add(case, "taken for glibc's" if verdict == "wrong" and case in TWINS else verdict, text)
        else:
            of_program.add(notes.object(wait.call["uaddr"])[0], "missed", f"{wait.pid} at {wait.begin} is no instance")
    expected = (HELD, NOT_HELD) if mode == "list" else ()
    of_fields.tell(f"{name}: {mode}: fields")
    tap.tell(f"{name}: {mode}: the fields that are recorded tell the true holder, or none", of_fields.fault(*expected))
    of_program.tell(f"{name}: {mode}")
    tap.tell(f"{name}: {mode}: latency --kind=futex tells the true holder, or none", of_program.fault(*expected))


# --- locks of the kernel ------------------------------------------------------------------------

def owner_of(begin):
    """The task of which the owner of a lock tells: its pid, from the bytes around it; None: nobody, or readers."""
    flags = begin["owner"] & 7
    if not begin["owner"] & ~7 or (begin["event"] == "rwsem_wait" and flags & 1):
        return None
    around, at = (begin["before"], 4 - flags) if flags <= 4 else (begin["behind"], 8 - flags)
    return int.from_bytes(around.to_bytes(8, "little")[at:at + 4], "little")


class KernelLocks:
    """Waits for mutexes and rwsems in a recording, and who gave these up."""

    def __init__(self, program, path):
        self.waits = []                 # the first begin of each
        self.unlocks = collections.defaultdict(list)    # of a lock: [from, until, pid, call]
        waiting, inside, unread = {}, {}, {}
        for row in rows_of(program, "report", "--format=csv", path):
            ts, pid, event = int(row["ts_ns"]), int(row["pid"]), row["event"]
            if pid in unread:
                unread.pop(pid)["read"] = ts    # the owner was read before the task's next record
            if event in ("mutex_wait", "rwsem_wait"):
                begin = {**fields(row["text"]), "event": event, "ts": ts, "pid": pid}
                waiting.setdefault((pid, begin["lock_addr"]), begin)
                unread[pid] = begin
            elif event == "contention_end":
                begin = waiting.pop((pid, int(row["text"].split()[0], 16)), None)
                if begin and ts - begin["ts"] >= LEAST_NS:
                    self.waits.append(begin)
            elif row["system"] == "unlock" and event.endswith("_end"):
                if (pid, event[:-4]) in inside:
                    inside.pop((pid, event[:-4]))[1] = ts
            elif row["system"] == "unlock":
                inside[pid, event] = [ts, ts, pid, event]
                self.unlocks[fields(row["text"])["lock"]].append(inside[pid, event])

    def holders(self, begin):
        """Who gives the lock up next, or just does: who may hold it as a writer."""
        unlocks = self.unlocks[begin["lock_addr"]]
        after, read = (bisect.bisect(unlocks, ts, key=lambda unlock: unlock[0]) for ts in (begin["ts"], begin["read"]))
        near = [unlock for unlock in unlocks[max(0, after - 16):after] if unlock[1] >= begin["ts"]] + unlocks[after:read + 1]
        return {unlock[2] for unlock in near if unlock[3] != "up_read"}


def tell_kernel(tap, name, program, out):
    is_rt = "-rt" in record.read(f"{out}/release")
    path = f"{out}/kernel.dat"
    locks, of_fields, of_program = KernelLocks(program, path), Verdicts(), Verdicts()
    said = said_by(program, path, "lock")
    for begin in locks.waits:
        owner, true = owner_of(begin), locks.holders(begin)
        key, kind = (begin["pid"], begin["ts"]), begin["event"].removesuffix("_wait")
        text = f"{begin['pid']} at {begin['ts']}, of {true}: {begin}"
        for verdicts, holds in ((of_fields, owner), (of_program, said.get(key))):
            verdict = "right" if holds in true else "wrong" if holds else "missed" if owner else "empty by rule"
            if is_rt and holds and not locks.unlocks[begin["lock_addr"]]:
                verdict = "not followed"        # a spinlock, or part of an rwsem
            verdicts.add(kind, "missed" if key not in said and verdicts is of_program else verdict, f"{holds}: {text}")
    held = ("mutex",) if is_rt else ("mutex", "rwsem")
    of_fields.tell(f"{name}: kernel: fields")
    tap.tell(f"{name}: kernel: the owners that are recorded give up the lock next", of_fields.fault(held))
    of_program.tell(f"{name}: kernel")
    tap.tell(f"{name}: kernel: latency --kind=lock tells these owners", of_program.fault(held))


LOCKS = re.compile(r"eprobe|event_trigger|trace_|_mutex|mutex_|^down_|^__down|rwsem|spin_|^schedule|^percpu_down")


def tell_callers(tap, name, program, out):
    """Of trace-cmd's text, the stack behind each record with which a wait begins."""
    path, stacks, at = f"{out}/stacks.dat", {}, None
    text = subprocess.run(["trace-cmd", "report", "-t", "-i", path], stdout=subprocess.PIPE, text=True, errors="replace", check=True)
    for line in text.stdout.splitlines():
        begin = re.match(r"^ *.*-(\d+) +\[\d+\] +(\d+)\.(\d{9}): (\w+):", line)
        if begin and begin[4] in ("mutex_wait", "rwsem_wait", "lock_wait"):
            at = stacks.setdefault((begin[1], begin[2].lstrip("0") + begin[3]), [])
        elif begin and begin[4] != "kernel_stack":
            at = None
        elif line.startswith("=> ") and at is not None:
            at.append(line.split()[1])
    told, wrong = 0, []
    for row in rows_of(program, "latency", "--kind=lock", "--format=csv", path):
        function, stack = row["what"].partition(" in ")[2], stacks.get((row["pid"], row["start_ns"]), [])
        callers = [caller for caller in stack if not LOCKS.search(caller)]
        told += bool(function)
        if function != (callers[0] if callers else "") and function not in callers[:1]:
            wrong.append(f"{row['what']}: {stack}")
    print(f"# {name}: {told} functions that took a lock")
    tap.tell(f"{name}: kernel: which functions took the locks", "\n".join(wrong[:3]) if wrong else None if told > 10 else "none")


# --- machines --------------------------------------------------------------------------------------

def machine_for(name, program, **options):
    machine = vm.Machine(name, **options)
    machine.copy_program(program)
    planted = record.tool(os.path.dirname(program), "locks", "-pthread", processor=machine.processor)
    machine.root.copy(planted, "/usr/local/bin/locks")
    return machine


def run(tap, name, program):
    machine, said = machine_for(name, program), []
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        try:
            status = machine.run(f"{vm.here}/locks-payload.sh", out, said.append)
            fault = f"status {status}\n{''.join(said)}" if status else None
        except vm.NoResult as why:
            fault = f"{why}\n{machine.console[-4000:]}"
        tap.tell(f"{name}: waits for locks are recorded", fault)
        if fault:
            return
        print(f"# {name}: Linux {record.read(f'{out}/release').strip()}")
        for mode in MODES:
            if os.path.exists(f"{out}/{mode}.dat"):
                tell_programs(tap, name, program, out, mode)
            else:
                tap.tell(f"{name}: {mode}", skip="this kernel has no PID namespaces, or no ns_last_pid")
        if os.path.exists(f"{out}/kernel.dat"):
            tell_kernel(tap, name, program, out)
            tell_callers(tap, name, program, out)
        else:
            tap.tell(f"{name}: kernel", skip="this kernel tells no owners of its locks: it has no BTF")


def cost(name="cloud", rounds="3"):
    """By the clock that counts instructions: so a take is as long as all that is done for it."""
    machine, said = machine_for(name, f"{vm.find_build()}/ftop-trace", steady=True), []
    machine.root.file("/vm/rounds", rounds)
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as out:
        status = machine.run(f"{vm.here}/locks-payload.sh", out, lambda text: (said.append(text), print(text, end="", flush=True)))
    rates = collections.defaultdict(list)
    for what, rate in re.findall(r"^(.+) rate (\d+)", "".join(said), re.M):
        rates[what].append(int(rate))
    for what, found in rates.items():
        took, plain = (1e6 / statistics.median(those) for those in (found, rates["plain"]))
        print(f"{what:12} {1e6 / took:8.0f} a second, {took:6.2f} us each, {took - plain:6.2f} more than plain")
    return status


if __name__ == "__main__":
    if sys.argv[1:2] == ["cost"]:
        sys.exit(cost(*sys.argv[2:]))
    sys.exit(vm.main(run, "who holds locks", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
