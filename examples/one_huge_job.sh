#!/bin/sh
# One huge job among small ones. A tree imitates `fair` on small jobs and has never seen a huge one: that comes
# first, gets all executors, and keeps them as long as it has tasks. A rule by hand leaves it two, and the paired
# difference says what that brings.
#
#     PATH=$PWD/build/release/bin:$PATH examples/one_huge_job.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >small.json <<'JSON'
{"jobs": [
  {"name": "report", "stages": [{"id": "scan", "tasks": 8, "mean_s": 2, "sd_s": 1},
    {"parents": ["scan"], "tasks": 2, "mean_s": 1, "sd_s": 0.5}]},
  {"name": "join", "stages": [{"id": "left", "tasks": 6, "mean_s": 2, "sd_s": 1},
    {"id": "right", "tasks": 4, "mean_s": 1, "sd_s": 0.5},
    {"parents": ["left", "right"], "tasks": 3, "mean_s": 3, "sd_s": 1}]},
  {"name": "count", "stages": [{"tasks": 12, "mean_s": 1, "sd_s": 0.5}]}]}
JSON
cat >huge.json <<'JSON'
{"jobs": [{"name": "rebuild", "stages": [{"tasks": 300, "mean_s": 8, "sd_s": 4}]}]}
JSON
{
  echo time_s,job
  echo 0,rebuild
  for i in 1 2 3 4 5 6 7 8; do
    echo "$((9 * i)),report"
    echo "$((9 * i + 3)),join"
    echo "$((9 * i + 6)),count"
  done
} >arrivals.csv
park data workload import dag small.json --out small.park >/dev/null
park data workload import dag small.json huge.json --out all.park >/dev/null

park distill 'dag_scheduling(executors=8,jobs=20,arrival=poisson,interval_s=3,workload=small.park)' \
  --teacher fair --leaves 16 --rounds 2 --episodes 4 --validation-episodes 4 --out small.tree --quiet >/dev/null
park distill edit small.tree --add-rule 'limit "a huge job gets two executors": job.work_s > 1000: 2' \
  --env 'dag_scheduling(executors=8,workload=all.park,arrival=file,arrivals=arrivals.csv)' \
  --out patched.tree --quiet | sed -n 1,7p
