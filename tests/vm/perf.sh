#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf - one workload recorded by perf and by ftop-trace at the same time, in a virtual machine; see perf.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/perf.py" "$@"
