"""Runs the code objects of the shipped AMD GEMM kernels as machine code and compares the results with NumPy.

The machine code runs on isa/machine.py, not on a GPU, and its memory is late: a store is seen, and a loaded register
valid, only at the wait that covers it. Each kernel runs several times: with memory as late as it can be and the waves
in turn; with early memory and the last wave first; and by chance, as --seeds says. Where something is missing for the
machine the script ends with status 77 and the reason.

Each kernel of manifest.json (from examples/gemm/code_objects.py) computes a ragged product of several blocks and one
smaller than a block, in batches; sums of parts run behind the kernel that leaves the parts. Inputs are random, operands
lie as the kernel's orders say; memory ends where an operand ends, and what is between rows must stay as it was. The
reference is the product in float64 of the inputs as rounded to the type, the bound that of sums in float32, and 0 for
integers. With --gemm, plain products are started as `gemm --launch-plan` says.

A kernel that spills registers, uses scratch or takes more registers than its block leaves is wrong too, whatever it
computes.

--out writes a record of each kernel: registers, spills and scratch as the code object's metadata has them, problems,
instructions executed by all waves, largest error and its bound. Plain aligned kernels have `loop_instructions` besides, the
instructions that all waves execute for a 16x16x16 product in the main loop.
"""

import argparse
import collections
import functools
import json
import math
import multiprocessing
import re
import struct
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "gemm"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "isa"))
import _code_object  # noqa: E402
import machine  # noqa: E402


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", required=True, help="manifest.json beside its code objects")
    parser.add_argument("--gemm", help="the program gemm, to take plain launches from")
    parser.add_argument("--only", default="", help="only kernels whose file and symbol match this regular expression")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--seeds", type=int, default=1, help="random orders of waves and memory for each problem")
    parser.add_argument("--out", help="where the records go")
    return parser.parse_args()


# One kernel


def sizes(kernel):
    """Ragged sizes of several blocks, and of part of one."""
    m, n, k = kernel["block_m"], kernel["block_n"], kernel["block_k"]
    depth = 2 * k + k // 2 + 3 if kernel["form"] != "block_scaled" else 128 + k + 3
    several = (m + m // 2 + 5, n + 10, depth, 1)
    return [several, (m // 2 + 1, 7, k - 1, 2)]


def blocks_of(kernel, problem):
    values = {**problem.fields, "ceil": math.ceil, "min": min, "max": max}
    formula = kernel["grid"][0].removeprefix("sum of ").removesuffix(" over the products")
    return int(eval(formula, {"__builtins__": {}}, values))  # of our own manifest


def planned(gemm, kernel, problem):
    """The answer of `gemm --launch-plan` to this problem. None without --gemm, for a form other than plain, and for strides that
    the program cannot choose."""
    if gemm is None or kernel["form"] != "plain" or problem.spread:
        return None
    words = [gemm, "--launch-plan", "--arch", kernel["arch"], "--type", kernel["type"], "--tile", kernel["tile"]]
    for name, value in problem.size().items():
        words += [f"--{name}", value]
    words += ["--layout-a", "col" if kernel["order_a"] == "row" else "row"]
    words += ["--layout-b", "col" if kernel["order_b"] == "k" else "row"]
    if kernel["type"] != "int8":
        words += ["--alpha", 1.5, "--beta", -0.5, "--bias", "some", "--activation", problem.activation]
    if not kernel["aligned"]:
        words += ["--pad", 1]
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"gemm --launch-plan: {result.stderr.strip()}")
    return json.loads(result.stdout)


class Memory:
    """The buffers of one problem."""

    def __init__(self):
        self.buffers = {}

    def new(self, name, data):
        self.buffers[name] = machine.DeviceMemory(len(data))
        self.buffers[name].write(bytes(data))
        return self.buffers[name].addr

    def address(self, name, value):
        if name in self.buffers:
            return self.buffers[name].addr
        return 0 if isinstance(value, int) else self.new(name, value.memory.tobytes())

    def read(self, name, size):
        import numpy
        return numpy.frombuffer(self.buffers[name].read(size), numpy.uint8).copy()


def plan_bytes(plan, kernel, problem, memory, blocks):
    """The argument as the launch plan gives it, with the addresses in their slots."""
    import numpy
    expected = (kernel["symbol"], kernel["file"], [blocks, 1, 1], kernel["block"], kernel["dynamic_shared_bytes"],
                kernel["arguments"]["bytes"])
    told = (plan["symbol"], plan["code_object"], plan["grid"], plan["block"], plan["dynamic_shared_bytes"],
            plan["arguments"]["bytes"])
    if expected != told:
        raise ValueError(f"the launch plan says {told}, the manifest {expected}")
    data = bytearray.fromhex(plan["arguments"]["hex"])
    for pointer in plan["pointers"]:
        field = next(f["name"] for f in kernel["arguments"]["fields"] if f["offset"] == pointer["offset"])
        x = problem.fields.get(field, 0)
        if pointer["bytes"] != (0 if isinstance(x, int) else numpy.size(x.memory)):
            raise ValueError(f"the launch plan gives {field} {pointer['bytes']} bytes")
        struct.pack_into("<Q", data, pointer["offset"], memory.address(field, x))
    return bytes(data)


load = functools.lru_cache(8)(machine.CodeObject)  # kernels of a file come one after the other


class Machine:
    """Code objects of a kernel, and how they run: memory's policy and an order of the waves."""

    def __init__(self, folder, files):
        self.objects = {name: load(folder / name) for name in files}
        self.policy, self.order = "late", 0

    def launch(self, kernel, blocks, argument):
        """Instructions executed."""
        return self.objects[kernel["file"]].kernel(kernel["symbol"]).launch(
            (blocks, 1, 1), kernel["block"], [argument], kernel["dynamic_shared_bytes"], self.policy, self.order)


def run_problem(device, kernel, first, problem, gemm):
    """Instructions executed and, by output, (error, bound, right). `first` leaves the parts that `kernel` sums."""
    memory = Memory()
    if "splits" in problem.fields or "workers" in problem.fields:
        parts = 2 * max(problem.fields.get("workers", 0), 1) + 3 * blocks_of(
            {**kernel, "grid": [f"ceil(m/{kernel['block_m']}) * ceil(n/{kernel['block_n']}) * batch"]}, problem)
        size = 4 * kernel["block_m"] * kernel["block_n"] * parts
        memory.new("workspace", b"\xff" * size)
        problem.fields["workspace.bytes"] = size
    instructions = 0
    for step in filter(None, (first, kernel)):
        blocks = blocks_of(step, problem)
        plan = planned(gemm, step, problem)
        argument = (problem.pack(step["arguments"], memory.address) if plan is None
                    else plan_bytes(plan, step, problem, memory, blocks))
        instructions += device.launch(step, blocks, argument)
        if step.get("closes"):
            device.launch(step["closes"], blocks_of(step["closes"], problem), argument)
    return instructions, {name: problem.compare(name, memory.read(f"{name}.data", problem.fields[f"{name}.data"].memory.size))
                          for name in problem.extra}


def run_grouped(device, kernel, problems):
    """All products in one launch, with an empty one between them."""
    memories = [Memory() for _ in problems]
    data = [p.pack(kernel["product"], memory.address) for p, memory in zip(problems, memories)]
    counts = [blocks_of(kernel, p) for p in problems]
    data.insert(1, bytes(kernel["product"]["bytes"]))
    counts.insert(1, 0)
    first_block = [sum(counts[:i]) for i in range(len(counts) + 1)]
    memory = Memory()
    values = {"products": memory.new("products", b"".join(data)),
              "first_block": memory.new("first_block", struct.pack(f"<{len(first_block)}i", *first_block)),
              "count": len(counts), "blocks": first_block[-1]}
    argument = bytearray(kernel["arguments"]["bytes"])
    for field in kernel["arguments"]["fields"]:
        struct.pack_into("<Q" if field["type"] == "pointer" else "<i", argument, field["offset"], values[field["name"]])
    instructions = device.launch(kernel, first_block[-1], bytes(argument))
    outputs = {}
    for i, (p, own) in enumerate(zip(problems, memories)):
        outputs[f"c of product {i}"] = p.compare("c", own.read("c.data", p.fields["c.data"].memory.size))
    return instructions, outputs


def loop_instructions(device, kernel, seed):
    """Instructions of all waves for 16x16x16 multiplications and additions, everything counted: the slope between two k
    for one block. 12 steps are whole rounds of every loop; both products are compared with NumPy as well."""
    from _machine_code import Problem
    m, n, k = kernel["block_m"], kernel["block_n"], 12 * kernel["block_k"]
    runs = [run_problem(device, kernel, None, Problem(kernel, m, n, depth, 1, seed, False), None)
            for depth in (k, 2 * k)]
    return runs, round((runs[1][0] - runs[0][0]) / (m * n * k / 16**3), 3)


def ways(seeds):
    """(policy, order) of memory and waves; the first is that of which instructions are counted."""
    return [("late", 0), ("early", 1), *(("mixed" if i % 2 else "late", i + 2) for i in range(seeds))]


def run_kernel(work):
    """The record of one kernel."""
    from _machine_code import Problem
    folder, kernel, partner, gemm, seeds = work
    record = {key: kernel[key] for key in ("arch", "symbol", "file")}
    start = time.perf_counter()
    found = []
    try:
        metadata = _code_object.read_kernels(folder / kernel["file"])[kernel["symbol"]]
        record.update(_code_object.numbers(metadata))
        found += _code_object.memory_problems(metadata)
        found += _code_object.register_problems(metadata, kernel["arch"], math.prod(kernel["block"]))
        device = Machine(folder, {kernel["file"], *([partner["file"]] if partner else [])})
        seed = sum(kernel["symbol"].encode())
        first = partner if kernel["form"].endswith("_sum") else None
        own = {**kernel, "closes": partner} if partner and first is None else kernel
        results = []
        for i, (device.policy, device.order) in enumerate(ways(seeds)):
            problems = [Problem(kernel, *size, seed + j, spread=j > 0) for j, size in enumerate(sizes(kernel))]
            if kernel["form"] == "grouped":
                runs = [run_grouped(device, kernel, problems)]
            else:
                runs = [run_problem(device, own, first, p, gemm if i == 0 else None) for p in problems]
            if i == 0:
                record["problems"] = [p.size() for p in problems]
                if kernel["form"] == "plain" and kernel["aligned"]:
                    more, record["loop_instructions"] = loop_instructions(device, kernel, seed)
                    runs += more
                record["instructions"] = sum(count for count, _ in runs)
            for name, value in ((name, value) for _, outputs in runs for name, value in outputs.items()):
                results.append(value)
                if not value[2]:
                    found.append(f"{name} is wrong with {device.policy} memory, order {device.order}")
        error, bound, _ = max(results, key=lambda r: (not r[2], r[0] / (r[1] + 1e-300)))
        record.update(max_error=error, bound=bound, ok=True)
    except Exception as problem:  # of the machine, a plan: the record says it
        found.append(f"{type(problem).__name__}: {problem}")
    if found:
        record.update(ok=False, problem=", ".join(dict.fromkeys(found)))
    record["seconds"] = round(time.perf_counter() - start, 1)
    return record


# All


def select(manifest, only):
    """(kernel, the kernel that goes with it): the one that leaves the parts a sum needs, or the sum of them."""
    by_name = {(k["arch"], k["symbol"]): k for k in manifest["kernels"]}
    for kernel in manifest["kernels"]:
        if not re.search(only, f"{kernel['file']} {kernel['symbol']}"):
            continue
        form = kernel["form"]
        other = form.removesuffix("_sum") if form.endswith("_sum") else f"{form}_sum"
        yield kernel, by_name.get((kernel["arch"], kernel["symbol"].replace(form, other)))


def write_records(path, records, manifest):
    """Records of kernels that were not run now stay as they are in the file, if the manifest still has them."""
    kept = {(k["arch"], k["symbol"]) for k in manifest["kernels"]} - {(r["arch"], r["symbol"]) for r in records}
    before = json.loads(path.read_text())["results"] if path.exists() else []
    about = {"commit": manifest["commit"], "compiler": manifest["compiler"], "date": date.today().isoformat()}
    records = [{**r, **about} for r in records] + [r for r in before if (r["arch"], r["symbol"]) in kept]
    records.sort(key=lambda r: (r["arch"], r["file"], r["symbol"]))
    report = {
        "benchmark": "machine_code",
        "what": "machine code run on test/device/isa/machine.py, not on a GPU; AMD's pseudo-code says what operations "
                "compute, memory is late, waves take turns in several orders",
        "command": "test/device/run_code_objects.py --manifest build/code_objects/manifest.json --gemm build/bin/gemm "
                   "--out benchmark/results/machine_code.json",
        "kernels": len(records),
        "wrong": sum(not r["ok"] for r in records),
    }
    head = json.dumps(report, indent=2)[:-len("\n}")]
    lines = ",\n    ".join(json.dumps(r) for r in records)
    path.write_text(f'{head},\n  "results": [\n    {lines}\n  ]\n}}\n')


def main():
    arguments = read_arguments()
    reason = machine.reason_to_skip()
    if reason:
        print(f"skipped: {reason}")
        return 77
    path = Path(arguments.manifest)
    manifest = json.loads(path.read_text())
    work = [(path.parent, kernel, partner, arguments.gemm, arguments.seeds)
            for kernel, partner in select(manifest, arguments.only)]
    records = []
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for record in pool.imap_unordered(run_kernel, work):
            records.append(record)
            state = "ok" if record["ok"] else "WRONG"
            print(f"{record['arch']:8} {record['symbol']:44} {state:5} {record.get('instructions', 0):9} instructions "
                  f"loop {record.get('loop_instructions', math.nan):6} "
                  f"error {record.get('max_error', math.nan):.3g} bound {record.get('bound', math.nan):.3g} "
                  f"{record['seconds']} s {record.get('problem', '')}", flush=True)
    records.sort(key=lambda r: (r["arch"], r["file"], r["symbol"]))
    wrong = sum(not record["ok"] for record in records)
    counts = collections.Counter(record["arch"] for record in records)
    print(f"{len(records)} kernels ({', '.join(f'{n} for {a}' for a, n in sorted(counts.items()))}), {wrong} wrong")
    if arguments.out:
        write_records(Path(arguments.out), records, manifest)
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
