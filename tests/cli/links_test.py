#!/usr/bin/env python3
"""The hashes of results.json, computed by another program from what docs/benchmarks.md says.

    links_test.py PARK
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PARK = sys.argv.pop(1)
BLOCK = 8
SUITE = {
    "schema": "park.suite", "version": 1, "name": "hashed", "summary": "for a test", "seed": 11,
    "environments": [{"env": "load_balance", "config": {"servers": 3, "jobs": 20}, "episodes": 19,
                      "metrics": ["avg_response_s"], "baselines": ["random", "least_work"]}],
}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def read(path):
    """The file with each number as the text that it has there."""
    return json.loads(Path(path).read_text(encoding="utf-8"), parse_float=str, parse_int=str)


def chain(env, result):
    """The links of a result, one per block with a row."""
    belongs = (env["env"], env["version"], env["layout_hash"], result["policy"], result["seed"])
    link = sha256("".join(f"{len(part.encode())}:{part}," for part in belongs))
    blocks = {}
    columns = [result["per_episode"][metric["name"]] for metric in env["metrics"]]
    for row in zip(result["episode_ids"], result["episode_decisions"], result["episode_events"], *columns):
        line = " ".join("null" if number is None else number for number in row)
        blocks.setdefault(int(row[0]) // BLOCK, []).append(line + "\n")
    links = []
    for rows in blocks.values():
        link = sha256(link + "\n" + "".join(rows))
        links.append(link)
    return links


class LinksTest(unittest.TestCase):
    def test_they_are_what_the_document_says(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = Path(folder, "suite.json")
            suite.write_text(json.dumps(SUITE), encoding="utf-8")
            subprocess.run([PARK, "bench", suite, "--out", f"{folder}/out", "--quiet"], check=True,
                           capture_output=True)
            results = read(f"{folder}/out/results.json")
        env = results["manifest"]["environments"][0]
        self.assertEqual(len(results["results"]), 2)
        for result in results["results"]:
            links = chain(env, result)
            self.assertEqual(len(links), 3)
            self.assertEqual(result["links"], links)
            self.assertEqual(result["rows_sha256"], links[-1])


if __name__ == "__main__":
    unittest.main()
