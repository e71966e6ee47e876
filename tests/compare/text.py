#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A text trace has what the trace.dat of the same buffer has.

The texts were read from the kernels' trace files, just before the same buffers went into the traces; those of trace-cmd
are its reports.  Events, their CPUs, tasks, names and times must be equal, the times within the text's microsecond; so must
what the models make of them.  Prints TAP.
"""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, PROGRAM, SHARED, Failure, Tap, read_text, run     # noqa: E402

FOLDERS = [os.path.join(DATA, "good")] + ([os.path.join(SHARED, "fixtures")] if SHARED else [])
TRACERS = (b"nop", b"function", b"function_graph", b"hwlat", b"osnoise", b"timerlat", b"branch", b"blk", b"mmiotrace")
# The kernel's text does not tell these apart.
PRINTS = {"bprint", "bputs", "raw_data", "print"}
NOISE = ("hwlat", "osnoise", "timerlat", "irq_noise", "nmi_noise", "softirq_noise", "thread_noise", "sample_threshold")
STEP = 1                                # µs: of the text
UNREAD = {"mmio-events-7.2"}            # mmiotrace prints no other events
# The option printk-msg-only leaves nothing of the record but its text.
JOINED = {"marker-options-7.2"}
# The kernel's text does not add the times between records that were discarded.
DISCARDED = {"hist", "synth-7.2", "latency-format-synth-7.2"}
# What was lost before the first event is not in the text.
LOST = {"lost-text"}
UNNAMED = 4194305                       # + CPU: a task that function_graph's text does not name
# Lines without CPU, task and duration: only the calls are there.
BARE = {"fgraph-flat"}


def far_waking(scratch):
    """The pane looks back over 20 000 rows: a wake-up whose waking is farther away took at least so long."""
    path, script = os.path.join(scratch, "far.txt"), os.path.join(scratch, "far.script")
    line = "          %s-%d     [000] d....     %s: %s\n"
    wake = "comm=late pid=77 prio=120 target_cpu=000"
    for fillers, words in ((5, "which waited 203 µs since"), (20100, "which waited at least 3 µs since")):
        with open(path, "w", encoding="utf-8") as file:
            file.write("# tracer: nop\n" + line % ("sh", 5, "1.000000", "sched_waking: " + wake))
            file.write(line % ("sh", 5, "1.000100", "ping: x=1") * fillers)
            file.write(line % ("sh", 5, "1.000200", "sched_wakeup: " + wake))
            file.write(line % ("sh", 5, "1.000203", "sched_switch: prev_comm=sh prev_pid=5 prev_prio=120 prev_state=S "
                               "==> next_comm=late next_pid=77 next_prio=120"))
        with open(script, "w", encoding="utf-8") as file:
            file.write("size 160x24\nwait\nkeys 1 G\nwait\nscreen\n")
        shown = subprocess.run([PROGRAM, "--script", script, path], capture_output=True, check=False).stdout.decode()
        if words not in shown:
            raise Failure(shown)


def texts():
    for folder in FOLDERS:
        for name in sorted(os.listdir(folder)):
            place = os.path.join(folder, name)
            if name in UNREAD:
                continue
            for file in ("kernel-trace.txt", "kernel-trace.txt.gz"):
                path = os.path.join(place, file)
                if not os.path.exists(path):
                    continue
                text = read_text(path)
                if text.split(b"\n", 1)[0][len(b"# tracer: "):].strip() in TRACERS:
                    yield name + ("" if folder == FOLDERS[0] else " (shared)"), os.path.join(place, "trace.dat"), text


def table(*args):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, *args, "--format=csv"]).decode(errors="replace"))))


def named(name):
    return "print" if name in PRINTS else name


def events(path):
    """Of each CPU: time, task, name."""
    rows, cpus = [row for row in table("report", path) if row["pid"]], {}
    for row in rows:
        cpus.setdefault(row["cpu"], []).append((int(row.get("ts_ns") or row["ts"]), int(row["pid"]), named(row["event"])))
    return cpus, "ts_ns" in rows[0]


def same_lines(path, text, *options):
    """Joined lines are printed as the two that they are."""
    got = run([PROGRAM, "report", *options, path])
    if b"tracing_mark_write" in text and got.replace(b"\n", b"") == text.replace(b"\n", b""):
        return
    if got != text:
        wrong = next((i for i, (a, b) in enumerate(zip(got.split(b"\n"), text.split(b"\n"))) if a != b), -1)
        raise Failure("report %s differs from line %d on" % (" ".join(options), wrong + 1))


def same_events(path, dat, is_relative, has_times):
    (got, has_time), (want, _) = events(path), events(dat)
    if set(got) != set(want):
        raise Failure("CPUs %s, not %s" % (sorted(got), sorted(want)))
    zero = 0
    if is_relative:
        zero = min(of[0][0] for of in want.values()) - min(of[0][0] for of in got.values())
    for cpu, of in want.items():
        if len(of) != len(got[cpu]):
            raise Failure("CPU %s: %d events, not %d" % (cpu, len(got[cpu]), len(of)))
        for (ts, *rest), (told, *words) in zip(of, got[cpu]):
            if words[0] >= UNNAMED:
                words[0] = rest[0]
            if rest != words or has_times and words[1] != "funcgraph_exit" and (abs(told + zero - ts) > 1000 * (STEP + is_relative) if has_time else told != ts):
                raise Failure("CPU %s: %s, not %s" % (cpu, (told, *words), (ts, *rest)))


def same_tasks(path, dat):
    columns = ("switches", "preempt", "migr", "wakeups")
    got, want = ({row["pid"]: row for row in table("tasks", of)} for of in (path, dat))
    if set(got) != set(want):
        raise Failure("tasks %s, not %s" % (sorted(set(got) - set(want)), sorted(set(want) - set(got))))
    for pid, row in want.items():
        for name, value in row.items():
            mine = got[pid][name]
            if name.endswith("_ns") and value and mine:
                slack = 2000 * (1 + int(row["switches"] or 0) + int(row["wakeups"] or 0))
                if abs(int(mine) - int(value)) > slack:
                    raise Failure("%s: %s %s, not %s" % (pid, name, mine, value))
            elif name in columns and mine != value:
                raise Failure("%s: %s %s, not %s" % (pid, name, mine, value))


def same_requests(path, dat):
    """Block requests: as many, and within 1 µs for each end."""
    got, want = ({row["kind"]: row for row in table("latency", of) if row["kind"].startswith("block")} for of in (path, dat))
    if not want or set(got) != set(want):
        raise Failure("kinds %s, not %s" % (sorted(got), sorted(want)))
    for kind, row in want.items():
        if got[kind]["n"] != row["n"] or abs(int(got[kind]["total_ns"]) - int(row["total_ns"])) > 2000 * int(row["n"]):
            raise Failure("%s: %s, not %s" % (kind, got[kind], row))


def same_fields(path, dat):
    """Of the records of hwlat, osnoise and timerlat."""
    contexts, seen = {"irq": 0, "thread": 1, "user-ret": 2}, 0
    cpus = []
    for of in (path, dat):
        rows = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", of]).split(b"\n") if line]
        cpus.append(sorted((row for row in rows if "lost" not in row), key=lambda row: row["cpu"]))
    for got, want in zip(*cpus):
        if want["event"] not in NOISE:
            continue
        seen += 1
        fields = got["fields"]
        fields["context"] = contexts.get(fields.get("context"))
        wrong = [field for field, value in want["fields"].items() if fields.get(field) != value]
        if wrong or got["system"] != want["system"]:
            raise Failure("%s: %s, not %s" % (wrong, got, want))
    if not seen:
        raise Failure("no event of the tracer")


def same_system_calls(path, dat):
    """Numbers and arguments of raw_syscalls."""
    cpus = []
    for of in (path, dat):
        rows = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", "-F", "raw_syscalls/sys_enter", of]).split(b"\n") if line]
        cpus.append(sorted(((row["cpu"], row["fields"]) for row in rows), key=lambda row: row[0]))
    if not cpus[1] or cpus[0] != cpus[1]:
        raise Failure("other arguments: %s" % next((pair for pair in zip(*cpus) if pair[0] != pair[1]), None))


def cut(ns):
    """As the kernel prints a duration: seven digits."""
    if not ns:
        return ns
    drop = 10 ** min(3, max(0, len(str(int(ns) // 1000)) - 4))
    return int(ns) // drop * drop


def same_calls(path, dat, bare=False, is_report=False):
    """
    The same calls; a few at the edges of interrupts have another parent, since times of entries are rounded or missing.
    trace-cmd does not tell which function returns, so where events are missing the wrong one may.
    """
    trees = []
    for of in (path, dat):
        rows = [row for row in table("graph", of) if row["kind"] not in ("off_cpu", "orphan")]
        trees.append([(row["pid"], row["level"], row["kind"], row["function"], cut(row["duration_ns"])) for row in rows])
    got, want = trees
    if bare:
        got, want = ([row[3] for row in of] for of in trees)
        if sorted(got) != sorted(want):
            raise Failure("%d calls, not %d" % (len(got), len(want)))
        if b" events have no CPU and task: " not in run([PROGRAM, "info", path]):
            raise Failure("nothing is told of tasks that may be wrong")
        return
    got = [row for row in got if int(row[0]) < UNNAMED]
    named = {row[0] for row in got}
    want = [row for row in want if row[0] in named]
    for calls in (lambda row: row[:1] + row[2:], lambda row: row):
        (mine, theirs) = (collections.Counter(map(calls, of)) for of in (got, want))
        wrong = sum(((mine - theirs) + (theirs - mine)).values())
        if wrong > len(want) // (10 if calls(got[0]) == got[0] else 100 if is_report else len(want) + 1):
            raise Failure("%d of %d calls differ: %s, not %s" % (wrong, len(want), list((mine - theirs).items())[:3],
                                                                 list((theirs - mine).items())[:3]))


def same_arguments(path, text):
    """As the lines have them; calls whose exit is missing are not compared."""
    told = [row["text"] for row in table("graph", path) if row["kind"] == "call" and row["text"]]
    wanted = [words.decode() for words in re.findall(rb"\|\s+[\w.]+\((.+?)\)(?:;| \{)", text)]
    wrong = collections.Counter(told) - collections.Counter(wanted)
    if wrong or len(told) < len(wanted) * 0.99:
        raise Failure("arguments of %d calls, not %d: %s" % (len(told), len(wanted), list(wrong)[:3]))


def check(name, dat, text, scratch):
    path = os.path.join(scratch, "trace.txt")
    with open(path, "wb") as out:
        out.write(text)
    same_lines(path, text)
    same_lines(path, text, "--style=kernel")
    overwritten = json.loads(run([PROGRAM, "info", "--format=json", path]))["lost_unknown"]
    if overwritten != text.count(b" buffer started ####"):
        raise Failure("%d CPUs whose first events were overwritten" % overwritten)
    is_graph = text.startswith(b"# tracer: function_graph")
    if is_graph:
        same_calls(path, dat, name in BARE)
    if "-args" in name:
        same_arguments(path, text)
    if name not in JOINED | BARE:
        same_events(path, dat, b" latency trace v" in text[:200],
                    name not in DISCARDED and (not is_graph or b"TIME  " in text[:200]))
    if text.startswith(b"# tracer: blk") or b": block_rq_issue: " in text:
        same_requests(path, dat)
    if b": sys_enter: NR " in text:
        same_system_calls(path, dat)
    if text.split(b"\n", 1)[0].endswith((b"hwlat", b"osnoise", b"timerlat")):
        same_fields(path, dat)
    for expression in ("sched_switch: prev_state == R", "sched_switch: prev_state == S && next_prio < 121", "prev_pid > 0 && cpu == 1"):
        if b": sched_switch: prev_comm=" in text and name not in JOINED:
            got, want = (run([PROGRAM, "report", "--count", "-F", expression, of]) for of in (path, dat))
            if got != want:
                raise Failure("%s: %s events, not %s" % (expression, got.strip(), want.strip()))
    if name not in JOINED | DISCARDED | LOST and not is_graph and b": sched_switch: prev_comm=" in text and b"\n# latency" not in text:
        same_tasks(path, dat)
        for command in ("tasks", "wakeups", "latency"):
            digits = re.search(rb".*\d\.(\d{6})?000\b.*", run([PROGRAM, command, path]))
            if digits:
                raise Failure("%s: digits that the text does not have: %s" % (command, digits.group(0)))


def check_report(dat, text, scratch):
    """trace-cmd's text of the same trace, below lines that some versions print first."""
    text = b"version = 6\nCPU 7 is empty\n" + text
    path = os.path.join(scratch, "report.txt")
    with open(path, "wb") as out:
        out.write(text)
    same_lines(path, text)
    if b": block_rq_issue: " in text:
        same_requests(path, dat)
    if b": funcgraph_e" in text:
        same_calls(path, dat, is_report=True)
    elif b": sched_switch: " in text:
        same_tasks(path, dat)
    got, want = (json.loads(run([PROGRAM, "info", "--format=json", of])) for of in (path, dat))
    for name in ("events", "lost_events", "lost_unknown", "cpus"):
        if name.startswith("lost_") and got["lost_events"] is None and want["lost_events"]:
            continue	# the kernel's statistics have a number for gaps, which the text lacks
        if got[name] != want[name]:
            raise Failure("%s: %s, not %s" % (name, got[name], want[name]))
    if got["unknown_lines"]:
        raise Failure("%d lines count as unknown" % got["unknown_lines"])


def hostile(scratch):
    line = b"          a b-12      [001] d..2.    %d.%06d: sched_waking: comm=x pid=%d prio=120 target_cpu=000"
    lines = [line % (i // 1000, i % 1000, i % 50) for i in range(3000)]
    lines[7] += b"x" * 10_000_000
    lines[8] += bytes(range(1, 10)) + b"\x1b[31m\xff\xfe"
    lines[9] = b"y" * 3_000_000
    lines[1000:1000] = [b" => f+0x1/0x2"] * 5000
    lines[2000:2000] = [b"no event"] * 100
    path = os.path.join(scratch, "hostile.txt")
    with open(path, "wb") as out:
        out.write(b"".join(line + b"\n" for line in lines))
    told = sum(row["event"] == "sched_waking" for row in table("report", path))
    if told != 2999:
        raise Failure("%d events" % told)
    done = subprocess.run([PROGRAM, "info", "--format=json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    if b'"unknown_lines":101,' not in done.stdout:
        raise Failure(done.stdout[:400])
    told = b'lines that are not understood: 101, the first one "%s"\n' % (b"y" * 120)
    for command in (["tasks"], ["latency"], ["report"], ["count", "--by", "comm"]):
        if told not in subprocess.run([PROGRAM, *command, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr:
            raise Failure("%s does not tell what is not understood" % command[0])
    if b"lines that are cut off: " not in run([PROGRAM, "info", path]):
        raise Failure("nothing is told of what was cut")


def with_carriage_returns(text, scratch):
    """As a serial console writes it."""
    plain, console = os.path.join(scratch, "plain.txt"), os.path.join(scratch, "console.txt")
    for path, content in ((plain, text), (console, text.replace(b"\n", b"\r\n"))):
        with open(path, "wb") as out:
            out.write(content)
    if table("report", console) != table("report", plain):
        raise Failure("other events")
    if b"\r" in run([PROGRAM, "report", console]) + run([PROGRAM, "info", console]):
        raise Failure("carriage returns are printed")


def reports(folder):
    for name in ("lost", "sched", "sched-7.2", "sched-text", "fgraph", "fgraph-events", "fgraph-depth", "fgraph-overwritten",
                 "fgraph-retval", "fgraph-7.2", "fgraph-args-retval", "cpu4", "block-flush-7.2", "latency-format"):
        for file in ("report.txt", "report.txt.gz", "report-3.4.txt", "report-3.4.txt.gz", "report-t.txt.gz", "report-l.txt.gz"):
            path = os.path.join(folder, name, file)
            if os.path.exists(path):
                yield name, path


def without_context(dat, scratch):
    """The option nocontext-info leaves events without task, CPU and time."""
    text = run([PROGRAM, "report", "--style=kernel", "-O", "nocontext-info", dat])
    path = os.path.join(scratch, "bare.txt")
    with open(path, "wb") as out:
        out.write(text)
    same_lines(path, text)
    got, want = (collections.Counter(row["event"] for row in table("report", of)) for of in (path, dat))
    if got != want:
        raise Failure("%s, not %s" % (got, want))
    if b" events have no task, CPU and time" not in run([PROGRAM, "info", path]):
        raise Failure("nothing is told of what the lines do not have")


def without_header(text, scratch):
    """The kernel's text stays what it is, also of trace_pipe and of a remote, which print no header."""
    path = os.path.join(scratch, "pipe.txt")
    bare = b"".join(line for line in text.splitlines(keepends=True) if not line.startswith(b"#"))
    with open(path, "wb") as out:
        out.write(bare)
    same_lines(path, bare)
    same_lines(path, bare, "--style=kernel")


def in_the_kernels_style(scratch):
    """Of the lines of trace-cmd report and perf script, each event keeps its text."""
    for at, place in (("good/sched/report.txt.gz", rb"^.*\d\.\d{6}: +(\w+): +(.*)$"), ("perf/sched.lines.gz", rb"^.*\d\.\d{6}: +\w+:(\w+): +(.*)$")):
        text = read_text(os.path.join(DATA, at))
        path = os.path.join(scratch, "other.txt")
        with open(path, "wb") as out:
            out.write(text)
        want = [name + b": " + body.rstrip() for name, body in re.findall(place, text, re.M)]
        got = run([PROGRAM, "report", "--style=kernel", path])
        got = [line.rstrip() for line in re.findall(rb"^.{16}-\d+ .*?\d\.\d{6}: (.*)$", got, re.M)]
        if got != want or len(want) < 20:
            raise Failure("%s: %d of %d, %s" % (at, len(got), len(want), [pair for pair in zip(got, want) if pair[0] != pair[1]][:1]))


def raw_states(text, scratch):
    """trace-cmd report -R has numbers for the states of tasks, and no arrow."""
    bits = {letter: 1 << i for i, letter in enumerate(b"SDTtXZPI")} | {ord("R"): 0, ord("+"): 256, ord("|"): 0}
    plain, raw = os.path.join(scratch, "plain.txt"), os.path.join(scratch, "raw.txt")
    numbers = re.sub(rb"prev_state=(\S+) ==>", lambda m: b"prev_state=%d" % sum(bits[c] for c in m.group(1)), text)
    if numbers == text:
        raise Failure("no states")
    for path, content in ((plain, text), (raw, numbers)):
        with open(path, "wb") as out:
            out.write(content)
    if table("tasks", raw) != table("tasks", plain):
        raise Failure("other tasks")
    for letter in (b"X", b"x"):         # x: of kernels before 4.14
        with open(raw, "wb") as out:
            out.write(text.replace(b"prev_state=S ==>", b"prev_state=%s ==>" % letter))
        if any(int(row["sleep_ns"] or 0) for row in table("tasks", raw)):
            raise Failure("a dead task sleeps: " + letter.decode())


def in_log(text, scratch):
    """As ftrace_dump_on_oops prints it into the kernel's log."""
    plain, log = os.path.join(scratch, "plain.txt"), os.path.join(scratch, "log.txt")
    head = b"<6>[    1.000000] usb 1-1: new device\n<0>[   12.000000] Dumping ftrace buffer:\n"
    lines = [line for line in text.split(b"\n") if line and not line.startswith(b"#")]
    for path, content in ((plain, b"".join(line + b"\n" for line in lines)), (log, head + b"".join(b"<4>[   12.000001] %s\n" % line for line in lines))):
        with open(path, "wb") as out:
            out.write(content)
    if table("report", log) != table("report", plain):
        raise Failure("other events")
    if json.loads(run([PROGRAM, "info", "--format=json", log]))["unknown_lines"]:
        raise Failure("lines of the log count as unknown")


def many_cpus(scratch):
    """Each part of the text has lines of some CPUs, which come again in another order: all are there, in their order."""
    path, cpus, lines = os.path.join(scratch, "cpus.txt"), 1500, 6000
    order = [nr * 877 % cpus for nr in range(lines)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("# tracer: nop\n")
        for nr, cpu in enumerate(order):
            file.write("          task-%-5d     [%03d] d....     1.%06d: ping: nr=%d\n" % (cpu + 1, cpu, nr, nr))
    if [(int(row["cpu"]), row["text"]) for row in table("report", path)] != [(cpu, "nr=%d" % nr) for nr, cpu in enumerate(order)]:
        raise Failure("other events")
    about = json.loads(run([PROGRAM, "info", "--format=json", path]))
    if (about["events"], about["first_ts_ns"], about["last_ts_ns"]) != (lines, 10**9, 10**9 + (lines - 1) * 1000):
        raise Failure(str(about))
    backwards = run([PROGRAM, "report", "--tail", "3000", path]).splitlines()[-3000:]
    with open(path, "rb") as file:
        if backwards != file.read().splitlines()[-3000:]:
            raise Failure("other last lines")


def returned(scratch):
    """
    Values as print_graph_retval() of kernels 6.5 to 6.12 prints them, "0x%lx", "%ld" of errors without funcgraph-retval-hex;
    and as later kernels do.
    """
    path = os.path.join(scratch, "returned.txt")
    values = {"0x0": 0, "-5": -5, "0xfffffffffffffffb": -5, "0x10": 16, "0xffff88810a8bd300": 0xffff88810a8bd300}
    for leaf, end in ((" /* = %s */", " /* g%d = %s */"), (" /* ret=%s */", " /* g%d ret=%s */")):
        with open(path, "w", encoding="utf-8") as file:
            file.write("# tracer: function_graph\n")
            for nr, value in enumerate(values):
                file.write(" 1)               |  g%d() {\n 1)   0.480 us    |    f%d();%s\n" % (nr, nr, leaf % value))
                file.write(" 1)   1.480 us    |  }%s\n" % (end % (nr, value)))
        rows = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", "-F", "funcgraph_exit", path]).split(b"\n") if line]
        got = [int(row["fields"]["retval"]) for row in rows]       # an unsigned long, as in the kernel's records
        want = [value % (1 << 64) for value in values.values() for _ in range(2)]
        if got != want:
            raise Failure("%s, not %s" % (got, want))
        # a call in one line has its exit there
        lines = run([PROGRAM, "report", "-F", "ret < 0", path]).decode().splitlines()
        want = [leaf % value for value, number in values.items() if number == -5]
        if len(lines) != 5 or [line.split(";")[1] for line in lines if "();" in line] != want:
            raise Failure("\n".join(lines))


# Events with a print format of one's own: no switch tells who leaves.
CUSTOM = """\
              sh-5     [001] d.... 61.901405: sched_waking: pid=7 prio=120
          <idle>-0     [000] d.... 61.901712: sched_switch: prev_prio=120 next_pid=7 next_prio=110
              sh-5     [001] d.... 61.905792: sched_switch: prev_prio=120 next_pid=0 next_prio=120
            late-7     [000] d.... 61.910279: sched_switch: prev_prio=110 next_pid=5 next_prio=120
"""


def customized(scratch):
    """Events have the fields that their lines tell, and who ran is not guessed."""
    path = os.path.join(scratch, "custom.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(CUSTOM)
    rows = [json.loads(line) for line in run([PROGRAM, "report", "--format=json", path]).splitlines()]
    want = [{name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)} for line in CUSTOM.splitlines()]
    if [row["fields"] for row in rows] != want:
        raise Failure(str(rows))
    no_switches(path)
    if b"late-7" not in run([PROGRAM, "wakeups", path]):
        raise Failure("the wake-up is not there")


def no_switches(path):
    if b"\nmissing " in run([PROGRAM, "info", path]):
        raise Failure("switches are said to be missing")
    for command in ("tasks", "cpus", "timeline", "stacks"):
        done = subprocess.run([PROGRAM, command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        if b"the trace has no sched_switch events" not in done.stderr or b"switches are missing" in done.stderr:
            raise Failure("%s: %s" % (command, done.stderr.decode()))
    if b"no sched_switch events: who ran is unknown" not in run([PROGRAM, "summary", path]):
        raise Failure("summary does not say it")


def without_pids(scratch):
    """The same in a trace.dat, for either field."""
    path = os.path.join(scratch, "pids.dat")
    run([os.path.join(BUILD, "tests", "tools", "make_trace"), "sched-mute", path])
    with open(path, "rb") as file:
        data = file.read()
    for name in (b" prev_pid;", b" next_pid;"):
        if data.count(name) != 1:
            raise Failure("the format of sched_switch is not readable there")
        with open(path, "wb") as file:
            file.write(data.replace(name, name.replace(b"pid", b"xid")))
        no_switches(path)


def sizes(scratch):
    """A caller has the size that stands in its line."""
    path = os.path.join(scratch, "sizes.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# tracer: function_graph\n")
        for place in ("write+0xd2/0x140", "read+0x1/0x2"):
            file.write(" 1)   0.480 us    |  f(); /* <-%s ret=0x0 */\n" % place)
    text = run([PROGRAM, "graph", path]).decode()
    if "<-write+0xd2/0x140, ret=0x0" not in text or "<-read+0x1/0x2, ret=0x0" not in text:
        raise Failure(text)


def far_counts(scratch):
    """Counts of a clock that jump, both ways, by more than the 59 bits of a record's stamp."""
    path = os.path.join(scratch, "far.txt")
    counts = [7, 9, (1 << 59) + 3, (1 << 59) + 4, (3 << 59) + 1, (1 << 62) + 9, (1 << 63) - 2, (1 << 63) - 1]
    with open(path, "w", encoding="utf-8") as file:
        for nr, count in enumerate(counts + [count + 5 for count in counts[:3]]):
            file.write("          task-%d     [%03d] %d: ping: nr=%d\n" % (5 + nr // 8, nr // 8, count, nr))
    got = [(int(row["cpu"]), int(row["ts"])) for row in table("report", path)]
    want = sorted([(0, count) for count in counts] + [(1, count + 5) for count in counts[:3]], key=lambda pair: pair[1])
    if got != want:
        raise Failure("%s, not %s" % (got, want))


def quoted(scratch):
    """The kernel prints strings of probes in quotes; words of a free text keep theirs."""
    path = os.path.join(scratch, "quoted.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# tracer: nop\n")
        for nr, value in enumerate(('"/etc/passwd"', '""', '"a b"', '"a" or "b"', 'say "a"', '(fault)')):
            file.write("          task-5       [000] .....     1.%06d: myopen: (do_sys_openat2+0x0/0xe0) filename=%s\n" % (nr, value))
    got = [json.loads(line)["fields"]["filename"] for line in run([PROGRAM, "report", "--format=json", path]).split(b"\n") if line]
    want = ["/etc/passwd", "", "a b", '"a" or "b"', 'say "a"', "(fault)"]
    if got != want:
        raise Failure("%s, not %s" % (got, want))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        for nr, (name, dat, text) in enumerate(texts()):
            if nr == 0:
                tap.case("carriage returns: " + name, with_carriage_returns, text, scratch)
                tap.case("in the kernel's log: " + name, in_log, text, scratch)
            tap.case(name, check, name.split(" ")[0], dat, text, scratch)
        for folder in FOLDERS:
            for name, report in reports(folder):
                tap.case("%s: %s" % (name, os.path.basename(report)), check_report, os.path.join(folder, name, "trace.dat"),
                         read_text(report), scratch)
        tap.case("states as numbers", raw_states, read_text(os.path.join(DATA, "good", "cpu4", "kernel-trace.txt.gz")), scratch)
        for name in ("sched", "stack", "function-args"):
            tap.case("without context: " + name, without_context, os.path.join(DATA, "good", name, "trace.dat"), scratch)
        for name in ("good/function-stack-7.2/kernel-trace.txt", "good/cpu4/kernel-trace.txt.gz", "kinds/hypervisor.txt"):
            tap.case("without a header: " + name, without_header, read_text(os.path.join(DATA, name)), scratch)
        tap.case("lines of other tools in the kernel's style", in_the_kernels_style, scratch)
        tap.case("a wake-up far before its run", far_waking, scratch)
        tap.case("many CPUs", many_cpus, scratch)
        tap.case("values that functions return", returned, scratch)
        tap.case("sizes of callers", sizes, scratch)
        tap.case("switches in a print format of one's own", customized, scratch)
        if os.path.exists(os.path.join(BUILD, "tests", "tools", "make_trace")):
            tap.case("switches without pids", without_pids, scratch)
        else:
            tap.skip("switches without pids", "make_trace was not built")
        tap.case("counts far apart", far_counts, scratch)
        tap.case("strings in quotes", quoted, scratch)
        tap.case("long lines, control characters, lines that are no events", hostile, scratch)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
