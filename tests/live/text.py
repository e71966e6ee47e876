# SPDX-License-Identifier: GPL-2.0-or-later
"""
text.py - live --text on this machine's kernel: what it prints of a recording that goes on is what
the commands print of the finished file.

Prints TAP.  As record.py: tracefs is compared before and after each test.

usage: text.py [NAME-PART...]
"""
import csv
import io
import json
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import record as live

from waiting import LIMIT_S, until

LOAD = "import time\nwhile True: time.sleep(0.001)"
EVENTS = ("--no-who", "-e", "sched_switch", "-e", "sched_waking")


def run(*words, rc=0):
    p = subprocess.run([live.PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
    assert p.returncode == rc, f"status {p.returncode}, not {rc}: {p.stderr}"
    assert "Sanitizer" not in p.stderr, p.stderr
    return p


class Load:
    """A task that sleeps and wakes; its pid."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", LOAD])
        return self.process.pid

    def __exit__(self, *args):
        self.process.kill()
        self.process.wait()


def windows_of(out):
    """JSON: the windows, and the lines of each."""
    found = []
    for line in out.splitlines():
        row = json.loads(line)
        if row.get("type") == "window":
            found.append((row["from_ns"], row["to_ns"], []))
        else:
            found[-1][2].append(line)
    return found


def finished(command, window, form="json"):
    return run(*command, f"--format={form}", f"--from={window[0]}ns", f"--to={window[1]}ns", "t.dat").stdout.splitlines()


def check_follow(windows):
    for before, after in zip(windows, windows[1:]):
        assert after[0] == before[1] + 1, (before[:2], after[:2])


def test_events_are_those_of_the_finished_file():
    with Load():
        p = run("live", "--text", "--by=events", "--format=json", "--count=3", *EVENTS, "-o", "t.dat")
    windows = windows_of(p.stdout)
    assert len(windows) == 3 and "t.dat: " in p.stderr, p.stderr
    check_follow(windows)
    for window in windows:
        assert len(window[2]) == 2 and window[2] == finished(("count", "--by=event"), window), window


def same_or_surer(now, then, told):
    """Where the kernel hides switches, a later record may make times of a window doubtful: no figure of sure ones is higher then."""
    of_sure = [key for key in now if key.startswith("max_") or key in ("wait_avg_ns", "wait_p99_ns")] if "missing switches" in told else []
    assert not of_sure or now["doubtful_ns"] <= then["doubtful_ns"], (now, then)
    for key, value in now.items():
        is_bound = key in of_sure and key.endswith("_ns") and key.startswith("max_")
        if key not in of_sure and (key != "doubtful_ns" or not of_sure):
            assert value == then[key], (key, now, then)
        assert not is_bound or (then[key] or 0) <= (value or 0), (key, now, then)


def test_a_task_is_that_of_the_finished_file():
    with Load() as pid:
        p = run("live", "--text", "--format=json", "--count=3", *EVENTS, "-o", "t.dat")
    windows = windows_of(p.stdout)
    assert len(windows) == 3
    check_follow(windows)
    for window in windows:
        now, then = ([row for row in map(json.loads, lines) if row["pid"] == pid] for lines in (window[2], finished(("tasks",), window)))
        assert len(now) == len(then) == 1, (now, then)
        same_or_surer(now[0], then[0], p.stderr)


def test_latencies_are_those_of_the_finished_file():
    """Of interrupts: no kernel hides these.  What was open when the window ended may have its end there."""
    with Load():
        p = run("live", "--text", "--by=latency", "--format=json", "--count=2", "--interval=500ms", "-e", "irq", "-o", "t.dat")
    windows = windows_of(p.stdout)
    assert len(windows) == 2
    for window in windows:
        now, then = ({row["kind"]: row for row in map(json.loads, lines)} for lines in (window[2], finished(("latency",), window)))
        assert "softirq" in now and set(now) == set(then)
        for kind, row in now.items():
            assert 0 <= then[kind]["n"] - row["n"] <= row["open"], (row, then[kind])
            assert row["open"] or row == then[kind], (row, then[kind])


def test_csv_names_the_window():
    with Load():
        p = run("live", "--text", "--by=events", "--format=csv", "--count=3", "--interval=500ms", *EVENTS, "-o", "t.dat")
    rows = list(csv.DictReader(io.StringIO(p.stdout)))
    windows = sorted({(int(row["from_ns"]), int(row["to_ns"])) for row in rows})
    assert len(windows) == 3 and len(rows) == 6, rows
    for window in windows:
        now = [line.split(",", 2)[2] for line in p.stdout.splitlines() if line.startswith(f"{window[0]},{window[1]},")]
        assert now == finished(("count", "--by=event"), window, "csv")[1:], window


def test_the_command_ends_the_recording():
    p = run("live", "--text", "--by=events", "--format=json", *EVENTS, "-o", "t.dat", "--", "sh", "-c", "echo printed; sleep 1.2")
    assert "printed" in p.stderr and "printed" not in p.stdout
    windows = windows_of(p.stdout)
    check_follow(windows)
    counted = sum(json.loads(line)["count"] for window in windows for line in window[2])
    report = live.report()
    assert counted == len(report), (counted, len(report), [window[:2] for window in windows], report[:1], report[-1:])


def test_the_reader_goes_away():
    with subprocess.Popen([live.PROGRAM, "live", "--text", "--format=json", *EVENTS, "-o", "t.dat"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as p:
        assert json.loads(p.stdout.readline())["type"] == "window"
        p.stdout.close()
        err = p.stderr.read()
        assert p.wait(LIMIT_S) == 0, err
    assert "t.dat: " in err and not os.path.exists("t.dat.part") and live.report()


def recorder_words(*options):
    """How the recorder of `live --text` is started."""
    with subprocess.Popen([live.PROGRAM, "live", "--text", *options, "-o", "t.dat"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as p:
        assert p.stdout.readline().endswith(":\n")
        with open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="ascii") as file:
            lines = [open(f"/proc/{pid}/cmdline", encoding="utf-8").read() for pid in file.read().split()]
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=LIMIT_S)
    return next(line for line in lines if "\0record\0" in line)


def test_the_last_minute_is_kept_unless_more_is_said():
    minute = "\0-e\0sched\0-e\0irq\0-m\00060s\0"
    assert minute in recorder_words(), recorder_words()
    assert "\0-m\00030s\0" in recorder_words("-m", "30s")
    for options in (EVENTS, ("-C", "mono_raw"), ("--size=100M",)):
        assert "\0-m\0" not in recorder_words(*options), options


def test_an_interrupt_keeps_the_file():
    with subprocess.Popen([live.PROGRAM, "live", "--text", *EVENTS, "-o", "t.dat"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as p:
        assert p.stdout.readline().endswith(":\n")
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=LIMIT_S)
        assert p.returncode == 0, err
    assert "t.dat: " in err and live.report()


def test_another_recording():
    p = live.start(*EVENTS, "-o", "t.dat", "sh", "-c", "until [ -e stop ]; do sleep 0.01; done")
    live.wait_written(p, path="t.dat.part")
    windows = windows_of(run("live", "--text", "--by=events", "--format=json", "--count=2", "t.dat.part").stdout)
    open("stop", "w").close()
    live.finish(p)
    until(lambda: not os.path.exists("t.dat.part"), "the recorder does not finish its file")
    assert len(windows) == 2
    for window in windows:
        assert window[2] == finished(("count", "--by=event"), window), window


def test_groups_while_it_is_recorded():
    """Who tasks are is in the file as soon as these are: EVENTS leaves it out.  The groups are those of /proc."""
    def group(by, path):
        rows = map(json.loads, run("tasks", f"--by={by}", "--format=json", path).stdout.splitlines())
        return {row[by]: row["tasks"] for row in rows}

    with Load() as pid:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            process = f"{file.read().strip()}-{pid}"
        cgroup = live.cgroup_of(pid)
        p = live.start("-e", "sched_switch", "-e", "sched_waking", "-o", "t.dat", "sh", "-c",
                       "until [ -e stop ]; do sleep 0.01; done")
        live.wait_written(p, path="t.dat.part")
        until(lambda: process in group("process", "t.dat.part"), f"{process} is not known")
        assert cgroup in group("cgroup", "t.dat.part")
        open("stop", "w").close()
        live.finish(p)
    assert group("process", "t.dat")[process] == 1


def test_wrong_values():
    for option, part in (("--by=x", "'x' is not one of"), ("--format=xml", "'xml' is not one of"),
                         ("--interval=0", "--interval: '0' is not a time"), ("--count=0", "--count: '0'"),
                         ("--head=-1", "--head: '-1'")):
        assert part in run("live", "--text", option, rc=2).stderr
    assert "--count requires --text" in run("live", "--count=3", rc=2).stderr
    assert "no column is named x" in run("live", "--text", "--sort=x", *EVENTS, "-o", "t.dat", rc=2).stderr
    assert not os.path.exists("t.dat.part") and live.report()


if __name__ == "__main__":
    sys.exit(live.main(globals()))
