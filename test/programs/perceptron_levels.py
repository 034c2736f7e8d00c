"""Each line that the example of the levels of tiling prints is a line of the guide's page."""

import os
import subprocess
import sys
from pathlib import Path

program = Path(os.environ["TEGULA_BIN"]) / "perceptron_levels"
page = (Path(os.environ["TEGULA_SOURCE_DIR"]) / "docs/guide/perceptron.md").read_text().splitlines()
result = subprocess.run([program], capture_output=True, text=True)
lines = result.stdout.splitlines()
missing = [line for line in lines if line not in page]
print(result.stderr + "\n".join(f"not in docs/guide/perceptron.md: {line}" for line in missing))
sys.exit(result.returncode != 0 or len(lines) != 6 or bool(missing))
