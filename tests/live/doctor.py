# SPDX-License-Identifier: GPL-2.0-or-later
"""
doctor.py - doctor and list on this machine's kernel.

What they say is compared with what the same attempts give when made here by
hand, and with trace-cmd list.  All control files of tracefs that can be read
are compared before and after each test.  Prints TAP; needs root and tracefs,
else all is skipped and says why.

usage: doctor.py [NAME-PART...]
"""
import csv
import errno
import fcntl
import io
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{TOP}/tests/lib")
from waiting import LIMIT_S

TRACING = "/sys/kernel/tracing"
MINE = "livetest-doctor"

# Not what anybody set: what is recorded or counted meanwhile, what reading takes away, what only takes writes.
NOT_CONTROL = {
    "trace", "trace_pipe", "trace_pipe_raw", "snapshot", "snapshot_raw", "trace_marker", "trace_marker_raw", "free_buffer",
    "stats", "saved_cmdlines", "saved_tgids", "inject", "uprobe_profile", "kprobe_profile", "user_events_data",
    "touched_functions",    # every function that was ever traced
}


class Skip(Exception):
    pass


def find_program():
    for build in (os.environ.get("FTOP_BUILD"), "build-gcc", "build-sanitize", "build"):
        path = os.path.join(TOP, build or "", "ftop-trace")
        if build and os.access(path, os.X_OK):
            return os.path.abspath(path)
    return None


PROGRAM = find_program()


def read(path):
    with open(os.path.join(TRACING, path), "rb") as f:
        return f.read().decode(errors="replace")


def snapshot():
    """Path to content, or errno, of every control file; without the instances of others, which come and go."""
    found = {}
    for folder, folders, files in os.walk(TRACING):
        if folder == os.path.join(TRACING, "instances"):
            folders[:] = [f for f in folders if f == MINE]
        if folder == os.path.join(TRACING, "trace_stat"):
            continue
        for name in files:
            if name in NOT_CONTROL:
                continue
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as f:
                    found[path] = f.read()
            except OSError as e:
                found[path] = e.errno
    return found


def run(*args, status=0, program=None, before=(), env=None):
    p = subprocess.run([*before, program or PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       timeout=LIMIT_S, env=env)
    assert "Sanitizer" not in p.stderr and "runtime error" not in p.stderr, p.stderr
    assert status is None or p.returncode == status, f"status {p.returncode}, not {status}: {p.stderr}"
    return p


def rows(p):
    """Of doctor --format=json, by the name of the check."""
    found = {}
    for line in p.stdout.splitlines():
        row = json.loads(line)
        assert row["check"] not in found, row
        assert row["state"] in ("ok", "no", "partly", "untried", "none"), row
        found[row["check"]] = row
    assert len(found) == 25, sorted(found)
    return found


def doctor(*args, **kw):
    return rows(run("doctor", "--format=json", *args, **kw))


def attempt(file, value=None):
    """Write to (or open for reading) a file of an instance of our own: None or the name of the errno."""
    path = os.path.join(TRACING, "instances", MINE, file)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC if value is not None else os.O_RDONLY)
        try:
            if value is not None:
                os.write(fd, value.encode())
        finally:
            os.close(fd)
    except OSError as e:
        return errno.errorcode[e.errno]
    return None


class Instance:
    def __enter__(self):
        os.mkdir(os.path.join(TRACING, "instances", MINE))
        assert attempt("tracing_on", "0") is None

    def __exit__(self, *args):
        attempt("current_tracer", "nop")
        os.rmdir(os.path.join(TRACING, "instances", MINE))


def unused_top():
    return "expanded" in read("buffer_size_kb")


def in_namespace(flags, setup):
    """Arguments that run the program in namespaces of its own, after a line of shell."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
        if not any(line.split()[4] == "/" for line in mounts):
            raise Skip("mounts cannot be made private here: the root is a folder of another system")
    return ["unshare", *flags, "sh", "-c", setup + ' && exec "$@"', "sh"]


# --- doctor ------------------------------------------------------------------

def test_all_rows():
    found = doctor()
    assert found["tracefs"]["state"] == "ok" and found["tracefs"]["text"] == TRACING
    assert found["events"]["state"] == "ok", found["events"]
    assert found["pages"]["state"] == "ok", found["pages"]
    events = len(read("available_events").splitlines())
    assert found["events"]["text"] == f"separate instance, {events:,} events".replace(",", " ", 2).replace("instance ", "instance,")
    assert found["events"]["kernel"] == os.uname().release


def test_same_in_all_formats():
    def states(rows):
        return {check: (row["state"], row["remedy"]) for check, row in rows.items()}

    as_json = {}
    while states(as_json) != states(as_json := doctor()):       # until others, who may record here, changed nothing in between
        as_csv = {row["check"]: row for row in csv.DictReader(io.StringIO(run("doctor", "--format=csv").stdout))}
        text = run("doctor").stdout
    assert list(as_csv) == list(as_json)
    for check, row in as_json.items():
        for key in ("state", "file", "errno", "cause", "remedy"):
            assert (row[key] or "") == as_csv[check][key], (check, key)
        if row["state"] not in ("untried", "ok"):
            assert row["text"] in text, row["text"]
        if row["remedy"]:
            assert f"fix it: {row['remedy']}" in text
    assert text.startswith("doctor ") and f"kernel {os.uname().release}, lockdown: " in text.splitlines()[0]


def on_terminal(columns, *args):
    """What a command prints on a terminal of that width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:         # nobody has its other end any more
        pass
    os.close(master)
    assert p.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def test_lines_are_folded_on_a_terminal():
    for command in ("list", "doctor"):
        before = set(run(command).stdout.split())
        lines = on_terminal(80, command).splitlines()
        after = set(run(command).stdout.split())
        assert all(len(l) <= 80 or l.startswith(" " * 34 + "fix it: ") for l in lines), lines
        piped = [len(l) for l in run(command).stdout.splitlines()]
        assert (max(piped) > 80) == (command == "doctor"), piped    # list is folded there, too
        # but for what others did in between, how much memory that left, and which CPU was tried
        lost = (before & after) - set(" ".join(lines).split())
        assert all(re.search(r"\d", word) for word in lost), (command, lost)


def check_tracer(check, tracer):
    row = doctor()[check]
    listed = tracer in read("available_tracers").split()
    if not listed:
        assert row["state"] == "no" and row["cause"] in ("not_built_in", "absent"), row
        assert "not in this kernel" in row["text"], row
        return
    if unused_top():
        raise Skip("the top instance was never used, and this kernel would size its buffer for good")
    with Instance():
        refusal = attempt("current_tracer", tracer)
    if refusal is None:
        assert row["state"] == "ok", row
    elif refusal == "EINVAL" and tracer == "function_graph":
        assert row["state"] == "partly" and row["cause"] == "not_in_instance", row
    else:
        assert row["state"] == "no" and row["errno"] == refusal and row["file"] == "current_tracer", (refusal, row)
        assert row["text"].startswith(f"current_tracer: {refusal}"), row


def test_function_as_tried_by_hand():
    check_tracer("function", "function")


def test_function_graph_as_tried_by_hand():
    check_tracer("function_graph", "function_graph")


def test_filter_as_tried_by_hand():
    row = doctor()["function_filter"]
    with Instance():
        refusal = attempt("set_ftrace_filter", "schedule")
        attempt("set_ftrace_filter", "")
    if refusal == "ENOENT":
        assert row["state"] == "no" and row["cause"] in ("not_built_in", "absent"), row
    elif refusal:
        assert row["state"] == "no" and row["errno"] == refusal, (refusal, row)
    else:
        assert row["state"] == "ok", row


def test_lockdown_as_the_kernel_says():
    """Read in a mount namespace of our own, where securityfs may not be mounted for all."""
    setup = "{ mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security; } 2>/dev/null; true"
    p = subprocess.run([*in_namespace(["-m"], setup), "cat", "/sys/kernel/security/lockdown"], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, text=True)
    level = re.search(r"\[(\w+)\]", p.stdout)
    expected = level.group(1) if level else "none"
    assert f"lockdown: {expected}" in run("doctor").stdout.splitlines()[0], expected


def test_lockdown_leaves_no_mount():
    with open("/proc/self/mounts") as f:
        before = f.read()
    doctor()
    with open("/proc/self/mounts") as f:
        assert f.read() == before


def test_not_mounted():
    setup = f"umount -l {TRACING}; umount -l /sys/kernel/debug; true"
    p = run("doctor", "--format=json", status=1, before=in_namespace(["-m"], setup))
    row = rows(p)["tracefs"]
    assert row["state"] == "no" and row["cause"] == "not_mounted", row
    assert row["remedy"] == "sudo mount -t tracefs nodev /sys/kernel/tracing", row
    assert rows(p)["events"]["state"] == "untried"
    assert "events cannot be recorded here: tracefs is not mounted" in p.stderr
    p = run("list", "-e", status=1, before=in_namespace(["-m"], setup))
    assert "tracefs is not mounted; mount it: sudo mount -t tracefs nodev /sys/kernel/tracing" in p.stderr


def test_mounted_elsewhere():
    with tempfile.TemporaryDirectory() as place:
        setup = f"umount -l {TRACING}; umount -l /sys/kernel/debug; mount -t tracefs none {place}"
        found = doctor(before=in_namespace(["-m"], setup))
        assert found["tracefs"]["text"] == place and found["events"]["state"] == "ok", found


def test_read_only():
    setup = f"mount --bind {TRACING} {TRACING} && mount -o remount,bind,ro {TRACING}"
    found = doctor(status=1, before=in_namespace(["-m"], setup))
    row = found["rights"]
    assert row["state"] == "no" and row["errno"] == "EROFS" and row["cause"] == "read_only", row
    assert row["remedy"] == f"sudo mount -o remount,rw {TRACING}", row
    for args in ([], ["--top"]):
        p = run("record", "--no-browse", *args, "-e", "sched_switch", "-o", "/dev/shm/livetest.dat", "true", status=1,
                before=in_namespace(["-m"], setup))
        assert f"EROFS: {TRACING} is mounted read-only; fix it: sudo mount -o remount,rw {TRACING}\n" in p.stderr, p.stderr


def test_container():
    found = doctor(before=in_namespace(["-p", "-f", "--mount-proc"], "true"))
    assert found["pids"]["state"] == "partly", found["pids"]
    assert found["events"]["state"] == "ok", found["events"]


def test_other_user():
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        program = shutil.copy(PROGRAM, place)
        p = run("doctor", "--format=json", status=1, program=program,
                before=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        found = rows(p)
        assert found["rights"]["state"] == "no" and found["rights"]["cause"] == "rights", found["rights"]
        assert found["rights"]["errno"] == "EACCES" and found["rights"]["remedy"] == "sudo ftop-trace record ..."
        assert found["reader"]["state"] == "partly", found["reader"]
        p = run("list", "-t", status=1, program=program,
                before=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        assert "available_tracers: EACCES: " in p.stderr, p.stderr
        assert p.stderr.endswith("fix it: sudo ftop-trace list ...\n"), p.stderr


def stale_instance():
    """An instance of a process that is gone, as a killed recorder leaves it."""
    p = subprocess.run(["sh", "-c", "cat /proc/$$/stat"], stdout=subprocess.PIPE, text=True, check=True)
    fields = p.stdout.rpartition(")")[2].split()
    name = f"ftop-{p.stdout.split()[0]}-{fields[19]}"
    os.mkdir(os.path.join(TRACING, "instances", name))
    return name


def test_fix():
    name = stale_instance()
    path = os.path.join(TRACING, "instances", name)
    try:
        with Instance():
            with open(os.path.join(path, "events/sched/sched_switch/enable"), "w") as f:
                f.write("0" if unused_top() else "1")
            row = doctor()["left_by_us"]
            assert row["state"] == "partly" and name in row["text"], row
            assert row["remedy"] == "sudo ftop-trace doctor --fix"
            p = run("doctor", "--fix")
            assert f"removed instance {name}" in p.stderr, p.stderr
            assert not os.path.exists(path)
            assert os.path.exists(os.path.join(TRACING, "instances", MINE)), "removed what is not ours"
    finally:
        if os.path.exists(path):
            os.rmdir(path)


def test_fix_leaves_what_is_in_use():
    name = stale_instance()
    path = os.path.join(TRACING, "instances", name)
    try:
        with open(os.path.join(path, "tracing_on")) as held:
            with open(os.path.join(path, "trace_clock"), "w") as f:
                f.write("mono")
            p = run("doctor", "--fix")
            with open("/proc/self/comm") as f:
                me = f"{f.read().strip()}[{os.getpid()}]"
            assert f"not removed: {path}: removing: EBUSY: in use by {me}" in p.stderr, p.stderr
            assert "[mono]" in read(f"instances/{name}/trace_clock"), "settings were lost"
            assert held.read() == "1\n"
    finally:
        os.rmdir(path)


def test_others_are_seen():
    with Instance():
        with open(os.path.join(TRACING, "instances", MINE, "trace")):
            row = doctor()["left_by_others"]
    assert row["state"] == "partly" and row["cause"] == "busy", row
    assert MINE in row["text"] and f"[{os.getpid()}]" in row["text"], row


def ours():
    return {n for n in os.listdir(os.path.join(TRACING, "instances")) if n.startswith("ftop-")}


def test_signals_leave_nothing():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        for delay in (0.005, 0.02, 0.05, 0.1):
            p = subprocess.Popen([PROGRAM, "doctor"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            time.sleep(delay)
            p.send_signal(sig)
            p.wait(timeout=LIMIT_S)
            assert not [n for n in ours() if n.startswith(f"ftop-{p.pid}-")], (sig, delay)


def test_killed_and_mended():
    left = None
    for i in range(40):
        p = subprocess.Popen([PROGRAM, "doctor"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while p.poll() is None and not left:
            left = next((n for n in ours() if n.startswith(f"ftop-{p.pid}-")), None)
        p.kill()
        p.wait()
        if left and left in ours():
            break
        left = None
    if not left:
        raise Skip("never killed at the moment when the instance was there")
    assert left in doctor()["left_by_us"]["text"]
    run("doctor", "--fix")
    assert left not in ours()


def test_usage():
    for args, words in ((["--frob"], "unknown option --frob"), (["--format=xml"], "is not one of"),
                        (["word"], "too many arguments")):
        assert words in run("doctor", *args, status=2).stderr


# --- list --------------------------------------------------------------------

def lines(*args, **kw):
    return run("list", *args, **kw).stdout.splitlines()


def test_list_all():
    assert sorted(lines("-e")) == sorted(read("available_events").splitlines())
    assert lines("-t") == read("available_tracers").split()
    assert lines("-p") == lines("-t") == lines("--tracers")
    assert lines("-C") == read("trace_clock").split()
    assert sorted(lines("-o")) == sorted(
        ("" if read(f"options/{n}") == "1\n" else "no") + n for n in os.listdir(os.path.join(TRACING, "options")))
    systems = {l.split(":")[0] for l in read("available_events").splitlines()}
    assert sorted(lines("-s")) == sorted(systems)
    assert all(len(line) <= 80 for line in lines())


def test_list_functions():
    try:
        expected = [l.rstrip() for l in read("available_filter_functions").splitlines()]
    except OSError as e:
        p = run("list", "-f", status=1)
        assert f"available_filter_functions: {errno.errorcode[e.errno]}" in p.stderr, p.stderr
        return
    assert [l.split()[0] for l in lines("-f")] == [l.split()[0] for l in expected]
    assert "schedule" in lines("-f", "schedule")


def test_list_as_trace_cmd():
    """The same regular expressions choose the same events."""
    if not shutil.which("trace-cmd"):
        raise Skip("trace-cmd is not installed")
    for regex in ("^sched_sw.*", "switch$", "^sys_enter_.*at$", "wak", "^irq", "sched:sched_sw.*", "timer.*expire"):
        p = subprocess.run(["trace-cmd", "list", "-e", regex], stdout=subprocess.PIPE, text=True, check=True)
        theirs = sorted(l for l in p.stdout.splitlines() if not l.startswith("ftrace:"))
        assert theirs, regex
        assert sorted(lines("-e", regex)) == theirs, regex


def test_list_fields():
    text = "\n".join(lines("-F", "-e", "sched_switch"))
    full = "\n".join(lines("--full", "sched_switch"))
    kernel = read("events/sched/sched_switch/format")
    assert f"id {re.search('ID: (.*)', kernel).group(1)}, o" in text
    for name, offset, size in re.findall(r"field:[^;]*?(\w+)(?:\[\d*\])?;\toffset:(\d+);\tsize:(\d+);", kernel):
        pattern = rf"\n    {name} +\S.* {size} bytes? at {offset}\b"
        assert re.search(pattern, full), name
        assert bool(re.search(pattern, text)) == (not name.startswith("common_")), name
    assert re.search("print fmt: (.*)", kernel).group(1) in full


def test_list_every_format():
    """Each event's fields, against an independent reading of its format file."""
    wrong = []
    for line in lines("-F", "-e", "--format=json"):
        event = json.loads(line)
        kernel = read(f"events/{event['system']}/{event['name']}/format")
        expected = [(n, int(o), int(s)) for n, o, s in re.findall(
            r"field:[^;]*?(\w+)(?:\[[^;]*\])?;\s*offset:(\d+);\s*size:(\d+);", kernel)]
        found = [(f["name"], f["offset_bytes"], f["size_bytes"]) for f in event["fields"]]
        if found != expected or f"ID: {event['id']}\n" not in kernel:
            wrong.append((event["system"], event["name"], found, expected))
    assert not wrong, wrong[:3]


def test_list_settings_of_an_instance():
    with Instance():
        assert attempt("events/sched/sched_switch/filter", "prev_pid == 77") is None
        path = os.path.join(TRACING, "instances", MINE, "events/sched/sched_switch/trigger")
        with open(path, "w") as f:
            f.write("traceoff:3")
        assert attempt("trace_clock", "mono") is None
        text = "\n".join(lines("-F", "-e", "sched_switch", f"--instance={MINE}"))
        assert "    filter   prev_pid == 77\n" in text + "\n", text
        assert "    trigger  traceoff:count=3\n" in text + "\n", text
        assert "prev_pid == 77" not in "\n".join(lines("-F", "-e", "sched_switch"))
        assert "[mono]" in lines("-C", f"--instance={MINE}")
        assert MINE in lines("-B")
        with open(path, "w") as f:
            f.write("!traceoff:3")


def test_list_nearest():
    p = run("list", "-e", "sched_swich", status=1)
    assert p.stderr == "ftop-trace: sched_swich: no such event; did you mean sched_switch?\n", p.stderr
    p = run("list", "-e", "sched_swich", "sched_switch", "sched_wakup", status=1)
    assert p.stdout == "sched:sched_switch\n", p.stdout
    assert "sched_wakup: no such event; did you mean sched_wakeup?" in p.stderr, p.stderr
    assert "sched_swich: no such event; did you mean sched_switch?" in p.stderr, p.stderr
    assert "did you mean function?" in run("list", "-t", "functoin", status=1).stderr
    assert run("list", "-e", "(", status=2).stderr.startswith("ftop-trace: '(': ")


def test_list_formats():
    for args in ([], ["-e"], ["-t", "-C", "-o", "-B", "-s"], ["-F", "-e", "sched"]):
        as_json = [json.loads(l) for l in run("list", "--format=json", *args).stdout.splitlines()]
        as_csv = list(csv.DictReader(io.StringIO(run("list", "--format=csv", *args).stdout)))
        assert [r["name"] for r in as_json] == [r["name"] for r in as_csv] and as_json, args
        assert [r["kind"] for r in as_json] == [r["kind"] for r in as_csv], args
    tracers = [json.loads(l) for l in run("list", "-t", "--format=json").stdout.splitlines()]
    assert [t["name"] for t in tracers if t["set"]] == [read("current_tracer").strip()]


# --- all of them -------------------------------------------------------------

def lockdown():
    try:
        with open("/sys/kernel/security/lockdown", encoding="ascii") as f:
            return "; lockdown: " + f.read().strip()
    except OSError:
        return ""


def why_not():
    if not PROGRAM:
        return "ftop-trace is not built"
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists(os.path.join(TRACING, "available_events")):
        return f"tracefs is not mounted on {TRACING}"
    try:
        os.rmdir(os.path.join(TRACING, "instances", MINE))
    except FileNotFoundError:
        pass
    except OSError as e:
        return f"instances/{MINE} cannot be removed: {e.strerror}"
    try:
        os.mkdir(os.path.join(TRACING, "instances", MINE))
        os.rmdir(os.path.join(TRACING, "instances", MINE))
    except OSError as e:
        return f"this kernel lets nobody trace: no instance can be made: {e.strerror}{lockdown()}"
    return None


def checked(test, before):
    """A test, and tracefs as it was, which it returns.  Others use it too: what differs only once was their doing."""
    for last in (False, False, True):
        before = before or snapshot()
        test()
        after = snapshot()
        changed = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        if not changed:
            return after
        assert not last, "changed: " + ", ".join(f"{p}: {before.get(p)} -> {after.get(p)}" for p in changed[:5])
        before = after
    return None


def main():
    wanted = sys.argv[1:]
    tests = [(n[5:], f) for n, f in globals().items() if n.startswith("test_")]
    tests = [(n, f) for n, f in tests if not wanted or any(w in n for w in wanted)]
    print(f"1..{len(tests)}", flush=True)
    why = why_not()
    failed, known = 0, None
    for nr, (name, test) in enumerate(tests, 1):
        before, known = known, None
        if why:
            print(f"ok {nr} - {name} # SKIP {why}")
            continue
        try:
            known = checked(test, before)
            print(f"ok {nr} - {name}", flush=True)
        except Skip as e:
            print(f"ok {nr} - {name} # SKIP {e}", flush=True)
        except Exception as e:
            failed += 1
            print("\n".join("# " + l for l in f"{type(e).__name__}: {e}".splitlines()))
            print(f"not ok {nr} - {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
