#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record - records on whole kernels, in a virtual machine; see record.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/record.py" "$@"
