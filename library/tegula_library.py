"""The library of kernels from Python. It needs neither PyTorch nor a compiler.

    library = Library("libtegula_sm_90a.so")
    start = library.prepare_kernel("sm_90a bf16 t128x128 kk", {"m": 512, "n": 512, "k": 64, "a.data": a.data_ptr(), ...})
    start(stream)

Addresses are the GPU's. What a member of a kernel's arguments is called, and its default, is in library.describe(kernel).
"""

import ctypes
import json
import os
import struct

# Types of members, as struct packs them.
FORMATS = {"pointer": "Q", "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
           "int64": "q", "uint64": "Q", "float32": "f", "float64": "d"}


UNSUPPORTED = 2  # tegula::status_code
LEAST = 16  # sizes and addresses: an operation reads those it has, given or not


def numbers(sizes):
    return (ctypes.c_long * max(LEAST, len(sizes)))(*sizes)


class Unsupported(RuntimeError):
    """A kernel does not take the problem, and another one may."""


class Library:
    def __init__(self, file):
        self.c = ctypes.CDLL(os.path.abspath(file))  # a name without a folder would be looked for elsewhere
        for function in ("message", "kernels", "describe", "operations"):
            getattr(self.c, f"tegula_{function}").restype = ctypes.c_char_p
        self.c.tegula_workspace.restype = ctypes.c_long
        self.c.tegula_release.argtypes = [ctypes.c_void_p]
        self.kernels = self.c.tegula_kernels().decode().splitlines()
        self.operations = self.c.tegula_operations().decode().splitlines()

    def fail(self, name="", code=0):
        raise (Unsupported if code == UNSUPPORTED else RuntimeError)((name and f"{name}: ") + self.c.tegula_message().decode())

    def describe(self, kernel):
        """A kernel's description; tegula_library.h says what it has."""
        text = self.c.tegula_describe(kernel.encode())
        return json.loads(text) if text else self.fail()

    def prepare_kernel(self, kernel, values):
        """A function that starts the kernel in a stream, given as a number. `values` are members of its arguments, by name."""
        description = self.describe(kernel)
        members = {m["name"]: m for m in description["members"] if m["type"] in FORMATS}
        if unknown := set(values) - set(members):
            raise KeyError(f"{kernel}: its arguments have no member {sorted(unknown)[0]}; they have {', '.join(members)}")
        arguments = bytearray(description["bytes"])
        for name, m in members.items():
            value = values.get(name, m["default"])
            try:
                struct.pack_into("<" + FORMATS[m["type"]], arguments, m["at"], value or 0)
            except struct.error as error:
                raise ValueError(f"{kernel}: {name} is {value!r}, which is no {m['type']}") from error
        handle = ctypes.c_void_p()
        given = (ctypes.c_char * len(arguments)).from_buffer(arguments)
        if code := self.c.tegula_prepare_kernel(kernel.encode(), given, ctypes.c_size_t(len(arguments)), ctypes.byref(handle)):
            self.fail(kernel, code)
        return self.starter(kernel, handle)

    def workspace_bytes(self, operation, sizes):
        """Bytes of an operation's workspace for these sizes."""
        size = self.c.tegula_workspace(operation.encode(), numbers(sizes))
        return size if size >= 0 else self.fail(operation)

    def prepare(self, operation, sizes, addresses):
        """A function that starts the operation in a stream, given as a number. The headers beside this file say which sizes and
        addresses each takes; None is a null pointer."""
        handle = ctypes.c_void_p()
        pointers = (ctypes.c_void_p * max(LEAST, len(addresses)))(*addresses)
        if code := self.c.tegula_prepare(operation.encode(), numbers(sizes), pointers, ctypes.byref(handle)):
            self.fail(operation, code)
        return self.starter(operation, handle)

    def starter(self, name, handle):
        def start(stream=0):
            if self.c.tegula_start(handle, ctypes.c_void_p(stream)):
                self.fail(name)

        start.handle = handle
        return start

    def release(self, start):
        """Frees what a function of prepare_kernel or prepare holds; it must not be called any more."""
        self.c.tegula_release(start.handle)
