"""Live timelines of each simulated environment, and pictures of them.

What is played is what the environment's own quick suite shows; without one it is the first policies that
fit. Pictures need the group `web` of scripts/setup.sh.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import browser
import tune_suites

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 1280, 800
SHOWN = 3  # policies of a timeline


def choice(name, spec):
    """(text of the environment, policies) of a timeline."""
    for path in sorted((ROOT / "park/envs" / name).glob("quick.suite.json")):
        env = json.loads(path.read_text(encoding="utf-8"))["environments"][0]
        policies = env.get("timeline") or env["baselines"]
        env.setdefault("config", {})
        return tune_suites.env_text(env, {}), [one for one in policies if one in env["baselines"]][:SHOWN]
    return name, [one for one in spec["policies"] if one in spec["policy_info"]][:SHOWN]


def play(park, name, spec, page):
    """Writes the live page; how it was made."""
    env, policies = choice(name, spec)
    policies = policies or [spec["policies"][0]]
    words = ["run", env, "--policy", ",".join(policies), "--episodes", "1", "--timeline", str(page), "--json"]
    done = subprocess.run([park, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"park {' '.join(words)}: {done.stderr.strip()}")
    short = json.loads(done.stdout)["results"][0]["env"]  # without the fields that have their defaults
    shown = f"park run {shlex.quote(short)} --policy {shlex.quote(','.join(policies))} --episodes 1"
    return {"policies": ", ".join(policies), "command": f"{shown} --timeline {name}.html"}


def make(park, envs, folder):
    """Writes pages and pictures below folder/extra/timelines; what is known of each by its environment."""
    absent = browser.missing()
    if absent:
        raise SystemExit(f"pictures of timelines need a browser; {absent}")
    place = folder / "extra/timelines"
    place.mkdir(parents=True)
    simulated = {name: spec for name, spec in envs.items() if not spec["traits"]["system"]}
    found = {name: play(park, name, spec, place / f"{name}.html") for name, spec in simulated.items()}
    with browser.Browser(WIDTH, HEIGHT) as window:
        for name in found:
            window.open(place / f"{name}.html")
            window.picture(place / f"{name}.png")
    return found


def page(envs, pictures):
    """The page with all of them."""
    lines = ["# Gallery of timelines", "",
             "Each picture opens a live page: zoom with the wheel, drag to move, click a job to open it. "
             "[Timelines](timeline.md) explains what is seen.", "", "<div class=\"gallery\">"]
    for name in pictures:
        lines.append(f"<a href=\"timelines/{name}.html\"><img src=\"timelines/{name}.png\" alt=\"{name}\">"
                     f"<span><b>{name}</b>{envs[name]['summary']}</span></a>")
    lines += ["</div>", "", "| environment | policies | command |", "| --- | --- | --- |"]
    lines += [f"| [{name}](envs/{name}.md) | {one['policies']} | `{one['command']}` |"
              for name, one in pictures.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit("imported by stage.py")
