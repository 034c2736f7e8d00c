"""attention on the emulator and on the CPU against NumPy, and on bad input.

A set of cases in which every two values of different options meet (--full: three times as many, f16 besides bf16, more GPUs and
longer sequences);
masks, lengths, dropout and pages; empty tensors, infinities and NaN, queries that see nothing; the JSON record, the counters and their zero bank conflicts;
random data; for each kind of bad input the exit status, one line, and no file.
"""

import json
import math
import random
import sys
import tempfile
from pathlib import Path

import numpy

from _attention_bad_inputs import bad_inputs, write_bad_files
from _attention_model import dropout_factors, formula, rounded, worst_ratio
from _gemm_model import round_float8
from _pairwise import pairwise_cases
from _program import (FULL, ON_CPU, PART, archs_of, archs_of_run, check, check_cases, most_columns, part_of, problems, program,
                      runner, types_of_run)

FULL_PARTS = 6  # tests that --full is cut into; CMakeLists.txt reads the number

PROGRAM = program("attention")
run = runner("attention")
RECORD = {"batch", "heads", "kv_heads", "seq_q", "seq_k", "head_dim", "value_dim", "type", "arch", "device", "tile",
          "seconds", "tflops", "max_abs_error", "max_rel_error"}

OPTIONS = {
    "arch": archs_of_run("attention"),
    "type": types_of_run(["bf16"], "f16"),
    "batch": [1, 2],
    "heads": [(1, 1), (2, 2), (4, 2), (3, 1)],
    "seq_q": [1, 3, 64, 65] + ([127, 300] if FULL else []),
    "seq_k": [1, 5, 64, 129] + ([300] if FULL else []),
    "dims": [(8, 8), (64, 64), (40, 72), (128, 128), (5, 3), (136, 16)],
    "mask": [(None, None), ("bottom_right", None), ("top_left", None), (None, (20, 10)), ("bottom_right", (7, -1))],
    "scale": [None, 0.0, -0.3],
    "softcap": [0.0, 1.5],
    "bias": [None, (1, 1, 1, 1), (0, 1), (1, 0, 0, 0)],  # 1: that dimension is broadcast
    "backward": [False, True],
    "splits": ["auto", 1, 3],
    "dtype": ["float32", "float16"],
    "order": ["C", "F"],
}

# Bits of mantissa, bias and the largest number of a type; gfx942 has the FNUZ flavours.
FLOAT8 = {"fp8_e4m3": (3, 7, 448), "fp8_e5m2": (2, 15, 57344)}
FNUZ = {"fp8_e4m3": (3, 8, 240), "fp8_e5m2": (2, 16, 57344)}
WITH_FP8 = archs_of("attention", type="fp8_e4m3")
FORWARD_ALONE = set(archs_of("attention")) - set(archs_of("attention_backward"))

# The latent form, whose kernels do not change scores.
LATENT = [{"arch": arch, "type": kind, "batch": 1, "heads": heads, "seq_q": 65, "seq_k": seq_k, "dims": dims,
           "mask": mask, "scale": None, "softcap": 0.0, "bias": None, "backward": False, "splits": "auto",
           "dtype": "float32", "order": "C"}
          for arch, kind, heads, seq_k, dims, mask in (
              ("gfx942", "bf16", (2, 1), 70, (576, 512), ("bottom_right", None)),
              *([("sm_90a", "bf16", (2, 2), 33, (300, 500), (None, (20, 10))),
                 ("gfx1201", "f16", (2, 1), 40, (576, 512), (None, None)),
                 ("sm_120a", "f16", (1, 1), 70, (576, 512), ("bottom_right", None))] if FULL else []))]


# Cases


def splits_keys(case):
    """Whether the program has a kernel for few queries."""
    has_room = max(case["dims"]) <= most_columns("attention", case["arch"], case["type"], form="few_queries")
    return has_room and not (case["softcap"] or case["bias"])


def usable(case):
    """The case, or None where the program has no kernel that splits keys, or none of so many columns."""
    if case["splits"] == 3 and not splits_keys(case):
        return None
    of_type = case["arch"], case["type"]
    most = most_columns("attention", *of_type, form="plain")
    if case["backward"]:
        most = min(most, most_columns("attention_backward", *of_type))
    return case if max(case["dims"]) <= most else None


def make_arrays(case, rng):
    (heads, kv_heads), (dim, value_dim) = case["heads"], case["dims"]
    batch, seq_q, seq_k = case["batch"], case["seq_q"], case["seq_k"]

    def array(*shape):
        return numpy.asarray(rng.standard_normal(shape), case["dtype"], order=case["order"])

    bias = case["bias"] and array(*(1 if one else n for one, n in
                                    zip(case["bias"], (batch, heads, seq_q, seq_k)[4 - len(case["bias"]):])))
    arrays = {"q": array(batch, heads, seq_q, dim), "k": array(batch, kv_heads, seq_k, dim),
              "v": array(batch, kv_heads, seq_k, value_dim)}
    if case["bias"]:
        arrays["bias"] = bias
    if case["backward"]:
        arrays["dout"] = array(batch, heads, seq_q, value_dim)
    return arrays


def device_of(case):
    return "cpu" if case["arch"] == "host" else "emulator"


def words_of(case):
    causal, window = case["mask"]
    words = ["--arch", case["arch"], "--type", case["type"], "--device", device_of(case), "--softcap", case["softcap"], "--splits",
             case["splits"]]
    words += {"bottom_right": ["--causal"], "top_left": ["--causal-top-left"], None: []}[causal]
    words += ["--window", f"{window[0]},{window[1]}"] if window else []
    return words + (["--scale", case["scale"]] if case["scale"] is not None else [])


def expected(case, arrays):
    """The formula exactly, and in the inputs' type."""
    q, k, v = (rounded(arrays[x], case["type"]) for x in "qkv")
    causal, window = case["mask"]
    options = {"causal": causal, "window": window, "scale": case["scale"],
               "softcap": float(numpy.float32(case["softcap"])),
               "bias": arrays["bias"].astype(numpy.float64) if "bias" in arrays else None,
               "d_o": rounded(arrays["dout"], case["type"]) if "dout" in arrays else None}
    return formula(q, k, v, **options), formula(q, k, v, intermediate=lambda x: rounded(x, case["type"]), **options)


def check_case(number, case, folder):
    """Runs the case; what is wrong with it, or nothing."""
    arrays = make_arrays(case, numpy.random.default_rng(number))
    words = [*words_of(case), "--verify", "--json"]
    for name, array in arrays.items():
        numpy.save(folder / f"{number}_{name}.npy", array)
        words += [f"--{name}", folder / f"{number}_{name}.npy"]
    results = ["out", "lse"] + (["dq", "dk", "dv"] if case["backward"] else [])
    counters = folder / f"{number}_counters.json"
    files = [word for name in results for word in (f"--{name}", folder / f"{number}_result_{name}.npy")]
    if device_of(case) == "emulator":
        files += ["--counters", counters]
    status, text, error = run(*words, *files)
    if status != 0 or error:
        return f"{case}: status {status}, {error}"
    wrong = []
    record = json.loads(text)
    for name, exact, low in zip(results, *expected(case, arrays)):
        result = numpy.load(folder / f"{number}_result_{name}.npy")
        ratio = worst_ratio(result, exact, low)
        if ratio > 1 or result.dtype != numpy.float32:
            wrong.append(f"{name}: {result.dtype} {result.shape} for {exact[0].shape}, {ratio} times the bound")
    sizes = (case["batch"], *case["heads"], case["seq_q"], case["seq_k"], *case["dims"])
    if not RECORD <= set(record) or sizes != tuple(record[n] for n in ("batch", "heads", "kv_heads", "seq_q", "seq_k",
                                                                      "head_dim", "value_dim")):
        wrong.append(f"record {record}")
    backward = [record["backward_seconds"], record["backward_tile"]]
    if not case["backward"] and backward != [None, None]:
        wrong.append(f"record {record}")
    if case["backward"] and device_of(case) == "cpu" and not (0 <= backward[0] <= record["seconds"] and backward[1]):
        wrong.append(f"record {record}")
    if case["splits"] != "auto" and record["splits"] != case["splits"]:
        wrong.append(f"record {record}")
    if (record["type"], record["device"]) != (case["type"], device_of(case)):
        wrong.append(f"record {record}")
    if device_of(case) == "cpu":
        if not record["arch"].startswith("x86_"):
            wrong.append(f"record {record}")
    else:
        counted = json.loads(counters.read_text())
        if record["arch"] != case["arch"]:
            wrong.append(f"record {record}")
        if counted["shared_load_conflicts"] or counted["shared_store_conflicts"] or not counted["mma_instructions"]:
            wrong.append(f"counters {counted}")
    for file in folder.glob(f"{number}_*"):
        file.unlink()
    return f"{case}: {'; '.join(wrong)}" if wrong else None


# Edges


def attend(folder, arch, q, k, v, *words):
    """O and lse for these arrays, or None."""
    files = []
    for name, array in {"q": q, "k": k, "v": v}.items():
        numpy.save(folder / f"{name}.npy", numpy.asarray(array, "float32"))
        files += [f"--{name}", folder / f"{name}.npy"]
    out, lse = folder / "edge.npy", folder / "edge_lse.npy"
    status, _, error = run(*files, "--out", out, "--lse", lse, "--verify", "--arch", arch, *words)
    check(status == 0, f"{arch} {q.shape} {k.shape} {v.shape} {words}: status {status}, {error}")
    return (numpy.load(out), numpy.load(lse)) if status == 0 else None


def check_edges(folder, arch):
    ones = numpy.ones
    for shape in ((0, 2, 3, 8), (2, 0, 3, 8), (2, 2, 0, 8)):
        result = attend(folder, arch, ones(shape), ones((shape[0], shape[1], 4, 8)), ones((shape[0], shape[1], 4, 8)))
        check(result is not None and result[0].shape == shape, f"empty {shape}: {result}")
    numpy.save(folder / "no_queries.npy", ones((2, 0, 4), bool))
    result = attend(folder, arch, ones((2, 2, 0, 8)), ones((2, 2, 4, 8)), ones((2, 2, 4, 8)), "--mask", folder / "no_queries.npy")
    check(result is not None and result[0].shape == (2, 2, 0, 8), f"a mask of no queries: {result}")
    result = attend(folder, arch, ones((1, 1, 3, 8)), ones((1, 1, 0, 8)), ones((1, 1, 0, 8)))
    check(result is not None and (result[0] == 0).all() and (result[1] == -numpy.inf).all(), f"no keys: {result}")
    # One key: O is V whatever the scores are. Its exponent is one multiply-add with a rounded offset; the sum has the
    # error of that rounding, which its weight of 16 bits has not.
    v = numpy.arange(8.0).reshape(1, 1, 1, 8)
    result = attend(folder, arch, ones((1, 1, 3, 8)), 100 * ones((1, 1, 1, 8)), v)
    exponent = 100 * 8 / math.sqrt(8) * math.log2(math.e)
    check(result is not None and numpy.allclose(result[0], v, math.log(2) * exponent * 2.0**-24, 0), f"one key: {result}")
    # More queries than keys, bottom right: the first see nothing.
    result = attend(folder, arch, ones((1, 1, 5, 8)), ones((1, 1, 2, 8)), ones((1, 1, 2, 8)), "--causal")
    check(result is not None and (result[0][0, 0, :3] == 0).all() and (result[1][0, 0, :3] == -numpy.inf).all()
          and numpy.allclose(result[0][0, 0, 3:], 1), f"queries that see nothing: {result}")
    rng = numpy.random.default_rng(3)
    q, k, v = (rng.standard_normal((1, 1, 6, 8)) for _ in range(3))
    for value in (numpy.nan, numpy.inf, -numpy.inf):
        bad = k.copy()
        bad[0, 0, 2, 1] = value
        q[..., 1] = 1 # a score of that value, or none
        result = attend(folder, arch, q, bad, v, "--causal")
        if result is None:
            continue
        seen = result[0][0, 0, 2:]
        check(numpy.isfinite(result[0][0, 0, :2]).all(), f"{value} reaches queries that do not see it: {result}")
        check(numpy.isfinite(seen).all() if value == -numpy.inf else numpy.isnan(seen).all(), f"{value}: {seen}")


DIAGONALS = {"bottom_right": ["--causal"], "top_left": ["--causal-top-left"], None: []}
NAMES = ("out", "lse", "dq", "dk", "dv")


def check_sequences(folder, label, files, words, of_sequence, names=NAMES, kind="bf16"):
    """Runs the program with these arrays as files and compares each sequence of its results with the formula;
    of_sequence: the formula's arguments for each. dK and dV of keys past those are zeros."""
    arguments = []
    for name, array in files.items():
        numpy.save(folder / f"{name}.npy", array)
        arguments += [f"--{name}", folder / f"{name}.npy"]
    outputs = [word for name in names for word in (f"--{name}", folder / f"result_{name}.npy")]
    status, text, error = run(*arguments, *outputs, *words, "--type", kind, "--verify", "--json")
    check(status == 0, f"{label}: status {status}, {error}")
    if status != 0:
        return None
    for b, (tensors, options) in enumerate(of_sequence):
        tensors = [rounded(x, kind) for x in tensors]
        options = dict(options, d_o=rounded(files["dout"][b:b + 1], kind) if "dout" in files else None)
        exact, low = (formula(*tensors, intermediate=f, **options) for f in (lambda x: x, lambda x: rounded(x, kind)))
        keys = tensors[1].shape[2]
        for name, *pair in zip(names, exact, low):
            result = numpy.load(folder / f"result_{name}.npy")[b:b + 1]
            if name in ("dk", "dv"):
                check((result[:, :, keys:] == 0).all(), f"{label}: {name} past the length")
                result = result[:, :, :keys]
            ratio = worst_ratio(result, *pair)
            check(ratio <= 1, f"{label}: {name} of sequence {b} is {ratio} times its bound off")
    return json.loads(text)


def random_arrays(rng, **shapes):
    return {name: rng.standard_normal(shape).astype("float32") for name, shape in shapes.items()}


def check_masks(folder, arch):
    """Boolean masks and lengths of sequences, beside a bias and a band, forward and backward."""
    rng = numpy.random.default_rng(4)
    shape = batch, heads, seq_q, seq_k = 2, 2, 7, 9
    arrays = random_arrays(rng, q=(batch, heads, seq_q, 16), k=(batch, 1, seq_k, 16), v=(batch, 1, seq_k, 8), dout=(batch, heads, seq_q, 8))
    mask = rng.random((1, heads, seq_q, seq_k)) < 0.6
    lengths, bias = numpy.array([5, 9], "int32"), rng.standard_normal((batch, 1, 1, seq_k)).astype("float32")
    for extra, causal, window in (({"mask": mask}, None, None), ({"key-lengths": lengths}, "bottom_right", None),
                                  ({"mask": mask[0].astype("int8"), "key-lengths": lengths, "bias": bias}, "top_left", (3, 0))):
        where = numpy.zeros(shape) + (extra.get("bias", 0))
        if "mask" in extra:
            where = numpy.where(mask, where, -numpy.inf)
        of_sequence = []
        for b in range(batch):
            keys = lengths[b] if "key-lengths" in extra else seq_k
            of_sequence.append(([arrays["q"][b:b + 1], arrays["k"][b:b + 1, :, :keys], arrays["v"][b:b + 1, :, :keys]],
                                {"causal": causal, "window": window, "bias": where[b:b + 1, ..., :keys]}))
        check_sequences(folder, f"{arch} {list(extra)}", {**arrays, **extra},
                        ["--arch", arch, *DIAGONALS[causal], *(["--window", "3,0"] if window else [])], of_sequence)


def check_dropout(folder, arch, kinds):
    """Dropped probabilities, forward and backward, beside what else kernels take; and the seed."""
    rng = numpy.random.default_rng(5)
    batch, heads, seq_q, seq_k = 2, 2, 19, 70
    arrays = random_arrays(rng, q=(batch, heads, seq_q, 16), k=(batch, 1, seq_k, 16), v=(batch, 1, seq_k, 24),
                           dout=(batch, heads, seq_q, 24))
    bias = rng.standard_normal((heads, 1, seq_k)).astype("float32")
    names = NAMES
    if arch in FORWARD_ALONE:
        del arrays["dout"]
        names = NAMES[:2]
    for chance, seed, kind, extra, words, options in (
            (0.3, 2**33 + 5, kinds[0], {}, ["--causal"], {"causal": "bottom_right"}),
            (0.9, 7, kinds[-1], {"bias": bias}, ["--softcap", "1.5"], {"softcap": 1.5, "bias": bias})):
        threshold = math.floor(chance * 65536 + 0.5)
        of_sequence = [([arrays[x][b:b + 1] for x in "qkv"],
                        {"kept": dropout_factors(heads, seq_q, seq_k, threshold, 0, seed, b), **options}) for b in range(batch)]
        record = check_sequences(folder, f"{arch} dropout {chance}", {**arrays, **extra},
                                 ["--arch", arch, "--dropout", chance, "--dropout-seed", seed, *words], of_sequence, names, kind)
        check(record is None or all(record[x].endswith("-dropout") for x in ("tile", "backward_tile") if record[x]),
              f"{arch} dropout: {record}")
    # A chance of 0 is none; it needs no kernel of its own.
    of_sequence = [([arrays[x][b:b + 1] for x in "qkv"], {}) for b in range(batch)]
    record = check_sequences(folder, f"{arch} dropout 0", arrays, ["--arch", arch, "--dropout", 0], of_sequence, names)
    check(record is None or "dropout" not in record["tile"], f"{arch} dropout 0: {record}")


def check_pages(folder, arch, page_lengths):
    """A cache in pages, whose table names them in no order, with lengths, a mask, and entries past them that no page has."""
    rng = numpy.random.default_rng(6)
    batch, heads, seq_q, pages = 2, 4, 5, 7
    for page in page_lengths:
        table = numpy.array([[5, 0, 3], [3, 6, -9]], "int32")
        lengths = numpy.array([3 * page, 2 * page - page // 2], "int64")
        cache = random_arrays(rng, q=(batch, heads, seq_q, 16), k=(pages, 2, page, 16), v=(pages, 2, page, 40))
        mask = rng.random((heads, 1, 3 * page)) < 0.7
        for extra, used in (({"key-lengths": lengths}, lengths), ({"key-lengths": lengths, "mask": mask}, lengths),
                            ({}, [3 * page, 3 * page])):
            of_table = table if extra else abs(table) % pages
            of_sequence = []
            for b in range(batch):
                keys, values = (numpy.concatenate(list(cache[x][of_table[b] % pages]), 1)[None, :, :used[b]] for x in "kv")
                bias = numpy.where(mask[..., :used[b]], 0, -numpy.inf) if "mask" in extra else None
                of_sequence.append(([cache["q"][b:b + 1], keys, values], {"causal": "bottom_right", "bias": bias}))
            record = check_sequences(folder, f"{arch} pages of {page} keys {list(extra)}",
                                     {**cache, **extra, "page-table": of_table}, ["--arch", arch, "--causal"], of_sequence,
                                     names=("out", "lse"))
            # By tensor copies in pages of 16 keys or a multiple, if scores do not change.
            copied = page % 16 == 0 and "mask" not in extra and arch in ("sm_90a", "sm_100a", "sm_103a")
            check(record is None or (record["seq_k"], record["kv_heads"], record["tile"].endswith("-pages"),
                                     "warp-specialized" in record["tile"]) == (3 * page, 2, True, copied),
                  f"{arch} pages of {page} keys: {record}")


def check_f32(folder):
    """float32 on the CPU, forward and backward; other devices say that they have none."""
    rng = numpy.random.default_rng(8)
    arrays = {name: rng.standard_normal(shape).astype("float32") for name, shape in
              {"q": (1, 2, 9, 16), "k": (1, 1, 12, 16), "v": (1, 1, 12, 24), "dout": (1, 2, 9, 24)}.items()}
    files = []
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
        files += [f"--{name}", folder / f"{name}.npy"]
    names = ("out", "lse", "dq", "dk", "dv")
    outputs = [word for name in names for word in (f"--{name}", folder / f"f32_{name}.npy")]
    status, _, error = run(*files, *outputs, "--type", "f32", "--device", "cpu", "--causal", "--verify")
    check(status == 0, f"f32: status {status}, {error}")
    q, k, v, d_o = (arrays[name].astype("float64") for name in ("q", "k", "v", "dout"))
    for name, (exact, size) in zip(names, formula(q, k, v, d_o=d_o, causal="bottom_right")) if status == 0 else ():
        result = numpy.load(folder / f"f32_{name}.npy")
        check((abs(result - exact) <= 1e-5 * (abs(size) + 1)).all(), f"f32: {name} is {abs(result - exact).max()} off")
    status, _, error = run(*files, "--type", "f32", "--device", "emulator", "--arch", "gfx942")
    check(status == 2 and "no kernel for gfx942 and f32" in error, f"f32 on the emulator: status {status}, {error}")


def check_fp8(folder, arch, kind):
    """8 bits, with scales, heads that share keys, an odd number of columns, and a bias or a causal mask."""
    rng = numpy.random.default_rng(9)
    arrays = random_arrays(rng, q=(1, 4, 70, 40), k=(1, 2, 90, 40), v=(1, 2, 90, 24), bias=(1, 4, 70, 90))
    files = []
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
        files += [f"--{name}", folder / f"{name}.npy"] if name != "bias" else []
    format_of = (FNUZ if arch == "gfx942" else FLOAT8)[kind]

    def to_8_bits(x):
        return numpy.where(numpy.isinf(x), x, round_float8(numpy.clip(x, -format_of[2], format_of[2]), *format_of))

    scales = {"q": 0.25, "k": 2.0, "v": 0.0625}  # powers of two, so that a quotient has no rounding of its own
    q, k, v = (to_8_bits(arrays[x] / scales[x]) * scales[x] for x in "qkv")
    of_scales = [word for x, scale in scales.items() for word in (f"--{x}-scale", scale)]
    for words, options in ((["--bias", folder / "bias.npy"], {"bias": arrays["bias"].astype(numpy.float64)}),
                           (["--causal"], {"causal": "bottom_right"})):
        outputs = ["--out", folder / "fp8_out.npy", "--lse", folder / "fp8_lse.npy"]
        status, text, error = run(*files, *outputs, *of_scales, *words, "--type", kind, "--device", "emulator", "--arch",
                                  arch, "--verify", "--json")
        what = f"{kind} on {arch} with {words[0]}"
        check(status == 0, f"{what}: status {status}, {error}")
        if status != 0:
            continue
        check(json.loads(text)["type"] == kind, f"{what}: {text}")
        exact = formula(q, k, v, **options)
        low = formula(q, k, v, intermediate=to_8_bits, **options)
        for name, e, l in zip(("out", "lse"), exact, low):
            ratio = worst_ratio(numpy.load(folder / f"fp8_{name}.npy"), e, l)
            check(ratio <= 1, f"{what}: {name} is {ratio} times its bound off")


def check_random_data():
    def record(*words):
        status, text, error = run("--seq-q", 33, "--head-dim", 16, "--json", "--verify", *words)
        check(status == 0, f"random data {words}: status {status}, {error}")
        return json.loads(text) if status == 0 else {}

    first = record()
    check(first.get("heads") == first.get("kv_heads") == first.get("batch") == 1 and first.get("seq_k") == 33
          and first.get("value_dim") == 16 and (first.get("tflops") is None) == (first.get("device") == "emulator"), f"random data: {first}")
    again, other = record(), record("--seed", 7)
    check(first.get("max_abs_error") == again.get("max_abs_error") != other.get("max_abs_error"), "the seed")
    shaped = record("--heads", 4, "--kv-heads", 2, "--seq-k", 12, "--value-dim", 24, "--batch", 2)
    check((shaped.get("kv_heads"), shaped.get("seq_k"), shaped.get("value_dim"), shaped.get("batch")) == (2, 12, 24, 2),
          f"random data: {shaped}")
    status, text, error = run("--list-tiles", "--json", "--arch", "gfx942")
    check(status == 0 and {e["type"] for e in json.loads(text)} == {"bf16", "f16", *FLOAT8}, f"--list-tiles: {text}{error}")
    status, text, _ = run("--seq-q", 3, "--head-dim", 8, "--device", "emulator", "--verify")
    check(status == 0 and "verified" in text and "TFLOP" not in text, f"words: {text}")


# Bad input


def check_bad_input(folder):
    write_bad_files(folder)
    before = sorted(folder.iterdir())
    count = 0
    for words, needed in bad_inputs(folder):
        output = [] if "--out" in words else ["--out", folder / "out.npy"]
        status, text, error = run(*words, *output)
        lines = error.splitlines()
        check(status == 2 and text == "" and len(lines) == 1 and needed in error,
              f"{[str(w) for w in words]}: status {status}, expected {needed!r} in one line: {error}{text}")
        check(sorted(folder.iterdir()) == before, f"{words} wrote a file")
        count += 1
    return count


def check_the_rest(folder):
    """Runs the checks that have no cases and are not for every GPU. Returns the number of bad inputs."""
    for arch in ("gfx942", *(["host"] if ON_CPU else [])):
        check_edges(folder, arch)
        check_masks(folder, arch)
    if ON_CPU:
        check_dropout(folder, "host", types_of_run(["bf16"], "f16"))
        check_pages(folder, "host", [1, 7, 16, 64])
        if FULL:  # kernels that are compiled on demand
            check_f32(folder)
    check_random_data()
    bad = folder / "bad"
    bad.mkdir()
    return check_bad_input(bad)


def main():
    if not PROGRAM.exists():
        print("skipped: attention is not built")
        return 77
    rng = random.Random(2025)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [case for _ in range(3 if FULL else 1) for case in pairwise_cases(OPTIONS, rng, usable)]
        if ON_CPU:
            cases += [dict(case, arch="host", splits="auto")
                      for wanted in (False, True) for case in [c for c in cases if bool(c["backward"]) == wanted][:12]]
        cases += LATENT
        count = check_cases(check_case, cases, folder)
        for arch in part_of(OPTIONS["arch"]):
            check_dropout(folder, arch, ["bf16"])
            check_pages(folder, arch, [1, 16, 48] if FULL else [16])
        for arch in part_of(WITH_FP8 if FULL else ("gfx942", "sm_100a")):  # the latter has none by tensor copies
            for kind in FLOAT8 if FULL else ("fp8_e4m3",):
                check_fp8(folder, arch, kind)
        refused = check_the_rest(folder) if PART == 1 else 0
    for problem in problems[:40]:
        print(problem)
    print(f"{count} attentions, {refused} bad inputs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
