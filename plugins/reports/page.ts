/** A report as one HTML page: no script, nothing from outside, every text escaped. */
import { html, type Language, type Markup, rest, wholePage } from '../../lib/index.ts';
import { cellText, isNumeric, shortDateText } from './cell-text.ts';
import { type ChartPlace, chartShape } from './chart-shape.ts';
import type { ReportBlock, ReportChart, ReportDocument, ReportTable } from './document.ts';
import type { Logo } from './letterheads.ts';
import { ReportSpeech } from './speech.ts';

/** How it looks on a screen and on paper. */
export const REPORT_STYLE = `
@page { margin: 15mm }
:root { color: #1b1f24; background: #fff }
body { font: 14px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
header { border-bottom: 1px solid #c8ccd1; overflow: auto }
header img { float: right; max-width: 16rem; max-height: 5rem }
h2 { margin: 2rem 0 .5rem; border-bottom: 1px solid #c8ccd1 }
h2, h3 { break-after: avoid }
p { max-width: 48rem; white-space: pre-line; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid #e3e5e8; vertical-align: top; white-space: pre-line; overflow-wrap: anywhere }
td.n, th.n { text-align: right; white-space: nowrap }
tr, svg { break-inside: avoid }
thead { display: table-header-group }
svg { display: block; width: 100%; height: auto }
svg path { fill: none; stroke: #7fb0dd; stroke-width: 1 }
svg path:last-of-type { stroke: #0b3d6b }
svg line { stroke: #c8ccd1 }
svg text { font-size: 11px; fill: #57606a }
`;

const [WIDTH, HEIGHT, AXIS] = [900, 220, 34];

/** The whole page. The same document gives the same page. Others have their turns between the rows of tables. */
export async function reportPage(report: ReportDocument, logo: Logo | undefined): Promise<string> {
  const pieces: Markup[] = [];
  for (const piece of piecesOf(report, logo)) {
    pieces.push(piece);
    await rest();
  }
  return wholePage({ language: report.lang, title: report.title, sheet: REPORT_STYLE, content: html`${pieces}` });
}

function* piecesOf({ lang, letterhead, title, period, remarks, units }: ReportDocument, logo: Logo | undefined) {
  const { say } = new ReportSpeech(lang);
  const source = logo && `data:${logo.mediaType};base64,${logo.bytes.toString('base64')}`;
  const head =
    letterhead &&
    html`<header>${source ? html`<img src="${source}" alt="">` : null}<p>${letterhead.lines.join('\n')}</p></header>`;
  yield html`${head}<h1>${title}</h1>
<p>${period}</p>
${remarks ? html`<h2>${say('Remarks')}</h2><p>${remarks}</p>` : null}
`;
  for (const unit of units) {
    yield html`<h2>${unit.title}</h2>
`;
    for (const section of unit.sections) {
      yield html`<h3>${section.title}</h3>`;
      for (const block of section.blocks) yield* blockOf(block, lang);
    }
  }
}

function* blockOf(block: ReportBlock, lang: Language): Generator<Markup> {
  if (block.block === 'table') yield* tableOf(block, lang);
  else yield block.block === 'text' ? html`<p>${block.text}</p>` : chartOf(block, lang);
}

function* tableOf({ name, columns, rows }: ReportTable, lang: Language): Generator<Markup> {
  yield html`<div class="wide" tabindex="0" role="group" aria-label="${name}"><table>
<thead><tr>${columns.map((one) => (isNumeric(one) ? html`<th class="n" scope="col">${one.title}</th>` : html`<th scope="col">${one.title}</th>`))}</tr></thead>
<tbody>`;
  for (const row of rows)
    yield html`<tr>${columns.map((one, n) => {
      const text = cellText(row[n] ?? null, one, lang);
      return isNumeric(one) ? html`<td class="n">${text}</td>` : html`<td>${text}</td>`;
    })}</tr>
`;
  yield html`</tbody></table></div>`;
}

function chartOf(chart: ReportChart, lang: Language): Markup {
  const { lines, levels, days } = chartShape(chart, (day) => shortDateText(day, lang));
  const at = (share: number, length: number) => (share * length).toFixed(1);
  const placed = ([x, y]: ChartPlace, n: number) => `${n === 0 ? 'M' : 'L'}${at(x, WIDTH)} ${at(y, HEIGHT)}`;
  return html`<svg viewBox="-${AXIS} -8 ${WIDTH + AXIS + 8} ${HEIGHT + 28}" role="img" aria-label="${chart.name}">
${levels.map(({ y, label }) => html`<line x1="0" x2="${WIDTH}" y1="${at(y, HEIGHT)}" y2="${at(y, HEIGHT)}"/><text x="-6" y="${at(y, HEIGHT)}" text-anchor="end" dominant-baseline="middle">${label}</text>`)}
${days.map(({ x, label }) => html`<line x1="${at(x, WIDTH)}" x2="${at(x, WIDTH)}" y1="0" y2="${HEIGHT}"/><text x="${at(x, WIDTH)}" y="${HEIGHT + 14}">${label}</text>`)}
${lines.map(({ pieces }) => html`<path d="${pieces.map((piece) => piece.map(placed).join('')).join('')}"/>`)}
</svg>`;
}
