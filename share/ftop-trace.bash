# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for ftop-trace: the program itself says what may stand at the end of a line.
_ftop_trace()
{
	local text about whole='' part=${2//\\/} word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	while IFS=$'\t' read -r text about; do
		case $text in
		:word)
			whole=$about ;;
		:files)
			compopt -o filenames
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$2") ;;
		:commands)
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$2") ;;
		*)
			# bash completes what is behind the last = or : of a word.
			text=${text:${#whole}-${#part}}
			# Outside of quotes, what means something to the shell is quoted.
			[[ $word == [\'\"]* || $text != *[^[:alnum:]_./:,=@-]* ]] || printf -v text %q "$text"
			[[ $text != *= ]] || compopt -o nospace
			COMPREPLY+=("$text") ;;
		esac
	done < <(ftop-trace --complete "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _ftop_trace ftop-trace
