"""Reads from its mangled name what a kernel of test/device/attention_*.cpp is; and the targets that these files name."""

import re

from _targets import FOLDER, targets_of

# By the class that a __global__ function runs: what it computes.
FORMS = {
    "attention_kernel": "forward", "warp_specialized_attention": "forward", "tcgen05_attention": "forward",
    "attention_split_kernel": "shares", "warp_specialized_latent_attention": "shares", "combine_splits": "sum",
    "append_kernel": "append",
    "attention_output_sums": "sums", "attention_key_gradients": "keys", "attention_query_gradients": "queries",
    "attention_bias_gradients": "bias", "attention_sink_gradients": "sinks", "tcgen05_attention_gradients": "keys",
    "warp_specialized_attention_gradients": "keys", "tensor_copy_query_gradients": "dq",
    "attention_query_gradient_rows": "dq"}
TYPES = {"half": "f16", "bfloat16": "bf16", "float8_e4m3": "f8e4m3", "float8_e4m3_fnuz": "f8e4m3fnuz",
         "float8_e5m2": "f8e5m2", "float8_e5m2_fnuz": "f8e5m2fnuz"}
CONSUMER_ROWS = {"warp_specialized_attention": 64, "tcgen05_attention": 128}  # queries
PIECE = 16  # the fewest keys of a page that tensor copies take; divides the keys of each tile
MASKS, BIASES = ("none", "band", "lists", "boolean"), ("none", "tensor", "alibi")

CLASS = re.compile(r"_ZN6tegula\d+[a-z][a-z0-9_]*?INS_(\d+)")
# The lengths of a tile: of kernels that one loop has, of those by tensor copies, of gradients by these.
TILES = ((re.compile(r"\dattention_tileI.*?((?:Li\d+E)+)LNS_\d+query_placeE"), ("rows", "columns", "head", "value")),
         (re.compile(r"\dcpu_attention_tileI.*?((?:Li\d+E)+)E"), ("rows", "columns", "head", "value")),
         (re.compile(r"\dattention_gradient_tileI.*?((?:Li\d+E)+)LNS_\d+query_placeE"),
          ("rows", "columns", "head", "value")),
         (re.compile(r"\d(?:tcgen05|warp_specialized)_attention_tileI.*?_formatEEE((?:Li\d+E)+)"),
          ("columns", "head", "value", "consumers", "stages")),
         (re.compile(r"\dtcgen05_gradient_tileI.*?_formatEEE((?:Li\d+E)+)"), ("head", "value", "stages", "chunk")),
         (re.compile(r"\dwarp_specialized_gradient_tileI.*?_formatEEE((?:Li\d+E)+)"),
          ("head", "value", "stages", "columns", "chunk", "rows")),
         (re.compile(r"\d(?:attention_output_sums|append_kernel)I.*?_formatEEE(Li\d+E)"), ("value",)),
         (re.compile(r"\dattention_output_sumsI.*(Li\d+E)Li\d+EE+vN"), ("rows",)),
         (re.compile(r"\dcombine_splitsI.*(Li\d+E)E+vN"), ("value",)))
FORMAT = re.compile(r"\d([a-z][a-z0-9_]*?)_formatE")
VARIANT = re.compile(r"NS_\d+attention_variantILNS_\d+attention_maskE(\d)ELNS_\d+attention_biasE(\d)ELNS_\d+"
                     r"attention_weightsE(\d)ELNS_\d+attention_cacheE(\d)ELNS_\d+attention_headsE(\d)EE")
OUTPUT = re.compile(r"(f|S[0-9A-Z]*_|(?:NS_\d+small_float|S[0-9A-Z]*_)INS_\d+([a-z0-9_]+)_formatEEE)$")


class Kernel:
    """Its form, the type of its inputs and of O, its tile's lengths, and what its variant changes."""

    def __init__(self, symbol):
        self.symbol = symbol
        at = CLASS.match(symbol)
        of = symbol[at.end():at.end() + int(at[1])] if at else ""
        if of not in FORMS:
            raise ValueError(f"no check knows what the kernel {symbol} is")
        self.form, self.by_roles = FORMS[of], of.startswith(("warp_specialized", "tcgen05", "tensor_copy"))
        self.type = TYPES[FORMAT.search(symbol)[1]]
        for pattern, names in TILES:
            if match := pattern.search(symbol):
                self.__dict__.update(zip(names, (int(x) for x in re.findall(r"\d+", match[1]))))
        if of == "warp_specialized_latent_attention":  # whose tile has no lengths in its name
            self.rows, self.columns, self.head, self.value = 64, 64, 576, 512
        self.is_square = "tcgen05_square_gradient_tile" in symbol
        if self.is_square:
            self.rows, self.columns, self.head, self.value, self.stages = 128, 128, 128, 128, 2
        clusters = re.search(r"_attention_tileI.*?_exponentialsELi(\d)E", symbol)
        self.cluster = int(clusters[1]) if clusters else 1  # blocks that share copies
        self.scaled_cache = of == "warp_specialized_latent_attention" and "float8_e4m3_format" in symbol
        self.adds_dq = self.is_square or bool(
            re.search(r"_gradient_tileI.*?(?:_formatEEE|query_placeE\dE)(?:Li\d+E)+Lb1E", symbol))
        variant = VARIANT.search(symbol)
        mask, bias, dropout, *_ = (int(x) for x in variant.groups()) if variant else (0, 0, 0)
        self.mask, self.bias, self.dropout = MASKS[mask], BIASES[bias], bool(dropout)
        cache = int(variant[4]) if variant else 0
        self.paged, self.paged_by_key, self.packed = cache != 0, cache == 2, bool(variant and variant[5] == "1")
        self.soft_cap, self.documents = "8soft_cap" in symbol, "13same_document" in symbol
        self.any_length = not self.by_roles or "attention_sequencesE1" in symbol
        output = OUTPUT.search(symbol[:variant.start()]) if variant else None
        self.output = "f32" if output and output[1] == "f" else TYPES[output[2]] if output and output[2] else self.type
        if "consumers" in self.__dict__:
            self.rows = self.consumers * CONSUMER_ROWS[of]
        self.results = self.gradients(of)

    def gradients(self, of):
        """The gradients that it computes; sets the form where the class alone does not tell it."""
        if self.by_roles and self.form in ("keys", "dq"):
            self.rows, self.columns = self.__dict__.get("rows", 128), self.__dict__.get("columns", 64)
        if of in ("tcgen05_attention_gradients", "warp_specialized_attention_gradients"):
            self.form = ("keys", "queries")[int(re.search(r"attention_kept_rowsE(\d)", self.symbol)[1])]
            of_bias = ("dbias",) if self.bias == "tensor" and (self.adds_dq or self.form == "queries") else ()
            return (("dK", "dV") if self.form == "keys" else ("dQ",)) + of_bias
        if self.form == "dq":
            return ("dQ",)
        if of == "attention_key_gradients":
            part = int(re.search(r"attention_key_partE(\d)", self.symbol)[1])
            self.form = "values" if part == 2 else "keys"
            of_bias = ("dbias",) if self.adds_dq and self.bias == "tensor" else ()
            return (("dK", "dV"), ("dK",), ("dV",))[part] + of_bias
        if of == "attention_query_gradients":  # dbias, too, unless its sums have a fixed order
            return ("dQ", "dbias") if self.bias == "tensor" and re.search(r"Lb1EE+vN", self.symbol) else ("dQ",)
        return ("dbias",) if of == "attention_bias_gradients" else ()

    @property
    def page(self):
        """Keys of the pages that it is given: a tile's, or fewer where pages need not have a whole tile."""
        in_pieces = self.by_roles and self.form in ("forward", "shares") and not self.scaled_cache
        return 5 if self.paged_by_key else PIECE if in_pieces else self.columns

    def changes(self):
        """The changes of its scores, in a reader's words."""
        named = [self.mask if self.mask != "none" else "", {"none": "", "tensor": "bias", "alibi": "slopes"}[self.bias],
                 "dropout" if self.dropout else "", "soft cap" if self.soft_cap else "",
                 "documents" if self.documents else ""]
        return ", ".join(x for x in named if x)

    def of(self):
        return f"{self.type} {self.head}/{self.value} {self.changes()}".strip()

    def __str__(self):
        return f"{self.form} {self.of()}"


def attention_files(vendor, full):
    """(name, target) of the sources of attention for targets that begin so: those that every run compiles, or all."""
    return [(source.stem, target) for source in sorted(FOLDER.glob("attention_*.cpp"))
            for target in targets_of(source.stem, full) if target.startswith(vendor)]
