# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Asks the completion of bash. From src/gendocs/completion.zsh.

local dir=${${funcsourcetrace[1]%:*}:A:h} file
local -a replies
for file in $dir/../../bash-completion/completions/perftest-completion.bash $dir/perftest-completion.bash; do
    [[ -e $file ]] && break
done
replies=(${(f)"$(bash -c 'source "$0" && _perftest_list "$@"' $file "${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
compadd -S '' -- ${(M)replies:#*[=/]}
compadd -- ${replies:#*[=/]}
