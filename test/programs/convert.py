"""tegula-inspect convert: plans of known pairs, its options, its pictures, and bad input."""

import json
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from _program import check, problems, runner

inspect = runner("tegula-inspect")
KEYS = ["method", "shuffles", "shared_bytes", "store_vector_bits", "load_vector_bits", "store_conflicts",
        "load_conflicts", "swizzle"]


def run(*arguments):
    return inspect("convert", *arguments)


def encoding(hs, ps, ys, rs=()):
    return json.dumps({"rs": list(rs), "hs": hs, "ps": ps, "ys": ys})


def plan(source, destination, arch, bits, *options):
    sides = [source] + ([destination] if destination else [])
    status, out, error = run(*sides, "--arch", arch, "--bits", str(bits), "--json", *options)
    check(status == 0 and error == "", f"{arch} {bits} {options}: status {status}, {error}")
    answer = json.loads(out) if status == 0 else dict.fromkeys(KEYS)
    check(list(answer) == KEYS, f"keys {list(answer)}")
    return answer


def tiles(lanes):
    """A row of 8 a lane; the same with the registers in two halves; with half rows; over the lanes backwards."""
    row = encoding([[lanes], [8]], [[[1, 0]]], [[2, 0]])
    halves = encoding([[lanes], [2, 4]], [[[1, 0]]], [[2, 1], [2, 0]])
    half_rows = encoding([[2, lanes // 2], [2, 4]], [[[2, 0], [1, 1]]], [[1, 0], [2, 1]])
    return row, halves, half_rows


def waves(lanes):
    """64 x 64 over four waves: a strip of rows, then a strip of columns each; a lane holds 16 neighbours of a row."""
    rows = lanes // 4
    by_rows = encoding([[4, 16 // rows, rows], [4, 16]], [[[1, 0]], [[1, 2], [2, 0]]], [[1, 1], [2, 1]])
    by_columns = encoding([[64 // lanes, lanes], [4, 16]], [[[2, 0]], [[1, 1]]], [[1, 0], [2, 1]])
    return by_rows, by_columns


def check_methods():
    for arch, lanes in (("gfx942", 64), ("gfx90a", 64), ("gfx1100", 32), ("sm_80", 32), ("sm_90a", 32)):
        row, halves, half_rows = tiles(lanes)
        check(plan(row, row, arch, 16)["method"] == "none", "the same is something")
        check(plan(row, halves, arch, 16)["method"] == "register", "registers")
        for bits, shuffles in ((4, 1), (8, 1), (16, 2), (32, 4), (64, 8)):
            found = plan(row, half_rows, arch, bits)
            check(found["method"] == "shuffle" and found["shuffles"] == shuffles, f"{arch} {bits}: {found}")
            check(found["swizzle"] is None and found["shared_bytes"] == 0, f"memory for a shuffle: {found}")
        forced = plan(row, half_rows, arch, 16, "--force", "shared")
        check(forced["method"] == "shared" and forced["shared_bytes"] == lanes * 16, f"forced: {forced}")
        by_rows, by_columns = waves(lanes)
        for bits in (8, 16, 32):
            found = plan(by_rows, by_columns, arch, bits)
            check(found["method"] == "shared" and found["shared_bytes"] == 64 * 64 * bits // 8, f"{arch}: {found}")
            check(found["store_conflicts"] == found["load_conflicts"] == 0, f"{arch} {bits} conflicts: {found}")
            pairs = found["swizzle"] or []
            check(all(len(p) == 2 and p[0] < p[1] for p in pairs), f"swizzle {pairs}")
        small = plan(by_rows, by_columns, arch, 16, "--shared-bytes", "2048")
        check(small["shared_bytes"] == 2048, f"chunks: {small}")


def check_operands():
    row, _, _ = tiles(32)
    instruction = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    tile = encoding([[2, 8], [8, 2]], [[[1, 1], [1, 0], [2, 1]]], [[2, 0]])
    check(plan(tile, None, "sm_80", 16, "--mma", instruction + ":A")["method"] == "shuffle", "operand A")
    status, _, error = run(tile, "--arch", "sm_80", "--bits", "16", "--mma", instruction + ":D")
    check(status == 2 and "names no operand" in error, error)
    status, _, error = run(row, "--arch", "sm_80", "--bits", "16", "--mma", instruction + ":A")
    check(status == 2 and "dimension 0 has length 32" in error, error)
    mfma = encoding([[32], [2, 4]], [[[2, 0], [1, 0]]], [[2, 1]])
    check(plan(mfma, None, "gfx942", 16, "--mma", "v_mfma_f32_32x32x8_f16:A")["method"] == "none", "an operand itself")


def check_pictures(folder):
    row, _, half_rows = tiles(32)
    name = folder / "pair.svg"
    status, out, _ = run(row, half_rows, "--arch", "sm_80", "--bits", "16", "--svg", str(name), "--ascii")
    check(status == 0 and "2 shuffles of 32 bits" in out and out.count("cell = ") == 2, out)
    check(len([e for e in xml.parse(name).getroot().iter() if e.tag.endswith("svg")]) == 3, "two drawings in one")
    status, out, _ = run(row, half_rows, "--arch", "sm_80", "--bits", "16", "--force", "shared")
    check(status == 0 and "Through 512 bytes of shared memory" in out and "Written: 2 accesses of 64 bits" in out, out)


def check_refusals():
    row, halves, _ = tiles(32)
    for arguments, message in (
        ((row, halves, "--arch", "sm_80"), "--bits"),
        ((row, halves, "--bits", "16"), "--arch"),
        ((row, "--arch", "sm_80", "--bits", "16"), "one destination"),
        ((row, halves, "--arch", "sm_80", "--bits", "16", "--mma", "x:A"), "one destination"),
        ((row, halves, "--arch", "sm_80", "--bits", "12"), "12 bits are not converted"),
        ((row, halves, "--arch", "gfx942", "--bits", "16"), "a wave has 64 lanes"),
        ((row, halves, "--arch", "sm_10", "--bits", "16"), "there are gfx908"),
        ((row, halves, "--arch", "sm_80", "--bits", "16", "--force", "it"), "--force shared"),
        ((row, halves, "--arch", "sm_80", "--bits", "16", "--shared-bytes", "8"), "at least 16"),
        ((row, "{}", "--arch", "sm_80", "--bits", "16"), "is missing"),
    ):
        status, out, error = run(*arguments)
        check(status == 2 and out == "" and message in error and len(error.splitlines()) == 1,
              f"{arguments[2:]}: status {status}, {error}")


check_methods()
check_operands()
with tempfile.TemporaryDirectory() as name:
    check_pictures(Path(name))
check_refusals()
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(bool(problems))
