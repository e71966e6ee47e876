#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks that a limit kept from running, as probes of throttle and unthrottle tell (recorder/plan/plan_limits.h): records and
figures are written here by hand.  Prints TAP."""
import csv
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from private_section import with_blocks                    # noqa: E402
from report_common import PROGRAM, Failure, Tap, run       # noqa: E402

START_S = 100
GROUPS = {"/one": 28, "/top": 54, "/top/in": 80}    # each with a limit
NAMES = {0: "swapper", 101: "alone", 102: "inner", 103: "sleeper", 104: "urgent", 105: "outside"}
CGROUPS = {101: "/one", 102: "/top/in", 103: "/one", 104: "/one", 105: "/"}


class Play:
    """Records of two CPUs, both of which idle at first; times in µs."""

    def __init__(self, throttled=9):
        self.lines, self.runs, self.throttled = [], {0: 0, 1: 0}, throttled

    def record(self, us, cpu, name, text):
        pid = self.runs[cpu]
        task = "%s-%d" % (NAMES[pid] if pid else "<idle>", pid)
        self.lines.append((us, "%16s     [%03d] d..1. %5d.%06d: %s: %s\n" % (task, cpu, START_S, us, name, text)))

    def switch(self, us, cpu, to, state="R"):
        prev = self.runs[cpu]
        self.record(us, cpu, "sched_switch", "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d"
                    % (NAMES[prev], prev, prio(prev), state, NAMES[to], to, prio(to)))
        self.runs[cpu] = to

    def wake(self, us, cpu, pid, target, names=("sched_waking", "sched_wakeup")):
        for name in names:
            self.record(us, cpu, name, "comm=%s pid=%d prio=%d target_cpu=%03d" % (NAMES[pid], pid, prio(pid), target))

    def limit(self, us, cpu, word, group, of=None):
        self.record(us, cpu, word + "_group", "(tg_%s+0x0/0x30) cgroup=%d cpu=%d" % (word, GROUPS[group], cpu if of is None else of))

    def begin(self, us, cpu, group):
        self.limit(us, cpu, "throttle", group)

    def end(self, us, cpu, group, of=None):
        self.limit(us, cpu, "unthrottle", group, of)

    def leave(self, us, cpu):
        self.record(us, cpu, "throttle_task", "(throttle_cfs_rq_work+0x0/0x30)")

    def timer(self, us, cpu):
        self.record(us, cpu, "hrtimer_expire_entry", "hrtimer=00000000000000aa function=sched_cfs_period_timer now=%d" % (us * 1000))

    def write(self, folder):
        """A trace.dat, with what the recorder saw of the groups: each limit was used up 9 times, for @throttled µs."""
        text, plain, path = (os.path.join(folder, "t" + end) for end in (".txt", ".plain", ".dat"))
        with open(text, "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n")
            out.writelines(line for _, line in sorted(self.lines, key=lambda line: line[0]))
        run([PROGRAM, "cut", "--force", "-o", plain, text])
        names = ["/", *GROUPS]
        lines = ["string %d\n%s" % (len(name), name) for name in names]
        for pid, group in CGROUPS.items():
            lines.append("task 0 0 %d 1 -1 0 0 0 %d 0" % (pid, names.index(group) + 1))
        for group, number in GROUPS.items():
            name = names.index(group) + 1
            lines += ["cgroup 0 %d 20000 100000 100 0 0 0 0 0" % name, "cgroup_id %d %d" % (name, number),
                      "cgroup %d %d 20000 100000 100 0 9 9 %d 0" % ((START_S + 1) * 10**9, name, self.throttled)]
        block = "".join(line + "\n" for line in lines).encode()
        return with_blocks(plain, path, {"saved_tgids": b"", "tasks": block})


def prio(pid):
    return 49 if pid == 104 else 120


def told(trace, pid):
    """{group: µs, with ~ if doubtful, > if its sched_waking is missing, so that it waited longer} of the time of a task that why calls throttled."""
    text = run([PROGRAM, "why", "--task=%s-%d" % (NAMES[pid], pid), trace]).decode()
    return {group: time.replace(".000", "") for time, group in re.findall(r"^ *(\S+) .* throttled by (\S+) \(20 ms of 100 ms\)$", text, re.M)}


def check(play, expected):
    """@expected: {pid: {group: µs}}, a text with ~ if doubtful; of all others nothing."""
    with tempfile.TemporaryDirectory() as folder:
        trace = play.write(folder)
        sums = {int(row["pid"]): int(row["throttled_ns"] or 0) // 1000
                for row in csv.DictReader(io.StringIO(run([PROGRAM, "tasks", "--format=csv", trace]).decode())) if int(row["pid"] or 0)}
        if sums != {pid: sum(int(time.strip("~>")) for time in expected.get(pid, {}).values()) for pid in sums}:
            raise Failure("tasks: %s, not %s" % (sums, expected))
        for pid in sums:
            if told(trace, pid) != expected.get(pid, {}):
                raise Failure("why %s: %s, not %s" % (NAMES[pid], told(trace, pid), expected.get(pid, {})))


def by_group():
    """Before Linux 6.18: no task of a throttled group is in the queue of that CPU, but real-time tasks are."""
    play = Play()
    play.switch(0, 0, 103)
    play.switch(10, 0, 101, "S")
    play.begin(1000, 0, "/one")
    play.switch(1010, 0, 0)
    play.wake(1500, 1, 103, 0)          # into the throttled group
    play.wake(2000, 1, 104, 0)
    play.switch(2100, 0, 104)
    play.switch(2200, 0, 0, "S")
    play.end(5000, 1, "/one", of=0)     # by another CPU
    play.switch(5100, 0, 101)
    play.switch(5200, 0, 103)
    play.switch(5300, 0, 101, "S")
    check(play, {101: {"/one": "3990"}, 103: {"/one": "3500"}})


def nested():
    """The limit of the group above goes before that of the group in it, whichever came first."""
    play = Play()
    play.switch(0, 1, 102)
    play.begin(2000, 1, "/top/in")
    play.switch(2010, 1, 0)
    play.begin(3000, 1, "/top")
    play.begin(3001, 1, "/top/in")
    play.end(6999, 1, "/top/in")
    play.end(7000, 1, "/top")
    play.end(9000, 0, "/top/in", of=1)
    play.switch(9050, 1, 102)
    play.switch(9500, 1, 0, "S")
    check(play, {102: {"/top/in": "2990", "/top": "4000"}})


def end_is_missing():
    """The recorder is left out, with interrupts during it: then it ends when a task runs, which is doubtful, and later ones are exact."""
    play = Play()
    play.switch(0, 0, 101)
    play.begin(1000, 0, "/one")
    play.switch(1010, 0, 0)
    play.switch(4000, 0, 101)
    play.begin(5000, 0, "/one")
    play.switch(5010, 0, 0)
    play.end(8000, 0, "/one")
    play.switch(8100, 0, 105)
    play.switch(8200, 0, 101, "S")
    check(play, {101: {"/one": "5980~"}})


def begin_is_missing():
    """When the recorder leaves the CPU, the kernel throttles in its name; that a task leaves the CPU for it tells enough."""
    play = Play()
    play.switch(0, 0, 101)
    play.switch(10, 1, 102)
    play.leave(1000, 0)
    play.switch(1010, 0, 0)
    play.leave(1020, 1)
    play.switch(1030, 1, 0)
    play.end(3000, 0, "/one")
    play.end(4000, 1, "/top/in")
    play.end(4001, 1, "/top")
    play.switch(5000, 0, 101)
    play.switch(5010, 1, 102)
    play.begin(5500, 0, "/one")
    check(play, {101: {"/one": "1990"}, 102: {"/top": "2971~"}})


def by_task(lost):
    """Since Linux 6.18 a task runs on to its return to user space: until then it waits like others."""
    play = Play()
    play.switch(0, 0, 101)
    play.begin(1000, 0, "/one")
    play.switch(1010, 0, 105)
    play.switch(2000, 0, 101, "S")
    play.leave(2100, 0)
    play.switch(2110, 0, 0)
    play.end(5000, 0, "/one")
    play.switch(5100, 0, 101)
    play.begin(6000, 0, "/one")
    play.switch(6010, 0, 105)
    play.end(6500, 0, "/one")
    play.switch(7000, 0, 101, "S")
    if lost:
        play.begin(8000, 0, "/one")
        play.leave(8100, 0)
        play.switch(8110, 0, 0)
        play.switch(9000, 0, 101)       # when that ended is not recorded
    play.switch(9100, 0, 0, "S")
    check(play, {101: {"/one": "3780~" if lost else "2890"}})


def since_before(evidence):
    """The group was throttled when the recording began.  Who waits for its release is known from the wake-up on."""
    play = Play(throttled=3500)
    play.switch(0, 0, 105)
    play.switch(10, 0, 0, "S")
    play.wake(1500, 1, 103, 0, ["sched_wakeup"])
    if evidence == "timer":
        play.timer(5000, 1)
    else:
        play.wake(2000, 1, 104, 0)          # a real-time task
        play.switch(2100, 0, 104)
        play.switch(2200, 0, 0, "S")
        play.end(5000, 1, "/one", of=0)
    play.switch(5100, 0, 103)
    play.switch(5300, 0, 101, "S")
    play.wake(6000, 1, 103, 0, ["sched_wakeup"])
    if evidence == "probe":
        play.end(6500, 1, "/one", of=0)     # its tasks ran: when it was throttled is not recorded
    play.switch(7000, 0, 103)
    check(play, {103: {"/one": "3500>" if evidence == "probe" else "3500~"}})


def nested_since_before():
    """By both limits: the release by the lower one alone lets nobody run."""
    play = Play()
    play.switch(0, 0, 105)
    play.switch(10, 0, 0, "S")
    play.wake(1500, 1, 102, 0, ["sched_wakeup"])
    play.end(3000, 1, "/top/in", of=0)
    play.end(4999, 1, "/top/in", of=0)
    play.end(5000, 1, "/top", of=0)
    play.switch(5100, 0, 102)
    play.switch(5300, 0, 0, "S")
    check(play, {102: {"/top": "3500>"}})


def to_the_end(by_task):
    """The recording ends before the group is released, and nothing is known of the next run."""
    play = Play()
    play.switch(0, 0, 101)
    play.begin(1000, 0, "/one")
    if by_task:
        play.leave(1005, 0)
    play.switch(1010, 0, 0)
    play.wake(1500, 1, 103, 0, ["sched_wakeup"])
    play.switch(4000, 1, 105)
    check(play, {101: {"/one": "2990"}} if by_task else {101: {"/one": "2990"}, 103: {"/one": "2500>"}})


def main():
    tap = Tap()
    tap.case("a group is throttled, and its tasks with it", by_group)
    tap.case("limits of groups in groups", nested)
    tap.case("an end that was not recorded", end_is_missing)
    tap.case("a task is throttled when it returns to user space", by_task, False)
    tap.case("a begin that was not recorded", begin_is_missing)
    tap.case("and an end that was not recorded", by_task, True)
    tap.case("throttled since before the recording", since_before, "probe")
    tap.case("the same without probes", since_before, "timer")
    tap.case("by two limits since before the recording", nested_since_before)
    tap.case("throttled when the recording ends", to_the_end, False)
    tap.case("the same, as Linux 6.18 tells it", to_the_end, True)
    tap.end()


main()
