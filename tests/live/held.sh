#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# held - recordings of which a thread or a helper process does not go on; see held.py
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/held.py" "$@"
