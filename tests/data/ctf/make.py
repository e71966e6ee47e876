#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the CTF traces of this folder, byte by byte, as LTTng lays them out: make.py FOLDER.

Also what is in them, for tests: events() yields (ns, cpu, pid, provider, name, fields) in the order of time.
"""
import os
import struct
import sys
import uuid

OFFSET_S = 1700000000                   # of the clock, since the epoch
START = 5 * 10**9                       # ns of the clock
LOST = 7                                # events of the kernel's CPU 0 between its packets
FIRST_PACKET = 35                       # events of a CPU

COMMON = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double_t;

trace {
	major = 1;
	minor = 8;
	uuid = "%(uuid)s";
	byte_order = %(order)s;
	packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
};

env {
	hostname = "box";
	domain = "%(domain)s";
	sysname = "Linux";
	kernel_release = "6.1.0";
	tracer_name = "lttng-%(tracer)s";
	tracer_major = 2;
	tracer_minor = 13;
};

clock {
	name = "monotonic";
	uuid = "00000000-1111-2222-3333-444444444444";
	freq = 1000000000;
	offset_s = %(offset)d;
	offset = 0;
};

typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;

stream {
	id = 0;
	event.header := struct { uint32_t id; time_t timestamp; };
	packet.context := struct {
		time_t timestamp_begin;
		time_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint32_t cpu_id;
	};
%(context)s};
"""

# Name: the fields' types in the metadata, and how their bytes are written.
KERNEL = {
    "sched_switch": [("char_t", "prev_comm[16]"), ("int32_t", "prev_tid"), ("int32_t", "prev_prio"), ("int64_t", "prev_state"),
                     ("char_t", "next_comm[16]"), ("int32_t", "next_tid"), ("int32_t", "next_prio")],
    "sched_wakeup": [("char_t", "comm[16]"), ("int32_t", "tid"), ("int32_t", "prio"), ("int32_t", "target_cpu")],
    "sched_process_fork": [("char_t", "parent_comm[16]"), ("int32_t", "parent_tid"), ("int32_t", "parent_pid"),
                           ("char_t", "child_comm[16]"), ("int32_t", "child_tid"), ("int32_t", "child_pid")],
    "irq_handler_entry": [("int32_t", "irq"), ("string", "name")],
    "irq_handler_exit": [("int32_t", "irq"), ("int32_t", "ret")],
    "irq_softirq_entry": [("uint32_t", "vec")],
    "irq_softirq_exit": [("uint32_t", "vec")],
    "syscall_entry_read": [("uint32_t", "fd"), ("uint64_t", "count")],
    "syscall_exit_read": [("int64_t", "ret"), ("hex64_t", "buf")],
    "timer_hrtimer_expire_entry": [("hex64_t", "hrtimer"), ("int64_t", "now"), ("hex64_t", "function")],
    "timer_hrtimer_expire_exit": [("hex64_t", "hrtimer")],
    "lttng_statedump_process_state": [("int32_t", "tid"), ("int32_t", "pid"), ("char_t", "name[16]")],
}
USER = {
    "shop:order": [("string", "customer"), ("double_t", "price"), ("enum", "state"), ("struct", "place"), ("sequence", "items")],
}
EXTRA = {
    "enum": "enum : uint8_t { NEW = 0, PAID = 1, SENT = 2 ... 3 } _state;",
    "struct": "struct { int32_t x; hex64_t y; } _place;",
    "sequence": "uint16_t __items_length; uint16_t _items[ __items_length ];",
}
# Fields of every kind, and their bytes in each event, which begins at a byte.
KINDS = [
    ("enum : uint8_t { FREE = 0, USED = 1 ... 3, SHARED = 2 ... 4 }", "labels", [b"\x00", b"\x02", b"\x04", b"\x05"]),
    ("enum : int16_t { BELOW = -3 ... -1, ZERO = 0, \"per \\\"100 %\\\"\" = 100 }", "sign", [b"\xfe\xff", b"\x00\x00", b"\x64\x00", b"\x38\xff"]),
    ("enum : hex16_t { LOW = 0 ... 999, HIGH = 1000 ... 65535 }", "wide", [b"\x00\x00", b"\xe8\x03", b"\x10\x00", b"\xff\xff"]),
    ("bin5_t", "bits", [b"\x00", b"\x15", b"\x1f", b"\x01"]),
    ("oct8_t", "octal", [b"\x00", b"\xff", b"\x07", b"\x80"]),
    ("shex5_t", "hex5", [b"\x00", b"\x1f", b"\x0f", b"\x10"]),
    ("shex16_t", "hex16", [b"\x00\x00", b"\xff\xff", b"\x34\x12", b"\x00\x80"]),
    ("soct64_t", "octal64", [bytes(8), b"\xff" * 8, b"\x07" + bytes(7), bytes(7) + b"\x80"]),
    ("float_t", "real", [struct.pack("<f", v) for v in (0, 0.1, -1e30, float("inf"))]),
    ("double_t", "double", [struct.pack("<d", v) for v in (-0.0, 1 / 3, 1e-300, float("nan"))]),
    ("string", "text", [b"\0", b"a\nb\tc\x1b[31m\x07\x01\x7f\0", "\u00e9\u4e00 %d \\ ? ' \"q\"".encode() + b"\0", b"plain\0"]),
    ("char_t", "letters[6]", [b"ab\ncd\0", b"abcdef", bytes(6), b"a\0bcde"]),
    ("struct { uint8_t a; struct { hex16_t b; string c; } in; struct { } none; }", "nested", [b"\x01\x02\x00x\n\0"] * 4),
    ("struct { int8_t x; string y; }", "pairs[2]", [b"\xffa\0\x01\"\0"] * 4),
    ("uint8_t", "count", [b"\x00", b"\x01", b"\x02", b"\x00"]),
    ("string", "names[ count ]", [b"", b"one\0", b"o\ne\0two\0", b""]),
    ("enum : uint8_t { INT = 0, TEXT = 1, LIST = 2 ... 3 }", "tag", [b"\x00", b"\x01", b"\x02", b"\x03"]),
    ("variant <tag> { hex16_t INT; string TEXT; struct { uint8_t l[2]; } LIST; }", "value", [b"\x0f\xf0", b"t\tt\0", b"\x01\x02", b"\x03\x04"]),
]
KIND_TYPES = """
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 16; align = 8; signed = true; } := int16_t;
typealias integer { size = 16; align = 8; signed = false; base = 16; } := hex16_t;
typealias integer { size = 5; align = 8; signed = false; base = 2; } := bin5_t;
typealias integer { size = 8; align = 8; signed = true; base = 8; } := oct8_t;
typealias integer { size = 5; align = 8; signed = true; base = 16; } := shex5_t;
typealias integer { size = 16; align = 8; signed = true; base = 16; } := shex16_t;
typealias integer { size = 64; align = 8; signed = true; base = 8; } := soct64_t;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float_t;
"""
STATES = ["NEW", "PAID", "SENT", "SENT"]


def switch(prev, next_, state=1):
    return {"prev_comm": prev[1], "prev_tid": prev[0], "prev_prio": 20, "prev_state": state,
            "next_comm": next_[1], "next_tid": next_[0], "next_prio": 20}


def kernel():
    """(µs behind START, cpu, the task that runs, name, fields)"""
    idle, cat, sh = (0, "swapper"), (31, "cat"), (30, "sh")
    yield 0, 0, 30, "lttng_statedump_process_state", {"tid": 30, "pid": 30, "name": "sh"}
    yield 1, 0, 30, "lttng_statedump_process_state", {"tid": 29, "pid": 28, "name": "worker"}
    yield 10, 0, 30, "sched_process_fork", {"parent_comm": "sh", "parent_tid": 30, "parent_pid": 30,
                                            "child_comm": "sh", "child_tid": 31, "child_pid": 31}
    yield 20, 0, 30, "sched_wakeup", {"comm": "cat", "tid": 31, "prio": 20, "target_cpu": 1}
    yield 25, 1, 0, "sched_switch", switch(idle, cat, 0)
    yield 30, 0, 30, "sched_switch", switch(sh, idle)
    for i in range(10):
        t = 100 + 50 * i
        yield t, 1, 31, "syscall_entry_read", {"fd": 3, "count": 4096 + i}
        yield t + 2, 0, 0, "irq_handler_entry", {"irq": 24 + i % 2, "name": "nvme0q%d" % (i % 2)}
        yield t + 5, 0, 0, "irq_handler_exit", {"irq": 24 + i % 2, "ret": 1}
        yield t + 6, 0, 0, "irq_softirq_entry", {"vec": 4}
        yield t + 7, 0, 0, "timer_hrtimer_expire_entry", {"hrtimer": 0xffff888000001000, "now": START + 7 * i, "function": 0xffffffff81000000}
        yield t + 8, 0, 0, "timer_hrtimer_expire_exit", {"hrtimer": 0xffff888000001000}
        yield t + 10, 0, 0, "irq_softirq_exit", {"vec": 4}
        yield t + 20 + i, 1, 31, "syscall_exit_read", {"ret": -11 if i == 9 else 4096, "buf": 0x7ffe00001000 + i}
    yield 800, 0, 0, "sched_switch", switch(idle, sh, 0)
    yield 900, 1, 31, "sched_switch", switch(cat, idle, 64)
    for child in (32, 33):
        yield 1500 * (child - 31), 0, 30, "sched_process_fork", {"parent_comm": "sh", "parent_tid": 30, "parent_pid": 30,
                                                                 "child_comm": "sh", "child_tid": child, "child_pid": child}


def user():
    for i in range(4):
        yield 150 + i, 1, 31, "shop:order", {"customer": "cat & co %d" % i, "price": 0.5 + i, "state": i,
                                             "place": (-1 - i, 0x1000 + i), "items": list(range(i))}


def events(domain):
    for us, cpu, pid, name, fields in kernel() if domain == "kernel" else user():
        provider, _, event = name.rpartition(":")
        yield START + us * 1000, cpu, pid, provider, event, fields


def field_bytes(order, kind, name, v):
    formats = {"int32_t": "i", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "hex64_t": "Q", "double_t": "d"}
    if kind == "char_t":
        return v.encode().ljust(16, b"\0")
    if kind == "string":
        return v.encode() + b"\0"
    if kind == "enum":
        return struct.pack("B", v)
    if kind == "struct":
        return struct.pack(order + "iQ", *v)
    if kind == "sequence":
        return struct.pack(order + "H%dH" % len(v), len(v), *v)
    return struct.pack(order + formats[kind], v)


def metadata(domain, order, types, trace):
    text = COMMON % {
        "uuid": trace, "order": "be" if order == ">" else "le", "domain": domain, "offset": OFFSET_S,
        "tracer": "modules" if domain == "kernel" else "ust",
        "context": "" if domain == "kernel" else
                   "\tevent.context := struct { int32_t _vpid; int32_t _vtid; char_t _procname[17]; };\n",
    }
    for nr, (name, fields) in enumerate(types.items()):
        text += "\nevent {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct {\n" % (name, nr)
        for kind, field in fields:
            text += "\t\t" + EXTRA.get(kind, "%s _%s;" % (kind, field)) + "\n"
        text += "\t};\n};\n"
    return text


def write(folder, domain, order):
    types = KERNEL if domain == "kernel" else USER
    trace = uuid.UUID(int=0x100 + (domain == "kernel"))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(metadata(domain, order, types, trace))
    found = list(events(domain))
    for cpu in (0, 1):
        mine = [event for event in found if event[1] == cpu]
        packets = [mine[:FIRST_PACKET], mine[FIRST_PACKET:]]
        with open(os.path.join(folder, "channel0_%d" % cpu), "wb") as file:
            for nr, packet in enumerate(packets):
                if not packet:
                    continue
                body = b""
                for ns, _, pid, provider, name, fields in packet:
                    full = provider + ":" + name if provider else name
                    body += struct.pack(order + "IQ", list(types).index(full), ns)
                    if domain == "ust":
                        body += struct.pack(order + "ii", pid, pid) + b"cat".ljust(17, b"\0")
                    for kind, field in types[full]:
                        field = field.partition("[")[0]
                        body += field_bytes(order, kind, field, fields[field])
                lost = LOST if nr and not cpu and domain == "kernel" else 0
                size = 24 + 52 + len(body)
                file.write(struct.pack(order + "I16sI", 0xc1fc1fc1, trace.bytes, 0))
                file.write(struct.pack(order + "QQQQQQI", packet[0][0], packet[-1][0], size * 8, size * 8, nr, lost, cpu))
                file.write(body)


def write_kinds(folder):
    """A trace with fields of every kind, by a clock of cycles that CTF does not call absolute."""
    trace = uuid.UUID(int=0x200)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        text = metadata("ust", "<", {}, trace).replace("int32_t _vpid;", "hex64_t _ip; int32_t _vpid;")
        file.write(text.replace("monotonic", "tsc").replace("freq = 1000000000", "freq = 2100000000") + KIND_TYPES)
        file.write("\nevent {\n\tname = \"kinds:all\";\n\tid = 0;\n\tstream_id = 0;\n\tfields := struct {\n")
        file.write("".join("\t\t%s _%s;\n" % field[:2] for field in KINDS).replace("<tag>", "<_tag>").replace("[ count ]", "[ _count ]"))
        file.write("\t};\n};\n")
    body = b"".join(struct.pack("<IQQii", 0, START + i, 0xffffffff8100000f + i, 7, 8) + b"k\nds".ljust(17, b"\0") + b"".join(f[2][i] for f in KINDS)
                    for i in range(4))
    with open(os.path.join(folder, "channel0_0"), "wb") as file:
        size = 24 + 52 + len(body)
        file.write(struct.pack("<I16sI", 0xc1fc1fc1, trace.bytes, 0))
        file.write(struct.pack("<QQQQQQI", START, START + 3, size * 8, size * 8, 0, 0, 0) + body)


def write_packet(folder, text, trace, context, body):
    """A trace of one packet, whose context has times and sizes, and then @context."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(text)
    size = 24 + 48 + len(context) + len(body)
    with open(os.path.join(folder, "channel0_0"), "wb") as file:
        file.write(struct.pack("<I16sI", 0xc1fc1fc1, trace.bytes, 0))
        file.write(struct.pack("<QQQQQQ", 0, START + 10**6, size * 8, size * 8, 0, 0) + context + body)


def event_text(nr, name, fields, more=""):
    return "\nevent {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n%s\tfields := struct { %s };\n};\n" % (name, nr, more, fields)


# µs behind START (None: at time 0), CPU, task, name, flags, preempt count, fields behind the common ones
PERF = [
    (None, 0, 7, "perf_comm", 0, 0, (7, 7, "seven")),
    (10, 3, 8, "sched:sched_switch", 1, 3, ("eight", 8, 120, 1, "seven", 7, 120)),
    (20, 1, 0, "my.probes:odd.one", 9, 16, (0xffff,)),
    (30, 3, 7, "sched:sched_switch", 1, 3, ("seven", 7, 120, 0, "eight", 8, 120)),
    (40, 3, 9, "perf_comm", 0, 0, (8, 9, "nine")),
    (50, 3, 9, "sched:sched_switch", 1, 3, ("nine", 9, 120, 0, "eight", 8, 120)),
]


def write_perf(folder):
    """As perf data convert made them in 2016: a field tells the CPU."""
    trace = uuid.UUID(int=0x300)
    text = metadata("kernel", "<", {}, trace).replace("\t\tuint32_t cpu_id;\n", "").replace("\thostname = \"box\";\n", "")
    text = text.replace("lttng-modules", "perf").replace("offset_s = %d" % OFFSET_S, "offset_s = 0")
    common = ("hex64_t perf_ip; int32_t perf_tid; int32_t perf_pid; uint32_t perf_cpu; uint32_t common_type; uint32_t common_flags; "
              "uint32_t common_preempt_count; int32_t common_pid;")
    text += event_text(0, "perf_comm", "uint32_t pid; uint32_t tid; string comm;")
    text += event_text(1, "sched:sched_switch", common + " string prev_comm; int32_t prev_pid; int32_t prev_prio; int64_t prev_state;"
                       " string next_comm; int32_t next_pid; int32_t next_prio;")
    text += event_text(2, "my.probes:odd.one", common + " hex64_t arg1;")
    forms = {"perf_comm": (0, "II%ds"), "sched:sched_switch": (1, "%dsiiq%dsii"), "my.probes:odd.one": (2, "Q")}
    body = b""
    for us, cpu, pid, name, flags, preempt, fields in PERF:
        nr, form = forms[name]
        values = [v.encode() + b"\0" if isinstance(v, str) else v for v in fields]
        body += struct.pack("<IQ", nr, 0 if us is None else START + us * 1000)
        if nr:
            body += struct.pack("<QiiIIIIi", 0xffffffff81000000, pid, pid, cpu, 59 if nr == 1 else 1700, flags, preempt, pid)
        body += struct.pack("<" + form % tuple(len(v) for v in values if isinstance(v, bytes)), *values)
    write_packet(folder, text, trace, b"", body)


def write_contexts(folder):
    """A process of user space, with contexts of the packet, the stream and an event."""
    trace = uuid.UUID(int=0x400)
    text = metadata("ust", "<", {}, trace).replace("\t\tuint32_t cpu_id;\n", "\t\tuint16_t node;\n\t\tuint32_t cpu_id;\n")
    text = text.replace("env {", "typealias integer { size = 16; align = 8; signed = false; base = 16; } := hex16_t;\n"
                        "env {\n\tprocname = \"shop.d\";\n\tvpid = 99;")
    text = text.replace("int32_t _vpid; int32_t _vtid; char_t _procname[17];",
                        "int32_t _vtid; enum : uint8_t { LOW = 1, HIGH = 2 } _level; hex16_t _mask; string _label;")
    text += event_text(0, "shop.d:sell-it", "uint32_t n;", "\tcontext := struct { int32_t _vtid; uint8_t _list[2]; };\n")
    text += event_text(1, "plain", "")
    body = b""
    for nr in (0, 1):
        body += struct.pack("<IQiBH4s", nr, START + nr * 1000, 100 + nr, 2 - nr, 0xab, b"[x]\0")
        body += struct.pack("<iBBI", 70, 4, 5, 12) if not nr else b""
    write_packet(folder, text, trace, struct.pack("<HI", 5, 2), body)


def write_bare(folder):
    """Neither clock, packets nor fields."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(COMMON[:COMMON.index("trace {")] + "trace { major = 1; minor = 8; byte_order = le; };\n"
                   "stream { event.header := struct { uint8_t id; }; };\nevent { name = \"bare.one\"; id = 3; };\n")
    with open(os.path.join(folder, "stream"), "wb") as file:
        file.write(b"\3\3")


def write_all(folder):
    write_kinds(os.path.join(folder, "kinds"))
    write_perf(os.path.join(folder, "perf"))
    write_contexts(os.path.join(folder, "contexts"))
    write_bare(os.path.join(folder, "bare"))
    write(os.path.join(folder, "lttng", "kernel"), "kernel", "<")
    write(os.path.join(folder, "lttng", "ust", "uid", "0", "64-bit"), "ust", "<")
    write(os.path.join(folder, "big"), "kernel", ">")


if __name__ == "__main__":
    write_all(sys.argv[1])
