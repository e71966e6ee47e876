#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bench.py runs in the virtual machine: the recorder's part of the bench, on a disk of its own.
. /vm/guard.sh || exit 2

dd if=/dev/zero of=/tmp/disk.img bs=1M count=0 seek=400 2>/dev/null
/usr/local/bin/mke2fs -q -t ext4 -F /tmp/disk.img
mkdir -p /mnt/t && mount -o loop -t ext4 /tmp/disk.img /mnt/t || exit 1
# The loads are small here: symbols, of which both write as many, would be most of what is written.
echo 2 >/proc/sys/kernel/kptr_restrict
read -r rounds loops </vm/bench
sh /vm/recorder.sh /usr/local/bin/ftop-trace /usr/local/bin/record_probe /mnt/t "$rounds" "$loops"
