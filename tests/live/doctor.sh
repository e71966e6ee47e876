#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor - doctor and list on this machine's kernel; see doctor.py
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/doctor.py" "$@"
