/**
 * The verdict about days, by permits: every page, answer, report and message takes it from here. The levels, their
 * coverage and each figure come from the assessment of the same days; this adds what an office asks.
 *
 *   exceeded        one limit is exceeded, whatever else is missing
 *   not_over        nothing is exceeded so far, and the day goes on
 *   not_assessable  too little was measured and counts
 *   excluded        all that would count is excluded
 *   met             every limit
 */
import { indices, tables, zones } from '../../lib/built-in.ts';
import type { Clock, DeviceConfig, Host } from '../../lib/index.ts';
import type { Assessments, assessment, JudgedDay, KeptPreset } from '../assessment/index.ts';
import { PERMIT_VERDICTS, type PermitBody, type PermitVerdict } from './contract.ts';
import { amberOf, limitProblems, presetOf, saidOf } from './limits.ts';
import { isFor, type PermitStore } from './store.ts';

const DAY_MS = 86_400_000;

export interface PermitParts {
  readonly host: Host;
  readonly store: PermitStore;
  readonly assessments: Assessments;
}

/** First and last local date, both included: `2026-11-21`. */
export interface Dates {
  readonly from: string;
  readonly to: string;
}

export type PermitDay = ReturnType<typeof dayOf>;

/** A day of a unit by all its permits. */
export interface UnitDay extends PermitDay {
  /** The name of the permit that decides, and its title. */
  readonly permit: string;
  readonly title: string;
}

/** The days of a unit on which a limit of the permit applies: none on the Sunday of works from Monday to Saturday. Errors: those of the history. */
export async function judge(
  { assessments, clock }: { readonly assessments: Assessments; readonly clock: Pick<Clock, 'now'> },
  permit: PermitBody,
  config: DeviceConfig,
  dates: Dates,
  signal: AbortSignal,
): Promise<readonly PermitDay[]> {
  const days = daysWithin(config.timezone, dates, permit);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  // The preset or the calendar may be gone since the permit was written: other units and permits are judged all the same.
  const [problem] = limitProblems(assessments, permit);
  if (problem)
    return days.map(({ name }) =>
      unjudged(name, `The permit needs a change: ${problem.path.slice(1)}: ${problem.message}.`),
    );
  const preset = presetOf(assessments, permit);
  const { area, calendar } = permit;
  const query = {
    ...saidOf(permit),
    from: new Date(first.from).toISOString(),
    to: new Date(last.to).toISOString(),
    preset: preset.name,
    ...(area !== undefined && { area }),
    ...(calendar !== undefined && { calendar }),
    by: 'none' as const,
    exclusions: 'apply' as const,
  };
  const judged = await assessments.judge(config, preset, query, signal);
  const amber = amberOf(permit);
  const { decimals } = preset;
  return judged
    .map((day) => dayOf(day, { amber, levels: levelsOf(preset), decimals }, clock.now()))
    .filter(({ parts }) => parts.length > 0);
}

/** The days of a unit, each by the permit of this name. Without a name the permit with the worst verdict decides, then the least margin. Errors: as `judge`. */
export async function unitDays(
  { host: { clock }, store, assessments }: PermitParts,
  config: DeviceConfig,
  { dates, permit: name }: { readonly dates: Dates; readonly permit?: string | undefined },
  signal: AbortSignal,
): Promise<readonly UnitDay[]> {
  const found = new Map<string, UnitDay>();
  const permits = store.list().filter((each) => isFor(each, config) && (name ?? each.name) === each.name);
  for (const { name: permit, body } of permits)
    for (const day of await judge({ assessments, clock }, body, config, dates, signal)) {
      const present = found.get(day.date);
      if (!present || decides(day, present)) found.set(day.date, { ...day, permit, title: body.title });
    }
  return [...found.values()].toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

/** Whether a day is decided by the first of the two: the worse verdict, then the smaller margin. */
export function decides(one: PermitDay, other: PermitDay): boolean {
  if (one.verdict === other.verdict)
    return (one.margin_db ?? Number.POSITIVE_INFINITY) < (other.margin_db ?? Number.POSITIVE_INFINITY);
  return PERMIT_VERDICTS.indexOf(one.verdict) < PERMIT_VERDICTS.indexOf(other.verdict);
}

function daysWithin(zone: string, { from, to }: Dates, { valid_from = from, valid_until = to }: PermitBody) {
  const around = { from: Date.parse(from) - 2 * DAY_MS, to: Date.parse(to) + 3 * DAY_MS };
  return zones
    .calendarSpans(zone, around, 'day')
    .filter(({ name }) => name >= from && name <= to && name >= valid_from && name <= valid_until);
}

/** A day of a permit that cannot judge. */
function unjudged(date: string, reason: string): PermitDay {
  const unknown = { value: null, limit_db: null, margin_db: null, leq_all: null };
  const times = { from: null, to: null, applies_from: null, applies_to: null };
  const part = { date, limit: '', verdict: 'not_assessable' as const, is_amber: false, coverage: 0, excluded_s: 0 };
  const parts = [{ ...part, ...unknown, ...times, reason, running: null }];
  return { date, parts, ...together(parts) };
}

/** The last dates by the clock of a place, the last one is today. */
export function lastDates(zone: string, now: number, count: number): Dates {
  const days = zones.calendarSpans(zone, { from: now - (count + 1) * DAY_MS, to: now + 1 }, 'day').slice(-count);
  return { from: days[0]?.name ?? '', to: days.at(-1)?.name ?? '' };
}

/** Of figures whose limits are levels over a time. */
const levelsOf = ({ figures, residual, background }: KeptPreset): ReadonlySet<string> =>
  residual === 'emergence' || background === 'difference'
    ? new Set()
    : new Set(
        figures.filter(({ period, overBackground }) => period !== null && !overBackground).map(({ name }) => name),
      );

interface Judged extends Pick<KeptPreset, 'decimals'> {
  readonly amber: ReadonlyMap<string, number>;
  readonly levels: ReadonlySet<string>;
}

function dayOf({ date, figures, results, goingOn }: JudgedDay, { amber, levels, decimals }: Judged, now: number) {
  const parts = figures.flatMap((figure, at) => {
    const result = results[at];
    const { limit, excluded_s, coverage, leq, leq_all, reasons, worst } = figure;
    if (!result || limit === null) return [];
    const verdict = verdictOfPart(figure, result.to > now);
    const { value, limit_db } = decisive(figure, limit);
    return [
      {
        date,
        limit: figure.figure,
        verdict,
        value,
        limit_db,
        margin_db: value === null || limit_db === null ? null : Math.round((limit_db - value) * 100) / 100,
        is_amber:
          verdict !== 'exceeded' && value !== null && value >= (amber.get(figure.figure) ?? Number.POSITIVE_INFINITY),
        coverage,
        excluded_s,
        leq_all: leq === null ? leq_all : null,
        from: worst?.from ?? figure.from,
        to: worst?.to ?? figure.to,
        applies_from: levels.has(figure.figure) ? figure.from : null,
        applies_to: levels.has(figure.figure) ? figure.to : null,
        reason: reasons.length > 0 ? reasons.join(' ') : null,
        running: result.running && runningLimit(result.running, { limit, decimals, goingOn, now }),
      },
    ];
  });
  return { date, parts, ...together(parts) };
}

interface PresentLevel extends Pick<KeptPreset, 'decimals'> {
  readonly limit: number;
  /** Without additions; null: unknown. */
  readonly goingOn: number | null;
  /** ms since 1970 UTC. */
  readonly now: number;
}

/** The limit as a budget of energy: the measured part has spent some of it, and the present level spends the rest. */
export function runningLimit(
  { from, to, level, measured, added }: assessment.RunningWindow,
  { limit, decimals, goingOn, now }: PresentLevel,
) {
  const present = goingOn === null ? null : goingOn + added;
  const { exceeded, willExceedInS } = indices.budget({
    limit,
    exceededFrom: indices.firstAbove(limit, decimals),
    windowS: (to - from) / 1_000,
    elapsedS: (now - from) / 1_000,
    leq: level,
    measuredS: measured,
    goingOn: present,
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    leq: tables.decibels(level),
    present_db: tables.decibels(present),
    may_go_on_s: exceeded ? 0 : willExceedInS === null ? null : Math.round(willExceedInS),
  };
}

type Figure = JudgedDay['figures'][number];

/** A single peak decides where it alone exceeds. */
function decisive(
  { value, lmax, peak_limit, verdict }: Figure,
  limit: number,
): { readonly value: number | null; readonly limit_db: number | null } {
  const isPeak = verdict === 'exceeded' && lmax !== null && peak_limit !== null && (value === null || value <= limit);
  return isPeak ? { value: lmax, limit_db: peak_limit } : { value, limit_db: limit };
}

function verdictOfPart({ verdict, leq, leq_all }: Figure, goesOn: boolean): PermitVerdict {
  if (verdict === 'exceeded' || verdict === 'met') return verdict;
  if (goesOn) return 'not_over';
  // Excluded time in which nothing was measured excludes nothing.
  return leq === null && leq_all !== null ? 'excluded' : 'not_assessable';
}

/** The whole judgement of a part, a day or a unit. */
interface Judgement {
  readonly verdict: PermitVerdict;
  readonly margin_db: number | null;
  readonly is_amber: boolean;
}

/** Several as a whole. Nothing at all is not assessable; a part that is excluded leaves the others not assessable. */
export function together(parts: readonly Judgement[]): Judgement {
  const verdicts = new Set(parts.map(({ verdict }) => verdict));
  const first = PERMIT_VERDICTS.find((each) => verdicts.has(each)) ?? 'not_assessable';
  const margins = parts.flatMap(({ margin_db }) => margin_db ?? []);
  return {
    verdict: first === 'excluded' && verdicts.has('met') ? ('not_assessable' as const) : first,
    margin_db: margins.length > 0 ? Math.min(...margins) : null,
    is_amber: parts.some(({ is_amber }) => is_amber),
  };
}

/**
 * Several days of a unit. A day that is excluded as a whole says nothing about the others. A day that nobody can assess does:
 * it may have been too loud, so the span is not met. Both kinds of days are named.
 */
export function togetherOfDays(days: readonly PermitDay[]) {
  const of = (verdict: PermitVerdict) => days.filter((day) => day.verdict === verdict).map(({ date }) => date);
  const counts = Object.fromEntries(PERMIT_VERDICTS.map((verdict) => [verdict, of(verdict).length]));
  const counted = days.filter(({ verdict }) => verdict !== 'excluded');
  return {
    ...together(counted.length > 0 ? counted : days),
    days: counts,
    excluded_days: of('excluded'),
    not_assessable_days: of('not_assessable'),
  };
}
