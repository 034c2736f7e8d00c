"""Whether pages claim no speed of a GPU that no file of results has.

    claims.py

Read are all .md files but docs/gpu.md, which page.py writes, and the notes beside the results. A paragraph that names a card and
says that something was measured, timed or reached there, or ran, is a claim; so is a list behind such a paragraph that ends with
a colon. Its ratios and TFLOP/s must be on docs/gpu.md, in those notes, or a rate in a .json file of benchmark/results/gpu. Any
other TFLOP/s must be said to be calculated, or another project's own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
RESULTS = TOP / "benchmark/results/gpu"
CARD = re.compile(r"\b(A100|H20|H100|H200|H800|B200|B300|GB200|GB300|L40S?|RTX \w+|MI2\d\dX?|MI3\d\dX?|RX \d+)\b")
SEEN = re.compile(r"\b(measured|timed|reached|ran|faster|slower)\b")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+)(?!-|\.\d|[a-wyz_]|\d)|(\d+(?:\.\d+)?) TFLOP/s")
CALCULATED = re.compile(r"\b(peak|at most|readme|reports?|by rates|by the rates|cycles)\b")


def rates_in(value):
    """Every "rate" or "tflops" of a result, in TFLOP/s."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, (int, float)) and name in ("rate", "tflops", "best_tflops", "vendor_best_tflops"):
                yield inner / 1e12 if name == "rate" else inner
            else:
                yield from rates_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rates_in(inner)


def known_numbers():
    text = (TOP / "docs/gpu.md").read_text() + "".join(f.read_text() for f in RESULTS.glob("**/notes.md"))
    known = set(re.findall(r"\d+(?:\.\d+)?", text))
    for file in RESULTS.glob("**/*.json"):
        for rate in rates_in(json.loads(file.read_text())):
            known |= {f"{rate:.0f}", f"{rate:.1f}"}
    return known


def wrong_claims(text, known):
    """A sentence for each figure of a page that no result has."""
    wrong, listed = [], False
    for block in re.split(r"\n\s*\n|\n(?=[ >]*- )", text):
        if block.startswith(("    ", "|", "#")):
            continue
        is_item = block.lstrip(" >").startswith("- ")
        claims = (CARD.search(block) and SEEN.search(block)) or (listed and is_item)
        listed = bool(claims) and (block.rstrip().endswith(":") or (listed and is_item))
        for ratio, tflops in NUMBER.findall(block):
            if claims and (ratio or tflops) not in known:
                wrong.append(f"{ratio or tflops} is in no file of results: {' '.join(block.split())[:160]}")
            elif tflops and not claims and not CALCULATED.search(block) and tflops not in known:
                wrong.append(f"{tflops} TFLOP/s is neither measured nor said to be calculated: {' '.join(block.split())[:160]}")
    return wrong


def main():
    known = known_numbers()
    # It finds what is not there.
    invented = "On an H200 the kernel reached 9876.5 TFLOP/s.\n\nThis was measured on an H100:\n\n- 0.9876 of the vendor's speed"
    assert len(wrong_claims(invented, known)) == 2, wrong_claims(invented, known)
    assert wrong_claims("On an H200 the kernel reached 0.12345.", known) and wrong_claims("It ran 12.345x faster on an H100.", known)
    assert wrong_claims("The kernel has 4321 TFLOP/s.", known) and not wrong_claims("By the rates at most 4321 TFLOP/s.", known)
    listed = subprocess.run(["git", "-C", TOP, "ls-files", "*.md"], capture_output=True, text=True)
    files = [TOP / name for name in listed.stdout.split()] if listed.returncode == 0 else [TOP / "README.md", *TOP.glob("docs/**/*.md")]
    failed = False
    for file in files:
        if file == TOP / "docs/gpu.md" or RESULTS in file.parents:
            continue
        for claim in wrong_claims(file.read_text(), known):
            failed = True
            print(f"{file.relative_to(TOP)}: {claim}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
