"""The targets that the sources of test/device name."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def targets_of(name, full):
    """The targets of a source that every run compiles, or all."""
    lines = re.compile(rf"^// {'(?:full )?' if full else ''}targets:(.*)$", re.MULTILINE)
    return [target for line in lines.findall((FOLDER / f"{name}.cpp").read_text()) for target in line.split()]


def is_left_to_full(name, target):
    """Whether only --full compiles the source for the target."""
    return (FOLDER / f"{name}.cpp").exists() and target in set(targets_of(name, True)) - set(targets_of(name, False))
