#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of who, why and how long, in traces that are easily misread (tests/data/sentences).

A case is the trace, the command, what it must print, and what it must not: regular expressions, over lines that were joined.
What is right was read from the records.
"""
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import graph_traces  # noqa: E402  pylint: disable=wrong-import-position
import private_section  # noqa: E402  pylint: disable=wrong-import-position
from report_common import DATA, PROGRAM, Failure, Tap, run  # noqa: E402  pylint: disable=wrong-import-position

CASES = (
    # an interrupt over firefox wakes sshd
    ("woke-interrupt", "tasks --format=json", ['"comm":"firefox".*?"woke":0,'], []),
    ("woke-interrupt", "timeline --format=json", [r'"detail":"woken by irq eth0 \(in 500\)"'], []),
    ("woke-interrupt", "tasks --woken", ["sshd-200 +hard irq "], ["firefox"]),
    ("woke-interrupt", "wakeups", [r"irq eth0 \(in firefox-500\)"], []),
    # what is said of the longest wait is not true of all
    ("longest-only", "why --task=100", [r"hog-200 \(the longest: both are nice 0; CPU 1 was idle meanwhile"], ["share"]),
    # SCHED_RR: its slice was over
    ("rr-recorded", "why --task=rrone", ["both are real-time 10: round robin, or it gave the CPU away"], ["no preemption"]),
    ("edf", "why --task=100", ["both are deadline: the earlier deadline goes first"], ["no preemption"]),
    ("stopper-deadline", "why --task=100", [r"migration/0-20 \(the stop class goes before all others"], ["although"]),
    # a timer or tasklet of PREEMPT_RT is paused
    ("rt-timer", "latency", ["timer 1 0 0 800 ", "softirq 1 0 0 1000 "], []),
    ("rt-tasklet", "latency --kind=softirq", [" 890 0 irq/27-eth0-50 tasklet foo_tasklet"], ["8890"]),
    # a signal stops it: it does not wait for anybody's work
    ("stopped", "why --task=request", [r"40000 80.0 1 40000 stopped \(T\) until watchdogd-200 woke it"], ["asleep"]),
    # who goes before all others and waits
    ("stopper-waits", "why --task=20", ["5000 25.0 1 5000 CPU taken by rtx-300 "], ["equal priority", "stop class"]),
    # a deadline or real-time task waits, and somebody of a lower class gets its CPU
    ("dl-passed", "why --task=100", [r" 70000 .* throttled \(its deadline budget was used up\)"], ["taken by", "deadline goes"]),
    ("rt-passed", "why --task=100", ["45000~ .* kept from running", " 5000 .* CPU taken by dlb-110"], ["taken by hog", "although"]),
    # nobody knows when a sched_yield ended whose end is not recorded
    ("yield-begins", "why --task=100", ["CPU taken by calc-200"], ["yield", "gave"]),
    ("yield-begins", "tasks --preempted", ["spin-100 calc-200"], ["yield"]),
    # it left its CPU in R, and a sched_wakeup alone tells that it waited for something
    ("rtlock-wakeup", "why --task=200", ["20000 40.0 1 20000 not recorded", "1000> .* CPU taken by filler-300"], []),
    ("waking-in-sleep", "why --task=200", ["5100> .* not recorded"], ["taken by hog"]),
    # it waits with nice 0, and is boosted later
    ("pi-boost", "why --task=low", [r"mid-109 \(the longest: real-time 30 goes before nice 0"], ["although"]),
    # another task writes records: from then on it runs, and who ran there until then does no more
    ("stray", "tasks", ["3 c 9000 9000 ", "2 b – – – "], []),
    # who leaves the CPU first did not run there while others wrote records
    ("head", "tasks", ["1 a – – – ", "missing switches: at least 1,"], []),
    # nobody says that events of a alone were recorded, but all records are of it, or lead to it, and others switch unseen
    ("only-found", "tasks", ["1 a 8000 – 12000 28000 – 5 ", "10 x0 – – – – – 0 ", "20 y0 – – – – – 1 ", "only some tasks were recorded"],
     ["missing", "~"]),
    # b is put on a CPU that has no record: what happened there may have ended any sleep
    ("cpu-left-out", "tasks", ["1 a 4000 2000 3000~ 3000~ ", "some CPUs were not recorded"], []),
    # the tick of a full dynticks CPU stops while a task runs
    ("nohzfull", "summary", ["steal is inferred: a full dynticks CPU"], []),
    # a bio has ended once its last piece has
    ("blk-bio-pieces", "latency --kind=block_queue --open", ["500000 0 dd-96 R 100 "], ["~", "100000"]),
    ("blk-bio-pieces", "count", [r" – 500000 – 500000 [0-9–]+ 9,0 block_bio_complete"], []),
    ("blk-bio-piece", "latency --kind=block_queue --open", ["requests whose end was not recorded: 1"],
     ["dd-96", "no block_queue events"]),
    ("tick-stopped", "latency --kind=steal", ["no busy CPU was silent"], ["rtapp"]),
    # a thread that executes a program ends its call as another task; who is killed in a call ends none
    ("exec-call", "latency --kind=syscall", ["no syscall was recorded from its start to its end"], ["execve"]),
    ("exec-call", "latency", [], ["syscall"]),
    # two requests for one sector are under way: the first ends first, which is a guess, but not the sum
    ("blk-same-sector", "latency --kind=block", [r"50000~ 0 fio-95 .* 50000~ 1 fio-96"], []),
    ("blk-same-sector", "latency", [r"block 2 0 0 50000~ 50000 .* 100000 "], []),
    # of a part of them, not even the sum is known
    ("blk-same-sector", "latency --kind=block --by=task",
     [r"fio-95 1 0 0 50000~ 50000~ .* 50000~ ", r"fio-96 1 0 0 50000~ 50000~ .* 50000~ "], []),
    ("blk-same-sector", "latency --kind=block --by=what", [r"R 2 0 0 50000~ 50000 .* 100000 "], []),
    ("blk-same-sector", "latency --cpu=0", [r"block 1 0 0 50000~ 50000~ .* 50000~ "], []),
    ("blk-same-sector", "latency -F cpu==9", [], ["50000"]),
    ("blk-same-sector", "latency --kind=block --by=task --format=json", ['"fio-95".*"shared":1'], []),
    ("blk-same-sector", "count", [r"D2C.* 50000 – 50000~ "], []),
    ("blk-same-sector", "summary", [r"block 2 0 50000\.000~ 50000\.000~ "], []),
    ("blk-same-sector", "count", [r" 2 50.0 2 .* block_rq_issue"], []),
    # commands without sectors are told apart by their bytes
    ("blk-passthrough", "latency --kind=block", ["901000 0 smartctl-95", "1000 1 hdparm-96"], ["~"]),
    # a request has ended when all its sectors have
    ("blk-split", "latency --kind=block_queue", [r" 500000 0 dd-96 WS 0 \+ 5120"], ["not recorded"]),
    ("blk-partial", "latency --kind=block", [" 900000 1 dd-95"], ["open"]),
    ("blk-partial", "latency --kind=block_queue", [" 900100 1 dd-95"], []),
    ("blk-flush-open", "latency --kind=block_queue", ["block_queue: requests whose end was not recorded: 1"], ["has no block_queue"]),
    ("blk-flush", "latency --kind=block_queue", [r" 41200 0 jbd2/sda1-8-95 FWS 0 \+ 0", " 31100 1 mysqld-300"], ["not recorded"]),
    ("blk-flush", "latency --kind=block_queue --by=what", ["FWS 1 ", "WFS 1 "], []),
    ("blk-flush", "latency --kind=block_queue --by=task", ["jbd2/sda1-8-95 1 ", "mysqld-300 1 "], []),
    # a disk that cannot flush in a write needs several steps: the bio ends with the last one
    ("blk-flush3", "latency --kind=block_queue",
     [r" 60000 0 jbd2/vda1-8-95 FWFS 5000 \+ 8", r" 40000 1 jbd2/sda1-8-96 WFS 8184 \+ 8", r" 25001 1 jbd2/nvme0n1-8-97 FWFS 5000 \+ 8",
      r" 3000 1 jbd2/nvme0n1-8-97 WFS 6000 \+ 8", r" 1000 1 mysqld-300 WS 5008 \+ 8"], ["~", "not recorded"]),
    # dm passes such a write on as a flush without sectors, and the data
    ("blk-flush-dm", "latency --kind=block_queue",
     [r"10\.000000 20000 0 jbd2/dm-0-8-95 FWFSM 5000 \+ 0", r"10\.020100 30000 0 kworker/1:1-29 WFSM 5000 \+ 8"], ["not recorded"]),
    # one step ends a flush without sectors, or a write at its place: it is not known which one
    ("blk-flush-dm", "latency --kind=block_queue",
     [r"11\.000000 12100~ 0 umount-96 WFS 0 \+ 8", r"11\.000400 39600~ 1 mysqld-300 FWS 0 \+ 0"], []),
    # a discard tells of its first range alone: others that it has end with it, writes do not
    ("blk-discard-multi", "latency --kind=block_queue",
     [r" 30000 0 fstrim-95 D 1000 \+ 8", r" 29000 0 fstrim-95 D 2000 \+ 8", r" 48000 1 mysqld-300 W 1008", r" 20000 0 fstrim-95 D 3000",
      r" 39000~ 0 fstrim-95 D 4000", r" 18000~ 1 mkfs.ext4-96 D 3008"], ["not recorded"]),
    # given back and merged with others, it is the same request
    ("blk-frontmerge", "latency --kind=block --open",
     [r" 20000 1 dd-95 W 1008 \+ 8, requeued", r" 10000 1 dd-95 W 3000 \+ 8, requeued", "without an end of their own.*: 1 "], ["~", "3008", "open"]),
    # it was with the device for five seconds, which then gave it back
    ("blk-requeue", "latency --kind=block", [r" 5004000 1 dd-95 R 1000 \+ 256, requeued"], []),
    # of one that was sent back, the first issue was before the trace, or lost; the other ones have their own
    ("blk-requeue-late", "latency --kind=block --open",
     [r"10\.100000 900000> 1 kworker/1:1H-77 R 1000 \+ 8, requeued", r" 30000 1 cp-97 R 1000 \+ 8 ", r" 10000 1 cp-97 WS 1000 \+ 8"],
     ["idle", "3000000", r"–"]),
    ("blk-requeue-late", "latency", [r"block 2 0 1 10000 "], []),
    # who polls may be woken by any interrupt
    ("poll-nic", "timeline --task=proxy --at=1.2", ["woken by an interrupt"], ["timer"]),
    # nosleep-time: calls begin with their entries, and durations leave out time off the CPU
    ("graph-nosleep", "latency --kind=call",
     [r"1\.000000 +50 +50 .*? vfs_read \(9\.000 ms off the CPU left out\) 1\.000010 +30 +30 .*? pipe_read \(9\.000 ms off",
      r"1\.009060 .*? vfs_write 1\.009070 .*? pipe_write ftop-trace: no interrupt"], [r"1\.009000 "]),
    ("graph-nosleep", "functions --format=csv", ["^function,.* vfs_read,1,50000,20000,50000,", " pipe_read,1,30000,30000,30000,"], []),
    ("graph-nosleep", "summary", [r"durations of calls leave out time off the CPU \(nosleep-time\)"], []),
    ("graph-nosleep", "graph", [r"1\.000000 0 \+ 50\.000 20\.000 50\.000 vfs_read"], []),
    # without its switches
    ("graph-nosleep-alone", "latency --kind=call",
     [r"71\.000000000 49\.100 .*? vfs_read \(2\.500 s off the CPU left out\)", r"71\.000010200 28\.300 .*? pipe_read \(2\.500 s"],
     [r"(mutex_lock|vfs_write|pipe_write) \("]),
    ("graph-nosleep-alone", "summary", ["durations of calls leave out"], ["self contains time off the CPU"]),
    ("graph-nosleep-preempted", "latency --kind=call", [r"1\.000000 50 50 .*? vfs_read \(30\.00 µs off the CPU left out\)"], ["asleep"]),
    # the kernel counted it, and the record of an exit was late
    ("graph-sleep", "latency --kind=call", [r"1\.000010 9030 30 .*? pipe_read ftop-trace: no interrupt was recorded: net contains those that there were"], ["left out"]),
    ("graph-sleep", "summary", [], ["leave out"]),
    # four of five milliseconds were an interrupt, which is recorded as two events
    # texts without flags: arrows, names of functions, timers and tasklets tell of interrupts; of the last ones not how long they took
    ("graph-arrows", "functions --format=csv",
     [" vfs_read,1,5000000,2000000,2000000,", " vfs_write,1,5000000,5000000,4000000,", " vfs_poll,1,5000000,4000000,3900000,"], []),
    ("graph-report-irqs", "functions --format=csv", [" vfs_read,1,5000000,2000000,2000000,", " vfs_write,1,5000000,5000000,4000000,"], []),
    ("graph-timers", "functions --format=csv",
     [" vfs_read,1,5000000,5000000,4000000,", " vfs_write,1,5000000,5000000,,", " vfs_fsync,1,5000000,5000000,,", " vfs_poll,1,5000000,5000000,,"], []),
    ("graph-irq", "functions --format=csv", [" vfs_read,1,5000000,5000000,1000000,"], ["no interrupt"]),
    ("graph-irq", "graph", [r"10\.000000 0 # 5000\.000 5000\.000 1000\.000 vfs_read"], ["no interrupt"]),
    ("graph-irq", "latency --kind=call", [r"10\.000000 5000 1000 0 app-100 vfs_read"], ["no interrupt"]),
    ("graph-irq", "count -F 'net == 1ms'", [" 1 100.0 funcgraph_exit"], []),
    # a task that is gone has nothing open: not its last call, nor one in which it was killed; but what a task still exits in
    ("exitgroup", "latency --kind=syscall --open", ["app-100 read = 0"], ["exit_group"]),
    ("exitgroup", "latency", ["syscall 1 0 0 "], []),
    ("exitgroup", "summary", ["syscall 1 0 "], []),
    ("exit-killed", "latency --kind=syscall --open", [r"1\.004000 – 1 killer-400 exit "], ["futex"]),
    ("exit-killed", "latency", ["syscall 1 1 0 "], []),
    ("exit-alone", "latency --kind=syscall --open", [r"1\.100000 – 0 b-200 read "], ["exit"]),
    ("exit-reused", "latency --kind=syscall --open", [r"2\.002000 – 0 sh-100 pause "], ["exit"]),
    # idle states with interrupts off are no latency, though kernels before 6.3 switch them on behind these alone
    ("irqdis-idle", "latency --kind=irqsoff", [r"1\.610000 50 0 app-10 "], ["idle"]),
    # arm64 up to 5.8: arch_cpu_idle() sleeps, then switches interrupts on
    ("irqdis-arch-idle", "latency --kind=irqsoff", [r"1\.310000 50 0 a-10 "], ["idle"]),
    # up to 4.13: D|N is TASK_IDLE, as of a kworker without work
    ("state-noload", "why --task=kw", [r"598000 .* asleep \(I\)"], [r"\(D\)", "block"]),
    ("state-noload", "latency", ["sleep 1 2 "], ["blocked"]),
    ("irqdis-idle", "latency", ["irqsoff 1 0 0 50 50 "], []),
    ("irqdis-idle", "summary", [r"irqsoff 1 0 50\.000 50\.000 1\.610000 app-10 "], []),
    ("irqdis-6.3", "latency --kind=irqsoff --open", [r"1\.700000 30 0 app-10 "], ["idle"]),
    ("preemptoff-idle", "latency --kind=preemptoff --open", [r"1\.400000 70 0 b-20 .*? 1\.500000 10 0 b-20 "], ["app-10"]),
    # where an end is missing, as with set_event_pid, there is no long instance: two switches, or a record with interrupts on
    ("irqsoff-pidfilter", "latency --kind=irqsoff --open", [r"1\.200000 30 0 app-10 foo.* 1\.300000 10 0 app-10 __sched"], [" 1.000000 "]),
    ("irqsoff-pidfilter", "latency", ["irqsoff 2 0 0 10 20 "], []),
    ("irqsoff-flags", "latency --kind=irqsoff --open", [r"1\.200000 30 0 app-10 "], [" 1.000000 "]),
    ("irqsoff-flags", "summary", [r"irqsoff 1 0 30\.000 30\.000 1\.200000 app-10 "], []),
    # an NMI does not tell
    ("irqsoff-nmi", "latency --kind=irqsoff", [r"1\.000000 100000 0 app-10 "], []),
    # of two starts, the first has no end; preemption was on, or not
    ("preemptoff-missing", "latency --kind=preemptoff --open", [r"1\.400000 10070 0 app-10 .* 1\.100000 30 0 app-10 "], [r" 1\.[02]00000 "]),
    # a deferrable timer may be late; kernels without flags do not tell
    ("deferrable", "latency", ["timer_late 60 0 0 0 0 0 0 0 0 0 0 "], []),
    ("deferrable-work", "latency", ["timer_late 60 0 0 0 0 0 0 0 0 0 0 "], []),
    ("deferrable-none", "latency", [r"timer_late 61 0 0 0 1311\.475 0 0 80000 "], []),
)

CASES += (
    # what a task chose, to sleep, is not the worst of its calls; a futex is where its time was over
    ("syscall-chosen", "summary", [r"syscall 6 0 – 8000\.000 3\.100000 app-100 futex ", "syscall: max leaves out sleeps"], []),
    ("syscall-chosen", "latency", ["syscall 6 0 0 5000 .* 1500000 2213000 "], []),
    ("syscall-chosen-open", "summary", [r"syscall 1 2 – – 2\.500000 srv-200 read "], ["app-100"]),
    ("syscall-chosen-all", "summary", ["syscall 1 0 – – – "], [r"900000\.000", "srv-200"]),
    # interrupts are of no task that they hit; a softirq that a call of the task itself ran is its own; idle is no work
    ("graph-interrupts", "functions --by=name",
     ["app 1 35.000 15.000 – .*? vfs_read ", "app 1 10.000 .*? net_rx_action ", "interrupts 1 20.000 15.000 .*? handle_irq_event ",
      "interrupts 2 8.000 8.000 .*? e1000_intr ", "interrupts 1 7.000 .*? rcu_core "], ["app [0-9. –]+ (handle_irq_event|e1000_intr|rcu_core) "]),
    ("graph-interrupts", "latency --kind=call --by=task", ["<idle> 1 0 0 9000 ", "app-100 4 0 0 10 33.750 ", "interrupts 4 0 0 3 8.750 "], []),
    ("graph-interrupts", "latency --kind=call --by=process", ["interrupts 4 0 0 3 8.750 "], []),
    ("graph-interrupts", "summary",
     [r"call 9 0 – 60\.000 1\.010000 vfs_write app-10", "starts function 1 60.000 60.000 1.010000 vfs_write",
      "max leaves out calls of the idle task", "self of functions leaves out 9000 us of the idle tasks' own calls"], []),
)

CASES += (
    # locks of contention_begin, which has an address and no holder
    ("lock-address", "latency --kind=lock --by=address", ["0xaaaa0001 1 0 0 10000 ", "0xbbbb0001 1 0 0 100000 ",
                                                          "0xffff8881bbbb0001 1 0 0 100000 "], []),
    ("lock-address", "latency --kind=lock --by=holder", ["not known 3 "], ["0x"]),
    # who waits to read a lock waits for others than who waits to write it
    ("rwsem-readers", "latency --kind=lock --by=address", [r"rwsem \(read\) 0xff30c5bcc10516f0 2 ", r"rwsem \(write\) 0xff30c5bcc10516f0 1 "], []),
    ("lock-recorded", "latency --kind=lock --by=address", ["0xffff888117ffb898 10 ", "0xffff888627c2ba40 11 ", "0xffff888627d2ba40 8 ",
                                                           "0xffff8882771351f8 2 "], []),
    # the kernel printed no address: not the lock at 0, and no other one
    ("lock-hidden", "latency --kind=lock --by=address", ["not known 2 ", "0xbbbb0001 1 "], [" 0x0 "]),
    ("lock-hidden", "latency --kind=lock --by=what", ["not known 2 ", "0xbbbb0001 1 "], [" 0x0 "]),
    ("lock-hidden", "latency --kind=lock", [r"100000 0 web-101 – \? READ"], [" 0x0 "]),
    # which of two nested waits ends is not known, if the locks are not
    ("lock-hidden-nested", "latency --kind=lock", [r"51000~ 0 app-100 – \? MUTEX"], [" 0x0", "51000 "]),
    # functions of two modules that have one name
    ("graph-modules", "graph", [r"do_it \[modA\]\(\) \{", r"do_it \[modB\]\(\);"], []),
    ("graph-modules", "functions", [r"1 100.000 99.000 (\S+ ){6}0 0 0 do_it \[modA\]", r"1 1.000 1.000 (\S+ ){5}0 0 0 do_it \[modB\]",
                                    r" 5.000 0 0 0 init_once \[ext4\]", r" 7.000 0 0 0 init_once \[fuse\]"], [r"do_it \d"]),
    ("function-modules", "graph",
     [r"do_it \[modA\]\(\) \{ \S+ 0 do_it \[modB\]\(\); \S+ 0 foo\(\); \} \S+ 0 do_it\(\) \{ \S+ 0 baz\(\); \}",
      r"bar\(\); /\* <-do_it \[modB\] \*/"], [r"<-do_it \*/"]),
    ("graph-modules", "functions --folded", [r"init_once \[ext4\] 5000 init_once \[fuse\] 7000", r"do_it \[modA\];do_it \[modB\] 1000"],
     []),
    ("graph-modules-exits", "graph", [r"<-caller_a\+0x1/0x20 \[modX\]", r"lost_it \[modA\]\(\);", r"vfs\(name=.a \[b\]\(c\)"], []),
    ("graph-modules", "functions --format=csv -F 'func == \"do_it [modA]\"'", [r" do_it \[modA\],1,100000,"], ["modB", "init_once"]),
    ("graph-modules", "functions --format=csv -F 'func ~ \"init_once [e*\"'", [r" init_once \[ext4\],1,5000,"], ["fuse", "do_it"]),
    ("perf-modules", "stacks", [r"1 50\.0 init_once \[ext4\]", r"1 50\.0 init_once \[fuse\]"], [r"kernel\]", "vdso"]),
    ("event-modules", "latency --kind=timer --by=what", [r"tick_it \[modA\] 1 0 0 10 ", r"tick_it \[modB\] 1 0 0 30 "], []),
    ("event-modules", "stacks --events", [r"1 50.0 read_it \[ext4\] 1 50.0 read_it \[fuse\]"], []),
    ("event-modules", "count -e function --by ip,parent_ip", [r"read_it \[ext4\] vfs \[ovl\]", r"read_it \[fuse\] vfs $"], []),
    # tracing_thresh: no entry was ever recorded, so none is lost
    ("graph-threshold", "graph", [r"! 700.000 100.000 – ksys_read\(\) \{ \S+ 0 ! 600.000 100.000 – vfs_read\(\) \{"], ["lost", "~"]),
    ("graph-threshold", "functions", [" 2 1400.000 200.000 .* 0 0 0 ksys_read"], []),
    ("graph-threshold", "functions --format=csv", ["new_sync_read,1,500000,500000,,500000,500000,500000,500000,500000,500000,0,0,0,0,"], []),
    ("graph-threshold", "latency --kind=call --by=leaf", ["not known 5 0 0 500 "], []),
    # what began before a loss ended may lack calls
    # no event tells of its end
    ("syscall-sigreturn", "latency --kind=syscall --open", [" 100000 0 web-101 write = 64"], ["rt_sigreturn", "–"]),
    # a threshold is 1 us or more
    ("graph-no-threshold", "functions", [" 0 1 1 do_syscall_64 ", " 0 1 1 fget"], ["tracing_thresh"]),
    ("graph-threshold-lost", "graph", ["10.000000 0 ! 600.000 100.000 ", "10.001200 0 !~ 700.000 k", "10.001200 0 !~ 600.000 v",
                                       "10.002400 0 ! 600.000 600.000 "], ["entry lost"]),
    # others have entries: it began in these calls
    ("graph-late", "graph", [r"!~ 700.000 ksys_read\(\) \{ /\* entry lost \*/", r"10.003000 0 ! 600.000 600.000 – vfs_read\(\);"], []),
    # what returns from a signal ends with the number -1
    ("sigreturn-recorded", "latency --kind=syscall --by=what", [r"NR 15 2 0 0 0.781 3.049 0.781 5.318 "], []),
    ("sigreturn-recorded", "latency", ["syscall 35 0 0 "], []),
    # so does what programs of 32 bits call; nothing else does, though the end of NR 0 is lost
    ("sigreturn-32bit", "latency --kind=syscall --by=what", ["NR 173 1 0 0 10 ", "NR 119 1 0 0 20 ", "NR 15 0 1 0 "], ["NR 0"]),
    ("sigreturn-32bit", "latency", ["syscall 2 1 0 10 15 10 20 20 20 20 30"], []),
    # the pair of the help: two disks have the same sector
    ("pair-two-devices", "latency --pair='io block_bio_queue block_bio_complete by dev,sector' --kind=io", [" 491000 1 cp-97 ", " 10000 0 dd-96 "],
     []),
    # interrupts come between events and their stacks
    ("stack-between", "stacks --events", [r"2 100.0 sys_enter 2 100.0 do_syscall_64 → syscall_trace_enter"], ["irq"]),
    # in each other, too; what follows lost events, or the stack of an event, is none of it
    # which event they are of is not known: the last one, or one that an interrupt hit; one that was lost
    ("stack-no-flags", "stacks --events", ["no flags: a stack behind events of an interrupt may be of an event before them"], []),
    ("stack-between", "stacks --events", [], ["no flags", "lost"]),
    ("stack-lost", "stacks --events", ["1 stack behind lost events: not counted"], ["no stack was recorded", "sys_enter", "no flags"]),
    ("stack-nested", "stacks --events", ["1 100.0 sys_enter 1 100.0 do_syscall_64", "1 100.0 softirq_entry 1 100.0 run_softirqs",
                                         "1 100.0 irq_handler_entry 1 100.0 eth_irq"], ["sys_enter 2"]),
)

CASES += (
    # sched_wakeup alone: it is recorded where the task then runs
    ("wakeup-both", "tasks --woken", [r"server-12417 +client-12371 \(context not known\) +9 +228 "], [r"\d>"]),
    ("wakeup-alone", "tasks --woken", [r"server-12417 +not known +9 +74> +8.222> +13>", "to record them: -e sched_waking"], ["idle"]),
    ("wakeup-alone", "wakeups", [" 7> server-12417 +0 +not known "], ["idle", "client-12371 (on|$)"]),
    ("wakeup-alone", "wakeups --format=json", ['"waker_pid":null,"waker_comm":null,.*?"context":"not known"'], ['"waker_pid":0']),
    ("wakeup-alone", "why --task=server", [r"asleep \(S\)", "to record them: -e sched_waking"], ["interrupt woke", "idle>"]),
    ("wakeup-alone", "latency", [r"wakeup +12 +1 +1 +2> +8.500> +7> .* 17> +102>"], []),
    ("wakeup-alone", "latency --kind=wakeup", [" 13> +0 server-12417 +not known "], ["idle"]),
    ("wakeup-alone", "latency --kind=wakeup --format=json", [r'"duration_ns":13000,[^}]*"at_least":1'], ["idle"]),
    ("wakeup-alone", "summary", [r"wakeup +12 +1 +17.000> +17.000> ", "no sched_waking events"], ["idle>"]),
    ("wakeup-alone", "timeline --task=server --at=7054.5565", ["woken by an unknown waker"], ["interrupt", "idle>"]),
    # by a task for another CPU, or for its own: known; in an interrupt, which another CPU may have sent: not
    ("wakeup-flags", "wakeups", ["near-300 +0 +local-100", "sent-400 +1 +not known", "far-500 +0 +sent-400",
                                 r"soft-600 +1 +softirq \(in sent-400\)"], ["hit-200"]),
    ("wakeup-flags", "tasks --woken", ["sent-400 +not known", "soft-600 +softirq"], ["hard irq"]),
    # that of a device, or a timer's function in it, is not
    ("wakeup-timer", "wakeups", ["timer hrtimer_wakeup .*irq eth0 .*not known"], ["ipi"]),
    ("wakeup-timer", "tasks --woken", ["naps-100 +hard irq +2 .*naps-100 +not known +1 "], []),
    # one sched_waking tells that they are recorded: where it is missing, the task was woken before
    ("wakeup-lost-waking", "wakeups", [r"1000> sent-400 +1 +not known", r" 1010 far-500 "], ["hit-200", "no sched_waking"]),
    # it was before the trace began
    ("begin-middle", "wakeups", ["400> server-200 +1 +not known", " 30 server-200 +1 +client-100"], ["interrupt", "no sched_waking"]),
    ("begin-middle", "why --task=server", ["430> .*400> CPU taken by hog-300"], []),
    ("begin-middle", "latency", ["wakeup 1 0 1 30 30 30 "], []),
    ("begin-middle", "latency --kind=wakeup", ["400> +1 +server-200 +not known"], []),
    ("begin-middle", "timeline --task=server --at=1.0003", ["woken by an unknown waker. It runs more than 400 µs later"], ["interrupt"]),
    ("wakeup-alone", "why --task=server", [" 74> .*13> woken, CPU still idle"], []),
    # who migrates a task wakes those that other CPUs have put in its CPU's queue
    ("stopper-flush", "wakeups", ["20> server-200 +1 +not known", "other-400 +0 +client-100", r"migration/1-20 +1 +hog-300"], []),
    ("stopper-flush", "why --task=server", [r"asleep \(S\)"], ["migration/1-20 woke"]),
    # a softirq of the client's own send, as softirq_raise tells; without that it may be another's
    ("loopback-raised", "why --task=200", ["9110 30.4 1 9110 asleep until client-100 woke it"], ["until softirq", "softirq_raise"]),
    ("loopback-raised", "tasks --woken", ["server-200 +client-100 +1 +40"], ["softirq"]),
    ("loopback-raised", "wakeups", ["server-200 +1 +client-100"], ["softirq"]),
    ("loopback-raised", "latency --kind=wakeup", ["server-200 +client-100"], ["softirq"]),
    ("loopback-raised", "tasks --format=json", ['"comm":"client".*?"woke":1,'], []),
    ("loopback-raised", "timeline --task=200 --at=1.0101", ["woken by client-100 on CPU 0"], ["softirq"]),
    ("loopback-raised", "timeline --format=json", ['"detail":"woken by 100"'], []),
    ("loopback", "why --task=200", ["until softirq 3 woke it", "to record that: -e irq:softirq_raise"], ["client"]),
    # an interrupt raised it as well, or alone; one on top of it wakes
    ("loopback-irq-too", "why --task=200", ["until softirq 3 woke it"], ["client", "softirq_raise"]),
    ("loopback-irq", "tasks --woken", ["server-200 +softirq"], ["client"]),
    ("loopback-on-top", "wakeups", [r"server-200 +1 +interrupt \(in client-100\)"], ["softirq"]),
    ("loopback-on-top", "tasks --woken", ["server-200 +hard irq"], ["client"]),
    # PREEMPT_RT: a softirq is paused where its task is switched out, and does not interrupt the task whose work it is
    ("rt-softirq", "latency --kind=softirq", ["1.001000 +1000 +0 +irq/27-eth0-50"], ["9000"]),
    ("rt-softirq", "latency", ["softirq +1 +0 +0 +1000 .* 1000 +1000 "], ["9000"]),
    ("rt-softirq", "cpus", [" 11000 – – 1000 "], [" 600"]),
    ("rt-softirq", "why --task=50", [" 3000 27.3 2 1600 runs"], ["interrupted"]),
    ("rt-softirq", "wakeups", [r"rtapp-300 +0 +interrupt \(in irq/27-eth0-50\)"], ["softirq"]),
    ("rt-softirq", "timeline --cpu=0 --at=1.0097", ["softirq 3 runs for 400 µs from 1.009600"], []),
    # it blocks, twice, in a task that is interrupted by it
    ("rt-softirq-other", "latency --kind=softirq", ["1.001000 +1200 +0 +app-50"], []),
    ("rt-softirq-other", "why --task=50", ["1200 .*interrupted by softirq 3"], []),
    ("rt-softirq-other", "cpus", [" 11000 – – 1200 "], []),
    # no PREEMPT_RT: its end was not recorded
    ("rt-softirq-not", "cpus", [" 11000 – – – "], [" 600 "]),
    # events are lost while it is paused: how long it ran is not known
    ("rt-softirq-lost", "latency --kind=softirq", [], ["9000", "1000 "]),
)

CASES += (
    # since Linux 6.8 nice tasks have a server with a deadline: whether the budget was used up is not known
    ("dl-fair-server", "why --task=dl", ["100000~ 5.6 ~2 50000~ kept from running .its time was used up, or the fair server"], ["budget", "throttled"]),
    ("dl-fair-server", "latency --kind=preempted", ["dl-100 kept from running"], ["budget"]),
    ("dl-fair-server", "tasks --preempted", ["dl-100 not known 2 "], ["throttled", "nice-300 2"]),
    # the servers' own timers have the same function; neither expires where dl runs at once
    ("dl-fair-server-timers", "why --task=dl", ["100000~ 5.6 ~2 50000~ kept from running"], ["budget", "throttled"]),
    ("dl-budget", "why --task=dl", [r"239970 47.9 3 79990 throttled \(its deadline budget was used up\) "], ["server"]),
    ("dl-budget", "tasks --preempted", ["dl-100 throttled 3 240000 "], ["not known"]),
    ("rt-fair-server", "why --task=rt", ["50000~ 2.8 ~1 50000~ kept from running"], ["throttled"]),
    # the timer is the other task's, which runs at once
    ("dl-two-lower", "why --task=dl", ["50000~ 25.0 ~1 50000~ kept from running"], ["budget", " taken by"]),
    ("dl-two-lower", "why --task=other", [r"29990 15.0 1 29990 throttled \(its deadline budget was used up\)"], ["server"]),
    # a priority that is inherited counts from then on; without its record it is not known since when
    ("other-boosted-midway", "why --task=mid", [r"28030 46.7 1 28030 CPU taken by low-200 \(CPU 1 was idle"], ["nice", "real-time", "although"]),
    ("boost-no-event", "why --task=mid", [r"by low-200 \(the longest: CPU 1 was idle", "higher-203 .real-time 89 goes before real-time 30;"],
     ["nice", "although"]),
    ("deboost-running", "why --task=mid", [r"by low-200 \(CPU 1 was idle"], ["nice", "real-time", "although"]),
    ("waiter-boosted", "why --task=low", [r"42790 71.3 2 22990 CPU taken by mid-201 \(the longest: CPU 1 was idle"], ["nice", "real-time"]),
    ("dl-boosted", "why --task=dl", [r"28030 46.7 1 28030 CPU taken by low-200 \(CPU 1 was idle"], ["nice", "deadline", "although"]),
    # it was moved behind a task that ran there
    ("rt-moved-equal", "why --task=rta", ["19980 66.6 1 19980 CPU taken by rtb-101 .both are real-time 50: equal priority, no"], ["round robin"]),
    ("rt-migrated-by-stopper", "why --task=rta", ["CPU taken by rtb-101 .both are real-time 50: equal priority, no"], ["round robin"]),
    ("rt-cpu-moved", "why --task=rt", ["CPU taken by rtb-101 .both are real-time 50: equal priority, no"], ["round robin"]),
    # silent in the stopper's thread: maybe it is at work, and is if it goes on recording, or if another task than idle comes next
    ("stopper-hang", "timeline --cpu=1 --at=1.5", ["CPU 1 was ~offline for 1.100 s", "CPU 1 ~offline for 1.100 s: nothing"], ["[^~]offline"]),
    ("stopper-ticks", "timeline --cpu=1 --at=1.95", ["CPU 1 running migration/1-21 since 1.000100, for 1.100 s"], ["offline"]),
    ("stopper-migrates", "timeline --cpu=1 --at=1.5", [r"CPU 1 running migration/1-21 since 1.000100; asleep \(S\) after 899.9 ms"], ["offline"]),
    ("stopper-stop20", "timeline --cpu=1 --at=1.5", ["not recorded after 999.9 ms, at 2.000000", "missing switches"], ["offline"]),
    # a thread executes a program: the pid is that of its process from then on
    ("exec-thread2", "tasks", ["100 sh 15900 – 100 10000 – 2 ", "101 thread 2500 – 200 300 – 1 ", "100 app 1300 – 200 1000 – 2 "], ["missing"]),
    ("exec-thread2", "why --task=100 --from=1.005", ["asleep until an interrupt woke it"], ["not recorded", "thread"]),
    # who wakes the tasks of a cgroup that it thaws wakes others, too
    ("thaw-other", "why --task=server", ["150200 50.1 1 150200 asleep until admin-50 woke it"], ["frozen"]),
    ("thaw-other2", "why --task=server", ["199200 66.4 1 199200 asleep until admin-50 woke it"], ["frozen"]),
    ("thaw-nofreeze-sleep", "why --task=server", ["150200 50.1 1 150200 asleep until admin-50 woke it"], ["frozen"]),
    # another task has that pid by now, as its birth, or only another name, shows
    ("pid-reuse-unseen", "tasks", ["100 new 49900 – 100 50000 – 1 ", "100 old 1000 – – – – 1 "], ["949000"]),
    ("pid-reuse-unseen", "why --task=100 --to=1.5", ["499000 99.8 1 499000 not recorded"], ["asleep"]),
    ("pid-reuse-comm", "why --task=100", ["899000 89.9 1 899000 not recorded"], ["asleep until"]),
    # between a sched_waking and the sched_wakeup that names another CPU it waits for none that is known
    ("waking-to-busy", "why --task=app", ["10000 25.0 1 10000 waits", "5000 12.5 1 5000 CPU taken by hog-200"], ["15000"]),
    ("waking-to-new-cpu-idle", "why --task=app", ["5000 12.5 1 5000 waits", "200 0.5 1 200 woken, CPU still idle"], ["52\\d\\d "]),
    # flags alone tell which kind of interrupt it was; of a hard one in a softirq, the hard one
    ("flag-softirq", "why --task=server", ["asleep until a softirq woke it", "to record them: -e irq "], ["interrupt woke", "client"]),
    ("flag-softirq", "wakeups", [r"softirq \(in client-100\)"], [r"interrupt \("]),
    # threads whose work softirqs are
    ("softirq-ksoftirqd", "timeline --task=server --at=1.0105", [r"woken by softirq 3 on CPU 0 \(in ksoftirqd/0-14\)"], ["interrupting"]),
    ("softirq-irq-thread", "timeline --task=server --at=1.00605", [r"woken by softirq 3 on CPU 0 \(in irq/27-eth0-50\)"], ["interrupting"]),
    # the idle task itself, as its flags say
    ("woke-idle", "wakeups", [r"app-100 0 <idle>"], ["interrupt"]),
    ("woke-idle", "timeline --task=app --at=1.02005", [r"woken by <idle>"], ["interrupt"]),
    ("woke-idle", "latency --kind=wakeup", [r"app-100 <idle>"], ["interrupt"]),
    ("flag-softirq", "timeline --task=server --at=1.0015", [r"woken by a softirq on CPU 0 \(interrupting client-100\)"], ["by an interrupt"]),
    ("flag-softirq", "timeline --format=json", [r'"detail":"woken by softirq \(in 100\)"'], []),
    ("flag-softirq", "latency --kind=wakeup", [r"server-200 +softirq \(in client-100\)"], []),
    ("flag-hard-in-softirq", "wakeups", [r"1\.002000 .*interrupt \(in client-100\) 1\.012000 .*interrupt \(in client-100\) 1\.022000 .*softirq \("], []),
    ("flag-nmi", "wakeups", [r"NMI \(in client-100\) .*NMI \(in client-100\) .*NMI \(in client-100\)"], ["interrupt"]),
    ("flag-nmi", "why --task=server", ["asleep until an NMI woke it"], ["client"]),
    ("flag-nmi", "tasks --woken", ["server-200 +NMI +3 "], []),
    # the NMI is on top of an interrupt that is recorded
    ("flag-nmi-over-irq", "wakeups", [r"NMI \(in client-100\)"], ["eth0"]),
    ("flag-nmi-over-irq", "why --task=server", ["asleep until an NMI woke it"], ["eth0"]),
    # texts without flags: a task, or an interrupt on top of it
    ("no-flags", "why --task=server", [r"asleep until client-100 \(context not known\) woke it"], []),
    ("no-flags", "tasks --woken", [r"server-200 +client-100 \(context not known\) +3 "], []),
    ("no-flags", "tasks --woken --format=json", ['"by_comm":"client",.*"context":"not known"'], []),
    ("no-flags-idle", "tasks --woken", [r"server-200 +<idle> \(context not known\) +3 "], []),
    ("no-flags-idle", "wakeups", [r"<idle> \(context not known\)"], ["interrupt"]),
    ("no-flags-idle", "why --task=server", [r"asleep \(S\)"], ["interrupt woke"]),
    # a record of the task tells that the interrupt had ended, whose end is missing
    ("stale-irq", "wakeups", ["server-200 +1 +client-100"], ["eth0"]),
    ("stale-irq", "cpus", ["0 700000 .* 700000 – – – 1 "], ["698000"]),
    ("stale-irq", "why --task=client", [" 700000 100.0 1 700000 runs"], ["eth0"]),
    ("stale-irq", "timeline --cpu=0 --at=1.3", ["running client-100"], ["eth0"]),
    ("stale-irq-softirq", "wakeups", [r"softirq \(in client-100\)"], ["eth0"]),
    ("stale-irq-interrupt", "wakeups", [r"interrupt \(in client-100\)"], ["eth0"]),
    ("stale-irq-lost", "wakeups", [r"interrupt \(in client-100\)", r"irq eth1 \(in client-100\)"], ["eth0"]),
    ("stale-irq-lost", "cpus", ["0 700000 .* 700000 – 20 – 1 "], []),
    ("stale-irq-lost", "why --task=client", [" 20 0.0 1 20 interrupted by irq eth1"], ["eth0"]),
    ("stale-softirq", "wakeups", ["server-200 +1 +client-100"], ["softirq"]),
    ("stale-softirq", "cpus", ["0 700000 .* 700000 – – – 1 "], ["698000"]),
    # a signal ended the sleep, as the call's return tells
    ("nanosleep-signal", "timeline --task=naps --at=1.003", ["woken by an interrupt on CPU 0"], ["timer"]),
    ("nanosleep-timer", "timeline --task=naps --at=1.003", ["woken by the timer interrupt on CPU 0"], []),
    ("nanosleep-alone", "timeline --task=naps --at=1.003", ["woken by an interrupt on CPU 0"], ["the timer"]),
)

# A thread that names itself after its birth has its last name in all sums, told by a record or by its switches alone.
CASES += tuple((trace, words, ["backup-101"], ["server-101"]) for trace in ("renamed", "renamed-unsaid") for words in (
    "tasks --preempted", "tasks --woken", "timeline", "why --blocked-by", "why --task=100", "why --task=101", "why --task=101 --sums",
    "latency --kind=wakeup --culprits", "latency --kind=preempted --culprits", "latency --kind=preempted --by=what",
    "latency --kind=syscall --by=task", "latency --kind=softirq --by=task", "latency --kind=wakeup --by=task"))
CASES += tuple((trace, words, ["backup"], []) for trace in ("renamed", "renamed-unsaid") for words in (
    "tasks", "tasks --by=name"))
CASES += (
    ("renamed", "latency --kind=syscall --by=task", [r"backup-101 \(was server\) 2 "], []),
    ("renamed", "latency --kind=syscall --by=task --format=csv", [r"backup-101,2,"], ["was"]),
    ("renamed", "latency --kind=preempted --culprits", [r"1 19900 86.5 19900 backup-101 \(was server\) \(nice 0\)"], []),
    # a moment has the name of then
    ("renamed", "latency --kind=syscall", [r"1.003200 10000 0 server-101 ", r"1.026100 1000 0 backup-101 "], []),
    ("renamed", "latency --kind=preempted", [r"1.003100 20000 0 server-100 server-101 "], []),
    ("renamed", "wakeups", [r"1.027000 3100 server-100 0 backup-101"], []),
    # two tasks that had one pid in turn are two rows
    ("pid-reuse-named", "latency --kind=syscall --by=task", ["first-100 1 0 0 1000 ", "then-100 1 0 0 500 "], ["was first"]),
)

# Of names, as no trace.dat of texts has them.
CASES += (
    # without power:cpu_idle
    ("irqdis-alone", "latency --kind=irqsoff", [r"1\.610000 50 0 app-10 foo"], ["idle"]),
    ("deferrable", "latency --kind=timer_late", [], ["delayed_work_timer_fn", " 80000 "]),
)

# As a trace.dat, too, which lacks names of functions that are not calls.
BOTH = ("graph-nosleep", "graph-nosleep-alone", "graph-nosleep-preempted", "graph-sleep", "exitgroup", "exit-killed", "exit-alone",
        "exit-reused", "irqdis-idle", "irqdis-6.3", "preemptoff-idle", "deferrable", "deferrable-work", "deferrable-none",
        "syscall-chosen", "syscall-chosen-open", "syscall-chosen-all", "graph-interrupts", "graph-irq")


# System calls by number: the machine, (pid, number, value returned) of calls 1 ms apart, and as above.  Numbers are the kernel's.
NUMBERS = (
    # a 32-bit program beside another one: 384 is arch_prctl there alone; 3 is read, and close of the other one
    ("x86_64", ((7, 3, 0), (7, 384, -22), (7, 3, -9), (7, 6, 0), (8, 3, 0), (8, 0, 1), (7, 403, 0)),
     ["task7-7 NR 3 = 0 ", "task7-7 arch_prctl = EINVAL ", "task7-7 read = EBADF ", "task7-7 close = 0 ", "task8-8 close = 0 ",
      "task8-8 read = 1 ", "task7-7 clock_gettime64 = 0 "], []),
    ("aarch64", ((7, 322, 3), (7, 4, 1), (7, 397, 0), (8, 56, 3), (8, 64, 1)),
     ["task7-7 openat = 3 ", "task7-7 write = 1 ", "task7-7 statx = 0 ", "task8-8 openat = 3 ", "task8-8 write = 1 "], []),
    # nothing shows it, and a call that is too new for us
    ("x86_64", ((8, 3, 0), (8, 0, 1), (8, 600, 0), (8, 335, 0)), ["close = 0 ", "read = 1 ", "NR 600 = 0 "], ["NR 3 "]),
    ("riscv64", ((8, 63, 1), (8, 384, -38)), ["read = 1 ", "NR 384 = ENOSYS "], []),
)

# What record -P, -F, -c and --cpu write into the file, the trace, and as above.
RECORDED = (
    # of a alone: others ran, waited and slept for nobody knows how long; b's run is not from 1.002 to 1.015 on two CPUs
    ("only 1", "only-pid", "tasks",
     ["1 a 4000.000 – 3000.000 9000.000 – 2 0 0 1 3000.000 – ", "2 b – – – – – 1 0 0 0 – – ", "4 d – – – – – 0 0 0 1 – – ",
      "5 e – – – – – 1 0 0 1 – – ",
      "only some tasks were recorded: of others no times are known"], ["missing", "~"]),
    ("only 1", "only-pid", "tasks --format=json", ['"pid":2,"comm":"b","run_ns":null,"run_cut_ns":null,"wait_ns":null,"sleep_ns":null,'], []),
    ("only 1", "only-pid", "latency", ["wakeup 1 0 0 3000.000 ", "sleep 1 1 0 7000.000 "], ["preempted"]),
    ("only 1", "only-pid", "cpus", [" 0 – – – – – – 4000.000 – "], ["~"]),
    ("only 1", "only-pid", "summary", ["a-1 4000.000 ", "0 >22.2 4000.000 3 – – "], ["b-2", "missing"]),
    # and of what it makes
    ("only 1\nonly_children 1", "only-pid", "tasks", ["1 a 4000.000 – 3000.000 9000.000 ", "5 e 3000.000 – 2000.000 – – 1 0 0 1 2000.000 – ", "2 b – – – "], []),
    # of CPUs 0 and 1 alone
    ("without 2 ", "only-pid", "latency", ["wakeup 0 1 2 – ", "sleep 0 3 1 – ", "some CPUs were not recorded: what lasted is doubtful"], []),
    ("without 2 other", "only-pid", "latency", [], ["some CPUs"]),
)

TWO_BOOTS = r"CPU 1 has records of two boots: its clock goes back from 9.252255737 to 0.791175119, so its first 77 records are of an older boot"
CPU_0_LEFT = "nothing is left of CPU 0: the boot before recorded no events there, or they are lost"

# Buffers that outlasted a reboot (tests/data/boots): marks of phase 1 (ph1) are of an older boot, and CPU 0 wrote some, too.
BOOTS = (
    ("two-boots", "info", [TWO_BOOTS], ["nothing is left"]),
    ("two-boots", "summary", [TWO_BOOTS], ["nothing is left"]),
    ("two-boots", "report -F print", [TWO_BOOTS, "ph1 cpu1 tick 6", "ph2 cpu1 tick 1"], ["CPU 0 has"]),
    ("two-boots", "report --head=1", [TWO_BOOTS], []),
    ("last-boot-cpu1", "info", [CPU_0_LEFT], ["of two boots"]),
    ("last-boot-cpu1", "summary", [CPU_0_LEFT], ["of two boots"]),
)


def recorded(folder, lines, trace, words, said, unsaid):
    plain, path = (os.path.join(folder, name) for name in ("plain.dat", "recorded.dat"))
    run([PROGRAM, "cut", "--force", "-o", plain, os.path.join(DATA, "sentences", trace + ".txt")])
    private_section.with_blocks(plain, path, {"saved_tgids": b"", "tasks": lines.encode() + b"\n"})
    case(path, words, said, unsaid)


def numbered(path, machine, calls, said, unsaid):
    fields = [("long id", 8, 8, 1), ("unsigned long args[6]", 16, 48, 0)]
    graph_traces.FORMATS[1:] = [("raw_syscalls", [
        graph_traces.format_text("sys_enter", 400, fields, '"NR %ld", REC->id'),
        graph_traces.format_text("sys_exit", 401, [fields[0], ("long ret", 16, 8, 1)], '"NR %ld = %ld", REC->id, REC->ret')])]
    records = []
    for nr, (pid, number, value) in enumerate(calls):
        start = 10**9 + nr * 10**6
        records.append((start, graph_traces.common(400, 0, pid) + struct.pack("<q6Q", number, 3, 4096, 10, 0, 0, 0)))
        records.append((start + 1000, graph_traces.common(401, 0, pid) + struct.pack("<qq", number, value)))
    graph_traces.write(path, [records], uname="Linux host 6.1.0 " + machine)
    case(path, "latency --kind=syscall", said, unsaid)
    if machine == "aarch64":
        case(path, "latency --kind=syscall --by=what", ["openat 1 0 .* openat 1 0 "], [])


def case(path, words, said, unsaid):
    done = subprocess.run([PROGRAM, *shlex.split(words), path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    out = re.sub(r"\s+", " ", done.stdout.decode())
    for text in said:
        if not re.search(text, out):
            raise Failure("%r is not said: %s" % (text, out))
    for text in unsaid:
        if re.search(text, out):
            raise Failure("%r is said: %s" % (text, out))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as tmp:
        for trace, words, said, unsaid in CASES:
            text, binary = os.path.join(DATA, "sentences", trace + ".txt"), os.path.join(tmp, trace + ".dat")
            tap.case("%s, %s" % (trace, words), case, text, words, said, unsaid)
            if trace in BOTH:
                run([PROGRAM, "cut", "--force", "-o", binary, text])
                tap.case("%s, %s, of a trace.dat" % (trace, words), case, binary, words, said, unsaid)
        for lines, trace, words, said, unsaid in RECORDED:
            tap.case("%s, %s: %r" % (trace, words, lines), recorded, tmp, lines, trace, words, said, unsaid)
        for machine, calls, said, unsaid in NUMBERS:
            tap.case("system calls of %s by number: %s" % (machine, calls), numbered, os.path.join(tmp, "numbers.dat"), machine, calls, said, unsaid)
        for trace, words, said, unsaid in BOOTS:
            tap.case("%s, %s" % (trace, words), case, os.path.join(DATA, "boots", trace + ".dat"), words, said, unsaid)
    tap.end()


main()
