#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace of a task for each switch, with a name of its own.

usage: make_names.py SEED OUT NUMBER STEP

SEED is the fixture sched, as version 6 without compression.  Pids are STEP apart: with a power
of two they collide in tables of so many buckets."""
import re
import struct
import sys

PAGE = 4096
RECORDS = 55			# of a sub-buffer


def name(nr):
    return b"n%d" % nr


def switch(type_id, pids, nr):
    """A record of sched_switch, from one task to the next."""
    return struct.pack("<IHBBi16siiq16sii", 16 | 100 << 5, type_id, 0, 0, pids[nr], name(nr), pids[nr], 120, 1,
                       name(nr + 1), pids[nr + 1], 120)


def sub_buffers(type_id, pids):
    ts = 1000000
    for first in range(0, len(pids) - 1, RECORDS):
        records = b"".join(switch(type_id, pids, nr) for nr in range(first, min(first + RECORDS, len(pids) - 1)))
        yield struct.pack("<QQ", ts, len(records)) + records.ljust(PAGE - 16, b"\0")
        ts += 100 * RECORDS


def main():
    seed, out, number, step = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(seed, "rb") as file:
        data = bytearray(file.read())
    type_id = int(re.search(rb"name: sched_switch\nID: (\d+)", data)[1])
    size = len(data)
    pids = [nr * step % (1 << 31) + 1 for nr in range(number + 1)]
    data += b"".join(sub_buffers(type_id, pids))
    table = data.index(b"flyrecord\0") + 10
    end = struct.unpack_from("<Q", data, table)[0]		# the first CPU's data
    while table + 16 <= end and struct.unpack_from("<Q", data, table)[0] >= end:
        struct.pack_into("<QQ", data, table, size, len(data) - size)
        size, table = len(data), table + 16			# the other CPUs have nothing
    with open(out, "wb") as file:
        file.write(data)


main()
