#!/usr/bin/env bash
# In an environment without anything pip installs the package from a clean checkout, without what
# any build before has left, and says how long that took; it works elsewhere, with its own data and
# without a warning.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA PYTHONPATH
export CCACHE_DISABLE=1

mkdir "$work/src"
if ! git archive HEAD | tar -x -C "$work/src"; then
  echo "python: git or its checkout is not there"
  exit 77
fi
if ! python3 -m venv "$work/venv" ||
  ! "$work/venv/bin/pip" download --quiet --no-deps --dest "$work" scikit-build-core; then
  echo "python: pip or its package index is not there"
  exit 77
fi
exec 3>&2
TIMEFORMAT='%0R %0U %0S'
used=$({ time "$work/venv/bin/pip" install --quiet "$work/src/bridge/python" >&3 2>&3; } 2>&1)
read -r wall user system <<<"$used"
echo "installed in $wall s, $((user + system)) s of processor time"
if [[ $# -gt 0 ]]; then
  PYTHONPATH=scripts python3 - "$1" "$wall" $((user + system)) <<'PYTHON'
import sys
import figures

out, wall, processor = sys.argv[1], *map(int, sys.argv[2:])
figures.write(out, "pip install ./bridge/python in an empty environment",
              f"tests/python/empty_venv.sh {out}", [
                  figures.figure("time", "s", [wall], "from a clean checkout, without ccache; "
                                 "the aim: at most 300"),
                  figures.figure("processor time", "s", [processor], "of all cores")])
PYTHON
fi
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
with park_sdk.serve("load_balance") as server:
    env = gym.make("Park/LoadBalance-v1", endpoint=server.endpoint)
    print(env.reset(seed=1)[0]["server_jobs"])
    env.close()
PYTHON
