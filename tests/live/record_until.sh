#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record_until - record --until on this machine; see record_until.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/record_until.py" "$@"
