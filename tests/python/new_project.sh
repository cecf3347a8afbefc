#!/usr/bin/env bash
# Projects of `park new --python`: installs them beside the tested package, runs their tests, plays them in
# Python and by the command `park`. The binary is PARK_BINARY.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly sdk=$PWD/build/python-sdk
[[ -f $sdk/built ]] || {
  echo "python: park_sdk is not built; run scripts/python_sdk.sh"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA
export PARK_PYTHON=$sdk/newest/bin/python PYTHONPATH=$work/site
PATH=$(dirname "$PARK_BINARY"):$PATH

for kind in env policy; do
  project=$work/my_$kind
  park new $kind my_$kind --python --out "$project"
  "$PARK_PYTHON" -m pip install --quiet --no-deps --no-build-isolation --target "$work/site" "$project"
  (cd "$project" && "$PARK_PYTHON" -m pytest -q -p no:cacheprovider && "$PARK_PYTHON" -m park_my_$kind)
done
cd "$work"
park run my_env --plugin park.envs:my_env --plugin park.policies:my_env_shortest \
  --policy my_env_shortest,random --episodes 5 --quiet
park run load_balance --plugin park.policies:my_policy --policy my_policy,least_work --episodes 5 --quiet
echo "made, installed, tested and played"
