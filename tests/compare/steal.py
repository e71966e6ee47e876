#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stolen time, in traces made by hand: what the recorder read in /proc/stat; what is inferred of silent CPUs; what a host's
file tells of its guest, with the options that trace-cmd record -A writes.  Expected by hand; prints TAP.

usage: steal.py [FOLDER]     FOLDER: only write the files of tests/data/guests there
"""
import csv
import io
import json
import os
import random
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from private_section import with_blocks, with_options           # noqa: E402
from report_common import DATA, PROGRAM, TRACE_CMD, Failure, Tap, run      # noqa: E402

SCHED = os.path.join(DATA, "good", "sched", "trace.dat")


def check(right, *what):
    if not right:
        raise Failure(" ".join(str(of) for of in what))


def watched(folder, lines):
    """A trace with these lines about the machine."""
    return with_blocks(SCHED, os.path.join(folder, "watched.dat"), {"saved_tgids": b"", "machine": lines})


def words(*command):
    return " ".join(run([PROGRAM, *command]).decode().split())


def test_watched(folder):
    trace = watched(folder, b"virt kvm\nwatched 100 200000000000 203000000000\n"
                            b"steal 200000000000 201000000000 0 12\nsteal 201000000000 202000000000 1 3\n"
                            b"steal 202000000000 203000000000 0 2\n")
    told = ("CPU 0 0.140 s, CPU 1 0.030 s in 3.000 s, counted in ticks of 0.010 s; most at once 0.120 s of CPU 0, "
            "from 200.000000000 to 201.000000000")
    check("stolen time " + told + " known tasks" in words("info", trace), words("info", trace))
    check(told in words("summary", trace), words("summary", trace))
    steal = json.loads(run([PROGRAM, "info", "--format=json", trace]))["machine"]["steal"]
    second = 1000000000
    check(steal == {"tick_ns": 10000000, "from_ns": 200 * second, "to_ns": 203 * second, "stolen_ns": 170000000,
                    "growth": [{"cpu": 0, "from_ns": 200 * second, "to_ns": 201 * second, "stolen_ns": 120000000},
                               {"cpu": 1, "from_ns": 201 * second, "to_ns": 202 * second, "stolen_ns": 30000000},
                               {"cpu": 0, "from_ns": 202 * second, "to_ns": 203 * second, "stolen_ns": 20000000}]}, steal)


def test_nothing_stolen(folder):
    """A virtual machine was watched, a real one was, and nobody looked."""
    trace = watched(folder, b"virt kvm\nwatched 100 200000000000 203000000000\n")
    check("stolen time nothing in 3.000 s, counted in ticks of 0.010 s" in words("info", trace), words("info", trace))
    check("stolen" not in words("summary", trace), words("summary", trace))
    trace = watched(folder, b"virt none\nwatched 100 -1 -1\n")
    check("stolen" not in words("info", trace), words("info", trace))
    trace = watched(folder, b"virt kvm\n")
    check("stolen" not in words("info", trace), words("info", trace))
    check(json.loads(run([PROGRAM, "info", "--format=json", trace]))["machine"]["steal"] is None, "not null")


def test_many_cpus(folder):
    """The clock of the trace cannot be read; four CPUs are named, all are in the sum."""
    lines = b"watched 100 -1 -1\n" + b"".join(b"steal -1 -1 %d %d\n" % (cpu, cpu) for cpu in range(1, 8))
    told = ("stolen time CPU 1 0.010 s, CPU 2 0.020 s, CPU 3 0.030 s, CPU 4 0.040 s and 3 more CPUs, 0.280 s in all, "
            "counted in ticks of 0.010 s known tasks")
    check(told in words("info", watched(folder, lines)), words("info", watched(folder, lines)))


# --- silences -----------------------------------------------------------------------------------

HR = "hrtimer_expire_entry: hrtimer=00000000c0ffee00 function=%s now=1"
TICKS = {"hrtimer": HR % "tick_sched_timer", "nohz": HR % "tick_nohz_handler", "x86": "local_timer_entry: vector=236",
         "arm": "irq_handler_entry: irq=11 name=arch_timer"}
OTHER_TIMER = HR % "hrtimer_wakeup"
MARK = "tracing_mark_write: x"
SECOND = 1000000


class Guest:
    """The kernel's text.  A CPU runs busy-10, and has a tick in each @period, in us."""

    def __init__(self, tick, period, learn=25):
        self.tick, self.period, self.events = TICKS[tick], period, []
        self.at(SECOND - 10, "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
                "next_comm=busy next_pid=10 next_prio=120", task="<idle>-0")
        self.now = SECOND
        self.ticks(learn)

    def at(self, us, text, task="busy-10", flags="d..1."):
        self.events.append("%16s     [000] %s %5d.%06d: %s\n" % (task, flags, us // SECOND, us % SECOND, text))

    def ticks(self, nr):
        for _ in range(nr):
            self.at(self.now, self.tick, flags="d.h1.")
            self.now += self.period
        return self.now                                         # when the next one is due

    def switch(self, us, idle):
        busy, swapper = ("busy", 10), ("swapper/0", 0)
        prev, to = (busy, swapper) if idle else (swapper, busy)
        self.at(us, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120"
                % (*prev, "S" if idle else "R", *to), task="busy-10" if idle else "<idle>-0")

    def late(self, us):
        """The next tick comes so much too late; the ones after it are in step."""
        due = self.now
        self.at(due + us, self.tick, flags="d.h1.")
        self.now += (us // self.period + 1) * self.period
        return due, due + us

    def found(self, folder):
        path = os.path.join(folder, "guest.txt")
        with open(path, "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n" + "".join(self.events))
        text = run([PROGRAM, "latency", "--kind=steal", "--format=csv", path]).decode()
        rows = [(int(row["start_ns"]) // 1000, int(row["end_ns"]) // 1000, int(row["pid"])) for row in csv.DictReader(io.StringIO(text))]
        return sorted(rows)


def test_silences(folder):
    for tick, period in (("hrtimer", 4000), ("nohz", 1000), ("x86", 4000), ("x86", 10000), ("arm", 3333)):
        guest = Guest(tick, period)
        expected = [guest.late(5 * period)]
        guest.ticks(2)
        guest.at(guest.now - period // 2, MARK)                 # the last event is not the tick
        expected.append(guest.late(period + 4))
        guest.ticks(1)
        guest.late(period - 10)                                 # not by a period
        guest.ticks(3)
        us = guest.now + 3 * period                             # another timer's function comes first, in the same interrupt
        guest.at(us - 2, OTHER_TIMER, flags="d.h1.")
        expected.append(guest.late(3 * period))
        guest.ticks(2)
        found = guest.found(folder)
        check(found == [(*row, 10) for row in expected], tick, period, found, expected)


def test_no_silences(folder):
    guest = Guest("hrtimer", 4000)
    due = guest.now                                             # the CPU was idle meanwhile
    guest.switch(due - 1000, True)
    guest.switch(due + 20000, False)
    guest.late(21000)
    due = guest.ticks(2)                                        # a task is the first to write: interrupts were off
    guest.at(due + 19990, MARK)
    guest.late(20000)
    due = guest.ticks(2)                                        # it wrote when the tick was overdue already
    guest.at(due + 100, MARK)
    guest.late(20000)
    guest.ticks(2)                                              # events were lost
    guest.events.append("CPU:0 [LOST 5 EVENTS]\n")
    guest.late(20000)
    guest.ticks(3)
    check(guest.found(folder) == [], guest.found(folder))


def test_unknown(folder):
    """Too few ticks; no tick; nobody knows who ran; another timer is no tick."""
    guest = Guest("hrtimer", 4000, 24)                          # 23 intervals
    guest.late(20000)
    check(guest.found(folder) == [], "23 intervals")
    guest = Guest("hrtimer", 4000)
    guest.events = guest.events[1:]
    guest.late(20000)
    check(guest.found(folder) == [], "no switches")
    guest = Guest("hrtimer", 4000)
    guest.tick = OTHER_TIMER
    guest.late(20000)
    check(guest.found(folder) == [], "another timer")


# --- host and guest -----------------------------------------------------------------------------

LOST = "events of the CPU are lost"
GUEST_ID, HOST_ID, SHIFT_NS = 0x9e57, 0x4057, 40 * 10**9        # host time = guest time + SHIFT_NS


def switch(us, cpu, prev, state, to):
    """prev, to: COMM-PID."""
    (prev_comm, prev_pid), (next_comm, next_pid) = prev.rsplit("-", 1), to.rsplit("-", 1)
    return us, cpu, "<idle>-0" if prev_pid == "0" else prev, (
        "sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%s next_prio=120"
        % (prev_comm, prev_pid, state, next_comm, next_pid))


def wake(us, cpu, by, task, target):
    return us, cpu, by, "sched_waking: comm=%s pid=%s prio=120 target_cpu=%03d" % (*task.rsplit("-", 1), target)


def made(folder, name, events, options):
    """A trace.dat of events (us, CPU, task, text) with more options."""
    text, plain = os.path.join(folder, name + ".txt"), os.path.join(folder, name + ".plain")
    with open(text, "w", encoding="ascii") as out:
        out.write("# tracer: nop\n#\n")
        for us, cpu, task, event in sorted(events):
            if event == LOST:
                out.write("CPU:%d [LOST 5 EVENTS]\n" % cpu)
                continue
            out.write("%16s     [%03d] d..2. %5d.%06d: %s\n" % (task, cpu, us // SECOND, us % SECOND, event))
    if os.path.exists(plain):
        os.unlink(plain)
    run([PROGRAM, "cut", "--file-version=7", "--compression=zstd", "-o", plain, text])
    return with_options(plain, os.path.join(folder, name + ".dat"), options)


def host_options(vcpus):
    guest = b"vm\0" + struct.pack("<QI", GUEST_ID, len(vcpus)) + b"".join(struct.pack("<II", *vcpu) for vcpu in vcpus)
    return [(11, struct.pack("<Q", HOST_ID)), (13, guest)]


def guest_options(nr_cpus):
    sample = struct.pack("<IQqQ", 1, 0, SHIFT_NS, 1)
    return [(11, struct.pack("<Q", GUEST_ID)), (12, struct.pack("<QII", HOST_ID, 0, nr_cpus) + nr_cpus * sample + bytes(8 * nr_cpus))]


T = 50 * SECOND                                                 # of the host, in us
G = T - SHIFT_NS // 1000                                        # the same moment in the guest


def host_events():
    """qemu-101 is vCPU 0, qemu-102 vCPU 1; CPU 0 also runs make-9."""
    return [
        switch(T, 0, "swapper/0-0", "R", "qemu-101"), switch(T, 1, "swapper/1-0", "R", "qemu-102"),
        switch(T + 1000, 0, "qemu-101", "R", "make-9"),         # preempted for 3 ms
        switch(T + 4000, 0, "make-9", "S", "qemu-101"),
        switch(T + 5000, 1, "qemu-102", "S", "swapper/1-0"),    # the guest's CPU is idle: it sleeps, and waits
        wake(T + 7000, 0, "qemu-101", "qemu-102", 1),
        switch(T + 7500, 1, "swapper/1-0", "R", "qemu-102"),
        switch(T + 9000, 1, "qemu-102", "D", "swapper/1-0"),    # blocked, while the guest's CPU runs a task
        wake(T + 9600, 0, "qemu-101", "qemu-102", 1),
        switch(T + 9700, 1, "swapper/1-0", "R", "qemu-102"),
        switch(T + 11000, 0, "qemu-101", "R", "make-9"),        # preempted to the end
        switch(T + 20000, 1, "qemu-102", "S", "swapper/1-0")]


def guest_events():
    return [
        switch(G + 500, 0, "swapper/0-0", "R", "job-7"), switch(G + 100, 1, "swapper/1-0", "R", "web-8"),
        switch(G + 4500, 0, "job-7", "R", "job-6"),
        switch(G + 4900, 1, "web-8", "S", "swapper/1-0"),
        switch(G + 7600, 1, "swapper/1-0", "R", "web-8"),
        switch(G + 10990, 0, "job-6", "R", "job-7"),
        switch(G + 12000, 0, "job-7", "S", "swapper/0-0"),
        switch(G + 14000, 0, "swapper/0-0", "R", "job-6"),
        switch(G + 15000, 1, "web-8", "S", "swapper/1-0")]      # the guest's file ends here


STOLEN = [(T + 1000, T + 4000, 0, 7, "qemu-101 preempted by make-9"),
          (T + 9000, T + 9600, 1, 8, "qemu-102 blocked (D)"),
          (T + 9600, T + 9700, 1, 8, "qemu-102 waited for a CPU of the host"),
          (T + 11000, T + 12000, 0, 7, "qemu-101 preempted by make-9"),
          (T + 14000, T + 15000, 0, 6, "qemu-101 preempted by make-9")]


def pair(folder, vcpus=((0, 101), (1, 102)), lost=(), guest_lost=(), without=""):
    """@without: events with this text are in no file, though no loss is marked."""
    events = [[event for event in of if not without or without not in event[3]] for of in (host_events(), guest_events())]
    return (made(folder, "host", events[0] + list(lost), host_options(vcpus)),
            made(folder, "guest", events[1] + list(guest_lost), guest_options(2)))


def stolen(*files):
    text = run([PROGRAM, "latency", "--kind=steal", "--format=csv", *files]).decode()
    return sorted((int(row["start_ns"]) // 1000, int(row["end_ns"]) // 1000, int(row["cpu"]), int(row["pid"]), row["what"])
                  for row in csv.DictReader(io.StringIO(text)))


def test_pair(folder):
    host, guest = pair(folder)
    kept = [os.path.join(DATA, "guests", name) for name in ("host.dat", "guest.dat")]
    for files in (host, guest), (guest, host), kept:
        check(stolen(*files) == STOLEN, files, stolen(*files))
    check(stolen(guest) == [], "without the host", stolen(guest))
    check("guests vm, trace id 0x9e57, vCPUs: 0 is task 101, 1 is task 102 " in words("info", host), words("info", host))
    kinds = csv.DictReader(io.StringIO(run([PROGRAM, "latency", "--format=csv", host, guest]).decode()))
    found = [(row["file"], row["n"], row["total_ns"]) for row in kinds if row["kind"] == "steal"]
    check(found == [(guest, "5", "5700000")], found)


# 500 us a column, from T on.  CPU 0: job-7 from 500 on, job-6 from 4500 on, job-7 from 10990 to 12000, job-6 from 14000 to
# the end of the guest's file at 15000: 12.5 of 20 ms, or more.  CPU 1: web-8 from 100 to 4900 and from 7600 to 15000.
ROWS = {"qemu-101": "  CPU 0 of vm >62%  job█████│job█████████│█····██",
        "qemu-102": "  CPU 1 of vm >61% ▆web█████▆·····▆web███████████·"}


def picture(*words):
    return run([PROGRAM, "timeline", "--width=59", *words]).decode().split("\n")


def test_timeline(folder):
    """The guest's CPUs are below the tasks that ran them, in the picture of the host alone."""
    host, guest = pair(folder)
    for files in (host, guest), (guest, host):
        lines = picture(*files)
        below = {line.split()[0]: lines[at + 1] for at, line in enumerate(lines) if line.startswith(" qemu-")}
        check(below == ROWS and sum(" of vm" in line for line in lines) == 2, files, lines)
    check(not any(" of vm" in line for line in picture(host) + picture(guest)), "one file")
    # the task is not in the guest's file
    text = " ".join(" ".join(picture("--task=qemu-101", "--grep=of vm", "--at=50.002", guest, host)).split())
    check("In the guest: CPU 0 running job-7 since 50.000500" in text and "This time is stolen: qemu-101" in text, text)
    rows = run([PROGRAM, "timeline", "--format=csv", host, guest])
    check(rows.count(b"\n") == len(run([PROGRAM, "timeline", "--format=csv", host]).splitlines()) +
          len(run([PROGRAM, "timeline", "--format=csv", guest]).splitlines()) - 1, rows.decode())


# --- stolen time of tasks and CPUs, microsecond by microsecond -----------------------------------

LENGTH = 3000                                                   # us from T on
VCPUS = {0: "qemu-101", 1: "qemu-102", 2: "qemu-103"}           # of the guest's CPUs; 0 and 2 share CPU 0 of the host


def random_host(rng):
    """Each vCPU task stays on its CPU.  Sleeping ones are woken by who runs on the other CPU, mostly."""
    events, runs, asleep = [], {0: "make-9", 1: "cc-10"}, {}
    on_cpu = {0: ["make-9", "qemu-101", "qemu-103"], 1: ["cc-10", "qemu-102"]}
    for us in sorted(rng.sample(range(1, LENGTH), 160)):
        cpu = rng.randrange(2)
        others = [task for task in asleep if task in on_cpu[1 - cpu]]
        if others and rng.random() < 0.5:
            events.append(wake(T + us, cpu, runs[cpu], others[0], 1 - cpu))
            del asleep[others[0]]
            continue
        prev, to = runs[cpu], rng.choice([task for task in on_cpu[cpu] if task != runs[cpu]])
        state = rng.choice("RRSD") if prev.startswith("qemu") else "R"
        asleep.pop(to, None)
        if state != "R":
            asleep[prev] = True
        events.append(switch(T + us, cpu, prev, state, to))
        runs[cpu] = to
    return events


def lose(rng, events):
    """Events of a host's CPU are lost from a time on; no wake-up of its tasks is recorded meanwhile.  Returns the gap, too."""
    cpu, first = rng.randrange(2), T + rng.randrange(LENGTH // 4, LENGTH // 2)
    last = first + rng.randrange(50, LENGTH // 4)
    kept = [event for event in events if not first <= event[0] <= last or
            (event[1] != cpu and "sched_switch" in event[3])]
    of_cpu = [event[0] for event in kept if event[1] == cpu]
    start, end = max(us for us in of_cpu if us < first), min(us for us in of_cpu if us > last)
    return kept + [(end, cpu, "", LOST)], (cpu, start, end)


def field(event, name):
    return re.search(r"\b%s=(\S+)" % name, event[3]).group(1)


def host_states(events, gap):
    """{CPU of the guest: [for each us: "on", "?", "off" or "doubt"]}; the rules of share/guests.md, event by event."""
    events = sorted(event for event in events if event[3] != LOST)
    last, first = events[-1][0], {}
    states = {}
    for number, name in VCPUS.items():
        pid, cpu = name.split("-")[1], 1 if number == 1 else 0
        now, since, stays = "?", 0, []                          # since when it is so; (state, from, to)
        seen_switch = seen_after = False

        def become(state, us):
            nonlocal now, since
            if us > since:
                stays.append((now, since, us))
            now, since = state, us

        for event in events:
            us, is_own = event[0], event[1] == cpu
            if is_own:
                first.setdefault(cpu, us)
            if is_own and gap and gap[0] == cpu and us >= gap[2] and not seen_after:
                seen_after = True
                since = min(since, gap[1])
                become("?", gap[1])
                switches = [other for other in events if other[1] == cpu and other[0] >= us and "sched_switch" in other[3]]
                if switches and field(switches[0], "prev_pid") == pid:
                    become("on", us)
            if "sched_waking" in event[3]:
                if field(event, "pid") == pid and now in ("asleep", "?"):
                    become("off", us)
            elif is_own and field(event, "prev_pid") == pid:
                if not seen_switch:                             # it ran since the first record of its CPU
                    become("on", first[cpu])
                become("off" if field(event, "prev_state") == "R" else "asleep", us)
            elif is_own and field(event, "next_pid") == pid:
                if now == "asleep":
                    now = "no wake-up"
                become("on", us)
            seen_switch |= is_own and "sched_switch" in event[3]
        become("?", last)
        line = ["?"] * (2 * LENGTH)
        for state, start, end in stays:
            if state not in ("on", "?"):
                state = "doubt" if state == "no wake-up" or (gap and gap[1] < end and gap[2] > start) else "off"
            for us in range(max(start, T), end):
                line[us - T] = state
        states[number] = line
    return states


def random_guest(rng):
    """The guest's file has more time than the host's.  Returns who ran on each CPU in each us, too: 0 is nobody, None not known."""
    events, ran = [], {cpu: [None] * (LENGTH + 500) for cpu in VCPUS}
    for cpu in VCPUS:
        runs, since = "swapper/%d-0" % cpu, None
        for us in [*sorted(rng.sample(range(0, LENGTH + 499), 40)), LENGTH + 499]:
            to = rng.choice([task for task in ("swapper/%d-0" % cpu, "a-%d" % (20 + cpu), "b-%d" % (30 + cpu)) if task != runs])
            if since is not None:
                ran[cpu][since:us] = [int(runs.split("-")[1])] * (us - since)
            events.append(switch(G + us, cpu, runs, "R" if runs[0] == "s" else rng.choice("RS"), to))
            runs, since = to, us
    return events, ran


def stolen_by_us(states, ran, first, last):
    """{("pid" or "cpu", number): [stolen, doubtful, unknown, in all]} in ns."""
    sums = {}
    for cpu, line in ran.items():
        for us in range(first, last):
            if not line[us]:
                continue
            state = states[cpu][us]
            for key in ("pid", line[us]), ("cpu", cpu):
                of = sums.setdefault(key, [0, 0, 0, 0])
                for i, counts in enumerate((state in ("off", "doubt"), state == "doubt", state == "?", True)):
                    of[i] += 1000 * counts
    return sums


def stolen_rows(host, guest, command, key, *options):
    """{value of column @key: [stolen, doubtful, unknown]} of the guest's rows."""
    rows = csv.DictReader(io.StringIO(run([PROGRAM, command, "--format=csv", *options, host, guest]).decode()))
    return {row[key]: [row[name] for name in ("stolen_ns", "stolen_doubtful_ns", "stolen_unknown_ns")]
            for row in rows if row["file"] == guest}


def stolen_figures(*words):
    return {(key, int(value)): figures for command, key in (("tasks", "pid"), ("cpus", "cpu"))
            for value, figures in stolen_rows(*words[:2], command, key, *words[2:]).items()}


def test_figures(folder):
    for seed in range(6):
        rng = random.Random(seed)
        events, (in_guest, ran), gap = random_host(rng), random_guest(rng), None
        if seed % 2:
            events, gap = lose(rng, events)
        host = made(folder, "host", events, host_options([(cpu, int(task.split("-")[1])) for cpu, task in VCPUS.items()]))
        guest = made(folder, "guest", in_guest, guest_options(3))
        states, end = host_states(events, gap), LENGTH + 499
        for first, last, cpus, *options in ((0, end, VCPUS), (0, end, [1], "--cpu=1"),
                                            (700, 1900, VCPUS, "--from=50.000700", "--to=50.001900")):
            expected = stolen_by_us(states, {cpu: ran[cpu] for cpu in cpus}, first, last)
            found = stolen_figures(host, guest, *options)
            for key, (stolen_ns, doubtful, unknown, total) in expected.items():
                figures = [str(stolen_ns), str(doubtful)] if unknown < total else ["", ""]
                check(found[key] == [*figures, str(unknown)], seed, options, key, found[key], expected[key])
            if cpus == VCPUS:                                   # 20 to 22 are named a, 30 to 32 b; nodes are not known
                sums = {what: [str(sum(of[i] for key, of in expected.items() if key in keys)) for i in range(3)] for what, keys in
                        (("a", {("pid", 20 + cpu) for cpu in cpus}), ("b", {("pid", 30 + cpu) for cpu in cpus}),
                         ("not known", {("cpu", cpu) for cpu in cpus}))}
                groups = {**stolen_rows(host, guest, "tasks", "name", "--by=name", *options),
                          **stolen_rows(host, guest, "cpus", "node", "--by=node", *options)}
                check(groups == sums, seed, options, groups, sums)
            check(all(figures == ["0", "0", "0"] for key, figures in found.items() if key not in expected), seed, found)


def test_marks(folder):
    """Column stolen of web-8, job-6 and job-7: the vCPU may have run meanwhile (~); what it did is not known (>, or all of it: none)."""
    none = "–"
    for expected, given in ((["700", "1000", "4000"], {}),
                            (["700>", "1000", "4000~"], {"lost": [(T + 3000, 1, "", LOST)]}),  # of CPU 1 from 0 to 5000
                            (["700", "0>", "3000>"], {"lost": [(T + 18000, 0, "", LOST),       # of CPU 0 from 11000 on
                                                               wake(T + 19000, 0, "make-9", "cc-11", 0)]}),
                            (["700", none, none], {"vcpus": ((1, 102),)})):
        text = run([PROGRAM, "tasks", *pair(folder, **given)]).decode()
        cells = {line.split()[0]: line.split()[12] for line in text.split("\n\n")[1].split("\n")[2:] if line}
        check([cells[pid] for pid in "867"] == expected, given, text)
    files = *pair(folder), "-F", "prev_pid == 7"                # runs that a switch from job-7 ends
    check(stolen_figures(*files) == {("pid", 7): ["4000000", "0", "0"], ("cpu", 0): ["4000000", "0", "0"]}, stolen_figures(*files))
    check("stolen" not in text.split("\n\n")[0] and "stolen" not in run([PROGRAM, "tasks", pair(folder)[1]]).decode(), "without a host")


def test_trace_cmd(folder):
    """It reads the options, converts the clock of the guest, and merges both files."""
    files = pair(folder)
    theirs = run([TRACE_CMD, "report", *(word for file in files for word in ("-i", file))])
    check(theirs.count(b"\n") == 23 and theirs == run([PROGRAM, "report", *files]), theirs.decode())


def test_lost(folder):
    """What the host did is not known from the last event before a gap to the first one after it; what the guest did likewise."""
    files = pair(folder, lost=[(T + 3000, 0, "", LOST)])
    check(stolen(*files) == STOLEN[1:], "of the host", stolen(*files))
    files = pair(folder, guest_lost=[(G + 10000, 1, "", LOST)])  # from 7600 to 15000
    check(stolen(*files) == [row for row in STOLEN if row[2] == 0], "of the guest", stolen(*files))


def test_unrecorded(folder):
    """Without wake-ups, a wait is a part of the sleep: off the CPUs all the same.  Who ran before a missing switch is not known."""
    files = pair(folder, without="sched_waking")
    check(stolen(*files) == [STOLEN[0], (T + 9000, T + 9700, 1, 8, "qemu-102 blocked (D)"), *STOLEN[3:]], stolen(*files))
    check("5700000" in run([PROGRAM, "latency", "--format=csv", *files]).decode(), "all are sure")
    files = pair(folder, without="prev_comm=job prev_pid=7 prev_prio=120 prev_state=R")
    check(stolen(*files) == STOLEN[1:], stolen(*files))


def test_not_a_pair(folder):
    """Another guest's file; no TIME_SHIFT; a vCPU that the host does not name."""
    host = pair(folder)[0]
    other = made(folder, "other", guest_events(), [(11, struct.pack("<Q", 1)), guest_options(2)[1]])
    check(stolen(host, other) == [], "another guest", stolen(host, other))
    other = made(folder, "other", guest_events(), guest_options(2)[:1])
    check(stolen(host, other) == [], "no TIME_SHIFT", stolen(host, other))
    host, guest = pair(folder, ((1, 102),))
    check(stolen(host, guest) == [row for row in STOLEN if row[2] == 1], "one vCPU", stolen(host, guest))


def main():
    if len(sys.argv) > 1:
        pair(sys.argv[1])
        return
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("what /proc/stat said, second by second", test_watched, folder)
        tap.case("nothing was stolen, or nobody looked", test_nothing_stolen, folder)
        tap.case("many CPUs, a clock that cannot be read", test_many_cpus, folder)
        tap.case("a silent CPU whose tick is overdue", test_silences, folder)
        tap.case("silent CPUs that were not away", test_no_silences, folder)
        tap.case("not enough is known", test_unknown, folder)
        tap.case("a host and its guest", test_pair, folder)
        tap.case("the guest's CPUs as rows of the host's timeline", test_timeline, folder)
        tap.case("stolen time of tasks and CPUs", test_figures, folder)
        tap.case("marks of stolen time", test_marks, folder)
        if TRACE_CMD:
            tap.case("trace-cmd has the same events at the same times", test_trace_cmd, folder)
        else:
            tap.skip("trace-cmd has the same events at the same times", "there is no trace-cmd")
        tap.case("events of the host, of the guest are lost", test_lost, folder)
        tap.case("wake-ups, a switch that are not recorded", test_unrecorded, folder)
        tap.case("files that are not of one recording", test_not_a_pair, folder)
    tap.end()


main()
