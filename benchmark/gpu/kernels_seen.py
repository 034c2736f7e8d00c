"""Kernels that a GPU has run, for docs/gpu.md: when each was last right, and its greatest speed beside the fastest other's."""

import json
import re

ORDERS = {"TN": "kk", "NN": "kr", "NT": "rr", "TT": "rk"}
TYPES = {"f8e4m3": "fp8_e4m3", "f8e5m2": "fp8_e5m2", "i8": "int8"}
SCHEDULES = {"attention": "multistage", "specialized": "specialized", "tcgen05": "tcgen05", "fused": "fused"}


def read(folder, name):
    file = folder / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else {}


def last_right(folders):
    """The newest folder in which each check was right, by its name."""
    seen = {}
    for folder in folders:  # the newest first
        for result in read(folder, "checks").get("results", []):
            if not result["wrong"]:
                seen.setdefault(result["name"], folder)
    return seen


def speeds_in(folder):
    """(type, check without its type) -> (TFLOP/s, the fastest other's, problem) of each measurement."""
    for r in read(folder, "gemm").get("results", []) + read(folder, "products").get("results", []):
        order = ORDERS.get(r.get("layout"))
        for tile, speed in (r.get("tiles") or {}).items():
            name, way = re.match(r"(\S+) ?(split-K|stream-K|)", tile).groups()
            yield ({"fp8": "fp8_e4m3"}.get(r["type"], r["type"]),
                   " ".join(filter(None, [name, {"split-K": "split_k", "stream-K": "stream"}.get(way), order]))), \
                (speed, r.get("vendor_best_tflops"), f"{r['m']} x {r['n']} x {r['k']}")
    for r in read(folder, "attention").get("results", []):
        others = [c["rate"] for name, c in r["contenders"].items() if not name.startswith("tegula") and c.get("rate")]
        for name, c in r["contenders"].items():
            words = re.match(r"tegula (attention|attention_backward)/(\w+)/(\w+)/(\d+)/(full|causal)$", name)
            if not words or not c.get("rate") or not others:
                continue
            family, schedule, t, columns, mask = words.groups()
            plain = {v: k for k, v in SCHEDULES.items()}.get(schedule, schedule)
            name = f"{plain} {columns}" if family == "attention" else f"{plain} gradients {columns}".removeprefix("attention ")
            yield (t, name + " causal" * (mask == "causal")), (c["rate"] / 1e12, max(others) / 1e12, r["case"].split("/")[-1])


def section(folders):
    """The table, of folders from the newest to the oldest; nothing without checks."""
    fastest = {}
    for folder in folders:
        mine = {}
        for key, measured in speeds_in(folder):
            if measured[1] and measured[0] > mine.get(key, (0,))[0]:
                mine[key] = measured
        arch = read(folder, "env").get("arch", "sm_90a")
        for key, measured in mine.items():
            fastest.setdefault((arch, *key), (*measured, folder))
    rows = {}  # (kernel, folder, speed) -> types
    for check, folder in last_right(folders).items():
        arch, t, kernel = re.match(r"(\S+) (?:(bf16|f16|f32|tf32|f8e4m3|f8e5m2|i8|mx\w+|nvfp4) )?(.*)", check).groups("")
        speed = fastest.get((arch, TYPES.get(t, t), kernel))
        text = (f"{speed[0]:.0f} | {speed[1]:.0f} | {speed[2]}, {speed[3].name}" if speed else " | | ")
        rows.setdefault((arch, kernel, folder, text), []).append(TYPES.get(t, t))
    if not rows:
        return ""
    lines = ["## Kernels, one by one", "",
             "A row is a check of `gpu_checks`, with the newest run in which it was right. Beside it are the kernel's greatest TFLOP/s "
             "in the newest run that timed it, and the fastest other's for that problem. Checks are of many problems; see "
             "[testing.md](testing.md#tests-of-gpus).", "",
             "| kernel | types | last right on | commit | TFLOP/s | other | problem, run |", "|---|---|---|---|---|---|---|"]
    for (arch, kernel, folder, text), types in sorted(rows.items(), key=lambda row: (row[0][0], row[0][1], row[1])):
        env = read(folder, "env")
        lines.append(f"| {arch} {kernel} | {', '.join(filter(None, types))} | {env['gpu'].removeprefix('NVIDIA ')}, {folder.name} | {env['commit']} | {text} |")
    return "\n".join(lines)
