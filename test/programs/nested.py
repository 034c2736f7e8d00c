"""tegula-inspect nested on good and bad input, against the definition written out in Python."""

import itertools
import json
import random
import sys
import tempfile
from pathlib import Path

from _program import check, problems, program, runner

PROGRAM = program("tegula-inspect")
inspect = runner("tegula-inspect")
LEVELS = ["subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile"]
KEYS = LEVELS + ["subgroup_strides", "thread_strides"]
EXAMPLE = {"subgroup_tile": [2, 1], "batch_tile": [2, 4], "outer_tile": [1, 1], "thread_tile": [16, 4],
           "element_tile": [1, 4], "subgroup_strides": [1, 0], "thread_strides": [4, 1], "subgroup_size": 64,
           "subgroups": 2}


def run(layout, *options):
    return inspect("nested", layout if isinstance(layout, str) else json.dumps(layout), *options)


def held_by(layout, tid):
    """The elements of a thread in register order: batch of every dimension, outer, element."""
    rank = range(len(layout["batch_tile"]))
    lanes = layout["subgroup_size"]

    def digit(stride, tile):
        return tid // stride % tile if stride else 0

    vs = [digit(layout["subgroup_strides"][i] * lanes, layout["subgroup_tile"][i]) for i in rank]
    vt = [digit(layout["thread_strides"][i], layout["thread_tile"][i]) for i in rank]
    ranges = [range(n) for level in ("batch_tile", "outer_tile", "element_tile") for n in layout[level]]
    elements = []
    for index in itertools.product(*ranges):
        b, o, e = (index[k * len(rank):(k + 1) * len(rank)] for k in range(3))
        elements.append([
            (((vs[i] * layout["batch_tile"][i] + b[i]) * layout["outer_tile"][i] + o[i]) * layout["thread_tile"][i]
             + vt[i]) * layout["element_tile"][i] + e[i] for i in rank])
    return elements


def map_of_encoding(text):
    status, out, error = inspect("encoding", json.dumps(text), "--json")
    return json.loads(out)["map"] if status == 0 else error


def place(rng, rank, size):
    """Tiles and strides of one level: digits with gaps between them, dimensions in a random order."""
    tiles, strides, below = [1] * rank, [0] * rank, 1
    for dim in rng.sample(range(rank), rank):
        gap, tile = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3, 4, 8])
        if tile > 1 and size % (below * gap * tile) == 0:
            tiles[dim], strides[dim] = tile, below * gap
            below *= gap * tile
    return tiles, strides


def random_layout(rng):
    rank = rng.randint(1, 3)
    layout = {"subgroup_size": rng.choice([10, 12, 32, 64]), "subgroups": rng.choice([1, 2, 4, 6])}
    layout["subgroup_tile"], layout["subgroup_strides"] = place(rng, rank, layout["subgroups"])
    layout["thread_tile"], layout["thread_strides"] = place(rng, rank, layout["subgroup_size"])
    for level in ("batch_tile", "outer_tile", "element_tile"):
        layout[level] = [rng.choice([1, 1, 2, 3]) for _ in range(rank)]
    return layout


def test_answers():
    rng = random.Random(3)
    for layout in [EXAMPLE] + [random_layout(rng) for _ in range(60)]:
        status, out, error = run(layout, "--json")
        if status or error:
            problems.append(f"{layout}: status {status}, {error}")
            continue
        answer = json.loads(out)
        threads = range(layout["subgroup_size"] * layout["subgroups"])
        shape = [1] * len(layout["batch_tile"])
        for level in LEVELS:
            shape = [a * b for a, b in zip(shape, layout[level])]
        check(sorted(answer) == ["encoding", "map", "shape", "writers"], f"{layout}: keys {sorted(answer)}")
        check(answer["shape"] == shape, f"{layout}: shape {answer['shape']}")
        check(answer["map"] == [held_by(layout, tid) for tid in threads], f"{layout}: the map differs")
        check(answer["map"] == map_of_encoding(answer["encoding"]), f"{layout}: the encoding has another map")
        # The writers hold every element once, and each is the first of its replicas.
        first = {}
        for tid in threads:
            first.setdefault(json.dumps(answer["map"][tid]), tid)
        check(answer["writers"] == sorted(first.values()), f"{layout}: writers {answer['writers']}")


def as_type(layout):
    tiles = ", ".join(f"{key}<{', '.join(map(str, layout[key]))}>" for key in KEYS)
    return f"nested_encoding<nested_layout<{tiles}>, {layout['subgroup_size']}, {layout['subgroups']}>"


def test_cpp():
    """The C++ type says the same as JSON, as it stands in source and in a file."""
    rng = random.Random(4)
    for layout in [EXAMPLE] + [random_layout(rng) for _ in range(5)]:
        check(run(as_type(layout), "--json") == run(layout, "--json"), f"{as_type(layout)}: {run(as_type(layout))}")
    source = f"// a block's rows\nusing rows = tegula::{as_type(EXAMPLE).replace('nested_layout', 'tegula::nested_layout')};\n"
    check(run(source, "--json") == run(EXAMPLE, "--json"), "as it stands in source")
    with tempfile.NamedTemporaryFile("w", suffix=".hpp") as file:
        file.write(source)
        file.flush()
        check(run("@" + file.name, "--json") == run(EXAMPLE, "--json"), "as a file")
    refused(["outer_tile is expected"], as_type(EXAMPLE).replace("outer_tile", "other_tile"))
    refused([", is expected"], as_type(EXAMPLE).replace(", 64, 2>", ">"))
    refused(["the end of the type is expected"], as_type(EXAMPLE) + ">")
    refused(["span 4 of 2"], as_type({**EXAMPLE, "subgroup_tile": [4, 1]}))


def refused(words, layout=None, **changes):
    status, out, error = run(layout if layout is not None else {**EXAMPLE, **changes}, "--json")
    lines = error.splitlines()
    check(status == 2 and out == "", f"{changes or layout}: status {status}, output {out[:80]!r}")
    check(len(lines) == len(words) and all(w in line for w, line in zip(words, lines)),
          f"{changes or layout}: {error!r}, expected {words}")


def test_bad_input():
    refused(["span 8 of 4"], subgroup_tile=[8, 1], subgroups=4)
    refused(["subgroup_tile[0] is 2 with stride 0"], subgroup_strides=[0, 0])
    refused(["thread_tile[1] is 4 with stride 0"], thread_strides=[4, 0])
    refused(["no multiple of the 4 that the smaller strides span"], thread_strides=[2, 1])
    refused(["which is no multiple"], thread_tile=[10, 4])
    refused(["batch_tile[1] is 0", "element_tile[0] is -1"], batch_tile=[2, 0], element_tile=[-1, 4])
    refused(["thread_strides[0] is -4"], thread_strides=[-4, 1])
    refused(["arrays of a nested layout differ in length"], outer_tile=[1])
    refused(["has no threads"], subgroups=0)
    refused(["63 bits"], batch_tile=[2**31 - 1, 2**31 - 1], outer_tile=[8, 8])
    refused(['key "thread_tile" is missing'], {k: v for k, v in EXAMPLE.items() if k != "thread_tile"})
    refused(['key "threads" is not known'], {**EXAMPLE, "threads": 1})
    refused(["outer_tile[1] is the number 1.5; it must be a whole number"], outer_tile=[1, 1.5])
    refused(["subgroups is a list; it must be a whole number"], subgroups=[2])
    refused(["batch_tile is 2; it must be a list"], batch_tile=2)
    refused(["the nested layout is not JSON"], "{")
    refused(["cannot be read"], "@/no/such/file.json")


def test_drawing():
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "nested.svg"
        status, out, error = run(EXAMPLE, "--svg", picture)
        check(status == 0 and picture.exists() and "</svg>" in picture.read_text(), f"--svg: {status}, {error}")
        status, out, error = run(EXAMPLE, "--ascii")
        check(status == 0 and "cell = wave, lane, register" in out, f"--ascii: {status}, {error}")
        file = Path(folder) / "layout.json"
        file.write_text(json.dumps(EXAMPLE))
        check(run(f"@{file}", "--json") == run(EXAMPLE, "--json"), "a file gives another answer than its text")
        status, out, error = run(EXAMPLE)
        check(status == 0 and out.startswith("tile_distribution_encoding<"), f"summary: {status}, {error}")


def main():
    if not PROGRAM.exists():
        print("skipped: tegula-inspect is not built")
        return 77
    test_answers()
    test_cpp()
    test_bad_input()
    test_drawing()
    print("\n".join(problems) if problems else "no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
