#compdef cachetui
# Completion for zsh. In ~/.zshrc, after compinit:  eval "$(cachetui completion zsh)"

_cachetui() {
    local -a found open
    local kind
    found=("${(@f)$(cachetui __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$found[1]
    shift found
    open=(${(M)found:#*=})
    found=(${found:#*=})
    # -U: a candidate need not begin with the typed text
    (( $#found )) && compadd -U -- $found
    (( $#open )) && compadd -U -S '' -- $open
    [[ $kind == files ]] && _files
}

if [[ $funcstack[1] == _cachetui ]]; then
    _cachetui "$@"
else
    compdef _cachetui cachetui
fi
