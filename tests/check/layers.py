#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No folder includes or links what lies above it.

layers.mk says what each folder may use: the libraries on its line, and what these may use.  Every #include of the tree and every symbol of
the built libraries is held against it.  HEADERS has the narrower rules, of single headers and of other people's libraries.  src/main.c
wires the layers together and is free.  Before the tree is looked at, each rule is shown a breach: a rule that does not notice it is a
failure as well.  Prints TAP.
"""
import os
import re
import subprocess
import sys

TREE = os.environ.get("FTOP_SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("FTOP_BUILD")
TOPS = ("src", "parsers", "recorder", "ui")
CURSES = r"(ncursesw?/)?(n?cursesw?|panel|menu|form|term|termcap)\.h"
TEP = r"(traceevent/)?(event-parse|event-utils|kbuffer|trace-seq)\.h"
TRACEFS = r"(tracefs/)?tracefs\.h"
BYTES = r"parsers/(io/trace_format|io/byte_reader|file/chunks)\.h"
FORMS = r"parsers/(file/.*|lines/line_(file|source)\.h)"
REPLACES = "src/static"                 # its names are those of libraries that it replaces
FLOORS = ("src/filter",)                # folders in which the files have an order, too
WRITER = r"parsers/(writer/trace_writer|pages/raw_page|io/part_layout|types/btf)\.h"

# Files, what they must not include, exceptions, and a breach to try the rule with.
HEADERS = (
    (r"(?!ui/screen/term\.c).*", CURSES, None, "curses.h"),
    (r"(?!parsers/printer/printer_(helper|plugins)\.).*", TEP, None, "traceevent/event-parse.h"),
    (r"(?!recorder/).*", TRACEFS, None, "tracefs.h"),
    (r"src/(?!commands/).*", BYTES, None, "parsers/io/byte_reader.h"),
    (r"(src/trace|parsers/(types|pages))/.*", FORMS, None, "parsers/file/trace_file.h"),
    (r"recorder/.*", r"parsers/.*", WRITER, "parsers/file/trace_file.h"),
    (r"ui/.*", r"parsers/.*", None, "parsers/types/field.h"),
)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def layers(text):
    """{folder: folders it may use, itself among them} from what layers.mk says."""
    lines = dict(re.findall(r"^libs_(\w+)\s*=\s*(.*)$", text.replace("\\\n", " "), re.M))
    allowed = {}
    for name, value in lines.items():	# bottom first, as make wants it
        for used in re.findall(r"\$\(libs_(\w+)\)", value):
            if used not in allowed:
                sys.exit(f"layers.mk: libs_{name} uses libs_{used}, which no line above it sets")
        below = {folder for used in re.findall(r"\$\(libs_(\w+)\)", value) for folder in allowed[used]}
        allowed[name] = below | set(re.findall(r"(\S+)/lib\w+\.a", value))
    return {name.replace("_", "/", 1): folders for name, folders in allowed.items()}


def libraries(text):
    """{folder: its own library}: the first of its line."""
    return {os.path.dirname(path): path for path in re.findall(r"^libs_\w+\s*=\s*(\S+/lib\w+\.a)", text, re.M)}


def sources():
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(TREE, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), TREE)


def home(path, allowed):
    """The folder of layers.mk in whose library a file is: its own, or that which its folder lies in."""
    folder = os.path.dirname(path)
    return folder if folder in allowed or folder.count("/") < 2 else os.path.dirname(folder)


def includes(text):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', text, re.M)


def upward(path, text, allowed):
    """Headers of the project that a file includes though its folder must not use theirs."""
    own = home(path, allowed)
    return [name for name in includes(text)
            if name.split("/")[0] in TOPS and home(name, allowed) not in allowed.get(own, ())]


def forbidden(path, text, rule):
    files, deny, but, _ = rule
    if not re.fullmatch(files, path):
        return []
    return [name for name in includes(text) if re.fullmatch(deny, name) and not (but and re.fullmatch(but, name))]


def symbols(library):
    """Of a library: names that it defines, and those that it wants, by object."""
    lines = subprocess.run(["nm", "-A", "-g", os.path.join(BUILD, library)], check=True, capture_output=True, text=True).stdout.split("\n")
    defined, wanted = set(), {}
    for line in lines:
        found = re.match(r".*?:([^:]+):\s*[0-9a-f]*\s+([A-Za-z])\s+(\S+)$", line)
        if found and found.group(2) in "Uw":
            wanted.setdefault(found.group(3), found.group(1))
        elif found:
            defined.add(found.group(3))
    return defined, wanted


def links_upward(folder, allowed, library):
    """What a folder's objects want of libraries above or beside it.  @library: {folder: (defined, wanted)}."""
    homes = {name: home for home, (defined, _) in library.items() for name in defined}
    return ["%s: %s wants %s of %s" % (folder, user, name, homes[name])
            for name, user in sorted(library[folder][1].items()) if name in homes and homes[name] not in allowed[folder]]


def calls(lines):
    """{object: objects whose symbols it wants}, of the lines of nm -A -g on a library."""
    homes, wanted = {}, []
    for line in lines:
        found = re.match(r".*?:([^:]+):\s*[0-9a-f]*\s+([A-Za-z])\s+(\S+)$", line)
        if found and found.group(2) in "Uw":
            wanted.append(found.group(1, 3))
        elif found:
            homes[found.group(3)] = found.group(1)
    users = {name: set() for name in homes.values()}
    for user, name in wanted:
        if name in homes:
            users.setdefault(user, set()).add(homes[name])
    return users


def in_circles(users):
    """What is left when those that call nobody, or nobody who is left, are taken away from below."""
    left = {name: set(called) - {name} for name, called in users.items()}
    while True:
        low = [name for name, called in left.items() if not called & set(left)]
        if not low:
            return sorted(left)
        for name in low:
            del left[name]


def main():
    nr = failed = 0

    def case(good, what, found=()):
        nonlocal nr, failed
        nr += 1
        failed += not good
        for line in () if good else found:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {nr} - {what}")

    planted = layers("libs_src_low = src/low/liblow.a -lm\nlibs_src_high\t= src/high/libhigh.a \\\n\t$(libs_src_low)\n")
    case(planted == {"src/low": {"src/low"}, "src/high": {"src/high", "src/low"}}, "layers.mk is read")
    case(upward("src/low/a.c", '# include "src/high/b.h"\n#include "src/low/c.h"\n', planted) == ["src/high/b.h"] and
         upward("src/low/in/a.c", '#include "src/high/in/b.h"\n', planted) == ["src/high/in/b.h"] and
         not upward("src/high/a.c", '#include "src/low/in/b.h"\n', planted), "an include upward is noticed")
    library = {"src/low": ({"low"}, {"high": "a.o"}), "src/high": ({"high"}, {"low": "b.o"})}
    case(links_upward("src/low", planted, library) == ["src/low: a.o wants high of src/high"] and
         not links_upward("src/high", planted, library), "a symbol from above is noticed")

    case(in_circles(calls(["l.a:a.o:0 T a", "l.a:a.o: U b", "l.a:b.o:0 T b", "l.a:b.o: U a", "l.a:c.o: U b"])) == ["a.o", "b.o", "c.o"] and
         not in_circles(calls(["l.a:a.o:0 T a", "l.a:b.o: U a"])), "files that call each other are noticed")

    allowed = layers(read(os.path.join(TREE, "layers.mk")))
    texts = {path: read(os.path.join(TREE, path)) for path in sources() if path != "src/main.c"}
    homeless = sorted({home(path, allowed) for path in texts} - set(allowed))
    case(not homeless, "layers.mk names each folder", homeless)
    found = [f"{path} includes {name}" for path, text in texts.items() for name in upward(path, text, allowed)]
    case(len(texts) > 100 and not found, "no file includes what lies above it", found)
    for rule in HEADERS:
        trial = next(path for path in texts if re.fullmatch(rule[0], path))
        case(forbidden(trial, f"\t#  include <{rule[3]}>\n", rule) == [rule[3]], f"{rule[0]}: the rule notices {rule[3]}")
        found = [f"{path} includes {name}" for path, text in texts.items() for name in forbidden(path, text, rule)]
        case(not found, f"{rule[0]}: nothing like {rule[3]}", found)
    if BUILD and os.path.exists(os.path.join(BUILD, "src/main.o")):
        library = {folder: symbols(path) for folder, path in libraries(read(os.path.join(TREE, "layers.mk"))).items() if folder != REPLACES}
        found = [line for folder in library for line in links_upward(folder, allowed, library)]
        case(not found, "no library wants a symbol from above it", found)
        for folder in FLOORS:
            path = os.path.join(BUILD, libraries(read(os.path.join(TREE, "layers.mk")))[folder])
            found = in_circles(calls(subprocess.run(["nm", "-A", "-g", path], check=True, capture_output=True, text=True).stdout.split("\n")))
            case(not found, f"{folder}: no file calls up", found)
    else:
        for what in ("no library wants a symbol from above it", *(f"{folder}: no file calls up" for folder in FLOORS)):
            nr += 1
            print(f"ok {nr} - {what} # SKIP the whole program was not built")
    print(f"1..{nr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
