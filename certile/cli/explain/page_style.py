"""The look of the page of `certile explain --html`: its style sheet and its script, as literals.

Decides colours for light and dark, and that lines of one place in the source light up together, by
pointer and by keyboard.  Nothing is loaded from elsewhere.
"""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #59636e;
  --line: #d1d9e0; --panel: #f6f8fa; --mark: #fff1b8; --accent: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --line: #3d444d; --panel: #151b23; --mark: #4d3b00; --accent: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.5rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; max-width: 75ch; } a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }
.facts, .faint { color: var(--faint); }
.stages { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); }
.scroll, pre { overflow: auto; border: 1px solid var(--line); border-radius: 6px;
  background: var(--panel); }
pre { margin: 0; max-height: 32rem; padding: .5rem; font: 12px/1.45 ui-monospace, monospace; }
.scroll { padding: .5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.line { display: block; min-height: 1.45em; } .line.lit { background: var(--mark); }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.chosen td { font-weight: 600; background: var(--mark); }
summary { cursor: pointer; color: var(--accent); }
.refusal { border-left: 3px solid #d55e00; padding: .25rem .75rem; margin: .5rem 0; }
svg.map { display: block; } svg.map text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg.map .pack { fill: none; stroke: var(--ink); stroke-width: 1.2; }
"""

SCRIPT = """
const lines = document.querySelectorAll("[data-at]");
function light(from, on) {
  const places = new Set(from.dataset.at.split(" "));
  for (const line of lines)
    if (line.dataset.at.split(" ").some((place) => places.has(place)))
      line.classList.toggle("lit", on);
}
for (const line of lines)
  for (const [event, on] of [["mouseenter", true], ["focus", true],
                             ["mouseleave", false], ["blur", false]])
    line.addEventListener(event, () => light(line, on));
"""
