#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files with each section of ours, cut off at drawn bytes: info and the command that shows the data tell it, or nothing
is lost.  60 cuts; with FTOP_TEST_LONG=1, 1,000.  FTOP_TEST_SEED=NUMBER repeats a run.  Prints TAP."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from private_section import with_blocks                         # noqa: E402
from report_common import DATA, PROGRAM, Failure, Tap, run      # noqa: E402

CUTS = 1000 if os.environ.get("FTOP_TEST_LONG") else 60
SEED = int(os.environ.get("FTOP_TEST_SEED") or random.randrange(1 << 32))
ALWAYS = "0 18446744073709551615"
LINES = b"missed 1234 sched:sched_switch\nnote what the recorder noted\ncut --from 1\n"
COMMANDS = (["hist"], ["tasks", "--head=5"], ["stacks", "--head=9"], ["summary"], ["report", "--head=30"])


def blocks():
    """Some of all that the recorder and `symbols` keep."""
    with open(os.path.join(DATA, "good", "hist", "hist-sched_switch.txt"), "rb") as f:
        hists = f.read()
    tasks = ["string 8", "/bin/pay", "user 1000 1", *("task 15000000000 15300000000 %d 1 14000000000 1000 1 1 0 0" % pid for pid in range(126, 136))]
    return {"saved_tgids": b"126 126\n127 126\n", "tasks": ("\n".join(tasks) + "\n").encode(),
            "machine": b"memory 1000000000\nvirt kvm\nwatched 100 1 200000000000\nsteal 1 200000000000 0 12\n",
            "hists": b"# of sched:sched_switch\n" + hists,
            "user_symbols": f"file - offset /opt/pay load\nmap 126 400000-500000 1000 {ALWAYS} 0\n"
                            "name 0 48a00-48a40 nanosleep\n".encode()}


class Whole:
    """A file and what the commands say of it.  @section: the bytes in which half of the cuts are; @unseen: a cut there
    gives the file as it was before our section was added."""

    def __init__(self, path, section=(0, 0), unseen=None):
        with open(path, "rb") as f:
            self.data = f.read()
        self.section = section if section[1] else (len(self.data) * 9 // 10, len(self.data))
        self.unseen = unseen
        self.said = {command[0]: ask(self.data, command) for command in COMMANDS}
        self.told = told(self.data)


def ask(data, command):
    """What a command says of a file with these bytes: its status, its text and its complaints."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.dat"), "wb") as f:
            f.write(data)
        done = subprocess.run([PROGRAM, *command, "t.dat"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, check=False)
    if done.returncode < 0:
        raise Failure(f"{command}: signal {-done.returncode}: {done.stderr}")
    return done.returncode, re.sub(rb"size bytes .*", b"", done.stdout).decode(), done.stderr.decode()


def told(data):
    """What info says is wrong; and all else, but for the size.  None: it does not open the file, and says so."""
    status, out, err = ask(data, ["info", "--format=json"])
    if status:
        if not err:
            raise Failure(f"info: status {status}, and no word")
        return None
    page = json.loads(out)
    page.pop("size_bytes")
    return [note["message"] for note in page.pop("notes")], page


def check_cut(whole, at, command):
    data = whole.data[:at]
    found, asked, before = told(data), ask(data, command), whole.said[command[0]]
    new = set(found[0]) - set(whole.told[0]) if found else set()
    words = " ".join((asked[1] + asked[2]).split())
    if "no histogram;" in asked[2] and "no histogram;" not in before[2]:
        raise Failure(f"{command} says that there never was one")
    if not found and not asked[2]:
        raise Failure(f"{command} opens what info does not")
    if new and asked != before and not any(" ".join(note.split()) in words for note in new):
        raise Failure(f"info tells {new}, but {command} only\n{asked}instead of\n{before}")
    if found and not new and found != whole.told:
        raise Failure(f"info does not tell, but {found} is not {whole.told}")
    for command in COMMANDS if found and not new else ():
        asked = ask(data, command)
        if asked != whole.said[command[0]]:
            raise Failure(f"nobody tells, but {command} says\n{asked}instead of\n{whole.said[command[0]]}")


def cuts_of(name, whole, draw):
    for i in range(CUTS // len(FILES) + 1):
        low, high = whole.section if i % 2 == 0 else (0, len(whole.data))
        at = draw.randrange(low, high)
        command = draw.choice(COMMANDS)
        if at == whole.unseen:
            continue
        try:
            check_cut(whole, at, command)
        except Failure as failure:
            raise Failure(f"{name}, {len(whole.data)} bytes, cut at byte {at}: {failure}") from failure


def made(folder, name, source, *options):
    path = os.path.join(folder, name)
    run([PROGRAM, "cut", *options, "-o", path, source])
    return path


def added(folder, name, source):
    """As `symbols` adds it, which replaces the section that the file has."""
    size = os.path.getsize(source)
    path = with_blocks(source, os.path.join(folder, name), blocks(), LINES)
    return Whole(path, (size, os.path.getsize(path)), size)


def at_end(path):
    """Of version 6: its own section, which begins where the last 8 bytes say."""
    with open(path, "rb") as f:
        data = f.read()
    return Whole(path, (int.from_bytes(data[-8:], "little") - 100, len(data)))


STACK = os.path.join(DATA, "good", "stack", "trace.dat")
LATENCY = os.path.join(DATA, "good", "wakeup-rt", "trace.dat")


def all_blocks(folder):
    path = os.path.join(folder, "all.dat")
    return path if os.path.exists(path) else with_blocks(STACK, path, blocks(), LINES)


FILES = {
    "added to a file of trace-cmd": lambda f: added(f, "added.dat", STACK),
    "version 7": lambda f: Whole(made(f, "plain.dat", all_blocks(f), "--compression=none")),
    "version 7, packed": lambda f: Whole(made(f, "packed.dat", all_blocks(f), "--compression=zstd")),
    "version 6": lambda f: at_end(made(f, "six.dat", all_blocks(f), "--file-version=6")),
    "added to version 6": lambda f: added(f, "six-added.dat", made(f, "six.dat", all_blocks(f), "--file-version=6", "--force")),
    "added to version 7": lambda f: added(f, "added7.dat", made(f, "plain.dat", all_blocks(f), "--force")),
    "latency text of version 6": lambda f: Whole(made(f, "latency6.dat", LATENCY, "--file-version=6", "--compression=none")),
    "latency text of version 7": lambda f: Whole(LATENCY),
}


def main():
    tap, draw = Tap(), random.Random(SEED)
    print(f"# seed {SEED}")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FILES.items():
            tap.case(name, lambda: cuts_of(name, make(folder), draw))       # pylint: disable=cell-var-from-loop
    tap.end()


main()
