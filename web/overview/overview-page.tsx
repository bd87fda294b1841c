/** Sites and their meters by the days of the last week: what was too loud, what was measured, and what needs a person now. */
import type { schemas, Unit } from '../../client/index.ts';
import { countedOf, type DayStatus, decisiveOf, statusOf, statusWord } from '../days/day-status.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { countToSee, exceededOnly } from '../state/alerts.ts';
import { changes, meters, needing, now, titleOf, unitOf, worstOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { decibels, percent, span } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { OtherSites } from '../ui/other-sites.tsx';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;
/** The day of today is asked for again after this time, ms. */
const AGAIN_MS = 300_000;

/** Everything in three requests, however many meters there are. */
async function askDays() {
  const to = now.peek();
  const span = { from: new Date(to - (DAYS + 1) * DAY_MS).toISOString(), to: new Date(to).toISOString() };
  const [days, exceeded, verdicts] = await Promise.all([
    client.value.lastDays(DAYS),
    // Empty when the gateway has no alerts, or no permits.
    client.value.alertDays(span).catch(() => []),
    client.value.lastVerdicts(DAYS).catch(() => []),
  ]);
  return { days, exceeded, verdicts };
}

export function OverviewPage() {
  const turn = Math.floor(now.value / AGAIN_MS);
  const { found } = useFound(askDays, [changes.value.alert, changes.value.config, turn]);
  const known = meters.value;
  if (!known || !found) return <p class="soft">{say('The last days are being asked for ...')}</p>;
  const units = [...known.values()]
    .map(({ unit }) => unit.peek())
    .sort((one, other) => titleOf(one.unit_id).localeCompare(titleOf(other.unit_id), undefined, { numeric: true }));
  const sites = sitesOf({ units, ...found });
  return (
    <>
      <div class="row end">
        <h1>{say('Overview')}</h1>
        <div class="row">
          <Link to="wall">{say('Wall screen')}</Link>
          <Link to="compare">{say('Compare meters')}</Link>
          <button type="button" onClick={() => print()}>
            {say('Print all')}
          </button>
        </div>
      </div>
      <Needed />
      {sites.map((site) => (
        <SiteCard key={site.name ?? ''} site={site} isOnly={sites.length === 1} />
      ))}
      {units.length === 0 && <p class="soft">{say('There are no meters yet.')}</p>}
      <OtherSites />
      <p class="row legend small soft">
        {(['exceeded', 'within', 'amber', 'open', 'partly', 'measured', 'excluded', 'readings', 'none'] as const).map(
          (status) => (
            <span key={status} class="row">
              <span class={`day key ${status}`} />
              {statusWord(status)}
            </span>
          ),
        )}
        <span>
          {say(
            'Numbers are dB: the worst level of its limit, or the Leq of the day without the time that notes exclude (excl.). For a day that notes exclude as a whole, the number is the Leq that would have counted.',
          )}
        </span>
      </p>
    </>
  );
}

/** Work for a person now, or a text that there is no work. */
function Needed() {
  const ids = needing.value === '' ? [] : needing.value.split(',');
  const alerts = countToSee.value;
  if (ids.length === 0 && alerts === 0) return <p class="card calm">{say('Nothing needs a person now.')}</p>;
  return (
    <section class="card" aria-labelledby="needed">
      <h2 id="needed">{say('Needs a person')}</h2>
      <ul class="stack">
        {alerts > 0 && (
          <li>
            <Link to="alerts">{countWords(alerts)}</Link>
          </li>
        )}
        {ids.map((id) => (
          <li key={id}>
            <Link to={meterPath(id)}>
              <bdi>{titleOf(id)}</bdi>
            </Link>
            : {wordsOf(unitOf(id))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const countWords = (count: number): string => {
  if (exceededOnly.value.length === 0)
    return say('{count} alert to be looked at|{count} alerts to be looked at', { count });
  return say('{count} exceeded limit to be looked at|{count} alerts and exceeded limits to be looked at', { count });
};

const wordsOf = (unit: Unit | undefined): string => (unit && worstOf(unit)) ?? '';

function SiteCard({ site, isOnly }: { readonly site: Site; readonly isOnly: boolean }) {
  const title = site.name ?? (isOnly ? say('All meters') : say('Other meters'));
  const first = site.meters.find(({ days }) => days.length > 0);
  return (
    <section class="card site" aria-label={title}>
      <div class="row end">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        <span class="soft small">
          {summaryOf(site)} <WithoutPermit site={site} />
        </span>
      </div>
      <div class="week small soft" aria-hidden="true">
        <span />
        {first?.days.map(({ date }) => (
          <span key={date}>
            {partOf(date, { weekday: 'short' })} <span class="date">{partOf(date, { day: 'numeric' })}</span>
          </span>
        ))}
      </div>
      <ul class="weeks">
        {site.meters.map((meter) => (
          <li key={meter.unit.unit_id} class="week">
            <MeterWeek meter={meter} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** For admins: what is missing until each day has a verdict. */
function WithoutPermit({ site: { meters: own } }: { readonly site: Site }) {
  const count = own.filter(({ isJudged, days }) => !isJudged && days.length > 0).length;
  if (count === 0 || !mayAdministerAll.value) return null;
  return <Link to="settings/sites#permits">{say('{count} without a permit|{count} without a permit', { count })}</Link>;
}

function MeterWeek({ meter: { unit, days } }: { readonly meter: SiteMeter }) {
  return (
    <>
      <Link to={meterPath(unit.unit_id)} class="week-name">
        <bdi>{titleOf(unit.unit_id)}</bdi>
      </Link>
      {days.length === 0 && <span class="soft small nothing">{say('Nothing is recorded here.')}</span>}
      {days.map((day) => (
        <Day key={day.date} unit={unit} day={day} />
      ))}
    </>
  );
}

function Day({ unit, day }: { readonly unit: Unit; readonly day: SiteDay }) {
  const { date, from, to, coverage, status, exceeded, excluded_s } = day;
  const leq = status === 'excluded' ? day.leq_all : day.leq;
  return (
    <Link to={`${meterPath(unit.unit_id, 'history')}?from=${from}&to=${to}`} class={`day ${status}`}>
      <span class="hidden-label">{`${weekdayOf(date)}: ${statusWord(status)}. `}</span>
      {exceeded ? (
        <>
          <strong class="over">{decibels(exceeded.worst)}</strong>
          <span class="small">{say('of {limit}', { limit: decibels(exceeded.limit) })}</span>
          <span class="hidden-label">{` dB, ${exceeded.words}`}</span>
        </>
      ) : (
        <>
          <span>{decibels(leq)}</span>
          <span class="hidden-label">{leq === null ? '' : ' dB Leq.'}</span>
        </>
      )}
      {status === 'partly' && <span class="small soft">{percent(coverage)}</span>}
      {excluded_s > 0 && (
        <span class="small soft">
          {span(excluded_s)} <span class="hidden-label">{say('excluded by notes')}</span>
          <span aria-hidden="true">{say('excl.')}</span>
        </span>
      )}
    </Link>
  );
}

/** As people of the browser's locale write parts of `2026-11-23`. */
const partOf = (date: string, parts: Intl.DateTimeFormatOptions): string =>
  new Date(`${date}T12:00Z`).toLocaleDateString(LOCALES, { ...parts, timeZone: 'UTC' });
/** `Mon 23` of `2026-11-23`. */
const weekdayOf = (date: string): string => partOf(date, { weekday: 'short', day: 'numeric' });

/** A day of a meter with its look and its exceeded limits. */
interface SiteDay extends schemas.HistoryDay {
  readonly status: DayStatus;
  readonly exceeded: Exceeded | undefined;
}

/** The worst of a day that was above its limit. */
interface Exceeded {
  readonly worst: number | null;
  readonly limit: number | null;
  /** Which limit, for those who do not see the colours. */
  readonly words: string;
}

interface SiteMeter {
  readonly unit: Unit;
  /** Empty: nothing is recorded. */
  readonly days: readonly SiteDay[];
  /** Whether a permit is for it. */
  readonly isJudged: boolean;
}

interface Site {
  /** A tag; undefined: meters without one. */
  readonly name: string | undefined;
  readonly meters: readonly SiteMeter[];
}

/** Answers of the gateway about meters, days and rules. */
interface Answers {
  readonly units: readonly Unit[];
  readonly days: readonly schemas.HistoryDays[];
  readonly exceeded: readonly schemas.AlertDay[];
  readonly verdicts: readonly schemas.UnitVerdicts[];
}

/** A day with less than this share measured and counted says nothing about the rest of it. */
const ENOUGH = 0.75;

/**
 * The site of a meter is the first of its tags, so that each meter is shown once. A tag that all meters have tells no site
 * apart, and is none where there are others.
 */
function sitesOf(answers: Answers): readonly Site[] {
  const meters = answers.units.map((unit) => meterOf(unit, answers));
  const tags = [...new Set(answers.units.flatMap(({ tags: own }) => own))].sort();
  const telling = tags.filter((tag) => !answers.units.every(({ tags: own }) => own.includes(tag)));
  const used = telling.length > 0 ? telling : tags;
  const siteOf = ({ unit }: SiteMeter) => unit.tags.find((tag) => used.includes(tag));
  return [...used, undefined]
    .map((name) => ({ name, meters: meters.filter((meter) => siteOf(meter) === name) }))
    .filter((site) => site.meters.length > 0);
}

const ofRule = (found: schemas.AlertDay): Exceeded => ({
  worst: found.worst,
  limit: found.limit,
  words: say('{rule}, {count} time.|{rule}, {count} times.', { rule: found.rule_name, count: countedOf(found) }),
});

function overOf(judged: schemas.UnitVerdict): Exceeded | undefined {
  const worst = decisiveOf(judged);
  if (judged.verdict !== 'exceeded' || !worst) return undefined;
  return { worst: worst.value, limit: worst.limit_db, words: `${judged.title}: ${worst.limit}` };
}

function meterOf(unit: Unit, { days, exceeded, verdicts }: Answers): SiteMeter {
  const own = days.find(({ unit_id }) => unit_id === unit.unit_id)?.days ?? [];
  const over = exceeded.filter(({ unit_id }) => unit_id === unit.unit_id);
  const judged = verdicts.find(({ unit_id }) => unit_id === unit.unit_id)?.days ?? [];
  return {
    unit,
    isJudged: verdicts.some(({ unit_id }) => unit_id === unit.unit_id),
    days: own.map((day) => {
      const found = over.find((one) => one.date === day.date && countedOf(one) > 0);
      const { coverage, readings, leq_all } = day;
      const facts = { coverage: { all: coverage }, valid: coverage >= ENOUGH, readings, leq_all };
      const exceeded = countedOf(found);
      const verdict = judged.find((one) => one.date === day.date);
      const status = statusOf({ day: facts, level: undefined, exceeded, limit: undefined, verdict });
      return { ...day, status, exceeded: verdict ? overOf(verdict) : found && ofRule(found) };
    }),
  };
}

/** In words: `2 of 5 meters were too loud this week`. */
function summaryOf({ meters }: Site): string {
  const loud = meters.filter(({ days }) => days.some(({ status }) => status === 'exceeded')).length;
  const read = meters.filter(({ days }) => isOnlyRead(days)).length;
  const silent = meters.filter(({ days }) => days.every(isSilent)).length;
  return [
    say('{count} meter|{count} meters', { count: meters.length }),
    loud === 0
      ? say('no limit was exceeded in these days')
      : say('{count} with an exceeded limit|{count} with an exceeded limit', { count: loud }),
    ...(read > 0 ? [say('{count} with single readings only|{count} with single readings only', { count: read })] : []),
    ...(silent > 0 ? [say('{count} without data|{count} without data', { count: silent })] : []),
  ].join(', ');
}

const isSilent = ({ status, coverage }: SiteDay): boolean => status === 'none' || (status === 'open' && coverage === 0);

/** Nothing was measured in these days, but the meter was read. */
const isOnlyRead = (days: readonly SiteDay[]): boolean =>
  days.some(({ status }) => status === 'readings') &&
  days.every(({ status }) => status === 'readings' || status === 'none');
