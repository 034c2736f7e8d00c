#pragma once

namespace tegula::internal {

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
      make('p', {class: 'note'}, tile.note + '. ' + this.legend()), this.partControls(), this.told, this.zoomControl(), this.scroll, this.stepper.node,
      this.waveControl(), this.lanes);
    this.draw();
  }
  legend() {
    const n = this.tile.xLengths.length;
    const axes = (n > 1 ? axis(this.tile, n - 2) + ' runs down, ' : '') + (n > 0 ? axis(this.tile, n - 1) + ' to the right; ' : '');
    return axes + 'a cell says ' + (this.tile.waves > 1 ? 'wave:lane' : 'lane') +
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
      button(['Fit', 'fit the width'], 'fit', () => this.fitting()),
      button(['100 %', 'full size'], 'full', () => 1));
  }
  fitting() { return this.scroll.clientWidth / this.size[0]; }
  /* What a page begins with: all columns, unless that would leave nothing to see of a cell. */
  fitAtFirst() {
    this.zoom = Math.max(0.35, Math.min(1, this.fitting()));
    this.resize();
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
    const first = (this.tile.waves > 1 ? owners[0].wave + ':' : '') + owners[0].lane + more;
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
for (let round = 0; round < 2; ++round) // the second knows the scroll bars of the first
  panels.forEach(p => p.fitAtFirst());
)page";

} // namespace tegula::internal
