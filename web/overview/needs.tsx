/** Work for a person: what needs one now, and what will need one in the next weeks. */
import type { schemas, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { countToSee, exceededOnly } from '../state/alerts.ts';
import { meters, needing, now, titleOf, unitOf, worstOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { span } from '../state/numbers.ts';
import { LOW_BATTERY, LOW_CARD } from '../state/trouble.ts';
import { Link } from '../ui/link.tsx';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';
import { type Site, withoutCauseOf, withoutCauseWords } from './sites.ts';

const DAY_MS = 86_400_000;

/** Open alerts, events without a cause, days that cannot be judged, meters without data; or a text that there is no work. */
export function Needed({ sites, isJudged }: { readonly sites: readonly Site[]; readonly isJudged: boolean }) {
  const ids = needing.value === '' ? [] : needing.value.split(',');
  const alerts = countToSee.value;
  const withoutCause = withoutCauseOf(sites);
  const unjudged = unjudgedDays(sites);
  const silent = silentMeters(sites).filter((id) => !ids.includes(id));
  const stations = useSilentStations();
  const count = ids.length + alerts + withoutCause.count + unjudged.length + silent.length + stations.length;
  if (count === 0 && !isJudged) return <p class="card soft">{say('The last days are being asked for ...')}</p>;
  if (count === 0) return <p class="card calm">{say('Nothing needs a person now.')}</p>;
  return (
    <section class="card" aria-labelledby="needed">
      <h2 id="needed">{say('Needs a person')}</h2>
      <ul class="stack">
        {alerts > 0 && (
          <li>
            <Link to="alerts">{countWords(alerts)}</Link>
          </li>
        )}
        {withoutCause.count > 0 && (
          <li>
            <Link to={`alerts/${withoutCause.first}`}>{withoutCauseWords(withoutCause.count)}</Link>
          </li>
        )}
        {unjudged[0] && (
          <li>
            <Link to={meterPath(unjudged[0], 'days')}>
              {say('{count} day cannot be judged|{count} days cannot be judged', { count: unjudged.length })}
            </Link>
          </li>
        )}
        {ids.map((id) => (
          <OfMeter key={id} id={id} words={wordsOf(unitOf(id))} />
        ))}
        {silent.map((id) => (
          <OfMeter key={id} id={id} words={say('no levels since yesterday')} />
        ))}
        {stations.map(({ id, title, age_s }) => (
          <li key={id}>
            <Link to="settings/sites#stations">
              <bdi>{title}</bdi>
            </Link>
            {age_s !== null && <>: {say('no observation for {length}', { length: span(age_s) })}</>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function OfMeter({ id, words }: { readonly id: string; readonly words: string }) {
  return (
    <li>
      <Link to={meterPath(id)}>
        <bdi>{titleOf(id)}</bdi>
      </Link>
      : {words}
    </li>
  );
}

const countWords = (count: number): string => {
  if (exceededOnly.value.length === 0)
    return say('{count} alert to be looked at|{count} alerts to be looked at', { count });
  return say('{count} exceeded limit to be looked at|{count} alerts and exceeded limits to be looked at', { count });
};

const wordsOf = (unit: Unit | undefined): string => (unit && worstOf(unit)) ?? '';

/** The meter of each day before today that its permit cannot judge although something was measured. */
const unjudgedDays = (sites: readonly Site[]): readonly string[] =>
  sites.flatMap(({ meters }) =>
    meters.flatMap(({ unit, days }) =>
      days
        .slice(0, -1)
        .flatMap(({ verdict, coverage }) =>
          verdict?.verdict === 'not_assessable' && coverage > 0 ? [unit.unit_id] : [],
        ),
    ),
  );

const silentMeters = (sites: readonly Site[]): readonly string[] =>
  sites.flatMap(({ meters }) =>
    meters.flatMap(({ unit, days }) => {
      const isSilent = ({ coverage, readings, excluded_s }: Site['meters'][number]['days'][number]) =>
        coverage === 0 && readings === 0 && excluded_s === 0;
      const wasRecorded = unit.history !== 'off' && days.some((day) => !isSilent(day));
      return wasRecorded && days.slice(-2).every(isSilent) ? [unit.unit_id] : [];
    }),
  );

function useSilentStations(): readonly schemas.Station[] {
  const turn = Math.floor(now.value / 60_000);
  const { found = [] } = useFound(() => client.value.stations(), [turn]);
  return found.filter(({ silent }) => silent === true);
}

/** Batteries, cards, and dates that run out: fine today, and not for long. */
export function WillNeed() {
  const { found = [] } = useFound(() => client.value.calibrations(), []);
  const units = [...(meters.value?.values() ?? [])].map(({ unit }) => unit.value);
  const tasks = units.flatMap((unit) => tasksOf(unit, found, now.peek()).map((words) => ({ unit, words })));
  if (tasks.length === 0) return null;
  return (
    <section class="card" aria-labelledby="will-need">
      <h2 id="will-need">{say('Will need a person')}</h2>
      <ul class="stack">
        {tasks.map(({ unit, words }) => (
          <OfMeter key={`${unit.unit_id} ${words}`} id={unit.unit_id} words={words} />
        ))}
      </ul>
    </section>
  );
}

const BATTERY_SOON = 50;
/** Free share of the card, per cent. */
const CARD_SOON = 25;
/** A yearly check is usual. */
const CALIBRATED_DAYS = 365;
const SOON_DAYS = 30;

const dateWords = (at: number): string =>
  new Date(at).toLocaleDateString(LOCALES, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

type Words = (gap: { readonly date: string }) => string;

/** `calibrations`: the newest first. `at`: ms UTC. */
function tasksOf(
  { unit_id, battery_level, power_source, sd_free_ratio, verified_until, sim_valid_until }: Unit,
  calibrations: readonly Pick<schemas.Calibration, 'unit_id' | 'time' | 'valid_until'>[],
  at: number,
): readonly string[] {
  const last = calibrations.find((each) => each.unit_id === unit_id);
  const dueAt = last ? Date.parse(last.time) + CALIBRATED_DAYS * DAY_MS : Number.NaN;
  const tasks: string[] = [];
  const isOnBattery = power_source === null || power_source === 'Battery';
  if (battery_level !== null && battery_level > LOW_BATTERY && battery_level <= BATTERY_SOON && isOnBattery)
    tasks.push(say('The battery is at {level} %.', { level: battery_level }));
  if (sd_free_ratio !== null && sd_free_ratio >= LOW_CARD && sd_free_ratio < CARD_SOON)
    tasks.push(say('Only {share} % of the card is free.', { share: Math.round(sd_free_ratio) }));
  const addDate = (named: number, end: number, before: Words, after: Words) => {
    if (named < at + SOON_DAYS * DAY_MS) tasks.push((end < at ? after : before)({ date: dateWords(named) }));
  };
  const addLastDay = (day: string | null | undefined, before: Words, after: Words) =>
    addDate(Date.parse(day ?? ''), Date.parse(day ?? '') + DAY_MS, before, after);
  addDate(
    dueAt,
    dueAt,
    (date) => say('The calibration is due on {date}.', date),
    (date) => say('The calibration was due on {date}.', date),
  );
  addLastDay(
    last?.valid_until,
    (date) => say('The certificate of the calibrator ends on {date}.', date),
    (date) => say('The certificate of the calibrator ended on {date}.', date),
  );
  addLastDay(
    verified_until,
    (date) => say('The legal verification ends on {date}.', date),
    (date) => say('The legal verification ended on {date}.', date),
  );
  addLastDay(
    sim_valid_until,
    (date) => say('The SIM card is valid until {date}.', date),
    (date) => say('The SIM card was valid until {date}.', date),
  );
  return tasks;
}
