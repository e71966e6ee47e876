#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record - records on this machine; see record.py
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/record.py" "$@"
