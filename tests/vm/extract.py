# SPDX-License-Identifier: GPL-2.0-or-later
"""
extract.py - on whole kernels, in virtual machines: buffers that trace-cmd start, an instance as of rtla,
kernel parameters, a snapshot and the boot before filled, as trace.dat.  The text of each is the
kernel's own file trace, read just before, line by line; the buffer is as it was then, or empty as
announced.  What record --boot prints is what these machines are started with.  Prints TAP.

usage: extract.py [KERNEL...]     default: newest, or $FTOP_VM_KERNELS
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import record
import vm

MAPS = (6, 10)          # the first kernel that maps buffers
PERSISTENT = (6, 12)    # that has persistent ones
COPIES = (7, 1)         # that copies these as it starts, before it records into them


def read(path):
    with open(path, errors="surrogateescape") as f:
        return f.read()


def ask(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="surrogateescape")
    if done.returncode:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


def report(program, path):
    return ask(program, "report", "--style=kernel", path)


def records(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def pointers(text):
    """Where the kernel shows hashes of them, or nothing before it has a key for these."""
    return re.sub(r"\(____ptrval____\)|\b(?:0{8}|ff[0-9a-f]{6})[0-9a-f]{8}\b", "POINTER", text)


def without_online(text):
    """The kernel counts the CPUs that are on line as the text is read."""
    return re.sub(r"#P:\d+", "#P:", text)


def first_difference(wanted, found):
    wanted, found = pointers(wanted).splitlines(), pointers(found).splitlines()
    for i, (a, b) in enumerate(zip(wanted, found), 1):
        if a != b:
            return f"line {i} is\n  {b!r}\nand not the kernel's\n  {a!r}"
    return f"{len(found)} lines, not {len(wanted)}" if len(found) != len(wanted) else None


class Case:
    def __init__(self, out, name):
        self.folder = f"{out}/{name}"

    def file(self, name):
        return read(f"{self.folder}/{name}")

    def has(self, name):
        return os.path.exists(f"{self.folder}/{name}")

    def equal(self, program, least, change=lambda text: text):
        before = self.file("before")
        if len(records(before)) < least:
            return f"the kernel's text has {len(records(before))} records only"
        return first_difference(change(before), change(report(program, f"{self.folder}/t.dat")))

    def left(self, maps):
        """The buffer is as it was, or is empty as announced; first it was asked for without --consume."""
        if maps and (self.file("status") != "0\n" or "is as it was" not in self.file("log")):
            return self.file("log")
        if self.file("after") != self.file("before"):
            return "it was changed without --consume"
        if maps:
            return None
        if self.file("status") != "1\n" or "--consume does that" not in self.file("log"):
            return f"not refused without --consume: {self.file('log')}"
        if self.file("status-consume") != "0\n" or "is empty now" not in self.file("log-consume"):
            return self.file("log-consume")
        return "it is not empty" if records(self.file("emptied")) else None


def table_kept(program, folder):
    """It is what the kernel has; nothing was counted meanwhile."""
    row = r"^\{ child_pid: +(\d+) \} hitcount: +(\d+)$"
    kernel = re.findall(row, read(f"{folder}/hist"), re.M)
    ours = [tuple(line.split(",")) for line in ask(program, "hist", "--format=csv", f"{folder}/t.dat").splitlines()[1:]]
    return None if ours == kernel and len(kernel) > 1 else f"{ours}, the kernel has {kernel}: {read(f'{folder}/log')}"


def start(name, program, out, mode, commands="", **more):
    machine = vm.Machine(name, **more)
    build = os.path.dirname(program)
    for source, path in ((program, "/usr/local/bin/ftop-trace"), (record.tool(build, "workload"), "/usr/local/bin/workload"),
                         ("/usr/bin/trace-cmd", "/usr/bin/trace-cmd")):
        machine.root.copy(source, path)
    machine.root.file("/vm/mode", mode)
    machine.root.file("/vm/commands", commands)
    told = []
    try:
        machine.run(f"{vm.here}/extract-payload.sh", out, told.append)
    except vm.NoResult as fault:
        return f"{fault}; it said {''.join(told)[-300:]}\n{machine.console[-3000:]}"
    return None


def parameters(text):
    """Of what record --boot prints: the command line, and the bootconfig."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return lines[0], "".join(line + "\n" for line in lines[1:])


def tell_case(tap, what, case, maps, fault):
    """fault: a function, called if the case ran."""
    if not case.has("before"):
        tap.tell(what, "did not run")
        return
    try:
        tap.tell(what, case.left(maps) or fault())
    except (AssertionError, OSError) as wrong:
        tap.tell(what, str(wrong))


def missed(program, case):
    """What the kernel's probe missed is told as the kernel counts it, and marks the count."""
    recorded, misses = map(int, case.file("profile").split()[1:])
    told = f"the kernel's probe missed {misses} hits since it was defined"
    counted = ask(program, "count", f"{case.folder}/t.dat")
    if misses < 2 or told not in ask(program, "info", f"{case.folder}/t.dat"):
        return f"not {told!r}: {ask(program, 'info', f'{case.folder}/t.dat')}"
    return None if re.search(rf"^ +>{recorded} .* t_miss$", counted, re.M) else f"not marked: {counted}"


def plain(tap, name, program, out, maps):
    tap.tell(f"{name}: the machine comes to its end", start(name, program, out, "plain"))
    for what, least in (("trace-cmd", 300), ("graph", 100), ("instance", 3), ("offline", 300)):
        case = Case(out, what)
        tell_case(tap, f"{name}: {what}", case, maps, lambda: case.equal(program, least, without_online))
    case = Case(out, "missed")
    tell_case(tap, f"{name}: hits that a probe missed", case, maps, lambda: case.equal(program, 1) or missed(program, case))
    case = Case(out, "trace-cmd")
    tell_case(tap, f"{name}: a histogram of the buffer is kept", case, maps, lambda: table_kept(program, case.folder))
    case = Case(out, "triggered")
    tell_case(tap, f"{name}: with a trigger that takes snapshots", case, False, lambda: case.equal(program, 300))
    case = Case(out, "latency")
    if case.has("before"):      # its text alone: nothing is read that could be emptied
        tell_case(tap, f"{name}: the maximum of a latency tracer", case, True, lambda: first_difference(
            case.file("before"), report(program, f"{case.folder}/t.dat")))
    case = Case(out, "snapshot")
    tell_case(tap, f"{name}: snapshot", case, False, lambda: case.equal(program, 100))


def booted(tap, name, program, out, maps, what, printed):
    """Started with what was printed."""
    line, config = parameters(read(f"{out}/printed/{printed}"))
    fault = start(name, program, out, "boot", parameters=line, bootconfig=config)
    case = Case(out, what)
    tell_case(tap, f"{name}: started with what record --boot printed: {line}", case, maps, lambda: fault or case.equal(program, 100))
    return case


def by_cpu(text):
    """Records without names of tasks, which are those of the time when the boot was saved."""
    found, cpu = {}, None
    for line in records(pointers(text)):
        match = re.match(r" *\S.*?-(\d+) +\[(\d+)\] (.*)", line)
        cpu = match[2] if match else cpu     # else a line of its stack
        found.setdefault(cpu, []).append(f"{match[1]} {match[3]}" if match else line)
    return found


def as_then(program, case, least):
    """What the crashing boot read itself, but for the oldest sub-buffer of a CPU, which its reader had taken."""
    then, ours = by_cpu(case.file("then")), by_cpu(report(program, f"{case.folder}/t.dat"))
    for cpu, lines in ours.items():
        if then.get(cpu, [])[-len(lines):] != lines:
            wanted = then.get(cpu, [])[-len(lines):]
            pair = next(((a, b) for a, b in zip(wanted, lines) if a != b), (f"{len(wanted)} lines", f"{len(lines)} lines"))
            return f"CPU {cpu}: {pair[1]!r} and not {pair[0]!r}"
    number = sum(map(len, ours.values()))
    both = [name for name in ("t_first", "t_second") if not any(f" {name}: " in line for lines in ours.values() for line in lines)]
    return f"{number} records" if number < least else f"no {both}" if both else None


def unsaved(program, case):
    """Nothing is decoded that may have been another event."""
    told, path = case.file("unsaved"), f"{case.folder}/unsaved.dat"
    if "formats of another boot" not in told or "formats of another boot" not in ask(program, "info", path):
        return f"not said: {told}"
    decoded = {row["event"] for row in csv.DictReader(io.StringIO(ask(program, "count", "--format=csv", path)))}
    wrong = decoded - {"function", "kernel_stack", "print"}
    return f"decoded without proof: {wrong}" if wrong else None


def last_boot(tap, name, program, out, printed, more):
    """The printed commands set up the buffer in the first boot, which crashes."""
    text = read(f"{out}/printed/{printed}")
    line, _ = parameters(text)
    fault = start(name, program, out, "last", text, parameters=f"{line} {more}", reboots=True)
    case = Case(out, "last-boot")
    tell_case(tap, f"{name}: the boot before, {printed}: {line} {more}", case, True,
              lambda: as_then(program, case, 100) or unsaved(program, case))
    if case.has("copy.dat"):
        tap.tell(f"{name}: its copy is the same, and is gone once it is read", None if "is empty now" in case.file("copy") and not case.has(
            "copy-left") and report(program, f"{case.folder}/copy.dat") == report(program, f"{case.folder}/t.dat") else case.file("copy"))
    tap.tell(f"{name}: both boots come to their end", fault)
    if fault or not case.has("current"):
        return
    then, now = (int(case.file(file).split()[0], 16) for file in ("last_boot_info", "text"))
    print(f"# {name}: the kernel was {abs(then - now):#x} {'above' if then > now else 'below'} its place of now")
    emptied = "is empty now" in case.file("again") and case.file("current") == "# Current\n"
    tap.tell(f"{name}: the boot before is emptied on request", None if emptied else case.file("again") + case.file("current"))
    this = Case(out, "this-boot")
    tell_case(tap, f"{name}: the same buffer, of this boot", this, True, lambda: this.equal(program, 10))


def run(tap, name, program):
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as work:
        out = os.path.join(os.environ.get("FTOP_VM_KEEP") or work, f"extract-{name}")
        plain_out = f"{out}/plain"
        version = vm.kernel(name)
        release = tuple(map(int, re.match(r"(\d+)\.(\d+)", read(f"{version}/version")).groups()))
        maps = release >= MAPS
        plain(tap, name, program, plain_out, maps)
        print(f"# {name}: Linux {read(f'{plain_out}/.release').strip()}")
        asked = {what: f"{plain_out}/printed/{what}" for what in ("parameters", "instances", "persistent", "wrong")}
        tap.tell(f"{name}: record --boot knows this kernel's events", None if "did you mean sched_switch?" in read(
            asked["wrong"] + ".log") and read(asked["wrong"] + ".status") == "2\n" else read(asked["wrong"] + ".log"))
        for what, case in (("parameters", "booted"), ("instances", "booted-one")):
            if read(asked[what] + ".status") != "0\n":
                log = read(asked[what] + ".log")
                known = what == "instances" and ("since Linux 6.3" in log or "CONFIG_BOOTTIME_TRACING" in log)
                tap.tell(f"{name}: record --boot says why there are no {what}", None if known else log)
                continue
            os.makedirs(f"{out}/{what}", exist_ok=True)
            os.symlink(f"{plain_out}/printed", f"{out}/{what}/printed")
            found = booted(tap, name, program, f"{out}/{what}", maps, case, what)
            if what == "instances" and found.has("before"):
                text = found.file("before")
                wrong = [line for line in records(text) if "sched_switch" in line and "prev_comm=workload" not in line]
                tap.tell(f"{name}: its probe recorded, its synthetic event is defined", None if found.file("probe") and re.match(
                    r"t_lat\s+u64 lat; pid_t pid", found.file("synthetic")) else found.file("probe") + found.file("synthetic"))
                tap.tell(f"{name}: its filter is in force", "\n".join(wrong[:3]) if wrong or "sched_switch: prev_comm=workload" not in text else None)
        if release < PERSISTENT:
            log = read(asked["persistent"] + ".log")
            tap.tell(f"{name}: record --boot --persistent says what it needs", None if "--persistent: not in this kernel, but since Linux 6.12" in log else log)
            return
        copy = " trace_instance=copy=boot_map" if release >= COPIES else ""
        for what, printed, more in (("last", "persistent", "nokaslr" + copy), ("last-functions", "persistent-functions", "")):
            os.makedirs(f"{out}/{what}", exist_ok=True)
            os.symlink(f"{plain_out}/printed", f"{out}/{what}/printed")
            last_boot(tap, name, program, f"{out}/{what}", printed, more)


if __name__ == "__main__":
    sys.exit(vm.main(run, "extracting", sys.argv[1:] or os.environ.get("FTOP_VM_KERNELS", "newest").split()))
