#!/usr/bin/env python3
"""Builds and tests the Rust library.

    run_cargo.py TARGET test PARK              all tests; PARK is the program park
    run_cargo.py TARGET lint                   format, clippy, documentation
    run_cargo.py TARGET conformance SERVER     docs/conformance.md; SERVER is park_fake_server

TARGET is the folder for what cargo builds. Exit status 77, and a line that says why, where cargo is
absent, is older than bridge/rust/Cargo.toml needs, or cannot get the crates of Cargo.lock.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATE = ROOT / "bridge/rust"
SKIPPED = 77
# Where rustup puts it; not every shell has this in its PATH.
PATH = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin")])


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def least_version():
    """What Cargo.toml needs, such as (1, 89)."""
    text = (CRATE / "Cargo.toml").read_text(encoding="utf-8")
    return numbers(re.search(r'^rust-version = "([\d.]+)"', text, re.MULTILINE).group(1))


def numbers(version):
    return tuple(int(part) for part in version.split(".")[:2])


def run(target, *words, **environment):
    """Runs cargo in the crate; true where it succeeds."""
    environment = {**os.environ, "PATH": PATH, "CARGO_TARGET_DIR": target, **environment}
    done = subprocess.run(["cargo", *words], cwd=CRATE, env=environment, check=False)
    return done.returncode == 0


def cargo(target, *words, **environment):
    """Runs cargo in the crate, and ends where it fails."""
    if not run(target, *words, **environment):
        sys.exit(1)


def check_cargo(target):
    """Skips where the crate cannot be built here."""
    needed = ".".join(map(str, least_version()))
    hint = "Debian 12 has it in the packages cargo-web and rustc-web"
    if not shutil.which("cargo", path=PATH):
        skip(f"cargo is not there; {needed} or newer is needed ({hint})")
    said = subprocess.run(["cargo", "-vV"], capture_output=True, text=True, check=True,
                          env={**os.environ, "PATH": PATH}).stdout
    have = re.search(r"^cargo (\d+\.\d+)", said).group(1)
    if numbers(have) < least_version():
        skip(f"cargo is {have}; {needed} or newer is needed ({hint})")
    host = re.search(r"^host: (\S+)", said, re.MULTILINE).group(1)
    fetch = ["fetch", "--locked", "--quiet", "--target", host]
    if not run(target, *fetch, "--offline") and not run(target, *fetch):
        skip("the crates of bridge/rust/Cargo.lock are not here and cannot be downloaded")


def test(target, park):
    cargo(target, "test", "--locked", "--", "--include-ignored", PARK_BINARY=park)


def lint(target):
    """Format and lints where the tools are there: some packages of cargo have none."""
    clippy = ["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]
    for tool, words in [("cargo-fmt", ["fmt", "--check"]), ("cargo-clippy", clippy)]:
        if shutil.which(tool, path=PATH):
            cargo(target, *words)
        else:
            print(f"skipped: there is no {tool}")
    cargo(target, "doc", "--locked", "--no-deps", "--quiet", RUSTDOCFLAGS="-D warnings")


def conformance(target, server):
    cargo(target, "build", "--locked", "--quiet", "--example", "conformance")
    checker = ROOT / "tests/bridge/check_conformance.py"
    client = Path(target) / "debug/examples/conformance"
    sys.exit(subprocess.run([checker, "--serves", server, client], check=False).returncode)


def main():
    commands = {"test": (test, 1), "lint": (lint, 0), "conformance": (conformance, 1)}
    if len(sys.argv) < 3 or sys.argv[2] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    target, name, *words = sys.argv[1:]
    command, arguments = commands[name]
    if len(words) != arguments:
        print(__doc__, file=sys.stderr)
        return 2
    check_cargo(target)
    command(target, *words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
