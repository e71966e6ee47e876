# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a trace of Perfetto: protobuf by the numbers in tests/data/schema/perfetto.proto, and what trace_processor makes
of it: events with names and fields, slices of tracks by the order of time."""
import collections
import os
import re

from report_common import DATA, Failure

SCALAR = {"int32", "int64", "uint32", "uint64"}


def read_schema(path):
    """{message: {number: (name, type)}}"""
    messages, fields = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("message"):
                fields = messages[line.split()[1]] = {}
            found = re.fullmatch(r"  (?:optional|repeated) (\w+) (\w+) = (\d+);\n", line)
            if found:
                fields[int(found[3])] = found[2], found[1]
    return messages


SCHEMA = read_schema(os.path.join(DATA, "schema", "perfetto.proto"))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise Failure("a number of more than 10 bytes")


def fields_of(data):
    """(number, value) of each field: a number, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        size, wire = None, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            size = 8
        elif wire == 2:
            size, at = varint(data, at)
        else:
            raise Failure("wire type %d" % wire)
        if size is not None:
            value = data[at:at + size]
            at += size
            if at > len(data):
                raise Failure("a field of %d bytes ends behind its message" % size)
            if wire == 1:
                value = int.from_bytes(value, "little")
        yield tag >> 3, value


def decode(message, data):
    """{name: [values]}; what is not in the schema stands under its number."""
    out = collections.defaultdict(list)
    for number, value in fields_of(data):
        name, type_ = SCHEMA[message].get(number, (number, None))
        if type_ in SCHEMA:
            value = decode(type_, value)
        elif type_ in SCALAR and not isinstance(value, int) or type_ in ("string", "bytes") and isinstance(value, int):
            raise Failure("%s.%s is a %s" % (message, name, type_))
        out[name].append(value)
    return out


Event = collections.namedtuple("Event", "cpu ts pid name fields")
Slice = collections.namedtuple("Slice", "track name begin end depth")
Instant = collections.namedtuple("Instant", "track name ts caller")


class Perfetto:
    """events, slices, instants, tracks {uuid: descriptor}, lost {cpu: number}, and packets that are once."""

    def __init__(self, data):
        self.packets = decode("Trace", data)["packet"]
        self.tracks = {p["track_descriptor"][0]["uuid"][0]: p["track_descriptor"][0]
                       for p in self.packets if p["track_descriptor"]}
        self.described = {}
        for bundle in self.bundles():
            for one in bundle["generic_event_descriptors"]:
                event = one["event_descriptor"][0]
                self.described[one["field_id"][0]] = event["name"][0].decode(), {
                    f["number"][0]: (f["name"][0].decode(), f["type"][0]) for f in event["field"]}
        self.lost_before = [bundle["cpu"][0] for bundle in self.bundles() if bundle["lost_events"]]
        self.events = [self.event(bundle["cpu"][0], e) for bundle in self.bundles() for e in bundle["event"]]
        self.read_slices()

    def bundles(self):
        return [p["ftrace_events"][0] for p in self.packets if p["ftrace_events"]]

    def only(self, name):
        found = [p[name][0] for p in self.packets if p[name]]
        if len(found) != 1:
            raise Failure("%d packets have %s" % (len(found), name))
        return found[0]

    def event(self, cpu, event):
        # FtraceParser::ParseFtraceEvent() of trace_processor makes a row of each field but these two.
        rest = [name for name in event if name not in ("timestamp", "pid") and event[name]]
        if len(rest) != 1:
            raise Failure("an event of %r" % rest)
        name, fields = rest[0], event[rest[0]][0]
        if isinstance(name, int):
            name, described = self.described[name]
            named = collections.defaultdict(list)
            for number, value in fields_of(fields):
                if isinstance(value, int) == (described[number][1] in (9, 12)):
                    raise Failure("%s.%s is not as described" % (name, described[number][0]))
                named[described[number][0]].append(value)
            fields = named
        return Event(cpu, event["timestamp"][0], event["pid"][0], name, fields)

    def read_slices(self):
        names, values, self.symbols = {}, {}, {}
        for packet in self.packets:
            for data in packet["interned_data"]:
                for told, kind in ((names, "event_names"), (values, "debug_annotation_string_values"),
                                   (self.symbols, "kernel_symbols")):
                    for one in data[kind]:
                        if one["iid"][0] in told:
                            raise Failure("a name is told twice")
                        told[one["iid"][0]] = (one["name"] or one["str"])[0].decode(errors="replace")
        self.slices, self.instants, stacks = [], [], collections.defaultdict(list)
        marks = [(p["timestamp"][0], p["track_event"][0]) for p in self.packets if p["track_event"]]
        for ts, mark in sorted(marks, key=lambda m: m[0]):	# a stable sort, as trace_processor's
            track, type_ = mark["track_uuid"][0], mark["type"][0]
            name = mark["name"][0].decode(errors="replace") if mark["name"] else names.get((mark["name_iid"] or [0])[0])
            if type_ == 1:
                stacks[track].append((name, ts))
            elif type_ == 2:
                name, begin = stacks[track].pop()
                self.slices.append(Slice(track, name, begin, ts, len(stacks[track])))
            else:
                caller = [values[v["string_value_iid"][0]] for v in mark["debug_annotations"]]
                self.instants.append(Instant(track, name, ts, caller[0] if caller else None))
        if any(stacks.values()):
            raise Failure("%d slices have no end" % sum(map(len, stacks.values())))

    def pid(self, track):
        """Of a track, or of the one around it; (0, CPU) of an idle task."""
        told = self.tracks[track]
        while told["parent_uuid"]:
            told = self.tracks[told["parent_uuid"][0]]
        if told["thread"]:
            return told["thread"][0]["tid"][0], None
        name = told["name"][0].decode()
        return (0, int(name.split("/")[1])) if name.startswith("swapper/") else None
