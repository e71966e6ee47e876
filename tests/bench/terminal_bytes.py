#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the bytes that a key sends to the terminal, beside what tmux sends for the same change.

usage: terminal_bytes.py FILE [TERM]

The program runs on a pseudo-terminal of 80x24, then inside tmux on such a one.  Prints the median
and the most of each view's keys: what they cost on a slow line.  FTOP_BUILD is the folder of the build.
"""
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import termios

KEYS = [("1 Events", "1", "j" * 15), ("3 Timeline", "3", "lhlhlh"), ("4 Latency", "4", "jjjjjj"),
        ("6 Tasks", "6", "jjjjjj"), ("9 Now", "9", "jjjjjj")]
QUIET = 0.4		# seconds without a byte: the change is drawn


def read_all(fd, quiet=QUIET):
    got = 0
    while select.select([fd], [], [], quiet)[0]:
        try:
            got += len(os.read(fd, 65536))
        except OSError:
            break
    return got


def play(argv, view, keys):
    """Bytes after each key."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(argv[0], argv)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    read_all(fd, 3)
    os.write(fd, view.encode())
    read_all(fd)
    sent = []
    for key in keys:
        os.write(fd, key.encode())
        sent.append(read_all(fd))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(fd)
    return sent


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = os.path.join(os.environ["FTOP_BUILD"], "ftop-trace")
    trace = os.path.abspath(sys.argv[1])
    os.environ["TERM"] = sys.argv[2] if len(sys.argv) == 3 else "xterm-256color"
    socket = f"ftop-bytes-{os.getpid()}"
    tmux = ["tmux", "-L", socket, "-f", "/dev/null"]
    for name, view, keys in KEYS:
        ours = play([program, trace], view, keys)
        inside = play(tmux + ["new-session", f"exec {program} {trace}", ";", "set", "status", "off"], view, keys)
        os.system(f"tmux -L {socket} kill-server 2>/dev/null")
        print(f"{name:12} median {statistics.median(ours):6.0f} most {max(ours):6}   "
              f"tmux: median {statistics.median(inside):6.0f} most {max(inside):6}", flush=True)


if __name__ == "__main__":
    main()
