#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# offcpu - one workload seen by bcc's offcputime and by ftop-trace at the same time, in a virtual machine; see offcpu.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/offcpu.py" "$@"
