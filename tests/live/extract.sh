#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# extract - extracts buffers of this machine; see extract.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/extract.py" "$@"
