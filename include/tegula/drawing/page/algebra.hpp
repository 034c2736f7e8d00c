#pragma once

namespace tegula::internal {

/// The part of the page that computes.
inline constexpr char html_algebra[] = R"page(
/* The maps of an encoding, the accesses of a wave, the banks they hit. This mirrors layout/digit_table.hpp,
   drawing/analysis.hpp and chip/bank_conflicts.hpp. */
'use strict';

/* An encoding with its maps. Digits are kept as placed_digit has them: x, p and y of -1 mean "not of this". */
class Tile {
  constructor(data) {
    Object.assign(this, data);
    const lists = [data.encoding.rs, ...data.encoding.hs];
    this.digits = [];
    this.xLengths = data.encoding.hs.map(h => h.reduce((a, b) => a * b, 1));
    lists.forEach((lengths, major) => {
      let stride = 1;
      for (let minor = lengths.length - 1; minor >= 0; --minor) {
        this.digits.push({major, minor, length: lengths[minor], x: major - 1, xStride: stride, p: -1, pStride: 0, y: -1});
        stride *= lengths[minor];
      }
    });
    const named = ([major, minor]) => this.digits.find(d => d.major === major && d.minor === minor);
    this.pLengths = data.encoding.ps.map((list, p) => {
      let stride = 1;
      for (const name of [...list].reverse()) {
        const d = named(name);
        d.p = p;
        d.pStride = stride;
        stride *= d.length;
      }
      return stride;
    });
    this.yLengths = data.encoding.ys.map((name, y) => {
      named(name).y = y;
      return named(name).length;
    });
    this.registers = this.yLengths.reduce((a, b) => a * b, 1);
    this.replication = data.encoding.rs.reduce((a, b) => a * b, 1);
    this.lanes = this.pLengths.length ? this.pLengths[this.pLengths.length - 1] : 1;
    this.waves = this.pLengths.slice(0, -1).reduce((a, b) => a * b, 1);
  }
  unflatten(flat, lengths) {
    const index = [];
    for (let i = lengths.length - 1; i >= 0; --i) {
      index[i] = flat % lengths[i];
      flat = Math.floor(flat / lengths[i]);
    }
    return index;
  }
  flatten(index, lengths) { return index.reduce((flat, value, i) => flat * lengths[i] + value, 0); }
  /* Partition index of a lane of a wave. */
  partition(wave, lane) { return [...this.unflatten(wave, this.pLengths.slice(0, -1)), lane].slice(0, this.pLengths.length); }
  element(wave, lane, register) {
    const p = this.partition(wave, lane), y = this.unflatten(register, this.yLengths);
    const x = this.xLengths.map(() => 0);
    for (const d of this.digits)
      if (d.x >= 0)
        x[d.x] += (d.y >= 0 ? y[d.y] : Math.floor(p[d.p] / d.pStride) % d.length) * d.xStride;
    return x;
  }
  /* Every holder of an element: wave, lane, register. */
  owners(x) {
    const all = [];
    for (let replica = 0; replica < this.replication; ++replica) {
      const p = this.pLengths.map(() => 0), y = this.yLengths.map(() => 0);
      let rest = replica;
      for (const d of this.digits) {
        let value = 0;
        if (d.x >= 0) {
          value = Math.floor(x[d.x] / d.xStride) % d.length;
        } else {
          value = rest % d.length;
          rest = Math.floor(rest / d.length);
        }
        if (d.y >= 0)
          y[d.y] = value;
        else
          p[d.p] += value * d.pStride;
      }
      all.push({wave: this.flatten(p.slice(0, -1), this.pLengths.slice(0, -1)), lane: p.length ? p[p.length - 1] : 0,
                register: this.flatten(y, this.yLengths)});
    }
    return all.sort((a, b) => a.wave - b.wave || a.lane - b.lane);
  }
  /* The number drawn for a register. */
  shownRegister(register) { return register * (this.registerStride || 1) + (this.registerOffset || 0); }
  isFirstReplica(wave, lane) {
    const p = this.partition(wave, lane);
    return this.digits.every(d => d.x >= 0 || Math.floor(p[d.p] / d.pStride) % d.length === 0);
  }
}

/* The accesses of one wave along the contiguous dimension: elements an access, and where each begins. */
function walkOf(tile, wave, options) {
  const dim = options.order === 'row' ? tile.xLengths.length - 1 : 0;
  let run = 1;
  for (const d of tile.digits.filter(d => d.x === dim)) { /* fastest first */
    if (d.p >= 0)
      break;
    run *= d.length;
  }
  let vector = 1;
  while (2 * vector * options.bits <= 128 && run % (2 * vector) === 0)
    vector *= 2;
  const first = tile.element(0, 0, 0), registers = [];
  for (let r = 0; r < tile.registers; ++r)
    if (tile.xLengths.length === 0 || (tile.element(0, 0, r)[dim] - first[dim]) % vector === 0)
      registers.push(r);
  return {dim, vector, registers, bytes: Math.max(1, vector * options.bits / 8)};
}

/* One access of the lanes of a wave: what each lane touches, the sectors in global memory, the banks in shared memory. */
function accessOf(tile, wave, walk, index, options) {
  const lanes = [], sectors = new Set();
  const pitch = options.pitch || tile.xLengths[walk.dim] || 1;
  const count = Math.min(tile.lanes, options.waveSize);
  for (let lane = 0; lane < count; ++lane) {
    if (options.kind === 'store' && !tile.isFirstReplica(wave, lane))
      continue;
    const x = tile.element(wave, lane, walk.registers[index]);
    const element = x.length > 2 && !options.pitch
      ? tile.flatten(x, tile.xLengths)
      : x.reduce((sum, value, i) => sum + value * (i === walk.dim ? 1 : pitch), 0);
    lanes.push({lane, x, address: Math.floor(element * options.bits / 8)});
    const row = x.filter((_, i) => i !== walk.dim).join(), start = (x[walk.dim] || 0) * options.bits / 8;
    for (let s = Math.floor(start / 32); s <= Math.floor((start + walk.bytes - 1) / 32); ++s)
      sectors.add(row + '|' + s);
  }
  return {lanes, sectors: sectors.size, banks: banksOf(lanes, walk.bytes, options)};
}

/* Rows of every bank by phase, and the extra cycles: a phase takes as many as its busiest bank has rows. */
function banksOf(lanes, bytes, options) {
  const rule = options.rules[options.kind][bytes];
  const phases = [];
  let extra = 0;
  for (let half = 0; half < options.waveSize; half += 32)
    for (const mask of rule.lanes) {
      const banks = Array.from({length: rule.banks}, () => new Map());
      const inPhase = lanes.filter(l => l.lane >= half && l.lane < half + 32 && (mask >>> (l.lane - half) & 1));
      for (const l of inPhase)
        for (let word = Math.floor(l.address / 4); word <= Math.floor((l.address + bytes - 1) / 4); ++word) {
          const rows = banks[word % rule.banks], row = Math.floor(word / rule.banks);
          rows.set(row, [...(rows.get(row) || []), l.lane]);
        }
      extra += Math.max(1, ...banks.map(b => b.size)) - 1;
      phases.push({lanes: inPhase.map(l => l.lane), banks});
    }
  return {phases, extra, published: rule.published, count: rule.banks};
}

/* The wave and the lane of a holder where waves have `size` lanes: one index may count threads, and a tile of one wave
   is in every wave. */
function threadOf(tile, owner, size) {
  const threads = tile.waves * tile.lanes;
  if (threads <= size)
    return {wave: null, lane: owner.lane, register: owner.register};
  const thread = owner.wave * tile.lanes + owner.lane;
  return {wave: Math.floor(thread / size), lane: thread % size, register: owner.register};
}

/* What happens to an element between two distributions, by the nearest pair of its holders. */
function moveOf(from, to, x, size) {
  let best = 3;
  for (const a of from.owners(x).map(o => threadOf(from, o, size)))
    for (const b of to.owners(x).map(o => threadOf(to, o, size))) {
      const apart = a.wave !== null && b.wave !== null && a.wave !== b.wave;
      best = Math.min(best, apart ? 3 : a.lane !== b.lane ? 2 : a.register !== b.register ? 1 : 0);
    }
  return best;
}
)page";

} // namespace tegula::internal
