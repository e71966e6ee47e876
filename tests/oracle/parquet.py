# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads Parquet files by parquet.thrift and Encodings.md, as plainly as possible: columns of 64-bit numbers and of strings,
pages of version 1, plain, dictionaries and differences.  Needs libzstd, as the program does.
"""
import ctypes
import ctypes.util
import struct

PLAIN, RLE, DELTA_BINARY_PACKED, RLE_DICTIONARY = 0, 3, 5, 8
INT64, BYTE_ARRAY = 2, 6
DICTIONARY_PAGE = 2
UNCOMPRESSED, ZSTD = 0, 6


class Bytes:
    """A place in some bytes, from which is read."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def take(self, size):
        assert self.at + size <= len(self.data), "the bytes end early"
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def thrift(self, kind=12):
        """A value in Thrift's compact protocol; a struct is a dict by the ids of its fields."""
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.take(self.varint())
        if kind == 9:
            head = self.take(1)[0]
            nr = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.thrift(head & 15) for _ in range(nr)]
        assert kind == 12, "kind %d of a field is unknown" % kind
        fields, last = {}, 0
        while True:
            head = self.take(1)[0]
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = self.thrift(head & 15)


ZSTD_LIBRARY = ctypes.util.find_library("zstd") or "libzstd.so.1"


def unzstd(data, size):
    zstd = ctypes.CDLL(ZSTD_LIBRARY)
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size or 1)
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, "a page does not unpack to %d bytes" % size
    return out.raw[:size]


def unpack(data, width, nr):
    """Numbers of @width bits, the lowest first."""
    bits, mask = int.from_bytes(data, "little"), (1 << width) - 1
    step = 64      # numbers at a time: shifting a long number costs by its length
    found = []
    for i in range(0, nr, step):
        part = bits >> i * width & (1 << width * step) - 1
        found += [part >> k * width & mask for k in range(min(step, nr - i))]
    return found


def hybrid(page, width, nr):
    """@nr numbers in runs that are packed or equal."""
    found = []
    while len(found) < nr:
        head = page.varint()
        if head & 1:
            found += unpack(page.take((head >> 1) * width), width, (head >> 1) * 8)
        else:
            found += [int.from_bytes(page.take((width + 7) // 8), "little")] * (head >> 1)
    return found[:nr]


def differences(page):
    block, nr_mini, nr, value = page.varint(), page.varint(), page.varint(), page.zigzag()
    assert block % 128 == 0 and block // nr_mini % 32 == 0, "blocks of %d, %d in each" % (block, nr_mini)
    found = [value] if nr else []
    while len(found) < nr:
        least, widths = page.zigzag(), page.take(nr_mini)
        for width in widths:
            if len(found) == nr:
                break
            for more in unpack(page.take(block // nr_mini * width // 8), width, block // nr_mini)[:nr - len(found)]:
                value = (value + least + more + 2**63) % 2**64 - 2**63
                found.append(value)
    return found


def plain(page, kind, nr):
    if kind == INT64:
        return list(struct.unpack("<%dq" % nr, page.take(8 * nr)))
    return [page.take(int.from_bytes(page.take(4), "little")) for _ in range(nr)]


def values_of(page, kind, encoding, nr, dictionary):
    if encoding == DELTA_BINARY_PACKED:
        return differences(page)
    if encoding == RLE_DICTIONARY:
        width = page.take(1)[0]
        return [dictionary[i] for i in hybrid(page, width, nr)]
    assert encoding == PLAIN, "encoding %d is unknown" % encoding
    return plain(page, kind, nr)


def read_chunk(data, meta):
    """The values of a column in a row group, None for NULL."""
    kind, at = meta[1], Bytes(data, meta.get(11, meta[9]))
    end, dictionary, found = at.at + meta[7], None, []
    while at.at < end:
        head = at.thrift()
        page = at.take(head[3])
        page = Bytes(unzstd(page, head[2]) if meta[4] == ZSTD else page)
        if head[1] == DICTIONARY_PAGE:
            dictionary = plain(page, kind, head[7][1])
            continue
        nr, encoding = head[5][1], head[5][2]
        page.take(4)
        levels = hybrid(page, 1, nr)
        values = iter(values_of(page, kind, encoding, sum(levels), dictionary))
        found += [next(values) if level else None for level in levels]
        assert encoding in meta[2], "the encoding of a page is not listed"
    assert at.at == end and len(found) == meta[5], "the column has %d values, not %d" % (len(found), meta[5])
    return found


def check_statistics(values, meta):
    """They say what is there, or nothing."""
    told = meta[12]
    there = [value for value in values if value is not None]
    assert told[3] == len(values) - len(there), "null_count"
    if 5 not in told:
        assert not there or meta[1] == BYTE_ARRAY and max(map(len, there)) > 64, "there are no statistics"
        return
    least, most = [struct.unpack("<q", told[i])[0] if meta[1] == INT64 else told[i] for i in (6, 5)]
    assert (least, most) == (min(there), max(there)), "statistics %r, %r" % (least, most)


def read(path, only=None):
    """{column: values} and the rows of each group; @only: these columns.  Strings are bytes."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == data[-4:] == b"PAR1", "no PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = Bytes(data[-8 - size:-8]).thrift()
    names = [element[4].decode() for element in footer[2][1:]]
    found = {name: [] for name in names if not only or name in only}
    for group in footer[4]:
        assert [chunk[3][3] for chunk in group[1]] == [[name.encode()] for name in names], "columns of a group"
        for name, chunk in zip(names, group[1]):
            if name in found:
                values = read_chunk(data, chunk[3])
                check_statistics(values, chunk[3])
                assert len(values) == group[3], "rows of a group"
                found[name] += values
    groups = [group[3] for group in footer[4]]
    assert sum(groups) == footer[3], "rows"
    return found, groups
