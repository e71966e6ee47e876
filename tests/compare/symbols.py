#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftop-trace symbols beside nm: functions of programs that are compiled here.  Prints TAP.

The stacks are those of a recorded trace, with other addresses.  Mappings written here by hand put each of them into a function of a
program; which one it is, and how long, nm tells; of jumps to functions of libraries, objdump.
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import DATA, PROGRAM, Failure, Tap, run     # noqa: E402
from user_stacks import ALWAYS, block_of, records, with_addresses, with_block   # noqa: E402

RECORDED = os.path.join(DATA, "good", "stack", "trace.dat")
TOOLS = ("gcc", "g++", "nm", "readelf", "objcopy", "objdump", "strip", "c++filt")
JUMPS = ("puts@plt",) if platform.machine() == "x86_64" else ()
JUMP_BYTES = 16

C_SOURCE = """
static __attribute__((noinline)) int hidden(int n) { __asm__ volatile(""); return n * 3; }
__attribute__((noinline)) int shown(int n) { return hidden(n) + 1; }
int puts(const char *s);
int main(int argc, char **argv) { if (argc > 9) puts(argv[1]); return shown(argc); }
"""
CXX_SOURCE = """
namespace outer { template <class T> struct box { __attribute__((noinline)) int put(T v, int n); }; }
template <class T> int outer::box<T>::put(T v, int n) { __asm__ volatile(""); return (int)v + n; }
template struct outer::box<double>;
template struct outer::box<char>;
extern "C" int plain(int n) { outer::box<double> b; return b.put(2.0, n); }
"""


def tool(*command, stdin=""):
    return subprocess.run(command, input=stdin.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout.decode()


class Elf:
    """Functions of an ELF file: [(name, place, size)], places being bytes of the file, or addresses of the image."""

    def __init__(self, path, symbols=None, by_address=False, dynamic=False):
        loads = [[int(n, 16) for n in found] for found in
                 re.findall(r"^  LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", tool("readelf", "-lW", path), re.M)]
        lowest = min(address for _, address, _ in loads) & ~4095
        self.functions, self.path = {}, path
        found = [line for line in re.findall(r"^(\w+) (\w+) [tTwWvV] ([^@\n]+)", tool("nm", "-S", *(["-D"] if dynamic else []), symbols or path), re.M)
                 if int(line[1], 16)]
        for (address, size, _), name in zip(found, plain([line[2].strip() for line in found]), strict=True):
            self.add(loads, lowest if by_address else None, int(address, 16), int(size, 16), name)
        for address, name in re.findall(r"^(\w+) <(\w+@plt)>:", tool("objdump", "-d", path), re.M) if JUMPS else ():
            self.add(loads, lowest if by_address else None, int(address, 16), JUMP_BYTES, name)

    def add(self, loads, lowest, address, size, name):
        place = [address - at + offset for offset, at, length in loads if at <= address < at + length]
        if place:
            self.functions.setdefault((place[0] if lowest is None else address - lowest, size), set()).add(name)

    def named(self, *names):
        wanted = [(place, size) for (place, size), of in self.functions.items() if not names or of & set(names)]
        if len(wanted) < len(names):
            raise Failure(f"{self.path} has no {names}: {self.functions}")
        return wanted


def plain(names):
    return tool("c++filt", "-p", stdin="".join(name + "\n" for name in names)).splitlines()


def build_id(path):
    return re.search(r"Build ID: (\w+)", tool("readelf", "-n", path))[1]


class Case:
    """Puts the trace's addresses into functions, has them named, and compares."""

    def __init__(self, folder):
        self.folder, self.root = folder, os.path.join(folder, "root")
        shutil.rmtree(self.root, ignore_errors=True)
        os.makedirs(self.root)
        self.lines, self.files, self.expected = [], [], {}
        self.trace = os.path.join(folder, "addresses.dat")
        self.free = [(tgid, address) for tgid, addresses in records(self.trace) for address in addresses]

    def put(self, source, path):
        to = self.root + path
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(source, to)
        return to

    def use(self, path, functions, known=True, identity="-", unit="offset"):
        """Each of the functions, at its second byte, in its middle and at its last one."""
        number = len(self.files)
        self.files.append(f"file {identity} {unit} {path}")
        for place, size in functions:
            for at in {1, size // 2, size - 1}:
                tgid, address = self.free.pop()
                self.lines.append(f"map {tgid} {address - at:x}-{address + 1:x} {place:x} {ALWAYS} {number}")
                self.expected[path, place + at] = (place, size) if known else None

    def run(self, *options):
        text = "\n".join(self.files + self.lines) + "\n"
        old = with_block(self.trace, os.path.join(self.folder, "old.dat"), text.encode())
        new = os.path.join(self.folder, "new.dat")
        done = subprocess.run([PROGRAM, "symbols", f"--sysroot={self.root}", "--force", "-o", new, *options, old],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode or done.stdout:
            raise Failure(f"{done.returncode}: {done.stderr}")
        files, names = {}, {}
        for line in block_of(new).decode(errors="replace").split("\n"):
            words = line.split(" ", 3)
            if words[0] == "file":
                files[len(files)] = words[3]
            elif words[0] == "name":
                begin, end = (int(n, 16) for n in words[2].split("-"))
                names.setdefault(files[int(words[1])], []).append((begin, end - begin, words[3]))
        self.names = names
        return done.stderr.decode()

    def check(self, *elves):
        """The functions that have names are those that are expected, and have nm's name and size."""
        by_path = dict(elves)
        for (path, place), wanted in self.expected.items():
            found = [(begin, size, name) for begin, size, name in self.names.get(path, []) if begin <= place < begin + size]
            if wanted is None and found:
                raise Failure(f"{path}+{place:x} has a name: {found}")
            if wanted is None:
                continue
            names = by_path[path].functions[wanted]
            if len(found) != 1 or found[0][:2] != wanted or found[0][2] not in names:
                raise Failure(f"{path}+{place:x}: {found}, not {names} {wanted}")


def compile_all(folder):
    for name, text in (("p.c", C_SOURCE), ("x.cc", CXX_SOURCE)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    by_cpu = os.path.join(folder, "plain.dat")
    run([PROGRAM, "cut", "--file-version=6", "-o", by_cpu, RECORDED])
    with_addresses(by_cpu, os.path.join(folder, "addresses.dat"))
    at = lambda name: os.path.join(folder, name)        # noqa: E731
    common = ("-O1", "-g", "-Wl,--build-id=sha1")
    tool("gcc", *common, "-fPIE", "-pie", "-o", at("pie"), at("p.c"))
    tool("gcc", *common, "-fno-pie", "-no-pie", "-o", at("exec"), at("p.c"))
    tool("gcc", *common, "-static", "-o", at("static"), at("p.c"))
    tool("g++", *common, "-fPIC", "-shared", "-o", at("libx.so"), at("x.cc"))
    tool("gcc", "-O1", "-Wl,--build-id=none", "-o", at("nameless"), at("p.c"))
    tool("objcopy", "--only-keep-debug", at("pie"), at("pie.debug"))
    shutil.copy(at("pie"), at("stripped"))
    tool("strip", at("stripped"))
    shutil.copy(at("stripped"), at("linked"))
    tool("objcopy", f"--add-gnu-debuglink={at('pie.debug')}", at("linked"))
    return at


def programs(folder, at):
    case = Case(folder)
    elves = []
    for name in ("pie", "exec", "static", "nameless"):
        elf = Elf(at(name))
        case.put(at(name), f"/bin/{name}")
        case.use(f"/bin/{name}", elf.named("hidden", "shown", "main", *(JUMPS if name != "static" else ())))
        elves.append((f"/bin/{name}", elf))
    library = Elf(at("libx.so"))
    case.put(at("libx.so"), "/usr/lib/a b/libx.so")
    case.use("/usr/lib/a b/libx.so", library.named("outer::box<double>::put", "outer::box<char>::put", "plain"),
             identity=build_id(at("libx.so")))
    case.run()
    case.check(*elves, ("/usr/lib/a b/libx.so", library))


def debug_files(folder, at):
    """By build ID; beside it; in .debug; below /usr/lib/debug.  One with another build ID is none."""
    whole = Elf(at("stripped"), symbols=at("pie"))
    functions = whole.named("hidden", "shown", "main")
    identity = build_id(at("stripped"))
    for name, path in (("stripped", f"/usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug"),
                       ("linked", "/opt/bin/pie.debug"), ("linked", "/opt/bin/.debug/pie.debug"),
                       ("linked", "/usr/lib/debug/opt/bin/pie.debug")):
        for good in (True, False):
            case = Case(folder)
            case.put(at(name), "/opt/bin/prog")
            case.put(at("pie.debug" if good else "exec"), path)
            case.use("/opt/bin/prog", functions, known=good)
            case.run()
            case.check(("/opt/bin/prog", whole))


def image_addresses(folder, at):
    """trace-cmd's PROCMAPS does not tell offsets."""
    case = Case(folder)
    elves = []
    for name in ("pie", "exec", "libx.so"):
        elf = Elf(at(name), by_address=True)
        case.put(at(name), f"/bin/{name}")
        case.use(f"/bin/{name}", elf.named(*(("plain",) if name == "libx.so" else ("hidden", "main"))), unit="address")
        elves.append((f"/bin/{name}", elf))
    case.run()
    case.check(*elves)


def not_the_same(folder, at):
    """Files that are not there, not readable as ELF, others than when it was recorded, or no files at all."""
    case = Case(folder)
    functions = Elf(at("pie")).named("hidden", "main")
    case.put(at("pie"), "/bin/other")
    case.use("/bin/other", functions, known=False, identity="00" * 20)
    case.use("/bin/gone", functions, known=False)
    case.put(os.path.abspath(__file__), "/bin/text")
    case.use("/bin/text", functions, known=False)
    os.mkfifo(case.root + "/bin/pipe")
    case.use("/bin/pipe", functions, known=False)
    os.symlink(at("pie"), case.root + "/bin/outside")
    case.use("/bin/outside", functions, known=False)
    case.use("[vdso]", functions, known=False)
    told = case.run()
    case.check()
    for word in ("/bin/other: has another build ID", "/bin/gone: not found", "/bin/text: cannot be read", "/bin/pipe: not found",
                 "/bin/outside: not found"):
        if word not in told:
            raise Failure(f"{word}: {told}")


def hostile(folder, at):
    """ELF files with bytes changed: whatever becomes of them, those of the other file stay."""
    with open(at("pie"), "rb") as f:
        good = f.read()
    elf = Elf(at("exec"))
    functions = elf.named("hidden", "main")
    seed = 1
    for i in range(40):
        bad = bytearray(good)
        for _ in range(20):
            seed = seed * 6364136223846793005 + 1442695040888963407 & 0xffffffffffffffff
            # most in the headers: of the file, its segments, and its sections at the end
            where = (seed >> 33) % (1024 if i % 2 else len(bad))
            bad[-where if i % 4 == 1 else where] = seed >> 25 & 255
        if i % 5 == 0:
            bad = bad[:len(bad) * (i + 1) // 41]
        case = Case(folder)
        with open(at("bad"), "wb") as f:
            f.write(bad)
        case.put(at("bad"), "/bin/bad")
        case.files.append("file - offset /bin/bad")
        tgid, address = case.free.pop()
        case.lines.append(f"map {tgid} {address - 1:x}-{address + 1:x} {0x1100:x} {ALWAYS} 0")
        case.put(at("exec"), "/bin/exec")
        case.use("/bin/exec", functions)
        case.run()
        case.check(("/bin/exec", elf))


def in_place(folder, at):
    """The trace itself is changed, again and again; names stay where their file is gone; nothing else changes."""
    case = Case(folder)
    elf = Elf(at("pie"))
    case.put(at("pie"), "/bin/pie")
    case.use("/bin/pie", elf.named("hidden", "shown"))
    text = "\n".join(case.files + case.lines) + "\n"
    path = with_block(case.trace, os.path.join(folder, "place.dat"), text.encode())
    before, report = os.path.getsize(path), run([PROGRAM, "report", path])
    blocks = []
    for root in (case.root, case.root, folder):
        run([PROGRAM, "symbols", f"--sysroot={root}", path])
        blocks.append(block_of(path))
    if len(set(blocks)) != 1 or blocks[0].count(b"\nname ") != 2:
        raise Failure(f"not the same: {blocks}")
    with open(path, "rb") as f:
        if f.read()[:before] != open(with_block(case.trace, path + ".2", text.encode()), "rb").read():
            raise Failure("what was there has changed")
    if run([PROGRAM, "report", path]) != report:
        raise Failure("report has changed")
    stacks = run([PROGRAM, "stacks", "--events", "--format=csv", path]).decode()
    for name in ("hidden [pie]", "shown [pie]"):
        if name not in stacks:
            raise Failure(f"stacks lacks {name}")


def refuses(folder, _at):
    """What it cannot add names to stays as it is."""
    text = os.path.join(folder, "text.txt")
    with open(text, "wb") as f:
        f.write(run([PROGRAM, "report", RECORDED]))
    plain_trace = os.path.join(folder, "unmapped.dat")
    shutil.copy(RECORDED, plain_trace)
    none = os.path.join(folder, "none.dat")
    shutil.copy(os.path.join(DATA, "good", "sched", "trace.dat"), none)
    samples = shutil.copy(os.path.join(DATA, "perf", "root", "names.data.gz"), folder)
    for path, code, word in ((text, 1, "not a trace.dat"), (samples, 1, "names of a perf.data are found when it is shown"),
                             (plain_trace, 1, "does not say which files"), (none, 0, "no addresses of user space"),
                             (os.path.join(folder, "gone"), 1, "cannot add names"),
                             (folder, 1, "")):
        before = os.path.isfile(path) and open(path, "rb").read()
        done = subprocess.run([PROGRAM, "symbols", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != code or word not in done.stderr.decode():
            raise Failure(f"{path}: {done.returncode} {done.stderr}")
        if os.path.isfile(path) and open(path, "rb").read() != before:
            raise Failure(f"{path} has changed")


def main():
    tap = Tap()
    missing = [name for name in TOOLS if not shutil.which(name)]
    with tempfile.TemporaryDirectory() as folder:
        tap.case("what is refused stays as it is", refuses, folder, None)
        cases = (("programs and a library", programs), ("debug files", debug_files), ("addresses of the image", image_addresses),
                 ("files that are not the same", not_the_same), ("hostile ELF files", hostile), ("in place", in_place))
        at = compile_all(folder) if not missing else None
        for name, case in cases:
            if missing:
                tap.skip(name, f"{' '.join(missing)} are missing")
            else:
                tap.case(name, case, folder, at)
    tap.end()


main()
