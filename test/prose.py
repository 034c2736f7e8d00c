"""Plain English: looks for sentences that a reader has to take apart.

In README.md, CHANGELOG.md, CONTRIBUTING.md and the pages of docs/, and in the documentation comments (///) of
include/tegula, examples and test, it finds

- a sentence that begins with "Of", "Who" or "Whose", or with "What" where it is no question;
- a documentation comment that begins with "The same", which says nothing where it is read alone;
- a sentence of more than 40 words.

Code, tables, headings and addresses are no prose. A name in back quotes is one word. Files that OPEN lists are not read.

prose.py [PATH...]      these files and folders in the place of all
prose.py --self-test    whether it sees what it is for, and nothing else
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 40
# Also a colon or semicolon before a capital letter.
SENTENCE_END = re.compile(r"""(?<=\S)[.!?:;]["')*]*\s+(?=["'(*\[!_]*[A-Z])|(?<=\S)[.!?]["')*]*\s+(?=["'(*\[_]*[a-z0-9])""")
# Not rewritten yet: files, or folders that end in a slash.
OPEN = []


def masked(text):
    """The text, as long as it was, with letters for code, quotations, link targets and abbreviations."""
    same = lambda match: "n" * len(match[0])
    text = re.sub(r"`+[^`]+`+|\"[^\"]+\"", same, text)
    text = re.sub(r"\]\([^)]*\)", same, text)
    text = re.sub(r"https?://\S+", same, text)
    return re.sub(r"\b(e\.g|i\.e|cf|vs|etc)\.", same, text)


def sentences(text):
    """Begin and end of each sentence of a paragraph, and its words without marks."""
    plain = masked(text)
    ends = [match.end() for match in SENTENCE_END.finditer(plain)]
    for begin, end in zip([0, *ends], [*ends, len(text)]):
        if said := re.sub(r"[*\[\]]|(?<!\w)_|_(?!\w)", "", plain[begin:end]).strip():
            yield begin, end, said


def words(sentence):
    return len(re.findall(r"[A-Za-z0-9]\S*", sentence))


def problems_of(paragraph, is_comment):
    for begin, end, sentence in sentences(paragraph):
        opening = re.match(r"[\"'(]*(Of|Who|Whose|What)\b", sentence)
        if opening and not (opening[1] == "What" and sentence.rstrip("\"') ").endswith("?")):
            yield f'begins with "{opening[1]}"', begin, end
        if is_comment and begin == 0 and sentence.startswith("The same"):
            yield 'begins with "The same"', begin, end
        if (count := words(sentence)) > LONGEST:
            yield f"has {count} words", begin, end


def paragraphs_of_page(text):
    """Line and text of the paragraphs and list items of a page."""
    text = re.sub(r"^( *)```.*?^ *```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    start, lines, in_list = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        item = re.match(r"\s*(?:[-*]|\d+\.) +", line)
        if item and lines and not in_list and item[0].strip() not in ("-", "*", "1."):
            item = None  # a number that ends a sentence at a line's end
        is_code = line.startswith("    ") and not item and not lines and not in_list
        is_prose = bool(line.strip()) and not line.startswith(("#", "|", "<", "![")) and not is_code
        if lines and (item or not is_prose):
            yield start, " ".join(lines)
            lines = []
        if item:
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = in_list and bool(lines)
        if is_prose:
            start = start if lines else number
            lines.append(line[item.end() if item else 0:].removeprefix(">").strip())


def paragraphs_of_comments(text):
    """Line, text and whether it is a comment's first paragraph, of all documentation comments."""
    start, lines, first, trailed = 0, [], True, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        trails = re.match(r".*[^\s/].*?///< ?(.*)", line)
        match = trails or re.match(r"\s*///<?(?!/) ?(.*)", line)
        said = match[1].rstrip() if match else ""
        ends = trailed and not re.match(r"\s*///<", line)
        trailed = trails or (trailed and not ends)
        item = trails or ends or re.match(r"\s*(?:[-*]|\d+\.) +|.*\S {2,}\S", said)  # of a list, a table, a member
        is_prose = bool(said.strip()) and not said.startswith(("    ", "|", "```"))
        if lines and (not is_prose or item):
            yield start, " ".join(lines), first
            lines, first = [], False
        if match is None or trails or ends:
            first = True
        if is_prose:
            start = start if lines else number
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.) +", "", said).strip())


def check_text(name, text):
    if name.endswith(".md"):
        for line, paragraph in paragraphs_of_page(text):
            for problem, begin, end in problems_of(paragraph, False):
                yield f"{name}:{line}: {problem}: {paragraph[begin:end].strip()}"
    else:
        for line, paragraph, first in paragraphs_of_comments(text):
            for problem, begin, end in problems_of(paragraph, first):
                yield f"{name}:{line}: {problem}: {paragraph[begin:end].strip()}"


def is_open(name):
    return any(name == entry or entry.endswith("/") and name.startswith(entry) for entry in OPEN)


def files(arguments):
    for start in [ROOT / a for a in arguments or ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "include/tegula", "examples", "test")]:
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            name = str(path.relative_to(ROOT))
            if path.suffix in (".md", ".hpp", ".inl") and (arguments or not is_open(name)):
                yield name, path


def self_test():
    page = """# What is a heading
Of 8 bits it loads four. It loads four of 8 bits. What is this? What lies behind is not read.

    Of code

| Of a table |
|---|

- Who reads this
  is one sentence.
- This [is fine](https://of.example/What). `Of` code.

```cpp
// Of code
```
"""
    found = [p.split(": ")[1] for p in check_text("a.md", page)]
    assert found == ['begins with "Of"', 'begins with "What"', 'begins with "Who"'], found
    long = " ".join(["word"] * 40)
    assert not list(check_text("a.md", long + "."))
    assert list(check_text("a.md", long + " more."))
    assert not list(check_text("a.md", f"{long}. {long.capitalize()}."))
    code = "/// The same for rows.\n/// The same again.\nint a;\n// Of no interest\n/// Fine.\n///\n/// Who is this.\nint b; ///< Of bytes\n"
    found = [p.split(": ")[1] for p in check_text("a.hpp", code)]
    assert found == ['begins with "The same"', 'begins with "Who"', 'begins with "Of"'], found


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    texts = [(name, path.read_text()) for name, path in files(sys.argv[1:])]
    found = [problem for name, text in texts for problem in check_text(name, text)]
    print("".join(f"{problem}\n" for problem in found) + f"{len(texts)} files, {len(found)} problems")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
