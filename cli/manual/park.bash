# shellcheck shell=bash
# Completion of park for bash. The program knows what fits (park __complete WORD...), here its answer
# goes to the shell.

# _park_unquoted WORD: the word without quotes, of which the last one may be missing; in `plain`.
_park_unquoted() {
  local quote=${1:0:1}
  plain=$1
  case $quote in
    \' | \") plain=${plain#"$quote"} && plain=${plain%"$quote"} ;;
    *) plain=${plain//\\/} ;;
  esac
}

# The words up to the cursor in `words`; in `before` what stands of the last one in front of the part
# that bash replaces. Bash parts words at = and : too.
_park_words() {
  local i plain raw joined=yes
  words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    raw=${COMP_WORDS[i]}
    _park_unquoted "$raw"
    if [[ ${#words[@]} -gt 0 && ($joined == no || $raw == [=:]*) ]]; then
      before=${words[-1]}
      words[-1]+=$plain
    else
      before=
      words+=("$plain")
    fi
    joined=yes
    if [[ $raw == *[=:] && $raw != [\'\"]* ]]; then joined=no before=${words[-1]}; fi
  done
}

_park() {
  local words=() before='' line answer=() last
  COMPREPLY=()
  _park_words
  mapfile -t answer < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
  [[ ${#answer[@]} -gt 0 ]] || return 0
  last=${answer[-1]}
  unset 'answer[-1]'
  for line in "${answer[@]}"; do
    line=${line%%$'\t'*}
    line=${line#"$before"}
    if [[ ${COMP_WORDS[COMP_CWORD]} != [\'\"]* ]]; then
      printf -v line %q "$line"
      line=${line//\\,/,}
    fi
    COMPREPLY+=("$line")
  done
  case $last in
    :open)
      compopt -o nospace 2>/dev/null
      # Bash closes a quote behind the only word, but not behind what several have in common.
      if [[ ${#COMPREPLY[@]} -eq 1 && ${COMP_WORDS[COMP_CWORD]} == [\'\"]* ]]; then
        COMPREPLY+=("${COMPREPLY[0]} ")
      fi
      ;;
    :files)
      compopt -o filenames 2>/dev/null
      line=${words[-1]}
      mapfile -t COMPREPLY < <(compgen -f -- "${line#"$before"}")
      ;;
  esac
  return 0
}

complete -F _park park
