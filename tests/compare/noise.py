#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""noise equals what noise_oracle.py works out: from trace-cmd's text of recorded traces, and of made-up texts from the events
that they were made of.  Prints TAP.
"""
import csv
import io
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import noise_oracle                                                         # noqa: E402
from noise_oracle import Event                                              # noqa: E402
from report_common import DATA, LONG, PROGRAM, SHARED, TRACE_CMD, Failure, Tap, read_text, run     # noqa: E402

MADE = 200 if LONG else 20
TRACERS = ("timerlat", "osnoise", "hwlat")
SOURCES = ("nmi", "irq", "softirq", "thread")


def table(path, *options):
    return list(csv.DictReader(io.StringIO(run([PROGRAM, "noise", "--format=csv", *options, path]).decode(errors="replace"))))


def number(text):
    return int(text) if text else None


def same(what, got, want):
    if got != want:
        raise Failure("%s: %s, not %s" % (what, got, want))


# --- figures ---------------------------------------------------------------------------------

def timerlat_row(row):
    return tuple((int(row[of + "_count"]), *(number(row["%s_%s_ns" % (of, name)]) for name in ("cur", "min", "avg", "max")))
                 for of in ("irq", "thread", "user"))


def osnoise_row(row):
    us = (int(row[name]) // 1000 for name in ("runtime_ns", "noise_ns"))
    most = (int(row[name]) // 1000 for name in ("max_noise_ns", "max_single_ns"))
    available = int(row["available_percent"].replace(".", "")) if row["available_percent"] else None
    return (int(row["periods"]), *us, available, *most, *(int(row[name]) for name in ("hw", *SOURCES)))


def hwlat_row(row):
    figures = (int(row["%s_%s_ns" % (of, name)]) for of in ("inner", "outer") for name in ("cur", "min", "avg", "max"))
    return (int(row["samples"]), *figures, int(row["count"]), int(row["nmi_count"]))


OF_ROW = {"timerlat": timerlat_row, "osnoise": osnoise_row, "hwlat": hwlat_row}
OF_EVENTS = {"timerlat": noise_oracle.timerlat_cpu, "osnoise": noise_oracle.osnoise_cpu, "hwlat": noise_oracle.hwlat_cpu}


def check_cpus(path, tracer, cpus, exact=True):
    rows = {int(row["cpu"]): row for row in table(path, "--tracer=" + tracer)}
    own = {cpu for cpu, events in cpus.items() if any(e.name == tracer for e in events)}
    same("CPUs", set(rows), own)
    for cpu in own:
        same("CPU %d" % cpu, OF_ROW[tracer](rows[cpu]), OF_EVENTS[tracer](cpus[cpu]))
        if exact:
            same("CPU %d: doubtful" % cpu, rows[cpu]["doubtful"] == "1", noise_oracle.is_doubtful(cpus[cpu]))
        if tracer != "hwlat" and any(e.name in noise_oracle.NOISE for events in cpus.values() for e in events):
            got = tuple(int(row) if row else 0 for row in (rows[cpu][name + "_time_ns"] for name in SOURCES))
            same("CPU %d: time by source" % cpu, got, noise_oracle.sources(cpus[cpu]))


def check_bins(path, cpus):
    rows = table(path, "--tracer=timerlat", "--histogram")
    for context, name in enumerate(("irq", "thread", "user")):
        values = [e.fields["timer_latency"] for events in cpus.values() for e in events
                  if e.name == "timerlat" and e.fields["context"] == context]
        same("histogram of " + name, sum(int(row[name + "_count"]) for row in rows), len(values))
        for row in rows:
            low, high = int(row["from_ns"]), int(row["to_ns"])
            same("%s from %d to %d" % (name, low, high), int(row[name + "_count"]), sum(low <= v < high for v in values))


# --- samples and their analysis ------------------------------------------------------------------

def check_samples(path, cpus):
    """Return the samples, in the order of the rows."""
    found = [sample for events in cpus.values() for sample in noise_oracle.samples(events)]
    found.sort(key=lambda s: (-s.worst(), s.ts, s.cpu))
    rows = table(path, "--tracer=timerlat", "--samples")
    same("samples", [(int(row["cpu"]), int(row["seq"]), int(row["ts_ns"]), *(number(row[n + "_ns"]) for n in ("irq", "thread", "user")),
                      row["doubtful"] == "1") for row in rows],
         [(s.cpu, s.seq, s.ts, *s.ns, s.doubtful) for s in found])
    return found


def parts_of(rows):
    parts = {row["part"]: int(row["duration_ns"]) for row in rows if not row["what"]}
    items = sorted((row["part"], int(row["duration_ns"]), row["what"]) for row in rows
                   if row["what"] and row["duration_ns"])
    return parts, items


def check_analysis(path, found, slack):
    """@slack: ns by which the handler's delay may differ, as a text's times do."""
    rows, told = table(path, "--tracer=timerlat", "--analysis=100000"), {}
    for row in rows:
        told.setdefault((int(row["cpu"]), int(row["seq"])), []).append(row)
    known = 0
    for sample in found:
        expected, got = sample.analysis(), told.get((sample.cpu, sample.seq), [])
        if expected is None:
            continue
        known += 1
        (parts, items), (want, want_items) = parts_of(got), expected
        for name in ("handler delay", "the rest"):
            if slack and name in parts and name in want and abs(parts[name] - want[name]) <= slack:
                want[name] = parts[name]
        same("CPU %d #%d" % (sample.cpu, sample.seq), (parts, items), (want, want_items))
        if "the rest" in parts:
            whole = sum(ns for part, ns in parts.items() if part not in ("irq latency", "previous irq, up to"))
            same("CPU %d #%d: the sum" % (sample.cpu, sample.seq), whole, sample.total)
    return known


# --- rtla's text --------------------------------------------------------------------------------

def check_rtla(path, cpus):
    lines = run([PROGRAM, "noise", "--tracer=timerlat", "--style=rtla", path]).decode().split("\n")
    got = [line for line in lines if line[:3].strip().isdigit() and "#" in line]
    want = []
    for cpu in sorted(cpus):
        of = [[e.fields["timer_latency"] // 1000 for e in cpus[cpu] if e.name == "timerlat" and e.fields["context"] == context]
              for context in (0, 1)]
        if not of[0] and not of[1]:
            continue
        irq, thread = ("%9s %9s %9s %9s" % (noise_oracle.figures(values) if values else ("-",) * 4) for values in of)
        want.append("%3d #%-9d |%s |%s" % (cpu, len(of[0]), irq, thread))
    for line, other in zip(got, want, strict=True):
        same("rtla timerlat top", line[:len(other)], other)


def rtla_lines(text):
    """Without the duration: rtla's is that of its run."""
    return [line for line in text.split("\n") if not re.match(r"(duration|# Duration):| +\d+ \d\d:\d\d:\d\d ", line)]


def same_as_rtla(name, trace, *options):
    """rtla 6.1 printed it of these samples, which ftop-trace recorded meanwhile in an instance of its own (PREEMPT_RT 6.1, in a
    virtual machine)."""
    folder = os.path.join(DATA, "rtla")
    got = rtla_lines(run([PROGRAM, "noise", "--style=rtla", *options, os.path.join(folder, trace)]).decode())
    want = rtla_lines(read_text(os.path.join(folder, name + ".txt")).decode())
    same(name, got, want)


def same_analysis():
    """What rtla 6.12 printed of the sample at which it stopped, and the text that it saved, with stacks.  The delay of the handler
    differs by some µs: each instance has its own times of the records, and rtla's analysis has its own instance."""
    folder = os.path.join(DATA, "rtla")
    want = re.search(r"## CPU.*?\(100%\)\n", read_text(os.path.join(folder, "timerlat-aa.txt")).decode(), re.DOTALL)[0].split("\n")
    got = run([PROGRAM, "noise", "--style=rtla", "--analysis=1", os.path.join(folder, "timerlat-aa-trace.txt")]).decode().split("\n")
    for i, (a, b) in enumerate(zip(got, want, strict=True)):
        if "IRQ handler delay:" not in a:
            same("line %d" % i, a, b)


def recorded(path):
    cpus = noise_oracle.from_trace_cmd(TRACE_CMD, path)
    names = {event.name for events in cpus.values() for event in events}
    for tracer in TRACERS:
        if tracer in names:
            check_cpus(path, tracer, cpus)
    if "timerlat" in names:
        check_bins(path, cpus)
        check_rtla(path, cpus)
        if not check_analysis(path, check_samples(path, cpus), 0):
            raise Failure("no sample was analysed")


# --- made-up texts ------------------------------------------------------------------------------

HEAD = "# tracer: timerlat\n#\n"
CONTEXTS = ("irq", "thread", "user-ret")


class Maker:
    """A CPU's events as the kernel would print them, with losses and records that are missing."""

    def __init__(self, rand, cpu):
        self.rand, self.cpu, self.ns = rand, cpu, 100_000_000_000 + rand.randrange(10**6)
        self.events, self.lost = [], False

    def add(self, name, pid, **fields):
        self.ns += self.rand.randrange(1000, 9000)
        if self.events and self.rand.random() < 0.01:
            self.lost = True
        if self.rand.random() < 0.03:
            return
        self.events.append(Event(self.ns // 1000 * 1000, self.cpu, pid, name, fields, self.lost))
        self.lost = False

    def noise(self, name, pid):
        duration = self.rand.randrange(1, 5000)
        fields = {"start": self.ns - duration - self.rand.randrange(500), "duration": duration}
        if name == "thread_noise":
            fields["comm"] = "task" + str(pid)
        elif name != "nmi_noise":
            fields["vector"] = self.rand.randrange(10)
        if name == "irq_noise":
            fields["desc"] = self.rand.choice(("local_timer", "nvme0q1:x", "resched"))
        self.add(name, pid, **fields)

    def some(self, names, pid):
        while self.rand.random() < 0.5:
            self.noise(self.rand.choice(names), self.rand.choice((pid, 7, 8)))

    def period(self, seq, users):
        pid = self.rand.choice((0, 7, 8))
        self.ns += 100_000
        self.some(("irq_noise", "nmi_noise", "thread_noise"), pid)
        begin, latency = self.ns, self.rand.randrange(1000, 60_000)
        self.add("timerlat", pid, seqnum=seq, context=0, timer_latency=latency)
        irq = self.ns
        if self.rand.random() < 0.3:
            self.noise("nmi_noise", pid)
        start = self.rand.randrange(begin, irq)
        self.add("irq_noise", pid, start=start, duration=self.ns - start + 500, desc="local_timer", vector=236)
        self.some(noise_oracle.NOISE, pid)
        thread = latency + self.rand.randrange(20_000, 90_000)
        self.add("timerlat", 90, seqnum=seq, context=1, timer_latency=thread)
        if users:
            self.add("timerlat", 90, seqnum=seq, context=2, timer_latency=thread + self.rand.randrange(9000))


def line(event):
    f = event.fields
    time = "%d.%06d" % (event.ts // 10**9, event.ts // 1000 % 10**6)
    if event.name == "timerlat":
        text = "#%-5u context %6s timer_latency %9u ns" % (f["seqnum"], CONTEXTS[f["context"]], f["timer_latency"])
    else:
        name = {"irq_noise": lambda: "%s:%d " % (f["desc"], f["vector"]), "thread_noise": lambda: "%8s:%d " % (f["comm"], event.pid),
                "softirq_noise": lambda: "%8s:%d " % (noise_oracle.SOFTIRQS[f["vector"]], f["vector"]), "nmi_noise": str}[event.name]()
        text = "%s: %sstart %d.%09d duration %d ns" % (event.name, name, f["start"] // 10**9, f["start"] % 10**9, f["duration"])
    lost = "CPU:%d [LOST 5 EVENTS]\n" % event.cpu if event.lost else ""
    return "%s%16s-%-7d [%03d] d.h1. %s: %s\n" % (lost, "task", event.pid, event.cpu, time, text)


def made_up(seed, scratch):
    rand = random.Random(seed)
    users, makers = seed % 3 == 0, [Maker(rand, cpu) for cpu in range(3)]
    for seq in range(1, 60):
        for maker in makers:
            maker.period(seq, users)
    path = os.path.join(scratch, "made.txt")
    events = sorted((event for maker in makers for event in maker.events), key=lambda e: (e.ts, e.cpu))
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(map(line, events)))
    cpus = {maker.cpu: maker.events for maker in makers}
    check_cpus(path, "timerlat", cpus)
    check_bins(path, cpus)
    check_rtla(path, cpus)
    check_analysis(path, check_samples(path, cpus), 1000)


def main():
    tap = Tap()
    folders = [os.path.join(DATA, "good")] + ([os.path.join(SHARED, "fixtures")] if SHARED else [])
    for folder in folders:
        for name in ("timerlat", "timerlat-rt", "osnoise", "osnoise-rt", "hwlat"):
            path = os.path.join(folder, name, "trace.dat")
            if TRACE_CMD and os.path.exists(path):
                tap.case(name, recorded, path)
    if not TRACE_CMD:
        tap.skip("recorded traces", "trace-cmd is missing")
    tap.case("rtla timerlat top", same_as_rtla, "timerlat-top", "timerlat-top-trace.txt.gz")
    tap.case("rtla timerlat hist", same_as_rtla, "timerlat-hist", "timerlat-hist-trace.txt.gz", "--histogram")
    tap.case("rtla osnoise top", same_as_rtla, "osnoise-top", "osnoise-top-trace.txt")
    tap.case("rtla's auto-analysis", same_analysis)
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(MADE):
            tap.case("made-up text %d" % seed, made_up, seed, scratch)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
