#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# openings - what the commands that record open for writing; see ../program/openings.py
export PYTHON="${PYTHON:-/usr/bin/python3}"
export FTOP_BUILD="${FTOP_BUILD:-build-gcc}"
exec "$(dirname "$0")/mounted.sh" "$(dirname "$0")/../program/openings.py" live
