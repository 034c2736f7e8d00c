"""Compiles a file that must not compile and looks for the sentences its comments expect.

    // expect: an H digit belongs to no P and no Y     in the message of every compiler
    // expect g++: <false, 1, 0>                       only of this one
    // flags: -DLARGE                                  added to the command line

The rest of the file must be right: with -DTEGULA_CONTROL, where a file mentions it, it must compile.

compile_fail.py SOURCE INCLUDE_DIR COMPILER...
"""

import re
import subprocess
import sys
from pathlib import Path


def normalise(text):
    return " ".join(text.replace("\u2018", "'").replace("\u2019", "'").split())


def comments(text, word):
    return [value.strip() for value in re.findall(rf"^// {re.escape(word)}: *(.*)$", text, re.M)]


def compile_with(compiler, source, include, flags):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-I", include, "-I", str(Path(include).parent), *flags, source]
    result = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    return result.returncode, normalise(result.stderr)


def check(compiler, source, include, text):
    kind = "clang++" if "clang" in Path(compiler).name else "g++"
    flags = [flag for line in comments(text, "flags") for flag in line.split()]
    expected = comments(text, "expect") + comments(text, f"expect {kind}")
    if not expected:
        yield "no '// expect: ' line"
    status, message = compile_with(compiler, source, include, flags)
    if status == 0:
        yield f"{kind} compiled it"
    for sentence in expected:
        if normalise(sentence) not in message:
            yield f"{kind} did not say: {sentence}\n    it said: {message[:3000]}"
    if "TEGULA_CONTROL" in text:
        status, message = compile_with(compiler, source, include, [*flags, "-DTEGULA_CONTROL"])
        if status:
            yield f"{kind} rejects the corrected form too: {message[:3000]}"


def main():
    source, include, *compilers = sys.argv[1:]
    text = Path(source).read_text()
    problems = [problem for compiler in compilers for problem in check(compiler, source, include, text)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
