#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# live_faults - faults during ftop-trace live, and what remains of the recording; see live_faults.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/live_faults.py" "$@"
