#pragma once

namespace tegula::internal {

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

} // namespace tegula::internal
