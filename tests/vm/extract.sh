#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# extract - buffers that others filled on whole kernels, in virtual machines; see extract.py
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/extract.py" "$@"
