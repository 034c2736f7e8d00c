"""The share of an AMD matrix unit in a kernel's main loop with what makes waves wait, which _cycle_model.py leaves out. Used by
check_isa.py.

W waves of one block run the loop in order on one SIMD of CDNA. A wave issues an instruction each pass of four clocks at
most, once

    registers   those that it names are there: of products two passes after their last, of the vector ALU one after
    units       the matrix unit or the vector ALU has done its last instruction, of whichever wave
    waits       the accesses that it waits for are done: of global memory LATENCY clocks after their issue; of shared memory,
                which gives each SIMD a fourth of its rate, in turn
    barriers    all W waves are there

The wave that can issue first does; of several the one with the highest priority. The halves of a ping-pong schedule's waves are
a barrier apart. Not modelled: caches, bank conflicts, memory that is busy. Latencies are assumed; rates are those of
_cycle_model.py.
"""

from dataclasses import dataclass, field

import _cycle_model
from _wait_model import SHARED, decode, names_of

PASS = 4
LATENCY = 900  # clocks, of global memory
READ_LATENCY, WRITE_LATENCY = 64, 32  # of shared memory, behind what is in turn before
ROUNDS = 8  # the second half of them is measured


@dataclass
class Step:
    """An instruction: the unit it takes and for how long, and when the registers it writes are there."""

    unit: str = ""
    busy: float = PASS
    ready: float = PASS
    writes: tuple = ()
    reads: tuple = ()
    queue: str = ""
    shared_cycles: float = 0
    latency: float = 0
    waits: tuple = ()
    barrier: bool = False
    priority: int = -1


@dataclass
class Wave:
    time: float = 0
    at: int = 0
    priority: int = 0
    waiting: bool = False
    ready: dict = field(default_factory=dict)  # by register
    done: dict = field(default_factory=dict)   # by queue, of each access that nothing waited for
    ends: list = field(default_factory=list)   # of rounds


def read_step(chip, text):
    known = decode(text, chip.arch)
    opcode, _, operands = text.partition(" ")
    first, _, rest = operands.partition(",")
    step = Step(writes=names_of(first), reads=names_of(operands), waits=known.waits, barrier=bool(known.signals))
    if _cycle_model.MATRIX.match(text):
        cycles = _cycle_model.matrix_cycles(chip, text)
        return Step("matrix", cycles, cycles + 2 * PASS, step.writes, step.reads)
    if opcode.startswith("v_"):
        cycles = _cycle_model.vector_cycles(chip, text)[0]
        return Step("vector", cycles, cycles + PASS, step.writes, step.reads)
    if known.queue:
        step.queue, step.writes, step.reads = known.queue, (), known.registers  # what it loads is waited for by its counter
        step.latency = LATENCY
        if known.queue == SHARED:
            step.shared_cycles = chip.lanes * _cycle_model.moved_bytes(text)[0] / chip.shared_rate
            step.latency = READ_LATENCY if known.late else WRITE_LATENCY
    if opcode == "s_setprio":
        step.priority = int(operands, 0)
    if opcode == "s_nop":
        step.busy = PASS * (int(operands, 0) + 1)
    return step


def earliest(wave, step, units):
    time = max([wave.time, units.get(step.unit, 0)] + [wave.ready.get(name, 0) for name in step.reads])
    for queue, limit in step.waits:
        accesses = wave.done.get(queue, [])
        time = max([time] + accesses[:len(accesses) - limit])
    return time


def issue(wave, step, time, units):
    wave.time = time + (PASS if step.unit else step.busy)
    if step.unit:
        units[step.unit] = time + step.busy
    for name in step.writes:
        wave.ready[name] = time + step.ready
    for queue, limit in step.waits:
        accesses = wave.done.get(queue, [])
        wave.done[queue] = accesses[max(0, len(accesses) - limit):]
    if step.queue:
        served = time
        if step.queue == SHARED:
            served = units[SHARED] = max(units.get(SHARED, 0), time) + step.shared_cycles
        wave.done.setdefault(step.queue, []).append(served + step.latency)
    if step.priority >= 0:
        wave.priority = step.priority
    wave.waiting = step.barrier
    wave.at += 1


def matrix_share(arch, texts, waves, ping_pong=False):
    """The share of a loop of these instructions."""
    chip = _cycle_model.Chip(arch)
    steps = [read_step(chip, text) for text in texts]
    running = [Wave(waiting=ping_pong and w >= waves // 2) for w in range(waves)]
    units = {}
    while any(len(wave.ends) < ROUNDS for wave in running):
        left = [wave for wave in running if len(wave.ends) < ROUNDS]
        if all(wave.waiting for wave in left):
            meeting = max(wave.time for wave in left)
            for wave in left:
                wave.waiting, wave.time = False, meeting
        able = [(earliest(wave, steps[wave.at], units), -wave.priority, wave.time, w)
                for w, wave in enumerate(running) if wave in left and not wave.waiting]
        time, _, _, w = min(able)
        issue(running[w], steps[running[w].at], time, units)
        if running[w].at == len(steps):
            running[w].at = 0
            running[w].ends.append(running[w].time)
    half = ROUNDS // 2
    cycles = max((wave.ends[-1] - wave.ends[half - 1]) / (ROUNDS - half) for wave in running)
    return waves * sum(step.busy for step in steps if step.unit == "matrix") / cycles
