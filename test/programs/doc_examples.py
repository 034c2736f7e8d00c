"""Every C++ example in README.md and docs/ is compiled as printed, and stands in a file that is compiled and run.

How the examples (```cpp blocks) of a page are read:

- A block with #include lines begins a file. It is compiled with these includes and no others.
- An unindented block after it goes on with that file: its declarations are seen by the blocks after it, and may hide those
  of blocks before it; a block with statements stands in a function of its own.
- An indented block is cut out of a class or a function. It is compiled where it stands in the sources alone.

Each paragraph of a block (blank lines part them) must occur in a source file, up to comments, includes and white space. Lines
with things that the examples take for granted need not: extern std::vector<float> a. The files of a page are compiled for
their syntax and types. Their sources show that the examples run.

doc_examples.py [PAGE...]    these pages, as docs/gemm.md, instead of all
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["TEGULA_SOURCE_DIR"])
COMPILER = os.environ.get("TEGULA_CXX", "g++")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [p for folder in ("examples", "include", "test") for p in (ROOT / folder).rglob("*.*")
           if p.suffix in (".cpp", ".hpp", ".cu", ".hip")]
INCLUDE = re.compile(r"^#include .*\n?", re.M)
EXTERN = re.compile(r"^extern .*\n?", re.M)
USING_NAMESPACE = "using namespace tegula;"
DECLARATION = ("using", "template", "struct", "class", "enum", "static_assert", "constexpr", "namespace", "inline", "extern")


def essence(code):
    """Code without comments, includes and white space."""
    code = re.sub(r"//[^\n]*", "", INCLUDE.sub("", code)).replace(USING_NAMESPACE, "")
    return re.sub(r"\s+", "", code)


def blocks(page):
    """Line and text of each block."""
    text = page.read_text()
    for match in re.finditer(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 2, match[1]


def is_cut_out(block):
    return all(line.startswith(" ") for line in block.splitlines() if line)


def has_statements(block):
    """Whether a line at the left edge begins neither a declaration nor the end of one."""
    lines = [line for line in block.splitlines() if re.match(r"[^\s{})\]/]", line)]
    return not all(line.startswith(DECLARATION) for line in lines)


class File:
    """An example that begins with its includes, and the blocks that go on with it."""

    def __init__(self, page, line, block):
        self.depth = 0
        self.code = self.numbered(page, line, block)

    @staticmethod
    def numbered(page, line, block):
        return f'#line {line} "{page.relative_to(ROOT)}"\n{block}\n'

    def add(self, page, line, block):
        code = self.numbered(page, line, block)
        if has_statements(block):  # a template, so that what is called is not compiled once more
            code = f"template <int> void example()\n{{\n{code}}}\n"
        self.depth += 1
        self.code += f"namespace part_{self.depth} {{\n{code}"

    def errors(self):
        """The compiler's messages, or an empty string if it takes the file."""
        command = [COMPILER, "-std=c++20", "-fsyntax-only", "-DTEGULA_EMULATOR_ELSEWHERE", "-I", str(ROOT / "include")]
        text = self.code + "}" * self.depth
        result = subprocess.run([*command, "-x", "c++", "-"], input=text, capture_output=True, text=True)
        return result.stderr if result.returncode else ""


def files_of(page):
    """The files of a page, and what is wrong with its blocks."""
    files, problems = [], []
    for line, block in blocks(page):
        if INCLUDE.search(block):
            files.append(File(page, line, block))
        elif files and not is_cut_out(block):
            files[-1].add(page, line, block)
        elif not is_cut_out(block):
            problems.append(f"{page.relative_to(ROOT)}:{line}: no block before it shows what it includes\n{block}")
    return files, problems


def missing_in_sources(page, corpus):
    for line, block in blocks(page):
        for paragraph in re.split(r"\n\s*\n", block):
            if essence(EXTERN.sub("", paragraph)) and not any(essence(paragraph) in text for text in corpus):
                yield f"{page.relative_to(ROOT)}:{line}: in no source file:\n{paragraph}\n"


def main():
    corpus = [essence(p.read_text()) for p in SOURCES]
    problems, files, count = [], [], 0
    for page in [ROOT / name for name in sys.argv[1:]] or PAGES:
        count += sum(1 for _ in blocks(page))
        problems += missing_in_sources(page, corpus)
        of_page, wrong = files_of(page)
        files += of_page
        problems += wrong
    problems += filter(None, (file.errors() for file in files))
    print("\n".join(problems), end="")
    print(f"{count} examples, {len(files)} files, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
