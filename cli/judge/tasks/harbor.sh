#!/bin/sh
# The verifier of Harbor: judges /app/program.py on hidden inputs and writes the reward.
mkdir -p /logs/verifier
park judge /app/program.py --env '@ENV@' --set hidden --json > /logs/verifier/judgement.json ||
  echo '{"score": 0.0}' > /logs/verifier/judgement.json
python3 -c 'import json; print(json.load(open("/logs/verifier/judgement.json"))["score"])' > /logs/verifier/reward.txt
