# SPDX-License-Identifier: GPL-2.0-or-later
"""A perf.data as a machine of the other byte order writes it: each number of it is turned round, by its type.

Layouts: linux include/uapi/linux/perf_event.h, tools/perf/Documentation/perf.data-file-format.txt.  What no reader of ours
looks at keeps its bytes.
"""
import re
import struct

ATTR = "IIQQQQ8sIIQQQQIIQIHHIIQQ"       # the flags are bit fields
SAMPLE_PARTS = "ident ip tid time addr id stream cpu period read chain raw".split()
BITS = {"ident": 16, "ip": 0, "tid": 1, "time": 2, "addr": 3, "id": 6, "stream": 9, "cpu": 7, "period": 8, "read": 4, "chain": 5,
        "raw": 10}
LATER = 11                              # bits of parts behind the raw data
NOT_NUMBERS = 1 << 11 | 1 << 12 | 1 << 13 | 1 << 18 | 1 << 20      # branches, registers, copies of memory
# by type of record: what is before its text and sample_id
HEADS = {1: "IIQQQ", 2: "QQ", 3: "II", 4: "IIIIQ", 5: "QQQ", 6: "QQQ", 7: "IIIIQ", 10: "IIQQQIIQQII", 13: "Q", 14: "", 15: "II",
         17: "QIHH", 18: "HHI", 19: "Q", 78: "QQ"}
TEXTS = (3, 4, 5, 6, 8, 9)              # features that are a text


class Swapper:
    def __init__(self, data):
        self.data, self.formats, self.attrs, self.of_id = bytearray(data), {}, [], {}

    def number(self, at, form):
        return struct.unpack_from("<" + form, self.data, at)[0]

    def turn(self, at, forms):
        """Turn the numbers from at on; where they end."""
        values = struct.unpack_from("<" + forms, self.data, at)
        struct.pack_into(">" + forms, self.data, at, *values)
        return at + struct.calcsize("<" + forms)

    def text(self, at):
        size = self.number(at, "I")
        return self.turn(at, "I") + size

    def attr(self, at, size):
        values = struct.unpack_from("<IIQQQQQ", self.data, at)
        self.attrs.append({"type": values[0], "config": values[2], "sample": values[4], "read": values[5],
                           "all": values[6] >> 18 & 1})
        self.data[at + 40:at + 48] = bytes(int(f"{byte:08b}"[::-1], 2) for byte in self.data[at + 40:at + 48])
        forms = ATTR
        while struct.calcsize("<" + forms) > size:
            forms = forms[:-1]
        self.turn(at, forms)

    def ids(self, at, nr, attr):
        for i in range(nr):
            self.of_id[self.number(at + 8 * i, "Q")] = attr
        self.turn(at, "Q" * nr)

    def tracing(self, at):
        """What perf copied from tracefs: texts with their lengths before them."""
        at = self.data.index(b"\0", at + 10) + 1
        self.data[at] = 1
        at = self.turn(at + 2, "I")

        def sized(at, form):
            size = self.number(at, form)
            at = self.turn(at, form)
            return at + size, bytes(self.data[at:at + size]).decode()

        def counted(at):
            return self.number(at, "I"), self.turn(at, "I")

        for _ in range(2):
            at, _ = sized(self.data.index(b"\0", at) + 1, "Q")
        nr, at = counted(at)
        for _ in range(nr):
            at, _ = sized(at, "Q")
        systems, at = counted(at)
        for _ in range(systems):
            nr, at = counted(self.data.index(b"\0", at) + 1)
            for _ in range(nr):
                at, text = sized(at, "Q")
                fields = re.findall(r"field:([^;]*?)(?:\[(\d*)\])?;\s*offset:(\d+);\s*size:(\d+)", text)
                self.formats[int(re.search(r"ID: (\d+)", text)[1])] = fields
        for _ in range(2):
            at, _ = sized(at, "I")

    def raw(self, at, tracepoint):
        if tracepoint not in self.formats:
            raise ValueError("no format of tracepoint %d" % tracepoint)
        for kind, count, offset, size in self.formats[tracepoint]:
            # an array of characters has as many bytes as elements
            nr, size = int(count or 1), int(size)
            self.turn(at + int(offset), {1: "B", 2: "H", 4: "I", 8: "Q"}[size // nr] * nr)
            if kind.startswith("__data_loc") and "char" not in kind:
                raise ValueError("numbers in " + kind)

    def sample(self, at, attr):
        for part in SAMPLE_PARTS:
            if not attr["sample"] >> BITS[part] & 1:
                continue
            if part in ("tid", "cpu"):
                at = self.turn(at, "II")
            elif part == "chain":
                at = self.turn(at, "Q" * (1 + self.number(at, "Q")))
            elif part == "read":
                group, times = attr["read"] >> 3 & 1, (attr["read"] & 3).bit_count()
                each = 1 + (attr["read"] >> 2 & 1) + (attr["read"] >> 4 & 1)
                at = self.turn(at, "Q" * (group + times + each * (self.number(at, "Q") if group else 1)))
            elif part == "raw":
                size = self.number(at, "I")
                at = self.turn(at, "I")
                if attr["type"] == 2:
                    self.raw(at, attr["config"])
                at += size
            else:
                at = self.turn(at, "Q")
        if attr["sample"] & NOT_NUMBERS:
            raise ValueError("parts of samples that are not known here: %x" % attr["sample"])
        self.turn(at, "Q" * ((attr["sample"] & ~0x1ffff & ~(1 << 16)) >> LATER).bit_count() +
                  "Q" * (attr["sample"] >> 14 & 3).bit_count())

    def record(self, at):
        """Where the next one is."""
        kind, misc, size = struct.unpack_from("<IHH", self.data, at)
        body, end = at + 8, at + size
        first = self.attrs[0] if self.attrs else None
        if kind == 9:
            place = body
            if not first["sample"] >> BITS["ident"] & 1:
                place += 8 * (first["sample"] & 0xf).bit_count()
            attr = self.of_id[self.number(place, "Q")] if len(self.attrs) > 1 else 0
            self.sample(body, self.attrs[attr])
        elif kind == 64:
            length = self.number(body + 4, "I")
            self.attr(body, length)
            self.ids(body + length, (size - 8 - length) // 8, len(self.attrs) - 1)
        elif kind == 66:
            length = self.number(body, "I")
            self.turn(body, "I")
            self.tracing(end)
            end += length
        elif kind == 80:
            feature = self.number(body, "Q")
            self.turn(body, "Q")
            self.feature(feature, body + 8, end)
        elif kind == 16:
            self.turn(body, "IIQ" + "QQ" * self.number(body + 8, "Q"))
        elif kind in (69, 79):                          # of perf itself: numbers only
            self.turn(body, "Q" * ((size - 8) // 8))
        elif kind in HEADS:
            head = HEADS[kind]
            if kind == 10 and misc >> 14 & 1:           # a build id
                head = "IIQQQ24sII"
            self.turn(body, head)
        if kind < 64 and kind != 9 and first and first["all"]:
            parts = [first["sample"] >> BITS[part] & 1 for part in ("tid", "time", "id", "stream", "cpu", "ident")]
            forms = "".join(form * part for form, part in zip(("II", "Q", "Q", "Q", "II", "Q"), parts))
            self.turn(at + size - struct.calcsize("<" + forms), forms)
        self.turn(at, "IHH")
        return end

    def feature(self, feature, at, end):
        if feature == 1:
            self.tracing(at)
        elif feature == 2:
            while at < end:
                size = self.number(at + 6, "H")
                at = self.turn(at, "IHH")
                self.turn(at, "I")
                at += size - 8
        elif feature in TEXTS:
            self.text(at)
        elif feature == 7:
            self.turn(at, "II")
        elif feature == 11:
            nr, at = self.number(at, "I"), self.turn(at, "I")
            for _ in range(nr):
                at = self.text(at)
        elif feature == 12:
            nr, size = struct.unpack_from("<II", self.data, at)
            at, known = self.turn(at, "II"), list(self.attrs)
            for _ in range(nr):
                self.attr(at, size)
                at += size
                ids, at = self.number(at, "I"), self.turn(at, "I")
                at = self.turn(self.text(at), "Q" * ids)
            self.attrs = known
        elif feature == 29:
            self.turn(at, "IIQQ")

    def whole(self):
        header = self.number(8, "Q")
        if header == 16:
            self.turn(0, "QQ")
            at = 16
            while at < len(self.data):
                at = self.record(at)
            return bytes(self.data)
        _, _, attr_size, attrs, attrs_size, start, size = struct.unpack_from("<7Q", self.data, 0)
        flags = struct.unpack_from("<4Q", self.data, 72)
        self.turn(0, "13Q")
        for at in range(attrs, attrs + attrs_size, attr_size):
            self.attr(at, attr_size - 16)
            ids, ids_size = struct.unpack_from("<QQ", self.data, at + attr_size - 16)
            self.turn(at + attr_size - 16, "QQ")
            self.ids(ids, ids_size // 8, len(self.attrs) - 1)
        sections, at = [], start + size
        for word, bits in enumerate(flags):
            for bit in range(64):
                if bits >> bit & 1:
                    sections.append((64 * word + bit, *struct.unpack_from("<QQ", self.data, at)))
                    at = self.turn(at, "QQ")
        for feature, at, length in sections:            # the formats are needed for the records
            self.feature(feature, at, at + length)
        at = start
        while at < start + size:
            at = self.record(at)
        return bytes(self.data)


def swapped(data):
    """The same trace in the other byte order; @data: a little-endian perf.data, not compressed."""
    return Swapper(data).whole()
