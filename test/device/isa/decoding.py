"""Records of instructions, as the C machine runs them (struct instruction of machine.h)."""

import re

from memory_decoding import MemoryDecoder
from operands import ROW, SELECT, TEMPORARY, Operand, operand, register
from operations import Unknown

# Instructions that change no value here. Those that set the mode register are refused instead, but for s_set_vgpr_msb of
# gfx1250, by which registers past 255 are named: llvm-objdump names these whole. A wait for addresses to be translated is
# for hardware, which reads their registers late. Here they are read when the request is made.
IGNORED = re.compile(r"v_nop$|s_(nop|clause|delay_alu|setprio|sleep|set_inst_prefetch_distance|inst_prefetch|waitcnt_depctr|"
                     r"wait_alu|wait_expcnt|wait_xcnt|set_vgpr_msb|code_end|sendmsg|icache_inv|dcache_inv)$|"
                     r"(buffer|global)_(gl[01]_inv|inv|wb|wbl2|wbinvl1\w*|wbinv)$")


def base_name(name):
    """Without its encoding."""
    return re.sub(r"(_e32|_e64|_dpp|_sdwa|_e64_dpp|_dpp8)+$", "", name).replace("v_dual_", "v_")


def is_moved(instruction):
    """Whether its first source comes from other lanes."""
    return "_dpp" in instruction.name


def record_count(instruction):
    return 4 if instruction.pair else 3 if is_moved(instruction) else 1


def operation_names(instruction):
    """Names of the instruction's operations that AMD's pseudo-code may have; a dual instruction has two."""
    names = [base_name(part.name) for part in (instruction, instruction.pair) if part]
    return [name for name in names if name.startswith(("v_", "s_"))]


class Decoder(MemoryDecoder):
    """Records of all of a code object's instructions."""

    def decode(self, instruction, index_of):
        """Records of one instruction; index_of gives a record's index by address."""
        if instruction.pair:
            return self.pair(instruction)
        name = base_name(instruction.name)
        return self.moved(instruction, name) if is_moved(instruction) else [self.one(instruction, name, index_of)]

    def one(self, instruction, name, index_of):
        if IGNORED.match(name):
            return self.record("nothing", instruction, [])
        for prefix, method in (("s_wait", self.wait), ("s_load_", self.scalar_load),
                               ("s_buffer_load_", self.scalar_load), ("ds_", self.shared),
                               ("global_", self.global_), ("buffer_", self.buffer), ("v_mfma_", self.mfma),
                               ("v_wmma_", self.wmma)):
            if name.startswith(prefix):
                return method(instruction, name)
        if name in ("s_branch",) or name.startswith("s_cbranch_"):
            x = self.record(name, instruction, {"vcc": ["vcc"], "exe": ["exec"]}.get(name[10:13], []))
            offset = int(instruction.operands[0], 0) & 0xffff
            target = instruction.address + 4 + 4 * (offset - (offset >> 15 << 16))
            if target not in index_of:
                raise Unknown(f"{instruction.whole}: a branch to {target:#x}")
            x.par[0] = index_of[target]
            return x
        if name in ("s_endpgm", "s_trap"):
            return self.record(name, instruction, [])
        if name in ("s_barrier", "s_barrier_signal", "s_barrier_wait"):
            if name != "s_barrier" and instruction.operands[0] not in ("-1", "0xffff"):
                raise Unknown(instruction.whole)
            return self.record({"s_barrier": "barrier"}.get(name, name[2:]), instruction, [])
        if instruction.whole.startswith("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), "):
            return self.record("nothing", instruction, [])
        if instruction.whole.endswith("hwreg(HW_REG_IB_STS2, 6, 4)"):
            x = self.record("cluster_size", instruction, [])
            x.d = operand(instruction.operands[0])
            return x
        return self.arithmetic(instruction, name)

    # Matrix products

    def mfma_small(self, instruction, rows, depth, scaled):
        """f8f6f4, whose cbsz and blgp are the types of A and B and whose op_sel chooses the bytes of the scales."""
        operands = instruction.operands
        if set(instruction.modifiers) - {"cbsz", "blgp", "op_sel", "op_sel_hi"}:
            raise Unknown(instruction.whole)
        types = [int(instruction.modifiers.get(key, "0")) for key in ("cbsz", "blgp")]
        if len(operands) != (6 if scaled else 4) or max(types) > 4:
            raise Unknown(instruction.whole)
        x = self.record("mfma_small", instruction, operands)
        x.d = operand(operands[0])
        for i, text in enumerate(operands[1:5]):
            x.s[i] = operand(text, "f32" if i < 3 else "i32")
        low, high = (instruction.numbers(key, [0, 0, 0]) for key in ("op_sel", "op_sel_hi"))
        x.par[:9] = [rows, depth, 1, *types, 0, int(scaled), low[0] + 2 * high[0], low[1] + 2 * high[1]]
        if scaled:
            x.d1 = operand(operands[5], "i32")
        return x

    def mfma(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        small = re.match(r"v_mfma_(scale_)?f32_(16x16x128|32x32x64)_f8f6f4$", name)
        if small:
            return self.mfma_small(instruction, *((16, 128) if small[2] == "16x16x128" else (32, 64)), bool(small[1]))
        match = re.match(r"v_mfma_(f32|i32|f64)_(\d+)x\2x(\d+)_?(?:\d+b_)?(f32|xf32|f16|bf16|i8|f64|fp8_fp8|fp8_bf8|"
                         r"bf8_fp8|bf8_bf8)(?:_1k)?$", name)
        if not match or any(key in mods for key in ("cbsz", "abid", "blgp", "neg")):
            raise Unknown(instruction.whole)
        result, rows, depth, kinds = match.groups()
        rows, depth = int(rows), int(depth)
        count = register(operands[0])[2]
        if result == "f64" and rows != 16:
            raise Unknown(instruction.whole)
        x = self.record("mfma_f64" if result == "f64" else "mfma", instruction, operands)
        x.d = operand(operands[0])
        for i in range(3):
            x.s[i] = operand(operands[1 + i], "f32" if result != "i32" else "i32")
        fnuz = 2 if self.arch in ("gfx940", "gfx941", "gfx942") else 0
        types = {"f32": 0, "xf32": 0, "f16": 1, "bf16": 2, "i8": 3, "fp8": 5 + fnuz, "bf8": 6 + fnuz, "f64": 9}
        kinds = kinds.split("_")
        blocks = 16 if rows == 4 else 64 * count // rows**2
        x.par[:6] = [rows, depth, blocks, types[kinds[0]], types[kinds[-1]], int(result == "i32")]
        return x

    def wmma(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        match = re.match(r"v_wmma_(f32|f16|bf16|i32)_16x16x(4|16|32|64|128)_(f32|f16|bf16|iu8|fp8_fp8|fp8_bf8|bf8_fp8|bf8_bf8)$",
                         name)
        if not match:
            raise Unknown(instruction.whole)
        x = self.record("wmma", instruction, operands)
        x.d = operand(operands[0])
        low, high = (instruction.numbers(key, [0, 0, 0]) for key in ("neg_lo", "neg_hi"))
        result, depth, kinds = match.group(1), int(match.group(2)), match.group(3).split("_")
        integers = kinds[0] == "iu8"
        for i in range(3):
            x.s[i] = operand(operands[1 + i], "i32" if integers else "f32")
            if not integers:
                x.s[i].negate, x.s[i].negate_high = low[i], high[i]
        types = {"f32": 0, "f16": 1, "bf16": 2, "fp8": 5, "bf8": 6}
        a, b = ((3 if low[i] else 4 for i in range(2)) if integers else (types[kinds[0]], types[kinds[-1]]))
        x.s[2].low_from_high = instruction.numbers("op_sel", [0, 0, 0])[2]
        x.clamp = int("clamp" in mods)
        bits = 16 if result in ("f16", "bf16") else 32
        # gfx11 has all of k in a lane; gfx12 8 at a time in either half of the lanes, gfx1250 16 bytes.
        run = {11: depth, 12: 8}.get(self.generation) or {0: 2, 1: 8, 2: 8}.get(a, 16)
        x.par[1], x.par[2] = depth, run
        x.par[3:9] = [a, b, int(integers), int(self.generation), bits, int(result == "bf16")]
        return x

    # Arithmetic

    def pair(self, instruction):
        """Two operations at once: the first writes a temporary row."""
        first, second = instruction, instruction.pair
        destination = first.operands[0]
        before = self.record("before_pair", instruction, first.operands + second.operands)
        after = self.record("after_pair", instruction, [], 0)
        before.s[0] = after.s[0] = operand(destination)
        records = [before]
        for part in (first, second):
            x = self.arithmetic(part, base_name(part.name))
            x.counts, x.reads = 0, 0
            records.append(x)
        records[1].d.base = TEMPORARY + 2 * ROW
        return [*records, after]

    def moved(self, instruction, name):
        """An operation whose first source comes from other lanes."""
        mods = dict(instruction.modifiers)
        kinds = {"quad_perm": 0, "row_shl": 1, "row_shr": 2, "row_ror": 3, "row_share": 4, "row_newbcast": 4,
                 "row_xmask": 5, "row_mirror": 6, "row_half_mirror": 7, "row_bcast": 8}
        control = next((key for key in kinds if key in mods), None)
        if control is None or "fi" in mods:
            raise Unknown(instruction.whole)
        number = (sum(x << 2 * i for i, x in enumerate(instruction.numbers("quad_perm", []))) if control == "quad_perm"
                  else int(mods.get(control, "0"), 0))
        kind = 9 if control == "row_bcast" and number == 31 else kinds[control]
        source = instruction.operands[2 if name.startswith("v_") and "_co_" in name else 1]
        moves = self.record("lane_moves", instruction, instruction.operands)
        moves.s[0] = operand(source)
        moves.par[:5] = [kind, number, int(mods.get("row_mask", "0xf"), 0), int(mods.get("bank_mask", "0xf"), 0),
                         int("bound_ctrl" in mods)]
        behind = self.record("moved_lanes", instruction, [], 0)
        x = self.arithmetic(instruction, name)
        x.s[0].base, x.counts, x.reads = TEMPORARY, 0, 0
        return [moves, behind, x]

    def arithmetic(self, instruction, name):
        operands, mods = list(instruction.operands), instruction.modifiers
        if name == "v_bitop2_b32":  # of a pair: v_bitop3_b32 whose third operand is 0
            name = "v_bitop3_b32"
            operands.append("0")
        special = self.special(instruction, name)
        operation = None
        if special:
            function, par, kinds, results = special
        else:
            operation = self.operations[name]
            if isinstance(operation, Unknown):
                raise operation
            function, par = operation.function, []
            results = (["d"] if "D0" in operation.writes else []) + (["d1"] if "VCC" in operation.writes else [])
            kinds = [self.kind(operation, s) for s in operation.sources]
            takes_mask = "VCC" in operation.uses and ("VCC" not in operation.writes or self.reads_carry(name))
            if operation.is_vector and takes_mask:
                kinds.append("u64")
                if len(operands) < len(results) + len(kinds):
                    operands.append("vcc")
        if len(operands) != len(results) + len(kinds):
            raise Unknown(f"{instruction.whole}: {len(results)} results and {len(kinds)} sources expected")
        x = self.record(function, instruction, operands)
        x.d = x.d1 = Operand(base=-1)
        for name_, text in zip(results, operands):
            setattr(x, name_, operand(text))
        for i, (kind, text) in enumerate(zip(kinds, operands[len(results):])):
            x.s[i] = operand(text, kind)
        x.par[:len(par)] = par
        self.modify(x, instruction, operation, len(kinds))
        return x

    def reads_carry(self, name):
        return bool(re.search(r"addc|subb|_co_ci_|addc_co|subb_co", name))

    @staticmethod
    def kind(operation, source):
        kind = operation.types.get(source, "u32")
        if not operation.is_packed(source):
            return "u64" if operation.uses[source] > 32 and kind[0] in "bu" else kind
        return "packed f32" if operation.words(source) == 2 else "packed f16"

    def special(self, instruction, name):
        """(C function, numbers, kinds of sources, results) of operations in lanes.c."""
        one, two, three = ["u32"], ["f32"] * 2, ["f32"] * 3
        fnuz = int(self.arch == "gfx942")
        fixed = {"v_readfirstlane_b32": one, "v_readlane_b32": one * 2, "v_writelane_b32": one * 2,
                 "v_perm_b32": one * 3, "v_pk_mov_b32": ["packed f32"] * 2, "v_min_f32": two, "v_max_f32": two,
                 "v_min_num_f32": two, "v_max_num_f32": two, "v_med3_f32": three, "v_div_fixup_f32": three,
                 "v_fma_mix_f32": three, "v_fma_mixlo_f16": three, "v_fma_mixhi_f16": three}
        fixed["v_med3_num_f32"], fixed["v_med3_i32"], fixed["v_med3_u32"] = three, one * 3, one * 3
        if name in fixed:
            return name.replace("v_med3_num", "v_med3"), [], fixed[name], ["d"]
        if name in ("v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"):
            return "v_accvgpr", [], one, ["d"]
        if name in ("v_mad_u64_u32", "v_mad_co_u64_u32"):
            return "v_mad_u64_u32", [], ["u32", "u32", "u64"], ["d", "d1"]
        if name in ("v_mad_i64_i32", "v_mad_co_i64_i32"):
            return "v_mad_i64_i32", [], ["u32", "u32", "u64"], ["d", "d1"]
        if name == "v_div_scale_f32":
            return name, [], three, ["d", "d1"]
        match = re.match(r"v_cvt_(pk_)?(fp8|bf8)_f32$", name)
        if match and match.group(1):
            return "v_cvt_pk_8_f32", [4 if match.group(2) == "fp8" else 5, fnuz], two, ["d"]
        match = re.match(r"v_cvt_(pk_)?f32_(fp8|bf8)$", name)
        if match:
            function = "v_cvt_pk_f32_8" if match.group(1) else "v_cvt_f32_8"
            return function, [4 if match.group(2) == "fp8" else 5, fnuz], one, ["d"]
        if name == "v_sub_u16" and "clamp" in instruction.modifiers:
            return "v_sub_u16_clamped", [], ["u32"] * 2, ["d"]
        if name == "v_bitop3_b32":
            return name, [int(instruction.modifiers.get("bitop3", "0"), 0)], one * 3, ["d"]
        scaled = re.match(r"v_cvt_scalef32_pk_(fp8|bf8|fp4)_f32$", name)
        if scaled:
            third, fourth = (instruction.numbers("op_sel", [0] * 4))[2:]
            place = 16 * fourth if scaled[1] != "fp4" else 8 * (third + 2 * fourth)
            return "v_cvt_scaled_pair", [{"fp8": 0, "bf8": 1, "fp4": 4}[scaled[1]], place], ["f32", "f32", "u32"], ["d"]
        if name in ("v_permlane16_b32", "v_permlanex16_b32"):
            select = instruction.numbers("op_sel", [0, 0])
            return "v_permlane", [int("x16" in name), select[0], select[1]], one * 3, ["d"]
        if name in ("v_permlane16_swap_b32", "v_permlane32_swap_b32"):
            return "v_permlane_swap", [int(name[10:12])], [], ["d", "d1"]
        return None

    def modify(self, x, instruction, operation, sources):
        """Modifiers behind the operands."""
        mods, name = instruction.modifiers, base_name(instruction.name)
        known = {"bitop3", "clamp", "mul", "div", "op_sel", "op_sel_hi", "neg_lo", "neg_hi", "dst_sel", "dst_unused", "src0_sel",
                 "src1_sel", "row_mask", "bank_mask", "bound_ctrl", "quad_perm", "row_shl", "row_shr", "row_ror",
                 "row_share", "row_newbcast", "row_xmask", "row_bcast", "row_mirror", "row_half_mirror"}
        if set(mods) - known:
            raise Unknown(f"{instruction.whole}: {', '.join(set(mods) - known)}")
        result = operation.types.get("D0", "u32") if operation else "f32"
        if "clamp" in mods and result not in ("f32", "f16"):
            raise Unknown(f"{instruction.whole}: clamped integers")
        if operation and operation.packed and "clamp" in mods:
            raise Unknown(instruction.whole)
        x.clamp = int("clamp" in mods)
        x.scale = {"2": 1, "4": 2}.get(mods.get("mul"), 3 if "div" in mods else 0)
        x.keeps_half = int(self.generation > 9)
        sdwa = "dst_sel" in mods
        if sdwa:
            x.d.select = SELECT[mods["dst_sel"]]
            x.keeps_half = int(mods.get("dst_unused") == "UNUSED_PRESERVE")
        for i in range(sources):
            if f"src{i}_sel" in mods:
                x.s[i].select = SELECT[mods[f"src{i}_sel"]]
                x.s[i].modifies = 1
        packed = operation is not None and operation.packed
        mixed = name.startswith("v_fma_mix")
        select = instruction.numbers("op_sel", [0] * 4)
        if packed or mixed or name == "v_pk_mov_b32":
            high = instruction.numbers("op_sel_hi", [0 if mixed else 1] * 3)
            low_sign, high_sign = (instruction.numbers(key, [0] * 3) for key in ("neg_lo", "neg_hi"))
            for i in range(sources):
                x.s[i].low_from_high, x.s[i].high_from_high = select[i], (high + [1, 1, 1])[i]
                # gfx1250 reads one word of a scalar for both halves: compilers ask for the low one.
                if (self.generation == 12.5 and name.endswith("_f32") and not mixed and x.s[i].base >= 0 and
                        not x.s[i].is_vector and (x.s[i].low_from_high or x.s[i].high_from_high)):
                    raise Unknown(f"{instruction.whole}: the high word of a scalar")
                if packed:
                    x.s[i].negate ^= (low_sign + [0] * 3)[i]
                    x.s[i].negate_high ^= (high_sign + [0] * 3)[i]
                else:
                    x.s[i].negate_high = x.s[i].absolute
                if name == "v_pk_mov_b32":  # the halves' places are op_sel's alone
                    x.s[i].high_from_high = select[i]
        elif "op_sel" in mods and "permlane" not in name and "scalef32" not in name:
            for i in range(sources):
                if select[i]:
                    x.s[i].select, x.s[i].modifies = 2, 1
            if len(select) > sources and select[sources]:
                x.d.select, x.keeps_half = 2, 1
