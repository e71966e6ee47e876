#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace of a task for each switch, with a name of its own.

usage: make_names.py SEED OUT NUMBER STEP [new]

SEED is the fixture sched, as version 6 without compression.  Pids are STEP apart: with a power
of two they collide in tables of so many buckets.  new: each task creates the next one."""
import re
import struct
import sys

PAGE = 4096
RECORDS = 55			# of a sub-buffer; half as many where tasks are created


def name(nr):
    return b"n%d" % nr


def switch(type_id, pids, nr):
    """A record of sched_switch, from one task to the next."""
    return struct.pack("<IHBBi16siiq16sii", 16 | 100 << 5, type_id, 0, 0, pids[nr], name(nr), pids[nr], 120, 1,
                       name(nr + 1), pids[nr + 1], 120)


def wakeup(type_id, pids, nr):
    """A record of sched_wakeup_new, of the next task."""
    return struct.pack("<IHBBi16siii", 9 | 100 << 5, type_id, 0, 0, pids[nr], name(nr + 1), pids[nr + 1], 120, 0)


def sub_buffers(switch_id, wakeup_id, pids):
    ts, tasks = 1000000, RECORDS // 2 if wakeup_id else RECORDS
    for first in range(0, len(pids) - 1, tasks):
        records = b"".join((wakeup(wakeup_id, pids, nr) if wakeup_id else b"") + switch(switch_id, pids, nr)
                           for nr in range(first, min(first + tasks, len(pids) - 1)))
        yield struct.pack("<QQ", ts, len(records)) + records.ljust(PAGE - 16, b"\0")
        ts += 100 * RECORDS


def main():
    seed, out, number, step = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(seed, "rb") as file:
        data = bytearray(file.read())
    switch_id, wakeup_id = (int(re.search(rb"name: %s\nID: (\d+)" % event, data)[1])
                            for event in (b"sched_switch", b"sched_wakeup_new"))
    size = len(data)
    pids = [nr * step % (1 << 31) + 1 for nr in range(number + 1)]
    data += b"".join(sub_buffers(switch_id, wakeup_id if sys.argv[5:] else 0, pids))
    table = data.index(b"flyrecord\0") + 10
    end = struct.unpack_from("<Q", data, table)[0]		# the first CPU's data
    while table + 16 <= end and struct.unpack_from("<Q", data, table)[0] >= end:
        struct.pack_into("<QQ", data, table, size, len(data) - size)
        size, table = len(data), table + 16			# the other CPUs have nothing
    with open(out, "wb") as file:
        file.write(data)


main()
