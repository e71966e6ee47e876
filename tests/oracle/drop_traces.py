# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace with a stretch of one CPU's records dropped, and a loss mark in its place; or cut off at a byte.

The file is one of version 6 with pages of 4096 bytes (trace-cmd convert makes one of any other).
"""
import struct

import graph_oracle
import graph_traces


class Drop:
    """What was dropped: records [first, last) of a CPU."""

    def __init__(self, cpu, first, last):
        self.cpu, self.first, self.last = cpu, first, last

    def __str__(self):
        return "records %d to %d of CPU %d" % (self.first, self.last - 1, self.cpu)

    def has(self, record):
        return record.cpu == self.cpu and self.first <= record.position < self.last


class Cut:
    """A file's end: records of several CPUs, from a time on each; those of the page that ends early count as missing."""

    def __init__(self, at, since):
        self.at, self.since = at, since

    def __str__(self):
        return "the bytes from %d on" % self.at

    def has(self, record):
        return record.ts >= self.since.get(record.cpu, record.ts + 1)


class Droppable:
    """The top buffer of a file: its records by CPU, and where the file says where they lie."""

    def __init__(self, path):
        self.trace = graph_oracle.Trace(path)
        assert self.trace.page_size == graph_traces.PAGE and self.trace.order == "little"
        by_cpu = {}
        for record in self.trace.buffers[0]:
            by_cpu.setdefault(record.cpu, []).append(record)
        self.cpus = {cpu: sorted(records, key=lambda r: r.position) for cpu, records in by_cpu.items()}
        self.table = self.trace.places

    def drop(self, path, dice, least=1):
        """Write it without a random stretch.  Return: which."""
        cpu = dice.choice([cpu for cpu, records in self.cpus.items() if len(records) > least + 1])
        records = self.cpus[cpu]
        first = dice.randrange(len(records) - least)
        last = min(len(records) - 1, first + least + int(dice.random() ** 3 * len(records)))
        kept = records[:first] + records[last:]
        marks = {i for i, record in enumerate(kept) if record.lost_before} | {first}
        pages = graph_traces.pages([(record.ts, record.data) for record in kept], marks, 1000)
        with open(path, "wb") as file:
            data = self.trace.bytes
            at = (len(data) + graph_traces.PAGE - 1) // graph_traces.PAGE * graph_traces.PAGE
            place = self.table + 16 * cpu
            data = data[:place] + struct.pack("<QQ", at, len(pages)) + data[place + 16:]
            file.write(data.ljust(at, b"\0") + pages)
        return Drop(cpu, first, last)

    def cut(self, path, dice):
        """Write it without its last bytes: from any byte of a CPU's data, or the end of a page, on.  Return: which."""
        data = self.trace.bytes
        places = {cpu: struct.unpack_from("<QQ", data, self.table + 16 * cpu) for cpu in self.cpus}
        at = dice.randrange(min(start for start, _ in places.values()) + 1, len(data))
        if dice.random() < 0.3:
            at -= at % graph_traces.PAGE
        with open(path, "wb") as file:
            file.write(data[:at])
        first = {cpu: start + max(at - start, 0) // graph_traces.PAGE * graph_traces.PAGE for cpu, (start, _) in places.items()}
        return Cut(at, {cpu: struct.unpack_from("<Q", data, first[cpu])[0] for cpu, (start, size) in places.items() if start + size > at})
