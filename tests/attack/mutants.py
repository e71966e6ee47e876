#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mutates traces of every format at every level (bytes, sub-buffers, packets, records, options, formats token by token,
compressed chunks) and gives them to every command, and to the screen with random keys: no crash, no hang, no finding of a sanitizer.

usage: mutants.py [--seed N] [--runs N] [--only LEVEL] [--keep DIR] [--cuts]

Run N of a level is the same whatever ran before it.  --cuts also cuts packed metadata of CTF at every byte, as --long does.
Prints TAP, and which run of each level took longest.
"""
import argparse
import gzip
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", name) for name in ("oracle", "program", "screens")]
sys.dont_write_bytecode = True
from report_common import BUILD, DATA, LIMIT_S, LONG, PROGRAM

TRACES = ("cpu4", "fgraph-7.2", "sched-7.2", "synth-7.2", "stack", "instances", "irqsoff", "function-args", "waits")
COMMANDS = (
    "report", "report -R", "report -N", "report -l", "report --exact", "report --style=kernel", "report --format=json",
    "report --format=csv", "report --tail=20", "report -F common_pid>0", "info", "info --format=json", "fields",
    "--complete",
    "graph", "graph --style=kernel", "graph --format=csv", "functions", "functions --folded", "tasks", "tasks --preempted",
    "wakeups", "timeline", "why --blocked-by", "stacks --both", "stacks --events", "latency --kind=wakeup --anatomy", "noise --analysis=3",
    "count", "count --by=event,comm,cpu --sum=common_pid", "summary", "diff", "diff --by=tasks", "diff --by=latency", "diff --by=latency --kind=call", "diff --by=stacks",
    "check -e lost==0 -e latency>=0 -e tasks>=0 -e functions>=0 -e count>=0 -e cpus>=0 -e noise>=0 -e stacks>=0",
    "export --perfetto=-", "export --chrome=-", "export --tables=tables --name=mutant",
    "cut --force -o cut.dat", "cut --force -o cut.dat --from=+1ms --to=+60ms", "cut --force -o cut.dat --file-version=6 -F pid>20",
    "cut --force -o cut.dat --compression=zstd -F sched_switch||funcgraph_entry", "symbols --force -o cut.dat",
)
REWRITE = os.path.join(BUILD, "tests/tools/rewrite_trace")
SANITIZED = os.access(PROGRAM, os.R_OK) and b"__asan_init" in open(PROGRAM, "rb").read()
SECONDS = 20 if SANITIZED else 10	# of CPU of a command
MEMORY = 3 << 30 if SANITIZED else 1 << 30	# bytes of a command
OUTPUT = 1 << 30		# bytes
EDGES = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0xfff, 0x1000, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
         0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff]
PAGE = 4096
TOKENS = [
    b"%s", b"%n", b"%*s", b"%p", b"%pS", b"%pI6c", b"%-99999999d", b"%llx", b"((((((((", b")))", b"\"\"", b"\\", b"REC->",
    b"__print_flags(", b"__print_symbolic(", b"__print_hex(", b"__print_array(", b"__get_str(", b"__get_dynamic_array(",
    b"__data_loc char[]", b"__rel_loc", b"?", b":", b",", b"!", b"~", b"-", b"<<", b">>", b"/ 0", b"% 0", b"0", b"1",
    b"4294967295", b"2147483647", b"-1", b"18446744073709551615", b"offset:4294967295;", b"size:0;", b"size:4294967295;",
    b"signed:1;", b"offset:-8;", b"\0", b"\x1b[31m", b"\xff\xfe", b"[1000000000]", b"ID: 1", b"ID: 65536",
    b"name: sched_switch", b"name: funcgraph_entry", b"name: kernel_stack", b"field:unsigned short", b"unsigned", b"(u64)",
]


def number(rng, size):
    return (rng.choice(EDGES) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def put(data, at, part):
    part = part[:max(0, len(data) - at)]
    data[at:at + len(part)] = part


def change(data, rng, low, high):
    """One change of the bytes from low to high."""
    at, kind = rng.randrange(low, high), rng.randrange(8)
    if kind < 2:
        data[at] ^= 1 << rng.randrange(8)
    elif kind < 3:
        data[at] = rng.randrange(256)
    elif kind < 6:
        size = rng.choice((1, 2, 4, 8))
        put(data, at // size * size, number(rng, size))
    else:
        size, other = rng.choice((4, 8, 64, 512)), rng.randrange(low, high)
        put(data, at, bytes(data[other:other + size]))


# --- levels -----------------------------------------------------------------------------


def of_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 2, 4, 16, 64))):
        change(data, rng, 0, len(data) if rng.random() < 0.7 else min(len(data), PAGE))
    if rng.random() < 0.1:
        del data[rng.randrange(len(data)):]
    return bytes(data)


def pages_of(data):
    """Offsets of what may be sub-buffers: they lie at multiples of a page, and begin with a time and a length."""
    return [at for at in range(len(data) // 3 // PAGE * PAGE, len(data) - PAGE, PAGE)
            if 0 < int.from_bytes(data[at + 8:at + 12], "little") & 0xfffffff <= PAGE - 16]


def perf_records(data):
    """Offsets and lengths of the records of a perf.data, and of what is behind them: sections with what is known of all."""
    piped = int.from_bytes(data[8:16], "little") == 16
    at, size = (16, len(data)) if piped else struct.unpack_from("<QQ", data, 40)
    end, found = min(at + size, len(data)), []
    while at + 12 <= end and (length := int.from_bytes(data[at + 6:at + 8], "little")) >= 8:
        found.append((at, length))
        if data[at] == 66:		# the formats are behind it
            length += int.from_bytes(data[at + 8:at + 12], "little") + 7 & ~7
        at += length
    for at in [] if piped else range(end, end + 16 * int.from_bytes(data[72:104], "little").bit_count(), 16):
        found += [(at, 16), struct.unpack_from("<QQ", data, at)]
    return [(at, size) for at, size in found if 0 < size <= len(data) - at]


def packets(data):
    """Offsets and lengths of the packets of a trace of Perfetto."""
    at, found = 0, []
    while at < len(data) and data[at] == 0x0a:
        length = end = 0
        for end in range(at + 1, min(at + 6, len(data))):
            length |= (data[end] & 0x7f) << 7 * (end - at - 1)
            if data[end] < 0x80:
                break
        found.append((at, end + 1 + length - at))
        at = end + 1 + length
    return found


def ctf_packets(data):
    """Offsets and lengths of the packets of a CTF stream: each begins with a magic number, in either byte order."""
    starts = [match.start() for match in re.finditer(rb"\xc1\x1f\xfc\xc1|\xc1\xfc\x1f\xc1", bytes(data))]
    return [(at, end - at) for at, end in zip(starts, starts[1:] + [len(data)])]


def pages(data):
    return [(at, PAGE) for at in pages_of(data)]


def of_parts(parts_of):
    """Numbers with which parts begin, and parts themselves: emptied, another one's content, dropped, doubled."""
    def mutate(data, rng):
        parts, data = parts_of(data), bytearray(data)
        for _ in range(rng.choice((1, 2, 4)) if parts else 0):
            (at, size), (other, _) = rng.choice(parts), rng.choice(parts)
            kind = rng.randrange(4)
            if kind < 2:
                put(data, at + rng.randrange(16), number(rng, rng.choice((1, 2, 4, 8))))
            else:
                put(data, at, bytes(size) if kind == 2 else bytes(data[other:other + size]))
        if parts and rng.random() < 0.3:
            at, size = rng.choice(parts)
            data[at:at + size] = data[at:at + size] * rng.choice((0, 2))
        return bytes(data)

    return mutate


def of_records(data, rng):
    data, pages = bytearray(data), pages_of(data)
    for _ in range(rng.choice((1, 4, 16, 64)) if pages else 0):
        at = rng.choice(pages) + 16 + 4 * rng.randrange(PAGE // 4 - 4)
        if rng.random() < 0.5:	# the word before a record: its type or length, and the time since the one before
            put(data, at, (rng.choice((0, 1, 2, 28, 29, 30, 31)) | rng.randrange(1 << 27) << 5).to_bytes(4, "little"))
        else:
            put(data, at, number(rng, rng.choice((2, 4, 8))))
    return bytes(data)


def options_of(data):
    """Offsets of the numbers and sizes of the options of version 7."""
    found, seen = [], set()
    at = int.from_bytes(data[24:32], "little")
    while at and at + 16 <= len(data) and at not in seen:
        seen.add(at)
        end, pos, at = at + 16 + int.from_bytes(data[at + 8:at + 16], "little"), at + 16, 0
        while pos + 6 <= min(end, len(data)):
            size = int.from_bytes(data[pos + 2:pos + 6], "little")
            found.append((pos, size))
            if not data[pos] and not data[pos + 1]:		# where the next options lie
                at = int.from_bytes(data[pos + 6:pos + 14], "little")
                break
            pos += 6 + size
    return found


def of_options(data, rng):
    options = options_of(data)
    data = bytearray(data)
    for _ in range(rng.choice((1, 2, 4)) if options else 0):
        at, size = rng.choice(options)
        kind = rng.randrange(4)
        if kind == 0:
            put(data, at, rng.randrange(24).to_bytes(2, "little"))
        elif kind == 1:
            put(data, at + 2, number(rng, 4))
        elif size:
            change(data, rng, at + 6, min(at + 6 + size, len(data)))
    return bytes(data)


PACKED = b"\x57\x1d\xd1\x75"


def of_cuts(data, rng):
    """What a full disk leaves of packed metadata."""
    return data[:rng.randrange(len(data))] if data[:4] == PACKED else data


FORMAT = rb"name: \w+\nID: \d+\nformat:.*?print fmt: [^\n]*\n|\n(?:trace|env|clock|stream|event) \{.*?\n\};\n"


def of_formats(data, rng):
    """Tokens of one to three formats are replaced, dropped, doubled and swapped; the length stays."""
    data = bytearray(data)
    formats = list(re.finditer(FORMAT, bytes(data), re.DOTALL))
    for match in rng.sample(formats, min(len(formats), rng.choice((1, 2, 3)))):
        tokens = re.findall(rb"\w+|\"[^\"]*\"|\s+|.", match[0], re.DOTALL)
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            # what is printed is the greater part of what is parsed
            low = tokens.index(b"fmt") if b"fmt" in tokens and rng.random() < 0.7 else 0
            at, kind = rng.randrange(low, len(tokens)), rng.randrange(5)
            if kind == 0:
                tokens[at] = rng.choice(TOKENS)
            elif kind == 1:
                tokens.insert(at, rng.choice(TOKENS) * rng.choice((1, 1, 2, 50)))
            elif kind == 2:
                del tokens[at]
            elif kind == 3:
                tokens[at:at] = tokens[at:at + rng.choice((1, 3, 20))]
            else:
                tokens[at] = rng.choice(tokens)
        put(data, match.start(), b"".join(tokens)[:len(match[0]) - 1].ljust(len(match[0]) - 1) + b"\n")
    return bytes(data)


def of_chunks(data, rng):
    """What lies in the compressed chunks is mutated, and packed again in the same room."""
    data = bytearray(data)
    for match in rng.sample(found := list(re.finditer(rb"\x78[\x01\x5e\x9c\xda]", bytes(data))), min(len(found), 8)):
        at = match.start()
        room, size = (int.from_bytes(data[at + d:at + d + 4], "little") for d in (-8, -4))
        try:
            content = bytearray(zlib.decompressobj().decompress(data[at:at + room], size))
        except zlib.error:
            continue
        if len(content) != size or not size:
            continue
        for _ in range(rng.choice((1, 2, 8))):
            change(content, rng, 0, size)
        packed = zlib.compress(bytes(content), 9)
        if len(packed) <= room:
            put(data, at - 8, len(packed).to_bytes(4, "little"))
            put(data, at, packed)
    return bytes(data)


# --- descriptions: counts, how deep and how often members stand, members that are empty ---------------


COUNTS = [b"0", b"1", b"2", b"127", b"128", b"255", b"1000", b"9999", b"65535", b"65536", b"1000000", b"2147483647", b"4294967295"]
PIECE = rb"%[-+ #0]*[\d.*]*\w+|\d+|\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]|\w+ \w+;|REC->\w+"


def restructure(text, rng):
    """Numbers of a text at their edges; its groups and members repeated, emptied, in themselves; conversions that are wide."""
    for _ in range(rng.choice((1, 2, 4, 8))):
        pieces = list(re.finditer(PIECE, text))
        if not pieces:
            break
        match, other = rng.choice(pieces), rng.choice(pieces)
        piece, kind = match[0], rng.randrange(4)
        if piece.isdigit():
            piece = rng.choice(COUNTS)
        elif piece.startswith(b"%") and kind < 2:
            piece = b"%" + rng.choice((b"65535", b"9999", b"*", b"-9999", b".9999")) + piece[-1:]
        elif kind == 0:
            piece = piece[:1] + piece[-1:] if piece[:1] in b"({[" else b""
        elif kind == 1:
            piece = other[0]
        elif kind == 2:
            piece *= rng.choice((2, 10, 200))
        elif piece[:1] in b"({[":
            for _ in range(rng.choice((1, 4, 30))):
                piece = piece[:1] + match[0] + piece[1:]
        text = text[:match.start()] + piece + text[match.end():]
    return text


def of_text_structure(data, rng):
    """Of one to three formats; the length stays."""
    data = bytearray(data)
    formats = list(re.finditer(FORMAT, bytes(data), re.DOTALL))
    for match in rng.sample(formats, min(len(formats), rng.choice((1, 2, 3)))):
        text, at = match[0][:-1], match[0].find(b"print fmt: ")
        head = text[:at] if at >= 0 and rng.random() < 0.7 else b""
        text = (head + restructure(text[len(head):], rng))[:len(match[0]) - 1]
        put(data, match.start(), text.ljust(len(match[0]) - 1) + b"\n")
    return bytes(data)


def header_field(rng, room, depth):
    """A field of at most so many bytes: arrays and structures in each other, most of them of elements without bytes."""
    name, count = bytes([97 + rng.randrange(26)]) + b"\0", rng.choice((1, 2, 0x7fff, 0xffff)).to_bytes(2, "little")
    kind = rng.randrange(10) if room >= 12 and depth < 7 else rng.randrange(9, 13)
    if kind > 9 or room < 3:
        return b""
    if kind < 7:
        return name + bytes([0xa1, rng.choice((1, 1, 2, 127))]) + count + header_field(rng, room - 6, depth + 1)
    if kind == 7:
        return name + bytes([0x81, rng.choice((1, 2, 127))]) + header_field(rng, room - 4, depth + 1)
    if kind == 8:
        return name + bytes([rng.choice((2, 3, 4, 7, 10, 13)) | 0x20]) + count
    return name + bytes([rng.choice((2, 3, 4, 7, 10, 13)) | rng.choice((0, 0x40))])


def of_header(data, rng):
    """What records of user_events say of their fields is replaced by another description, as long as it was."""
    data = bytearray(data)
    for match in re.finditer(rb"(..)\x01\x00(?:Order|Paid)", bytes(data), re.DOTALL):
        room, fields = int.from_bytes(match[1], "little") - 2, b""
        while len(fields) + 12 < room and (not fields or rng.random() < 0.5):
            fields += header_field(rng, room - len(fields), 0)
        put(data, match.start() + 4, b"E" * (room + 1 - len(fields)) + b"\0" + fields)
    return bytes(data)


def of_messages(data, rng):
    """Numbers of a trace of Perfetto at their edges; packets that are there up to 1000 times."""
    parts, data = packets(data), bytearray(data)
    for _ in range(rng.choice((1, 2, 4)) if parts else 0):
        at, size = rng.choice(parts)
        ends = [i for i in range(at + 4, min(at + size, len(data))) if data[i] < 0x80 <= data[i - 1]]
        for end in rng.sample(ends, min(len(ends), 4)):
            put(data, end - 1, bytes([rng.choice((0x80, 0xff)), rng.choice((0, 1, 0x7f))]))
    at, size = rng.choice(parts) if parts else (0, 0)
    if size < 1 << 16:
        data[at:at + size] = data[at:at + size] * rng.choice((1, 2, 1000))
    return bytes(data)


def of_types(data, rng):
    """Words of BTF: kinds and numbers of members, types, sizes, places of names."""
    data, at = bytearray(data), data.find(b"\x9f\xeb\x01\x00")
    if at < 0:
        return bytes(data)
    types, size = (int.from_bytes(data[at + d:at + d + 4], "little") for d in (8, 12))
    for _ in range(rng.choice((1, 8, 64))):
        word = at + 24 + types + 4 * rng.randrange(max(size // 4, 1))
        other = at + 24 + types + 4 * rng.randrange(max(size // 4, 1))
        put(data, word, number(rng, 4) if rng.random() < 0.5 else bytes(data[other:other + 4]))
    return bytes(data)


# level, form of the trace, mutation
LEVELS = {
    "bytes": ("v7", of_bytes), "pages": ("v7", of_parts(pages)), "records": ("v7", of_records), "options": ("v7", of_options),
    "chunks": ("zlib", of_chunks),
    "bytes-v6": ("v6", of_bytes), "formats": ("v6", of_formats),
    "bytes-perf": ("perf", of_bytes), "records-perf": ("perf", of_parts(perf_records)), "formats-perf": ("perf", of_formats),
    "bytes-perfetto": ("perfetto", of_bytes), "packets-perfetto": ("perfetto", of_parts(packets)),
    "bytes-ctf": ("ctf", of_bytes), "packets-ctf": ("ctf", of_parts(ctf_packets)), "formats-ctf": ("ctf", of_formats),
    "cuts-ctf": ("packed", of_cuts), "bytes-packed": ("packed", of_bytes),
    "bytes-text": ("text", of_bytes),
    "structure-formats": ("v6", of_text_structure), "structure-perf": ("perf", of_text_structure),
    "structure-ctf": ("ctf", of_text_structure), "structure-header": ("header", of_header),
    "structure-perfetto": ("perfetto", of_messages), "structure-btf": ("btf", of_types),
}


# --- forms: each yields the name of a trace and its files; "" is the trace itself, others lie in its folder ---------


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def written(make, traces=tuple("good/" + name for name in TRACES)):
    """From traces, by a command."""
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            name = os.path.basename(trace)
            path = os.path.join(folder, name)
            command = make(os.path.join(DATA, trace, "trace.dat"), path)
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
                yield name, {"": read(path)}


def rewritten(form, *traces):
    return written(lambda trace, path: [REWRITE, trace, path, form], *traces)


def perf():
    folder = os.path.join(DATA, "perf")
    for name in os.listdir(folder):
        if name.endswith(".data.gz"):
            yield name, {"": read(os.path.join(folder, name))}


def text():
    for name in TRACES:
        path = os.path.join(DATA, "good", name, "kernel-trace.txt.gz")
        if os.path.exists(path):
            yield name, {"": read(path)}


def ctf(names):
    for name in names:
        top = os.path.join(DATA, "ctf", name)
        paths = [os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files]
        yield name, {os.path.relpath(path, top): read(path) for path in paths}


FORMS = {
    "v6": lambda: rewritten("v6"), "v7": lambda: rewritten("v7"), "zlib": lambda: rewritten("zlib"), "perf": perf, "text": text,
    "header": lambda: rewritten("v6", ("event-header",)), "btf": lambda: rewritten("v6", ("good/function-args",)),
    "ctf": lambda: ctf(("lttng", "big")), "packed": lambda: ctf(("shop",)),
    "perfetto": lambda: written(lambda trace, path: [PROGRAM, "export", "--perfetto=" + path, trace]),
}


def write_mutant(path, files, mutate, rng):
    """One of the files is mutated."""
    shutil.rmtree(path, ignore_errors=True)
    files, names = dict(files), sorted(name for name in files if files[name])
    for name in rng.sample(names, len(names)):
        mutant = mutate(files[name], rng)
        if mutant != files[name]:
            files[name] = mutant
            break
    for name, data in files.items():
        to = os.path.join(path, name) if name else path
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "wb") as file:
            file.write(data)


# --- running ----------------------------------------------------------------------------


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))


def command(words, path, folder):
    """What went wrong, or None."""
    with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "w+b") as told:
        paths = [os.path.join(DATA, "good", "cpu4", "trace.dat"), path] if words[0] == "diff" else [path]
        if words == ["--complete"]:
            paths = [f"ftop-trace count {path} --by="]
        shutil.rmtree(os.path.join(folder, "tables"), ignore_errors=True)
        child = subprocess.Popen([PROGRAM, *words, *paths], stdin=subprocess.DEVNULL, stdout=out, stderr=told, cwd=folder,
                                 preexec_fn=limits)
        try:
            status = None
            child.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return "it hangs"
        status = child.returncode
        told.seek(0)
        said = re.sub(r".*WARNING: AddressSanitizer failed to allocate.*", "", told.read().decode(errors="replace"))
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"more than {SECONDS} s of CPU"
    if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10 > MEMORY:		# of all commands so far
        return f"more than {MEMORY} bytes of memory"
    if status not in (0, 1, 2) or "Sanitizer" in said or "runtime error" in said or "out of memory" in said:
        return f"status {status}: {said[-1500:]}"
    return None


def screen(path, seed):
    import random_keys
    why = random_keys.try_trace(path, seed, 40)
    return None if why and why.startswith("ended: 1\n") else why	# it cannot be opened, and says so


def run_level(level, traces, options, folder):
    failures, slowest = [], (0, "")
    mutate = LEVELS[level][1]
    for run in range(options.first, options.first + options.runs):
        rng = random.Random(f"{options.seed} {level} {run}")
        name = rng.choice(sorted(traces))
        path = os.path.join(folder, "mutant" if "" not in traces[name] else "mutant.dat")
        write_mutant(path, traces[name], mutate, rng)
        words = rng.choice(COMMANDS) if rng.random() < 0.9 else "screen"
        begun = time.monotonic()
        why = screen(path, run) if words == "screen" else command(words.split(), path, folder)
        if words != "screen":		# it waits for rest after each key
            slowest = max(slowest, (time.monotonic() - begun, f"{words}, run {run}"))
        if why:
            kept = os.path.join(options.keep, f"{level}-{options.seed}-{run}.dat")
            os.replace(path, kept)
            failures.append(f"{name}, {words}: --only {level} --seed {options.seed} --first {run} --runs 1; {kept}\n{why}")
    return failures, slowest


def run_cuts(folder):
    """Packed metadata cut at every byte, each to a command or the screen."""
    failures, slowest = [], (0, "")
    files = dict(FORMS["packed"]())["shop"]
    name = next(name for name in files if files[name][:4] == PACKED)
    path = os.path.join(folder, "cut")
    for at in range(len(files[name])):
        write_mutant(path, dict(files, **{name: files[name][:at]}), lambda data, rng: data, random)
        words = COMMANDS[at % len(COMMANDS)] if at % 100 else "screen"
        begun = time.monotonic()
        why = screen(path, at) if words == "screen" else command(words.split(), path, folder)
        if words != "screen":
            slowest = max(slowest, (time.monotonic() - begun, f"{words}, cut at {at}"))
        if why:
            failures.append(f"{words}: cut at byte {at}\n{why}")
    return failures, slowest


def tell(nr, what, failures, slowest):
    print(f"{'not ok' if failures else 'ok'} {nr} - {what}", flush=True)
    print("# the slowest: %.1f s, %s" % slowest, flush=True)
    for failure in failures:
        print("# " + failure.replace("\n", "\n# "), flush=True)
    return bool(failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--runs", type=int, default=1000 if LONG else 10, help="of each level")
    parser.add_argument("--only", choices=LEVELS)
    parser.add_argument("--keep", default=tempfile.gettempdir(), help="folder for mutants that failed")
    parser.add_argument("--cuts", action="store_true", default=bool(LONG), help="cut packed metadata at every byte")
    options = parser.parse_args()
    if not os.access(PROGRAM, os.X_OK) or not os.access(REWRITE, os.X_OK):
        print(f"1..0 # SKIP {PROGRAM} or {REWRITE} is not built")
        return 0
    levels = [options.only] if options.only else list(LEVELS)
    print(f"1..{len(levels) + options.cuts}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        forms = {}
        for level_nr, level in enumerate(levels, 1):
            form = LEVELS[level][0]
            if form not in forms:
                forms[form] = dict(FORMS[form]())
            failed += tell(level_nr, f"{options.runs} mutants by {level}", *run_level(level, forms[form], options, folder))
        if options.cuts:
            failed += tell(len(levels) + 1, "metadata cut at every byte", *run_cuts(folder))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
