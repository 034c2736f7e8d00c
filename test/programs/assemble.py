"""Every instruction of the table is one that its compiler knows: LLVM's assembler for AMD, ptxas for NVIDIA.

Each row becomes one line with registers of the number that the table says. Rows are left out whose tool is not here, or that
need a newer LLVM than the one here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(os.environ["TEGULA_BIN"]) / "tegula-inspect"
# Types of the registers in which ptxas keeps a value. Values of all other types are packed in 32-bit registers.
PTX_REGISTERS = {"f64": "f64", "f32": "f32", "i32": "s32"}


def answer(*arguments):
    return json.loads(subprocess.run([PROGRAM, "mma", *arguments, "--json"], capture_output=True, check=True).stdout)


def records():
    """The list with the register counts of each instruction; of a wgmma three widths."""
    for record in answer("--list"):
        if record["kind"] == "wgmma" and record["n"] not in (8, 64, 256):
            continue
        form = ["--wave", str(record["wave"])] if record["vendor"] == "amd" else []
        form += ["--variant", record["variant"]] if "variant" in record else []
        yield answer(record["arch"], record["instruction"], *form)


def amd_line(record):
    def registers(name, first, count):
        return f"{name}[{first}:{first + count - 1}]"

    c = registers("a" if record["arch"] == "gfx908" else "v", 0, record["c_regs"])
    a = registers("v", 64, record["a_regs"])
    b = registers("v", 128, record["b_regs"])
    line = f"{record['instruction']} {c}, {a}, {b}, {c}"
    if re.match(r"v_(mfma|wmma)_scale_", record["instruction"]):
        line += ", v160, v161"
    variant = record.get("variant", "")
    if variant == "opsel_hi":
        return line + " op_sel:[0,0,1]"
    formats = ["fp8", "bf8", "fp6", "bf6", "fp4"]
    if variant and record["instruction"].startswith("v_wmma"):
        x, y = variant.upper().split("_")
        line += f" matrix_a_fmt:MATRIX_FMT_{x} matrix_b_fmt:MATRIX_FMT_{y}"
    elif variant:
        x, y = (formats.index(name) for name in variant.split("_"))
        line += f" cbsz:{x} blgp:{y}"
    return line


class Ptx:
    """The body of a kernel, with the declarations of what it uses."""

    def __init__(self):
        self.lines = []

    def registers(self, letter, kind, count):
        self.lines.append(f".reg .{kind} %{letter}<{count}>;")
        return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"

    def operand(self, letter, record):
        x = letter.lower()
        kind = PTX_REGISTERS.get(record[x + "_type"], "b32")
        if x != "c" and kind == "s32":
            kind = "b32"
        return self.registers(x, kind, record[x + "_regs"] // (2 if kind == "f64" else 1))

    def add(self, record):
        name = record["instruction"]
        if record["kind"] == "copy":
            registers = self.registers("r", "b32", record["regs"])
            operands = [registers, "[%address]"] if name.startswith("ldmatrix") else ["[%address]", registers]
            self.lines.append(".reg .b32 %address;")
            self.lines.append(f"{name} {', '.join(operands)};")
        elif record["kind"] == "wgmma":
            self.add_wgmma(record)
        elif record["kind"] == "tcgen05":
            self.add_tcgen05(record)
        else:
            a, b, c = (self.operand(x, record) for x in "ABC")
            scales = ", %scale, {0, 0}, %scale, {0, 0}" if "block_scale" in name else ""
            self.lines.append(".reg .b32 %scale;")
            self.lines.append(f"{name} {c}, {a}, {b}, {c}{scales};")

    def add_wgmma(self, record):
        c, a = self.operand("C", record), self.operand("A", record)
        self.lines.append(".reg .b64 %da, %db;\n.reg .pred %p;")
        signs = "" if record["c_type"] == "i32" else ", 1, 1"
        sixteen = record["a_type"] in ("f16", "bf16")
        for source, transposes in ((a, ", 0"), ("%da", ", 0, 0")):
            tail = signs + (transposes if sixteen else "")
            self.lines.append(f"{record['instruction']} {c}, {source}, %db, %p{tail};")

    def add_tcgen05(self, record):
        """The types are in the instruction descriptor, not in the text."""
        self.lines.append(".reg .b64 %da, %db;\n.reg .b32 %c, %descriptor, %sa, %sb;\n.reg .pred %p;")
        scales = ", [%sa], [%sb]" if "block_scale" in record["instruction"] else ""
        self.lines.append(f"{record['instruction']} [%c], %da, %db, %descriptor{scales}, %p;")


def run(tool, arguments, suffix, text, names):
    """Assembles the text; on failure prints what the tool says of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / ("rows" + suffix)
        source.write_text(text)
        result = subprocess.run([tool, *arguments, source, "-o", os.devnull], capture_output=True, text=True)
    if result.returncode != 0:
        print(f"{tool} {' '.join(arguments)} refuses some of {names}:\n{(result.stdout + result.stderr)[:3000]}")
    return result.returncode == 0


def check_amd(assembler, all_records):
    version = int(re.search(r"LLVM version (\d+)", subprocess.run([assembler, "--version"], capture_output=True,
                                                                  text=True).stdout).group(1))
    lines = {}
    for record in all_records:
        if record["vendor"] == "amd" and int(record["compiler"].split()[1]) <= version:
            lines.setdefault((record["arch"], record["wave"]), []).append(amd_line(record))
    # An assembler older than the architecture: the instructions that it shares with an older one are checked there.
    lines = {key: text for key, text in lines.items() if version >= {"gfx950": 20, "gfx1250": 22}.get(key[0], 0)}
    good = True
    for (arch, wave), text in lines.items():
        feature = ["-mattr=+wavefrontsize64"] if arch.startswith("gfx1") and wave == 64 else []
        arguments = ["-triple=amdgcn-amd-amdhsa", "-mcpu=" + arch, *feature, "-filetype=obj"]
        good &= run(assembler, arguments, ".s", "\n".join(text) + "\n", f"{len(text)} instructions of {arch} wave{wave}")
    return good, sum(len(text) for text in lines.values())


def check_nvidia(ptxas, all_records):
    kernels = {}
    for record in all_records:
        if record["vendor"] == "nvidia":
            ptx = Ptx()
            ptx.add(record)
            text = kernels.setdefault(record["arch"], [])
            text.append(f".entry k{len(text)}()\n{{\n" + "\n".join(ptx.lines) + "\nret;\n}\n")
    good = True
    for arch, text in kernels.items():
        header = f".version 8.8\n.target {arch}\n.address_size 64\n"
        good &= run(ptxas, ["-arch=" + arch], ".ptx", header + "".join(text), f"{len(text)} instructions of {arch}")
    return good, sum(len(text) for text in kernels.values())


def main():
    assembler = shutil.which("llvm-mc-19") or shutil.which("llvm-mc")
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not assembler and not ptxas:
        print("skipped: neither llvm-mc nor ptxas is installed")
        return 77
    all_records = list(records())
    good = True
    for name, check, tool in (("AMD", check_amd, assembler), ("NVIDIA", check_nvidia, ptxas)):
        if not tool:
            print(f"{name}: no assembler")
            continue
        passed, count = check(tool, all_records)
        print(f"{name}: {count} instructions with {tool}")
        good &= passed and count > 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
