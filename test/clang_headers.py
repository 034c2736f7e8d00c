"""Compiles every header alone, and every given source, with a second compiler; syntax only.

clang_headers.py COMPILER INCLUDE_DIR [--skip TEXT]... [SOURCE...]
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def compile_alone(command, path):
    result = subprocess.run([*command, str(path)], capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{path}\n{result.stderr}"


def main():
    compiler, include, *rest = sys.argv[1:]
    skipped = [text for flag, text in zip(rest, rest[1:]) if flag == "--skip"]
    sources = [Path(text) for text in rest if text.endswith(".cpp")]
    headers = [path for path in sorted(Path(include).rglob("*.hpp")) if not any(text in str(path) for text in skipped)]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header",
               "-I", include, "-I", str(Path(include).parent), "-x", "c++"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(lambda path: compile_alone(command, path), headers + sources) if text]
    for text in problems:
        print(text)
    print(f"{len(headers)} headers and {len(sources)} sources, {len(problems)} do not compile with {compiler}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
