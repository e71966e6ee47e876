#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the text commands say besides their output: damage, wrong words, help.  Prints TAP."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, PROGRAM, Failure, Tap

PROGRAM = os.path.abspath(PROGRAM)
BUILD = os.path.abspath(BUILD)
CPU4 = os.path.join(DATA, "good", "cpu4", "trace.dat")


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def ask(*words, status=0, folder=None):
    """(stdout, stderr)"""
    done = subprocess.run([PROGRAM] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          stdin=subprocess.DEVNULL, check=False, timeout=60)
    check(done.returncode == status, words, "ended with", done.returncode, done.stderr)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def is_quiet(*words):
    out, error = ask(*words, CPU4)
    check(out and not error, words, error)


def cut_is_told(folder, *options):
    """Behind the first 70 KiB of CPU data: the options that follow it are gone."""
    path = write(folder, "cut.dat", read(CPU4)[:-70000])
    out, error = ask("report", *options, path)
    check(len(out.split("\n")) > 100, "only", out[:200])
    check("cut.dat: byte " in error, error)
    check(len(error.split("\n")) <= 8, error)


def cut_in_info(folder):
    path = write(folder, "cut.dat", read(CPU4)[:-70000])
    lines = ask("info", path)[0].split("\n")
    check(any(line.startswith("problems        byte ") for line in lines[:6]), lines[:8])
    check(not any(line == "damaged pages   0" for line in lines), "reads as if all were well")
    check(json.loads(ask("info", "--format=json", path)[0])["notes"], "no notes in JSON")
    check("\nnotes,0\n" not in ask("info", "--format=csv", path)[0], "no notes in CSV")


def damaged_pages_are_told(folder, *options):
    """Bytes of a chunk that are none: its sub-buffers cannot be unpacked."""
    data = bytearray(read(CPU4))
    data[100 * 4096:101 * 4096] = bytes((i * i * 31 + 7) % 251 for i in range(4096))
    path = write(folder, "pages.dat", bytes(data))
    nr = json.loads(ask("info", "--format=json", path)[0])["damaged_pages"]
    check(nr > 0, "nothing is damaged")
    error = ask("report", *options, path)[1]
    check("%d sub-buffer" % nr in error, nr, error)


def words_are_named():
    for words, said in (
            (["latency"], "latency is not in this version yet"),
            (["export", "x.dat"], "export is not in this version yet"),
            (["reprot", "x.dat"], "no such file or command: reprot; did you mean report?"),
            (["zzzzzzzzz"], "no such file or command: zzzzzzzzz"),
            (["--ascii", "dmeo"], "no such file or command: dmeo; did you mean demo?"),
            (["--from=1", "taks"], "no such file or command: taks; did you mean tasks?"),
            (["--asci", "tasks"], "unknown option --asci"),
            (["help", "taks"], "no such command: taks; did you mean tasks?"),
            (["report", "-F", "pid == ", CPU4], "-F: byte 7: a value is missing here"),
            (["report", "-F", "a: nxt", CPU4], '-F: byte 0, "a": no event is named a'),
            (["report", "--grep=(", CPU4], "--grep (: invalid regular expression"),
            (["report", "-v", "-v", "-F", "sched", CPU4], "-v applies to all -F after it"),
            (["report", "--cpu", "x", CPU4], "--cpu: 'x' is not a list"),
            (["report", "--head", "-1", CPU4], "--head: '-1' is not a whole number"),
            (["report", "--tail=x", CPU4], "--tail: 'x' is not a whole number"),
    ):
        out, error = ask(*words, status=2)
        check(not out and error.startswith("ftop-trace: " + said), words, error)


def files_come_before_words(folder):
    """What is there is a file, and tells what is wrong with it as one."""
    for name in ("latency", "reprot"):
        write(folder, name, b"no trace")
        check("not a trace.dat" in ask(name, folder=folder, status=1)[1], name)
    check("cannot open" in ask("missing.dat", folder=folder, status=1)[1], "a path")


def pipes_are_refused(folder):
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    for words in (["report", fifo], ["info", fifo], [fifo]):
        error = ask(*words, status=1)[1]
        check(error == "ftop-trace: %s: is a pipe, not a file: save it to a file first\n" % fifo, error)
    done = subprocess.run([PROGRAM, "report", "/dev/stdin"], input=read(CPU4), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=60)
    check(done.returncode == 1 and b"is a pipe" in done.stderr, done.stderr)
    check("is a device" in ask("report", "/dev/zero", status=1)[1], "/dev/zero")


def completes(words, expected):
    """What bash offers for the last word; it takes --format=c for three."""
    script = "source %s; COMP_WORDS=(ftop-trace %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ftop_trace 2>/dev/null; " \
             "echo ${COMPREPLY[@]}" % (os.path.join(BUILD, "ftop-trace.bash"), " ".join(words))
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, cwd="/proc/self/fdinfo", check=False)
    got = done.stdout.decode().split()
    check(set(expected) <= set(got) and len([g for g in got if not g.isdigit()]) == len(expected), words, got)


def options_before_the_command():
    """Where they stand is all the same, as long as they are the command's own."""
    for before in (["--task", "61"], ["--format", "csv"], ["--format=json", "--cpu", "0-1", "--from", "7.4"]):
        check(ask(*before, "tasks", CPU4) == ask("tasks", *before, CPU4) == ask("tasks", CPU4, *before), before)
    check(ask("--task", "tasks", "tasks", CPU4) == ask("tasks", "--task", "tasks", CPU4), "an argument that is a command's name")
    check(ask("--help", "graph") == ask("graph", "-h"), "--help before the command")
    error = ask("-e", "sched", "record", "--check", "-o", "x/y", "--frob", status=2)[1]
    check("unknown option --frob" in error and "ftop-trace record --help" in error, error)


def exclusions():
    for options, said in ((["--format=json", "-l", "-R"], "--format=json cannot be combined with -l"),
                          (["--format=json", "-R"], "--format=json cannot be combined with -R"),
                          (["--format=csv", "--ts-diff"], "--format=csv cannot be combined with --ts-diff")):
        check(said in ask("report", *options, CPU4, status=2)[1], options)
    ask("report", "--format=csv", "-R", CPU4)


def missing_cpus():
    out, error = ask("report", "--cpu=1,9-12,99", CPU4)
    check(error == "ftop-trace: --cpu: the trace has no CPU 9-12,99; it has 4 CPUs\n", error)
    check("[001]" in out, "CPU 1 is not shown")
    check(not ask("report", "--cpu=0-3", CPU4)[1], "nothing is missing")
    check("no CPU 4;" in ask("report", "--format=json", "--cpu=4", CPU4, CPU4)[1], "the most of a file")


def empty_ranges():
    """A range that ends before it begins is refused, in the same words by all; one of a single moment is none of these."""
    text = os.path.join(DATA, "good", "irqsoff", "trace.dat")
    for words in (["report"], ["report", "--style=kernel"], ["report", "--format=csv"], ["tasks"], ["wakeups"], ["timeline"],
                  ["functions"], ["graph"], ["graph", "--style=kernel"]):
        for begin, end in (("9", "8"), ("+2ms", "+1999us"), ("7.500000001", "7.5"), ("+1s", "7.5")):
            out, error = ask(*words, "--from", begin, "--to", end, CPU4, status=2)
            check(error == f"ftop-trace: --from {begin} --to {end}: the range ends before it begins\n" and not out, words, error)
        ask(*words, "--from", "7.5", "--to", "7500ms", CPU4)
    check("the range ends before it begins" in ask("report", "--from", "20us", "--to", "15us", text, status=2)[1], "latency text")


def record_mistakes(folder):
    """What trace-cmd takes and we do not has a hint; a file that cannot be, a user that is not, are told with the rest."""
    os.makedirs(os.path.join(folder, "tracefs", "events", "sched", "sched_switch"))
    for name, text in (("available_events", b"sched:sched_switch\n"), ("available_tracers", b"function wakeup_rt nop\n")):
        write(os.path.join(folder, "tracefs"), name, text)

    def told(*words, status=2):
        return ask("record", "--check", "--tracefs", "tracefs", "-e", "sched", *words, "true", folder=folder, status=status)[1]

    told(status=0)
    told("-o", "new.dat", "--linger", "1", status=0)
    for option in ("-k", "-a", "-H x", "--profile", "--by-comm", "--poll", "--nosplice", "--no-filter", "--module x", "--ts-offset 1",
                   "--tsc2nsec", "--proc-map", "--stderr", "--verbose", "--nofifos", "--name x"):
        error = told(*option.split())
        check(f"{option.split()[0]} is not an option of ftop-trace record: " in error, option, error)
    error = told("--user", "no such user", "-o", "missing/t.dat", "-p", "functoin")
    for mistake in ("no user is named no such user", "-o missing/t.dat: missing: No such file", "did you mean function?"):
        check(mistake in error, error)
    check("-o tracefs exists and is a folder" in told("-o", "tracefs"), "a folder")
    check("exists and is not a regular file" in told("-o", "/dev/null"), "a device")
    check("-o 'tracefs/': not a file name" in told("-o", "tracefs/"), "an empty name")
    check(told("--status-fd", "-1") == "ftop-trace: --status-fd: '-1' is not a whole number from 0 to 1048576\n", "no descriptor")
    out, error = ask("record", "--check", "--tracefs", "tracefs", "-e", "sched", "--user", "root", "--linger", "1", folder=folder, status=2)
    check("--user requires a command" in error and "--linger requires a command" in error, "what is a command's")
    for words in (("--cpu", "0", "-M", "1"), ("-M", "1", "-M", "1"), ("--cpu", "0", "--cpu", "0")):
        check("the CPUs of a buffer can only be given once" in told(*words), words)
    told("--cpu", "0", "-B", "other", "-M", "1", "-e", "sched", status=0)
    # of a latency tracer there is a second file
    os.mkdir(os.path.join(folder, "t.max.dat"))
    told("-o", "t.dat", status=0)
    check("-o t.dat: -p wakeup_rt also writes t.max.dat, which exists and is not a regular file" in told("-p", "wakeup_rt", "-o", "t.dat"),
          "its second file")
    write(folder, "u.max.dat", b"")
    told("-p", "wakeup_rt", "-o", "u.dat", status=0)


def help_options(words):
    """"-F, --filter=EXPR" → its text, of a command's --help."""
    found, name = {}, None
    for line in ask(*words, "--help")[0].split("Options", 1)[1].split("\n\n")[0].split("\n")[1:]:
        if re.match(" {2,6}-", line):
            name, _, text = line.strip().partition("  ")
            found[name] = text.strip()
        elif line.strip():
            found[name] += " " + line.strip()
    found.pop("-h, --help", None)
    found.pop("--version", None)
    return {name: text.strip() for name, text in found.items()}


def man_page():
    """Each command's part has its options, with the texts of its --help, each on lines of their own."""
    page = ask("--print-man")[0].replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    commands = re.findall(r'^\.SS "ftop-trace ?(.*?)"\n(.*?)(?=^\.S[SH] )', page, re.M | re.S)
    check(len(commands) > 10, "commands:", len(commands))
    for words, text in commands:
        name = re.match(r"[a-z]*", words).group()
        options = {item.split("\n", 1)[0]: " ".join(item.split("\n")[1:]) for item in text.split("\n.TP\n.B ")[1:]}
        expected = help_options([name] if name else [])
        check(list(options) == list(expected), name, list(options), list(expected))
        for option, told in expected.items():
            got = options[option].split(" .PP")[0]	# what only the manual says comes behind the last one
            check(" ".join(got.split()).startswith(" ".join(told.split())), name, option, got, told)
    items = re.findall(r"^\.TP\n(.*)\n(.*)", page, re.M)
    check(len(items) == page.count(".TP\n"), "an item without a text")
    for name, text in items:
        check(name.startswith(".B ") and text and not text.startswith("."), name, text)


def man_page_is_clean():
    """As groff sees it."""
    done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-z"], input=ask("--print-man")[0].encode(), stderr=subprocess.PIPE,
                          check=False)
    check(done.returncode == 0 and not done.stderr, done.stderr.decode(errors="replace"))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("record: mistakes in its options", record_mistakes, folder)
        for options in ([], ["--format=json"], ["--format=csv"]):
            name = " ".join(["report"] + options)
            tap.case(name + " of a sound file says nothing else", is_quiet, "report", *options)
            tap.case(name + " tells that a file was cut", cut_is_told, folder, *options)
            tap.case(name + " tells of damaged sub-buffers", damaged_pages_are_told, folder, *options)
        tap.case("info tells that a file was cut", cut_in_info, folder)
        tap.case("pipes are refused", pipes_are_refused, folder)
        tap.case("files come before words", files_come_before_words, folder)
    tap.case("bash: values of --format", completes, ["report", "--format", "="], ["text", "csv", "json"])
    tap.case("bash: a begun value", completes, ["info", "--format", "=", "c"], ["csv"])
    tap.case("bash: values of --theme", completes, ["--theme", "=", "l"], ["light"])
    tap.case("bash: commands", completes, ["rep"], ["report"])
    tap.case("help of a command", lambda: check(ask("help", "report") == ask("report", "--help"), "they differ"))
    tap.case("man page: options as in the help", man_page)
    if shutil.which("groff"):
        tap.case("man page: groff has nothing to say", man_page_is_clean)
    else:
        tap.skip("man page: groff has nothing to say", "no groff here")
    tap.case("options before the command", options_before_the_command)
    tap.case("options that exclude each other", exclusions)
    tap.case("CPUs that are not there", missing_cpus)
    tap.case("ranges that end before they begin", empty_ranges)
    tap.case("words that are off are named", words_are_named)
    tap.case("help is --help", lambda: check(ask("help") == ask("--help"), "they differ"))
    tap.end()


main()
