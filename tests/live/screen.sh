#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# screen - records from the screen on this machine; see screen.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/screen.py" "$@"
