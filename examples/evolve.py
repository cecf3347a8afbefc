#!/usr/bin/env python3
"""Improves a heuristic by random mutation: each step changes one number of an expression and keeps the best.

    examples/evolve.py FILE ENV [STEPS] [RIVAL]

Steps are judged on validation inputs; the first and the best on hidden inputs. The best goes to standard output.
"""
import json
import random
import re
import subprocess
import sys
import tempfile

file, env, steps, rival = (sys.argv[1:] + ["60", ""])[:4] if len(sys.argv) < 5 else sys.argv[1:5]


def judge(text, inputs):
    with tempfile.NamedTemporaryFile("w", suffix=".expr") as program:
        program.write(text)
        program.flush()
        words = ["park", "judge", program.name, "--env", env, "--set", inputs, "--json"]
        words += ["--inputs", "100"] if inputs == "hidden" else []
        return json.loads(subprocess.check_output(words + (["--rivals", rival] if rival else [])))


def mutated(text, draw):
    number = draw.choice(list(re.finditer(r"(?<![\w.\[])\d+\.?\d*(?!\w)", text)))
    return text[:number.start()] + f"{float(number[0]) * draw.lognormvariate(0, 0.5):.4g}" + text[number.end():]


draw, first = random.Random(1), open(file).read()
best = first
score = judge(best, "validation")["score"]
for step in range(int(steps)):
    text = mutated(best, draw)
    told = judge(text, "validation")
    if told["score"] > score:
        best, score = text, told["score"]
        print(f"step {step}: {score:.4f}", file=sys.stderr)
for name, text in ("first", first), ("best", best):
    told = judge(text, "hidden")
    print(f"hidden inputs, {name}: {told['score']:.4f}, 95 % interval {told['interval']}", file=sys.stderr)
print(best)
