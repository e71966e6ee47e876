#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tap-driver - runs one test program for make check and counts its cases.
#
# A test program prints TAP: a plan "1..N", then "ok" or "not ok" for each case.
# Automake's own driver takes cmocka's "not ok N # SKIP name" for a failure, and
# would let a skip pass without a reason; this one wants the reason, either as
# "ok N - name # SKIP reason" or in a line "skipped: reason" before the case.
# No plan, fewer cases than planned, a crash and a time-out are failures too.  The time-out ends a
# program that hangs; no test may come near it.  What is told is the time on a CPU, which other work
# on the machine hardly changes.
set -u

test_name= log_file= trs_file=
while [ $# -gt 0 ]; do
	case $1 in
	--test-name)	test_name=$2; shift 2 ;;
	--log-file)	log_file=$2; shift 2 ;;
	--trs-file)	trs_file=$2; shift 2 ;;
	--)		shift; break ;;
	--*)		shift 2 ;;	# colours, expected failures: not used here
	*)		break ;;
	esac
done

seconds=${FTOP_TEST_TIMEOUT:-3600}
timeout --kill-after=10 "$seconds" "$@" >"$log_file" 2>&1 </dev/null
status=$?
times >"$trs_file"	# in its second line that of the program, for itself and in the kernel
cpu=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.1f", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$trs_file")

awk -v cpu="$cpu" -v name="$test_name" -v status="$status" -v seconds="$seconds" -v trs="$trs_file" '
function result(kind, what) {
	print ":test-result: " kind " " what > trs
	count[kind]++
	if (kind != "PASS")
		detail = detail "    " (kind == "FAIL" ? "failed" : "skipped") ": " what "\n"
}
function case_name(line) {		# what stands behind "ok 12 - "
	sub(/^(not )?ok *[0-9]* *(- *)?/, "", line)
	return line
}
/^1\.\.[0-9]+/ {
	planned = 1
	plan = substr($1, 4) + 0
	want += plan
	if (plan == 0 && match($0, /# *SKIP */)) {
		result("SKIP", substr($0, RSTART + RLENGTH))
		seen--
	}
	next
}
/^skipped: / { reason = substr($0, 10) }
/^(not )?ok([ \t]|$)/ {
	seen++
	if (match($0, /# *SKIP */)) {
		text = substr($0, RSTART + RLENGTH)
		what = case_name(substr($0, 1, RSTART - 1))
		sub(/ +$/, "", what)
		if (what == "")		# cmocka puts the name behind the mark
			what = text
		else if (text != "")
			reason = text
		if (reason == "")
			result("FAIL", what " (skipped without saying why)")
		else
			result("SKIP", what ": " reason)
		reason = ""
		next
	}
	result($1 == "ok" ? "PASS" : "FAIL", case_name($0))
	next
}
/^Bail out!/ { result("FAIL", $0) }
END {
	if (status == 124 || status == 137)
		result("FAIL", "stopped after " seconds " s")
	else if (status > 128)
		result("FAIL", "killed by signal " status - 128)
	if (!planned)
		result("FAIL", "no test plan: nothing can be said of what it ran")
	else if (seen >= 0 && (seen != want || want == 0))
		result("FAIL", sprintf("ran %d of %d cases", seen, want))
	if (status != 0 && !count["FAIL"])
		result("FAIL", "exit status " status)

	all = count["FAIL"] ? "FAIL" : count["PASS"] ? "PASS" : "SKIP"
	print ":global-test-result: " all > trs
	print ":recheck: " (all == "FAIL" ? "yes" : "no") > trs
	print ":copy-in-global-log: " (all == "FAIL" ? "yes" : "no") > trs
	printf "%s: %s (%d passed", all, name, count["PASS"]
	if (count["FAIL"])
		printf ", %d failed", count["FAIL"]
	if (count["SKIP"])
		printf ", %d skipped", count["SKIP"]
	printf ", %s s)\n%s", cpu, detail
	exit all == "FAIL"
}' "$log_file" || {
	echo "    of $log_file, the lines before each failure, and its end:"
	{ grep -a -B 30 '^not ok' "$log_file" | head -n 200; echo ...; tail -n 10 "$log_file"; } | sed 's/^/    | /'
}
exit 0
