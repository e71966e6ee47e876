#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every exported name of the program has a user in it.

An exported name that no other file of the program uses should be static, or go.  One that only its own file and a test use
may stay: the test needs it.  One that only tests use may not.  Before the program is looked at, the check is shown names
without a user: not to notice them is a failure as well.  Prints TAP.
"""
import os
import re
import subprocess
import sys

TREE = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("FTOP_BUILD")
TOPS = ("src", "parsers", "recorder", "ui")

KEPT = {
    "call_facts_ready", "sched_values_ready",	# tests see by them whether a model is made
    "matches_memory",				# tests/bench measures with it
    "output_spool",				# a test has it do what it does where a file system has no holes
    "trace_select",				# the way back from trace_rank(), by which tests check that
}


def symbols(lines):
    """{object: (names it defines, names it wants)} from what nm -A -g prints."""
    objects = {}
    for line in lines:
        found = re.match(r"(\S+?):\s*[0-9a-f]*\s+([A-Za-z])\s+([a-z]\w*)$", line)
        if found:
            defined, wanted = objects.setdefault(found.group(1), (set(), set()))
            (wanted if found.group(2) in "Uw" else defined).add(found.group(3))
    return objects


def code(text):
    """A file without comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', " ", text, flags=re.S)


def words(texts):
    counts = {}
    for text in texts:
        for word in re.findall(r"[a-z]\w*", code(text)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def unused(objects, program, tests):
    """Names that nothing uses.  @program, @tests: how often their files say a word; a definition says it once."""
    wanted = {name for _, names in objects.values() for name in names}
    names = {name for defined, _ in objects.values() for name in defined} - wanted - {"main"}
    return sorted(name for name in names if not (program.get(name, 0) > 1 and name in tests))


def read_all(*tops, ends):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(TREE, top)):
            for name in names:
                if name.endswith(ends):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        yield file.read()


def built():
    """The program's objects and libraries; not those that a folder left behind that is gone, nor those that replace a library's."""
    yield os.path.join(BUILD, "src/main.o")
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(BUILD, top)):
            if os.path.exists(os.path.join(TREE, os.path.relpath(folder, BUILD), "local.mk")):
                yield from (os.path.join(folder, name) for name in names if name.endswith(".a") and name != "libstatic.a")


def main():
    nr = 0
    failed = 0

    def case(good, what, found=()):
        nonlocal nr, failed
        nr += 1
        failed += not good
        for line in () if good else found:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {nr} - {what}")

    planted = symbols(["liba.a:a.o:0000 T a_used", "liba.a:a.o:0010 T a_lost", "liba.a:a.o:0020 T a_tried",
                       "liba.a:a.o:0030 T a_helper", "liba.a:a.o:0040 D a_table", "libb.a:b.o:     U a_used", "b.o:0000 T main"])
    program = words(["int a_used; int a_lost; /* a_lost, a_tried */ int a_tried; int a_helper; a_helper(); int a_table;"])
    found = unused(planted, program, words(["a_tried(); a_helper();"]))
    case(found == ["a_lost", "a_table", "a_tried"], "names without a user are noticed", found)
    if not BUILD or not os.path.exists(os.path.join(BUILD, "src/main.o")):
        print(f"ok {nr + 1} - each exported name has a user # SKIP the whole program was not built")
        print(f"1..{nr + 1}")
        return 1 if failed else 0
    lines = subprocess.run(["nm", "-A", "-g", *built()], check=True, capture_output=True, text=True).stdout.split("\n")
    objects = symbols(lines)
    found = unused(objects, words(read_all(*TOPS, ends=".c")), words(read_all("tests", ends=(".c", ".h"))))
    case(len(objects) > 100 and not set(found) - KEPT, "each exported name has a user", sorted(set(found) - KEPT))
    case(not KEPT - set(found), "what is excepted has no user yet", sorted(KEPT - set(found)))
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
