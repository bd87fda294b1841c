/**
 * A level with one decimal comes from the two decimals of the API. It is the same in PDF, HTML, on the page, on the command
 * line, and beside a limit.
 */
import t from 'tap';
import { level as cliLevel } from '../../cli/output.ts';
import { tables } from '../../lib/built-in.ts';
import { dateText } from '../../plugins/reports/words.ts';
import { address, noPoppler, pdfOf, poppler, ZONE } from '../support/reports.ts';
import { type Json, openWorld } from '../support/world.ts';

const DAY_MS = 24 * 3_600_000;
const FROM = Date.parse('2025-11-02T23:00:00.000Z');
const SPAN = [FROM, FROM + 7 * DAY_MS].map((at) => new Date(at).toISOString()) as [string, string];
/** Levels that end with a half step: of most of them the computer has a little less. */
const LMAX = ['77.05', '66.15', '64.85', '71.25', '59.35', '80.45', '99.65'] as const;
/** By hand. */
const SHOWN = ['77.1', '66.2', '64.9', '71.3', '59.4', '80.5', '99.7'] as const;

t.test('a half step is rounded in the same way everywhere', noPoppler, async (t) => {
  const world = await openWorld(t);
  const lines = LMAX.flatMap((lmax, day) =>
    Array.from({ length: 24 }, (_, hour) => {
      const start = new Date(FROM + day * DAY_MS + hour * 3_600_000).toISOString();
      // Half of the time 54.94 and half 54.95 dB: 54.945 dB, in the API 54.95.
      return `${start},3600,${hour % 2 === 0 ? '54.94' : '54.95'},${lmax}`;
    }),
  );
  await world.bring(lines);
  const query = `from=${SPAN[0]}&to=${SPAN[1]}&zone=${ZONE}`;
  const { days }: Json = (await world.get(`/sim-1/indices?${query}`)).body.data;
  t.strictSame(
    days.map(({ lmax }: Json) => lmax),
    LMAX.map(Number),
    'the API has two decimals',
  );
  t.strictSame(LMAX.map(Number).map(cliLevel), SHOWN, 'on the command line');

  const pdf = await pdfOf(t, world, address(SPAN, '&format=pdf'));
  const html = await (await fetch(`${world.base}${address(SPAN, '&format=html')}`)).text();
  const page = String((await world.get(`/sim-1/report?${query}`)).body);
  t.ok(page.includes(`<td class="n">${SHOWN.at(-1)}</td>`), 'the loudest of all on the page of the unit');
  const rows = poppler(t, 'pdftotext', pdf, '-')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '));
  for (const [n, { date, leq_24h, lday, levening, lnight, lden, lmax }] of days.entries()) {
    const levels = [lday, levening, lnight, lden, leq_24h, lmax].map(tables.levelText);
    t.equal(levels.at(-1), SHOWN[n]);
    const shown = dateText(date, 'en');
    t.ok(
      rows.some((row) => row.startsWith([shown, ...levels].join(' '))),
      `PDF: ${shown} ${levels}`,
    );
    const cellsOf = (some: readonly string[]) => some.map((level) => `<td class="n">${level}</td>`).join('');
    t.ok(html.includes(`<tr><td>${shown}</td>${cellsOf(levels)}`), `HTML: ${date}`);
    t.ok(page.includes(`<tr><td>${shown}</td>${cellsOf(levels)}`), `the page of the unit: ${date}`);
  }
});

t.test('a verdict never contradicts the number beside it', async (t) => {
  const world = await openWorld(t);
  const lines = Array.from({ length: 7 * 24 }, (_, hour) => {
    const start = new Date(FROM + hour * 3_600_000).toISOString();
    return `${start},3600,${hour % 2 === 0 ? '54.94' : '54.95'},60`;
  });
  await world.bring(lines);
  const query = `from=${SPAN[0]}&to=${SPAN[1]}&zone=${ZONE}`;
  for (const [limit, verdict] of [
    [54.9, 'exceeded'],
    [55, 'met'],
  ] as const) {
    const path = `/sim-1/assessment?${query}&limits=day:${limit}`;
    const { days }: Json = (await world.get(path)).body.data;
    for (const { figures } of days) {
      const found = figures.find(({ figure }: Json) => figure === 'day');
      t.match(found, { value: 54.95, limit, verdict }, `54.95 is shown as 55.0, limit ${limit}`);
      t.equal(tables.shownTenths(found.value) > limit ? 'exceeded' : 'met', verdict);
    }
  }
});
