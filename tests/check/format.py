#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The sources look as .clang-format says, and no line is wider than 100 columns.

clang-format cannot keep columns, so these lines stay as they were written: definitions of structs, unions and enums, initialisers
of several lines (unless one is too wide), preprocessor lines, `case X: return y;` in one line, and lines with a comment behind a tab.

usage: format.py             check, prints TAP
       format.py --write     format the sources
"""
import bisect
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TREE = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "ui", "parsers", "recorder", "tests")
WIDTH = 100
VERSION = 14			# of clang-format: others lay out differently
AT_ONCE = 8			# files for one run of it
BETWEEN = "// === next file ===\n"
NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*', re.S | re.M)
DEFINITION = re.compile(r"(?:(?:typedef|static|const)\s+)*(?:struct|union|enum)\b[^()=]*$")
VALUES = re.compile(r"(?:[=,(&]|\breturn)\s*(?:\([\w\s\[\]*]+\)\s*)?$")


def is_wide(line):
    """A string is not cut, so that it can be searched for: a line that ends with one may be as long as that takes."""
    return len(line.expandtabs(8)) > WIDTH and not re.search(r'"(?:\\.|[^"\\])*"[\W\d]*$', line)


def code_of(text):
    """The text with blanks for comments, strings and preprocessor lines."""
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def statements_with_data(code):
    """(first offset, last offset, is it a type?) of statements that define a type or hold an initialiser in braces."""
    stack, start, holds = [], 0, False		# stack: for each brace, is it one of data?
    for m in re.finditer(r"[;{}]", code):
        at, char = m.start(), m[0]
        inside = bool(stack) and stack[-1]
        if char == "{":
            before = code[start:at].strip()
            data = inside or bool(VALUES.search(before) or DEFINITION.match(before))
            stack.append(data)
            holds = holds or data
            if not data:
                start, holds = at + 1, False
        elif char == "}":
            if not (stack.pop() if stack else False):
                start, holds = at + 1, False
        elif not inside:
            if holds:
                statement = code[start:at].lstrip()
                yield at - len(statement), at, bool(DEFINITION.match(statement.split("{")[0].strip()))
            start, holds = at + 1, False


def by_hand(text, even_wide=False):
    """Numbers of the lines, from 0, that clang-format has to leave alone."""
    code = code_of(text)
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    kept = set()
    rows = text.split("\n")
    for first, last, is_type in statements_with_data(code):
        lines = range(bisect.bisect_right(starts, first) - 1, bisect.bisect_right(starts, last))
        if len(lines) > 1 and (is_type or even_wide or not any(is_wide(rows[line]) for line in lines)):
            kept.update(lines)
    for m in re.finditer(r"^[ \t]*#(?:\\\n|[^\n])*", text, re.M):
        kept.update(range(bisect.bisect_right(starts, m.start()) - 1, bisect.bisect_right(starts, m.end())))
    for number, line in enumerate(rows):
        one_line_case = re.match(r"\s*(?:case\b[^;?]*|default)\s*:[ \t]*\w.*;", line) and not is_wide(line)
        if one_line_case or re.search(r"\S.*\t+/\*.*", line):
            kept.add(number)
    return kept


def ranges(kept, nr, before):
    """--lines=FIRST:LAST for all lines but these, of a text that stands behind some others."""
    first = 0
    for line in sorted(kept) + [nr]:
        if line > first:
            yield f"--lines={before + first + 1}:{before + line}"
        first = line + 1


def laid_out(paths, texts):
    """All in one text: clang-format takes longer to start than for a file, but for many more than for each of them."""
    lines, before = [], 0
    for text in texts:
        lines += ranges(by_hand(text), text.count("\n"), before)
        before += text.count("\n") + 1
    done = subprocess.run(["clang-format", f"--assume-filename={paths[0]}", "--style=file", *lines], input=BETWEEN.join(texts),
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split(BETWEEN)


def formatted(paths):
    """(path, what the file holds, what it should)"""
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return list(zip(paths, texts, laid_out(paths, texts), strict=True))


def all_formatted(paths):
    """formatted() of each."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for some in pool.map(formatted, (paths[i:i + AT_ONCE] for i in range(0, len(paths), AT_ONCE))):
            yield from some


def sources():
    return sorted(path for top in FOLDERS for path in glob.glob(f"{TREE}/{top}/**/*.[ch]", recursive=True)
                  if not path.endswith(("/builtin_themes.h", "/known_files.h")))	# made where it is built


def changed():
    """Those of the last FTOP_FORMAT_COMMITS commits, and what is in none, and what is said of them; all, if that is not set, or
    if another .clang-format is among them."""
    def names(*words):
        done = subprocess.run(["git", "-C", TREE, *words, "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        return done.stdout.replace("\n", "\0").split("\0")
    number = os.environ.get("FTOP_FORMAT_COMMITS")
    found = set()
    try:
        if number:
            found.update(names("log", "-n", number, "--name-only", "--format="), names("diff", "HEAD", "--name-only"),
                         names("ls-files", "--others", "--exclude-standard"))
    except (OSError, subprocess.CalledProcessError):		# no git, or no clone
        pass
    if not found or ".clang-format" in found:
        return sources(), "the sources are formatted"
    return ([path for path in sources() if os.path.relpath(path, TREE) in found],
            f"the sources that the last {number} commits changed are formatted")


class Known:
    """What was found well laid out before, by hashes of it and of the rules: a line each in a file of the build folder."""

    def __init__(self):
        self.path = os.path.join(os.environ["FTOP_BUILD"], "formatted") if os.environ.get("FTOP_BUILD") else os.devnull
        self.rules = hashlib.sha256()
        for path in (__file__, f"{TREE}/.clang-format"):
            with open(path, "rb") as file:
                self.rules.update(file.read())
        self.hashes = set()
        if os.path.exists(self.path):
            with open(self.path, encoding="ascii") as file:
                self.hashes = set(file.read().split())

    def hash_of(self, path):
        found = self.rules.copy()
        with open(path, "rb") as file:
            found.update(file.read())
        return found.hexdigest()

    def write(self, paths):
        with open(self.path, "w", encoding="ascii") as file:
            file.writelines(self.hash_of(path) + "\n" for path in paths)


def why_not():
    """Why there is nothing to format with, or None."""
    if not shutil.which("clang-format"):
        return "clang-format is not installed"
    found = re.search(r"version (\d+)", subprocess.run(["clang-format", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    return None if found and int(found[1]) == VERSION else f"clang-format is not version {VERSION}"


def write():
    for path, text, should in all_formatted(sources()):
        if text != should:
            with open(path, "w", encoding="utf-8") as file:
                file.write(should)
    return 0


def check():
    reason = why_not()
    failed = 0
    print("1..3")
    if reason:
        print(f"ok 1 - what is not formatted is noticed # SKIP {reason}")
        print(f"ok 2 - the sources are formatted # SKIP {reason}")
    else:
        function, table = "int f(int x)\n{\n\treturn%sx;\n}\n", "static const int t[] = {\n\t1,  2,\n\t30, 4,\n};\n"
        planted = [function % "  " + table, function % " ", function % "   "]
        good = (laid_out([f"{TREE}/src/planted.c"], planted) == [function % " " + table, function % " ", function % " "] and
                is_wide("\t" + "x" * 93) and not is_wide("\t" + "x" * 92))
        print(f"{'ok' if good else 'not ok'} 1 - what is not formatted is noticed")
        failed += not good
        known = Known()
        asked, what = changed()
        new = [path for path in asked if known.hash_of(path) not in known.hashes]
        other = [path for path, text, should in all_formatted(new) if text != should]
        known.write(path for path in sources() if path not in other and (path in asked or known.hash_of(path) in known.hashes))
        for path in other:
            print(f"# {os.path.relpath(path, TREE)}: see ./dev format")
        print(f"{'not ok' if other else 'ok'} 2 - {what}")
        failed += bool(other)
    found = []
    for path in sources():
        with open(path, encoding="utf-8") as file:
            found += [f"{os.path.relpath(path, TREE)}:{number}" for number, line in enumerate(file, 1) if is_wide(line.rstrip("\n"))]
    for line in found:
        print(f"# {line}")
    print(f"{'not ok' if found else 'ok'} 3 - no line is wider than {WIDTH} columns")
    return 1 if failed or found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        if why_not():
            sys.exit(f"format: {why_not()}")
        sys.exit(write())
    sys.exit(check())
