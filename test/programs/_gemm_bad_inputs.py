"""Arguments and files that `gemm` refuses, and a word that each complaint must contain."""

import numpy

from _program import FULL


def write_bad_files(folder):
    """Files by name: good and bad matrices for a product of 4 x 6 with K of 5."""
    arrays = {
        "a": numpy.ones((4, 5), "float32"), "b": numpy.ones((5, 6), "float32"), "a3": numpy.ones((2, 4, 5), "float32"),
        "b3": numpy.ones((3, 5, 6), "float32"), "c": numpy.ones((4, 7), "float32"), "past": numpy.full((4, 5), 1e39),
        "integer": numpy.full((4, 5), 2**24 + 1), "scalar": numpy.ones((), "float32"),
        "bytes": numpy.ones((4, 5), "uint8").view("V1"), "complex": numpy.ones((4, 5), "complex64"),
        "four": numpy.ones((2, 3, 4, 5), "float32"), "vector": numpy.ones(5, "float32"), "bias": numpy.ones(5, "float32"),
        "row": numpy.ones((1, 6), "float32"), "wide": numpy.ones((2**30, 0), "float32"),
        "high": numpy.ones((0, 2**30), "float32"),
    }
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
    numpy.save(folder / "object.npy", numpy.array([[1, None]], dtype=object), allow_pickle=True)
    whole = (folder / "a.npy").read_bytes()
    (folder / "truncated.npy").write_bytes(whole[:-1])
    (folder / "header.npy").write_bytes(whole[:40])
    (folder / "longer.npy").write_bytes(whole + b"x")
    (folder / "text.npy").write_text("1 2 3\n")
    (folder / "empty.npy").write_text("")


def bad_inputs(folder):
    """Arguments, and a word that the complaint must contain."""
    def file(name):
        return folder / f"{name}.npy"

    def product(a="a", b="b", *more):
        return ["--a", file(a), "--b", file(b), *more]

    random_data = ["--m", "4", "--n", "4", "--k", "4"]
    for bad in ("missing", "object", "truncated", "header", "longer", "text", "empty", "past", "integer", "scalar",
                "bytes", "complex"):
        yield product(bad), f"{bad}.npy"
        yield product("a", bad), f"{bad}.npy"
    yield product("a", "a"), "rows of B"
    yield product("a3", "b3"), "batch"
    yield product("four", "b3", "--c", file("a3")), "C0"
    yield product("b", "vector"), "rows of B"
    yield product("bytes"), "float8_e4m3fn"
    yield ["--a", f"{file('a')}:int4", "--b", file("b")], "one byte"
    yield ["--a", f"{file('a')}:int5", "--b", file("b")], "int5"
    yield product("wide", "high"), "GB"
    yield product("a", "b", "--c", file("c")), "C0"
    yield product("a", "b", "--c", file("a3")), "C0"
    yield product("a", "b", "--bias", file("bias")), "(6,)"
    yield product("a", "b", "--bias", file("row")), "(6,)"
    yield product("a", "b", "--beta", "2"), "--c"
    yield product("a", "b", "--out", file("a")), "the same file as --a"
    yield product("a", "b", "--bias", file("bias"), "--counters", f"{folder}/./bias.npy"), "the same file as --bias"
    yield product("a", "b", "--m", "4"), "--m"
    yield ["--a", file("a")], "--b"
    yield ["--b", file("b")], "--a"
    yield ["--a", ""], "--a"
    yield [], "--a"
    yield ["--m", "4", "--n", "4"], "--k"
    for sizes in (["-1", "4", "4"], ["4", "-1", "4"], ["4", "4", "-1"]):
        yield ["--m", sizes[0], "--n", sizes[1], "--k", sizes[2]], "-1"
    yield [*random_data, "--batch", "-2"], "-2"
    for huge in ("2147483648", "9223372036854775807", "99999999999999999999999"):
        yield ["--m", huge, "--n", "4", "--k", "4"], "limit"
    past = "100000000000000000000"
    yield ["--m", past, "--n", "4", "--k", "4"], f"--m is {past}; the limit is 9223372036854775807"
    yield [*random_data, "--seed", past], "the limit is 18446744073709551615"
    yield ["--m", "2000000000", "--n", "2000000000", "--k", "1", "--batch", "2000000000"], "2^63"
    yield ["--m", "2000000", "--n", "2000000", "--k", "1"], "GB"
    yield ["--m", "2.5", "--n", "4", "--k", "4"], '--m is "2.5"; it must be a whole number'
    yield [*random_data, "--seed", "1e3"], '--seed is "1e3"; it must be a whole number'
    yield [*random_data, "--alpha", "half"], '--alpha is "half"; it must be a number'
    yield [*random_data, "--arch", "gfx906"], "gfx942"
    yield [*random_data, "--type", "fp16"], "f16"
    yield [*random_data, "--device", "cpus"], "emulator"
    yield [*random_data, "--device", "cpu", "--arch", "gfx942"], "x86_avx2"
    yield [*random_data, "--device", "cpu", "--splits", "stream"], "--splits"
    yield [*random_data, "--device", "cpu", "--splits", "2", "--type", "f32", "--no-jit"], "take --splits 1, or one of those that are built"
    yield [*random_data, "--device", "emulator", "--arch", "host"], "--device cpu"
    yield [*random_data, "--counters", folder / "x.json", "--device", "cpu"], "emulator"
    yield [*random_data, "--tile", "gigantic"], "t128x128"
    yield [*random_data, "--arch", "sm_90a", "--tile", "ws16x128", "--pad", "3"], "without tensor copies"
    if FULL:
        yield [*random_data, "--arch", "sm_90a", "--tile", "ws16x128", "--type", "tf32"], "contiguous"
    yield [*random_data, "--activation", "tanh"], "gelu"
    yield [*random_data, "--layout-a", "diagonal"], "col"
    yield [*random_data, "--layout-b", "diagonal"], "col"
    yield [*random_data, "--checks", "maybe"], "off"
    yield [*random_data, "--pad", "-1"], "--pad"
    yield [*random_data, "--alpha", "nan"], "--alpha"
    yield [*random_data, "--alpha", "1e60"], "--alpha"
    yield [*random_data, "--beta", "much"], "--beta"
    yield [*random_data, "--fast"], "--fast"
    yield [*random_data, "more"], "more"
    yield [*random_data, "--counters", folder / "x.json", "--checks", "off"], "--checks"
    yield [*random_data, "--counters", folder / "x.json", "--device", "gpu"], "emulator"
    yield [*random_data, "--counters", folder / "none" / "x.json"], "folder"
    yield [*random_data, "--out", folder / "none" / "x.npy"], "folder"
    yield [*random_data, "--out", folder], "directory"
    yield [*random_data, "--out", "/dev/full"], "/dev/full"
    for arch in ("gfx90a", "gfx1100", "sm_80"):
        yield [*random_data, "--arch", arch, "--type", "fp8_e4m3"], "conversion"
    for bad in ("0", "-1", "2.5", "many", "65537", "99999999999", ""):
        yield [*random_data, "--splits", bad], "stream"
    yield [*random_data, "--arch", "gfx942", "--type", "f32", "--no-jit"], "no kernel is built for gfx942 and f32 on the emulator; take --device cpu"
    yield [*random_data, "--splits", "3", "--tile", "t32x128", "--no-jit"], "bf16 with t64x64"
    yield [*random_data, "--splits", "4", "--arch", "sm_90a", "--no-jit"], "no kernel that shares k is built for sm_90a"
    yield [*random_data, "--splits", "stream", "--arch", "sm_90a", "--tile", "ws16x128", "--no-jit"], "--splits 1"
    if FULL:
        yield [*random_data, "--splits", "2", "--arch", "sm_90a", "--tile", "ws64x128", "--pad", "3"], "tensor copies"
    yield [*random_data, "--splits", "2", "--launch-plan"], "--splits"
    for word, value in (("--alpha", "2"), ("--beta", "1"), ("--activation", "relu")):
        yield [*random_data, "--type", "int8", word, value], word
    yield product("a", "b", "--type", "int8", "--c", file("c")), "--c"
    yield product("a", "b", "--type", "int8", "--bias", file("bias")), "--bias"
