#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report as JSON and CSV, and on a terminal.

The rows are held against the text: report -R prints every record by itself, with
its time, task and CPU; the kernel's print format of sched events, which -N shows,
has their fields.
"""
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, LONG, PROGRAM, SHARED, Failure, Tap, is_latency_text, report, run, traces

LINE = re.compile(rb"^.*?-(\d+) +\[(\d{3})\] ?\s*(\d+)(?:\.(\d{9}))?: (\S+): +(.*)$")
PAIR = re.compile(r"(\w+)=(\S+)")


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def raw_lines(trace):
    """(pid, cpu, stamp, event) of each record."""
    found = []
    for line in report(["-R", "-t"], trace).split(b"\n"):
        match = LINE.match(line)
        if match:
            pid, cpu, whole, fraction, event, _ = match.groups()
            stamp = int(whole) * 10 ** 9 + int(fraction) if fraction else int(whole)
            found.append((int(pid), int(cpu), stamp, event.decode()))
    return found


def json_rows(trace, *options):
    rows = []
    for line in report(["--format=json"] + list(options), trace).decode("utf-8").split("\n")[:-1]:
        rows.append(json.loads(line))
    return rows


def as_json(trace):
    rows = json_rows(trace)
    lost = [row for row in rows if "lost" in row]
    events = [row for row in rows if "lost" not in row]
    check(all(set(row) - {"instance"} == {"lost", "cpu"} for row in lost), "keys of a loss", lost[:1])
    if not events or is_latency_text(trace):
        return
    got = [(row["pid"], row["cpu"], row.get("ts_ns", row.get("ts")), row["event"]) for row in events]
    check(got == raw_lines(trace), "rows differ from report -R")
    order = [key for key in events[0] if key not in ("instance", "clock")]
    check(order in (["ts_ns", "cpu", "pid", "comm", "system", "event", "fields"],
                    ["ts", "cpu", "pid", "comm", "system", "event", "fields"]), order)
    known = len(re.findall(rb"EVENTS DROPPED\]", report([], trace)))
    check(len(lost) >= known, len(lost), "losses, the text has", known)


def numbers(value):
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, int):
        yield value


def exact_numbers(trace):
    for row in json_rows(trace):
        for number in numbers(row.get("fields", {})):
            check(abs(number) <= 2 ** 53, "a number that a double does not hold:", number)


def sched_fields(trace):
    """Fields of sched events, against the kernel's print format."""
    texts = [line for line in report(["-N"], trace).decode(errors="replace").split("\n")
             if re.search(r": sched_(waking|wakeup|wakeup_new|stat_runtime|migrate_task): ", line)]
    rows = [row for row in json_rows(trace) if row.get("system") == "sched" and
            row["event"] in ("sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_stat_runtime",
                             "sched_migrate_task")]
    check(len(rows) > 10, "only", len(rows), "rows")
    check(len(texts) == len(rows), len(texts), "lines,", len(rows), "rows")
    for text, row in zip(texts, rows):
        for name, value in PAIR.findall(text.split(row["event"] + ": ", 1)[1]):
            field = row["fields"].get(name)
            if isinstance(field, int):
                check(int(value) == field, name, value, field, text)
            elif isinstance(field, str):
                check(field.startswith(value), name, value, field, text)


def as_csv(trace):
    rows = list(csv.reader(io.StringIO(report(["--format=csv"], trace).decode("utf-8"), newline="")))
    check(rows[0][1:7] == ["cpu", "pid", "comm", "system", "event", "text"] and rows[0][0] in ("ts_ns", "ts"), rows[0])
    check(rows[0][7:] in ([], ["buffer"]), rows[0])
    check(all(len(row) == len(rows[0]) for row in rows), "a row with other columns than the first")
    instances = [row.get("instance", "") for row in json_rows(trace)]
    check(any(instances) == (len(rows[0]) == 8) or not any(row[4] for row in rows[1:]), "a column of buffers")
    if len(rows[0]) == 8:
        check([row[7] for row in rows[1:]] == instances, "buffers differ from JSON's")
    events = [row for row in rows[1:] if row[5] != "lost"]
    if not events or is_latency_text(trace):
        return
    got = [(int(row[2]), int(row[1]), int(row[0]), row[5]) for row in events]
    check(got == raw_lines(trace), "rows differ from report -R")


def csv_of_files(one, two):
    """Whose row it is stands at the end."""
    rows = list(csv.reader(io.StringIO(report(["--format=csv"], one, two).decode("utf-8"), newline="")))
    check(rows[0] == ["ts_ns", "cpu", "pid", "comm", "system", "event", "text", "file"], rows[0])
    for path in (one, two):
        alone = list(csv.reader(io.StringIO(report(["--format=csv"], path).decode("utf-8"), newline="")))[1:]
        # Names may come from the other file's tasks of that number: they are not compared.
        got = [row[:3] + row[4:7] for row in rows[1:] if row[7] == path]
        check(got == [row[:3] + row[4:7] for row in alone], path, len(got), "rows, alone", len(alone))


def csv_text(trace):
    """Where no leaf is merged, the text column is the text of the report's lines."""
    rows = list(csv.reader(io.StringIO(report(["--format=csv"], trace).decode("utf-8"), newline="")))[1:]
    lines = [m.group(6).decode(errors="replace") for m in map(LINE.match, report(["-t"], trace).split(b"\n")) if m]
    texts = [row[6].split("\n")[0] for row in rows if row[5] != "lost"]
    check([t.strip() for t in texts] == [t.strip() for t in lines], "texts differ")


def windows(trace):
    everything = json_rows(trace)
    events = [row for row in everything if "lost" not in row]
    check(json_rows(trace, "--head", "5") == everything[:5 + sum("lost" in row for row in everything[:5])], "--head")
    tail = [row for row in json_rows(trace, "--tail", "7") if "lost" not in row]
    check(tail == events[-7:], "--tail")


def on_terminal(argv):
    """All that the program writes to a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen(argv, stdout=slave, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
        os.close(slave)
        found = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            found += piece
        error = program.stderr.read()
    os.close(master)
    check(program.returncode == 0, program.returncode, error)
    return found


def terminal_is_safe(trace, options):
    shown = on_terminal([PROGRAM, "report"] + options + [trace]).replace(b"\r\n", b"\n")
    bad = re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", shown)
    check(bad is None, "a control character:", shown[max(0, bad.start() - 40):bad.start() + 20] if bad else "")
    shown.decode("utf-8")


def hostile(tool):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "hostile.dat")
        run([tool, "hostile", trace])
        piped = report([], trace)
        check(b"\x1b" in piped, "the sample has no escape sequence")
        terminal_is_safe(trace, [])
        terminal_is_safe(trace, ["-R"])
        for line in report(["--format=json"], trace).decode("utf-8").split("\n")[:-1]:
            json.loads(line)
            check(not re.search(r"[\x00-\x1f\x7f]", line), "a control character in JSON", line)


def wrong_use():
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    for options, words in ((["--compat=2.9"], b"not 3.1 or 3.4"), (["--format=xml"], b"xml"), (["--from", "soon"], b"soon"),
                           (["--head", "1", "--tail", "1"], b"cannot be combined"), (["--cpu", "x"], b"x"), (["--head", "-1"], b"-1")):
        done = subprocess.run([PROGRAM, "report"] + options + [trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        expected = 2
        check(done.returncode == expected and words in done.stderr and not done.stdout, options, done.returncode,
              done.stderr, done.stdout[:100])


def main():
    tap = Tap()
    found = traces(os.path.join(DATA, "good"))
    if SHARED and LONG:
        found += [t for t in traces(os.path.join(SHARED, "fixtures")) if t[0] not in ("v7-zlib",)]
    # Its leaves lead trace-cmd astray, and shown in other units than they are: as in report_windows.
    odd = ("clock-boot", "clock-uptime")
    for name, trace, _ in found:
        if name in odd:
            continue
        tap.case("json " + name, as_json, trace)
        tap.case("csv " + name, as_csv, trace)
    good = {name: trace for name, trace, _ in traces(os.path.join(DATA, "good"))}
    for name in ("sched-7.2", "sample", "fgraph-7.2", "kprobe", "stack"):
        tap.case("exact numbers " + name, exact_numbers, good[name])
    tap.case("fields of sched events", sched_fields, good["sched-7.2"])
    for name in ("sched-7.2", "hist", "clock-tsc"):
        tap.case("text in csv " + name, csv_text, good[name])
    tap.case("csv of two files", csv_of_files, good["cpu4"], good["fgraph-7.2"])
    tap.case("windows of rows", windows, good["lost-text"])
    for name in ("marker", "stack", "irqsoff", "sample"):
        tap.case("terminal " + name, terminal_is_safe, good[name], [])
    tool = os.path.join(BUILD, "tests", "tools", "make_trace")
    if os.path.exists(tool):
        tap.case("hostile texts", hostile, tool)
    else:
        tap.skip("hostile texts", "make_trace was not built")
    tap.case("wrong use", wrong_use)
    tap.end()


main()
