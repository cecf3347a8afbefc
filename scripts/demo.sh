#!/usr/bin/env bash
# Sets up, builds the command and compares scheduling policies on the bundled workload.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/demo.sh [--episodes N] [--no-setup]

Sets up, builds the command `park` and compares scheduling policies of a Spark-like cluster on the
bundled TPC-H workload, heuristics and a trained network, once for batches of jobs and once for jobs
that keep arriving. Prints one
table, writes a page that shows what some of them did, and says what to try next.

  --episodes N   episodes of each policy and setting (default 100)
  --no-setup     leave out scripts/setup.sh

Example: scripts/demo.sh --episodes 20
TEXT
}

readonly WORKLOAD=data/workloads/tpch/tpch.park
# Batches on 50 executors are what the bundled network learned on; jobs that keep arriving, on 10, it
# has never seen. srpt_capped twice, as `park tune` chooses it for each of the two.
readonly LEARNED=dag_scheduling-batch-bundled
readonly TUNED='srpt_capped(c=15,s=0.25,scale_s=250),srpt_capped(c=6,s=0)'
readonly POLICIES="fair,fifo,sjf_cp,weighted_fair,$TUNED,$LEARNED,random"
readonly BATCH='dag_scheduling(executors=50,jobs=20)'
readonly SHOWN="$LEARNED,fair,fifo"
readonly POISSON='dag_scheduling(arrival=poisson,jobs=200)'

# play NAME ENV EPISODES: plays all policies; the results are written to build/demo/NAME.json.
play() {
  step "play $1" build/release/bin/park run "$2" --policy "$POLICIES" --episodes "$3" \
    --workers "$(nproc)" --quiet --overwrite --save "build/demo/$1.json"
}

main() {
  local episodes=100 setup=yes
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return 0 ;;
      --episodes) episodes=${2:?--episodes needs a number} && shift ;;
      --no-setup) setup=no ;;
      *) echo "demo: unknown option '$1'; see scripts/demo.sh --help" >&2 && return 2 ;;
    esac
    shift
  done
  if [[ ! -s $WORKLOAD ]]; then
    echo "demo: the bundled workload $WORKLOAD is not there; is this checkout complete?" >&2
    return 1
  fi
  if [[ $setup == yes ]]; then scripts/setup.sh build agents bridge; fi
  # shellcheck source=scripts/steps.sh
  source scripts/steps.sh
  step "build release" build release park park_agents_module
  mkdir -p build/demo
  play batch "$BATCH" "$episodes"
  play poisson "$POISSON" "$episodes"
  step "write the timeline" build/release/bin/park run "$BATCH" --policy "$SHOWN" --episodes 1 \
    --quiet --overwrite --timeline build/demo/timeline.html
  printf '\n'
  scripts/demo_table.py "all jobs at once=build/demo/batch.json" \
    "jobs one after another=build/demo/poisson.json"
  cat <<'TEXT'

What the network, fair and fifo did in the first of the batches, executor by executor:
  build/demo/timeline.html                               open it in a browser; it needs no network

Try next:
  build/release/bin/park describe dag_scheduling         what a policy sees, decides and is judged by
  build/release/bin/park run 'dag_scheduling(executors=20)' --policy fair,weighted_fair
  build/release/bin/park tune dag_scheduling --policy weighted_fair
  docs/index.md                                          the tour
TEXT
}

main "$@"
