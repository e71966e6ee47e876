#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftop-trace-json(5) lists the keys that commands print with --format=json: all of them, no others, in their order.
Prints TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LONG, PROGRAM, Failure, Tap, asked, run    # noqa: E402

# Those that have all keys; with --long, all traces.
TRACES = ("cpu4", "clock-tsc", "instances", "fgraph-7.2", "irqsoff", "timerlat", "osnoise-rt", "hwlat", "lost-text", "waits", "stack",
          "sched", "graph-two-cpus", "blk", "function-args", "function-repeats")
# Keys that only damaged files have, recordings of --until, or a kernel with other parts.
RARE = {"info": {"notes.offset_bytes", "notes.message", "hits.condition", "hits.from_ns", "hits.to_ns", "hits.what",
                 *("machine.steal." + key for key in ("tick_ns", "from_ns", "to_ns", "stolen_ns", "growth")),
                 *("machine.steal.growth." + key for key in ("cpu", "from_ns", "to_ns", "stolen_ns"))},
        "noise": {"user_count", "user_cur_ns", "user_min_ns", "user_avg_ns", "user_max_ns"},
        "noise --samples": {"user_ns"}, "noise --histogram": {"user_count"}, "summary": {"selected"}}


def page():
    """{command: keys}"""
    text = run([PROGRAM, "--print-man", "ftop-trace-json.5"]).decode().replace("\\-", "-")
    found = {}
    for title, body in re.findall(r'^\.SS "ftop-trace ([^"\n]*)"\n(.*?)(?=^\.S[SH] )', text, re.M | re.S):
        found[title] = [key.strip() for key in body.split(".PP\n")[1].replace("\n", " ").split(",")]
    return found


def walk(value, before=""):
    """The keys of an object, and of those in it."""
    if isinstance(value, list):
        for item in value:
            yield from walk(item, before)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield before + key
            if before + key != "fields" or isinstance(item, list):      # of an event they are the event's own
                yield from walk(item, before + key + ".")


def objects(words, paths):
    done = subprocess.run(asked(*words, "--format=json", *paths), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1) and not (words[0] in ("why", "noise") and done.returncode == 2):    # no such task, tracer
        raise Failure("%s: exit status %d, %s" % (" ".join(words), done.returncode, done.stderr.decode(errors="replace")))
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def keys(command, listed, calls):
    """@calls: lists of words after the command, one after the other until all keys were seen."""
    seen = set()
    missing = set(listed) - RARE.get(command, set())
    for words in calls:
        for row in objects(command.split() + words[:-1], words[-1:] if command.split()[0] != "diff" else [CPU4, words[-1]]):
            got = [key for key in walk(row)]
            seen.update(got)
            if not set(got) <= set(listed):
                raise Failure("%s has %s, the page has not" % (command, sorted(set(got) - set(listed))))
            order = [listed.index(key) for key in row]
            if order != sorted(order):
                raise Failure("%s: the page has another order than %s" % (command, list(row)))
        missing -= seen
        if not missing and not LONG:
            break
    if missing:
        raise Failure("%s has none of %s" % (command, sorted(missing)))


CPU4 = os.path.join(DATA, "good", "cpu4", "trace.dat")


def tracefs(folder):
    """What list shows of a kernel, made of files."""
    def put(path, text):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    put("available_tracers", "timerlat function nop\n")
    put("osnoise/cpus", "0-1\n")
    put("current_tracer", "nop\n")
    put("trace_clock", "[local] global\n")
    put("options/overwrite", "1\n")
    put("available_filter_functions", "vfs_read\next4_map_blocks [ext4]\n")
    put("available_events", "sched:sched_switch\n")
    put("instances/foo/tracing_on", "1\n")
    put("instances/foo/current_tracer", "nop\n")
    put("events/enable", "0\n")
    put("events/sched/enable", "0\n")
    for name, text in (("id", "300\n"), ("enable", "0\n"), ("filter", "none\n"), ("trigger", "# Available triggers:\n"),
                       ("format", "name: sched_switch\nID: 300\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                                  "\n\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->prev_pid\n")):
        put("events/sched/sched_switch/" + name, text)


def main():
    tap = Tap()
    good = os.path.join(DATA, "good")
    names = sorted(os.listdir(good)) if LONG else TRACES
    paths = [os.path.join(good, name, "trace.dat") for name in names] + [os.path.join(DATA, "who", "trace.dat")]
    with tempfile.TemporaryDirectory() as folder:
        tracefs(folder)
        for command, listed in page().items():
            if command.startswith("list"):
                calls = [[word, "--tracefs=" + folder] for word in ("--events", "--systems", "--functions", "--instances",
                                                                   "--tracers", "--measures")]
            elif command == "fields --kinds":
                calls = [[]]
            else:
                calls = [["--tracefs=" + folder]] if command == "doctor" else [[path] for path in paths]
            tap.case(command, keys, command, listed, calls)
    tap.end()


if __name__ == "__main__":
    main()
