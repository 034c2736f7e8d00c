#pragma once

// Written by page/embed.py from the files there (`./dev format`): change those.

namespace tegula::detail {

/// The style sheet of the page that draw_html writes.
inline constexpr char html_style[] = R"page(
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; font: 15px/1.4 Helvetica, Arial, "Liberation Sans", sans-serif; color: #1b2033;
  background: #f6f7fa; }
h1 { font-size: 21px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 6px; }
p { margin: 4px 0 10px; overflow-wrap: anywhere; }
.note { color: #4a5068; font-size: 14px; }
.card { background: #fff; border: 1px solid #dde0ea; border-radius: 8px; padding: 12px; margin: 0 0 14px; min-width: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 14px; }
.scroll { overflow: auto; max-height: 60vh; border: 1px solid #eceef4; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; margin-bottom: 8px; }
label { display: inline-flex; gap: 6px; align-items: center; font-size: 14px; }
select, button, input { font: inherit; font-size: 14px; padding: 4px 8px; border: 1px solid #b9bed0; border-radius: 5px;
  background: #fff; color: inherit; max-width: 100%; }
input[type=number] { width: 90px; }
button { cursor: pointer; }
button:hover, button:focus-visible, .lane:hover, .lane:focus-visible { outline: 2px solid #1b2033; outline-offset: 1px; }
.lanes { display: grid; grid-template-columns: repeat(auto-fill, minmax(42px, 1fr)); gap: 4px; }
.lane { padding: 3px 0; text-align: center; border: 1px solid #fff; border-radius: 4px; font-size: 13px; }
.lane.on { border-color: #1b2033; font-weight: bold; }
svg text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; text-anchor: middle; fill: #1b2033;
  pointer-events: none; }
svg .top { font-size: 12px; font-weight: bold; }
svg .below { font-size: 10px; fill: #3a4058; }
svg .tick { font-size: 11px; fill: #6a7088; }
rect.cell { stroke: #fff; stroke-width: 1; }
rect.cell.faint { fill-opacity: 0.25; }
rect.cell.on { stroke: #1b2033; stroke-width: 3; }
rect.cell.here { stroke: #c0182b; stroke-width: 4; }
.told { min-height: 3.2em; overflow-wrap: anywhere; }
.list { max-height: 12em; overflow: auto; font-size: 14px; }
table.banks { border-collapse: collapse; font-size: 12px; }
table.banks td, table.banks th { border: 1px solid #dde0ea; min-width: 21px; height: 21px; padding: 0 2px;
  text-align: center; font-weight: normal; }
table.banks td.free { background: #d7f0e3; }
table.banks td.busy { background: #ffb3b3; font-weight: bold; }
.swatch { display: inline-block; width: 14px; height: 14px; border-radius: 3px; margin-right: 5px; vertical-align: -2px; }
.stay { background: #d9dce6; } .register { background: #9fd8c0; } .lane-moves { background: #f2d36b; }
.wave-moves { background: #f19a8a; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 14px; margin: 6px 0; }
@media (max-width: 500px) { body { padding: 8px; } .card { padding: 9px; } }
)page";

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

/// The part of the page that shows.
inline constexpr char html_view[] = R"page(
/* Grids of elements, lanes, steps through accesses, and what moves. */
'use strict';

const page = JSON.parse(document.getElementById('data').textContent);
const tiles = page.tiles.map(t => new Tile(t));
const drawn = 64, cellWidth = 46, cellHeight = 34, margin = 34;

function make(tag, attributes, ...children) {
  const svg = ['svg', 'rect', 'text', 'g'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function colourOf(tile, owner) {
  const steps = page.colours.length;
  const step = tile.lanes <= steps ? Math.floor(owner.lane * steps / tile.lanes) : Math.floor(owner.lane / tile.lanes * steps);
  return page.colours[step][owner.wave % 2];
}

const axis = (tile, i) => tile.axes && tile.axes[i] || 'x' + i;
const place = (tile, x) => x.map((value, i) => axis(tile, i) + ' = ' + value).join(', ') || 'the element';
const holder = (tile, o) =>
  (tile.waves > 1 ? 'wave ' + o.wave + ' ' : '') + 'lane ' + o.lane + ' register ' + tile.shownRegister(o.register);

/* One tile: its grid, its lanes and what is said about the thing under the pointer. */
class Panel {
  constructor(tile, number) {
    this.tile = tile;
    this.cells = new Map();
    this.wave = 0;
    this.origin = tile.xLengths.map(() => 0);
    this.zoom = 1;
    this.told = make('p', {class: 'told', 'aria-live': 'polite'}, 'Point at an element or at a lane.');
    this.scroll = make('div', {class: 'scroll', tabindex: '0', 'aria-label': 'elements of ' + tile.title});
    this.lanes = make('div', {class: 'lanes'});
    this.stepper = new Stepper(this);
    this.node = make('section', {class: 'card tile', id: 'tile' + number}, make('h2', {}, tile.title),
      make('p', {class: 'note'}, tile.note + '. ' + this.legend()), this.partControls(), this.told, this.zoomControl(), this.scroll, this.waveControl(), this.lanes,
      this.stepper.node);
    this.draw();
  }
  legend() {
    const n = this.tile.xLengths.length;
    const axes = (n > 1 ? axis(this.tile, n - 2) + ' runs down, ' : '') + (n > 0 ? axis(this.tile, n - 1) + ' to the right; ' : '');
    return axes + 'a cell says ' + (this.tile.waves > 1 ? 'wave.lane' : 'lane') +
      (this.tile.replication > 1 ? ' (+: others hold it too)' : '') + ' above its register.';
  }
  /* Which part of a large tile is drawn: a number for each dimension that does not fit. */
  partControls() {
    const box = make('div', {class: 'controls'});
    this.tile.xLengths.forEach((length, i) => {
      const room = i >= this.tile.xLengths.length - 2 ? drawn : 1;
      if (length <= room)
        return;
      const input = make('input', {type: 'number', min: 0, max: length - room, step: room, value: 0,
        onchange: () => {
          this.origin[i] = Math.max(0, Math.min(length - room, Math.floor(+input.value || 0)));
          input.value = this.origin[i];
          this.draw();
        }});
      box.append(make('label', {}, axis(this.tile, i) + ' from', input, 'of ' + length));
    });
    return box;
  }
  zoomControl() {
    const button = (words, name, zoom) => make('button', {class: name, 'aria-label': words[1], onclick: () => {
      this.zoom = Math.max(0.1, Math.min(8, zoom()));
      this.resize();
    }}, words[0]);
    return make('div', {class: 'controls zoom'}, button(['\u2212', 'smaller'], 'smaller', () => this.zoom / 1.25),
      button(['+', 'larger'], 'larger', () => this.zoom * 1.25),
      button(['Fit', 'fit the width'], 'fit', () => this.scroll.clientWidth / this.size[0]),
      button(['100 %', 'full size'], 'full', () => 1));
  }
  resize() {
    this.svg.setAttribute('width', this.size[0] * this.zoom);
    this.svg.setAttribute('height', this.size[1] * this.zoom);
  }
  waveControl() {
    const box = make('div', {class: 'controls'});
    if (this.tile.waves > 1) {
      const select = make('select', {class: 'wave', onchange: () => {
        this.wave = +select.value;
        this.drawLanes();
        this.stepper.update();
      }});
      for (let w = 0; w < this.tile.waves; ++w)
        select.append(make('option', {value: w}, 'wave ' + w));
      box.append(make('label', {}, 'Lanes of', select));
    } else {
      box.append(make('span', {class: 'note'}, 'Lanes:'));
    }
    return box;
  }
  draw() {
    const n = this.tile.xLengths.length;
    const rows = n > 1 ? Math.min(drawn, this.tile.xLengths[n - 2]) : 1;
    const columns = n > 0 ? Math.min(drawn, this.tile.xLengths[n - 1]) : 1;
    this.size = [margin + columns * cellWidth + 2, margin + rows * cellHeight + 2];
    const svg = this.svg = make('svg', {viewBox: '0 0 ' + this.size.join(' '), role: 'img'});
    this.resize();
    this.cells.clear();
    for (let c = 0; c < columns; ++c)
      svg.append(this.text('tick', margin + (c + 0.5) * cellWidth, margin - 8, (n > 0 ? this.origin[n - 1] : 0) + c));
    for (let r = 0; r < rows; ++r) {
      svg.append(this.text('tick', margin / 2, margin + (r + 0.6) * cellHeight, (n > 1 ? this.origin[n - 2] : 0) + r));
      for (let c = 0; c < columns; ++c)
        this.drawCell(svg, r, c);
    }
    svg.addEventListener('pointerover', event => event.target.tegula && this.showElement(event.target.tegula));
    svg.addEventListener('pointerleave', () => this.stepper.show());
    this.scroll.replaceChildren(svg);
    this.drawLanes();
    this.stepper.update();
    colourMoves();
  }
  text(kind, x, y, words) { return make('text', {class: kind, x, y}, String(words)); }
  drawCell(svg, r, c) {
    const n = this.tile.xLengths.length, x = [...this.origin];
    if (n > 1)
      x[n - 2] += r;
    if (n > 0)
      x[n - 1] += c;
    const owners = this.tile.owners(x), left = margin + c * cellWidth, top = margin + r * cellHeight;
    const cell = make('rect', {class: 'cell', x: left, y: top, width: cellWidth, height: cellHeight,
      fill: colourOf(this.tile, owners[0])});
    cell.tegula = x;
    cell.owners = owners;
    this.cells.set(x.join(), cell);
    const more = owners.length > 1 ? '+' : '';
    const first = (this.tile.waves > 1 ? owners[0].wave + '.' : '') + owners[0].lane + more;
    svg.append(cell, this.text('top', left + cellWidth / 2, top + 15, first),
      this.text('below', left + cellWidth / 2, top + 28, 'r' + this.tile.shownRegister(owners[0].register)));
  }
  drawLanes() {
    this.lanes.replaceChildren();
    for (let lane = 0; lane < this.tile.lanes && lane < 1024; ++lane) {
      const button = make('button', {class: 'lane', style: 'background:' + colourOf(this.tile, {wave: this.wave, lane}),
        'aria-label': 'lane ' + lane, onpointerover: () => this.showLane(lane), onfocus: () => this.showLane(lane),
        onpointerleave: () => this.stepper.show()}, String(lane));
      this.lanes.append(button);
    }
  }
  mark(inLight, here) {
    for (const cell of this.cells.values()) {
      cell.classList.toggle('on', inLight(cell));
      cell.classList.toggle('here', cell === here);
    }
  }
  markLanes(on) { [...this.lanes.children].forEach((button, lane) => button.classList.toggle('on', on(lane))); }
  /* Everything that the owners of an element hold is outlined too. */
  showElement(x) {
    const owners = this.tile.owners(x), told = owners.slice(0, 16).map(o => holder(this.tile, o));
    this.told.textContent = place(this.tile, x) + ' is held by ' + told.join('; ') +
      (owners.length > 16 ? ' and ' + (owners.length - 16) + ' more' : '') + '.';
    this.mark(cell => cell.owners.some(o => o.wave === owners[0].wave && o.lane === owners[0].lane), this.cells.get(x.join()));
    this.markLanes(lane => owners.some(o => o.wave === this.wave && o.lane === lane));
    mirror(this, x);
  }
  showLane(lane) {
    const held = [];
    for (let r = 0; r < this.tile.registers && r < 512; ++r)
      held.push('r' + this.tile.shownRegister(r) + ': (' + this.tile.element(this.wave, lane, r).join(', ') + ')');
    this.told.textContent = (this.tile.waves > 1 ? 'Wave ' + this.wave + ' lane ' : 'Lane ') + lane + ' holds ' +
      held.join(', ') + '.';
    this.mark(cell => cell.owners.some(o => o.wave === this.wave && o.lane === lane), null);
    this.markLanes(other => other === lane);
  }
}

/* The other tiles outline the same element. */
function mirror(source, x) {
  for (const panel of panels)
    if (panel !== source && panel.tile.xLengths.join() === source.tile.xLengths.join())
      panel.mark(() => false, panel.cells.get(x.join()));
}

/* Steps through the accesses with which a wave loads or stores its part of the tile. */
class Stepper {
  constructor(panel) {
    this.panel = panel;
    this.index = -1;
    this.told = make('p', {class: 'told access'});
    this.banks = make('div', {class: 'scroll'});
    this.back = make('button', {class: 'previous', onclick: () => this.move(-1)}, 'Previous access');
    this.next = make('button', {class: 'next', onclick: () => this.move(1)}, 'Next access');
    this.node = make('details', {open: ''}, make('summary', {}, 'Accesses of the wave, with sectors and banks'),
      make('div', {class: 'controls'}, this.back, this.next), this.told, this.banks);
  }
  move(by) {
    const count = this.walk.registers.length;
    this.index = (this.index + by + (this.index < 0 && by < 0 ? 1 : 0) + count) % count;
    this.show();
  }
  update() {
    this.walk = walkOf(this.panel.tile, this.panel.wave, currentOptions());
    this.index = Math.min(this.index, this.walk.registers.length - 1);
    this.show();
  }
  show() {
    const count = this.walk.registers.length, o = currentOptions();
    if (this.index < 0) {
      this.told.textContent = count + (count === 1 ? ' access' : ' accesses') + ' of ' + this.walk.bytes + ' bytes a lane.';
      this.banks.replaceChildren();
      this.panel.mark(() => false, null);
      this.panel.markLanes(() => false);
      return;
    }
    const access = accessOf(this.panel.tile, this.panel.wave, this.walk, this.index, o);
    this.told.textContent = 'Access ' + (this.index + 1) + ' of ' + count + ': ' + access.lanes.length + ' lanes ' +
      o.kind + ' ' + this.walk.bytes + ' bytes each. Global memory: ' + access.sectors + ' sectors of 32 bytes. ' +
      'Shared memory of ' + o.chip + ': ' + access.banks.extra + ' extra cycles' +
      (access.banks.published ? '.' : ' (assumed: no published rule for its banks).');
    const reached = new Set();
    for (const l of access.lanes)
      for (let i = 0; i < this.walk.vector; ++i)
        reached.add(l.x.map((value, d) => value + (d === this.walk.dim ? i : 0)).join());
    this.panel.mark(cell => reached.has(cell.tegula.join()), null);
    this.panel.markLanes(lane => access.lanes.some(l => l.lane === lane));
    this.banks.replaceChildren(bankTable(access.banks));
  }
}

function bankTable(found) {
  const head = make('tr', {}, make('th', {}, 'phase'));
  for (let b = 0; b < found.count; ++b)
    head.append(make('th', {}, String(b)));
  const table = make('table', {class: 'banks'}, head);
  found.phases.forEach((phase, i) => {
    const row = make('tr', {}, make('th', {title: 'lanes ' + phase.lanes.join(' ')}, String(i)));
    for (const bank of phase.banks) {
      const lanes = [...bank.values()].map(list => 'lanes ' + list.join(' ')).join('; ');
      row.append(make('td', {class: bank.size > 1 ? 'busy' : bank.size ? 'free' : '', title: lanes},
        bank.size ? String(bank.size) : ''));
    }
    table.append(row);
  });
  return table;
}

/* Controls that all tiles share. */
const controls = {};
function currentOptions() {
  const chip = page.chips[controls.chip.value];
  return {chip: controls.chip.value, waveSize: chip.wave, rules: chip, bits: +controls.bits.value,
          order: controls.order.value, kind: controls.kind.value, pitch: Math.max(0, Math.floor(+controls.pitch.value || 0))};
}
function addSelect(box, name, label, choices, chosen) {
  controls[name] = make('select', {id: name, onchange: () => panels.forEach(p => p.stepper.update())});
  for (const [value, words] of choices)
    controls[name].append(make('option', {value, ...(String(value) === String(chosen) ? {selected: ''} : {})}, words));
  box.append(make('label', {}, label, controls[name]));
}
function makeControls() {
  const box = make('div', {class: 'controls card'});
  addSelect(box, 'chip', 'Chip', Object.keys(page.chips).map(c => [c, c]), page.chip);
  addSelect(box, 'bits', 'Element', [8, 16, 32, 64].map(b => [b, b + ' bits']), page.bits);
  addSelect(box, 'order', 'In memory', [['row', 'row-major'], ['column', 'column-major']], 'row');
  addSelect(box, 'kind', 'Access', [['load', 'load'], ['store', 'store']], 'load');
  controls.pitch = make('input', {id: 'pitch', type: 'number', min: 0, value: 0,
    onchange: () => panels.forEach(p => p.stepper.update())});
  box.append(make('label', {}, 'Pitch in shared memory (0: packed)', controls.pitch));
  return box;
}

/* Two distributions of one tile: what moves between them. */
const moves = [['stay', 'stay in their register'], ['register', 'change register'],
               ['lane-moves', 'change lane'], ['wave-moves', 'change wave']];
const planWave = page.chips[page.chip].wave;
const compares = tiles.length === 2 && tiles[0].xLengths.join() === tiles[1].xLengths.join();
function makeComparison() {
  const counts = [0, 0, 0, 0], total = tiles[0].xLengths.reduce((a, b) => a * b, 1);
  const step = Math.max(1, Math.ceil(total / 65536));
  for (let flat = 0; flat < total; flat += step)
    ++counts[moveOf(tiles[0], tiles[1], tiles[0].unflatten(flat, tiles[0].xLengths), planWave)];
  const counted = Math.ceil(total / step), legend = make('div', {class: 'legend'});
  moves.forEach(([kind, words], i) => legend.append(make('span', {}, make('span', {class: 'swatch ' + kind}),
    counts[i] + (step > 1 ? ' of ' + counted + ' looked at: ' : ' ') + words)));
  controls.moves = make('input', {type: 'checkbox', id: 'moves', onchange: colourMoves});
  return make('section', {class: 'card', id: 'comparison'}, make('h2', {}, 'What moves between them'), legend,
    make('p', {class: 'note'}, page.plan || ''), make('label', {}, controls.moves, 'Colour the elements by what moves'));
}
function colourMoves() {
  if (!compares || panels.length < 2)
    return;
  const colours = ['#d9dce6', '#9fd8c0', '#f2d36b', '#f19a8a'];
  for (const panel of panels)
    for (const cell of panel.cells.values())
      cell.setAttribute('fill', controls.moves.checked ? colours[moveOf(tiles[0], tiles[1], cell.tegula, planWave)]
                                                       : colourOf(panel.tile, cell.owners[0]));
}

const panels = [];
document.title = page.title;
const body = document.body;
body.append(make('h1', {}, page.title), make('p', {class: 'note'}, page.note), makeControls());
if (compares)
  body.append(makeComparison());
const grid = make('main', {class: 'tiles'});
body.append(grid);
tiles.forEach((tile, i) => {
  const panel = new Panel(tile, i);
  panels.push(panel);
  grid.append(panel.node);
});
)page";

} // namespace tegula::detail
