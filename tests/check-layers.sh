#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-layers - no folder includes what it must not know.  Prints TAP.
#
# usage: check-layers.sh [TREE]
#
# The rules are those of ARCHITECTURE.md, "Folders".  src/main.c wires the layers
# together and is free.  Before the tree is looked at, each rule is shown a file
# that breaks it: a rule that does not notice is a failure as well.
set -u
tree=$(cd "${1:-$(dirname "$0")/..}" && pwd)

base='src/base/.*'
curses='(ncursesw?/)?(n?cursesw?|panel|menu|form|term|termcap)\.h'
tep='(traceevent/)?(event-parse|event-utils|kbuffer|trace-seq)\.h'
tracefs='(tracefs/)?tracefs\.h'
bytes='parsers/([a-z]+/)?(trace_format|byte_reader|chunks)\.h'

# folder | files that are free | must not include | except | a breach, to try the rule
rules="
parsers  | -                      | (ui|recorder)/.*       | -     | ui/screen/canvas.h
parsers  | -                      | src/.*                 | $base | src/trace/trace.h
parsers  | -                      | $curses                | -     | curses.h
src      | src/main.c             | (ui|recorder)/.*       | -     | ui/app/app.h
src      | src/main.c             | $curses                | -     | ncursesw/curses.h
src      | src/main.c             | $tep                   | -     | traceevent/event-parse.h
src      | src/main.c             | $tracefs               | -     | tracefs.h
src      | src/(main|commands/cmd_[a-z_]*).c | $bytes                 | -     | parsers/io/byte_reader.h
recorder | -                      | ui/.*                  | -     | ui/app/app.h
recorder | -                      | parsers/.*             | parsers/(writer/trace_writer|io/raw_page|pages/raw_page)\.h | parsers/file/trace_file.h
recorder | recorder/commands/cmd_[a-z_]*.c  | src/.*                 | $base | src/trace/trace.h
recorder | -                      | $curses                | -     | ncurses.h
ui       | -                      | (parsers|recorder)/.*  | -     | parsers/types/field.h
ui       | ui/screen/term.c              | $curses                | -     | curses.h
ui       | -                      | $tep                   | -     | event-parse.h
ui       | -                      | $tracefs               | -     | tracefs.h
"

# Prints "FILE:LINE includes NAME" for each breach of one rule below the current folder.
breaches() {	# folder free deny except
	[ -d "$1" ] || return 0
	find "$1" -name '*.[ch]' | sort | grep -Evx "$2" |
	DENY="^($3)\$" EXCEPT="^($4)\$" xargs -r awk '
		/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
			name = $0
			sub(/^[^<"]*[<"]/, "", name)
			sub(/[>"].*/, "", name)
			if (name ~ ENVIRON["DENY"] && name !~ ENVIRON["EXCEPT"])
				print FILENAME ":" FNR " includes " name
		}'
}

planted=$(mktemp -d) || exit 1
trap 'rm -rf "$planted"' EXIT
nr=0
report() {	# ok|not-ok description
	nr=$((nr + 1))
	case $1 in ok) echo "ok $nr - $2" ;; *) echo "not ok $nr - $2" ;; esac
}

check_rule() {	# folder free deny except breach
	rm -rf "$planted/$1" && mkdir -p "$planted/$1"
	printf '# include <stdio.h>\n\t#  include "%s"\n' "$5" >"$planted/$1/planted.c"
	if [ "$(cd "$planted" && breaches "$1" "$2" "$3" "$4")" = "$1/planted.c:2 includes $5" ]; then
		report ok "$1: the rule notices $5"
	else
		report not-ok "$1: the rule does not notice $5"
	fi
	[ -d "$tree/$1" ] || return 0	# a folder of later
	found=$(cd "$tree" && breaches "$1" "$2" "$3" "$4")
	if [ -z "$found" ]; then
		report ok "$1 keeps its layer ($5 and its like)"
	else
		echo "$found" | sed 's/^/# /'
		report not-ok "$1 includes what it must not know"
	fi
}

# "|" stands in the expressions too, so only one with a blank on each side parts columns.
echo "$rules" | sed '/^$/d; s/  *| \{1,\}/\t/g' >"$planted/rules"
tab=$(printf '\t')
while IFS=$tab read -r folder free deny except breach; do
	check_rule "$folder" "$free" "$(echo "$deny" | sed 's/ *$//')" "$(echo "$except" | sed 's/ *$//')" "$breach"
done <"$planted/rules"
echo "1..$nr"
