/**
 * The papers of the three sites of the demo: permits, rules, answers to events, notes, calibrations. They are made through the
 * API, as a person makes them. The times of the past week that were not as usual are here, too.
 */

import { planPicture, planPlace } from './plan.ts';
import { type Answered, bringEvents, callerOf, type DemoCall, type Rule } from './rules.ts';
import { type PlaceClock, SITE_METERS } from './sites.ts';
import type { TimeSpan, Unusual } from './week.ts';

const HOUR_S = 3_600;
const WORKDAYS = [1, 2, 3, 4, 5];
/** Friday and Saturday. */
const NIGHTS = [5, 6];
/** A day of wind that the weather station observed, too. */
const WINDY_DAYS_AGO = 5;

/** A loud time of one meter; with a cause if a person has said it. */
interface Loud extends TimeSpan {
  readonly unit: string;
  readonly db: number;
  readonly flicker: number;
  readonly cause?: string;
}

/** The times of the past that are not as usual. */
export class UnusualTimes {
  readonly windy: TimeSpan;
  readonly loud: readonly Loud[];
  /** The battery of the meter was empty. */
  readonly gap: TimeSpan & { readonly unit: string };
  /** A calibrator was on the microphone. */
  readonly calibrator: TimeSpan;
  /** The caretaker mowed the lawn. */
  readonly mower: TimeSpan;

  constructor(clock: PlaceClock) {
    const span = (days: number, from: number, to: number) => ({ from: clock.ago(days, from), to: clock.ago(days, to) });
    this.windy = span(WINDY_DAYS_AGO, 0, 24);
    this.gap = { unit: 'sim-5', ...span(1, 9, 15.5) };
    this.calibrator = span(6, 6.5, 6.5 + 2 / 60);
    this.mower = span(clock.lastDay(WORKDAYS, 3), 15, 15.75);
    const breaker = span(clock.lastDay(WORKDAYS, 2), 11, 11.75);
    const door = span(clock.lastDay(NIGHTS, 2), 22.5, 23.5);
    this.loud = [
      { unit: 'sim-3', ...span(1, 13.25, 14.5), db: 80, flicker: 4 },
      { unit: 'sim-3', ...span(4, 10.5, 11.5), db: 78, flicker: 4, cause: 'Track maintenance' },
      { unit: 'sim-1', ...breaker, db: 79, flicker: 4, cause: 'Concrete breaker' },
      { unit: 'sim-4', ...door, db: 86, flicker: 2, cause: 'Door to the courtyard open' },
      { unit: 'sim-5', ...door, db: 49, flicker: 1.5 },
      { unit: 'sim-2', ...this.mower, db: 76, flicker: 2 },
      { unit: 'sim-1', ...this.calibrator, db: 94, flicker: 0.05 },
    ];
  }

  /** When it began to be loud for so long that a recording of it is on the card. */
  recordedAt(unitId: string): readonly number[] {
    return this.loud.filter(({ unit, from, to }) => unit === unitId && to - from > HOUR_S / 2).map(({ from }) => from);
  }

  of(unitId: string): Unusual {
    const loud = this.loud.filter(({ unit }) => unit === unitId);
    return { windy: this.windy, loud, gaps: this.gap.unit === unitId ? [this.gap] : [] };
  }
}

const EACH = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const EACH_AND_HOLIDAYS = [...EACH, 'holiday'];
const MANAGER = 'A. Weber, 030 5550101';

/** By the name of the permit. */
const PERMITS: Readonly<Record<string, object>> = {
  'station-road': {
    title: 'Station Road: building works',
    tag: 'station-road',
    preset: 'de-avv-baulaerm',
    area: 'GE',
    // Machines run for eight hours at most, and the hammer is heard as impulses.
    additions: { impulse: { day: 3, night: 0 }, duration_s: { day: 28_800, night: 39_600 } },
    responsible: MANAGER,
  },
  railway: {
    title: 'Railway: works beside the line',
    tag: 'railway',
    limits: [
      { index: 'leq', window: 'period', from: '06:00', to: '22:00', limit_db: 64, amber_db: 62 },
      { index: 'leq', window: 'period', from: '22:00', to: '06:00', limit_db: 56, amber_db: 55 },
    ].map((limit) => ({ ...limit, days: EACH_AND_HOLIDAYS })),
    responsible: 'J. Novak, 030 5550144',
  },
  club: {
    title: 'Club: licence for music',
    units: ['sim-4'],
    limits: [
      {
        index: 'leq',
        window: '15m',
        from: '22:00',
        to: '06:00',
        days: EACH_AND_HOLIDAYS,
        limit_db: 82,
        amber_db: 80,
      },
    ],
    responsible: 'L. Martin, 030 5550177',
  },
  'garden-lane': {
    title: 'Garden Lane 5: neighbours of the club',
    units: ['sim-5'],
    preset: 'de-ta-laerm',
    area: 'MI',
    additions: { tonal: 0, impulse: 0 },
    responsible: 'L. Martin, 030 5550177',
  },
};

const quarterHour = (name: string, unit: string, limit_db: number, from: string, to: string) => ({
  name,
  units: [unit],
  kind: 'level',
  quantity: 'leq',
  window: '15m',
  limit_db,
  schedule: [{ days: EACH, from, to }],
});

const RULES: readonly object[] = [
  quarterHour('Machines by day', 'sim-1', 76, '07:00', '20:00'),
  quarterHour('Track works by day', 'sim-3', 72, '06:00', '22:00'),
  quarterHour('Music by night', 'sim-4', 82, '22:00', '06:00'),
  { ...quarterHour('Music by night, LAF10', 'sim-4', 90, '22:00', '06:00'), quantity: 'l10' },
  quarterHour('Night rest', 'sim-5', 46, '22:00', '06:00'),
  {
    name: 'Measurement ended',
    units: ['sim-1', 'sim-2', 'sim-3', 'sim-4', 'sim-5'],
    kind: 'device',
    condition: 'not_measuring',
    for: '1m',
    severity: 'info',
  },
];

/** Adds permits and rules, unless there are rules already: then this was done, or the place is somebody's own. Answers the rules. */
export async function makePermits(baseUrl: string, signal: AbortSignal): Promise<readonly Rule[]> {
  const call = callerOf(baseUrl, signal);
  if (((await call('GET', '/_alerts/rules')) as readonly object[]).length > 0) return [];
  for (const [name, permit] of Object.entries(PERMITS)) await call('PUT', `/_permits/${name}`, permit);
  return (await call('POST', '/_alerts/rules/batch', { rules: RULES })) as readonly Rule[];
}

/** Adds the events that these rules would have had, with the answers of people, and their notes. Times in s since 1970 UTC. */
export async function writeEvents(
  baseUrl: string,
  rules: readonly Rule[],
  { unusual, past }: { readonly unusual: UnusualTimes; readonly past: TimeSpan },
  signal: AbortSignal,
): Promise<void> {
  for (const { unit, from, to } of unusual.loud) {
    const own = rules.filter(({ units }) => units.includes(unit));
    const around = { from: Math.max(past.from, from - HOUR_S) * 1_000, to: Math.min(past.to, to + HOUR_S) * 1_000 };
    if (around.from < around.to) await bringEvents(baseUrl, own, around, signal, (id, at) => answerTo(unusual, id, at));
  }
  await writeNotes(callerOf(baseUrl, signal), unusual, past);
}

/** The picture of the sites, and the meters on it. */
export async function drawPlan(baseUrl: string, signal: AbortSignal): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  await fetch(`${baseUrl}/_plan/picture`, { method: 'PUT', body: planPicture(), headers, signal });
  const call = callerOf(baseUrl, signal);
  for (const [index, { at }] of SITE_METERS.entries()) await call('PUT', `/sim-${index + 1}/plan`, planPlace(at));
}

/** A person has answered most events of the week. */
function answerTo({ loud }: UnusualTimes, unitId: string, openedAt: string): Answered | undefined {
  const at = Date.parse(openedAt);
  const found = loud.find(({ unit, from, to }) => unit === unitId && at >= from * 1_000 && at <= to * 1_000 + 900_000);
  if (!found?.cause) return undefined;
  return { cause: found.cause, ack: { by: 'A. Weber', at: new Date(at + 40 * 60_000).toISOString() } };
}

const iso = (time: number): string => new Date(time * 1_000).toISOString();
const spanOf = ({ from, to }: TimeSpan) => ({ from: iso(from), to: iso(to) });

async function writeNotes(call: DemoCall, unusual: UnusualTimes, past: TimeSpan): Promise<void> {
  const { mower, calibrator, gap, loud } = unusual;
  const breaker = loud.find(({ unit }) => unit === 'sim-1') ?? mower;
  const notes = [
    { unit: 'sim-2', kind: 'exclusion', reason: 'own_noise', text: 'The caretaker mowed the lawn.', span: mower },
    { unit: 'sim-1', kind: 'note', text: 'Concrete breaker at the old platform, announced by letter.', span: breaker },
    { unit: 'sim-5', kind: 'note', reason: 'fault', text: 'Battery empty, changed in the afternoon.', span: gap },
  ];
  for (const { unit, span, ...note } of notes)
    if (span.from >= past.from && span.to <= past.to)
      await call('POST', `/${unit}/notes`, { ...note, ...spanOf(span) });
  const calibration = { nominal_db: 94, calibrator: 'NC-75', serial: '34512345', by: 'A. Weber' };
  const dayOf = (days: number) => iso(past.to + days * 86_400).slice(0, 10);
  if (calibrator.from >= past.from)
    await call('POST', '/sim-1/calibrations', {
      ...calibration,
      ...spanOf(calibrator),
      time: iso(calibrator.to),
      before_db: 94.1,
      after_db: 94,
      valid_until: dayOf(200),
    });
  await call('POST', '/sim-3/calibrations', {
    ...calibration,
    time: iso(past.to - 345 * 86_400),
    before_db: 93.9,
    after_db: 94,
    valid_until: dayOf(200),
  });
}
