/** Reports in tests: hours of levels, addresses of previews, and what poppler reads in a PDF. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Json, World } from './world.ts';

const HOUR_MS = 3_600_000;
/** Of the days of these reports. */
export const ZONE = 'Europe/Berlin';
/** The week in which the clocks of Berlin go back: Monday 20 to Sunday 26 October 2025, the last one of 25 hours. */
const DST = ['2025-10-19T22:00:00.000Z', '2025-10-26T23:00:00.000Z'] as const;
/** In this zone. */
export const SPANS = {
  'a week': ['2025-11-02T23:00:00.000Z', '2025-11-09T23:00:00.000Z'],
  'a month': ['2025-10-31T23:00:00.000Z', '2025-11-30T23:00:00.000Z'],
  'the week in which the clocks go back': DST,
} as const;

/** Hours from `from` to `to`, quiet by night; a loud hour each day, and some hours are missing. */
export async function importHours(world: World, from: string, to: string): Promise<void> {
  const lines: string[] = [];
  for (let at = Date.parse(from), n = 0; at < Date.parse(to); at += HOUR_MS, n++) {
    if (n % 61 === 60) continue;
    const leq = (n % 24 === 12 ? 71.3 : n % 24 < 7 ? 41.2 : 55.7) + (n % 7) / 10;
    for (let minute = 0; minute < 60; minute += 15)
      lines.push(`${new Date(at + minute * 60_000).toISOString()},900,${leq.toFixed(1)},${(leq + 12.3).toFixed(1)}`);
  }
  await world.bring(lines);
}

/** A section of a unit in a report, its tables, and its texts in lines. */
export const sectionOf = (unit: Json, name: string): Json =>
  unit.sections.find(({ section }: Json) => section === name);
export const tablesIn = ({ blocks }: Json): Json[] => blocks.filter(({ block }: Json) => block === 'table');
export const textIn = ({ blocks }: Json): string => blocks.flatMap(({ text = [] }: Json) => text).join('\n');

/** Of a preview about `sim-1`. */
export const address = ([from, to]: readonly [string, string], more = '') =>
  `/_reports/preview?units=sim-1&from=${from}&to=${to}&zone=${ZONE}${more}`;

const TENTHS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  useGrouping: false,
});
/** A number of the API as people read it: one decimal, half a step away from zero. */
export const shown = (level: number | null): string => (level === null ? '-' : TENTHS.format(level));

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];
/** `Sun 25 Oct 2026` of `2026-10-25`: a day as English reports have it. */
export function written(day: string): string {
  const date = new Date(day);
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The content of a preview at this address. */
export async function previewOf(world: World, path: string): Promise<Json> {
  const { status, body } = await world.get(path);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

export async function pdfOf(t: Test, world: World, path: string): Promise<Buffer> {
  const response = await fetch(`${world.base}${path}`);
  if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  t.equal(response.headers.get('content-type'), 'application/pdf');
  return Buffer.from(await response.arrayBuffer());
}

const hasPoppler = spawnSync('pdftotext', ['-v']).status === 0;
/** Options of a test that needs poppler. */
export const noPoppler = { skip: hasPoppler ? false : 'poppler-utils (pdftotext, pdfinfo, pdffonts) is not installed' };

/** Runs a program of poppler on a PDF; a warning is a failure. */
export function poppler(t: Test, program: string, bytes: Buffer, ...after: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'slm-report-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.pdf');
  writeFileSync(file, bytes);
  const options = program === 'pdftotext' ? ['-layout'] : [];
  const { stdout, stderr, status } = spawnSync(program, [...options, file, ...after], { encoding: 'utf8' });
  t.equal(stderr, '', `${program} warns of nothing`);
  t.equal(status, 0);
  return stdout;
}

const FIGURES: Readonly<Record<string, string>> = { lden: 'Lden', day: 'Lday', evening: 'Levening', night: 'Lnight' };

/** A PDF has a line for each day and each figure of an assessment. Its numbers are those of the API, as people read them. */
export function hasNumbers(
  t: Test,
  text: string,
  { indices, assessment }: { readonly indices: Json; readonly assessment: Json },
  { dateOf = written, levelOf = shown, figureOf = (name: string): string | undefined => FIGURES[name] } = {},
): void {
  const lines = text.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
  const has = (...cells: readonly (string | undefined)[]) => {
    const line = cells.join(' ');
    t.ok(
      lines.some((one) => one.startsWith(line)),
      line,
    );
  };
  for (const { date, lday, levening, lnight, lden, leq_24h, lmax, l10, l90, coverage } of indices.days) {
    const share = Math.floor(coverage.all * 1_000) / 10;
    has(dateOf(date), ...[lday, levening, lnight, lden, leq_24h, lmax, l10, l90, share].map(levelOf), '%');
  }
  for (const { date, figures } of assessment.days)
    for (const { figure, value, limit, margin } of figures)
      if (figureOf(figure)) has(dateOf(date), figureOf(figure), ...[value, limit, margin].map(levelOf));
}
