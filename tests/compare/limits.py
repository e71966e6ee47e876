#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks that could run and were not preempted: their budget was used up, or they gave the CPU away.

Each trace is played here, line by line, with what is to be said of it beside.  Prints TAP.
"""
import csv
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import parquet                                           # noqa: E402
from private_section import with_blocks                 # noqa: E402
from report_common import PROGRAM, Failure, Tap, run     # noqa: E402

BUDGET = "throttled (its deadline budget was used up)"
REALTIME = "throttled (real-time tasks had used up their time)"
SERVER = "kept from running (its time was used up, or the fair server went first)"
GAVE = "gave the CPU away (sched_yield)"
PRIOS = {"swapper": 120, "dl": -1, "dl2": -1, "rt": 50, "hog": 120, "spin": 120, "migration/0": 0, "wants": 120, "holder": 120}
PIDS = {name: 100 * at for at, name in enumerate(PRIOS)}


class Play:
    """A text trace of two CPUs; times are µs."""

    def __init__(self, **pids):
        self.lines, self.on, self.pids = [], {0: "swapper", 1: "swapper"}, {**PIDS, **pids}

    def line(self, ts, cpu, words):
        name = self.on[cpu]
        self.lines.append((ts, "%16s-%-5d [%03d] d..2. %d.%06d: %s" % (
            "<idle>" if name == "swapper" else name, self.pids[name], cpu, 1 + ts // 10**6, ts % 10**6, words)))

    def switch(self, ts, state, to, cpu=0):
        name = self.on[cpu]
        self.line(ts, cpu, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d" % (
            name, self.pids[name], PRIOS[name], state, to, self.pids[to], PRIOS[to]))
        self.on[cpu] = to
        return self

    def timer(self, ts, which, function="dl_task_timer", cpu=0):
        self.line(ts, cpu, "hrtimer_expire_entry: hrtimer=%016x function=%s now=%d" % (which, function, ts * 1000))
        return self

    def call(self, ts, words, cpu=0):
        self.line(ts, cpu, words)
        return self

    def wake(self, ts, name, cpu=1, target=0, what="waking"):
        self.line(ts, cpu, "sched_%s: comm=%s pid=%d prio=%d target_cpu=%03d" % (what, name, self.pids[name], PRIOS[name], target))
        return self

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            file.write("# tracer: nop\n#\n" + "".join(line + "\n" for _, line in sorted(self.lines, key=lambda one: one[0])))


def budget(timers=(7,), yields=False):
    """dl runs 20 of each 80 ms; hog runs when it may not."""
    play = Play().switch(0, "R", "dl").timer(1, 99)
    for at in range(0, 400000, 80000):
        if yields:
            play.call(at + 19990, "sys_sched_yield()")
        play.switch(at + 20000, "R", "hog").switch(at + 50000, "S", "swapper")
        for timer in timers:
            play.timer(at + 79900, timer)
        play.switch(at + 80000, "R", "dl")
        if yields:
            play.call(at + 80001, "sys_sched_yield -> 0x0")
    return play.switch(410000, "S", "swapper")


def to_another():
    """Who yields gives its budget up, and the next one may be a deadline task, too."""
    play = Play().switch(0, "R", "dl").call(9990, "sys_sched_yield()").switch(10000, "R", "dl2")
    play.timer(60000, 1).switch(61000, "S", "dl").call(61001, "sys_sched_yield -> 0x0")
    return play.switch(70000, "S", "swapper")


def two_budgets():
    """Each of two tasks has a timer of its own; dl2's expires while dl may not run, too."""
    play = Play().switch(0, "R", "dl").switch(0, "R", "dl2", 1)
    play.switch(10000, "R", "swapper").timer(30000, 1).switch(30010, "R", "dl")            # now dl's timer is known
    play.switch(40000, "R", "swapper", 1).switch(50000, "R", "swapper")
    play.timer(60000, 2, cpu=1).switch(60010, "R", "dl2", 1)
    play.timer(70000, 1).switch(71000, "R", "dl")                                          # not 60000
    play.switch(80000, "R", "swapper").timer(85000, 1)
    return play.switch(90000, "R", "dl").switch(99000, "S", "swapper").switch(99000, "S", "swapper", 1)


def realtime():
    """rt may run for 950 of 1000 ms."""
    play = Play().switch(0, "R", "rt")
    play.switch(950000, "R", "hog").timer(1000000, 5, "sched_rt_period_timer").switch(1000010, "R+", "rt")
    play.switch(1950000, "R+", "swapper").switch(2000010, "R", "rt")                        # its timer is not recorded
    return play.switch(2100000, "S", "swapper")


def yields(state="R", returns=None):
    play = Play().switch(0, "R", "spin")
    for at in range(0, 25000, 5000):
        play.call(at + 1000, "sys_sched_yield()")
        if returns:
            play.call(at + returns, "sys_sched_yield -> 0x0")
        play.switch(at + 1010, state, "hog").switch(at + 5000, "R+", "spin")
        if not returns:
            play.call(at + 5010, "sys_sched_yield -> 0x0")
    return play.switch(26000, "S", "swapper")


def stopper():
    """The stop class goes before deadline; then dl waits for nobody, and may run."""
    return Play().switch(0, "R", "dl").switch(10000, "R+", "migration/0").switch(10100, "S", "dl").switch(20000, "S", "swapper")


def rtlock(state="R"):
    play = Play().switch(0, "R", "wants").switch(0, "R", "holder", 1).switch(1000, state, "hog")
    play.wake(21000, "wants").wake(21002, "wants", what="wakeup").switch(22000, "R+", "wants")
    return play.switch(30000, "S", "swapper").switch(50000, "S", "swapper", 1)


# name, trace, task, {part of its time: (µs, is it a guess)}, who preempted it, how often; preemptions, µs throttled
CASES = (
    ("a deadline task", budget(), "dl", {BUDGET: (299500, False), "idle": (500, False)}, ("throttled", 5), 0, 299500),
    ("one that yields", budget(yields=True), "dl", {BUDGET: (299500, False), "idle": (500, False)}, ("throttled", 5), 0, 299500),
    # of a kernel that may have the fair server: hog is nice
    ("without its timer", budget(()), "dl", {SERVER: (300000, True)}, ("not known", 5), 0, None),
    ("several timers", budget((7, 8)), "dl", {SERVER: (300000, True)}, ("not known", 5), 0, None),
    ("one that yields, without its timer", budget((), True), "dl", {BUDGET: (300000, True)}, ("throttled", 5), 0, 300000),
    ("two deadline tasks", two_budgets(), "dl", {BUDGET: (20000 + 20000 + 5000, False), "idle": (10 + 1000 + 5000, False)},
     ("throttled", 3), 0, 45000),
    ("one that yields to another", to_another(), "dl", {BUDGET: (50000, False), "behind dl2-200": (1000, False)},
     ("throttled", 1), 0, 50000),
    ("the stop class", stopper(), "dl", {"behind migration/0-600": (100, False)}, ("migration/0", 1), 1, None),
    ("real-time tasks", realtime(), "rt", {SERVER: (50010, True), REALTIME: (50010, True)}, None, 0, 50010),
    ("sched_yield", yields(), "spin", {GAVE: (5 * 3990, False)}, ("sched_yield", 5), 0, None),
    ("preempted in sched_yield", yields("R+"), "spin", {"behind hog-400": (5 * 3990, False)}, ("hog", 5), 5, None),
    ("preempted after sched_yield", yields(returns=1005), "spin", {"behind hog-400": (5 * 3990, False)}, ("hog", 5), 5, None),
    ("an rtlock", rtlock(), "wants", {"unknown": (20000, False), "behind hog-400": (1000, False)}, ("hog", 0), 1, None),
    ("preempted on its way to sleep", rtlock("R+"), "wants", {"behind hog-400": (21000, False)}, ("hog", 1), 1, None),
)


def rows(path, *words):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *words, "--format=csv", path]).decode())))


def same(what, got, expected):
    if got != expected:
        raise Failure("%s: %s, not %s" % (what, got, expected))


def case(path, play, name, parts, by, preemptions, throttled):
    play.write(path)
    pid = str(play.pids[name])
    found = {}
    for row in rows(path, "why", "--task", pid):
        if not re.match("runs|asleep|not yet", row["what"]):
            found[row["what"]] = found.get(row["what"], 0) + int(row["duration_ns"]) // 1000
    same("why", found, {what: us for what, (us, _) in parts.items()})
    text = run([PROGRAM, "why", "--task", pid, path]).decode()
    for what, (us, is_guess) in parts.items():
        if " (" in what:
            same("the mark of " + what, re.findall(r"^ +%d(~?) .* %s$" % (us, re.escape(what)), text, re.M), ["~" if is_guess else ""])
    task = next(row for row in rows(path, "tasks") if row["pid"] == pid)
    same("preemptions", int(task["preemptions"]), preemptions)
    same("throttled", task["throttled_ns"], str(throttled * 1000) if throttled else "")
    pairs = [(row["by_comm"], int(row["count"])) for row in rows(path, "tasks", "--preempted") if row["pid"] == pid]
    if not by:
        same("tasks --preempted", pairs, [("throttled", 1), ("not known", 1)])
        return
    same("tasks --preempted", pairs, [by])
    waits = rows(path, "latency", "--kind=preempted")
    is_nice = " next_comm=hog " in play.lines[1][1] + play.lines[2][1]
    # the list does not look at timers
    words = {"throttled": SERVER if name == "dl" and is_nice and not any("yield" in line for _, line in play.lines) else BUDGET,
             "sched_yield": GAVE, "not known": SERVER}
    for row in waits:
        if row["pid"] == pid:
            same("latency", row["what"].rpartition("-")[0] if by[0] not in words else row["what"], words.get(by[0], by[0]))
    queued = sum(int(row["waited_ns"]) for row in rows(path, "cpus"))
    others = sum(int(row["wait_ns"]) for row in rows(path, "tasks")) - sum(int(row["throttled_ns"] or 0) for row in rows(path, "tasks"))
    if by[0] != "not known" and (by[0] in words or name == "dl"):        # else it is not known whether it stood in one
        same("tasks in queues", queued, others)


def with_groups(play, path, groups):
    """A trace.dat of the text, with the cgroups of tasks."""
    names = ["/", *sorted(set(groups.values()))]
    lines = ["string %d\n%s" % (len(name), name) for name in names]
    lines += ["task 0 0 %d 1 -1 0 0 0 %d 0" % (play.pids[name], names.index(group) + 1) for name, group in groups.items()]
    play.write(path)
    run([PROGRAM, "cut", "--force", "-o", path + ".plain", path])
    return with_blocks(path + ".plain", path + ".dat", {"saved_tgids": b"", "tasks": "".join(line + "\n" for line in lines).encode()})


def freeze(state="S", interrupted=False, thawed="/web", inner=None, frozen_at=1000):
    """holder freezes a cgroup of wants and spin, and thaws it 8 ms later; or one above, and then @inner, with a record of its own."""
    play = Play().switch(0, "R", "wants").switch(0, "R", "holder", 1)
    for group in (thawed, inner) if inner else (thawed,):
        play.call(frozen_at, "cgroup_freeze: root=0 id=25 level=1 path=%s" % group, 1)
    play.switch(2000, state, "spin").switch(3000, "S", "swapper")
    play.call(9000, "cgroup_unfreeze: root=0 id=24 level=1 path=/before", 1)
    play.call(9900, "cgroup_unfreeze: root=0 id=25 level=1 path=%s" % thawed, 1)
    if inner:
        play.call(9901, "cgroup_unfreeze: root=0 id=26 level=2 path=%s" % inner, 1)
    if interrupted:
        play.switch(9950, "R+", "hog", 1).switch(9960, "S", "holder", 1)
    play.wake(10000, "wants").wake(10001, "wants", what="wakeup").wake(10002, "spin").wake(10003, "spin", what="wakeup")
    play.switch(10010, "R", "wants").switch(11000, "S", "spin")
    return play.switch(12000, "S", "swapper").switch(12000, "S", "swapper", 1)


def frozen(path):
    """A sleep that ends when its cgroup is thawed."""
    for play, name, group, expected in (
            (freeze(), "wants", "/web", "asleep: frozen (cgroup /web)"),
            (freeze(thawed="/a b/c"), "spin", "/a b/c", "asleep: frozen (cgroup /a b/c)"),
            (freeze(inner="/web/in/most"), "wants", "/web/in/most", "asleep: frozen (cgroup /web)"),
            (freeze(inner="/webs"), "wants", "/webs", "asleep: frozen (cgroup /webs)"),
            (freeze("D"), "wants", "/web", None),                   # the kernel wakes these, too, but they were not frozen
            (freeze(), "wants", "/webs", None),                     # holder woke it for another reason, in the same call
            (freeze(frozen_at=2500), "wants", "/web", None),        # it slept already
            (freeze(interrupted=True), "wants", "/web", None)):     # holder has done something else since
        trace = with_groups(play, path, {name: group})
        pid = str(play.pids[name])
        found = {row["what"]: int(row["duration_ns"]) for row in rows(trace, "why", "--task", pid) if "frozen" in row["what"]}
        same(name, found, {expected: 8000000 if name == "wants" else 7002000} if expected else {})
        text = re.sub(r"\s+", " ", run([PROGRAM, "timeline", "--task=" + name, "--at=1.005", trace]).decode())
        if ("It was frozen, with its cgroup %s." % (expected or "(").split("group ")[-1].rstrip(")") in text) != bool(expected) or \
                ("FFFF" in text) != bool(expected):
            raise Failure(text)


def frozen_to_the_end(path):
    """A group is frozen, and with it those in it; the recording ends before they are thawed."""
    groups = {"wants": "/web/in", "spin": "/webs", "rt": "/web", "dl2": "/web", "hog": "/web/in"}
    play = Play().switch(0, "S", "rt").wake(400, "wants").switch(500, "S", "wants").switch(0, "S", "holder", 1)    # rt sleeps by itself
    for at, group in ((1000, "/web"), (1001, "/web/in"), (1002, "/gone"), (1003, "/web/in/most")):
        play.call(at, "cgroup_freeze: root=0 id=25 level=1 path=%s" % group, 1)
    play.call(1500, "cgroup_unfreeze: root=0 id=27 level=1 path=/gone", 1)
    play.switch(2000, "S", "spin").switch(3000, "S", "dl2").switch(3500, "D", "hog").switch(3600, "S", "swapper")
    trace = with_groups(play.switch(9000, "S", "swapper", 1), path, groups)
    for name, expected in (("wants", {"/web": 7000}), ("hog", {"/web": 5400}), ("rt", {}), ("spin", {}), ("dl2", {})):
        text = run([PROGRAM, "why", "--task", str(play.pids[name]), trace]).decode()
        same(name, {path: int(us) for us, path in re.findall(r"^ *(\d+)\.000 .* asleep: frozen \(cgroup (\S+)\)$", text, re.M)}, expected)
    text = re.sub(r"\s+", " ", run([PROGRAM, "timeline", "--task=wants", "--at=1.005", trace]).decode())
    if "It was frozen, with its cgroup /web." not in text or "FFFF" not in text:
        raise Failure(text)


def timers_of_limits(path):
    """Recorded for limits alone, without their ends: they are no instances that never end."""
    play = Play().timer(1000, 7, "sched_cfs_period_timer", 1).timer(2000, 7, "sched_cfs_period_timer", 1)
    play.timer(2500, 8, "other", 1).call(2600, "hrtimer_expire_exit: hrtimer=%016x" % 8, 1)
    play.switch(3000, "S", "swapper", 1).write(path)
    run([PROGRAM, "cut", "--force", "--to=1.0022", "-o", path + ".dat", path])      # keeps the format of the end
    with open(path + ".dat", "rb") as file:
        same("the format of the end", b"name: hrtimer_expire_exit" in file.read(), True)
    same("without ends", [row["open"] for row in rows(path + ".dat", "latency") if row["kind"] == "timer"], [])
    same("with one", [(row["n"], row["open"]) for row in rows(path, "latency") if row["kind"] == "timer"], [("1", "1")])


def sentences(path):
    """What Timeline says of such a moment."""
    for play, name, at, words in (
            (budget(), "dl", 30, "not allowed to run on CPU 0. It runs 60.00 ms later, at 1.080000, on CPU 0; " + BUDGET +
             " after 20.00 ms, at 1.100000. It was " + BUDGET + " for 59.90 ms of it."),
            (budget(()), "dl", 30, "It was " + SERVER + " for ~60.00 ms of it."),
            (budget((), True), "dl", 30, "It was " + BUDGET + " for ~60.00 ms of it."),
            (yields(), "spin", 2, "it " + GAVE + " on CPU 0. It runs 3.990 ms later, at 1.005000, on CPU 0; " + GAVE),
            (yields(), "spin", 5.005, "It had waited 3.990 ms since it " + GAVE + "."),
            (rtlock(), "wants", 5, "Doubtful: it is woken ~20.00 ms later, at 1.021000, so it did not wait for a CPU")):
        play.write(path)
        text = run([PROGRAM, "timeline", "--task=" + name, "--at=%.6f" % (1 + at / 1000), path]).decode()
        if words not in re.sub(r"\s+", " ", text):
            raise Failure("%s at %s: %s" % (name, at, text))


def exported(path):
    """The table of instances, written while they are found, names what kept a task from running."""
    folder = os.path.join(os.path.dirname(path), "tables")
    for name, play, names in (("dl", budget(), {SERVER}), ("spin", yields(), {GAVE, "spin-500"})):
        play.write(path)
        run([PROGRAM, "export", "--tables=" + folder, "--name=" + name, path])
        found, _ = parquet.read(os.path.join(folder, "latency", name + ".parquet"), ("kind", "name"))
        same("names", {name.decode() for kind, name in zip(found["kind"], found["name"]) if kind == b"preempted"}, names)


def filtered(path):
    """The filter name `throttled`, at the switches that end such waits: also where nothing but these tells that they may run."""
    for timers, longest in (((7,), 59900), ((), 60000)):
        budget(timers, not timers).write(path)
        for us, nr in ((0, 5), (longest - 1, 5), (longest, 0)):
            found = [row for row in rows(path, "report", "-F", "throttled > %dus" % us) if "next_comm=dl " in row["text"]]
            same("%s, throttled > %d us" % (timers, us), len(found), nr)


def queues(path):
    """Where it is inferred whether tasks could run, queues of CPUs have a mark."""
    for play, marked in ((budget(()), True), (budget((7, 8)), True), (realtime(), True), (rtlock(), True), (stopper(), None)):
        play.write(path)
        line, = re.findall(r"^ +0 +\S+ +(~?)[0-9.]+ +(~?)\d", run([PROGRAM, "cpus", path]).decode(), re.M)
        has_wakes = "sched_wak" in "".join(text for _, text in play.lines)
        same("%s of %s" % (line, play), set(line), {"~" if marked or not has_wakes else ""})


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        for name, *rest in CASES:
            tap.case(name, case, path, *rest)
        tap.case("sentences", sentences, path)
        tap.case("the filter name", filtered, path)
        tap.case("queues", queues, path)
        tap.case("a frozen cgroup", frozen, path)
        tap.case("timers that limits need", timers_of_limits, path)
        tap.case("a cgroup frozen to the end", frozen_to_the_end, path)
        tap.case("tables", exported, path)
    tap.end()


if __name__ == "__main__":
    main()
