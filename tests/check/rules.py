#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No function has more than 60 lines, and each struct, union and enum has a name of its own.

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
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
