# SPDX-License-Identifier: GPL-2.0-or-later
"""
rights.py - with whose rights the program reads traces, and what it gives up.

Prints TAP.  What needs root (to have rights that can be dropped) is skipped
without, and says so.
"""
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("FTOP_BUILD", ".")
PROGRAM = os.path.join(BUILD, "ftop-trace")
TRACE = os.path.join(os.environ.get("FTOP_TEST_DATA", "tests/data"), "good", "cpu4", "trace.dat")
USER = 65534


def status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return line.split()[1:]
    return None


def browse(env, ask):
    """What ask() finds of the program once it has drawn its screen, and everything that it drew."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(env, TERM="xterm", LINES="24", COLUMNS="80")
        os.execv(PROGRAM, [PROGRAM, TRACE])
    drawn = b""
    try:
        end = time.monotonic() + 60
        while b"sched_switch" not in drawn and b"softirq" not in drawn and time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                drawn += os.read(fd, 65536)
        found = ask(pid)
        os.write(fd, b"Q")
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if not os.read(fd, 65536):
                    break
            except OSError:
                break
    finally:
        done, result = os.waitpid(pid, os.WNOHANG)
        if not done:
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)
            _, result = os.waitpid(pid, 0)
        os.close(fd)
    return found, drawn, result


def test_browsing_under_sudo():
    if os.geteuid():
        return "needs root"
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        env = {"SUDO_UID": str(USER), "SUDO_GID": str(USER), "SUDO_USER": "nobody", "HOME": home, "XDG_STATE_HOME": home}
        (uid, gid, caps, threads), drawn, result = browse(env, lambda pid: (
            status(pid, "Uid"), status(pid, "Gid"), status(pid, "CapEff"),
            [open(f"/proc/{pid}/task/{t}/status", encoding="ascii").read() for t in os.listdir(f"/proc/{pid}/task")]))
        assert uid == [str(USER)] * 4, uid
        assert gid == [str(USER)] * 4, gid
        assert int(caps[0], 16) == 0, caps
        for text in threads:
            assert f"Uid:\t{USER}\t{USER}\t{USER}\t{USER}\n" in text, "a thread kept its rights"
        for name in os.listdir(home):
            assert os.lstat(os.path.join(home, name)).st_uid == USER, f"{name} is root's"
        assert result == 0, result
    return None


def test_browsing_as_oneself():
    env = {k: "" for k in ("SUDO_UID", "SUDO_GID")}
    with tempfile.TemporaryDirectory() as home:
        uid, _, result = browse(dict(env, HOME=home, XDG_STATE_HOME=home), lambda pid: status(pid, "Uid"))
        assert uid == [str(os.getuid()), str(os.geteuid())] + [str(os.geteuid())] * 2, uid
        assert result == 0, result


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
    if os.uname().machine not in ("x86_64", "aarch64"):
        return "no filter of system calls for this machine"
    assert seccomp == ["2"], seccomp
    return None


def main():
    tests = [(n[5:], f) for n, f in globals().items() if n.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    for nr, (name, test) in enumerate(tests, 1):
        try:
            skipped = test()
            print(f"ok {nr} - {name}" + (f" # SKIP {skipped}" if skipped else ""))
        except (AssertionError, OSError, TypeError) as e:
            failed = 1
            print("# " + str(e).replace("\n", "\n# "))
            print(f"not ok {nr} - {name}")
        sys.stdout.flush()
    return failed


sys.exit(main())
