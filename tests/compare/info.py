#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What info counts, against what trace-cmd report prints: events of each name,
lost events, first and last time; of latency text, against its own header.
Prints TAP.

Every trace of tests/data/good, and the fixtures and corpus where they lie beside
the project."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

# report -N prints a line for each record, without merging the leaves of function_graph; since 3.3 with flags.
LINE = re.compile(rb"^(?:[^:]{1,64}: +)?.*?-(?:\d+) +\[\d+\](?: [.\w]{5,7} )? *(\d+(?:\.\d+)?): ([^ ]+): ")
LOST = re.compile(rb"^(?:.*: )?CPU:\d+ \[(\d+ )?EVENTS DROPPED\]")

# The header of latency text: what stands between its lines' fixed words, in order.
HEADER = re.compile(rb"^# (\S+) latency trace v\S+ on (\S+)\n#.*\n# latency: (\d+) us, #(\d+)/(\d+), CPU#(\d+) \| "
                    rb"\(M:(\S+) .*#P:(\d+)\)\n#.*\n#    \| task: (.*)-(\d+) "
                    rb"\(uid:(-?\d+) nice:(-?\d+) policy:(\d+) rt_prio:(\d+)\)\n", re.M)
LATENCY_KEYS = ("tracer", "kernel", "latency_ns", "entries", "entries_written", "cpu", "preemption", "cpus_online",
                "comm", "pid", "uid", "nice", "policy", "rt_prio")
POLICIES = {0: b"other", 1: b"fifo", 2: b"rr", 6: b"deadline"}


def traces():
    data, shared = os.environ["FTOP_TEST_DATA"], os.environ.get("FTOP_SHARED", "")
    found = sorted(glob.glob(data + "/good/*/trace.dat"))
    if shared:
        found += sorted(glob.glob(shared + "/fixtures/*/trace.dat")) + sorted(glob.glob(shared + "/corpus/*.dat"))
    return found


def by_trace_cmd(path):
    """Counts by name, sum of lost events, times of all lines, the text; None if trace-cmd cannot read it."""
    done = subprocess.run(["trace-cmd", "report", "-N", "-t", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        return None
    counts, lost, times = {}, 0, []
    for line in done.stdout.split(b"\n"):
        drop = LOST.match(line)
        if drop:
            lost += int(drop.group(1) or 0)
            continue
        event = LINE.match(line)
        if event:
            name = event.group(2).decode(errors="replace")
            counts[name] = counts.get(name, 0) + 1
            times.append(event.group(1).decode())
    return counts, lost, times, done.stdout


def check_text(info, text):
    """Entries against the number in the text's own header, span against the times of its lines."""
    shown = re.search(rb"^# latency: .*#(\d+)/\d+, CPU#", text, re.M)
    times = [int(m[1] or m[2]) * 1000 for m in
             re.finditer(rb"^(?:.{8,}-\d+ +\d+\S{4,8} +(-?\d+)us[ +!#*@$]: | *(-?\d+) us \| +\d+\) )", text, re.M)]
    if not all(buffer["text"] for buffer in info["buffers"]) or not shown or not times:
        return "fail", "no events, and no latency text"
    if (info["events"], info["buffers"][0]["events"]) != (int(shown[1]), int(shown[1])):
        return "fail", f"{info['events']} events, the header tells {int(shown[1])}"
    if (info["first_ts_ns"], info["last_ts_ns"]) != (times[0], times[-1]):
        return "fail", f"span {info['first_ts_ns']}..{info['last_ts_ns']}, the lines {times[0]}..{times[-1]}"
    head = HEADER.search(text)
    ends = [re.search(rb"=> %s at: +(\S+)" % what, text) for what in (b"started", b"ended")]
    if not head:
        return "fail", "the text's header has another form"
    told = [str(info["latency"][key]).encode() for key in LATENCY_KEYS] + \
           [info["latency"][key].encode() for key in ("started_at", "ended_at")]
    numbers = list(head.groups())
    numbers[2] += b"000"
    numbers[12] = POLICIES[int(numbers[12])]
    wanted = numbers + [end[1] if end else b"" for end in ends]
    if told != wanted:
        return "fail", f"the header tells {wanted}, info {told}"
    return "ok", f"{info['events']} entries of latency text"


def to_ns(text):
    return int(text.replace(".", ""))


def check(path, program):
    told = by_trace_cmd(path)
    if told is None:
        return "skip", "trace-cmd cannot read it"
    counts, lost, times, text = told
    done = subprocess.run([program, "info", "--format=json", path], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return "fail", f"exit status {done.returncode}"
    info = json.loads(done.stdout)
    if not counts:
        return check_text(info, text)
    ours = {}
    for event_type in info["event_types"]:
        ours[event_type["name"]] = ours.get(event_type["name"], 0) + event_type["count"]
    if ours != counts:
        wrong = {n: (ours.get(n), counts.get(n)) for n in {*ours, *counts} if ours.get(n) != counts.get(n)}
        return "fail", f"counts (ours, trace-cmd): {wrong}"
    if info["events"] != sum(counts.values()):
        return "fail", f"events {info['events']}, trace-cmd prints {sum(counts.values())}"
    if info["lost_events"] is not None and info["lost_events"] < lost:
        return "fail", f"lost events {info['lost_events']}, trace-cmd tells {lost}"
    if "first_ts_ns" in info and "." in times[0]:
        ends = to_ns(times[0]), to_ns(times[-1])
        if (info["first_ts_ns"], info["last_ts_ns"]) != ends:
            return "fail", f"span {info['first_ts_ns']}..{info['last_ts_ns']}, trace-cmd {ends}"
    return "ok", f"{info['events']} events"


def main():
    program = os.environ["FTOP_BUILD"] + "/ftop-trace"
    found = traces()
    if not shutil.which("trace-cmd"):
        print("1..0 # SKIP trace-cmd is not installed")
        return 0
    if not os.access(program, os.X_OK):
        print("1..0 # SKIP only the parsers are built")
        return 0
    if not found:
        print("1..0 # SKIP no traces in " + os.environ["FTOP_TEST_DATA"])
        return 0
    print(f"1..{len(found)}")
    failed = 0
    for number, path in enumerate(found, 1):
        name = os.path.basename(path if path.endswith(".dat") and not path.endswith("/trace.dat") else os.path.dirname(path))
        result, why = check(path, program)
        if result == "skip":
            print(f"ok {number} - info {name} # SKIP {why}")
        elif result == "ok":
            print(f"ok {number} - info {name}")
        else:
            failed += 1
            print(f"not ok {number} - info {name}\n# {why}")
    return 1 if failed else 0


sys.exit(main())
