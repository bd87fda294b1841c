import { CHART_STYLE, html, type Markup } from '../../lib/index.ts';

/** How the report looks on a screen and on A4. */
export const STYLE = `
@page { size: A4; margin: 15mm }
:root { color: #1b1f24; background: #fff }
body { font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 0 .25rem }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; border-bottom: 1px solid #c8ccd1; break-after: avoid }
p, li { max-width: 48rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid #e3e5e8; vertical-align: top }
th { font-weight: 600 }
td.n, th.n { text-align: right; white-space: nowrap }
tr { break-inside: avoid }
thead { display: table-header-group }
.facts th { width: 14rem; font-weight: 400; color: #57606a }
.doubt { color: #9a4b00 }
.hash { font-family: ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; font-size: .85em }
.lines { white-space: pre-line }
.note { color: #57606a; font-size: .9em }
figure { margin: 0; break-inside: avoid }
svg { display: block; width: 100%; height: auto }
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto }
  .wide { overflow-x: auto }
  .wide svg { min-width: 36rem }
  .facts th { width: 7rem }
  .facts td { overflow-wrap: anywhere }
}
${CHART_STYLE}@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10pt } }
`;

/** What is wider than a phone: it is moved in its own place, by the keyboard too. */
export const wide = (name: string, content: Markup): Markup =>
  html`<div class="wide" tabindex="0" role="group" aria-label="${name}">${content}</div>`;
