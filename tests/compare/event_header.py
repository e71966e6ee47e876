#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of user_events with an EventHeader, packed here after eventheader.h of microsoft/LinuxTracepoints: the fields that
they describe are in JSON, in filters, counts and the list of fields; the text of report stays that of trace-cmd.  Prints TAP.

tests/data/event-header/trace.dat is what make() writes.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_traces                                             # noqa: E402
from report_common import DATA, PROGRAM, Failure, Tap           # noqa: E402

TRACE = os.path.join(DATA, "event-header", "trace.dat")
PROVIDER = 400
NAMES = ("eventheader_flags", "version", "id", "tag", "opcode", "level")
# As trace_events_user.c prints it.
FORMAT = graph_traces.format_text("Shop_L4K1", PROVIDER, [
    ("u8 eventheader_flags", 8, 1, 0), ("u8 version", 9, 1, 0), ("u16 id", 10, 2, 0), ("u16 tag", 12, 2, 0), ("u8 opcode", 14, 1, 0),
    ("u8 level", 15, 1, 0)], '"%s", %s' % (" ".join(f"{name}=%u" for name in NAMES), ", ".join(f"REC->{name}" for name in NAMES)))
VALUE16, VALUE32, VALUE64, STRING, COUNTED_STRING, STRUCT = 3, 4, 5, 7, 10, 1
SIGNED, HEX, CHAIN, ARRAY = 2, 3, 0x80, 0x40


def field(name, encoding, format_=None):
    return name.encode() + b"\0" + bytes([encoding] if format_ is None else [encoding | CHAIN, format_])


def event(pid, name, definitions, values, opcode=0, activity=b"", order="<"):
    meta = name.encode() + b"\0" + b"".join(definitions)
    flags = 1 | (2 if order == "<" else 0) | 4
    header = struct.pack(f"{order}BBHHBB", flags, 1, 7, 0, opcode, 4)
    if activity:
        header += struct.pack(f"{order}HH", len(activity), 0x8002) + activity
    return graph_traces.common(PROVIDER, 0, pid) + header + struct.pack(f"{order}HH", len(meta), 1) + meta + values


def make(path):
    order = [field("number", VALUE32), field("customer", STRING), field("change", VALUE16, SIGNED), field("flags", VALUE64, HEX),
             field("prices", VALUE32 | ARRAY), field("place", STRUCT, 2), field("x", VALUE16), field("y", VALUE16, SIGNED)]
    values = (struct.pack("<I", 4711) + b"Mr. Bean\0" + struct.pack("<hQ", -3, 0xbeef) + struct.pack("<HIII", 3, 5, 6, 7)
              + struct.pack("<Hh", 9, -9))
    done = [field("text", COUNTED_STRING), field("number", VALUE64), field("id", VALUE16)]
    graph_traces.FORMATS = [*graph_traces.FORMATS, ("user_events", [FORMAT])]
    graph_traces.write(path, [[
        (10 ** 9, event(1, "Order", order, values, opcode=1, activity=bytes(range(16)))),
        (10 ** 9 + 1000, event(2, "Paid;keyword=3", done, struct.pack(">H", 2) + b"ok" + struct.pack(">QH", 2 ** 63, 9), order=">")),
        (10 ** 9 + 2000, event(2, "Order", order, values[:20])),
        (10 ** 9 + 3000, graph_traces.common(PROVIDER, 0, 3) + struct.pack("<BBHHBB", 3, 0, 1, 2, 0, 4)),
    ]])


FIELDS = [
    {"event_name": "Order", "activity_id": "00010203-0405-0607-0809-0a0b0c0d0e0f", "number": 4711, "customer": "Mr. Bean", "change": -3,
     "flags": "0xbeef", "prices": "[5 6 7]", "place": "{x=9 y=-9}"},
    {"event_name": "Paid", "text": "ok", "number": str(2 ** 63), "id": 9},
    {"event_name": "Order", "number": 4711, "customer": "Mr. Bean", "change": -3, "cut_short": True},
    None,
]


def ask(*words):
    return subprocess.run([PROGRAM, *words, TRACE], stdout=subprocess.PIPE, text=True, check=True).stdout


def fixture():
    with tempfile.TemporaryDirectory() as folder:
        make(f"{folder}/t.dat")
        if open(f"{folder}/t.dat", "rb").read() != open(TRACE, "rb").read():
            raise Failure(f"{TRACE} is not what make() writes")


def described():
    rows = [json.loads(line) for line in ask("report", "--format=json").splitlines()]
    found = [row["fields"].get("eventheader") for row in rows]
    if found != [fields if fields else {} for fields in FIELDS]:
        raise Failure(f"{found}")
    if [row["fields"]["id"] for row in rows] != [7, 7 << 8, 7, 1]:     # as the format says, whatever the flags do
        raise Failure(f"{rows}")


def text():
    theirs = subprocess.run(["trace-cmd", "report", "-i", TRACE], stdout=subprocess.PIPE, text=True, check=True).stdout
    if ask("report") != theirs or theirs.count("eventheader_flags=") != 4:
        raise Failure(f"{ask('report')}, trace-cmd has {theirs}")


# By hand, from the values above: the records that a filter keeps.
FILTERS = {
    "number == 4711": [0, 2], "number > 4711": [1], "number == 9223372036854775808": [1], "number in 1-5000": [0, 2],
    "number == 4711.5": [], "number > 4710.5": [0, 1, 2], "number == \"4711\"": [0, 2],
    "change < 0": [0, 2], "change >= -3": [0, 2], "flags == 0xbeef": [0], "flags == \"0xbeef\"": [0],
    "customer == \"Mr. Bean\"": [0, 2], "customer != x": [0, 2], "customer =~ /^mr/i": [0, 2], "customer > 3": [],
    "event_name == Paid": [1], "event_name != Paid": [0, 2], "event_name in (Paid, Order)": [0, 1, 2], "id not in 7": [1],
    "event_name not in (Order)": [1], "place.x == 9": [0], "place.y == -9": [0], "prices == 6": [0], "prices == 4": [],
    "prices contains \"5 6\"": [0], "activity_id ~ \"0001*\"": [0], "nothing == 3": [],
}


def filters():
    for text, expected in FILTERS.items():
        asked = subprocess.run([PROGRAM, "report", "--format=csv", "-F", f"eventheader.{text}", TRACE], capture_output=True, text=True)
        if asked.returncode or bool(expected) == ("nothing matches" in asked.stderr):
            raise Failure(f"{text}: {asked.stderr}")
        rows = asked.stdout.splitlines()[1:]
        found = [(int(row.split(",")[0]) - 10 ** 9) // 1000 for row in rows]
        if found != expected:
            raise Failure(f"{text}: {found}")
    refused = subprocess.run([PROGRAM, "report", "-F", "eventheader.number + 1 == 3", TRACE], stderr=subprocess.PIPE, text=True)
    if refused.returncode == 0 or "only be compared" not in refused.stderr:
        raise Failure(refused.stderr)


def counts():
    rows = ask("count", "--format=csv", "--by", "eventheader.event_name,eventheader.customer", "--sum", "eventheader.change")
    if [row.split(",") for row in rows.splitlines()[1:]] != [["2", "-6", "Order", "Mr. Bean"]]:
        raise Failure(rows)


def names():
    rows = [row.split(",") for row in ask("fields", "--format=csv", "--grep", "eventheader\\.").splitlines()[1:]]
    found = {row[3].removeprefix("eventheader."): row[4] for row in rows}
    if found != {"event_name": "string", "activity_id": "uuid", "number": "u32", "customer": "string", "change": "u16", "flags": "u64",
                 "prices": "array", "place": "struct", "place.x": "u16", "place.y": "u16", "text": "string", "id": "u16"}:
        raise Failure(f"{rows}")


def main():
    tap = Tap()
    tap.case("the trace is made here", fixture)
    tap.case("fields that records describe", described)
    tap.case("the text of trace-cmd", text)
    tap.case("filters", filters)
    tap.case("counts", counts)
    tap.case("names", names)
    tap.end()


main()
