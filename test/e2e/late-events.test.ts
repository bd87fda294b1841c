/** Levels that come hour by hour in any order give the same events wherever people read them: list, CSV, PDF, and package of evidence. */
import t, { type Test } from 'tap';
import { downloaded, endedJob } from '../support/packages.ts';
import { noPoppler, pdfOf, poppler } from '../support/reports.ts';
import { unzip } from '../support/unzip.ts';
import { openWorld, type World } from '../support/world.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const iso = (ms: number) => new Date(ms).toISOString();
const energy = (level: number) => 10 ** (level / 10);
const RULE = {
  name: 'Limit',
  kind: 'level',
  quantity: 'leq',
  window: '15m',
  align: 'clock',
  limit_db: 75,
  clear_db: 73,
  min_coverage: 0.5,
  continue: true,
};

/** Six hours: too loud from 1:30 to 3:15, loudest at 2:05, and louder from 4:00 to 4:15. */
function minuteAt(minute: number): { readonly leq: number; readonly lmax: number } {
  if (minute >= 240 && minute < 255) return { leq: 82, lmax: 85 };
  if (minute < 90 || minute >= 195) return { leq: 50, lmax: 53 };
  return { leq: 80, lmax: minute === 125 ? 99 : 83 };
}

/** The levels of so many minutes. */
async function bring(world: World, unit: string, begin: number, first: number, count = 60): Promise<void> {
  const lines = Array.from({ length: count }, (_, n) => {
    const { leq, lmax } = minuteAt(first + n);
    return `${iso(begin + (first + n) * MINUTE)},60,${leq},${lmax}`;
  });
  await world.bring(lines, 'leq,lmax', unit);
  await world.pass(12_000);
}

/** An event without the parts that differ between units. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of an answer
const factsOf = ({ window_from, closed_at, duration_s, worst, lae, loudest }: any) => ({
  window_from,
  closed_at,
  duration_s,
  worst,
  lae,
  loudest,
});

/** The oldest first, when their levels have been read: the history works in a thread of its own, in real time. */
async function eventsOf(world: World, unit: string, count: number) {
  for (let tries = 0; ; tries++) {
    const { data } = (await world.get(`/_alerts/events?unit=${unit}`)).body;
    const isRead = data.length === count && data.every(({ lae }: { lae: number | null }) => lae !== null);
    if (isRead || tries === 100) return data.toReversed().map(factsOf);
    await world.pass(1_000);
  }
}

/** Rows of a CSV as objects. No cell of these tables has a line end. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.replace('\ufeff', '').trim().split('\r\n');
  return lines.map((line) => Object.fromEntries(head.split(',').map((name, at) => [name, line.split(',')[at] ?? ''])));
}

async function packageOf(world: World, unit: string, span: { readonly from: string; readonly to: string }) {
  const { body } = await world.post(`/${unit}/evidence`, { ...span, include: ['alerts'] });
  const { result } = await endedJob(world, body.job);
  const files = await unzip((await downloaded(world, result.href)).bytes);
  return JSON.parse(String(files.get('alerts.json')));
}

async function opened(t: Test, meters: number) {
  const world = await openWorld(t, { meters });
  for (let n = 1; n <= meters; n++) await world.put(`/sim-${n}/config`, { timezone: 'UTC', tcp_enabled: false });
  return world;
}

t.test(
  'hours in order, newest first and mixed give the same two events in list, CSV, PDF and evidence',
  { ...noPoppler },
  async (t) => {
    const orders = [
      [0, 1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1, 0],
      [2, 5, 0, 3, 1, 4],
    ];
    const world = await opened(t, orders.length);
    const begin = Math.floor(world.clock.now() / DAY) * DAY + DAY;
    const at = (minutes: number) => iso(begin + minutes * MINUTE);
    t.equal((await world.post('/_alerts/rules', { ...RULE, units: ['sim-1', 'sim-2', 'sim-3'] })).status, 201);
    await world.clock.advance(begin + 7 * HOUR - world.clock.now());
    for (const [index, order] of orders.entries())
      for (const hour of order) await bring(world, `sim-${index + 1}`, begin, hour * 60);
    const lae = (seconds: number, level: number) => Math.round(10 * Math.log10(seconds * energy(level)) * 100) / 100;
    const expected = [
      {
        window_from: at(90),
        closed_at: at(195),
        duration_s: 6_300,
        worst: 80,
        lae: lae(6_300, 80),
        loudest: { at: at(125), level: 99 },
      },
      {
        window_from: at(240),
        closed_at: at(255),
        duration_s: 900,
        worst: 82,
        lae: lae(900, 82),
        loudest: { at: at(240), level: 85 },
      },
    ];
    const span = { from: at(0), to: at(360) };
    for (const index of orders.keys()) {
      const unit = `sim-${index + 1}`;
      t.match(await eventsOf(world, unit, 2), expected, `${unit}: list`);
      const csv = rowsOf((await world.get(`/_alerts/events?unit=${unit}&format=csv`)).body).toReversed();
      const cells = expected.map((event) => ({
        window_from: event.window_from,
        closed_at: event.closed_at,
        duration_s: String(event.duration_s),
        worst: String(event.worst),
        lae: String(event.lae),
        loudest: String(event.loudest.level),
        loudest_at: event.loudest.at,
      }));
      t.match(csv, cells, `${unit}: CSV`);
      t.equal(csv.length, 2);
      const kept = await packageOf(world, unit, span);
      t.match(kept.toReversed().map(factsOf), expected, `${unit}: evidence`);
    }
    const query = new URLSearchParams({ ...span, units: 'sim-1,sim-2,sim-3', zone: 'UTC', format: 'pdf' });
    const pdf = await world.passing(pdfOf(t, world, `/_reports/preview?${query}`));
    const printed = poppler(t, 'pdftotext', pdf, '-');
    const [first, second] = [/ 01:30–03:15 .* 80\.0 of 75 dB .*Limit/, / 04:00–04:15 .* 82\.0 of 75 dB .*Limit/];
    for (const line of [first, second])
      t.equal(printed.split('\n').filter((one) => line.test(one)).length, orders.length, String(line));
  },
);

t.test('a late hour makes an open event begin earlier, and it goes on everywhere', { ...noPoppler }, async (t) => {
  const world = await opened(t, 1);
  const begin = Math.floor(world.clock.now() / DAY) * DAY + DAY;
  const at = (minutes: number) => iso(begin + minutes * MINUTE);
  t.equal((await world.post('/_alerts/rules', { ...RULE, units: ['sim-1'] })).status, 201);
  await world.clock.advance(begin + 3 * HOUR + 10 * MINUTE - world.clock.now());
  await bring(world, 'sim-1', begin, 120, 70);
  const open = async () => (await world.get('/_alerts/events?open=true')).body.data;
  for (let tries = 0; tries < 100 && (await open()).length === 0; tries++) await world.pass(200);
  const [first] = await open();
  t.match(first, { window_from: at(120), closed_at: null });
  await bring(world, 'sim-1', begin, 60);
  for (let tries = 0; tries < 100 && (await open())[0]?.window_from !== at(90); tries++) await world.pass(200);
  const [event, ...others] = await open();
  t.match(event, { id: first.id, window_from: at(90), closed_at: null, duration_s: null });
  t.strictSame(others, []);
  const [row] = rowsOf((await world.get('/_alerts/events?format=csv')).body);
  t.match(row, { id: first.id, window_from: at(90), closed_at: '', duration_s: '' });
  const span = { from: at(0), to: iso(world.clock.now()) };
  t.match(await packageOf(world, 'sim-1', span), [{ id: first.id, window_from: at(90), closed_at: null }]);
  const query = new URLSearchParams({ ...span, units: 'sim-1', zone: 'UTC', format: 'pdf' });
  const pdf = await world.passing(pdfOf(t, world, `/_reports/preview?${query}`));
  t.match(
    poppler(t, 'pdftotext', pdf, '-'),
    /LAeq 78\.9 dB[\s\S]*01:34:48 .*80\.0 of 75 dB .*Limit[\s\S]* open +Limit/,
  );
});
