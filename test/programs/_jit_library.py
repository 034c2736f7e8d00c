"""The library tegula_jit (include/tegula/jit/c_interface.h) by ctypes."""

import ctypes


class Request(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("source", "kernel", "target", "device")]


class Memory(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("name", ctypes.c_char_p), ("access", ctypes.c_int)]


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_longlong * 3), ("shared_bytes", ctypes.c_long), ("name", ctypes.c_char_p),
                ("types", ctypes.c_char_p), ("arguments", ctypes.POINTER(ctypes.c_void_p)), ("stream", ctypes.c_void_p),
                ("memory", ctypes.POINTER(Memory)), ("memory_entries", ctypes.c_int), ("unchecked", ctypes.c_int)]


def open_library(path):
    library = ctypes.CDLL(str(path))
    library.tegula_jit_parameters.restype = ctypes.c_char_p
    return library


def compile_kernel(library, **words):
    """The kernel's handle, or None, and the message."""
    request = Request(**{name: word.encode() for name, word in words.items()})
    kernel, message = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
    status = library.tegula_jit_get_kernel(ctypes.byref(request), ctypes.byref(kernel), message, len(message))
    return (kernel if status == 0 else None), message.value.decode()


def run(library, kernel, name, grid, values, types, memory=()):
    """The message of a launch; empty where it went well."""
    arguments = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values))
    entries = (Memory * len(memory))(*memory)
    launch = Launch(grid=(grid, 1, 1), name=name.encode(), types=types.encode(), arguments=arguments, memory=entries,
                    memory_entries=len(memory))
    message = ctypes.create_string_buffer(4096)
    status = library.tegula_jit_run(kernel, ctypes.byref(launch), message, len(message))
    if (status == 0) != (message.value == b""):
        return f"status {status}, message {message.value}"
    return message.value.decode()
