#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tap-driver - what the driver of make check must take for a failure, it does.
# Prints TAP.  Each case is a small program and the results it must give.
set -u
driver=$(dirname "$0")/../tap-driver.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
nr=0

check() {	# DESCRIPTION PROGRAM RESULTS, one a line as in a .trs file
	nr=$((nr + 1))
	sh "$driver" --test-name planted --log-file "$folder/log" \
		--trs-file "$folder/trs" --color-tests no -- sh -c "$2" >"$folder/said" 2>&1
	sed -n 's/^:test-result: //p' "$folder/trs" >"$folder/got"
	if [ "$(cat "$folder/got")" = "$3" ]; then
		echo "ok $nr - driver: $1"
	else
		sed 's/^/# got: /' "$folder/got"
		echo "not ok $nr - driver: $1"
	fi
}

check "cases that pass" 'echo 1..2; echo ok 1 - one; echo ok 2 - two' \
	"PASS one
PASS two"
check "a case that fails" 'echo 1..2; echo ok 1 - one; echo not ok 2 - two; exit 1' \
	"PASS one
FAIL two"
check "a plan at the end" 'echo ok 1 - one; echo 1..1' "PASS one"
check "no plan" 'echo ok 1 - one' \
	"PASS one
FAIL no test plan: nothing can be said of what it ran"
check "fewer cases than planned" 'echo 1..2; echo ok 1 - one' \
	"PASS one
FAIL ran 1 of 2 cases"
check "nothing was run" 'echo 1..0' "FAIL ran 0 of 0 cases"
check "no output at all" 'true' "FAIL no test plan: nothing can be said of what it ran"
check "a crash" 'echo 1..1; echo ok 1 - one; kill -s SEGV $$' \
	"PASS one
FAIL killed by signal 11"
check "an exit status without a failed case" 'echo 1..1; echo ok 1 - one; exit 3' \
	"PASS one
FAIL exit status 3"
export FTOP_TEST_TIMEOUT=1
check "a program that hangs" 'exec sleep 100000' \
	"FAIL stopped after 1 s
FAIL no test plan: nothing can be said of what it ran"
unset FTOP_TEST_TIMEOUT
check "a skip with its reason" 'echo 1..1; echo "ok 1 - one # SKIP no disk"' "SKIP one: no disk"
check "cmocka's skip, with a reason before it" \
	'echo 1..1; echo "skipped: no disk"; echo "not ok 1 # SKIP test_one"' \
	"SKIP test_one: no disk"
check "cmocka's skip without a reason" 'echo 1..1; echo "not ok 1 # SKIP test_one"' \
	"FAIL test_one (skipped without saying why)"
check "a reason serves one skip only" \
	'echo 1..2; echo "skipped: no disk"; echo "not ok 1 # SKIP a"; echo "not ok 2 # SKIP b"' \
	"SKIP a: no disk
FAIL b (skipped without saying why)"
check "a program that skips all" 'echo "1..0 # SKIP no tmux"' "SKIP no tmux"
check "bailing out" 'echo 1..1; echo "Bail out! no program"; exit 1' \
	"FAIL Bail out! no program
FAIL ran 0 of 1 cases"
echo "1..$nr"
