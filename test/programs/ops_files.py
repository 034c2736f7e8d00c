"""Every operation of the program ops on every kind of bad file and bad number, and on unusual good files.

A table of operations with the files that each takes, times a table of bad files. Each gives exit status 2 and one line that
names the operand or the file. The output stays as it was, and no file is left beside it. Each kind of bad file stands for one
of the operation's files in turn, on one device in turn (--full: for all, on all).

Numbers that are none, or too large. Files in Fortran order, of the other byte order and of later format versions give the
bytes of the plain file. No elements give no elements or one line.
"""

import sys
import tempfile
from pathlib import Path

import numpy

from _program import FULL, ON_CPU, check, problems, program, runner

run = runner("ops")
DEVICES = ["emulator", "cpu"] if ON_CPU else ["emulator"]

# The files of an operation, and the lengths of each; a number that only has to be there.
ROWS = {"in": (3, 4)}
NORM = {"in": (3, 4), "weight": (4,), "bias": (4,), "residual": (3, 4)}
OPERATIONS = {
    "softmax": ROWS, "log_softmax": ROWS, "layernorm": NORM, "rmsnorm": NORM, "cross_entropy": {"in": (3, 4), "labels": (3,)},
    "topk_softmax": ROWS, "topk": ROWS, "argmax": ROWS, "argmin": ROWS, "scan": ROWS, "reduce": ROWS, "permute": ROWS,
    "gather": {"in": (3, 4), "indices": (2,)}, "rope": {"in": (3, 4), "positions": (3,)},
    "conv2d": {"in": (1, 4, 4, 2), "weight": (2, 3, 3, 2)},
    "moe": {"in": (3, 8), "gate": (8, 4), "w1": (4, 8, 6), "w2": (4, 6, 8)},
}
NUMBERS = {"topk_softmax": ["--k", "2"], "topk": ["--k", "2"], "moe": ["--k", "2"], "permute": ["--axes", "1,0"],
           "reduce": ["--op", "sum"], "scan": ["--op", "sum"]}
INTEGERS = {"labels", "indices", "positions"}

# Options that take a number, and the operations that have them.
TAKEN = {"--axis": ["softmax", "log_softmax", "topk_softmax", "topk", "argmax", "argmin", "scan"],
         "--k": ["topk_softmax", "topk", "moe"], "--axes": ["reduce", "permute"], "--eps": ["layernorm", "rmsnorm"],
         "--base": ["rope"], "--stride": ["conv2d"], "--padding": ["conv2d"], "--dilation": ["conv2d"],
         "--groups": ["conv2d"]}
NO_NUMBERS = ["nan", "", "two", "1e400", "0x", "-99999999999999999999"]
OF_SHAPE = {"nine", "scalar", "longer_by_one"}
# Operands whose first length or rank is free.
ANY_LENGTH = {("gather", "indices"), ("conv2d", "weight")}
ANY_RANK = {("gather", "indices"), ("rope", "positions")}


def good_arrays(operation):
    rng = numpy.random.default_rng(7)
    arrays = {}
    for name, lengths in OPERATIONS[operation].items():
        kind = "int64" if name in INTEGERS else "float32"
        arrays[name] = rng.integers(0, 3, lengths).astype(kind)
    return arrays


def broken(whole, array):
    """Files that are no arrays: their names, and bytes made of those of a good one."""
    yield "missing", None
    yield "empty", b""
    yield "text", b"1 2 3\n"
    yield "header", whole[:40]
    yield "mark", whole[:6]
    yield "truncated", whole[:-1]
    yield "longer", whole + b"x"
    yield "version", whole[:6] + b"\x09" + whole[7:]
    yield "negative", whole.replace(b"(%d," % array.shape[0], b"(-%d," % array.shape[0])
    yield "enormous", whole.replace(b"(%d," % array.shape[0], b"(999999999999999999,")
    yield "no_shape", whole.replace(b"'shape'", b"'shaqe'")


def of_other_kind(operation, name, array):
    """Arrays of a type or shape that an operand cannot have."""
    yield "complex", array.astype("complex64")
    yield "words", array.astype("U4")
    yield "dates", array.astype("int64").astype("datetime64[s]")
    if name in INTEGERS:
        yield "real", array.astype("float32")
        yield "logical", array.astype("bool")
    else:
        yield "past", numpy.full(array.shape, 1e39)
        yield "bytes", numpy.ones(array.shape, "uint8").view("V1")
    yield "nine", array.reshape((1,) * (9 - array.ndim) + array.shape)
    if name != "in" and (operation, name) not in ANY_RANK:
        yield "scalar", array.reshape(-1)[0]
    if name != "in" and (operation, name) not in ANY_LENGTH:
        yield "longer_by_one", numpy.concatenate([array, array[:1]])


def arguments_of(operation, folder, device, **instead):
    words = [operation, "--device", device, *NUMBERS.get(operation, [])]
    for name in OPERATIONS[operation]:
        words += [f"--{name}", instead.get(name, folder / f"{operation}.{name}.npy")]
    return words


def check_refused(words, folder, needed):
    """One line, status 2; the output keeps what was in it."""
    out = folder / "out.npy"
    out.write_text("kept")
    before = sorted(folder.iterdir())
    status, text, error = run(*words, "--out", out)
    called = " ".join(str(w).replace(str(folder) + "/", "") for w in words)
    check(status == 2 and text == "" and error.count("\n") == 1 and error.endswith("\n") and needed in error,
          f"{called}: status {status}, expected one line with {needed!r}: {error}{text}")
    check(out.read_text(errors="replace") == "kept", f"{called}: the output was changed")
    check(sorted(folder.iterdir()) == before, f"{called}: files were left")


def check_bad_files(folder):
    count = 0
    for operation in OPERATIONS:
        cases = {}
        for name, array in good_arrays(operation).items():
            good = folder / f"{operation}.{name}.npy"
            numpy.save(good, array)
            for kind, data in broken(good.read_bytes(), array):
                cases.setdefault(kind, []).append((name, data))
            for kind, other in of_other_kind(operation, name, array):
                numpy.save(folder / "other.npy", other)
                cases.setdefault(kind, []).append((name, (folder / "other.npy").read_bytes()))
        for number, (kind, of_names) in enumerate(cases.items()):
            file = folder / f"{kind}.npy"
            for name, data in of_names if FULL else [of_names[number % len(of_names)]]:
                if data is not None:
                    file.write_bytes(data)
                for device in DEVICES if FULL else [DEVICES[number % len(DEVICES)]]:
                    words = arguments_of(operation, folder, device, **{name: file})
                    # A shape that does not fit: the message names the operand.
                    check_refused(words, folder, name if kind in OF_SHAPE else file.name)
                    count += 1
                file.unlink(missing_ok=True)
    return count


def check_bad_numbers(folder):
    count = 0
    for option, operations in TAKEN.items():
        for operation in operations if FULL else operations[:3]:
            words = arguments_of(operation, folder, "emulator")
            if option in words:
                at = words.index(option)
                del words[at:at + 2]
            for value in NO_NUMBERS:
                pair = option in ("--stride", "--padding", "--dilation")
                check_refused([*words, f"{option}={value}" if not pair else option, *([f"{value},1"] if pair else [])],
                              folder, option)
                count += 1
    return count


def check_unusual_files(folder):
    """Files of another order of bytes or dimensions, or of an array with gaps, give the bytes of the plain files."""
    for operation in OPERATIONS:
        arrays = good_arrays(operation)
        words = arguments_of(operation, folder, "emulator")
        status, _, error = run(*words, "--out", folder / "plain.npy")
        check(status == 0, f"{operation}: {error}")
        for kind, change in {"Fortran": numpy.asfortranarray, "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
                             "gaps": lambda a: numpy.repeat(a, 2, axis=-1)[..., ::2],
                             "version 2": numpy.asarray}.items():
            for name, array in arrays.items():
                with open(folder / f"unusual.{name}.npy", "wb") as file:
                    numpy.lib.format.write_array(file, change(array), (2, 0) if kind == "version 2" else None)
            changed = {name: folder / f"unusual.{name}.npy" for name in arrays}
            status, _, error = run(*arguments_of(operation, folder, "emulator", **changed), "--out", folder / "y.npy")
            check(status == 0 and (folder / "y.npy").read_bytes() == (folder / "plain.npy").read_bytes(),
                  f"{operation}, {kind}: {error or 'another result'}")


def check_no_elements(folder):
    """Each operand with no elements, alone and with the others: a result that NumPy reads, or one line."""
    for operation, files in OPERATIONS.items():
        for name, lengths in files.items():
            for dim in range(len(lengths)):
                none = good_arrays(operation)[name].take([], axis=dim)
                numpy.save(folder / "none.npy", none)
                for device in DEVICES if FULL else [DEVICES[dim % len(DEVICES)]]:
                    out = folder / "z.npy"
                    out.unlink(missing_ok=True)
                    words = arguments_of(operation, folder, device, **{name: folder / "none.npy"})
                    status, _, error = run(*words, "--out", out)
                    called = f"{operation} with --{name} of {none.shape} on {device}"
                    if status == 0:
                        check(error == "", f"{called}: {error}")
                        numpy.load(out)
                    else:
                        check(status == 2 and error.count("\n") == 1, f"{called}: status {status}: {error}")
                        check(not out.exists(), f"{called}: wrote a file")


if not program("ops").exists():
    print("skipped: ops is not built")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    files = check_bad_files(folder)
    numbers = check_bad_numbers(folder)
    check_unusual_files(folder)
    check_no_elements(folder)
for problem in problems[:60]:
    print(problem)
print(f"{len(OPERATIONS)} operations, {files} bad files, {numbers} bad numbers, {len(problems)} problems")
sys.exit(bool(problems))
