#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# live_faults - what live leaves behind, whatever ends a part of it; see live_faults.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/live_faults.py" "$@"
