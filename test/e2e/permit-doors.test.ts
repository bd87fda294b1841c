/** Days of each kind have the same verdict in every answer: permit, unit, list of all units, report, share and MQTT. */
import t from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { openWorld, type World } from '../support/world.ts';

const QUARTER = 900_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (at: number) => new Date(at).toISOString();
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The clock of the test shows 24 December, 03:00 in Berlin. Beginning by the local clock, length, and the levels. */
interface Kind {
  readonly verdict: string;
  readonly from: string;
  readonly hours: number;
  /** Null: nothing was measured in this hour after the beginning. */
  readonly level: (hour: number) => number | null;
}
const loud = (hour: number) => (hour >= 10 && hour < 11 ? 66 : 50);
const KINDS: Readonly<Record<string, Kind>> = {
  '2025-03-30': { verdict: 'met', from: '2025-03-30T00:00:00+01:00', hours: 23, level: () => 50 },
  // Loud in the hour that comes twice, the second time.
  '2025-10-26': {
    verdict: 'exceeded',
    from: '2025-10-26T00:00:00+02:00',
    hours: 25,
    level: (hour) => (hour >= 3 && hour < 4 ? 66 : 50),
  },
  '2025-12-18': { verdict: 'met', from: '2025-12-18T00:00:00+01:00', hours: 24, level: () => 50 },
  '2025-12-19': { verdict: 'exceeded', from: '2025-12-19T00:00:00+01:00', hours: 24, level: loud },
  '2025-12-20': { verdict: 'excluded', from: '2025-12-20T00:00:00+01:00', hours: 24, level: loud },
  '2025-12-21': {
    verdict: 'not_assessable',
    from: '2025-12-21T00:00:00+01:00',
    hours: 24,
    level: (hour) => (hour >= 12 ? null : 50),
  },
  // A Monday that is a holiday, with a lower limit.
  '2025-12-22': { verdict: 'exceeded', from: '2025-12-22T00:00:00+01:00', hours: 24, level: () => 50 },
  '2025-12-24': { verdict: 'not_over', from: '2025-12-24T00:00:00+01:00', hours: 3, level: () => 50 },
};

async function fill(world: World): Promise<void> {
  const lines = Object.values(KINDS).flatMap(({ from, hours, level }) =>
    Array.from({ length: hours * 4 }, (_, quarter) => {
      const leq = level(quarter / 4);
      return leq === null ? [] : [`${iso(Date.parse(from) + quarter * QUARTER)},900,${leq},${leq + 5}`];
    }).flat(),
  );
  await world.bring(lines);
  const begin = Date.parse('2025-12-20T00:00:00+01:00');
  const note = { kind: 'exclusion', reason: 'other', text: 'Fair', from: iso(begin), to: iso(begin + DAY) };
  t.equal((await world.post('/sim-1/notes', note)).status, 201);
}

t.test('one day has one verdict, whoever asks', async (t) => {
  const broker = await openBroker(t);
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt: { url: broker.url } } } });
  await world.put('/sim-1/config', { timezone: 'Europe/Berlin', tcp_enabled: false });
  await fill(world);
  await world.put('/_calendars/own', { days: [{ date: '2025-12-22', name: 'Fair' }] });
  const limit = { index: 'leq', window: '1h', from: '00:00', to: '24:00', limit_db: 60, days: WEEK };
  const limits = [limit, { ...limit, limit_db: 45, days: ['holiday'] }];
  const permit = await world.put('/_permits/works', { units: ['sim-1'], calendar: 'own', limits });
  t.equal(permit.status, 201);
  const share = { name: 'Town hall', units: ['sim-1'], show: ['indices'], expires_at: iso(world.clock.now() + DAY) };
  const { link } = (await world.post('/_shares', share)).body.data;
  const shared = (await world.get(`/../..${link}/data`)).body.data.units[0].days;
  const listed = (await world.get('/_verdicts?days=31')).body.data[0].days;
  const of = (days: readonly { date: string; verdict: string }[], date: string) =>
    days.find((day) => day.date === date)?.verdict;
  for (const [date, { verdict, from, hours }] of Object.entries(KINDS)) {
    const site = (await world.get(`/_permits/works/verdict?day=${date}`)).body.data;
    const unit = (await world.get(`/sim-1/verdicts?day=${date}`)).body.data;
    t.strictSame([site.verdict, site.units[0].verdict, of(unit.days, date)], [verdict, verdict, verdict], date);
    if (date >= '2025-12') t.equal(of(listed, date), verdict, `${date} in the list of all units`);
    const isOver = date !== '2025-12-24';
    if (date >= '2025-12' && isOver) t.equal(of(shared, date), verdict, `${date} in a share`);
    const span = `from=${encodeURIComponent(iso(Date.parse(from)))}&to=${encodeURIComponent(iso(Date.parse(from) + hours * HOUR))}`;
    const report = (await world.get(`/_reports/preview?units=sim-1&zone=Europe/Berlin&${span}`)).body.data;
    const table = report.overview.blocks.find(({ block }: { block: string }) => block === 'table');
    t.equal(table.rows[0][0], verdict.replace('_', ' '), `${date} in a report`);
  }
  await world.clock.advance(QUARTER);
  await world.until('the verdict of today', () => broker.texts('slm/sim-1/verdict').length > 0);
  t.match(broker.last('slm/sim-1/verdict'), { date: '2025-12-24', verdict: KINDS['2025-12-24']?.verdict }, 'by MQTT');
});
