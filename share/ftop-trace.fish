# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for ftop-trace: the program itself says what may stand at the end of a line.
function __ftop_trace
    set -l option (commandline -ct | string match -r '^--[a-z-]+='; or echo '')
    for line in (ftop-trace --complete (commandline -cp | string collect) 2>/dev/null)
        switch $line
            case ':word*'
            case ':files'
                printf '%s\n' $option(__fish_complete_path (commandline -ct | string replace -r '^--[a-z-]+=' ''))
            case ':commands'
                __fish_complete_command
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c ftop-trace -f -a '(__ftop_trace)'
