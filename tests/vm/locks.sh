#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# locks - who holds a lock, of locks of which it is known, in a virtual machine; see locks.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/locks.py" "$@"
