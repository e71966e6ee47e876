# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of traces with a private section of the project, or with more options, written here by hand."""
import struct

MAGIC = b"ftop-trace private 1\n"
SECTION = 0x4654                        # TRACE_SECTION_PRIVATE in parsers/io/trace_format.h


def with_blocks(path, to, blocks, line=b""):
    """A copy of a trace, with a section of ours at the end: the header, the text, and where the header is."""
    with open(path, "rb") as f:
        data = f.read()
    text = MAGIC + line + b"".join(b"%s %d\n%s" % (name.encode(), len(block), block) for name, block in blocks.items())
    head = struct.pack("<HHIQ", SECTION, 0, 0xffffffff, len(text) + 8)
    with open(to, "wb") as f:
        f.write(data + head + text + struct.pack("<Q", len(data)))
    return to


def with_options(path, to, options):
    """A copy of a trace.dat of version 7 with more options, (number, bytes): another section of options at its end."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    at = data.index(b"\0", 10) + 1 + 6                          # version, byte order, size of long, page size
    at = data.index(b"\0", data.index(b"\0", at) + 1) + 1       # compression
    section, = struct.unpack_from("<Q", data, at)
    while section:
        at = section + 16
        while struct.unpack_from("<HI", data, at) != (0, 8):    # DONE, with the offset of the next section
            at += 6 + struct.unpack_from("<I", data, at + 2)[0]
        section, = struct.unpack_from("<Q", data, at + 6)
    struct.pack_into("<Q", data, at + 6, len(data))
    more = b"".join(struct.pack("<HI", number, len(of)) + of for number, of in [*options, (0, struct.pack("<Q", 0))])
    with open(to, "wb") as f:
        f.write(bytes(data) + struct.pack("<HHIQ", 0, 0, 0xffffffff, len(more)) + more)
    return to


def with_machine(path, to, cpus):
    """@cpus: {CPU: {word: number}}, with the words of WORDS; what is not there is not known."""
    lines = ["cpu %d %s\n" % (cpu, " ".join(str(cpus[cpu].get(word, -1)) for word in WORDS)) for cpu in sorted(cpus)]
    return with_blocks(path, to, {"saved_tgids": b"", "machine": "".join(lines).encode()})


WORDS = ("core", "cluster", "die", "package", "node", "l2", "l3", "capacity", "min_khz", "max_khz")
