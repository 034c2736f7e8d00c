"""Tensor copies in im2col mode on the machine, against columns that NumPy makes as the document describes them (PTX ISA,
"Tensors: im2col mode"), against the windows of a convolution, and what must be refused."""

import itertools
import re

import numpy

from machine import Fault, Machine
from tensor_copies import TYPES, program, swizzled

F16, F32, U32 = numpy.float16, numpy.float32, numpy.uint32


class Problem:
    """Lengths, strides, corners, base and offsets are in PTX's order of dimensions: C, W, H, D, N."""

    def __init__(self, lengths, dtype, channels, pixels, lower, upper, base, offsets, strides=None, swizzle=0, fill=0):
        self.lengths, self.dtype, self.channels, self.pixels = lengths, numpy.dtype(dtype), channels, pixels
        self.lower, self.upper, self.base, self.offsets = lower, upper, base, offsets
        self.strides, self.swizzle, self.fill = strides or [1] * len(lengths), swizzle, fill

    def size(self):
        return self.pixels * self.channels * self.dtype.itemsize

    def places(self):
        """Where the pixels are: image and position, outermost dimension first. Positions of the filter's base run through the
        bounding box, W fastest, and then through that of the next image; the offsets are added to each."""
        axes = [
            range(low, n + up, step)
            for n, low, up, step in zip(self.lengths[1:-1], self.lower, self.upper, self.strides[1:-1])
        ]
        box = list(itertools.product(*axes[::-1]))
        start = box.index(tuple(self.base[-2:0:-1]))
        for i in range(start, start + self.pixels):
            image, place = self.base[-1] + i // len(box), box[i % len(box)]
            yield (image, *(x + off for x, off in zip(place, self.offsets[::-1])))

    def rows(self, end):
        """Yields the index of each pixel, whether it is in the tensor, and the slice of its channels from 0 to below `end`."""
        first = self.base[0]
        inside = slice(max(0, -first), max(0, min(self.channels, end - first)))
        for place in self.places():
            yield place, all(0 <= x < n for x, n in zip(place, self.lengths[:0:-1])), inside

    def column(self, array):
        fill = numpy.full(self.size(), 255 if self.fill else 0, numpy.uint8).view(self.dtype)
        out = fill.reshape(self.pixels, self.channels)
        for row, (place, there, inside) in zip(out, self.rows(self.lengths[0])):
            if there:
                row[inside] = array[place][self.base[0] + inside.start : self.base[0] + inside.stop]
        return out

    def put(self, array, column, adds):
        # Whole chunks of 16 bytes are written, also past the end of a row.
        for row, (place, there, inside) in zip(column, self.rows(array.shape[-1])):
            if there:
                at = array[place][self.base[0] + inside.start : self.base[0] + inside.stop]
                at[:] = row[inside] + (at if adds else 0)


def launch(library, p, arrays, seed, change=lambda text: text, stores=False, tiled=False):
    """Shared memory behind the load, and the arrays that it was stored to and added to."""
    size, rank = p.dtype.itemsize, len(p.lengths)
    offsets = ", {" + ", ".join(map(str, p.offsets)) + "}"
    text = program(rank, p.size(), ".im2col", offsets, ".im2col_no_offs" if stores else None)
    machine = Machine(library, change(text))
    addresses = [machine.add(name, a, i > 0) for i, (name, a) in enumerate(zip(("from", "to", "sum"), arrays))]
    pitch = arrays[0].shape[-1] * size
    strides = [int(pitch * numpy.prod(p.lengths[1:i], dtype=int)) for i in range(1, rank)]
    box = {"box": [p.channels] + [1] * (rank - 1)} if tiled else {
        "box": [p.channels], "pixels": p.pixels, "lower": p.lower, "upper": p.upper}
    maps = b"".join(
        machine.tensor_map(a, TYPES[p.dtype.type], p.lengths, strides, element_strides=p.strides, swizzle=p.swizzle, fill=p.fill, **box)
        for a in addresses
    )
    out = machine.add("out", p.size(), True)
    parameters = maps.ljust(384, b"\0") + numpy.array(p.base + [0] * (5 - rank), numpy.int32).tobytes()
    parameters += bytes(-len(parameters) % 8) + numpy.uint64(out).tobytes()
    machine.launch("one", 1, 32, parameters, p.size() + 8, seed=seed)
    return machine.read(out, p.size()), [machine.read(a, x.nbytes).view(p.dtype).reshape(x.shape) for a, x in zip(addresses[1:], arrays[1:])]


def array_of(p, rng):
    """The tensor, its rows of channels padded to 16 bytes."""
    pitch = -(-p.lengths[0] * p.dtype.itemsize // 16) * 16 // p.dtype.itemsize
    return rng.integers(1, 50, (*p.lengths[:0:-1], pitch)).astype(p.dtype)


def check(library, p, rng, seed, stores=False):
    arrays = [array_of(p, rng) for _ in range(3 if stores else 1)]
    column, results = launch(library, p, arrays, seed, stores=stores)
    wanted = p.column(arrays[0])
    right = (column == swizzled(wanted.reshape(-1).view(numpy.uint8), 16 << p.swizzle)).all()
    for i, got in enumerate(results):
        p.put(arrays[1 + i], wanted, adds=i == 1)
        right = right and (got == arrays[1 + i]).all()
    return bool(right)


def random_problem(rank, dtype, swizzle, rng, stores):
    spatial = rank - 2
    width = (16 << min(swizzle, 3)) // numpy.dtype(dtype).itemsize if swizzle else 32
    lengths = [width + 3] + [int(x) for x in rng.integers(4, 7, spatial)] + [3]
    lower, upper = ([int(x) for x in rng.integers(a, b, spatial)] for a, b in ((-2, 2), (-2, 2)))
    steps = [1] + [int(x) for x in rng.integers(1, 3, spatial)] + [1]
    if stores:
        lower, upper = [min(abs(x), 1) for x in lower], [-abs(x) for x in upper]
    boxes = [range(low, n + up, step) for n, low, up, step in zip(lengths[1:], lower, upper, steps[1:])]
    first = int(rng.integers(0, 2)) * 16 // numpy.dtype(dtype).itemsize if stores else int(rng.integers(-2, 5))
    base = [first] + [int(rng.choice(box)) for box in boxes] + [int(rng.integers(0, 2))]
    offsets = [0 if stores else int(x) for x in rng.integers(0, 4, spatial)]
    pixels = int(rng.integers(1, 3 * numpy.prod([len(box) for box in boxes])))
    return Problem(lengths, dtype, width, min(pixels, 60), lower, upper, base, offsets, steps, swizzle,
                   fill=int(not stores and dtype != U32 and rng.integers(2)))


# The document's examples 1 to 3, whose coordinates are written N, H, W, C there.
EXAMPLES = [
    Problem([64, 9, 14, 64], F16, 8, 64, [-1, -1], [-1, -1], [0, 4, 7, 7], [0, 0]),
    Problem([64, 9, 14, 64], F16, 8, 64, [0, 0], [-2, -2], [0, 4, 7, 7], [2, 2]),
    Problem([64, 8, 14, 64], F16, 16, 32, [-1, -1], [-1, -1], [0, 5, 7, 7], [1, 1], [1, 2, 2, 1]),
]


def check_convolution(library, seed):
    """Each tap of a convolution of 3 x 2 with padding, stride and dilation: the windows of the padded images at that tap,
    from the fourth output on; pixels behind the last image are zeros."""
    rng = numpy.random.default_rng(seed)
    n, h, w, c, padding, stride, dilation = 2, 7, 6, 8, (2, 1), (2, 1), (2, 3)
    x = rng.integers(1, 50, (n, h, w, c)).astype(F32)
    padded = numpy.pad(x, ((0, 0), (padding[0],) * 2, (padding[1],) * 2, (0, 0)))
    taps, counts = (3, 2), []
    for length, pad, step, dilate, size in zip((h, w), padding, stride, dilation, taps):
        counts.append((length + 2 * pad - dilate * (size - 1) - 1) // step + 1)
    upper = [(count - 1) * step + 1 - length - pad for count, step, length, pad in zip(counts, stride, (h, w), padding)]
    first, pixels = 3, n * counts[0] * counts[1]
    row, column = divmod(first, counts[1])
    for r, s in itertools.product(*map(range, taps)):
        windows = padded[:, r * dilation[0] :: stride[0], s * dilation[1] :: stride[1]][:, : counts[0], : counts[1]]
        wanted = numpy.zeros((pixels, c), F32)
        wanted[: pixels - first] = windows.reshape(-1, c)[first:]
        base = [0, column * stride[1] - padding[1], row * stride[0] - padding[0], 0]
        p = Problem([c, w, h, n], F32, c, pixels, [-padding[1], -padding[0]], upper[::-1], base,
                    [s * dilation[1], r * dilation[0]], [1, stride[1], stride[0], 1])
        if (launch(library, p, [x], seed)[0].view(F32) != wanted.reshape(-1)).any():
            return False
    return True


def small(**changes):
    given = dict(lengths=[8, 5, 4, 2], dtype=F32, channels=8, pixels=9, lower=[-1, -1], upper=[-1, -1], base=[0, 0, 0, 0],
                 offsets=[1, 1])
    return Problem(**{**given, **changes})


# Each entry: a name, a problem, the report on it, and other arguments of launch().
WRONG = [
    ("a filter base left of the bounding box", small(base=[0, -2, 0, 0]), "outside the bounding box of -1 to 3", {}),
    ("a filter base below the bounding box", small(base=[0, 0, 3, 0]), "outside the bounding box of -1 to 2", {}),
    ("a filter base between steps", small(strides=[1, 2, 1, 1]), "no step of 2 from -1", {}),
    ("an offset too few", small(offsets=[1]), "1 im2col offsets for a tensor map of 4", {}),
    ("an offset of more than 8 bits", small(offsets=[1, 256]), "the greatest is 255", {}),
    ("an offset of more than 5 bits", small(lengths=[8, 5, 4, 3, 2], lower=[0] * 3, upper=[0] * 3, base=[0] * 5, offsets=[0, 0, 32]),
     "the greatest is 31", {}),
    ("a map of tiled mode", small(), "in im2col mode by a tensor map of tiled mode", {"tiled": True}),
    ("a copy of tiled mode", small(), "in tiled mode by a tensor map of im2col mode",
     {"change": lambda text: re.sub(r"\.im2col(.*), \{1, 1\};", r".tile\1;", text)}),
    ("a load without offsets", small(), "im2col", {"change": lambda text: text.replace(".im2col.", ".im2col_no_offs.", 1)}),
    ("a store with a box outside the tensor", small(lower=[0, -1], upper=[0, 0]), "not within the tensor", {"stores": True}),
    ("a store to negative coordinates", small(lower=[0, 0], upper=[0, 0], base=[0, 0, 0, -1]), "negative coordinate", {"stores": True}),
    ("a store to negative channels", small(lower=[0, 0], upper=[0, 0], base=[-4, 0, 0, 0]), "from coordinate -4 of the innermost", {"stores": True}),
    ("a store to channels within 16 bytes", small(lower=[0, 0], upper=[0, 0], base=[2, 0, 0, 0]), "from coordinate 2 of the innermost",
     {"stores": True}),
    ("two dimensions", small(lengths=[8, 5], lower=[], upper=[], base=[0, 0], offsets=[0]), "3 to 5 dimensions", {}),
    ("too many pixels", small(pixels=1025), "1 to 1024 pixels", {}),
    ("a corner of more than 8 bits", small(lower=[-1, -129]), "8 of 4 dimensions", {}),
    ("an empty box", small(upper=[-1, -5]), "empty", {}),
    ("images with a stride", small(strides=[1, 1, 1, 2]), "without a stride", {}),
    ("a part of the mode along W", small(), "does not know .im2col::w of cp.async.bulk.tensor",
     {"change": lambda text: text.replace(".im2col.", ".im2col::w.")}),
    ("a change of the map", small(), "tensormap.replace.tile of a tensor map of im2col mode",
     {"change": lambda text: text.replace("ready:", "tensormap.replace.tile.rank.b1024.b32 [%m0], 2; ready:")}),
]


def run_all(library):
    rng, wrong, right = numpy.random.default_rng(5), [], 0
    problems = [(f"the document's example {i + 1}", p, False) for i, p in enumerate(EXAMPLES)]
    for rank, (number, dtype), swizzle, stores in itertools.product(range(3, 6), enumerate((F32, U32, F16)), range(5), (False, True)):
        if not stores or swizzle % 3 == number:
            problems.append((f"{rank} dimensions, {numpy.dtype(dtype)}, swizzle {swizzle}", random_problem(rank, dtype, swizzle, rng, stores), stores))
    for i, (what, p, stores) in enumerate(problems):
        try:
            ok = check(library, p, rng, i, stores)
            right += ok
            wrong += [] if ok else [f"im2col, {what}, seed {i}: wrong result"]
        except Fault as report:
            wrong.append(f"im2col, {what}, seed {i}: {report}")
    for seed in range(3):
        try:
            if not check_convolution(library, seed):
                wrong.append(f"im2col, the taps of a convolution, seed {seed}: wrong result")
        except Fault as report:
            wrong.append(f"im2col, the taps of a convolution, seed {seed}: {report}")
    for what, p, says, options in WRONG:
        try:
            launch(library, p, [array_of(p, rng)] * (3 if options.get("stores") else 1), 1, **options)
            wrong.append(f"im2col, {what}: nothing is said")
        except Fault as report:
            if says not in str(report):
                wrong.append(f"im2col, {what}: {report}")
    print(f"{right} copies in im2col mode as NumPy's, {len(WRONG)} refused")
    return wrong
