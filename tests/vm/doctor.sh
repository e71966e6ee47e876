#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# doctor - doctor and list on whole kernels that nobody traced on yet
#
# usage: doctor.sh [KERNEL...]	as vm-run -k takes them; default: $FTOP_VM_KERNELS, else cloud
#
# Runs tests/vm/doctor-payload.sh, which prints TAP, in each.  Needs qemu and the
# runner of ../shared/vm; without them all is skipped and says why.
set -u
cd "$(dirname "$0")/../.." || exit 1
vm_run=${FTOP_SHARED:-../shared}/vm/vm-run
program=
for build in "${FTOP_BUILD:-}" build-gcc build; do
	[ -n "$program" ] || [ ! -x "$build/ftop-trace" ] || program=$build/ftop-trace
done
[ $# -gt 0 ] || set -- ${FTOP_VM_KERNELS:-cloud}

skip() { echo "ok 1 - doctor in a VM # SKIP $1"; echo 1..1; exit 0; }
[ -n "$program" ] || skip "ftop-trace is not built"
[ -x "$vm_run" ] || skip "no runner of virtual machines: $vm_run"
command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip "busybox is not installed"

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
nr=0
for kernel; do
	"$vm_run" -k "$kernel" -t 400 -i "$program=/usr/local/bin/ftop-trace" tests/vm/doctor-payload.sh in-the-vm >"$out" 2>"$out.err"
	status=$?
	# A boot under emulation can fail by itself.
	if [ $status = 125 ]; then
		echo "# $kernel: no result, tried again"
		"$vm_run" -k "$kernel" -t 400 -i "$program=/usr/local/bin/ftop-trace" tests/vm/doctor-payload.sh in-the-vm >"$out" 2>"$out.err"
		status=$?
	fi
	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			nr=$((nr + 1))
			echo "${line%%ok *}ok $nr - $kernel: ${line#*ok - }" ;;
		*)	echo "# $line" ;;
		esac
	done <"$out"
	nr=$((nr + 1))
	if [ $status = 0 ]; then
		echo "ok $nr - $kernel: all of it ran"
	else
		sed 's/^/# /' "$out.err"
		echo "not ok $nr - $kernel: status $status"
	fi
	rm -f "$out.err"
done
echo "1..$nr"
