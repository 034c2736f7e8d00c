"""gemm --list-kernels and gemm --launch-plan: the list against the table of tiles, plans against the list.

A plan's argument is decoded with the offsets of the list and compared with the problem; grids are computed from the
formulas. Nothing is multiplied: no GPU and no file is needed. --full: types on demand for each target.
"""

import json
import math
import struct
import sys

from _program import FULL, archs_of, archs_of_run, check, kernels_of, problems, program, runner

PROGRAM = program("gemm")
run = runner("gemm")
ORDERS = {("k", "k"), ("k", "row"), ("row", "k"), ("row", "row")}
FORMATS = {"pointer": "<Q", "i64": "<q", "i32": "<i", "bool": "<?", "f32": "<f"}
SIZES = {"pointer": 8, "i64": 8, "i32": 4, "bool": 1, "f32": 4}

def check_layout(name, layout):
    """Members are in order, do not overlap and are inside."""
    end = 0
    for field in layout["fields"]:
        size = SIZES[field["type"]]
        check(field["offset"] >= end and field["offset"] % size == 0, f"{name}: {field} overlaps what is before it")
        end = field["offset"] + size
    check(end <= layout["bytes"] < end + 16, f"{name}: {layout['bytes']} bytes, members end at {end}")


def check_list(kernels):
    """Every tile of the emulator's table in every order, the other forms, and no name twice."""
    tiles = json.loads(run("--list-tiles", "--json", "--device", "emulator")[1])
    for arch in archs_of("gemm", "code_object"):
        mine = [k for k in kernels if k["arch"] == arch]
        check(len({k["symbol"] for k in mine}) == len(mine), f"{arch}: a symbol is there twice")
        forms = {k["form"] for k in mine}
        check(forms == {k["form"] for k in kernels_of("gemm", "code_object", target=arch)}, f"{arch}: forms {forms}")
        # Products with block scales are no code objects.
        for tile in (t for t in tiles if t["arch"] == arch and not t["type"].startswith("mx")):
            found = [k for k in mine if (k["type"], k["tile"], k["form"]) == (tile["type"], tile["name"], "plain")]
            orders = {(k["order_a"], k["order_b"]) for k in found}
            # The element-wise kernel of a tile past 128 x 128 is that of `t128x128`; tiles of direct loads have their own.
            has_own = tile["name"] in ("t128x128", "t64x64", "t32x128") or arch == "gfx950"
            rest = {("any", "any")} if has_own else set()
            check(orders == ORDERS | rest, f"{arch} {tile}: orders {orders}")
            check(not tile["built_in"] or tile["tile"] == "x".join(str(found[0][f"block_{x}"]) for x in "mnk"), f"{arch} {tile}: {found[0]}")
    for kernel in kernels:
        name = f"{kernel['arch']} {kernel['symbol']}"
        check(kernel["aligned"] == (kernel["order_a"] != "any"), f"{name}: aligned")
        check_layout(name, kernel["arguments"])
        if kernel["form"] == "grouped":
            check_layout(name, kernel["product"])


def expected_members(case, kernel):
    """The members of a plain product's argument that are no pointers."""
    size = {"bf16": 2, "f16": 2, "tf32": 4, "int8": 1, "fp8_e4m3": 1}[case["type"]]
    members = {name: case[name] for name in "mnk"}
    members["batch"] = case["batch"] or 1
    shapes = {"a": (case["m"], case["k"], case["layout_a"], size), "b": (case["k"], case["n"], case["layout_b"], size),
              "c": (case["m"], case["n"], "row", 4), "source": (case["m"], case["n"], "row", 4)}
    for name, (rows, columns, layout, element) in shapes.items():
        inner, outer = (columns, rows) if layout == "row" else (rows, columns)
        vector = 16 // element
        leading = inner + case["pad"] if case["pad"] is not None else -(-inner // vector) * vector
        members[f"{name}.row_stride"], members[f"{name}.column_stride"] = (
            (leading, 1) if layout == "row" else (1, leading))
        members[f"{name}.batch_stride"] = outer * leading if case["batch"] else 0
    if case["type"] != "int8":
        members.update(alpha=case["alpha"], beta=case["beta"],
                       activation=["none", "relu", "gelu", "silu"].index(case["activation"]))
    if case["alpha"] == 0:
        members["k"] = 0
    return {name: value for name, value in members.items()
            if name in {f["name"] for f in kernel["arguments"]["fields"]}}


def check_plan(case, kernels):
    words = ["--launch-plan"]
    for option in ("arch", "type", "tile", "m", "n", "k", "batch", "pad", "layout_a", "layout_b"):
        if case[option] is not None:
            words += [f"--{option.replace('_', '-')}", case[option]]
    if case["type"] != "int8":
        words += ["--alpha", case["alpha"], "--beta", case["beta"], "--activation", case["activation"]]
    status, text, error = run(*words)
    if status != 0:
        problems.append(f"{case}: {error}")
        return
    plan = json.loads(text)
    kernel = kernels.get((plan["arch"], plan["symbol"]))
    if kernel is None:
        problems.append(f"{case}: {plan['symbol']} is not in the list")
        return
    for key in ("code_object", "type", "tile", "form", "order_a", "order_b", "aligned", "block",
                "dynamic_shared_bytes"):
        check(plan[key] == kernel[key], f"{case}: {key} is {plan[key]}, in the list {kernel[key]}")
    orders = ("k" if case["layout_a"] == "row" else "row", "row" if case["layout_b"] == "row" else "k")
    if case["pad"] is not None:
        orders = ("any", "any")
    check((plan["order_a"], plan["order_b"]) == orders, f"{case}: orders {plan['order_a']} {plan['order_b']}")

    data = bytes.fromhex(plan["arguments"]["hex"])
    check(len(data) == plan["arguments"]["bytes"] == kernel["arguments"]["bytes"], f"{case}: {len(data)} bytes")
    got = {f["name"]: struct.unpack_from(FORMATS[f["type"]], data, f["offset"])[0]
           for f in kernel["arguments"]["fields"]}
    for name, value in expected_members(case, kernel).items():
        check(got[name] == value, f"{case}: {name} is {got[name]}, not {value}")
    formula = kernel["grid"][0]
    blocks = eval(formula, {"ceil": math.ceil, "min": min, "max": max}, dict(got))
    check(plan["grid"] == [blocks, 1, 1], f"{case}: grid {plan['grid']}, {formula} = {blocks}")

    slots = {p["offset"]: p for p in plan["pointers"]}
    fields = {f["offset"]: f for f in kernel["arguments"]["fields"] if f["type"] == "pointer"}
    check(set(slots) == set(fields), f"{case}: slots {sorted(slots)}, pointers {sorted(fields)}")
    for offset, slot in slots.items():
        check(data[offset:offset + 8] == bytes(8), f"{case}: slot {slot} is not 0")
        check(slot["operand"] == fields[offset]["name"].split(".")[0], f"{case}: slot {slot}")
    c = next(p for p in plan["pointers"] if p["operand"] == "c")
    extent = (got["batch"] - 1) * got["c.batch_stride"] + (case["m"] - 1) * got["c.row_stride"] + case["n"]
    check(c["bytes"] == 4 * extent, f"{case}: C has {c['bytes']} bytes, not {4 * extent}")


def cases():
    for i, arch in enumerate(archs_of_run("gemm", "code_object")):
        on_demand = (("f16", "t64x64"), ("tf32", "t64x64"), ("int8", "t64x64")) if FULL or arch == "gfx942" else ()
        for j, (kind, tile) in enumerate((("bf16", "t128x128"), ("bf16", "t32x128"), ("bf16", None), *on_demand)):
            for pad in (None, 1):
                turn = i + j
                yield {"arch": arch, "type": kind, "tile": tile, "m": 300 + turn, "n": 200, "k": 98 + 2 * turn,
                       "batch": (None, 3)[turn % 2], "pad": pad, "layout_a": ("row", "col")[turn % 2],
                       "layout_b": ("col", "row")[turn // 2 % 2], "alpha": (1, 0.5, 0)[turn % 3] if kind != "int8" else 1,
                       "beta": (0, 2)[turn % 2], "activation": ("none", "relu", "gelu", "silu")[turn % 4]}


def check_bad_input():
    sizes = ["--m", 4, "--n", 4, "--k", 4]
    for words, needed in ((["--a", "a.npy", "--b", "b.npy"], "--m"), (sizes[:4], "--k"),
                          ([*sizes, "--arch", "sm_80"], "gfx942"), ([*sizes, "--device", "gpu"], "--device"),
                          ([*sizes, "--arch", "gfx1100", "--type", "fp8_e4m3"], "conversion"),
                          ([*sizes, "--tile", "gigantic"], "t128x128"),
                          (["--m", -1, "--n", 4, "--k", 4], "-1")):
        status, text, error = run("--launch-plan", *words)
        check(status == 2 and text == "" and len(error.splitlines()) == 1 and needed in error,
              f"{words}: status {status}, expected {needed!r}: {error}{text}")


def main():
    if not PROGRAM.exists():
        print("skipped: gemm is not built")
        return 77
    kernels = json.loads(run("--list-kernels")[1])
    check_list(kernels)
    by_name = {(k["arch"], k["symbol"]): k for k in kernels}
    for case in cases():
        check_plan(case, by_name)
    # Sizes that no memory holds: nothing is allocated.
    check(run("--launch-plan", "--m", 2000000, "--n", 2000000, "--k", 64)[0] == 0, "a large problem has no plan")
    check_bad_input()
    for problem in problems[:40]:
        print(problem)
    print(f"{len(kernels)} kernels, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
