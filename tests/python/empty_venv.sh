#!/usr/bin/env bash
# In an environment without anything pip installs the package from the checkout; it works elsewhere,
# with its own data and without a warning.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA PYTHONPATH
if ! python3 -m venv "$work/venv" ||
  ! "$work/venv/bin/pip" download --quiet --no-deps --dest "$work" scikit-build-core; then
  echo "python: pip or its package index is not there"
  exit 77
fi
start=$SECONDS
"$work/venv/bin/pip" install --quiet ./bridge/python
echo "installed in $((SECONDS - start)) s"
cd /
"$work/venv/bin/python" -W error - <<'PYTHON'
import gymnasium as gym
import park_sdk

gym.register_envs(park_sdk)
for name in park_sdk.environments():
    env = gym.make(park_sdk.gym_id(name))
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()
with park_sdk.serve("abr") as server:
    env = gym.make("Park/Abr-v1", endpoint=server.endpoint)
    print(env.reset(seed=1)[0]["chunk_bytes"])
    env.close()
PYTHON
