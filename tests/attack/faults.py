#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands and the screen again and again, and lets one call fail in each run (fault.c: a read, a write, a file that
cannot be opened, memory that is refused), or be interrupted, or move half of its bytes.

What is asked: no crash, no hang; what is printed is the same as without the fault, or an error says why; after a
recording tracefs is as before, and what was written opens or is recovered.

usage: faults.py [--record | NAME-PART...]

--record needs root and tracefs: it records on this machine (tests/live/faults.sh).  With FTOP_TEST_LONG every call fails
once.  Prints TAP.
"""
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", name) for name in ("oracle", "screens")]
sys.dont_write_bytecode = True
from report_common import BUILD, DATA, LIMIT_S, LONG, PLAIN, PROGRAM

TRIED = 6			# calls of a command and kind that fail in a short run
KINDS = ("fail", "eintr", "short", "alloc")
TRACING = "/sys/kernel/tracing"
READS = ("report", "report --tail=5", "report --style=kernel", "report -F common_pid>0", "info", "fields", "graph",
         "functions", "tasks", "timeline")
LIBRARY = os.path.join(BUILD, "tests/attack/fault.so")
program = PLAIN or PROGRAM	# the sanitizers' own library wants to be the first


class Counter:
    """The number of calls, shared with the processes of a run."""
    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.file.write(bytes(mmap.PAGESIZE))
        self.file.flush()
        self.page = mmap.mmap(self.file.fileno(), mmap.PAGESIZE)

    def environment(self, kind, at):
        self.page[:8] = bytes(8)
        return {"LD_PRELOAD": LIBRARY, "FAULT_KIND": kind, "FAULT_AT": str(at), "FAULT_FD": str(self.file.fileno()),
                "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}

    def calls(self):
        return int.from_bytes(self.page[:8], "little")


counter = Counter()


def run(words, folder, kind=None, at=0):
    """Exit status, output and messages."""
    env = dict(os.environ, LC_ALL="C.UTF-8", XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
    if kind:
        env.update(counter.environment(kind, at))
    child = subprocess.run([program, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, pass_fds=[counter.file.fileno()], timeout=LIMIT_S)
    return child.returncode, child.stdout, child.stderr.decode(errors="replace")


def positions(calls):
    """The calls that fail: all, or some of them from the first to the last."""
    if LONG or calls <= TRIED:
        return range(1, calls + 1)
    return sorted({1 + number * (calls - 1) // (TRIED - 1) for number in range(TRIED)})


def command(words, folder):
    """What goes wrong when a command reads a trace."""
    expected = run(words, folder)
    for kind in KINDS:
        run(words, folder, kind)
        for at in positions(counter.calls()):
            status, out, told = run(words, folder, kind, at)
            what = f"{kind} at call {at}: status {status}: {told[-500:]}"
            if status not in (0, 1, 2):
                return what
            # info tells in its output what it could not do
            if (status, out) != expected[:2] and "ftop-trace: " not in told and words[0] != "info":
                return what + "\nthe output differs, and nothing says why"
            if kind in ("eintr", "short") and (status, out) != expected[:2]:
                return what + "\nthe output differs"
    return None


# --- recordings -------------------------------------------------------------------------


def is_of_another(instance):
    """Does the recorder of an instance, ftop-PID-..., live?"""
    pid = re.match(r"ftop-(\d+)-", instance)
    return bool(pid) and os.path.exists(f"/proc/{pid[1]}")


def settings():
    """What a recording changes in tracefs."""
    found = {"instances": sorted(name for name in os.listdir(f"{TRACING}/instances") if not is_of_another(name))}
    for name in ("current_tracer", "tracing_on", "trace_clock", "buffer_size_kb", "set_event", "dynamic_events",
                 "saved_cmdlines_size", "trace_options"):
        try:
            with open(f"{TRACING}/{name}") as file:
                found[name] = file.read()
        except OSError:
            pass
    return found


def no_recording():
    try:
        os.mkdir(f"{TRACING}/instances/ftop-fault-probe")
        os.rmdir(f"{TRACING}/instances/ftop-fault-probe")
    except OSError as error:
        return f"no instance can be made in {TRACING}: {error.strerror}"
    return None


def opens(folder):
    """Why what a recording left behind cannot be read."""
    if os.path.exists(f"{folder}/t.dat.part"):
        status, _, told = run(["recover", "t.dat.part"], folder)
        if status and "had not begun" not in told and "not an interrupted" not in told:
            return f"recover: {told}"
    if os.path.exists(f"{folder}/t.dat"):
        status, _, told = run(["report", "t.dat"], folder)
        if status and "no event could be read" not in told:
            return f"report: {told}"
    return None


def recording(_, folder):
    words = ["record", "--no-browse", "-e", "sched_switch", "-B", "ftop-faults", "-e", "sched_waking", "-o", "t.dat", "true"]
    for kind in KINDS:
        run(words, folder, kind)
        for at in positions(counter.calls()):
            for name in ("t.dat", "t.dat.part"):
                if os.path.exists(f"{folder}/{name}"):
                    os.unlink(f"{folder}/{name}")
            before = settings()
            status, _, told = run(words, folder, kind, at)
            what = f"{kind} at call {at}: status {status}: {told[-800:]}"
            if status not in (0, 1, 2) or (status and "ftop-trace: " not in told):
                return what
            if settings() != before:
                return f"{what}\ntracefs: {before} became {settings()}"
            if why := opens(folder):
                return f"{what}\n{why}"
    return None


# --- the screen -------------------------------------------------------------------------


def screen(_, folder):
    import terminal
    os.set_inheritable(counter.file.fileno(), True)

    def play(kind, at):
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "FTOP_DATADIR": os.environ.get("FTOP_DATADIR", "")}
        term = terminal.Terminal([program, "trace.dat"], dict(env, **counter.environment(kind, at)), folder)
        try:
            for key in "35612q":
                if term.state is None:
                    term.settle()
                    term.key(key)
            term.wait_for(lambda: term.state is not None, "no end")
            wrong = term.not_restored()
            if term.state not in ("0", "1", "2") or wrong:
                return f"{kind} at call {at}: ended with {term.state}; {'; '.join(wrong)}"
        except terminal.Failure as failure:
            rows = "\n".join(term.rows())
            return f"{kind} at call {at}: {failure}\n{rows}"
        finally:
            term.close()
        return None

    for kind in KINDS:
        if why := play(kind, 0):
            return why
        for at in positions(counter.calls()):
            if why := play(kind, at):
                return why
    return None


def main():
    if not os.access(program, os.X_OK) or not os.access(LIBRARY, os.R_OK):
        print(f"1..0 # SKIP {program} or {LIBRARY} is not built")
        return 0
    if sys.argv[1:] == ["--record"]:
        cases = [("record", recording)]
    else:
        cases = [(words, command) for words in READS] + [("the screen", screen)]
        cases = [case for case in cases if not sys.argv[1:] or any(word in case[0] for word in sys.argv[1:])]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (name, case) in enumerate(cases, 1):
        skip = no_recording() if case is recording else None
        if skip:
            print(f"ok {number} - {name} # SKIP {skip}", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            trace = "cpu4" if re.match("graph|functions|the screen", name) else "sched-7.2"
            shutil.copyfile(os.path.join(DATA, "good", trace, "trace.dat"), os.path.join(folder, "trace.dat"))
            why = case(name.split() + ["trace.dat"], folder)
        failed += why is not None
        print(f"not ok {number} - {name}\n# " + why.replace("\n", "\n# ") if why else f"ok {number} - {name}", flush=True)
    return 1 if failed else 0


sys.exit(main())
