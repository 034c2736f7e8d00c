"""Convolutions by wgmma on the machine: the program convolutions prepares launches, sums in float64 compare."""

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


def check(library, program, source, direction, seed):
    """Sentences on what is wrong with a direction."""
    ask = lambda *at: json.loads(subprocess.run([program, direction, *map(str, at)], capture_output=True, text=True, check=True).stdout)
    s = ask(16, 16, 16)
    if s["status"]:
        return [f"convolution {direction}: {s['status']}"]
    rng, machine = numpy.random.default_rng(seed), Machine(library, source)
    images = (s["images"], *s["image"], s["channels"]), (s["images"], *s["output"], s["filters"])
    filters = s["filters"], *s["filter"], s["channels"]
    shapes = {"forward": (images[0], filters, images[1]), "backward_data": (images[1], filters, images[0]),
              "backward_weight": (images[0], images[1], filters)}[direction]
    bits = [encode(rng.standard_normal(shape), "bf16") for shape in shapes[:2]]
    room = 2 * int(numpy.prod(shapes[2]))
    at = [machine.add(name, x) for name, x in zip(("first", "second"), bits)] + [machine.add("result", room, True)]
    plan = ask(*at)
    arguments = bytearray.fromhex(plan["arguments"])
    for x in plan["maps"]:
        arguments[x["offset"]:x["offset"] + 128] = machine.tensor_map(
            x["base"], x["type"], x["lengths"], x["strides"], x["box"], x["element_strides"], x["swizzle"])
    machine.launch(machine.kernel(plan["symbol"]), plan["blocks"], plan["threads"], arguments, plan["shared"], seed=seed, behind=True)
    right, sums = exact(direction, s, *(decode(x, "bf16").astype(float) for x in bits))
    found = decode(machine.read(at[2], room).view(numpy.uint16), "bf16").reshape(right.shape)
    bound = 2.0**-8 * (abs(right) + 2.0**-20 * sums) + 2.0**-18 * sums
    worst = float(numpy.max(abs(found - right) / bound))
    print(f"convolution {direction:16} seed {seed}: {worst:.3f} of the bound", flush=True)
    return [] if worst <= 1 else [f"convolution {direction} seed {seed}: {worst} times the bound off"]


def run_all(library, find, program, full):
    source = find("gemm_hopper_made", "sm_90a").read_text()
    return [text for direction in DIRECTIONS for seed in range(6 if full else 2)
            for text in check(library, program, source, direction, seed)]
