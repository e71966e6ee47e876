#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# symbols - names for user space on this machine; see symbols.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/symbols.py" "$@"
