"""As much of PyTorch as bench.py's products need, without a GPU, for bench_test.py. Numbers are float whatever the type is called;
tensors of more than a million elements have none. Time passes as libraries.c says."""

import contextlib
import ctypes
import math
import mmap
import os
import random
import struct
from types import SimpleNamespace



class dtype:
    def __init__(self, size):
        self.size = size


float8_e4m3fn, float8_e4m3fnuz, uint8, int8 = (dtype(1) for _ in range(4))
float16, bfloat16, int32, float32, float64 = map(dtype, (2, 2, 4, 4, 8))
half, double = float16, float64
version = SimpleNamespace(hip=os.environ.get("HIP"))
backends = SimpleNamespace(cudnn=SimpleNamespace(benchmark=False))
MOST = 1 << 20
_clock = mmap.mmap(os.open(os.environ["FALSE_CLOCK"], os.O_RDWR), 8)


def _now():
    return struct.unpack("d", _clock[:8])[0]


def _launched(kernel, seconds):
    _clock[:8] = struct.pack("d", _now() + seconds)
    with open(os.environ["FALSE_LAUNCHES"], "a") as launches:
        launches.write(kernel + "\n")


class Tensor:
    def __init__(self, shape, dtype, values=None, strides=None, data=None):
        self.shape, self.dtype = tuple(shape), dtype
        self.strides = strides or tuple(math.prod(self.shape[i + 1 :]) for i in range(len(self.shape)))
        self.is_large = self.numel() > MOST
        self.data = data if data is not None else (ctypes.c_float * min(self.numel(), MOST))(*(values or ()))

    def values(self):
        if len(self.shape) < 2:
            return list(self.data)
        return [self.data[i * self.strides[0] + j * self.strides[1]] for i in range(self.shape[0]) for j in range(self.shape[1])]

    def each(self, f, *others):
        columns = [[x] * self.numel() if not isinstance(x, Tensor) else x.values() for x in others]
        return self if self.is_large else Tensor(self.shape, self.dtype, [f(*x) for x in zip(self.values(), *columns)])

    numel = lambda self: math.prod(self.shape)
    element_size = lambda self: self.dtype.size
    data_ptr = lambda self: ctypes.addressof(self.data)
    stride = lambda self, i: self.strides[i]
    t = lambda self: Tensor(self.shape[::-1], self.dtype, strides=self.strides[::-1], data=self.data)
    to = lambda self, dtype: Tensor(self.shape, dtype, strides=self.strides, data=self.data)
    half = lambda self: self.to(float16)
    double = lambda self: self.each(float).to(float64)
    abs = lambda self: self.each(abs)
    __mul__ = lambda self, x: self.each(lambda a, b: a * b, x)
    __sub__ = lambda self, x: self.each(lambda a, b: a - b, x)
    __truediv__ = lambda self, x: self.each(lambda a, b: a / b, x)
    norm = lambda self: Tensor((), float64, [math.sqrt(sum(x * x for x in self.values()))])
    max = lambda self: Tensor((), float64, [max(self.values(), key=lambda x: math.inf if math.isnan(x) else x)])
    item = lambda self: self.values()[0]

    def fill_(self, value):
        self.data[:] = [value] * len(self.data)
        return self

    def copy_(self, other):
        _launched("copy", 2 * self.numel() * self.dtype.size / 4e12)

    def __matmul__(self, other):
        return matmul(self, other, out=Tensor((self.shape[0], other.shape[1]), self.dtype))


def matmul(a, b, out):
    if not out.is_large:
        x, y, (m, k), n = a.values(), b.values(), a.shape, b.shape[1]
        out.data[:] = [sum(x[i * k + l] * y[l * n + j] for l in range(k)) for i in range(m) for j in range(n)]
    _launched("at::matmul", 5e-6 if not out.is_large else 2e-3)
    return out


def _scaled_mm(a, b, scale_a, scale_b, out_dtype, out=None, use_fast_accum=False):
    return matmul(a, b, out if out is not None else Tensor((a.shape[0], b.shape[1]), out_dtype))


def full(shape, value, device=None, dtype=float32):
    return Tensor(shape, dtype).fill_(value)


def empty(*shape, device=None, dtype=float32):
    return Tensor(shape, dtype)


def rand(*shape, device=None):
    return Tensor(shape, float32, [random.random() for _ in range(min(MOST, math.prod(shape)))] if math.prod(shape) <= MOST else None)


randn = lambda *shape, device=None, dtype=float32: rand(*shape).to(dtype)
ones = lambda *shape, device=None, dtype=float32: full((), 1, dtype=dtype)
randint = lambda low, high, shape, device=None, dtype=int32: Tensor(shape, dtype)
empty_like = lambda x: Tensor(x.shape, x.dtype)
compile = lambda function, **options: function


class _Anything:
    def __getattr__(self, name):
        return lambda *arguments, **more: self


tensor = lambda *arguments, **more: _Anything()
nn = SimpleNamespace(functional=_Anything())


class _Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = _now()

    synchronize = lambda self: None
    elapsed_time = lambda self, end: (end.at - self.at) * 1e3


class _Graph:
    def replay(self):
        _launched("graph", self.seconds)


@contextlib.contextmanager
def _record(graph, stream):
    """Launches in here take their time now, and again at each replay."""
    begin = _now()
    yield
    graph.seconds = _now() - begin


_nothing = lambda *arguments: None
_stream = SimpleNamespace(cuda_stream=0, synchronize=_nothing)
_properties = SimpleNamespace(multi_processor_count=132, gcnArchName="gfx942:sramecc+")
cuda = SimpleNamespace(
    Event=_Event, CUDAGraph=_Graph, graph=_record, Stream=lambda: _stream, stream=lambda s: contextlib.nullcontext(), synchronize=_nothing,
    current_stream=lambda: _stream, current_device=lambda: 0, empty_cache=_nothing, get_device_properties=lambda number: _properties,
    _sleep=lambda cycles: _launched("at::cuda::spin_kernel(long)", 1e-9),
    profiler=SimpleNamespace(start=lambda: _launched("START", 0), stop=lambda: _launched("STOP", 0)))
