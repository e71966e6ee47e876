# SPDX-License-Identifier: GPL-2.0-or-later
"""
rights.py - with whose rights the program reads traces, what it gives up, and who does it for it.

Prints TAP.  What needs root (to have rights that can be dropped) is skipped
without, and says so.
"""
import ctypes
import errno
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "screens"))
sys.dont_write_bytecode = True
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)
import tap
from waiting import until

BUILD = os.environ.get("FTOP_BUILD", ".")
PROGRAM = os.path.abspath(os.path.join(BUILD, "ftop-trace"))
TRACE = os.path.join(os.environ.get("FTOP_TEST_DATA", "tests/data"), "good", "cpu4", "trace.dat")
USER = 65534


def status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return line.split()[1:]
    return None


class Browser:
    """The program on a terminal of its own."""

    def __init__(self, env, *words, cwd=None, before=None):
        self.term = terminal.Terminal([PROGRAM, *words], dict(os.environ, **env), cwd or os.getcwd(), before=before)
        self.pid = self.term.pid

    def see(self, *texts):
        """Until one of them is shown."""
        self.term.wait_for(lambda: any(self.term.shows(text) for text in texts), f"{texts} was not shown")

    def type(self, keys):
        """One by one, each after what it drew."""
        for key in keys:
            self.term.send(key.encode())
            self.term.settle()

    def children(self, name="ftop-broker"):
        """Pids of those that have this name."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as f:
            return [int(pid) for pid in f.read().split() if status(pid, "Name") == [name]]

    def threads(self, name):
        """Of each of its threads, what its status says."""
        return [status(f"{self.pid}/task/{t}", name) for t in os.listdir(f"/proc/{self.pid}/task")]

    def end(self, keys=b"Q"):
        """Its status, or the signal's name."""
        try:
            self.term.send(keys)
            self.term.wait_for(lambda: self.term.state is not None, "no end")
        finally:
            self.term.close()
        return self.term.state


def browse(env, ask, *words):
    """What ask() finds of the program once it has drawn its screen, and how it ended."""
    browser = Browser(env, *(words or (TRACE,)))
    try:
        browser.see("sched_switch", "softirq")
        found = ask(browser)
    finally:
        result = browser.end()
    return found, result


def of_user(home):
    """As sudo has it, called by a user without rights."""
    return {"SUDO_UID": str(USER), "SUDO_GID": str(USER), "SUDO_USER": "nobody", "HOME": home, "XDG_STATE_HOME": home,
            "XDG_CONFIG_HOME": home}


class Home:
    """A folder of the user's own, as a context."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o777)
        return self.folder.name

    def __exit__(self, *args):
        self.folder.cleanup()


def test_browsing_under_sudo():
    if os.geteuid():
        return "needs root"
    with Home() as home:
        (uids, gids, caps, helpers, owners), result = browse(of_user(home), lambda b: (
            b.threads("Uid"), b.threads("Gid"), b.threads("CapEff"), [status(c, "Uid") for c in b.children() + b.children("ftop-spawner")],
            [os.stat(f"/proc/{c}/environ").st_uid for c in b.children()]))
        assert uids == [[str(USER)] * 4] * len(uids), uids
        assert gids == [[str(USER)] * 4] * len(gids), gids
        assert all(int(c[0], 16) == 0 for c in caps), caps
        assert helpers == [[str(USER)] * 4] * 2, helpers
        assert owners == [0], f"other programs of the user can read the broker's memory: {owners}"
        for name in os.listdir(home):
            assert os.lstat(os.path.join(home, name)).st_uid == USER, f"{name} is root's"
        assert result == "0", result
    return None


def test_a_file_of_roots_is_browsed_under_sudo():
    if os.geteuid():
        return "needs root"
    with Home() as home:
        path = os.path.join(home, "private.dat")
        shutil.copy(TRACE, path)
        os.chmod(path, 0o600)
        uids, result = browse(of_user(home), lambda b: b.threads("Uid"), path)
        assert uids == [[str(USER)] * 4] * len(uids), uids
        assert result == "0", result
    return None


def test_browsing_as_oneself():
    env = {k: "" for k in ("SUDO_UID", "SUDO_GID")}
    with tempfile.TemporaryDirectory() as home:
        uid, result = browse(dict(env, HOME=home, XDG_STATE_HOME=home), lambda b: status(b.pid, "Uid"))
        assert uid == [str(os.getuid()), str(os.geteuid())] + [str(os.geteuid())] * 2, uid
        assert result == "0", result


def has_filter():
    return os.path.exists("/proc/sys/kernel/seccomp/actions_avail")


def test_browsing_is_shut_in():
    with Home() as home:
        (seccomp, privs, helpers), _ = browse({"HOME": home}, lambda b: (
            b.threads("Seccomp"), b.threads("NoNewPrivs"), [status(c, "NoNewPrivs") for c in b.children()]))
        assert len(privs) > 1, "no thread works for it"
        assert privs == [["1"]] * len(privs), privs
        # who starts the recorder for it is not: sudo could not give it any rights
        assert helpers == [["0"]], helpers
        if not has_filter():
            return "this kernel has no seccomp"
        assert seccomp == [["2"]] * len(seccomp), seccomp
    return None


def has_landlock():
    create_ruleset, version = 444, 1
    return ctypes.CDLL(None).syscall(create_ruleset, None, 0, version) > 0


def test_browsing_writes_to_its_own_folders_alone():
    """One that takes the name of its folder is not its folder."""
    def mark(home, replaced):
        state = os.path.join(home, "ftop-trace")

        def ask(browser):
            assert os.path.isdir(state), "it has no folder"
            if replaced:
                os.rename(state, state + "-before")
                os.mkdir(state)
                os.chmod(state, 0o777)
            browser.type("ajjb")
        _, result = browse({"HOME": home, "XDG_STATE_HOME": home}, ask)
        assert result == "0", result
        return os.listdir(state)

    with Home() as home:
        kept = mark(home, False)
        assert "marks" in kept, kept
    if not has_landlock():
        return "this kernel has no landlock"
    with Home() as home:
        kept = mark(home, True)
        assert kept == [], f"written: {kept}"
    return None


def test_rows_are_saved_all_the_same():
    with Home() as home:
        def ask(browser):
            browser.type(":w trace.dat-rows.txt\r")
            browser.see("rows saved to trace.dat-rows.txt")
            browser.type(":w .rows\r")
            browser.see("does not write hidden files")
        browser = Browser({"HOME": home}, os.path.abspath(TRACE), cwd=home)
        browser.see("sched_switch", "softirq")
        try:
            ask(browser)
        finally:
            browser.end()
        assert os.path.getsize(os.path.join(home, "trace.dat-rows.txt")) > 100
        assert not os.path.exists(os.path.join(home, ".rows"))


def test_its_helper_is_gone():
    with Home() as home:
        def ask(browser):
            helper, = browser.children()
            os.kill(helper, signal.SIGKILL)
            browser.type(":w trace.dat-rows.txt\r")
            browser.see("has ended")
        _, result = browse({"HOME": home}, ask)
        assert result == "0", result
        assert not os.path.exists("trace.dat-rows.txt")


def alive(pid):
    state = status(pid, "State") if os.path.exists(f"/proc/{pid}/status") else None
    return state is not None and state[0] != "Z"


def test_the_recorder_goes_on_without_the_screen():
    with Home() as home:
        work = os.path.join(home, "work")
        os.mkdir(work)
        screens = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "screens")
        env = {"HOME": home, "FTOP_PROGRAM": PROGRAM, "FTOP_DATADIR": os.path.dirname(os.path.dirname(screens))}
        browser = Browser(env, "--recorder", os.path.join(screens, "recorder.sh"), cwd=work)
        browser.see("No trace.dat")
        browser.type("R")
        browser.see("can be recorded here")
        browser.type("R")
        browser.see("cc -c main.c")
        helper, = browser.children()
        os.kill(browser.pid, signal.SIGKILL)
        assert browser.end(b"") == "SIGKILL"
        # the recorder hears that nobody listens, and its helper does not stay
        until(lambda: os.path.exists(os.path.join(work, "ended")), "the recorder was not told")
        until(lambda: not alive(helper), "the helper stays")


def output_of(env, *words):
    """Whose rights a text command has while it works, and what it printed; its output is not read meanwhile."""
    p = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, **env))
    text = p.stdout.read(1000)
    uid = status(p.pid, "Uid")
    p.kill()
    p.wait()
    return uid, text


def test_text_commands_under_sudo():
    """Files that the user may not read are opened before the rights are given up."""
    if os.geteuid():
        return "needs root"
    with Home() as home:
        path = os.path.join(home, "private.dat")
        shutil.copy(TRACE, path)
        _, text = output_of(of_user(home), "report", path)
        os.chmod(path, 0o600)
        uid, private = output_of(of_user(home), "report", path)
        assert uid == [str(USER)] * 4, uid
        assert private == text, private
        for words in (["report", "-i", path], ["tasks"], ["info"], ["graph"], ["functions"], ["timeline"], ["wakeups"], ["latency"], ["fields"],
                      ["why", "--blocked-by"]):
            p = subprocess.run([PROGRAM, *words, *([] if "-i" in words else [path, path])], env=dict(os.environ, **of_user(home)),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            assert b"Permission denied" not in p.stderr, (words, p.stderr)
            assert p.returncode == 0 or words[0] in ("graph", "functions"), (words, p.stderr)
    return None


# How each command reads traces, {A} and {B}, or a {PART}; what else its options name is no trace.
READS = {"report": ["report --formats={A} {A} {B}", "report -i {A} -i {B}"],
         "check": ["check -e 'events >= 0' --baseline={B} {A}", "check -e 'events >= 0' --baseline={A} --baseline={B} {A} {B}"],
         "diff": ["diff {A} {B}"], "export": ["export --perfetto={NEW} {A} {B}"], "cut": ["cut -o {NEW} {A} {B}", "cut -o {NEW} -i {A}"],
         "symbols": ["symbols -o {NEW} {A}"], "hist": ["hist {A} {B}"],
         "live": ["live --text --count=1 {PART}"],
         **{name: [name + " {A} {B}"] for name in ("tasks cpus latency noise count stacks wakeups why functions graph timeline summary info "
                                                    "fields").split()}}
NO_READERS = {"help", "demo", "record", "list", "doctor", "extract", "recover"}
NO_TRACES = {("report", "offset"), ("report", "sysroot"), ("noise", "tracer"), ("export", "tables"), ("cut", "output"), ("symbols", "sysroot"),
             ("symbols", "output"), ("live", "tracer"), ("live", "output")}


def check_that_all_are_known():
    """A new command, or an option that may name a trace, must be added to these tables."""
    def printed(*words):
        return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, check=True, text=True).stdout
    commands = {line.split("\t")[0] for line in printed("--complete", "ftop-trace ").splitlines() if not line.startswith(":")}
    assert commands == set(READS) | NO_READERS, commands ^ (set(READS) | NO_READERS)
    for command, lines in READS.items():
        for option in re.findall(r"--([a-z-]+)=\S*(?:FILE|OLD|NEW|TRACE|DIR)", printed(command, "--help")):
            assert option == "input" or any(f"--{option}=" in line for line in lines) or (command, option) in NO_TRACES, (command, option)


def test_all_that_is_named_is_opened_as_root():
    """Also what a command opens several times, what is packed, and what a process of a library reads."""
    if os.geteuid():
        return "needs root"
    check_that_all_are_known()
    data = os.path.dirname(os.path.dirname(os.path.dirname(TRACE)))
    with Home() as home, Home() as made:
        def place(*path, packed=False):
            to = os.path.join(home, path[-1] + (".gz" if packed else ""))
            source = os.path.join(data, *path)
            if packed:
                with open(source, "rb") as f, gzip.open(to, "wb") as g:
                    g.write(f.read())
            elif os.path.isdir(source):
                shutil.copytree(source, to)
            else:
                shutil.copy(source, to)
            return to

        part = os.path.join(home, "x.dat.part")
        shutil.copy(TRACE, part)

        def run(line, traces):
            new = os.path.join(made, "new")
            words = shlex.split(line.format(A=traces[0], B=traces[1], NEW=new, PART=part))
            p = subprocess.run([PROGRAM, *words], env=dict(os.environ, TMPDIR=made, **of_user(home)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               check=False)
            size = os.path.getsize(new) if os.path.exists(new) else None
            if size is not None:
                os.remove(new)
            return p.returncode, p.stdout, p.stderr, size

        pairs = [[place("guests", name + ".dat", packed=packed) for name in ("host", "guest")] for packed in (False, True)]
        pairs += [[place("ctf", "lttng"), place("ctf", "kinds")]]
        # the forms differ in how they are opened, so those that open files twice, or look at them, are enough
        twice = ("report", "check", "timeline", "info")
        cases = [(line, traces) for lines in READS.values() for line in lines for traces in pairs if traces == pairs[0] or line.startswith(twice)]
        free = [run(*case) for case in cases]
        for (line, _), got in zip(cases, free):
            assert got[0] == 0 or not line.startswith(("report", "tasks", "timeline", "info", "live")), (line, got)
        for path in sum(pairs, [part]):
            os.chmod(path, 0o700)
            assert os.stat(path).st_uid != USER
        for case, expected in zip(cases, free):
            got = run(*case)
            assert got == expected, (case, [a for a, b in zip(got, expected) if a != b])
    return None


def test_writing_under_sudo():
    """What is written has the rights of the user, and is the user's; where he may not write, nothing is left."""
    if os.geteuid():
        return "needs root"
    with Home() as home:
        closed = os.path.join(home, "closed")
        os.mkdir(closed)
        os.chmod(closed, 0o555)
        os.chown(home, USER, USER)
        for words, name, made in ((["export", "--perfetto"], "x.pftrace", "x.pftrace"), (["export", "--tables"], "set", "set/args/trace.csv"),
                                  (["cut", "-o"], "x.dat", "x.dat")):
            for folder in (home, closed):
                done = subprocess.run([PROGRAM, *words, os.path.join(folder, name), *(["--name=trace", "--format=csv"] if name == "set" else []),
                                       TRACE], env=dict(os.environ, **of_user(home)), stderr=subprocess.PIPE, check=False)
                path = os.path.join(folder, made)
                if folder == home:
                    assert not done.returncode and os.stat(path).st_uid == USER and os.stat(path).st_mode & 0o137 == 0, (words, done)
                else:
                    assert done.returncode == 1 and b"closed/" in done.stderr and b"Permission denied" in done.stderr, (words, done)
        assert not os.listdir(closed), os.listdir(closed)
    return None


def test_root_keeps_the_capability_to_read():
    if os.geteuid():
        return "needs root"
    p = subprocess.Popen([PROGRAM, "report", TRACE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         env={k: v for k, v in os.environ.items() if k not in ("SUDO_UID", "PKEXEC_UID")})
    try:
        p.stdout.read(1000)
        caps = int(status(p.pid, "CapEff")[0], 16) | int(status(p.pid, "CapPrm")[0], 16)
    finally:
        p.kill()
        p.wait()
    assert caps & ~(1 << 2) == 0, hex(caps)     # CAP_DAC_READ_SEARCH
    return None


def test_recover_under_sudo():
    """It has the rights of the user, and follows no links."""
    if os.geteuid():
        return "needs root"
    def recover(part):
        p = subprocess.run([PROGRAM, "recover", part], env=dict(os.environ, **of_user(home)), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False)
        assert p.returncode == 1, p
        return p.stderr
    with Home() as home:
        path = os.path.join(home, "x.dat.part")
        shutil.copy(TRACE, path)
        os.chmod(path, 0o666)
        assert b"a section is not what it should be" in recover(path)
        os.symlink(path, path.replace("x.dat", "link.dat"))
        assert b"cannot open: Too many levels of symbolic links" in recover(path.replace("x.dat", "link.dat"))
        os.chmod(path, 0o600)
        assert b"cannot open: Permission denied" in recover(path)
    return None


def test_folders_for_tests_are_ones_own():
    """Of another user's folder, root would read what its links name."""
    if os.geteuid():
        return "needs root"
    with Home() as home:
        with open(os.path.join(home, "available_tracers"), "w", encoding="ascii") as f:
            f.write("secret\n")
        for env, owner, allowed in (({}, 0, True), ({}, USER, False), (of_user(home), 0, False)):
            os.chown(home, owner, owner)
            for words in (["list", "-t", "--tracefs", home], ["hist", "--tracefs", home], ["list", "--root", home], ["doctor", "--tracefs", home],
                          ["doctor", "--root", home], ["record", "--check", "--tracefs", home]):
                p = subprocess.run([PROGRAM, *words], env=dict(os.environ, **env), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, check=False)
                assert (b"takes a folder of your own" in p.stderr) != allowed, (words, p)
                assert allowed or b"secret" not in p.stdout, words
    return None


def test_histograms_of_the_kernel_are_read_as_root():
    """tracefs is root's; the user whom sudo let ask gets what it says."""
    if os.geteuid():
        return "needs root"
    if not os.path.exists("/sys/kernel/tracing/available_events"):
        return "no tracefs is mounted"
    with Home() as home:
        p = subprocess.run([PROGRAM, "hist", "no_such_event"], env=dict(os.environ, **of_user(home)), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False)
        assert b"no_such_event: neither a file nor an event" in p.stderr, p
    return None


def test_report_is_shut_in():
    """Its output goes to a pipe that is not read, so that it can be looked at while it works."""
    p = subprocess.Popen([PROGRAM, "report", TRACE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        p.stdout.read(1000)
        seccomp, no_new_privs = status(p.pid, "Seccomp"), status(p.pid, "NoNewPrivs")
    finally:
        p.kill()
        p.wait()
    assert no_new_privs == ["1"], no_new_privs
    if not has_filter():
        return "this kernel has no seccomp"
    assert seccomp == ["2"], seccomp
    return None


def test_what_is_inherited_is_not_written_to():
    """A descriptor that the caller left open stays only if it can be read, as that of <(COMMAND)."""
    with Home() as home, open(os.path.join(home, "x"), "w", encoding="ascii") as writes, \
            open(TRACE, "rb") as reads, socket.socket(socket.AF_UNIX) as talks:
        fds = (writes.fileno(), reads.fileno(), talks.fileno())
        p = subprocess.Popen([PROGRAM, "report", TRACE], stdout=subprocess.PIPE, pass_fds=fds)
        until(lambda: status(p.pid, "Seccomp") == ["2"], "it is not shut in")
        left = {os.readlink(f"/proc/{p.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{p.pid}/fd")}
        assert os.path.realpath(writes.name) not in left, left
        assert f"socket:[{os.fstat(talks.fileno()).st_ino}]" not in left, left
        p.stdout.close()
        p.wait()
        p = subprocess.run([PROGRAM, "info", f"/dev/fd/{reads.fileno()}"], stdout=subprocess.PIPE,
                           pass_fds=fds, check=False)
        assert p.returncode == 0, p.returncode


def sandbox_of(run):
    """What info and doctor say of the sandbox: (landlock, seccomp) for info's text, CSV and JSON, and for doctor."""
    def output(*words):
        return run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    text = {line.split()[0]: line.split(None, 1)[1] for line in output("info", TRACE).splitlines()
            if line.startswith(("landlock ", "seccomp "))}
    csv = dict(line.split(",", 1) for line in output("info", "--format=csv", TRACE).splitlines())
    made = json.loads(output("info", "--format=json", TRACE))["sandbox"]
    checks = {row["check"]: row["state"] for row in map(json.loads, output("doctor", "--format=json").splitlines())}
    return [tuple(text[what].startswith("active") for what in ("landlock", "seccomp")),
            tuple(csv[what] == "true" for what in ("landlock", "seccomp")),
            (made["landlock"], made["seccomp"]),
            tuple(checks[what] == "ok" for what in ("landlock", "seccomp"))]


def refuse(lib, *calls):
    """The kernel seems to have none of these system calls: (name, value of the first argument or None)."""
    class Compare(ctypes.Structure):
        _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

    allow, equal, no_such_call = 0x7fff0000, 4, 0x00050000 | errno.ENOSYS
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(allow)))
    for name, first in calls:
        compare = (Compare * 1)(Compare(0, equal, first or 0, 0))
        number = lib.seccomp_syscall_resolve_name(name)
        assert not lib.seccomp_rule_add_array(context, ctypes.c_uint32(no_such_call), number, first is not None, compare)
    assert not lib.seccomp_load(context)


def test_a_sandbox_that_cannot_be_is_reported():
    landlock, seccomp = [(b"landlock_create_ruleset", None)], [(b"seccomp", None), (b"prctl", 22)]	# PR_SET_SECCOMP
    here = has_landlock(), has_filter()
    assert sandbox_of(subprocess.run) == [here] * 4, sandbox_of(subprocess.run)
    if not has_filter():
        return "this kernel has no seccomp, with which others are imitated"
    lib = ctypes.CDLL("libseccomp.so.2")
    for calls, expected in ((landlock, (False, True)), (seccomp, (here[0], False)), (landlock + seccomp, (False, False))):
        found = sandbox_of(lambda *a, calls=calls, **kw: subprocess.run(*a, preexec_fn=lambda: refuse(lib, *calls), check=False, **kw))
        assert found == [expected] * 4, (calls, found)
    # the screen says so, and a text command that root runs
    words = "no landlock and no seccomp here"
    with Home() as home:
        browser = Browser({"HOME": home}, TRACE, before=lambda: refuse(lib, *landlock, *seccomp))
        browser.see("sched_switch", "softirq")
        browser.type(":messages\r")
        browser.see(words)
        browser.end(b"qQ")
    p = subprocess.run([PROGRAM, "info", TRACE], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                       preexec_fn=lambda: refuse(lib, *landlock, *seccomp))
    assert (words.encode() in p.stderr) == (os.geteuid() == 0), p.stderr
    return None


sys.exit(tap.run(globals()))
