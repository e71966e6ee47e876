#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor - doctor and list on whole kernels, in a virtual machine; see doctor.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/doctor.py" "$@"
