#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# faults - records on this machine, and lets one call fail in each recording; see tests/attack/faults.py
here=$(cd "$(dirname "$0")" && pwd)
export FTOP_BUILD="${FTOP_BUILD:-$here/../../build-gcc}" FTOP_TEST_DATA="${FTOP_TEST_DATA:-$here/../data}"
exec "$here/mounted.sh" "$here/../attack/faults.py" --record
