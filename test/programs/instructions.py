"""docs/instructions.md is what tegula-inspect writes now, and says of GEMMs what the program and the tests show."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["TEGULA_SOURCE_DIR"])
BIN = Path(os.environ["TEGULA_BIN"])

TYPES = {"half": "f16", "bfloat16": "bf16", "tfloat32": "tf32", "float": "f32", "double": "f64", "std::int8_t": "i8",
         "std::uint8_t": "u8", "float8_e4m3": "f8e4m3", "float8_e5m2": "f8e5m2", "float8_e4m3_fnuz": "f8e4m3fnuz",
         "float8_e5m2_fnuz": "f8e5m2fnuz"}
# --type of the program. tf32 is f32 on a target without it.
PROGRAM_TYPES = {"f16": "f16", "bf16": "bf16", "tf32": "tf32", "f32": "tf32", "i8": "int8", "f8e4m3": "fp8_e4m3",
                 "f8e4m3fnuz": "fp8_e4m3"}

TILE = re.compile(r"using target = arch::(?P<target>\w+);|"
                  r"\b(?P<word>tiles|gemm_tiles|block_scaled_tiles|warp_specialized_tiles|warp_specialized_scaled_tiles|pair_atom|check_product_grid|"
                  r"check_hopper_grid)<((target|arch::(?P<arch>\w+)), )?(?P<a>[\w:]+)(, (?P<b>[\w:]+))?[,>]")


def run(program, *arguments):
    return subprocess.run([BIN / program, *arguments], capture_output=True, check=True).stdout


def read_page(text):
    """Reads the column GEMM: for each kind a set of (architecture, type of A, type of B, whether by warpgroups)."""
    said = {"shipped": set(), "tested": set(), "possible": set()}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if not line.startswith("| `") or not cells[-2]:
            continue
        for part in cells[-2].split("; "):
            kind, products = part.split(": ")
            for types, archs in re.findall(r"(\w[\w ]*?) \(([\w, ]+)\)", products):
                a, _, b = types.partition(" x ")
                said[kind] |= {(arch, a, b or a, "wgmma" in line) for arch in archs.split(", ")}
    return said


def read_tests():
    """The products that the GEMM tests multiply, as the tuples of read_page."""
    found = set()
    multiply = [file for file in (SOURCE / "test/kernel/gemm").rglob("*.cpp")
                if file.parent.name != "choose" and file.name != "can_implement.cpp"]
    for file in [*multiply, *(SOURCE / "test/grid").glob("*.cpp")]:
        by_warpgroups = "hopper" in file.name or file.parent.name == "warp_specialized"
        target = "sm_90a" if by_warpgroups else None
        for match in TILE.finditer(file.read_text()):
            target = match["target"] or target
            if match["word"] is None or match["a"] not in TYPES:
                continue
            a = TYPES[match["a"]]
            is_pair = match["b"] and \
                match["word"] in ("pair_atom", "block_scaled_tiles", "warp_specialized_scaled_tiles")
            warpgroups = by_warpgroups and match["word"] != "gemm_tiles"
            found.add((match["arch"] or target, a, TYPES[match["b"]] if is_pair else a, warpgroups))
    return found


def read_program():
    """(architecture, --type, whether by warpgroups) of the program's kernels."""
    listed = json.loads(run("gemm", "--list-tiles", "--json"))
    # The page says of a CPU's rows once for all what multiplies with them.
    return {(tile["arch"], tile["type"], tile["name"].startswith("ws")) for tile in listed
            if not tile["arch"].startswith("x86")}


def find_problems(said):
    tests = read_tests()
    for product in said["tested"] - tests:
        yield f"no test multiplies {product}, which the page calls tested"
    for product in tests & said["possible"]:
        yield f"a test multiplies {product}, which the page calls possible"
    if (BIN / "gemm").exists():
        program = {kernel for kernel in read_program()
                   if not (kernel[1] == "tf32" and kernel[0].startswith(("gfx11", "gfx120")))}  # RDNA has no instruction for it
        shipped = {(arch, PROGRAM_TYPES.get(a, a), warpgroups) for arch, a, _, warpgroups in said["shipped"]}
        for kernel in program ^ shipped:
            yield f"{kernel} is shipped by the {'program, not by the page' if kernel in program else 'page alone'}"


written = run("tegula-inspect", "mma", "--list", "--markdown")
page = SOURCE / "docs" / "instructions.md"
problems = list(find_problems(read_page(written.decode())))
if not page.exists() or page.read_bytes() != written:
    problems.append("docs/instructions.md is stale; tegula-inspect mma --list --markdown > docs/instructions.md")
print("\n".join(problems))
sys.exit(1 if problems else 0)
