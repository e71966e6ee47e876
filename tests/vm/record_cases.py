# SPDX-License-Identifier: GPL-2.0-or-later
"""
record_cases - what record.py records in a virtual machine, and what must be in it.

A case is a script for the virtual machine's shell, and checks of what came back from it.
$R begins a recording into t.dat.  A script ends with skip WHY where the kernel lacks what it
needs.  Checks are functions of a Recording or a Result (see record.py): what they return is
told as the fault.
"""
import collections
import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys

from limits_oracle import Limits

W = "workload load"
# Which functions can be traced: switching all of them takes an emulated machine seconds.
FEW = "-l 'vfs_*' -l do_dentry_open"    # in every kernel
ONCE = "'__*64_sys_sched_setaffinity'"    # which nobody else does: the workload's first child, and later ones
WHO = ("task_newtask", "sched_process_exec", "sched_process_exit", "cgroup_attach_task")     # along with switches
SLOW_IRQ = "/vm/late/slow_irq.ko"    # slow_irq.c, where it could be built for the kernel
LATE_MODULES = ("loop", "softdog")    # /vm/late/loop.ko, where the kernel has it as a module: loaded by cases alone

# For scripts.  An emulated machine is as quick as its host lets it be: what has to be is waited for, never slept for.
HELPERS = """
recording() { grep -qs '"begin"' told; }	# of a recorder with --status-fd 3 3>told
until_true() { until "$@"; do usleep 50000; done; }
"""


class Case:
    def __init__(self, name, script, *checks, status=0, empty=False, files=("t.dat",), kshark=True, ours_alone=False, apart=False, steady=False):
        self.name, self.script, self.checks, self.status = name, script, checks, status
        self.empty = empty          # may hold no event: nothing need happen in the meantime
        self.files = files          # what it leaves; none: nothing is to be left
        self.kshark = kshark        # whether libkshark can read it
        self.ours_alone = ours_alone    # no other program here can
        self.apart = apart          # in a machine of its own
        self.steady = steady        # in one whose clock no busy host disturbs: a second takes as many instructions each time


# --- checks ---------------------------------------------------------------------------------

def has(*patterns):
    def check(result):
        for pattern in patterns:
            if not re.search(pattern, result.report(), re.M):
                return f"no {pattern!r} in the report"
    return check


def hasnt(*patterns):
    def check(result):
        for pattern in patterns:
            found = re.search(pattern, result.report(), re.M)
            if found:
                return f"{found.group(0)!r} in the report"
    return check


def says(*patterns):
    def check(result):
        for pattern in patterns:
            if not re.search(pattern, result.log, re.M):
                return f"no {pattern!r} in what it says"
    return check


def hasnt_said(pattern):
    def check(result):
        found = re.search(pattern, result.log, re.M)
        if found:
            return f"{found.group(0)!r} in what it says"
    return check


def only(**columns):
    """Every row has these values: a text, or a set of them."""
    def check(result):
        for row in result if isinstance(result, list) else result.rows():
            for column, wanted in columns.items():
                if row[column] not in ({wanted} if isinstance(wanted, str) else wanted):
                    return f"a row with {column} {row[column]!r}: {row}"
    return check


def stacks_of_waits(result):
    """
    A stack behind switches and wakings alone, and behind that of user space, if there is one.  The kernel leaves some out, of
    wakings in interrupts over the idle task.
    """
    last, behind = {}, {"sched_switch": [0, 0], "sched_waking": [0, 0]}     # by CPU; how many, with a stack
    for row in result.rows():
        event, before = row["event"], last.get(row["cpu"])
        if event == "kernel_stack" and before not in behind:
            return f"a stack behind {before}: {row}"
        if event == "kernel_stack":
            behind[before][1] += 1
        elif event in behind:
            behind[event][0] += 1
        if event != "user_stack":
            last[row["cpu"]] = event
    if not all(2 * stacks > events for events, stacks in behind.values()):
        return f"stacks are missing: {behind}"


def of_buffer(name, **columns):
    """The same for the rows of a buffer, of which there are some."""
    def check(result):
        rows = [row for row in result.rows() if row["buffer"] == name]
        return only(**columns)(rows) if rows else f"no rows of buffer {name}"
    return check


def calls_of_depth_0(result):
    """Whatever else comes between the beginning and the end of a call: an interrupt, another task."""
    depths = {int(depth, 0) for depth in re.findall(r"funcgraph_entry:.*\bdepth=(\w+)", result.report("-R"))}
    if depths != {0}:
        return f"calls at depth {' '.join(map(str, sorted(depths)))}"


def info(*patterns):
    def check(result):
        for pattern in patterns:
            if not re.search(pattern, result.info(), re.M):
                return f"no {pattern!r} in its info"
    return check


def subbufs_of(*sizes):
    """t-KIB.dat have sub-buffers of these sizes."""
    def check(result):
        for kb in sizes:
            if f" sub-buffers of {kb << 10} bytes" not in result.info(f"t-{kb}.dat"):
                return f"others in t-{kb}.dat"
    return check


def lacks_info(*patterns):
    def check(result):
        for pattern in patterns:
            if found := re.search(f"{pattern}.*", result.info(), re.M):
                return f"in its info: {found.group()}"
    return check


def events(*names):
    """Exactly these event types, beside those that go along with switches."""
    def check(result):
        found = {row["event"] for row in result.rows()} - set(WHO)
        if found != set(names) - set(WHO):
            return f"events {' '.join(sorted(found))}, not {' '.join(names)}"
    return check


def only_command(result):
    """All rows are of one task, the command's; or lead to it or from it."""
    pids = {row["pid"] for row in result.rows() if row["event"] not in ("sched_switch", "sched_wakeup", "sched_waking")}
    if len(pids) != 1:
        return f"rows of {len(pids)} tasks"


def children_too(result):
    parents = {m.group(1) for m in re.finditer(r"^forks (\d+)", result.log, re.M)}
    pids = {row["pid"] for row in result.rows()}
    if not parents & pids or len(pids) < 10:
        return f"rows of {len(pids)} tasks"


def forks(result):
    """As many forks by the workload's task as it says."""
    for pid, nr in re.findall(r"^forks (\d+) (\d+)", result.log, re.M):
        found = sum(row["event"] == "sched_process_fork" and row["pid"] == pid for row in result.rows())
        if found != int(nr):
            return f"{found} forks of task {pid}, not {nr}"


def until_its_first_child(result):
    """Recording ended before the workload forked once more."""
    found = sum(row["event"] == "sched_process_fork" and row["comm"] == "workload" for row in result.rows())
    if found != 1:
        return f"{found} forks of the workload, not 1"


def named(result):
    """Each task has the name it gave itself."""
    names = dict(re.findall(r"^named (\d+) (.*)", result.log, re.M))
    # its first rows, before it had that name, bear it too: a trace keeps one name for a task
    found = {row["pid"]: row["comm"] for row in result.rows()}
    wrong = [pid for pid in names if found.get(pid) != names[pid]]
    if not names or wrong:
        return f"{len(wrong)} of {len(names)} names are wrong: " + ", ".join(
            f"{pid} is {found.get(pid)!r}, not {names[pid]!r}" for pid in wrong[:3])


def threads_of_a_process(*names):
    """The tgids that each file keeps are those of the process that was recorded into it: its rows are those of its threads."""
    def check(result):
        told = re.findall(r"^threads (\d+) ([\d ]+)$", result.log, re.M)
        if len(told) != len(names):
            return f"{len(told)} processes with threads, not {len(names)}"
        for name, (pid, tids) in zip(names, told):
            tasks = {pid, *tids.split()}
            wanted = collections.Counter(row["pid"] for row in result.rows(name) if row["pid"] in tasks)
            found = collections.Counter(row["pid"] for row in result.kept(name, f"tgid == {pid}"))
            if wanted != found or len(found) != len(tasks):
                return f"{name}: of process {pid} rows of tasks {dict(found)}, not {dict(wanted)} of {len(tasks)}"
    return check


def marks(result):
    for pid, nr in re.findall(r"^marks (\d+) (\d+)", result.log, re.M):
        texts = re.findall(r"mark (\d+)$", "\n".join(
            row["text"].strip() for row in result.rows() if row["event"] == "print" and row["pid"] == pid), re.M)
        if texts != [str(i) for i in range(int(nr))]:
            return f"{len(texts)} marks of task {pid}, or another order; not {nr}"
    if "marks " not in result.log:
        return "no marks were written"


def switches(result):
    """As often as the kernel accounts it to a task, it leaves its CPU."""
    counted = re.findall(r"^switches (\d+) (\d+)", result.log, re.M)
    raw = result.report("-R")
    for pid, nr in counted:
        found = len(re.findall(rf" sched_switch: .*\bprev_pid={int(pid)}\b| sched_switch: .*\bprev_pid={int(pid):#x}\b", raw))
        if found != int(nr):
            return f"{found} switches of task {pid}, not {nr}"
    if len(counted) != 2 or min(int(nr) for _, nr in counted) < 500:
        return f"the workload tells {counted}"


def same_as_trace_cmd(result):
    """Of a workload that both record at the same time, each task that it forks has as many events of each kind here and there."""
    children = {m.group(1) for row in result.rows() if row["event"] == "sched_process_fork" and row["comm"] == "workload"
                for m in re.finditer(r"\bchild_pid=(\d+)", row["text"])}
    theirs, ours = (collections.Counter((row["pid"], row["event"]) for row in result.rows(name) if row["pid"] in children)
                    for name in ("other.dat", "t.dat"))
    if len(children) != 20 or len({event for _, event in theirs}) < 10:
        return f"{len(children)} children, and trace-cmd has {len({event for _, event in theirs})} kinds of events of theirs"
    wrong = [f"{event} of task {pid}: {ours[pid, event]}, not {theirs[pid, event]}"
             for pid, event in sorted(theirs.keys() | ours.keys()) if theirs[pid, event] != ours[pid, event]]
    if wrong:
        return f"{len(wrong)} counts differ from trace-cmd's: " + "; ".join(wrong[:3])


def texts_there(result):
    """What both programs printed of it in the machine is what they print here: for machines of another processor."""
    for name, here in (("ours", result.ours("t.dat")), ("theirs", result.report())):
        with open(f"{result.folder}/{name}", encoding="utf-8", errors="surrogateescape") as there:
            if there.read() != here:
                return f"{name} is another text than here"


def windows_of_live(result):
    """What live printed of each window is as many events as trace-cmd's text has then."""
    windows = []
    for line in re.findall(r"^\{.*\}$", result.log, re.M):
        row = json.loads(line)
        if row.get("type") == "window":
            windows.append((row["from_ns"], row["to_ns"], {}))
        else:
            windows[-1][2][row["event"]] = row["count"]
    stamped = [(int(s + ns), event) for s, ns, event in re.findall(r"\] +(?:\S+ +)?(\d+)\.(\d{9}): (\w+):", result.report("-t"))]
    for first, last, told in windows:
        found = collections.Counter(event for ts, event in stamped if first <= ts <= last)
        if found != told:
            return f"from {first} to {last}: {told}, but {dict(found)} of trace-cmd"
    if len(windows) != 3:
        return f"{len(windows)} windows"


# --- who tasks are --------------------------------------------------------------------------

def lives(result):
    """{pid: [[birth, end, maker, [(time, program)], [(time, cgroup)]]]} as the kernel's events tell, in ns."""
    found = collections.defaultdict(list)
    for row in result.rows():
        fields, ts = dict(re.findall(r"(\w+)=(\S+)", row["text"])), int(row["ts_ns"])
        if row["event"] == "task_newtask":
            of = found[int(fields["pid"])]
            if of:
                of[-1][1] = ts
            of.append([ts, float("inf"), int(row["pid"]), [], []])
        elif row["event"] == "sched_process_exec" and found[int(fields["pid"])]:
            found[int(fields["pid"])][-1][3].append((ts, fields["filename"]))
        elif row["event"] == "cgroup_attach_task" and found[int(fields["pid"])]:
            found[int(fields["pid"])][-1][4].append((ts, fields["dst_path"]))
    return found


def told_children(result):
    """What the storm told: its pid, and each child's pid and arguments."""
    text = "\n" + "".join(open(f"{result.folder}/storm", encoding="ascii"))
    return int(re.search(r"\nstorm (\d+)", text).group(1)), re.findall(r"\nchild \d+ (\d+) ?(.*)", text)


def storm_is_known(result):
    """Each child of the storm is itself, in all of its life, however often its pid was reused."""
    storm, children = told_children(result)
    births = sorted((life[0], pid, life) for pid, all_lives in lives(result).items() for life in all_lives if life[2] == storm)
    if [pid for _, pid, _ in births] != [int(pid) for pid, _ in children]:
        return f"{len(births)} births are recorded, and {len(children)} told, or others"
    who, seen, times = result.who(), 0, collections.Counter(pid for _, pid, _ in births)
    for (birth, pid, (_, end, _, execs, _)), (_, arguments) in zip(births, children):
        for span in who[pid]:
            first, last = max(span["from"], birth), min(span["to"], end - 1)
            if first > last:
                continue
            program = next((name for ts, name in execs if ts <= first), "/usr/local/bin/workload")
            after = program != "/usr/local/bin/workload"
            if execs and first < execs[0][0] <= last:
                return f"task {pid} is one and the same before and after it runs {execs[0][1]}: {span}"
            if (span["exe"], span["tgid"], span["parent"]) != (program, pid, storm):
                return f"task {pid}, born at {birth}, runs {program} at {first}: {span}"
            if span["cmdline"] not in ((None, arguments) if after else ("workload storm " + str(len(children)),)):
                return f"task {pid}, born at {birth}, has the arguments {arguments!r} at {first}: {span}"
            seen += after and span["cmdline"] is not None
    asked = re.findall(r"^ *(\d+) +(/tmp/prog-\d linger .*)$", "".join(open(f"{result.folder}/ps", encoding="ascii")), re.M)
    strange = [line for line in asked if line not in children]
    if strange or not asked or seen < len(children) / 400 or max(times.values()) < 5:
        return (f"ps shows {len(asked)} children, {len(strange)} of them unknown; {seen} command lines are known; "
                f"a pid is used {max(times.values())} times")


def spans_say(*wanted):
    """What is known of a task is these values, one after the other, and no others."""
    def check(result):
        pids = dict(re.findall(r"^(\w+)=(\d+)$", result.log, re.M))
        for name, key, *values in wanted:
            spans = result.who()[int(pids[name])]
            found = [span[key] for span in spans if span[key] is not None]
            found = [value for i, value in enumerate(found) if not i or found[i - 1] != value]
            if found != list(values):
                return f"{key} of {name}, pid {pids[name]}, is {found}, not {list(values)}"
    return check


def limits_told(*groups):
    """
    What cpu.stat of groups with a limit counts follows from the probes, as the kernel tells them in an instance of its own:
    so do the times of tasks, but for ends that the recording lacks, as the recorder itself had the CPU.
    """
    def check(result):
        ids = {int(number): group for group, number in re.findall(r"^id (\S+) (\d+)$", result.log, re.M)}
        tasks = {int(pid): group for pid, group in re.findall(r"^pid (\d+) (\S+)$", result.log, re.M)}
        limits = Limits(open(f"{result.folder}/raw.txt").read(), ids, tasks)
        for group, period_us in groups:
            told = {key: int(n) for key, n in re.findall(rf"^{group} (\w+) (\d+)$", result.log, re.M)}
            sums, periods = limits.sums[group], limits.periods(group, period_us)
            print(f"# {group}: {sums} us, cpu.stat {told['throttled_usec']}; periods {sorted(periods)}, cpu.stat {told['nr_throttled']}")
            if not sums or abs(sums - told["throttled_usec"]) > 2000 + sums // 100:
                return f"{group}: {sums} us, cpu.stat says {told['throttled_usec']}"
            if told["nr_throttled"] not in periods:
                return f"{group}: {sorted(periods)} periods, cpu.stat says {told['nr_throttled']}"
        text = result.asked(result.program, "tasks", "--format=csv", "t.dat")
        found = {int(row["pid"]): int(row["throttled_ns"] or 0) // 1000 for row in csv.DictReader(text.splitlines()) if row["pid"].isdigit()}
        for pid, group in tasks.items():
            times = [us for (of, _), listed in limits.times.items() if of == pid for us in listed]
            print(f"# {pid} of {group}: {len(times)} times {sum(times)} us, tasks {found.get(pid)}")
            if not times or abs(sum(times) - found.get(pid, 0)) > 20000 + sum(times) // 50:
                return f"{pid} of {group} was throttled for {sum(times)} us, not {found.get(pid)}"
    return check


def groups_used(*groups):
    """The run time of each cgroup is what cpu.stat says, to a percent; so is the time that a limit took."""
    def check(result):
        text = result.asked(result.program, "tasks", "--by=cgroup", "--format=csv", "t.dat")
        rows = {row["cgroup"]: row for row in csv.DictReader(text.splitlines())}
        for group in groups:
            told = {key: int(n) * 1000 for key, n in re.findall(rf"^{group} (\w+) (\d+)$", result.log, re.M)}
            row = {key: int(rows[group][key] or 0) for key in ("run_ns", "run_cut_ns", "throttled_ns")}
            ran, used = row["run_ns"] + row["run_cut_ns"], told["usage_usec"]
            print(f"# {group}: run {ran} ns, usage {used} ns ({(ran - used) / used:+.2%}); throttled {row['throttled_ns']}, {told.get('throttled_usec')} ns")
            if abs(ran - used) > used / 100:
                return f"{group} ran for {ran} ns, cpu.stat says {used} ns"
            if abs(row["throttled_ns"] - told.get("throttled_usec", 0)) > ran / 100:
                return f"{group} was throttled for {row['throttled_ns']} ns, cpu.stat says {told.get('throttled_usec')} ns"
        # one task is alone in the one group with a limit: a period, at the first look at its counters, may be missing
        text = result.asked(result.program, "tasks", "--format=csv", "t.dat")
        told = sum(int(n) * 1000 for n in re.findall(r"^/\S+ throttled_usec (\d+)$", result.log, re.M))
        found = sum(int(row["throttled_ns"] or 0) for row in csv.DictReader(text.splitlines()))
        print(f"# throttled: tasks {found} ns, cpu.stat {told} ns")
        if abs(found - told) > 100000000 + told / 50:
            return f"tasks were throttled for {found} ns, cpu.stat says {told} ns"
    return check


def recorders_threads(result):
    """The functions of the recorder's threads, which the command told, do not fill the buffer from which these read.  Entries of calls
    are recorded until a thread is switched away."""
    told = re.search(r"^threads of the recorder: ([\d ]+)$", result.log, re.M)
    tids = set(told.group(1).split()) if told else set()
    rows = [row for row in result.rows() if row["system"] == "ftrace"]
    seen = [row for row in rows if row["pid"] in tids]
    if len(tids) < 2 or len(rows) < 1000 or len(seen) > len(rows) / 100:
        return f"{len(seen)} of {len(rows)} functions are of the recorder's threads {' '.join(tids)}"


def as_often(event, text, other):
    """There are as many rows of an event as of another with a text in it: one for each."""
    def check(result):
        found, wanted = (sum(row["event"] == name and part in row["text"] for row in result.rows())
                         for name, part in ((event, ""), (other, text)))
        if found != wanted or not found:
            return f"{found} {event}, not {wanted}"
    return check


def once(event):
    def check(result):
        found = sum(row["event"] == event for row in result.rows())
        if found != 1:
            return f"{found} {event}"
    return check


# The workload goes on until the recording has stopped by itself.
STOP = "; s=$?; touch stop; while killall -0 workload 2>/dev/null; do usleep 50000; done; rm stop; exit $s"


def registered(event):
    """All that the workload wrote once its event was enabled, and a note that there may have been some before."""
    def check(result):
        told = re.search(r"^registered (\d+) (\d+)$", result.log, re.M)
        rows = [row for row in result.rows() if row["event"] == event]
        if not told or len(rows) != int(told[2]) or any(row["pid"] != told[1] for row in rows):
            return f"{len(rows)} of {event}: {result.log}"
        note = f"user_events:{event} was registered while the recording ran: what was written in its first 250 ms may be missing"
        return None if note in result.log and note in result.info() else f"no note: {result.log}{result.info()}"
    return check


def as_the_kernel_missed(event):
    """Its row of kprobe_profile, which the command prints: name, hits, misses; the probe of all calls has both.  Figures of the
    event are lower bounds.  Ends are missing alone, so only where starts are stacked may one be paired with another's."""
    def check(result):
        row = re.search(rf"^ *{event} +(\d+) +(\d+)$", result.log, re.M)
        if not row or int(row[2]) < 2:
            return f"the probe of {event} missed nothing: {result.log}"
        told = f"the kernel's probe missed {row[2]} hits"
        if told not in result.log or told not in result.info():
            return f"not {told!r}: {result.log}{result.info()}"
        both = int(row[1]) + int(row[2])
        calls = len(re.findall(r" t_all: ", result.report()))
        if calls != both:
            return f"{calls} calls, {row[1]} recorded and {row[2]} missed"
        counted = result.asked(result.program, "count", "t.dat")
        if not re.search(rf"^ +>{row[1]} .* {event}$", counted, re.M) or not re.search(rf"^ +{calls} .* t_all$", counted, re.M):
            return f"not marked: {counted}"
        for words, n, doubtful in ("by pid", row[1], 0), ("by none nested", 0, row[1]):
            pairs = result.asked(result.program, "latency", f"--pair=asleep t_all {event} {words}", "t.dat")
            if not re.search(rf"^asleep +>{n} +{calls - int(row[1])} +{doubtful} ", pairs, re.M):
                return f"{words}: {pairs}"
        return None
    return check


def as_in_the_kernels_text(event):
    """What kernel.txt, the kernel's own text, says of the events whose names match, our text in its style says, too."""
    def check(result):
        def told(text):
            return re.findall(rf"^ *(\S+-\d+) +\[\d+\].*?: ({event}(?:: |\().*?) *$", text, re.M)

        with open(f"{result.folder}/kernel.txt", encoding="utf-8", errors="surrogateescape") as text:
            theirs = told(text.read())
        ours = told(result.asked(result.program, "report", "--style=kernel", "t.dat"))
        if not theirs or ours != theirs:
            return f"{ours[:9]}, not {theirs[:9]}"
    return check


def same_latencies(one, other):
    """Each event of the one is of the other, too, which has more only of what began before there was the one."""
    def check(result):
        def told(event):
            return [(int(row["ts_ns"]), row["cpu"], row["text"]) for row in result.rows() if row["event"] == event]
        ours, theirs = told(one), told(other)
        if len(ours) < 10:
            return f"{len(ours)} {one}"
        alone = collections.Counter(event[1:] for event in ours)
        for ts, cpu, text in reversed(theirs):
            begin = ts - 1000 * int(re.search(r"lat=(\d+)", text)[1])
            if alone[cpu, text] or begin > ours[0][0]:
                alone[cpu, text] -= 1
        alone = [event for event, nr in alone.items() if nr]
        return f"{alone[:3]} is one of {one} or {other} alone; {ours[:3]}; {theirs[:3]}" if alone else None
    return check


def syscall_texts(result):
    """As the kernel prints them, whatever is cut off of strings and buffers."""
    for name, end in (("-165", r'"(/etc/passwd|/bin/ls)"'), ("-5", r'"/etc/\.\.\."'), ("", r'""')):
        with open(f"{result.folder}/kernel{name}.txt", encoding="utf-8", errors="surrogateescape") as text:
            theirs = re.findall(r"^ *((?:cat|mkdir|mv)-\d+) +\[\d+\].*?: (sys_.*?) *$", text.read(), re.M)
        ours = re.findall(r"^ *((?:cat|mkdir|mv)-\d+) +\[\d+\].*?: (sys_.*?) *$",
                          result.asked(result.program, "report", "--style=kernel", f"t{name}.dat"), re.M)
        for mine, other in itertools.zip_longest(ours, theirs):
            if mine != other:
                return f"t{name}.dat: {mine}, not {other}"
        if not any(re.search(end, text) for _, text in ours):
            return f"t{name}.dat: no {end}"


def keeps(name, expression, nr):
    """A filter of ours keeps so many rows."""
    def check(result):
        rows = result.kept(name, expression)
        return None if len(rows) == nr else f"{expression} keeps {len(rows)} rows: {rows[:3]}"
    return check


def table_kept(result):
    """The table of hist: in the trace is the one that the command read last; it was full."""
    text = open(f"{result.folder}/kernel.txt").read()
    theirs = sorted(re.findall(r"^\{ child_pid: +(\d+) \} hitcount: +(\d+)$", text, re.M))
    dropped = re.search(r"^    Dropped: (\d+)$", text, re.M)[1]
    rows = csv.DictReader(io.StringIO(result.asked(result.program, "hist", "--format=csv", "t.dat")))
    ours = sorted((row["child_pid"], row["hitcount"]) for row in rows)
    if ours != theirs or len(theirs) < 100 or int(dropped) < 2:
        return f"{len(ours)} rows, the kernel has {len(theirs)} and dropped {dropped}: {ours[:3]} {theirs[:3]}"
    shown = result.asked(result.program, "hist", "t.dat")
    if f", {dropped} dropped: the table was full" not in shown or "sched:sched_process_fork: hist:keys=child_pid:" not in shown:
        return f"not told: {shown[:400]}"
    for said in result.log, result.info():
        if f"sched:sched_process_fork: the histogram was full, and {dropped} hits" not in said.replace(
                f"the kernel's histogram was full: {dropped} hits", f"the histogram was full, and {dropped} hits"):
            return f"not a loss: {said}"
    return None


def tables_kept(result):
    """Each row that the kernel printed last is in the trace, counted as often or more: the tables went on."""
    kernel = open(f"{result.folder}/kernel.txt").read()
    shown = result.asked(result.program, "hist", "t.dat")
    functions = re.findall(r"function: \[(\w+)\] (\S+) *, expires: ~ 2\^(\d+) *\} hitcount: +(\d+)", kernel)
    stacks = re.findall(r"common_timestamp: +(\d+), \w*stacktrace:\n((?: +\S+(?: \[\w+\])?\n)+)\}", kernel)
    for address, name, power, hits in functions:
        found = re.search(rf"^{re.escape(name)} \[{address}\] +{2 ** int(power)} +(\d+) ", shown, re.M)
        if not found or int(found[1]) < int(hits):
            return f"{name} 2^{power} {hits}: {shown}"
    for us, stack in stacks:
        line = ";".join(reversed(re.findall(r"^ +([^ \n]+)", stack, re.M)))
        if not re.search(rf"^ *{us} .* {re.escape(line)}$", shown, re.M):
            return f"{us} {stack}: {shown}"
    return None if functions and stacks else f"{kernel}"


def asleep_or_not(result):
    """A call that slept for 300 ms: it lasted as long, or not with nosleep-time, which is told."""
    for name, asleep in (("t-all.dat", True), ("t.dat", False)):
        found = [float(us) for us in re.findall(r"([\d.]+) us ", result.report(name=name))]
        if not found or (max(found) >= 300000) != asleep:
            return f"{name}: {found}"
        told = result.asked(result.program, "latency", "--kind=call", name)
        if bool(re.search(r"hrtimer_nanosleep \(3\d\d\.\d ms off the CPU left out\)", told)) == asleep:
            return f"{name}: {told}"
    return None


def as_the_kernel_tells(result):
    """
    The events of monitors are in the kernel's text, in the same order, which began before the recording, ended after it, and has what
    the recorder's own tasks do.  Of the workload, the same events are in both.
    """
    def told(text):
        found = collections.defaultdict(list)
        for task, pid, cpu, event, words in re.findall(r"^ *(\S+)-(\d+) +\[(\d+)\].*?: ((?:event|error)_\w+): +(.*?) *$", text, re.M):
            found[int(cpu)].append((task, pid, event, words))
        return found

    def violations(by_cpu, by=""):
        return collections.Counter(event for lines in by_cpu.values() for task, _, event, _ in lines
                                   if event.startswith("error") and task.startswith(by))

    with open(f"{result.folder}/kernel.txt", encoding="utf-8", errors="surrogateescape") as text:
        kernels = told(text.read())
    ours = told(result.report())
    if violations(ours, "workload") != violations(kernels, "workload"):
        return f"violations {violations(ours, 'workload')}, not {violations(kernels, 'workload')}"
    for cpu, lines in ours.items():
        for task in ("", "workload"):
            mine = [line[1:] for line in lines if line[0].startswith(task)]
            theirs = [line[1:] for line in kernels[cpu] if line[0].startswith(task)]
            rest = iter(theirs)
            if not all(line in rest for line in mine) or (task and len(mine) != len(theirs)):
                return f"CPU {cpu}: the kernel's text has not the {len(mine)} events of {task or 'all tasks'}, but {len(theirs)}"
    verdict = json.loads(subprocess.run([result.program, "check", "--format=json", "-e", "events rv:error_* == 0",
                                         f"{result.folder}/t.dat"], stdout=subprocess.PIPE, text=True).stdout)["verdict"]
    if verdict != ("broken" if violations(ours) else "holds"):
        return f"check says {verdict} of {violations(ours)}"
    if violations(ours):
        counted = csv.DictReader(io.StringIO(result.asked(result.program, "count", "--event=rv:error_*", "--format=csv", "t.dat")))
        if {row["event"]: int(row["count"]) for row in counted} != violations(ours):
            return f"count has other violations than {violations(ours)}"


def lines_of(result, *options):
    """(ns, text) of the lines of trace-cmd's report, in order."""
    found = re.finditer(r"^ *\S.*? +\[\d+\] +(\d+)\.(\d{9}): +(.*)", result.report("-t", *options), re.M)
    return [(int(m[1]) * 10**9 + int(m[2]), m[3]) for m in found]


def planted(first, last, *options, ordinary=10000, seconds=1.5):
    """It stopped soon at the long moment, with A and B at the stamps of the events that begin and end it, which lie between the
    markers of who planted it; after so many ordinary ones, all of which are there.  By trace-cmd's report."""
    def check(result):
        lines = lines_of(result, *options)
        marks = {name: ts for ts, text in lines for name in re.findall(r"(load begins|plant begins|plant ended)", text)}
        if len(marks) != 3:
            return f"marks: {marks}"
        before, after = marks["plant begins"], marks["plant ended"]
        starts = [ts for ts, text in lines if re.search(first, text)]
        wanted = ([ts for ts in starts if before < ts < after], [ts for ts, text in lines if before < ts < after and re.search(last, text)])
        if [len(part) for part in wanted] != [1, 1]:
            return f"between the marks are {wanted}"
        hits = json.loads(result.asked(result.program, "info", "--format=json", "t.dat"))["hits"]
        (a,), (b,) = wanted
        # A call takes as long as the kernel says in its exit, which has the stamp of its end; by the clock local, whose seconds are
        # not quite those of -C mono.
        for call, end in (re.findall(r"calltime=(\w+) rettime=(\w+)", text)[0] for ts, text in lines if ts == b and "calltime=" in text):
            a = b - (int(end, 16) - int(call, 16))
            if not before < a < wanted[0][0] + 1000:
                return f"the call began at {a}, not between {before} and a us after its entry's {wanted[0][0]}"
        if [(hit["from_ns"], hit["to_ns"]) for hit in hits] != [(a, b)]:
            return f"{a} to {b} was planted, between {before} and {after}, and found: {hits}"
        there = sum(marks["load begins"] < ts < before for ts in starts)
        if there < ordinary:
            return f"{there} ordinary moments before it, not {ordinary}"
        if "stopped by --until" not in result.log or lines[-1][0] - b > seconds * 1e9:
            return f"the last event is {(lines[-1][0] - b) / 1e9:.3f} s after it"
        print(f"# marker, {(a - before) / 1e3:.3f} us, A, {(b - a) / 1e3:.3f} us, B, {(after - b) / 1e3:.3f} us, marker; "
              f"{there} ordinary ones before it; the last event {(lines[-1][0] - b) / 1e9:.3f} s after B", flush=True)
    return check


def statistics_after_the_drain(result):
    """What the file says of the buffers is of the end: all was read, and all that was read is in it."""
    text = result.report("--stat")
    left, read = (sum(int(n) for n in re.findall(rf"^{key}: (\d+)", text, re.M)) for key in ("entries", "read events"))
    if left or read != len(result.rows()):
        return f"{left} events are said to be left and {read} read, of {len(result.rows())}"


def wall_time(result):
    """Times are those of the calendar: the machine's clock, seconds before and after."""
    before, after = (int(n) for n in re.findall(r"^date (\d+)$", result.log, re.M))
    times = [float(t) for t in re.findall(r"\[\d+\] +(?:\S+ +)?(\d+\.\d+):", result.report())]
    if not times or min(times) < before - 1 or max(times) > after + 1:
        return f"times from {min(times, default=0)} to {max(times, default=0)}, not {before} to {after}"


def clock_is(result):
    for name in result.files():
        clock = name[2:-4]
        found = re.search(r"^clock +(\S+)", result.info(name), re.M)
        if not found or found.group(1) != clock:
            return f"{name}: clock {found and found.group(1)}"


def latency_text(tracer):
    def check(result):
        if not re.search(rf"^# tracer: {tracer}$", result.report(), re.M):
            return f"no text of {tracer}: {result.report()[:60]!r}"
        # no task of a deadline class need have been woken
        if tracer != "wakeup_dl" and not re.search(r"^# latency: (\d+) us, #\d+/\d+", result.report(), re.M):
            return "no latency in it"
    return check


def max_records(result):
    """The records of the maximum are those that the kernel's text shows: as many, in its order, with its times."""
    header = re.search(r"^# latency: \d+ us, #(\d+)/", result.report(), re.M)
    if not header:
        return "t.max.dat without a maximum" if "t.max.dat" in result.files() else None
    if "t.max.dat" not in result.files():
        return f"no t.max.dat: {result.log.strip()[-300:]}"
    shown = [(m[1], int(m[2]), int(m[3])) for m in
             re.finditer(r"^ *.{1,8}-(\d+) +(\d+)\S+ +(-?\d+)us", result.report(), re.M)]
    kept = [(m[1], int(m[2]), int(m[3]) * 1000000 + int(m[4])) for m in
            re.finditer(r"^ *\S.*-(\d+) +\[(\d+)\] .*?(\d+)\.(\d{6}):", result.report(name="t.max.dat"), re.M)]
    if not len(shown) == len(kept) == int(header.group(1)):
        return f"the kernel says {header.group(1)} records, its text shows {len(shown)}, t.max.dat has {len(kept)}"
    for i, (a, b) in enumerate(zip(shown, kept)):
        # both are rounded to µs, from different beginnings
        if a[:2] != b[:2] or abs((a[2] - shown[0][2]) - (b[2] - kept[0][2])) > 2:
            return f"record {i} of the maximum is {b}, and {a} in the kernel's text; the first ones {kept[0]} and {shown[0]}"


def newest_only(result):
    """-m 64: no more than that is kept of a CPU, and it is the end of the recording."""
    kept = result.rows()
    if not any(row["comm"] == "workload" and row["event"] == "sched_process_exit" for row in kept):
        return "the end of the workload is not in it"
    for cpu, size in re.findall(r"^ +(\d+) +\d+ +\d+ +(\d+)", result.info(), re.M):
        if int(size) > (64 + 8) << 10:
            return f"CPU {cpu}: {size} bytes are kept"


def calls_of_texts(result):
    """Every text has the calls of its buffer's trace.dat."""
    test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compare", "graph_options.py")
    folders = [f"{result.folder}/{name}" for name in ("args", "retaddr") if os.path.isdir(f"{result.folder}/{name}")]
    texts = [len(os.listdir(f"{folder}/texts")) for folder in folders]
    if min(texts, default=0) < 256:
        return f"{texts} texts of the kernel"
    done = subprocess.run([sys.executable, test], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "FTOP_BUILD": os.path.dirname(result.program), "FTOP_GRAPH_TEXTS": ":".join(folders)})
    print(f"# {sum(texts)} texts;", " ".join(re.findall(r"^# (compared: .*)", done.stdout, re.M)), flush=True)
    return done.stdout[-3000:] if done.returncode else None


# --- cases -----------------------------------------------------------------------------------

EVENTS = [
    Case("sched", f"$R -e sched {W}", has("sched_switch", "sched_process_exec"),
         only(system={"sched", "task", "cgroup"})),
    Case("all-events", f"$R -b 8M -e all {W}", has("sched_switch", "sys_enter_openat")),
    Case("event-names", f"$R -e sched_process_fork -e sched:sched_process_exit -e 'signal_g*' {W}",
         events("sched_process_fork", "sched_process_exit", "signal_generate")),
    Case("except", f"$R -e sched -v -e 'sched_stat*' -e sched_waking {W}", has("sched_switch"), hasnt("sched_stat", "sched_waking:")),
    Case("ignore-missing", f"$R -i -e no_such_event -e sched_switch {W}", events("sched_switch")),
    Case("missing-is-a-mistake", "$R -e sched_swich true", says("did you mean sched_switch"), status=2, files=()),
    Case("filter", f"$R -e sched_switch -f 'prev_pid == 0' -e sched_process_fork {W}",
         has("sched_process_fork"), hasnt(r"sched_switch: +(?! |swapper/\d+:0 )")),
    Case("filter-cpus", "f=$T/events/sched/sched_waking/filter; (echo 'target_cpu & CPUS{0}' >$f) 2>/dev/null; s=$?; echo 0 >$f\n"
         "[ $s = 0 ] || skip 'filters of this kernel know no CPUS{}'\n"
         f"$R -e sched_waking -f 'target_cpu & CPUS{{1}}' {W}",
         has("sched_waking: .*cpu=001"), hasnt("sched_waking: .*cpu=000")),
    Case("filter-ustring", "$R -e sys_enter_openat -f 'filename.ustring ~ \"*/passwd\"' sh -c 'cat /etc/group; cat /etc/passwd; cat /etc/group'",
         once("sys_enter_openat")),
    Case("filter-kernel-error", "$R -e sched_switch -f 'prev_comm == no quotes' true",
         says(r"\^"), status=1, files=()),
    Case("event-long-names", f"$R --event=sched_switch --filter='prev_pid == 0' --event sched_process_exec --trigger=stacktrace "
         f"--except --event=sched_process_exit -e 'sched_stat*' {W}",
         has("stack trace", "sched_switch"), hasnt("sched_process_exit", r"sched_switch: +(?! |swapper/\d+:0 )")),
    Case("ignore-missing-long-name", f"$R --ignore-missing -e no_such_event -e sched_switch {W}", events("sched_switch")),
    Case("trigger", f"$R -e sched_switch -R stacktrace:3 {W}", has("stack trace")),
    Case("setup-waits", f"$R --setup=waits {W}", stacks_of_waits),
    # trace-cmd's way to have a trigger and not its event
    Case("trigger-without-its-event", f"$R -e sched_process_fork -v -e sched_process_exec -R stacktrace {W}",
         events("sched_process_fork", "kernel_stack")),
    # an event that nobody else asked for can be read, too
    Case("trigger-enables", f"$R -e sched_process_fork -R enable_event:sched:sched_process_exit {W}",
         events("sched_process_fork", "sched_process_exit")),
    Case("trigger-disables", f"$R -e sched_process_exit -e sched_process_fork -R disable_event:sched:sched_process_exit:1 {W}",
         has("sched_process_fork")),
    Case("trigger-of-a-glob", f"$R -e 'sched_process_f*' -R stacktrace {W}", has("sched_process_fork", "stack trace")),
    Case("trigger-hist", "$R -e sched_process_fork -R 'hist:keys=child_pid:size=128 if parent_comm == \"workload\"' "
         "sh -c 'workload forks 200; cat $T/instances/*/events/sched/sched_process_fork/hist >kernel.txt'", table_kept),
    Case("triggers-passed-on", "$R -e sched_process_exec -R traceon -R snapshot:1 -R 'hist:name=ours:keys=pid:vals=old_pid:pause' "
         "-e sched_process_exit -R enable_hist:sched:sched_process_exec -e sched_process_fork -R disable_hist:sched:sched_process_exec:3 "
         "sh -c 'cat $T/instances/*/events/sched/sched_process_*/trigger'",
         says("^traceon:unlimited$", "^snapshot:count=[01]$", r"^hist:name=ours:keys=pid:vals=hitcount,old_pid:.*\[paused\]$",
              "^enable_hist:sched:sched_process_exec:unlimited$", "^disable_hist:sched:sched_process_exec:count=[0-3]$")),
    Case("trigger-hist-words", "$R -e hrtimer_start -R 'hist:keys=function.sym-offset,expires.log2' -e sched_process_exit "
         "-R 'hist:keys=common_timestamp.usecs,stacktrace' sh -c 'usleep 1000; cat $T/instances/*/events/*/*/hist >kernel.txt'", tables_kept),
    Case("trigger-hist-actions", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         "$R -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' -e sched_switch "
         "-R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmax($lat).save(next_comm,prev_prio)' "
         "-R 'hist:keys=next_prio:lat2=common_timestamp.usecs-$ts0:onmax($lat2).snapshot()' "
         f"sh -c '{W}; cat $T/instances/*/events/sched/sched_switch/trigger'",
         says(r"onmax\(\$lat\)\.save\(next_comm,prev_prio\)", r"onmax\(\$lat2\)\.snapshot\(\)")),
    Case("filter-function", "grep -q 'call_site.function\\|\\.function' $T/README; f=$T/events/timer/hrtimer_start/filter\n"
         "(echo 'function.function == hrtimer_wakeup' >$f) 2>/dev/null; s=$?; echo 0 >$f; [ $s = 0 ] || skip 'filters of this kernel know no .function'\n"
         "$R -e hrtimer_start -f 'function.function == hrtimer_wakeup' sh -c 'usleep 1000; usleep 1000'",
         has("hrtimer_start: .*function=hrtimer_wakeup"), hasnt("hrtimer_start: .*function=(?!hrtimer_wakeup)")),
    Case("suspend", "[ -e /sys/power/pm_test ] && grep -q freeze /sys/power/state || skip 'this kernel cannot try to suspend'\n"
         "$R -e power sh -c 'echo freezer >/sys/power/pm_test; echo freeze >/sys/power/state; echo none >/sys/power/pm_test'",
         has("suspend_resume: +(freeze_processes|suspend_enter|sync_filesystems)")),
    Case("trigger-stops", "$R -e sched_process_exec -e sched_process_exit -R traceoff:1 sh -c 'workload load; sleep 80'; s=$?; killall sleep; exit $s",
         says("stopped by the kernel"), has("sched_process_exit")),
    Case("stack", f"$R -e sched_process_exec -T {W}", has("stack trace", "bprm_execve|exec")),
    Case("stack-long-name", f"$R -e sched_process_exec --stack {W}", has("stack trace")),
    Case("option", f"$R -e sched_process_exec -O stacktrace -O nooverwrite {W}", has("stack trace")),
]

UNTIL = [
    Case("until-a-wakeup", f"$R --until 'wakeup > 15ms && comm == victim' -e sched_switch -e sched_waking workload plant wakeup 10010{STOP}",
         planted("sched_waking: +comm=victim", "sched_switch: .* ==> victim:"), steady=True),
    Case("until-an-irq", f"[ -e {SLOW_IRQ} ] || skip 'slow_irq could not be built'\ninsmod {SLOW_IRQ}\n"
         f"$R --until 'irq > 1ms' -e irq_handler_entry -e irq_handler_exit workload plant irq 10000{STOP.replace('; exit', '; rmmod slow_irq; exit')}",
         planted("irq_handler_entry: .*slow_irq", "irq_handler_exit: "), steady=True),
    Case("until-a-system-call", f"$R --until 'syscall > 15ms && name == read && comm == workload' -e sched_switch "
         f"-e syscalls:sys_enter_read -e syscalls:sys_exit_read workload plant read 10000{STOP}",
         planted("sys_enter_read: ", "sys_exit_read: "), steady=True),
    Case("until-a-function", "grep -qw function_graph $T/available_tracers || skip 'this kernel has no function_graph'\n"
         f"$R --until 'vfs_read > 15ms' -F -C mono -p function_graph -l vfs_read workload plant read 10000{STOP}",
         planted("funcgraph_entry: ", "funcgraph_exit: ", "-R"), steady=True),
    Case("until-two-and-three", "$R --until 'lost > 0' --until 'sched_process_exit && comm == true' --hits=3 --split "
         "--on-hit 'cat >>hits.json;:' -e sched_process_exit sh -c 'for i in 1 2 3 4 5 6; do usleep 300000; /bin/true; done'; s=$?; "
         "[ $(grep -c '\"hit\":' hits.json) = 3 ] || s=9; rm hits.json; ls t.1.dat t.2.dat t.3.dat && rm t.?.dat; exit $s",
         has("sched_process_exit: +comm=true"), info("^stopped by +sched_process_exit && comm == true at")),
]

TASKS = [
    Case("only-command", f"$R -F -e syscalls -e sched {W}", has("sys_enter_openat"), only_command),
    Case("children", "$R -F -c -e sched -e 'sys_enter_*' workload forks 20", children_too, forks),
    Case("pid", "rm -f told; mkfifo go; sh -c 'read x <go; exec sleep 0.1' & p=$!; $R --status-fd 3 -P $p -e sched -e syscalls 3>told & r=$!\n"
         "until_true recording; echo >go; wait $p; kill -INT $r; rm go; wait $r", has("sched_process_exit"), only_command, has(" sleep-")),
    Case("pid-children", "rm -f told; mkfifo go; sh -c 'read x <go; exec workload forks 20' & p=$!\n"
         "$R --status-fd 3 -P $p -c -e sched_process_fork -e sched_process_exit 3>told & r=$!\n"
         "until_true recording; echo >go; wait $p; kill -INT $r; rm go; wait $r", forks, children_too),
    Case("children-long-names", "$R --only-command --children --event=sched_process_fork --event=sched_process_exit workload forks 20",
         children_too, forks),
    Case("pid-long-name", "rm -f told; mkfifo go; sh -c 'read x <go; exec sleep 0.1' & p=$!; $R --status-fd 3 --pid=$p -e sched -e syscalls 3>told & r=$!\n"
         "until_true recording; echo >go; wait $p; kill -INT $r; rm go; wait $r", has("sched_process_exit"), only_command, has(" sleep-")),
    # trace-cmd ends with status 0 then, and runs no command
    Case("pids-refused", "mount --bind $T/set_event_pid $T/set_event_pid; mount -o remount,bind,ro $T/set_event_pid\n"
         "$R --top -F -e sched touch ran; s=$?; umount $T/set_event_pid; [ ! -e ran ] || s=99; exit $s",
         says("set_event_pid.*EROFS"), status=1, files=()),
    Case("user", "$R -e sched_process_exec --user nobody sh -c 'id -u; exit 0'", says("^65534$"), has("sched_process_exec")),
    Case("exit-status", "$R -e sched_process_exit --exit-status sh -c 'exit 42'", status=42),
    Case("command-fails", "$R -e sched_process_exit sh -c 'exit 42'", says("42")),
    Case("no-command", "$R -e sched no-such-program", says("no-such-program: no such command"), status=2, files=()),
    Case("comms", "$R -e sched workload names 400", named),
    Case("cmdlines-size", "$R -e sched --cmdlines-size 1000 workload names 300", named),
    Case("threads", "$R -e sched_switch workload threads 6 && mv t.dat t-plain.dat && "
         "$R --compression zstd -e sched_switch workload threads 6 && mv t.dat t-zstd.dat && "
         "$R --file-version 6 -e sched_switch workload threads 6 && mv t.dat t-v6.dat",
         threads_of_a_process("t-plain.dat", "t-zstd.dat", "t-v6.dat"), files=("t-plain.dat", "t-v6.dat", "t-zstd.dat")),
    # who traces too would lose names: the list is left at its size, which the command tells
    Case("cmdlines-of-others", "mkdir $T/instances/others; n=$(cat $T/saved_cmdlines_size)\n"
         "for options in '' '--cmdlines-size 1000'; do\n"
         "$R --exit-status $options -B one -e sched sh -c \"[ \\$(cat $T/saved_cmdlines_size) = $n ]\"; s=$s$?; mv t.dat t$s.dat; done\n"
         "rmdir $T/instances/others; [ $s = 00 ]", says("the list stays at"), files=("t0.dat", "t00.dat")),
    Case("cpu-list", f"$R --cpu 1 -e sched -e irq {W}", only(cpu="1")),
    Case("cpu-mask", f"$R -M 1 -e sched {W}", only(cpu="0")),
    Case("cpu-mask-long-name", f"$R --cpumask=2 -e sched {W}", only(cpu="1")),
    Case("cpu-mask-of-all", f"$R -M -1 -e sched {W}", has(r"\[000\]", r"\[001\]")),
    Case("cpu-offline", "[ -e /sys/devices/system/cpu/cpu1/online ] || skip 'CPUs cannot be switched off'\n"
         "$R -e sched sh -c 'workload load; echo 0 >/sys/devices/system/cpu/cpu1/online; workload load;"
         " echo 1 >/sys/devices/system/cpu/cpu1/online; workload load'", has(r"\[000\]", r"\[001\]")),
]

KINDS = "-e sched -e irq -e timer -e syscalls -e signal -e task"

EXACT = [
    Case("exact-forks", "$R -e sched workload forks 300", forks, statistics_after_the_drain),
    Case("exact-switches", "$R -e sched workload switches 500", switches),
    Case("exact-marks-in-a-buffer", "$R -B marked -e sched_process_exit workload marks $T/instances/marked/trace_marker 500", marks),
    Case("exact-marks-copied", "[ -e $T/options/copy_trace_marker ] || skip 'this kernel copies no marks'\n"
         "$R -e sched_process_exit workload marks $T/trace_marker 500", marks),
    Case("exact-marks", "$R --top -e sched_process_exit workload marks $T/trace_marker 500", marks),
    Case("texts-there", f"$R {KINDS} {W}; s=$?; ftop-trace report t.dat >ours; trace-cmd report -i t.dat >theirs; exit $s", texts_there),
    Case("texts-there-graph", f"$R -p function_graph {FEW} -g vfs_open -e sched_switch {W}; s=$?\n"
         "ftop-trace report t.dat >ours; trace-cmd report -i t.dat >theirs; exit $s", texts_there, has("vfs_open")),
    # which leaves the top buffer its size
    Case("same-as-trace-cmd", f"trace-cmd record -q -o other.dat -b 8192 {KINDS} $R -b 8M {KINDS} {W}; s=$?\n"
         "echo 1408 >$T/buffer_size_kb; exit $s", same_as_trace_cmd),
]

SYSCALL_BYTES = "[ -e $T/syscall_user_buf_size ] || skip 'this kernel has no strings in system calls'\n"

SETTINGS = [
    Case("clocks", "status=0; for c in $(sed 's/[][]//g' $T/trace_clock); do\n"
         "ftop-trace record --no-browse -o t-$c.dat -C $c -e sched_process_fork workload forks 3 || status=1; done; exit $status",
         clock_is, forks, files=None),
    Case("date", f"date '+date %s'; $R --date -e sched {W}; s=$?; date '+date %s'; exit $s", wall_time),
    Case("buffer-size", f"$R -b 64K -q -e sched {W}; s=$?; [ ! -s log ] || exit 1; exit $s"),
    Case("top-buffer-size", f"$R -p function_graph {FEW} -g vfs_read {W}; s=$?; ! grep -qx 7 $T/buffer_size_kb || exit 1; exit $s"),
    Case("keep", f"$R -m 64 -e sched -e syscalls {W}", newest_only),
    Case("size", "$R --size 500K -e syscalls -e sched sh -c 'while :; do cat /proc/self/status; done' >/dev/null",
         says("stopped by --size")),
    Case("status-line", "$R -e sched sh -c 'until grep -qE \"rec 00:.*CPU [0-9]+ [0-9]+ %\" log; do usleep 50000; done'",
         says(r"rec \d\d:\d\d  [\d.]+ [kM]?B  \d[\d ]*/s  lost \d.*  CPU \d+ \d+ %")),
    # by a recorder that cannot read them
    Case("lost", "$R -b 8 -r 0 -e all -B two -b 8 -e all sh -c 'kill -STOP $PPID; workload forks 200; kill -CONT $PPID'",
         says(r"\d events were lost: (\d[\d ]* on CPU [01], )+(\d[\d ]* on CPU [01] of buffer two(, )?)+; -b \d+M would have held them")),
    Case("duration", "$R --duration 500ms -e sched", says("stopped by --duration")),
    Case("linger", "$R --linger 1 -e sched true", says(r"in [1-9]\.\d s")),
    Case("readers", f"$R -r 5 -e sched {W} && mv t.dat t-5.dat && $R -r 0 -s 1000 -e sched {W}", files=("t.dat", "t-5.dat")),
    # nice, SCHED_FIFO priority and policy of each thread, as the command sees them; 10 is the census
    Case("readers-priority", f"t='sed \"s/.*) //\" /proc/$PPID/task/*/stat | cut -d\" \" -f17,38,39'\n"
         "for options in '' --realtime=5 '-r 0'; do echo \"priorities $options\"; $R -q $options -e sched sh -c \"$t\" || exit 1; done",
         says(*(rf"^priorities {option}\n((10|0) 0 0\n|0 {nr} 1\n)*0 {nr} 1\n((10|0) 0 0\n|0 {nr} 1\n)*priorities"
                for option, nr in (("", 1), ("--realtime=5", 5))), r"^priorities -r 0\n(-?\d+ 0 0\n)*-20 0 0$")),
    Case("settings-long-names", f"ftop-trace record --no-browse --output=t.dat --buffer-size=64K --clock=global --sleep=1000 --quiet -e sched {W}; s=$?\n"
         "[ ! -s log ] || exit 1; exit $s", info(r"clock +global$")),
    Case("keep-long-name", f"$R --keep=64 -e sched -e syscalls {W}", newest_only),
    Case("live-text", "ftop-trace live -o t.dat --text --by=events --format=json --count=3 --interval=500ms -e sched_switch "
         "-e sched_process_fork sh -c 'while :; do workload forks 5; done'", windows_of_live, has("sched_switch", "sched_process_fork")),
    # strings, buffers of any bytes, and two strings of one call
    Case("syscall-bytes", SYSCALL_BYTES + """for n in 165 5 0; do mkdir $T/instances/text; echo $n >$T/instances/text/syscall_user_buf_size
        echo 1 >$T/instances/text/events/syscalls/enable
        $R --syscall-bytes $n -e syscalls sh -c 'cat /etc/passwd /bin/ls >out; mkdir a_folder; mv a_folder a_folder_with_a_longer_name; true' || exit 1
        echo 0 >$T/instances/text/tracing_on; cat $T/instances/text/trace >kernel.txt; rmdir $T/instances/text
        [ $n != 165 ] || { cp t.dat t-165.dat; cp kernel.txt kernel-165.txt; }
        [ $n != 5 ] || { cp t.dat t-5.dat; cp kernel.txt kernel-5.txt; }
        done; rm -r out a_folder*""", syscall_texts, files=("t-165.dat", "t-5.dat", "t.dat")),
    Case("syscall-bytes-filter", SYSCALL_BYTES + """$R --syscall-bytes=165 -e sys_enter_openat -f '__filename_val ~ "*/passwd"' cat /etc/passwd /etc/group""",
         has('"/etc/passwd"'), hasnt("/etc/group"), keeps("t.dat", "__filename_val == /etc/passwd", 1)),
    Case("syscall-bytes-too-many", SYSCALL_BYTES + "$R --syscall-bytes=4000 -e sys_enter_openat cat /etc/passwd",
         says("--syscall-bytes: the kernel set 165 bytes")),
    Case("syscall-bytes-refused", "[ ! -e $T/syscall_user_buf_size ] || skip 'this kernel has it'\n$R --syscall-bytes=9 -e syscalls true",
         says("--syscall-bytes: there is no .*/syscall_user_buf_size: Linux 6.19 and later have it"), status=1, files=()),
    Case("subbuf-size", "[ -e $T/buffer_subbuf_size_kb ] || skip 'this kernel has one size of sub-buffers'\n"
         f"for kb in 16 64; do $R --subbuf-size $kb -b 1M -e sched -e syscalls {W} && mv t.dat t-$kb.dat || exit 1; done",
         subbufs_of(16, 64), files=("t-16.dat", "t-64.dat")),
    # Debian's trace-cmd cannot read it
    Case("no-who", f"$R --no-who -e sched_switch {W}", only(event="sched_switch"),
         lacks_info("^machine", "^known tasks")),
    Case("who-storm", """echo 1000 >/proc/sys/kernel/pid_max
        for n in 0 1 2; do cp /usr/local/bin/workload /tmp/prog-$n; done
        $R -b 16M -e sched_switch -C mono sh -c 'workload storm 20000 >storm & while kill -0 $!; do ps -o pid,args >>ps; usleep 50000; done'
        echo 32768 >/proc/sys/kernel/pid_max""", storm_is_known, info("machine +2 CPUs", "known tasks"), kshark=False, apart=True),
    Case("who-cgroups", """mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg || skip "no cgroup2"
        mkdir /tmp/cg/a /tmp/cg/b /tmp/cg/a/c; echo +cpu >/tmp/cg/cgroup.subtree_control
        sleep 1000 & moved=$!
        sleep 1000 & stays=$!
        echo moved=$moved; echo stays=$stays
        echo $moved >/tmp/cg/a/cgroup.procs; echo $stays >/tmp/cg/a/c/cgroup.procs
        $R -e sched_switch -C mono sh -c "
            echo \\$\\$ >/tmp/cg/b/cgroup.procs; sleep 1; sleep 1000 & echo born=\\$!
            echo $moved >/tmp/cg/b/cgroup.procs; sleep 1; kill \\$!"
        kill $moved $stays; sleep 1; rmdir /tmp/cg/a/c /tmp/cg/a /tmp/cg/b; umount /tmp/cg""",
         spans_say(("moved", "cgroup", "/a", "/b"), ("stays", "cgroup", "/a/c"), ("born", "cgroup", "/b"),
                   ("moved", "cmdline", "sleep 1000"), ("moved", "exe", "/bin/busybox")), kshark=False),
    # what runs in these groups begins and ends within the recording
    Case("who-quota", """mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg || skip "no cgroup2"
        echo +cpu >/tmp/cg/cgroup.subtree_control
        mkdir /tmp/cg/shop /tmp/cg/batch /tmp/cg/limited; echo +cpu >/tmp/cg/shop/cgroup.subtree_control; mkdir /tmp/cg/shop/web
        echo 20000 100000 >/tmp/cg/limited/cpu.max
        for g in shop/web batch limited; do sleep 1000 & sleepers="$sleepers $!"; echo $! >/tmp/cg/$g/cgroup.procs; done
        cat >load <<'END'
        sleep 3	# until the census has seen the groups
        spin() { sh -c "echo \\$\\$ >/tmp/cg/$1/cgroup.procs; while :; do :; done" & }
        spin shop/web; moved=$!; all=$!; spin shop/web; all="$all $!"; spin batch; all="$all $!"; spin limited; all="$all $!"
        sleep 5; echo $moved >/tmp/cg/batch/cgroup.procs; sleep 5
        kill -9 $all; wait; sleep 1
        for g in shop shop/web batch limited; do sed "s,^,/$g ," /tmp/cg/$g/cpu.stat; done
END
        $R -e sched_switch -C mono sh load; s=$?; rm load
        kill $sleepers; sleep 1; rmdir /tmp/cg/shop/web /tmp/cg/shop /tmp/cg/batch /tmp/cg/limited; umount /tmp/cg; exit $s""",
         groups_used("/shop", "/shop/web", "/batch", "/limited"), kshark=False),
    # nested groups, and one with a task alone; the probes are told once more, without the recorder's filter
    Case("who-limits", """[ -e /sys/kernel/btf/vmlinux ] && [ -e $T/kprobe_events ] || skip "no BTF, or no kprobes"
        mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg || skip "no cgroup2"
        echo +cpu >/tmp/cg/cgroup.subtree_control
        mkdir /tmp/cg/one /tmp/cg/top; echo +cpu >/tmp/cg/top/cgroup.subtree_control; mkdir /tmp/cg/top/in /tmp/cg/top/free
        echo 20000 100000 >/tmp/cg/one/cpu.max; echo 60000 100000 >/tmp/cg/top/cpu.max; echo 15000 50000 >/tmp/cg/top/in/cpu.max
        for g in one top/in top/free; do sleep 1000 & sleepers="$sleepers $!"; echo $! >/tmp/cg/$g/cgroup.procs; done
        cat >load <<'END'
        sleep 3	# until the census has seen the groups
        raw=$T/instances/raw; mkdir $raw; echo mono >$raw/trace_clock; echo 8000 >$raw/buffer_size_kb
        timer=$raw/events/timer/hrtimer_expire_entry
        echo 'function.function == sched_cfs_period_timer' >$timer/filter ||
            echo "function == 0x$(grep -w sched_cfs_period_timer /proc/kallsyms | cut -d' ' -f1)" >$timer/filter
        for e in limits sched/sched_switch sched/sched_wakeup sched/sched_migrate_task timer/hrtimer_expire_entry; do echo 1 >$raw/events/$e/enable; done
        spin() { sh -c "echo \$\$ >/tmp/cg/$1/cgroup.procs; while :; do :; done" & all="$all $!"; echo "pid $! /$1"; }
        spin one; for i in 1 2 3 4; do spin top/in; spin top/free; done
        sleep 3; kill -9 $all; wait; sleep 1
        for g in one top top/in top/free; do echo "id /$g $(stat -c %i /tmp/cg/$g)"; sed "s,^,/$g ," /tmp/cg/$g/cpu.stat; done
        cat $raw/trace >raw.txt; rmdir $raw
END
        export T; $R -e sched -C mono sh load; s=$?; rm load
        grep limits $T/dynamic_events && { echo "probes are left"; s=1; }
        kill $sleepers; sleep 1; rmdir /tmp/cg/top/in /tmp/cg/top/free /tmp/cg/top /tmp/cg/one; umount /tmp/cg; exit $s""",
         limits_told(("/one", 100000), ("/top", 100000), ("/top/in", 50000)), has("throttle_group: .*cgroup="), kshark=False, steady=True),
    Case("who-pid-namespace", """sleep 1001 & outside=$!
        $R -e sched_switch -C mono sh -c 'unshare -p -f sleep 1002 & sleep 2
            ps -o pid,args | sed -n "s/^ *\\([0-9]*\\) sleep 1002$/inside=\\1/p" >it; . ./it; cat it; rm it; kill -9 $inside; sleep 1'
        kill $outside; echo outside=$outside""",
         spans_say(("outside", "cmdline", "sleep 1001"), ("inside", "cmdline", "unshare -p -f sleep 1002", "sleep 1002")), kshark=False),
    Case("zlib", f"$R --compression zlib -e sched {W}", info("compression zlib"), only(system={"sched", "task", "cgroup"}), ours_alone=True),
    Case("zstd", f"$R --compression zstd -e sched -e syscalls {W}"),
    Case("v6", f"$R --file-version 6 -e sched {W}"),
    Case("buffers", f"$R -e sched_switch -B one -e sched_waking -p function -l vfs_open -B two -C mono -b 512 -M 1 -e syscalls {W}",
         has(r"one:.*vfs_open", r"one:.*sched_waking", r"two:.*sys_enter", r"sched_switch"), of_buffer("two", cpu="0"),
         of_buffer("one", event={"function", "sched_waking"}), statistics_after_the_drain),
    Case("buffer-long-names", f"$R -e sched_switch --buffer=one --cpumask=1 --buffer-size=1M --stack --event=sched_process_exec "
         f"--event=sched_waking {W}",
         of_buffer("one", cpu="0", event={"sched_process_exec", "sched_waking", "kernel_stack"}), of_buffer("", event={"sched_switch", *WHO})),
    # their times cannot be compared: no reader has rows of all
    Case("clocks-of-buffers", f"$R -e sched_switch -B one -C global -e sched_waking {W}", has("one:.*sched_waking"),
         info("sub-buffers.*clock mono$", "one: .*clock global$"), kshark=False),
    Case("only-buffers", f"$R -B one -e sched {W}", only(buffer="one"), statistics_after_the_drain),
    Case("force", f"$R --force -e sched {W}", has("sched_switch")),
    Case("check", "$R --check -e sched true", files=()),
    Case("check-mistakes", "$R --check -e sched_swich --tracer=no_such true", says("did you mean sched_switch", "no_such"), status=2, files=()),
    # vm/locks.py waits for locks
    Case("locks", "$R --locks -e sched_switch sh -c 'cat $T/instances/*/set_event'", says("^lock:contention_begin$", "futex")),
    Case("boot-save", "$R --boot --save && grep -c sched_switch /var/lib/ftop-trace/boots/$(cat /proc/sys/kernel/random/boot_id)",
         says("formats and symbols of this boot$", "^[1-9]"), files=()),
    Case("boot", "$R --boot -e sched -e irq >out; $R --boot --persistent -e sched >>out 2>&1; cat out; rm out",
         says(r"^trace_buf_size=4096K trace_clock=global trace_event=cgroup:cgroup_attach_task,irq:\*,sched:\*,task:task_newtask$", r"^reserve_mem=\d+M:4096:ftop trace_instance=boot_map[\^@]|since Linux 6.12"),
         files=()),
    Case("status-fd", f"$R --status-fd 3 -e sched {W} 3>told; s=$?; cat told; exit $s", says('"type": ?"begin"', '"type": ?"end"')),
    Case("control-fd", "mkfifo words; sh -c 'exec >words; until grep -qs begin told; do usleep 50000; done; echo stop; sleep 1' & $R --status-fd 3 --control-fd 4 -e sched 3>told 4<words;"
         " s=$?; rm words; cat told; exit $s", says('"type": ?"stopped"', '"type": ?"end"')),
]

# softdog needs watchdog, whose events these are: a start, and at the end "V" a stop.
WATCHDOG = """
beside() { mkdir $T/instances/text && echo ':mod:watchdog' >$T/instances/text/set_event; }	# the kernel's own text of it
text() { echo 0 >$T/instances/text/tracing_on; cat $T/instances/text/trace >kernel.txt; rmdir $T/instances/text; }
by_module() { grep -q ':mod:<module>' $T/README; }
by_module && [ -e /vm/late/softdog.ko ] || skip 'this kernel does not find events by module, or has no softdog'
load='insmod /vm/late/watchdog.ko; insmod /vm/late/softdog.ko'
bark='exec 3>/dev/watchdog; echo a >&3; echo V >&3; exec 3>&-'
installed() { d=/lib/modules/$(uname -r); mkdir -p $d; echo kernel/drivers/watchdog/watchdog.ko: >$d/modules.dep; }
unload() { rmmod softdog; rmmod watchdog; rm -rf /lib/modules/$(uname -r); }
"""

MODULES = [
    Case("events-of-a-module", WATCHDOG + "eval $load; beside; $R -e ':mod:watchdog' sh -c \"$bark\"; s=$?; text; unload; exit $s",
         as_in_the_kernels_text(r"watchdog_\w+"), has("watchdog_start: ", "watchdog_stop: "), hasnt("sched_")),
    Case("events-of-a-module-one", WATCHDOG + "eval $load\n"
         "$R -e 'watchdog:watchdog_stop:mod:watchdog' -B mine -e ':mod:watchdog' -v -e 'watchdog_start:mod:watchdog' sh -c \"$bark\"; s=$?; unload; exit $s",
         has(r"^(?!.*mine:).*watchdog_stop: ", r"mine:.*watchdog_stop: "), hasnt("watchdog_start: ")),
    # its formats are not known when the recording begins
    Case("events-of-a-module-to-come", WATCHDOG + "installed; beside; $R -e ':mod:watchdog' sh -c \"$load; $bark\"; s=$?; text; unload; exit $s",
         says("the module watchdog is not loaded; its events are recorded once it is"), as_in_the_kernels_text(r"watchdog_\w+")),
    # nothing of it is in tracefs any more when the recording ends
    Case("events-of-a-module-that-goes", WATCHDOG + "installed; $R -s 50000 -e ':mod:watchdog' sh -c \"$load; $bark; "
         "until ftop-trace report t.dat.part | grep -q watchdog_stop; do usleep 50000; done; rmmod softdog; rmmod watchdog\"; s=$?; rm -r $d; exit $s",
         has("watchdog_start: ", "watchdog_stop: ")),
    Case("events-of-a-module-zstd", WATCHDOG + "installed; $R --compression zstd -e ':mod:watchdog' sh -c \"$load; $bark\"; s=$?; unload; exit $s",
         has("watchdog_start: ", "watchdog_stop: ")),
    Case("events-of-a-module-top", WATCHDOG + "installed; echo 1 >$T/events/irq/enable; was=$(cat $T/set_event)\n"
         "$R --force --top -e ':mod:watchdog' sh -c \"$load; $bark\"; s=$?\n"
         "[ \"$(cat $T/set_event)\" = \"$was\" ] || cat $T/set_event; unload; echo 0 >$T/events/irq/enable; exit $s",
         has("watchdog_start: ", "watchdog_stop: "), hasnt_said("mod:watchdog$")),
    Case("events-of-a-module-that-does-not-come", WATCHDOG + "$R --force --top -e ':mod:nobody_s' true; s=$?; cat $T/set_event; exit $s",
         says(r"-e :mod:nobody_s: the module was not loaded: nothing of it is recorded"), hasnt_said(r"^\*:\*:mod:nobody_s$"), empty=True),
    Case("events-of-a-module-killed", WATCHDOG + """ftop-trace record --no-browse -o killed.dat --force --top -e ':mod:nobody_s' 2>killed.log >&2 &
        until_true grep -q nobody_s $T/set_event; kill -9 $!; wait $!
        until_true sh -c '! grep -qs ftop-watcher /proc/[0-9]*/comm'; cat killed.log $T/set_event; rm -f killed.*
        $R -e sched_switch true""", says("before it restored tracefs: restored now"), hasnt_said(r"^\*:\*:mod:nobody_s$")),
    Case("events-of-a-module-it-lacks", WATCHDOG + "eval $load; $R -e 'watchdog_bark:mod:watchdog' true; s=$?; unload; exit $s",
         says(r"/set_event: writing 'watchdog_bark:mod:watchdog': EINVAL \(Invalid argument\): the module has no such event"), status=1, files=()),
    Case("events-of-a-module-refused", "! grep -q ':mod:<module>' $T/README || skip 'this kernel finds events by module'\n$R -e ':mod:ext4' true",
         says("-e :mod:ext4: this kernel does not find events by their module; Linux 6.14 and later do"), status=2, files=()),
]

FUNCTION = [
    Case("function", f"$R -p function -F {W}", has("function: "), only_command),
    Case("function-filter", f"$R -p function -l 'vfs_*' -n vfs_write {W}", has("vfs_open"), hasnt(r"function: +(?! |vfs_)", "vfs_write ")),
    Case("function-list", f"$R -p function -l vfs_read -l vfs_open {W}", has("vfs_open", "vfs_read"), hasnt("vfs_write")),
    Case("function-regex", f"$R -p function -l '^vfs_(open|read)$' -n '^vfs_re[a]d$' -e sched_process_exec {W}",
         has("vfs_open"), hasnt(r"function: +(?! |vfs_open)")),
    Case("function-module", "grep -q '\\[virtio_blk\\]$' $T/available_filter_functions || skip 'no module is loaded'\n"
         "$R -p function -l ':mod:virtio_blk' dd if=/dev/vda of=/dev/null bs=64k count=4", has("virtio|virtblk")),
    Case("function-module-glob", "grep -q '\\[virtio_blk\\]$' $T/available_filter_functions || skip 'no module is loaded'\n"
         "$R -p function -l 'virtblk_*:mod:virtio_b*' dd if=/dev/vda of=/dev/null bs=64k count=4", has("virtblk"), hasnt(r"function: +(?! |virtblk)")),
    Case("function-module-mistaken", "$R -p function -l ':mod:virtio_blc' true", says("no module virtio_blc is loaded or installed"),
         status=2, files=()),
    # the kernel waits for one that is not loaded yet, and traces nothing else
    Case("function-module-to-come", "[ -e /vm/late/loop.ko ] || skip 'loop is no module here'\n"
         "d=/lib/modules/$(uname -r); mkdir -p $d; echo kernel/drivers/block/loop.ko: >$d/modules.dep\n"
         "$R -p function -l ':mod:loop' sh -c 'ls /; insmod /vm/late/loop.ko; rmmod loop'; s=$?; rm -r $d; exit $s",
         says("the module loop is not loaded; it takes effect once it is"), has("function: +loop_"), hasnt(r"function: +vfs_")),
    Case("function-module-of-a-stranger", "$R --force -p function -l ':mod:nobody_s' -e sched_process_exec true", has("sched_process_exec"),
         hasnt("function: ")),
    Case("function-pid", "rm -f told; mkfifo go; sh -c 'read x <go; exec cat /etc/passwd' >/dev/null & p=$!; $R --status-fd 3 -p function -l 'vfs_*' -P $p 3>told & r=$!\n"
         "until_true recording; echo >go; wait $p; kill -INT $r; rm go; wait $r", has("vfs_open"), only_command, has(" cat-")),
    Case("function-of-the-recorder", "$R -p function sh -c 'echo threads of the recorder: $(ls /proc/$PPID/task)'",
         recorders_threads),
    Case("function-long-names", f"$R --tracer=function --function='vfs_*' --notrace=vfs_write {W}", has("vfs_open"),
         hasnt(r"function: +(?! |vfs_)", "vfs_write ")),
    Case("function-stack", f"$R -p function -l vfs_open --func-stack {W}", has("vfs_open", "stack trace")),
    Case("function-children", "$R -p function -F -c -l 'vfs_*' workload load", has(" ls-", " workload-")),
    Case("function-nearest", "$R -p function -l vfs_opne true", says("did you mean vfs_open"), status=2, files=()),
    Case("function-and-events", f"$R -p function -l vfs_open -e sched {W}", has("sched_switch", "vfs_open")),
    Case("function-without-tracer", f"$R -l vfs_open -e sched {W}", has("sched_"), hasnt("vfs_open"), says("have no effect without -p function")),
    # in the list that others use, whose clearing leaves commands; the kernel counts in one of them
    Case("function-trigger-in-the-top-one", f"$R --top -p function -l {ONCE}:traceoff:1 -l vfs_read:traceon -l vfs_fsync -e sched {W}",
         has("sched_")),
    Case("function-trigger-stacktrace", f"$R -p function -l vfs_fsync -l vfs_open:stacktrace {W}", has("stack trace", "=> .*(vfs_open|path_openat)")),
    Case("function-trigger-enables", f"$R -p function -l vfs_fsync -l vfs_open:enable_event:sched:sched_process_exit -e sched_process_fork {W}",
         has("sched_process_exit", "sched_process_fork")),
    Case("function-triggers-passed-on", "$R -p function -l vfs_fsync -l vfs_fsync:snapshot:1 -l vfs_fsync:dump:1 -l vfs_fsync:cpudump "
         "-l vfs_fsync:disable_event:sched:sched_process_exit -e sched_process_exit sh -c 'cat $T/instances/*/set_ftrace_filter'",
         says("^vfs_fsync:snapshot:count=1$", "^vfs_fsync:dump:count=1$", "^vfs_fsync:cpudump:unlimited$",
              "^vfs_fsync:disable_event:sched:sched_process_exit:unlimited$")),
    Case("function-repeats", "[ -e $T/options/func-no-repeats ] || skip 'this kernel counts no repeats'\n"
         "$R -p function -O func-no-repeats -l vfs_read -l vfs_open sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=300; cat /etc/passwd'", has(r"func_repeats: +vfs_read \(count: 299  last_ts: +\d")),
    Case("function-trigger", f"$R -p function -l {ONCE}:traceoff -l vfs_fsync -e sched {W}", until_its_first_child),
]

# The kernel's text of a stopped buffer under each combination of the options that choose columns, and a trace.dat of that
# buffer, as compare/graph_options.py wants them.  A record has a return address or arguments, so there are two buffers.
GRAPH_OPTIONS = """
for option in cpu proc abstime duration tail overrun overhead irqs retval retaddr args; do
	[ ! -e $T/options/funcgraph-$option ] || options="$options $option"
done
before=$(cd $T/options && grep . funcgraph-*) size=$(cat $T/buffer_size_kb)
set -- $options
for with in args retaddr; do
	[ $with = args ] || [ -e $T/options/funcgraph-$with ] || continue
	mkdir -p $with/texts
	echo function_graph >$T/current_tracer
	printf '%s\\n' do_sys_openat2 ksys_read '*apic_timer_interrupt' >$T/set_graph_function
	echo 20 >$T/buffer_size_kb
	for option in args retaddr; do echo 0 >$T/options/funcgraph-$option; done 2>/dev/null
	for option in irqs retval $with; do echo 1 >$T/options/funcgraph-$option; done 2>/dev/null
	echo >$T/trace
	echo 1 >$T/events/sched/sched_switch/enable
	for i in 1 2; do workload load & done; wait
	echo 0 >$T/tracing_on
	echo 0 >$T/events/sched/sched_switch/enable
	bits=0
	while [ $bits -lt $((1 << $#)) ]; do
		left=$bits name=
		for option; do
			echo $((left & 1)) >$T/options/funcgraph-$option
			[ $((left & 1)) = 0 ] || name=$name-$option
			left=$((left >> 1))
		done
		name=${name#-}
		gzip -1 <$T/trace >$with/texts/${name:-none}.txt.gz
		bits=$((bits + 1))
	done
	trace-cmd extract -o $with/trace.dat	# which ends the tracer as well
	echo 1 >$T/tracing_on
done
echo >$T/set_graph_function
echo $size >$T/buffer_size_kb
for line in $before; do echo ${line#*:} >$T/options/${line%:*}; done
"""

GRAPH_TRACER = [
    Case("graph", f"$R -p function_graph -b 16M -F {W}", has("funcgraph_entry", " us ")),
    Case("graph-function", f"$R -p function_graph {FEW} -g vfs_open {W}", has("vfs_open")),
    Case("graph-regex", f"$R -p function_graph {FEW} -g '^vfs_(open|fsync)$' {W}", has("vfs_open"), hasnt(r"workload-.*\|  vfs_(?!open\b|fsync\b)")),
    # where an instance can have it
    Case("graph-buffer", "mkdir $T/instances/t; grep -qw function_graph $T/instances/t/available_tracers; s=$?; rmdir $T/instances/t\n"
         "[ $s = 0 ] || skip 'function_graph is of the top instance alone'\n"
         f"$R -B calls -p function_graph {FEW} -g vfs_open --max-graph-depth 1 {W}", has("calls:.*vfs_open"), calls_of_depth_0),
    Case("graph-notrace", f"$R -p function_graph {FEW} -g vfs_open --graph-notrace do_dentry_open {W}", has("vfs_open"), hasnt("do_dentry_open")),
    Case("graph-time-off-the-cpu", "$R --top -p function_graph -l hrtimer_nanosleep usleep 300000 && mv t.dat t-all.dat && "
         "$R --top -p function_graph -O nosleep-time -l hrtimer_nanosleep usleep 300000", asleep_or_not, files=("t-all.dat", "t.dat")),
    Case("graph-module", "grep -q '\\[virtio_blk\\]$' $T/available_filter_functions || skip 'no module is loaded'\n"
         "$R -p function_graph -g ':mod:virtio_blk' --max-graph-depth 1 dd if=/dev/vda of=/dev/null bs=64k count=4", has("virtblk|virtio")),
    Case("graph-of-the-recorder", "$R -p function_graph sh -c 'echo threads of the recorder: $(ls /proc/$PPID/task)'",
         recorders_threads),
    Case("graph-long-names", f"$R --tracer=function_graph {FEW} --graph-function=vfs_open --max-graph-depth=1 --option=nofuncgraph-irqs {W}",
         has("vfs_open"), calls_of_depth_0),
    Case("graph-names", "$R -p function_graph -F --max-graph-depth 1 workload names 60", has(" workload-")),
    Case("graph-depth", f"$R -p function_graph {FEW} --max-graph-depth 1 -g vfs_open {W}", has("vfs_open"), calls_of_depth_0),
    Case("graph-notrace-function", f"$R -p function_graph {FEW} -F -g vfs_open -n 'do_dentry_*' {W}", has("vfs_open"), hasnt(" do_dentry_")),
    Case("graph-option", f"$R -p function_graph {FEW} -O funcgraph-proc -O nofuncgraph-irqs -g vfs_open {W}", has("vfs_open")),
    Case("graph-events", f"$R -p function_graph {FEW} -g vfs_open -e sched {W}", has("vfs_open", "sched_switch")),
    Case("graph-v6", f"$R -p function_graph {FEW} -g vfs_open --file-version 6 {W}", has("vfs_open")),
    Case("graph-options", GRAPH_OPTIONS, calls_of_texts, ours_alone=True, files=()),
    # the ends of long calls alone
    Case("graph-threshold", "$R -p function_graph -l hrtimer_nanosleep -l 'vfs_*' --measure=threshold=50ms "
         "sh -c 'cat $T/tracing_thresh; usleep 100; usleep 200000; cat /etc/passwd >/dev/null'",
         says("^50000$"), has(r"funcgraph_exit: .* us \| +\}"), hasnt("funcgraph_entry")),
    Case("graph-zstd", f"$R -p function_graph {FEW} -g vfs_open --compression zstd {W}", has("vfs_open")),
]

# What a command sees of the settings while it is recorded: files, and of each thread that measures its nice, priority, policy, CPUs.
SHOW_HWLAT = "sh -c 'cd $T/hwlat_detector; for f in window width mode ../tracing_thresh; do echo ${f##*_} $(cat $f); done; sleep 2'"
SHOW = """cat >/tmp/show <<'END'
cd $T/osnoise
for f in *; do [ -d $f ] || echo "$f $(cat $f)"; done
echo "thresh $(cat $T/tracing_thresh)" "dma $(hexdump -n4 -e '1/4 "%d"' /dev/cpu_dma_latency)"
sleep 2
for p in /proc/[0-9]*; do
	case $(cat $p/comm 2>/dev/null) in
	timerlat*/* | osnoise/*) echo "$(cat $p/comm) $(sed 's/.*) //' $p/stat | cut -d' ' -f17,38,39) $(sed -n 's/^Cpus_allowed_list:.//p' $p/status)" ;;
	esac
done
END
"""
NO_USER = "[ -e $T/osnoise/per_cpu ] || skip 'this kernel wakes no processes'\n"
# Nothing but the watcher is left to restore it.
KILLED = """
ftop-trace record --no-browse -o killed.dat $SETUP 2>killed.log >&2 &
until_true sh -c "! cmp -s $T/osnoise/$FILE /tmp/was"
sleep 1; kill -9 $!; wait $!
until_true sh -c '! grep -qs ftop-watcher /proc/[0-9]*/comm'; cat killed.log
echo "left: $(grep -ls timerlat /proc/[0-9]*/comm)"; rm -f killed.*
"""

OTHER_TRACERS = {
    "blk": [Case("blk", "echo 1 >/sys/block/vda/trace/enable\n$R -p blk dd if=/dev/vda of=/dev/null bs=64k count=16 iflag=direct\n"
                 "s=$?; echo 0 >/sys/block/vda/trace/enable; exit $s", has("blktrace"))],
    "mmiotrace": [Case("mmiotrace", "$R -p mmiotrace --duration 1", empty=True)],
    "hwlat": [Case("hwlat", "$R -p hwlat --duration 3", empty=True),
              Case("setup-hwlat", "$R --setup=hwlat,window=200ms,width=190ms,threshold=1us,mode=none " + SHOW_HWLAT,
                   says("^window 200000$", "^width 190000$", r"^mode \[none\]", "^thresh 1$"), empty=True)],
    "osnoise": [Case("osnoise", "$R -p osnoise --duration 15", has("osnoise")),
                Case("setup-osnoise", "$R --setup=osnoise --stop-tracing 10000000 --duration 15", has("osnoise:", "irq_noise:")),
                Case("osnoise-measure", SHOW + "$R --setup=osnoise,period=300ms,runtime=200ms,cpus=1,prio=r:7,threshold=20us,stop=90s sh /tmp/show",
                     says("^period_us 300000$", "^runtime_us 200000$", "^cpus 1$", "^stop_tracing_us 90000000$", "^thresh 20 ", "^osnoise/1 0 7 2 1$"),
                     hasnt_said("^osnoise/0"), has("osnoise"))],
    "timerlat": [Case("timerlat", "$R -p timerlat --duration 10", has("timerlat")),
                 Case("setup-timerlat", "$R --setup=timerlat --stop-tracing-total 1", says("stopped by the kernel"),
                      has("context:1", "irq_noise:", "stack trace")),
                 Case("timerlat-measure", SHOW + "$R --setup=timerlat,period=20ms,cpus=1,prio=f:42,stack=50s,stop-total=80s sh /tmp/show",
                      says("^timerlat_period_us 20000$", "^cpus 1$", "^stop_tracing_total_us 80000000$", "^print_stack 50000000$", "^timerlat/1 0 42 1 1$"),
                      hasnt_said("^timerlat/0"), has("timerlat")),
                 Case("timerlat-killed", "cat $T/osnoise/cpus >/tmp/was; FILE=cpus; SETUP=--setup=timerlat,period=20ms,cpus=1,prio=o:3,stack=50s\n" + KILLED,
                      says("^left: $"), files=()),
                 Case("timerlat-user", NO_USER + SHOW + "$R --setup=timerlat,period=20ms,cpus=1,user,prio=f:42,dma-latency=7 sh /tmp/show",
                      says("^timerlat_period_us 20000$", "^options .*NO_OSNOISE_WORKLOAD", " dma 7$", "^timerlatu/1 0 42 1 1$"),
                      hasnt_said("^timerlat(u/0|/)|ended before"), has("context:0", "context:1", "context:2")),
                 Case("timerlat-aligned", "[ -e $T/osnoise/timerlat_align_us ] || skip 'not in this kernel'\n" + SHOW +
                      "$R --setup=timerlat,period=20ms,align=30us,user,option=PANIC_ON_STOP --duration 5 -- sh /tmp/show",
                      says("^timerlat_align_us 30$", "^options NO_DEFAULTS NO_OSNOISE_WORKLOAD PANIC_ON_STOP .* TIMERLAT_ALIGN", "^timerlatu/0 0 95 1 0$",
                           "^timerlatu/1 0 95 1 1$"), hasnt_said("ended before"), has("timerlat")),
                 Case("timerlat-user-killed", NO_USER + "cat $T/osnoise/options >/tmp/was; FILE=options\n"
                      "SETUP=--setup=timerlat,period=20ms,cpus=1,user,option=PANIC_ON_STOP\n" + KILLED, says("^left: $"), files=()),
                 Case("timerlat-user-lacks", "[ ! -e $T/osnoise/per_cpu ] || skip 'this kernel has it'\n$R --setup=timerlat,user",
                      says("user: this kernel has no .*/timerlat_fd; Linux has it since 6.5$"), status=1, files=()),
                 # what was written before is restored
                 Case("timerlat-bad-cpus", "$R --setup=timerlat,period=2ms,cpus=1-7777", says("osnoise/cpus: writing '1-7777': E"), status=1, files=()),
                 Case("timerlat-refused", "$R --setup=timerlat,prio=d:1ms:10ms", says("prio: timerlat/N .*SCHED_DEADLINE needs"), status=1, files=())],
    "branch": [Case("branch", "$R -p branch --duration 500ms", has("branch"), apart=True)],
    "nop": [Case("nop", f"$R -p nop -e sched_process_exit {W}", events("sched_process_exit"))],
}
for latency in ("wakeup", "wakeup_rt", "wakeup_dl", "irqsoff", "preemptoff", "preemptirqsoff"):
    OTHER_TRACERS[latency] = [Case(latency, f"$R -p {latency} {W}", latency_text(latency), max_records, kshark=False, files=None),
                              Case(f"{latency}-events", f"$R -p {latency} -e sched -e irq -e timer --compression zstd {W}",
                                   latency_text(latency), max_records, kshark=False, files=None)]
OTHER_TRACERS["wakeup_rt"].append(
    Case("wakeup_rt-top", f"echo 7 >$T/tracing_max_latency; $R --top -p wakeup_rt -e sched {W}; s=$?\n"
         "[ $(cat $T/tracing_max_latency) = 7 ] || s=98; echo 0 >$T/tracing_max_latency; exit $s",
         latency_text("wakeup_rt"), max_records, kshark=False, files=None))
OTHER_TRACERS["wakeup"].append(
    Case("wakeup-v6", f"$R -p wakeup --file-version 6 {W}", latency_text("wakeup"), max_records, kshark=False, files=None))

# Somebody uses the top instance, and the tracer is to be had there alone.
BUSY = """
mkdir $T/instances/t
grep -qw function_graph $T/instances/t/available_tracers && in_instance=yes
rmdir $T/instances/t
[ -z "$in_instance" ] || skip 'function_graph need not have the top instance'
echo vfs_open >$T/set_ftrace_filter
echo function >$T/current_tracer
workload state $T >busy
ended() {       # STATUS: nothing of theirs may be changed; theirs ends then
	workload state $T >busy.after
	diff busy busy.after && same=yes
	echo nop >$T/current_tracer
	echo >$T/set_ftrace_filter
	[ "$same" ] && exit $1
	exit 99
}
"""

SHARING = [
    Case("busy", BUSY + "$R -p function_graph true; ended $?", says(r"in use \(current_tracer is function\)"), status=1, files=()),
    Case("busy-forced", BUSY + f"$R --force -p function_graph -g vfs_open -F {W}; ended $?", has("vfs_open")),
    # others' events are recorded then as well, and can be read
    Case("busy-events-forced", "echo 1 >$T/events/sched/sched_process_exit/enable\n"
         f"$R --force --top -e sched_process_fork {W}; s=$?; [ $(cat $T/events/sched/sched_process_exit/enable) = 1 ] || s=99\n"
         "echo 0 >$T/events/sched/sched_process_exit/enable; exit $s", events("sched_process_fork", "sched_process_exit")),
    Case("busy-killed", BUSY + "ftop-trace record --no-browse --force -o killed.dat -p function_graph 2>killed.log >&2 &\n"
         "until_true grep -q function_graph $T/current_tracer; kill -9 $!; wait $!\n"
         "until_true sh -c '! grep -qs ftop-watcher /proc/[0-9]*/comm'; cat killed.log; rm -f killed.*\n"
         "$R -e sched_process_exit true; ended $?",
         says("before it restored tracefs: restored now")),
]

NO_STACKS = "[ -e $T/stack_max_size ] || skip 'this kernel does not measure stacks'\n"

STACKS = [
    Case("stack-trace-max", NO_STACKS + f"echo 'vfs_*' >$T/stack_trace_filter; $R --stack-trace-max {W}; s=$?; echo >$T/stack_trace_filter\n"
         "cat /proc/sys/kernel/stack_tracer_enabled; exit $s",
         has("stack_trace: .*Depth.*Size.*Location", r"stack_trace: .* 0\) "), says("the deepest kernel stack", "^0$")),
    Case("stack-trace-max-busy", NO_STACKS + "echo 1 >/proc/sys/kernel/stack_tracer_enabled\n"
         "$R --stack-trace-max true; s=$?; echo 0 >/proc/sys/kernel/stack_tracer_enabled; echo 0 >$T/stack_max_size; exit $s",
         says("the stack tracer is already in use"), status=2, files=()),
]

QUERY = ("t_query SELECT (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat, end.next_pid AS pid FROM sched_waking AS start "
         "JOIN sched_switch AS end ON start.pid = end.next_pid")

PROBES = [
    Case("kprobe", f"$R --probe 'p:t_open do_sys_openat2 dfd=$arg1' {W}", has("t_open", "dfd=")),
    Case("kretprobe", f"$R --probe 'r:t_ret do_sys_openat2 ret=$retval' {W}", has("t_ret", "ret=")),
    # a return probe with room for one call, and eight tasks that are inside at a time: the kernel's count is ours
    Case("probe-misses", "$R --probe 'r1:t_miss hrtimer_nanosleep ret=$retval' --probe 'p:t_all hrtimer_nanosleep' sh -c '\n"
         "for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; grep t_miss $T/kprobe_profile'", as_the_kernel_missed("t_miss")),
    # where each program begins, which lies in its file as far on as in memory: once for each time that it is executed
    Case("uprobe", "e=$(hexdump -s 24 -n 4 -e '\"0x%x\"' /usr/local/bin/workload)\n"
         "$R --probe \"p:t_u /usr/local/bin/workload:$e\" -e sched_process_exec sh -c 'for i in 1 2 3; do workload forks 2; done'",
         as_often("t_u", "filename=/usr/local/bin/workload", "sched_process_exec")),
    Case("eprobe", f"$R --probe 'e:t_e sched.sched_switch next=$next_pid:s32' {W}", has("t_e", "next=")),
    # on the stack of arm64 there is no return address at the entry of a function
    Case("probe-types", "$R --probe 'p:t_m do_sys_openat2 b=+0($stack):x8[4] c=@linux_banner:string a=$stack0:symstr' workload load",
         has(r't_m: .* b=\{0x\w+,0x\w+,0x\w+,0x\w+\} c="Linux version .*', r' a=("__\w+\+0x\w+/0x\w+|"?0x)')),
    Case("fprobe", "grep -q ' f\\[:' $T/README || skip 'this kernel has no fprobes'\n"
         f"$R --probe 'f:t_f vfs_open' --probe 'f:t_fr vfs_open%return ret=$retval:s32' {W}", has("t_f: ", "t_fr: .*ret=0")),
    Case("fprobe-btf", "grep -q ' f\\[:' $T/README && grep -q '<argname>' $T/README || skip 'this kernel knows no names of arguments'\n"
         f"$R --probe 'f:t_fb vfs_open path' --probe 'f:t_fa vfs_open $arg*' {W}", has("t_fb: .*path=", "t_fa: .*path=.*file=")),
    Case("tprobe", "grep -q ' t\\[:' $T/README || skip 'this kernel has no tracepoint probes'\n"
         f"$R --probe 't:t_t sched_process_exit' -e sched_process_exit {W}", as_often("t_t", "", "sched_process_exit")),
    Case("wprobe-refused", "! grep -q ' w\\[:' $T/README || skip 'this kernel has watch probes'\n$R --probe 'w:t_w w@jiffies:8' true",
         says(r"'w:t_w w@jiffies:8': there is no such probe in \S+/README: not in this kernel \(CONFIG_WPROBE_EVENTS"), status=1, files=()),
    Case("wprobe", "grep -q ' w\\[:' $T/README || skip 'this kernel has no watch probes'\n"
         f"$R --probe 'w:t_w w@jiffies:8 v=+0($addr)' {W}", has("t_w: .*v=")),
    Case("fprobe-fields", "grep -q ' f\\[:' $T/README && grep -q 'argname>\\[->' $T/README || skip 'this kernel knows no fields of arguments'\n"
         "$R --probe 'f:t_ff vfs_open name=path->dentry->d_name.name:string' cat /etc/passwd", has('t_ff: .*name="passwd"')),
    Case("probe-file", "grep -q ' f\\[:' $T/README && grep -q '%pD' $T/README || skip 'this kernel prints no files'\n"
         "$R --probe 'f:t_pf vfs_read name=$arg1:%pD' cat /etc/passwd", has('t_pf: .*name="passwd"')),
    Case("probe-dentry", "grep -q ' f\\[:' $T/README && grep -q '%pd' $T/README || skip 'this kernel prints no dentries'\n"
         "$R --probe 'f:t_pd vfs_open name=+8($arg1):%pd' cat /etc/passwd", has('t_pd: .*name="passwd"')),
    Case("probe-kernel-error", "$R --probe 'p:t_bad no_such_function_at_all' true", says(r"\^"), status=1, files=()),
    Case("synthetic", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         "$R --synth 't_lat u64 lat; pid_t pid' -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' "
         "-e sched_switch -R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).t_lat($lat,next_pid)' "
         f"{W}", has("t_lat", "lat=")),
    # what is written by hand, and the same as a query: each event of the one is one of the other
    Case("synthetic-query", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         "$R --synth 't_hand u64 lat; pid_t pid' -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' "
         "-e sched_switch -R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).t_hand($lat,next_pid)' "
         f"--synth '{QUERY}' {W}", same_latencies("t_query", "t_hand")),
    Case("synthetic-query-alone", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         f"$R --synth '{QUERY}' {W}", has("t_query: "), hasnt("sched_(?!process)")),
    Case("synthetic-query-top", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         f"$R --top --synth '{QUERY}' {W}", has("t_query: ")),
    Case("synthetic-query-mistaken", "$R --synth 'x SELECT pid FRO sched_waking' true",
         says("^ftop-trace: SELECT pid FRO sched_waking$", r"^ftop-trace:                \^$"), status=2, files=()),
    Case("synthetic-query-killed", "[ -e $T/synthetic_events ] || skip 'this kernel has no synthetic events'\n"
         f"""ftop-trace record --no-browse -o killed.dat --top --synth '{QUERY}' 2>killed.log >&2 &
        until_true grep -q t_query $T/events/sched/sched_switch/trigger; kill -9 $!; wait $!
        until_true sh -c '! grep -qs ftop-watcher /proc/[0-9]*/comm'; cat killed.log $T/synthetic_events $T/events/sched/*/trigger; rm -f killed.*
        $R -e sched_switch true""", says("before it restored tracefs: restored now"), hasnt_said("t_query")),
]


def kernel_fields(result):
    """The kernel's text of the same buffer, but the addresses of its own that it prints of char pointers."""
    kernel = re.sub(r"filename=\(0x\w+\)", "filename=(?)", open(f"{result.folder}/kernel.txt").read())
    ours = result.asked(result.program, "report", "--style=kernel", "-O", "fields", "t.dat")
    pairs = [pair for pair in zip(kernel.splitlines(), ours.splitlines()) if pair[0] != pair[1]]
    if len(kernel.splitlines()) < 100 or kernel.count("\n") != ours.count("\n") or pairs:
        return f"{len(kernel.splitlines())} lines, {len(ours.splitlines())}: {pairs[:1]}"
    for name in ("call_site=", "filename=(?)", "UNKNOWN TYPE", " (-", "=(0)"):
        if name not in kernel:
            return f"no {name} in the kernel's text"
    return None


# That change the kernel's text.  An option that is set is cleared again, and the other way round.
TEXT_OPTIONS = ("raw", "hex", "raw nocontext-info", "hex nocontext-info", "noprint-parent", "noirq-info", "nocontext-info",
                "sym-offset", "sym-addr noprint-parent")


def kernel_options(result):
    """The kernel's text of the same buffer, with each of these options."""
    for i, options in enumerate(TEXT_OPTIONS):
        kernel = open(f"{result.folder}/kernel-{i}.txt").read()
        words = [word for option in options.split() for word in ("-O", option)]
        ours = result.asked(result.program, "report", "--style=kernel", *words, "t.dat")
        pairs = [pair for pair in zip(kernel.splitlines(), ours.splitlines()) if pair[0] != pair[1]]
        if len(kernel.splitlines()) < 100 or kernel.count("\n") != ours.count("\n") or pairs:
            return f"{options}: {len(kernel.splitlines())} lines, {len(ours.splitlines())}: {pairs[:1]}"
    kernel = open(f"{result.folder}/kernel-0.txt").read()
    for pattern in (r" type: \d+$", r" [0-9a-f]{16} [0-9a-f]{16}$", r" # [0-9a-f]+ hello$", r" # 41424344 buf: 45 46 47 48"):
        if not re.search(pattern, kernel, re.M):
            return f"no {pattern} in the kernel's text"
    return None


def user_objects(result):
    """The stacks with files of two tasks that lived when the kernel's text was read, of a program with libraries and of one without."""
    tasks = open(f"{result.folder}/tasks", encoding="ascii").read().split()

    def stacks(text):
        blocks = re.findall(r"^ *\S+-(\d+) .*<user stack trace>\n((?: => .*\n)+)", text, re.M)
        # where a task ran another program before, the kernel looks for its addresses in the one that it runs now
        return collections.Counter(block for block in blocks if block[0] in tasks and not re.search(r"\[\+0xffff|=>  <", block[1]))
    for words in ([], ["-O", "sym-addr"]):
        kernel = stacks(open(f"{result.folder}/kernel{len(words)}.txt").read())
        ours = stacks(result.asked(result.program, "report", "--style=kernel", "-O", "sym-userobj", *words, "t.dat"))
        if not any("libc" in lines for _, lines in kernel) or not any("busybox[" in lines for _, lines in kernel) or kernel - ours:
            return f"{sum(kernel.values())} stacks, {sum(ours.values())}: {list((kernel - ours).items())[:1]} {list((ours - kernel).items())[:1]}"
    return None


KERNEL_TEXT = [
    Case("kernel-userobj", """I=$T/instances/text; mkdir $I; echo 1024 >$I/buffer_size_kb; echo 1 >$I/events/sched/sched_process_fork/enable
         echo 1 >$I/events/timer/hrtimer_start/enable; echo 1 >$I/options/userstacktrace; echo 1 >$I/options/sym-userobj
         $R -e sched_process_fork -e hrtimer_start -O userstacktrace sh -c "workload linger 1 60000000 & echo \\$\\$ \\$! >tasks
             until grep -q workload-.*hrtimer_start: $I/trace; do usleep 50000; done; echo 0 >$I/tracing_on
             cat $I/trace >kernel0.txt; echo 1 >$I/options/sym-addr; cat $I/trace >kernel2.txt; kill \\$!"; s=$?; rmdir $I; exit $s""",
         user_objects),
    Case("kernel-options", """I=$T/instances/f; mkdir $I; echo 1024 >$I/buffer_size_kb; echo mono >$I/trace_clock; echo 0 >$I/tracing_on
         grep '^vfs_' $T/available_filter_functions | cut -d' ' -f1 >$I/set_ftrace_filter; echo 1 >$I/options/userstacktrace
         grep -qw function $I/available_tracers || { rmdir $I; skip 'this kernel has no function tracer for instances'; }
         echo function >$I/current_tracer; echo 1 >$I/events/sched/enable; echo 1 >$I/events/irq/enable
         echo 1 >$I/tracing_on; workload forks 2; echo hello >$I/trace_marker; printf DCBAEFGH >$I/trace_marker_raw; echo 0 >$I/tracing_on
         i=0
         while read options; do
             for o in $options; do case $o in no*) echo 0 >$I/options/${o#no};; *) echo 1 >$I/options/$o;; esac; done
             cat $I/trace >kernel-$i.txt; i=$((i + 1))
             for o in $options; do case $o in no*) echo 1 >$I/options/${o#no};; *) echo 0 >$I/options/$o;; esac; done
         done <<END
""" + "\n".join(TEXT_OPTIONS) + "\nEND\nftop-trace extract -B f --consume -o t.dat; s=$?; rmdir $I; exit $s", kernel_options),
    Case("kernel-fields", "[ -e $T/options/fields ] || skip 'this kernel has no trace_option fields'\n"
         "case $(uname -r) in [1-6].*) skip 'kernels before 7 print fields otherwise';; esac\n"
         """I=$T/instances/f; mkdir $I; echo 1024 >$I/buffer_size_kb; echo mono >$I/trace_clock; echo 1 >$I/options/fields; echo 0 >$I/tracing_on
         for e in sched irq signal timer/hrtimer_start kmem/kmalloc kmem/kfree syscalls/sys_enter_openat syscalls/sys_exit_openat; do
             echo 1 >$I/events/$e/enable; done
         echo 1 >$I/tracing_on; workload forks 2; echo hello >$I/trace_marker; echo 0 >$I/tracing_on
         cat $I/trace >kernel.txt; ftop-trace extract -B f --consume -o t.dat; s=$?; rmdir $I; exit $s""", kernel_fields),
]



def remote_texts(result):
    """Each line of the kernel's is an event of its CPU, and each line about lost ones is there."""
    for name in ("trace", "trace_pipe"):
        text = open(f"{result.folder}/{name}.txt").read()
        lines = re.findall(r"^\[(\d+)\]\t *(\d+)\.(\d+): selftest id=(\d+)$|^CPU:(\d+) \[LOST (\d+) EVENTS\]$", text, re.M)
        wanted = [["lost", cpu, nr] if nr else [str(int(s + us) * 1000), str(int(of)), id_] for of, s, us, id_, cpu, nr in lines]
        rows = [json.loads(line) for line in result.asked(result.program, "report", "--format=json", f"{name}.txt").splitlines()]
        got = [["lost", str(row["cpu"]), str(row["lost"])] if "lost" in row else
               [str(row["ts_ns"]), str(row["cpu"]), str(row["fields"]["id"])] for row in rows]
        if got != wanted or len(lines) != len(text.splitlines()) or not lines:
            return f"{name}: {len(lines)} lines, {len(rows)} rows: {[pair for pair in zip(got, wanted) if pair[0] != pair[1]][:2]}"
        if result.asked(result.program, "report", f"{name}.txt") != text:
            return f"{name}: the text is another one"
    return None if "LOST" in text and "[001]" in text else "no lost events of the second CPU"


REMOTES = [
    Case("remotes", "[ -e $T/remotes/test/write_event ] || skip 'this kernel has no remote for tests (CONFIG_TRACE_REMOTE_TEST)'\n"
         """F=$T/remotes/test; echo 1 >$F/events/test/selftest/enable; echo 1 >$F/tracing_on
         write() { for i in $(seq $2 $3); do echo $i; done | taskset $1 sh -c "while read i; do echo \\$i >$F/write_event; done"; }
         write 1 1 20; write 2 21 40; write 1 41 50; cat $F/trace >trace.txt
         write 2 1001 4000; timeout 3 cat $F/trace_pipe >trace_pipe.txt
         echo 0 >$F/tracing_on; echo 0 >$F/events/test/selftest/enable; echo >$F/trace
         ftop-trace doctor; ftop-trace list -B; ftop-trace extract -B remotes/test -o t.dat""", remote_texts,
         says(r"not recorded: remotes/test: the kernel gives only the text", r"sudo cat .*/remotes/test/trace_pipe \| ftop-trace -",
              r"remotes/test +\(of firmware or a hypervisor: cat its trace \| ftop-trace -\)",
              r"-B remotes/test: the kernel provides it only as text; try: sudo cat /sys/kernel/tracing/remotes/test/trace \| ftop-trace -"),
         status=1, files=()),
]

HAS_USER_EVENTS = "[ -e $T/user_events_data ] || skip 'this kernel has no user_events'\n"

USER_EVENTS = [
    # registered when the recording runs already, and written once it is enabled
    Case("user-events", HAS_USER_EVENTS + "$R -e user_events sh -c 'sleep 1; workload register $T/user_events_data 50'",
         registered("ftop_late"), says("user_events: no program has registered such an event yet"), has("ftop_late: +count=49 text=late")),
    Case("user-events-filtered", HAS_USER_EVENTS + "$R -e 'user_events:ftop*' -f 'count > 39' -e sched_process_exit "
         "workload register $T/user_events_data 50", has("ftop_late: +count=40 ", "ftop_late: +count=49 "), hasnt("ftop_late: +count=39 ")),
    Case("user-events-none", "[ ! -e $T/user_events_data ] || skip 'this kernel has user_events'\n$R -e user_events true",
         says("user_events: no such event"), status=2, files=()),
]

HAS_MONITORS = "[ -e $T/rv ] || skip 'this kernel has no runtime verification'\n"
HAS_TASKS_MONITORS = "grep -qx rtapp:sleep $T/rv/available_monitors 2>/dev/null || skip 'this kernel has no monitor rtapp:sleep'\n"

MONITORS = [
    Case("monitors-none", "[ ! -e $T/rv ] || skip 'this kernel has runtime verification'\n$R --monitor=wwnr true",
         says(r"--monitor: there is no \S*/rv/available_monitors: not in this kernel \(CONFIG_RV"), status=1, files=()),
    # an instance has the same events in the kernel's text
    Case("monitors", HAS_MONITORS + """m=wwnr; ! grep -qx rtapp:sleep $T/rv/available_monitors || m=$m,rtapp:sleep
        mkdir $T/instances/text; echo 8192 >$T/instances/text/buffer_size_kb; echo 1 >$T/instances/text/events/rv/enable
        $R --monitor=$m sh -c 'workload violate 5; true'; s=$?
        echo 0 >$T/instances/text/tracing_on; cat $T/instances/text/trace >kernel.txt; rmdir $T/instances/text; exit $s""",
         as_the_kernel_tells, has(r"event_wwnr: .*: not_running x switch_in -> running")),
    Case("monitors-violations-alone", HAS_TASKS_MONITORS + "$R --monitor=sleep -v -e 'rv:event_*' sh -c 'workload violate 5; true'",
         events("error_sleep"), has(r"error_sleep: +workload\[\d+\]: violation detected")),
    Case("monitors-killed", HAS_MONITORS + """echo wwnr >$T/rv/enabled_monitors
        ftop-trace record --no-browse -o killed.dat --monitor=wwnr,wip 2>killed.log >&2 &
        until_true grep -qx wip $T/rv/enabled_monitors; kill -9 $!; wait $!
        until_true sh -c '! grep -qs ftop-watcher /proc/[0-9]*/comm'; cat killed.log; rm -f killed.*
        cat $T/rv/enabled_monitors; echo >$T/rv/enabled_monitors
        $R --monitor=wip true""", says("before it restored tracefs: restored now", "^wwnr$")),
    # disabling a container would disable what was enabled before
    Case("monitors-of-a-container", HAS_TASKS_MONITORS + """echo sco >$T/rv/enabled_monitors
        $R --monitor=sched workload forks 1; s=$?; cat $T/rv/enabled_monitors; echo >$T/rv/enabled_monitors; exit $s""",
         has("event_sts: ", "event_sco: ", "event_snroc: "), says("^sched:sco$")),
    Case("monitoring-off", HAS_MONITORS + """echo 0 >$T/rv/monitoring_on
        $R --monitor=wip true; echo status $?; $R --force --monitor=wip true; s=$?
        cat $T/rv/monitoring_on; echo 1 >$T/rv/monitoring_on; exit $s""",
         says(r"--monitor: monitoring is switched off \(\S*/rv/monitoring_on is 0\)", "^status 2$"), has("event_wip: ")),
]

LISTS = (EVENTS, MODULES, UNTIL, TASKS, EXACT, SETTINGS, FUNCTION, GRAPH_TRACER, SHARING, STACKS, PROBES, KERNEL_TEXT, REMOTES, USER_EVENTS, MONITORS)
