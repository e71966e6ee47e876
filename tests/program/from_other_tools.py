#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""share/from-other-tools.md names commands, options and keys that exist.  Prints TAP."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, LIMIT_S, PLAIN, PROGRAM, SRC, Failure, Tap, read_text

PROGRAM = os.path.abspath(PLAIN or PROGRAM)	# what it does with a trace is tested elsewhere
# What a command needs in its trace, where cpu4 does not have it.
TRACES = (("noise", "timerlat"), ("stacks", "waits"), ("kind=block", "blk"))
# In place of words of the page, for commands that are run.
WORDS = {"START": "+1ms", "END": "+2ms", "OLD": "trace.dat", "NEW": "b.dat", "a.dat": "trace.dat",
         "--perfetto=OUT": "--perfetto=-", "--task=NAME": "--task=79",
         "--baseline=OLD": "--baseline=trace.dat",
         "kmalloc": "sched_switch", "id == openat": "prev_pid == 0", "--by=call_site": "--by=prev_comm", "--sum=bytes_alloc": "--sum=prev_pid"}
# They would record, look at this machine's kernel, or open the browser.
NOT_RUN = ("record", "live", "extract", "recover", "list", "doctor", "hist")


def here():
    """What stands in backquotes in the second columns."""
    with open(os.path.join(SRC, "share", "from-other-tools.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\|.* \| (.*) \|$", file.read(), re.M)
    return [span.replace("\\|", "|") for row in rows for span in re.findall(r"`([^`]+)`", row)]


def ask(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=LIMIT_S)


def command_works(folder, words):
    words = [WORDS.get(word, word) for word in words]
    traces = [trace for name, trace in TRACES if name in " ".join(words)] + ["cpu4"]
    for name in ("trace.dat", "b.dat"):
        shutil.copy(os.path.join(DATA, "good", traces[0], "trace.dat"), os.path.join(folder, name))
    subprocess.run([PROGRAM, "export", "--perfetto=x.pftrace", "trace.dat"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    with open(os.path.join(folder, "perf.data"), "wb") as file:
        name = "stacks" if "stacks" in words else "group" if "--sum=period" in words else "sched"
        file.write(read_text(os.path.join(DATA, "perf", name + ".data.gz")))
    with open(os.path.join(folder, "x.txt"), "wb") as file:
        subprocess.run([PROGRAM, "report", "--style=perf", "perf.data"], cwd=folder, check=True, stdout=file, stderr=subprocess.DEVNULL)
    shutil.copytree(os.path.join(DATA, "ctf", "lttng"), os.path.join(folder, "FOLDER"), dirs_exist_ok=True)
    browse = words[0] == "FOLDER" or words[0].startswith("-") or words[0].endswith((".dat", ".data", ".txt"))
    asked = [*words, "--help"] if browse else [words[0], "--help", *words[1:]]
    # An option that does not exist is a mistake even beside --help.
    done = ask(folder, *asked)
    if not done.returncode and not browse and words[0] not in NOT_RUN:
        done = ask(folder, *words)
    if done.returncode and (words[0] != "check" or not done.stdout.startswith(b"KTAP")):	# a rule may be broken
        raise Failure(f"{words}: {done.stdout[-500:].decode(errors='replace')}")


def main():
    tap = Tap()
    page = subprocess.run([PROGRAM, "--print-man", "ftop-trace-keys.7"], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    listed = page[page.index("general"):]
    keys = {key.replace("\\", "") or "\\" for line in re.findall(r"^\.B (.*)$", listed, re.M)
            for key in line.split()}

    def key_exists(span):
        if span.split()[0] not in keys and not span.startswith(":plot "):
            raise Failure(f"{span}: no such key")

    with tempfile.TemporaryDirectory() as folder:
        for span in here():
            words = shlex.split(span) if span.startswith("ftop-trace") else []
            if words:
                tap.case(span, command_works, folder, words[1:])
            else:
                tap.case(span, key_exists, span)
    tap.end()


main()
