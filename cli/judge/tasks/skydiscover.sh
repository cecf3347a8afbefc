#!/bin/sh
# The container's protocol: the program's path is the argument, and JSON goes to stdout.
exec python3 -c '
import json, sys
sys.path.insert(0, "/evaluator")
from evaluator import evaluate
told = evaluate(sys.argv[1])
artifacts = told.pop("artifacts")
print(json.dumps({"status": "success", "combined_score": told["combined_score"], "metrics": told,
                  "artifacts": artifacts}))
' "$1"
