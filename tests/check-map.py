#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The map of the files is true: what ARCHITECTURE.md names is there, each module says at its top what it is, none is
larger than one can read or left out of the build.

Names are the words in `...` and the paths in its drawings; * stands for any letters, <...> and NAME for any name.  A name
with an underscore and no folder is a module, a function or a word of the sources.  Before the tree is looked at, each rule is shown
what it must notice.  Prints TAP.
"""
import glob
import os
import re
import sys

tree = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("src", "ui", "parsers", "recorder")
MAX_LINES = 800
PATH = re.compile(r"(?:%s|tests|themes)/[\w*/.<>-]+" % "|".join(FOLDERS))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources():
    """Paths below the tree: of the program, and of its tests' programs."""
    own = [path for folder in FOLDERS for path in glob.glob(f"{tree}/{folder}/**/*.[ch]", recursive=True)
           if not path.endswith("/ui/screen/builtin_themes.h")]	# made where it is built
    return own, own + glob.glob(f"{tree}/tests/*/*.[ch]")


def names(text):
    """What a text like ARCHITECTURE.md names: words in `...`, paths in drawings."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.S | re.M)
    found = {word for block in blocks for word in PATH.findall(block)}
    text = re.sub(r"^```\n.*?^```", "", text, flags=re.S | re.M)
    for quoted in re.findall(r"`([^`\n]+)`", text):
        found |= {word for word in re.split(r"[ ,;]+", quoted) if PATH.fullmatch(word) or re.fullmatch(r"[a-z]\w*_\w*\*?", word)}
    return found


def missing(text, words, modules):
    """Those of the names that nothing has.  @words: of the sources; @modules: names of files, without folders and endings."""
    def is_there(name):
        if "/" in name:
            pattern = f"{tree}/" + re.sub(r"<[^>]*>|[A-Z]+", "*", name).rstrip("/.")
            return glob.glob(pattern) or glob.glob(pattern + ".*")
        pattern = re.compile(re.escape(name).replace(r"\*", r"\w*"))
        return name in words or any(pattern.fullmatch(module) for module in modules)
    return sorted(name for name in names(text) if not is_there(name))


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
    modules = {module(path) for path in all_sources} | {module(path) for path in glob.glob(f"{tree}/tests/**/*.*", recursive=True)}
    words = {word for path in all_sources for word in re.findall(r"\w+", read(path))}
    nr = failed = 0

    def case(good, what, found=()):
        nonlocal nr, failed
        nr += 1
        failed += not good
        for line in () if good else found:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {nr} - {what}")

    planted = "`src/trace`, `src/no_such`, `trace_open` `no_such_word`\n```\n ui/no_such_view | ui/*/view_*\n```\n`tests/unit/test_<module>.c`\n"
    case(missing(planted, words, modules) == ["no_such_word", "src/no_such", "ui/no_such_view"], "names that are not there are noticed",
         missing(planted, words, modules))
    found = missing(read(f"{tree}/ARCHITECTURE.md"), words, modules)
    case(not found, "what ARCHITECTURE.md names is there", found)
    case(says_what_it_is("src/a.h", "#ifndef A\n/*\n * a - all of it.\n */\n") and not says_what_it_is("src/a.h", "/*\n * b - all.\n */\n"),
         "a file that does not say what it is is noticed")
    found = silent(own)
    case(len(own) > 100 and not found, "each module says at its top what it is: NAME - ...", found)
    found = sorted(os.path.relpath(path, tree) for path in own if read(path).count("\n") > MAX_LINES)
    case(not found, f"no file has more than {MAX_LINES} lines: it is split along what it does", found)
    listed = set(re.findall(r"[\w/]+\.[ch]\b", read(f"{tree}/Makefile.am")))
    paths = {os.path.relpath(path, tree) for path in all_sources}
    found = sorted(path for path in paths - listed if not path.startswith(("tests/bench/", "tests/vm/")))	# scripts build those
    case(not found, "each source is in Makefile.am", found)
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
