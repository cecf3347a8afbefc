# shellcheck shell=bash
# Sourced by the other scripts: runs the steps of a script quietly and tells how long each took.

# Compiler output is found again in another checkout of the same sources.
export CCACHE_BASEDIR=$PWD
export CCACHE_NOHASHDIR=true

# step NAME COMMAND...: runs it with its output in build/log/NAME.log, shows the end of that file on
# failure, and returns the command's status.
step() {
  local name=$1 start=$SECONDS status=0 log
  shift
  log=build/log/${name//[^A-Za-z0-9]/-}.log
  mkdir -p build/log
  "$@" >"$log" 2>&1 || status=$?
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
