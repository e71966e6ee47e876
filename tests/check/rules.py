#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No function has more than 60 lines, each struct, union and enum has a name of its own, and few files open others for writing.

Lines of a function are those between its braces; a label of a switch is none.  Before the tree is looked at, each rule is shown what
it must notice.  Prints TAP.
"""
import glob
import os
import re
import sys

TREE = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = ("src", "ui", "parsers", "recorder")
MAX_LINES = 60
EACH = ("view",)		# each folder of a view defines its own: ui/view/README.md
LABEL = re.compile(r"\s*(?:case\b[^?]*|default\s*):\s*(?:/\*.*\*/)?$")
TAG = re.compile(r"^\s*(?:typedef |static |const )*(?:struct|union|enum) (\w+) \{", re.M)

OPENS = re.compile(r"\b(?!fdopen)(?:\w*open(?:at2?|_file)?|tracefs_dir_file|syscall)\(([^;{]*)|\b(creat|mk[od]?s?temp|mkfifo\w*|mknod\w*|mkdir(?:at)?)\(")
WRITES = re.compile(r"\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b|\"[wa][+bcem]*\"|\"r[bcem]*\+")
# Who opens for writing, or makes a folder: by a file_place, or why else.  tests/program/openings.py sees it done.
WRITERS = {
    "parsers/io/temporary.c": "files without a name",
    "parsers/writer/trace_writer.c": "for tests: the program gives it a descriptor",
    "recorder/commands/cmd_record.c": "/dev/null",
    "recorder/commands/cmd_recover.c": "file_place",
    "recorder/journal/journal.c": "the journal's folder, which is root's",
    "recorder/journal/journal_read.c": "the journal's folder, which is root's",
    "recorder/output/output.c": "file_place",
    "recorder/output/output_pack.c": "file_place",
    "recorder/output/output_recover.c": "file_place",
    "recorder/output/output_spool.c": "file_place",
    "recorder/run/cpu_reader.c": "/dev/null",
    "recorder/run/instance.c": "tracefs",
    "recorder/run/measure.c": "/dev/cpu_dma_latency",
    "recorder/run/status_stream.c": "/dev/null",
    "recorder/tracefs/clock_reading.c": "tracefs",
    "src/base/file_place.c": "file_place",
    "src/base/small_file.c": "file_place",
    "src/commands/cmd_symbols.c": "file_place",
    "src/main.c": "/dev/null",
    "src/main/cmd_browse.c": "/dev/tty",
    "src/sandbox/broker_confirm.c": "/dev/tty",
    "src/sandbox/broker_part.c": "file_place",
    "src/sandbox/broker_place.c": "file_place",
    "src/sandbox/child.c": "/dev/null",
}


def writers(files):
    """Those of {path: text} that open files for writing, or make some."""
    found = set()
    for path, text in files.items():
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        if any(match.group(2) or WRITES.search(match.group(1)) for match in OPENS.finditer(text)):
            found.add(path)
    return found


def long_functions(text):
    """[(number of the line that names it, lines)]"""
    lines = text.split("\n")
    found = []
    for start, line in enumerate(lines):
        if line == "{":
            body = lines[start + 1:lines.index("}", start)]
            size = sum(not LABEL.match(inner) for inner in body)
            if size > MAX_LINES:
                found.append((start, size))
    return found


def unsaid(table, files):
    """Verdicts of verdicts.def that no file says."""
    said = set(re.findall(r"\bVERDICT_(\w+)", "\n".join(files.values())))
    return [name for name in re.findall(r"^VERDICT\((\w+),", table, re.M) if name not in said]


def doubles(files):
    """Tags that are defined in several of {path: text}: sentences."""
    where = {}
    for path, text in sorted(files.items()):
        for tag in TAG.findall(text):
            where.setdefault(tag, []).append(path)
    return [f"{tag}: {', '.join(paths)}" for tag, paths in sorted(where.items()) if len(paths) > 1]


def read_tree(folders):
    files = {}
    for path in sorted(path for folder in folders for path in glob.glob(f"{TREE}/{folder}/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            files[os.path.relpath(path, TREE)] = file.read()
    return files


def main():
    nr = failed = 0

    def case(good, what, found=()):
        nonlocal nr, failed
        nr += 1
        failed += not good
        for line in () if good else found:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {nr} - {what}")

    def function(lines):
        return "int f(int x)\n{\n" + "\tswitch (x) {\n\tcase 1:\n\tdefault:\n\t}\n" + "\tx++;\n" * (lines - 2) + "}\n"

    case(long_functions(function(61)) == [(1, 61)] and not long_functions(function(60)), "a function of 61 lines is noticed")
    planted = {"a.h": "struct a {\n};\nstruct b;\n", "b.h": "struct {\n\tenum b {\n\t} b;\n};\n"}
    case(not doubles(planted) and doubles({**planted, "c.c": "static const union b {\n} all;\n"}) == ["b: b.h, c.c"],
         "a tag that is defined twice is noticed")
    program = read_tree(PROGRAM)
    files = {**program, **read_tree(("tests",))}
    found = [f"{path}:{line}: {size} lines" for path, text in files.items() for line, size in long_functions(text)]
    case(len(program) > 100 and not found, f"no function has more than {MAX_LINES} lines", found)
    found = [double for double in doubles(program) if double.split(":")[0] not in EACH]
    case(not found, "each struct, union and enum has a name of its own", found)
    planted = ["open(a, O_RDWR | O_CLOEXEC)", "openat(f(g(h(a))), b,\\n\\t      x | O_CREAT, 0)", 'fopen(a, "we")', 'freopen(a, "r+", f)', "mkdirat(a, b, 0)"]
    harmless = ["open(a, O_RDONLY)", 'fopen(a, "re")', "/* open(a, O_RDWR) */", "x(O_WRONLY)", "fdopen(fd, b)"]
    case(all(writers({"a": text}) for text in planted) and not any(writers({"a": text}) for text in harmless), "an opening for writing is noticed")
    found = writers(program)
    case(found == set(WRITERS), "only the files of a list open others for writing",
         [f"{path}: use src/base/file_place.h, and list it" for path in found - set(WRITERS)] + [f"{path}: no longer" for path in set(WRITERS) - found])
    case(unsaid("VERDICT(A, \nVERDICT(B_C,", {"a": "x(VERDICT_A)", "b": "VERDICT_B"}) == ["B_C"], "a verdict that nobody says is noticed")
    found = unsaid(open(os.path.join(TREE, "src/events/verdicts.def"), encoding="utf-8").read(), program)
    case(not found, "each verdict is said somewhere", found)
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
