/**
 * Each preset on the same day, hour by hour: 40 dB up to 6, 50, six times 60, 58, 58, four times 62, 55, 52, 52, 45, 42.
 * Another program computed the numbers from the closed forms.
 */
import t from 'tap';
import { problemsOf } from '../../plugins/assessment/model/index.ts';
import { assess, HOURS, placeIn, presetOf, STANDARD_PRESETS } from './profile.ts';

const WEDNESDAY = '2026-06-17';
const SATURDAY = '2026-06-20';
const SUNDAY = '2026-06-21';
const ZONE = 'Europe/Berlin';
const shown = (level: number | null) => (level === null ? null : Math.round(level * 100) / 100);
const valuesOf = ({ figures }: ReturnType<typeof assess>) =>
  Object.fromEntries(figures.map(({ figure, value }) => [figure, shown(value)]));

t.test(
  'every preset that comes with the gateway fits together, says its source, and that nobody has confirmed it',
  async (t) => {
    t.ok(STANDARD_PRESETS.size >= 14);
    for (const [name, preset] of STANDARD_PRESETS) {
      t.strictSame(problemsOf(preset), [], name);
      t.equal(preset.confirmed_by, null);
      t.ok(preset.source.length > 5);
    }
  },
);

t.test('Lden is made of each of its four kinds of periods', async (t) => {
  const of = (name: string) => valuesOf(assess(presetOf(name), placeIn(ZONE), { date: WEDNESDAY }));
  t.strictSame(of('eu-lden'), { lden: 58.62, day: 60.54, evening: 52.21, night: 43.42 });
  t.strictSame(of('eu-lden-es'), of('eu-lden'));
  t.equal(of('eu-lden-it').lden, 58.26);
  t.equal(of('eu-lden-se').lden, 59.25);
  const flat = (levels: readonly number[]) =>
    valuesOf(
      assess(
        presetOf('eu-lden'),
        placeIn(ZONE, { level: (hour) => levels[hour < 7 || hour > 22 ? 2 : hour > 18 ? 1 : 0] ?? 0 }),
        { date: WEDNESDAY },
      ),
    ).lden;
  t.equal(flat([60, 55, 50]), 60);
  t.equal(flat([60, 60, 60]), 66.4);
});

t.test('time in which people rest by two entries of a preset is one time, and counts once', async (t) => {
  const preset = presetOf('de-ta-laerm');
  const valueWith = (...times: readonly (readonly [string, string])[]) => {
    const rest = { db: 6, areas: null, times: times.map(([from, to]) => ({ days: ['wed' as const], from, to })) };
    return shown(assess({ ...preset, rest }, placeIn(ZONE, { takt: 0 }), { date: WEDNESDAY }).of('day').value);
  };
  const once = valueWith(['06:00', '12:00']);
  t.equal(valueWith(['06:00', '12:00'], ['07:00', '08:00']), once, 'one within the other');
  t.equal(valueWith(['06:00', '10:00'], ['08:00', '12:00']), once, 'one over the end of the other');
});

t.test('a time that is not over is not met, for any measured share; a time that ends now is over', async (t) => {
  const end = Date.parse('2026-06-17T19:00:00+02:00');
  const limits = { day: 65, lden: 65 };
  const at = (now: number, more = {}) =>
    assess(presetOf('eu-lden'), placeIn(ZONE), { date: WEDNESDAY, limits, now, ...more });
  t.match(at(end).of('day'), { verdict: 'met', assessable: true, reasons: [] });
  const early = at(end - 1);
  t.match(early.of('day'), { verdict: 'not_assessable', assessable: false, value: null, lr: null });
  t.strictSame(early.of('day').reasons, ['This time is not over.']);
  t.equal(early.of('day').leq, at(end).of('day').leq, 'what was measured is still there');
  t.match(at(end).of('lden'), { verdict: 'not_assessable', reasons: [/^evening: .*not over/, /^night: .*not over/] });
  t.equal(at(end).verdict, 'not_assessable');
  const loud = { ...placeIn(ZONE, { takt: 0 }), lmax: 131 };
  const peak = assess(presetOf('de-ta-laerm'), loud, { date: WEDNESDAY, area: 'GI', now: end - 1 });
  t.equal(peak.of('day').verdict, 'exceeded', 'a single peak is one at once');
});

t.test('Ldn and CNEL are what their definitions say', async (t) => {
  t.equal(valuesOf(assess(presetOf('us-ldn'), placeIn(ZONE), { date: WEDNESDAY })).ldn, 58.32);
  t.equal(valuesOf(assess(presetOf('us-cnel'), placeIn(ZONE), { date: WEDNESDAY })).cnel, 58.65);
  const { verdict } = assess(presetOf('us-ldn'), placeIn(ZONE), { date: WEDNESDAY, area: 'all' });
  t.equal(verdict, 'met');
});

t.test(
  'TA Lärm: additions by ear and by takts, rest hours of the kind of day and area, the loudest full hour of the night',
  async (t) => {
    const preset = presetOf('de-ta-laerm');
    const place = placeIn(ZONE, { takt: 4 });
    const chosen = { day: { tonal: 3 }, night: { tonal: 3 } };
    const at = (date: string, area: string, holidays: readonly string[] = []) =>
      assess(preset, place, { date, area, chosen, holidays });
    t.strictSame(valuesOf(at(WEDNESDAY, 'WA')), { day: 66.88, night: 52 });
    t.strictSame(valuesOf(at(SUNDAY, 'WA')), { day: 68.99, night: 52 });
    t.strictSame(valuesOf(at(WEDNESDAY, 'WA', [WEDNESDAY])), { day: 68.99, night: 52 }, 'a holiday is a Sunday');
    t.equal(at(WEDNESDAY, 'WA', [WEDNESDAY]).kind, 'holiday');
    t.strictSame(valuesOf(at(WEDNESDAY, 'MI')), { day: 66.52, night: 52 }, 'no rest hours there');
    const night = at(WEDNESDAY, 'WA').of('night');
    t.equal(new Date(night.worst?.from ?? 0).toISOString(), '2026-06-17T20:00:00.000Z', 'from 22 to 23 in Berlin');
    t.match(night, { limit: 40, verdict: 'exceeded' });
    const loud = assess(preset, { ...place, lmax: 61 }, { date: WEDNESDAY, area: 'GI', chosen });
    t.match(loud.of('night'), { peakLimit: 90, verdict: 'met' });
    t.equal(
      assess(preset, { ...place, lmax: 90.1 }, { date: WEDNESDAY, area: 'GI', chosen }).of('night').verdict,
      'exceeded',
    );
    t.match(
      assess(preset, placeIn(ZONE), { date: WEDNESDAY, area: 'WA' }).of('day'),
      { assessable: false, value: null, verdict: 'not_assessable', reasons: [/LAFTeq is not known/] },
      'without seconds there is no LAFTeq',
    );
    t.equal(
      valuesOf(
        assess(preset, placeIn(ZONE), { date: WEDNESDAY, area: 'MI', chosen: { day: { tonal: 3, impulse: 4 } } }),
      ).day,
      66.52,
      'unless a person says it',
    );
  },
);

t.test('AVV Baulärm: how long the machines run lowers the level', async (t) => {
  const of = (hours: number | undefined) => {
    const chosen =
      hours === undefined ? {} : { day: { duration_s: hours * 3_600 }, night: { duration_s: hours * 3_600 } };
    return valuesOf(assess(presetOf('de-avv-baulaerm'), placeIn(ZONE, { takt: 4 }), { date: WEDNESDAY, chosen }));
  };
  t.strictSame(of(undefined), { day: 64.3, night: 50.78 });
  t.strictSame(
    [2, 2.5, 2.51, 6, 8, 8.01].map((hours) => of(hours).day),
    [54.3, 54.3, 59.3, 59.3, 59.3, 64.3],
  );
  t.strictSame(
    [2, 2.01, 6, 6.01].map((hours) => of(hours).night),
    [40.78, 45.78, 45.78, 50.78],
  );
});

t.test('BS 5228: weekdays, Saturday, Sunday and holidays', async (t) => {
  const of = (date: string, holidays: readonly string[] = []) =>
    valuesOf(assess(presetOf('uk-bs5228'), placeIn(ZONE), { date, holidays }));
  t.strictSame(of(WEDNESDAY), { day: 60.54, evening: 52.21, night: 43.42 });
  t.strictSame(of(SATURDAY), { day: 60, evening: 59.17, night: 43.42 });
  t.strictSame(of(SUNDAY), { evening: 59.5, night: 43.42 });
  t.strictSame(of(WEDNESDAY, [WEDNESDAY]), { evening: 59.5, night: 43.42 });
  const limits = presetOf('uk-bs5228').areas.map((area) => Object.values(area.limits));
  t.strictSame(limits, [
    [65, 55, 45],
    [70, 60, 50],
    [75, 65, 55],
  ]);
});

t.test('BS 4142: specific level, rating level, difference to the background', async (t) => {
  const chosen = {
    day: { residual: 55, background: 50, tonal: 4, impulse: 3 },
    night: { residual: 42, background: 45, other: 3 },
  };
  const { of } = assess(presetOf('uk-bs4142'), placeIn(ZONE), { date: WEDNESDAY, area: 'adverse', chosen });
  // 62 dB in the hour from 15, residual 55: 61.0335, and 7 dB.
  t.equal(shown(of('day').lr), 68.03);
  t.match(of('day'), { assessable: true, verdict: 'exceeded' });
  t.equal(shown(of('day').value), 18.03);
  // 50 dB in each quarter of the hour from 6, residual 42: 49.2506, and 3 dB.
  t.equal(shown(of('night').lr), 52.25);
  t.equal((of('night').worst?.to ?? 0) - (of('night').worst?.from ?? 0), 900_000);
  t.ok(
    of('day').reasons.some((reason) => /uncertain/.test(reason)),
    '7 dB apart are marked',
  );
  const without = (own: object) =>
    assess(presetOf('uk-bs4142'), placeIn(ZONE), { date: WEDNESDAY, chosen: { day: own } }).of('day');
  t.match(without({}), { value: null, reasons: [/Give `residual`/] });
  t.match(without({ residual: 55 }), { value: null, reasons: [/Give `background`/] });
  t.match(without({ residual: 59.1, background: 50 }), { value: null, reasons: [/less than 3 dB apart/] });
});

t.test('France: emergence, and a limit that grows for short noise', async (t) => {
  const of = (duration_s?: number) =>
    assess(presetOf('fr-voisinage'), placeIn(ZONE), {
      date: WEDNESDAY,
      area: 'all',
      chosen: {
        day: { residual: 54, ...(duration_s !== undefined && { duration_s }) },
        night: { residual: 41 },
      },
    });
  t.equal(shown(of().of('day').value), 5.77);
  t.match(of().of('day'), { limit: 5, verdict: 'exceeded' });
  t.match(of().of('night'), { limit: 3, verdict: 'met' }, '43.63 of 41: 2.63');
  const corrected = [60, 300, 1_200, 7_200, 14_400, 28_800, 28_801].map((seconds) => of(seconds).of('day').limit);
  t.strictSame(corrected, [11, 10, 9, 8, 7, 6, 5]);
});

t.test('Spain: corrections from LAIeq and LCeq, together at most 9 dB', async (t) => {
  const of = (impulse: number | undefined, chosen: object) =>
    assess(presetOf('es-rd1367'), placeIn(ZONE, { ...(impulse !== undefined && { impulse }) }), {
      date: WEDNESDAY,
      area: 'a',
      chosen: { day: chosen },
    }).of('day');
  t.equal(shown(of(10, { low_frequency: 0 }).value), 60.54);
  t.equal(shown(of(10.5, { low_frequency: 0 }).value), 63.54);
  t.equal(shown(of(15.5, { low_frequency: 0 }).value), 66.54);
  t.equal(shown(of(15.5, { low_frequency: 6, tonal: 3 }).value), 69.54, '15 dB are 9');
  t.match(of(10, {}), { value: null, assessable: false, reasons: [/no LCeq/] });
  t.match(of(undefined, { low_frequency: 0 }), { value: null, reasons: [/no LAIeq/] });
});

t.test('Italy: K_B at night alone', async (t) => {
  const all = { tonal: 3, impulse: 3, low_frequency: 3 };
  const { of } = assess(presetOf('it-dm16-3-98'), placeIn(ZONE), {
    date: WEDNESDAY,
    area: 'III',
    chosen: { day: all, night: all },
  });
  t.equal(shown(of('day').value), 65.52, '59.52 and 6');
  t.equal(shown(of('night').value), 50.28, '41.28 and 9');
  t.match(of('night'), { limit: 50, verdict: 'exceeded' });
});

t.test('Japan: Leq of day and night, L5 of the works', async (t) => {
  const { of } = assess(presetOf('jp-kankyo'), placeIn('Asia/Tokyo'), { date: WEDNESDAY, area: 'works' });
  t.equal(shown(of('day').value), 59.52);
  t.equal(shown(of('night').value), 41.28);
  // The loudest quarter of the 16 hours is of 62 dB: what is exceeded 5 % of the time lies in its class.
  t.ok(Math.abs((of('works').value ?? 0) - 62) <= 0.05);
  t.match(of('works'), { limit: 85, verdict: 'met' });
});

t.test('Singapore and Hong Kong: the worst window', async (t) => {
  const singapore = assess(presetOf('sg-construction'), placeIn('Asia/Singapore'), {
    date: WEDNESDAY,
    area: 'hospital',
  });
  t.strictSame(valuesOf(singapore), {
    day: 60.54,
    evening: 55,
    night: 50,
    day_5min: 62,
    evening_5min: 55,
    night_5min: 50,
  });
  t.equal(singapore.verdict, 'exceeded');
  const hong = assess(presetOf('hk-construction'), placeIn('Asia/Hong_Kong'), { date: WEDNESDAY, area: 'dwelling' });
  t.strictSame(valuesOf(hong), { day: 62, evening: 55, night: 50 });
  t.equal(hong.verdict, 'met', 'figures without a limit say nothing');
});

t.test('a shown level equal to its limit meets the limit', async (t) => {
  const of = (level: number) =>
    assess(presetOf('us-ldn'), placeIn(ZONE, { level: () => level }), { date: WEDNESDAY, limits: { day: 65 } }).of(
      'day',
    ).verdict;
  t.strictSame([of(65), of(65.04), of(65.06)], ['met', 'met', 'exceeded']);
});

t.test('days of 23, 23.5, 24.5 and 25 hours weigh by their real time', async (t) => {
  const of = (zone: string, date: string) => {
    const { of } = assess(presetOf('eu-lden'), placeIn(zone, { level: () => 60 }), { date });
    return [of('lden').seconds / 3_600, shown(of('lden').value)];
  };
  t.strictSame(of('Europe/Berlin', '2026-03-29'), [23, 66.14]);
  t.strictSame(of('Europe/Berlin', '2026-10-25'), [25, 66.61]);
  t.strictSame(of('Australia/Lord_Howe', '2026-10-04'), [23.5, 66.27]);
  t.strictSame(of('Australia/Lord_Howe', '2026-04-05'), [24.5, 66.51]);
  const night = (date: string) => {
    const found = assess(presetOf('de-ta-laerm'), placeIn(ZONE, { takt: 0 }), { date, area: 'WA' }).of('night');
    return found.seconds / 3_600;
  };
  t.strictSame(
    [night('2026-03-28'), night('2026-03-29'), night('2026-10-24')],
    [7, 8, 9],
    'a night belongs to its evening',
  );
});

t.test('a gap makes a day not assessable, and never a lower number', async (t) => {
  // The loud afternoon is missing.
  const level = (hour: number) =>
    hour === 15 || hour === 16 || hour === 17 || hour === 18 ? null : (HOURS[hour] ?? null);
  const place = placeIn(ZONE, { level, takt: 0 });
  const day = assess(presetOf('eu-lden'), place, { date: WEDNESDAY, limits: { day: 65, lden: 65 } });
  t.match(day.of('day'), { assessable: false, value: null, lr: null, verdict: 'not_assessable' });
  t.match(day.of('day').reasons, [/66.6 % of the time were measured/]);
  t.match(day.of('lden'), { assessable: false, value: null, reasons: [/^day: /] });
  t.match(day.of('night'), { assessable: true, value: Number });
  t.equal(day.verdict, 'not_assessable');
  // One hour of the night: the loudest may be the missing one.
  const quiet = placeIn(ZONE, { level: (hour) => (hour === 22 ? null : (HOURS[hour] ?? null)), takt: 0 });
  t.match(assess(presetOf('de-ta-laerm'), quiet, { date: WEDNESDAY, area: 'MI' }).of('night'), {
    assessable: false,
    value: null,
  });
  // Another hour of it is above the limit: whatever the missing one was, the limit is exceeded.
  t.match(assess(presetOf('de-ta-laerm'), quiet, { date: WEDNESDAY, area: 'WA' }).of('night'), {
    value: Number,
    verdict: 'exceeded',
    reasons: [/were measured/],
  });
  const nothing = assess(presetOf('eu-lden'), placeIn(ZONE, { level: () => null }), { date: WEDNESDAY });
  t.equal(nothing.verdict, 'not_assessable');
  t.match(nothing.of('day').reasons, ['There is no data.']);
});

t.test('a few missing minutes do not make a level lower either', async (t) => {
  const level = (hour: number, at: number) => (hour === 10 && at % 3_600_000 < 600_000 ? null : 60);
  const { of } = assess(presetOf('eu-lden'), placeIn(ZONE, { level }), { date: WEDNESDAY });
  t.equal(shown(of('lden').value), 66.4);
});
