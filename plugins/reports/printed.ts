/** A report as HTML page, as CSV and as workbook. The same document gives the same bytes. */
import { type Language, MAIN_CHANNEL, type Markup, tables, wholePage, zones } from '../../lib/built-in.ts';
import { html, rest } from '../../lib/index.ts';
import {
  type ChartPlace,
  chartShape,
  codeShape,
  MARK_INKS,
  type ReportBlock,
  type ReportChart,
  type ReportDocument,
  type ReportedUnit,
  type ReportStrip,
  type ReportTable,
  readingOrder,
  stripInk,
} from './document.ts';
import type { Logo } from './letterheads.ts';
import { cellText, isNumeric, ReportWords, shortDateText } from './words.ts';

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
svg path { fill: none; stroke-width: 1 }
svg .paper { fill: #fff }
svg .ink { fill: #000 }
svg .light { stroke: #7fb0dd }
svg .dark { stroke: #0b3d6b }
svg .dotted { stroke-dasharray: 2 3 }
svg .gap { fill: #f3d9b8 }
svg .night { fill: #e9eef6 }
svg .excluded { fill: #d0d3d6 }
svg line { stroke: #c8ccd1 }
.check { float: right; width: 9rem; margin: 0 0 1rem 1rem }
.front { break-after: page; clear: both }
.lead { font-size: 1.3rem; font-weight: 600 }
.note { font-size: .8rem; color: #57606a }
.strip td, .strip th { text-align: center; padding: .15rem .25rem }
.strip th[scope=row] { text-align: left; font-weight: 400 }
${Object.entries(MARK_INKS)
  .map(
    ([mark, ink]) =>
      `tr.${mark} td:first-child { border-left: 4px solid ${ink} } .strip td.${mark} { border-bottom: 4px solid ${ink} }`,
  )
  .join('\n')}
.dark-cell { color: #fff }
svg .limit { stroke: #b3261e; stroke-dasharray: 6 4 }
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

function* piecesOf(
  { lang, zone, letterhead, title, period, remarks, check, overview, units }: ReportDocument,
  logo: Logo | undefined,
) {
  const { say } = new ReportWords(lang, zone);
  const source = logo && `data:${logo.mediaType};base64,${logo.bytes.toString('base64')}`;
  const head =
    letterhead &&
    html`<header>${source ? html`<img src="${source}" alt="">` : null}<p>${letterhead.lines.join('\n')}</p></header>`;
  yield html`${head}${check && codeOf(check)}<h1>${title}</h1>
<p>${period}</p>
${
  check &&
  html`<p class="note">${check.text} <a href="${check.address}">${check.address}</a></p>
`
}`;
  if (overview) {
    yield html`<section class="front"><h2>${overview.title}</h2>`;
    for (const block of overview.blocks) yield* blockOf(block, { lang, zone });
    yield html`</section>
`;
  }
  yield html`${remarks ? html`<h2>${say('Remarks')}</h2><p>${remarks}</p>` : null}
`;
  for (const unit of readingOrder(units)) {
    yield html`<h2>${unit.title}</h2>
`;
    for (const section of unit.sections) {
      yield html`<h3>${section.title}</h3>`;
      for (const block of section.blocks) yield* blockOf(block, { lang, zone });
    }
  }
}

function codeOf({ address }: { readonly address: string }): Markup {
  const { path, side } = codeShape(address);
  return html`<svg class="check" viewBox="0 0 ${side} ${side}" role="img" aria-label="${address}" shape-rendering="crispEdges"><rect class="paper" width="${side}" height="${side}"/><path class="ink" d="${path}"/></svg>
`;
}

type Local = Pick<ReportDocument, 'lang' | 'zone'>;

function* blockOf(block: ReportBlock, local: Local): Generator<Markup> {
  if (block.block === 'table') yield* tableOf(block, local);
  else if (block.block === 'chart') yield chartOf(block, local.lang);
  else if (block.block === 'strip') yield stripOf(block, local.lang);
  else yield html`<p${block.look ? html` class="${block.look}"` : null}>${block.text}</p>`;
}

const stripOf = ({ name, days, rows }: ReportStrip, lang: Language): Markup =>
  html`<div class="wide" tabindex="0" role="group" aria-label="${name}"><table class="strip">
<thead><tr><th scope="col">${name}</th>${days.map((day) => html`<th scope="col">${shortDateText(day, lang)}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row">${row.name}</th>${row.cells.map((cell) => {
        const { fill, ink } = stripInk(cell);
        const looks = [cell.mark ?? '', ink === '#ffffff' ? 'dark-cell' : ''].join(' ').trim();
        return html`<td class="${looks}" bgcolor="${fill}">${cell.text}</td>`;
      })}</tr>
`,
  )}</tbody></table></div>`;

function* tableOf({ name, columns, rows, marks }: ReportTable, { lang, zone }: Local): Generator<Markup> {
  yield html`<div class="wide" tabindex="0" role="group" aria-label="${name}"><table>
<thead><tr>${columns.map((one) => (isNumeric(one) ? html`<th class="n" scope="col">${one.title}</th>` : html`<th scope="col">${one.title}</th>`))}</tr></thead>
<tbody>`;
  for (const [at, row] of rows.entries())
    yield html`<tr${marks?.[at] ? html` class="${marks[at]}"` : null}>${columns.map((one, n) => {
      const text = cellText(row[n] ?? null, one, lang, zone);
      return isNumeric(one) ? html`<td class="n">${text}</td>` : html`<td>${text}</td>`;
    })}</tr>
`;
  yield html`</tbody></table></div>`;
}

function chartOf(chart: ReportChart, lang: Language): Markup {
  const { lines, levels, days, shades, limits } = chartShape(chart, (day) => shortDateText(day, lang));
  const at = (share: number, length: number) => (share * length).toFixed(1);
  const placed = ([x, y]: ChartPlace, n: number) => `${n === 0 ? 'M' : 'L'}${at(x, WIDTH)} ${at(y, HEIGHT)}`;
  return html`<svg viewBox="-${AXIS} -8 ${WIDTH + AXIS + 8} ${HEIGHT + 28}" role="img" aria-label="${chart.name}">
${shades.map(({ look, x, width }) => html`<rect class="${look}" x="${at(x, WIDTH)}" width="${(width * WIDTH).toFixed(2)}" y="0" height="${HEIGHT}"/>`)}
${levels.map(({ y, label }) => html`<line x1="0" x2="${WIDTH}" y1="${at(y, HEIGHT)}" y2="${at(y, HEIGHT)}"/><text x="-6" y="${at(y, HEIGHT)}" text-anchor="end" dominant-baseline="middle">${label}</text>`)}
${days.map(({ x, label }) => html`<line x1="${at(x, WIDTH)}" x2="${at(x, WIDTH)}" y1="0" y2="${HEIGHT}"/><text x="${at(x, WIDTH)}" y="${HEIGHT + 14}">${label}</text>`)}
${lines.map(({ look, pieces }) => html`<path class="${look}" d="${pieces.map((piece) => piece.map(placed).join('')).join('')}"/>`)}
${limits.map(({ x, width, y }) => html`<line class="limit" x1="${at(x, WIDTH)}" x2="${at(x + width, WIDTH)}" y1="${at(y, HEIGHT)}" y2="${at(y, HEIGHT)}"/>`)}
</svg>`;
}

/** The first page and the units, with the id and the channel of each; the first page is about no unit alone. */
const partsOf = ({ overview, units }: ReportDocument): readonly ReportedUnit[] =>
  overview ? [{ unit_id: '', title: '', channel: MAIN_CHANNEL, sections: [overview] }, ...units] : units;

/** One table after another, each below a line with unit, section, name and the channel, where it is not `main`; an empty line ends it. A text that would be a formula begins with an apostrophe. */
export async function reportCsv(report: ReportDocument): Promise<string> {
  const lines: string[] = [];
  for (const unit of partsOf(report))
    for (const { section, blocks } of unit.sections)
      for (const block of blocks) {
        if (block.block !== 'table') continue;
        const channel = unit.channel === MAIN_CHANNEL ? [] : [unit.channel];
        lines.push(tables.csvLine([unit.unit_id, section, block.name, ...channel], 'csv'));
        lines.push(
          tables.csvLine(
            block.columns.map(({ title }) => title),
            'csv',
          ),
        );
        for (const row of block.rows) {
          lines.push(tables.csvLine(row, 'csv'));
          await rest();
        }
        lines.push('\r\n');
      }
  return `${tables.BYTE_ORDER_MARK}${lines.join('')}`;
}

/** The name of a sheet has 31 characters: behind an id of so many characters, the name of a table can still be read. */
const SHORT_ID = 10;

/**
 * The same document gives the same bytes. Sheets of several units begin with the id of the unit, or where one of these is long with its number,
 * which is before its title among the texts. Rejects with the reason of the signal.
 */
export function reportXlsx(report: ReportDocument, signal: AbortSignal): Promise<Buffer> {
  const { say } = new ReportWords(report.lang, report.zone);
  const about = [...(report.letterhead?.lines ?? []), report.title, report.period, report.remarks].filter(Boolean);
  const words: tables.SheetCell[][] = about.map((text) => ['', '', text]);
  const sheets: tables.TableSheet[] = [];
  const parts = partsOf(report);
  const isSeveral = report.units.length > 1;
  const isShort = report.units.every(({ unit_id }) => unit_id.length <= SHORT_ID);
  for (const [index, { unit_id, title, channel, sections }] of parts.entries()) {
    const ofUnit = isShort || unit_id === '' ? unit_id : String(index + 1 - (parts.length - report.units.length));
    const place = isSeveral && !isShort && unit_id ? `${ofUnit} ${title}` : title;
    const ofChannel = channel === MAIN_CHANNEL ? [] : [channel];
    for (const section of sections)
      for (const block of section.blocks) {
        if (block.block === 'text') words.push([place, section.title, block.text]);
        if (block.block !== 'table') continue;
        const name = [...(isSeveral && ofUnit ? [ofUnit] : []), ...ofChannel, block.name].join(' ');
        const columns = block.columns.map((column) => ({ ...column, offset: say('UTC offset') }));
        sheets.push({ name, columns, rows: block.rows });
      }
  }
  const columns = [say('Place ## of a measurement'), '', say('Text')].map((title) => ({
    title,
    kind: 'text' as const,
  }));
  return tables.workbook(
    [{ name: say('Report'), columns, rows: words }, ...sheets],
    zones.instantOf(report.to),
    signal,
  );
}
