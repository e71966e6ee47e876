#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# static - the program as one file, in a folder that holds nothing else; see static.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/static.py" "$@"
