/** Meters by their sites, with what each of the last days was like. Pure. */
import type { AlertRule, schemas, Unit } from '../../client/index.ts';
import { countedOf, type DayStatus, statusOf } from '../days/day-status.ts';
import { say } from '../words/say.ts';

/** A day of a meter with its look and its exceeded limits. */
export interface SiteDay extends schemas.HistoryDay {
  readonly status: DayStatus;
  readonly exceeded: schemas.AlertDay | undefined;
}

/** A meter with its days. */
export interface SiteMeter {
  readonly unit: Unit;
  /** Empty: nothing is recorded. */
  readonly days: readonly SiteDay[];
}

/** The meters of one site. */
export interface Site {
  /** A tag; undefined: meters without one. */
  readonly name: string | undefined;
  readonly meters: readonly SiteMeter[];
}

/** Answers of the gateway about meters, days and rules. */
export interface Answers {
  readonly units: readonly Unit[];
  readonly days: readonly schemas.HistoryDays[];
  readonly exceeded: readonly schemas.AlertDay[];
  readonly rules: readonly AlertRule[];
}

/** A day with less than this share measured and counted says nothing about the rest of it. */
const ENOUGH = 0.75;

/** A tag that all meters have tells no site apart, and is none where there are others. */
export function sitesOf(answers: Answers): readonly Site[] {
  const meters = answers.units.map((unit) => meterOf(unit, answers));
  const tags = [...new Set(answers.units.flatMap(({ tags: own }) => own))].sort();
  const telling = tags.filter((tag) => !answers.units.every(({ tags: own }) => own.includes(tag)));
  const used = telling.length > 0 ? telling : tags;
  const sites = used.map((name) => ({ name, meters: meters.filter(({ unit }) => unit.tags.includes(name)) }));
  const others = meters.filter(({ unit }) => !unit.tags.some((tag) => used.includes(tag)));
  return others.length > 0 ? [...sites, { name: undefined, meters: others }] : sites;
}

function meterOf(unit: Unit, { days, exceeded, rules }: Answers): SiteMeter {
  const isWatched = rules.some(
    ({ limit_db, enabled, units, tag }) =>
      limit_db !== undefined &&
      enabled &&
      (units?.includes(unit.unit_id) ?? (tag !== undefined && unit.tags.includes(tag))),
  );
  const own = days.find(({ unit_id }) => unit_id === unit.unit_id)?.days ?? [];
  const over = exceeded.filter(({ unit_id }) => unit_id === unit.unit_id);
  return {
    unit,
    days: own.map((day) => {
      const found = over.find((one) => one.date === day.date && countedOf(one) > 0);
      const { coverage, readings, excluded_s } = day;
      const facts = { coverage: { all: coverage }, valid: coverage >= ENOUGH, readings, excluded_s };
      const exceeded = countedOf(found);
      const status = statusOf({ day: facts, level: undefined, exceeded, limit: undefined, isWatched });
      return { ...day, status, exceeded: found };
    }),
  };
}

/** In words: `2 of 5 meters were too loud this week`. */
export function summaryOf({ meters }: Site): string {
  const loud = meters.filter(({ days }) => days.some(({ status }) => status === 'exceeded')).length;
  const read = meters.filter(({ days }) => isOnlyRead(days)).length;
  const silent = meters.filter(({ days }) => days.every(({ status }) => status === 'none')).length;
  return [
    say('{count} meter|{count} meters', { count: meters.length }),
    loud === 0
      ? say('no limit was exceeded in these days')
      : say('{count} with an exceeded limit|{count} with an exceeded limit', { count: loud }),
    ...(read > 0 ? [say('{count} with single readings only|{count} with single readings only', { count: read })] : []),
    ...(silent > 0 ? [say('{count} without data|{count} without data', { count: silent })] : []),
  ].join(', ');
}

/** Nothing was measured in these days, but the meter was read. */
const isOnlyRead = (days: readonly SiteDay[]): boolean =>
  days.some(({ status }) => status === 'readings') &&
  days.every(({ status }) => status === 'readings' || status === 'none');
