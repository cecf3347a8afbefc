#!/bin/sh
# The container's protocol: the program's path is the argument, and JSON goes to stdout.
exec python3 -c '
import json, sys
sys.path.insert(0, "/evaluator")
from evaluator import judged
metrics, artifacts = judged(sys.argv[1])
print(json.dumps({"status": "success", "combined_score": metrics["combined_score"], "metrics": metrics,
                  "artifacts": artifacts}))
' "$1"
