"""tegula-inspect on good and bad input.

Maps of random encodings are compared with an R/H/P/Y of its own, instruction records with test/golden/golden.json.
"""

import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from _program import answers, check, problems, program, runner

PROGRAM = program("tegula-inspect")
run = runner("tegula-inspect")
answer = answers(run)
GOLDEN = Path(os.environ["TEGULA_SOURCE_DIR"]) / "test" / "golden"
sys.path.insert(0, str(GOLDEN))
import compact  # noqa: E402  (expands the golden arrays)

# Encodings


def random_encoding(rng):
    """A valid encoding of at most some thousand (P, Y) pairs, with any of its parts empty at times."""
    room = rng.choice([8, 60, 700])
    lists = [[], *([] for _ in range(rng.randint(0, 3)))]
    num_p = rng.randint(0, 3)
    digits = []
    for major, lengths in enumerate(lists):
        for minor in range(rng.randint(0, 3) if major or num_p else 0):
            lengths.append(rng.choice([n for n in (1, 2, 3, 4, 5, 7, 8) if n <= room]))
            room //= lengths[-1]
            digits.append([major, minor])
    rng.shuffle(digits)
    ps, ys = [[] for _ in range(num_p)], []
    for digit in digits:
        owners = ps if digit[0] == 0 or (num_p and rng.random() < 0.5) else None
        (rng.choice(owners) if owners else ys).append(digit)
    return {"rs": lists[0], "hs": lists[1:], "ps": ps, "ys": ys}


def expected_answer(e):
    """The answer for an encoding, computed from its definition."""
    lists = [e["rs"], *e["hs"]]
    p_lengths = [math.prod(lists[major][minor] for major, minor in p) for p in e["ps"]]
    y_lengths = [lists[major][minor] for major, minor in e["ys"]]

    def element(p, y):
        value = {tuple(digit): index for digit, index in zip(e["ys"], y)}
        for rest, digits in zip(p, e["ps"]):
            for major, minor in reversed(digits):
                rest, value[major, minor] = divmod(rest, lists[major][minor])
        x = []
        for major, lengths in enumerate(e["hs"], 1):
            number = 0
            for minor, length in enumerate(lengths):
                number = number * length + value[major, minor]
            x.append(number)
        return x

    def indices(lengths):
        return itertools.product(*(range(n) for n in lengths))

    return {
        "x_lengths": [math.prod(h) for h in e["hs"]],
        "p_lengths": p_lengths,
        "y_lengths": y_lengths,
        "replication": math.prod(e["rs"]),
        "map": [[element(p, y) for y in indices(y_lengths)] for p in indices(p_lengths)],
    }


def check_encodings(folder):
    rng = random.Random(7)
    for number in range(150):
        e = random_encoding(rng)
        text = json.dumps(e)
        if number % 10 == 0:
            (folder / "encoding.json").write_text(text)
            text = "@" + str(folder / "encoding.json")
        check(answer("encoding", text) == expected_answer(e), f"wrong answer for {json.dumps(e)}")


# Instructions


def expected_sectors(lanes_of_map, dim, vector, bits):
    """Most 32-byte sectors of one access of the lanes, each row beginning at a sector."""
    most = 0
    for register, first in enumerate(lanes_of_map[0]):
        if first and (first[dim] - lanes_of_map[0][0][dim]) % vector:
            continue
        seen = set()
        for lane in lanes_of_map:
            x = lane[register]
            row = tuple(n for i, n in enumerate(x) if i != dim)
            start = (x[dim] if x else 0) * bits // 8
            for byte in range(start, start + max(vector * bits // 8, 1)):
                seen.add((row, byte // 32))
        most = max(most, len(seen))
    return most


def check_analysis():
    rng = random.Random(8)
    for _ in range(80):
        e = random_encoding(rng)
        if not e["ps"] or not e["hs"]:
            continue
        bits, arch, lanes = rng.choice([(8, "gfx942", 64), (16, "sm_80", 32), (32, "gfx1100", 32), (64, "gfx90a", 64)])
        order = rng.choice([[], ["--column-major"]])
        found = answer("encoding", json.dumps(e), "--arch", arch, "--bits", str(bits), *order)
        if found is None:
            continue
        cost, dim = found["analysis"], 0 if order else len(e["hs"]) - 1
        wave = found["map"][:min(lanes, found["p_lengths"][-1])]
        expected = expected_sectors(wave, dim, cost["vector"], bits)
        check(cost["sectors_per_access"] == expected, f"{e} {arch} {bits} {order}: {cost}, expected {expected} sectors")
        words = -(-math.prod(found["y_lengths"]) * bits // 32)
        check(cost["registers"] == words, f"{e}: {cost['registers']} registers, expected {words}")
        check(cost["accesses"] * cost["vector"] == math.prod(found["y_lengths"]), f"{e}: {cost} is not all registers")


def rows(table):
    for row in table["rows"]:
        yield {field: value for field, value in zip(table["fields"], row) if value is not None}


def check_list(golden):
    def key(record):
        return json.dumps(record, sort_keys=True)

    wanted = list(rows(golden["instructions"]))
    wanted += [{**record, "arch": "gfx1201"} for record in wanted if record["arch"] == "gfx1200"]
    listed = answer("mma", "--list")
    check(len({key(record) for record in listed}) == len(listed), "a record is listed twice")
    fields = set(golden["instructions"]["fields"])
    found = {key({k: v for k, v in record.items() if k in fields}) for record in listed}
    copies = {"a_type", "b_type", "c_type", "blocks"}  # said of products only
    for record in wanted:
        check(key(record) in found, f"not listed: {record}")
    check(all(not copies & record.keys() for record in listed if record["kind"] == "copy"), "a copy has types")
    status, out, _ = run("mma", "--list")
    check(status == 0 and len(out.splitlines()) == len(listed), "the list as text has other rows than as JSON")
    for record in listed:
        witnesses = {"x86": ("the CPU itself", "Bochs", "none")}.get(record["vendor"], ("AMD calculator", "CuTe", "rocjitsu"))
        check(record["layout_witness"] in witnesses, f"no witness: {record}")
    # No earlier clang has the targets gfx950 and gfx1250, though gfx942 shares instructions with it.
    for record in listed:
        compiler = {"gfx950": "clang 20", "gfx1250": "clang 22", "x86_amx": "g++ 12 (tdpfp16ps: g++ 13)"}.get(
            record["arch"], {"amd": "clang 19", "nvidia": "nvcc 13", "x86": "g++ 12"}[record["vendor"]])
        check(record["compiler"] == compiler, f"not the compiler: {record}")
    names = answer("mma", "gfx942", "--list")
    check(names == [record for record in listed if record["arch"] == "gfx942"], "mma gfx942 --list")


def check_tensor_core():
    """tcgen05.mma: descriptors and accumulators of the golden records with 256 columns."""
    records = json.loads((GOLDEN / "tensor_memory.json").read_text())["records"]
    descriptors = {r["id"].split("idesc ")[1]: r["value"] for r in records if r["kind"] == "idesc"}
    places = {(r["cta_group"], r["m"], r["n"]): r["D0"] for r in records
              if r["kind"] == "tmem_d" and ".ws" not in r["instruction"]}
    compared = 0
    for group, kind, variant, said in (
            (1, "f8f6f4", "f32.e4m3.e5m2", "kind::f8f6f4 e4m3xe5m2->f32 128x256 K/K"),
            (2, "f16", "f32.bf16.bf16", "kind::f16 bf16xbf16->f32 256x256 K/K"),
            (1, "f16", "f32.bf16.bf16", "kind::f16 bf16xbf16->f32 128x256 K/K"),
            (2, "mxf8f6f4.block_scale.block32", "f32.e4m3.e4m3", "kind::mxf8f6f4 e4m3xe4m3 ue8m0 256x256 K/K")):
        record = answer("mma", "sm_100a", f"tcgen05.mma.cta_group::{group}.kind::{kind}", "--variant", variant)
        check(record["descriptor"] == descriptors[said], f"{said}: {record['descriptor']}")
        place = places.get((group, record["m"], record["n"]))
        if place is not None:
            compared += 1
            check(record["C"] == compact.expand(place), f"{said}: accumulators")
        check(sorted(record["C"]) == list(range(128 * 256)), f"{said}: not every element has a place")
    check(compared > 0 or not any(n == 256 and m == 128 * g for g, m, n in places), "no golden record was compared")
    for words, part in ((("sm_90a", "tcgen05.mma.cta_group::1.kind::f16"), "sm_100a"),
                        (("sm_103a", "tcgen05.mma.cta_group::1.kind::i8"), "no instruction"),
                        (("sm_100a", "tcgen05.mma.cta_group::1.kind::f16", "--variant", "x"), "f32.bf16.bf16")):
        status, _, error = run("mma", *words)
        check(status == 2 and part in error and error.count("\n") == 1, f"{words}: status {status}, {error}")


def check_records(golden):
    for record in rows(golden["records"]):
        arguments = ["mma", record["arch"], record["instruction"]]
        if record["arch"].startswith(("gfx11", "gfx12")):
            arguments += ["--wave", str(record["wave"])]
        if "variant" in record:
            arguments += ["--variant", record["variant"]]
        got = answer(*arguments)
        for field, value in record.items():
            if field in ("A", "B", "C", "R"):
                value = compact.expand(golden["layouts"][value])
            if field not in ("notes", "source"):  # who said so
                check(got.get(field) == value, f"{arguments}: {field}")
        if record["kind"] == "wgmma":
            check("B" in got and got["B"] is None and got["b_source"] == "shared", f"{arguments}: B is in shared memory")
    small = ["mma", "gfx950", "v_mfma_f32_16x16x128_f8f6f4", "--variant"]
    check([answer(*small, v)["a_regs"] for v in ("fp8_bf8", "fp6_fp6", "fp4_fp4")] == [8, 6, 4], "f8f6f4 of gfx950")
    first = answer("mma", "gfx1201", "v_wmma_f32_16x16x16_f16")
    check(first["wave"] == 32 and first["id"] == "gfx1201/v_wmma_f32_16x16x16_f16/w32", "gfx1201 in wave32")
    second = answer("mma", "gfx1200", "v_wmma_f32_16x16x16_f16")
    check(all(first[x] == second[x] for x in "ABC"), "gfx1201 differs from gfx1200")


# C++ text


def check_cpp():
    """Every command takes the C++ type that it prints, comments and aliases included."""
    as_json = '{"rs":[2],"hs":[[4,8],[2,2]],"ps":[[[1,0]],[[0,0],[1,1],[2,0]]],"ys":[[2,1]]}'
    as_cpp = ("using rows = tegula::tile_distribution_encoding<sequence<2>,  // R\n  tuple<sequence<4, 8>, sequence<2, 2>>, "
              "tuple<sequence<1>, /* lane */ sequence<0, 1, 2>>, tuple<sequence<0>, sequence<0, 1, 0>>, sequence<2>, "
              "sequence<1>>;")
    printed = run("encoding", as_json)[1].splitlines()[0]
    for text in (as_cpp, printed):
        check(answer("encoding", text) == answer("encoding", as_json), f"encoding {text}")
        other = ["--arch", "sm_80", "--bits", "16"]
        check(answer("convert", text, text, *other) == answer("convert", as_json, as_json, *other), f"convert {text}")
    plain, plain_json = "tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>>, " \
        "tuple<sequence<0>>, sequence<>, sequence<>>", '{"rs":[],"hs":[[4]],"ps":[[[1,0]]],"ys":[]}'
    check(answer("layout", plain) == answer("layout", plain_json), "layout of a C++ type")
    for text, words in ((as_cpp.replace("sequence<4, 8>", "sequence<4, 99999999999>"), "a whole number of 32 bits"),
                        (as_cpp.replace("sequence<1>>;", "sequence<1, 1>>;"), "minors"),
                        ('{"rs\\u0007\\n":[]}', '"rs\\u0007\\n" is not known')):
        status, out, error = run("encoding", text)
        check(status == 2 and out == "" and words in error and error.count("\n") == 1 and error[:-1].isprintable(),
              f"{text}: status {status}, {error}")


# Drawings

TILE = '{"rs":[],"hs":[[2,4],[4,2]],"ps":[[[1,1]],[[2,0]]],"ys":[[1,0],[2,1]]}'
MFMA = ("mma", "gfx942", "v_mfma_f32_32x32x8_f16")


def check_drawings(folder):
    file = folder / "tile.svg"

    def labels(*arguments):
        """The labels of the cells in a picture, without those of the legend."""
        status, out, error = run(*arguments, "--svg", str(file))
        check((status, out, error) == (0, "", ""), f"{arguments} --svg: {status} {out}{error}")
        texts = xml.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text")
        return [span.text for text in texts if text.get("class") in ("lane", "register") for span in text]

    cells = labels("encoding", TILE)
    check(len(cells) == 2 * 64 and cells.count("w3 l2") == 4 and cells.count("r2") == 16, "labels of the tile")
    cells = labels(*MFMA)
    check(len(cells) == 2 * (32 * 8 + 8 * 32 + 32 * 32), "cells of an MFMA")
    check(cells.count("63") == 4 + 4 + 16 and cells.count("r15") == 64, "labels of an MFMA")
    labels("mma", "gfx90a", "v_mfma_f32_4x4x4f16")
    labels("mma", "sm_90a", "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16")
    labels("mma", "sm_90", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")
    check(os.listdir(folder).count("tile.svg") == 1 and not list(folder.glob("tile.svg.*")), "a temporary file is left")

    status, out, _ = run("encoding", TILE, "--ascii")
    check(status == 0 and "w2 l3 r1" in out, "the table of the tile")
    status, out, _ = run(*MFMA, "--ascii")
    check(status == 0 and all(f"{x} of v_mfma" in out for x in "ABC"), "the tables of an MFMA")
    check(all(len(line) < 400 for line in out.splitlines()), "a table is too wide")
    status, out, _ = run("encoding", TILE)
    check(status == 0 and out.startswith("tile_distribution_encoding<") and "w2 l3 r1" in out, "summary of the tile")
    status, out, _ = run(*MFMA, "--json", "--svg", str(file))
    check(status == 0 and json.loads(out)["k"] == 8, "JSON beside a picture")


# Bad input


def check_scales():
    """Scales of the products with them: rocjitsu's layout.h, IREE's ScaledMMA and triton agree on these places."""
    mfma, wmma = "v_mfma_scale_f32_16x16x128_f8f6f4", "v_wmma_scale_f32_16x16x128_f8f6f4"
    for arch, name, place in (("gfx950", mfma, lambda row, block: f"{16 * block + row}:0"),
                              ("gfx1250", wmma, lambda row, block: f"{row}:{block}")):
        text = run("mma", arch, name, "--variant", "fp8_fp4", "--ascii")[1]
        a, b = [[line.partition("|")[2].split() for line in part.splitlines() if "|" in line]
                for part in re.split(r"^Scales of [AB] of .*", text, flags=re.M)[1:]]
        check(a == [[place(row, block) for block in range(4)] for row in range(16)], f"{arch}: scales of A")
        check(b == [[place(column, block) for column in range(16)] for block in range(4)], f"{arch}: scales of B")
    plain = run("mma", *MFMA[1:], "--ascii")[1]
    check("Scales" not in plain, "scales of an instruction without them")


def check_refusals(folder):
    file = folder / "never.svg"

    def refused(expected, *arguments):
        """Status 2, one line for each expected part, and nothing written."""
        status, out, error = run(*arguments)
        lines = error.splitlines()
        good = status == 2 and out == "" and len(lines) == len(expected)
        good = good and all(part in line for part, line in zip(expected, lines))
        check(good and not file.exists(), f"{arguments}: status {status}, {out}{error}, expected {expected}")

    def encoding(*expected, rs="[]", hs="[[4]]", ps="[]", ys="[[1,0]]", text=None):
        text = text or f'{{"rs":{rs},"hs":{hs},"ps":{ps},"ys":{ys}}}'
        refused(expected, "encoding", text, "--json", "--svg", str(file))

    encoding("H digit (1,0) belongs to no P and no Y; give it to one", ys="[]")
    encoding("R digit (0,0) belongs to no P; give it to one", rs="[2]")
    encoding("H digit (1,0) has 2 owners; give it to exactly one P or Y", ps="[[[1,0]]]")
    encoding("R digit (0,0) belongs to a Y; only a P may own replication", rs="[2]", ys="[[1,0],[0,0]]")
    encoding("digit (1,1) does not exist", ys="[[1,0],[1,1]]")
    encoding("H digit (1,0) has length 0; lengths start at 1", hs="[[0]]")
    encoding("digit (2,0) does not exist", "H digit (1,0) belongs to no P and no Y", ys="[[2,0]]")
    encoding(*["belongs to no P and no Y"] * 4, hs="[[2,2],[2,2]]", ys="[]")
    encoding("does not fit 63 bits", hs="[[2147483647,2147483647,2147483647]]", ys="[[1,0],[1,1],[1,2]]")
    encoding("more than 6 tensor dimensions", hs="[[],[],[],[],[],[],[]]", ys="[]")
    encoding(*["belongs to no P and no Y"] * 32, "these are the first 32", hs="[" + ",".join(["[2,2,2,2,2,2,2,2]"] * 6) + "]", ys="[]")
    encoding("the map of this encoding has 1073741824 entries", hs="[[1073741824]]")

    encoding("not JSON", text="{")
    encoding("not JSON", text=TILE + TILE)
    encoding("not JSON", text=" ")
    encoding("the encoding is a list", text="[]")
    encoding('"ys" is missing', text='{"rs":[],"hs":[],"ps":[]}')
    encoding('"qs" is not known', text='{"rs":[],"hs":[],"ps":[],"ys":[],"qs":[]}')
    encoding('"rs" stands twice', text='{"rs":[],"rs":[],"hs":[],"ps":[],"ys":[]}')
    encoding("rs is a value of type null", rs="null")
    encoding("hs[0] is 4; it must be a list", hs="[4]")
    encoding("hs[0][0] is a value of type string; it must be a whole number", hs='[["4"]]')
    encoding("hs[0][0] is the number 4.0; it must be a whole number", hs="[[4.0]]")
    encoding("hs[0][0] is 2147483648; it must fit 32 bits", hs="[[2147483648]]")
    encoding("hs[0][0] is -2147483649; it must fit 32 bits", hs="[[-2147483649]]")
    for number in ("100000000000000000000", "1e20"):
        encoding("1e+20; it must fit 32 bits, at most 2147483647", hs=f"[[{number}]]")
    encoding("at most 2147483647", hs="[[1e999]]")
    long = "100000000000000000000"
    refused([f'--bits: "{long}" is no whole number from 1 to 2147483647'], "encoding", TILE, "--bits", long)
    for option in ("--shape", "--lanes"):
        refused([f'{option}: "{long}" is no whole number from 1 to 9223372036854775807'], "layout", "(4,2):(1,4)", option, long)
    encoding("ps[0][0] is a list of 3; a digit is a pair", ps="[[[1,0,0]]]")
    encoding("ys[0] is 1; a digit is a pair", ys="[1]")
    encoding("ys[0][1] is a value of type boolean", ys="[[1,true]]")
    encoding("cannot be read", text="@" + str(folder / "missing.json"))
    encoding("cannot be read", text="@" + str(folder))
    (folder / "large.json").write_text(" " * (1 << 20) + TILE)
    encoding("larger than 1 MiB", text="@" + str(folder / "large.json"))

    refused(["there is no command \"draw\"; there are encoding"], "draw", TILE, "--json")
    refused(["required"])
    refused(["required"], "encoding")
    refused(["--bitss"], "encoding", TILE, "--bitss", "8")
    refused(["give --arch and --bits"], "encoding", TILE, "--bits", "8")
    refused(["give --arch and --bits"], "encoding", TILE, "--arch", "sm_80")
    refused(["--bits is 7; an element has"], "encoding", TILE, "--bits", "7", "--arch", "sm_80")
    refused(['no chip "sm_1"; there are gfx908'], "encoding", TILE, "--bits", "8", "--arch", "sm_1")
    refused(["excludes"], "encoding", TILE, "--json", "--ascii")
    refused(["file name"], "encoding", TILE, "--svg", "")
    refused(["cannot be written"], "encoding", TILE, "--svg", str(folder / "missing" / "tile.svg"))
    refused(["not a file that can be replaced"], "encoding", TILE, "--svg", str(folder))
    refused(["an architecture and an instruction"], "mma", "gfx942")
    refused(['"gfx000" is not in the table'], "mma", "gfx000", "v_mfma_f32_32x32x8_f16", "--svg", str(file))
    refused(['"gfx000" is not in the table'], "mma", "--list", "gfx000")
    refused(['did you mean "v_mfma_f32_32x32x8_f16"'], "mma", "gfx942", "v_mfma_f32_32x32x8f16", "--json")
    refused(["has no instruction"], "mma", "sm_80", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16")
    refused(["--wave 32"], "mma", "gfx1100", "v_wmma_f32_16x16x16_f16", "--wave", "16")
    refused(["--wave 64"], "mma", *MFMA[1:], "--wave", "32")
    refused(["no such form"], "mma", *MFMA[1:], "--variant", "opsel_hi")
    refused(["no such form"], "mma", "gfx1100", "v_wmma_f16_16x16x16_f16", "--variant", "lo")
    refused(["--markdown prints the page of all"], "mma", "--markdown")
    refused(["--markdown prints the page of all"], "mma", "gfx942", "--list", "--markdown")
    refused(["--list cannot be drawn"], "mma", "--list", "--svg", str(file))
    if Path("/dev/full").exists():
        with open("/dev/full", "w") as full:
            status = subprocess.run([PROGRAM, *MFMA, "--json"], stdout=full, stderr=subprocess.DEVNULL).returncode
        check(status == 1, "a full disk is not noticed")


def main():
    if not PROGRAM.exists():
        print("skipped: tegula-inspect is not built")
        return 77
    golden = json.loads((GOLDEN / "golden.json").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_encodings(folder)
        check_analysis()
        check_list(golden)
        check_records(golden)
        check_tensor_core()
        check_cpp()
        check_drawings(folder)
        check_scales()
        check_refusals(folder)
    for problem in problems[:40]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
