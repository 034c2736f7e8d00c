"""Instructions of our kernels beside those of rivals' for the same; no GPU is needed.

    beside_rivals.py BUILD            BUILD: a build folder, whose code objects of attention and rows are compared

    --out FILE       what is printed, as JSON
    --only PART...   attention, products, rows: parts of what is compared with Triton's; aiter, flash-attention, flash-mla, cubin
    --aiter DIR      a checkout of ROCm/aiter, whose code objects of attention (hsa/) are read
    --flash-attention DIR, --flash-mla DIR
                     checkouts of Dao-AILab/flash-attention and of deepseek-ai/FlashMLA. nvcc compiles seven kernels and one for
                     sm_90a, one after the other: a minute or two and up to 5 GB each. Status 1 where a folder is not what is
                     needed, 77 without nvcc.
    --cutlass DIR    a checkout of NVIDIA/cutlass in the place of their own submodule (csrc/cutlass)
    --cubin FILE     kernels of sm_90a that a rival's own build has left; --symbol REGEX names them

Triton's kernels are compiled here: it needs the package triton (3.9 was used), best in a virtual environment of its own with numpy,
and says so where it is missing (status 77). Printed:

- attention forward, 128 columns, bf16 and f16, gfx942 and gfx1201: instructions of a round of the main loop for the work
  of one matrix instruction (32x32x8 on gfx942, 16x16x16 on gfx1201). Triton: 128 or 256 queries, 64 keys.
- attention backward, 64 columns in f16 and 128 in bf16, the same figures of the kernel of dK and dV and of that of dQ. Triton: as
  many rows a block as ours, 32 or 64 of the others at a time.
- products in bf16 with both operands along k. gfx950: instructions of a round for the work of a 16x16x32 instruction; ours are
  the two tiles of test/device/gemm_direct.cpp. sm_100a: instructions that all warps of a block issue in their loops for a
  128x256x16 product. Ours is the 256x256 tile of a pair of blocks, of which one lane copies and one multiplies.
- attention forward on sm_90a, for the work of a 64x128x16 wgmma, by the disassembler that Triton brings: all instructions, and those
  of the vector units, in which products wait if they are not hidden. Ours is warp-specialised; Triton: 128 queries.
- softmax of f16 and layer norm with weight and bias of bf16, one row of 16384 elements, gfx942: instructions that all waves
  execute on the machine of test/device/isa. Triton has 4, 8 and 16 warps. Also their bytes, each read or written once.
- softmax and layer norm on sm_80 and sm_90a: instructions of PTX that all warps execute on the machine of test/ptx, without
  copies of registers. It checks the results, too. PTX hides what a division costs and counts halves put together. So on sm_90a
  also those of machine code: the shortest way through the kernel with the loads and stores that a row has.
- AITER's forward and backward of 128 columns in bf16, gfx942 and gfx950, beside ours: instructions of a round of the main loop for
  each matrix instruction, and the share of the matrix units without and with waits, by the models of test/device.
- FlashAttention-3's kernels of attention, sm_90a, beside ours: what is printed of attention on sm_90a, and of the backward pass
  the instructions of all products for 64x32 scores. Ours in seven products has no sums whose order changes.
- FlashMLA's kernel of dense keys in bf16, sm_90a, beside ours: cycles that units take by their rates, and how fast ours is if the
  slowest unit decides.
- of each kernel of --cubin what is printed of attention on sm_90a.
"""

import argparse
import heapq
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")  # the text is shorter
try:
    import numpy
    import triton
except ImportError as error:
    print(f"beside_rivals: {error}; install triton and numpy to compare")
    sys.exit(77)
sys.path += [str(ROOT / "test" / "device"), str(ROOT / "test" / "device" / "isa")]
import _amd_code  # noqa: E402
import _sass  # noqa: E402
import triton_kernels  # noqa: E402
from attention_cycles import MATRIX, find_round, main_round  # noqa: E402
from rivals import aiter, checkouts, wgmma  # noqa: E402
from triton_kernels import compile_triton, find_nvdisasm  # noqa: E402

LINES = []  # what was printed


def say(line):
    print(line, flush=True)
    LINES.append(line)


LENGTH = 16384  # of a row: what the kernels of rows.cpp hold in registers


def instructions_a_product(arch, texts):
    """Instructions of a round for each 32x32x8 multiply-adds on gfx942, 16x16x32 on gfx950, 16x16x16 on RDNA."""
    shapes = [re.search(r"(\d+)x(\d+)x(\d+)", text) for text in texts if MATRIX.search(text)]
    work = sum(int(s[1]) * int(s[2]) * int(s[3]) for s in shapes)
    return len(texts) * (8192 if arch.startswith("gfx9") else 4096) / work


def compare_attention(build):
    for arch in ("gfx942", "gfx1201"):
        for kind, name in (("bf16", "plain"), ("f16", "banded")):
            texts, _ = find_round(build / "test" / "device", f"attention_{kind}", arch, name)
            ours, theirs = instructions_a_product(arch, texts), []
            for queries, warps in ((128, 4), (256, 8)):
                made = compile_triton(triton_kernels.attention, kind, {"D": 128, "QUERIES": queries, "KEYS": 64}, arch, warps)
                assembly = made.asm["amdgcn"]
                kernel, = _amd_code.read_assembly(assembly)
                spilled = int(re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly).group(1))
                theirs.append((instructions_a_product(arch, main_round(kernel)), queries, spilled))
            best = min(theirs)[0]
            say(f"{arch} attention {kind}: ours ({name}) {ours:.2f}, Triton's " + ", ".join(
                f"{count:.2f} ({queries} queries, {spilled} registers spilled)" for count, queries, spilled in theirs)
                + f"; of the fewest {ours / best:.2f}, of that with 128 queries {ours / theirs[0][0]:.2f}")


def compare_gradients(build):
    # Ours are kernels of attention_backward.cpp: for 64 columns f16 with all keys, for 128 columns bf16 with a band.
    for arch, columns, kind, rows in (("gfx942", 64, "f16", 128), ("gfx942", 128, "bf16", 128), ("gfx1201", 64, "f16", 64)):
        for name, kernel in (("keys", triton_kernels.key_gradients), ("queries", triton_kernels.query_gradients)):
            texts, _ = find_round(build / "test" / "device", "attention_backward", arch, name, columns)
            ours, theirs = instructions_a_product(arch, texts), []
            for others in (32, 64):
                made = compile_triton(kernel, kind, {"D": columns, "ROWS": rows, "COLUMNS": others}, arch, 4)
                assembly = made.asm["amdgcn"]
                code, = _amd_code.read_assembly(assembly)
                spilled = int(re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly).group(1))
                theirs.append((instructions_a_product(arch, main_round(code)), others, spilled))
            say(f"{arch} attention backward {kind} {columns} columns, {name}: ours {ours:.2f}, Triton's " + ", ".join(
                f"{count:.2f} ({others} at a time, {spilled} registers spilled)" for count, others, spilled in theirs)
                + f"; of the fewest {ours / min(theirs)[0]:.2f}")


def compare_products_gfx950(build):
    if not (build / "test" / "device" / "gemm_direct" / "gfx950" / "gemm_direct.co").exists():
        say("gfx950 products: gemm_direct.co is not built")
        return
    for name, tile in (("along_k_bf16", "256x256x64, 8 waves"), ("along_k_four_waves", "256x128x64, 4 waves")):
        texts, _ = find_round(build / "test" / "device", "gemm_direct", "gfx950", name)
        say(f"gfx950 bf16 product, ours {tile}: {instructions_a_product('gfx950', texts):.2f}, 0 registers spilled")
    for m, n, k, warps, stages in ((256, 256, 64, 8, 2), (256, 256, 64, 8, 3), (256, 256, 32, 8, 2), (256, 128, 64, 4, 2),
                                   (256, 128, 128, 4, 2), (128, 128, 64, 4, 2)):
        what = f"gfx950 bf16 product, Triton's {m}x{n}x{k}, {warps} waves, {stages} stages: "
        try:
            made = compile_triton(triton_kernels.product_along_k, "bf16", {"M": m, "N": n, "K": k}, "gfx950", warps, stages)
        except Exception as error:  # more shared memory than there is, say
            say(what + str(error).splitlines()[0])
            continue
        assembly = made.asm["amdgcn"]
        kernel, = _amd_code.read_assembly(assembly)
        spilled = int(re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly).group(1))
        say(f"{what}{instructions_a_product('gfx950', main_round(kernel)):.2f}, {spilled} registers spilled")


def find_cubin(build, name, arch, what):
    """The disassembler that Triton brings and the cubin of a file of test/device; None for that, and a sentence, where one of them
    is not there."""
    nvdisasm = find_nvdisasm()
    cubin = build / "test" / "device" / name / arch / f"{name}.cubin"
    missing = next((x for x in (cubin, nvdisasm) if not x.exists()), None)
    if missing:
        say(f"{arch} {what}: {missing} is not there")
    return nvdisasm, None if missing else cubin


def compare_products_sm100(build):
    """Instructions that the warps of a block issue for a 128x256x16 product; a block of a pair computes 128 rows of its 256."""
    nvdisasm, ours = find_cubin(build, "gemm_tcgen05", "sm_100a", "products")
    if ours is None:
        return

    def rounds(cubin, name, of):
        code, = (c for symbol, c in _sass.read(nvdisasm, cubin).items() if name in symbol)
        return [way for _, way in code.main_loops(re.compile(of))]

    def products(way):
        return sum(1 for text in way if text.startswith("UTCHMMA"))
    multiplies = min(rounds(ours, "4pairI", "UTCHMMA"), key=len)
    copies = min(rounds(ours, "4pairI", "UTMALDG"), key=len)
    work = products(multiplies)
    say(f"sm_100a bf16 product, ours 256x256x64 of a pair: {len(multiplies) / work:.1f} of the warp that multiplies in one of both "
          f"blocks, {len(copies) / work:.1f} of that which copies")
    for m, n, k, warps, stages in ((128, 256, 64, 4, 3), (128, 256, 64, 8, 3), (128, 128, 64, 4, 3)):
        made = compile_triton(triton_kernels.product_along_k, "bf16", {"M": m, "N": n, "K": k}, "sm_100a", warps, stages)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "product.cubin"
            path.write_bytes(made.asm["cubin"])
            way = min(rounds(path, "product_along_k", "UTCHMMA"), key=len)
        count = warps * len(way) * 128 * 256 / (products(way) * m * n)
        waits = sum(1 for text in way if text.startswith(("BAR", "SYNCS.PHASECHK")))
        say(f"sm_100a bf16 product, Triton's {m}x{n}x{k}, {warps} warps, {stages} stages: {count:.1f} of all warps, and "
              f"{waits} barriers and waits of each a step")


def count_triton_hopper(nvdisasm, kernel, *how):
    """wgmma.count for a kernel of triton_kernels; how: the further arguments of compile_triton."""
    made = compile_triton(kernel, *how)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(made.asm["cubin"])
        return wgmma.count(nvdisasm, path, made.metadata.name)


def print_hopper(what, found):
    say(wgmma.describe(what, found))


def compare_hopper(build):
    nvdisasm, ours = find_cubin(build, "attention_hopper", "sm_90a", "attention")
    if ours is None:
        return
    for kind, columns, name in (("bf16", 128, "banded"), ("f16", 64, "plain")):
        what = f"attention {kind}, {columns} columns"
        print_hopper(f"{what}, ours ({name})", wgmma.count(nvdisasm, ours, name))
        for keys, warps in ((64, 4), (128, 8)):
            constants = {"D": columns, "QUERIES": 128, "KEYS": keys}
            print_hopper(f"{what}, Triton's, {keys} keys, {warps} warps",
                         count_triton_hopper(nvdisasm, triton_kernels.attention, kind, constants, "sm_90a", warps))


def compare_gradients_hopper(build):
    """Ours by mma.sync, Triton's by what it chooses."""
    nvdisasm, ours = find_cubin(build, "attention_backward", "sm_90a", "attention backward")
    if ours is None:
        return
    for kind, columns, of in (("f16", 64, "half_format"), ("bf16", 128, "bfloat16_format")):
        for name, kernel in (("keys", triton_kernels.key_gradients), ("queries", triton_kernels.query_gradients)):
            what = f"attention backward {kind}, {columns} columns, {name}"
            parts = r"attention_key_partE(\d)" if name == "keys" else ""
            for symbol in sorted(_sass.read(nvdisasm, ours)):
                if re.search(rf"tegula\d{name}I.*{of}.*Li{columns}ELi{columns}E", symbol):
                    part = re.search(parts, symbol) if parts else None
                    print_hopper(f"{what}, ours{(', dK and dV', ', dK', ', dV')[int(part[1])] if part else ''}",
                                 wgmma.count(nvdisasm, ours, f"^{symbol}$"))
            for rows, others, warps in ((64, 64, 4), (128, 64, 8), (128, 32, 4)):
                constants = {"D": columns, "ROWS": rows, "COLUMNS": others}
                print_hopper(f"{what}, Triton's, {rows} rows, {others} at a time, {warps} warps",
                             count_triton_hopper(nvdisasm, kernel, kind, constants, "sm_90a", warps))


def count_cubin(build, cubin, symbol):
    """wgmma.count of each kernel of a file whose name matches."""
    nvdisasm = find_nvdisasm()
    for name in sorted(_sass.read(nvdisasm, cubin)):
        if re.search(symbol, name):
            print_hopper(name, wgmma.count(nvdisasm, cubin, f"^{re.escape(name)}$"))


def operands(run_ops, run, case):
    """(arrays x, y, weight, bias, the right y) of one row."""
    kind = "float16" if case == "softmax" else "bf16"
    rng = numpy.random.default_rng(0)
    x, weight, bias = (run_ops.rounded_to(rng.standard_normal(LENGTH), kind) for _ in range(3))
    exact = run_ops.softmax(x) if case == "softmax" else (x - x.mean()) / numpy.sqrt(x.var() + 1e-5) * weight + bias
    return [run_ops.Array(run, v, kind) for v in (x, numpy.zeros(LENGTH), weight, bias)], exact


def our_launch(run_ops, build, target, case, arrays):
    """The launch of one row that the host's launcher chooses, and its argument: recorded for rows of 1000 elements with
    everything that a layer norm can have; the length is changed and the rest left out here."""
    lines = subprocess.run([build / "bin" / "test_device_launches"], check=True, capture_output=True, text=True).stdout
    record, = (r for r in map(json.loads, lines.splitlines())
               if (r["target"], r["source"], r["case"]) == (target, "rows", case))
    argument = bytearray.fromhex(record["arguments"].replace(struct.pack("<I", 1000).hex(), struct.pack("<I", LENGTH).hex()))
    given = {0: arrays[0], 1: arrays[1], 4: arrays[2], 5: arrays[3]}  # of launches/rows.cpp
    for at in range(0, len(argument) - 7, 8):
        word, = struct.unpack_from("<Q", argument, at)
        if word >> 40 == run_ops.TAG >> 40 and word & run_ops.FIRST:
            array = given.get(word >> 32 & 0xff)
            struct.pack_into("<Q", argument, at, array.memory.addr if array else 0)
    return record, bytes(argument)


def our_row(machine, run_ops, build, case):
    code = machine.CodeObject(build / "test" / "device" / "rows" / "gfx942" / "rows.co")
    arrays, exact = operands(run_ops, run_ops.AmdRun(code, "late", 0), case)
    record, argument = our_launch(run_ops, build, "gfx942", case, arrays)
    symbol, = (name for name in code.metadata if name.startswith(record["symbol"]))
    count = code.kernel(symbol).launch((1,), (record["threads"],), [argument], record["shared"])
    return count, arrays[1].read(), exact


def triton_row(machine, run_ops, folder, case, warps):
    kernel, kind = getattr(triton_kernels, case), "f16" if case == "softmax" else "bf16"
    made = compile_triton(kernel, kind, {"SIZE": LENGTH}, "gfx942", warps)
    path = Path(folder) / f"{case}_{warps}.co"
    path.write_bytes(made.asm["hsaco"])
    code = machine.CodeObject(path)
    arrays, exact = operands(run_ops, run_ops.AmdRun(code, "late", 0), case)
    values = [a.memory for a in (arrays[:2] if case == "softmax" else arrays)] + 2 * [struct.pack("<i", LENGTH)]
    values += [] if case == "softmax" else [struct.pack("<f", 1e-5)]
    function = code.kernel(made.metadata.name)
    hidden = [a for a in function.metadata["args"] if not a[".value_kind"].startswith("hidden_")][len(values):]
    values += [machine.DeviceMemory(256) for _ in hidden]  # Triton's scratch, which these kernels leave alone
    count = function.launch((1,), (64 * warps,), values, made.metadata.shared)
    return count, arrays[1].read(), exact


def executed(machine):
    """Instructions that the warps of the last launch executed, but for copies of registers, which machine code has not."""
    return sum(count for name, count in machine.counts().items() if not name.startswith("mov"))


def our_ptx_row(build, arch, case):
    import ops_kernels
    import machine as ptx
    run_ops = ops_kernels.run_ops
    library = ptx.open_library(build / "test" / "ptx" / "libtest_ptx_machine.so")
    run = ops_kernels.Run(library, (build / "test" / "device" / "rows" / arch / "rows.ptx").read_text(), 0)
    arrays, exact = operands(run_ops, run, case)
    record, argument = our_launch(run_ops, build, "sm_80", case, arrays)
    symbol = record["symbol"].replace("5sm_80", f"{len(arch)}{arch}")
    run.launch(symbol, [1], record["threads"], argument, record["shared"])
    return executed(run.machine), arrays[1].read(), exact


def triton_ptx_row(build, arch, case, warps):
    import ops_kernels
    import machine as ptx
    run_ops = ops_kernels.run_ops
    kernel, kind = getattr(triton_kernels, case), "f16" if case == "softmax" else "bf16"
    made = compile_triton(kernel, kind, {"SIZE": LENGTH}, arch, warps)
    run = ops_kernels.Run(ptx.open_library(build / "test" / "ptx" / "libtest_ptx_machine.so"), made.asm["ptx"], 0)
    arrays, exact = operands(run_ops, run, case)
    argument = struct.pack("<QQ", *(a.memory.addr for a in arrays[:2])) if case == "softmax" else \
        struct.pack("<QQQQ", *(a.memory.addr for a in arrays))
    argument += struct.pack("<ii", LENGTH, LENGTH) + (b"" if case == "softmax" else struct.pack("<fxxxx", 1e-5))
    argument += bytes(16)  # Triton's scratch, which these kernels leave alone
    run.launch(made.metadata.name, [1], 32 * warps, argument, made.metadata.shared)
    return executed(run.machine), arrays[1].read(), exact


def print_rows(arch, case, unit, lanes, ours, theirs):
    """ours, each of theirs: (instructions, result, the right one)."""
    moved = LENGTH * (4 if case == "softmax" else 8)
    for name, (count, got, exact) in (("ours", ours), *((f"Triton's, {warps} warps", r) for warps, r in theirs.items())):
        error = float(numpy.abs(got - exact).max())
        if not error <= 2.0 ** -7 * float(numpy.abs(exact).max()):
            sys.exit(f"beside_rivals: {case}, {name}: an error of {error}")
        say(f"{arch} {case}, {name}: {count} {unit}, {lanes * count / moved:.2f} of a lane a byte of {moved}")
    say(f"{arch} {case}: ours of Triton's fewest {ours[0] / min(r[0] for r in theirs.values()):.2f}")


def compare_rows(build):
    import machine
    import run_ops
    missing = [x for x in (build / "test" / "device" / "rows" / "gfx942" / "rows.co", build / "bin" / "test_device_launches")
               if not x.exists()]
    reason = f"{missing[0]} is not built" if missing else machine.reason_to_skip()
    if reason:
        say(f"gfx942 rows: {reason}")
        return
    for case in ("softmax", "layernorm"):
        with tempfile.TemporaryDirectory() as folder:
            theirs = {warps: triton_row(machine, run_ops, folder, case, warps) for warps in (4, 8, 16)}
            print_rows("gfx942", case, "wave instructions", 64, our_row(machine, run_ops, build, case), theirs)


def check_transposing_reads():
    """Triton's products for gfx950 turn operands by ds_read_b64_tr_b16 and _tr_b8: executed as test/device/isa has these
    instructions, they must be right."""
    import machine
    from _machine_code import decode_fp8
    if reason := machine.reason_to_skip():
        say(f"gfx950 transposing reads: {reason}")
        return
    rng, size, length = numpy.random.default_rng(0), 64, 192
    for kind, instruction in (("f16", "ds_read_b64_tr_b16"), ("fp8", "ds_read_b64_tr_b8")):
        made = compile_triton(triton_kernels.product, kind, {"SIZE": size}, "gfx950", 4, stages=1)
        values = numpy.arange(-4, 5) if kind == "f16" else decode_fp8("f8e4m3")
        codes = values.astype(numpy.float16) if kind == "f16" else numpy.arange(256, dtype=numpy.uint8)
        small = numpy.flatnonzero((abs(values) <= 4) & (values == numpy.rint(values)))
        chosen = [rng.choice(small, (length, size)) for _ in range(2)]
        memory = [machine.DeviceMemory(codes[x].nbytes) for x in chosen] + [machine.DeviceMemory(4 * size * size)]
        for place, x in zip(memory, chosen):
            place.write(codes[x].tobytes())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "product.co"
            path.write_bytes(made.asm["hsaco"])
            function = machine.CodeObject(path).kernel(made.metadata.name)
            arguments = [*memory, struct.pack("<i", length)]
            hidden = [a for a in function.metadata["args"] if not a[".value_kind"].startswith("hidden_")][len(arguments):]
            arguments += [machine.DeviceMemory(256) for _ in hidden]
            function.launch((1,), (256,), arguments, made.metadata.shared)
        got = numpy.frombuffer(memory[2].read(), numpy.float32).reshape(size, size)
        wrong = int((got != values[chosen[0]].astype(float).T @ values[chosen[1]]).sum())
        say(f"gfx950 {kind}: Triton's product by {made.asm['amdgcn'].count(instruction)} {instruction} executed, {wrong} of "
              f"{got.size} elements wrong")
        if wrong:
            sys.exit(1)


def shortest_way(code, loads, stores):
    """Instructions of the shortest way through a kernel's machine code with so many loads and stores of 16 bytes: what a
    warp executes where optional tensors, which only add to it, are not given. None if no way has them."""
    runs, counts = code.blocks(), []
    for first, last, _ in runs:
        texts = code.instructions[first:last + 1]
        counts.append((len(texts), *(sum(t.startswith(name) for t in texts) for name in ("LDG.E.128", "STG.E.128"))))
    waiting, seen = [(*counts[0], 0)], set()
    while waiting:
        length, loaded, stored, n = heapq.heappop(waiting)
        if loaded > loads or stored > stores or (n, loaded, stored) in seen:
            continue
        seen.add((n, loaded, stored))
        if code.instructions[runs[n][1]].startswith("EXIT") and (loaded, stored) == (loads, stores):
            return length
        for to in runs[n][2]:
            heapq.heappush(waiting, (length + counts[to][0], loaded + counts[to][1], stored + counts[to][2], to))
    return None


def compare_sass_rows(build):
    nvdisasm, cubin = find_cubin(build, "rows", "sm_90a", "rows")
    if cubin is None:
        return
    for case, name, tensors in (("softmax", "resident.*14softmax_kernel.*ELi32ELi8ELi8ELi8ELi8E", 1),
                                ("layernorm", "resident.*11norm_kernel", 3)):
        def count(path, warps, name):
            code, = (c for symbol, c in _sass.read(nvdisasm, path).items() if re.search(name, symbol))
            vectors = LENGTH // (32 * warps * 8)
            return warps * shortest_way(code, tensors * vectors, vectors)
        theirs = []
        for warps in (4, 8, 16):
            kind = "f16" if case == "softmax" else "bf16"
            made = compile_triton(getattr(triton_kernels, case), kind, {"SIZE": LENGTH}, "sm_90a", warps)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "row.cubin"
                path.write_bytes(made.asm["cubin"])
                theirs.append(count(path, warps, "."))
        ours = count(cubin, 8, name)
        say(f"sm_90a {case}: {ours} instructions of machine code, Triton's, 4, 8 and 16 warps {theirs}, of the fewest "
              f"{ours / min(theirs):.2f}")


def compare_ptx_rows(build):
    """Behind compare_rows: the machine for PTX has a module of the same name."""
    sys.modules.pop("machine", None)
    sys.path.insert(0, str(ROOT / "test" / "ptx"))
    for arch in ("sm_80", "sm_90a"):
        missing = [x for x in (build / "test" / "device" / "rows" / arch / "rows.ptx", build / "bin" / "test_device_launches",
                               build / "test" / "ptx" / "libtest_ptx_machine.so") if not x.exists()]
        if missing:
            say(f"{arch} rows: {missing[0]} is not built")
            continue
        for case in ("softmax", "layernorm"):
            theirs = {warps: triton_ptx_row(build, arch, case, warps) for warps in (4, 8, 16)}
            print_rows(arch, case, "warp instructions of PTX", 32, our_ptx_row(build, arch, case), theirs)


def write(file):
    record = {"benchmark": "beside_rivals", "what": "instructions and models of cycles of machine code; nothing ran on a GPU",
              "command": "benchmark/beside_rivals.py " + " ".join(sys.argv[1:]), "triton": triton.__version__, "lines": LINES}
    file.write_text(json.dumps(record, indent=2) + "\n")


def main():
    parts = {"attention": (compare_attention, compare_gradients, compare_hopper, compare_gradients_hopper),
             "products": (compare_products_gfx950, compare_products_sm100), "rows": (compare_rows, compare_ptx_rows, compare_sass_rows)}
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*parts, "aiter", "flash-attention", "flash-mla", "cubin"],
                        help="some of the comparisons")
    parser.add_argument("--out", type=Path, help="what is printed, as JSON")
    parser.add_argument("--aiter", type=Path, help="a checkout of ROCm/aiter")
    parser.add_argument("--flash-attention", type=Path, help="a checkout of Dao-AILab/flash-attention, compiled here by nvcc")
    parser.add_argument("--flash-mla", type=Path, help="a checkout of deepseek-ai/FlashMLA, compiled here by nvcc")
    parser.add_argument("--cutlass", type=Path, help="a checkout of NVIDIA/cutlass in the place of their submodule csrc/cutlass")
    parser.add_argument("--cubin", type=Path, help="kernels of sm_90a that a rival's build has left")
    parser.add_argument("--symbol", default="", help="a regular expression of the names of kernels of --cubin")
    arguments = parser.parse_args()
    for name in arguments.only or ():
        if name not in parts and not getattr(arguments, name.replace("-", "_")):
            parser.error(f"--only {name} needs --{name}")

    def wanted(name):
        return arguments.only is None or name in arguments.only
    compiled = [(rival, checkout, compare) for name, rival, checkout, compare in (
        ("flash-attention", checkouts.FLASH_ATTENTION, arguments.flash_attention, wgmma.compare_flash_attention),
        ("flash-mla", checkouts.FLASH_MLA, arguments.flash_mla, wgmma.compare_flash_mla)) if checkout and wanted(name)]
    for rival, checkout, _ in compiled:
        rival.check(checkout, arguments.cutlass)
    nvcc = checkouts.find_nvcc() if compiled else None
    build = arguments.build.resolve()
    sys.path.append(str(build / "python"))
    os.environ.setdefault("TEGULA_ISA_CACHE", str(build / "isa"))
    say(f"Triton {triton.__version__}")
    for name, comparisons in parts.items():
        if wanted(name):
            for compare in comparisons:
                compare(build)
    if arguments.only is None:
        check_transposing_reads()
    if arguments.aiter and wanted("aiter"):
        for line in aiter.compare(build, arguments.aiter):
            say(line)
    for _, checkout, compare in compiled:
        for line in compare(build, find_nvdisasm(), nvcc, checkout, arguments.cutlass):
            say(line)
    if arguments.cubin and wanted("cubin"):
        count_cubin(build, arguments.cubin, arguments.symbol)
    if arguments.out:
        write(arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except checkouts.Refused as refused:
        print(f"beside_rivals: {refused}")
        sys.exit(refused.status)
