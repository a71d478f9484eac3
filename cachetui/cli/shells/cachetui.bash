# Completion for bash. In ~/.bashrc:  eval "$(cachetui completion bash)"

_cachetui() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() n=-1 piece word breaks kept="" found kind
    # readline also splits words at @, = and :, so join the pieces that have no space between them
    for piece in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ $n == -1 || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            n=$((n + 1))
            words[n]=""
        fi
        words[n]+=${rest:0:${#piece}}
        rest=${rest:${#piece}}
    done
    word=${words[n]}
    # If readline splits a word at a character, it keeps the part up to that character. It replaces an @ at this place.
    breaks=${COMP_WORDBREAKS//[!@=:]/}
    if [[ -n $breaks && $word != [\'\"]* ]]; then
        kept=${word%"${word##*[$breaks]}"}
        kept=${kept%@}
    fi
    words=("${words[@]//[\'\"\\]/}")
    word=${words[n]}
    COMPREPLY=()
    while IFS= read -r found; do
        if [[ -z $kind ]]; then
            kind=$found
        else
            COMPREPLY+=("${found#"$kept"}")
            [[ $found == *= ]] && compopt -o nospace 2>/dev/null
        fi
    done < <(cachetui __complete "${words[@]:1}" 2>/dev/null)
    if [[ $kind == files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r found; do
            COMPREPLY+=("$found")
        done < <(compgen -f -- "$word")
    fi
}

complete -F _cachetui cachetui
