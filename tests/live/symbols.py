# SPDX-License-Identifier: GPL-2.0-or-later
"""
symbols.py - names for user space, recorded on this machine's kernel, beside addr2line and perf.

The programs print their own mappings, and addr2line names the addresses that trace-cmd prints.
Prints TAP.  As record.py: tracefs is compared before and after each test.

usage: symbols.py [NAME-PART...]
"""
import csv
import gzip
import io
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import record as live

sys.path.insert(0, f"{live.TOP}/tests/oracle")
os.environ.setdefault("FTOP_BUILD", os.path.dirname(live.PROGRAM))
from user_stacks import block_of, fields
from waiting import LIMIT_S

SLEEPS = 20
EVENTS = ("-e", "sched:sched_switch", "-R", "stacktrace", "-O", "userstacktrace", "-q")

# Sleeps in chains of functions with frame pointers; says what it has mapped at each of them.
HEAD = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static void tell(void)
{
	char line[4096];
	FILE *from = fopen("/proc/self/maps", "r"), *to = fopen("maps", "a");
	while (fgets(line, sizeof(line), from))
		if (strstr(line, " r-xp ") || strstr(line, "rwxp"))
			fputs(line, to);
	fclose(from);
	fclose(to);
}
/* the system call itself, so that no function of the C library without a frame is in between */
static inline __attribute__((always_inline)) void rest(void)
{
	struct timespec t = { 0, 10000000 };
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&t), "S"(0) : "rcx", "r11", "memory");
}
"""
C_PROGRAM = HEAD + """
__attribute__((noinline)) void leaf(void) { rest(); __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) { leaf(); __asm__ volatile(""); }
int main(void) { for (int i = 0; i < %d; i++) middle(); tell(); return 0; }
""" % SLEEPS
CXX_PROGRAM = HEAD + """
namespace outer {
template <class T> struct box { __attribute__((noinline)) void put(T) { rest(); __asm__ volatile(""); } };
}
__attribute__((noinline)) void middle(int n) { outer::box<double>().put(n); __asm__ volatile(""); }
int main() { for (int i = 0; i < %d; i++) middle(i); tell(); return 0; }
""" % SLEEPS
LIBRARY = HEAD + """
void in_library(int n) { for (int i = 0; i < n; i++) rest(); tell(); }
"""
# The library is gone before the end, and what else is executed has no file.
LOADS = HEAD + """
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };	/* push, mov, call *rdi, pop, ret */
__attribute__((noinline)) void slow(void) { rest(); __asm__ volatile(""); }
__attribute__((noinline)) void load(void)
{
	void *library = dlopen("./libx.so", RTLD_NOW);
	((void (*)(int))dlsym(library, "in_library"))(100);
	dlclose(library);
}
int main(void)
{
	unsigned char *jit = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	load();
	memcpy(jit, code, sizeof(code));
	for (int i = 0; i < 100; i++)
		((void (*)(void (*)(void)))jit)(slow);
	tell();
	return 0;
}
"""


def build(name, text, *options, compiler="gcc"):
    if not shutil.which(compiler) or not shutil.which("addr2line"):
        raise live.Skip(f"no {compiler} or no addr2line here")
    source = name + (".cc" if compiler == "g++" else ".c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([compiler, "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", name, source, *options],
                   check=True, timeout=LIMIT_S)
    return name


class Oracle:
    """Names of addresses: by the mappings that the program told, and addr2line."""

    def __init__(self, debug):
        self.maps, self.debug, self.known, self.shared = [], debug, {}, {}
        with open("maps", encoding="utf-8") as f:
            for line in f:
                begin, end, place, path = re.match(r"(\w+)-(\w+) \S+ (\w+) \S+ \d+ *(.*)", line).groups()
                self.maps.append((int(begin, 16), int(end, 16), int(place, 16), path))

    def name(self, address, is_return):
        """None: not known."""
        for begin, end, place, path in self.maps:
            if begin <= address - is_return < end:
                if not path.startswith("/"):
                    return path and f"{path}+0x{address - begin + place:x}"
                return self.in_file(path, address - is_return - begin + place)
        return None

    def in_file(self, path, place):
        """addr2line wants addresses of the image."""
        if (path, place) not in self.known:
            loads = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)",
                               subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, text=True, check=True).stdout)
            address = next(int(at, 16) + place - int(offset, 16) for offset, at, length in loads
                           if int(offset, 16) <= place < int(offset, 16) + int(length, 16))
            file = self.debug.get(os.path.basename(path), path)
            said = subprocess.run(["addr2line", "-f", "-C", "-e", file, hex(address)], stdout=subprocess.PIPE, text=True, check=True)
            name = said.stdout.split("\n")[0].split("(")[0]
            self.known[path, place] = "??" if name in self.names_of_shared_addresses(file) else name
        name = self.known[path, place]
        return f"{name} [{os.path.basename(path)}]" if name != "??" else None

    def names_of_shared_addresses(self, file):
        """Functions with aliases, as strspn and strspn_ifunc: either name is right."""
        if file not in self.shared:
            said = subprocess.run(["nm", "-C", "--defined-only", file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  check=True).stdout
            at = {}
            for address, kind, name in re.findall(r"^(\w+) (\w) (.+)$", said, re.M):
                if kind in "tTwWiI":
                    at.setdefault(address, set()).add(name.split("(")[0])
            self.shared[file] = {name for names in at.values() if len(names) > 1 for name in names}
        return self.shared[file]


def tgid_of(path, comm):
    return {int(line.split("-")[1].split()[0]) for line in live.report(path) if line.lstrip().startswith(comm + "-")}


def compare(program, *expected, debug=None, absent=()):
    """The frames in our own files: as addr2line has them; the expected ones have to be among them."""
    for _ in range(5):
        if os.path.exists("maps"):
            os.unlink("maps")
        live.record(*EVENTS, "-o", "t.dat", f"./{program}")
        rows = fields("t.dat")
        # trace-cmd report -R may crash: it reads past the end of a stack that is shorter than its field
        if len(rows) == sum("user_stack:" in line for line in live.report("t.dat")):
            break
    else:
        raise live.Skip("trace-cmd report -R crashes on each of five recordings")
    oracle, wanted, ours = Oracle(debug or {}), {}, os.getcwd()
    tgids = tgid_of("t.dat", program)
    for tgid, addresses, _ in rows:
        if tgid not in tgids:
            continue
        for i, address in enumerate(addresses):
            inside = [path for begin, end, _, path in oracle.maps if begin <= address < end]
            name = oracle.name(address, i > 0)
            if inside and inside[0].startswith(ours) and name:
                wanted[name] = wanted.get(name, 0) + 1
    found = frames("t.dat", set(wanted))
    for name, count in wanted.items():
        assert found.get(name, 0) == count, f"{name}: {found.get(name, 0)}, not {count}; {sorted(found)}"
    for name in expected:
        assert wanted.get(name, 0) >= SLEEPS // 2, f"{name}: {wanted}"
    text = stacks("t.dat")
    for name in absent:
        assert name not in text, text
    # trace-cmd sees the same trace as without the names
    assert block_of("t.dat") and live.report("t.dat")


def stacks(path):
    return subprocess.run([live.PROGRAM, "stacks", "--events", "--format=csv", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def frames(path, names):
    """How often each of the names is a frame of a user_stack."""
    found = {}
    for row in csv.DictReader(io.StringIO(stacks(path))):
        _, *rest = row["stack"].split(";")
        for frame in rest:
            if frame in names:
                found[frame] = found.get(frame, 0) + int(row["count"])
    return found


def test_pie():
    build("pie", C_PROGRAM)
    compare("pie", "leaf [pie]", "middle [pie]", "main [pie]")


def test_static():
    build("static", C_PROGRAM, "-static")
    compare("static", "leaf [static]", "middle [static]", "main [static]")


def test_fixed_address():
    build("fixed", C_PROGRAM, "-no-pie", "-fno-pie")
    compare("fixed", "leaf [fixed]", "middle [fixed]", "main [fixed]")


def test_cxx():
    build("cxx", CXX_PROGRAM, compiler="g++")
    compare("cxx", "outer::box<double>::put [cxx]", "middle [cxx]", "main [cxx]")


def test_stripped_with_a_debug_file():
    build("whole", C_PROGRAM)
    shutil.copy("whole", "thin")
    subprocess.run(["objcopy", "--only-keep-debug", "whole", "thin.debug"], check=True)
    subprocess.run(["strip", "thin"], check=True)
    compare("thin", absent=("[thin]",))
    subprocess.run(["objcopy", "--add-gnu-debuglink=thin.debug", "thin"], check=True)
    compare("thin", "leaf [thin]", "middle [thin]", "main [thin]", debug={"thin": "whole"})


def test_a_library_that_goes_and_code_without_a_file():
    build("libx.so", LIBRARY, "-shared", "-fPIC")
    build("loads", LOADS, "-ldl")
    compare("loads", "in_library [libx.so]", "load [loads]", "slow [loads]", "main [loads]")


def test_it_stays_when_the_program_is_another():
    """A program that was replaced while it was recorded has no names: its build ID is another one."""
    build("old", C_PROGRAM)
    build("new", C_PROGRAM.replace("leaf", "other"))
    shutil.copy("old", "prog")
    live.record(*EVENTS, "-o", "t.dat", "sh", "-c", "./prog; mv new prog")
    text = stacks("t.dat")
    assert "[prog]" not in text and "prog+0x" in text, text


def perf_stacks():
    """How often perf has each stack of user space, the outermost function first."""
    said = subprocess.run(["perf", "script", "-i", "perf.data", "-F", "comm,ip,sym,dso"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout
    found = {}
    for sample in said.split("\n\n"):
        frames_ = [re.match(r"\s*\w+ (\S+?)(?:@\S*)? \((/.*)\)$", line) for line in sample.split("\n")]
        names = tuple(f"{frame[1]} [{os.path.basename(frame[2])}]" for frame in reversed(frames_) if frame)
        found[names] = found.get(names, 0) + 1
    return found


def test_perf_script_of_the_same_run():
    if not shutil.which("perf"):
        raise live.Skip("no perf here")
    for name, text, compiler, options in (("pie", C_PROGRAM, "gcc", ()), ("static", C_PROGRAM, "gcc", ("-static",)),
                                          ("cxx", CXX_PROGRAM, "g++", ())):
        # long enough to be seen: it is not the command that is recorded, but its child
        build(name, text.replace(f"i < {SLEEPS}", f"i < {10 * SLEEPS}"), *options, compiler=compiler)
        command = ["perf", "record", "-q", "-e", "sched:sched_switch", "--call-graph", "fp", "-o", "perf.data", f"./{name}"]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
            raise live.Skip("perf cannot record here")
        live.record(*EVENTS, "-o", "t.dat", *command)
        ours = {}
        for row in csv.DictReader(io.StringIO(stacks("t.dat"))):
            event, *names = row["stack"].split(";")
            user = tuple(name for name in names if name.endswith("]"))      # FUNCTION [FILE]
            if event == "sched_switch" and user:
                ours[user] = ours.get(user, 0) + int(row["count"])
        # outside of main, the kernel ends the two kinds of stacks at different places
        found, wanted = ({}, {})
        for sums, of in ((found, ours), (wanted, perf_stacks())):
            for names, count in of.items():
                if f"main [{name}]" in names and f"middle [{name}]" in names:
                    inside = names[names.index(f"main [{name}]"):]
                    sums[inside] = sums.get(inside, 0) + count
        assert found == wanted and sum(wanted.values()) >= SLEEPS, f"{found}, not {wanted}"


def test_the_kernel_of_a_packed_perf_data():
    """Its functions have names, whether it is compressed or comes through a pipe."""
    if not shutil.which("perf"):
        raise live.Skip("no perf here")
    command = ["perf", "record", "-q", "-g", "-e", "sched:sched_switch", "-o", "perf.data", "sleep", "0.01"]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        raise live.Skip("perf cannot record here")
    with open("perf.data", "rb") as file:
        data = file.read()
    with open("packed.gz", "wb") as file:
        file.write(gzip.compress(data))
    for path in ("perf.data", "packed.gz", "-"):
        text = subprocess.run([live.PROGRAM, "report", "--style=perf", path], input=data, stdout=subprocess.PIPE, check=True).stdout
        frames = re.findall(rb"\t *f[0-9a-f]{15} (\S+) \(\[kernel", text)
        assert any(b"schedule+0x" in frame for frame in frames) and b"[unknown]" not in frames, (path, text)


def test_waits():
    """Behind the kernel's part of a wait."""
    build("pie", C_PROGRAM)
    live.record("-e", "sched:sched_switch", "-R", "stacktrace", "-e", "sched:sched_waking", "-R", "stacktrace", "-O", "userstacktrace",
                "-q", "-o", "t.dat", "./pie")
    text = subprocess.run([live.PROGRAM, "stacks", "--off-cpu", "--folded", "--task=pie", "t.dat"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    whole = [line for line in text.splitlines() if re.match(r"pie;.*main \[pie\];middle \[pie\];leaf \[pie\];.*sys.*schedule", line)]
    assert whole, text


if __name__ == "__main__":
    sys.exit(live.main(globals()))
