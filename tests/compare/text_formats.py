#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With --formats, the fields of a text trace are those of the trace.dat of the same buffer.

The formats are the trace.dat's own.  Compared are the fields of each event but those that its print
format computes: which these are was read in the kernels' formats.  The kernel's text hides
addresses, trace-cmd's does not.  Prints TAP.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, SHARED, Failure, Tap, read_text, run     # noqa: E402

# What print formats compute of a field: flags, names of numbers, strings of pointers.
PRINTED = """
hrtimer_init clockid mode; hrtimer_start mode; timer_start flags; irq_handler_exit ret; softirq_raise action;
softirq_entry action; softirq_exit action; tick_stop dependency; rcu_utilization s; kmem_cache_alloc gfp_flags accounted;
kmalloc gfp_flags accounted; mm_page_alloc gfp_flags; rss_stat member; writeback_mark_inode_dirty state flags;
writeback_dirty_inode state flags; writeback_dirty_inode_start state flags; sched_process_exit group_dead; neigh_create primary_key4 primary_key6; sb_clear_inode_writeback state;
sb_mark_inode_writeback state; writeback_dirty_inode_enqueue state; writeback_single_inode state;
writeback_single_inode_start state
"""
CALL_NR = "__syscall_nr"                # numbers of system calls are not in the text
# trace-cmd 3.1 has another letter for a state, and does not print whether a timer was armed.
NOT_TOLD = {("sched_switch", "prev_state"), ("hrtimer_start", "was_armed")}
VALUES = 300                            # at least so many are compared


def printed():
    return {(event, field) for event, *fields in map(str.split, PRINTED.replace("\n", " ").split(";")) for field in fields}


def rows(*args):
    lines = run([PROGRAM, "report", "--format=json", *args]).decode(errors="replace").split("\n")
    return sorted((row for row in map(json.loads, filter(None, lines)) if "lost" not in row), key=lambda row: row["cpu"])


def fields_of(*args):
    lines = run([PROGRAM, "fields", "--format=json", *args]).decode().split("\n")
    return {(row["event"], row["field"]): row for row in map(json.loads, filter(None, lines)) if row["event"]}


def check(dat, text, hides, scratch):
    path = os.path.join(scratch, "trace.txt")
    with open(path, "wb") as out:
        out.write(text)
    got, want = rows("--formats", dat, path), rows(dat)
    if [row["event"] for row in got] != [row["event"] for row in want]:
        raise Failure("%d events, not %d" % (len(got), len(want)))
    known, own = fields_of("--formats", dat, path), fields_of(dat)
    computed = {key for key, row in known.items() if row["values"] == "as printed"}
    wrong = {key for key in computed ^ printed() if key[0] in {row["event"] for row in want} and key in known}
    if wrong:
        raise Failure("as printed, or not: %s" % sorted(wrong))
    seen = collections.Counter()
    for mine, theirs in zip(got, want):
        for name, value in mine["fields"].items():
            key = (mine["event"], name)
            if key in computed or name == CALL_NR or name not in theirs["fields"]:
                continue
            if known[key]["type"] != own[key]["type"]:
                raise Failure("%s: type %s, not %s" % (key, known[key]["type"], own[key]["type"]))
            is_function = isinstance(value, str) and value.startswith("0xffff9")   # its address is in no text
            if is_function or ("*" in known[key]["type"] if hides else key in NOT_TOLD):
                continue
            seen[mine["event"]] += 1
            if value != theirs["fields"][name]:
                raise Failure("%s: %s, not %s" % (key, value, theirs["fields"][name]))
    if sum(seen.values()) < VALUES:
        raise Failure("only %d values" % sum(seen.values()))


def cases():
    for folder, names in ((os.path.join(DATA, "good"), ("lost-text",)),
                          (os.path.join(SHARED, "fixtures") if SHARED else "", ("irq", "net", "mem", "block"))):
        for name in names if folder else ():
            for file in ("kernel-trace.txt", "report.txt"):
                for path in (os.path.join(folder, name, file), os.path.join(folder, name, file + ".gz")):
                    if os.path.exists(path):
                        yield "%s: %s" % (name, file), os.path.join(folder, name, "trace.dat"), path, file[0] == "k"


def refused(scratch):
    path = os.path.join(scratch, "trace.txt")
    with open(path, "wb") as out:
        out.write(b"# tracer: nop\n              a-1     [000] .....     1.000001: f: x=1\n")
    for formats, why in ((path, b"no event formats"), (os.path.join(scratch, "none"), b"No such file")):
        done = subprocess.run([PROGRAM, "info", "--formats", formats, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode != 1 or why not in done.stderr or done.stdout:
            raise Failure(done.stderr)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        for name, dat, text, hides in cases():
            tap.case(name, check, dat, read_text(text), hides, scratch)
        tap.case("what has no formats is refused", refused, scratch)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
