#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-kernel.sh - builds the kernel with every tracer from Debian's sources
#
# usage: build-kernel.sh DIR	makes DIR/vmlinuz, DIR/config, and DIR/tracers.config: what it was made from
#
# The newest linux-source package that apt knows is unpacked below DIR.new, built with
# tracers.config by nice'd compilers, and removed again: 2 GB of disk while it runs, on
# two CPUs a quarter of an hour.  Needs gcc, make, flex, bison, bc, libelf-dev, xz-utils.
set -eu
[ $# = 1 ] || { sed -n '6p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
work=$dir.new

rm -rf "$work"
mkdir -p "$work/deb" "$work/src"
cd "$work/deb"
name=$(apt-cache depends linux-source 2>/dev/null | sed -n 's/^ *Depends: \(linux-source-[0-9.]*\)$/\1/p' | head -n 1)
[ -n "$name" ] || { echo "build-kernel.sh: apt knows no linux-source package" >&2; exit 1; }
echo "build-kernel.sh: downloading $name" >&2
apt-get -qq -o APT::Sandbox::User=root download "$name"
dpkg-deb -x linux-source-*.deb root
tar -C "$work/src" --strip-components=1 -xf root/usr/src/linux-source-*.tar.xz
rm -rf "$work/deb"

cd "$work/src"
make -s allnoconfig >/dev/null
scripts/kconfig/merge_config.sh -m .config "$here/tracers.config" >/dev/null 2>&1
make -s olddefconfig >/dev/null
echo "build-kernel.sh: building $(make -s kernelversion)" >&2
nice make -s -j"$(nproc)" bzImage >"$work/build.log" 2>&1 || {
	tail -n 30 "$work/build.log" >&2
	exit 1
}
cp arch/x86/boot/bzImage "$work/vmlinuz"
cp .config "$work/config"
cp "$here/tracers.config" "$work/"
cd /
rm -rf "$work/src" "$work/build.log" "$dir"
mv "$work" "$dir"
