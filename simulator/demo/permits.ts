/**
 * The papers of the three sites of the demo: permits, rules, answers to events, notes, calibrations. They are made through the
 * API, as a person makes them. The times of the past week that were not as usual are here, too.
 */
import { planPicture, planPlace } from './plan.ts';
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

type Body = Readonly<Record<string, unknown>>;

const PERMITS: Readonly<Record<string, Body & { readonly tag?: string; readonly units?: readonly string[] }>> = {
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

const RULES: readonly (Body & { readonly units: readonly string[] })[] = [
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

/** Answer of the gateway about a rule; the last two fields are those of a level rule. */
interface Rule {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly units: readonly string[];
  readonly severity: string;
  readonly quantity: string;
  readonly limit_db: number;
}

interface Previewed {
  readonly unit_id: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number;
}

/** Calls one gateway until a signal aborts. Rejects with its answer when it refuses. */
type DemoCall = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>;

export const callerOf =
  (baseUrl: string, signal: AbortSignal): DemoCall =>
  async (method, path, body) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return ((await answer.json()) as { readonly data: unknown }).data;
  };

/**
 * Adds the permits and rules of these units, unless there are rules already: then this was done, or the place is somebody's own.
 * Answers the rules.
 */
export async function makePermits(call: DemoCall, present: readonly string[]): Promise<readonly Rule[]> {
  if (((await call('GET', '/_alerts/rules')) as readonly object[]).length > 0) return [];
  const tags = SITE_METERS.slice(0, present.length).flatMap((site) => site.tags);
  for (const [name, permit] of Object.entries(PERMITS)) {
    const isHere = permit.tag ? tags.includes(permit.tag) : permit.units?.every((unit) => present.includes(unit));
    if (isHere) await call('PUT', `/_permits/${name}`, permit);
  }
  const rules = RULES.map((rule) => ({ ...rule, units: rule.units.filter((unit) => present.includes(unit)) }));
  const own = rules.filter(({ units }) => units.length > 0);
  return (await call('POST', '/_alerts/rules/batch', { rules: own })) as readonly Rule[];
}

/** Adds the events that these rules would have had, with the answers of people. They are over. Times in s since 1970 UTC. */
export async function writeEvents(
  call: DemoCall,
  rules: readonly Rule[],
  { loud }: UnusualTimes,
  past: TimeSpan,
): Promise<void> {
  for (const time of loud) {
    const around = { from: Math.max(past.from, time.from - HOUR_S), to: Math.min(past.to, time.to + HOUR_S) };
    if (around.from >= around.to) continue;
    for (const rule of rules.filter(({ kind, units }) => kind === 'level' && units.includes(time.unit))) {
      const found = (await call('POST', '/_alerts/rules/preview', { rule, ...spanOf(around) })) as readonly Previewed[];
      const events = found
        .filter(({ closed_at }) => closed_at !== null)
        .map((one) => ({ ...eventOf(rule, one), ...answerTo(loud, one) }));
      if (events.length > 0) await call('POST', '/_alerts/events/import', { events });
    }
  }
}

const eventOf = (rule: Rule, { unit_id, opened_at, closed_at, worst }: Previewed): object => ({
  rule: Number(rule.id),
  rule_name: rule.name,
  severity: rule.severity,
  kind: rule.kind,
  what: rule.quantity,
  limit: rule.limit_db,
  detail: `The Leq of 15 min was above ${rule.limit_db} dB.`,
  unit_id,
  opened_at,
  closed_at,
  worst,
});

/** A person has answered most events of the week. */
function answerTo(loud: readonly Loud[], { unit_id, opened_at }: Previewed): object | undefined {
  const at = Date.parse(opened_at);
  const found = loud.find(({ unit, from, to }) => unit === unit_id && at >= from * 1_000 && at <= to * 1_000 + 900_000);
  if (!found?.cause) return undefined;
  return { cause: found.cause, ack: { by: 'A. Weber', at: new Date(at + 40 * 60_000).toISOString() } };
}

/** The picture of the sites, and the meters on it. */
export async function drawPlan(
  call: DemoCall,
  present: readonly string[],
  baseUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  await fetch(`${baseUrl}/_plan/picture`, { method: 'PUT', body: planPicture(), headers, signal });
  for (const [index, unit] of present.entries())
    await call('PUT', `/${unit}/plan`, planPlace(SITE_METERS[index]?.at ?? [0, 0]));
}

const iso = (time: number): string => new Date(time * 1_000).toISOString();
const spanOf = ({ from, to }: TimeSpan) => ({ from: iso(from), to: iso(to) });

export async function writeNotes(
  call: DemoCall,
  present: readonly string[],
  { mower, calibrator, gap, loud }: UnusualTimes,
  past: TimeSpan,
): Promise<void> {
  const isIn = ({ from, to }: TimeSpan) => from >= past.from && to <= past.to;
  const breaker = loud.find(({ unit }) => unit === 'sim-1') ?? mower;
  const notes = [
    { unit: 'sim-2', kind: 'exclusion', reason: 'own_noise', text: 'The caretaker mowed the lawn.', span: mower },
    { unit: 'sim-1', kind: 'note', text: 'Concrete breaker at the old platform, announced by letter.', span: breaker },
    { unit: 'sim-5', kind: 'note', reason: 'fault', text: 'Battery empty, changed in the afternoon.', span: gap },
  ];
  for (const { unit, span, ...note } of notes)
    if (present.includes(unit) && isIn(span)) await call('POST', `/${unit}/notes`, { ...note, ...spanOf(span) });
  const calibration = { nominal_db: 94, calibrator: 'NC-75', serial: '34512345', by: 'A. Weber', after_db: 94 };
  const valid_until = iso(past.to + 200 * 86_400).slice(0, 10);
  const calibrations = [
    { unit: 'sim-1', ...spanOf(calibrator), time: iso(calibrator.to), before_db: 94.1 },
    { unit: 'sim-3', time: iso(past.to - 345 * 86_400), before_db: 93.9 },
  ];
  for (const { unit, ...own } of calibrations.slice(isIn(calibrator) ? 0 : 1))
    if (present.includes(unit)) await call('POST', `/${unit}/calibrations`, { ...calibration, valid_until, ...own });
}
