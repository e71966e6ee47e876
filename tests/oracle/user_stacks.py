# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of user space as trace-cmd's library prints their bytes, and the block "user_symbols", byte by byte."""
import os
import re
import struct

from private_section import MAGIC, SECTION, with_blocks
from report_common import trace_cmd_report

ALWAYS = "0 18446744073709551615"


def with_block(path, to, block, line=b""):
    return with_blocks(path, to, {"saved_tgids": b"", "user_symbols": block}, line)


def block_of(path):
    with open(path, "rb") as f:
        data = f.read()
    at = struct.unpack("<Q", data[-8:])[0]
    section, _, _, size = struct.unpack("<HHIQ", data[at:at + 16])
    text = data[at + 16:-8]
    assert section == SECTION and at + 16 + size == len(data) and text.startswith(MAGIC)
    at = text.index(b"\nsaved_tgids ") + 1
    while at < len(text):
        name, size = text[at:text.index(b"\n", at)].split(b" ")
        at = text.index(b"\n", at) + 1
        if name == b"user_symbols":
            return text[at:at + int(size)]
        at += int(size)
    return None


def with_addresses(path, to):
    """A copy of a trace that is not compressed, in which each user_stack with addresses has eight that no
    other one has."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    number = 0
    for tgid, addresses, bytes_ in fields(path):
        if not addresses:
            continue
        # tgid, 4 bytes of padding, caller
        at = re.search(re.escape(struct.pack("<I", tgid)) + b"....(" + re.escape(bytes_) + b")", data, re.S).start(1)
        for i in range(8):
            number += 1
            data[at + 8 * i:at + 8 * i + 8] = struct.pack("<Q", 0x7f0000000000 + number * 256)
    with open(to, "wb") as f:
        f.write(data)
    return to


def records(path):
    """(tgid, [addresses, the innermost first]) of each user_stack, from the fields that trace-cmd prints."""
    return [(tgid, addresses) for tgid, addresses, _ in fields(path)]


def fields(path):
    found = []
    for line in trace_cmd_report(["-R", "-t"], path).decode(errors="replace").split("\n"):
        text = re.search(r"user_stack: +.*\btgid=(\d+).*\bcaller=ARRAY\[([^\]]*)\]", line)
        if not text:
            continue
        bytes_ = bytes(int(byte, 16) for byte in text[2].replace(",", " ").split())
        addresses = []
        for at in range(0, len(bytes_) - 7, 8):
            address = struct.unpack("<Q", bytes_[at:at + 8])[0]
            if not address:
                break
            addresses.append(address)
        found.append((int(text[1]), addresses, bytes_))
    assert found or os.path.exists(path)
    return found
