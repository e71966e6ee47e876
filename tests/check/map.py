#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each module says at its top what it is, each source is built, each folder has a page.  Before the tree is looked at, each rule is shown what it must
notice.  Prints TAP.
"""
import glob
import os
import re
import sys

tree = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "ui", "parsers", "recorder")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources():
    """Paths below the tree: of the program, and of its tests' programs."""
    own = [path for folder in FOLDERS for path in glob.glob(f"{tree}/{folder}/**/*.[ch]", recursive=True)
           if not path.endswith(("/builtin_themes.h", "/known_files.h", "/terminals.h"))]	# made where it is built
    return own, own + glob.glob(f"{tree}/tests/*/*.[ch]")


def module(path):
    return os.path.splitext(os.path.basename(path))[0]


def says_what_it_is(path, text):
    """NAME - what it is, in the comment at its top; of a command without cmd_."""
    name = module(path)
    return re.search(rf"^(?:/\*| \*) (?:{name}|{name.removeprefix('cmd_')})(?:\.[ch])? - \S", text[:2000], re.M) is not None


def silent(paths):
    """Headers, and files without one, that do not say what they are."""
    return [os.path.relpath(path, tree) for path in sorted(paths)
            if not (path.endswith(".c") and path[:-2] + ".h" in paths) and not says_what_it_is(path, read(path))]


def main():
    own, all_sources = sources()
    nr = failed = 0

    def case(good, what, found=()):
        nonlocal nr, failed
        nr += 1
        failed += not good
        for line in () if good else found:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {nr} - {what}")

    case(says_what_it_is("src/a.h", "#ifndef A\n/*\n * a - all of it.\n */\n") and not says_what_it_is("src/a.h", "/*\n * b - all.\n */\n"),
         "a file that does not say what it is is noticed")
    found = silent(own)
    case(len(own) > 100 and not found, "each module says at its top what it is: NAME - ...", found)
    listed = {os.path.normpath(name.replace("%D%", os.path.relpath(os.path.dirname(list_), tree)))
              for list_ in (f"{tree}/Makefile.am", f"{tree}/tests/local.mk", *glob.glob(f"{tree}/*/*/local.mk"))
              for name in re.findall(r"[\w/%]+\.[ch]\b", read(list_))}
    listed |= {name + ".c" for name in re.findall(r"tests/\w+/\w+", read(f"{tree}/tests/local.mk"))}
    paths = {os.path.relpath(path, tree) for path in all_sources}
    found = sorted(path for path in paths - listed if not path.startswith(("tests/bench/", "tests/vm/", "tests/demo/")))	# scripts build those
    case(not found, "each source is in a local.mk", found)
    folders = {os.path.dirname(path) for path in own}
    found = sorted(os.path.relpath(folder, tree) for folder in folders
                   if folder != f"{tree}/src" and not os.path.exists(f"{folder}/README.md"))
    case(not found, "each folder has a README.md", found)
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
