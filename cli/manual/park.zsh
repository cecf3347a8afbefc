#compdef park
# Completion of park for zsh. The program knows what fits (park __complete WORD...), here its answer
# goes to the shell.

_park() {
  local -a given answer shown suffix
  local line last
  local -a candidates
  given=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  answer=("${(@f)$(${(Q)~words[1]} __complete "${given[@]}" 2>/dev/null)}")
  last=$answer[-1]
  for line in "${(@)answer[1,-2]}"; do
    candidates+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  case $last in
    :open) suffix=(-S '') ;;
    :files) _files && return ;;
  esac
  (( $#candidates )) && compadd "${suffix[@]}" -l -d shown -a candidates
}

if [[ $funcstack[1] == _park ]]; then
  _park "$@"
else
  compdef _park park
fi
