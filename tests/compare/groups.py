#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""functions --by: the rows of a function are its row without groups.  tasks --by: the sums of groups are the sums of their tasks, whole, in a range, with a filter and on a CPU; groups by name are
those of the names that tasks --format=csv prints.  Prints TAP."""
import collections
import csv
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from private_section import with_blocks                    # noqa: E402
from report_common import BUILD, DATA, PROGRAM, Failure, Tap, run, shared_fixtures, traces        # noqa: E402

SUMS = ["run_ns", "run_cut_ns", "wait_ns", "sleep_ns", "blocked_ns", "switches", "preemptions", "migrations", "wakeups",
        "doubtful_ns"]
GROUPINGS = ["process", "cgroup", "name", "user", "class"]


def table(trace, *words):
    text = run([PROGRAM, *words, "--format=csv", trace]).decode(errors="replace")
    return list(csv.DictReader(io.StringIO(text.replace("\0", ""))))


def rows(trace, *words):
    return table(trace, "tasks", *words)


def sums(of):
    return [sum(int(row[name] or 0) for row in of) for name in SUMS]


def longest(of):
    return max((int(row["max_wakeup_ns"] or 0) for row in of), default=0)


def kind_name(comm):
    """nginx-12 is nginx-*, kworker/0:1 is kworker: numbers at the end, or behind one of /-:_.#, do not count."""
    return "kworker" if comm.startswith("kworker/") else re.sub(r"(?<=[/\-:_.#])\d+|(?<!\d)\d+$", "*", comm)


def is_top(name, names):
    parents = [name[:at] for at in range(2, len(name)) if name[at] == "/"] + ["/"] * (len(name) > 1 and name[0] == "/")
    return not any(parent in names for parent in parents)


def by_name(tasks):
    found = collections.defaultdict(list)
    for row in tasks:
        found[kind_name(row["comm"])].append(row)
    return {name: sums(of) for name, of in found.items()}


def check(trace, words):
    tasks = rows(trace, *words)
    for by in GROUPINGS:
        groups = rows(trace, *words, "--by=" + by)
        names = [row[by] for row in groups]
        top = [row for row in groups if by != "cgroup" or is_top(row[by], names)]
        if len(set(names)) != len(names):
            raise Failure("--by=%s: a group has two rows: %s" % (by, names))
        if sums(top) != sums(tasks) or longest(groups) != longest(tasks):
            raise Failure("--by=%s %s: groups %s, tasks %s (%s)" % (by, words, sums(top), sums(tasks), ", ".join(SUMS)))
        if sum(int(row["tasks"]) for row in top) < len(tasks):
            raise Failure("--by=%s %s: %d tasks are in groups, of %d" % (by, words, sum(int(row["tasks"]) for row in top), len(tasks)))
        if by == "name" and {row[by]: sums([row]) for row in groups} != by_name(tasks):
            raise Failure("--by=name %s: %s, not %s" % (words, {row[by]: sums([row]) for row in groups}, by_name(tasks)))
    return len(tasks)


def check_latency(trace):
    kinds = {row["kind"]: row for row in table(trace, "latency")}
    for kind in {"wakeup", "preempted", "syscall"} & set(kinds):
        for by in ("process", "cgroup", "name", "user", "task"):
            groups = table(trace, "latency", "--kind=" + kind, "--by=" + by)
            for name in ("n", "open", "doubtful", "total_ns"):
                if sum(int(row[name] or 0) for row in groups) != int(kinds[kind][name] or 0):
                    raise Failure("latency --kind=%s --by=%s: %s of groups is not %s" % (kind, by, name, kinds[kind][name]))


FUNCTION_SUMS = ["calls", "total_ns", "self_ns", "net_ns", "leaf_calls", "unclosed", "orphans", "doubtful"]


def function_sums(of):
    found = collections.defaultdict(lambda: [0] * len(FUNCTION_SUMS))
    for row in of:
        found[row["function"]] = [a + int(row[name] or 0) for a, name in zip(found[row["function"]], FUNCTION_SUMS)]
    return found


def check_functions(trace):
    """The rows of a function by group add up to its row."""
    whole = table(trace, "functions")
    for by in ["process", "cgroup", "name", "user"] if whole else []:
        groups = table(trace, "functions", "--by=" + by)
        if len({(row[by], row["function"]) for row in groups}) != len(groups) and len({row["function"] for row in whole}) == len(whole):
            raise Failure("functions --by=%s: a function and group has two rows" % by)
        if function_sums(groups) != function_sums(whole):
            raise Failure("functions --by=%s: %s, not %s" % (by, dict(function_sums(groups)), dict(function_sums(whole))))


def who():
    """tests/data/who/shop.c says what it starts, and where: a server of ten threads, and mover at last, in /shop/web."""
    trace = os.path.join(DATA, "who", "trace.dat")
    check(trace, [])
    check_functions(trace)
    check_latency(trace)
    nr = {row["cgroup"]: int(row["tasks"]) for row in rows(trace, "--by=cgroup")}
    if {name: nr.get(name) for name in ("/shop/web", "/shop", "/batch")} != {"/shop/web": 11, "/shop": 12, "/batch": 2}:
        raise Failure("tasks in cgroups: %s" % nr)
    server = [row for row in rows(trace, "--by=process") if row["process"].startswith("shop-web-")]
    if [int(row["tasks"]) for row in server] != [10]:
        raise Failure("the server's process: %s" % server)
    writes = {row["cgroup"]: int(row["calls"]) for row in table(trace, "functions", "--by=cgroup") if row["function"] == "ksys_write"}
    # six by each of nine workers, and each of four processes, and mover once more, writes itself into a cgroup
    if writes != {"/shop/web": 9 * 6 + 2, "/batch": 2, "/shop": 1}:
        raise Failure("ksys_write in cgroups: %s" % writes)
    picture = run([PROGRAM, "timeline", "--by=cgroup", trace]).decode()
    labels = {line[:14].strip() for line in picture.splitlines()}
    if not {"/shop/web", "/shop", "/batch", "/", "CPU 0"} <= labels or "mover-125" in labels:
        raise Failure("rows of timeline --by=cgroup: %s" % labels)
    cpus = table(trace, "cpus", "--by=node")
    if [(row["node"], row["cpus"]) for row in cpus] != [("node 0", "2")]:
        raise Failure("nodes of CPUs: %s" % cpus)


def throttled():
    """How much cpu.stat of a cgroup grew, by lines written here; of one that was looked at once it is not known."""
    lines = ["string 4", "/web", "string 6", "/web/a", "string 6", "/other"]
    for pid, cgroup in ((234, 1), (235, 2), (236, 3)):
        lines.append("task 61740000000 61740000000 %d 1 -1 0 0 0 %d 0" % (pid, cgroup))
    # time, cgroup; quota, period, weight, usage; periods, how often and how many µs throttled
    lines += ["cgroup 1 1 50000 100000 100 0 0 5 100 0", "cgroup 1 2 -1 -1 100 0 0 0 7 0",
              "cgroup 9 1 50000 100000 100 0 0 9 350 0", "cgroup 9 3 0 0 100 0 0 0 0 0"]
    block = "".join(line + "\n" for line in lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        trace = with_blocks(os.path.join(DATA, "good", "sched", "trace.dat"), os.path.join(folder, "cgroups.dat"),
                            {"saved_tgids": b"", "tasks": block})
        for options, expected in (([], {"/web": "250000"}), (["-F", "cpu >= 0"], {}), (["--cpu=0,1"], {}), (["--from=61.71"], {})):
            found = {row["cgroup"]: row["throttled_ns"] for row in rows(trace, "--by=cgroup", *options)}
            if found != dict.fromkeys(("/", "/web", "/web/a", "/other", "not known"), "") | expected:
                raise Failure("throttled with %s: %s" % (options, found))


def nodes():
    """In the picture of 1,024 CPUs of eight nodes, a row's share is that of the times that its 128 CPUs ran."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "nodes.dat")
        run([os.path.join(BUILD, "tests", "tools", "make_trace"), "nodes", trace])
        picture = run([PROGRAM, "timeline", trace]).decode().splitlines()
        intervals = [row for row in table(trace, "timeline") if row["row"] == "cpu"]
    first, last = (pick(int(row[end]) for row in intervals) for pick, end in ((min, "start_ns"), (max, "end_ns")))
    ran = collections.Counter()
    for row in intervals:
        ran[int(row["cpu"]) // 128] += int(row["duration_ns"]) if row["state"] == "run" else 0
    shares = {int(found[1]): float(found[2] or 0) for found in (re.match(r"\s*node (\d)\s+(?:([\d.]+)%)?", line) for line in picture) if found}
    expected = {node: ran[node] * 100 / 128 / (last - first) for node in range(8)}
    if set(shares) != set(expected) or any(abs(shares[node] - expected[node]) > 0.1 for node in shares):
        raise Failure("shares %s, not %s" % (shares, expected))


def used_again():
    """A process with a thread exits, and another one with its pid and name is born: written here line by line."""
    names = {0: "swapper/0", 50: "mother", 100: "job", 101: "job"}
    lines = []

    def event(us, pid, name, text):
        task = "%s-%d" % (names[pid] if pid else "<idle>", pid)
        lines.append("%16s     [000] d..1.   100.%06d: %s: %s\n" % (task, us, name, text))

    def switch(us, prev, state, to):
        event(us, prev, "sched_switch", "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d "
              "next_prio=120" % (names[prev], prev, state, names[to], to))

    switch(0, 0, "R", 50)
    for us, threads in ((1000, 1), (11000, 0)):
        event(us, 50, "sched_process_fork", "comm=mother pid=50 child_comm=mother child_pid=100")
        switch(us + 1000, 50, "S", 100)
        event(us + 1500, 100, "sched_process_exec", "filename=/bin/job pid=100 old_pid=100")
        if threads:
            event(us + 2000, 100, "sched_process_fork", "comm=job pid=100 child_comm=job child_pid=101")
            switch(us + 3000, 100, "S", 101)
            event(us + 6000, 101, "sched_process_exit", "comm=job pid=101 prio=120")
            switch(us + 6000, 101, "X", 100)
        event(us + 7000, 100, "sched_process_exit", "comm=job pid=100 prio=120")
        switch(us + 7000, 100, "Z", 50)
    with tempfile.TemporaryDirectory() as folder:
        text, plain, trace = (os.path.join(folder, name) for name in ("job.txt", "plain.dat", "job.dat"))
        with open(text, "w", encoding="ascii") as out:
            out.write("# tracer: nop\n#\n" + "".join(lines))
        run([PROGRAM, "cut", "-o", plain, text])
        with_blocks(plain, trace, {"saved_tgids": b"100 100\n101 100\n"})
        found = {row["process"]: (int(row["tasks"]), round(int(row["run_ns"]) / 1000)) for row in rows(trace, "--by=process")}
        # us: 2000, the thread's 3000, 1000; the second one has no thread
        expected = {"job-100": (2, 6000), "job-100 (2)": (1, 6000)}
        if {name: found[name] for name in found if name.startswith("job")} != expected:
            raise Failure("processes with one pid: %s" % found)
        if "no differences" not in run([PROGRAM, "diff", "--by=process", trace, trace]).decode():
            raise Failure("a trace differs from itself")


def main():
    tap = Tap()
    nr = 0
    for name, trace, _ in traces(os.path.join(DATA, "good")) + shared_fixtures():
        found = []

        def same_sums(trace=trace, found=found):
            tasks = rows(trace)
            found.append(len(tasks))
            check_functions(trace)
            if not tasks:
                return
            summary = run([PROGRAM, "summary", "--format=json", trace]).decode(errors="replace")
            span = [int(value) for value in re.findall(r'"(?:first|last)_ts(?:_ns)?":\s*(\d+)', summary)[:2]]
            check(trace, [])
            check_latency(trace)
            check(trace, ["-F", "cpu == 0"])
            check(trace, ["--cpu=0"])
            if len(span) == 2 and '"first_ts_ns"' in summary:
                third = (span[1] - span[0]) // 3
                check(trace, ["--from=%dns" % (span[0] + third), "--to=%dns" % (span[1] - third)])

        tap.case("groups of " + name, same_sums)
        nr += bool(found and found[0])
    tap.case("the tasks of tests/data/who are where its program put them", who)
    tap.case("two processes with one pid and name", used_again)
    tap.case("throttled time of cgroups", throttled)
    if os.path.exists(os.path.join(BUILD, "tests", "tools", "make_trace")):
        tap.case("rows of nodes in the picture", nodes)
    else:
        tap.skip("rows of nodes in the picture", "make_trace was not built")
    tap.case("there were tasks", lambda: nr > 3 or (_ for _ in ()).throw(Failure("of %d traces" % nr)))
    tap.end()


main()
