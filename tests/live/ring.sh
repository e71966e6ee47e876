#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ring - live over a ring that drops its beginning, on this machine; see ring.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/ring.py" "$@"
