#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kinds of latency of src/events/known: which event ends which other one, chosen by hand.  Prints TAP.

tests/data/kinds has texts as the kernel prints them.  Recorded by Linux 6.1: kvm, kthread_work, dma_fence, ext4, xfs, nfs, tcp;
by 7.2: btrfs.  The others are written by hand after TP_printk() of the kernel.  The same rules have to find the fields of
records: RECORDS are packed by formats.txt, which has the formats of Linux 6.1, and by hand after the headers of 7.2 those of
drm_sched_job_queue, _run and _done, kvm_* of arm64, and hwptr.  A trace of ROS 2 is one of LTTng, with the events of
tp_call.h of ros2_tracing.
"""
import csv
import io
import os
import re
import struct
import subprocess
import sys
import tempfile
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_traces                                             # noqa: E402
from report_common import DATA, PROGRAM, SRC, Failure, Tap, read_text, run     # noqa: E402

FOLDER = os.path.join(DATA, "kinds")
sys.path.insert(0, os.path.join(DATA, "ctf"))
sys.dont_write_bytecode = True
import make                                                     # noqa: E402

# Of a text, by kind: when each instance starts and ends, in µs, and what it is; None: it has no end.
TEXTS = {
    "kvm": {"kvm_exit": [
        (8087882, 8097843, "npf"), (8097985, 8098596, "io"), (8098650, 8098677, "io"), (8098719, 8098837, "io"),
        (8098885, 8101799, "npf"), (8101861, 8102870, "cpuid"), (8102919, 8104077, "io"), (8116315, 8116441, "wbinvd"),
        (8116633, 8116667, "cpuid")]},
    "kvm-arm64": {"kvm_exit": [(20000150, 20000190, "DABT_LOW"), (20000200, 20000207, "IRQ"), (20000300, 20001300, "WFx")]},
    # The text of a remote.  While the hypervisor calls the firmware (smc), it is left.
    "hypervisor": {"hypervisor": [
        (60000100, 60000105, "hvc"), (60000102, 60000402, "host_abort"), (60000300, 60000307, "guest_exit"),
        (60000550, 60000551, "smc"), (60000600, None, "psci")]},
    # The work is queued again before its function has ended.
    "kthread_work": {"kthread_work": [(8120406, 8121339, "pit_do_work [kvm]"), (8124763, 8124766, "pit_do_work [kvm]"),
                                      (8126361, 8126362, "pit_do_work [kvm]")],
                     "kthread_work_delay": [(8106168, 8120406, "pit_do_work [kvm]"), (8121339, 8124763, "pit_do_work [kvm]"),
                                            (8126309, 8126361, "pit_do_work [kvm]")]},
    "dma_fence": {"fence_emit": [(15118520, 15119493, "virtio_gpu controlq 1:1"), (15125328, 15128841, "virtio_gpu controlq 1:2")],
                  "fence_wait": [(15119651, 15119718, "virtio_gpu controlq 1:1"),
                                 (15125437, 15129064, "virtio_gpu controlq 1:2")]},
    # virtio_gpu numbers its fences later.
    "dma_fence-init": {"fence": [(16000100, 16003100, "amdgpu gfx_0.0.0 64:7"), (16000200, 16000700, "drm_sched gfx_0.0.0 270:3"),
                                 (16000210, None, "drm_sched gfx_0.0.0 271")],
                       "fence_emit": [(16004100, 16004500, "virtio_gpu controlq 1:1")]},
    # Job 74 has the fence of job 71, which had ended: it waits.
    "drm_sched": {"gpu_queue": [(40000100, 40000160, "gfx job 71"), (40000200, 40002050, "gfx job 72"),
                                (40000300, 40000305, "sdma0 job 73"), (40002400, None, "gfx")],
                  "gpu_run": [(40000160, 40002000, "gfx job 71"), (40002050, 40005050, "gfx job 72"),
                              (40000305, 40002305, "sdma0 job 73")]},
    "drm_sched-6.17": {"gpu_queue": [(50000100, 50000150, "gfx_0.0.0 270:1"), (50000120, 50003200, "gfx_0.0.0 270:2"),
                                     (50000130, 50000170, "sdma0 271:1")],
                       "gpu_run": [(50000150, 50003150, "gfx_0.0.0 270:1"), (50000170, 50001170, "sdma0 271:1"),
                                   (50003200, None, "gfx_0.0.0")]},
    "ext4": {"fs_commit": [(112068516, 112068711, "ext4 7,1 fast commit of transaction 2"),
                           (112086944, 112092835, "jbd2 7,1 transaction 2"),
                           (112152023, 112171988, "ext4 7,1 fast commit of transaction 3")],
             "fsync": [(112065995, 112095646, "ext4 7,1 ino 12"), (112142117, 112172022, "ext4 7,1 ino 13")]},
    "xfs": {"fs_commit": [(130012165, 130036296, "xfs 7,2")],
            "log_space": [(129886617, 129886637, "xfs 7,2"), (129952808, 129952837, "xfs 7,2"), (130114208, 130114536, "xfs 7,2")]},
    "btrfs": {"fs_commit": [(27755307, 27781297, "btrfs transaction 7"), (27822825, 27831360, "btrfs transaction 8"),
                            (27867036, None, "btrfs")],
              "fsync": [(27679520, 27781512, "btrfs ino 259")]},
    "nfs": {"fsync": [(336449502, 336463455, "nfs ino 00:1c:14")],
            "nfs": [(336449761, 336463030, "write 196608 bytes at 0 of file 00:1c:14"), (336506863, None, "write")],
            "rpc": [(336435907, 336447100, "SETATTR"), (336449921, 336462587, "WRITE"), (336463735, 336465477, "CLOSE"),
                    (336483886, 336505274, "OPEN")]},
    "tcp": {"tcp_retransmit": [(11418807, 11425215, "connecting to port 5000 from port 57218")]},
    # Port 57382 sends twice; the wait is that since the first time.
    "tcp-established": {"tcp_retransmit": [(208000100, 208410100, "port 5000 from port 57382"),
                                           (208050000, 208250000, "port 5000 from port 57383")]},
    # A transfer of two messages is one instance.
    "i2c": {"i2c": [(60000100, 60000610, "write, address 048 of i2c-1 = 2"),
                    (60000200, 60001200, "read, address 050 of i2c-2 = EREMOTEIO"),
                    (60002000, 60002090, "write, address 051 of i2c-2 = 1")],
            "smbus": [(60003000, 60003250, "write, address 02c of i2c-0, BYTE_DATA"),
                      (60004000, 60004220, "read, address 02c of i2c-0, BYTE_DATA")]},
    "spi": {"spi_queue": [(70000100, 70000150, "spi0.1"), (70000130, 70000310, "spi0.0")],
            "spi": [(70000150, 70000300, "spi0.1, 6 bytes"), (70000310, 70000410, "spi0.0, 0 bytes")],
            "spi_transfer": [(70000160, 70000200, "spi0.1, 2 bytes"), (70000205, 70000285, "spi0.1, 4 bytes")]},
    "regulator": {"regulator": [(80000100, 80002120, "vcam on"), (80000300, 80000700, "vmmc voltage 1800000 to 1950000 µV: 1800000 µV"),
                                (80009000, 80009015, "vcam off")]},
    # Playback and capture have periods of their own.  No period begins where the position is only asked for.
    "alsa": {"pcm_period": [(90000000, 90021333, "card 0 device 0p, substream 0"), (90010000, 90031334, "card 0 device 0c, substream 0"),
                            (90021333, 90064000, "card 0 device 0p, substream 0"), (90031334, None, "card 0"), (90064000, None, "card 0")]},
}

# A record: µs, CPU, pid, event, fields; those that are not here are 0 or "".
RECORDS = {
    "GPU": ([(1, 0, 5, "drm_sched_job", {"fence": 0xf1, "name": "gfx", "id": 1}),
             (4, 0, 5, "drm_sched_job", {"fence": 0xf2, "name": "sdma0", "id": 2}),
             (6, 1, 6, "drm_run_job", {"fence": 0xf2, "name": "sdma0", "id": 2}),
             (9, 1, 6, "drm_run_job", {"fence": 0xf1, "name": "gfx", "id": 1}),
             (20, 0, 0, "drm_sched_process_job", {"fence": 0xf1}),
             (30, 0, 0, "drm_sched_process_job", {"fence": 0xf2})],
            {"gpu_queue": [(1, 9, "gfx job 1"), (4, 6, "sdma0 job 2")], "gpu_run": [(9, 20, "gfx job 1"), (6, 30, "sdma0 job 2")]}),
    "GPU since 6.17": ([(1, 0, 5, "drm_sched_job_queue", {"fence_context": 7, "fence_seqno": 1, "name": "gfx"}),
                        (4, 0, 5, "drm_sched_job_queue", {"fence_context": 8, "fence_seqno": 1, "name": "sdma0"}),
                        (6, 1, 6, "drm_sched_job_run", {"fence_context": 8, "fence_seqno": 1, "name": "sdma0"}),
                        (9, 1, 6, "drm_sched_job_run", {"fence_context": 7, "fence_seqno": 1, "name": "gfx"}),
                        (20, 0, 0, "drm_sched_job_done", {"fence_context": 7, "fence_seqno": 1}),
                        (30, 0, 0, "drm_sched_job_done", {"fence_context": 8, "fence_seqno": 1})],
                       {"gpu_queue": [(1, 9, "gfx 7:1"), (4, 6, "sdma0 8:1")], "gpu_run": [(9, 20, "gfx 7:1"), (6, 30, "sdma0 8:1")]}),
    # The format has the names of reasons of VMX (isa 1) and SVM (2).
    "KVM of x86": ([(1, 0, 5, "x86 kvm_exit", {"isa": 1, "exit_reason": 12}), (2, 1, 6, "x86 kvm_exit", {"isa": 2, "exit_reason": 0x7b}),
                    (5, 0, 5, "x86 kvm_entry", {}), (9, 1, 6, "x86 kvm_entry", {}),
                    (10, 1, 6, "x86 kvm_exit", {"isa": 2, "exit_reason": 0x7b}), (12, 1, 6, "x86 kvm_exit", {"isa": 2, "exit_reason": 0x78}),
                    (13, 1, 6, "x86 kvm_entry", {}), (14, 1, 6, "x86 kvm_exit", {"isa": 2, "exit_reason": 0x60})],
                   {"kvm_exit": [(1, 5, "HLT"), (2, 9, "io"), (12, 13, "hlt"), (14, None, "interrupt")]}),
    "KVM of arm64": ([(1, 0, 5, "kvm_exit", {"ret": 2, "esr_ec": 0x24}), (3, 0, 5, "kvm_entry", {}),
                      (4, 0, 5, "kvm_exit", {"ret": 0}), (9, 1, 5, "kvm_entry", {}),
                      (10, 1, 6, "kvm_exit", {"ret": 1}), (11, 0, 5, "kvm_exit", {"ret": 2, "esr_ec": 1}), (21, 0, 5, "kvm_entry", {})],
                     {"kvm_exit": [(1, 3, "DABT_LOW"), (4, 9, "IRQ"), (11, 21, "WFx"), (10, None, "SERROR")]}),
    "I2C": ([(1, 0, 5, "i2c_write", {"adapter_nr": 1, "msg_nr": 0, "addr": 0x48}), (2, 0, 5, "i2c_read", {"adapter_nr": 1, "msg_nr": 1, "addr": 0x48}),
             (5, 1, 6, "i2c_read", {"adapter_nr": 2, "addr": 0x50}), (7, 0, 5, "i2c_result", {"adapter_nr": 1, "ret": 2}),
             (9, 1, 6, "i2c_result", {"adapter_nr": 2, "ret": -6})],
            {"i2c": [(1, 7, "write, address 048 of i2c-1 = 2"), (5, 9, "read, address 050 of i2c-2 = ENXIO")]}),
    "SPI": ([(1, 0, 5, "spi_message_submit", {"bus_num": 3, "chip_select": 1, "msg": 0xa1}),
             (2, 1, 6, "spi_message_start", {"bus_num": 3, "chip_select": 1, "msg": 0xa1}),
             (9, 1, 6, "spi_message_done", {"bus_num": 3, "chip_select": 1, "msg": 0xa1, "actual": 16, "frame": 16})],
            {"spi_queue": [(1, 2, "spi3.1")], "spi": [(2, 9, "spi3.1, 16 bytes")]}),
    "regulator": ([(1, 0, 5, "regulator_set_voltage", {"name": "vdd", "min": 900000, "max": 950000}),
                   (3, 1, 6, "regulator_set_voltage", {"name": "vmmc", "min": 1, "max": 2}),
                   (8, 0, 5, "regulator_set_voltage_complete", {"name": "vdd", "val": 925000})],
                  {"regulator": [(1, 8, "vdd voltage 900000 to 950000 µV: 925000 µV"), (3, None, "vmmc voltage")]}),
    "ALSA": ([(1, 0, 0, "hwptr", {"in_interrupt": 1}), (2, 0, 5, "hwptr", {}), (4, 0, 0, "hwptr", {"in_interrupt": 1, "stream": 1}),
              (8, 0, 0, "hwptr", {"in_interrupt": 1})],
             {"pcm_period": [(1, 8, "card 0 device 0, substream 0"), (4, None, "card 0"), (8, None, "card 0")]}),
}


def check(path, expected):
    text = run([PROGRAM, "latency", "--format=csv", path]).decode()
    found = {row["kind"] for row in csv.DictReader(io.StringIO(text))}
    if found - {"wakeup", "sleep"} != set(expected):
        raise Failure("kinds: %s instead of %s" % (sorted(found), sorted(expected)))
    for kind, instances in expected.items():
        text = run([PROGRAM, "latency", "--format=csv", "--open", "--kind=" + kind, path]).decode()
        got = [(int(row["start_ns"]), int(row["end_ns"]) if row["end_ns"] else None, int(row["duration_ns"] or -1), row["what"])
               for row in csv.DictReader(io.StringIO(text))]
        wanted = [(start * 1000, end and end * 1000, (end - start) * 1000 if end else -1, what) for start, end, what in instances]
        if sorted(got, key=str) != sorted(wanted, key=str):
            raise Failure("%s: %s\n  instead of %s" % (kind, sorted(got, key=str), sorted(wanted, key=str)))


def formats():
    """{event: (system, id, {field: (offset, size, is string)}, size of the fields, format file)}; "x86 kvm_exit" is that of x86"""
    found = {}
    for block in read_text(os.path.join(FOLDER, "formats.txt")).decode().split("system: ")[1:]:
        system, processor, name, id_ = re.match(r"(\w+)( \w+)?\nname: (\w+)\nID: (\d+)", block).groups()
        listed = re.findall(r"field:(.*?)(\w+)(?:\[\d+\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d)", block)
        fields = {field: (int(offset), int(size), "__data_loc char" in type_) for type_, field, offset, size, _ in listed}
        text = graph_traces.format_text(name, int(id_), [(type_ + field, int(offset), int(size), int(signed))
                                                         for type_, field, offset, size, signed in listed],
                                        block.partition("print fmt: ")[2].strip())
        found[(processor[1:] + " " if processor else "") + name] = system, int(id_), fields, max([8] + [at + size for at, size, _ in fields.values()]), text
    return found


def pack(known, pid, event, values):
    _, id_, fields, size, _ = known[event]
    unknown = set(values) - set(fields)
    if unknown:
        raise Failure("%s has no %s" % (event, unknown))
    data, strings = bytearray(graph_traces.common(id_, 0, pid).ljust(size, b"\0")), b""
    for field, (at, field_size, is_string) in fields.items():
        value = values.get(field, "" if is_string else 0)
        if is_string:
            string = value.encode() + b"\0"
            struct.pack_into("<I", data, at, len(string) << 16 | size + len(strings))
            strings += string
        else:
            data[at:at + field_size] = (value & (1 << 8 * field_size) - 1).to_bytes(field_size, "little")
    return bytes(data) + strings


def records(path, rows, expected):
    known, systems, cpus = formats(), {}, [[], []]
    for us, cpu, pid, event, values in rows:
        cpus[cpu].append((us * 1000, pack(known, pid, event, values)))
    for event in {row[3] for row in rows}:
        systems.setdefault(known[event][0], []).append(known[event][4])
    before, graph_traces.FORMATS = graph_traces.FORMATS, graph_traces.FORMATS[:1] + list(systems.items())
    try:
        graph_traces.write(path, cpus)
    finally:
        graph_traces.FORMATS = before
    check(path, expected)


def has_ctf():
    done = subprocess.run([PROGRAM, "report", os.path.join(DATA, "ctf", "lttng")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False)
    return b"built without libbabeltrace2" not in done.stderr


def ros2(path):
    """Two tasks run callbacks at the same time; one of them has the same callback as the other one later."""
    trace = uuid.UUID(int=0x500)
    types = {"ros2:callback_start": [("hex64_t", "callback"), ("int32_t", "is_intra_process")],
             "ros2:callback_end": [("hex64_t", "callback")]}
    body = b""
    for us, pid, end, callback in ((0, 41, 0, 0xa0), (10, 42, 0, 0xb0), (50, 41, 1, 0xa0), (60, 41, 0, 0xb0), (90, 42, 1, 0xb0),
                                   (160, 41, 1, 0xb0), (170, 42, 0, 0xa0)):
        body += struct.pack("<IQii17sQ", end, make.START + us * 1000, pid, pid, b"node", callback)
        body += b"" if end else struct.pack("<i", 0)
    make.write_packet(path, make.metadata("ust", "<", types, trace), trace, struct.pack("<I", 0), body)
    start = make.START // 1000
    check(path, {"ros2_callback": [(start, start + 50, "0xA0"), (start + 10, start + 90, "0xB0"), (start + 60, start + 160, "0xB0"),
                                   (start + 170, None, "0xA0")]})


def listed(folder):
    """Each kind has the file that it is from: a kind of the program, of a file of the user, of the file pairs."""
    config = os.path.join(folder, "ftop-trace")
    own, pairs = os.path.join(config, "events", "mine.events"), os.path.join(config, "pairs")
    os.makedirs(os.path.dirname(own))
    with open(own, "w", encoding="utf-8") as file:
        file.write("kind mine\n\tmeasures from a to b\n\tpair mine sys:a [x == 1] -> sys:b by pid\n\tpair mine sys:c -> sys:b by pid\n")
    with open(pairs, "w", encoding="utf-8") as file:
        file.write("pair other p q by none\n")
    done = subprocess.run([PROGRAM, "fields", "--kinds", "--format=csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env=dict(os.environ, XDG_CONFIG_HOME=folder))
    rows = {row["kind"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}
    for kind, from_, measures, events in (
            ("sleep", "built in", "from going to sleep until the wake-up", "sched:sched_switch sched:sched_waking"),
            ("kvm_exit", "kvm.events", "from a vCPU's exit from its guest until it enters it again", "kvm:kvm_exit kvm:kvm_entry"),
            ("mine", own, "from a to b", "sys:a sys:b sys:c"), ("other", pairs, "", "p q")):
        if rows.get(kind) != {"kind": kind, "from": from_, "measures": measures, "events": events}:
            raise Failure("%s: %s, %s" % (kind, rows.get(kind), done.stderr))
    missing = {kind for expected in TEXTS.values() for kind in expected} - set(rows)
    if done.returncode or missing:
        raise Failure("%d: no %s" % (done.returncode, missing))
    for words in (["trace.dat"], ["-F", "x"], ["--from=1"]):
        done = subprocess.run([PROGRAM, "fields", "--kinds", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 2 or b"--kinds: no" not in done.stderr or done.stdout:
            raise Failure("%s: %s" % (words, done))


def example(folder):
    """The kind that share/kinds.md explains, on recorded events; trace-cmd's text tells when each program began and exited."""
    page = read_text(os.path.join(SRC, "share", "kinds.md")).decode()
    lines = re.search(r"^ {7}# How long programs ran\.\n(?: {7}.*\n)+", page, re.M)[0]
    path = os.path.join(folder, "ftop-trace", "events", "programs.events")
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub("^ {7}", "", lines, flags=re.M))
    good = os.path.join(DATA, "good", "sched")
    begun, expected = {}, []
    for line in read_text(os.path.join(good, "report.txt.gz")).decode().splitlines():
        found = re.match(r" *(.*)-(\d+) +\[\d+\].* (\d+)\.(\d{6}): sched_process_(exec|exit): +(?:filename=(\S+)|comm=(.*?) pid=)", line)
        if found and found[5] == "exec":
            begun[found[2]] = int(found[3] + found[4]), found[6]
        elif found and found[2] in begun:
            us, name = begun.pop(found[2])
            expected.append((us, int(found[3] + found[4]), "%s as %s" % (name, found[7])))
    text = subprocess.run([PROGRAM, "latency", "--format=csv", "--kind=program", os.path.join(good, "trace.dat")], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, XDG_CONFIG_HOME=folder))
    got = [((int(row["start_ns"]) + 500) // 1000, (int(row["end_ns"]) + 500) // 1000, row["what"])
           for row in csv.DictReader(io.StringIO(text.stdout.decode()))]
    if sorted(got) != sorted(expected) or len(got) < 5 or text.stderr:
        raise Failure("%s instead of %s: %s" % (sorted(got), sorted(expected), text.stderr))


def main():
    tap = Tap()
    for name, expected in TEXTS.items():
        tap.case(name, check, os.path.join(FOLDER, name + ".txt"), expected)
    with tempfile.TemporaryDirectory() as folder:
        for name, (rows, expected) in RECORDS.items():
            tap.case("records of " + name, records, os.path.join(folder, name.replace(" ", "-") + ".dat"), rows, expected)
        tap.case("fields --kinds", listed, os.path.join(folder, "config"))
        tap.case("the example of share/kinds.md", example, os.path.join(folder, "example"))
        if has_ctf():
            tap.case("ROS 2", ros2, os.path.join(folder, "ros2"))
        else:
            tap.skip("ROS 2", "built without libbabeltrace2")
    tap.end()


if __name__ == "__main__":
    main()
