#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mounted TEST [ARG...] - the python test TEST, which sees tracefs: where it is not mounted, root
# mounts it for the test alone.  What the kernel refuses, the test tells as its reason to skip.
tracing=/sys/kernel/tracing
set -- "${PYTHON:-python3}" "$@"
if [ "$(id -u)" = 0 ] && [ ! -e $tracing/available_events ] && unshare -m true 2>/dev/null; then
	exec unshare -m sh -c "mount -t tracefs tracefs $tracing 2>/dev/null"'; exec "$@"' sh "$@"
fi
exec "$@"
