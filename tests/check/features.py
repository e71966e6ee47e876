#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""share/ftrace-features.md: it has each file that tracefs had on some kernels, and the tests and options that it names exist.  Whether
it has those of a running kernel asks tests/vm/doctor.py.  Prints TAP.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{tests}/lib")
import features     # noqa: E402

PROGRAM = f"{os.environ.get('FTOP_BUILD') or os.path.dirname(tests) + '/build-run'}/ftop-trace"
COMMAND = re.compile(r"[a-z]+(?= |$)")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def printed(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


@functools.lru_cache(maxsize=None)
def texts_of(script):
    """A test, and what it has beside it."""
    base = f"{tests}/{os.path.splitext(script)[0]}"
    return "\n".join(read(path) for path in (f"{tests}/{script}", f"{base}_cases.py", f"{base}-payload.sh") if os.path.exists(path))


def wrong_test(reference):
    """PATH, or PATH NAME, of a case there."""
    script, _, case = reference.partition(" ")
    case = case.strip('"')
    if not os.path.isfile(f"{tests}/{script}"):
        return f"there is no tests/{script}"
    # a function, or the case's name as a text; those of the latency tracers are made in a loop
    name = re.escape(re.sub(r"^wakeup_rt-(?=events$)", "{latency}-", case))
    if case and not re.search(rf"(?<!\w)(test_)?{name}\(|\"{name}\"", texts_of(script)):
        return f"tests/{script} has no {case}"


def wrong_command(words):
    """COMMAND and options, of which each is in its help."""
    command = COMMAND.match(words)
    if not command or command[0] not in re.findall(r"^  (\w+) ", printed("help", "all"), re.M):
        return
    known = printed(command[0], "--help") + printed("help", "options")
    for option in re.findall(r"(?<=\s)--?[A-Za-z][\w-]*", re.sub(r"'[^']*'", "''", words)):
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", known):
            return f"{command[0]} has no {option}"


def wrong_row(section, cells):
    """What is wrong with a row, if something is."""
    if section == features.NEED_NONE:
        return None if len(cells) == 2 and cells[1] and features.quoted(cells[0]) else "not files and a reason"
    if len(cells) != len(features.COLUMNS):
        return f"{len(cells)} columns"
    _, _, _, program, test = cells
    if not re.match(r"no: \S|partly: \S|`", test):
        return f"neither a test, nor partly: or no: and the reason: {test}"
    if not test.startswith("no: ") and not program:
        return "the program has it, but it does not say where"
    references = [quoted for quoted in features.quoted(test) if re.match(r"\w+/[\w-]+\.(py|c|test)\b", quoted)]
    if test.startswith("`") and len(references) != len(features.quoted(test)):
        return f"not a test: {test}"
    return next(filter(None, [*map(wrong_test, references), *map(wrong_command, features.quoted(program))]), None)


def main():
    nr = failed = 0

    def case(what, faults=()):
        nonlocal nr, failed
        nr += 1
        failed += bool(faults)
        for fault in faults:
            print(f"# {fault}")
        print(f"{'not ok' if faults else 'ok'} {nr} - {what}")

    rows = features.tables()
    case("each row has a test or a reason, and names what exists",
         [f"{section}: {cells[0]}: {fault}" for section, cells in rows for fault in [wrong_row(section, cells)] if fault]
         or ([] if len(rows) > 100 else [f"{len(rows)} rows"]))
    case("wrong rows are noticed", [str(row) for row in (
        ["a", "", "", "", "`live/record.py no_such_case`"], ["a", "", "", "`record --no-such`", "`live/record.py sched`"],
        ["a", "", "", "`record -e`", "yes"], ["a", "", "", "", "`live/record.py sched`"], ["a", "", "", "no: why"],
        ["a", "", "", "`record -e`", "`live/no_such.py`"]) if not wrong_row("", row)])
    named, need_none = features.files()
    case("no file has a row and needs none", sorted(named & need_none))
    seen = [line for line in read(f"{tests}/data/tracefs-files.txt").splitlines() if not line.startswith("#")]
    case("it has the files that kernels had", features.unknown(seen) if len(seen) > 100 else [f"{len(seen)} files"])
    case("files are named as on the page", [path for path, name in (
        ("./per_cpu/cpu17/trace_pipe_raw", "per_cpu/cpu*/trace_pipe_raw"), ("instances/a/options/raw", "options/raw"),
        ("./instances/a/events/sched/sched_switch/enable", "events/*/enable"), ("trace_stat/function3", "trace_stat/function*"),
        ("rv/monitors/sched/sco/enable", "rv/monitors/*/enable"), ("remotes/hyp/events/hyp/exit/id", "remotes/*/events/*/id"),
        ("osnoise/per_cpu/cpu0/timerlat_fd", "osnoise/per_cpu/cpu*/timerlat_fd")) if features.name_of(path) != name])
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as page:
        page.write(read(features.PAGE).replace("`tracing_cpumask`", ""))
        page.flush()
        case("a file without a row is noticed", [] if "tracing_cpumask" in features.unknown(seen, page.name) else ["it is not"])
    print(f"1..{nr}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
