/** Problems of a preset that a person wrote, with their paths. */
import t from 'tap';
import { type PresetBody, problemsOf } from '../../plugins/assessment/model/index.ts';
import { presetOf } from './profile.ts';

const TA = presetOf('de-ta-laerm');
const EU = presetOf('eu-lden');
const pathsOf = (preset: PresetBody) => problemsOf(preset).map(({ path, message }) => `${path} ${message}`);
const withTimes = (from: string, to: string): PresetBody => ({
  ...TA,
  periods: TA.periods.map((period, at) =>
    at > 0 ? period : { ...period, times: period.times.map((time) => ({ ...time, from, to })) },
  ),
});

t.test('periods that overlap, or leave a hole in the day, are refused', async (t) => {
  t.match(pathsOf(withTimes('07:00', '22:00')), [
    /^\/periods\/1\/times\/0 leaves a hole: on mon 06:00 lies in no period/,
  ]);
  t.match(pathsOf(withTimes('06:00', '21:00')), [
    /^\/periods\/1\/times\/0 leaves a hole: on mon 21:00 lies in no period/,
  ]);
  t.match(pathsOf(withTimes('06:00', '23:00')), [/overlaps another: on mon 22:00 lies in several periods/]);
  const noHoliday = TA.periods.map(({ name, times }) => ({
    name,
    times: times.map((time) => ({ ...time, days: time.days.filter((day) => day !== 'holiday') })),
  }));
  t.strictSame(pathsOf({ ...TA, periods: noHoliday }), ['/periods has no period that holds holiday']);
});

t.test('any day may follow any other, so all begin at the same time', async (t) => {
  const [day, night] = TA.periods;
  const sunday = (from: string, to: string) => ({ days: ['sun' as const], from, to });
  const others = (times: NonNullable<typeof day>['times']) =>
    times.map((time) => ({ ...time, days: time.days.filter((kind) => kind !== 'sun') }));
  const periods = [
    { name: 'day', times: [...others(day?.times ?? []), sunday('07:00', '22:00')] },
    { name: 'night', times: [...others(night?.times ?? []), sunday('22:00', '07:00')] },
  ];
  t.match(pathsOf({ ...TA, periods }), [
    /^\/periods must begin at the same time on all days, not holiday at 06:00, sun at 07:00/,
  ]);
});

t.test('names that mean nothing, and figures that cannot be', async (t) => {
  const [figure] = TA.figures;
  if (!figure) throw new Error('there is no figure');
  t.match(pathsOf({ ...TA, figures: [{ ...figure, period: 'noon' }] }), [
    /areas.*a figure that is not there: night/,
    ...Array.from({ length: TA.areas.length - 1 }, () => /a figure that is not there: night/),
    /peaks_over.*a figure that is not there: night/,
    /^\/figures\/0\/period names a period that is not there: noon/,
  ]);
  t.match(pathsOf({ ...EU, figures: [{ ...figure, window_s: 7 * 60 }] }), [/^\/figures\/0\/window_s/]);
  t.match(pathsOf({ ...EU, figures: [{ ...figure, period: null }] }), [/^\/figures\/0\/weights/]);
  const [lden] = EU.figures;
  if (!lden) throw new Error('there is no index');
  t.match(pathsOf({ ...EU, figures: [{ ...lden, weights: { day: 0, night: 10 } }] }), [
    /must have a weight for each period/,
  ]);
  t.match(pathsOf({ ...EU, figures: [...EU.figures, lden] }), [/^\/figures\/4\/name is there twice: lden/]);
  t.match(pathsOf({ ...TA, rest: TA.rest && { ...TA.rest, areas: ['moon'] } }), [
    /^\/rest\/areas\/0 names an area that is not there: moon/,
  ]);
  const duration = {
    changes: 'level' as const,
    steps: {
      day: [
        { up_to_s: 60, db: 1 },
        { up_to_s: 60, db: 2 },
      ],
    },
  };
  t.match(pathsOf({ ...TA, duration }), [/^\/duration\/steps\/day\/1\/up_to_s/]);
  const tonal = { by: 'person' as const, values: [3, 6], periods: ['day', 'noon'] };
  t.match(pathsOf({ ...TA, tonal }), [/^\/tonal\/periods\/noon names a period that is not there: noon/]);
  t.match(pathsOf({ ...EU, peaks_over: { lden: 20 } }), [/^\/peaks_over\/lden is of an index/]);
});

t.test('events have one threshold: with none or two nobody knows what an event is', async (t) => {
  const events = { threshold: null, over_background: null, min_s: 5, hold_s: 5, nat: [60] };
  t.match(pathsOf({ ...EU, events }), [/^\/events\/threshold is needed, or over_background/]);
  t.match(pathsOf({ ...EU, events: { ...events, threshold: 60, over_background: 10 } }), [
    /^\/events\/threshold cannot be given together with over_background/,
  ]);
  t.strictSame(pathsOf({ ...EU, events: { ...events, threshold: 60 } }), []);
  t.strictSame(pathsOf({ ...EU, events: { ...events, over_background: 0 } }), []);
});
