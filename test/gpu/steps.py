"""Steps of `./dev gpu`, the most important first."""

CHECKS = ["{python}", "{here}/run_checks.py", "{here}/gpu_checks", "--out", "{out}", "--until", "{seconds}", "--silence", "{silence}",
          "--skip", "{wrong}", "--shards", "{shards}", "--"]
BENCH = ["{python}", "{here}/bench.py", "{here}/{library}", "--out", "{out}/bench.jsonl", "--until", "{seconds}"]
GEMM = ["{python}", "{here}/one_by_one.py", "{here}/bench_gemm", "--out", "{out}/gemm.jsonl", "--until", "{seconds}", "--limit", "{silence}"]
PROFILE = ["{python}", "{here}/profile_worst.py", "{here}/{library}", "--results", "{results}", "--out", "{out}/profile.jsonl",
           "--until", "{seconds}"]

# A kernel of each mechanism: matrix instructions of a warp and of a wave, wgmma, multicast in clusters, stream-K, attention, rows.
SMOKE = (r" bf16 (t64x64 kk|t128x128 k[kr]|t256x256 kk|ws64x128( split_k)? kk|ws128x128 kk|ws128x256_2x1 k[kr]|ws64x128 stream|tc128x128 kk|append 64)| f16 attention 128 causal"
         r"| bf16 specialized 128 causal| bf16 normalizations|function objects|graph")

ROWS = "(softmax|layernorm|rmsnorm|transpose|sum_of_rows|add)/"

# stage, name, seconds it may take, what it needs, command. The last step of `check` is run in rounds until the time is over.
STEPS = [
    ("smoke", "smoke.checks", 120, "gpu_checks", CHECKS + ["--small", "--only", "{only:" + SMOKE + "}"]),
    ("smoke", "smoke.bench", 120, "{library} torch", BENCH + ["--rounds", "3", "--only", "{only:^softmax/bf16/32768x1024}"]),
    ("check", "check.small", 420, "gpu_checks", CHECKS + ["--small", "--only", "{only}"]),
    ("bench", "bench.rows", 240, "{library} torch", BENCH + ["--only", "{only:^" + ROWS + "}"]),
    ("bench", "bench.attention", 420, "{library} torch", BENCH + ["--only", "{only:^attention}"]),
    ("bench", "bench.products", 420, "{library} torch", BENCH + ["--only", "{only:^gemm/}"]),
    ("bench", "bench.forms", 420, "{library} torch", BENCH + ["--only", "{only:^(?!attention|gemm|" + ROWS + ")}"]),
    ("bench", "bench.gemm", 420, "bench_gemm", GEMM + ["--only", "{only}"]),
    ("check", "check.large", 600, "gpu_checks", CHECKS + ["--only", "{only}"]),
    ("profile", "profile", 300, "{library} torch ncu|rocprofv3", PROFILE),
    ("check", "check.seeds", 600, "gpu_checks", CHECKS + ["--seeds", "{round}:1", "--only", "{only}"]),
]


def table(arch, silence):
    """steps.json for one architecture. silence: seconds without a result after which a check or a case hangs."""
    library = f"libtegula_{arch}.so"
    steps = [{"stage": stage, "name": name, "limit": limit, "needs": needs.replace("{library}", library).split(),
              "silence": 3 * silence if stage in ("bench", "profile") or name == "smoke.bench" else 0,
              "rounds": "{round}:1" in command,
              "command": [word.replace("{library}", library).replace("{silence}", str(silence)) for word in command]}
             for stage, name, limit, needs, command in STEPS]
    return {"arch": arch, "steps": steps}
