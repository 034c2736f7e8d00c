"""Attention, rows, convolutions and products on the GPU here, beside those of the vendor, PyTorch and packages, in one process.

    bench.py LIBRARY --out FILE [--only REGEX] [--rounds 11] [--seconds 0.02] [--until SECONDS]
                     [--shape MxNxK ...] [--once [--contender NAME ...]]

LIBRARY is libtegula_ARCH.so (library/). Every contender works on the same random data, on as many sets as are 2.5 times
the largest cache, recorded in a CUDA graph and replayed in turns, A-B-A-B. Figures are medians over the rounds. Results
are compared with float64 before. FILE gets a JSON line when a case begins and one with its result; cases
that have one there are not run again. Cases whose operations the library lacks are counted and left out. GEMM is measured in
all shapes, or in those named. Forms of kernels that have no operation are named. Where bench_gemm is beside this file, it is measured in a few: bench_gemm has the others. --once starts each contender
once, for a profiler. Exit status: 0, 1 where a result is wrong, 4 more where the time was over before all had run.
"""

import argparse
import json
import math
import os
import re
import sys
import time
from pathlib import Path

import torch

from bench_forms import form_work, gemm_work
from rivals import attention_rivals, row_rivals
from timing import CACHE_BYTES, Contender, Library, contend, finish, fp8_type, relative_error

MOST_ERROR = 0.02  # of all of a result, relative; storing it in bf16 gives 0.0017
MOST_FP8_ERROR = 2.0**-4  # weights of attention are rounded to e4m3, by up to so much each; sums of products lose digits


def wrong_in(record):
    """Returns what is wrong with ours, or an empty string."""
    for name, errors in record.get("errors", {}).items():
        for what, error in errors.items() if isinstance(errors, dict) else [("result", errors)]:
            if what == "all written":
                if not error:
                    return f"{name}: not all of the result is written"
            elif not error <= (most := MOST_FP8_ERROR if name.startswith(("attention/", "gemm/")) and "/fp8" in name else MOST_ERROR):
                return f"{name}: the relative error of {what} is {error:.3g}, past {most}"
    # Ours have the names of the library's operations; what the others cannot do is no fault of it.
    return next((f"{name}: {said}" for name, said in record.get("failed", {}).items() if name in ("", "tegula") or "/" in name), "")


# Attention


def attention_cases():
    cases = []
    for columns in (128, 64, 256):
        for mask in ("causal", "full"):
            for sequence in (4096, 16384, 1024):
                heads = 2048 // columns
                cases.append(("forward", 16384 // sequence, heads, heads, sequence, sequence, columns, mask))
    for sequence in (4096, 16384):
        cases.append(("forward", 16384 // sequence, 16, 2, sequence, sequence, 128, "causal"))
    for columns in (128, 64, 256):
        for mask in ("causal", "full"):
            for sequence in (4096, 16384):
                heads = 2048 // columns
                cases.append(("backward", 16384 // sequence, heads, heads, sequence, sequence, columns, mask))
    for columns in (128, 64):
        for mask in ("causal", "full"):
            for sequence in (4096, 16384):
                cases.append(("fp8", 16384 // sequence, 2048 // columns, 2048 // columns, sequence, sequence, columns, mask))
    for batch in (1, 16, 64):
        cases.append(("decode", batch, 64, 8, 1, 8192, 128, "full"))
    return cases


def attention_name(case):
    what, batch, heads, kv_heads, seq_q, seq_k, columns, mask = case
    return f"attention/{what}/{columns}/{mask}/{batch}x{heads}:{kv_heads}x{seq_q}x{seq_k}"


def reference_attention(q, k, v, causal):
    """Float64, of one sequence and one head."""
    s = (q.double() @ k.double().T) / math.sqrt(q.shape[-1])
    if causal:
        s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu(1 + s.shape[1] - s.shape[0]), -math.inf)
    return torch.softmax(s, -1) @ v.double()


# Operations of each kind of case; those of fp8 stand beside ours in bf16.
ATTENTION = {"forward": [f"attention/{s}" for s in ("specialized", "clustered", "tcgen05", "multistage")],
             "backward": [f"attention_backward/{s}" for s in ("fused", "specialized", "tcgen05", "multistage")],
             "fp8": ["attention/specialized", "attention/multistage"], "decode": ["attention/few_queries"]}


def attention_operations(library, case):
    """The library's operations for a case, the wanted types first."""
    what, columns, mask = case[0], *case[-2:]
    kinds = ("fp8_e4m3", "bf16") if what == "fp8" else ("bf16",)
    return [(name, kind) for kind in kinds for prefix in ATTENTION[what] for name in library.names
            if name.startswith(prefix + "/") and f"/{kind}/{columns}/{mask}" in name]


def has_attention(library, case):
    """Whether the library has what a case measures; a backward pass needs the forward pass, too."""
    named = attention_operations(library, case)
    if case[0] == "backward":
        return bool(named) and has_attention(library, ("forward", *case[1:]))
    return any(case[0] != "fp8" or kind == "fp8_e4m3" for _, kind in named)


def forward_of(library, backward):
    """The forward pass whose results a backward pass takes."""
    names = [re.sub("attention_backward/[a-z0-9]+", f"attention/{schedule}", backward) for schedule in ("specialized", "tcgen05", "multistage")]
    return next((name for name in names if name in library.names), names[-1])


def measure_attention(library, case, arguments):
    what, batch, heads, kv_heads, seq_q, seq_k, columns, mask = case
    causal = mask == "causal"
    make = lambda h, s: torch.randn(batch, h, s, columns, device="cuda", dtype=torch.bfloat16)
    one_set = 2 * columns * batch * (2 * heads * seq_q + 2 * kv_heads * seq_k) * (2 if what == "backward" else 1)
    sets = max(2, min(16, math.ceil(CACHE_BYTES / one_set)))
    data = [(make(heads, seq_q), make(kv_heads, seq_k), make(kv_heads, seq_k)) for _ in range(sets)]
    record = {"case": attention_name(case)}
    pairs = seq_q * seq_k if not causal else sum(min(seq_k, i + 1 + seq_k - seq_q) for i in range(seq_q))
    record["operations"] = (10.0 if what == "backward" else 4.0) * batch * heads * pairs * columns
    record["bytes"] = one_set
    if what == "fp8":
        record["type"] = "fp8"
    contenders = []
    kinds = {"fp8_e4m3": fp8_type() if what == "fp8" else None, "bf16": torch.bfloat16}
    for name, kind in attention_operations(library, case):
        options = [1]
        if what == "decode":
            options = [0] + [s for s in (1, 2, 4, 8, 16, 32, 64) if batch * kv_heads * s <= 1024]
        for splits in options:
            sizes = [batch, heads, kv_heads, seq_q, seq_k, columns, splits]
            starts, checked = [], None
            try:
                for q, k, v in data:
                    o = torch.full_like(q, math.nan)
                    lse = torch.full((batch, heads, seq_q), math.nan, device="cuda")
                    tensors = [*(x.to(kinds[kind]) for x in (q, k, v)), o, lse, library.workspace(name, sizes)]
                    if what == "backward":
                        library.prepare(forward_of(library, name), sizes, tensors)()
                        d_o = torch.randn_like(o)
                        tensors += [d_o] + [torch.full_like(x, math.nan) for x in (q, k, v)]
                    starts.append(library.prepare(name, sizes, tensors))
                    if checked is None:
                        checked = check_attention(starts[0], tensors, what, causal)
                label = name + (f" splits {splits or 'chosen'}" if what == "decode" else "")
                record.setdefault("errors", {})[label] = checked
                torch.cuda.synchronize()
                contend(contenders, "tegula " + label, starts, arguments)
            except RuntimeError as error:
                record.setdefault("failed", {})[name] = str(error)[:300]
    # PyTorch has no attention in fp8: ours in bf16 stands beside it.
    for name, attend in (attention_rivals(causal, heads != kv_heads, what) if what != "fp8" else {}).items():
        try:
            if what != "backward":
                starts = [lambda x=x: attend(*x) for x in data]
            else:
                starts = []
                stream = torch.cuda.Stream()
                for x in data:
                    with torch.cuda.stream(stream):
                        leaves = [t.detach().requires_grad_() for t in x]
                        o = attend(*leaves)
                        d_o = torch.randn_like(o)
                    starts.append(lambda o=o, l=leaves, d=d_o: torch.autograd.grad(o, l, d, retain_graph=True))
                stream.synchronize()
            contend(contenders, name, starts, arguments)
        except Exception as error:  # whatever PyTorch says of it
            record.setdefault("failed", {})[name] = str(error).splitlines()[0][:200]
    return finish(record, contenders, arguments)


def check_attention(start, tensors, what, causal):
    start()
    torch.cuda.synchronize()
    q, k, v, o = tensors[:4]
    group = q.shape[1] // k.shape[1]
    b, h = q.shape[0] - 1, q.shape[1] - 1
    if what != "backward":
        parts = [(q[b, h, -2048:], k[b, h // group], v[b, h // group], o[b, h, -2048:])]
        error = max(relative_error(x[3], reference_attention(*x[:3], causal)) for x in parts)
        return {"o": error, "all written": bool(torch.isfinite(o).all())}
    d_o, dq, dk, dv = tensors[6:10]
    if q.shape[2] > 8192:
        return {"all written": bool(torch.isfinite(dq).all() and torch.isfinite(dk).all() and torch.isfinite(dv).all())}
    leaves = [x[b, h].double().requires_grad_() for x in (q, k, v)]
    gradients = torch.autograd.grad(reference_attention(*leaves, causal), leaves, d_o[b, h].double())
    return {name: relative_error(x[b, h], g) for name, x, g in zip(("dq", "dk", "dv"), (dq, dk, dv), gradients)}


# Rows


def row_functions():
    norm, rms = torch.nn.functional.layer_norm, torch.nn.functional.rms_norm
    return {
        "softmax": (2, lambda x, r: torch.softmax(x, -1)),
        "layernorm": (2, lambda x, r: norm(x, x.shape[-1:])),
        "rmsnorm": (2, lambda x, r: rms(x, x.shape[-1:], eps=1e-5)),
        "transpose": (2, lambda x, r: x.t().contiguous()),
        "sum_of_rows": (1, lambda x, r: x.sum(-1)),
        "add": (3, lambda x, r: x + r),
    }


def measure_rows(library, name, rows, columns, arguments):
    passes, function = row_functions()[name]
    record = {"case": f"{name}/bf16/{rows}x{columns}", "bytes": passes * rows * columns * 2}
    sets = max(2, math.ceil(CACHE_BYTES / (rows * columns * 2)))
    data = [[torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(2)] for _ in range(sets)]
    contenders = []
    try:
        outputs = [torch.full((rows, columns), math.nan, device="cuda", dtype=torch.bfloat16) for _ in data]
        starts = [library.prepare(f"{name}/bf16", [rows, columns], [x, y, r]) for (x, r), y in zip(data, outputs)]
        starts[0]()
        torch.cuda.synchronize()
        expected = function(data[0][0].double(), data[0][1].double())
        found = outputs[0].flatten()[: expected.numel()].view(expected.shape)
        record["errors"] = {"tegula": relative_error(found, expected)}
        contend(contenders, "tegula", starts, arguments)
    except RuntimeError as error:
        record.setdefault("failed", {})["tegula"] = str(error)[:300]
    contend(contenders, "pytorch", [lambda x=x, r=r: function(x, r) for x, r in data], arguments)
    try:
        compiled = torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
        contend(contenders, "inductor", [lambda x=x, r=r: compiled(x, r) for x, r in data], arguments)
    except Exception as error:
        record.setdefault("failed", {})["inductor"] = str(error).splitlines()[0][:200]
    for rival, run in row_rivals(name, columns).items():
        try:
            contend(contenders, rival, [lambda x=x: run(x) for x, _ in data], arguments)
        except Exception as error:  # whatever the package says of it
            record.setdefault("failed", {})[rival] = str(error).splitlines()[0][:200]
    if arguments.once:
        return finish(record, contenders, arguments)
    targets = [torch.empty_like(x) for x, _ in data]
    contenders.append(Contender("copy", [lambda x=x, t=t: t.copy_(x) for (x, _), t in zip(data, targets)], arguments.seconds))
    record = finish(record, contenders, arguments)
    record["contenders"]["copy"]["rate"] = 2 * rows * columns * 2 / record["contenders"]["copy"]["seconds"]
    return record


def results_in(file):
    results = []
    if os.path.exists(file):
        with open(file) as lines:
            for line in lines:
                try:
                    results.append(json.loads(line))
                except ValueError:
                    pass  # half a line, of a process that was killed
    return [r for r in results if "case" in r]


def all_work(library, arguments):
    """Name of each case, a function that gives its record, and whether the library has an operation for it."""
    work = [(attention_name(case), lambda case=case: measure_attention(library, case, arguments), has_attention(library, case))
            for case in attention_cases()]
    for rows, columns in ((65536, 8192), (16384, 8192), (32768, 1024)):
        work += [(f"{name}/bf16/{rows}x{columns}", lambda a=(name, rows, columns): measure_rows(library, *a, arguments),
                  f"{name}/bf16" in library.names) for name in row_functions()]
    few = (Path(__file__).resolve().parent / "bench_gemm").exists()
    return work + gemm_work(library, arguments, few) + form_work(library, arguments)


# Families whose kernels are timed as operations of another name (library/rows.hpp), or do nothing but start.
TIMED_OTHERWISE = {"rows", "shapes", "launches"}


def forms_without_operation(arch):
    """FAMILY/FORM of an architecture's checked kernels of which no tile has an operation, by kernels.json."""
    here = Path(__file__).resolve().parent
    file = next((file for file in (here / "kernels.json", here.parents[1] / "kernels.json") if file.exists()), None)
    checked, timed = {}, set()
    for row in json.loads(file.read_text()) if file else []:
        if arch in row["target"].split() and row["family"] not in TIMED_OTHERWISE:
            forms = [f"{row['family']}/{form}" for form in row.get("form", "plain").split()]
            timed |= set(forms) if "bench" in row["in"].split() else set()
            timed |= {"gemm/stream_k"} & {form.replace("split", "stream") for form in timed}  # as bench_gemm has both
            checked |= dict.fromkeys(forms if "check" in row["in"].split() else [])
    return [form for form in checked if form not in timed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.02, help="GPU time of a replay")
    parser.add_argument("--warm", type=float, default=0.3, help="seconds until the clock has settled")
    parser.add_argument("--until", type=float, default=3600, help="seconds after which no case is begun")
    parser.add_argument("--shape", action="append", default=[], metavar="MxNxK", help="of GEMM, instead of the list")
    parser.add_argument("--once", action="store_true", help="start each contender once, for a profiler")
    parser.add_argument("--contender", action="append", default=[], metavar="NAME", help="only these, as the results name them")
    parser.add_argument("--begin", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if wrong := [shape for shape in arguments.shape if not re.fullmatch(r"[1-9]\d*x[1-9]\d*x[1-9]\d*", shape)]:
        parser.error(f"--shape is {wrong[0]}; write m, n and k, as 4096x4096x4096")
    torch.backends.cudnn.benchmark = True
    library = Library(arguments.library)
    begin = arguments.begin or time.time()
    done = set() if arguments.once else {r["case"] for r in results_in(arguments.out)}
    status = 0
    with open(arguments.out, "a") as out:

        def write(record):
            out.write("\n" + json.dumps(record) + "\n")  # behind what may be half a line
            out.flush()

        work = [case for case in all_work(library, arguments) if re.search(arguments.only, case[0])]
        if left := [name for name, _, is_there in work if not is_there]:
            print(f"left out: {len(left)} cases of {len(work)}, as the library has no operation for them; the first is {left[0]}", flush=True)
        arch = re.search(r"(sm_\w+|gfx\w+)\.so", arguments.library)
        if forms := [form for form in forms_without_operation(arch[1] if arch else "") if re.search(arguments.only, form)]:
            print(f"not timed: {', '.join(forms)}, for which the library has no operation", flush=True)
        for name, run, is_there in work:
            if name in done or not is_there:
                continue
            if time.time() - begin > arguments.until:
                print("the time is over")
                status += 4
                break
            write({"start": name})
            try:
                record = run()
            except Exception as error:
                record = {"case": name, "failed": {"": repr(error)[:400]}}
            record["wrong"] = wrong_in(record)
            write(record)
            unit = 1e12 if "operations" in record else 1e9
            parts = [f"{n} {c['rate'] / unit:.1f}" for n, c in record.get("contenders", {}).items()]
            print(record["case"], "|", "; ".join(parts), record.get("errors", ""), record.get("failed", ""), flush=True)
            try:
                torch.cuda.empty_cache()
            except RuntimeError:  # the GPU's context is lost: the rest needs another process
                os.execv(sys.executable, [sys.executable, *sys.argv, "--begin", str(begin)])
    return status + any(r.get("wrong") for r in results_in(arguments.out))


if __name__ == "__main__":
    sys.exit(main())
