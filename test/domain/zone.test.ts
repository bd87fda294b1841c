/** Local time, held against what the clocks of Intl show, and against a table made by hand. */
import fc from 'fast-check';
import t from 'tap';
import {
  calendarSpans,
  changesOf,
  localAt,
  localIso,
  localText,
  momentsOf,
  offsetText,
  offsetWords,
  stepAt,
  stepsOver,
  weekdayOf,
  zoneOffset,
} from '../../lib/domain/zone.ts';

const at = (text: string) => Date.parse(text);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Text of a clock on the wall, by Intl: `2026-06-15 14:00:00`. */
function wall(zone: string): (at: number) => string {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', options);
  formats.set(zone, format);
  return (at) => format.format(at);
}

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const moment = fc.integer({ min: at('1975-01-01T00:00Z') / MINUTE, max: at('2060-01-01T00:00Z') / MINUTE });

t.test('at any time in any zone the local time is what the clock on the wall shows', async () => {
  fc.assert(
    // Five within some months: the zone is read again only where its clocks change between them.
    fc.property(zone, moment, fc.array(fc.nat(150 * 24 * 60), { minLength: 4, maxLength: 4 }), (zone, first, later) =>
      [0, ...later.sort((one, other) => one - other)].every((minutes) => {
        const now = (first + minutes) * MINUTE;
        const shown = wall(zone)(now);
        const iso = localIso(zone, now);
        return (
          localText(localAt(zone, now)) === shown &&
          iso.slice(0, 19).replace('T', ' ') === shown &&
          Date.parse(iso) === now &&
          momentsOf(zone, localAt(zone, now)).includes(now)
        );
      }),
    ),
    { numRuns: 400 },
  );
});

t.test('a time is found again wherever one looked before', async (t) => {
  const offsets = [
    '2026-07-01',
    '2026-01-01',
    '2026-10-25T00:59:59Z',
    '2026-10-25T01:00Z',
    '2026-10-25T00:59:59Z',
    '2026-03-29T00:59:59Z',
    '1980-07-01',
  ]
    .map(at)
    .map((time) => zoneOffset('Europe/Berlin', time) / HOUR);
  t.strictSame(offsets, [2, 1, 2, 1, 2, 1, 2]);
  t.throws(() => zoneOffset('Europe/Berlni', 0), RangeError);
});

t.test('a local time is skipped, is there once, or comes twice', async (t) => {
  const [day, year] = ['2026-10-25', '2026-03-29'];
  const utc = (zone: string, local: string) =>
    momentsOf(zone, at(`${local}Z`)).map((time) => new Date(time).toISOString());
  t.strictSame(utc('Europe/Berlin', `${day}T02:30`), ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
  t.strictSame(utc('Europe/Berlin', `${day}T03:00`), ['2026-10-25T02:00:00.000Z']);
  t.strictSame(utc('Europe/Berlin', `${year}T02:30`), []);
  t.strictSame(utc('Australia/Lord_Howe', '2026-04-05T01:45'), [
    '2026-04-04T14:45:00.000Z',
    '2026-04-04T15:15:00.000Z',
  ]);
  t.strictSame(utc('Asia/Kolkata', '2026-04-05T01:45'), ['2026-04-04T20:15:00.000Z']);
});

t.test('the two equal hours have different offsets', async (t) => {
  t.equal(localIso('Europe/Berlin', at('2026-10-25T00:30Z')), '2026-10-25T02:30:00+02:00');
  t.equal(localIso('Europe/Berlin', at('2026-10-25T01:30Z')), '2026-10-25T02:30:00+01:00');
  t.equal(localIso('America/St_Johns', at('2026-01-01T03:30Z')), '2026-01-01T00:00:00-03:30');
  t.strictSame([0, 3_600_000, -12_600_000, 20_700_000, -1_800_000].map(offsetText), [
    ...['+00:00', '+01:00', '-03:30', '+05:45', '-00:30'],
  ]);
  t.strictSame([0, 3_600_000, -12_600_000, 45_900_000, -1_800_000].map(offsetWords), [
    ...['UTC', 'UTC+1', 'UTC-3:30', 'UTC+12:45', 'UTC-0:30'],
  ]);
});

t.test('changes of the clocks of a year', async (t) => {
  const year = [at('2026-01-01T00:00Z'), at('2027-01-01T00:00Z')] as const;
  t.strictSame(changesOf('Europe/Berlin', ...year), [at('2026-03-29T01:00Z'), at('2026-10-25T01:00Z')]);
  t.strictSame(changesOf('Asia/Kolkata', ...year), []);
});

t.test('weeks are those of ISO 8601, and months and years those of the calendar', async (t) => {
  const spans = (unit: 'week' | 'month' | 'year', from: string, to: string) =>
    calendarSpans('Europe/Berlin', { from: at(from), to: at(to) }, unit).map(({ name, from, to }) => [
      name,
      (to - from) / HOUR,
    ]);
  t.strictSame(spans('week', '2026-12-31T12:00Z', '2027-01-11T12:00Z'), [
    ['2026-W53', 168],
    ['2027-W01', 168],
    ['2027-W02', 168],
  ]);
  t.strictSame(spans('week', '2024-12-30T12:00Z', '2024-12-30T13:00Z'), [['2025-W01', 168]]);
  t.strictSame(spans('week', '2026-03-29T00:00Z', '2026-03-29T01:00Z'), [['2026-W13', 167]], 'clocks forward');
  t.strictSame(spans('week', '2026-10-25T00:00Z', '2026-10-25T01:00Z'), [['2026-W43', 169]], 'clocks back');
  t.strictSame(spans('month', '2026-01-31T23:30Z', '2026-03-31T21:59Z'), [
    ['2026-02', 672],
    ['2026-03', 743],
  ]);
  t.strictSame(spans('year', '2026-12-31T23:00Z', '2028-01-01T00:00Z'), [
    ['2027', 8_760],
    ['2028', 8_784],
  ]);
  t.strictSame(
    ['2026-11-21', '2026-11-23', '1969-12-31', '1970-01-01', '1965-03-01'].map((day) => weekdayOf(at(day))),
    [5, 0, 2, 3, 0],
  );
});

t.test('weeks, months and years are made of whole days without a hole', async () => {
  fc.assert(
    fc.property(
      zone,
      moment,
      fc.constantFrom('week' as const, 'month' as const, 'year' as const),
      (zone, minute, unit) => {
        const span = { from: minute * MINUTE, to: minute * MINUTE + 500 * DAY };
        const parts = calendarSpans(zone, span, unit);
        const midnights = new Set(
          calendarSpans(zone, { from: span.from - 800 * DAY, to: span.to + 800 * DAY }, 'day').map(({ from }) => from),
        );
        const [first, last] = [parts[0], parts.at(-1)];
        return (
          first !== undefined &&
          first.from <= span.from &&
          (last?.to ?? 0) >= span.to &&
          parts.every(
            ({ from, to }, index) =>
              midnights.has(from) && midnights.has(to) && (index === 0 || parts[index - 1]?.to === from),
          )
        );
      },
    ),
    { numRuns: 40 },
  );
});

const STEPS = [15, 30, 60].map((minutes) => minutes * MINUTE);
/** Zones with quarters that differ from those of UTC, zones that move by half an hour, and usual zones. */
const PLACES = [
  ...['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tehran'],
  ...['Australia/Adelaide', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Australia/Eucla'],
];

/** By hand: a step begins when the wall clock shows a full step, and when the clock jumps by a part. */
const beginsByWall = (zone: string, from: number, to: number, step: number): number[] =>
  minutesByWall(zone, from, to).flatMap(({ time, local, jump }) =>
    local % step === 0 || jump % step !== 0 ? [time] : [],
  );

interface WallMinute {
  readonly time: number;
  /** Local time then, and the jump of the clock. */
  readonly local: number;
  readonly jump: number;
}

function minutesByWall(zone: string, from: number, to: number): readonly WallMinute[] {
  const key = `${zone} ${from} ${to}`;
  if (lastMinutes.key === key) return lastMinutes.minutes;
  const shown = wall(zone);
  const localOf = (time: number) => Date.parse(`${shown(time).replace(' ', 'T')}Z`);
  const minutes: WallMinute[] = [];
  let before = localOf(from - MINUTE);
  for (let time = from; time < to; time += MINUTE) {
    const local = localOf(time);
    minutes.push({ time, local, jump: local - before - MINUTE });
    before = local;
  }
  lastMinutes = { key, minutes };
  return minutes;
}

/** The same days are asked for with each step. */
let lastMinutes: { readonly key: string; readonly minutes: readonly WallMinute[] } = { key: '', minutes: [] };

const begins = (zone: string, from: number, to: number, step: number): number[] => {
  const { from: first, restarts } = stepsOver(zone, { from, to }, step);
  const found: number[] = [];
  for (let time = first; time < to; ) {
    found.push(time);
    const [next] = restarts.filter((restart) => restart > time && restart < time + step);
    time = next ?? time + step;
  }
  return found;
};

t.test('a step begins where the clock on the wall shows a full one, on each day on which clocks change', async (t) => {
  for (const place of PLACES) {
    const changes = changesOf(place, at('2026-01-01T00:00Z'), at('2027-01-01T00:00Z'));
    for (const change of [...changes, at('2026-06-15T12:00Z')])
      for (const step of STEPS) {
        const [from, to] = [change - 30 * HOUR, change + 30 * HOUR];
        const truth = beginsByWall(place, from, to, step);
        const [, ...found] = begins(place, from - 1, to, step);
        t.strictSame(
          found.filter((time) => time >= from),
          truth,
          `${place} ${step / MINUTE} min ${new Date(change).toISOString()}`,
        );
        const each = truth.slice(0, -1).map((begin, index) => ({ from: begin, to: truth[index + 1] ?? 0 }));
        for (const own of each)
          for (const time of [own.from, own.from + 1, (own.from + own.to) / 2, own.to - 1])
            if (JSON.stringify(stepAt(place, time, step)) !== JSON.stringify(own))
              t.strictSame(stepAt(place, time, step), own, place);
      }
  }
});

t.test('a change that comes within a step ends it', async (t) => {
  const steps = (zone: string, from: string, to: string, step: number) => {
    const span = { from: at(from), to: at(to) };
    const found = begins(zone, span.from, span.to, step);
    t.strictSame(
      found,
      [stepAt(zone, span.from, step).from, ...beginsByWall(zone, span.from + MINUTE, span.to, step)],
      zone,
    );
    for (const [index, begin] of found.slice(0, -1).entries())
      t.strictSame(stepAt(zone, begin + 1, step), { from: begin, to: found[index + 1] });
    return found.map((time) => new Date(time).toISOString().slice(11, 16));
  };
  t.strictSame(
    steps('America/Caracas', '2016-05-01T05:30Z', '2016-05-01T09:00Z', HOUR),
    ['05:30', '06:30', '07:00', '08:00'],
    '02:30 becomes 03:00',
  );
  t.strictSame(
    steps('America/Caracas', '2007-12-09T05:30Z', '2007-12-09T09:00Z', HOUR),
    ['05:00', '06:00', '07:00', '07:30', '08:30'],
    '03:00 becomes 02:30',
  );
  t.strictSame(
    steps('Asia/Pyongyang', '2018-05-04T13:30Z', '2018-05-04T17:00Z', HOUR),
    ['13:30', '14:30', '15:00', '16:00'],
    '23:30 becomes 24:00',
  );
  const { restarts } = stepsOver(
    'America/Caracas',
    { from: at('2007-12-09T05:30Z'), to: at('2007-12-09T07:20Z') },
    HOUR,
  );
  t.strictSame(restarts, [at('2007-12-09T07:00Z')], 'a step that begins after the span is none of it');
});

t.test('steps of any zone follow each other, and no step is too long', async () => {
  fc.assert(
    fc.property(zone, moment, fc.constantFrom(...STEPS), (zone, minute, step) => {
      let time = minute * MINUTE;
      for (let count = 0; count < 50; count++) {
        const { from, to } = stepAt(zone, time, step);
        const next = stepAt(zone, to, step);
        const full = localAt(zone, from) % step === 0 || changesOf(zone, from - 1, from).includes(from);
        if (!(from <= time && to > time && to - from <= step && next.from === to && full)) return false;
        time = to;
      }
      return true;
    }),
    { numRuns: 300 },
  );
});
