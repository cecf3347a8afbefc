# shellcheck shell=bash
# Sourced by the other scripts: runs the steps of a script quietly, shows how far each is and tells how
# long it took.

# Compiler output is found again in another checkout of the same sources.
export CCACHE_BASEDIR=$PWD
export CCACHE_NOHASHDIR=true

# how_far LOG: "12 of 305" of the last line of a log that counts what is done, as ninja's "[12/305]" or
# ctest's "12/305 Test"; else nothing.
how_far() {
  tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' | sed -nE \
    -e 's/^\[([0-9]+)\/([0-9]+)\].*/\1 of \2/p' -e 's/^ *([0-9]+)\/([0-9]+) Test +#.*/\1 of \2/p' | tail -n 1
}

# redraws: whether standard output is a terminal that can go back in a line.
redraws() { [[ -t 1 && ${TERM:-dumb} != dumb ]]; }

# watch_step NAME LOG: tells for ever how far a step is: in one line that changes on a terminal, in a line
# each 20 s elsewhere. It ends with this script, whatever ends that.
watch_step() {
  local start=$SECONDS told=0 passed
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    passed=$((SECONDS - start))
    if redraws; then
      printf '\r%-28s %5d s  %-20s' "$1" "$passed" "$(how_far "$2")"
    elif ((passed - told >= 20)); then
      told=$passed
      printf '%-28s %5d s  %s\n' "  $1" "$passed" "$(how_far "$2")"
    fi
  done
}

# watched NAME LOG COMMAND...: runs it with its output in the log, shows how far it is, returns its status.
watched() {
  local name=$1 log=$2 status=0 watcher
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  watch_step "$name" "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null || true
  if redraws; then printf '\r\033[K'; fi
  return "$status"
}

# step NAME COMMAND...: runs it with its output in build/log/NAME.log, shows the end of that file on
# failure, and returns the command's status.
step() {
  local name=$1 start=$SECONDS status=0 log
  shift
  log=build/log/${name//[^A-Za-z0-9]/-}.log
  watched "$name" "$log" "$@" || status=$?
  printf '%-28s %5d s%s\n' "$name" $((SECONDS - start)) "$([[ $status -eq 0 ]] || echo '  FAILED')"
  if [[ $status -ne 0 ]]; then
    tail -n 60 "$log"
    printf '(all of it: %s)\n' "$log"
  fi
  return "$status"
}

# build PRESET [TARGET...]: configures a preset and builds it, or these targets of it.
build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}
}
