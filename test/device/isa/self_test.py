"""Kernels in assembly with a planted fault, and their right twins: what machine.py must find.

Each takes two arrays of 32-bit words, input and output, and runs as one block of two waves. Those that lack a wait for
shared memory compute a wrong result when memory is late and a right one when it is early. A register that is read
before its load was waited for is an error in every order. Exchanges between lanes are tested too, in one wave.
"""

import argparse
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

FRAME = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
.globl kernel
.p2align 8
.type kernel,@function
kernel:
{body}
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
  .amdhsa_group_segment_fixed_size 2048
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
  {more}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 2048
    .private_segment_fixed_size: 0
    .wavefront_size: {lanes}
    .sgpr_count: 32
    .vgpr_count: 16
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .max_flat_workgroup_size: 256
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""

TARGETS = {"gfx942": (64, ".amdhsa_accum_offset 16"), "gfx1201": (32, ""), "gfx1250": (32, "")}

# Words that differ between the targets.
WORDS = {
    "gfx942": {"LOAD": "global_load_dword", "STORE": "global_store_dword", "READ": "ds_read_b32",
               "WRITE": "ds_write_b32", "WAIT_SCALAR": "s_waitcnt lgkmcnt(0)",
               "WAIT_SHARED": "s_waitcnt lgkmcnt(0)", "WAIT_LOAD": "s_waitcnt vmcnt(0)",
               "WAIT_ONE_LOAD": "s_waitcnt vmcnt(1)", "BARRIER": "s_barrier", "SCALAR": "s_load_dwordx4",
               "LAST": 127 * 4},
    "gfx1201": {"LOAD": "global_load_b32", "STORE": "global_store_b32", "READ": "ds_load_b32", "WRITE": "ds_store_b32",
                "WAIT_SCALAR": "s_wait_kmcnt 0x0",
                "WAIT_SHARED": "s_wait_dscnt 0x0", "WAIT_LOAD": "s_wait_loadcnt 0x0",
                "WAIT_ONE_LOAD": "s_wait_loadcnt 0x1", "BARRIER": "s_barrier_signal -1\n  s_barrier_wait -1",
                "SCALAR": "s_load_b128", "LAST": 63 * 4},
}

WORDS["gfx1250"] = WORDS["gfx1201"]

# s[4:5] input, s[6:7] output, v1 = 4 * thread, v4 = 4 * (last thread - thread), v2 = the input's word of this thread.
START = """
  SCALAR s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  v_sub_nc v4, LAST, v1
  WAIT_SCALAR
  LOAD v2, v1, s[4:5]
"""
STORE = "\n  STORE v1, v3, s[6:7]\n"

REVERSE = START + "WAIT_LOAD\nWRITE v1, v2\nWAIT_SHARED\nBARRIER\nREAD v3, v4\nWAIT_SHARED" + STORE
# A buffer that is filled again while another wave may still read it: what is read is the first filling.
REFILL = (START + "WAIT_LOAD\nWRITE v1, v2\nWAIT_SHARED\nBARRIER\nREAD v3, v4\nWAIT_SHARED\nBARRIER\n"
          "v_mov_b32 v5, 0\nWRITE v1, v5\nWAIT_SHARED" + STORE)
TWICE = (START + "LOAD v5, v4, s[4:5]\nWAIT_LOAD\nv_mov_b32 v3, v2" + STORE)

WRONG, FAULT, RIGHT = "a wrong result", "a fault", "right"
# name: (assembly, what comes out with late memory, with early memory, part of the fault's text)
CASES = {
    "a reversal": (REVERSE, RIGHT, RIGHT, ""),
    "a store outstanding at the barrier": (REVERSE.replace("WAIT_SHARED\nBARRIER", "BARRIER", 1), WRONG, RIGHT, ""),
    "a load not waited for": (REVERSE.replace("WAIT_LOAD\n", "", 1), FAULT, FAULT, "v2"),
    "arguments not waited for": (REVERSE.replace("  WAIT_SCALAR\n", "", 1), FAULT, FAULT, "s4"),
    "shared memory not waited for": (REVERSE.replace("READ v3, v4\nWAIT_SHARED", "READ v3, v4", 1), FAULT, FAULT, "v3"),
    "a buffer filled again": (REFILL, RIGHT, RIGHT, ""),
    "a read outstanding when its buffer is filled again": (
        REFILL.replace("READ v3, v4\nWAIT_SHARED\nBARRIER", "READ v3, v4\nBARRIER"), WRONG, RIGHT, ""),
    "a negative address with an offset": (
        REVERSE.replace("READ v3, v4", "v_mov_b32 v5, 1024\nv_sub_nc v4, v4, v5\nREAD v3, v4 offset:1024"),
        RIGHT, RIGHT, ""),
    "the first of two loads": (TWICE.replace("WAIT_LOAD\nv_mov", "WAIT_ONE_LOAD\nv_mov"), RIGHT, RIGHT, ""),
    "the second of two loads": (TWICE.replace("WAIT_LOAD\nv_mov_b32 v3, v2", "WAIT_ONE_LOAD\nv_mov_b32 v3, v5"),
                                FAULT, FAULT, "v5"),
    "a store past the array": (REVERSE.replace("STORE v1, v3, s[6:7]", "STORE v1, v3, s[6:7] offset:4"), FAULT, FAULT,
                               "no memory"),
    "a store past shared memory": (REVERSE.replace("WRITE v1, v2", "WRITE v1, v2 offset:2044"), FAULT, FAULT,
                                   "no shared memory"),
    "a misaligned access": (REVERSE.replace("READ v3, v4", "READ v3, v4 offset:2"), FAULT, FAULT, "misaligned"),
    "an endless loop": (START + ".Lagain: s_branch .Lagain\n" + STORE, FAULT, FAULT, "too many"),
}

# Exchanges between the lanes of a wave: v3 from v2, and which lane it is from (None: none, 0). v6 = 4 * (lane ^ 5).
MOVE = "v_mov_b32_dpp v3, v2 {} row_mask:0xf bank_mask:0xf"
EXCHANGES = {
    "gfx942": [
        (MOVE.format("quad_perm:[1,0,3,2]"), lambda lane: lane ^ 1),
        (MOVE.format("row_shl:3"), lambda lane: lane + 3 if lane % 16 < 13 else None),
        (MOVE.format("row_shr:2"), lambda lane: lane - 2 if lane % 16 >= 2 else None),
        (MOVE.format("row_ror:5"), lambda lane: lane // 16 * 16 + (lane - 5) % 16),
        (MOVE.format("row_mirror"), lambda lane: lane ^ 15),
        (MOVE.format("row_half_mirror"), lambda lane: lane ^ 7),
        (MOVE.format("row_newbcast:6"), lambda lane: lane // 16 * 16 + 6),
        (MOVE.format("row_bcast:15"), lambda lane: lane // 16 * 16 - 1 if lane >= 16 else None),
        (MOVE.format("row_bcast:31"), lambda lane: 31 if lane >= 32 else None),
        (MOVE.format("row_shr:1").replace("row_mask:0xf", "row_mask:0x5"),
         lambda lane: lane - 1 if lane // 16 % 2 == 0 and lane % 16 else None),
        ("ds_bpermute_b32 v3, v6, v2\nWAIT_SHARED", lambda lane: lane ^ 5),
        ("ds_permute_b32 v3, v6, v2\nWAIT_SHARED", lambda lane: lane ^ 5),
        ("ds_swizzle_b32 v3, v2 offset:0x401f\nWAIT_SHARED", lambda lane: lane ^ 16),
        ("ds_swizzle_b32 v3, v2 offset:0x2c1f\nWAIT_SHARED", lambda lane: lane ^ 11),
        ("v_readlane_b32 s8, v2, 9\nv_mov_b32 v3, s8", lambda lane: 9),
        ("v_readlane_b32 s8, v2, 9\nv_writelane_b32 v3, s8, 4", lambda lane: 9 if lane == 4 else None),
    ],
    "gfx1201": [
        (MOVE.format("quad_perm:[3,3,1,0]"), lambda lane: lane // 4 * 4 + (3, 3, 1, 0)[lane % 4]),
        (MOVE.format("row_share:6"), lambda lane: lane // 16 * 16 + 6),
        (MOVE.format("row_xmask:9"), lambda lane: lane ^ 9),
        ("ds_bpermute_b32 v3, v6, v2\nWAIT_SHARED", lambda lane: lane ^ 5),
        ("s_mov_b32 s8, 0x01234567\ns_mov_b32 s9, 0x89abcdef\nv_permlane16_b32 v3, v2, s8, s9",
         lambda lane: lane // 16 * 16 + (7 - lane % 16 if lane % 16 < 8 else 23 - lane % 16)),
        ("s_mov_b32 s8, 0x76543210\ns_mov_b32 s9, 0xfedcba98\nv_permlanex16_b32 v3, v2, s8, s9",
         lambda lane: lane ^ 16),
    ],
}


EXCHANGES["gfx1250"] = EXCHANGES["gfx1201"]


def run_exchanges(clang, arch, path):
    """Sentences on exchanges of a wave that come out otherwise."""
    text = START + "WAIT_LOAD\nv_xor_b32 v6, 20, v1\n"
    for i, (line, _) in enumerate(EXCHANGES[arch]):
        text += f"v_mov_b32 v3, 0\ns_nop 4\n{line}\nSTORE v1, v3, s[6:7] offset:{4 * TARGETS[arch][0] * i}\n"
    assemble(clang, arch, text, path)
    lanes = TARGETS[arch][0]
    source, target = machine.DeviceMemory(4 * lanes), machine.DeviceMemory(4 * lanes * len(EXCHANGES[arch]))
    source.write(struct.pack(f"<{lanes}I", *range(100, 100 + lanes)))
    machine.CodeObject(path).kernel("kernel").launch((1,), (lanes,), [source, target])
    got = struct.unpack(f"<{lanes * len(EXCHANGES[arch])}I", target.read())
    problems = []
    for i, (line, origin) in enumerate(EXCHANGES[arch]):
        expected = [0 if origin(lane) is None else 100 + origin(lane) for lane in range(lanes)]
        if list(got[lanes * i:lanes * (i + 1)]) != expected:
            problems.append(f"{arch}, {line}: {list(got[lanes * i:lanes * (i + 1)])}")
    return problems


# gfx90a: x * x - y with x = 1 + 2^-12 in v5 and -y = -(1 + 2^-11) in v6. It is 0 if the product is rounded, else 2^-24.
MULTIPLY_ADDS = {"v_mov_b32 v3, v6\nv_mac_f32 v3, v5, v5": 0, "v_mad_f32 v3, v5, v5, v6": 0,
                 "v_madmk_f32 v3, v5, 0x3f800800, v6": 0, "v_madak_f32 v3, v5, v5, 0xbf801000": 0,
                 "v_fma_f32 v3, v5, v5, v6": 0x33800000}


# Operations of gfx1250, for which tinygrad has no pseudo-code. v[6:7] is 2^32 - 1, v[8:9] -2, v[10:11] the floats 3 and -5.
NEW_START = "".join(f"v_mov_b32 v{6 + i}, {value}\n" for i, value in enumerate(
    (0xffffffff, 0, 0xfffffffe, 0xffffffff, 0x40400000, 0xc0a00000, 1000, 70000))) + "s_mov_b32 s8, 0x40000000\n"
NEW_OPERATIONS = {
    "v_add_nc_u64 v[2:3], v[6:7], v[6:7]": 1, "v_sub_nc_u64 v[2:3], 0, v[6:7]": 0xffffffff,
    "v_mul_u64 v[2:3], v[6:7], v[6:7]": 0xfffffffe, "v_max_i64 v[2:3], v[6:7], v[8:9]": 0,
    "v_min_i64 v[2:3], v[6:7], v[8:9]": 0xffffffff, "v_max_u64 v[2:3], v[6:7], v[8:9]": 0xffffffff,
    "v_min_u64 v[2:3], v[6:7], v[8:9]": 0, "v_mad_u32 v3, v12, v13, 7": 70000007,
    "v_mad_nc_u64_u32 v[2:3], v6, v6, v[6:7]": 0xffffffff, "v_mad_nc_i64_i32 v[2:3], v6, v13, v[6:7]": 0,
    "v_lshl_add_u64 v[2:3], v[6:7], 3, v[6:7]": 8, "v_mov_b64 v[2:3], v[8:9]": 0xffffffff,
    "v_pk_mul_f32 v[2:3], v[10:11], v[10:11] op_sel_hi:[0,1]": 0xc1700000, "v_pk_add_f32 v[2:3], v[10:11], v[10:11]": 0xc1200000,
    "v_pk_mul_f32 v[2:3], s[8:9], v[10:11] op_sel_hi:[0,1]": 0xc1200000, "v_cvt_pk_bf16_f32 v3, v10, v11": 0xc0a04040,
    "v_cvt_pk_f16_f32 v3, v10, v11": 0xc5004200,
    "v_dual_mov_b32 v2, v6 :: v_dual_bitop2_b32 v3, v12, v13 bitop3:0x14": 1000 ^ 70000,
    "v_dual_mov_b32 v2, v6 :: v_dual_bitop2_b32 v3, v12, v13 bitop3:0x40": 1000 & 70000,
    "v_mov_b32 v3, v12\ns_set_vgpr_msb 0x40\nv_mov_b32 v3, v13\ns_set_vgpr_msb 0": 1000,
    "s_set_vgpr_msb 0x40\nv_mov_b32 v3, v13\ns_set_vgpr_msb 1\nv_mov_b32 v3, v3\ns_set_vgpr_msb 0": 70000,
}

# Transcendental operations on scalar registers have the modifiers of vector operations. s8 is 2.
SCALAR_OPERATIONS = {
    f"v_s_exp_f32 s9, {operands}\nv_mov_b32 v3, s9": expected for operands, expected in {
        "s8": 0x40800000, "-s8": 0x3e800000, "-|s8|": 0x3e800000, "s8 clamp": 0x3f800000, "-s8 mul:2": 0x3f000000,
    }.items()
}


def run_operations(clang, arch, before, operations, path):
    """Sentences on operations whose result v3, the same in all lanes, is another."""
    lanes = 64 if arch == "gfx90a" else 32
    text = START + "WAIT_LOAD\n" + before
    for i, line in enumerate(operations):
        text += f"{line}\nSTORE v1, v3, s[6:7] offset:{4 * lanes * i}\n"
    assemble(clang, arch, text, path)
    source, target = machine.DeviceMemory(4 * lanes), machine.DeviceMemory(4 * lanes * len(operations))
    source.write(bytes(4 * lanes))
    machine.CodeObject(path).kernel("kernel").launch((1,), (lanes,), [source, target])
    got = struct.unpack(f"<{lanes * len(operations)}I", target.read())
    return [f"{arch}, {line}: {got[lanes * i]:#x}, expected {expected:#x}"
            for i, (line, expected) in enumerate(operations.items()) if {*got[lanes * i:lanes * (i + 1)]} != {expected}]


def assemble(clang, arch, text, path):
    like = arch if arch in TARGETS else "gfx942"
    lanes, more = TARGETS[like]
    for word, replacement in sorted(WORDS[like].items(), key=lambda x: -len(x[0])):
        text = text.replace(word, str(replacement))
    text = text.replace("v_sub_nc ", "v_sub_u32 " if like == "gfx942" else "v_sub_nc_u32 ")
    source = path.with_suffix(".s")
    source.write_text(FRAME.format(arch=arch, body=text, lanes=lanes, more=more))
    subprocess.run([clang, "-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", str(source),
                    "-o", str(path)], check=True)
    return 2 * lanes


def outcome(code, threads, expected, policy, order):
    """(what came out, the fault's text)."""
    data = [7 * i + 1 for i in range(threads)]
    source, target = machine.DeviceMemory(4 * threads), machine.DeviceMemory(4 * threads)
    source.write(struct.pack(f"<{threads}I", *data))
    try:
        code.kernel("kernel").launch((1,), (threads,), [source, target], policy=policy, order=order, limit=10000)
    except machine.Fault as fault:
        return FAULT, str(fault)
    got = list(struct.unpack(f"<{threads}I", target.read()))
    return (RIGHT if got == expected(data) else WRONG), ""


def run(clang, folder):
    problems = run_operations(clang, "gfx90a", "v_mov_b32 v5, 0x3f800800\nv_mov_b32 v6, 0xbf801000\n", MULTIPLY_ADDS,
                              Path(folder) / "multiply_adds.co")
    problems += run_operations(clang, "gfx1250", NEW_START, NEW_OPERATIONS, Path(folder) / "new_operations.co")
    problems += run_operations(clang, "gfx1201", "s_mov_b32 s8, 0x40000000\n", SCALAR_OPERATIONS,
                               Path(folder) / "scalar_operations.co")
    for arch in TARGETS:
        problems += run_exchanges(clang, arch, Path(folder) / f"{arch}_exchanges.co")
        for i, (name, (text, late, early, words)) in enumerate(CASES.items()):
            path = Path(folder) / f"{arch}_{i}.co"
            threads = assemble(clang, arch, text, path)
            code = machine.CodeObject(path)
            expected = list if "two loads" in name else (lambda data: data[::-1])
            # Which wave a fault hits first depends on the order; some order of waves must show it, none a false one.
            for policy, wanted in (("late", late), ("early", early)):
                found = [outcome(code, threads, expected, policy, order) for order in range(6)]
                kinds = {kind for kind, _ in found}
                if wanted not in kinds or not kinds <= {wanted, RIGHT} or (wanted == FAULT and kinds != {FAULT}):
                    problems.append(f"{arch}, {name}, {policy} memory: {sorted(kinds)}, expected {wanted}")
                if wanted == FAULT and not all(words in message for _, message in found):
                    problems.append(f"{arch}, {name}: the fault says {found[0][1]!r}, not {words!r}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    reason = machine.reason_to_skip()
    arguments = parser.parse_args()
    if reason:
        print(f"skipped: {reason}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        problems = run(arguments.clang, folder)
    print("\n".join(problems) or f"{len(CASES)} kernels and the exchanges of {', '.join(TARGETS)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
