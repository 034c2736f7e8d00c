"""The programs have the kernels of kernels.json, built in or on demand, and no others; a wrong list is refused in a sentence."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from _program import check, problems
import kernels  # of cmake, which _program finds

SOURCE = pathlib.Path(os.environ["TEGULA_SOURCE_DIR"])
BIN = pathlib.Path(os.environ["TEGULA_BIN"])
DEVICES = ("emulator", "cpu", "gpu")


def entries_of(program):
    run = subprocess.run([BIN / program, "--list-tiles", "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def compare(name, built, listed):
    """Both have the same kernels but for those of GPUs, of which a build may leave out some."""
    for kernel in sorted(listed - built):
        check("gpu" in kernel, f"{name} lacks {' '.join(kernel)}, which kernels.json has")
    for kernel in sorted(built - listed):
        check(False, f"kernels.json lacks {' '.join(kernel)}, which {name} has")


def compare_gemm(listed):
    built = {(e["arch"], e["device"], e["type"], e["name"]) for e in entries_of("gemm")}
    shared = {(e["arch"], e["device"], e["type"], e["name"]) for e in entries_of("gemm") if e["splits"]}
    gemm = [k for k in listed if k["family"] == "gemm"]
    rows = {(k["target"], d, k["type"], k["tile"]) for k in gemm for d in DEVICES if d in k["in"]}
    compare("gemm", built, rows)
    compare("gemm --splits", shared, {(k["target"], d, k["type"], k["tile"]) for k in gemm for d in DEVICES
                                      if d in k["in"] and k["form"] == "split_k"})


def compare_code_objects(listed):
    """A symbol is type, tile, form and order; the form of plain products is not named."""
    run = subprocess.run([BIN / "gemm", "--list-kernels"], capture_output=True, text=True, check=True)
    built = {(k["arch"], k["symbol"]) for k in json.loads(run.stdout)}
    rows = {(k["target"], "_".join(["gemm", k["type"], k["tile"], *([k["form"]] if k["form"] != "plain" else []), order]))
            for k in listed if "code_object" in k["in"] for order in k["orders"]}
    compare("gemm --list-kernels", built, rows)


def compare_attention(listed):
    """A tile is queries x keys x columns, with the form behind it; of a kernel on demand the columns alone."""
    forms = {"plain": "", "dropout": "dropout", "pages": "pages", "few_queries": "decoding", "latent": ""}
    built = set()
    for e in entries_of("attention"):
        shape, _, form = e["tile"].partition("-")
        columns = shape.split("x")[2] if e["built_in"] else shape.split(" ")[0]
        built.add((e["arch"], e["device"], e["type"], columns, forms.get(form, form)))
    rows = set()
    for k in listed:
        if k["family"] == "attention":
            form = forms.get(k["form"])
            if k["schedule"] in ("warp_specialized", "tcgen05"):
                form = "warp-specialized" + ("-pages" if k["form"] == "pages" else "")
            rows |= {(k["target"], d, k["type"], k["columns"], form) for d in DEVICES if d in k["in"]}
    compare("attention", built, rows)


def refuse(rows, expected):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.json"
        path.write_text(json.dumps(rows))
        try:
            kernels.read_kernels(path)
        except SystemExit as why:
            check(expected in str(why), f"{rows}: {why}")
        else:
            check(False, f"{rows} is taken")


def check_built_in():
    """At least one type per family is built in on the GPUs of the sample; what is compiled on demand is none of these."""
    for program in ("gemm", "attention"):
        on_demand = {(e["arch"], e["type"]) for e in entries_of(program) if not e["built_in"]}
        for arch in kernels.SAMPLE[program]:
            check((arch, kernels.BUILT_IN[program]) not in on_demand, f"{program} compiles {kernels.BUILT_IN[program]} for {arch} on demand")


def main():
    listed = kernels.read_kernels()
    check_built_in()
    compare_gemm(listed)
    compare_code_objects(listed)
    compare_attention(listed)
    row = {"family": "gemm", "target": "gfx942 sm_80", "type": "bf16", "tile": "t64x64", "in": "emulator"}
    refuse([row, {**row, "target": "sm_80"}], "kernels.json has gemm sm_80 bf16 t64x64 twice")
    refuse([{**row, "tiles": "t64x64"}], "row 0 has the unknown field tiles")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
