"""tegula-inspect layout: the same map in every notation, and what cannot be said.

Layouts are evaluated here from the definition of each notation and compared with the forms that the program prints.
"""

import itertools
import json
import math
import os
import random
import re
import shlex
import sys
import tempfile
from pathlib import Path

from _program import answers, check, problems, program, runner

PROGRAM = program("tegula-inspect")
inspect = runner("tegula-inspect")


def run(*arguments):
    return inspect("layout", *arguments)


answer = answers(run)


def refuses(words, *arguments):
    status, out, error = run(*arguments)
    check(status == 2 and out == "" and error.count("\n") == 1 and words in error,
          f"{arguments}: status {status}, {out}{error}")


# Shape:stride


def flat(tree):
    return [tree] if isinstance(tree, int) else [n for part in tree for n in flat(part)]


def read_strided(text):
    """[(shape, stride), ..] of each mode."""
    shape, stride = (eval(part) for part in text.split(":"))  # noqa: S307  (numbers, commas and parentheses)
    if isinstance(shape, int):
        return [[(shape, stride)]]
    return [list(zip(flat(a), flat(b))) for a, b in zip(shape, stride)]


def offsets(mode):
    """Every offset of a list of (shape, stride), first number fastest."""
    result = [0]
    for shape, stride in mode:
        result = [stride * i + r for i in range(shape) for r in result]
    return result


def function(text):
    return offsets([leaf for mode in read_strided(text) for leaf in mode])


def random_strided(rng):
    """A layout of up to three modes whose strides are compact in random order."""
    shapes = [rng.choice([1, 2, 3, 4, 5, 8]) for _ in range(rng.randint(1, 3))]
    strides, stride = [0] * len(shapes), 1
    for i in rng.sample(range(len(shapes)), len(shapes)):
        strides[i] = stride
        stride *= shapes[i]
    return "({}):({})".format(",".join(map(str, shapes)), ",".join(map(str, strides)))


def check_operations():
    rng = random.Random(1)
    known = [("(6,2):(8,2)", "composition", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),
             ("4:2", "complement", "24", "(2,3):(1,8)"),
             ("(4,2,3):(2,1,8)", "logical_divide", "4:2", "((2,2),(2,3)):((4,1),(2,8))"),
             ("(2,2):(4,1)", "logical_product", "6:1", "((2,2),(2,3)):((4,1),(2,8))"),
             ("(2,5):(5,1)", "blocked_product", "(3,4):(1,3)", "((2,3),(5,4)):((5,10),(1,30))")]
    for a, operation, b, expected in known:
        status, out, _ = run(a, "--op", operation, "--with", b, "--to", "shape_stride")
        check((status, out) == (0, expected + "\n"), f"{operation} of {a} and {b} is {out}")
    composed = 0
    for _ in range(40):
        a, b = random_strided(rng), random_strided(rng)
        status, out, error = run(a, "--op", "composition", "--with", b, "--to", "shape_stride")
        outer, inner = function(a), function(b)
        if status == 0 and max(inner) < len(outer):
            composed += 1
            check(function(out.strip()) == [outer[i] for i in inner], f"{a} after {b} is {out}")
        status, out, _ = run(a, "--op", "left_inverse", "--to", "shape_stride")
        inverse = function(out.strip())
        check(status == 0 and [inverse[i] for i in outer] == list(range(len(outer))), f"left inverse of {a} is {out}")
    check(composed > 10, f"only {composed} random compositions exist")


# Encodings


def encoding_map(encoding):
    """[[column-major index per register] per flattened P], from the definition of R/H/P/Y."""
    lists = [encoding["rs"], *encoding["hs"]]
    lengths = [math.prod(h) for h in encoding["hs"]]
    digits = [d for p in encoding["ps"] for d in p]

    def index(value):
        total = 0
        for i in reversed(range(len(lengths))):
            x = 0
            for minor, length in enumerate(encoding["hs"][i]):
                x = x * length + value[i + 1, minor]
            total = total * lengths[i] + x
        return total

    def values(names):
        for numbers in itertools.product(*(range(lists[major][minor]) for major, minor in names)):
            yield {tuple(name): number for name, number in zip(names, numbers)}

    return [[index({**p, **y}) for y in values(encoding["ys"])] for p in values(digits)]


def xor_map(linear):
    """[[column-major index per register] per lane, wave, ..], from the bases."""
    sizes = [size for _, size in linear["out_dims"]]

    def images(bases):
        result = [0]
        for basis in bases:
            column = 0
            for index, size in reversed(list(zip(basis, sizes))):
                column = column * size + index
            result += [r ^ column for r in result]
        return result

    registers = images(dict(linear["bases"])["register"])
    threads = images([basis for name, bases in linear["bases"] if name != "register" for basis in bases])
    return [[t ^ r for r in registers] for t in threads]


def check_thread_value():
    rng = random.Random(2)
    for i in range(30):
        lengths = [2, 2, 4, 8] if i % 2 else [2, 3, 4, 5]
        steps, shape, stride = [], [], 1
        for _ in range(2):
            shape.append(1)
            for length in rng.sample(lengths, 2):
                steps.append((length, stride))
                stride *= length
                shape[-1] *= length
        rng.shuffle(steps)
        threads = steps[:2] + ([(2, 0)] if i % 3 == 0 else [])
        text = "(({}),({})):(({}),({}))".format(
            *(",".join(str(s[k]) for s in part) for k in (0, 1) for part in (threads, steps[2:])))
        tile = ",".join(map(str, shape))
        both = answer(text, "--shape", tile)
        if not both:
            continue
        expected = [[t + v for v in offsets(steps[2:])] for t in offsets(threads)]
        check(encoding_map(both["encoding"]) == expected, f"{text} over {tile}: {both['encoding']}")
        back = answer(json.dumps(both["encoding"]))
        check([offsets(m) for m in read_strided(back["shape_stride"])] == [offsets(threads), offsets(steps[2:])],
              f"{text} came back as {back['shape_stride']}")
        if i % 2:
            check(xor_map(both["linear"]) == expected, f"{text} over {tile}: {both['linear']}")
            again = answer(json.dumps(both["linear"]))
            check(again["encoding"] == both["encoding"], f"{both['linear']} is {again['encoding']}")
        else:
            check(both["linear"] is None and "no power of two" in both["obstacles"]["linear"], f"{text} is linear")


def check_other_forms():
    swizzle = answer("Sw<2,0,3> o (4,8):(1,4)")
    expected = [c ^ (c >> 3 & 3) for c in range(32)]
    image = [0]
    for _, bases in swizzle["linear"]["bases"]:
        for (column,) in bases:
            image += [i ^ column for i in image]
    check(image == expected, f"Sw<2,0,3> is {swizzle['linear']}")
    check(swizzle["swizzle"] == "Sw<2,0,3> o 0 o (4,8):(1,4)", swizzle["swizzle"])
    check("an XOR" in swizzle["obstacles"]["encoding"], swizzle["obstacles"])
    found = answer(json.dumps(swizzle["linear"]))
    check(found["swizzle"] == "Sw<2,0,3> o 0 o 32:1", f"found {found['swizzle']}")

    text = "register[(0,1)] lane[(1,0) (2,0)] -> x0[4] x1[2]"
    status, out, _ = run(text, "--to", "linear")
    check((status, out) == (0, text + "\n"), f"{text} is {out}")
    status, out, _ = run(text, "--op", "inverse", "--to", "linear")
    check((status, out) == (0, "x0[(0,1) (0,2)] x1[(1,0)] -> register[2] lane[4]\n"), f"its inverse is {out}")
    status, out, _ = run("((4,8),(2,2)):((32,1),(16,8))", "--shape", "16,8", "--ascii")
    check(status == 0 and " 0 |   0:0   0:1   1:0" in out, f"--ascii: {out[:200]}")
    status, out, _ = run("(4,2):(1,4)", "--shape", "4,2")
    check(status == 0 and "rank          3 of 3" in out, f"summary: {out}")
    with tempfile.TemporaryDirectory() as folder:
        picture, source = Path(folder) / "layout.svg", Path(folder) / "layout.txt"
        source.write_text("(4,2):(1,4)\n")
        status, _, error = run(f"@{source}", "--shape", "4,2", "--svg", str(picture))
        check(status == 0 and picture.read_text().startswith("<svg"), f"--svg: {error}")


def check_guide():
    """The sessions in the guide: a command, then what it prints."""
    guide = Path(os.environ["TEGULA_SOURCE_DIR"]) / "docs" / "guide" / "notations.md"
    sessions = re.findall(r"^```text\n\$ tegula-inspect layout ([^\n]*)\n(.*?)^```", guide.read_text(), re.S | re.M)
    check(len(sessions) >= 3, f"{len(sessions)} sessions in {guide}")
    for command, expected in sessions:
        status, out, error = run(*shlex.split(command))
        check(status == 0 and out == expected, f"guide: {command}: {out}{error}")


def check_refusals():
    refuses("is no layout", "")
    refuses("\"[\" is expected", "lane(1) -> x[2]")
    refuses("before \")\": the end of the layout", "(4,2):(1,4))")
    refuses("the same form", "(4,2):(1,(4))")
    refuses("no power of two", "lane[(1)] -> x[3]")
    refuses("needs a shift of at least 3", "Sw<3,4,2>")
    refuses("\"out_dims\"", '{"bases":[]}')
    refuses("pair of a name", '{"bases":[["lane"]],"out_dims":[]}')
    refuses("a name is a letter", '{"bases":[["a b",[]]],"out_dims":[]}')
    refuses("fit 32 bits", '{"bases":[],"out_dims":[["x",4294967296]]}')
    refuses("belongs to no P", '{"rs":[],"hs":[[2]],"ps":[],"ys":[]}')
    refuses("cannot be read", "@/nowhere/layout.txt")
    refuses("--to is", "4:1", "--to", "triton")
    refuses("no operation", "4:1", "--op", "invert")
    refuses("needs --with", "4:1", "--op", "composition")
    refuses("takes no --with", "4:1", "--op", "coalesce", "--with", "4:1")
    refuses("--op, which is missing", "4:1", "--with", "4:1")
    refuses("takes linear layouts", "4:1", "--op", "inverse")
    refuses("is a number", "4:1", "--op", "complement", "--with", "(4,2):(1,4)")
    refuses("do not divide", "(4,6,8):(2,3,5)", "--op", "composition", "--with", "6:3")
    refuses("carry over", "(4,4):(1,10)", "--op", "composition", "--with", "(4,2):(1,1)")
    refuses("--shape", "lane[(1)] -> x[2]", "--shape", "2")
    refuses("a tile has at most 9", "4:1", "--shape", "1,1,1,1,1,1,1,1,1,4")
    refuses("goes past the tile", "(4,2):(1,4)", "--shape", "4", "--to", "encoding")
    refuses("nobody holds index 2", "(2,2):(1,4)", "--shape", "8", "--to", "encoding")
    refuses("only a layout that is an encoding is drawn", "Sw<3,4,3>", "--ascii")
    refuses("an XOR", "Sw<3,4,3>", "--to", "encoding")


def main():
    if not PROGRAM.exists():
        print("skipped: tegula-inspect is not built")
        return 77
    check_operations()
    check_thread_value()
    check_other_forms()
    check_guide()
    check_refusals()
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
