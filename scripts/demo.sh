#!/usr/bin/env bash
# Sets up, builds the command and plays a small benchmark of every environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/demo.sh [--suite SUITE] [--no-setup]

Sets up, builds the command `park` and plays a benchmark: heuristics and the bundled trained networks
on the same episodes of every environment. Prints tables, writes a report with charts and timelines,
and says what to try next.

  --suite SUITE  another suite, such as dag-batch-v2 (default quick-v2)
  --no-setup     leave out scripts/setup.sh

Example: scripts/demo.sh --suite load-balance-v2
TEXT
}

main() {
  local suite=quick-v2 setup=yes
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return 0 ;;
      --suite) suite=${2:?--suite needs a name} && shift ;;
      --no-setup) setup=no ;;
      *) echo "demo: unknown option '$1'; see scripts/demo.sh --help" >&2 && return 2 ;;
    esac
    shift
  done
  if [[ ! -s data/workloads/tpch/tpch.park ]]; then
    echo "demo: the bundled data is not there; is this checkout complete?" >&2
    return 1
  fi
  if [[ $setup == yes ]]; then scripts/setup.sh build agents bridge; fi
  # shellcheck source=scripts/steps.sh
  source scripts/steps.sh
  step "build release" build release park park_agents_module
  mkdir -p build/demo
  printf '\n'
  build/release/bin/park bench "$suite" --out build/demo --overwrite
  cat <<'TEXT'

Charts, and what the policies did in the first episode, side by side:
  build/demo/report.html                                 open it in a browser; it needs no network
  build/demo/results.json                                every figure; park bench verify checks them

Try next:
  build/release/bin/park bench verify build/demo/results.json
  build/release/bin/park describe dag_scheduling         what a policy sees, decides and is judged by
  build/release/bin/park run 'dag_scheduling(executors=20)' --policy fair,weighted_fair
  docs/index.md                                          the tour
TEXT
}

main "$@"
