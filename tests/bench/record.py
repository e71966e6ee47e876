#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records this machine for a while, as a seed for make_trace.

usage: record.py OUT.dat [MEGABYTES [SYSTEM,SYSTEM…]]

In a tracefs instance of its own, so that nothing else changes: sched, irq, timer
and system call events of a small load (tasks that wake each other, timers, files),
spliced from trace_pipe_raw by a thread for each CPU.  `trace-cmd restore` puts the
file together, with the formats of all events of this kernel: `trace-cmd record`
would insist on the function tracer's files, which some kernels refuse.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time

TRACING = "/sys/kernel/tracing"
EVENTS = sys.argv[3].split(",") if len(sys.argv) > 3 else ("sched", "irq", "timer", "raw_syscalls", "syscalls")
SECONDS = 60		# at most


def put(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def load(stop):
    """Tasks that wake each other over pipes, sleep on timers and write files."""
    children = []
    for nr in range(4):
        there, back = os.pipe(), os.pipe()
        for side in range(2):
            pid = os.fork()
            if pid == 0:
                take, give = (there[0], back[1]) if side else (back[0], there[1])
                if not side:
                    os.write(give, b"x")
                while not os.path.exists(stop):
                    for turn in range(500):
                        os.read(take, 1)
                        os.write(give, b"x")
                        if turn % 100 == nr:
                            time.sleep(0.0005)
                    with tempfile.TemporaryFile() as file:
                        file.write(b"x" * 100000)
                os._exit(0)
            children.append(pid)
    return children


def drain(instance, cpu, path, done):
    """Moves one CPU's sub-buffers to a file by splice, until done and empty."""
    source = os.open(f"{instance}/per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    take, give = os.pipe()
    while True:
        last = done.is_set()
        try:
            moved = os.splice(source, give, 65536)
        except BlockingIOError:
            moved = 0
        while moved > 0:
            moved -= os.splice(take, target, moved)
            last = False
        if last:
            break
        if not moved:
            time.sleep(0.002)
    for fd in (source, target, take, give):
        os.close(fd)


def record(folder, wanted):
    """Raw files of the CPUs, in folder."""
    instance = f"{TRACING}/instances/ftop-bench-{os.getpid()}"
    os.mkdir(instance)
    stop = os.path.join(folder, "stop")
    try:
        put(f"{instance}/tracing_on", "0")
        # Holds all that is wanted: a busy machine may not come round to reading in time.
        put(f"{instance}/buffer_size_kb", str(max(4096, 2 * wanted // 1000 // os.cpu_count())))
        for system in EVENTS:
            if os.path.isdir(f"{instance}/events/{system}"):
                put(f"{instance}/events/{system}/enable", "1")
        cpus = sorted(int(name[3:]) for name in os.listdir(f"{instance}/per_cpu"))
        files = [os.path.join(folder, f"cpu{cpu}") for cpu in cpus]
        done = threading.Event()
        children = load(stop)
        threads = [threading.Thread(target=drain, args=(instance, cpu, file, done))
                   for cpu, file in zip(cpus, files)]
        put(f"{instance}/tracing_on", "1")
        for thread in threads:
            thread.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and sum(os.path.getsize(file) for file in files
                                             if os.path.exists(file)) < wanted:
            time.sleep(0.05)
        put(f"{instance}/tracing_on", "0")
        done.set()
        for thread in threads:
            thread.join()
        put(stop, "")
        for pid in children:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        for system in EVENTS:
            if os.path.isdir(f"{instance}/events/{system}"):
                put(f"{instance}/events/{system}/enable", "0")
        return files
    finally:
        time.sleep(0.1)
        os.rmdir(instance)


def main():
    target = os.path.abspath(sys.argv[1])
    wanted = int(sys.argv[2] if len(sys.argv) > 2 else 30) * 1000000
    if not os.path.exists(f"{TRACING}/instances"):
        sys.exit("record.py: no tracefs here, or no right to use it")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as folder:
        try:
            files = record(folder, wanted)
        except OSError as error:
            sys.exit(f"record.py: {error}")
        made = subprocess.run(["trace-cmd", "restore", "-o", target + ".part"]
                              + files, cwd=folder, capture_output=True, text=True)
        if made.returncode or not os.path.exists(target + ".part"):
            sys.exit(f"record.py: trace-cmd restore: {made.stdout}{made.stderr}")
    os.rename(target + ".part", target)


if __name__ == "__main__":
    main()
