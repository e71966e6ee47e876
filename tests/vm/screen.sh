#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# screen - the record screen on whole kernels, in a virtual machine; see screen.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/screen.py" "$@"
