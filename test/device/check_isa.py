"""Checks what a compiler made of the kernels of one source file.

Every kernel must have no register spill, no scratch or local memory, and no ptxas warning of the C75 family (a serialised
wgmma or the like). NVIDIA's machine code must have nothing that _sass.py forbids. On AMD every access to memory must be
waited for, and none repeated for each of its descriptors (wait_check.py). Comment lines in the source say what else must hold:

    // targets: gfx942 sm_90a                      what it is compiled for (read by CMake)
    // full targets: gfx90a                       the same, with ./dev test --full alone
    // expect gfx90a gfx942: matrix, wide_shared_load >= 4
    // expect sm_90a [Lb1E]: /wgmma\\.mma_async.*m64n128k16/, registers <= 168
    // expect rows: issue_row                      kernels issue_row<Index> are the table's rows (check_rows.py)
    // must fail gfx942: scratch                   the check must report this problem: a test of this script
    // may fail sm_90a: ERRBAR                     this problem is what the kernels are about
    // left out: compare_formula                  kernels whose symbol contains it are not looked at: a test's formulas

A * stands for every target, [words] for the kernels whose symbol contains each of them; clang19 beside a target restricts a
line to that compiler. An expectation is a count, >= 1 unless a comparison follows: a /regular expression/ over the kernel's
instructions (GCN assembly, PTX), sass/one/ over NVIDIA's machine code (looked at where nvdisasm is), or a word:

    matrix              matrix instructions
    wide_global_load    16-byte accesses a lane; on NVIDIA also the asynchronous copies, ldmatrix.x4 and stmatrix.x4,
    wide_global_store   and for shared loads the wgmma instructions, which read shared memory themselves
    wide_shared_load
    wide_shared_store
    half_wide_global_store  stores of 8 bytes a lane
    registers           vector registers a lane (AMD: both files together)
    shared_bytes        shared memory known at compile time
    instructions        instructions in the text
    loop_matrix         AMD: matrix instructions executed in a round of the main loop, the one with the most of them
    loop_instructions   AMD: all instructions executed in a round: the slope between two k that are a round apart
    loop_per_hundred    AMD: of these for 100 matrix instructions, rounded
    sass_loop_per_hundred  NVIDIA, with nvdisasm: the same of the machine code
    sass_divisions_behind  divisions of integers behind the wait for the last wgmma
    sass_loop_divisions    those in rounds of products, exponentials or copies of operands, also by a reciprocal computed before
    sass_issue_percent  NVIDIA, with nvdisasm: instructions that a warp scheduler issues in a round of the main loop, one a clock, in
                        per cent of the clocks of its products (_sass_cycles.py): above 100 the unit waits for instructions
    sass_shared_percent    the same of the clocks of shared memory, with operands of products and copies into it
    sass_chunk_plain    of the loop that stores C in chunks by tensor copies: instructions of the shortest round that adds
                        nothing, 0 if every round does
    sass_chunk_source   the same, of one that adds C0 from shared memory
    sass_chunk_bias     of one that adds bias from there
    sass_chunk_silu     of one with exponentials and reciprocals
    loop_shared_bytes   CDNA: bytes that a wave reads from and writes to shared memory in a round of the main loop
    loop_global_bytes   CDNA: bytes that it loads from global memory; where rows of k are half a cache line of 128 bytes,
                        twice as many come from L2
    loop_shared_percent CDNA, up to 16 bits: cycles of these, at the compute unit's 128 bytes a cycle, in per cent of
                        those of its matrix units, all waves together
    loop_global_percent CDNA, up to 16 bits: the same of loads from global memory, at 64 bytes a cycle
    loop_matrix_percent CDNA, up to 16 bits: the share of the time in which the matrix unit is busy in the main loop with its
                        waits (_stall_model.py), one block a compute unit, in per cent, with one decimal below 10; in files
                        that expect it
    loop_divisions      AMD: divisions of integers in that loop, also those that a round may leave out
    loop_load_drains    AMD: waits in it until no load from global memory is outstanding, which end all prefetching
    loop_awaited_numbers   AMD: numbers of 4 bytes that its main loop loads from global memory and uses before the next matrix
                        instruction. Page numbers that are looked up a tile ahead are not among them
    sass_awaited_numbers   NVIDIA, with nvdisasm: the same of the machine code
    loop_cycles         AMD, with --mca, in files that expect it: cycles of it by llvm-mca for one wave, without
                        branches and barriers
    loop_matrix_cycles  the same of its matrix instructions alone: the bound
    cluster_percent     the longest part between two barriers of the main loop without matrix instructions, in per cent
                        of the shortest part with them

Prints one line of numbers a kernel. Exit status 1 where something does not hold.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "gemm"))
import _amd_code  # noqa: E402
import _code_object  # noqa: E402
import _cycle_model  # noqa: E402
import _sass  # noqa: E402
import _sass_cycles  # noqa: E402
import _stall_model  # noqa: E402
import wait_check  # noqa: E402
from check_rows import check_rows  # noqa: E402

NEED_TOOLS = ("loop_cycles", "loop_matrix_cycles", "cluster_percent")
SASS_WORDS = re.findall(r"^    (sass_\w+)", __doc__, re.M)
COMPARISONS = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b}

AMD_WORDS = {
    "matrix": _amd_code.MATRIX,
    "wide_global_load": r"^(global|buffer)_load_(dwordx4|b128)\b",
    "wide_global_store": r"^(global|buffer)_store_(dwordx4|b128)\b",
    "half_wide_global_store": r"^(global|buffer)_store_(dwordx2|b64)\b",
    "wide_shared_load": r"^ds_(read|load)_b128\b",
    "wide_shared_store": r"^ds_(write|store)_b128\b",
}

WIDE = r"(\.[\w:]+)*\.(v4\.[bfsu]32|v2\.[bfsu]64|v8\.[bfsu]16|v8\.[bfsu]32|v4\.[bfsu]64|b128)\b"
ASYNC_COPY = r"cp\.async\.c[ag]\.shared\.global[^;]*\], 16\b"
BULK_LOAD = r"cp\.async\.bulk[\w.]*\.shared::(cluster|cta)\.global"
BULK_STORE = r"cp\.async\.bulk[\w.]*\.global\.shared::cta"
PTX_WORDS = {
    "matrix": r"\b(mma\.sync|mma\.sp|wgmma\.mma_async|tcgen05\.mma)",
    "wide_global_load": rf"\bld\.global{WIDE}|{ASYNC_COPY}|{BULK_LOAD}",
    "wide_global_store": rf"\bst\.global{WIDE}|{BULK_STORE}",
    "half_wide_global_store": r"\bst\.global(\.[\w:]+)*\.(v2\.[bfsu]32|v4\.[bfsu]16|[bfsu]64)\b",
    "wide_shared_load": rf"\bld\.shared{WIDE}|ldmatrix\S*\.x4|wgmma\.mma_async|{BULK_STORE}",
    "wide_shared_store": rf"\bst\.shared{WIDE}|stmatrix\S*\.x4|{ASYNC_COPY}|{BULK_LOAD}",
}


class Kernel:
    """Numbers and instructions of one kernel; problems found by the compiler's own account of it."""

    def __init__(self, symbol):
        self.symbol = symbol
        self.lines = []
        self.machine_code = []
        self.threads = 0
        self.numbers = {}
        self.problems = []

    def count(self, pattern):
        compiled = re.compile(pattern)
        return sum(1 for line in self.lines if compiled.search(line))


def read_amd(isa, code_object, mca=None, shares=False):
    """Kernels of an AMDGPU assembly file: bodies by label, numbers from the code object it became."""
    metadata = _code_object.read_kernels(Path(code_object))
    code = {kernel.symbol: kernel for kernel in _amd_code.read_assembly(isa)}
    kernels = []
    for symbol, fields in metadata.items():
        kernel = amd_kernel(symbol, fields)
        kernel.lines = [text for block in code[symbol].blocks for text in block.texts]
        measure_main_loop(kernel, code[symbol], mca)
        if shares and "loop_matrix" in kernel.numbers and not kernel.count(r"^v_mfma\S*\dx\d+_?x?f(32|64)\b"):
            kernel.numbers["loop_matrix_percent"] = measure_share(code[symbol], fields["max_flat_workgroup_size"])
        if kernel.count(r"^scratch_"):
            kernel.problems.append(f"{kernel.count('^scratch_')} scratch instructions")
        kernel.problems += [f"line {line}: {rule}: {text}" for line, rule, text in wait_check.check_kernel(code[symbol])]
        kernels.append(kernel)
    return kernels


def measure_main_loop(kernel, code, mca):
    matrix = re.compile(AMD_WORDS["matrix"])
    loop = [text for _, text in _amd_code.main_loop(code)]
    alone = [line for line in loop if matrix.search(line)]
    if not alone:
        return
    kernel.numbers["loop_matrix"] = len(alone)
    kernel.numbers["loop_instructions"] = len(loop)
    kernel.numbers["loop_per_hundred"] = round(100 * len(loop) / len(alone))
    kernel.numbers["loop_divisions"] = _amd_code.divisions([text for _, text in _amd_code.whole_loop(code)])
    kernel.numbers["loop_awaited_numbers"] = len(_amd_code.awaited_numbers(code))
    kernel.numbers["loop_load_drains"] = len(wait_check.find_drains(code))
    measure_traffic(kernel, loop, alone, code)
    if mca:
        straight = [line for line in loop if not re.match(r"s_(c?branch|barrier|setprio)", line)]
        kernel.numbers["loop_cycles"] = count_cycles(mca, straight)
        kernel.numbers["loop_matrix_cycles"] = count_cycles(mca, alone)
        clusters = [[]]
        for line in loop + loop:  # twice round, so that the part across the loop's end is whole
            clusters.append([]) if line.startswith("s_barrier") else clusters[-1].append(line)
        clusters = [[line for line in part if not re.match(r"s_(c?branch|setprio)", line)] for part in clusters[1:-1]]
        cycles = [(any(matrix.search(line) for line in part), count_cycles(mca, part, 1)) for part in clusters if part]
        memory = [count for has_matrix, count in cycles if not has_matrix]
        if memory:
            kernel.numbers["cluster_percent"] = round(100 * max(memory) / min(c for has, c in cycles if has))


def measure_share(code, threads):
    """The share of the matrix units while a block's waves are in the main loop, in per cent, of two digits. Schedules are named in
    symbols."""
    loop = [text for _, text in _amd_code.main_loop(code)]
    waves = max(threads // 256, 1)  # of a SIMD
    percent = 100 * _stall_model.matrix_share(code.arch, loop, waves, "ping_pong" in code.symbol and waves > 1)
    return round(percent, 1) if percent < 10 else round(percent)


def measure_traffic(kernel, loop, matrix, code):
    """Bytes of a wave in a round of the loop, and what they take of the time of its products. Both sides are those of all
    waves of the compute unit, whose shared memory four SIMDs share, so that the number of waves drops out."""
    if code.arch not in ("gfx90a", "gfx942", "gfx950"):
        return
    moved = [_cycle_model.moved_bytes(line) for line in loop]
    kernel.numbers["loop_shared_bytes"] = 64 * sum(shared for shared, _ in moved)
    kernel.numbers["loop_global_bytes"] = 64 * sum(loaded for _, loaded in moved)
    if not all(re.match(r"v_mfma_(scale_)?[fi]32_(\d+)x(\d+)x(\d+)_?(bf16|f16|i8|fp8|bf8|f8f6f4)", line) for line in matrix):
        return
    cycles = _cycle_model.round_cycles(code.arch, loop)
    for name in ("shared", "global"):
        kernel.numbers[f"loop_{name}_percent"] = round(100 * cycles[name] / cycles["matrix"])


def count_cycles(mca, lines, rounds=20):
    """Cycles of one round in llvm-mca's model, which sees one wave and no cache. Its reader of buffer loads crashes in
    LLVM 19, so global loads of the same width stand for them."""

    def global_load(match):
        first = int(match.group(3)) // 2 * 2
        return f"global_load_{match.group(1)} {match.group(2)}, v[{first}:{first + 1}], off"
    text = "\n".join(re.sub(r"^buffer_load_(\w+) (\S+), v(\d+), .*", global_load, line) for line in lines)
    result = subprocess.run([mca[0], "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={mca[1]}", f"-iterations={rounds}"],
                            input=text, capture_output=True, text=True)
    cycles = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    return round(int(cycles.group(1)) / rounds) if cycles else 0


def amd_kernel(symbol, fields):
    kernel = Kernel(symbol)
    kernel.numbers = {
        "registers": fields["vgpr_count"],  # of both files where the chip has two
        "accumulators": fields["agpr_count"],
        "scalar": fields["sgpr_count"],
        "shared_bytes": fields["group_segment_fixed_size"],
    }
    kernel.problems = _code_object.memory_problems(fields)
    return kernel


def read_nvidia(isa, report):
    """Kernels of a PTX file: bodies by entry, numbers from what ptxas -v printed."""
    kernels = []
    text = re.sub(r"//.*", "", isa)
    for match in re.finditer(r"\.entry\s+([\w$]+)\s*\([^{]*\{", text):
        kernel = Kernel(match.group(1))
        threads = re.search(r"\.(?:maxntid|reqntid) (\d+)", match.group())
        kernel.threads = int(threads.group(1)) if threads else 0
        statements = [" ".join(part.split()).lstrip("{} ") for part in body_of(text, match.end()).split(";")]
        kernel.lines = [statement for statement in statements if statement]
        if kernel.count(r"\b(ld|st)\.local\b|^\.local\b"):
            kernel.problems.append("local memory in the PTX")
        kernel.lines = [line for line in kernel.lines if not line.startswith(".")]
        read_ptxas(kernel, report)
        kernels.append(kernel)
    return kernels


def body_of(text, start):
    """The text between the brace before `start` and the one that closes it."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start:start + brace.start()]
    return text[start:]


def read_ptxas(kernel, report):
    section = re.search(rf"Compiling entry function '{re.escape(kernel.symbol)}'.*?(?=Compiling entry function|\Z)",
                        report, re.S)
    section = section.group(0) if section else ""
    used = re.search(r"Used (\d+) registers", section)
    shared = re.search(r"(\d+) bytes smem", section)
    if not used:
        kernel.problems.append("ptxas reported nothing about it")
        return
    kernel.numbers = {"registers": int(used.group(1)), "shared_bytes": int(shared.group(1)) if shared else 0}
    memory = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", section)
    for bytes_, text in zip(memory.groups() if memory else (), ("stack frame", "spill stores", "spill loads")):
        if int(bytes_):
            kernel.problems.append(f"{bytes_} bytes {text}")


def read_sass(kernels, nvdisasm, cubin, arch):
    """Adds the machine code, its numbers and its problems."""
    code = _sass.read(nvdisasm, cubin)
    for kernel in kernels:
        kernel.machine_code = code[kernel.symbol].instructions
        kernel.numbers.update(_sass.numbers(code[kernel.symbol]))
        kernel.numbers.update(_sass_cycles.numbers(code[kernel.symbol], arch, kernel.symbol, kernel.threads))
        kernel.problems += _sass.problems(code[kernel.symbol])


def parse_expectation(text):
    """'wide_global_load >= 4' as (text, pattern or word, comparison, number)."""
    match = re.fullmatch(r"((?:sass)?/.+/|\w+)\s*(?:(>=|<=|==)\s*(\d+(?:\.\d)?))?", text.strip())
    if not match:
        sys.exit(f"check_isa: cannot read the expectation '{text.strip()}'")
    what, comparison, number = match.group(1), match.group(2) or ">=", match.group(3) or "1"
    return f"{what} {comparison} {number}", what, comparison, float(number)


def read_comments(source, target, compiler):
    """The expectations, the required and the allowed failures a source states for this target and compiler."""
    expectations, failures, allowed = [], [], []
    for kind, targets, kernel, text in re.findall(
            r"^// (expect|must fail|may fail) ([\w* ]+?)\s*(?:\[(.*?)\])?: (.*)$", source, re.M):
        words = targets.split()
        compilers = [word for word in words if word.startswith("clang")]
        if ("*" not in words and target not in words) or (compilers and compiler not in compilers):
            continue
        if kind == "must fail":
            failures.append(text.strip())
        elif kind == "may fail":
            allowed.append(text.strip())
        else:
            parts = re.findall(r"/(?:[^/\\]|\\.)+/[^,]*|[^,]+", text)
            expectations += [(kernel, *parse_expectation(part)) for part in parts]
    return expectations, failures, allowed


def check(kernels, expectations, words):
    for name, text, what, comparison, number in expectations:
        chosen = [kernel for kernel in kernels if all(word in kernel.symbol for word in name.split())]
        if not chosen:
            sys.exit(f"check_isa: no kernel's symbol contains each word of '{name}'")
        for kernel in chosen:
            if what.startswith("/"):
                found = kernel.count(what[1:-1])
            elif what.startswith("sass") and not kernel.machine_code:
                continue
            elif what.startswith("sass/"):
                found = sum(1 for line in kernel.machine_code if re.search(what[5:-1], line))
            elif what in words:
                found = kernel.count(words[what])
            elif what in NEED_TOOLS and what not in kernel.numbers:
                continue
            elif what in kernel.numbers or what == "instructions":
                found = kernel.numbers.get(what, len(kernel.lines))
            elif what in SASS_WORDS:
                kernel.problems.append(f"expected {text}, but the machine code has no such loop")
                continue
            else:
                sys.exit(f"check_isa: no such word: {what}")
            if not COMPARISONS[comparison](found, number):
                kernel.problems.append(f"expected {text}, found {found}")


def describe(kernel, words):
    numbers = dict(kernel.numbers)
    numbers.update({word: kernel.count(pattern) for word, pattern in words.items()})
    numbers["instructions"] = len(kernel.lines)
    return "  ".join(f"{name} {value}" for name, value in numbers.items())


def names(path, word):
    """Whether a file is there and has the word."""
    try:
        with open(path, encoding="utf-8") as file:
            return word in file.read()
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "target", "isa", "report"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--nvdisasm")
    parser.add_argument("--object", help="the code object (AMD), or the cubin that --nvdisasm reads")
    parser.add_argument("--inspect", help="tegula-inspect, for a source that expects rows")
    parser.add_argument("--mca", help="llvm-mca, for expectations of cycles of an AMD kernel's main loop")
    arguments = parser.parse_args()
    try:
        source, isa, report = (open(path, encoding="utf-8", errors="replace").read()
                               for path in (arguments.source, arguments.isa, arguments.report))
    except OSError as error:
        sys.exit(f"check_isa: it was not compiled: {error}")

    amd = arguments.target.startswith("gfx")
    if amd and not names(arguments.isa + ".d", arguments.source):
        sys.exit(f"check_isa: {arguments.isa}.d does not name the source: what is checked here is not compiled again when "
                 "a file changes")
    words = AMD_WORDS if amd else PTX_WORDS
    # Not for kernels of which nobody asks: llvm-mca 19 does not terminate on some.
    asked = re.search(r"^// expect .*\b(loop_cycles|loop_matrix_cycles|cluster_percent)\b", source, re.M)
    has_model = arguments.target in ("gfx90a", "gfx942")
    mca = (arguments.mca, arguments.target) if arguments.mca and asked and has_model else None
    shares = "loop_matrix_percent" in source and re.match(r"gfx9", arguments.target)
    kernels = read_amd(isa, arguments.object, mca, shares) if amd else read_nvidia(isa, report)
    left_out = re.findall(r"^// left out: (\w+)$", source, re.M)
    kernels = [kernel for kernel in kernels if not any(name in kernel.symbol for name in left_out)]
    if not kernels:
        sys.exit(f"check_isa: {arguments.isa} holds no kernel")
    if arguments.nvdisasm:
        read_sass(kernels, arguments.nvdisasm, arguments.object, arguments.target)
    version = re.search(r"clang version (\d+)", isa)
    compiler = f"clang{version.group(1)}" if version else ""
    expectations, failures, allowed = read_comments(source, arguments.target, compiler)
    check(kernels, [(name or "", *rest) for name, *rest in expectations], words)

    rows = re.search(r"^// expect rows: (\w+)$", source, re.M)
    problems = check_rows(kernels, arguments.inspect, arguments.target, rows.group(1)) if rows else []
    problems += [f"{kernel.symbol}: {problem}" for kernel in kernels for problem in kernel.problems]
    problems += [line.strip() for line in report.splitlines() if re.search(r"\bC75\d\d\b", line)]
    for kernel in kernels:
        print(f"{arguments.target}  {kernel.symbol}\n    {describe(kernel, words)}")
    if failures:
        missed = [text for text in failures if not any(text in problem for problem in problems)]
        for text in missed:
            print(f"the check did not report: {text}", file=sys.stderr)
        return 1 if missed else 0
    problems = [problem for problem in problems if not any(text in problem for text in allowed)]
    for problem in problems:
        print(f"FAILED  {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
