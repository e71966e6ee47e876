#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# recipes - builds the recipes of share/packages, and validates what desktops read.  Prints TAP.
#
# Each recipe builds what make dist packs: rpmbuild runs the .spec and makepkg the PKGBUILD, as they would on
# Fedora and Arch, but without asking for the packages of these (--nodeps).  The functions of APKBUILD run
# without abuild, flake.nix is evaluated with a nixpkgs that has nothing but names.
set -u -o pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
recipes=$top/share/packages
build=${FTOP_BUILD:-$top/build-gcc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
version=$(sed -n 's/^AC_INIT(\[ftop-trace\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
tarball=ftop-trace-$version.tar.xz
MAKEFLAGS=-j$(nproc)
export MAKEFLAGS
nr=0
failed=0

check() {		# TOOL WHAT COMMAND...: a case; the end of what it printed, if it fails
	local tool=$1 what=$2
	shift 2
	nr=$((nr + 1))
	if ! command -v "$tool" >/dev/null; then
		echo "ok $nr - $what # SKIP there is no $tool"
	elif "$@" >"$work/log" 2>&1; then
		echo "ok $nr - $what"
	else
		tail -n 40 "$work/log" | sed 's/^/# /'
		echo "not ok $nr - $what"
		failed=1
	fi
}

# --- what is installed for desktops ----------------------------------------
mime_database() {
	mkdir -p "$work/mime/packages" && cp "$top/share/ftop-trace.xml" "$work/mime/packages" || return
	! update-mime-database "$work/mime" 2>&1 | grep Error && grep ':trace.dat$' "$work/mime/globs2"
}

check desktop-file-validate "the menu's entry is valid" desktop-file-validate "$top/share/ftop-trace.desktop"
# the program that a unit starts is not installed here
for unit in ftop-trace-boot ftop-trace-flight; do
	sed -e 's,^ExecStart=ftop-trace ,ExecStart=/bin/true ,' -e /^Documentation/d "$top/share/$unit.service" >"$work/$unit.service"
	check systemd-analyze "$unit.service is valid" systemd-analyze verify "$work/$unit.service"
done
check appstreamcli "the AppStream metadata are valid" appstreamcli validate --no-net "$top"/share/*.metainfo.xml
check xmllint "the XML files are well-formed" xmllint --noout "$top/share/ftop-trace.xml" "$top"/share/*.metainfo.xml
check update-mime-database "the MIME types are valid" mime_database

# --- what recipes say ------------------------------------------------------
has_version() {		# FILE EXPRESSION: whose group is the version
	local found
	found=$(sed -n "s/$2/\1/p" "$top/$1" | head -n 1)
	[ "$found" = "$version" ] && return
	echo "$1: version ${found:-none}, but $version in configure.ac"
	return 1
}

same_version() {
	local bad=0
	has_version NEWS '^ftop-trace \([0-9.]*\) .*' || bad=1
	has_version debian/changelog '^ftop-trace (\(.*\)) .*' || bad=1
	has_version "share/${metainfo##*/}" '.*<release version="\([^"]*\)".*' || bad=1
	has_version share/packages/ftop-trace.spec '^Version: *\(.*\)' || bad=1
	has_version share/packages/ftop-trace.spec '^\* .*> - \(.*\)-1$' || bad=1
	has_version share/packages/PKGBUILD '^pkgver=\(.*\)' || bad=1
	has_version share/packages/APKBUILD '^pkgver=\(.*\)' || bad=1
	has_version flake.nix '^ *version = "\(.*\)";' || bad=1
	return $bad
}
metainfo=$(echo "$top"/share/*.metainfo.xml)

modules() {		# of configure.ac: NAME [VERSION]
	sed -n 's/.*PKG_CHECK_MODULES(\[[A-Z0-9]*\], \[\([^] ]*\)\( >= \([^]]*\)\)\?\].*/\1 \3/p' "$top/configure.ac"
}

# The names of each distribution are in the table of share/packages/README.md.
packages_of() {		# LIBRARY: sets debian, arch, alpine, nix
	IFS='|' read -r _ _ debian arch alpine nix _ < <(grep "^| \`$1\` |" "$recipes/README.md" | tr -d '` ')
	[ -n "$nix" ]
}

has_libraries() {
	local library at_least debian arch alpine nix bad=0
	while read -r library at_least; do
		packages_of "$library" || { echo "share/packages/README.md: no line for $library"; bad=1; continue; }
		grep -q "^ $debian\b" "$top/debian/control" || { echo "debian/control: no $debian"; bad=1; }
		grep -q "'$arch'" "$recipes/PKGBUILD" || { echo "PKGBUILD: no $arch"; bad=1; }
		grep -q "^	$alpine\$\|\"$alpine\"" "$recipes/APKBUILD" || { echo "APKBUILD: no $alpine"; bad=1; }
		grep -q "pkgs\.$nix\b" "$top/flake.nix" || { echo "flake.nix: no $nix"; bad=1; }
		[ "$library" != libiberty ] || continue	# it has no module
		grep -q "^BuildRequires: *pkgconfig($library)${at_least:+ >= $at_least}\$" "$recipes/ftop-trace.spec" || {
			echo "ftop-trace.spec: no pkgconfig($library)${at_least:+ >= $at_least}"; bad=1; }
	done < <(modules; echo libiberty)
	[ "$(modules | wc -l)" -gt 10 ] && return $bad
}

nix_evaluates() {
	local names found
	names=$(sed -n 's/^| `.*| \([a-z0-9-]*\) |$/\1/p' "$recipes/README.md" | sort -u | sed 's/.*/"&"/' | tr '\n' ' ')
	found=$(nix-instantiate --store dummy:// --eval --strict --json -E "
		let
		  some = names: value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
		  pkgs = some [ $names \"autoreconfHook\" \"pkg-config\" ] (name: name) // { stdenv.mkDerivation = it: it; };
		  made = (import $top/flake.nix).outputs {
		    self = null;
		    nixpkgs = { lib.genAttrs = some; legacyPackages = some [ \"x86_64-linux\" \"aarch64-linux\" ] (name: pkgs); };
		  };
		in with made.packages.x86_64-linux.default; [ pname version ] ++ buildInputs ++ checkInputs") || return
	echo "$found, of $names"
	[ "$(tr ',' '\n' <<<"$found" | wc -l)" = $(($(wc -w <<<"$names") + 2)) ] && [[ $found == '["ftop-trace","'"$version"'",'* ]]
}

check sed "each recipe and document has the version of configure.ac" same_version
check sed "each recipe has the libraries of configure.ac" has_libraries
# makepkg and abuild read these files, set and use their variables, and stop at the first command that fails.
check shellcheck "shellcheck: PKGBUILD" shellcheck -s bash -e SC2034,SC2154,SC2164 "$recipes/PKGBUILD"
check shellcheck "shellcheck: APKBUILD" shellcheck -s dash -e SC2034,SC2154,SC2164 "$recipes/APKBUILD"
check nix-instantiate "flake.nix evaluates to a package of all libraries" nix_evaluates

# --- what recipes build ----------------------------------------------------
pack() {
	make -C "$build" dist && mv "$build/$tarball" "$work" &&
		make -C "$build" install prefix=/usr DESTDIR="$work/expected"
}

files_of() {		# FOLDER
	(cd "$1" && find . ! -type d | sed 's/\.gz$//' | grep -v "^./usr/share/licenses/\|^./usr/lib/.build-id/\|^./\." | sort)
}

works() {		# FOLDER: a recipe installed what make install does, and the program runs
	diff -u <(files_of "$work/expected") <(files_of "$1") &&
		[ "$("$1/usr/bin/ftop-trace" --version | head -n 1)" = "ftop-trace $version" ] &&
		FTOP_DATADIR=$1/usr/share/ftop-trace "$1/usr/bin/ftop-trace" tasks --task=encoder "$1/usr/share/ftop-trace/demo.dat" |
			grep -q '168  encoder'
}

fedora() {
	local dir=$work/fedora
	mkdir -p "$dir/SOURCES" "$dir/root" && cp "$work/$tarball" "$dir/SOURCES" &&
		rpmbuild -ba --nodeps --define "_topdir $dir" --define "debug_package %{nil}" "$recipes/ftop-trace.spec" &&
		rpm2cpio "$dir/RPMS"/*/ftop-trace-"$version"-1*.rpm | bsdtar -xf - -C "$dir/root" && works "$dir/root"
}

# makepkg does not run as root.
arch() {
	local dir=$work/arch as=()
	mkdir -p "$dir/root" && cp "$work/$tarball" "$recipes/PKGBUILD" "$dir" || return
	[ "$(id -u)" != 0 ] || { chown -R nobody "$dir"; as=(setpriv --reuid=nobody --regid=nogroup --clear-groups); }
	(cd "$dir" && HOME=$dir PKGEXT=.pkg.tar "${as[@]}" makepkg --nodeps --check) &&
		bsdtar -xf "$dir/ftop-trace-$version-1-x86_64.pkg.tar" -C "$dir/root" && works "$dir/root"
}

alpine() {
	local dir=$work/alpine
	mkdir -p "$dir" && tar -C "$dir" -xf "$work/$tarball" || return
	srcdir=$dir pkgdir=$dir/root builddir=$dir/ftop-trace-$version CBUILD=$(gcc -dumpmachine) CHOST=$(gcc -dumpmachine) \
		sh -e -c '. "$0"; cd "$builddir"; build; check; package' "$recipes/APKBUILD" && works "$dir/root"
}

check make "make dist packs, and make install installs" pack
check rpmbuild "rpmbuild makes a package" fedora
check makepkg "makepkg makes a package" arch
check sh "the functions of APKBUILD make a package" alpine
echo "1..$nr"
exit $failed
