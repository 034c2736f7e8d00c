"""Kernels that Triton compiles for the same as ours, beside them: every part of beside_rivals.py but those of checkouts and cubins.
Importing it fails where triton or numpy is not installed.
"""

import heapq
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")  # the text is shorter
import numpy  # noqa: E402
import triton  # noqa: E402

import _amd_code  # noqa: E402
import _sass  # noqa: E402
import triton_kernels  # noqa: E402
from attention_cycles import find_round, main_round  # noqa: E402
from rivals import wgmma  # noqa: E402
from rivals.aiter import instructions_a_product  # noqa: E402
from triton_kernels import compile_triton, find_nvdisasm  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
VERSION = triton.__version__
LENGTH = 16384  # of a row: what the kernels of rows.cpp hold in registers


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
            yield (f"{arch} attention {kind}: ours ({name}) {ours:.2f}, Triton's " + ", ".join(
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
            yield (f"{arch} attention backward {kind} {columns} columns, {name}: ours {ours:.2f}, Triton's " + ", ".join(
                f"{count:.2f} ({others} at a time, {spilled} registers spilled)" for count, others, spilled in theirs)
                + f"; of the fewest {ours / min(theirs)[0]:.2f}")


# Products along k: ours (a file of test/device, kernels and what they are) and Triton's (rows, columns and k of a block, waves,
# stages, rows of the matrix instruction or 0).
AMD_PRODUCTS = {
    "gfx942": ("gemm_schedules", (("gemm_ping_pong_256x256", "256x256x32, 8 waves"), ("gemm_interleaved_256x128", "256x128x32, 4 waves")),
               ((256, 256, 32, 8, 2, 0), (256, 128, 64, 4, 2, 0), (256, 256, 32, 8, 2, 16), (256, 128, 64, 4, 2, 16))),
    "gfx950": ("gemm_direct", (("along_k_bf16", "256x256x64, 8 waves"), ("along_k_four_waves", "256x128x64, 4 waves")),
               ((256, 256, 64, 8, 2, 0), (256, 256, 64, 8, 3, 0), (256, 256, 32, 8, 2, 0), (256, 128, 64, 4, 2, 0),
                (256, 128, 128, 4, 2, 0), (128, 128, 64, 4, 2, 0)))}


def compare_products_amd(build):
    for arch, (source, ours, theirs) in AMD_PRODUCTS.items():
        assembly = build / "test" / "device" / source / arch / f"{source}-hip-amdgcn-amd-amdhsa-{arch}.s"
        if not assembly.exists():
            yield f"{arch} products: {assembly} is not built"
            continue
        for name, tile in ours:
            code, = (c for c in _amd_code.read_assembly(assembly.read_text()) if re.search(rf"{len(name)}{name}[IN]", c.symbol))
            yield f"{arch} bf16 product, ours {tile}: {instructions_a_product(arch, main_round(code)):.2f}, 0 registers spilled"
        for m, n, k, warps, stages, rows in theirs:
            what = (f"{arch} bf16 product, Triton's {m}x{n}x{k}, {warps} waves, {stages} stages"
                    f"{f', instructions of {rows} rows' if rows else ''}: ")
            try:
                made = compile_triton(triton_kernels.product_along_k, "bf16", {"M": m, "N": n, "K": k}, arch, warps, stages, rows)
            except Exception as error:  # more shared memory than there is, say
                yield what + str(error).splitlines()[0]
                continue
            assembly = made.asm["amdgcn"]
            kernel, = _amd_code.read_assembly(assembly)
            spilled = int(re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly).group(1))
            yield f"{what}{instructions_a_product(arch, main_round(kernel)):.2f}, {spilled} registers spilled"


def find_cubin(build, name, arch, what):
    """The disassembler that Triton brings, the cubin of a file of test/device, and a sentence where one of them is not there."""
    nvdisasm = find_nvdisasm()
    cubin = build / "test" / "device" / name / arch / f"{name}.cubin"
    missing = next((x for x in (cubin, nvdisasm) if not x.exists()), None)
    return nvdisasm, cubin, missing and f"{arch} {what}: {missing} is not there"


def compare_products_sm100(build):
    """Instructions that the warps of a block issue for a 128x256x16 product; a block of a pair computes 128 rows of its 256."""
    nvdisasm, ours, missing = find_cubin(build, "gemm_tcgen05", "sm_100a", "products")
    if missing:
        yield missing
        return

    def rounds(cubin, name, of):
        code, = (c for symbol, c in _sass.read(nvdisasm, cubin).items() if name in symbol)
        return [way for _, way in code.main_loops(re.compile(of))]

    def products(way):
        return sum(1 for text in way if text.startswith("UTCHMMA"))
    multiplies = min(rounds(ours, "4pairI", "UTCHMMA"), key=len)
    copies = min(rounds(ours, "4pairI", "UTMALDG"), key=len)
    work = products(multiplies)
    yield (f"sm_100a bf16 product, ours 256x256x64 of a pair: {len(multiplies) / work:.1f} of the warp that multiplies in one of both "
          f"blocks, {len(copies) / work:.1f} of that which copies")
    for m, n, k, warps, stages in ((128, 256, 64, 4, 3), (128, 256, 64, 8, 3), (128, 128, 64, 4, 3)):
        made = compile_triton(triton_kernels.product_along_k, "bf16", {"M": m, "N": n, "K": k}, "sm_100a", warps, stages)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "product.cubin"
            path.write_bytes(made.asm["cubin"])
            way = min(rounds(path, "product_along_k", "UTCHMMA"), key=len)
        count = warps * len(way) * 128 * 256 / (products(way) * m * n)
        waits = sum(1 for text in way if text.startswith(("BAR", "SYNCS.PHASECHK")))
        yield (f"sm_100a bf16 product, Triton's {m}x{n}x{k}, {warps} warps, {stages} stages: {count:.1f} of all warps, and "
              f"{waits} barriers and waits of each a step")


def count_triton_hopper(nvdisasm, kernel, *how):
    """wgmma.count for a kernel of triton_kernels; how: the further arguments of compile_triton."""
    made = compile_triton(kernel, *how)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(made.asm["cubin"])
        return wgmma.count(nvdisasm, path, made.metadata.name)


def compare_hopper(build):
    nvdisasm, ours, missing = find_cubin(build, "attention_hopper", "sm_90a", "attention")
    if missing:
        yield missing
        return
    for kind, columns, name in (("bf16", 128, "banded"), ("f16", 64, "plain")):
        what = f"attention {kind}, {columns} columns"
        yield wgmma.describe(f"{what}, ours ({name})", wgmma.count(nvdisasm, ours, name))
        for keys, warps in ((64, 4), (128, 8)):
            constants = {"D": columns, "QUERIES": 128, "KEYS": keys}
            yield wgmma.describe(f"{what}, Triton's, {keys} keys, {warps} warps",
                         count_triton_hopper(nvdisasm, triton_kernels.attention, kind, constants, "sm_90a", warps))


def compare_gradients_hopper(build):
    """Ours by mma.sync, Triton's by what it chooses."""
    nvdisasm, ours, missing = find_cubin(build, "attention_backward", "sm_90a", "attention backward")
    if missing:
        yield missing
        return
    for kind, columns, of in (("f16", 64, "half_format"), ("bf16", 128, "bfloat16_format")):
        for name, kernel in (("keys", triton_kernels.key_gradients), ("queries", triton_kernels.query_gradients)):
            what = f"attention backward {kind}, {columns} columns, {name}"
            parts = r"attention_key_partE(\d)" if name == "keys" else ""
            for symbol in sorted(_sass.read(nvdisasm, ours)):
                if re.search(rf"tegula\d{name}I.*{of}.*Li{columns}ELi{columns}E", symbol):
                    part = re.search(parts, symbol) if parts else None
                    yield wgmma.describe(f"{what}, ours{(', dK and dV', ', dK', ', dV')[int(part[1])] if part else ''}",
                                 wgmma.count(nvdisasm, ours, f"^{symbol}$"))
            for rows, others, warps in ((64, 64, 4), (128, 64, 8), (128, 32, 4)):
                constants = {"D": columns, "ROWS": rows, "COLUMNS": others}
                yield wgmma.describe(f"{what}, Triton's, {rows} rows, {others} at a time, {warps} warps",
                             count_triton_hopper(nvdisasm, kernel, kind, constants, "sm_90a", warps))


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


def describe_rows(arch, case, unit, lanes, ours, theirs):
    """ours, each of theirs: (instructions, result, the right one)."""
    moved = LENGTH * (4 if case == "softmax" else 8)
    for name, (count, got, exact) in (("ours", ours), *((f"Triton's, {warps} warps", r) for warps, r in theirs.items())):
        error = float(numpy.abs(got - exact).max())
        if not error <= 2.0 ** -7 * float(numpy.abs(exact).max()):
            sys.exit(f"beside_rivals: {case}, {name}: an error of {error}")
        yield f"{arch} {case}, {name}: {count} {unit}, {lanes * count / moved:.2f} of a lane a byte of {moved}"
    yield f"{arch} {case}: ours of Triton's fewest {ours[0] / min(r[0] for r in theirs.values()):.2f}"


def compare_rows(build):
    import machine
    import run_ops
    missing = [x for x in (build / "test" / "device" / "rows" / "gfx942" / "rows.co", build / "bin" / "test_device_launches")
               if not x.exists()]
    reason = f"{missing[0]} is not built" if missing else machine.reason_to_skip()
    if reason:
        yield f"gfx942 rows: {reason}"
        return
    for case in ("softmax", "layernorm"):
        with tempfile.TemporaryDirectory() as folder:
            theirs = {warps: triton_row(machine, run_ops, folder, case, warps) for warps in (4, 8, 16)}
            yield from describe_rows("gfx942", case, "wave instructions", 64, our_row(machine, run_ops, build, case), theirs)


def check_transposing_reads(_):
    """Triton's products for gfx950 turn operands by ds_read_b64_tr_b16 and _tr_b8: executed as test/device/isa has these
    instructions, they must be right."""
    import machine
    from _machine_code import decode_fp8
    if reason := machine.reason_to_skip():
        yield f"gfx950 transposing reads: {reason}"
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
        yield (f"gfx950 {kind}: Triton's product by {made.asm['amdgcn'].count(instruction)} {instruction} executed, {wrong} of "
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
    nvdisasm, cubin, missing = find_cubin(build, "rows", "sm_90a", "rows")
    if missing:
        yield missing
        return
    for case, name, tensors in (("softmax", "resident.*14softmax_kernel.*ELi32ELi8ELi8ELi8ELi8E", 1),
                                ("layernorm", "resident.*11norm_kernel.*norm_kindE0E", 3)):
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
        yield (f"sm_90a {case}: {ours} instructions of machine code, Triton's, 4, 8 and 16 warps {theirs}, of the fewest "
              f"{ours / min(theirs):.2f}")


def compare_ptx_rows(build):
    """Behind compare_rows: the machine for PTX has a module of the same name."""
    sys.modules.pop("machine", None)
    sys.path.insert(0, str(ROOT / "test" / "ptx"))
    for arch in ("sm_80", "sm_90a"):
        missing = [x for x in (build / "test" / "device" / "rows" / arch / "rows.ptx", build / "bin" / "test_device_launches",
                               build / "test" / "ptx" / "libtest_ptx_machine.so") if not x.exists()]
        if missing:
            yield f"{arch} rows: {missing[0]} is not built"
            continue
        for case in ("softmax", "layernorm"):
            theirs = {warps: triton_ptx_row(build, arch, case, warps) for warps in (4, 8, 16)}
            yield from describe_rows(arch, case, "warp instructions of PTX", 32, our_ptx_row(build, arch, case), theirs)


PARTS = {"attention": (compare_attention, compare_gradients, compare_hopper, compare_gradients_hopper),
         "products": (compare_products_amd, compare_products_sm100),
         "reads": (check_transposing_reads,),
         "rows": (compare_rows, compare_ptx_rows, compare_sass_rows)}


def compare(build, part):
    """Sentences on a part of PARTS."""
    for comparison in PARTS[part]:
        yield from comparison(build)
