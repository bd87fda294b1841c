/**
 * Rows of an hour or a part of it, in places whose hours begin at other times than in UTC. Expected values come from the same
 * minutes and from local times of Intl. They do not come from the code under test.
 */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const utc = (ms: number) => new Date(ms).toISOString().replace('.000', '');

/** Loud in every second local hour, so that an hour that begins at a wrong minute has a wrong level. */
const levelAt = (minute: number, local: string): number =>
  (Number(local.slice(11, 13)) % 2 === 0 ? 80 : 50) + (minute % 7) / 10;

interface Slot {
  readonly from: number;
  readonly levels: readonly number[];
}

/** The minutes of the span by local step: a new one begins where the wall shows a full step, or jumps by a part of one. */
function slots(zone: string, from: number, to: number, stepMinutes: number): Slot[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const wall = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  const found: { from: number; levels: number[] }[] = [];
  for (let at = from; at < to; at += MINUTE) {
    const jump = wall(at) - wall(at - MINUTE) - MINUTE;
    const isFull = wall(at) % (stepMinutes * MINUTE) === 0 || jump % (stepMinutes * MINUTE) !== 0;
    if (isFull || found.length === 0) found.push({ from: at, levels: [] });
    found.at(-1)?.levels.push(levelAt(at / MINUTE, format.format(at)));
  }
  return found;
}

const mean = (levels: readonly number[]): number =>
  10 * Math.log10(levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length);

/** The local day has so many hours. */
const DAYS: readonly (readonly [zone: string, midnight: string, hours: number])[] = [
  ['UTC', '2025-06-15T00:00Z', 24],
  ['Europe/Berlin', '2025-03-29T23:00Z', 23],
  ['Europe/Berlin', '2025-10-25T22:00Z', 25],
  ['Asia/Kolkata', '2025-06-14T18:30Z', 24],
  ['Asia/Kathmandu', '2025-06-14T18:15Z', 24],
  ['Australia/Adelaide', '2025-10-04T14:30Z', 23],
  ['Australia/Adelaide', '2025-04-05T13:30Z', 25],
  ['America/St_Johns', '2025-03-09T03:30Z', 23],
  ['America/St_Johns', '2025-11-02T02:30Z', 25],
  ['Australia/Lord_Howe', '2025-10-04T13:30Z', 23.5],
  ['Australia/Lord_Howe', '2025-04-05T13:00Z', 24.5],
  ['Pacific/Chatham', '2025-09-27T11:15Z', 23],
  ['Pacific/Chatham', '2025-04-05T10:15Z', 25],
];

t.test('a row is a full hour, half or quarter of the clock of the place, also where the clocks change', async (t) => {
  const world = await openWorld(t);
  for (const [zone, begin, hours] of DAYS) {
    const from = Date.parse(begin);
    const to = from + hours * HOUR;
    const unit = `${zone.replace(/.*\//, '')}-${hours}`.replace('_', '-');
    await world.put(`/${unit}/config`, {
      host: '127.0.0.1',
      tcp_enabled: false,
      timezone: zone,
      poll_enabled: false,
      history: 'off',
    });
    const lines = slots(zone, from, to, 1).map(({ from, levels: [level = 0] }) => `${utc(from)},60,${level}`);
    await world.bring(lines, 'leq', unit);
    const span = `from=${utc(from)}&to=${utc(to)}`;
    for (const [step, minutes] of [
      ['15m', 15],
      ['30m', 30],
      ['1h', 60],
    ] as const) {
      const truth = slots(zone, from, to, minutes);
      const name = `${zone} ${begin} ${step}`;
      const { body } = await world.get(`/${unit}/history?${span}&step=${step}&quantities=leq`);
      const wanted = truth.map(({ from, levels }) => [utc(from), mean(levels).toFixed(1)]);
      t.strictSame(
        body.data.rows.map(([start, leq]: [string, number]) => [start, leq.toFixed(1)]),
        wanted,
        name,
      );
      t.strictSame([body.data.from, body.data.to], [utc(from), utc(to)], name);
      const csv = await world.get(`/${unit}/history?${span}&step=${step}&quantities=leq&format=csv`);
      const rows = String(csv.body)
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 2));
      t.strictSame(
        rows,
        truth.map(({ from, levels }) => [utc(from), String(levels.length * 60)]),
        `CSV ${name}`,
      );
      const isUneven = truth.some(({ levels }) => levels.length < minutes);
      t.match(body.data.notes, isUneven ? [/shorter/] : [], 'a note says that a row is shorter than the others');
    }
    const truth = slots(zone, from, to, 60);
    const loud = truth.filter(({ levels }) => mean(levels) > 70).length;
    const report = await world.get(`/${unit}/report?${span}&limit_db=70&limit_step=1h`);
    t.match(
      report.body,
      new RegExp(`in ${loud} of ${truth.length} intervals of 1 h`),
      `the report of ${zone} ${begin}`,
    );
  }
});

t.test('another zone can be asked for, and a span that begins within a row gives the whole row', async (t) => {
  const world = await openWorld(t);
  const ask = (query: string) => world.get(`/sim-1/history?quantities=leq&${query}`);
  const span = 'from=2025-06-15T00:10:00Z&to=2025-06-15T02:00:00Z';
  const starts = async (query: string) =>
    (await ask(query)).body.data.rows.map(([start]: [string]) => start.slice(11, 16));
  t.strictSame(await starts(`${span}&step=1h&zone=UTC`), ['00:00', '01:00']);
  t.strictSame(await starts(`${span}&step=1h&zone=Asia/Kolkata`), ['23:30', '00:30', '01:30']);
  t.strictSame(await starts(`${span}&step=30m&zone=Asia/Kathmandu`), ['23:45', '00:15', '00:45', '01:15', '01:45']);
  t.strictSame((await starts(`${span}&step=15m&zone=Asia/Kathmandu`)).slice(0, 2), ['00:00', '00:15']);
});

t.test('a row that would begin before 1970 is refused with its path', async (t) => {
  const world = await openWorld(t);
  const first = 'from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z';
  for (const query of [
    'step=1d&zone=Europe/Berlin',
    'step=1h&zone=Asia/Kolkata',
    'step=1d&zone=America/Lima&format=csv',
  ]) {
    const { status, body } = await world.get(`/sim-1/history?${first}&${query}`);
    t.match(
      { status, body },
      { status: 422, body: { code: 'INVALID', errors: [{ path: '/from', message: /1970/ }] } },
      query,
    );
  }
  const report = await world.get(`/sim-1/report?${first}&zone=Europe/Berlin&limit_db=50&limit_step=1d`);
  t.match(report, { status: 422, body: { errors: [{ path: '/from' }] } });
  t.equal((await world.get(`/sim-1/history?${first}&step=1d&zone=UTC`)).status, 200);
  t.equal((await world.get(`/sim-1/history?${first}&step=1h&zone=Europe/Berlin`)).status, 200);
  t.equal(
    (await world.get(`/sim-1/indices?${first}&zone=Europe/Berlin`)).status,
    200,
    'days of indices are cut to the span',
  );
});
