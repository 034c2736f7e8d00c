"""Compiles all headers in one source, and every given source, with a second compiler; syntax only. That each header
compiles alone is shown by the build with the first compiler, on the same standard library.

clang_headers.py COMPILER INCLUDE_DIR [--skip TEXT]... [SOURCE...]
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def compile_source(command, path, text=None):
    result = subprocess.run([*command, "-" if text else str(path)], input=text, capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{path}\n{result.stderr}"


def main():
    compiler, include, *rest = sys.argv[1:]
    skipped = [text for flag, text in zip(rest, rest[1:]) if flag == "--skip"]
    sources = [Path(text) for text in rest if text.endswith(".cpp")]
    headers = [path for path in sorted(Path(include).rglob("*.hpp"))
               if not any(text in str(path) for text in skipped)]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
               "-I", include, "-I", str(Path(include).parent), "-x", "c++"]
    all_headers = "".join(f"#include <{path.relative_to(include)}>\n" for path in headers)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = [pool.submit(compile_source, command, "all headers", all_headers)]
        tasks += [pool.submit(compile_source, command, path) for path in sources]
        problems = [task.result() for task in tasks if task.result()]
    for text in problems:
        print(text)
    print(f"{len(headers)} headers in one source, {len(sources)} sources: {len(problems)} do not compile with {compiler}")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
