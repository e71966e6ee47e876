#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion: what the program offers, and what bash, zsh and fish make of it.  Prints TAP."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, LIMIT_S, PROGRAM, SRC, Failure, Tap

CPU4 = os.path.join(DATA, "good", "cpu4", "trace.dat")
MAKE_TRACE = os.path.abspath(os.path.join(BUILD, "tests", "tools", "make_trace"))
BASH, ZSH, FISH = (os.path.join(os.path.abspath(SRC), "share", name)
                   for name in ("ftop-trace.bash", "_ftop-trace", "ftop-trace.fish"))
# A line, and all that may replace its last word.  The fields are those of sched_switch in any
# kernel since 2.6.39.
LINES = (
    ("ftop-trace rep", ["report"]),
    ("ftop-trace help rec", ["record", "recover"]),
    ("ftop-trace --ascii rep", ["report"]),
    ("ftop-trace --theme=l", ["--theme=light"]),
    ("ftop-trace --cpu=0 tasks --so", ["--sort="]),
    ("ftop-trace report --format=", ["--format=csv", "--format=json", "--format=text"]),
    ("ftop-trace noise --analys", ["--analysis="]),
    ("ftop-trace report --format=c", ["--format=csv"]),
    ("ftop-trace report --format c", ["csv"]),
    (f"ftop-trace report {CPU4} -F 'sched_switch: prev_",
     [f"sched_switch: prev_{field}" for field in ("comm", "pid", "prio", "state")]),
    (f"ftop-trace report {CPU4} -F sched_sw", ["sched_switch"]),
    (f"ftop-trace report -i {CPU4} -l -F sched_sw", ["sched_switch"]),
    ("ftop-trace report ~/home.dat -F sched_sw", ["sched_switch"]),
    (f"ftop-trace count {CPU4} --by=comm,next_p", ["--by=comm,next_pid", "--by=comm,next_prio"]),
    ("ftop-trace latency --kind=wa", ["--kind=wakeup"]),
    ("ftop-trace latency --kind sof", ["softirq", "softirq_raise"]),
    ("ftop-trace record --until wak", ["wakeup"]),
    ("ftop-trace record --measure=pri", ["--measure=prio="]),
    ("ftop-trace record --measure=period=1ms,us", ["--measure=period=1ms,user"]),
    (f"ftop-trace tasks {CPU4} --task=rcu_p", ["--task=rcu_preempt"]),
)


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def output(argv, folder):
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", HOME=folder, LC_ALL="C.UTF-8")
    done = subprocess.run(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def complete(folder, line):
    """The words that the program offers, and what else may stand there."""
    status, out, error = output([PROGRAM, "--complete", line], folder)
    check(status == 0 and not error, repr(line), "ended with", status, error)
    words = [row.split("\t")[0] for row in out.split("\n")[:-1]]
    return ([word for word in words if word[0] != ":"],
            {word for word in words if word[0] == ":" and word != ":word"})


def all_commands(folder):
    text = output([PROGRAM, "help", "all"], folder)[1]
    text = text[text.index("\nCommands:\n"):text.index("\nOptions of")]
    commands = re.findall(r"^  (\w+)  ", text, re.M)
    check(len(commands) > 15, commands)
    found = complete(folder, "ftop-trace ")[0]
    check(sorted(found) == sorted(commands + ["help"]), "not the commands of --help:", found)
    common = output([PROGRAM, "help", "options"], folder)[1]
    groups = {part.split(":\n")[0]: part for part in common.split("\n\n")}
    for command in commands:
        listed = output([PROGRAM, command, "--help"], folder)[1].split("\nOptions:\n")[1]
        listed, _, named = listed.partition("\nCommon options")
        listed += "\n".join([""] + [groups[title] for title in re.findall(r"^  ([A-Z]\w+)  ", named, re.M)])
        long = re.findall(r"^ {2,6}(?:-\w, )?(--[\w-]+)", listed, re.M)
        letters = re.findall(r"^  (-\w)(?: |$)", listed, re.M)
        found = [word.rstrip("=") for word in complete(folder, f"ftop-trace {command} -")[0]]
        check("--help" in long and sorted(found) == sorted(long + letters),
              command, "has", long, letters, "and not", found)


def lines(folder):
    for line, wanted in LINES:
        found = complete(folder, line)[0]
        check(sorted(found) == sorted(wanted), line, "gave", found)
    for words, wanted in (("", {":files"}), ("report ", {":files"}), ("--theme=", {":files"}),
                          ("record -e sched ", {":commands"}), ("record ls ", {":files"}),
                          ("report --head ", set()), ("doctor ", set()),
                          ("list ", set()), ("diff ", {":files"}), ("cut -o ", {":files"}),
                          ("report --formats=", {":files"})):
        check(complete(folder, "ftop-trace " + words)[1] == wanted, words)


def mistakes(folder):
    """Nothing is printed, no FIFO is waited for."""
    os.mkfifo(os.path.join(folder, "fifo"))
    for words in ("report none.dat -F ", "report fifo -F ", "report . -F ", "count /dev/zero --by=",
                  "report --no-such=", "report | $( -F "):
        check(complete(folder, "ftop-trace " + words) == ([], set()), words)
    check(complete(folder, "") == complete(folder, "ftop-trace") == ([], set()), "no word")


def hostile(folder):
    """Names with control characters, or that a shell would obey, are left out, and no others."""
    path = os.path.join(folder, "hostile.dat")
    subprocess.run([MAKE_TRACE, "hostile", path], check=True)
    for question in (f"tasks {path} --task=", f"report {path} -F ", f"count {path} --by="):
        out = output([PROGRAM, "--complete", "ftop-trace " + question], folder)[1]
        check(not re.search(r"[^\t\n -~\u2026]", out), question, repr(out))
        check(not re.search(r"^[^\t\n]*[$`\\'!]", out, re.M), question, out)
    check("--by=cpu" in complete(folder, f"ftop-trace count {path} --by=")[0], "no cpu")


def kernel(folder):
    """Who may not read tracefs gets names of symbols."""
    check("sched_switch" in complete(folder, "ftop-trace record -e sched_swi")[0], "no event")


def as_bash(folder, line, wanted):
    """As readline calls it: = and : break words, but not in quotes."""
    words = re.findall(r"'.*$|[=:]|[^\s=:']+", line) + [""] * line.endswith(" ")
    typed = words[-1].lstrip("'")
    script = (f"compopt() {{ :; }}; . {shlex.quote(BASH)}; "
              f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; "
              f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}; "
              f"_ftop_trace ftop-trace {shlex.quote(typed)} x; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    status, out, error = output(["bash", "-c", script], folder)
    whole = line.split("'")[1] if "'" in line else line.split(" ")[-1]
    found = [whole[:len(whole) - len(typed)] + word for word in out.split("\n")[:-1]]
    check(status == 0 and not error and sorted(found) == sorted(wanted), line, "gave", out, error)


def as_fish(folder, line, wanted):
    script = f"source {shlex.quote(FISH)}; complete -C$argv[1]"
    status, out, error = output(["fish", "-c", script, "--", line], folder)
    found = [row.split("\t")[0] for row in out.split("\n")[:-1]]
    check(status == 0 and not error and sorted(found) == sorted(wanted), line, "gave", out, error)


def in_zsh(folder):
    """A zsh that thinks that a person types: the only candidate is inserted."""
    script = f"""
zmodload zsh/zpty || exit 9
zpty z zsh -f -i
zpty -w z 'PS1=; fpath=({shlex.quote(os.path.dirname(ZSH))} $fpath)'
zpty -w z 'autoload -U compinit; compinit -D; print rea\\dy'
zpty -r z out '*ready*' || exit 8
zpty -n -w z $'ftop-trace report --format=c\\t; print do\\\\ne\\n'
zpty -r z out '*done*'
print -r -- $out
"""
    status, out, error = output(["zsh", "-f", "-c", script], folder)
    check(status == 0 and "--format=csv" in out, status, out, error)


def shell(tap, name, path, check_only, folder, case):
    if not shutil.which(name):
        tap.skip(f"{name} completes", f"{name} is not here")
        return

    def parses():
        status, _, error = output([name, check_only, path], folder)
        check(status == 0 and not error, error)

    tap.case(f"{os.path.basename(path)} is {name}'s", parses)
    tap.case(f"{name} completes", case, folder)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(PROGRAM), os.path.join(folder, "ftop-trace"))
        shutil.copy(CPU4, os.path.join(folder, "home.dat"))
        tap.case("commands and options are those of --help", all_commands, folder)
        tap.case("words and values", lines, folder)
        tap.case("mistakes", mistakes, folder)
        tap.case("names of a hostile trace", hostile, folder)
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as symbols:
            traced = any(" __traceiter_sched_switch" in line for line in symbols)
        if traced:
            tap.case("names of this kernel", kernel, folder)
        else:
            tap.skip("names of this kernel", "it has no symbols of events")
        shell(tap, "bash", BASH, "-n", folder, lambda f: [as_bash(f, *line) for line in LINES])
        shell(tap, "fish", FISH, "--no-execute", folder,
              lambda f: [as_fish(f, *line) for line in LINES])
        shell(tap, "zsh", ZSH, "-n", folder, in_zsh)
    tap.end()


main()
