# Completion for fish. In ~/.config/fish/config.fish:  cachetui completion fish | source

function __cachetui_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct | string trim --left --chars "'\"")
    set -l found (cachetui __complete $words[2..] "$word" 2>/dev/null)
    if test "$found[1]" = files
        __fish_complete_path "$word"
    end
    printf '%s\n' $found[2..]
end

complete -c cachetui -f -a '(__cachetui_complete)'
