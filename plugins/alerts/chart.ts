/** The last hour as a drawing: Leq of each minute, gaps left open, and the limit as a line. SVG without scripts. Pure. */

export interface ChartData {
  readonly title: string;
  /** One for each minute, dB; null: no data. */
  readonly levels: readonly (number | null)[];
  readonly limit: number | null;
}

const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 44;
const TOP = 28;
const BOTTOM = 212;
const RIGHT = 628;

export function chartOf({ title, levels, limit }: ChartData): string {
  const seen = [...levels, limit].filter((level) => level !== null);
  const low = Math.floor((Math.min(60, ...seen) - 3) / 10) * 10;
  const high = Math.ceil((Math.max(low + 30, ...seen) + 3) / 10) * 10;
  const y = (level: number) => round(BOTTOM - ((level - low) / (high - low)) * (BOTTOM - TOP));
  const x = (minute: number) => round(LEFT + (minute / Math.max(1, levels.length - 1)) * (RIGHT - LEFT));
  const grid = [];
  for (let level = low; level <= high; level += 10)
    grid.push(
      `<path d="M${LEFT} ${y(level)}H${RIGHT}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y(level) + 4}" text-anchor="end">${level}</text>`,
    );
  const line = limit === null ? '' : `<path d="M${LEFT} ${y(limit)}H${RIGHT}" stroke="#c00" stroke-dasharray="6 3"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/><text x="${LEFT}" y="18">${escaped(title)}</text>`,
    ...grid,
    line,
    `<path d="${pathOf(levels, x, y)}" fill="none" stroke="#06c" stroke-width="2"/>`,
    `<text x="${LEFT}" y="230">-60 min</text><text x="${RIGHT}" y="230" text-anchor="end">now</text></svg>`,
  ].join('');
}

/** A minute without data begins a new line. */
function pathOf(levels: readonly (number | null)[], x: (minute: number) => number, y: (level: number) => number) {
  let isOpen = false;
  const steps = levels.map((level, minute) => {
    const step = level === null ? '' : `${isOpen ? 'L' : 'M'}${x(minute)} ${y(level)}`;
    isOpen = level !== null;
    return step;
  });
  return steps.join('');
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const round = (value: number): number => Math.round(value * 10) / 10;
