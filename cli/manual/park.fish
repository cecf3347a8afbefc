# Completion of park for fish. The program knows what fits (park __complete WORD...), here its answer
# goes to the shell.

function __park_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string trim --left --chars "'\"" | string replace --all '\\' '')
    set -l answer ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$answer[-1]" = ":files"
        __fish_complete_path "$current"
        return
    end
    string match --invert --regex '^:' -- $answer
end

complete --command park --no-files --arguments '(__park_complete)'
