# SPDX-License-Identifier: GPL-2.0-or-later
"""
record.py - records with every tracer and option on whole kernels, in a virtual machine, and
looks at the files here: with trace-cmd report, whose text ours must equal byte for byte (of calls
on several CPUs: CPU by CPU), and with KernelShark's library, whose entries ours must equal one by
one.  Prints TAP.

usage: record.py [KERNEL...] [=CASE-PART...] [xTIMES]     default: cloud, or $FTOP_VM_KERNELS

xTIMES: each case so often, in the same machines; for what fails now and then.
"""
import collections
import concurrent.futures
import copy
import csv
import functools
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import record_cases as cases
import vm

csv.field_size_limit(1 << 30)
IN_THE_VM = {"R": "ftop-trace record --no-browse -o t.dat"}
MACHINES = 2    # at a time; each takes one CPU (see ACCEL in vm.py)
SKIPPED = 77    # status of a case that cannot be


# --- what came back of a case --------------------------------------------------------------

def read(path):
    try:
        with open(path, errors="surrogateescape") as f:
            return f.read()
    except OSError:
        return ""


class Result:
    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.log = read(f"{folder}/log")
        self.status = int(read(f"{folder}/status") or -1)
        self.changed = read(f"{folder}/changed")
        self.hung = read(f"{folder}/hung")

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"t.*\.dat", name))

    def asked(self, *command):
        """Text that a program prints, as bytes are: both must print the same, right or wrong."""
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="surrogateescape")
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    @functools.lru_cache(maxsize=None)
    def report(self, *options, name="t.dat"):
        return self.asked("trace-cmd", "report", *options, "-i", name)

    def ours(self, name):
        return self.asked(self.program, "report", "-i", name)

    @functools.lru_cache(maxsize=None)
    def rows(self, name=None):
        """Records as ftop-trace tells them, of all files together or of one."""
        found = []
        for file in [name] if name else self.files():
            text = self.asked(self.program, "report", "--format=csv", "-i", file)
            # a file of one buffer has no column for it
            found += ({"buffer": "", **row} for row in csv.DictReader(io.StringIO(text)) if row["event"] != "lost")
        return found

    def who(self, name="t.dat"):
        """Who its tasks are: {pid: spans}."""
        build = os.path.dirname(self.program)
        subprocess.run(["make", "-s", "-C", build, "tests/tools/who_spans"], check=True, stdout=subprocess.DEVNULL)
        spans = collections.defaultdict(list)
        for line in self.asked(f"{build}/tests/tools/who_spans", name).splitlines():
            spans[json.loads(line)["pid"]].append(json.loads(line))
        return spans

    def kept(self, name, filter_text):
        """Those of the rows of a file that a filter keeps."""
        text = self.asked(self.program, "report", "--format=csv", "-F", filter_text, "-i", name)
        return [row for row in csv.DictReader(io.StringIO(text)) if row["event"] != "lost"]

    def info(self, name="t.dat"):
        return self.asked(self.program, "info", name)


@functools.lru_cache(maxsize=None)
def report_by_cpu(build):
    """The oracle for calls of several CPUs, which trace-cmd prints out of order, with the program that it calls."""
    subprocess.run(["make", "-s", "-C", build, "tests/tools/rewrite_trace"], check=True, stdout=subprocess.DEVNULL)
    os.environ["FTOP_BUILD"] = build
    return importlib.import_module("report_by_cpu")


def equal_reports(result, name):
    theirs, ours = result.report(name=name), result.ours(name)
    if theirs == ours:
        return None
    by_cpu = report_by_cpu(os.path.dirname(result.program))
    if by_cpu.is_graph(theirs.encode(errors="surrogateescape")):
        try:
            by_cpu.as_merged([], os.path.join(result.folder, name))
        except by_cpu.Failure as fault:
            return f"{name}: {fault}"
        return None
    pairs = enumerate(zip(theirs.split("\n"), ours.split("\n")), 1)
    line, (a, b) = next(((n, p) for n, p in pairs if p[0] != p[1]), (0, ("", "")))
    return f"{name}: line {line} of the report is {b!r}, but {a!r} of trace-cmd"


def equal_entries(result, name, probe):
    """KernelShark's entries, in any order, are our rows."""
    theirs = collections.Counter(result.asked(probe, name).splitlines())
    ours = collections.Counter(",".join((row["buffer"], row.get("ts_ns", row.get("ts")), row["cpu"], row["pid"],
                                         f"{row['system']}/{row['event']}")) for row in result.rows(name))
    if theirs == ours:
        return None
    return (f"{name}: libkshark has {sum(theirs.values())} entries, we {sum(ours.values())}; "
            f"it alone {list((theirs - ours))[:2]}, we alone {list((ours - theirs))[:2]}")


def faults_of_file(case, result, name, probe):
    if case.ours_alone:
        return
    report = result.report(name=name)
    yield equal_reports(result, name)
    if not case.empty and not any(line for line in report.split("\n") if line and not line.startswith(("cpus=", "version ="))):
        yield f"{name}: the report is empty"
    if "UNKNOWN EVENT" in report:
        yield f"{name}: unknown events"
    if "<...>" in report:
        yield f"{name}: tasks without a name"
    if (case.kshark or name.endswith(".max.dat")) and probe:
        yield equal_entries(result, name, probe)


def faults(case, result, probe):
    """What is wrong with a case, one text each."""
    if result.hung:
        yield "it hung:\n" + result.hung
        return
    if result.status != case.status:
        yield f"status {result.status}, not {case.status}"
        return
    if result.changed:
        yield "tracefs is changed:\n" + "\n".join(result.changed.splitlines()[:6])
    wanted = result.files() if case.files is None else sorted(case.files)
    if result.files() != wanted or any(name.endswith(".part") for name in os.listdir(result.folder)):
        yield f"files {' '.join(os.listdir(result.folder))}, not {' '.join(wanted)}"
        return
    for name in result.files():
        yield from faults_of_file(case, result, name, probe)
    for check in case.checks:
        yield check(result)


# --- running -----------------------------------------------------------------------------------

def all_cases():
    return [case for listed in (*cases.LISTS, *cases.OTHER_TRACERS.values()) for case in listed]


def tracers_of(case):
    """Those of -p, and of the set-ups that have one of the same name."""
    return set(re.findall(r"(?:-p |--setup=(?=osnoise|timerlat|hwlat))(\w+)", case.script))


def script_of(case):
    """The case's script with what it needs told before it begins."""
    lines = ["skip() { echo \"$*\" >skipped; exit %d; }" % SKIPPED, cases.HELPERS]
    for name, value in IN_THE_VM.items():
        lines.append(f"{name}='{value}'")
    for tracer in tracers_of(case):
        lines.append(f"grep -qw {tracer} $T/available_tracers || skip 'this kernel has no tracer {tracer}'")
    return "\n".join(lines + [case.script]) + "\n"


def tool(build, name, *command, processor=vm.HERE):
    """A program of the tests', made where it is not."""
    path = f"{build}/tests/vm/{name}" + ("" if processor is vm.HERE else f"-{processor.name}")
    source = f"{vm.here}/{name}.c"
    if os.path.exists(path) and os.path.getmtime(path) > os.path.getmtime(source):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run([*vm.compiler(processor), "-D_GNU_SOURCE", "-O1", "-g", "-o", path, source, *command], check=True)
    return path


def kshark_probe(build):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libkshark"], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    return tool(build, "kshark_rows", *flags.stdout.split()) if flags.returncode == 0 else None


def repeated(listed, times):
    """Each case so often, under names of their own."""
    for i in range(1, times + 1):
        for case in listed:
            again = copy.copy(case)
            again.name += f"~{i}" if times > 1 else ""
            yield again


def options_without_a_case(program, listed):
    """Every option of record is in a case, under each of its names."""
    words = " ".join(case.script for case in listed).replace("$R", IN_THE_VM["R"])
    for line in subprocess.run([program, "record", "--help"], text=True, stdout=subprocess.PIPE).stdout.splitlines():
        found = re.match(r"  (?:(-\w)(?:, )?|    )(?:(--[\w-]+))?", line)
        names = [name for name in found.groups() if name] if found else []
        if "--help" not in names:
            yield from (name for name in names if not re.search(rf"(^|\s){name}(?![\w-])", words))


def copy_slow_irq(machine):
    try:
        machine.root.copy(vm.built_module(machine.kernel, f"{vm.here}/slow_irq.c"), cases.SLOW_IRQ)
    except vm.Unavailable as why:
        print(f"# {machine.name}: slow_irq cannot be built: {why}")


def boot(name, build, listed, out):
    """Runs cases in one machine; what it left of them is in out.  The fault, if it came to no end."""
    machine = vm.Machine(name, steady=listed[0].steady)
    machine.copy_program(f"{build}/ftop-trace")
    machine.root.copy(tool(build, "workload", processor=machine.processor), "/usr/local/bin/workload")
    machine.copy_trace_cmd()
    for case in listed:
        machine.root.file(f"/vm/cases/{case.name}", script_of(case))
    for path in vm.modules_for(machine.kernel, cases.LATE_MODULES):
        machine.root.copy(path, f"/vm/late/{os.path.basename(path)}")
    if any(cases.SLOW_IRQ in case.script for case in listed):
        copy_slow_irq(machine)
    told = []

    def heard(text):
        told.append(text)
        if "FTOP_VM_VERBOSE" in os.environ:
            print(re.sub("^", "# ", text.strip(), flags=re.M), flush=True)

    try:
        machine.run(f"{vm.here}/record-payload.sh", out, heard)
    except vm.NoResult as fault:
        last = "".join(told).strip().splitlines()[-1:]
        return f"{fault}; at: {' '.join(last)}\n{machine.console[-60000:]}"
    return None


def tell_case(tap, name, case, result, probe, tracers):
    """Whether it passed."""
    if case.apart and not os.path.isdir(result.folder) and not tracers_of(case) <= tracers:
        print(f"# {name}: no {case.name}: this kernel has no tracer {' '.join(tracers_of(case))}")
        return False
    if not os.path.isdir(result.folder):
        tap.tell(f"{name}: {case.name}", "did not run")
        return False
    if result.status == SKIPPED:
        print(f"# {name}: no {case.name}: {read(f'{result.folder}/skipped').strip()}")
        return False
    try:
        wrong = [fault for fault in faults(case, result, probe) if fault]
    except AssertionError as fault:
        wrong = [str(fault)]
    tap.tell(f"{name}: {case.name}", "\n".join(wrong + result.log.splitlines()[:10]) if wrong else None)
    return not wrong


def boot_all(tap, name, build, listed, out):
    """Cases that need no machine of their own share some; then the others, where the kernel has what they want."""
    shared = [case for case in listed if not case.apart and not case.steady]
    nr = min(MACHINES, os.cpu_count(), len(shared))
    loads = [shared[i::nr] for i in range(nr)] + [load for load in ([case for case in listed if case.steady],) if load]
    with concurrent.futures.ThreadPoolExecutor(max(nr, 1)) as machines:
        for i, fault in enumerate(machines.map(lambda load: boot(name, build, load, out), loads), 1):
            tap.tell(f"{name}: virtual machine {i} comes to its end", fault)
    for case in listed:
        if case.apart and (not loads or tracers_of(case) <= set(read(f"{out}/.tracers").split())):
            fault = boot(name, build, [case], out)
            tap.tell(f"{name}: the virtual machine of {case.name} comes to its end", fault)


# What others show as well, by other words or in another file, and what takes minutes: with --long.
AGAIN = re.compile(r".*-long-names?|who-(storm|quota)|(graph|function|wakeup)-(v6|zstd|names|notrace.*|module.*|list|children|nearest|and-events|events|options)"
                   r"|cpu-mask-of-all|trigger-(of-a-glob|without-its-event|disables)|busy-(forced|events.*)|stack-trace-max-busy"
                   r"|pid-children|command-fails|ignore-missing|readers|force|check|linger|clocks-of-buffers|kretprobe|until-a-(wakeup|system-call)"
                   r"|(wakeup_dl|irqsoff|preemptoff)-events|wakeup_rt-top|function(-regex|-trigger)?|graph-(regex|buffer)|setup-osnoise|exact-marks-in-a-buffer")


# What tests/live/record.py shows of this machine's own kernel, where that can record.
ALIVE = re.compile(r"clocks|date|event-names|except|filter|filter-kernel-error|missing-is-a-mistake|check-mistakes|trigger|trigger-stops"
                   r"|setup-waits|option|only-command|children|pid|user|exit-status|no-command|cpu-list|cpu-mask|cmdlines-size|keep|size"
                   r"|lost|status-line|status-fd|duration|subbuf-size|zstd|v6|only-buffers")


def host_records():
    with open("/proc/filesystems", encoding="ascii") as f:
        return not os.geteuid() and "\ttracefs\n" in f.read()


def is_wanted(name, case, wanted):
    if wanted:
        return any(part in case.name for part in wanted)
    return "FTOP_TEST_LONG" in os.environ or not AGAIN.fullmatch(case.name) and not (
        ALIVE.fullmatch(case.name) and vm.processor_of(name) is vm.HERE and host_records())


def kernel_cases(tap, name, program, wanted, times):
    listed = list(repeated([case for case in all_cases() if is_wanted(name, case, wanted)], times))
    if not wanted and len(listed) < len(all_cases()):
        print(f"# {name}: {len(all_cases()) - len(listed)} more cases with FTOP_TEST_LONG=1")
    build, probe = os.path.dirname(program), kshark_probe(os.path.dirname(program))
    tool(build, "workload", processor=vm.processor_of(name))
    vm.kernel(name)
    with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as work:
        out = f"{os.environ.get('FTOP_VM_KEEP') or work}/{name}"
        shutil.rmtree(out, ignore_errors=True)
        boot_all(tap, name, build, listed, out)
        print(f"# {name}: Linux {read(f'{out}/.release').strip()}")
        tap.tell(f"{name}: KernelShark's library is here to read the files with",
                 skip=None if probe else "pkg-config finds no libkshark (Debian: libkshark-dev libtracecmd-dev libtracefs-dev)")
        first = Result(f"{out}/first-use", program)
        size = int(read(f"{out}/first-use/top-size") or 0)
        tap.tell(f"{name}: the first recording leaves the top buffer its size",
                 None if first.status == 0 and size >= 1408 else f"status {first.status}, {size} KiB")
        passed = set()
        for case in listed:
            if tell_case(tap, name, case, Result(f"{out}/{case.name}", program), probe,
                         set(read(f"{out}/.tracers").split())):
                passed |= tracers_of(case)
        if not wanted:
            missing = set(read(f"{out}/.tracers").split()) - passed
            tap.tell(f"{name}: every tracer of the kernel was recorded with",
                     f"not: {' '.join(sorted(missing))}" if missing else None)


def options_case(tap, program):
    missing = list(options_without_a_case(program, all_cases()))
    tap.tell("every option of record is in a case, by its letter and by its name", f"not: {' '.join(missing)}" if missing else None)


if __name__ == "__main__":
    parts = [word[1:] for word in sys.argv[1:] if word.startswith("=")]
    times = [int(word[1:]) for word in sys.argv[1:] if re.fullmatch(r"x\d+", word)]
    kernels = [word for word in sys.argv[1:] if word[0] not in "=x"]

    def run(tap, name, program):
        if not parts and not tap.nr:
            options_case(tap, program)
        kernel_cases(tap, name, program, parts, times[-1] if times else 1)

    sys.exit(vm.main(run, "recording", kernels or os.environ.get("FTOP_VM_KERNELS", "cloud").split()))
