#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record - records with every tracer of a whole kernel, in a VM.  Prints TAP.
#
# usage: record.sh [KERNEL...]	kernels as vm-run takes them; default: cloud, and with FTOP_TEST_LONG rt too
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
vm=${FTOP_SHARED:-$top/../shared}/vm/vm-run
skip() { echo "1..0 # SKIP $1"; exit 0; }
for build in "${FTOP_BUILD:-}" "$top/build-run" "$top/build-gcc" "$top/build"; do
	[ -n "$build" ] && [ -x "$build/ftop-trace" ] && break
done
[ -x "$build/ftop-trace" ] || skip "ftop-trace is not built"
[ -x "$vm" ] || skip "no vm-run"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
command -v trace-cmd >/dev/null || skip "no trace-cmd"
[ $# -gt 0 ] || set -- cloud ${FTOP_TEST_LONG:+rt}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
nr=0
failed=0
for kernel; do
	for try in 1 2; do	# a boot under emulation fails by itself now and then
		rm -rf "$out/vm"
		"$vm" -k "$kernel" -t 900 -i "$build/ftop-trace=/bin/ftop-trace" -i "$(command -v trace-cmd)" -i /usr/lib/x86_64-linux-gnu/traceevent \
			-o "$out/vm" "$top/tests/vm/record-in-vm.sh" in-the-vm ${FTOP_VM_TESTS:-} >"$out/log" 2>&1
		status=$?
		[ $status = 125 ] || break
		echo "# $kernel: the VM failed by itself; once more"
	done
	grep -v '^1\.\.' "$out/log" | sed -n 's/^ok - \(.*\)/ok \1/p; s/^not ok - \(.*\)/not ok \1/p; s/^#.*/&/p' >"$out/tap"
	while read -r line; do
		case $line in
		ok*)	nr=$((nr + 1)); echo "ok $nr - $kernel: ${line#ok }" ;;
		not*)	nr=$((nr + 1)); failed=1; echo "not ok $nr - $kernel: ${line#not ok }" ;;
		*)	echo "$line" ;;
		esac
	done <"$out/tap"
	if ! grep -q '^# done' "$out/log"; then
		nr=$((nr + 1)); failed=1
		tail -n 20 "$out/log" | sed 's/^/# /'
		echo "not ok $nr - $kernel: the VM came to its end (status $status)"
	fi
	[ -z "${FTOP_VM_KEEP:-}" ] || cp -r "$out/vm" "$FTOP_VM_KEEP"
done
echo "1..$nr"
exit $failed
