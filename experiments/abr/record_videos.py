#!/usr/bin/env python3
"""Encode the bundled videos of the environment abr and keep the sizes of their chunks.

    experiments/abr/record_videos.py                  encode what is not there yet
    experiments/abr/record_videos.py --again fractals     encode these again

Each video is 196 s of scenes that ffmpeg generates: no film is needed, and none is kept. Scenes of
3 to 14 s that differ in detail and motion follow each other, drawn from the video's palette by a
generator whose seed is the video's name. libx264 encodes them at the six rates of the ladder in one
pass with a capped rate, a key frame every 4 s, and the sizes of the 49 chunks (files .m4s) of each
rate go to data/videos/NAME. data/videos/PROVENANCE.md is written anew.

Needs Python 3.10 or newer and ffmpeg with libx264 (Debian: apt-get install ffmpeg); a few minutes
of a core per video.
"""

import argparse
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "data/videos"
CHUNKS, CHUNK_S, FRAMES_PER_S = 49, 4, 12
# kbit/s, picture: the ladder of Mao et al., "Neural Adaptive Video Streaming with Pensieve", 2017
LADDER = [(300, "320x180"), (750, "640x360"), (1200, "768x432"), (1850, "1024x576"),
          (2850, "1280x720"), (4300, "1920x1080")]
SOURCE = f"size=1280x720:rate={FRAMES_PER_S}"
SMALL = f"size=320x180:rate={FRAMES_PER_S}"
# No whole number of pixels per cell, else cells fit the encoder's blocks at one size of the picture.
CELLS = f"size=300x168:rate={FRAMES_PER_S}"
GROW = "scale=1280:720:flags=bilinear"


def mandelbrot(draw):
    """A zoom into one of a few places; the deeper, the more detail."""
    x, y = draw.choice([(-0.7436438, -0.1318259), (-0.1015, 0.9563), (-1.2561, 0.3823), (0.2750, 0.0060)])
    start = draw.uniform(0.05, 2.5)
    zoom = draw.choice([0.5, 0.2, 0.05])
    return (f"mandelbrot={SOURCE}:maxiter=300:start_x={x}:start_y={y}:start_scale={start:.4f}"
            f":end_scale={start * zoom:.4f}:end_pts={14 * FRAMES_PER_S}")


def still_fractal(draw):
    """A slow pan over one picture of the set."""
    x, y = draw.choice([(-0.7436438, -0.1318259), (-1.2561, 0.3823)])
    side, speed = draw.uniform(0.05, 0.5), draw.uniform(5, 60)
    return (f"mandelbrot=size=1920x1080:rate={FRAMES_PER_S}:maxiter=300:start_x={x}:start_y={y}"
            f":start_scale={side:.4f}:end_scale={side:.4f},trim=end_frame=1,loop=-1:1:0"
            f",setpts=N/{FRAMES_PER_S}/TB,crop=1280:720:x='mod({speed:.1f}*t,640)':y='mod({speed / 2:.1f}*t,360)'")


def life(draw):
    """Conway's game; the share of cells that live at first decides how much moves."""
    return (f"life={CELLS}:seed={draw.randrange(1, 10**6)}:ratio={draw.uniform(0.05, 0.4):.3f}"
            f":mold={draw.choice([0, 10, 40])}:life_color=#{draw.randrange(2**24):06x}"
            f":death_color=#{draw.randrange(2**22):06x}:mold_color=#{draw.randrange(2**23):06x},{GROW}")


def cellauto(draw):
    """A one-dimensional automaton that scrolls."""
    return (f"cellauto={CELLS}:seed={draw.randrange(1, 10**6)}:rule={draw.choice([18, 30, 90, 110, 150])}"
            f":random_fill_ratio={draw.uniform(0.1, 0.6):.3f},{GROW}")


def grain(draw, strengths):
    """The grain of a film, which changes with every frame; coarse, so that small pictures keep it."""
    return f"noise=alls={draw.choice(strengths)}:allf=t:all_seed={draw.randrange(1, 10**6)},scale=1280:720:flags=bilinear"


def gradients(draw):
    """Smooth colours that turn, under grain."""
    return (f"gradients={SMALL}:seed={draw.randrange(1, 10**6)}:n={draw.randrange(2, 8)}"
            f":speed={draw.choice([0.005, 0.02, 0.04])}," + grain(draw, [4, 8, 12, 18]))


def test_card(draw):
    """A card with a clock that turns."""
    return f"testsrc2={SOURCE},rotate=angle=t*{draw.uniform(0.05, 0.5):.2f}"


def bars(draw):
    """Bars, at rest but for their grain."""
    return f"smptehdbars={SMALL}," + grain(draw, [4, 6, 10])


def panned_card(draw):
    """A part of the card that moves as a camera would."""
    return (f"testsrc2=size=1920x1080:rate={FRAMES_PER_S},crop=1280:720:x='320+300*sin({draw.uniform(0.2, 3):.2f}*t)'"
            f":y='180+150*cos({draw.uniform(0.2, 2):.2f}*t)'")


PALETTES = {
    "studio": [test_card, panned_card, panned_card, bars, gradients],
    "default": [mandelbrot, life, cellauto, gradients, panned_card, still_fractal],
    "automata": [life, life, cellauto, still_fractal],
    "fractals": [mandelbrot, mandelbrot, still_fractal, gradients],
}


def scenes(name):
    """The graph of the video's scenes: (source, seconds), in all CHUNKS * CHUNK_S seconds."""
    draw = random.Random(name)
    left, made, last = CHUNKS * CHUNK_S * FRAMES_PER_S, [], None
    while left > 0:
        frames = min(left, round(draw.uniform(3, 14) * FRAMES_PER_S))
        if left - frames < 3 * FRAMES_PER_S:
            frames = left
        last = draw.choice([source for source in PALETTES[name] if source is not last])
        made.append((last(draw), frames))
        left -= frames
    return made


def graph(name):
    parts, labels = [], []
    for index, (source, frames) in enumerate(scenes(name)):
        labels.append(f"[s{index}]")
        parts.append(f"{source},trim=end_frame={frames},setpts=N/{FRAMES_PER_S}/TB,format=yuv420p,setsar=1"
                     + labels[-1])
    copies = "".join(f"[c{level}]" for level in range(len(LADDER)))
    parts.append(f"{''.join(labels)}concat=n={len(labels)},split={len(LADDER)}{copies}")
    for level, (_, picture) in enumerate(LADDER):
        parts.append(f"[c{level}]scale={picture.replace('x', ':')}:flags=bilinear[v{level}]")
    return ";".join(parts)


def command(name):
    """All six encodings at once: the scenes are generated one time."""
    words = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
             "-filter_complex_threads", "1", "-filter_complex", graph(name)]
    gop = str(CHUNK_S * FRAMES_PER_S)
    for level, (kbps, _) in enumerate(LADDER):
        words += ["-map", f"[v{level}]", "-c:v", "libx264", "-preset", "superfast", "-threads", "1",
                  "-b:v", f"{kbps}k", "-maxrate", f"{kbps * 3 // 2}k", "-bufsize", f"{kbps * 2}k",
                  "-x264-params", "ratetol=0.3:qcomp=0.25",
                  "-g", gop, "-keyint_min", gop, "-sc_threshold", "0",
                  "-f", "hls", "-hls_time", str(CHUNK_S), "-hls_playlist_type", "vod",
                  "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", f"init{level}.mp4",
                  "-hls_segment_filename", f"level{level}-%03d.m4s", f"level{level}.m3u8"]
    return words


def encode(name):
    """The sizes of the chunks, [rate][chunk], in bytes."""
    with tempfile.TemporaryDirectory(prefix="park-videos-") as folder:
        subprocess.run(["nice", "-n", "19", *command(name)], cwd=folder, check=True)
        return [[path.stat().st_size for path in sorted(Path(folder).glob(f"level{level}-*.m4s"))]
                for level in range(len(LADDER))]


def facts(sizes):
    """Mean rate in kbit/s and coefficient of variation of each level."""
    return [(statistics.mean(level) * 8 / CHUNK_S / 1000, statistics.pstdev(level) / statistics.mean(level))
            for level in sizes]


def check(name, sizes):
    for (kbps, _), level, (rate, variation) in zip(LADDER, sizes, facts(sizes)):
        if len(level) != CHUNKS or variation < 0.15 or abs(rate / kbps - 1) > 0.1:
            sys.exit(f"record_videos: {name} at {kbps} kbit/s has {len(level)} chunks, {rate:.0f} kbit/s and "
                     f"the variation {variation:.2f}; wanted are {CHUNKS}, within 10 % and 0.15 or more")


def write(name, sizes):
    """Files sort lowest rate first; one size per line."""
    folder = TARGET / name
    folder.mkdir(parents=True, exist_ok=True)
    for (kbps, _), level in zip(LADDER, sizes):
        (folder / f"{kbps:04d}kbps.txt").write_text("".join(f"{size}\n" for size in level), encoding="utf-8")


def read(name):
    return [[int(line) for line in path.read_text(encoding="utf-8").split()]
            for path in sorted((TARGET / name).glob("*kbps.txt"))]


def write_provenance():
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=True).stdout
    lines = ["# Where these chunk sizes come from", "",
             "Generated by `experiments/abr/record_videos.py`; do not edit. Each folder is a video of our own of",
             f"{CHUNKS * CHUNK_S} s in {CHUNKS} chunks of {CHUNK_S} s, at the six rates of Pensieve's ladder: a file per rate with the",
             "size of each chunk (a fragmented MP4 segment) in bytes. ffmpeg generated the pictures and encoded",
             "them with libx264; neither pictures nor encodings are kept. `default` is what `abr` plays.", "",
             f"{version.splitlines()[0].split(' Copyright')[0]} (Debian), {FRAMES_PER_S} pictures per second.", "",
             "| video | kbit/s | picture | mean kbit/s | smallest chunk | largest chunk | standard deviation / mean |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    made = [name for name in PALETTES if (TARGET / name).is_dir()]
    for name in made:
        sizes = read(name)
        for (kbps, picture), level, (rate, variation) in zip(LADDER, sizes, facts(sizes)):
            lines.append(f"| {name} | {kbps} | {picture} | {rate:.0f} | {min(level)} | {max(level)} | {variation:.3f} |")
    for name in made:
        lines += ["", f"## {name}", ""]
        lines += ["    " + line for line in textwrap.wrap(shlex.join(command(name)), 110, break_long_words=False,
                                                          break_on_hyphens=False)]
    (TARGET / "PROVENANCE.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", nargs="*", default=[], choices=list(PALETTES), metavar="NAME",
                        help="encode these even if they are there")
    arguments = parser.parse_args()
    if shutil.which("ffmpeg") is None:
        sys.exit("record_videos: ffmpeg is missing; install it with: apt-get install ffmpeg")
    for name in PALETTES:
        if (TARGET / name).is_dir() and name not in arguments.again:
            continue
        start = time.monotonic()
        sizes = encode(name)
        for (kbps, _), (rate, variation) in zip(LADDER, facts(sizes)):
            print(f"{name} {kbps}: {rate:.0f} kbit/s, variation {variation:.3f}", file=sys.stderr)
        write(name, sizes)
        check(name, sizes)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    write_provenance()


if __name__ == "__main__":
    main()
