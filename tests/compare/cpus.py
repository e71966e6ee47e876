#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What CPUs share and did, of made-up traces, beside a count in Python.  Prints TAP."""
import collections
import csv
import io
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from made_machine import AWAKE, Made, machine  # noqa: E402
from private_section import with_machine  # noqa: E402
from report_common import DATA, PROGRAM, Failure, Tap, run  # noqa: E402


def filters(made, cpus, path):
    """node and core are those of the event's CPU; where they are not known, nothing matches."""
    for name in ("node", "core"):
        words = sorted({cpu[name] for cpu in cpus.values()})
        for number, word in enumerate(words):
            value = word if name == "node" else number
            expected = sum(1 for _, cpu, _, _ in made.events if cpus.get(cpu, {}).get(name) == word)
            found = int(run([PROGRAM, "report", "--count", "-F", f"{name} == {value}", path]))
            if found != expected:
                raise Failure(f"{name} == {value}: {found} events, not {expected}")
    unknown = sum(1 for _, cpu, _, _ in made.events if cpu not in cpus)
    found = int(run([PROGRAM, "report", "--count", "-F", "!(node >= 0)", path]))
    if found != unknown:
        raise Failure(f"without a node: {found} events, not {unknown}")


def table(path, *options):
    text = run([PROGRAM, "cpus", "--format=csv", *options, path]).decode()
    return list(csv.DictReader(io.StringIO(text)))


def expected_power(made, cpus, first, last):
    """{CPU: figures}, moment by moment: idle states, frequencies, migrations from first to last (ns)."""
    figures = collections.defaultdict(lambda: {"idle": collections.Counter(), "known": 0, "khz": 0, "worth": 0,
                                               "moves": collections.Counter()})
    idle, khz = {}, {}

    def within(start, end):
        return max(0, min(end, last) - max(start, first))

    def end_idle(cpu, now):
        state, since = idle.pop(cpu, (AWAKE, now))
        if state != AWAKE and within(since, now):
            figures[cpu]["idle"][state] += within(since, now)

    def end_khz(cpu, now):
        value, since = khz.pop(cpu, (0, now))
        of, length = figures[cpu], within(since, now)
        of["known"] += length
        of["khz"] += value * length
        if cpu in cpus:
            of["worth"] += value * length * cpus[cpu]["capacity"] / cpus[cpu]["max_khz"]

    for now, cpu, name, fields in made.events:
        if name == "cpu_idle":
            end_idle(cpu, now)
            idle[cpu] = (fields["state"], now)
        elif name == "cpu_frequency":
            end_khz(fields["cpu_id"], now)
            khz[fields["cpu_id"]] = (fields["state"], now)
        elif name == "sched_migrate_task" and first <= now <= last:
            figures[fields["dest_cpu"]]["moves"][distance(cpus, fields["orig_cpu"], fields["dest_cpu"])] += 1
    for cpu in range(made.nr_cpus):
        end_idle(cpu, made.events[-1][0])
        end_khz(cpu, made.events[-1][0])
    return figures


def distance(cpus, a, b):
    if a not in cpus or b not in cpus:
        return None
    for word, name in (("core", "from_core"), ("l3", "from_cache"), ("node", "from_node")):
        if cpus[a][word] == cpus[b][word]:
            return name
    return "from_far"


def power(made, cpus, path):
    """In all, and in a window."""
    times = [now for now, _, _, _ in made.events]
    first, last = times[len(times) // 3], times[len(times) * 2 // 3]
    for options, span in (((), (times[0], times[-1])), ((f"--from={first}ns", f"--to={last}ns"), (first, last))):
        expected = expected_power(made, cpus, *span)
        rows = table(path, *options)
        if len(rows) != made.nr_cpus:
            raise Failure(f"{len(rows)} rows")
        for row in rows:
            of = expected[int(row["cpu"])]
            idle = {int(state): int(ns) for state, ns in (word.split(":") for word in row["idle_states_ns"].split())}
            deepest = max(of["idle"], default=None)
            found = (idle, row["deepest"], row["deepest_ns"], int(row["khz_known_ns"]), row["khz"], row["capacity"],
                     {key: int(row[key]) for key in ("from_core", "from_cache", "from_node", "from_far") if row[key] not in ("", "0")},
                     int(row["migrations"]))
            moves = {key: nr for key, nr in of["moves"].items() if key}
            right = (dict(of["idle"]), "" if deepest is None else str(deepest),
                     "" if deepest is None else str(of["idle"][deepest]), of["known"],
                     str(int(of["khz"] / of["known"] + .5)) if of["known"] else "",
                     str(int(of["worth"] / of["known"] + .5)) if of["worth"] else "",
                     moves, sum(of["moves"].values()))
            if found != right:
                raise Failure(f"{options} CPU {row['cpu']}: {found}, not {right}")


SUMS = ("known_ns", "waited_ns", "spare_ns", "doubtful_ns", "busy_ns", "idle_ns", "irq_ns", "softirq_ns", "khz_known_ns",
        "migrations", "from_core", "from_cache", "from_node", "from_far")


def sums(cpus, path, *options):
    """Sums of groups are the sums of the rows of their CPUs, by each level."""
    rows = {int(row["cpu"]): row for row in table(path, *options)}
    for level, word in (("node", "node"), ("package", "package"), ("cache", "l3"), ("core", "core"), ("cluster", "cluster")):
        numbers = sorted({cpu[word] for cpu in cpus.values()})
        expected = collections.defaultdict(lambda: collections.Counter())
        for cpu, row in rows.items():
            name = "not known"
            if cpu in cpus:
                number = cpus[cpu][word]
                name = f"{level} {number if level == 'node' else numbers.index(number)}"
            expected[name].update({key: int(row[key] or 0) for key in SUMS}, cpus=1)
        for row in table(path, f"--by={level}", *options):
            of = expected.pop(row[level])
            for key in (*SUMS, *(("cpus",) if not options else ())):
                if int(row[key] or 0) != of[key]:
                    raise Failure(f"{level} {row[level]}: {key} {row[key]}, not {of[key]}")
        if any(of["busy_ns"] for of in expected.values()):
            raise Failure(f"{level}: {sorted(expected)} are not there")


def recorded(folder):
    """The same of traces of real kernels, whose machine is made up here."""
    for name in ("cpu4", "sched", "waits"):
        path = os.path.join(DATA, "good", name, "trace.dat")
        cpus = machine(4, threads=1, cores=1, caches=2)
        del cpus[3]
        sums(cpus, with_machine(path, os.path.join(folder, name), cpus))
        sums(cpus, os.path.join(folder, name), "-F", "pid != 1")
        sums(cpus, os.path.join(folder, name), "--cpu=1-3")


def order(cpus, path):
    """CPUs are in the order of node, cache and core; JSON has the figures of CSV."""
    found = [int(row["cpu"]) for row in table(path)]
    right = sorted(found, key=lambda cpu: ([cpus[cpu][word] for word in ("package", "node", "l3", "cluster", "core")]
                                           if cpu in cpus else [10**9], cpu))
    if found != right:
        raise Failure(f"{found}, not {right}")
    lines = [json.loads(line) for line in run([PROGRAM, "cpus", "--format=json", path]).splitlines()]
    if [line["cpu"] for line in lines] != found or \
            [str(line["idle_states_ns"]) for line in lines] != [row["idle_states_ns"] for row in table(path)]:
        raise Failure("JSON")


def interleaved(nr):
    """Threads of a core are far apart, as on most machines: 0 and nr / 2."""
    cpus = machine(nr)
    return {cpu // 2 + cpu % 2 * (nr // 2): dict(of, core=of["core"] // 2, cluster=of["cluster"] // 2, l3=of["l3"] // 2)
            for cpu, of in cpus.items()}


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        made, cpus = Made(1, 24, 3000), machine(24)
        apart, less = interleaved(24), {cpu: of for cpu, of in cpus.items() if cpu != 5}
        for name, of in (("in a row", cpus), ("a CPU is not known", less), ("threads apart", apart)):
            path = made.write(folder, name.replace(" ", "-"), of)
            tap.case(f"filter names: {name}", filters, made, of, path)
            tap.case(f"idle states, frequencies, migrations: {name}", power, made, of, path)
            tap.case(f"sums of groups: {name}", sums, of, path)
            tap.case(f"the order of CPUs: {name}", order, of, path)
        tap.case("sums of groups of recorded traces", recorded, folder)
    tap.end()


main()
