"""Compiles a file that must not compile and looks for the sentences its comments expect.

    // expect: an H digit belongs to no P and no Y     in the message of every compiler
    // expect g++: <false, 1, 0>                       only of this one
    // flags: -DLARGE                                  added to the command line
    // errors: 1                                       the compiler reports so many, and no more

A file that says "// a beginner's mistake" is compiled by nvcc too, if it is among the compilers, and the first sentence
comes after at most 25 lines. The rest of the file must be right: with -DTEGULA_CONTROL, where a file mentions it, it must compile.

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


LINES_BEFORE = 25


def compile_with(compiler, source, include, flags):
    mode = ["-x", "cu", "-arch=sm_80", "-c", "-o", "/dev/null"] if compiler.endswith("nvcc") else ["-fsyntax-only"]
    command = [compiler, "-std=c++20", *mode, "-I", include, "-I", str(Path(include).parent), *flags, source]
    result = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    return result.returncode, result.stderr


def check(compiler, source, include, text):
    kind = next(k for k in ("clang++", "nvcc", "g++", "") if k in Path(compiler).name)
    beginner = bool(re.search(r"^// a beginner's mistake$", text, re.M))
    if kind == "nvcc" and not beginner:
        return
    flags = [flag for line in comments(text, "flags") for flag in line.split()]
    expected = comments(text, "expect") + comments(text, f"expect {kind}")
    if kind == "nvcc":  # it prints template arguments by name
        expected = [sentence for sentence in expected if "<" not in sentence]
    if not expected:
        yield "no '// expect: ' line"
    status, output = compile_with(compiler, source, include, flags)
    message = normalise(output)
    if status == 0:
        yield f"{kind} compiled it"
    for sentence in expected:
        if normalise(sentence) not in message:
            yield f"{kind} did not say: {sentence}\n    it said: {message[:3000]}"
    found = len(re.findall(r"^.*\berror: ", output, re.M))
    for count in comments(text, "errors"):
        if found != int(count):
            yield f"{kind} reports {found} errors, not {count}: {output[:3000]}"
    first = normalise("\n".join(output.splitlines()[: LINES_BEFORE + 5]))  # a sentence may take several lines
    if beginner and expected and normalise(expected[0]) not in first:
        yield f"{kind} says more than {LINES_BEFORE} lines before the sentence: {output[:3000]}"
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
