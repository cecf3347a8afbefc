#!/usr/bin/env bash
# Builds the wheel, installs it in an empty environment of Python without a compiler, and uses what is in it.
# The time from nothing to the last use is limited.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly limit_s=30
cd "$here"
scripts/wheel.sh
wheel=$(echo "$here"/dist/park_sdk-*-"$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')"-*.whl)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA PYTHONPATH

fail() {
  echo "wheel: $*" >&2
  exit 1
}

# The tag promises glibc 2.28 or an older one.
[[ $wheel =~ manylinux_2_([0-9]+)_x86_64 && ${BASH_REMATCH[1]} -le 28 ]] || fail "the tag of $wheel"

# Programs without a compiler: what a shell needs, and the environment's own.
mkdir "$work/bin"
for program in bash env grep sed cat ls mkdir rm sleep timeout; do
  ln -s "$(command -v "$program")" "$work/bin/$program"
done
began=$(date +%s%N)
python3 -m venv "$work/venv"
export PATH=$work/venv/bin:$work/bin
for compiler in cc c++ gcc g++ clang clang++ cmake zig; do
  if command -v "$compiler"; then fail "there is a compiler"; fi
done
pip install --quiet "$wheel" || fail "pip cannot install it"
installed=$(/usr/bin/date +%s%N)

cd "$work"
park --version --json >version.json
grep -q '"libtorch": null' version.json || fail "$(cat version.json)"
park run 'dag_scheduling(jobs=2)' --policy fair,fifo --episodes 2 --quiet --json >run.json
grep -q '"avg_jct_s"' run.json || fail "$(cat run.json)"
park distill 'load_balance(servers=3,jobs=50)' --teacher least_work --leaves 4 --rounds 1 --episodes 4 \
  --validation-episodes 2 --out my.tree >distill.txt
park run 'load_balance(servers=3,jobs=50)' --policy 'tree(file=my.tree)' --episodes 2 --quiet --json >tree.json
grep -q '"avg_response_s"' tree.json || fail "$(cat tree.json)"
status=0
park train load_balance --budget 1s --out trained >/dev/null 2>err || status=$?
[[ $status -eq 1 && $(grep -c . err) -eq 1 ]] || fail "park train without LibTorch: $(cat err)"
grep -q 'docs/install.md' err || fail "$(cat err)"

[[ -f venv/share/man/man1/park.1 && -f venv/share/bash-completion/completions/park ]] ||
  fail "there is no manual or completion"

# The command serves, the package of Python plays over the bridge and in its own process, with equal bytes.
cat >play.py <<'TEXT'
import gymnasium as gym
import numpy as np

import park_sdk

env = gym.make("Park/LoadBalance-v1", servers=3, jobs=30)
observation, info = env.reset(seed=1)
over = False
while not over:
    server = observation["server_jobs"].argmin()
    observation, reward, terminated, truncated, info = env.step(server)
    over = terminated or truncated
assert np.isfinite(info["metrics"]["avg_response_s"])
with park_sdk.serve("load_balance(servers=3)") as server:
    far = gym.make("Park/LoadBalance-v1", endpoint=server.endpoint, servers=3)
    near = gym.make("Park/LoadBalance-v1", servers=3)
    a, _ = far.reset(seed=7)
    b, _ = near.reset(seed=7)
    assert all(np.array_equal(a[key], b[key]) for key in b)
    far.close()
TEXT
python play.py || fail "the package of Python"
ended=$(/usr/bin/date +%s%N)

took_ms=$(((ended - began) / 1000000))
printf 'wheel: %s kB, installed in %d ms, used in %d ms more\n' "$(($(/usr/bin/stat -c %s "$wheel") / 1000))" \
  $(((installed - began) / 1000000)) $(((ended - installed) / 1000000))
[[ $took_ms -le $((limit_s * 1000)) ]] || fail "it took $took_ms ms; at most $limit_s s are allowed"
