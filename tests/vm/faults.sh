#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# faults - recordings that end early in every way there is, in a virtual machine; see faults.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/faults.py" "$@"
