#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftop-trace hist on the kernel's own hist files, beside a plain reading of the same lines: each key and value, in the
kernel's order, the totals, the order of --sort, and what a live kernel's folder gives.  Prints TAP."""
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import private_section                                          # noqa: E402
from report_common import DATA, PROGRAM, Failure, Tap      # noqa: E402


def ask(*words, status=0, folder=None):
    done = subprocess.run([PROGRAM, "hist", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != status:
        raise Failure(f"{words}: ended with {done.returncode}: {done.stderr}")
    return done.stdout if not status else done.stderr


def key_value(text, modifier):
    """A key as the kernel prints it, in our form."""
    text = text.strip()
    if modifier.startswith("sym"):
        address, name = re.fullmatch(r"(\[[0-9a-f]+\])\s*(.*)", text).groups()
        return f"{name} {address}"
    if modifier == "execname":
        return "-".join(re.fullmatch(r"(.*?)\s*\[ *(\d+)\]", text).groups())
    if modifier == "syscall":
        return "{} [{}]".format(*re.fullmatch(r"(.*?)\s*\[ *(\d+)\]", text).groups())
    if modifier == "log2":
        return str(2 ** int(re.fullmatch(r"~ 2\^(\d+)", text)[1]))
    if modifier.startswith("buckets"):
        return re.fullmatch(r"~ (\d+)-\d+", text)[1]
    if modifier == "stacktrace":
        return ";".join(line.strip() for line in reversed(text.split("\n")))
    return text


def histograms(path):
    """[(entries as dicts, totals)] of a hist file."""
    found = []
    for part in open(path, encoding="utf-8").read().split("# event histogram\n")[1:]:
        trigger = re.search(r"# trigger info: (.*)", part)[1]
        keys = []
        for key in re.search(r"keys=([^: ]*)", trigger)[1].split(","):
            name, _, modifier = key.partition(".")
            keys.append((name, "stacktrace" if "stacktrace" in name else modifier))
        pattern = ", ".join(rf"{re.escape(name)}:(?P<k{i}>.*?)" for i, (name, _) in enumerate(keys))
        entries = []
        for match in re.finditer(r"^\{ " + pattern + r"\s*\} (?P<values>[^\n]*(?:\n\t[^\n]*)*)$", part, re.M | re.S):
            entry = {name: key_value(match[f"k{i}"], modifier) for i, (name, modifier) in enumerate(keys)}
            for name, value in re.findall(r"([\w()% ]+?): *(.*?)(?:  |$)", match["values"].replace("\n\t", "  "), re.M):
                entry[name.strip()] = value.strip()
            entries.append(entry)
        totals = [int(n) for n in re.findall(r"^    (?:Hits|Entries|Dropped): (\d+)$", part, re.M)]
        found.append((entries, totals, trigger))
    return found


def same_value(ours, theirs):
    if ours.startswith("0x"):
        return int(ours, 16) == int(theirs, 16)
    return ours.strip() == theirs


def compare(path):
    for number, (entries, (hits, nr, dropped), trigger) in enumerate(histograms(path), 1):
        rows = list(csv.DictReader(io.StringIO(ask("--format=csv", "-n", str(number), path)))) if nr else []
        if len(rows) != nr or len(entries) != nr:
            raise Failure(f"{trigger}: {len(rows)} rows, the test reads {len(entries)}, the kernel says {nr}")
        for row, entry in zip(rows, entries):
            if set(row) != set(entry) or not all(same_value(row[name], entry[name]) for name in row):
                raise Failure(f"{trigger}: {row}, not {entry}")
        if sum(int(row["hitcount"]) for row in rows) != hits - dropped * (not nr):
            raise Failure(f"{trigger}: the hits are {sum(int(row['hitcount']) for row in rows)}, not {hits}")
        text = ask("-n", str(number), path)
        if trigger not in text or f" hits, {nr} entries, {dropped} dropped" not in text:
            raise Failure(f"{trigger}: no trigger or totals in {text[:300]}")


def sorts(path):
    entries = histograms(path)[0][0]
    rows = [json.loads(line) for line in ask("--format=json", "-n1", "--sort=bytes_alloc", path).splitlines()]
    if [row["bytes_alloc"] for row in rows] != sorted((int(entry["bytes_alloc"]) for entry in entries), reverse=True):
        raise Failure("not in the order of bytes_alloc")
    whole = sum(int(entry["bytes_alloc"]) for entry in entries)
    share = re.search(r"seq_read_iter .* 40960 +([\d.]+)  █{20}$", ask("--sort=bytes_alloc", path), re.M)
    if not share or share[1] != f"{100 * 40960 / whole:.1f}":
        raise Failure(f"the share of the largest is {share and share[1]}")


def apart(path):
    """Of two copies with several histograms each, each line says which one it is of."""
    with tempfile.TemporaryDirectory() as folder:
        for name in "ab":
            open(f"{folder}/{name}", "w").write(open(path).read())
        text = ask("--format=json", "a", "b", folder=folder)
    lines = [json.loads(line) for line in text.splitlines()]
    numbers = [number for number, (entries, *_) in enumerate(histograms(path), 1) for _ in entries]
    expected = [(name, number) for name in "ab" for number in numbers]
    if [(line["file"], line["histogram"]) for line in lines] != expected or len(set(expected)) < 4:
        raise Failure(f"{len(lines)} lines, {len(expected)} expected: {lines[:2]}")


def with_kept(path, out, line="", tables=()):
    """A copy of a trace.dat in which the recorder kept tables: (event, file)."""
    block = "".join(f"# of {event}\n{open(name).read()}" for event, name in tables).encode()
    private_section.with_blocks(path, out, {"saved_tgids": b"", "hists": block}, line.encode())


def kept(path):
    """Tables that a trace.dat holds are those of the same texts as copies, and each says of which event it is."""
    names = [f"{DATA}/good/hist/{name}" for name in ("hist-kmalloc.txt", "hist-sched_switch-7.2.txt")]
    expected = [entries for name in names for entries, *_ in histograms(name)]
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/t.dat"
        with_kept(path, out, tables=[("kmem:kmalloc", names[0]), ("sched:sched_switch, buffer one", names[1])])
        for number, entries in enumerate(expected, 1):
            rows = [json.loads(line) for line in ask("--format=json", "-n", str(number), out).splitlines()]
            event = "kmem:kmalloc" if number == 1 else "sched:sched_switch, buffer one"
            if len(rows) != len(entries) or any(row["histogram_of"] != event for row in rows):
                raise Failure(f"table {number}: {len(rows)} rows of {rows[:1]}, not {len(entries)} of {event}")
            if not all(same_value(str(row[name]), entry[name]) for row, entry in zip(rows, entries) for name in entry):
                raise Failure(f"table {number}: other values than in the copy")
        if f"{out}: kmem:kmalloc: hist:keys=" not in ask(out):
            raise Failure("the event is not named")
        info = subprocess.run([PROGRAM, "info", out], capture_output=True, text=True, check=True).stdout
        if info.count("; hist:keys=") != len(expected) or "histograms      kmem:kmalloc: " not in info:
            raise Failure(f"info: {info[:800]}")
        if "no histogram" not in ask(path, status=1):
            raise Failure("a trace without tables")
        none = private_section.with_blocks(path, f"{folder}/none.dat", {"saved_tgids": b""}, b"note tables are missing\n")
        if not re.search("none.dat: tables are missing\n.*no histogram", ask(none, status=1)):
            raise Failure(f"why there are none: {ask(none, status=1)}")
        same = subprocess.run(["trace-cmd", "report", "-i", out], stdout=subprocess.PIPE, text=True, check=True).stdout
        if same != subprocess.run(["trace-cmd", "report", "-i", path], stdout=subprocess.PIPE, text=True, check=True).stdout:
            raise Failure("trace-cmd reads something else")
        cut = f"{folder}/cut.dat"
        subprocess.run([PROGRAM, "cut", "--cpu=0", "-i", out, "-o", cut], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([PROGRAM, "hist", cut], capture_output=True, text=True)
        if done.returncode or "the histograms are of the whole recording" not in done.stderr or done.stdout.count(" hits, ") != len(expected):
            raise Failure(f"of a cut: {done.returncode} {done.stderr}")


def full(path):
    """A table that was full: figures are lower bounds."""
    with tempfile.TemporaryDirectory() as folder:
        text = open(f"{DATA}/good/hist/hist-kmalloc.txt").read()
        name, out = f"{folder}/hist", f"{folder}/t.dat"
        open(name, "w").write(re.sub(r"Dropped: 0", "Dropped: 12", text))
        with_kept(path, out, "dropped 12 kmem:kmalloc\n", [("kmem:kmalloc", name)])
        hits = re.search(r"Hits: (\d+)", text)[1]
        shown = ask(name)
        if f"\n>{hits} hits, " not in shown or " 12 dropped: the table was full" not in shown or not re.search(r" >10 +>40960 +~", shown):
            raise Failure(shown[:900])
        rows = [json.loads(line) for line in ask("--format=json", name).splitlines()]
        if any(row["histogram_dropped"] != 12 for row in rows) or rows[0]["hitcount"] != 10:
            raise Failure(f"json: {rows[0]}")
        for command in ("info", "summary"):
            said = subprocess.run([PROGRAM, command, out], capture_output=True, text=True, check=True).stdout
            if "kmem:kmalloc: the kernel's histogram was full: 12 hits are in no row" not in said:
                raise Failure(f"{command}: {said[:600]}")


def in_ascii(path):
    text = ask("--ascii", path)
    if not text.isascii() or "?" in text or "#" * 20 not in text or "  lat up to  " not in text:
        raise Failure(text[:600])


def no_trace(path):
    done = subprocess.run([PROGRAM, "report", path], capture_output=True, text=True)
    if done.returncode != 1 or done.stdout or "ftop-trace hist prints them" not in done.stderr:
        raise Failure(f"report: {done.returncode} {done.stdout} {done.stderr}")


def live():
    with tempfile.TemporaryDirectory() as folder:
        for event in ("sched/sched_switch", "sched/sched_waking", "kmem/kmalloc", "raw_syscalls/sys_enter"):
            os.makedirs(f"{folder}/t/events/{event}")
            found = f"{DATA}/good/hist/hist-{event.split('/')[1]}-7.2.txt"
            text = open(found).read() if os.path.exists(found) else ""
            if "kmalloc" not in event:
                open(f"{folder}/t/events/{event}/hist", "w").write(text)
        events = ("sched:sched_switch", "sched:sched_waking", "kmem:kmalloc",
                  "raw_syscalls:sys_enter", "sched:sched_switch_not", "no_system")
        open(f"{folder}/t/available_events", "w").write("\n".join(events) + "\n")
        everything = ask("--tracefs=t", folder=folder)
        if everything.count(" hits, ") != 8 or "kmem:kmalloc: " in everything:
            raise Failure(f"{everything.count(' hits, ')} histograms of all events")
        for name in ("sched_switch", "sched:sched_switch", "sched/sched_switch"):
            if ask("--tracefs=t", name, folder=folder).count("\nsched:sched_switch: hist:") != 2:
                raise Failure(f"not those of {name}")
        for words, status, told in ((["kmalloc"], 1, "CONFIG_HIST_TRIGGERS"), (["no_event"], 2, "neither a file nor an event"),
                                    (["--format=csv", "sched_switch"], 2, "3 histograms")):
            if told not in ask("--tracefs=t", *words, status=status, folder=folder):
                raise Failure(f"{words}: nothing says {told}")


def main():
    tap = Tap()
    for path in sorted(glob.glob(os.path.join(DATA, "good", "hist", "hist-*.txt"))):
        tap.case(os.path.basename(path), compare, path)
    tap.case("--sort", sorts, os.path.join(DATA, "good", "hist", "hist-kmalloc.txt"))
    tap.case("two copies", apart, os.path.join(DATA, "good", "hist", "hist-sched_switch-7.2.txt"))
    tap.case("--ascii", in_ascii, f"{DATA}/good/hist/hist-wakelat.txt")
    tap.case("report says what it is", no_trace, f"{DATA}/good/hist/hist-kmalloc.txt")
    tap.case("kept in a trace", kept, f"{DATA}/good/hist/trace.dat")
    tap.case("a full table", full, f"{DATA}/good/hist/trace.dat")
    tap.case("of a kernel", live)
    tap.end()


main()
