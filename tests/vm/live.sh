#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# live - the live tests on a kernel in a virtual machine; see live.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/live.py" "$@"
