#!/usr/bin/env bash
# Proofs of learning: learning.sh maskable_ppo|cartpole [OPTION...], the options of the program of
# that name in bridge/python/learning; learning.sh outside_trainer PARK, a benchmark with an outside trainer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly sdk=build/python-sdk proof=$1
shift
skip() {
  echo "python: $*"
  exit 77
}
[[ -f $sdk/built ]] || skip "park_sdk is not built; run scripts/python_sdk.sh"

packages() {
  "$sdk/learning/bin/pip" install --quiet "$@" || skip "pip cannot install $*"
}

# Stable-Baselines3 on Debian's PyTorch, whose version pip does not take for what it is.
learning_environment() {
  /usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no PyTorch: apt install python3-torch"
  local list=bridge/python/learning/requirements.txt
  if ! cmp -s "$list" "$sdk/learning/installed"; then
    /usr/bin/python3 -m venv --clear --system-site-packages "$sdk/learning"
    packages --requirement "$list"
    packages --no-deps stable-baselines3==2.4.1 sb3-contrib==2.4.0
    cp "$list" "$sdk/learning/installed"
  fi
  "$sdk/learning/bin/pip" install --quiet --no-deps --force-reinstall "$sdk"/dist/park_sdk-*.whl
}

if [[ $proof == maskable_ppo || $proof == outside_trainer ]]; then
  learning_environment
  program=bridge/python/learning/maskable_ppo.py
  if [[ $proof == outside_trainer ]]; then program=tests/python/outside_trainer_test.py; fi
  exec "$sdk/learning/bin/python" "$program" "$@"
fi
exec "$sdk/newest/bin/python" bridge/python/learning/cartpole.py "$@"
