#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report -F, -v, --grep and --count: beside trace-cmd's own filters, and among each other.  Prints TAP.

Random expressions are test_filter_random's; here are whole reports, with what follows from the order of options.
"""
import errno
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import (AS_TRACE_CMD, BUILD, DATA, LIMIT_S, LONG, PROGRAM, SHARED, TRACE_CMD, TRACE_CMD_VERSION,
                           Failure, Tap, asked, read_text, report, run, same, trace_cmd_like)

# What trace-cmd takes, and means the same here.
BESIDE = (
    ("sched", ["-F", "sched_switch"]),
    ("sched", ["-F", "sched/sched_switch : prev_state == 0"]),
    ("sched", ["-F", "sched: next_pid > 100 || pid < 50"]),
    ("sched", ["-F", "sched_switch,sched_wakeup:prev_prio==120||(prio & 8)"]),
    ("sched", ["-v", "-F", "sched_switch: prev_state == 0"]),
    ("sched", ["-F", "sched_switch", "-v", "-F", "sched_switch: prev_state == 0"]),
    ("sched", ["-F", "sched_switch: prev_state == 1", "-F", "sched_wakeup: target_cpu == 0"]),
    ("sched", ["-F", '.*:COMM != "trace-cmd"']),
    ("sched", ["-F", ".*:CPU == 1"]),
    ("sched", ["-F", 'sched_switch: next_comm =~ "WL.*"']),
    ("fgraph-7.2", ["-F", "fgraph_retaddr_entry: depth < 3"]),
    ("fgraph-7.2", ["-F", "funcgraph_exit"]),
    ("lost-text", ["-F", "irq/.*"]),
    ("sample", ["-F", "sample-trace"]),
    ("sample", ["-F", "sched/"]),
    ("sample", ["-F", "sample-trace/: bar > 2"]),
    ("lost-text", ["-F", "irq/.*: vec != 77 || irq != 77"]),
)

# By trace-cmd's own rules: neither binds closer, names are regular expressions on systems too, stacks once shown stay.
COMPAT = (
    ("sched", "sched.*: prev_state == 1 || next_pid == 0 && next_prio == 120"),
    ("sched", "sch.d/sched_[sw].*: bogus == 1 || common_pid > 100"),
    ("stack", "sched_waking: pid > 0"),
    ("stack", r"irq\|sched"),
    ("lost-text", "irq"),
)

# Of the same events: -F, and the report without it as text.
AMONG = (
    ("sched", "sched_switch: prev_state == R", r" sched_switch: .* R ==> "),
    ("sched", "sched_switch && cpu == 0", r"\[000\].* sched_switch: "),
    ("sched", "pid in (0)", r"^ +<idle>-0 "),
    ("sched", "target_cpu == true", r" sched_wak\w+: .*(CPU:001|target_cpu=001)"),
)

HOSTILE = "^((.)+.)+X([a-z0-9 ])+$"

WRONG = (
    ("sched_switch: nxt_pid == 3", 'byte 14, "nxt_pid": sched_switch has no field nxt_pid; did you mean next_pid?'),
    ("prev_stat == R", 'byte 0, "prev_stat": no event has a field prev_stat; did you mean prev_state?'),
    ("sched_swich", 'byte 0, "sched_swich": no event and no field is named sched_swich; did you mean sched_switch?'),
    ("sched_switch|sched_waking", 'byte 0, "sched_switch": sched_switch is an event, not a field: use it alone or before a colon'),
    ("foo-bar == 1", 'byte 0, "foo": no event has a field foo'),
    ("trace_cmd", 'byte 0, "trace_cmd": no event and no field is named trace_cmd; to search for text, put it in quotes'),
    ("61", 'byte 0, "61": 61 is a number, not a condition; did you mean pid == 61?'),
    ("wl", 'byte 0, "wl": no event and no field is named wl'),
    ("payload", 'byte 0, "payload": no event and no field is named payload, but a task is; did you mean comm == payload or "payload"?', "cpu4"),
    ("vfs_read", 'byte 0, "vfs_read": no event and no field is named vfs_read, but a function is; did you mean func == vfs_read or "vfs_read"?', "cpu4"),
    ("tid > 5", 'byte 0, "tid": no event has a field tid; did you mean pid?'),
    ("wakeup > 1ms", 'byte 0, "wakeup": no event has a field wakeup; did you mean wakelat?'),
    ("not wl", 'byte 4, "wl": no event and no field is named wl, but a task is; did you mean comm == wl or "wl"?'),
    ("cpu == 1 or not wl and irq", 'byte 16, "wl": no event and no field is named wl, but a task is; did you mean comm == wl or "wl"?'),
    ("not wl", 'byte 4, "wl": no event and no field is named wl; to search for text, put it in quotes', "cpu4"),
    ("task == busy", 'byte 8, "busy": no event has a field busy; did you mean comm == busy?', "cpu4"),
    ('!(task ~ "wl*")', 'byte 9, ""wl*"": a number is expected here; did you mean comm ~ "wl*"?'),
    ("(tgid in (wl, sh))", 'byte 10, "wl": no event has a field wl; did you mean process in (wl, sh)?'),
    ("next_pid != wl", 'byte 12, "wl": next_pid has no value wl; did you mean next_comm != wl?'),
    ("pid == nxt_pid", 'byte 7, "nxt_pid": no event has a field nxt_pid; did you mean next_pid?'),
    ("event =~ /irq/", 'byte 0, "event": no event has a field event; did you mean *irq*?'),
    ("event !~ /^sched_sw/", 'byte 0, "event": no event has a field event; did you mean !sched_sw*?'),
    ("event == sched_switch", 'byte 0, "event": no event has a field event; did you mean sched_switch?'),
    ("event == sched_switch", 'byte 9, "sched_switch": event has no value sched_switch; did you mean sched_switch?', "cpu4"),
    ("cpu 1", 'byte 4, "1": == is missing here: cpu == 1'),
    ("comm=sh", 'byte 4, "=": use == to compare'),
    ("comm == wl-*", 'byte 8, "wl-*": a string is expected here, in quotes; for a glob: ~ "wl-*"'),
    ("comm ~ wl-*", 'byte 7, "wl-*": a string is expected here, in quotes: "wl-*"'),
    ("prev_state == R+", "byte 16: a value is missing here; put a name with a + in quotes"),
    ("shed_switch: x", 'byte 0, "shed_switch": no event is named shed_switch; did you mean sched_switch?'),
    ("prev_state == Q", 'byte 14, "Q": prev_state has no value Q; its values are R, S, D'),
    ("prev_pid == ", "byte 12: a value is missing here"),
    ("comm == 5", 'byte 8, "5": a string is expected here'),
    ("1 == 1-3", 'byte 0, "1 == 1-3": a field is expected on one side'),
    ("'c' != CPUS{1-3,5}", """byte 0, "'c' != CPUS{1-3,5}": a field is expected on one side"""),
    ("CPUS{1} == CPUS{1,2}", 'byte 0, "CPUS{1} == CPUS{1,2}": a field is expected on one side'),
    ("0-3", 'byte 0, "0-3": numbers are not a condition: compare a field with them, as in cpu in 0-3'),
    ("prev_comm < bash", 'byte 12, "bash": strings are compared with'),
    ("(cpu == 1", "byte 9: a closing bracket is missing here"),
    ("prev_pid == 1.5", 'byte 12, "1.5": a whole number is expected'),
    ("comm =~ /(/", 'byte 8, "/(/": invalid regular expression'),
    ("prev_state & QQ", 'byte 13, "QQ": prev_state has no value QQ; its values are '),
    ("sched_switch: prev_state == DD", 'byte 28, "DD": prev_state has no value DD; did you mean '),
    ("next_prio == -ENOENTT", 'byte 14, "ENOENTT": next_prio has no value ENOENTT; did you mean ENOENT?'),
    ("addr == tick_sched_timr", 'byte 8, "tick_sched_timr": there is no function tick_sched_timr; did you mean tick_sched_timer?', "cpu4"),
    ("args & 1", 'byte 0, "args": a number is expected here: args is an array, args[0] is its first element', "fgraph-7.2"),
    ("cpu == 0 && args", 'byte 12, "args": an array is not a condition: compare it', "fgraph-7.2"),
    ("file == shed", 'byte 8, "shed": no file has this name; there is trace.dat'),
    ("instance == fo", 'byte 12, "fo": no instance has this name; there are top, gr, bar, foo', "instances"),
    ("comm == swapper/0", 'byte 8, "swapper/0": a string is expected here, in quotes: "swapper/0"'),
    ("comm == kworker/0:1", 'byte 17, ":": &&, || or the end is expected here; put a name with a colon in quotes'),
    ("func == schedulle", 'byte 8, "schedulle": there is no function schedulle; did you mean schedule?', "cpu4"),
    ("func in (schedule, do_nanoslep)", 'byte 19, "do_nanoslep": there is no function do_nanoslep; did you mean do_nanosleep?', "cpu4"),
    ('func == "schedulle"', 'byte 8, ""schedulle"": there is no function schedulle; did you mean schedule?', "cpu4"),
    ("under schedulle", 'byte 6, "schedulle": there is no function schedulle; did you mean schedule?', "cpu4"),
    ("stack contains schedulle", 'byte 15, "schedulle": there is no function schedulle; did you mean schedule?', "stack"),
    ("comm", 'byte 0, "comm": this is not a condition: compare it with a value'),
    ("cpu == 1 && next_comm", 'byte 12, "next_comm": this is not a condition: compare it with a value'),
    ("stack", 'byte 0, "stack": this is not a condition: compare it with a value', "stack"),
    ("lstr & 3", 'byte 0, "lstr": a number is expected here', "sample"),
)


def path(name):
    shared = os.path.join(SHARED, "fixtures", name, "trace.dat")
    return shared if SHARED and os.path.exists(shared) else os.path.join(DATA, "good", name, "trace.dat")


def beside(name, options):
    text = report(AS_TRACE_CMD + options, path(name))
    same(text, trace_cmd_like(text, options, path(name)) if "-i" in options else trace_cmd(text, options, path(name)))
    if text.count(b"\n") < 3:
        raise Failure("nothing is left, so nothing is compared")


def trace_cmd(text, options, file):
    """trace-cmd takes filters in front of the file alone; one run in fifty shows times of old files raw."""
    for _ in range(3):
        told = subprocess.run([TRACE_CMD, "report"] + options + [file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, check=False).stdout
        if told == text:
            break
    return told


def compat(name, expression):
    text = report(AS_TRACE_CMD + ["--compat-filter", "-F", expression], path(name))
    same(text, trace_cmd(text, ["-F", expression], path(name)))
    if text.count(b"\n") < 3:
        raise Failure("nothing is left, so nothing is compared")


def leaves_34():
    """A leaf is shown with its exit's time and value, whatever a filter does with the exit: lines of the stored report."""
    full = read_text(os.path.join(DATA, "good", "fgraph-7.2", "report-3.4.txt.gz")).splitlines(keepends=True)
    wanted = full[:1] + [line for line in full if b" fgraph_retaddr_entry: " in line]
    if not any(b"(ret=" in line for line in wanted):
        raise Failure("there are no leaves")
    same(report(["--compat=3.4", "-F", "fgraph_retaddr_entry"], path("fgraph-7.2")), b"".join(wanted))


def counted(name, options):
    """--count is the number of rows of JSON; --head and --tail count matches, and are its ends."""
    rows = [row for row in report(options + ["--format=json"], path(name)).splitlines() if not row.startswith(b'{"lost"')]
    stacks = sum(json.loads(row)["event"] in ("kernel_stack", "user_stack") for row in rows)
    count = int(report(options + ["--count"], path(name)))
    if not stacks and count != len(rows):
        raise Failure("--count says %d of %d rows" % (count, len(rows)))
    if stacks:
        return
    for end, part in (("--head", rows[:3]), ("--tail", rows[-3:])):
        got = report(options + ["--format=json", end, "3"], path(name)).splitlines()
        same(b"\n".join(row for row in got if not row.startswith(b'{"lost"')), b"\n".join(part))


def among(name, expression, regex):
    lines = [line for line in report([], path(name)).decode().split("\n") if re.search(regex, line)]
    same(report(["-F", expression], path(name)).decode().split("\n", 1)[1].rstrip("\n"), "\n".join(lines))
    same(report(["--grep", regex], path(name)).decode().split("\n", 1)[1].rstrip("\n"), "\n".join(lines))
    if int(report(["--grep", regex, "--count"], path(name))) != len(lines):
        raise Failure("--grep --count")


def wrong(expression, message, name="sched"):
    done = subprocess.run(asked("report", "-F", expression, path(name)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False)
    at, token, message = re.match(r'byte (\d+)(?:, "(.*?)")?: (.*)', message).groups()
    marks = " " * (2 + int(at)) + "^" * max(1, len(token or ""))
    said, shown, below = done.stderr.decode().rstrip("\n").split("\n")
    if done.returncode != 2 or done.stdout or not said.startswith("ftop-trace: -F: " + message) or shown != "  " + expression or below != marks:
        raise Failure("%d, %s\nwith below it\n%s" % (done.returncode, done.stderr.decode(), marks))


def kernel_text(name):
    """The kernel's own trace file of a recording, or None."""
    file = os.path.join(os.path.dirname(path(name)), "kernel-trace.txt")
    found = [one for one in (file, file + ".gz") if os.path.exists(one)]
    return read_text(found[0]).decode() if found else None


def flags_by_text():
    """Patterns see all names of a field's bits as the kernel's text has them: GFP_KERNEL|__GFP_ZERO."""
    shown = re.findall(r" gfp_flags=(\S+)", kernel_text("mem"))
    for expression, regex in (("gfp_flags =~ /ZERO/", "ZERO"), ("gfp_flags !~ /ZERO/", "^(?!.*ZERO)"), ("gfp_flags contains ZERO", "ZERO"),
                              ("gfp_flags ~ 'GFP_KERNEL|*'", r"^GFP_KERNEL\|"), ("gfp_flags =~ /^GFP_KERNEL$/", "^GFP_KERNEL$"),
                              ("gfp_flags == GFP_KERNEL", "^GFP_KERNEL$"), ("gfp_flags == *MOVABLE*ZERO", "MOVABLE.*ZERO$")):
        kept = sum(re.search(regex, text) is not None for text in shown)
        if not 0 < kept < len(shown):
            raise Failure("%s does not choose" % regex)
        same(report(["--count", "-F", expression], path("mem")), b"%d\n" % kept)


def contexts_of_text(name):
    """Lines of a latency tracer's text tell their context in columns: irqs-off, need-resched, hardirq/softirq, preempt-depth."""
    flags = re.findall(r"^ *\S+-\d+ +\d(\S{4,5}) +\d+us", report([], path(name)).decode(), re.M)
    if len(flags) != int(report(["--count"], path(name))):
        raise Failure("%d lines have flags" % len(flags))
    for expression, column, letters in (("irqs_off", 0, "dD"), ("need_resched", 1, "Nn"), ("irq", 2, "hH"), ("softirq", 2, "sH"),
                                        ("nmi", 2, "zZ"), ("preempt_count == 0", 3, "."), ("preempt_count == 1", 3, "1"),
                                        ("preempt_count > 3", 3, "456789abcdef")):
        same(report(["--count", "-F", expression], path(name)), b"%d\n" % sum(one[column] in letters for one in flags))


def errors():
    """All names of errors that this system has, and those that the kernel keeps to itself, are known."""
    for name in sorted(errno.errorcode.values()) + ["ENOTSUP", "EDEADLOCK", "ERESTARTSYS", "EPROBE_DEFER", "ENOGRACE"]:
        report(["--count", "-F", "next_prio == -%s" % name], path("sched"))
    same(*[report(["--count", "-F", "next_prio < 130 && next_prio > %s" % one], path("sched")) for one in ("ENOTSUP", "95")])


def any_element():
    """list[any] is list, in a trace whose formats have other fields of that name, too."""
    told = [report(["-F", expression], path("sample")) for expression in ("list[any] == 2", "list == 2")]
    same(*told)
    if told[0].count(b"\n") < 3:
        raise Failure("nothing is left, so nothing is compared")


def reason():
    for expression, why in (("bprint", "the trace has no bprint events"),
                            ("dur > 1ms", "the trace has no calls (function_graph)"),
                            ("under vfs_read", "the trace has no calls (function_graph)"),
                            ("ret < 0", "the trace has no return values"),
                            ("stack contains schedule", "the trace has no stacks"),
                            ("cpu == 0 && comm == nobody", "no event of the trace has comm == nobody"),
                            ("pid == 99999", "no event of the trace has pid == 99999"),
                            ("pid in (%s)" % ", ".join("%d" % pid for pid in range(90000, 99000, 2)),
                             "no event of the trace has pid in (90000, 90002, 90004, 90006, 90008, 90010, 90012, 90014, "
                             "90016, 90018, 90…\n"),
                            ("sched_switch: next_prio == 7", "no event of the trace has sched_switch: next_prio == 7"),
                            ("sched_wakeup && prev_pid == 0 && cpu == 1", "no event can have both sched_wakeup and prev_pid == 0: "
                             "prev_pid == 0 belongs to sched_switch\n"),
                            ("tgid == 99999 && pid == 3", "no event of the trace has tgid == 99999"),
                            ("sched_switch && prev_pid == 0 && next_pid == 0", "events with sched_switch: "),
                            ("sched_switch && pid == 0", None)):
        done = subprocess.run(asked("report", "-F", expression, path("sched")), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        told = done.stderr.decode()
        if done.returncode or (("nothing matches: " + why) not in told if why else told):
            raise Failure("%s: %s" % (expression, told))


# What no event can be, whatever the trace holds, and what one could have been.
EXCLUSIVE = (
    ("pid == 5", "pid == 6", "pid == 5"), ("cpu == 0", "cpu in 1-3", "cpu in 0-3"), ("prev_prio > 5", "prev_prio < 3", "prev_prio < 7"),
    ("pid in (3, 4)", "pid in (5, 6-8)", "pid in (5, 2-3)"), ('comm == "a"', "comm == b", "comm == a"),
    ("comm == bash", "comm =~ /^k/", "comm =~ /^b/"), ("prev_comm == bash", "prev_comm ~ \"k*\"", "prev_comm ~ \"*h\""),
    ("time < +1ms", "time > +2ms", "time > 0.5"), ("between 7 8", "between 9 10", "between 8 9"),
    ("prev_state == R", "prev_state == S", "prev_state == R"), ("irq", "not irq", "not softirq"), ("pid == 3", "pid != 3", "pid != 4"),
    ("pid in 3-4", "not (pid in 2-5)", "not (pid in 4-5)"), ("(pid == 3 || pid == 4)", "pid == 5", "pid == 4"),
    ("prev_prio in 1-9", "(prev_prio == 0 || prev_prio > 9 && cpu == 1)", "(prev_prio == 0 || prev_prio > 8 && cpu == 1)"),
    ("next_pid == -1", "next_pid >= 0", "next_pid < 0"),
)


def why(expression, name="sched"):
    done = subprocess.run(asked("report", "--count", "-F", expression, path(name)), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Failure("%s: %s" % (expression, done.stderr.decode()))
    return done.stderr.decode()


def exclusive():
    for one, other, beside in EXCLUSIVE:
        for a, b in ((one, other), (other, one)):
            told = why("%s && %s" % (a, b))
            if told != "ftop-trace: nothing matches: %s and %s exclude each other\n" % (a, b):
                raise Failure("%s, %s: %s" % (a, b, told))
            if "exclude" not in why("%s && cpu >= 0 && %s" % (a, b)):
                raise Failure("%s, %s: not with a third between" % (a, b))
            if why("(%s && %s) || sched_switch" % (a, b)) or why("!(%s && %s)" % (a, b)):
                raise Failure("%s, %s: not all was asked for" % (a, b))
        if "exclude" in why("%s && %s" % (one, beside)):
            raise Failure("%s and %s may go together" % (one, beside))


def of_other_events():
    for expression, told in (("sched_switch && sched_waking", "no event can have both sched_switch and sched_waking\n"),
                             ("cpu == 1 && sched_waking && next_pid == 3",
                              "no event can have both sched_waking and next_pid == 3: next_pid == 3 belongs to sched_switch\n"),
                             ("sched_switch && dur > 1ms", "dur > 1ms belongs to funcgraph_exit\n"),
                             ("cpu == 1 && cur_freq == 3", None), ("irq == 3 && sched_switch", "no event of the trace can have irq == 3")):
        if told and told not in why(expression, "cpu4"):
            raise Failure("%s: %s" % (expression, why(expression, "cpu4")))


def counts_of_terms():
    """Each term by itself, where none is alone to blame: beside the rows of JSON."""
    events = [row for row in map(json.loads, report(["--format=json"], path("cpu4")).splitlines()) if "event" in row]
    switches = [row for row in events if row["event"] == "sched_switch"]
    tasks = [sum(row["pid"] == 80 for row in events), sum(row["cpu"] == 3 for row in events)]
    idle = [sum(row["fields"][name] == 0 for row in switches) for name in ("prev_pid", "next_pid")]
    for expression, told in (("pid == 80 && cpu == 3", "pid == 80: %d, cpu == 3: %s, both: none" % (tasks[0], f"{tasks[1]:,}".replace(",", " "))),
                             ("sched_switch && prev_pid == 0 && next_pid == 0",
                              "sched_switch: %d, prev_pid == 0: %d, next_pid == 0: %d, all of these: none" % (len(switches), *idle))):
        if why(expression, "cpu4") != "ftop-trace: nothing matches: events with " + told + "\n":
            raise Failure("%s: %s, not %s" % (expression, why(expression, "cpu4"), told))
    for options in (["--to", "7.32827"], ["--grep", "no line has this"], ["--cpu", "3", "-v", "-F", "cpu == 3"]):
        done = subprocess.run(asked("report", "-F", "sched_switch", *options, path("cpu4")), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        told = "nothing matches" + ("" if "-v" in options else " in the window or selection; in the whole trace %d events do" % len(switches))
        if "--grep" in options:
            told = "--grep no line has this: no line matches"
        if done.stderr.decode() != "ftop-trace: %s\n" % told:
            raise Failure("%s: %s" % (options, done.stderr.decode()))


def told_of(*options):
    done = subprocess.run(asked("report", "--count", *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode().replace(path("sched"), "SCHED").replace(path("cpu4"), "CPU4")


def files():
    """Of several files a mistake names those it is one for; one that has nothing of what is asked for is told."""
    sched, cpu4, sample = path("sched"), path("cpu4"), path("sample")
    wrong_word = '-F: %sno event has a field prev_stat; did you mean prev_state?%s\n  prev_stat == R\n  ^^^^^^^^^\n'
    no_event = '-F: %sno event is named funcgraph_ent%s\n  funcgraph_ent: depth == 1\n  ^^^^^^^^^^^^^\n'
    nothing = (0, "ftop-trace: nothing in SCHED matches: this file has no funcgraph_exit events\n")
    for options, expected in (
            (["-F", "prev_stat == R", sched, cpu4], (2, wrong_word % ("", " (in both files)"))),
            (["-F", "prev_stat == R", sched, cpu4, sched], (2, wrong_word % ("", " (in all 3 files)"))),
            (["-i", cpu4, "-F", "cpu == 1", "-i", sched, "-F", "prev_stat == R"], (2, wrong_word % ("SCHED: ", ""))),
            (["-F", "prev_stat == R", "-i", cpu4, "-i", sched], (2, wrong_word % ("CPU4: ", ""))),
            (["-F", "prev_stat == R", sched], (2, wrong_word % ("", ""))),
            (["-F", "funcgraph_ent: depth == 1", sched, cpu4], (2, no_event % ("", "; did you mean funcgraph_exit or funcgraph_entry? (in both files)"))),
            # An event that only the other file knows.
            (["-i", sched, "-F", "foo_bar: bar > 0", "-i", sample], (2, '-F: SCHED: no event is named foo_bar\n  foo_bar: bar > 0\n  ^^^^^^^\n')),
            (["-i", sched, "-F", "foo_bar && bar > 0", "-i", sample],
             (2, '-F: SCHED: no event and no field is named foo_bar; to search for text, put it in quotes\n'
              '  foo_bar && bar > 0\n  ^^^^^^^\n')),
            (["-i", sample, "-F", "foo_bar: bar > 0", "-i", sched], (0, "")),
            (["-F", "foo_bar: bar > 0", sample, sched], (0, "ftop-trace: nothing in SCHED matches: this file has no foo_bar events\n")),
            (["-F", "funcgraph_exit", sched, cpu4], nothing), (["-F", "funcgraph_exit", cpu4, sched], nothing),
            (["-F", "funcgraph_exit", "--format=json", cpu4, sched], nothing),
            (["-F", "funcgraph_exit", "--style=kernel", cpu4, sched], nothing),
            (["-F", "funcgraph_exit", "--from", "+0", cpu4, sched], nothing),
            (["-F", "funcgraph_exit", "-F", "sched_switch", cpu4, sched], (0, "")),
            (["-i", sched, "-F", "funcgraph_exit", "-i", cpu4], nothing), (["-i", cpu4, "-F", "funcgraph_exit", "-i", sched], (0, "")),
            (["-F", "cpu < 2 && dur > 1us", cpu4, sched], (0, "ftop-trace: nothing in SCHED matches: no event of this file can have dur > 1us\n")),
            (["-F", "dur > 1us", "-F", "dur < 1us", cpu4, sched],
             (0, "ftop-trace: nothing in SCHED matches: no event of this file can have these values\n")),
            (["-F", "bprint", cpu4, sched], (0, "ftop-trace: nothing matches: the trace has no bprint events\n"))):
        got = told_of(*options)
        if (got[0] != expected[0] or not got[1].endswith(expected[1]) or bool(got[1]) != bool(expected[1])):
            raise Failure("%s: %s" % (" ".join(options), got))


def origins():
    """file and instance keep what the files, and their buffers, hold by themselves."""
    both = [path("cpu4"), path("sched")]
    alone = [int(report(["--count"], file)) for file in both]
    for expression, expected in (("file == cpu4", alone[0]), ('file == "sched/trace.dat"', alone[1]), ("file != cpu4", alone[1]),
                                 ("file =~ /trace/", sum(alone)), ("file in (sched, cpu4)", sum(alone)),
                                 ("!(file == sched) && file ~ cp*", alone[0])):
        got = run([PROGRAM, "report", "--count", "-F", expression] + both)
        if int(got) != expected:
            raise Failure("%s: %r, not %d" % (expression, got, expected))
    told = subprocess.run([PROGRAM, "report", "--count", "-F", "file == cpu4"] + both, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True).stderr
    if told:
        raise Failure("it is told that the other file has nothing of it: %r" % told)
    buffers = {b["name"] or "top": b["events"] for b in json.loads(run([PROGRAM, "info", "--format=json", path("instances")]))["buffers"]}
    for name in buffers:
        for expression, expected in (("instance == %s", buffers[name]), ("instance != %s", sum(buffers.values()) - buffers[name])):
            got = report(["--count", "-F", expression % name], path("instances"))
            if int(got) != expected:
                raise Failure("%s: %r, not %d" % (expression % name, got, expected))


def no_tasks():
    """Several buffers, and nothing in any of them that tells of tasks: that is told, and the work ends."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "v6.dat")
        run([os.path.join(BUILD, "tests", "tools", "rewrite_trace"), path("instances"), file, "v6"])
        with open(file, "rb") as f:
            data = f.read()
        with open(file, "wb") as f:
            f.write(data.replace(b"sched\0", b"other\0").replace(b"name: sched_", b"name: other_"))
        for argv in (["report", "--count", "-F", "wait > 1ms"], ["report", "--count", "-F", "prio < 100"], ["tasks", "--count"]):
            try:
                subprocess.run([PROGRAM] + argv + [file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT_S,
                               check=False)
            except subprocess.TimeoutExpired as late:
                raise Failure("%s does not end" % " ".join(argv)) from late


def commands():
    """Every command knows filters by their names, and says why nothing matches."""
    for command in ("report", "functions", "graph", "tasks", "wakeups", "timeline"):
        for expression, why in (("slow_calls", ""), ("involuntary_switches && long_waits", ""),
                                ("slow_calls && cpu == 99", "nothing matches: the trace has no such CPU"),
                                ("bprint && slow_calls", "nothing matches: the trace has no bprint events")):
            done = subprocess.run(asked(command, "-F", expression, path("cpu4")), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
            if done.returncode or why not in done.stderr.decode():
                raise Failure("%s -F %s: %s" % (command, expression, done.stderr.decode()))


def names_file():
    """Wrong lines of the file of named filters are told where a filter is wrong, and change nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "ftop-trace"))
        file = os.path.join(folder, "ftop-trace", "filters")
        with open(file, "w") as lines:
            lines.write("mine = cpu == 0\ntwo words = cpu == 0\ncpu = pid == 1\n")
        for expression, status, out, err in (("mine", 0, report(["--count", "-F", "cpu == 0"], path("sched")), b""),
                                             ("two", 2, b"", b"is named two; to search for text, put it in quotes (and %s, line 2: a line is "
                                              % file.encode())):
            done = subprocess.run(asked("report", "--count", "-F", expression, path("sched")), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                                  env=dict(os.environ, XDG_CONFIG_HOME=folder))
            if done.returncode != status or done.stdout != out or err not in done.stderr:
                raise Failure("%s: %d, %r, %r" % (expression, done.returncode, done.stdout, done.stderr))


def branches():
    """Its records name functions that kallsyms lacks: they are in its lines, and no mistake."""
    names = re.findall(r" branch: +[0-9]+:([a-z_0-9]+):", report([], path("branch")).decode())
    for name in sorted(set(names))[::1 if LONG else 7]:
        if int(report(["--count", "-F", "func == %s" % name], path("branch"))) != names.count(name):
            raise Failure("%s is not found as often as it is there" % name)


def losses():
    rows = [json.loads(row) for row in report(["-F", "lost", "--format=json"], path("lost-text")).splitlines()]
    whole = [row for row in map(json.loads, report(["--format=json"], path("lost-text")).splitlines()) if "lost" in row]
    if not rows or rows != whole:
        raise Failure("%d rows of loss, not %d" % (len(rows), len(whole)))


def uncounted():
    done = subprocess.run(asked("report", "--count", "-F", "lost", path("lost-text")), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode or done.stdout != b"0\n" or b"report -F lost lists them" not in done.stderr:
        raise Failure("%r, %r" % (done.stdout, done.stderr))


def hostile(options):
    """A regular expression that would take years is cut off, and that is told, whoever matches it."""
    done = subprocess.run(asked("report", "--count", *options, path("sched")), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, timeout=LIMIT_S)
    if done.returncode or done.stdout != b"0\n" or b"took too many steps" not in done.stderr:
        raise Failure("%d, %r, %r" % (done.returncode, done.stdout, done.stderr))


def fields():
    rows = [json.loads(row) for row in run([PROGRAM, "fields", "--format=json", path("sched")]).splitlines()]
    state = [row for row in rows if row["event"] == "sched_switch" and row["field"] == "prev_state"]
    info = json.loads(run([PROGRAM, "info", "--format=json", path("sched")]))
    events = {(row["system"], row["event"]): row["events"] for row in rows if row["event"]}
    if len(state) != 1 or "S=1" not in state[0]["values"] or state[0]["type"] != "long":
        raise Failure(str(state))
    if events != {(t["system"], t["name"]): t["count"] for t in info["event_types"]}:
        raise Failure("events are not those of info")


def main():
    tap = Tap()
    for name, options in BESIDE:
        if not TRACE_CMD:
            tap.skip(name, "no trace-cmd here")
        elif TRACE_CMD_VERSION == (3, 3) and "retaddr" in options[-1]:
            tap.skip(name, "callers of functions came with trace-cmd 3.4")
        else:
            tap.case("%s %s" % (name, " ".join(options)), beside, name, options)
        tap.case("--count %s %s" % (name, " ".join(options)), counted, name, options)
    for name, expression in COMPAT:
        if not TRACE_CMD:
            tap.skip(name, "no trace-cmd here")
        elif AS_TRACE_CMD and name == "stack":
            tap.skip(name, "the rules for stacks are those of trace-cmd 3.1")
        else:
            tap.case("--compat-filter %s %s" % (name, expression), compat, name, expression)
    tap.case("leaves of trace-cmd 3.4", leaves_34)
    for case in AMONG:
        tap.case("%s: %s is %s" % case, among, *case)
    for case in WRONG:
        tap.case("wrong: %s" % case[0], wrong, *case)
    tap.case("names of errors", errors)
    for name in ("irqsoff", "irqsoff-7.2", "wakeup-rt"):
        if os.path.exists(path(name)):
            tap.case("contexts in the text of %s" % name, contexts_of_text, name)
        else:
            tap.skip("contexts in the text of %s" % name, "no such trace here")
    if os.path.exists(path("mem")):
        tap.case("names of bits by their text", flags_by_text)
    else:
        tap.skip("names of bits by their text", "no such trace here")
    tap.case("any element of an array", any_element)
    tap.case("why nothing matches", reason)
    tap.case("terms that exclude each other", exclusive)
    tap.case("terms of different events", of_other_events)
    tap.case("terms that go together in no event", counts_of_terms)
    tap.case("which of several files", files)
    tap.case("of which file and instance", origins)
    tap.case("several buffers without tasks", no_tasks)
    tap.case("names of filters, and reasons, in all commands", commands)
    tap.case("the file of named filters", names_file)
    if os.path.exists(path("branch")):
        tap.case("functions that only the branch tracer knows", branches)
    else:
        tap.skip("functions that only the branch tracer knows", "no such trace here")
    for options in (["--grep", HOSTILE], ["-F", "/%s/" % HOSTILE], ["-F", "/%s/" % HOSTILE, "--from", "+0"],
                    ["--format=csv", "--grep", HOSTILE], ["--style=kernel", "--grep", HOSTILE]):
        tap.case("hostile %s" % " ".join(options), hostile, options)
    tap.case("lost events", losses)
    tap.case("lost events are not counted, and that is told", uncounted)
    tap.case("fields", fields)
    tap.end()


main()
