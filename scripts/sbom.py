#!/usr/bin/env python3
"""Writes sbom.spdx.json: what Park links, needs and bundles, with licences, in the form of SPDX 2.3.

    scripts/sbom.py BUILD           writes it; BUILD is a build with LibTorch and the bridge, such as
                                    build/dev
    scripts/sbom.py BUILD --check   writes nothing and fails where the file is not of today

The list is made from the build (ldd, and dpkg for the packages of what is linked), Cargo.lock, the
poms, go.mod, pyproject.toml and third_party/README.md. Licences are those of
third_party/licences.txt. Libraries of Debian have no version here, because each security update has
another one: `dpkg-query -W` on the machine says which one is linked. Everything else has the version
that the project pins.
"""

import argparse
import datetime
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "sbom.spdx.json"
LICENCES = ROOT / "third_party/licences.txt"
CREATOR = "Tool: scripts/sbom.py"

PRODUCTS = {
    "park": "The command and the C++ libraries.",
    "park-agents": "The module that trains and plays networks, which the command loads.",
    "park-go": "The example of a client in Go.",
    "park-java": "The client for Java.",
    "park-python": "The Python package. Its compiled part links what the command links.",
    "park-rust": "The Rust library.",
    "park-spark": "The plugin for Apache Spark.",
}
SUPPLIERS = {"deb": "Debian", "cargo": "the registry of Rust", "npm": "the registry of npm",
             "pypi": "the Python Package Index", "maven": "Maven Central",
             "golang": "the module proxy of Go"}
# Debian's packages of what is compiled in from headers alone.
HEADERS = ("cppzmq-dev", "libcli11-dev", "nlohmann-json3-dev")
# What comes with a dependency and is linked into a product or lies beside it.
BROUGHT = [("maven", "eu.neilalexander:jnacl", "1.0.0", "by JeroMQ")]
# How a product needs something. True: "product RELATION part"; False: the other way round.
FORWARD = {"CONTAINS": True, "DEPENDS_ON": True, "DYNAMIC_LINK": True, "STATIC_LINK": True,
           "BUILD_DEPENDENCY_OF": False, "BUILD_TOOL_OF": False, "OPTIONAL_DEPENDENCY_OF": False,
           "PROVIDED_DEPENDENCY_OF": False, "TEST_DEPENDENCY_OF": False}


@dataclass(frozen=True)
class Part:
    """Software of others."""
    kind: str
    name: str
    version: str = ""
    comment: str = field(default="", compare=False)
    sha256: str = field(default="", compare=False)

    @property
    def spdx_id(self):
        words = "-".join(filter(None, (self.kind, self.name, self.version)))
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", words)

    @property
    def purl(self):
        name = self.name.replace("@", "%40").replace(":", "/")
        if self.kind == "deb":
            return f"pkg:deb/debian/{name}?arch=source&distro=bookworm"
        return f"pkg:{self.kind}/{name}" + (f"@{self.version}" if self.version else "")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def linked(binary):
    """{library: its path} of what a program or library loads, and the names of what it names itself. Clang's
    sanitizers belong to builds for tests."""
    listed = re.findall(r"^\t(\S+) => (/\S+)", output("ldd", binary), re.MULTILINE)
    paths = {name: path for name, path in listed if not name.startswith("libclang_rt.")}
    direct = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", "-W", binary))
    return paths, set(direct)


def packages_of(paths):
    """{path: Debian package} of files of packages."""
    places = {}
    for path in paths:
        real = str(Path(path).resolve())
        for place in (real, real.removeprefix("/usr"), "/usr" + real):
            places[place] = path
    found = re.findall(r"^([^:\s]+)(?::\w+)?: (/.*)$", output("dpkg", "-S", *places), re.MULTILINE)
    return {places[place]: package for package, place in found if place in places}


def sources_of(packages):
    """{Debian package: its source package}."""
    listed = output("dpkg-query", "-W", "-f", "${Package} ${source:Package}\n", *packages)
    return dict(line.split() for line in listed.splitlines())


def debian(build):
    """What the command and the module of networks link, as (product, relation, part)."""
    for product, binary in (("park", build / "bin/park"),
                            ("park-agents", build / "lib/libpark_agents_module.so")):
        if not binary.is_file():
            sys.exit(f"{binary} is not there; build it first, with LibTorch and the bridge")
        paths, direct = linked(binary)
        paths = {name: path for name, path in paths.items()
                 if not path.startswith(str(build)) and not re.match(r"lib[atu]b?san\.", name)}
        owners = packages_of(paths.values())
        sources = sources_of(set(owners.values()))
        packages, named = defaultdict(set), set()
        for name, path in paths.items():
            if path not in owners:
                sys.exit(f"{path} is in no package of Debian; an SBOM is made on Debian 12")
            source = sources[owners[path]]
            packages[source].add(owners[path])
            if name in direct:
                named.add(source)
        for source, members in packages.items():
            yield (product, "DYNAMIC_LINK" if source in named else "DEPENDS_ON",
                   Part("deb", source, comment="Debian packages: " + ", ".join(sorted(members))))


def headers():
    """What is compiled in from headers."""
    for package, source in sources_of(HEADERS).items():
        yield "park", "STATIC_LINK", Part("deb", source, comment=f"Debian package: {package}; headers only")


def cargo():
    lock = tomllib.loads((ROOT / "bridge/rust/Cargo.lock").read_text(encoding="utf-8"))
    for crate in lock["package"]:
        if "source" in crate:
            yield ("park-rust", "DEPENDS_ON",
                   Part("cargo", crate["name"], crate["version"], sha256=crate["checksum"]))


def maven_items(pom, tag, values):
    """(name, version, scope) of the dependencies or plugins of a pom."""
    space = "{http://maven.apache.org/POM/4.0.0}"
    for item in pom.iter(space + tag):
        def text(what, default="", item=item):
            found = item.findtext(space + what, default)
            return re.sub(r"\$\{(.*?)\}", lambda match: values.get(match.group(1), ""), found)
        group = text("groupId", "org.apache.maven.plugins")
        if group != "park.sdk":
            yield f"{group}:{text('artifactId')}", text("version"), text("scope")


def maven():
    for product, file in (("park-java", "bridge/java/pom.xml"), ("park-spark", "systems/spark/jvm/pom.xml")):
        pom = ElementTree.parse(ROOT / file).getroot()
        values = {item.tag.split("}")[1]: (item.text or "").strip()
                  for item in pom.find("{*}properties")}
        for name, version, scope in maven_items(pom, "dependency", values):
            relation = {"test": "TEST_DEPENDENCY_OF", "provided": "PROVIDED_DEPENDENCY_OF"}
            yield product, relation.get(scope, "DEPENDS_ON"), Part("maven", name, version)
        for name, version, _ in maven_items(pom, "plugin", values):
            yield product, "BUILD_TOOL_OF", Part("maven", name, version)
    for kind, name, version, by in BROUGHT:
        yield "park-java", "DEPENDS_ON", Part(kind, name, version, comment=f"brought {by}")


def go():
    text = (ROOT / "examples/go/go.mod").read_text(encoding="utf-8")
    for name, version in re.findall(r"^\t(\S+) (v\S+)", text, re.MULTILINE):
        yield "park-go", "DEPENDS_ON", Part("golang", name, version)


def python():
    project = tomllib.loads((ROOT / "bridge/python/pyproject.toml").read_text(encoding="utf-8"))
    wanted = [("DEPENDS_ON", project["project"]["dependencies"]),
              ("BUILD_DEPENDENCY_OF", project["build-system"]["requires"])]
    wanted += [("OPTIONAL_DEPENDENCY_OF", names)
               for names in project["project"]["optional-dependencies"].values()]
    for relation, requirements in wanted:
        for text in requirements:
            name = re.match(r"[\w.-]+", text).group()
            yield "park-python", relation, Part("pypi", name, comment=f"required: {text}")


def bundled():
    """The rows of third_party/README.md, whose sums have to be those of the files."""
    row = re.compile(r"^\| `(\S+)` \| `(\S+)`.*?\| ([\d.]+) \|.*`([0-9a-f]{64})` \|$", re.MULTILINE)
    for file, name, version, stated in row.findall(
            (ROOT / "third_party/README.md").read_text(encoding="utf-8")):
        sha256 = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()
        if sha256 != stated:
            sys.exit(f"{file}: its SHA-256 is {sha256}; third_party/README.md says {stated}")
        yield "park", "CONTAINS", Part("npm", name.strip(","), version, comment=file)


def licences():
    """{(kind, name): licence} of third_party/licences.txt."""
    found = {}
    for line in LICENCES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, licence, names = (word.strip() for word in line.split("|"))
            found |= {(kind, name): licence for name in names.split()}
    return found


def licensed(parts):
    """{part: licence}; ends where one has none, or where a licence is of nothing that is used."""
    known = licences()
    wrong = [f"{kind} {name}: has no licence in {LICENCES.relative_to(ROOT)}"
             for kind, name in sorted({(part.kind, part.name) for part in parts} - known.keys())]
    wrong += [f"{LICENCES.relative_to(ROOT)}: {kind} {name} is used nowhere"
              for kind, name in sorted(known.keys() - {(part.kind, part.name) for part in parts})]
    if wrong:
        sys.exit("\n".join(wrong))
    return {part: known[part.kind, part.name] for part in parts}


def described(spdx_id, name, version, supplier, licence, **more):
    package = {"SPDXID": spdx_id, "name": name, "supplier": supplier,
               "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
               "copyrightText": "NOASSERTION"}
    if version:
        package["versionInfo"] = version
    return package | {key: value for key, value in more.items() if value}


def described_part(part, licence):
    sums = [{"algorithm": "SHA256", "checksumValue": part.sha256}] if part.sha256 else []
    return described(part.spdx_id, part.name, part.version,
                     f"Organization: {SUPPLIERS[part.kind]}", licence, comment=part.comment,
                     checksums=sums,
                     externalRefs=[{"referenceCategory": "PACKAGE-MANAGER",
                                    "referenceType": "purl", "referenceLocator": part.purl}])


def extracted(all_licences):
    """What SPDX wants to know of licences that have no name in its list."""
    names = sorted(set(re.findall(r"LicenseRef-[\w.-]+", " ".join(all_licences))))
    return [{"licenseId": name, "name": name.removeprefix("LicenseRef-"),
             "extractedText": "The text is in the file `copyright` of the Debian package."}
            for name in names]


def merged(uses):
    """The uses once each, in order; comments of one part that several products use are joined."""
    comments = defaultdict(set)
    for _, _, part in uses:
        comments[part].update(filter(None, [part.comment]))
    parts = {}
    for part, texts in comments.items():
        names = sorted({name for text in texts if text.startswith("Debian packages: ")
                        for name in text.removeprefix("Debian packages: ").split(", ")})
        comment = "Debian packages: " + ", ".join(names) if names else "; ".join(sorted(texts))
        parts[part] = Part(part.kind, part.name, part.version, comment, part.sha256)
    return parts, sorted({(product, relation, part.spdx_id) for product, relation, part in uses})


def document(uses):
    """The SPDX document, without the time of its creation."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(park VERSION ([\d.]+)", text).group(1)
    parts, relations = merged(uses)
    named = licensed(parts)
    order = sorted(parts.values(), key=lambda part: (part.kind, part.name, part.version))
    packages = [described(f"SPDXRef-{name}", name, version, "NOASSERTION", "Apache-2.0", summary=summary)
                for name, summary in PRODUCTS.items()]
    packages += [described_part(part, named[part]) for part in order]
    links = [("SPDXRef-DOCUMENT", "DESCRIBES", f"SPDXRef-{name}") for name in PRODUCTS]
    for product, relation, part in relations:
        ends = (f"SPDXRef-{product}", part)
        first, second = ends if FORWARD[relation] else ends[::-1]
        links.append((first, relation, second))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"park-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/park-{version}",
            "creationInfo": {"creators": [CREATOR]},
            "hasExtractedLicensingInfos": extracted(named.values()), "packages": packages,
            "relationships": [{"spdxElementId": first, "relationshipType": relation,
                               "relatedSpdxElement": second} for first, relation, second in links]}


def differences(old, new):
    """Lines that say what is in one document and not in the other."""
    if old == new:
        return []
    lines = []
    for key in ("packages", "relationships"):
        before, after = ({json.dumps(item, sort_keys=True) for item in text.get(key, [])}
                         for text in (old, new))
        lines += [f"- {line}" for line in sorted(before - after)]
        lines += [f"+ {line}" for line in sorted(after - before)]
    return lines or ["the head of the document differs, or the order of its items"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="such as build/dev")
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    sources = (debian(arguments.build.resolve()), headers(), cargo(), maven(), go(), python(), bundled())
    new = document([use for source in sources for use in source])
    old = json.loads(OUT.read_text(encoding="utf-8")) if OUT.is_file() else {"creationInfo": {}}
    created = old["creationInfo"].pop("created", "")
    lines = differences(old, new)
    if arguments.check:
        if lines:
            print(*lines, f"{OUT.name} is not of today; scripts/sbom.py BUILD writes it", sep="\n")
        return 1 if lines else 0
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    new["creationInfo"]["created"] = now if lines or not created else created
    OUT.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {len(new['packages'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
