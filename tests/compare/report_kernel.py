#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report --style=kernel is what the kernel's own trace file showed.

The texts were read from the kernels' trace files, just before the same buffers went
into the traces.  Every line must be equal, apart from the reasons listed here.
"""
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, SHARED, Failure, Tap, read_text, report, run

# What a trace.dat does not hold, by reason: what the kernel's line has, and a pattern of what ours may have instead.
REASONS = [
    # %p shows a hash, or nothing before the kernel has the key for it
    (rb"\(____ptrval____\)|\b0000[0-9a-f]{12}\b", rb"(?:0x)?[0-9a-f]+"),
    # the time now, when the text was read
    (rb"(?<=age=)-?\d+", rb"-?\d+"),
    # the event that an event probe is attached to is not in its format
    (rb"\([a-z_]+\.[a-z_]+\)(?= [a-z]+=|$)", rb""),
    # a string without its end, by a fault of the sample module: the kernel shows its memory behind it
    (rb"(?<= he)[^{}]*?(?= \(0{8},)", rb"[a-z ]*"),
    # 7.2 shows the bitmask before it again where a cpumask with a relative place is to be shown
    (rb"(?<=00000000,deadbeef, )00000000,deadbeef", rb"00000000,00000003"),
    # CPUs on line when the text was read: mmiotrace takes all but one off
    (rb"#P:\d+", rb"#P:\d+"),
]
# In latency format: where the buffer began, and what the kernel was built with.
LATENCY = [
    (rb"CPU#\d+ \| \(M:[\w()]+", rb"CPU#\d+ \| \(M:\w+"),
    (rb" *-?\d+us(?=[+!#*@$ ]: )", rb" *-?\d+us"),
    (rb" -?\d+\.\d{3}ms(?= \(\+)", rb" -?\d+\.\d{3}ms"),
]
# The records of a latency tracer's maximum: what was traced, and that a tracer of latencies did it, its text alone tells.
MAXIMUM = LATENCY + [
    (rb"# tracer: \w+|# \w+ latency trace (?=v)", rb"# (?:tracer: (?:function|nop)|(?:function|nop) latency trace )"),
    (rb"# latency: \d+ us(?=,)", rb"# latency: 0 us"),
    (rb"(?<=\| task: ).*", rb"-0 \(uid:0 nice:0 policy:0 rt_prio:0\)"),
]
# Without the kernel's BTF the names of arguments are lost.
ARGUMENTS = {"fgraph-args", "fgraph-args-retval", "function-args"}
ARGS = re.compile(rb"\(.*\)(?= \{|;|$| <-)")

# Lines that the kernel prints with these options, by the printf()s of linux kernel/trace/trace_output.c of what trace-cmd
# report -R -t prints.
NUMBERS = {
    ("hwlat", "raw"): [b"163 1 28939323084 7355 3375 1795160784 210562540 1"],
    ("osnoise-rt", "raw"): [b"2086 0 393546122290 1016005 953568 104683 33 0 49 0 57", b"0 1 392596962906 type: 319"],
    ("timerlat", "raw"): [b"225 0 43771381805 1 1 306690"],
    ("function-repeats", "raw"): [b"92 0 27533839238 %d %d 6 22508" % (0xffffffff810e2720, 0xffffffff810e06aa)],
    ("wakeup-rt-max", "raw"): [b"8778 1 435940359040 8778 120 + 1 28 98 R", b"8778 1 435944235190 8778 120 R 1 28 98 R"],
    ("wakeup-rt-max", "hex"): [b"0000224a 00000001 00000065804d20b6 0000224a 78 52 00000001 0000001c 62 00000052 "],
    ("marker", "raw"): [
        b"157 0 20392971971 : ffffffffa0005030 : This is a static string that will use trace_bputs",
        b"157 0 20393040472 # ffffffffa0005030 This is a dynamic string that will use trace_puts"],
}


def options(folder, name):
    path = os.path.join(folder, "kernel-options")
    if os.path.exists(path):
        return read_text(path).decode().split()
    if name.startswith("latency-format"):
        return ["-O", "latency-format"]
    if name == "verbose":
        return ["-O", "latency-format", "-O", "verbose"]
    return []


def text_of(folder):
    for name in ("kernel-trace.txt", "kernel-trace.txt.gz"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return read_text(path)
    return None


def is_latency_tracer(name, text):
    """The maximum of a latency tracer: the trace holds this text, and of another run; -max: the trace holds its records."""
    return not name.endswith("-max") and b"latency trace v" in text[:400] and not text.startswith(b"# tracer: nop") and not text.startswith(
        b"# tracer: function")


def pattern_of(line, reasons):
    """The line as a pattern, in which what the reasons are about may differ."""
    places = re.compile(b"|".join(b"(%s)" % where for where, _ in reasons), re.S)
    pattern, at = b"", 0
    for match in places.finditer(line):
        pattern += re.escape(line[at:match.start()]) + reasons[match.lastindex - 1][1]
        at = match.end()
    return pattern + re.escape(line[at:])


def explained(name, line, got):
    """Is the line equal but for the reasons?"""
    in_latency_format = name.startswith("latency-format") or name == "verbose"
    more = MAXIMUM if name.endswith("-max") else LATENCY if in_latency_format else []
    if re.fullmatch(pattern_of(line, REASONS + more), got, re.S):
        return True
    return name in ARGUMENTS and ARGS.sub(b"()", line) == ARGS.sub(b"()", got)


def split(name, text):
    """Records, one or several lines each, and the lines of the header."""
    return re.split(rb"\n(?=#| *\S.{6,}-\d+ +\[\d+\] )", text) if name == "sample" else text.split(b"\n")


def as_the_kernel(folder, name, expected):
    got = report(["--style=kernel"] + options(folder, name), os.path.join(folder, "trace.dat"))
    lines, got_lines = split(name, expected), split(name, got)
    for i, line in enumerate(lines):
        if i >= len(got_lines) or (got_lines[i] != line and not explained(name, line, got_lines[i])):
            raise Failure("line %d is\n  %r\ninstead of\n  %r" %
                          (i + 1, got_lines[i] if i < len(got_lines) else None, line))
    if len(got_lines) != len(lines):
        raise Failure("%d lines too many" % (len(got_lines) - len(lines)))


def usage():
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    listed = report(["--style=kernel", "-O", "list"], trace)
    if b"funcgraph-tail " not in listed or b"latency-format " not in listed:
        raise Failure("-O list gave %r" % listed)


def numbers():
    for (name, option), lines in NUMBERS.items():
        got = report(["--style=kernel", "-O", option], os.path.join(DATA, "good", name, "trace.dat")).split(b"\n")
        missing = [line for line in lines if line not in got]
        if missing:
            raise Failure("%s, %s: no %r" % (name, option, missing[0]))


def without_context():
    """In latency format a graph has a header of twelve lines more, and none without its columns: so 7.2 shows it."""
    trace = os.path.join(DATA, "good", "cpu4", "trace.dat")
    latency = report(["--style=kernel", "-O", "latency-format"], trace)
    bare = report(["--style=kernel", "-O", "latency-format", "-O", "nocontext-info"], trace)
    if b"\n# latency: 0 us, #" not in latency[:400]:
        raise Failure("with its columns it begins with %r" % latency[:400])
    if not bare.startswith(b"# tracer: function_graph\n#\n") or bare.count(b"\n#") != 1:
        raise Failure("it begins with %r" % bare[:200])


def windows():
    """A window's lines are lines of the whole text, with the header of the whole."""
    trace = os.path.join(DATA, "good", "lost-text", "trace.dat")
    whole = report(["--style=kernel", "-O", "noannotate"], trace).split(b"\n")
    body = [line for line in whole if not line.startswith(b"#")]
    for option, expected in ((["--head", "7"], body[:7]), (["--tail", "5"], body[-6:-1]),
                             (["--cpu", "1"], [line for line in body if b" [001] " in line])):
        lines = report(["--style=kernel", "-O", "noannotate"] + option, trace).split(b"\n")[:-1]
        lines = [line for line in lines if not line.startswith(b"#")]
        if not expected or lines != expected:
            raise Failure("%s: %d lines, not %d" % (option, len(lines), len(expected)))


def overruns_of_an_instance():
    """Each buffer has statistics of its own: what it says was overwritten is in its header, and where a CPU begins is said."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "v6.dat")
        run([os.path.join(BUILD, "tests", "tools", "rewrite_trace"), os.path.join(DATA, "good", "instances", "trace.dat"), path,
             "v6"])
        with open(path, "rb") as file:
            data = file.read()
        at = data.index(b"overrun: 0", data.index(b"\nBuffer: foo\n"))
        with open(path, "wb") as file:
            file.write(data[:at] + b"overrun: 9" + data[at + 10:])
        text = report(["--style=kernel"], path)
    for name, buffer in ((b.split(b"\n", 1)) for b in text.split(b"# buffer: ")[1:]):
        events, written = map(int, re.search(rb"written: (\d+)/(\d+)", buffer).groups())
        overruns = 9 if name == b"foo" else 0
        if written - events != overruns or (b" buffer started ####" in buffer) != (overruns > 0):
            raise Failure("%r: %d events, %d written, %r" % (name, events, written, buffer[:80]))


def late_tracer():
    """A tracer is known by its records, however many events come before the first one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "v6.dat")
        run([os.path.join(BUILD, "tests", "tools", "rewrite_trace"), os.path.join(DATA, "good", "osnoise-rt", "trace.dat"), path,
             "v6"])
        with open(path, "rb") as file:
            data = file.read()
        table = data.index(b"flyrecord\0") + len(b"flyrecord\0")
        start, size = struct.unpack_from("<QQ", data, table)
        pages = [data[at:at + 4096] for at in range(start, start + size, 4096)]

        def of_pages(pages):
            """The header of the trace with these pages of CPU 0, one ms after the other, and none of other CPUs."""
            stamped = [struct.pack("<Q", (i + 1) * 1000000) + page[8:] for i, page in enumerate(pages)]
            cpus = struct.pack("<QQ", start, 4096 * len(pages)) + struct.pack("<QQ", start, 0)
            with open(path, "wb") as file:
                file.write(data[:table] + cpus + data[table + len(cpus):start] + b"".join(stamped))
            return report(["--style=kernel"], path)[:200]

        mute = next(page for page in pages if of_pages([page]).startswith(b"# tracer: nop\n"))
        last = next(page for page in pages if of_pages([page]).startswith(b"# tracer: osnoise\n"))
        each = int(re.search(rb"# entries-in-buffer/entries-written: (\d+)/", of_pages([mute])).group(1))
        header = of_pages([mute] * (120000 // each) + [last])
    if not header.startswith(b"# tracer: osnoise\n"):
        raise Failure("it begins with %r" % header[:60])


def main():
    tap = Tap()
    folders = [os.path.join(DATA, "good")]
    if SHARED:
        folders.append(os.path.join(SHARED, "fixtures"))
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            text = text_of(path) if os.path.isdir(path) else None
            if text is not None and not is_latency_tracer(name, text):
                tap.case("%s as the kernel's trace file" % name, as_the_kernel, path, name, text)
    tap.case("-O list", usage)
    tap.case("options raw and hex", numbers)
    tap.case("a graph in latency format without context", without_context)
    tap.case("windows of the kernel's text", windows)
    tap.case("what an instance says was overwritten", overruns_of_an_instance)
    tap.case("a tracer whose first record comes late", late_tracer)
    if not SHARED:
        tap.skip("the other fixtures", "they lie beside the project")
    tap.end()


main()
