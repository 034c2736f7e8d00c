"""Runs `./dev demo`: a bug as the emulator reports it, a distribution, the example programs on the fastest target this
machine has with their results as a table, pictures, and a page with all of it.

demo.py --race PROGRAM_FOLDER           the bug, whose program is built before the others
demo.py PROGRAM_FOLDER OUTPUT_FOLDER    the rest
demo.py --gpus      prints the architectures of the GPUs here, separated by commas

Where a GPU is present its own architecture is used, otherwise the CPU computes, for programs with kernels of its own,
and the emulator plays each GPU. Every product is verified
against a 64-bit reference by the program itself. The emulator counts what a GPU would do; its own time means nothing
and is not shown. Exit status 1 where a verification fails.
"""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("cmake", "test/gpu")]
import demo_page  # noqa: E402
import gpus  # noqa: E402
import kernels  # noqa: E402

KERNELS = kernels.read_kernels()
EMULATED = list(dict.fromkeys(k["target"] for k in KERNELS if "emulator" in k["in"] and kernels.is_in_demo(k, "emulator")))
BUILT_FOR = {k["target"] for k in KERNELS if k["family"] == "gemm" and "gpu" in k["in"]}
ROWS_OF_A_WAVE = json.dumps({"rs": [], "hs": [[2, 4], [16, 2]], "ps": [[[1, 1], [2, 0]]], "ys": [[1, 0], [2, 1]]})
SMALL = json.dumps({"rs": [], "hs": [[2, 4], [2, 4]], "ps": [[[1, 0], [2, 0]], [[1, 1], [2, 1]]], "ys": []})
PICTURES = [
    ("rows_of_a_wave.svg", "A distribution: who holds which element", ["encoding", ROWS_OF_A_WAVE]),
    ("operand_a.svg", "The operands of a matrix instruction", ["mma", "gfx942", "v_mfma_f32_16x16x16_bf16"]),
]
CPU_SIZE = 1024
CPU_ROUNDS = 5


def gpu_architectures():
    """Architectures of the GPUs in this machine, of those the examples are built for."""
    found = {"sm_80" if arch == "sm_89" else arch for arch, _, _ in gpus.all_gpus()}
    return sorted(found & BUILT_FOR)


def targets_of(program, gpus):
    """Where a program runs in the demo: the GPUs it is built for, else the CPU and the emulator as each architecture."""
    listed = subprocess.run([program, "--list-tiles", "--json", "--device", "gpu"], capture_output=True, text=True)
    built = {entry["arch"] for entry in json.loads(listed.stdout)} if listed.returncode == 0 else set(gpus)
    on_gpus = [(arch, "gpu") for arch in gpus if arch in built]
    if on_gpus:
        return on_gpus
    listed = subprocess.run([program, "--list-tiles", "--json", "--device", "cpu"], capture_output=True, text=True)
    on_cpu = listed.returncode == 0 and json.loads(listed.stdout)
    return ([("host", "cpu")] if on_cpu else []) + [(arch, "emulator") for arch in EMULATED]


def cost(record):
    """The cost of a product: operations a second on hardware, counts on the emulator."""
    counters = record.get("counters")
    if counters:
        conflicts = counters["shared_load_conflicts"] + counters["shared_store_conflicts"]
        return f"{counters['mma_instructions']} matrix instructions, {conflicts} bank conflicts"
    if isinstance(record.get("tflops"), (int, float)):
        per_second = record["tflops"]
        return f"{per_second:.1f} TFLOP/s" if per_second >= 1 else f"{1000 * per_second:.1f} GFLOP/s"
    if isinstance(record.get("seconds"), (int, float)):
        return f"{1000 * record['seconds']:.2f} ms"
    return "-"


def run(command):
    """The program's JSON record, or None with what it said printed."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    try:
        record = json.loads(result.stdout)
    except ValueError:
        record = None
    if "--counters" in command and result.returncode == 0 and record is not None:
        record["counters"] = json.loads(Path(command[command.index("--counters") + 1]).read_text())
    if result.returncode != 0 or record is None:
        print(f"failed ({result.returncode}): {' '.join(str(word) for word in command)}\n{result.stderr}",
              file=sys.stderr)
        return None
    return record


def counters_of(folder, device):
    return ["--counters", folder / "counters.json"] if device == "emulator" else []


def save(folder, **arrays):
    import numpy

    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array.astype(numpy.float32))


def demo_gemm(program, folder, targets):
    import numpy  # not at the top: --gpus runs before NumPy is installed

    for arch, device in targets:
        random = numpy.random.default_rng(1)
        rows, columns, depth = {"gpu": (2048, 2048, 2048), "cpu": (CPU_SIZE, CPU_SIZE, CPU_SIZE)}.get(device, (384, 256, 320))
        save(folder, a=random.standard_normal((rows, depth)), b=random.standard_normal((depth, columns)))
        counters = counters_of(folder, device)
        kind = "f32" if device == "cpu" else "bf16"
        command = [program, "--a", folder / "a.npy", "--b", folder / "b.npy", "--out", folder / f"c_{arch}.npy",
                   "--arch", arch, "--device", device, "--type", kind]
        record = run([*command, "--verify", "--json", *counters])
        if record and device == "cpu":
            record["times"] = times_beside_numpy(command, folder)
        yield arch, device, f"gemm {rows}x{columns}x{depth} {kind}", record


def times_beside_numpy(command, folder):
    """The fastest of a few runs in turns of the program and of NumPy on the same arrays."""
    import numpy

    a, b = (numpy.load(folder / f"{name}.npy") for name in "ab")
    ours, theirs = [], []
    for _ in range(CPU_ROUNDS):
        ours.append((run([*command, "--json"]) or {}).get("seconds", math.inf))
        start = time.perf_counter()
        a @ b
        theirs.append(time.perf_counter() - start)
    return {"seconds": min(ours), "numpy_seconds": min(theirs), "size": CPU_SIZE, "rounds": CPU_ROUNDS,
            "numpy": numpy.__version__}


def demo_attention(program, folder, targets):
    import numpy

    random = numpy.random.default_rng(2)
    heads, length, width = (16, 4096, 128) if targets[0][1] == "gpu" else (2, 256, 64)
    save(folder, **{name: random.standard_normal((1, heads, length, width)) for name in "qkv"})
    for arch, device in targets:
        counters = counters_of(folder, device)
        record = run([program, "--q", folder / "q.npy", "--k", folder / "k.npy", "--v", folder / "v.npy", "--out",
                      folder / f"o_{arch}.npy", "--causal", "--arch", arch, "--device", device, "--type", "bf16",
                      "--verify", "--json", *counters])
        yield arch, device, f"attention {heads} heads, {length} keys, d {width}, causal", record


def draw(inspector, folder):
    for name, _, words in PICTURES:
        result = subprocess.run([inspector, *words, "--svg", folder / name], capture_output=True, text=True)
        if result.returncode == 0:
            print(f"  {folder / name}")
        else:
            print(f"  not drawn: {name}: {result.stderr.strip()}", file=sys.stderr)
        yield result.returncode == 0


def show(title, command):
    """Prints what a program says; whether it was right."""
    print(f"{title}\n")
    result = subprocess.run(command, capture_output=True, text=True)
    print("".join(f"  {line}\n" for line in (result.stdout + result.stderr).splitlines()))
    return result.returncode == 0


def main():
    if sys.argv[1:] == ["--gpus"]:
        print(",".join(gpu_architectures()))
        return 0
    if sys.argv[1] == "--race":
        return 0 if show("Kernels run on machines without a GPU, and a race is an error there, whatever the order of execution "
                         "(examples/21_missing_barrier.cpp):", [Path(sys.argv[2]) / "missing_barrier"]) else 1
    programs, folder = (Path(path) for path in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    good = True
    inspector = programs / "tegula-inspect"
    if inspector.exists():
        good = show("One statement says who holds what: 8 x 8 elements over 4 waves of 16 lanes, one element a lane.",
                    [inspector, "encoding", SMALL, "--ascii"])
    gpus = gpu_architectures()
    print("Products, verified against 64-bit references. GPUs: " +
          (", ".join(gpus) if gpus else "none here; the CPU computes, and the emulator plays each architecture"))
    demos = {"gemm": demo_gemm, "attention": demo_attention}
    # The build has programs for the demo alone, with fewer kernels, in a folder of their own.
    built = {name: path for name in demos for path in (programs / name, programs / "demo" / name) if path.exists()}
    if not built:
        print("no example program is built", file=sys.stderr)
        return 1
    rows, times = [], None
    print(f"\n  {'what':46} {'arch':10} {'on':9} {'tile':20} {'max error':>10}  {'':8}  cost")
    for name, demo in demos.items():
        if name not in built:
            continue
        for arch, device, what, record in demo(built[name], folder, targets_of(built[name], gpus)):
            good = good and record is not None
            record = record or {}
            arch = record.get("arch", arch)
            number = lambda key, form: format(record[key], form) if isinstance(record.get(key), (int, float)) else "-"
            times = record.get("times", times)
            rows.append({"what": what, "arch": arch, "device": record.get("device", device), "tile": record.get("tile", "-"),
                         "error": number("max_abs_error", ".2e") if record else "FAILED", "cost": cost(record)})
            print(f"  {what:46} {arch:10} {record.get('device', device):9} {record.get('tile', '-'):20} "
                  f"{number('max_abs_error', '10.2e'):>10}  {'verified' if record else 'FAILED':8}  {cost(record)}",
                  flush=True)

    if inspector.exists():
        print("\nPictures:")
        good = all(list(draw(inspector, folder))) and good
        race = subprocess.run([programs / "missing_barrier"], capture_output=True, text=True).stdout
        pictures = [(title, folder / name) for name, title, _ in PICTURES if (folder / name).exists()]
        demo_page.write(folder / "index.html", inspector, pictures, race, rows, times)
        print(f"\nAll of it on a page: {(folder / 'index.html').resolve()}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
