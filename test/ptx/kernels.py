"""Kernels of .ptx files on the machine: problems, arguments, results. The program arguments (arguments.cpp)
lists the kernels; operands, packing and comparison are those of test/device/_machine_code.py."""

import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import numpy

from machine import Machine
from scaled_kernels import run_scaled

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "device"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
from _gemm_model import expected  # noqa: E402
from _machine_code import ACTIVATIONS, Problem  # noqa: E402

HALF_ULP = {"f16": (2.0**-11, 2.0**-25), "bf16": (2.0**-8, 0)}  # relative, and of the smallest numbers


class PtxProblem(Problem):
    """A problem whose source of C has the type that the argument says, and whose results may have 16 bits."""

    def __init__(self, kernel, m, n, k, batch, seed, spread=False):
        # The model names one architecture for each behaviour: sm_89 rounds to fp8 as sm_90a does.
        super().__init__(
            {**kernel, "arch": "sm_90a" if "fp8" in kernel["type"] else "sm_80"}, m, n, k, batch, seed, spread
        )

    def field(self, name):
        fields = self.kernel["product" if self.kernel["form"] in ("grouped", "list") else "arguments"]["fields"]
        return next(f for f in fields if f["name"] == name)

    def make_plain(self):
        if self.kernel["c_type"] == "i32":
            return super().make_plain()
        kind = self.field("source.data")["to"]
        if kind == "f32":
            return super().make_plain()
        from _machine_code import decode, encode

        alpha, beta = 1.5, -0.5
        source, bias = decode(encode(self.numbers(self.batch, self.m, self.n), kind), kind), self.numbers(self.n)
        spread, self.spread = self.spread, False
        self.matrix("source", self.m, self.n, kind, "row", source)
        self.spread = spread
        self.vector("bias", bias)
        self.fields.update(alpha=alpha, beta=beta, activation=ACTIVATIONS.index(self.activation))
        return {
            "c": expected(
                self.a, self.b, self.kernel["type"], self.kernel["arch"], alpha, beta, source, bias, self.activation
            )
        }

    make_grouped = make_list = make_warp_specialized = make_plain

    def compare(self, name, memory):
        value, bound = self.extra[name]
        kind = self.fields[f"{name}.data"].kind
        if kind in HALF_ULP:
            relative, least = HALF_ULP[kind]
            self.extra = {**self.extra, name: (value, bound + relative * (numpy.abs(value) + bound) + least)}
        return super().compare(name, memory)


def sizes(record, full):
    """Ragged sizes of several blocks, with several rounds of the loop, and of part of a block in two batches."""
    m, n, k = record["block_m"], record["block_n"], record["block_k"]
    if record.get("takes_over_launches"):  # more clusters than run at a time
        several, part = (4 * m + 24, 2 * n + 16, k + 3, 1), (m // 2 + 1, 24, k - 1, 5)
    elif "cluster" in record and record["form"] not in ("scaled_format", "microscaled"):
        any_c = "direct" in record["name"] or "split" in record["name"]  # the others write C in whole 16 bytes
        several, part = (m + 24, n + 16, 5 * k + 3, 1), (m // 2 + 1, 23 if any_c else 24, k - 1, 2)
    else:
        several, part = (m + m // 2 + 5, n + 10, 4 * k + k // 2 + 3, 1), (m // 2 + 1, 7, k - 1, 2)
    return [several, part] if full else [several]


def records_of(program):
    """The kernels that the program arguments describes, by name."""
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {record["name"]: record for record in map(json.loads, text.splitlines())}


class Kernels:
    """Kernels, and the .ptx files that they are in."""

    def __init__(self, library, records, find, program=None):
        """`records`: the kernels by name. `find(file, arch)`: the path of a .ptx file. `program`: arguments.cpp, which prepares
        launches of warp-specialised kernels."""
        self.library, self.records, self.find, self.program = library, records, find, program
        self.texts, self.counts = {}, {}

    def source(self, record):
        path = self.find(record["file"], record["arch"])
        if path not in self.texts:
            self.texts[path] = Path(path).read_text()
        return self.texts[path]

    def run(self, name, size, seed, change=lambda text: text, spread=False):
        """Runs a product on the machine; (error, bound, right) of each output. `change` plants a fault in the text."""
        record = self.records[name]
        machine = Machine(self.library, change(self.source(record)))
        run = {
            "grouped": self.run_grouped,
            "list": self.run_list,
            "warp_specialized": self.run_warp_specialized,
            "scaled_format": self.run_scaled,
            "microscaled": self.run_scaled,
        }.get(record["form"], self.run_warp_specialized if "cluster" in record else self.run_plain)
        try:
            return run(machine, record, size, seed, spread)
        finally:
            for opcode, count in machine.counts().items():
                self.counts[opcode] = self.counts.get(opcode, 0) + count

    def place(self, machine, problem):
        """Puts the operands into memory; a function from a field to its address."""
        addresses = {}

        def address(name, value):
            if name not in addresses:
                if isinstance(value, int):
                    return value
                addresses[name] = machine.add(name, value.memory, name.split(".")[0] in problem.extra)
            return addresses[name]

        problem.addresses = addresses
        return address

    def results(self, machine, problem):
        return {
            name: problem.compare(
                name, machine.read(problem.addresses[f"{name}.data"], problem.fields[f"{name}.data"].memory.size)
            )
            for name in problem.extra
        }

    def run_plain(self, machine, record, size, seed, spread):
        problem = PtxProblem(record, *size, seed, spread)
        address = self.place(machine, problem)
        tiles = math.ceil(size[0] / record["block_m"]) * math.ceil(size[1] / record["block_n"]) * size[3]
        steps = max(1, math.ceil(size[2] / record["block_k"]))
        blocks, parts = tiles, None
        if record["form"] == "split_k":
            blocks, parts = tiles * min(problem.fields["splits"], steps), "gemm_split.sum"
        elif record["form"] == "stream_k":
            blocks, parts = min(problem.fields["workers"], tiles * steps), "gemm_stream.sum"
        if parts:
            room = 4 * record["block_m"] * record["block_n"] * (2 * blocks + 3)
            problem.fields.update({"workspace": machine.add("workspace", room, True), "workspace.bytes": room})
        arguments = problem.pack(record["arguments"], address)
        machine.launch(
            machine.kernel(record["symbol"]), blocks, record["threads"], arguments, record["shared"], seed=seed
        )
        if parts and not record.get("launches_sum"):
            second = self.records[parts]
            passes = second["block_m"] // second["pass_rows"]
            blocks = tiles * passes if record["form"] == "split_k" else (blocks - 1) * passes
            if blocks > 0:
                machine.launch(
                    machine.kernel(second["symbol"]), blocks, second["threads"], arguments, second["shared"], seed=seed
                )
        return self.results(machine, problem)

    def run_grouped(self, machine, record, size, seed, spread):
        """Two products and an empty one between them."""
        problems = [
            PtxProblem(record, *size, seed, spread),
            PtxProblem(record, size[0] // 2 + 1, 7, size[2] - 1, 1, seed + 1, spread),
        ]
        data = [p.pack(record["product"], self.place(machine, p)) for p in problems]
        counts = [math.ceil(p.m / record["block_m"]) * math.ceil(p.n / record["block_n"]) * p.batch for p in problems]
        data.insert(1, bytes(record["product"]["bytes"]))
        counts.insert(1, 0)
        first = numpy.cumsum([0, *counts]).astype(numpy.int32)
        values = {
            "products": machine.add("products", numpy.frombuffer(b"".join(data), numpy.uint8)),
            "first_block": machine.add("first_block", first),
            "count": len(counts),
            "blocks": int(first[-1]),
        }
        arguments = bytearray(record["arguments"]["bytes"])
        for field in record["arguments"]["fields"]:
            struct.pack_into(
                "<Q" if field["type"] == "pointer" else "<i", arguments, field["offset"], values[field["name"]]
            )
        machine.launch(
            machine.kernel(record["symbol"]), int(first[-1]), record["threads"], arguments, record["shared"], seed=seed
        )
        return self.results_of_all(machine, problems)

    def results_of_all(self, machine, problems):
        return {
            f"{name} of product {i}": result
            for i, p in enumerate(problems)
            for name, result in self.results(machine, p).items()
        }

    def run_list(self, machine, record, size, seed, spread):
        """Three products and an empty one between them; their maps lie in memory."""
        problems = [
            PtxProblem(record, *size, seed, spread),
            PtxProblem(record, size[0] // 2 + 1, 24, 2 * record["block_k"] + 8, 2, seed + 1, spread),
            PtxProblem(record, 40, size[1], record["block_k"] - 8, 1, seed + 2, spread),
        ]
        data = [p.pack(record["product"], self.place(machine, p)) for p in problems]
        data.insert(1, bytes(record["product"]["bytes"]))
        plan = self.ask(record, f"{max(3, record['cluster'])} {b''.join(data).hex()}")
        if plan["status"]:
            raise ValueError(plan["status"])
        products = self.with_maps(machine, plan["list"], plan["maps"])
        arguments = bytearray.fromhex(plan["arguments"])
        for name, values in ("products", products), ("first_tile", bytes.fromhex(plan["first_tile"])):
            place = machine.add(name, numpy.frombuffer(bytes(values), numpy.uint8))
            struct.pack_into("<Q", arguments, plan[f"{name}_at"], place)
        machine.launch(
            machine.kernel(record["symbol"]),
            plan["blocks"],
            record["threads"],
            arguments,
            record["shared"],
            record["cluster"],
            seed,
            behind=True,
        )
        return self.results_of_all(machine, problems)

    def ask(self, record, words):
        """Asks the program what the host prepares for a launch."""
        text = subprocess.run(
            [self.program, "plan", record["name"]], input=words, capture_output=True, text=True, check=True
        ).stdout
        return json.loads(text)

    def with_maps(self, machine, digits, maps):
        """Bytes of hexadecimal digits with tensor maps at their places."""
        data = bytearray.fromhex(digits)
        for x in maps:
            data[x["offset"] : x["offset"] + 128] = machine.tensor_map(
                x["base"], x["type"], x["lengths"], x["strides"], x["box"], x["element_strides"], x["swizzle"]
            )
        return data

    def plan(self, record, arguments, multiprocessors, splits, workspace, room):
        return self.ask(record, f"{multiprocessors} {splits} {workspace} {room} {bytes(arguments).hex()}")

    def launch_planned(self, machine, record, plan, seed, behind=True):
        """Launches with the argument and the tensor maps that the host prepared, behind another launch if the kernel waits for
        it; the argument."""
        arguments = self.with_maps(machine, plan["arguments"], plan["maps"])
        machine.launch(
            machine.kernel(record["symbol"]),
            plan["blocks"],
            record["threads"],
            arguments,
            record["shared"],
            record["cluster"],
            seed,
            behind=behind,
        )
        return arguments

    def run_scaled(self, machine, record, size, seed, spread):
        return run_scaled(self, machine, record, size, seed)

    def run_warp_specialized(self, machine, record, size, seed, spread, multiprocessors=3, splits=3):
        """Few multiprocessors, so that a cluster computes several tiles."""
        problem = PtxProblem(record, *size, seed, spread)
        packed = problem.pack(record["arguments"], self.place(machine, problem))
        multiprocessors = max(multiprocessors, record["cluster"])
        shares = "sum" in record
        splits, workspace, room = splits if "split" in record["name"] else 1, 0, 0
        if shares:
            room = self.plan(record, packed, multiprocessors, splits, 1 << 40, 1 << 60)["workspace"]
            workspace = machine.add("workspace", max(room, 16), True)
        plan = self.plan(record, packed, multiprocessors, splits, workspace, room)
        if plan["status"]:
            raise ValueError(plan["status"])
        arguments = self.launch_planned(machine, record, plan, seed)
        if shares and plan["sum_blocks"] > 0:
            machine.launch(
                machine.kernel(record["sum"]["symbol"]),
                plan["sum_blocks"],
                record["sum"]["threads"],
                arguments,
                seed=seed,
                behind=True,
            )
        return self.results(machine, problem)
