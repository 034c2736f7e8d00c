"""Convolutions and experts by wgmma on the machine: the program persistent prepares launches, sums in float64 compare."""

import json
import subprocess

import numpy

from _machine_code import decode, encode
from machine import Machine

DIRECTIONS = ("forward", "backward_data", "backward_weight")


def exact(direction, s, first, second):
    """The result and the sums of absolute products. Images are [image, row, column, channel], filters [filter, row, column,
    channel]."""
    size = {"forward": (s["images"], *s["output"], s["filters"]), "backward_data": (s["images"], *s["image"], s["channels"]),
            "backward_weight": (s["filters"], *s["filter"], s["channels"])}[direction]
    results = []
    for a, b in ((first, second), (abs(first), abs(second))):
        result = numpy.zeros(size)
        for q in numpy.ndindex(*s["output"]):
            for t in numpy.ndindex(*s["filter"]):
                p = [q[d] * s["stride"][d] - s["padding"][d] + t[d] * s["dilation"][d] for d in range(2)]
                if any(not 0 <= p[d] < s["image"][d] for d in range(2)):
                    continue
                if direction == "forward":
                    result[:, q[0], q[1]] += a[:, p[0], p[1]] @ b[:, t[0], t[1]].T
                elif direction == "backward_data":
                    result[:, p[0], p[1]] += a[:, q[0], q[1]] @ b[:, t[0], t[1]]
                else:
                    result[:, t[0], t[1]] += b[:, q[0], q[1]].T @ a[:, p[0], p[1]]
        results.append(result)
    return results


def ask(program, *words):
    return json.loads(subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout)


def launch(machine, plan, seed):
    arguments = bytearray.fromhex(plan["arguments"])
    for x in plan["maps"]:
        arguments[x["offset"]:x["offset"] + 128] = machine.tensor_map(
            x["base"], x["type"], x["lengths"], x["strides"], x["box"], x["element_strides"], x["swizzle"])
    machine.launch(machine.kernel(plan["symbol"]), plan["blocks"], plan["threads"], arguments, plan["shared"], seed=seed, behind=True)


def compare(what, found, right, bound):
    worst = float(numpy.max(abs(found - right) / bound))
    print(f"{what}: {worst:.3f} of the bound", flush=True)
    return [] if worst <= 1 else [f"{what}: {worst} times the bound off"]


def check_convolution(library, program, source, direction, seed):
    """Sentences on what is wrong with a direction."""
    s = ask(program, direction, 16, 16, 16)
    rng, machine = numpy.random.default_rng(seed), Machine(library, source)
    images = (s["images"], *s["image"], s["channels"]), (s["images"], *s["output"], s["filters"])
    filters = s["filters"], *s["filter"], s["channels"]
    shapes = {"forward": (images[0], filters, images[1]), "backward_data": (images[1], filters, images[0]),
              "backward_weight": (images[0], images[1], filters)}[direction]
    bits = [encode(rng.standard_normal(shape), "bf16") for shape in shapes[:2]]
    room = 2 * int(numpy.prod(shapes[2]))
    at = [machine.add(name, x) for name, x in zip(("first", "second"), bits)] + [machine.add("result", room, True)]
    launch(machine, ask(program, direction, *at), seed)
    right, sums = exact(direction, s, *(decode(x, "bf16").astype(float) for x in bits))
    found = decode(machine.read(at[2], room).view(numpy.uint16), "bf16").reshape(right.shape)
    return compare(f"convolution {direction} seed {seed}", found, right, 2.0**-8 * (abs(right) + 2.0**-20 * sums) + 2.0**-18 * sums)


def check_experts(library, program, source, seed):
    """Sentences on what is wrong with the first product of gated experts, one of which has no row."""
    s = ask(program, "experts", *[16] * 6)
    rng, machine = numpy.random.default_rng(seed), Machine(library, source)
    inputs = [encode(rng.standard_normal(shape) * factor, "bf16") for shape, factor in (
        ((s["tokens"], s["width"]), 1), ((s["experts"], s["width"], s["hidden"]), 0.1), ((s["experts"], s["width"], s["hidden"]), 0.1))]
    first = numpy.sort(rng.integers(0, s["rows"], s["experts"] + 1)).astype(numpy.int32)
    first[0], first[1], first[-1] = 0, first[2], s["rows"]
    first[2] = first[1]  # no row
    tokens = rng.integers(0, s["tokens"], s["rows"]).astype(numpy.int32)
    room = 2 * s["rows"] * s["hidden"]
    x, w1, up = (machine.add(name, bits) for name, bits in zip(("x", "w1", "w1_up"), inputs))
    out = machine.add("between", room, True)
    launch(machine, ask(program, "experts", x, machine.add("tokens", tokens), machine.add("first rows", first), w1, up, out), seed)
    x, w1, up = (decode(bits, "bf16").astype(float) for bits in inputs)
    right, bound = numpy.zeros((2, s["rows"], s["hidden"]))
    for e in range(s["experts"]):
        rows = slice(first[e], first[e + 1])
        a = x[tokens[rows]]
        gate, second = a @ w1[e], a @ up[e]
        error = [2.0**-18 * (abs(a) @ abs(w[e])) for w in (w1, up)]
        silu = gate / (1 + numpy.exp(-gate))
        right[rows] = silu * second
        bound[rows] = 2.0**-8 * abs(right[rows]) + abs(silu) * error[1] + 1.2 * abs(second) * (error[0] + 2.0**-18 * abs(silu)) + 1e-6
    found = decode(machine.read(out, room).view(numpy.uint16), "bf16").reshape(right.shape)
    return compare(f"gated experts seed {seed}", found, right, bound)


def run_all(library, find, program, full):
    source = find("gemm_hopper_made", "sm_90a").read_text()
    wrong = []
    for seed in range(6 if full else 2):
        for direction in DIRECTIONS:
            wrong += check_convolution(library, program, source, direction, seed)
        wrong += check_experts(library, program, source, seed)
    return wrong
