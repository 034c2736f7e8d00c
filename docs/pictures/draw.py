#!/usr/bin/env python3
"""Draws the pictures of this folder with tegula-inspect.

    draw.py PROGRAM            draws all of them again
    draw.py PROGRAM --check    exit status 1 if a picture is not what the program draws
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import guide

def small(rs="[]", columns="[4,2]", ps="[[[1,1],[2,0]]]", ys="[[1,0],[2,1]]"):
    """The 4 x 8 tile of docs/guide/layouts.md with one of its parts changed."""
    return ["encoding", f'{{"rs":{rs},"hs":[[2,2],{columns}],"ps":{ps},"ys":{ys}}}']


PICTURES = {
    "small.svg": small(),
    "small_other_factors.svg": small(columns="[2,4]"),
    "small_lanes_down.svg": small(ps="[[[2,0],[1,1]]]"),
    "small_two_waves.svg": small(ps="[[[1,1]],[[2,0]]]"),
    "small_registers_down.svg": small(ys="[[2,1],[1,0]]"),
    "small_twice.svg": small(rs="[2]", ps="[[[0,0],[1,1],[2,0]]]"),
    # One of the four waves of the coalesced load, and the replicated row.
    "load.svg": ["encoding", '{"rs":[],"hs":[[4,4],[16,4]],"ps":[[[1,1],[2,0]]],"ys":[[1,0],[2,1]]}'],
    "replicated_row.svg": ["encoding", '{"rs":[2],"hs":[[32]],"ps":[[[0,0],[1,0]]],"ys":[]}'],
    # 16 x 16 over 4 waves of 16 lanes: two neighbouring columns a lane, and the same again 8 rows below.
    "distribution.svg": ["encoding", '{"rs":[],"hs":[[2,4,2],[8,2]],"ps":[[[1,1]],[[1,2],[2,0]]],"ys":[[1,0],[2,1]]}'],
    "v_mfma_f32_32x32x8_f16.svg": ["mma", "gfx942", "v_mfma_f32_32x32x8_f16"],
    # Values in fp8 and fp4, and the scales of A: a row of four blocks of 32 k in four lanes.
    "scaled_mfma.svg": ["mma", "gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4", "--variant", "fp8_fp4"],
    "scaled_mfma_scales.svg": ["encoding", '{"rs":[],"hs":[[16],[4]],"ps":[[[2,0],[1,0]]],"ys":[]}'],
    "v_wmma_f32_16x16x16_f16.svg": ["mma", "gfx1100", "v_wmma_f32_16x16x16_f16"],
    "mma_m16n8k16.svg": ["mma", "sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"],
}
FOLDER = Path(__file__).resolve().parent


def draw(program, folder):
    for name, arguments in PICTURES.items():
        subprocess.run([program, *arguments, "--svg", str(folder / name)], check=True)
    for name, draw_picture in guide.PICTURES.items():
        draw_picture(program, folder / name)


def outdated(program):
    """Names of the pictures here that differ from what the program draws, and of files that it does not draw."""
    with tempfile.TemporaryDirectory() as temporary:
        draw(program, Path(temporary))
        here = {file.name: file.read_bytes() for file in FOLDER.glob("*.svg")}
        now = {file.name: file.read_bytes() for file in Path(temporary).glob("*.svg")}
    return sorted(name for name in here.keys() | now.keys() if here.get(name) != now.get(name))


def main():
    if "--check" not in sys.argv:
        draw(sys.argv[1], FOLDER)
        return 0
    names = outdated(sys.argv[1])
    for name in names:
        print(f"docs/pictures/{name} is not what tegula-inspect draws; run docs/pictures/draw.py PROGRAM")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
