/** The sites of the morning page: each permit, then the tags of the other meters; with the days of the last week. Pure. */
import type { schemas, Unit } from '../../client/index.ts';
import { countedOf, type DayStatus, decisiveOf, statusOf } from '../days/day-status.ts';
import { textOf } from '../state/alarms.ts';
import { decibels, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

export interface SiteDay extends schemas.HistoryDay {
  readonly status: DayStatus;
  readonly exceeded: Exceeded | undefined;
  /** Events of limits that began on this day and have no cause. */
  readonly withoutCause: number;
  /** Id of the first of them. */
  readonly firstWithoutCause: string | null;
  readonly verdict: schemas.UnitVerdict | undefined;
}

/** The worst of a day that was above its limit. */
interface Exceeded {
  readonly worst: number | null;
  readonly limit: number | null;
  /** Which limit, for those who do not see the colours. */
  readonly words: string;
}

export interface SiteMeter {
  readonly unit: Unit;
  readonly days: readonly SiteDay[];
  /** Whether a permit is for it. */
  readonly isJudged: boolean;
}

interface SitePermit extends Pick<schemas.PermitYesterday, 'units'> {
  /** null: no limit applied; undefined: not known yet. */
  readonly yesterday: schemas.PermitYesterday['yesterday'] | undefined;
}

export interface Site {
  readonly key: string;
  /** Title of a permit, or a tag; undefined: meters without them. */
  readonly name: string | undefined;
  readonly permit: SitePermit | undefined;
  readonly meters: readonly SiteMeter[];
  /** All meters of the permit; a meter with two permits has its days at the first one only. */
  readonly unitIds: readonly string[];
}

export interface Answers {
  readonly units: readonly Unit[];
  readonly days: readonly schemas.HistoryDays[];
  readonly permits: readonly schemas.Permit[];
  /** Undefined: the gateway is working them out. */
  readonly judged: Judged | undefined;
}

export interface Judged {
  readonly exceeded: readonly schemas.AlertDay[];
  readonly verdicts: readonly schemas.UnitVerdicts[];
  readonly permits: readonly schemas.PermitYesterday[];
}

/** A day with less than this share measured and counted says nothing about the rest of it. */
const ENOUGH = 0.75;
const WORST_FIRST = ['exceeded', 'not_assessable', 'excluded', 'not_over', 'met'];

/** Permits first, the worst verdict of yesterday before the others. */
export function sitesOf(answers: Answers): readonly Site[] {
  const { units, judged } = answers;
  const permits = answers.permits.map(({ name, title, units: ids, tag = '' }) => ({
    name,
    title,
    units: ids ?? units.filter(({ tags }) => tags.includes(tag)).map(({ unit_id }) => unit_id),
    yesterday: judged && (judged.permits.find(({ permit }) => permit === name)?.yesterday ?? null),
  }));
  const meters = units.map((unit) => meterOf(unit, answers, permits));
  const rankOf = ({ yesterday }: SitePermit) =>
    yesterday ? WORST_FIRST.indexOf(yesterday.verdict) : WORST_FIRST.length;
  const shown = new Set<string>();
  const permitted = permits
    .filter((permit) => permit.units.length > 0)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || one.title.localeCompare(other.title))
    .map((permit): Site => {
      const own = meters.filter(({ unit }) => permit.units.includes(unit.unit_id) && !shown.has(unit.unit_id));
      for (const { unit } of own) shown.add(unit.unit_id);
      return { key: `permit ${permit.name}`, name: permit.title, permit, meters: own, unitIds: permit.units };
    });
  const others = meters.filter(({ unit }) => !shown.has(unit.unit_id));
  return [...permitted, ...sitesByTag(others, units)];
}

/**
 * The site of a meter is the first of its tags, so that each meter is shown once. A tag that all meters have tells no site
 * apart, and is none where there are others.
 */
function sitesByTag(meters: readonly SiteMeter[], all: readonly Unit[]): readonly Site[] {
  const tags = [...new Set(all.flatMap((unit) => unit.tags))].sort();
  const telling = tags.filter((tag) => !all.every((unit) => unit.tags.includes(tag)));
  const used = telling.length > 0 ? telling : tags;
  const siteOf = ({ unit }: SiteMeter) => unit.tags.find((tag) => used.includes(tag));
  return [...used, undefined]
    .map((name): Site => {
      const own = meters.filter((meter) => siteOf(meter) === name);
      const unitIds = own.map(({ unit }) => unit.unit_id);
      return { key: `tag ${name ?? ''}`, name, permit: undefined, meters: own, unitIds };
    })
    .filter((site) => site.meters.length > 0);
}

const ofRule = (found: schemas.AlertDay): Exceeded => ({
  worst: found.worst,
  limit: found.limit,
  words: say('{rule}, {count} time.|{rule}, {count} times.', {
    rule: textOf(found, 'rule_name'),
    count: countedOf(found),
  }),
});

function overOf(judged: schemas.UnitVerdict): Exceeded | undefined {
  const worst = decisiveOf(judged);
  if (judged.verdict !== 'exceeded' || !worst) return undefined;
  return { worst: worst.value, limit: worst.limit_db, words: `${judged.title}: ${worst.limit}` };
}

function meterOf(unit: Unit, { days, judged: found }: Answers, permits: readonly SitePermit[]): SiteMeter {
  const { exceeded = [], verdicts = [] } = found ?? {};
  const own = days.find(({ unit_id }) => unit_id === unit.unit_id)?.days ?? [];
  const over = exceeded.filter(({ unit_id }) => unit_id === unit.unit_id);
  const judged = verdicts.find(({ unit_id }) => unit_id === unit.unit_id)?.days ?? [];
  return {
    unit,
    isJudged: permits.some(({ units }) => units.includes(unit.unit_id)),
    days: own.map((day) => {
      const found = over.find(({ date }) => date === day.date);
      const counted = countedOf(found);
      const { coverage, readings, leq_all } = day;
      const facts = { coverage: { all: coverage }, valid: coverage >= ENOUGH, readings, leq_all };
      const verdict = judged.find(({ date }) => date === day.date);
      const ruled = found && counted > 0 ? ofRule(found) : undefined;
      return {
        ...day,
        status: statusOf({ day: facts, level: undefined, exceeded: counted, limit: undefined, verdict }),
        exceeded: verdict ? overOf(verdict) : ruled,
        withoutCause: found?.without_cause ?? 0,
        firstWithoutCause: found?.first_without_cause ?? null,
        verdict,
      };
    }),
  };
}

/** The day before today by the clock of the meter. */
export const yesterdayOf = ({ days }: SiteMeter): SiteDay | undefined => days.at(-2);

/** A shorter time without levels is not worth a word, s. */
const MISSING_S = 600;

/** Time of a day without levels; what notes exclude is not missing, s. */
const missingOf = ({ from, to, coverage, excluded_s }: SiteDay): number =>
  Math.max(0, ((1 - coverage) * (Date.parse(to) - Date.parse(from))) / 1_000 - excluded_s);

/** `Yesterday within the permit, 3.2 dB to spare; 1 event without a cause; 4.8 h missing.` `titleOf`: the name of a meter. */
export function sentenceOf(site: Site, titleOf: (unitId: string) => string): string {
  const { meters, permit } = site;
  const verdict = permit ? permitWords(permit, titleOf) : levelWords(meters);
  const { count } = withoutCauseOf([site]);
  const missing = meters
    .map((meter) => ({ meter, seconds: missedBy(meter) }))
    .reduce((most, each) => (each.seconds > most.seconds ? each : most), { meter: meters[0], seconds: 0 });
  const parts = [verdict];
  if (count > 0) parts.push(withoutCauseWords(count));
  if (missing.meter && missing.seconds >= MISSING_S) {
    const gaps = { length: span(missing.seconds), meter: titleOf(missing.meter.unit.unit_id) };
    parts.push(meters.length > 1 ? say('{length} missing at {meter}', gaps) : say('{length} missing', gaps));
  }
  return `${parts.join('; ')}.`;
}

/** Of yesterday, s. A meter without any level in the week is listed elsewhere. */
function missedBy(meter: SiteMeter): number {
  const yesterday = yesterdayOf(meter);
  return yesterday && meter.days.some(({ coverage }) => coverage > 0) ? missingOf(yesterday) : 0;
}

/** Events of the last days without a cause, and the id of the first one, by the day. */
export function withoutCauseOf(sites: readonly Site[]): { readonly count: number; readonly first: string | null } {
  const days = sites
    .flatMap(({ meters }) => meters.flatMap((meter) => meter.days))
    .filter(({ withoutCause }) => withoutCause > 0)
    .sort((one, other) => one.date.localeCompare(other.date));
  const count = days.reduce((sum, { withoutCause }) => sum + withoutCause, 0);
  return { count, first: days[0]?.firstWithoutCause ?? null };
}

export const withoutCauseWords = (count: number): string =>
  say('{count} event without a cause|{count} events without a cause', { count });

function permitWords({ yesterday }: SitePermit, titleOf: (unitId: string) => string): string {
  if (yesterday === undefined) return say('The verdict about yesterday is being asked for');
  if (!yesterday) return say('No limit of the permit applied yesterday');
  const margin = decibels(yesterday.margin_db === null ? null : Math.abs(yesterday.margin_db));
  switch (yesterday.verdict) {
    case 'met':
      return say('Yesterday within the permit, {margin} dB to spare', { margin });
    case 'exceeded':
      return say('Yesterday {margin} dB above the permit at {meter}', { margin, meter: titleOf(yesterday.unit_id) });
    case 'excluded':
      return say('Yesterday is excluded as a whole');
    case 'not_over':
      return say('Yesterday is not over for the permit, nothing exceeded so far');
    default:
      return say('Yesterday cannot be judged');
  }
}

function levelWords(meters: readonly SiteMeter[]): string {
  const days = meters.flatMap((meter) => yesterdayOf(meter) ?? []);
  if (days.some(({ status }) => status === 'exceeded')) return say('Yesterday a limit was exceeded');
  const levels = days.flatMap(({ leq }) => leq ?? []);
  if (levels.length > 0)
    return say('Yesterday {level} dB, no permit to compare with', { level: decibels(Math.max(...levels)) });
  if (days.some(({ status }) => status === 'excluded')) return say('Yesterday is excluded as a whole');
  return days.some(({ status }) => status === 'readings')
    ? say('Yesterday single readings only')
    : say('Nothing was measured yesterday');
}

/** The limit that the present noise breaks first. */
export interface Running {
  readonly unit: Unit;
  readonly limit: schemas.RunningLimit;
}

/** Undefined: no window runs in which the present level would exceed a limit. */
export const runningOf = ({ meters }: Site): Running | undefined =>
  meters
    .flatMap(({ unit, days }) =>
      (days.at(-1)?.verdict?.parts ?? []).flatMap(({ running }) =>
        running && running.may_go_on_s !== null ? [{ unit, limit: running }] : [],
      ),
    )
    .toSorted((one, other) => (one.limit.may_go_on_s ?? 0) - (other.limit.may_go_on_s ?? 0))[0];
