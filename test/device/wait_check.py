"""Finds memory accesses of AMD machine code that nothing waits for. No emulator of the instructions sees them, because there
each access is done at once.

For every instruction of a kernel the check knows which accesses may be outstanding on some way there, and after how many
later ones of the same queue (_wait_model.py). It reports

    shared-write-at-barrier   a store to shared memory outstanding where the wave arrives at a barrier, which itself waits
                              for no memory: other waves may read what was there before
    shared-read-at-barrier    a load from shared memory outstanding there: another wave may refill the place
    early-use                 a register named before the wait that covers the load into it
    shared-load-early         shared memory read behind a barrier while a load straight into it is outstanding for which
                              nothing has waited, or before the first wait of all for that counter
    barrier-halves            a split barrier: arriving twice, waiting without having arrived, ending between, or shared
                              memory accessed between
    unknown                   what the check cannot follow: calls, flat accesses, instructions it does not know

and, which is slow and not wrong,

    waterfall                 an access by a descriptor that the compiler takes for different in other lanes: a loop repeats
                              it for each descriptor
    load-drain                a wait in the loop of the matrix instructions until no load from global memory is outstanding;
                              printed, and no fault

--self-test finds the faults planted in planted/*.s, each in its line, and nothing else.

    wait_check.py FILE.s...                             assembly
    wait_check.py --objdump LLVM-OBJDUMP FILE.co...     code objects; their names begin with the architecture
    wait_check.py --objdump LLVM-OBJDUMP --manifest M   the code objects that a manifest names, beside it
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import _amd_code
from _wait_model import ALL_QUEUES, CLUSTER, DIRECT_QUEUES, SCALAR, VECTOR, decode, names_of

MOST = 64  # no counter counts further: an older access is as good as one that old

# Accesses to shared memory, kept beside the registers that are loaded: the newest store and the newest load.
WRITES, READS = "stores to shared memory", "loads from shared memory"
# Loads straight into shared memory: nothing has waited since; nothing did before a barrier; something has.
FRESH, PAST_BARRIER, WAITED = "loads into it", "loads into it, a barrier ago", "loads into it, partly waited for"
# The waits for loads straight into shared memory, on the way here.
NONE_WAITED, NO_LOADS, ALL_WAITED = "no wait yet", "no load yet", "a wait since the first"
BADNESS = (ALL_WAITED, NO_LOADS, NONE_WAITED)
APART, ARRIVED = 1, 2  # where a wave may be with a split barrier


class State:
    """Accesses that may be outstanding at a place. `pending` has for each queue the number of the access, by register or by one
    of the words above. `clock` counts the accesses of the queue from the block's start on: older ones have 0 and below."""

    def __init__(self, pending=None, barriers=None, loads=None):
        self.pending = pending or {queue: {} for queue in ALL_QUEUES}
        self.barriers = barriers or {}
        self.loads = loads or dict.fromkeys(DIRECT_QUEUES, NO_LOADS)
        self.clock = dict.fromkeys(ALL_QUEUES, 0)

    def copy(self):
        return State({queue: dict(keys) for queue, keys in self.pending.items()}, dict(self.barriers), dict(self.loads))

    def settle(self):
        """Makes the state at a block's end one at a start."""
        for queue, keys in self.pending.items():
            now = self.clock[queue]
            if now:
                self.pending[queue] = {key: max(number - now, -MOST) for key, number in keys.items()}
        self.clock = dict.fromkeys(ALL_QUEUES, 0)

    def join(self, other):
        """Adds what may be outstanding on another way here. Returns whether that is more than before. The newest access is the
        least waited for."""
        more = False
        for queue, keys in other.pending.items():
            mine = self.pending[queue]
            for key, number in keys.items():
                if mine.get(key, -MOST - 1) < number:
                    mine[key] = number
                    more = True
        for name in self.barriers.keys() | other.barriers.keys():
            mine = self.barriers.get(name, APART)
            both = mine | other.barriers.get(name, APART)
            more |= both != mine
            self.barriers[name] = both
        for queue, loads in other.loads.items():
            if BADNESS.index(loads) > BADNESS.index(self.loads[queue]):
                self.loads[queue] = loads
                more = True
        return more

    def start(self, queue, keys):
        self.clock[queue] += 1
        for key in keys:
            self.pending[queue][key] = self.clock[queue]

    def wait(self, queue, limit):
        """At most `limit` accesses of the counter are outstanding."""
        keys = self.pending[queue]
        if queue != SCALAR or limit == 0:
            newest = self.clock[queue] - limit
            for key in [key for key, number in keys.items() if number <= newest]:
                del keys[key]
        if queue in DIRECT_QUEUES:
            for key in (FRESH, PAST_BARRIER):
                if key in keys:
                    keys[WAITED] = max(keys.pop(key), keys.get(WAITED, -MOST))
            # Waits for ordinary loads are waits for vector memory too; those of the other counters are meant.
            if self.loads[queue] == NONE_WAITED or queue != VECTOR:
                self.loads[queue] = ALL_WAITED

    def outstanding(self, key):
        return any(key in keys for keys in self.pending.values())

    def queue_of(self, register, but=None):
        """The queue of a load into the register that may be outstanding."""
        for queue, keys in self.pending.items():
            if register in keys and queue != but:
                return queue
        return None


def step(state, instruction, report):
    """Executes one instruction; report(rule, text) takes what is wrong with it."""
    if instruction.problem:
        report("unknown", instruction.problem)
    for queue, limit in instruction.waits:
        state.wait(queue, limit)
    check_registers(state, instruction, report)
    if instruction.shared:
        check_shared(state, report)
    if instruction.signals or instruction.awaits:
        meet(state, instruction, report)
    if instruction.ends and any(where & ARRIVED for where in state.barriers.values()):
        report("barrier-halves", "the kernel ends between the halves of a barrier")
    if instruction.queue:
        keys = instruction.late + {"read": (READS,), "write": (WRITES,), "": ()}[instruction.shared]
        state.start(instruction.queue, keys + (FRESH,) * instruction.to_shared)
        if instruction.to_shared and state.loads[instruction.queue] == NO_LOADS:
            state.loads[instruction.queue] = NONE_WAITED


def check_registers(state, instruction, report):
    for register in instruction.registers:
        queue = state.queue_of(register)
        if queue:
            report("early-use", f"{register} is loaded ({queue}), and nothing waits for it")
    for register in instruction.late:
        # Loads of one queue return in order, and may overwrite each other.
        queue = state.queue_of(register, but=instruction.queue if instruction.queue != SCALAR else None)
        if queue:
            report("early-use", f"{register} is loaded ({queue}) and loaded again before that is done")


def check_shared(state, report):
    if any(where & ARRIVED for where in state.barriers.values()):
        report("barrier-halves", "shared memory is accessed between the halves of a barrier")
    if state.outstanding(PAST_BARRIER):
        report("shared-load-early", "a load into shared memory was not waited for before the barrier")
    elif NONE_WAITED in state.loads.values():
        report("shared-load-early", "loads into shared memory, and nothing has waited for any")


def meet(state, instruction, report):
    """A barrier or half of one."""
    if instruction.signals:
        if state.outstanding(WRITES):
            report("shared-write-at-barrier", "a store to shared memory may be outstanding")
        if state.outstanding(READS):
            report("shared-read-at-barrier", "a load from shared memory may be outstanding")
        for queue in DIRECT_QUEUES:
            keys = state.pending[queue]
            if FRESH in keys:
                keys[PAST_BARRIER] = max(keys.pop(FRESH), keys.get(PAST_BARRIER, -MOST))
        if state.barriers.get(instruction.signals, APART) & ARRIVED:
            report("barrier-halves", "the wave arrives again without having waited")
        state.barriers[instruction.signals] = ARRIVED
    if instruction.awaits:
        if instruction.awaits == CLUSTER:
            if state.outstanding(WRITES) or state.outstanding(READS):
                report("shared-read-at-barrier", "an access to shared memory may be outstanding at the cluster's barrier")
        elif state.barriers.get(instruction.awaits, APART) & APART:
            report("barrier-halves", "the wave waits where it has not arrived")
        state.barriers[instruction.awaits] = APART


def check_kernel(kernel):
    """Sorted (line, rule, text) of what is wrong with a kernel."""
    blocks = [[(line, decode(text, kernel.arch)) for line, text in block.code] for block in kernel.blocks]
    found = {(block.code[-1][0], "unknown", block.problem) for block in kernel.blocks if block.problem}
    found |= find_waterfalls(kernel)
    states = {0: State()}
    waiting = [0]
    while waiting:
        # A state only grows, and so does what is found with it.
        at = min(waiting)
        waiting.remove(at)
        state = states[at].copy()
        for line, instruction in blocks[at]:
            step(state, instruction, lambda rule, text: found.add((line, rule, text)))
        state.settle()
        for successor in kernel.blocks[at].successors:
            if successor not in states:
                states[successor] = state.copy()
            elif not states[successor].join(state):
                continue
            if successor not in waiting:
                waiting.append(successor)
    return sorted(found)


def find_waterfalls(kernel):
    """Accesses, as (line, rule, text), in loops over the lanes that remain, one descriptor a round: v_readfirstlane, the lanes
    that have it, the access, and back for the others. Such a loop may have any number of blocks."""
    found = set()
    for loop in _amd_code.find_loops(kernel.blocks):
        texts = [text for at in loop for text in kernel.blocks[at].texts]
        if any(re.match(r"s_and_saveexec_b(32|64)|v_cmpx_", text) for text in texts):
            compared = [set(names_of(text)) for text in texts if EQUAL.match(text)]
            pairs = {names_of(text) for text in texts if text.startswith("v_readfirstlane_b32")}
            pairs = {pair for pair in pairs if any(names.issuperset(pair) for names in compared)}
            found |= {(line, "waterfall", text) for line, text in accesses_by(kernel.blocks, loop, pairs)}
    return found


EQUAL = re.compile(r"v_cmpx?_(eq|ne)_")


def accesses_by(blocks, loop, pairs):
    """Accesses in a loop, as (line, text), with a scalar register that comes from a v_readfirstlane of one of these (scalar,
    vector), which the loop compares while both are as they were."""
    # Facts at a block's start: a register comes from the v_readfirstlane in a line, or two are those of it still.
    before = {at: set() for at in loop}
    compared, accesses, waiting = set(), set(), list(loop) if pairs else []
    while waiting:
        at = waiting.pop(0)
        facts = set(before[at])
        for line, text in blocks[at].code:
            opcode, _, operands = text.partition(" ")
            named = names_of(operands)
            if EQUAL.match(text):
                compared |= {origin for origin, *known in facts if len(known) == 2 and set(known) <= set(named)}
            elif re.match(r"(t?buffer|image)_", text):
                accesses |= {(origin, line, text) for origin, *known in facts if len(known) == 1 and known[0] in named}
            if re.match(r"s_(cmp|bitcmp|c?branch|wait)|v_cmpx|ds_(write|store)|(global|buffer)_store", opcode):
                continue
            to, _, rest = operands.partition(",")
            written = set(names_of(to))
            made = {(origin, name) for origin, *known in facts for name in written
                    if opcode.startswith("s_") and len(known) == 1 and known[0] in names_of(rest)}
            facts = {fact for fact in facts if not written.intersection(fact[1:])} | made
            if opcode == "v_readfirstlane_b32" and named in pairs:
                facts |= {(line, named[0]), (line, *named)}
        for successor in set(blocks[at].successors).intersection(loop):
            if not facts <= before[successor]:
                before[successor] |= facts
                waiting.append(successor)
    return {(line, text) for origin, line, text in accesses if origin in compared}


def find_drains(kernel):
    """Waits, as (line, text), in the kernel's main loop until no load from global memory is outstanding, which ends all
    prefetching."""
    return [(line, text) for line, text in _amd_code.main_loop(kernel) if (VECTOR, 0) in decode(text, kernel.arch).waits]


def read_kernels(path, objdump):
    if not objdump:
        return _amd_code.read_assembly(path.read_text())
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True,
                          check=True).stdout
    return _amd_code.read_disassembly(text, re.match(r"gfx[0-9a-f]+", path.name).group())


def self_test(clang, objdump):
    """Every planted fault is found in its line, and nothing else; the same once it is assembled and disassembled."""
    wrong = 0
    load, matrix, use = "global_load_dword v5, v[2:3], off", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[8:11]", "v_mov_b32 v6, v5"
    for texts, count in (([load, use, matrix], 1), ([load, matrix, use], 0), ([matrix, use, load], 0), ([use, matrix, load], 1),
                         ([matrix, use, load, matrix], 0), ([load, "v_mad_u64_u32 v[0:1], s[2:3], s4, v[4:5], 0", matrix], 1),
                         (["global_load_dwordx4 v[4:7], v[2:3], off", use, matrix], 0),
                         ([load, "v_mov_b32 v5, 0", use, matrix], 0), ([load, "ds_write_b32 v5, v6", matrix], 1)):
        loop = _amd_code.Block("", list(enumerate(texts)), [0])
        wrong += len(_amd_code.awaited_numbers(_amd_code.Kernel("", "gfx942", [loop]))) != count
    for path in sorted((Path(__file__).resolve().parent / "planted").glob("*.s")):
        text = path.read_text()
        planted = {(number, rule) for number, line in enumerate(text.splitlines(), 1)
                   for rules in re.findall(r"// fault: (.*)", line) for rule in rules.split()}
        kernels = _amd_code.read_assembly(text)
        found = {(line, rule) for kernel in kernels for line, rule, _ in check_kernel(kernel)}
        found |= {(line, "load-drain") for kernel in kernels for line, _ in find_drains(kernel)}
        for line, rule in sorted(planted ^ found):
            print(f"{path.name}:{line}: {rule} {'is not found' if (line, rule) in planted else 'where none is planted'}")
        wrong += len(planted ^ found)
        print(f"{path.name}: {len(planted)} faults, {len(planted & found)} found")
        if clang and objdump:
            with tempfile.TemporaryDirectory() as folder:
                code_object = Path(folder) / f"{path.stem}.co"
                subprocess.run([clang, "-c", "--target=amdgcn-amd-amdhsa", f"-mcpu={path.stem}", path, "-o", code_object],
                               check=True)
                again = read_kernels(code_object, objdump)
            rules = [[(kernel.symbol, [what for _, *what in check_kernel(kernel)]) for kernel in each]
                     for each in (kernels, again)]
            if sorted(rules[0]) != sorted(rules[1]):
                print(f"{path.name}: the disassembly has other faults: {rules[1]}, not {rules[0]}")
                wrong += 1
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--objdump")
    parser.add_argument("--clang", help="with --self-test, to assemble what is planted")
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(arguments.clang, arguments.objdump)
    if arguments.manifest:
        names = {kernel["file"] for kernel in json.loads(arguments.manifest.read_text())["kernels"]}
        arguments.files += [arguments.manifest.parent / name for name in sorted(names)]
    kernels = faulty = 0
    for path in arguments.files:
        for kernel in read_kernels(path, arguments.objdump):
            problems = check_kernel(kernel)
            kernels += 1
            faulty += bool(problems)
            problems += [(line, "load-drain", text) for line, text in find_drains(kernel)]
            for line, rule, text in problems:
                print(f"{path}:{line}: {rule}: {text} (kernel {kernel.symbol})")
    print(f"{kernels} kernels, {faulty} with faults")
    return 1 if faulty or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
