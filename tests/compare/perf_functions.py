#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks --functions beside perf report, of profiles that perf records here: the first ten functions.  Prints TAP.

Programs are compiled with and without debug information, for any and for one address, stripped, with a library, of C and C++.
Of a stripped one, perf prints addresses.  Shares differ by 0.1 % at most; perf's are rounded to 0.01 %.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import PROGRAM, Failure, Tap, run     # noqa: E402

FIRST = 10
LIBRARY = """
static __attribute__((noinline)) int in_library(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
int from_library(int n) { return in_library(n) + in_library(n / 3); }
"""
PROGRAM_C = """
#include <stdlib.h>
#include <string.h>
int from_library(int n);
static inline __attribute__((always_inline)) unsigned inlined(unsigned x) { for (int i = 0; i < 200; i++) x = x * 1664525u + 1; return x; }
__attribute__((noinline)) unsigned heavy(unsigned x) { for (int i = 0; i < 3000; i++) x ^= inlined(x); return x; }
static __attribute__((noinline)) unsigned hidden(unsigned x) { for (int i = 0; i < 1000; i++) x += inlined(x) >> 3; return x; }
__attribute__((noinline)) unsigned allocates(unsigned x)
{
	for (int i = 0; i < 300; i++) {
		char *p = malloc(4096 + x % 200000);
		memset(p, (int)x, 4096 + x % 200000);
		x = x * 1664525u + (unsigned char)p[x % 4096] + 1013904223u;
		free(p);
	}
	return x;
}
int main(void)
{
	unsigned x = 1;
	for (int i = 0; i < 250; i++)
		x = allocates(hidden(heavy(x))) + (unsigned)from_library(50000);
	return x == 42;
}
"""
PROGRAM_CXX = """
#include <map>
#include <string>
namespace ns {
template <class T> struct box { T v; __attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) v = v * (T)1.0001 + i; } };
}
__attribute__((noinline)) std::size_t maps() { std::map<std::string, int> m; for (int i = 0; i < 2000; i++) m[std::to_string(i * 7919 % 1000)] += i; return m.size(); }
int main() { ns::box<double> b{1}; ns::box<float> c{1}; std::size_t n = 0; for (int i = 0; i < 200; i++) { b.spin(100000); c.spin(50000); n += maps(); } return n == 42; }
"""


def tool(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout.decode(errors="replace")


def plain(name):
    """Without the version of a symbol, which is not shown."""
    return re.sub(r"@(?!plt).*", "", name)


def of_perf(path):
    """(file, function or address) -> share, the first ones."""
    text = tool("perf", "report", "--no-children", "--stdio", "-g", "none", "-F", "overhead,dso,sym", "-i", path)
    rows, found = re.findall(r"^ +([\d.]+)%  (\S+) +\[([.k])\] (.*?) *$", text, re.M), {}
    for share, file, space, name in rows[:FIRST]:
        if plain(name) == "@plt":       # which function that jump is of, perf does not know
            continue
        name = "%s+0x%x" % (file, int(name, 16)) if re.fullmatch("0x[0-9a-f]{16}", name) else plain(name)
        found[name + (" [%s]" % file if space == "." and "+0x" not in name else "")] = float(share)
    return found


def ours(path):
    """Shares are those that the text has; names are whole in the CSV, whose rows have the same order."""
    rows = csv.DictReader(io.StringIO(run([PROGRAM, "stacks", "--functions", "--format=csv", path]).decode(errors="replace")))
    names = [row["stack"].split(";", 1)[1] for row in rows]
    shares = re.findall(r"(?m)^ +\d+ +([\d.]+)   \S", run([PROGRAM, "stacks", "--functions", path]).decode(errors="replace"))
    return dict(zip(names, map(float, shares)))


def compare(folder, words, command):
    path = os.path.join(folder, "perf.data")
    tool("perf", "record", "-q", *words, "-o", path, *command)
    want, got = of_perf(path), ours(path)
    wrong = {name: (share, got.get(name)) for name, share in want.items() if abs(share - got.get(name, -1)) > 0.1}
    if wrong or not want:
        raise Failure("perf has, and we have: %r" % wrong)


def compile_all(folder):
    at = lambda name: os.path.join(folder, name)        # noqa: E731
    for name, text in (("l.c", LIBRARY), ("p.c", PROGRAM_C), ("x.cc", PROGRAM_CXX)):
        with open(at(name), "w", encoding="utf-8") as file:
            file.write(text)
    # perf 6.1 does not always know the jumps of a .plt: tests/compare/symbols.py asks objdump
    common = ("-O2", "-fno-omit-frame-pointer", "-fno-plt", "-Wl,--build-id=sha1")
    library = (at("p.c"), "-L" + folder, "-lours", "-Wl,-rpath," + folder)
    tool("gcc", *common, "-g", "-fPIC", "-shared", "-o", at("libours.so"), at("l.c"))
    tool("gcc", *common, "-g", "-fPIE", "-pie", "-o", at("pie"), *library)
    tool("gcc", *common, "-fno-pie", "-no-pie", "-o", at("fixed"), *library)
    tool("gcc", *common, "-s", "-o", at("stripped"), *library)
    tool("g++", *common, "-o", at("cxx"), at("x.cc"))
    return at


def main():
    tap = Tap()
    missing = [name for name in ("perf", "gcc", "g++") if not shutil.which(name)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder             # of perf's files
        records = not missing and not subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", os.path.join(folder, "try.data"), "true"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
        at = compile_all(folder) if records else str
        cpu, faults = ("-F", "500", "-e", "cpu-clock:u"), ("-F", "200", "-e", "page-faults:u")
        for what, words, command in (("call chains", (*cpu, "-g"), [at("pie")]), ("a fixed address", cpu, [at("fixed")]),
                                     ("a stripped program", (*cpu, "-g"), [at("stripped")]), ("C++", cpu, [at("cxx")]),
                                     ("periods that vary", faults, [at("pie")]),
                                     ("all CPUs and the kernel", ("-F", "500", "-a", "-g", "-e", "cpu-clock"), [at("pie")])):
            if not records:
                tap.skip(what, "%s missing" % " ".join(missing) if missing else "perf may not record")
            elif "-a" in words and os.geteuid():
                tap.skip(what, "only root may record all CPUs")
            else:
                tap.case(what, compare, folder, words, command)
    tap.end()


main()
