# SPDX-License-Identifier: GPL-2.0-or-later
"""What trace-cmd prints of a function_graph trace of several CPUs, put right.

For the line of an entry trace-cmd reads the record that follows of all CPUs, and frees it while its merge still points to
it (ftop-trace report --help).  Of one CPU its text is right.  So the text of each CPU is taken from a file of that CPU, and
that of all is the merge of these by time.
"""
import heapq
import os
import re
import tempfile

from report_common import AS_TRACE_CMD, BUILD, Failure, report, run, same, trace_cmd_like, trace_cmd_report

TOOL = os.path.join(BUILD, "tests", "tools", "rewrite_trace")
# "  gr:     ls-109   [001] ...1.     6.933398: ", "    ls-68      0d..2.    11.688991077: "
RECORD = re.compile(rb"^(?P<name>.*?)-(?P<pid>\d+) +(?:\[(?P<cpu>\d{3})\]|(?P<latency_cpu>\d+)\S{5,7} ).*?"
                    rb"(?P<seconds>\d+)(?:\.(?P<fraction>\d+))?:(?P<diff> *(?:\(\+\d+\) *)?)(?P<event>\S+): ")
LEAF = re.compile(rb"^(?P<begin>.*: funcgraph_entry: )(?P<time>[^|]*)(?P<call>\|.*\));(?P<end>.*)$")
EXIT = re.compile(rb"^.*: funcgraph_exit: (?P<time>[^|]*)\|  *}(?P<end>.*)$")


def is_graph(text):
    """Has it calls of several CPUs?"""
    return len({m["cpu"] for m in map(RECORD.match, text.split(b"\n")) if m and m["event"] == b"funcgraph_entry"}) > 1


class Record:
    """The lines of a record, with what was lost before it."""
    def __init__(self, match, lines):
        self.lines = lines
        self.at = len(lines) - 1	# its first line
        self.name = match["name"]
        self.cpu = int(match["cpu"] or match["latency_cpu"])
        self.ts = int(match["seconds"]) * 10 ** 9 + int((match["fraction"] or b"").ljust(9, b"0"))
        self.who = (self.cpu, self.ts, match["pid"], match["event"])
        self.diff = match.span("diff")	# --ts-diff: the time since the record before


def take_apart(text):
    """(lines before the records, records)"""
    head, records, lost = [], [], []
    for line in text.split(b"\n")[:-1]:
        match = RECORD.match(line)
        if match:
            records.append(Record(match, lost + [line]))
            lost = []
        elif b"EVENTS DROPPED]" in line:
            lost.append(line)
        elif records:
            records[-1].lines.append(line)
        else:
            head.append(line)
    return head, records


def make_copies(folder, files, cpu):
    """Copies of the files with what that CPU recorded; named alike, since lines show the names of several files."""
    copies = []
    for nr, file in enumerate(files):
        with open(file, "rb") as trace:
            version = trace.read(16)[10:11]
        os.makedirs(os.path.join(folder, str(cpu), str(nr)))
        copies.append(os.path.join(folder, str(cpu), str(nr), os.path.basename(file)))
        run([TOOL, file, copies[-1], "v6" if version == b"6" else "v7", str(cpu)])
    return copies


def texts_of_cpu(options, copies):
    """trace-cmd's text of one CPU, which is ours; and the same with the stamps in ns."""
    text = report(AS_TRACE_CMD + options, *copies)
    same(text, trace_cmd_like(text, options, *copies))
    return text, trace_cmd_report(["-t"] + [o for o in options if o not in ("-t", "--raw-ts")], *copies)


def merged(options, files):
    """The records of all CPUs by time, each as (key, lines)."""
    streams = []
    with tempfile.TemporaryDirectory() as folder:
        for cpu in range(max(int(n) for n in re.findall(rb"cpus=(\d+)", trace_cmd_report([], *files)))):
            text, exact = texts_of_cpu(options, make_copies(folder, files, cpu))
            records, stamps = take_apart(text)[1], take_apart(exact)[1]
            if len(records) != len(stamps):
                raise Failure("CPU %d: %d records, %d stamps" % (cpu, len(records), len(stamps)))
            streams.append([((stamp.ts, cpu), record) for record, stamp in zip(records, stamps)])
    return [record for _, record in heapq.merge(*streams, key=lambda pair: pair[0])]


def without_diffs(records):
    for record in records:
        line = record.lines[record.at]
        record.lines[record.at] = line[:record.diff[0]] + b" " + line[record.diff[1]:]


def check_diffs(*files):
    """--ts-diff: each record says how long it is since the one before."""
    records = take_apart(report(AS_TRACE_CMD + ["-t", "--ts-diff"], *files))[1]
    for before, record in zip(records, records[1:]):
        diff = record.lines[record.at][slice(*record.diff)].strip()
        if diff != b"(+%d)" % (record.ts - before.ts):
            raise Failure("%d, %d: %r" % (before.ts, record.ts, diff))


def as_merged(options, *files):
    """Names of tasks come from records of all CPUs: they are those of trace-cmd's whole text."""
    head, whole = take_apart(trace_cmd_report(options, *files))
    names = {record.who: record.name for record in whole}
    expected, ours = merged(options, files), take_apart(report(AS_TRACE_CMD + options, *files))
    if "--ts-diff" in options:
        check_diffs(*files)
        without_diffs(expected)
        without_diffs(ours[1])
    for record in expected:
        line = record.lines[record.at]
        record.lines[record.at] = names.get(record.who, record.name) + line[len(record.name):]
    same(*(b"\n".join(lines + sum((record.lines for record in records), [])) for lines, records in (ours, (head, expected))))


def parted(text):
    """The records of each CPU of each buffer as lines, a leaf's line parted into its entry and its exit."""
    streams = {}
    for record in take_apart(text)[1]:
        line = record.lines[record.at]
        buffer = re.match(rb" *(\S+: )?", line)[1]
        lines = streams.setdefault((buffer, record.cpu), [])
        leaf, exit_ = LEAF.match(line), EXIT.match(line)
        if leaf:
            lines += [leaf["begin"] + leaf["call"] + b" {", (leaf["time"].strip(), leaf["end"])]
        elif exit_:
            lines.append((exit_["time"].strip(), exit_["end"]))
        else:
            lines.append(re.sub(rb"(funcgraph_entry: ) *", rb"\1", line))
        lines += record.lines[:record.at] + record.lines[record.at + 1:]
    return streams


def as_stored(options, trace, stored):
    """trace-cmd's text of all CPUs at once has the same records of each; ours has them by time."""
    text = report(options, trace)
    ours, told = parted(text), parted(stored)
    if ours.keys() != told.keys():
        raise Failure("streams %r instead of %r" % (ours.keys(), told.keys()))
    for stream, lines in told.items():
        if lines != ours[stream]:
            raise Failure("%r: %r" % (stream, next(pair for pair in zip(ours[stream], lines) if pair[0] != pair[1])))
    stamps = [record.ts for record in take_apart(text)[1]]
    if stamps != sorted(stamps):
        raise Failure("time goes back")
