#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""latency of block requests and bios, on drawn schedules of a block layer that this file plays.  Prints TAP.

Each draw is a device of one trace in the kernel's text form: bios that are split, merged, of the same sectors or of some of
them, flushed before and behind, discarded in several ranges; requests that end in parts, are given back, and merged then.  What
each one took is known to who plays.  What the program is sure of must be equal; where it says that ends may be each other's, the
sum; and whatever lines are left out, each start is counted once.
"""
import csv
import io
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import PROGRAM, Failure, Tap, run            # noqa: E402

DRAWS = 300             # a third of them with lines left out
STEPS = 40
HEAD = "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n#              | |         |   |||||     |         |\n"


class Bio:
    def __init__(self, start, rwbs, sector, nr):
        self.start, self.rwbs, self.sector, self.nr, self.left = start, rwbs, sector, nr, nr


class Request:
    """parts: of each bio that it has, the number of sectors, in their order."""

    def __init__(self, rwbs, sector, parts):
        self.rwbs, self.sector, self.parts, self.start, self.done = rwbs, sector, parts, None, 0

    def nr(self):
        return sum(nr for _, nr in self.parts)


class Device:
    """Draw number: its times in us are all of this residue, so that a start tells whose it is."""

    def __init__(self, number, keeps_all):
        self.dice, self.number, self.name = random.Random(number), number, "%d,%d" % (240 + number // 200, number % 200)
        self.now, self.lines = 10 ** 7 + number, []
        self.bios, self.requests = {}, {}               # {start: duration in us}
        self.flying, self.waiting = [], []
        self.mode = self.dice.choice(("apart", "same", "any"))
        self.fua, self.late_sector = self.dice.random() < 0.5, self.dice.choice((0, 1))
        self.discards, self.flushes = self.dice.random() < 0.5, self.dice.random() < 0.5
        self.requeues = keeps_all and self.dice.random() < 0.6
        self.next = 8
        self.flush_queue = []           # what a flush is to come for

    def say(self, event, text, comm="dd", pid=95):
        """Return: when."""
        self.now += 1000 * self.dice.randrange(1, 40)
        self.lines.append((self.now, "%16s-%-7d [%03d] ..... %12s: %s: %s %s\n" % (
            comm, pid, self.dice.randrange(4), "%d.%06d" % divmod(self.now, 10 ** 6), event, self.name, text)))
        return self.now

    # --- bios ---------------------------------------------------------------------------------
    def place(self, nr):
        if self.mode == "apart":
            self.next += nr + self.dice.choice((0, 8, 8192))
            return self.next - nr
        return 8192 - 16 + 8 * self.dice.randrange(4) if self.mode == "any" else 8 * self.dice.randrange(1, 4) + 8184

    def queue(self, rwbs, nr, sector=None):
        sector = self.place(nr) if sector is None else sector
        bio = Bio(0, rwbs, sector, nr)
        bio.start = self.say("block_bio_queue", "%s %d + %d [dd]" % (rwbs, sector, nr))
        return bio

    def end_part(self, bio, nr, now):
        bio.left -= nr
        if not bio.left:
            self.bios[bio.start] = now - bio.start

    # --- requests -----------------------------------------------------------------------------
    def issue(self, request):
        now = self.say("block_rq_issue", "%s %d () %d + %d [dd]" % (request.rwbs, 512 * request.nr(), request.sector, request.nr()))
        request.start = request.start or now
        self.flying.append(request)

    def complete(self, request, nr):
        now = self.say("block_rq_complete", "%s () %d + %d [0]" % (request.rwbs, request.sector, nr), "<idle>", 0)
        whole = nr == request.nr()
        request.sector += nr
        while nr or (whole and request.parts):
            bio, part = request.parts[0]
            part = min(part, nr)
            nr -= part
            request.parts[0] = bio, request.parts[0][1] - part
            if not request.parts[0][1]:
                del request.parts[0]
            if bio in self.flush_queue:
                bio.left = 0
            elif bio:
                self.end_part(bio, part, now)
        if whole:
            self.flying.remove(request)
            self.requests[request.start] = now - request.start
        return now

    def write(self):
        """One bio in a request, some in one, or one in some.  None for sectors of what was given back: which one is issued then
        no record tells."""
        if self.mode != "apart" and self.waiting:
            return
        rwbs, nr = self.dice.choice(("R", "W", "WS", "RA")), 8 if self.mode == "same" else 8 * self.dice.randrange(1, 4)
        bio = self.queue(rwbs, nr)
        how = self.dice.random()
        if how < 0.2 and self.mode == "apart":
            bio.nr = bio.left = nr
            parts, at = [(bio, nr)], bio.sector + nr
            for _ in range(self.dice.randrange(1, 3)):
                more = self.queue(rwbs, 8, at)
                self.next = at = at + 8
                parts.append((more, 8))
            self.issue(Request(rwbs, bio.sector, parts))
        elif how < 0.4 and nr > 8:
            self.say("block_split", "%s %d / %d [dd]" % (rwbs, bio.sector, bio.sector + 8))
            requests = [Request(rwbs, bio.sector, [(bio, 8)]), Request(rwbs, bio.sector + 8, [(bio, nr - 8)])]
            for request in requests:
                self.issue(request)
        else:
            self.issue(Request(rwbs, bio.sector, [(bio, nr)]))

    def flush(self):
        """blk-flush.c: a flush before, the data, a flush behind if the disk does not do FUA; then all is told to have ended."""
        nr, mode = self.dice.choice((0, 8)), self.mode
        self.mode = "apart"
        rwbs = self.dice.choice(("FWFS", "FWS", "WFS")) if nr else "FWS"
        bio = self.queue(rwbs, nr, None if nr else 0)
        self.mode = mode
        steps = rwbs[0] == "F" or not self.fua
        own = rwbs[rwbs[0] == "F":]
        own = own if self.fua else own.replace("F", "")
        if rwbs[0] == "F":
            self.cache()
        if nr:
            if steps:
                self.flush_queue.append(bio)
            request = Request(own, bio.sector, [(bio, nr)])
            self.issue(request)
            if steps:
                self.some()
            self.complete(request, nr)
            if steps and "F" in rwbs[1:] and not self.fua:
                self.cache()
        if steps:
            self.bios[bio.start] = self.say("block_rq_complete", "%s () %d + 0 [0]" % (
                own, bio.sector + self.late_sector * nr), "<idle>", 0) - bio.start

    def cache(self):
        start = self.say("block_rq_issue", "FF 0 () 0 + 0 [kworker/0:1H]")
        self.some()
        self.requests[start] = self.say("block_rq_complete", "FF () 0 + 0 [0]", "<idle>", 0) - start

    def discard(self):
        """Ranges of one request, of which only the first one's sector is told."""
        mode, self.mode = self.mode, "apart"
        nr = 8
        bios = [self.queue("D", nr) for _ in range(self.dice.randrange(1, 4))]
        self.mode = mode
        if len(bios) > 2 and self.dice.random() < 0.5:          # in two requests, so that it is a guess
            self.issue(Request("D", bios[2].sector, [(bios.pop(), nr)]))
        self.issue(Request("D", bios[0].sector, [(bio, nr) for bio in bios]))

    def give_back(self, request):
        self.say("block_rq_requeue", "%s () %d + %d [0]" % (request.rwbs, request.sector, request.nr()), "kworker/0:1H", 77)
        self.flying.remove(request)
        self.waiting.append(request)

    def again(self):
        request = self.waiting.pop(self.dice.randrange(len(self.waiting)))
        if self.mode == "apart" and request.rwbs[0] in "RW" and self.dice.random() < 0.5:
            front = self.dice.random() < 0.5 and request.sector not in self.taken() and request.sector >= 16
            sector = request.sector - 8 if front else request.sector + request.nr()
            if not set(range(sector, sector + 8)) & self.taken_all():
                bio = self.queue(request.rwbs, 8, sector)
                self.say("block_bio_%smerge" % ("front" if front else "back"), "%s %d + 8 [dd]" % (request.rwbs, sector))
                if front:
                    request.parts.insert(0, (bio, 8))
                    request.sector = sector
                else:
                    request.parts.append((bio, 8))
                self.next = max(self.next, sector + 8)
        self.issue(request)

    def taken(self):
        return {request.sector + request.nr() for request in self.flying + self.waiting}

    def taken_all(self):
        return {sector for request in self.flying + self.waiting for sector in range(request.sector, request.sector + request.nr())}

    # --- a draw -------------------------------------------------------------------------------
    def some(self):
        """What goes on meanwhile."""
        for _ in range(self.dice.randrange(3)):
            flying = [request for request in self.flying if not any(bio in self.flush_queue for bio, _ in request.parts)]
            if self.waiting and self.dice.random() < 0.3:
                self.again()
            elif flying and self.dice.random() < 0.7:
                request = self.dice.choice(flying)
                if self.requeues and self.dice.random() < 0.3:
                    self.give_back(request)
                elif request.nr() > 8 and request.rwbs != "D" and self.dice.random() < 0.3:
                    self.complete(request, 8)
                else:
                    self.complete(request, request.nr())

    def play(self):
        for _ in range(STEPS):
            how = self.dice.random()
            if how < 0.15 and self.flushes:
                self.flush()
            elif how < 0.3 and self.discards:
                self.discard()
            elif how < 0.6:
                self.write()
            self.some()
        while self.waiting:
            self.again()
        for request in list(self.flying):
            if self.dice.random() < 0.9 or self.number % 2:
                self.complete(request, request.nr())
        self.is_open = bool(self.flying)
        return self


def write(path, devices, keeps):
    lines = sorted(line for device in devices for line in device.lines)
    kept = [text for _, text in lines if keeps()]
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(kept))
    return kept


def rows(path, kind):
    text = run([PROGRAM, "latency", "--kind=" + kind, "--format=csv", path]).decode()
    return [{"start": int(row["start_ns"]) // 1000, "us": int(row["duration_ns"]) // 1000, "shared": row["shared"] == "1",
             "doubtful": row["doubtful"] == "1", "what": row["what"]} for row in csv.DictReader(io.StringIO(text))]


def whole(first, nr):
    """Nothing is left out: what is sure is right, and so is the sum of what may be each other's."""
    devices = [Device(number, True).play() for number in range(first, first + nr)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        write(path, devices, lambda: True)
        found = {kind: rows(path, kind) for kind in ("block", "block_queue")}
    exact = 0
    for device in devices:
        for kind, truth in (("block", device.requests), ("block_queue", device.bios)):
            own = [row for row in found[kind] if row["start"] % 1000 == device.number]
            # of those with the same sectors that have an end, and those that have none, it is not known which ones these are
            doubtful = any(row["doubtful"] for row in own) or any(row["shared"] for row in own) and device.is_open
            exact += not doubtful
            for row in own:
                if not row["shared"] and not row["doubtful"] and row["us"] != truth.get(row["start"]):
                    raise Failure("%s of draw %d (%s): %s, not %s" % (kind, device.number, device.name, row, truth.get(row["start"])))
            if not doubtful and (len(own), sum(row["us"] for row in own)) != (len(truth), sum(truth.values())):
                raise Failure("%s of draw %d (%s): %d of %d us, not %d of %d us" % (
                    kind, device.number, device.name, len(own), sum(row["us"] for row in own), len(truth), sum(truth.values())))
    if exact < nr // 2:
        raise Failure("only %d of %d have no doubtful one" % (exact, 2 * nr))


def left_out(first, nr):
    """Any lines may be missing: each start has an end, or is counted otherwise."""
    dice = random.Random(first)
    devices = [Device(number, False).play() for number in range(first, first + nr)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        kept = write(path, devices, lambda: dice.random() < 0.9)
        done = subprocess.run([PROGRAM, "latency", "--format=csv", path], capture_output=True, text=True, check=True)
    sums = {row["kind"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    for kind, event in (("block", "block_rq_issue:"), ("block_queue", "block_bio_queue:")):
        counted = [int(number) for number in re.findall(rf"{kind}: .*?: (\d+)$", done.stderr, re.M)]
        parts = [int(sums[kind][column]) for column in ("n", "open", "doubtful")] + counted
        begun = sum(event in line for line in kept)
        if sum(parts) != begun or not all(parts[:1] + counted):
            raise Failure("%s: %s are %d, not %d: %s" % (kind, parts, sum(parts), begun, done.stderr))


def main():
    tap = Tap()
    for first in range(0, DRAWS * 2 // 3, 50):
        tap.case("draws from %d on" % first, whole, first, 50)
    for first in range(DRAWS * 2 // 3, DRAWS, 50):
        tap.case("draws from %d on, with lines left out" % first, left_out, first, 50)
    tap.end()


if __name__ == "__main__":
    main()
