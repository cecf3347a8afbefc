#!/usr/bin/env bash
# Projects of `park new --python`: installs them beside the package, runs their tests, plays them in Python
# and by the command `park`.
#     new_project.sh PARK PYTHON
# PYTHON has the package park_sdk.
set -euo pipefail

readonly park=$1 python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA PARK_PLUGIN_PATH PYTHONPATH
"$python" -c 'import park_sdk'  # else the exit status says that the test is skipped
export PARK_PYTHON=$python PYTHONPATH=$work/site PATH="${park%/*}:$PATH"

for kind in env policy; do
  project=$work/my_$kind
  "$park" new $kind my_$kind --python --out "$project"
  "$python" -m pip install --quiet --no-deps --target "$work/site" "$project"
  (cd "$project" && "$python" -m pytest -q -p no:cacheprovider && "$python" -m park_my_$kind)
done
cd "$work"
"$park" run my_env --plugin park.envs:my_env --plugin park.policies:my_env_shortest \
  --policy my_env_shortest,random --episodes 5 --quiet
"$park" run load_balance --plugin park.policies:my_policy --policy my_policy,least_work --episodes 5 --quiet
echo "made, installed, tested and played"
