/**
 * The page in the morning: a sentence for each site about yesterday, with the next step; the last seven days of each meter; what
 * needs a person now, and what will need one.
 */
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { statusWord } from '../days/day-status.ts';
import { client, mayAdministerAll, mayOperate } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { isoSpan } from '../state/chosen-time.ts';
import { changes, meters, now, titleOf } from '../state/fleet.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { decibels, percent, span, timeOfDay } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { OtherSites } from '../ui/other-sites.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { LOCALES } from '../words/language.ts';
import { say, sayWith } from '../words/say.ts';
import { Needed, WillNeed } from './needs.tsx';
import {
  runningOf,
  type Site,
  type SiteDay,
  type SiteMeter,
  sentenceOf,
  sitesOf,
  withoutCauseOf,
  yesterdayOf,
} from './sites.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;
/** The day of today is asked for again after this time, ms. */
const AGAIN_MS = 300_000;
/** While a limit would be exceeded in its window, ms. */
const SOON_MS = 60_000;

async function askDays() {
  const [days, permits] = await Promise.all([client.value.lastDays(DAYS), unlessAbsent(client.value.permits(), [])]);
  return { days, permits };
}

/** Verdicts take the gateway some seconds for many meters: the rows are drawn before. */
async function askJudged() {
  const at = now.peek();
  const span = isoSpan({ from: at - (DAYS + 1) * DAY_MS, to: at });
  const [exceeded, { data: verdicts, permits }] = await Promise.all([
    unlessAbsent(client.value.alertDays(span), []),
    unlessAbsent(client.value.lastVerdicts(DAYS), { data: [], permits: [] }),
  ]);
  return { exceeded, verdicts, permits, at };
}

export function OverviewPage() {
  // The page is drawn again when its turn comes, not each second.
  const turn = useComputed(() => Math.floor(now.value / AGAIN_MS)).value;
  const { found, again } = useFound(askDays, [changes.value.alert, changes.value.config, turn]);
  const { found: judged } = useFound(async () => (found ? askJudged() : undefined), [found]);
  const known = meters.value;
  if (!known || !found) return <Skeleton what={say('The last days are being asked for ...')} />;
  const units = [...known.values()]
    .map(({ unit }) => unit.peek())
    .sort((one, other) => compare(titleOf(one.unit_id), titleOf(other.unit_id)));
  const sites = sitesOf({ units, ...found, judged });
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
      <Needed sites={sites} isJudged={judged !== undefined} />
      {sites.map((site) => (
        <SiteCard
          key={site.key}
          site={site}
          isOnly={sites.length === 1}
          askedAt={judged?.at ?? now.peek()}
          again={again}
        />
      ))}
      {units.length === 0 && <p class="soft">{say('There are no meters yet.')}</p>}
      <WillNeed />
      <OtherSites />
      <Legend />
    </>
  );
}

function Legend() {
  return (
    <div class="legend small soft">
      <p class="row">
        {LEVELS.map((from, index) => (
          <span key={from} class="row">
            <span class={`key level-${index + 1}`} />
            {index === 0 ? say('below {level} dB', { level: LEVELS[1] }) : say('from {level} dB', { level: from })}
          </span>
        ))}
      </p>
      <p class="row">
        {(['exceeded', 'within', 'amber', 'open', 'partly', 'measured', 'excluded', 'readings', 'none'] as const).map(
          (status) => (
            <span key={status} class="row">
              <span class={`day key ${status}`} />
              {statusWord(status)}
            </span>
          ),
        )}
      </p>
      <p>
        {say(
          'The colour is the level of the day, the border its verdict. Numbers are dB: the worst level of its limit, or the Leq of the day without the time that notes exclude (excl.). For a day that notes exclude as a whole, the number is the Leq that would have counted.',
        )}
      </p>
    </div>
  );
}

const LEVELS = [0, 45, 50, 55, 60, 65, 70] as const;
const levelClass = (leq: number | null): string =>
  leq === null ? '' : ` level-${LEVELS.filter((from) => leq >= from).length}`;

interface SiteProps {
  readonly site: Site;
  readonly isOnly: boolean;
  /** When the gateway was asked, ms UTC. */
  readonly askedAt: number;
  again(): void;
}

function SiteCard({ site, isOnly, askedAt, again }: SiteProps) {
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
      <div class="row end">
        <p class="verdict">
          {sentenceOf(site, titleOf)} <RunningWords site={site} askedAt={askedAt} again={again} />
        </p>
        <SiteActions site={site} />
      </div>
      {first && (
        <div class="week small soft" aria-hidden="true">
          <span />
          {first.days.map(({ date }) => (
            <span key={date}>
              {weekdayOf(date)} <span class="date">{numberOf(date)}</span>
            </span>
          ))}
        </div>
      )}
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

/** How long the present noise may go on. It is asked for again while a limit is near. */
function RunningWords({ site, askedAt, again }: Pick<SiteProps, 'site' | 'askedAt' | 'again'>) {
  const running = runningOf(site);
  const isOld = running !== undefined && now.value - askedAt > SOON_MS;
  useEffect(() => {
    if (isOld) again();
  }, [isOld]);
  if (!running) return null;
  const { unit, limit } = running;
  const left = (limit.may_go_on_s ?? 0) - (now.value - askedAt) / 1_000;
  const meter = (
    <Link to={meterPath(unit.unit_id)}>
      <bdi>{titleOf(unit.unit_id)}</bdi>
    </Link>
  );
  const [level, time] = [decibels(limit.present_db), timeOfDay(limit.to, unit.timezone)];
  return (
    <strong class="over">
      {left > 0
        ? sayWith('{meter}: {level} dB may go on for {length}.', { meter, level, length: span(left) })
        : sayWith('{meter}: the limit of the time until {time} is exceeded.', { meter, time })}
    </strong>
  );
}

/** The next steps of a person about yesterday. */
function SiteActions({ site }: { readonly site: Site }) {
  const { meters, unitIds } = site;
  const { first } = withoutCauseOf([site]);
  const { yesterday } = site.permit ?? { yesterday: null };
  // Which meter decides is known with the verdict.
  const decisive =
    yesterday === undefined ? undefined : (meters.find(({ unit }) => unit.unit_id === yesterday?.unit_id) ?? meters[0]);
  const day = decisive && yesterdayOf(decisive);
  const query = (words: Readonly<Record<string, string>>) => new URLSearchParams(words);
  return (
    <p class="row actions">
      {first !== null && (
        <Link class="button main" to={`alerts/${first}`}>
          {say('Answer')}
        </Link>
      )}
      {mayOperate.value && decisive && day && (
        <Link
          class="button"
          to={`${meterPath(decisive.unit.unit_id, 'history')}?${query({ from: day.from, to: day.to, choose: 'all' })}`}
        >
          {say('Exclude time')}
        </Link>
      )}
      {unitIds.length > 0 && (
        <Link class="button" to={`reports?${query({ units: unitIds.join() })}`}>
          {say('Send the report')}
        </Link>
      )}
    </p>
  );
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
    <Link
      to={`${meterPath(unit.unit_id, 'history')}?from=${from}&to=${to}`}
      class={`day ${status}${status === 'excluded' ? '' : levelClass(day.leq)}`}
    >
      <span class="hidden-label">{`${dayOf(date)}: ${statusWord(status)}. `}</span>
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

/** Parts of `2026-11-23`, as people of the browser's locale write them. A format costs more than its use. */
function writer(parts: Intl.DateTimeFormatOptions): (date: string) => string {
  const format = new Intl.DateTimeFormat(LOCALES, { ...parts, timeZone: 'UTC' });
  return (date) => format.format(new Date(`${date}T12:00Z`));
}
const weekdayOf = writer({ weekday: 'short' });
const numberOf = writer({ day: 'numeric' });
const dayOf = writer({ weekday: 'short', day: 'numeric' });
const { compare } = new Intl.Collator(undefined, { numeric: true });

function summaryOf({ meters, permit }: Site): string {
  const isKnown = permit?.yesterday !== undefined;
  const loud = meters.filter(({ days }) => days.some(({ status }) => status === 'exceeded')).length;
  const read = meters.filter(({ days }) => isOnlyRead(days)).length;
  const silent = meters.filter(({ days }) => days.every(isSilent)).length;
  const isWell = loud === 0 && isKnown && meters.some(({ isJudged }) => isJudged);
  const said = [
    say('{count} meter|{count} meters', { count: meters.length }),
    loud > 0 && say('{count} with an exceeded limit|{count} with an exceeded limit', { count: loud }),
    isWell && say('no limit was exceeded in these days'),
    read > 0 && say('{count} with single readings only|{count} with single readings only', { count: read }),
    silent > 0 && say('{count} without data|{count} without data', { count: silent }),
  ];
  return said.filter(Boolean).join(', ');
}

const isSilent = ({ status, coverage }: SiteDay): boolean => status === 'none' || (status === 'open' && coverage === 0);

/** Nothing was measured in these days, but the meter was read. */
const isOnlyRead = (days: readonly SiteDay[]): boolean =>
  days.some(({ status }) => status === 'readings') &&
  days.every(({ status }) => status === 'readings' || status === 'none');
