/** Parts of pages and drawings that the gateway makes: escaped markup, local times, levels over time. */

import type { HistoryRow } from '../history/contract.ts';
import * as indices from './indices/index.ts';
import { localText, offsetWords, type Span, zoneOffset } from './zone.ts';

/** Markup that was made by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | null | undefined | Markup | readonly Value[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As text, also inside a quoted attribute. Characters that XML does not know are shown as U+FFFD. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

function rendered(value: Value): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escaped(String(value));
}

/** A style sheet of our own, as it is: it must hold nothing that a caller has sent. */
const style = (sheet: string): Markup => new Markup(`<style>${sheet}</style>`);

/** A script of our own, as it is: as for `style`. */
export const script = (text: string): Markup => new Markup(`<script>${text}</script>`);

/** A tagged template: values between the parts are escaped, unless `html` made them. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(parts.reduce((all, part, index) => all + rendered(values[index - 1]) + part));

interface WholePage {
  /** BCP 47: `en`. */
  readonly language: string;
  readonly title: string;
  /** The text of its style element, from the gateway only. */
  readonly sheet: string;
  /** Search engines are asked to ignore the page. */
  readonly isUnlisted?: boolean;
  readonly content: Markup;
}

/** The frame of a page in one piece: it loads nothing from elsewhere. As text, to be sent with `pagePolicy`. */
export const wholePage = ({ language, title, sheet, isUnlisted = false, content }: WholePage): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${isUnlisted ? UNLISTED : null}${style(sheet)}
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;

const UNLISTED = html`<meta name="robots" content="noindex, nofollow">
`;

/** From ms since 1970 UTC to a text. */
export type ShowTime = (ms: number) => string;

/** `2026-11-21 06:00`, with seconds if they are not zero. `offset`: with ` UTC+1`, for hours that come twice. */
export const localTime =
  (zone: string, offset = false): ShowTime =>
  (ms) => {
    const ahead = zoneOffset(zone, ms);
    const text = localText(ms + ahead).replace(/:00$/, '');
    return offset ? `${text} ${offsetWords(ahead)}` : text;
  };

/** Times as the clocks of the place show them, for people. `25 h 3 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3_600), 'h'],
    [Math.floor((whole % 3_600) / 60), 'min'],
    [whole % 60, 's'],
  ] as const;
  return (
    parts
      .flatMap(([count, unit]) => (count > 0 ? `${count} ${unit}` : []))
      .slice(0, 2)
      .join(' ') || '0 s'
  );
}

const WIDTH = 1_000;
const HEIGHT = 340;
const LEFT = 44;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 34;
const TITLE = 24;
/** Lines of the grid, dB. */
const GRID_DB = 10;
/** Most labels below the chart. */
const MOST_TICKS = 9;
const HOUR_MS = 3_600_000;
const TICKS_MS = [60_000, 300_000, 900_000, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS];

interface ChartInput {
  readonly rows: readonly HistoryRow[];
  readonly span: Span;
  readonly zone: string;
  readonly show: ShowTime;
  /** Level of a limit line, dB. */
  readonly limit?: number | undefined;
}

interface Scale {
  x(ms: number): number;
  y(level: number): number;
  readonly low: number;
  readonly high: number;
}

const CHART_STYLE = `
svg text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #57606a }
svg .grid { stroke: #e3e5e8; stroke-width: 1 }
svg .leq { fill: none; stroke: #0a58ca; stroke-width: 1.3; stroke-linejoin: round }
svg .reading { fill: none; stroke: #0a58ca; stroke-width: 1.3; stroke-dasharray: 1 3 }
svg .lmax { fill: none; stroke: #b9cbe6; stroke-width: 1; stroke-linejoin: round }
svg .bound { fill: none; stroke: #b9cbe6; stroke-width: 1.3; stroke-dasharray: 2 3 }
svg .limit { stroke: #b3261e; stroke-width: 1; stroke-dasharray: 6 4 }
svg .gap { fill: #f3d9b8 }
`;

/** The levels over time as an SVG file without a script. Missing time is shaded; no line crosses a gap. */
export function levelChartFile(title: string, input: ChartInput): string {
  const drawn = drawing(input) ?? html`<text x="${LEFT}" y="${HEIGHT / 2}">There is no data.</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT + TITLE}" viewBox="0 -${TITLE} ${WIDTH} ${HEIGHT + TITLE}">
${style(CHART_STYLE)}<rect y="-${TITLE}" width="${WIDTH}" height="${HEIGHT + TITLE}" fill="#fff"/><text x="${LEFT}" y="-8">${title}</text>${drawn}</svg>`
    .text;
}

function drawing({ rows, span, zone, show, limit }: ChartInput): Markup | undefined {
  const levels = rows.flatMap(({ leq, lmax, lp, bounds }) =>
    [leq, lmax, lp, boundIn(bounds)].filter((level) => level !== null),
  );
  if (levels.length === 0) return undefined;
  const scale = scaleOf(span, limit === undefined ? levels : [...levels, limit]);
  const grid = Array.from(
    { length: (scale.high - scale.low) / GRID_DB + 1 },
    (_, index) => scale.low + index * GRID_DB,
  );
  return html`
${rows.map((row) => gap(row, scale))}
${grid.map((level) => gridLine(level, scale))}
${ticks(span, zone).map((at) => tick(at, show, scale))}
<path class="lmax" d="${path(rows, scale, ({ lmax }) => lmax)}"/>
<path class="bound" d="${path(rows, scale, ({ bounds }) => boundIn(bounds))}"/>
<path class="leq" d="${path(rows, scale, ({ leq }) => leq)}"/>
<path class="reading" d="${path(rows, scale, ({ leq, lp }) => (leq === null ? lp : null))}"/>
${limit === undefined ? null : html`<line class="limit" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${scale.y(limit)}" y2="${scale.y(limit)}"/>`}
`;
}

/** Upper limit of an uncertain Lmax. */
const boundIn = ({ lmax }: HistoryRow['bounds']): number | null => lmax?.level ?? null;

function scaleOf({ from, to }: Span, levels: readonly number[]): Scale {
  const lowest = levels.reduce((least, level) => Math.min(least, level), Number.POSITIVE_INFINITY);
  const highest = levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  const low = Math.floor(lowest / GRID_DB) * GRID_DB;
  const high = Math.max(low + GRID_DB, Math.ceil(highest / GRID_DB) * GRID_DB);
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    low,
    high,
    x: (ms) => round(LEFT + ((Math.min(to, Math.max(from, ms)) - from) / (to - from)) * (WIDTH - LEFT - RIGHT)),
    y: (level) => round(HEIGHT - BOTTOM - ((level - low) / (high - low)) * (HEIGHT - BOTTOM - TOP)),
  };
}

/** Every missing part is visible: the shade is as wide as the missing time, and has a minimum width. */
function gap({ from, to, measured }: HistoryRow, { x }: Scale): Markup | null {
  const missing = 1 - indices.coverageOf(measured, to - from);
  if (missing < 0.001) return null;
  const [left, right] = [x(from * 1_000), x(to * 1_000)];
  const width = Math.max(0.4, (right - left) * missing);
  return html`<rect class="gap" x="${left}" width="${Math.round(width * 100) / 100}" y="${TOP}" height="${HEIGHT - BOTTOM - TOP}"/>`;
}

const gridLine = (level: number, { y }: Scale): Markup =>
  html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(level)}" y2="${y(level)}"/><text x="${LEFT - 6}" y="${y(level) + 4}" text-anchor="end">${level}</text>`;

function tick(at: number, show: ShowTime, { x }: Scale): Markup {
  const [date, time = ''] = show(at).split(' ');
  const below = HEIGHT - BOTTOM;
  return html`<line class="grid" x1="${x(at)}" x2="${x(at)}" y1="${TOP}" y2="${below}"/><text x="${x(at)}" y="${below + 14}" text-anchor="middle">${time}</text><text x="${x(at)}" y="${below + 27}" text-anchor="middle">${date}</text>`;
}

/** Full local hours, days, or every so many days. */
function ticks(span: Span, zone: string): number[] {
  const days = indices.localDays(zone, span);
  const every = TICKS_MS.find((step) => (span.to - span.from) / step <= MOST_TICKS);
  const all = every
    ? days.flatMap((day) => ticksOf(day, every))
    : days.map(({ from }) => from).filter((_, index) => index % Math.ceil(days.length / MOST_TICKS) === 0);
  return all.filter((at) => at >= span.from && at < span.to);
}

/** A day of 25 hours has an extra label; it is left out if it would touch the label of the next midnight. */
const ticksOf = ({ from, to }: Span, every: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / every) }, (_, index) => from + index * every).filter(
    (at) => at === from || to - at > every / 2,
  );

function path(rows: readonly HistoryRow[], { x, y }: Scale, of: (row: HistoryRow) => number | null): string {
  let isDown = false;
  const steps = rows.flatMap((row) => {
    const level = of(row);
    if (level === null) {
      isDown = false;
      return [];
    }
    const point = `${isDown ? 'L' : 'M'}${x(row.from * 1_000)} ${y(level)}H${x(row.to * 1_000)}`;
    isDown = true;
    return point;
  });
  return steps.join('');
}
