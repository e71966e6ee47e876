#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report --grep is the whole report, and of it the records whose text matches.

Records of which nothing can match are not printed to be searched, so random expressions are made of pieces of the
reports themselves: names of events and tasks, numbers, what stands between.  Python's re is the judge, grep -P and -E
beside it, also of files without saved names, where who is named what depends on the lines before.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, LONG, SHARED, Failure, Tap, read_text, report, run, same, traces

EACH = 60 if LONG else 2	# expressions for each trace
# The beginning of a record's line; stacks have more lines behind it.
RECORD = re.compile(rb"^(?: *\S+: +)?.{1,40}-\d+ +\[\d+\] *\d+(?:\.\d+)?: |^\[UNKNOWN EVENT\]")
SPECIAL = b"\\^$.[]|()*+?{}"


def records(text):
    """(bytes before the record's own text, the record) of each: a loss before it is not searched."""
    found, before = [], b""
    for line in text.split(b"\n")[1:-1]:
        if re.match(rb".*CPU:\d+ \[[^]]*EVENTS DROPPED\]$", line):
            before = line + b"\n"
        elif RECORD.match(line) or not found:
            found.append([before, line])
            before = b""
        else:
            found[-1][1] += b"\n" + line
    return found


def escaped(piece):
    return b"".join(b"\\" + bytes([c]) if c in SPECIAL else bytes([c]) for c in piece)


def piece(rand, lines):
    line = rand.choice(lines)
    begin = rand.randrange(len(line))
    return line[begin:begin + rand.randint(1, 14)]


def word(rand, lines):
    words = re.findall(rb"[A-Za-z_][A-Za-z0-9_/:-]*", rand.choice(lines))
    return rand.choice(words) if words else b"x"


def blurred(rand, text):
    """Some characters of it become classes."""
    out = []
    for c in text:
        c = bytes([c])
        kind = rand.randrange(12)
        if kind == 0:
            out.append(b".")
        elif kind == 1 and c.isdigit():
            out.append(b"[0-9]")
        elif kind == 2 and c.isalpha():
            out.append(b"[a-z_]+")
        elif kind == 3:
            out.append(escaped(c) + b"?")
        else:
            out.append(escaped(c))
    return b"".join(out)


def expression(rand, lines):
    one = lambda: rand.choice((piece, word))(rand, lines)
    kind = rand.randrange(8)
    if kind < 2:
        return escaped(one())
    if kind == 2:
        return escaped(one()) + b".*" + escaped(one())
    if kind == 3:
        return escaped(one()) + b"|" + escaped(one())
    if kind == 4:
        return blurred(rand, one())
    if kind == 5:
        return b"(" + escaped(one()) + b"|" + blurred(rand, one()) + b")" + rand.choice((b"", b"+", b"?"))
    if kind == 6:
        return b"^ *" + escaped(word(rand, lines)) + b"-[0-9]+"
    return escaped(one()) + rand.choice((b"$", b"{1,2}", b"[^x]", b" +"))


def grep(regex, path, options=()):
    return report(list(options) + ["--grep", os.fsdecode(regex)], path)


def check(path, whole, regex):
    compiled = re.compile(regex, re.M)
    expected = [b + line for b, line in whole if compiled.search(line)]
    got = grep(regex, path)
    same(got, got.split(b"\n", 1)[0] + b"\n" + b"".join(line + b"\n" for line in expected))
    # A leaf of a graph is two events.
    if b"funcgraph" not in got and int(grep(regex, path, ["--count"])) != len(expected):
        raise Failure("--count says another number")
    return len(expected)


def try_trace(path, seed):
    whole = records(report([], path))
    lines = [line for _, line in whole if line.strip()]
    rand = random.Random(seed)
    some = 0
    for _ in range(EACH):
        regex = expression(rand, lines)
        if b"\n" in regex or b"\0" in regex or not regex:
            continue
        try:
            some += 0 < check(path, whole, regex) < len(whole)
        except Failure as failure:
            raise Failure("--grep %r: %s" % (regex, failure)) from None
        except re.error:
            continue
    if some < EACH // 8 and len(lines) > 30:
        raise Failure("only %d of %d expressions matched some and not all" % (some, EACH))


def beside_grep(path, option, regex):
    """grep itself, on a report whose records have one line each."""
    whole = report([], path)
    done = subprocess.run(["grep", "-a", option, regex], input=whole.split(b"\n", 1)[1], stdout=subprocess.PIPE,
                          env=dict(os.environ, LC_ALL="C"), check=False)
    same(grep(regex.encode(), path).split(b"\n", 1)[1], done.stdout)
    if not 0 < done.stdout.count(b"\n") < whole.count(b"\n") - 1:
        raise Failure("%d lines match: nothing is shown by that" % done.stdout.count(b"\n"))


def nameless(tool, trace, folder):
    """A copy whose saved names begin with what is none; None: it has none."""
    copy = os.path.join(folder, "copy.dat")
    run([tool, trace, copy, "v7"])
    with open(copy, "rb") as file:
        data = file.read()
    names = re.search(rb"(?:^|(?<=[\0-\x1f]))\d+ [\x20-\x7e]{1,15}\n(?:\d+ [\x20-\x7e]{1,15}\n){2,}", data)
    if not names:
        return None
    with open(copy, "r+b") as file:
        file.seek(names.start())
        file.write(b"xxxxxxxx")
    return copy


def without_names(tool, trace, seed):
    with tempfile.TemporaryDirectory() as folder:
        copy = nameless(tool, trace, folder)
        if not copy or b"<...>-" not in report([], copy):
            return
        try_trace(copy, seed)


def shifted(text, seconds):
    return re.sub(rb"(?m)^(.{16,40}-\d+ +\[\d+\] *)(\d+)(\.\d+: )",
                  lambda m: m[1] + b"%d" % (int(m[2]) + seconds) + m[3], text)


def long_text(path):
    """In a text of some MB, words are found without its index.  @path: what trace-cmd printed."""
    text = read_text(path)
    text = re.sub(rb".*EVENTS DROPPED\]\n", b"", text[text.index(b"\n") + 1:])
    text = b"".join(shifted(text, 1000 * i) for i in range(1 + (2 << 20) // len(text)))
    rows = [row + b"\n" for _, row in records(b"\n" + text)]
    regexes = ["kworker", "sched_(switch|wakeup): .*120", "[0-9]{3}[a-z]", "[0-9]\\.[0-9]+3:", "=> [a-z_]*\n.*ret", "^ +[a-z]", "no such"]
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(text)
        file.flush()
        for regex in regexes:
            found = [row for row in rows if re.search(regex.encode(), row, re.M)]
            for options, wanted in (([], found), (["--head=7"], found[:7])):
                if report(options + ["--grep", regex], file.name) != b"".join(wanted):
                    raise Failure("%s --grep %s: not the rows that have it" % (options, regex))


def main():
    tap = Tap()
    good = traces(os.path.join(DATA, "good"))
    shared = traces(os.path.join(SHARED, "fixtures")) if SHARED and LONG else []
    tool = os.path.join(BUILD, "tests", "tools", "rewrite_trace")
    for nr, (name, trace, _) in enumerate(good + shared):
        if report([], trace).count(b"\n") < 5 or b"# tracer:" in report([], trace):
            continue
        tap.case("random: " + name, try_trace, trace, nr)
        if os.path.exists(tool):
            tap.case("without saved names: " + name, without_names, tool, trace, 1000 + nr)
    path = os.path.join(DATA, "good", "cpu4", "trace.dat")
    for option, regex in (("-E", "sched_(switch|wakeup): .*120"), ("-E", "^ +[a-z]+-[0-9]+ +\\[001\\]"),
                          ("-P", "\\d{2}: softirq_e"), ("-P", "(?<!softirq_)exit"), ("-E", "kworker"),
                          ("-P", "sched_waking:\\s+comm=(?!rcu)")):
        tap.case("grep %s %s" % (option, regex), beside_grep, path, option, regex)
    for name, _, text in good:
        if name in ("cpu4", "stack"):
            tap.case("long text: " + name, long_text, text)
    tap.end()


main()
