# SPDX-License-Identifier: GPL-2.0-or-later
"""
names.py - what commands write where somebody else has put something.

As root, as root for a user (SUDO_UID), and as a user.  What a recording does: tests/live/record_until.py; what a screen may have
written: tests/unit/test_broker.c.  Prints TAP.  Without root, the first two are skipped.
"""
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.dont_write_bytecode = True
import tap
from waiting import LIMIT_S, until

BUILD = os.environ.get("FTOP_BUILD", ".")
PROGRAM = os.path.abspath(os.path.join(BUILD, "ftop-trace"))
TRACE = os.path.abspath(os.path.join(os.environ.get("FTOP_TEST_DATA", "tests/data"), "good", "cpu4", "trace.dat"))
USER = 65534
OTHER = 1               # neither root nor the user
COMMANDS = (["export", "--perfetto"], ["export", "--chrome"], ["cut", "--force", "-o"], ["cut", "-o"])
PRECIOUS = "precious"


class Place:
    """A folder of the user's, with a victim beside it, as a context."""

    def __init__(self, who, mode=0o755):
        self.who, self.mode = who, mode

    def __enter__(self):
        self.top = tempfile.mkdtemp()
        os.chmod(self.top, 0o755)
        self.folder = os.path.join(self.top, "folder")
        self.victim = os.path.join(self.top, "victim")
        os.mkdir(self.folder)
        self.write(self.victim, 0o600)
        if self.who != "root" and not os.geteuid():
            for path in (self.folder, self.victim):
                os.chown(path, USER, USER)
        os.chmod(self.folder, self.mode)
        return self

    def __exit__(self, *args):
        shutil.rmtree(self.top)

    def write(self, path, mode=0o644):
        with open(path, "w", encoding="ascii") as file:
            file.write(PRECIOUS)
        os.chmod(path, mode)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, kind, name):
        """What somebody has put there."""
        path = self.path(name)
        if kind == "text":
            self.write(path)
        elif kind == "folder":
            os.mkdir(path)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "hard link":
            os.link(self.victim, path)
        else:
            os.symlink(self.victim, path)
        return os.lstat(path)

    def untouched(self):
        with open(self.victim, encoding="ascii") as file:
            assert file.read() == PRECIOUS

    def run(self, *words):
        env = {k: v for k, v in os.environ.items() if k not in ("SUDO_UID", "SUDO_GID", "PKEXEC_UID")}
        if self.who == "sudo":
            env.update(SUDO_UID=str(USER), SUDO_GID=str(USER), SUDO_USER="nobody", HOME=self.folder)
        other = {"user": USER, "group": USER, "extra_groups": []} if self.who == "user" and not os.geteuid() else {}
        return subprocess.run([PROGRAM, *words], env=env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT_S, **other)


def whoever():
    return ("root", "sudo", "user") if not os.geteuid() else ("user",)


def words_of(command, out):
    return (*command[:-1], f"{command[-1]}={out}" if command[-1].startswith("--") else f"{command[-1]}{out}", TRACE)


def kept(path, before):
    after = os.lstat(path)
    return (after.st_ino, after.st_mode, after.st_size, after.st_nlink) == (before.st_ino, before.st_mode, before.st_size, before.st_nlink)


def test_what_is_not_complete_replaces_nothing():
    """OUT.part, which nobody named."""
    for who in whoever():
        for command in COMMANDS:
            for kind in ("text", "link", "folder", "fifo", "hard link"):
                with Place(who) as place:
                    before = place.put(kind, "out.part")
                    done = place.run(*words_of(command, "out"))
                    assert done.returncode and "out.part exists" in done.stderr, (who, command, kind, done)
                    assert kept(place.path("out.part"), before) and os.listdir(place.folder) == ["out.part"], (who, command, kind)
                    place.untouched()


def test_a_name_of_the_user_is_replaced_alone():
    """A file, or one of its names: what else has the name of its contents stays."""
    for who in whoever():
        for command in COMMANDS:
            forced = command[0] == "export" or "--force" in command
            for kind in ("text", "hard link", "folder", "fifo"):
                if kind == "fifo" and command[0] == "export":      # it is written to, as a shell would
                    continue
                with Place(who) as place:
                    before = place.put(kind, "out")
                    done = place.run(*words_of(command, "out"))
                    written = forced and kind in ("text", "hard link")
                    assert bool(done.returncode) == (not written), (who, command, kind, done)
                    assert kept(place.path("out"), before) == (not written), (who, command, kind)
                    assert written or "out exists" in done.stderr, (who, command, kind, done)
                    assert os.listdir(place.folder) == ["out"]
                    place.untouched()


def test_a_link_of_ones_own_stays():
    """It is followed, and stricter permissions stay with what is replaced there."""
    for who in whoever():
        for command in COMMANDS[:3]:
            with Place(who) as place:
                there = place.path("there")
                place.write(there, 0o600)
                if who != "root" and not os.geteuid():
                    os.chown(there, USER, USER)
                os.symlink("there", place.path("out"))
                done = place.run(*words_of(command, "out"))
                assert not done.returncode and os.path.islink(place.path("out")), (who, command, done)
                assert os.stat(there).st_size > 100 and stat.S_IMODE(os.stat(there).st_mode) == 0o600, (who, command, os.stat(there))
                assert sorted(os.listdir(place.folder)) == ["out", "there"]


def test_a_link_of_another_user_where_all_may_write():
    """The kernel's rule for /tmp, also where fs.protected_symlinks is off."""
    if os.geteuid():
        return "needs root"
    for who in whoever():
        for command in COMMANDS[:3]:
            for target in ("victim", "fifo"):
                with Place(who, 0o1777) as place:
                    os.mkfifo(os.path.join(place.top, "fifo"))
                    os.symlink(os.path.join(place.top, target), place.path("out"))
                    os.lchown(place.path("out"), OTHER, OTHER)
                    os.chown(place.folder, 0, 0)
                    done = place.run(*words_of(command, "out"))
                    assert done.returncode and "out is a symbolic link of another user" in done.stderr, (who, command, done)
                    assert os.listdir(place.folder) == ["out"] and os.path.islink(place.path("out"))
                    place.untouched()
    # the folder's owner may lead others elsewhere: it is his
    with Place("root", 0o1777) as place:
        os.symlink(place.victim, place.path("out"))
        os.lchown(place.path("out"), OTHER, OTHER)
        os.chown(place.folder, OTHER, OTHER)
        done = place.run(*words_of(COMMANDS[0], "out"))
        assert not done.returncode and os.stat(place.victim).st_size > 100, done
    return None


def test_a_file_or_fifo_of_another_user_where_others_may_write():
    """The same for fs.protected_regular and fs.protected_fifos: nothing is opened, so nothing is waited for."""
    if os.geteuid():
        return "needs root"
    for who in whoever():
        for words in ([*words_of(command, "out")] for command in COMMANDS[:3]):
            for kind, mode in (("text", 0o1777), ("fifo", 0o1777), ("fifo", 0o1775)):
                with Place(who, mode) as place:
                    place.put(kind, "out")
                    os.chmod(place.path("out"), 0o666)
                    os.chown(place.path("out"), OTHER, OTHER)
                    before = os.lstat(place.path("out"))
                    os.chown(place.folder, 0, USER)
                    done = place.run(*words)
                    assert done.returncode and " of another user, in a folder where others may write" in done.stderr, (who, words, done)
                    assert kept(place.path("out"), before) and os.listdir(place.folder) == ["out"], (who, words)
    return None


def test_a_link_of_another_user_in_the_path():
    """Whatever is written below it, also in place."""
    if os.geteuid():
        return "needs root"
    outputs = [words_of(command, "way/out") for command in COMMANDS[:3]]
    outputs += [("export", "--tables=way", "--name=x", TRACE), ("export", "--tables=way/new/set", "--name=x", TRACE), ("symbols", "way/t.dat"),
                ("recover", "way/u.dat.part"), ("recover", "-oway/out", "u.dat.part"), ("record", "--check", "-e", "sched_switch", "-o", "way/out")]
    for who in whoever():
        for words in outputs:
            if words[0] == "record" and (who == "user" or not os.path.exists("/sys/kernel/tracing/events")):
                continue                # it needs root and tracefs
            with Place(who, 0o1777) as place:
                target = os.path.join(place.top, "target")
                os.mkdir(target)
                for name in ("t.dat", "u.dat.part"):
                    shutil.copy(TRACE, os.path.join(target, name))
                shutil.copy(TRACE, place.path("u.dat.part"))
                for path in (target, place.path("u.dat.part"), *(os.path.join(target, name) for name in os.listdir(target))):
                    os.chown(path, *((0, 0) if who == "root" else (USER, USER)))
                os.symlink(target, place.path("way"))
                os.lchown(place.path("way"), OTHER, OTHER)
                os.chown(place.folder, 0, 0)
                done = place.run(*words)
                assert done.returncode and "way is a symbolic link of another user" in done.stderr, (who, words, done)
                assert sorted(os.listdir(target)) == ["t.dat", "u.dat.part"], (who, words)
                assert os.stat(os.path.join(target, "t.dat")).st_size == os.stat(TRACE).st_size
    return None


def test_a_fifo_without_a_reader():
    """The command waits for one until it is ended; then nothing of it is left."""
    with Place("user" if os.geteuid() else "root") as place:
        place.put("fifo", "out")
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            p = subprocess.Popen([PROGRAM, "export", "--chrome=out", TRACE], cwd=place.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            children = f"/proc/{p.pid}/task/{p.pid}/children"
            started = []

            def broker_looks_for_it():
                with open(children, encoding="ascii") as file:
                    started[:] = file.read().split()
                return any(f"{place.folder}/out" in links_of(pid) for pid in started)
            until(broker_looks_for_it, "the broker has found the FIFO")
            p.send_signal(end)
            assert p.wait(LIMIT_S) == -end, (end, p.returncode)
            until(lambda: not any(is_alive(pid) for pid in started), f"all processes have ended after {end}")
        p = subprocess.Popen([PROGRAM, "export", "--chrome=out", TRACE], cwd=place.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(place.path("out"), "rb") as file:
            assert file.read().startswith(b"{")
        assert not p.wait(LIMIT_S) and os.listdir(place.folder) == ["out"]


def links_of(pid):
    folder = f"/proc/{pid}/fd"
    try:
        return [os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)]
    except OSError:
        return []


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_link_to_nothing():
    for who in whoever():
        with Place(who) as place:
            os.symlink("none", place.path("out"))
            done = place.run(*words_of(COMMANDS[0], "out"))
            assert done.returncode and "out: No such file or directory" in done.stderr, (who, done)
            assert os.listdir(place.folder) == ["out"]


def test_stdout_by_its_name():
    """A link to a link, to a pipe, or to a file that the shell has opened."""
    with Place("user" if os.geteuid() else "root") as place:
        done = subprocess.run([PROGRAM, "export", "--chrome=/dev/stdout", TRACE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert not done.returncode and done.stdout.startswith(b"{"), done.stderr
        with open(place.path("out"), "wb") as out:
            again = subprocess.run([PROGRAM, "export", "--chrome=/dev/stdout", TRACE], stdout=out, stderr=subprocess.PIPE, check=False)
        with open(place.path("out"), "rb") as out:
            assert not again.returncode and out.read() == done.stdout, again.stderr
        assert os.path.islink("/dev/stdout")


sys.exit(tap.run(globals()))
