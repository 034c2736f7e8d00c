"""Arguments and files that `attention` refuses, with a word of each complaint."""

import numpy


def write_bad_files(folder):
    shapes = {"q": (2, 4, 5, 8), "k": (2, 2, 7, 8), "v": (2, 2, 7, 6), "three": (4, 5, 8), "heads": (2, 3, 7, 8),
              "rows": (2, 2, 6, 6), "columns": (2, 2, 7, 16), "batch": (1, 2, 7, 8), "bias": (2, 1, 1, 6),
              "bias5": (1, 2, 4, 5, 7), "dout": (2, 4, 5, 6), "wide": (1, 1, 1, 136), "narrow": (1, 1, 1, 8),
              "huge": (1, 1, 1, 640), "no_columns": (2, 4, 5, 0), "no_heads": (2, 0, 7, 8), "no_rows": (2, 2, 0, 8)}
    for name, shape in shapes.items():
        numpy.save(folder / f"{name}.npy", numpy.ones(shape, "float32"))
    numpy.save(folder / "complex.npy", numpy.ones((2, 4, 5, 8), "complex64"))
    numpy.save(folder / "lengths.npy", numpy.array([7, 8]))
    for name, table in {"table": [[0, 1], [1, 0]], "row_of_pages": [0, 1], "half_page": [[0, 0.5], [1, 0]], "negative": [[0, 1], [-1, 0]],
                        "past": [[0, 1], [0, 2]]}.items():
        numpy.save(folder / f"{name}.npy", numpy.array(table))
    whole = (folder / "q.npy").read_bytes()
    (folder / "truncated.npy").write_bytes(whole[:-1])
    (folder / "text.npy").write_text("1 2 3\n")


def bad_inputs(folder):
    """Arguments, and a word that the complaint must contain."""
    def file(name):
        return folder / f"{name}.npy"

    def files(q="q", k="k", v="v", *more):
        return ["--q", file(q), "--k", file(k), "--v", file(v), *more]

    random_data = ["--seq-q", "4", "--head-dim", "8"]
    for bad in ("missing", "three", "complex", "truncated", "text"):
        yield files(bad), f"{bad}.npy"
        yield files("q", bad), f"{bad}.npy"
        yield files("q", "k", bad), f"{bad}.npy"
    yield files("q", "heads", "heads"), "multiple"
    yield files("q", "no_heads", "no_heads"), "multiple"
    yield files("q", "k", "rows"), "rows of K"
    yield files("q", "columns"), "columns of Q"
    yield files("q", "batch", "batch"), "batch"
    yield files("no_columns", "no_columns", "no_columns"), "at least 1"
    yield files("huge", "huge", "huge"), "head_dim"
    yield files("q", "k", "v", "--bias", file("bias")), "(2, 4, 5, 7)"
    yield files("q", "k", "v", "--bias", file("bias5")), "(2, 4, 5, 7)"
    yield files("q", "k", "v", "--bias", file("complex")), "float32"
    yield files("q", "k", "v", "--mask", file("bias")), "(2, 4, 5, 7)"
    yield files("q", "k", "v", "--key-lengths", file("lengths")), "from 0 to seq_k, 7"
    yield files("q", "k", "v", "--key-lengths", file("bias")), "(2,)"
    emulated = ["--arch", "gfx942", "--device", "emulator"]
    for table, needed in (("row_of_pages", "(2, pages of a sequence)"), ("half_page", "whole number"), ("missing", "missing.npy"),
                          ("negative", "page 0 of sequence 1 is -1; the cache has 2 pages"), ("past", "page 1 of sequence 1 is 2;")):
        yield files("q", "k", "v", *emulated, "--page-table", file(table)), needed
    yield files("q", "k", "v", "--page-table", file("table"), "--dout", file("dout")), "no backward pass"
    yield files("q", "k", "v", "--page-table", file("table"), "--dropout", "0.5"), "over pages"
    yield files("q", "no_rows", "no_rows", "--page-table", file("table")), "pages have 0 keys"
    yield files("q", "batch", "v", "--page-table", file("table")), "pages of K"
    yield files("q", "k", "v", "--page-table", file("table"), "--arch", "gfx1250", "--type", "f16", "--no-jit"), "no kernel for gfx1250 and f16"
    yield files("q", "k", "v", "--page-table", file("table"), "--out", file("table")), "the same file as --page-table"
    for scale in ("--q-scale", "--k-scale", "--v-scale"):
        yield [*random_data, scale, "2"], "scales are for fp8_e4m3 and fp8_e5m2"
        yield [*random_data, scale, "0", "--type", "fp8_e4m3"], "must be positive"
        yield [*random_data, scale, "nan", "--type", "fp8_e5m2"], "finite"
    yield files("q", "k", "v", "--dout", file("dout"), "--type", "fp8_e4m3"), "the backward pass is for f16, bf16"
    for words in (["--arch", "sm_80"], ["--arch", "gfx90a"], ["--arch", "gfx1100"], ["--device", "cpu"]):
        yield [*random_data, "--type", "fp8_e4m3", *words], "no kernel of 8 bits"
    yield [*random_data, "--type", "fp8"], "fp8_e4m3"
    yield [*random_data, "--page-table", file("table")], "--page-table"
    for bad in ("-0.1", "1", "0.999999", "nan", "much"):
        yield [*random_data, "--dropout", bad], "--dropout"
    yield [*random_data, "--dropout-seed", "3"], "give --dropout"
    yield [*random_data, "--dropout", "0.5", "--arch", "gfx942", "--type", "f16", "--no-jit"], "no kernel for gfx942 and f16"
    yield ["--seq-q", "4", "--head-dim", "136", "--dropout", "0.5", *emulated], "for --dropout are for up to 128"
    yield [*random_data, "--dropout", "0.5", "--splits", "2", *emulated], "--splits"
    yield files("q", "k", "v", "--seq-q", "4"), "--seq-q"
    yield ["--q", file("q"), "--k", file("k")], "--v"
    yield ["--k", file("k")], "--q"
    yield ["--q", ""], "--q"
    yield [], "--q"
    yield ["--seq-q", "4"], "--head-dim"
    for name in ("--batch", "--heads", "--kv-heads", "--seq-k", "--value-dim"):
        yield [*random_data, name, "-1"], "-1"
    yield ["--seq-q", "-3", "--head-dim", "8"], "-3"
    yield ["--seq-q", "99999999999", "--head-dim", "8"], "limit"
    yield ["--seq-q", "99999999999999999999", "--head-dim", "8"], "limit"
    yield ["--seq-q", "2000000000", "--head-dim", "256"], "GB"
    yield [*random_data, "--heads", "3", "--kv-heads", "2"], "multiple"
    for bad in ("", "4", "4,", ",4", "4,5,6", "a,b", "4,99999999999", "-1,-3", "-2,0"):
        yield [*random_data, "--window", bad], "--window"
    yield [*random_data, "--causal", "--causal-top-left"], "one"
    for bad in ("nan", "inf", "1e60", "much"):
        yield [*random_data, "--scale", bad], "--scale"
    yield [*random_data, "--softcap", "-1"], "--softcap"
    for bad in ("", "0", "-2", "2a", "many", "99999999999"):
        yield [*random_data, "--splits", bad], "--splits"
    yield [*random_data, "--splits", "2", "--softcap", "1"], "--softcap"
    yield ["--seq-q", "4", "--head-dim", "320", "--splits", "2", *emulated], "--list-tiles"
    latent = ["--seq-q", "4", "--type", "bf16", "--head-dim", "576", "--value-dim", "512", "--arch"]
    yield [*latent, "gfx942", "--softcap", "1"], "--softcap"
    yield [*latent, "gfx1250"], "up to 256"
    yield [*random_data, "--arch", "gfx906"], "gfx942"
    yield [*random_data, "--type", "fp16"], "f16"
    yield [*random_data, "--device", "cpus"], "emulator"
    yield [*random_data, "--device", "cpu", "--arch", "gfx942"], "x86_avx2"
    yield [*random_data, "--checks", "maybe"], "off"
    yield [*random_data, "--fast"], "--fast"
    yield [*random_data, "more"], "more"
    yield [*random_data, "--counters", folder / "x.json", "--checks", "off"], "--checks"
    yield [*random_data, "--counters", folder / "x.json", "--device", "gpu"], "emulator"
    for name in ("--out", "--lse", "--counters"):
        yield [*random_data, name, folder / "none" / "x"], "folder"
        yield [*random_data, name, folder], "directory"
    yield [*random_data, "--lse", folder / "same.npy", "--out", folder / "same.npy"], "same file"
    yield [*random_data, "--dq", folder / "x.npy"], "--dout"
    for name in ("q", "v"):
        yield files("q", "k", "v", "--out", file(name)), f"the same file as --{name}"
    yield files("q", "k", "v", "--lse", f"{folder}/./k.npy"), "the same file as --k"
    yield files("q", "k", "v", "--dout", file("dout"), "--dk", file("dout")), "the same file as --dout"
    yield files("q", "k", "v", "--dout", file("q"), "--dq", folder / "x.npy"), "(2, 4, 5, 6)"
    yield files("q", "k", "v", "--dout", file("three"), "--dq", folder / "x.npy"), "four dimensions"
    yield files("wide", "wide", "narrow", "--dout", file("narrow"), "--dq", folder / "x.npy", "--device",
                "emulator", "--no-jit"), "backward"
