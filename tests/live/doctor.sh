#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor - doctor and list on this machine's kernel; see doctor.py
exec "${PYTHON:-python3}" "$(dirname "$0")/doctor.py" "$@"
