/** Answers GET assessment: each day by a preset. */
import { indices, invalid, MAIN_CHANNEL, seriesAsked, tables, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, type Host, rest, spanOf } from '../../lib/index.ts';
import { type CalibrationDrift, doubtfulWords, shownDoubtful, type WithCalibrations } from '../calibration/index.ts';
import { CUT_MINUTES, edgeOf, NOTHING_EXCLUDED, queryExcluding, type WithNotes } from '../notes/index.ts';
import type { KeptDays } from './kept-days.ts';
import { readDays } from './measured.ts';
import * as assessment from './model/index.ts';
import { type EventSearch, findEvents } from './noise-events.ts';
import { besideOf } from './other-channels.ts';
import { ADVICE, type KeptPreset } from './preset-schemas.ts';
import { areaOf, readSaid } from './said.ts';
import type { AssessmentQuery } from './schemas.ts';
import { type AssessedDay, shownFigure, summaryOf } from './shown.ts';
import type { AssessmentStore } from './store.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 370;
const MOST_DAYS_OF_SECONDS = 62;

/** The cost in days: seconds cost much more than minutes. */
export const costOf = (days: number, isOfSeconds: boolean): number => (isOfSeconds ? days * 6 : days);

const needsSeconds = (preset: KeptPreset, query: AssessmentQuery): boolean =>
  (preset.impulse?.by === 'takt' && query.impulse === undefined) || preset.events !== null;

type AssessingHost = Pick<Host, 'history' | 'families' | 'clock'> & WithNotes & WithCalibrations;

/** Errors: ASSESSMENT_NOT_FOUND, INVALID with the path of the parameter, and those of the history. */
export async function assess(
  host: AssessingHost,
  store: AssessmentStore,
  config: DeviceConfig,
  query: AssessmentQuery,
  signal: AbortSignal,
) {
  const { preset, area, ...read } = readQuery(store, store.presets.get(query.preset), config, query);
  await rest();
  const { plan, zone, holidays } = read;
  const judged = await judgePlan(host, config, { preset, ...read }, query, signal);
  const { answers, channel, excluded, doubtful, weighting, days } = judged;
  const { title, source, confirmed_by } = preset;
  await rest();
  return {
    unit_id: config.unitId,
    zone,
    preset: preset.name,
    title,
    source,
    status: confirmed_by === null ? 'unchecked' : 'confirmed',
    area: area?.name ?? null,
    area_title: area?.title ?? null,
    calendar: query.calendar ?? null,
    said: Object.fromEntries(
      assessment.SAID.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
    ),
    channel: channel ?? MAIN_CHANNEL,
    weighting: weighting ?? null,
    rows: answers[0]?.digest ?? null,
    exclusions: excluded.notes.map(String),
    edge: edgeOf(excluded, ...answers),
    doubtful: doubtful.map(shownDoubtful),
    notes: [
      ...(confirmed_by === null ? [ADVICE] : []),
      ...(weighting && weighting.frequency !== 'A'
        ? [`The levels are ${weighting.frequency}-weighted; the preset is for A.`]
        : []),
      ...holidayNotes(query.calendar, holidays, plan),
      ...(preset.areas.length > 1 && !area ? ['No area was named: there are no limits but those of the query.'] : []),
      ...(answers.some(({ cutMinutes }) => cutMinutes) ? [CUT_MINUTES] : []),
      ...doubtful.map((one) => doubtfulWords(one, (at) => zones.localIso(zone, at))),
    ],
    days: days.map(({ date, kind, verdict, doubtful, figures, events }) => ({
      date,
      kind,
      verdict,
      doubtful,
      figures,
      events,
    })),
    total: summaryOf('all', preset, days),
    groups: groupsOf(zone, query.by, preset, days),
  };
}

export interface JudgedDay extends AssessedDay {
  readonly kind: assessment.DayKind;
  readonly doubtful: boolean;
  readonly figures: readonly ReturnType<typeof shownFigure>[];
  /** Leq of the last five minutes, dB, while a window of the day runs; null: no window runs, or nothing counts. */
  readonly goingOn: number | null;
  readonly events: readonly object[];
}

/** Each day is judged here, for every page and answer. Errors: INVALID with the path of the parameter, ASSESSMENT_NOT_FOUND for a calendar, and those of the history. */
export async function judgeDays(
  host: AssessingHost,
  { store, kept }: { readonly store: AssessmentStore; readonly kept: KeptDays<JudgedDay> },
  config: DeviceConfig,
  preset: KeptPreset,
  query: AssessmentQuery,
  signal: AbortSignal,
): Promise<readonly JudgedDay[]> {
  const { zone, plan, ...read } = readQuery(store, preset, config, query);
  await rest();
  const judge = async (some: readonly assessment.PlannedDay[]) =>
    (await judgePlan(host, config, { ...read, plan: some }, query, signal)).days;
  // Events and levels of other channels have no fingerprint.
  if (preset.events || besideOf(preset).length > 0) return judge(plan);
  const { from: _from, to: _to, ...chosen } = query;
  const about = JSON.stringify([zone, preset, chosen]);
  const of = seriesAsked(query, host.families.find(config.family));
  const days = await kept.all({ unitId: config.unitId, plan, about, ...of }, judge, signal);
  const doubtful = host.calibrations.doubtful(config.unitId, spanOfPlan(plan));
  return days.map((day, at) => ({ ...day, doubtful: plan[at] !== undefined && touches(plan[at], doubtful) }));
}

/** From the first moment of the days to the end of the last window. */
function spanOfPlan(plan: readonly assessment.PlannedDay[]) {
  const [first, last] = [plan[0]?.date.from ?? 0, plan.at(-1)?.periods.flatMap(({ windows }) => windows) ?? []];
  return { from: first, to: Math.max(first, ...last.map(({ to }) => to)) };
}

async function judgePlan(
  host: AssessingHost,
  config: DeviceConfig,
  {
    preset,
    judging,
    plan,
  }: Pick<ReturnType<typeof readQuery>, 'preset' | 'judging'> & {
    readonly plan: readonly assessment.PlannedDay[];
  },
  query: AssessmentQuery,
  signal: AbortSignal,
) {
  const { unitId } = config;
  const now = host.clock.now();
  const span = spanOfPlan(plan);
  const of = seriesAsked(query, host.families.find(config.family));
  const excluded = query.exclusions === 'apply' ? host.notes.excluded(unitId, span, of.channel) : NOTHING_EXCLUDED;
  const doubtful = host.calibrations.doubtful(unitId, span);
  const counts = preset.figures.some(({ quantity, overBackground }) => quantity !== 'leq' || overBackground);
  const takts = preset.impulse?.by === 'takt' && query.impulse === undefined ? preset.min_coverage : null;
  const reading = { unitId, plan, excluded, counts, takts, beside: besideOf(preset), ...of };
  const { answers, weighting, days: measured } = await readDays(host, reading, signal);
  const keys = assessment.keysOf(preset);
  const days: JudgedDay[] = [];
  for await (const periods of measured) {
    await rest();
    const day = plan[days.length];
    if (!day) break;
    const windows = new Map([...periods].map(([key, { windows }]) => [key, windows]));
    const isA = !weighting || weighting.frequency === 'A';
    const results = assessment
      .figuresOf(preset, windows, { ...judging, now })
      .map((result) => (isA ? result : otherWeighting(result)));
    const periodsOf = ({ period, figure }: assessment.FigureResult) =>
      [...periods].flatMap(([key, each]) => {
        const own = keys.get(key);
        const wanted = preset.figures.find(({ name }) => name === figure)?.window_s ?? null;
        return own?.window_s === wanted && (period === null || own.period === period) ? [each] : [];
      });
    const search = { unitId, excluded, ...of, weighting, ...eventRule(preset) };
    days.push({
      date: day.date.date,
      kind: day.date.kind,
      from: day.date.from,
      verdict: assessment.verdictOfDay(results),
      results,
      doubtful: touches(day, doubtful),
      figures: results.map((result) => shownFigure(preset, result, periodsOf(result))),
      goingOn: results.some(({ running }) => running) ? await goingOn(host, search, now, signal) : null,
      events: preset.events ? await eventsOf(host, preset, day, search, signal) : [],
    });
  }
  return { answers, channel: of.channel, excluded, doubtful, weighting, days };
}

const GOING_ON_S = 300;

async function goingOn(
  { history }: Pick<Host, 'history'>,
  { unitId, channel, weighting, excluded }: Omit<EventSearch, 'span'>,
  now: number,
  signal: AbortSignal,
): Promise<number | null> {
  const to = Math.floor(now / 1_000);
  const of = { unitId, ...(channel && { channel }), ...(weighting && { weighting }) };
  const over = { ranges: [{ from: to - GOING_ON_S, to }] };
  for await (const rows of (await queryExcluding(history, { ...of, over }, excluded, signal)).rows)
    for (const { leq } of rows) return leq;
  return null;
}

/** Without a calendar for a year, a holiday would silently count as a day of the week. */
function holidayNotes(
  calendar: string | undefined,
  holidays: ReadonlySet<string>,
  plan: readonly assessment.PlannedDay[],
): string[] {
  if (calendar === undefined) return ['No calendar was named: no day is a holiday.'];
  const known = new Set([...holidays].map((date) => date.slice(0, 4)));
  const years = new Set(plan.map(({ date }) => date.date.slice(0, 4)));
  return [...years]
    .filter((year) => !known.has(year))
    .map((year) => `The calendar ${calendar} has no days of ${year}: no day of that year is a holiday.`);
}

const touches = ({ periods }: assessment.PlannedDay, times: readonly CalibrationDrift[]): boolean =>
  periods.some(({ windows }) => windows.some(({ from, to }) => times.some((time) => time.from < to && time.to > from)));

function readQuery(store: AssessmentStore, preset: KeptPreset, config: DeviceConfig, query: AssessmentQuery) {
  const asked = spanOf(query);
  const most = needsSeconds(preset, query) ? MOST_DAYS_OF_SECONDS : MOST_DAYS;
  if (asked.to - asked.from > most * DAY_MS) {
    const why = most < MOST_DAYS ? `, because ${preset.name} reads single seconds` : '';
    throw invalid([{ path: '/to', message: `is more than ${most} days after from${why}` }]);
  }
  const area = areaOf(preset, query.area);
  const judging = readSaid(preset, query, area);
  const zone = query.zone ?? config.timezone;
  const days = query.calendar === undefined ? [] : store.calendars.get(query.calendar).days;
  const holidays = new Set(days.map(({ date }) => date));
  const plan = assessment.planDays(preset, { zone, span: asked, holidays }, area?.name ?? null);
  return { preset, area, judging, plan, zone, holidays };
}

/** For the cost; an unknown preset is refused later. */
export function isOfSeconds(store: AssessmentStore, query: AssessmentQuery): boolean {
  const preset = store.presets.find(query.preset);
  return preset !== undefined && needsSeconds(preset, query);
}

/** Limits are for A-weighted levels. */
const otherWeighting = (result: assessment.FigureResult): assessment.FigureResult => ({
  ...result,
  assessable: false,
  lr: null,
  value: null,
  verdict: 'not_assessable',
  reasons: ['The levels are not A-weighted.', ...result.reasons],
});

function groupsOf(zone: string, by: AssessmentQuery['by'], preset: KeptPreset, days: readonly AssessedDay[]) {
  const [first, last] = [days[0], days.at(-1)];
  if (by === 'none' || !first || !last) return [];
  return zones.calendarSpans(zone, { from: first.from, to: last.from + 1 }, by).map(({ name, from, to }) =>
    summaryOf(
      name,
      preset,
      days.filter((day) => day.from >= from && day.from < to),
    ),
  );
}

type EventRule = Pick<EventSearch, 'threshold' | 'overBackground' | 'minS' | 'holdS'>;

const eventRule = ({ events }: KeptPreset): EventRule => ({
  threshold: events?.threshold ?? null,
  overBackground: events?.over_background ?? null,
  minS: events?.min_s ?? 1,
  holdS: events?.hold_s ?? 1,
});

/** The events of each period of a day. An event belongs to the period of its maximum. */
async function eventsOf(
  host: Pick<Host, 'history'>,
  { events: rule, min_coverage: enough }: KeptPreset,
  { date }: assessment.PlannedDay,
  search: Omit<EventSearch, 'span'>,
  signal: AbortSignal,
) {
  const shown: object[] = [];
  for (const { period, spans } of date.periods) {
    const all: assessment.NoiseEvent[] = [];
    let [energy, measuredS, seconds] = [0, 0, 0];
    let missing: string | null = null;
    for (const span of spans) {
      const found = await findEvents(host, { ...search, span }, signal);
      seconds += (span.to - span.from) / 1_000;
      missing ??= found.reason;
      all.push(...found.events);
      measuredS += found.measuredS;
      if (found.leq !== null) energy += indices.energyOf(found.leq) * found.measuredS;
    }
    const isEnough = indices.coverageOf(measuredS, seconds) >= enough;
    const sum = assessment.sumOfEvents(all, rule?.nat ?? []);
    const share = assessment.energyShare(
      sum.lae,
      measuredS > 0 ? indices.levelOf(energy / measuredS) : null,
      measuredS,
    );
    const reason =
      missing ??
      (isEnough
        ? null
        : `Only ${Math.floor(indices.coverageOf(measuredS, seconds) * 100)} % of the seconds are there.`);
    const isShown = reason === null;
    shown.push({
      period,
      assessable: isShown,
      reason,
      count: isShown ? sum.count : null,
      nat: isShown ? sum.nat : [],
      lae: isShown ? tables.decibels(sum.lae) : null,
      share: isShown ? share : null,
    });
  }
  return shown;
}
