"""C functions of operations, from AMD's pseudo-code, compiled and loaded.

An operation is a name without its encoding (v_add_f32). Compiled libraries are kept in a folder and found again by a
hash of their source.
"""

import ctypes
import functools
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pseudocode

HERE = Path(__file__).resolve().parent
RUNTIME = ("memory.c", "run.c", "matrix.c", "lanes.c")
FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing", "-w", "-x", "c"]
TABLES = {9: "cdna", 11: "rdna3", 12: "rdna4", 12.5: "rdna4"}

# Names of LLVM's that are others in the documents.
OTHER_NAMES = {"v_cvt_pkrtz_f16_f32": "v_cvt_pk_rtz_f16_f32"}

# Operations of gfx90a (AMD's document "MI200 ISA") that gfx942 lacks, whose document the pseudo-code is from: two roundings.
OLDER = {"v_mac_f32": "D0.f32 = S0.f32 * S1.f32 + D0.f32", "v_mad_f32": "D0.f32 = S0.f32 * S1.f32 + S2.f32",
         "v_madmk_f32": "D0.f32 = S0.f32 * SIMM32.f32 + S1.f32", "v_madak_f32": "D0.f32 = S0.f32 * S1.f32 + SIMM32.f32"}

# Operations of gfx1250, whose document has no pseudo-code in tinygrad. NEWER: those that gfx12 lacks, by their names in LLVM's
# AMDGPU backend (VOP1Instructions.td to VOP3PInstructions.td). OF_CDNA: those that gfx950's document describes under these names.
NEWER = {"v_add_nc_u64": "D0.u64 = S0.u64 + S1.u64", "v_sub_nc_u64": "D0.u64 = S0.u64 - S1.u64",
         "v_mul_u64": "D0.u64 = S0.u64 * S1.u64", "v_mad_u32": "D0.u32 = S0.u32 * S1.u32 + S2.u32",
         "v_mad_nc_u64_u32": "D0.u64 = 64'U(S0.u32) * 64'U(S1.u32) + S2.u64",
         "v_mad_nc_i64_i32": "D0.i64 = 64'I(S0.i32) * 64'I(S1.i32) + S2.i64",
         "v_max_i64": "D0.i64 = S0.i64 >= S1.i64 ? S0.i64 : S1.i64",
         "v_min_i64": "D0.i64 = S0.i64 < S1.i64 ? S0.i64 : S1.i64",
         "v_max_u64": "D0.u64 = S0.u64 >= S1.u64 ? S0.u64 : S1.u64",
         "v_min_u64": "D0.u64 = S0.u64 < S1.u64 ? S0.u64 : S1.u64"}
OF_CDNA = {"v_lshl_add_u64", "v_pk_mul_f32", "v_pk_add_f32", "v_pk_fma_f32", "v_cvt_pk_bf16_f32", "v_cvt_pk_f16_f32",
           "v_mov_b64"}

# Pseudo-code that sets both halves of the result, rounded to nearest even, which is the mode of kernels, or toward zero,
# whatever the mode.
HALVES = re.compile(r"prev_mode = ROUND_MODE;\s*ROUND_MODE = ROUND_(NEAREST_EVEN|TOWARD_ZERO);\s*"
                    r"tmp(\[15 : 0\][^;]*;)\s*tmp(\[31 : 16\][^;]*;)\s*D0 = tmp.b32;\s*ROUND_MODE = prev_mode;?\s*")


def with_own_rounding(text):
    """Pseudo-code without the mode: what rounds toward zero is a function of its own."""
    def halves(match):
        low, high = match[2], match[3]
        if match[1] == "TOWARD_ZERO":
            low, high = (half.replace("f32_to_f16(", "f32_to_f16_toward_zero(") for half in (low, high))
        return f"D0{low}\nD0{high}"
    return HALVES.sub(halves, text)


HELPERS = """#include "machine.h"
static inline u32 clamped_u32(f64 x) { return !(x > 0) ? 0 : x >= 4294967295.0 ? ~0u : (u32)x; }
static inline i32 clamped_i32(f64 x)
{ return x != x ? 0 : x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (i32)x; }
static inline i64 sign_extended(u64 x, int bit) { return (i64)(x << (63 - bit)) >> (63 - bit); }
static inline i64 sign_extended_from(u64 x, int bits) { return bits ? sign_extended(x, bits - 1) : 0; }
static inline u64 reversed_bits(u64 x, int bits)
{ u64 y = 0; for (int i = 0; i < bits; ++i) y |= (x >> i & 1) << (bits - 1 - i); return y; }
static inline f16 truncated_f16(f32 x)
{ union { f16 value; u16 bits; } h = {(f16)x}; h.bits -= fabsf((f32)h.value) > fabsf(x); return h.value; }
static inline f32 minimum(f32 a, f32 b) { return fminf(a, b); }
static inline f32 maximum(f32 a, f32 b) { return fmaxf(a, b); }
#define SHIFTS(t, bits) \\
    static inline t shifted_left_##t(u64 x, u64 n) { return n >= bits ? 0 : (t)((t)x << n); } \\
    static inline t shifted_right_##t(t x, u64 n) { return n >= bits ? (x < 0 ? -1 : 0) : (t)(x >> n); }
SHIFTS(u32, 32) SHIFTS(i32, 32) SHIFTS(u64, 64) SHIFTS(i64, 64)
"""


class Unknown(Exception):
    """An instruction that the machine has no semantics for."""


@functools.cache
def table(generation):
    """Pseudo-code by operation."""
    module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{TABLES[generation]}.str_pcode")
    return {re.sub(r"_e(32|64)$", "", op.name.lower()): text for op, text in module.PCODE.items()}


class Operation:
    """An operation, and what its C function reads and writes: `words` of each source, `types`, whether it writes D0, VCC ..."""

    def __init__(self, name, generation):
        known = table(generation)
        others = {9: OLDER, 12.5: NEWER}.get(generation, {})
        text = known.get(name) or known.get(OTHER_NAMES.get(name)) or others.get(name)
        if generation == 12.5 and name in OF_CDNA:
            text = table(9)[name]
        if text is None:
            raise Unknown(f"{name}: AMD's pseudo-code has no such operation (gfx{generation})")
        try:
            self.code = pseudocode.Translator(with_own_rounding(text))
        except pseudocode.Untranslated as problem:
            raise Unknown(f"{name}: its pseudo-code is not translated ({problem})") from None
        self.name, self.function = name, f"{name}_gfx{str(generation).replace('.', '_')}"
        self.types, self.uses, self.writes, self.masks = (self.code.types, self.code.uses, self.code.writes,
                                                          self.code.masks)
        order = ["S0", "S1", "SIMM32", "SIMM16", "S2", "S3"]
        if "fmamk" in name or "madmk" in name:
            order = ["S0", "SIMM32", "S1"]
        self.sources = [s for s in order if s in self.uses]
        self.packed = name.startswith(("v_pk_", "v_dot2_"))
        self.has_modifiers = name.startswith("v_")
        self.is_vector = self.has_modifiers and not name.startswith("v_s_")  # v_s_rcp_f32 works on scalar registers
        self.source = self.c_function()

    def words(self, operand):
        return 2 if self.uses[operand] > 32 else 1

    def is_packed(self, operand):
        """Whether it has two halves, each with its own sign and choice of half."""
        return self.packed and not (self.name.startswith("v_dot2_") and operand == "S2")

    def c_function(self):
        unknown = (self.writes | set(self.uses)) - {"D0", "VCC", "EXEC", "SCC", *self.sources}
        if unknown:
            raise Unknown(f"{self.name}: it uses {', '.join(sorted(unknown))}")
        lines = self.vector_lines() if self.is_vector else self.scalar_lines()
        body = "\n    ".join(lines)
        return f"void {self.function}(wave* w, const instruction* p)\n{{\n    {body}\n}}\n"

    def locals(self):
        return "".join(f"u64 {name} = 0; " for name, kind in self.code.locals.items() if kind != "loop")

    def lane_value(self, index, source):
        """An expression for a source with its modifiers."""
        packed, words = self.is_packed(source), self.words(source)
        bits = 32 * words if packed else max(pseudocode.bits_of(self.types.get(source, "u32")), 16)
        return f"lane_value(w, &p->s[{index}], lane, {words}, {bits}, {int(packed)})"

    def scaled_output(self):
        """Lines that apply clamp and omod to D0."""
        kind = self.types["D0"]
        if not self.has_modifiers or kind not in ("f32", "f16"):
            return []
        return [f"if (p->clamp | p->scale) D0 = of_{kind}(({kind})scaled_output(p, as_{kind}(D0)));"]

    def scalar_lines(self):
        lines = ["int lane = 0;", "u64 EXEC = exec_of(w), SCC = w->scc;",
                 "u64 VCC = w->r[vcc] | (u64)w->r[vcc + 1] << 32;"]
        for i, name in enumerate(self.sources):
            lines.append(f"u64 {name} = {self.lane_value(i, name)};" if self.has_modifiers else
                         f"u64 {name} = scalar_value(w, &p->s[{i}], {self.words(name)});")
        if "D0" in self.uses:
            lines.append(f"u64 D0 = p->d.base < 0 ? 0 : scalar_value(w, &p->d, {self.words('D0')});")
        lines += [self.locals(), self.code.body]
        if "D0" in self.writes:
            lines += self.scaled_output()
            lines.append(f"write_scalar(w, &p->d, D0, {self.words('D0')});")
        if "SCC" in self.writes:
            lines.append("w->scc = SCC & 1;")
        return lines + ["write_exec(w, EXEC);"] * ("EXEC" in self.writes)

    def vector_lines(self):
        """A loop over the active lanes; masks of lanes are written behind it."""
        has_result, is_mask = "D0" in self.uses, "D0" in self.masks
        half = (has_result and not is_mask and self.uses["D0"] <= 16 and
                pseudocode.bits_of(self.types["D0"]) == 16)
        lines = ["const u64 active = exec_of(w);", "u64 EXEC = active, SCC = w->scc;",
                 "u64 masks = 0, carries = 0, allowed = 0;"]
        if "VCC" in self.uses:
            lines.append(f"const u64 flags = scalar_value(w, &p->s[{len(self.sources)}], 2);")
        lines.append("for (int lane = 0; lane < (int)w->lanes; ++lane) {")
        lines.append("if (!(active >> lane & 1)) continue;")
        for i, name in enumerate(self.sources):
            lines.append(f"u64 {name} = {self.lane_value(i, name)};")
        if "VCC" in self.uses:
            lines.append("u64 VCC = flags;")
        if is_mask:
            lines.append("u64 D0 = 0;")
        elif has_result:
            lines.append(f"u64 D0 = lane_result(w, p, lane, {self.words('D0')}, {int(half)});")
        lines += [self.locals(), self.code.body]
        if is_mask:
            lines.append("masks |= D0 & 1ull << lane;")
        elif "D0" in self.writes:
            lines += self.scaled_output()
            lines.append(f"write_lane(w, p, lane, D0, {16 if half else 32 * self.words('D0')});")
        if "VCC" in self.writes:
            lines.append("carries |= VCC & 1ull << lane;")
        if "EXEC" in self.writes:
            lines.append("allowed |= EXEC & 1ull << lane;")
        lines.append("}")
        for name, line in (("VCC", "write_mask(w, &p->d1, carries);"), ("EXEC", "write_exec(w, allowed);")):
            if name in self.writes:
                lines.append(line)
        return lines + ["write_mask(w, &p->d, masks);"] * is_mask


def compiler():
    names = (os.environ.get("CC", ""), "cc", "gcc", "clang", "clang-22", "clang-19")
    return next((path for path in map(shutil.which, names) if path), None)


def folder():
    """Where compiled libraries are kept: TEGULA_ISA_CACHE, or a folder of this user's for temporary files."""
    path = Path(os.environ.get("TEGULA_ISA_CACHE") or Path(tempfile.gettempdir()) / f"tegula_isa_{os.getuid()}")
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def build(sources, name):
    """The library of that name; `sources` as one text."""
    target = folder() / name
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=folder()) as scratch:
            made = Path(scratch) / "library.so"
            subprocess.run([compiler(), *FLAGS, "-I", str(HERE), "-", "-o", str(made), "-lm"], input=sources, text=True,
                           check=True)
            os.replace(made, target)
    return target


@functools.cache
def headers():
    return "".join((HERE / name).read_text() for name in ("numbers.h", "machine.h"))


@functools.cache
def runtime():
    text = "\n".join((HERE / name).read_text() for name in RUNTIME)
    key = hashlib.sha256((headers() + text + compiler()).encode()).hexdigest()[:20]
    return ctypes.CDLL(str(build(text, f"machine-{key}.so")))


class Library:
    """Operations by name and generation, and the addresses of C functions by name; makes what is missing, many at a
    time."""

    def __init__(self):
        self.known, self.functions = {}, {}

    def load(self, names, generation):
        """By name the Operation, or the exception that says why there is none."""
        for name in names:
            if (name, generation) not in self.known:
                try:
                    self.known[name, generation] = Operation(name, generation)
                except Unknown as problem:
                    self.known[name, generation] = problem
        found = {name: self.known[name, generation] for name in names}
        self.compile([x for x in found.values() if isinstance(x, Operation) and x.function not in self.functions])
        return found

    def compile(self, wanted):
        paths, missing = {}, []
        for operation in wanted:
            key = hashlib.sha256((headers() + HELPERS + operation.source + compiler()).encode()).hexdigest()[:20]
            paths[operation.function] = folder() / f"operation-{key}.so"
            if not paths[operation.function].exists():
                missing.append(operation)
        if missing:
            text = HELPERS + "\n".join(operation.source for operation in missing)
            made = build(text, f"operations-{hashlib.sha256((headers() + text).encode()).hexdigest()[:20]}.so")
            for operation in missing:
                link = paths[operation.function]
                scratch = link.with_suffix(f".{os.getpid()}")
                os.symlink(made.name, scratch)
                os.replace(scratch, link)
        for name, path in paths.items():
            self.functions[name] = address_of(ctypes.CDLL(str(path.resolve())), name)

def address_of(library, name):
    """The address of a function; 0 where there is none."""
    return 0 if not hasattr(library, name) else ctypes.cast(getattr(library, name), ctypes.c_void_p).value
