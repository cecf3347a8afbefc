"""The page of an environment, in the same form for each: what it is, a picture, spaces, dynamics, metrics,
policies, reference results, what is left out, references, versions.

Its parts are those of docs/envs/NAME.md, which the command and the README of the folder make, facts of
`park describe NAME --json`, entries of CHANGELOG.md, and the files of results/bench.
"""

import json
import re
import subprocess
from pathlib import Path

import reference_tables

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = re.compile(r"left out|differs? from|not modelled|not covered|limits", re.IGNORECASE)
REFERENCES = re.compile(r"references|sources|literature", re.IGNORECASE)
SPACES = ("Configuration", "Observation", "Action", "Info")
POLICIES = ("Policies that fit", "Fields of the policies")
NO_GAP = "The description of the model above names nothing that was left out on purpose."


def environments(park):
    """What `park describe --json` says of each environment that this build can use, by its name."""
    def ask(*words):
        return json.loads(subprocess.run([park, *words, "--json"], check=True, capture_output=True).stdout)

    names = [env["name"] for env in ask("envs")["environments"] if "unavailable" not in env]
    return {name: ask("describe", name) for name in names}


def sections(text, level):
    """(head, [(title, body)]) of a text that is cut at headings of a level."""
    mark = "#" * level + " "
    head, found, fenced = [], [], False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if line.startswith(mark) and not fenced:
            found.append((line.removeprefix(mark), []))
        else:
            (found[-1][1] if found else head).append(line)
    return "\n".join(head), [(title, "\n".join(body).strip("\n")) for title, body in found]


def facts(spec):
    """The table at the top of a page."""
    def names(part):
        return ", ".join(f"`{leaf['name']}`" for leaf in spec[part]["leaves"])

    groups = ", ".join(f"`{group['name']}`" for group in spec["observation"]["groups"])
    rows = [("kind", "real system" if spec["traits"]["system"] else "simulated"),
            ("twin", f"`{spec['traits']['twin']}`" if spec["traits"]["twin"] else "-"),
            ("version", f"{spec['version']}, layout `{spec['layout_hash']}`"),
            ("decides", names("action")),
            ("observes", f"{len(spec['observation']['leaves'])} leaves"
             + (f" in groups {groups} and outside of them" if groups else "")),
            ("scored by", f"`{spec['metrics'][0]['name']}`, {spec['metrics'][0]['better']} is better"),
            ("policies", str(len(spec["policies"])))]
    return "\n".join(["| | |", "| --- | --- |", *(f"| {key} | {value} |" for key, value in rows)])


def deeper(text):
    """The text with each heading one level further in."""
    return re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE)


def picture(name, pictures):
    """The picture of a timeline, with the page itself behind it."""
    if name not in pictures:
        return ""
    return (f"\n<a href=\"../timelines/{name}.html\"><img src=\"../timelines/{name}.png\" alt=\"Timeline of "
            f"{name}: {pictures[name]['policies']} with the same inputs\"></a>\n\n"
            f"The picture opens the live page. `{pictures[name]['command']}` writes it.\n")


def history(name, spec):
    """Versions of the environment: published suites and entries of the changes."""
    rows = []
    for record in reference_tables.records():
        versions = {str(one["version"]) for one in record["suite"]["environments"] if one["env"] == name}
        if versions:
            manifest = record["manifest"]
            rows.append(f"| {record['suite']['name']} | {', '.join(sorted(versions))} | {manifest['started'][:10]} | "
                        f"`{manifest['host']['commit']}` | {record['newer'] or '-'} |")
    lines = [f"This is version {spec['version']}. The version rises when the same inputs give other results."]
    if rows:
        lines += ["", "| published suite | version | day | commit | replaced by |", "| --- | --- | --- | --- | --- |",
                  *rows]
    entries = re.findall(r"^- (?:.|\n(?=  ))*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    told = [entry for entry in entries if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", entry)]
    return "\n".join(lines + ([""] + told if told else []))


def environment_page(name, text, spec, pictures):
    """The page of one environment."""
    head, found = sections(text, 2)
    body = dict(found)
    model_head, model = sections(body.pop("The model", ""), 3)
    left_out = [one for one in model if LEFT_OUT.search(one[0])]
    references = [one for one in model if REFERENCES.fullmatch(one[0])]
    dynamics = [one for one in model if one not in left_out and one not in references]

    def take(titles):
        return "\n\n".join(f"### {title}\n\n{body.pop(title)}" for title in titles if title in body)

    def told(parts):
        return "\n\n".join(f"### {title}\n\n{inner}" for title, inner in parts)

    summary = head.split("\n- ")[0]
    about = "- " + "\n- ".join(head.split("\n- ")[1:]) if "\n- " in head else ""
    pieces = [summary, facts(spec), picture(name, pictures), "## Spaces", take(SPACES),
              "## Dynamics", model_head.strip() or "The configuration above and the metrics below define it.",
              told(dynamics), "## Metrics", body.pop("Metrics", ""), "## Policies", take(POLICIES)]
    results = body.pop("Reference results", "")
    rest = [f"## {title}\n\n{inner}" for title, inner in body.items()]
    pieces += [*rest, "## Reference results", results or "No suite of this environment has been published yet.",
               f"[All results](../results/{name}.md)" if (ROOT / f"docs/results/{name}.md").exists() else "",
               "## What is left out", told(left_out) or NO_GAP,
               "## References", about, "\n\n".join(inner for _, inner in references),
               "## Versions", history(name, spec)]
    return "\n\n".join(piece for piece in pieces if piece.strip()) + "\n"


def page(name, envs, pictures):
    """The text of a document on the site where it differs from that of the tree, else None."""
    path = Path(name)
    if path.parent == Path("docs/envs") and path.stem in envs:
        return environment_page(path.stem, (ROOT / name).read_text(encoding="utf-8"), envs[path.stem], pictures)
    if path.parent == Path("docs/results") and path.stem in pictures:
        head, rest = (ROOT / name).read_text(encoding="utf-8").split("\n\n", 1)
        return f"{head}\n\n{picture(path.stem, pictures)}\n{rest}"
    return None
