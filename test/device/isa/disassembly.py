"""The instructions of a code object, as llvm-objdump prints them."""

import functools
import re
import shutil
import subprocess

from _amd_code import FULL_NAME

LINE = re.compile(r"^\t(\S+)(?: (.*?))?\s*// ([0-9A-F]+): ((?:[0-9A-F]{8} ?)+)")
MODIFIER = re.compile(r"^([a-z_0-9]+):(\[[^\]]*\]|\S+)$")
FLAGS = {"off", "offen", "idxen", "glc", "slc", "dlc", "sc0", "sc1", "nt", "clamp", "lds", "gds", "tfe", "fi",
         "row_mirror", "row_half_mirror", "scale_offset", "matrix_a_reuse", "matrix_b_reuse"}
TOOLS = ("llvm-objdump-22", "llvm-objdump-19", "llvm-objdump", "/opt/rocm/llvm/bin/llvm-objdump")


class Instruction:
    """Its address in the code object, name, operands and modifiers as text; `pair` is the second of two at once."""

    def __init__(self, address, size, name, text, whole):
        self.address, self.size, self.name, self.whole = address, size, name, whole
        self.operands, self.modifiers, self.pair = [], {}, None
        for word in split(text):
            # Modifiers follow the last operand, parted by spaces only.
            first, *rest = re.findall(r"[^\s\[]*\[[^\]]*\][^\s]*|\S+", word)
            for part in [first, *rest]:
                match = MODIFIER.match(part)
                if match:
                    self.modifiers[match.group(1)] = match.group(2)
                elif part in FLAGS - {"off"}:
                    self.modifiers[part] = "1"
                else:
                    self.operands.append(part)

    def numbers(self, name, default):
        text = self.modifiers.get(name)
        return [int(x) for x in text.strip("[]").split(",")] if text else default


def split(text):
    """At commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


@functools.cache
def tool():
    """The newest llvm-objdump there is; None where there is none."""
    return next((path for path in map(shutil.which, TOOLS) if path), None)


def disassemble(path, arch):
    """Instructions of all functions in the file, by address."""
    command = [tool(), "-d", f"--mcpu={arch}", str(path)]
    found = []
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        name, operands, address, words = match.groups()
        operands = FULL_NAME.sub(r"\1", operands or "")
        size, whole = 4 * len(words.split()), f"{name} {operands or ''}".strip()
        first, _, second = (operands or "").partition("::")
        instruction = Instruction(int(address, 16), size, name, first.strip(), whole)
        if second:
            other, _, rest = second.strip().partition(" ")
            instruction.pair = Instruction(int(address, 16), 0, other, rest, whole)
        found.append(instruction)
    return found
