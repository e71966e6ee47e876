# SPDX-License-Identifier: GPL-2.0-or-later
"""
ring.py - what live shows while the ring drops its beginning: drawn keys, and an hour under forks.

Prints TAP.  As record.py: tracefs is compared before and after each test.

usage: ring.py [NAME-PART...]

FTOP_DRAWN_KEYS: keys (40; ./dev test --long has 600)
FTOP_FAULT_SEED: what they are drawn from (1)
FTOP_LIVE_MINUTES: how long the forks go on (0: not at all; ./dev test --long has 60)
"""
import contextlib
import os
import random
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import record as live
import screen as screens

KEYS = int(os.environ.get("FTOP_DRAWN_KEYS", "40"))
MINUTES = int(os.environ.get("FTOP_LIVE_MINUTES", "0"))
SEED = os.environ.get("FTOP_FAULT_SEED", "1")

# Computes and sleeps, and forks: argv: forks in each second
LOAD = """
import os, sys, time
while True:
    for i in range(int(sys.argv[1]) // 20):
        if not (pid := os.fork()): os._exit(0)
        os.waitpid(pid, 0)
    sum(range(100000))
    time.sleep(0.05)
"""


@contextlib.contextmanager
def load(forks, processes):
    started = [subprocess.Popen([sys.executable, "-c", LOAD, str(forks)]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


# Views, moves, windows, sorting, groups and the pane; not what records, stops, asks or saves.
DRAWN = ["3", "4", "6", "9", "9", "9", "1", "j", "k", "PageDown", "PageUp", "G", "g", "h", "l", "+", "-", "*", "<", ">", "{", "}", "[", "]",
         "Enter", "BSpace", "Escape", "Tab", "w", "n", "Space", "i", "Y"]
SHARE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?%")
TIME = re.compile(r"(?<![\d.])(\d+\.\d{6,9})(?![\d.])")
LASTS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) s(?![\w/])")
OF_TASK = re.compile(r"^[ >]\S+-\d+ |\b(Ran|Slept|Waited up to|That wait) ")
KEPT_S = 2


def wrong_on(rows, began):
    """What of the screen cannot be: a share above all, a time at which nothing was recorded, more than was recorded."""
    now, found = time.monotonic(), []
    most = 100 * (os.cpu_count() if any(" ×" in row for row in rows) else 1)    # of several tasks
    for row in rows:
        found += [f"{share} %: {row}" for share in SHARE.findall(row) if float(share) > most]
        found += [f"at {ts}: {row}" for ts in TIME.findall(row) if not began <= float(ts) <= now]
        if OF_TASK.search(row):
            found += [f"for {length} s: {row}" for length in LASTS.findall(row) if float(length) > now - began]
    return found


def test_drawn_keys():
    """No figure of a held, moved or played window is of more than is left, in any view."""
    draw, said = random.Random(SEED), []
    began = time.monotonic()
    with load(200, 3), screens.Screen("live", "-e", "sched", "-e", "irq", "-m", f"{KEPT_S}s", "-C", "mono", "-o", "own.dat", "--",
                                      "sh", "-c", "until [ -e stop ]; do sleep 0.01; done", cols=130, rows=40) as screen:
        screen.see("rec 00:", "6 Whole", "kept ")
        screen.term.wait_for(lambda: time.monotonic() > began + 2 * KEPT_S, "no time passes")
        for _ in range(KEYS):
            said.append(draw.choice(DRAWN))
            screen.type(said[-1])
            for _ in range(draw.randint(1, 12)):
                screen.term.pump(0.1)
                assert screen.term.state is None, (said, screen.term.state)
                wrong = wrong_on(screen.term.rows(), began)
                if wrong:       # unless half of the screen is drawn
                    screen.term.pump(0.05)
                    wrong = set(wrong) & set(wrong_on(screen.term.rows(), began))
                assert not wrong, (SEED, said, wrong, began, time.monotonic())
        screen.type("Escape", "Escape")
        open("stop", "w").close()
        screens.is_in(screen, "own.dat")
        screen.see("own.dat: ", "the newest of ")
        told = re.search(r"the newest of ([\d ]+) events in", "\n".join(screen.term.rows()))[1]
    kept = [line for line in live.report("own.dat") if "EVENTS DROPPED" not in line]
    assert len(kept) < int(told.replace(" ", "")), (len(kept), told)


def cost_of(pids):
    """Of these processes: bytes of anonymous memory, seconds of CPU."""
    memory = cpu = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            memory += 1024 * int(screens.status(pid, "RssAnon")[0])
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                cpu += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    return memory, cpu / os.sysconf("SC_CLK_TCK")


def own_processes(pid):
    children = [int(p) for p in os.listdir("/proc") if p.isdigit() and screens.parent_of(int(p)) == pid]
    return [pid] + [p for child in children for p in own_processes(child)]


def test_an_hour_under_forks():
    """Memory goes with what is kept, CPU time with what is new, for as long as it runs."""
    if not MINUTES:
        raise live.Skip("it takes an hour: ./dev test --long, or FTOP_LIVE_MINUTES")
    minutes = []
    with load(100, 2), screens.Screen("live", "-e", "sched", "-e", "irq", "-m", "60s", "-o", "own.dat", cols=130, rows=40) as screen:
        screen.see("rec 00:", "6 Whole")
        for minute in range(MINUTES):
            began, before, memory = time.monotonic(), cost_of(own_processes(screen.term.pid))[1], []
            while (now := time.monotonic()) < began + 60:
                screen.term.pump(1)
                if not memory or now > began + len(memory):
                    memory.append(cost_of(own_processes(screen.term.pid))[0])
            minutes.append((statistics.median(memory), cost_of(own_processes(screen.term.pid))[1] - before, screens.events_shown(screen)))
            print(f"# minute {minute + 1}: {minutes[-1][0] / 1e6:.0f} MB, at most {max(memory) / 1e6:.0f}, {minutes[-1][1]:.1f} s of CPU, "
                  f"{minutes[-1][2]} events kept", flush=True)
        screen.type("q")
        screen.see("d Discard")
        screen.type("d")
        screen.see("own.dat was discarded")
    # what a ring of 60 s holds is reached in the second minute; other work on the machine may be more later
    first = [max(values) for values in zip(*minutes[:2])]
    for minute, (memory, cpu, events) in enumerate(minutes[2:], 3):
        more = max(1, events / first[2])
        assert memory <= 2 * more * first[0] and cpu <= 2 * more * first[1], (minute, minutes)


if __name__ == "__main__":
    sys.exit(live.main(globals()))
