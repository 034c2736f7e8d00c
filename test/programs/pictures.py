"""The pictures of the documentation are what tegula-inspect draws now, and those and the tables of the CPU's figures what the results
say."""

import json
import os
import subprocess
import sys
from pathlib import Path

root = Path(os.environ["TEGULA_SOURCE_DIR"])
sys.path.insert(0, str(root / "benchmark" / "cpu"))
import plot  # noqa: E402

for name in ("cpu", "cpu_avx2", "cpu_epyc", "cpu_epyc_avx2"):
    results, picture = root / "benchmark" / "results" / f"{name}.json", root / "benchmark" / "results" / f"{name}.svg"
    if plot.draw(json.loads(results.read_text())) != picture.read_text():
        print(f"{picture.name} is not what plot.py draws; run benchmark/cpu/plot.py {results} --out {picture}")
        sys.exit(1)
for pair in (("cpu", "cpu_again"), ("cpu_avx2", "cpu_avx2_again"), ("cpu_amx", "cpu_amx_again"), ("attention_cpu", "attention_cpu_avx2")):
    files = [root / "benchmark" / "results" / f"{name}.json" for name in pair]
    command = [sys.executable, root / "benchmark" / "cpu" / "table.py", *files, "--check", root / "docs" / "cpu.md"]
    if status := subprocess.run(command).returncode:
        sys.exit(status)
script = root / "docs" / "pictures" / "draw.py"
program = Path(os.environ["TEGULA_BIN"]) / "tegula-inspect"
if not program.exists():
    print("skipped: tegula-inspect is not built")
    sys.exit(77)
sys.exit(subprocess.run([sys.executable, script, program, "--check"]).returncode)
