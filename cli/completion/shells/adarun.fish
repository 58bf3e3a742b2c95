# SPDX-License-Identifier: Apache-2.0
# Completion of adarun in fish: adarun itself says what may come next.

function __adarun_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l answer (command $before[1] complete -- $before[2..] $word 2>/dev/null)
    set -l kinds (string split ' ' -- $answer[1])
    if contains program $kinds
        set -l first (math $kinds[-1] + 2)
        complete -C (string join ' ' -- (string escape -- $before[$first..]) $word)
        return
    end
    if test (count $answer) -gt 1
        printf '%s\n' $answer[2..]
    end
    set -l option (string match -r '^--[^=]*=' -- $word)
    set -l path (string replace -r '^--[^=]*=' '' -- $word)
    if contains files $kinds
        printf "$option%s\n" (__fish_complete_path $path)
    else if contains folders $kinds
        printf "$option%s\n" (__fish_complete_directories $path)
    end
end

complete -c adarun -f -a '(__adarun_complete)'
