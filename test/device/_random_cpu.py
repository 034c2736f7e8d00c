"""Random kernels of the CPU, for random_kernels.py: compiled on demand by the library tegula_jit (docs/jit.md) and run on the
machine itself. Problems and bounds are those of the machine for PTX (test/ptx/kernels.py, run_attention.py).

A kernel of GEMM is a form, an element type, a tile of so many register tiles and an order of the operands. One of attention is
drawn as for GPUs."""

import ctypes
import json
import os
import random

import numpy

import _random_attention as attention
from _jit_library import compile_kernel, open_library, run as run_kernel
from _random_tools import SOURCE, Skipped, compile_list, compile_program, run

TYPES = {"bf16": "bfloat16", "f16": "half", "f32": "float", "tf32": "float", "int8": "std::int8_t", "fp8_e4m3": "float8_e4m3"}
# Types of the inputs that each form is drawn with.
FORMS = {"plain": TYPES, "narrow": ["bf16", "f16"], "epilogue": ["bf16", "f16", "f32", "int8"], "split_k": TYPES,
         "stream_k": TYPES}
ROWS, COLUMNS = (1, 2, 5, 9), (1, 3, 6)  # of a block, in register tiles; a listed tile has 14 rows of them or more
ORDERS = {"k": "k_contiguous", "r": "row_contiguous"}
HEADERS = """#include <tegula/attention_cpu.hpp>
#include <tegula/gemm_cpu.hpp>
#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
"""
PARTS = '#include "examples/gemm/shipped.hpp"\n'  # of epilogues


class Machine:
    """This CPU, with the functions of test/ptx/machine.py that the runners of kernels call. A kernel's name is its type."""

    GUARD = 256  # bytes before and behind each memory, which nothing may change

    def __init__(self, library, target):
        self.library, self.target, self.memory, self.handles = library, target, {}, {}

    def add(self, name, data, writable=False):
        size = data if isinstance(data, int) else data.nbytes
        whole = numpy.full(size + 3 * self.GUARD, 0xff, numpy.uint8)
        first = self.GUARD + -whole.ctypes.data % self.GUARD
        if not isinstance(data, int):
            whole[first:first + size] = numpy.ascontiguousarray(data).view(numpy.uint8).reshape(-1)
        address = whole.ctypes.data + first
        self.memory[address] = whole, first, size
        return address

    def read(self, address, size):
        whole, first, length = self.memory[address]
        if (whole[:first] != 0xff).any() or (whole[first + length:] != 0xff).any():
            raise ValueError("memory around a tensor was overwritten")
        return whole[first:first + size].copy()

    def kernel(self, name):
        return name

    def counts(self):
        return {}

    def launch(self, kernel, blocks, threads, arguments, shared=0, cluster=1, seed=0):
        if kernel not in self.handles:
            headers = HEADERS + (PARTS if "_parts" in kernel else "")
            source = f"{headers}namespace tegula {{\nusing target = jit::target;\nusing drawn = {kernel};\n}}\n"
            handle, message = compile_kernel(self.library, source=source, kernel="tegula::drawn", target=self.target,
                                             device="cpu")
            if handle is None:
                raise ValueError(message)
            self.handles[kernel] = handle
        handle = self.handles[kernel]
        types = self.library.tegula_jit_parameters(handle).decode()
        # Behind the argument a structure of Python's may lack the last padding.
        size = int(types.split()[0])
        if not 0 <= size - len(arguments) < 8:
            raise ValueError(f"the kernel takes {types}, not {len(arguments)}")
        value = (ctypes.c_char * size).from_buffer_copy(bytes(arguments).ljust(size, b"\0"))
        if message := run_kernel(self.library, handle, "drawn", 0, [value], types):
            raise ValueError(message)


def draw(count, seed):
    """(form, element, rows, columns, order): tiles that kernels.json does not have."""
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        form = rng.choice(list(FORMS))
        kernel = (form, rng.choice(list(FORMS[form])), rng.choice(ROWS), rng.choice(COLUMNS),
                  rng.choice(("kk", "kr", "rk", "rr")))
        if kernel not in drawn:
            drawn.append(kernel)
    return drawn


def type_of(kernel):
    """The kernel in C++."""
    form, element, rows, columns, _ = kernel
    t = TYPES[element]
    instruction = "x86::avx2::madd_i16" if element == "int8" else "x86::avx2::fma_f32"
    tile = f"cpu_gemm_tile<target, {t}, {instruction}, {rows} * {instruction}::rows, {columns} * {instruction}::tile_columns>"
    result, epilogue = f"accumulator_of<{t}>", "epilogue::none" if element == "int8" else "epilogue::linear<>"
    if form == "narrow":
        result = t
    if form == "epilogue":
        result = "std::int8_t" if element == "int8" else "float8_e4m3"
        epilogue = f"gemm_example::{'integer' if element == 'int8' else 'float'}_parts"
    # An element-wise kernel takes operands of any order.
    access = "elements" if form in ("split_k", "stream_k") else "vectors"
    plain = f"gemm_kernel<{tile}, operand_order::any, operand_order::any, {result}, {epilogue}, output_access::{access}>"
    return plain if access == "vectors" else f"{form}_gemm<{plain}>"


def build_gemm_list(arguments, drawn):
    """The program that describes the kernels, as test/ptx/arguments.cpp does built-in ones."""
    calls = []
    for number, kernel in enumerate(drawn):
        form, element, _, _, order = kernel
        calls.append(f'    list<no_symbol, {type_of(kernel)}>({{"", "{arguments.arch}", "{element}", "{form}", {ORDERS[order[0]]}, '
                     f'{ORDERS[order[1]]}}}, "{number}");')
    source = arguments.out / "list.cpp"
    source.write_text(f"""#include "test/ptx/arguments.hpp"
{HEADERS}
struct no_symbol;
using namespace tegula;
using namespace ptx_arguments;
using target = arch::{arguments.arch};

int main()
{{
{chr(10).join(calls)}
}}
""")
    return compile_program(arguments, source)


def check_gemm(arguments, library):
    from kernels import Kernels, sizes
    drawn = draw(arguments.count, arguments.seed)
    records = list(map(json.loads, run(build_gemm_list(arguments, drawn)).splitlines()))
    kernels, machine, wrong = Kernels(None, {}, None), Machine(library, arguments.arch), []
    for number, (kernel, record) in enumerate(zip(drawn, records)):
        record.update(symbol=type_of(kernel), launches_sum=True)
        for size in sizes(record, full=True):
            try:
                results = kernels.run_plain(machine, record, size, number, False)
                wrong += [f"{kernel} {size}: {output} is {error} off, the bound is {bound}"
                          for output, (error, bound, right) in results.items() if not right]
            except ValueError as fault:
                wrong.append(f"{kernel} {size}: {fault}")
    return drawn, wrong


class Run:
    """Kernels of attention on this CPU; as run_attention.Run."""

    def __init__(self, machine, kernels):
        """kernels: their types by their mangled names."""
        self.machine, self.types, self.launched = machine, kernels, set()
        self.arch, self.lanes = machine.target, 1

    def numbers(self, values, kind):
        from attention_kernels import Numbers
        return Numbers(self.machine, numpy.ascontiguousarray(values, kind))

    def kernels(self):
        return list(self.types)

    def launch(self, kernel, blocks, argument, tensors=()):
        self.launched.add(kernel.symbol)
        self.machine.launch(self.types[kernel.symbol], blocks, 1, bytes(argument))


def check_attention(arguments, library):
    import run_attention
    drawn = attention.draw(arguments.arch, arguments.count, arguments.seed)
    lines = "\n".join(f"    std::cout << symbol<random_kernel<{attention.type_of(kernel)}>>() << '\\n';" for kernel in drawn)
    symbols = run(compile_list(arguments, HEADERS, f"int main()\n{{\n{lines}\n}}")).split()
    machine, wrong = Machine(library, arguments.arch), []
    for symbol, kernel in zip(symbols, drawn):
        try:
            device = Run(machine, {symbol: attention.type_of(kernel)})
            found = run_attention.check_kernels(device, numpy.random.default_rng(arguments.seed))
        except ValueError as fault:
            found = [str(fault)]
        wrong += [f"{kernel}: {text}" for text in found]
    return drawn, wrong


def check(arguments):
    """Compiles and runs random kernels; sentences on what is wrong."""
    if "avx2" not in open("/proc/cpuinfo").read():
        raise Skipped("skipped: no CPU with AVX2")
    os.environ.update(TEGULA_CXX=arguments.cxx, TEGULA_INCLUDE=str(SOURCE / "include"), TEGULA_CACHE=str(arguments.out / "cache"),
                      CPATH=str(SOURCE))  # of PARTS, and what that includes
    (arguments.out / "cache").mkdir(mode=0o700, exist_ok=True)
    library = open_library(arguments.machine)
    drawn, wrong = (check_attention if arguments.family == "attention" else check_gemm)(arguments, library)
    print(f"{len(drawn)} kernels of {arguments.family} for the CPU, {len(wrong)} wrong")
    return wrong
