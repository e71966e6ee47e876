#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace full of escape sequences (make_trace hostile: names of tasks, strings,
trace_marker texts, symbols, options): none of them reaches a terminal as it is,
neither from the text commands nor on the screen.  Into a pipe, report stays byte
for byte what trace-cmd prints.  Prints TAP."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import AS_TRACE_CMD, DATA, PROGRAM

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "screens"))
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)

COMMANDS = (
    "report", "report -l", "report -t", "report -R", "report -N", "report --exact", "report --format=json",
    "report --format=csv", "report --style=kernel", "info", "info --format=json", "info --format=csv",
    "graph", "graph --style=kernel", "graph --format=json", "graph --format=csv", "functions", "functions --folded",
    "functions --format=csv", "tasks", "tasks --format=csv", "wakeups", "wakeups --format=csv", "latency --format=csv",
    "latency --kind=wakeup --open", "timeline",
    "why --blocked-by", "why --blocked-by --format=csv", "fields", "fields --format=csv",
    "count --by=buf,comm", "count --by=event,comm,pid", "count --by=event,comm --format=csv",
    "diff --by=functions", "diff --by=tasks", "diff --by=tasks --format=csv", "diff --by=events", "diff --by=latency --kind=sleep",
    "summary", "summary --format=json", "check -e tasks<0", "check -e latency<0 --format=json",
)
ON_TEXT = ("report", "report --format=json", "info", "summary", "tasks", "latency --format=csv", "fields")
SANITIZED = os.access(PROGRAM, os.R_OK) and b"__asan_init" in open(PROGRAM, "rb").read()
# What the trace holds, and what is shown instead.
SHOWN = r"\e[31mred"


def forbidden(text):
    """The first character that a terminal would obey, or None."""
    for char in text:
        if char in "\r\n\t":
            continue
        if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp"):
            return char
    return None


def environment(term):
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "FTOP_DATADIR")}
    return dict(kept, LANG="C.UTF-8", TERM=term)


def run(argv, folder, script):
    """What a program sends to a terminal; the script plays with it until it may end."""
    term = terminal.Terminal(argv, environment("tmux-256color"), folder, columns=200, lines=60)
    try:
        script(term)
        return bytes(term.raw), term.state
    finally:
        term.close()


def text_command(program, words, folder, trace):
    def script(term):
        while term.state is None:
            term.pump(0.2)
        while term.pump(0.2):
            pass

    other = [os.path.join(here, "..", "data/good/cpu4/trace.dat")] if words[0] == "diff" else []
    raw, state = run([program] + words + other + [trace], folder, script)
    if state != "0" and (state, words[0]) != ("1", "check"):	# a rule is broken
        return f"ended with {state}: {raw[:300]!r}"
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return f"bytes that are not UTF-8: {error}"
    char = forbidden(text)
    if char:
        return f"sent {char!r} in {text[max(0, text.index(char) - 40):text.index(char) + 40]!r}"
    return None if len(text) > 100 else f"said only {text!r}"


def hostile_calls(tool, path):
    """A trace of calls, in whose names of functions the first letters are escape sequences."""
    found = os.path.join(here, "..", "data/good/cpu4/trace.dat")
    subprocess.run([tool, found, path, "v6"], check=True, stdout=subprocess.DEVNULL)
    with open(path, "rb") as file:
        data = file.read()
    hostile = re.sub(rb"(\n[0-9a-f]{16} [tT] )\w{7}", rb"\1\033[31m\302\233", data)
    if hostile == data:
        sys.exit("no name of a function was found")
    with open(path, "wb") as file:
        file.write(hostile)


def hostile_text(program, folder):
    """The lines of hostile.dat as a text trace."""
    lines = subprocess.run([program, "report", "hostile.dat"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    with open(os.path.join(folder, "hostile.txt"), "wb") as file:
        file.write(lines.replace(b"\n", b"\n# \033]0;pwned\007\302\233\n", 1))


def hostile_hist(folder):
    """A kernel's hist file with escape sequences in the trigger, a name and a key."""
    with open(os.path.join(folder, "hist.txt"), "wb") as file:
        file.write(b"# event histogram\n#\n# trigger info: hist:keys=comm,\033[31mx:vals=hitcount [active]\n#\n\n"
                   + b"{ comm: \033]0;pwned\007\302\233  , \033[31mx:  1 } hitcount:  7  \033[0mv:  3\n" * 9)


def screen(program, folder, trace, shown=SHOWN):
    title = []

    def script(term):
        term.settle()
        title.append(term.screen.title)
        if not term.shows(shown):
            raise terminal.Failure(f"{shown} is not on the screen:\n# " + "\n# ".join(term.rows()))

    try:
        raw, _ = run([program, trace], folder, script)
    except terminal.Failure as failure:
        return str(failure)
    if "pwned" in title[0]:
        return "the title of the terminal was changed"
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return f"bytes that are not UTF-8: {error}"
    for what in ("\033[31mred", "\033]0;pwned", "\x9b", "\u202e", "\v", "\x7f"):
        if what in text:
            return f"sent {what!r}"
    return None


def bomb(rewrite_trace, folder):
    """A record of user_events whose fields are arrays of structures without members, in each other: 65535^8 elements.  Another's
    print format has widths of 65535 for each argument."""
    path = os.path.join(folder, "bomb.dat")
    subprocess.run([rewrite_trace, os.path.join(DATA, "event-header", "trace.dat"), path, "v6"], check=True)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = data.index(b"Order\0number\0")
    size = int.from_bytes(data[at - 4:at - 2], "little")
    fields = b"".join(bytes([97 + i]) + b"\0\xa1\1\xff\xff" for i in range(8))
    data[at:at + size] = b"O" * (size - 1 - len(fields)) + b"\0" + fields
    at = data.index(b"print fmt: ", data.index(b"name: Shop_L4K1")) + len(b"print fmt: ")
    end = data.index(b"\n", at)
    data[at:end] = b'"%65535d%65535d%65535d", 1, 1, 1'.ljust(end - at)
    with open(path, "wb") as file:
        file.write(data)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 21))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def bomb_command(program, words, folder):
    """Within the limits, it prints the records behind the bomb, and says what it has cut."""
    done = subprocess.run([program, *words, "bomb.dat"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=limits, check=False)
    longest = max(map(len, done.stdout.split(b"\n")))
    if done.returncode or longest > 1 << 17:
        return f"status {done.returncode}, a line of {longest} bytes: {done.stderr.decode()[-500:]}"
    if words[0] == "report" and "json" not in words[-1] and b"has texts above 64 KiB" not in done.stderr:
        return f"does not tell of the cut: {done.stderr.decode()[-500:]}"
    if words[-1] == "--format=json" and words[0] == "report" and b'"a":"[{b=[{c=[{d=[{e=[{f=[{g=[{h=[{} ' not in done.stdout:
        return f"no array: {done.stdout[:800]}"
    return None


def bomb_screen(program, folder):
    def script(term):
        term.settle()
        term.key("1")
        term.see("{h=[{} …]} …]")
        term.key("Q")

    try:
        run([program, "bomb.dat"], folder, script)
    except terminal.Failure as failure:
        return str(failure)
    return None


def pipe(program, folder):
    if not shutil.which("trace-cmd"):
        return "SKIP trace-cmd is not here"
    ours = subprocess.run([program, "report"] + AS_TRACE_CMD + ["hostile.dat"], cwd=folder, stdout=subprocess.PIPE,
                          check=False).stdout
    theirs = subprocess.run(["trace-cmd", "report", "-i", "hostile.dat"], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=False).stdout
    return None if ours == theirs else "differs from trace-cmd's"


def wide_number(program, folder):
    """A format says that a number has 400 bytes; nothing is asked of the result but that there is one."""
    path = os.path.join(folder, "wide.dat")
    subprocess.run([program, "cut", "--file-version=6", "-o", path, os.path.join(DATA, "good/sched/trace.dat")], check=True, stderr=subprocess.DEVNULL)
    with open(path, "rb") as file:
        found, number = re.subn(rb"(field:int common_pid;\toffset:4;)\tsize:4;\t", rb"\g<1>size:400;", file.read())
    if not number:
        return "no format has common_pid"
    with open(path, "wb") as file:
        file.write(found)
    done = subprocess.run([program, "report", "--count", "-F", "pid > 20", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return "" if done.returncode in (0, 1, 2) else repr(done)


def main():
    build = os.environ.get("FTOP_BUILD", ".")
    program, make_trace, rewrite_trace = (os.path.join(build, name) for name in
                                          ("ftop-trace", "tests/tools/make_trace", "tests/tools/rewrite_trace"))
    for needed in (program, make_trace, rewrite_trace):
        if not os.access(needed, os.X_OK):
            print(f"1..0 # SKIP {needed} is not built")
            return 0
    results = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_trace, "hostile", os.path.join(folder, "hostile.dat")], check=True)
        hostile_calls(rewrite_trace, os.path.join(folder, "calls.dat"))
        for command in COMMANDS:
            trace = "calls.dat" if command.startswith(("graph", "functions", "diff --by=functions")) else "hostile.dat"
            results.append((command + " on a terminal", text_command(program, command.split(), folder, trace)))
        subprocess.run([program, "cut", "-o", "cut.dat", "-F", "common_pid >= 0", "hostile.dat"], cwd=folder, check=True)
        for command in ("report", "info"):
            results.append((command + " of a cut on a terminal", text_command(program, command.split(), folder, "cut.dat")))
        hostile_text(program, folder)
        for command in ON_TEXT:
            results.append((command + " of a text trace on a terminal", text_command(program, command.split(), folder, "hostile.txt")))
        hostile_hist(folder)
        for command in ("hist", "hist --number=1 --format=csv"):
            results.append((command + " on a terminal", text_command(program, command.split(), folder, "hist.txt")))
        # a folder's names are a stranger's, too
        name = "\033[31mred\302\233\033]0;pwned\007.dat"
        shutil.copy(os.path.join(folder, "hostile.dat"), os.path.join(folder, name))
        for command in ("info", "summary"):
            results.append((command + " of a file with a hostile name", text_command(program, [command], folder, name)))
        bomb(rewrite_trace, folder)
        for command in ("report", "report -N", "report --style=kernel", "report --format=json", "report --format=csv", "fields",
                        "count --by=event", "summary"):
            results.append((command + " of a bomb", bomb_command(program, command.split(), folder)))
        results.append(("a bomb on the screen", bomb_screen(program, folder)))
        results.append(("report into a pipe", pipe(program, folder)))
        results.append(("a wide number", wide_number(PROGRAM, folder)))
        for trace in ("hostile.dat", "hostile.txt"):
            results.append((f"{trace} on the screen", screen(program, folder, trace)))
        results.append(("hist.txt on the screen",
                        screen(program, folder, "hist.txt", "the text ends before the totals")))
    print(f"1..{len(results)}")
    failed = 0
    for number, (name, why) in enumerate(results, 1):
        if why and why.startswith("SKIP"):
            print(f"ok {number} - {name} # {why}")
        elif why:
            failed += 1
            print(f"not ok {number} - {name}\n# {why}")
        else:
            print(f"ok {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
