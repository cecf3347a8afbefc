#!/usr/bin/env bash
# Uses one of Debian's packages of Park where it was just installed: debs_used.sh PACKAGE.
set -euo pipefail
cd /tmp

fail() {
  echo "debs: $*" >&2
  exit 1
}

run=(park run 'dag_scheduling(jobs=2)' --policy fair --episodes 1 --quiet --json)
train=(park train 'dag_scheduling(executors=4,jobs=2)' --iterations 1 --quiet --json
  --algo 'reinforce(sequences=1,rollouts=2)' --validation-episodes 2 --out)
case $1 in
  park)
    command -v c++ >/dev/null && fail "this Debian has a compiler, so that it is not clean"
    park --version --json >version.json
    grep -q '"libtorch": null' version.json || fail "$(cat version.json)"
    park completion bash >/dev/null
    [[ -f /usr/share/bash-completion/completions/park ]] || fail "there is no completion for bash"
    "${run[@]}" >result.json
    grep -q '"avg_jct_s"' result.json || fail "$(cat result.json)"
    "${train[@]}" untrained 2>err && fail "it trains without park-train"
    grep -q libpark_agents_module.so err || fail "$(cat err)"
    ;;
  python3-park)
    python3 - <<'TEXT'
import park_sdk

stream = park_sdk.Stream("load_balance(servers=3,jobs=20)", park_sdk.Episodes.of_run(count=1))
assert stream.spec.name == "load_balance"
with park_sdk.serve("load_balance(servers=3)") as server:
    assert server.endpoint.startswith("tcp://127.0.0.1:")
try:
    park_sdk.ParkEnv
except ModuleNotFoundError as missing:
    assert "pip install gymnasium" in str(missing)
else:
    raise SystemExit("ParkEnv is there without Gymnasium")
TEXT
    ;;
  park-train)
    park --version --json | grep -q '"libtorch": "1' || fail "$(park --version --json)"
    "${train[@]}" trained >trained.json
    park run 'dag_scheduling(jobs=2)' --policy trained --episodes 1 --quiet --json >played.json
    ;;
  libpark-dev)
    apt-get -q install -y --no-install-recommends g++ pkg-config >install.log
    # shellcheck disable=SC2046 # options, not a text
    g++ -std=c++20 /packages/pkg_config/main.cc -o by_pkg_config $(pkg-config --cflags --libs park)
    ./by_pkg_config | grep -qx load_balance || fail "the program that was linked knows no load_balance"
    ;;
  *) fail "$1 is not a package of Park" ;;
esac
