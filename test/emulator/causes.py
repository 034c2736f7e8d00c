"""Whether what docs/emulator.md says is planted, cause by cause, is: every test case that it names is there, and what it
puts behind a colon is in it.

    causes.py ROOT
"""

import re
import sys
from pathlib import Path


def test_cases(root):
    """The text of each test case of the emulator's, by name."""
    cases = {}
    for file in sorted(root.glob("test/emulator/*.cpp")):
        parts = re.split(r'^TEST_CASE\("([^"]*)"', file.read_text(), flags=re.M)
        cases.update(zip(parts[1::2], parts[2::2]))
    return cases


def problems(table, cases):
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    named = ""
    for cause, planted in rows:
        for colon, name in re.findall(r'(: |, |and |all |; )?"([^"]*)"', planted):
            if name in cases:
                named = name
                continue
            words = [word for word in name.split("...") if word.strip()]
            if not named or not all(word.strip() in cases[named] for word in words):
                yield f"{cause.strip()}: there is no test case {name}, and nothing in {named or 'one'} is called so"
    if len(rows) < 20:
        yield "docs/emulator.md has no table of causes"


def main():
    root = Path(sys.argv[1])
    text = (root / "docs/emulator.md").read_text()
    table = text.partition("## Cause by cause")[2].partition("\n## ")[0]
    found = list(problems(table, test_cases(root)))
    print("\n".join(found) or "every cause is planted")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
