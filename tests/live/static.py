# SPDX-License-Identifier: GPL-2.0-or-later
"""
static.py - the program as one file, in a root folder that holds nothing else.

What it prints there is compared with what the program with libraries prints outside.  Prints TAP.  Needs root; recording
needs tracefs, too.  FTOP_STATIC names another file than that of the build, and FTOP_STATIC_RUNNER a program that runs it: one of
qemu-user-static, for another processor.

usage: static.py [NAME-PART...]
"""
import glob
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [f"{TOP}/tests/lib", f"{TOP}/tests/screens"]
from waiting import LIMIT_S
try:
    import terminal
except ImportError as error:
    print(f"1..0 # SKIP {sys.executable}: {error} (try /usr/bin/python3; Debian: apt-get install python3-pyte)")
    sys.exit(0)

BUILD = os.environ.get("FTOP_BUILD") or f"{TOP}/build-gcc"
STATIC = os.environ.get("FTOP_STATIC") or f"{BUILD}/ftop-trace-static"
RUNNER = os.environ.get("FTOP_STATIC_RUNNER")
SHARED = f"{BUILD}/ftop-trace"
TRACING = "/sys/kernel/tracing"
USER = 65534
TERMINALS = ("linux", "screen", "tmux", "tmux-256color", "vt100", "xterm", "xterm-256color")
UTF8 = {"LANG": "de_DE.UTF-8", "FTOP_DATADIR": "/data"}
DEMO = "/data/demo.dat"       # is inside


class Skip(Exception):
    pass


class Root:
    """A folder with the file alone, into which one can only look; and the processes that have it as their root."""

    def __init__(self, *files):
        self.path = tempfile.mkdtemp(prefix="ftop-static-")
        self.words, self.cwd = ["/ftop-trace"], "/"
        shutil.copy(STATIC, f"{self.path}/ftop-trace")
        if RUNNER:
            shutil.copy(RUNNER, f"{self.path}/runner")
            self.words = ["/runner", "/ftop-trace"]
        for name, source in files:
            shutil.copy(source, f"{self.path}/{name}")
        os.chmod(self.path, 0o555)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.chmod(self.path, 0o755)
        shutil.rmtree(self.path)

    def enter(self, user=None):
        """For the process that becomes the program."""
        def enter():
            os.chroot(self.path)
            os.chdir(self.cwd)
            if user:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
        return enter

    def run(self, *args, env=(), user=None):
        return subprocess.run([*self.words, *args], env=dict(env), preexec_fn=self.enter(user), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=LIMIT_S)

    def screen(self, *args, env=(), user=None, term="tmux-256color"):
        return terminal.Terminal([*self.words, *args], dict(env), "/", 100, 24, term, before=self.enter(user))


def outside(*args):
    done = subprocess.run([SHARED, *args], env={"LANG": "C.UTF-8", "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, check=True,
                          stdin=subprocess.DEVNULL, timeout=LIMIT_S)
    return done.stdout


def same(root, path, *args, user=None):
    """It prints of the trace @path what the other program prints outside: of args' last word."""
    done = root.run(*args[:-1], path, env=UTF8, user=user)
    expected = outside(*args)
    assert done.returncode == 0 and done.stdout == expected and expected, (args, done.stderr, done.stdout[:200], expected[:200])


def refused(done, *texts):
    assert done.returncode in (1, 2) and all(text in done.stderr.decode() for text in texts), (done.returncode, done.stderr)


def shows(screen, *texts):
    try:
        for text in texts:
            screen.see(text)
    except terminal.Failure:
        print("\n".join("# |" + row for row in screen.rows() if row))
        raise


def leave(screen):
    screen.key("Escape")
    for _ in range(3):
        screen.settle()
        if screen.state is None:
            screen.key("q")
    assert screen.state == "0", screen.state


def test_it_is_one_file():
    told = subprocess.run(["readelf", "-lW", STATIC], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert "LOAD" in told and "INTERP" not in told, told
    told = subprocess.run(["readelf", "-dW", STATIC], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert "NEEDED" not in told, told


def test_the_demo_is_inside():
    with Root() as root:
        for command in (["report"], ["tasks"], ["latency"], ["functions"]):
            same(root, DEMO, *command, f"{TOP}/tests/demo/demo.dat")
        same(root, DEMO, "report", f"{TOP}/tests/demo/demo.dat", user=USER)
        screen = root.screen("demo", env=UTF8)
        shows(screen, "demo.dat", "23 531 events", "→ CPU 1", "Tour 1/6")
        screen.key("3")
        shows(screen, "▒▒▒", "client-162")
        leave(screen)
        screen.close()


def test_the_demo_where_all_of_the_machine_is_there():
    """Unlike in a bare root, it has a child process here that reads the trace, and descriptors are used again."""
    words = [RUNNER, STATIC] if RUNNER else [STATIC]
    screen = terminal.Terminal([*words, "demo"], {"LANG": "C.UTF-8", "HOME": "/nonexistent"}, "/", 100, 24, "tmux-256color")
    shows(screen, "demo.dat", "23 531 events")
    leave(screen)
    screen.close()


def test_as_a_user_and_without_a_locale():
    with Root() as root:
        screen = root.screen("--theme=high-contrast", "demo", env={"LANG": "C"}, user=USER)
        shows(screen, "demo.dat", "->CPU 1")
        leave(screen)
        screen.close()


def test_terminals():
    with Root() as root:
        for name in TERMINALS:
            screen = root.screen("demo", env=UTF8, term=name)
            shows(screen, "23 531 events")
            leave(screen)
            screen.close()
        screen = root.screen("demo", env=UTF8, term="unheard-of")
        shows(screen, "'unheard-of' (TERM) has no terminfo entry here; try TERM=xterm-256color")
        screen.close()


def test_characters_of_any_width():
    line = "a-1 [000] 1.000000: tracing_mark_write: 漢字 e\u0301 \U0001f600 |\n"
    with Root() as root:
        with open(f"{root.path}/t.txt", "w", encoding="utf-8") as file:
            file.write("# tracer: nop\n" + line * 3)
        screen = root.screen("--view=events", "t.txt", env=UTF8)
        shows(screen, "漢字 \u00e9 \U0001f600 |")		# the terminal makes one of e and its accent
        leave(screen)
        screen.close()


def test_an_archive_is_unpacked_in_memory():
    """Without a folder for temporary files."""
    trace = f"{TOP}/tests/data/good/sched/trace.dat"
    with open(trace, "rb") as file, tempfile.NamedTemporaryFile() as packed:
        packed.write(gzip.compress(file.read()))
        packed.flush()
        with Root(("t.dat.gz", packed.name)) as root:
            os.chmod(f"{root.path}/t.dat.gz", 0o444)
            same(root, "/t.dat.gz", "report", trace, user=USER)


def test_libtraceevent_works_in_its_helper():
    """Without /dev/null, /tmp and /proc."""
    for trace in sorted(glob.glob(f"{TOP}/tests/data/good/*/trace.dat")):
        with Root(("t.dat", trace)) as root:
            same(root, "/t.dat", "report", trace)


def test_what_is_not_inside_says_so():
    with Root() as root:
        os.chmod(root.path, 0o755)
        shutil.copytree(f"{TOP}/tests/data/ctf/kinds", f"{root.path}/ctf")
        refused(root.run("report", "/ctf"), "built without libbabeltrace2")
        assert b"none: this program is one file and loads no libraries" in root.run("info", DEMO, env=UTF8).stdout
        refused(root.run("report", "/none.dat"), "/none.dat")


def test_doctor():
    with Root() as root:
        done = root.run("doctor")
        assert done.returncode == 1 and b"tracefs mounted           no      /proc is not mounted\n" in done.stdout, done
        refused(root.run("record", "-e", "sched"), "/proc is not mounted; mount it: sudo mount -t proc proc /proc")


# --- on this machine's kernel -------------------------------------------------------------------


class Recording(Root):
    """It has tracefs and /proc, too, and can be written to."""

    def __init__(self, *files):
        if os.geteuid() or RUNNER:
            raise Skip("needs root, and a program for this machine")
        if not os.path.exists(f"{TRACING}/instances"):
            raise Skip("tracefs is not mounted")
        super().__init__(*files)
        os.chmod(self.path, 0o755)
        self.cwd = "/work"
        for folder in (TRACING, "/proc", "/work"):
            os.makedirs(self.path + folder)
        for kind, source, at in (("--bind", TRACING, TRACING), ("-tproc", "proc", "/proc")):
            done = subprocess.run(["mount", kind, source, self.path + at], stderr=subprocess.PIPE, text=True)
            if done.returncode:
                self.__exit__()
                raise Skip(done.stderr.splitlines()[0])

    def __exit__(self, *args):
        for at in (TRACING, "/proc"):
            subprocess.run(["umount", "-l", self.path + at], stderr=subprocess.DEVNULL)
        assert not os.listdir(self.path + TRACING), "it is still mounted"
        super().__exit__(*args)


def test_record():
    with Recording() as root:
        done = root.run("record", "--no-browse", "-e", "sched_switch", "-o", "/t.dat", "/ftop-trace", "--version")
        assert done.returncode == 0 and b"events" in done.stderr, done
        same(root, "/t.dat", "report", f"{root.path}/t.dat")
        assert b"ftop-trace" in outside("report", f"{root.path}/t.dat")


def test_record_as_a_user_of_etc_passwd():
    demo = f"{TOP}/tests/demo/demo.dat"
    with Recording(("more.dat", demo)) as root:
        os.mkdir(f"{root.path}/etc")
        with open(f"{root.path}/etc/passwd", "w", encoding="ascii") as file:
            file.write("root:x:0:0::/:\nsomebody:x:4242:4243::/:\n")
        with open(f"{root.path}/etc/group", "w", encoding="ascii") as file:
            file.write("others:x:4245:root\nmore:x:4244:root,somebody\n")
        os.chown(f"{root.path}/more.dat", 0, 4244)
        os.chmod(f"{root.path}/more.dat", 0o640)
        os.chmod(f"{root.path}/work", 0o777)
        done = root.run("record", "--no-browse", "--user", "somebody", "-e", "sched_switch", "-o", "/t.dat",
                        "/ftop-trace", "cut", "-o", "part.dat", "--to=45.2", "/more.dat")
        assert done.returncode == 0, done
        made = os.stat(f"{root.path}/work/part.dat")
        assert (made.st_uid, made.st_gid) == (4242, 4243), made
        os.chown(f"{root.path}/more.dat", 0, 4245)
        done = root.run("record", "--no-browse", "--user", "somebody", "-e", "sched_switch", "-o", "/t.dat",
                        "/ftop-trace", "cut", "-o", "other.dat", "--to=45.2", "/more.dat")
        assert b"/more.dat: cannot open: Permission denied" in done.stderr, done
        refused(root.run("record", "--user", "nobody-here", "-e", "sched_switch", "/ftop-trace"), "no user is named nobody-here")


def test_live():
    with Recording() as root:
        screen = root.screen("live", "-e", "sched", "-o", "own.dat", env={**UTF8, "HOME": "/work"})
        shows(screen, "rec 00:", "own.dat.part", "6 Whole")
        screen.key("q")
        screen.key("d")
        shows(screen, "own.dat was discarded")
        screen.close()
        assert "own.dat" not in os.listdir(f"{root.path}/work")


def reason_to_skip():
    if not os.access(STATIC, os.X_OK):
        return f"{STATIC} was not built: make ftop-trace-static"
    if os.geteuid():
        return "needs root, for a root folder of its own"
    try:
        subprocess.run(["true"], preexec_fn=lambda: os.chroot("/"), check=True)
    except subprocess.SubprocessError:
        return "root may not have another root folder here"
    return None


def main():
    tests = [(name[5:], test) for name, test in globals().items() if name.startswith("test_")]
    if len(sys.argv) > 1:
        tests = [t for t in tests if any(part in t[0] for part in sys.argv[1:])]
    why = reason_to_skip()
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for i, (name, test) in enumerate(tests, 1):
        result, note = "ok", ""
        try:
            test()
        except Skip as error:
            note = f" # SKIP {error}"
        except Exception as error:      # any failure is a failed test
            print("# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "))
            result = "not ok"
            failed += 1
        print(f"{result} {i} - {name.replace('_', ' ')}{note}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
