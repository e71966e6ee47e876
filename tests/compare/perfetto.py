#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""export --perfetto beside the records of the file, read by the oracle of calls: every event with its fields, every call
with its times and depth, gaps, marks, names.  With --long, protoc reads the files, too.  Then what the program reads back
of its export.  Prints TAP."""
import collections
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_oracle
from functions import plain
from perfetto_reader import SCHEMA, Perfetto
from report_common import DATA, LONG, PROGRAM, SRC, TRACE_CMD, Failure, Tap, run, shared_fixtures, traces

TRACES = ("cpu4", "fgraph-7.2", "function-args", "graph-two-cpus", "instances", "kprobe", "marker", "sample", "stack")
# The oracle knows neither offsets of times nor records without a format nor text.
NOT_READ = ("blk", "blk-7.2", "blk-classic-7.2", "date", "clock-tsc", "v7-zlib")
CALLS = ("funcgraph_entry", "funcgraph_exit", "fgraph_retaddr_entry")
EVENTS = {name for name, _ in SCHEMA["FtraceEvent"].values()}
SIZES = {"unsigned char": 1, "char": 1, "u8": 1, "__u8": 1, "short": 2, "u16": 2, "int": 4, "u32": 4, "__u32": 4}
ATRACE = re.compile(rb"[BCSFINGH]\|.*|E(\|.*)?\n?", re.S)
NAMED = {"caller", "function", "func"}	# fields that may have names instead of addresses
MOST_BYTES = 1.2		# for each byte of the records


def export(trace, *options):
    return run([PROGRAM, "export", "--perfetto=-", *options, trace])


# --- events ----------------------------------------------------------------------------------------------------------
def declared(record, name):
    """The field's declaration, where it lies and how many bytes it has."""
    return record.format.declared[name], record.format.fields[name].offset, record.format.fields[name].size


def location(record, name):
    declaration, offset, size = declared(record, name)
    if not declaration.startswith("__"):
        return record.data[offset:offset + size] if size else record.data[offset:]
    word, = struct.unpack(("<" if record.order == "little" else ">") + "I", record.data[offset:offset + 4])
    start = (word & 0xffff) + (offset + 4 if declaration.startswith("__rel_loc") else 0)
    return record.data[start:start + (word >> 16)]


def value(record, name):
    """What the record has: a list of numbers, or of one string; None: it is not looked at here."""
    declaration, _, size = declared(record, name)
    base = re.sub(r"\[.*|\b(__data_loc|__rel_loc|const)\b", "", declaration).rsplit(" ", 1 if "[" not in declaration.split(" ")[1] else 0)[0].strip()
    if re.fullmatch(r".*char\b.*\[.*\].*", declaration) and "unsigned" not in declaration:
        return [location(record, name).split(b"\0")[0]]
    if "[" in declaration or declaration.startswith("__data_loc") or declaration.startswith("__rel_loc"):
        element = 8 if re.match(r"(unsigned )?long|u64|__u64", base) else SIZES.get(base, 0)
        if element < 2 or "cpumask" in declaration or re.match(r"__(data|rel)_loc unsigned long", declaration):
            return None
        data = location(record, name)
        return [int.from_bytes(data[i:i + element], record.order) for i in range(0, len(data) - element + 1, element)]
    return [record[name] & (1 << 64) - 1] if size in (1, 2, 4, 8) else None


# kKernelFunctionFields of trace_processor (importers/ftrace/ftrace_parser.cc), but calls
FUNCTIONS = {"sched_blocked_reason": "caller", "workqueue_queue_work": "function", "workqueue_activate_work": "function",
             "workqueue_execute_start": "function", "workqueue_execute_end": "function", "hrtimer_expire_entry": "function"}


def same_fields(record, event, oracle, symbols):
    known = {name for name, _ in SCHEMA[name_in_schema(event.name)].values()} if event.name in EVENTS else None
    for name in list(record.format.declared)[:32 + 4]:
        if name.startswith("common_") or known is not None and name not in known or event.name == "print" and name == "ip":
            continue
        expected = value(record, name)
        if FUNCTIONS.get(event.name) == name and expected:	# a number below 2^32, or 0
            found = [symbols[n].split(" ")[0] for n in event.fields[name] if n]
            if found != [oracle.function(n).split(" ")[0] for n in expected if n]:
                raise Failure("%s at %d: %r" % (event.name, event.ts, found))
            continue
        if expected is not None and event.fields[name] != expected and name not in ("bytes",):
            raise Failure("%s at %d: %s is %r, not %r" % (event.name, event.ts, name, event.fields[name], expected))


def name_in_schema(name):
    return next(type_ for field, type_ in SCHEMA["FtraceEvent"].values() if field == name)


def mapped(record, raw_syscalls):
    """The name that the event has in the file."""
    if record.system == "syscalls" and not raw_syscalls:
        return "sys_enter" if record.name.startswith("sys_enter_") else "sys_exit"
    return record.name


def is_instant(record):
    return record.system == "ftrace" and (record.name in ("function", "bprint", "bputs") or
                                          record.name == "print" and not ATRACE.fullmatch(location(record, "buf").split(b"\0")[0]))


def events(oracle, got):
    records = [r for buffer in oracle.buffers for r in buffer if r.format and r.name not in CALLS]
    raw = any(r.system == "raw_syscalls" for r in records)
    found = collections.defaultdict(list)
    for event in got.events:
        found[event.cpu, event.ts, event.pid, event.name].append(event)
    for record in records:
        if is_instant(record):
            continue
        key = record.cpu, record.ts, record.pid, mapped(record, raw)
        if not found[key]:
            raise Failure("there is no %s of task %d on CPU %d at %d" % (key[3], key[2], key[0], key[1]))
        event = found[key].pop(0)
        if record.system != "syscalls" or raw:
            same_fields(record, event, oracle, got.symbols)
        elif [record[n] & (1 << 64) - 1 for n in list(record.format.declared)[4:]
              if not record.format.declared[n].startswith("__data_loc")] != event.fields["id"] + \
                event.fields["args"] + event.fields["ret"]:
            raise Failure("%s at %d: %r" % (record.name, record.ts, event.fields))
    left = [event for rest in found.values() for event in rest]
    if left:
        raise Failure("%d events too many, %r" % (len(left), left[0]))
    same_instants(oracle, [r for r in records if is_instant(r)], got)


def same_instants(oracle, records, got):
    expected = collections.Counter()
    for r in records:
        name = oracle.function(r["ip"]).split(" ")[0] if r.name == "function" else None
        if r.name == "print":
            name = location(r, "buf").split(b"\0")[0].decode(errors="replace").rstrip("\n")
        expected[(r.pid, r.cpu if not r.pid else None), r.ts, name] += 1
    texts = {(r.pid, r.ts) for r in records if r.name in ("bprint", "bputs")}
    found = collections.Counter()
    for i in got.instants:
        who = got.pid(i.track)
        found[who, i.ts, None if (who[0], i.ts) in texts else i.name.split(" ")[0] if i.caller else i.name] += 1
    if found != expected:
        raise Failure("instants: missing %r, too many %r" % (list(expected - found)[:2], list(found - expected)[:2]))


# --- calls -----------------------------------------------------------------------------------------------------------
def last_known(call):
    """The CPU and time of the last that is known of a call without an exit."""
    while not call.timed() and call.children:
        call = call.children[-1]
    return (call.exit.cpu, call.ret) if call.timed() else (call.entry.cpu, call.entry.ts)


def end_of(call, buffer, last):
    if call.timed():
        return call.ret
    end = call.shown.ts if call.shown else last
    cpu, ts = last_known(call)
    return min([end] + [gap for gap, _ in buffer.gaps.get(cpu, []) if ts <= gap])


def expected_slices(oracle, buffers, last):
    rows = collections.Counter()

    def add(task, call, depth, low, latest, buffer):
        start = max(call.call if call.timed() else call.entry.ts, low)
        end = max(start, min(end_of(call, buffer, last), latest))
        if depth < 512:
            rows[task.key, oracle.function(call.func), start, end, depth] += 1
        for child in call.children:
            start = add(task, child, depth + 1, start, end, buffer)
        return end
    for buffer in buffers:
        for task in buffer.tasks.values():
            for root in task.roots:
                add(task, root, 0, 0, 1 << 63, buffer)
    return rows


def calls(oracle, buffers, got):
    last = max(r.ts for buffer in oracle.buffers for r in buffer)
    expected = expected_slices(oracle, buffers, last)
    found = collections.Counter((got.pid(s.track), s.name, s.begin, s.end, s.depth) for s in got.slices if got.pid(s.track))
    if found != expected:
        raise Failure("%d calls, not %d: missing %r, too many %r" %
                      (sum(found.values()), sum(expected.values()), sorted(expected - found, key=lambda r: r[2])[:2],
                       sorted(found - expected, key=lambda r: r[2])[:2]))


# --- the rest --------------------------------------------------------------------------------------------------------
def gaps(oracle, got):
    expected = collections.Counter()
    for buffer in oracle.buffers:
        for cpu, found in graph_oracle.Buffer.find_gaps(buffer).items():
            expected.update((cpu, begin, end) for begin, end in found if begin >= 0)
    found = collections.Counter((int(got.tracks[s.track]["name"][0].split()[1].rstrip(b":")), s.begin, s.end)
                                for s in got.slices if not got.pid(s.track))
    if found != expected:
        raise Failure("gaps %r, not %r" % (found, expected))


def sizes(oracle, data):
    records = [r for buffer in oracle.buffers for r in buffer]
    whole = sum(len(r.data) + 4 for r in records)
    if len(data) > MOST_BYTES * whole + 16384:
        raise Failure("%d bytes for %d events of %d bytes" % (len(data), len(records), whole))


def protoc_reads(data, got):
    path = os.path.join(DATA, "schema")
    done = subprocess.run(["protoc", "-I", path, "--decode=perfetto.protos.Trace", "perfetto.proto"], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failure(done.stderr.decode())
    nr = len(re.findall(rb"^    event \{", done.stdout, re.M))
    if nr != len(got.events):
        raise Failure("protoc sees %d events, not %d" % (nr, len(got.events)))
    unknown = set(re.findall(rb"^ *(\d+)(?: \{|:)", re.sub(rb"(?ms)^      65[56]\d\d \{.*?^      \}", b"", done.stdout), re.M))
    if unknown:
        raise Failure("fields without a name: %r" % unknown)


def whole(name, trace, folder):
    data = export(trace)
    got = Perfetto(data)
    if LONG and shutil.which("protoc"):
        protoc_reads(data, got)
    if name in NOT_READ or b"latency  \0" in open(plain(trace, folder), "rb").read():
        return
    oracle, buffers = graph_oracle.read(plain(trace, folder))
    events(oracle, got)
    calls(oracle, buffers, got)
    gaps(oracle, got)
    sizes(oracle, data)


def names():
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    got = Perfetto(export(trace))
    tree = {t["tid"][0]: t["name"][0].decode() for t in got.only("process_tree")["threads"]}
    if tree.get(74) != "wl-ping" or tree.get(15) != "rcu_preempt":
        raise Failure("names %r" % tree)
    # SystemProbesParser::ParseProcessTree() names a process by `processes` alone.
    processes = {p["pid"][0]: p["cmdline"][0].decode() for p in got.only("process_tree")["processes"] if p["cmdline_is_comm"] == [1]}
    mains = {t["tid"][0] for t in got.only("process_tree")["threads"] if t["tid"] == t["tgid"]}
    if processes != {pid: tree[pid] for pid in mains} or len(mains) < 20:
        raise Failure("processes %r" % processes)
    kernel = got.only("system_info")["utsname"][0]
    if (kernel["release"], kernel["machine"]) != ([b"6.1.192"], [b"x86_64"]):
        raise Failure("kernel %r" % kernel)
    stats = [p["ftrace_stats"][0] for p in got.packets if p["ftrace_stats"]]
    lost = {c["cpu"][0]: c["overrun"][0] for c in stats[-1]["cpu_stats"]}
    if lost != {0: 949, 1: 0, 2: 0, 3: 0} or 0 not in got.lost_before:
        raise Failure("lost %r" % lost)


def states(folder):
    """The release stands for the bits of prev_state: TaskState of trace_processor (types/task_state.cc), since Linux 4.14."""
    text = os.path.join(folder, "text.txt")
    line = "     a-10      [000] d..2.     1.00000%d: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=%s ==> next_comm=b next_pid=11 next_prio=120\n"
    bits = {"R": 0, "R+": 0x100, "S": 1, "D": 2, "I": 0x80, "P": 0x40}
    with open(text, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n#\n" + "".join(line % (i, state) for i, state in enumerate(bits)) +
                   "     b-11      [000] d..2.     1.000010: sched_blocked_reason: pid=10 iowait=1 caller=io_schedule+0x10/0x20\n")
    got = Perfetto(export(text))
    told = got.only("system_info")["utsname"][0]
    if (told["sysname"], told["release"]) != ([b"Linux"], [b"4.14.or.later"]):
        raise Failure("kernel %r" % told)
    if [e.fields["prev_state"] for e in got.events[:-1]] != [[bit] for bit in bits.values()]:
        raise Failure("states %r" % [e.fields["prev_state"] for e in got.events])
    # FtraceParser::ParseSchedBlockedReason() looks for a name by 32 bits
    reason = got.events[-1].fields
    if (reason["pid"], reason["io_wait"]) != ([10], [1]) or got.symbols[reason["caller"][0] & 0xffffffff] != "io_schedule":
        raise Failure("reason %r, %r" % (reason, got.symbols))


def absences(folder):
    """Times in which nothing could be recorded are slices of the CPUs; which CPU was offline, a range does not tell."""
    text = os.path.join(folder, "absent.txt")
    form = "     %s-%-7d [00%d] d..2.     %d.000000: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=0\n"
    suspend = "     a-10      [000] d..2.     %d.000000: suspend_resume: machine_suspend[3] %s\n"

    def switch(cpu, ts, prev, following):
        return form % (*prev, cpu, ts, *prev, *following)

    idle, a, b, c, stopper = ("swapper/1", 0), ("a", 10), ("b", 11), ("c", 12), ("migration/1", 20)
    with open(text, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n#\n" + switch(0, 1, a, b) + switch(1, 1, c, stopper) + switch(0, 2, b, a) + switch(1, 3, idle, b) +
                   suspend % (4, "begin") + suspend % (9, "end") + switch(0, 10, a, c) + switch(1, 10, b, a))

    def told(*options):
        got = Perfetto(export(text, *options))
        return sorted((got.tracks[s.track]["name"][0], s.name, s.begin // 10**9, s.end // 10**9) for s in got.slices)

    cpus = b"CPU 0: not recorded", b"CPU 1: not recorded"
    suspended = [(cpu, "suspended", 4, 9) for cpu in cpus]
    if told() != sorted(suspended + [(cpus[1], "~offline", 1, 3)]):
        raise Failure(told())
    if told("--from=2", "--to=10") != suspended or told("--cpu=1", "--from=5", "--to=10") != [(cpus[1], "suspended", 5, 9)]:
        raise Failure("of a range %r" % told("--from=2", "--to=10"))


def bytes_read(*options):
    with subprocess.Popen([PROGRAM, "export", "--perfetto=-", *options, os.path.join(SRC, "tests", "demo", "demo.dat")],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
        with open("/proc/%d/io" % p.pid, encoding="ascii") as file:
            return int(file.read().split()[1])


def window():
    """Of a range, neither what is before it nor what is behind it is read."""
    part, whole = bytes_read("--from=+1ms", "--to=+2ms"), bytes_read()
    if part > 0.7 * whole:		# a third of the file is metadata
        raise Failure("%d of %d bytes" % (part, whole))


def ranges():
    """Events of the range alone; calls that end in it are whole, those that are open at its end, end there."""
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    low, high = 7500000000, 7550000000
    all_of_it, part = Perfetto(export(trace)), Perfetto(export(trace, "--from=7.5", "--to=7.55"))
    if sorted(part.events, key=str) != sorted((e for e in all_of_it.events if low <= e.ts <= high), key=str):
        raise Failure("other events")
    with tempfile.TemporaryDirectory() as folder:
        oracle, _ = graph_oracle.read(plain(trace, folder))
    entries = sorted((r.ts, r.pid, oracle.function(r["func"])) for b in oracle.buffers for r in b if r.name in CALLS and "entry" in r.name)
    expected = collections.Counter()
    for s in all_of_it.slices:
        who = all_of_it.pid(s.track)
        if who and low <= s.end <= high:
            expected[who, s.name, s.begin, s.end] += 1
        elif who and low <= s.begin <= high:	# of one without an exit, the time of the record is known
            expected[who, s.name, next(ts for ts, pid, name in entries if ts >= s.begin and (pid, name) == (who[0], s.name)), high] += 1
    found = collections.Counter((part.pid(s.track), s.name, s.begin, s.end) for s in part.slices if part.pid(s.track))
    if not found or found != expected:
        raise Failure("missing %r, too many %r" % (list(expected - found)[:4], list(found - expected)[:4]))
    one = Perfetto(export(trace, "-F", "sched_switch"))
    if {e.name for e in one.events} != {"sched_switch"} or len(one.events) != 313 or one.slices[1:]:
        raise Failure("-F: %d events, %d slices" % (len(one.events), len(one.slices)))


def chrome():
    """The same slices and instants, which were held against the oracle; in us, by thread."""
    for name in ("cpu4", "function-args"):
        trace = os.path.join(DATA, "good", name, "trace.dat")
        got = Perfetto(export(trace))
        told = json.loads(run([PROGRAM, "export", "--chrome=-", trace]))["traceEvents"]
        stacks, found = collections.defaultdict(list), collections.Counter()
        for e in sorted((e for e in told if e["ph"] != "M"), key=lambda e: e["ts"]):
            ts = round(e["ts"] * 1000)
            if not isinstance(e["name"], str):	# else attemptToConvertChromeProfile() of Firefox Profiler gives up
                raise Failure("%r has no name" % e)
            if e["ph"] == "B":
                stacks[e["tid"]].append((e["name"], ts))
            elif e["ph"] == "E":
                begun, begin = stacks[e["tid"]].pop()
                if begun != e["name"]:
                    raise Failure("%s begins, %s ends" % (begun, e["name"]))
                found[begun, begin, ts] += 1
            else:
                found[e["name"], ts, None] += 1
        expected = collections.Counter([(s.name, s.begin, s.end) for s in got.slices] + [(i.name, i.ts, None) for i in got.instants])
        if found != expected or not found:
            raise Failure("%s: %r" % (name, list((found - expected) + (expected - found))[:3]))


def kinds():
    """The program has each event of Perfetto's list by its number, and each of its fields, under names that the kernel has."""
    ours = {}
    with open(os.path.join(SRC, "parsers", "perfetto", "ftrace.events"), encoding="ascii") as file:
        for words in (line.split() for line in file if line.startswith("\t")):
            fields, number = {}, 1
            for word in words[2:]:
                number = int(word.split("=")[0]) if "=" in word else number
                fields[number] = word.split("=")[-1].split(":")[0]
                number += 1
            ours[int(words[1])] = (words[0], fields)
    with open(os.path.join(DATA, "schema", "ftrace_events.txt"), encoding="ascii") as file:
        theirs = [line.split() for line in file if not line.startswith("#")]
    for name, number, *fields in theirs:
        event, known = ours.get(int(number), ("", {}))
        # Perfetto puts the group before some names, and calls the event "0" zero
        if not event or not name.endswith(event) and (name, event) != ("zero", "0"):
            raise Failure("%s, number %s, is %r" % (name, number, event))
        for field, place in (word.split("=") for word in fields):
            # the kernel has an array of three there, which Perfetto does not record
            if known.get(int(place)) != field and (name, field) != ("f2fs_truncate_partial_nodes", "nid"):
                raise Failure("field %s of %s is %r" % (field, name, known.get(int(place))))
    if len(theirs) < 595:
        raise Failure("%d events" % len(theirs))


# --- read back -------------------------------------------------------------------------------------------------------
def json_rows(trace):
    return [json.loads(line) for line in run([PROGRAM, "report", "--format=json", trace]).decode(errors="replace").splitlines()]


def events_by_place(rows):
    """{(time, CPU, task, event): their fields}; events of tracers become slices."""
    found = collections.defaultdict(list)
    for row in rows:
        if row.get("system") not in (None, "ftrace") and row.get("event"):
            found[row.get("ts_ns", row.get("ts")), row["cpu"], row["pid"], row["event"]].append(row["fields"])
    return found


def plain_value(v):
    """Addresses are hexadecimal texts, large numbers decimal ones."""
    return int(v, 0) if isinstance(v, str) and re.fullmatch(r"0x[0-9a-f]+|-?[1-9][0-9]*", v) else v


def alike(before, after):
    """Fields that both have; a number stays one, and a text.  Functions have made-up addresses."""
    pairs = [(plain_value(before[name]), plain_value(after[name])) for name in before.keys() & after.keys() - NAMED]
    return all(a == b for a, b in pairs if isinstance(a, type(b)) and not isinstance(a, list))


def read_back(name, trace, folder):
    """What was exported has the same events, with their fields; trace-cmd reads what cut makes of it."""
    path, dat = os.path.join(folder, name + ".pftrace"), os.path.join(folder, name + ".dat")
    with open(path, "wb") as file:
        file.write(export(trace))
    before, rows = events_by_place(json_rows(trace)), json_rows(path)
    after = events_by_place(rows)
    calls = [key for key in before if key[3].startswith(("sys_enter_", "sys_exit_")) and key not in after]
    for key in calls:			# they become those of all system calls
        before[key[:3] + ("_".join(key[3].split("_")[:2]),)] += [{} for _ in before.pop(key)]
    for key in before.keys() | after.keys():
        if len(before[key]) != len(after[key]) or not all(map(alike, before[key], after[key])):
            raise Failure("%r: %r, read back %r" % (key, before[key][:2], after[key][:2]))
    run([PROGRAM, "cut", "-o", dat, path])
    lines = [line for line in run([TRACE_CMD, "report", dat]).decode(errors="replace").splitlines() if "]" in line]
    events = [row for row in rows if row.get("event")]
    if len(lines) < len(events):
        raise Failure("trace-cmd reads %d of %d events" % (len(lines), len(events)))
    dropped, ours = ([line.strip() for line in text if "EVENTS DROPPED" in line] for text in
                     (lines, run([PROGRAM, "report", path]).decode(errors="replace").splitlines()))
    if ours != dropped or (name == "cpu4" and not dropped):
        raise Failure("gaps %r, trace-cmd %r" % (ours, dropped))


def figures(folder):
    """Tasks and CPUs do what they did."""
    for name in ("sched", "sched-7.2", "waits"):
        trace, path = os.path.join(DATA, "good", name, "trace.dat"), os.path.join(folder, name + ".pftrace")
        with open(path, "wb") as file:
            file.write(export(trace))
        for command in ("tasks", "cpus"):
            before, after = run([PROGRAM, command, trace]), run([PROGRAM, command, path])
            if before != after or not before:
                raise Failure("%s of %s: %r, read back %r" % (command, name, before[:500], after[:500]))


def flags(folder):
    """An export has no common_flags: a wake-up that no interrupt made for sure may be one's, or another CPU's."""
    trace, path = os.path.join(DATA, "good", "sched", "trace.dat"), os.path.join(folder, "sched.pftrace")
    with open(path, "wb") as file:
        file.write(export(trace))
    before, after = ([json.loads(line) for line in run([PROGRAM, "wakeups", "--format=json", name]).splitlines()] for name in (trace, path))
    if not any(row["context"] for row in before) or not any(row["context"] is None for row in before):
        raise Failure("it has not both kinds of wake-ups")
    for old, new in zip(before, after):
        if new["context"] != "not known":
            raise Failure("%r, read back %r" % (old, new))
    groups = run([PROGRAM, "latency", "--kind=wakeup", "--by=what", path]).decode()
    if "\nwl-236 (context not known) " not in groups or "\nsh-237 (context not known) " not in groups:
        raise Failure(groups)
    if re.search(r"(?m)^.{16,30} \d[^?]{5} +\d+\.\d+:", run([PROGRAM, "report", "-l", path]).decode()):
        raise Failure("flags are told")


def packed(folder):
    """Compressed, and from a pipe."""
    path = os.path.join(folder, "packed.pftrace")
    data = export(os.path.join(DATA, "good", "cpu4", "trace.dat"))
    with open(path, "wb") as file:
        file.write(data)
    expected = run([PROGRAM, "report", path])
    with open(path, "wb") as file:
        file.write(gzip.compress(data))
    if run([PROGRAM, "report", path]) != expected or not expected:
        raise Failure("gzip makes a difference")
    if subprocess.run([PROGRAM, "report", "-"], input=data, capture_output=True, check=True).stdout != expected:
        raise Failure("a pipe makes a difference")


def several(folder):
    """Members of a tar, each as it is alone, and a manifest."""
    paths = [os.path.join(DATA, "good", name, "trace.dat") for name in ("cpu4", "marker")]
    out = os.path.join(folder, "out.tar")
    for options, clocks in (([], None), (["--offset", paths[1] + "=+1s"],
                                         {"clock": "BOOTTIME", "sync_to": {"file": "1-cpu4.pftrace", "clock": "BOOTTIME"}})):
        run([PROGRAM, "export", "--perfetto", out] + options + paths)
        with tarfile.open(out) as tar:
            files = {name: tar.extractfile(name).read() for name in tar.getnames()}
        manifest = json.loads(files["perfetto_manifest.json"])["perfetto_manifest"]
        if [f["path"] for f in manifest["files"]] != ["1-cpu4.pftrace", "2-marker.pftrace"] or manifest["version"] != 1 or \
                [f["machine"]["name"] for f in manifest["files"]] != ["1-cpu4", "2-marker"] or \
                manifest["files"][1].get("clocks") != clocks:
            raise Failure("manifest %r" % manifest)
        if files["1-cpu4.pftrace"] != export(paths[0]) or not options and files["2-marker.pftrace"] != export(paths[1]):
            raise Failure("a member differs from the file alone")


def custom(folder):
    """A custom sched_switch has no prev_pid, and none is made up: it is an event like others, and tells of no task."""
    path, out = os.path.join(folder, "custom.txt"), os.path.join(folder, "custom.pftrace")
    with open(path, "w", encoding="ascii") as file:
        file.write("# tracer: nop\n")
        file.writelines("  task-%d [000] d..2. %12.6f: sched_switch: prev_prio=120 next_pid=%d next_prio=120\n" %
                        (11 + i % 2, 1 + i / 1000, 12 - i % 2) for i in range(20))
    run([PROGRAM, "export", "--perfetto=" + out, path])
    text = run([PROGRAM, "report", "--format=json", out]).decode()
    if text.count('"sched_switch"') != 20 or '"next_pid":12' not in text or "prev_pid" in text:
        raise Failure("the export has %s" % text)
    if run([PROGRAM, "tasks", "--format=csv", out]).decode().count("\n") > 1:
        raise Failure("tasks are made up")


def main():
    tap = Tap()
    if not TRACE_CMD:
        tap.skip("exports", "no trace-cmd, which makes the file that the oracle reads")
        tap.end()
    asked = [t for t in traces(os.path.join(DATA, "good")) if t[0] in TRACES] + (shared_fixtures() if LONG else [])
    with tempfile.TemporaryDirectory() as folder:
        for name, trace, _ in asked:
            tap.case(name, whole, name, trace, folder)
        for name, trace, _ in asked:
            tap.case(name + ", read back", read_back, name, trace, folder)
        tap.case("figures, read back", figures, folder)
        tap.case("flags, read back", flags, folder)
        tap.case("compressed, from a pipe", packed, folder)
        tap.case("several traces", several, folder)
    if LONG and not shutil.which("protoc"):
        tap.skip("protoc reads the files", "no protoc (Debian: protobuf-compiler)")
    tap.case("Chrome's JSON", chrome)
    with tempfile.TemporaryDirectory() as folder:
        tap.case("states of a text", states, folder)
        tap.case("times in which nothing was recorded", absences, folder)
        tap.case("an event that lacks the kernel's fields", custom, folder)
    tap.case("a range alone is read", window)
    tap.case("each kind of event of Perfetto's has a name", kinds)
    tap.case("names of tasks, the kernel, lost events", names)
    tap.case("a range, a filter", ranges)
    tap.end()


main()
