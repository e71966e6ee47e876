#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types a filter into the real program on a pseudo-terminal, and measures what one sees.

usage: typing_session.py FILE [EXPR]

EXPR is 40 characters long unless it is given: its last word is the rarest event of the
trace.  Ten keys a second.  Of each key the time to the first screen that shows it is
measured (echo), and to the last change of the rows before the next key (rows: they follow
what workers find); what the main thread computed for the dearest key (main_cpu), and how
long it waited for a CPU that others had (main_waited: on a busy machine this is in the
times above); of the last key the time until the count is complete; and how long workers go
on with what nobody wants any more (stop).  Prints JSON, seconds.

FTOP_BUILD is the folder of the build.
"""
import json
import os
import re
import select
import statistics
import sys
import time

import bench

KEY_SECONDS = 0.1
LENGTH = 40
FIRST_ROW, LAST_ROW = 4, bench.LINES - 4	# of the list, as a slice of the screen


def expression(path):
    kinds = sorted(bench.info(path)["event_types"], key=lambda kind: kind["count"])
    begin = "pid > 0 && cpu < 64 && "
    fitting = [kind["name"] for kind in kinds if len(begin + kind["name"]) == LENGTH]
    return begin + (fitting or [kinds[0]["name"]])[0]


def threads(pid):
    """{thread: ns on a CPU} of the workers: all but the main thread."""
    used = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        if int(tid) != pid:
            with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as stat:
                used[tid] = int(stat.read().split()[0])
    return used


def main_thread(pid):
    """Seconds that the main thread was on a CPU, and waited for one."""
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as stat:
        return [int(word) / 1e9 for word in stat.read().split()[:2]]


def wait_quiet(session, seconds=0.5, limit=120):
    """Until workers rest and nothing is printed."""
    end, before = time.monotonic() + limit, None
    while time.monotonic() < end:
        output = len(session.output)
        while session.read(0.05) and time.monotonic() < end:
            pass
        time.sleep(seconds)
        now = threads(session.pid)
        if before == now and len(session.output) == output:
            return
        before = now
    sys.exit("typing_session: the program does not come to rest")


def type_keys(session, text):
    """Times of the keys, and what the main thread did from each to the next (main_thread())."""
    times, used = [], [main_thread(session.pid)]
    for char in text:
        begin = time.monotonic()
        times.append(begin)
        os.write(session.fd, char.encode())
        while time.monotonic() < begin + KEY_SECONDS:
            session.read(max(0, begin + KEY_SECONDS - time.monotonic()))
        used.append(main_thread(session.pid))
    return times, [[b - a for a, b in zip(one, two)] for one, two in zip(used, used[1:])]


def frames(session, from_output):
    """(time, screen rows) behind each piece of output."""
    terminal = bench.import_screen()
    screen = terminal.Screen(bench.COLUMNS, bench.LINES)
    stream = terminal.Stream(screen)
    for nr, (when, data) in enumerate(session.output):
        stream.feed(data)
        if nr >= from_output:
            yield when, list(screen.display)


def shown_text(rows):
    found = re.match(r" filter: (.*?)(  +\S.*)?$", rows[-1].rstrip())
    return found[1] if found else ""


def measure_keys(session, text):
    wait_quiet(session)
    session.key(b"f", quiet=0.1)
    begin = len(session.output)
    times, used = type_keys(session, text)
    end = time.monotonic() + 60
    while time.monotonic() < end and not exact_count(session):
        session.read(0.02)
    shots = list(frames(session, begin))
    echo, settled = [], []
    for nr, when in enumerate(times):
        until = times[nr + 1] if nr + 1 < len(times) else when + KEY_SECONDS
        first = next((at for at, rows in shots if at >= when and shown_text(rows).startswith(text[:nr + 1].rstrip())), None)
        if first is None:
            sys.exit(f"typing_session: key {nr + 1} is not on the screen")
        echo.append(first - when)
        before, last = None, first
        for at, rows in shots:
            if at < when or at >= until:
                before = rows[FIRST_ROW:LAST_ROW] if at < when else before
                continue
            if rows[FIRST_ROW:LAST_ROW] != before:
                last, before = max(last, at), rows[FIRST_ROW:LAST_ROW]
        settled.append(last - when)
    complete = next((at for at, rows in shots if at >= times[-1] and is_exact(rows)), None)
    return {"echo": max(echo), "echo_median": statistics.median(echo), "rows": max(settled),
            "rows_median": statistics.median(settled), "main_cpu": max(cpu for cpu, _ in used),
            "main_waited": max(waited for _, waited in used), "count": complete - times[-1] if complete else None,
            "matches": next((count_of(rows) for at, rows in reversed(shots) if is_exact(rows)), None)}


def count_of(rows):
    found = re.search(r"([\d ]+) of ([\d ]+)$", rows[-1].rstrip())
    return int(found[1].replace(" ", "")) if found else None


def is_exact(rows):
    return count_of(rows) is not None and "≥" not in rows[-1]


def exact_count(session):
    rows = None
    if time.monotonic() - getattr(session, "looked", 0) < 0.1:
        return False
    session.looked = time.monotonic()
    for _, rows in frames(session, len(session.output) - 1):
        pass
    return rows is not None and is_exact(rows)


def measure_cancel(session):
    """Seconds that workers go on when the line is emptied, at the dearest work there is: a text in all lines."""
    session.key(b'\x15"there is no such text"', quiet=0.05)
    busy, end = False, time.monotonic() + 5
    while not busy and time.monotonic() < end:
        before = threads(session.pid)
        time.sleep(0.01)
        busy = threads(session.pid) != before
    begin = stopped = time.monotonic()
    os.write(session.fd, b"\x15")
    before = threads(session.pid)
    while time.monotonic() < begin + 0.3:
        time.sleep(0.001)
        now, at = threads(session.pid), time.monotonic()
        if any(now[tid] - before.get(tid, 0) > 100000 for tid in now):
            stopped = at
        before = now
        while select.select([session.fd], [], [], 0)[0]:
            session.read(0)
    return {"stop": stopped - begin, "was_busy": busy}


def measure(path, text=None):
    text = text or expression(path)
    session = bench.Session(path)
    session.first_screen()
    result = {"text": text, "keys": len(text), "types": len(bench.info(path)["event_types"])}
    result |= measure_keys(session, text)
    result |= measure_cancel(session)
    session.close()
    return result


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    print(json.dumps(measure(*sys.argv[1:])))
