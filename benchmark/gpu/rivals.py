"""Rivals of attention and of norms that bench.py measures: those of PyTorch, and packages where they are installed.

On AMD they are AOTriton's and CK's attention by PyTorch, and AITER's attention and norms (CK's layer norm), if the package
amd-aiter is there. On NVIDIA they are cuDNN's and FlashAttention's by PyTorch, and FlashAttention 4 by the package
flash-attn-4.
"""

import importlib

import torch


def find(module, name):
    """The function `name` of a module, or None where the module or the function is not there, or cannot be loaded."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except Exception:  # a package for another GPU or another PyTorch may say anything
        return None


def attention_rivals(causal, grouped, what):
    """Name -> function of Q, K and V as our kernels have them: [batch, heads, rows, columns]."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def by(backend, library=None):
        def attend(q, k, v):
            if library:
                torch.backends.cuda.preferred_rocm_fa_library(library)
                if library == "ck" and not torch.backends.cuda.is_ck_sdpa_available():
                    raise RuntimeError("this PyTorch has no attention by Composable Kernel")
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)

        return attend

    def by_rows(attend):
        """attend takes [batch, rows, heads, columns]; backward passes differentiate what comes out."""

        def turned(q, k, v):
            o = attend(*(t.transpose(1, 2) for t in (q, k, v)))
            return (o[0] if isinstance(o, tuple) else o).transpose(1, 2)

        return turned

    if torch.version.hip:
        rivals = {name: by(SDPBackend.FLASH_ATTENTION, name) for name in ("aotriton", "ck")}
        if aiter := find("aiter", "flash_attn_func"):
            rivals["aiter"] = by_rows(lambda q, k, v: aiter(q, k, v, causal=causal))
        return rivals
    rivals = {"cudnn": by(SDPBackend.CUDNN_ATTENTION), "flash": by(SDPBackend.FLASH_ATTENTION)}
    if flash4 := find("flash_attn.cute", "flash_attn_func"):
        rivals["flash4"] = by_rows(lambda q, k, v: flash4(q, k, v, causal=causal, num_splits=0 if what == "decode" else 1))
    return rivals


def row_rivals(name, columns):
    """Name -> function of x [rows, columns], for an operation on rows by its name in bench.py."""
    rival = torch.version.hip and find("aiter", {"layernorm": "layer_norm", "rmsnorm": "rms_norm"}.get(name, ""))
    if not rival:
        return {}
    parameters = [torch.ones(columns, device="cuda", dtype=torch.bfloat16)]
    if name == "layernorm":
        parameters.append(torch.zeros_like(parameters[0]))
    return {"aiter": lambda x: rival(x, *parameters, 1e-5)}
