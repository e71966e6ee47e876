#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# text - live --text on this machine; see text.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/text.py" "$@"
