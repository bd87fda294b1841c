/** Weeks of days, what their colours mean, and the index of all days that count. */
import type { Day, Indices, schemas, Unit } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { isOfMain, meterPath, ofChannel } from '../state/address.ts';
import { textOf } from '../state/alarms.ts';
import { type ChosenTime, isChosen, toggled } from '../state/chosen-time.ts';
import { decibels, percent, span } from '../state/numbers.ts';
import { Card } from '../ui/card.tsx';
import { Link } from '../ui/link.tsx';
import { LOCALES } from '../words/language.ts';
import { listOf, say, sayOfApi, sayWith } from '../words/say.ts';
import { dateOf, dateText, INDEX_NAMES, type IndexName, midnight, textOfDate, WEEKS } from './calendar-days.ts';
import { countedOf, type DayStatus, isAbove, statusOf, statusWord } from './day-status.ts';

const DAY_MS = 86_400_000;

interface Props {
  readonly unit: Unit;
  readonly indices: Indices;
  readonly index: IndexName;
  /** Noon of the first day, ms. */
  readonly first: number;
  readonly exceeded: ReadonlyMap<string, ExceededDay>;
  readonly limit: number | undefined;
  readonly verdicts: ReadonlyMap<string, schemas.UnitVerdict>;
  /** The time that is to be excluded. */
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
}

export function Calendar({ unit, indices, index, first, exceeded, limit, verdicts, chosen, choose }: Props) {
  const byDate = new Map(indices.days.map((day) => [day.date, day]));
  const all = Array.from({ length: WEEKS * 7 }, (_, count) => {
    const noon = first + count * DAY_MS;
    const date = dateOf(noon, unit.timezone);
    const [day, over] = [byDate.get(date), exceeded.get(date)];
    // A limit that a person enters on this page is what the page compares with.
    const verdict = limit === undefined ? verdicts.get(date) : undefined;
    const status = statusOf({ day, level: day?.[index], exceeded: countedOf(over), limit, verdict });
    return { noon, date, day, exceeded: over, status };
  });
  // Weeks before the first one with data are left out.
  const begin = all.findIndex(({ status }) => status !== 'none');
  const days = begin < 0 ? all.slice(-7) : all.slice(begin - (begin % 7));
  const partly = indices.days.filter(({ valid, coverage }) => !valid && coverage.all > 0);
  const statuses = days.map(({ status }) => status);
  return (
    <>
      <Total indices={indices} index={index} limit={limit} exceeded={exceeded} />
      <Legend unitId={unit.unit_id} shown={statuses} isCompared={verdicts.size > 0 || limit !== undefined} />
      <div class="calendar">
        {days.slice(0, 7).map(({ noon }) => (
          <div key={noon} class="soft small weekday">
            {new Date(noon).toLocaleDateString(LOCALES, {
              weekday: 'short',
              ...(unit.timezone && { timeZone: unit.timezone }),
            })}
          </div>
        ))}
        {days.map((day) => (
          <DayCell key={day.noon} unit={unit} index={index} {...day} chosen={chosen} choose={choose} />
        ))}
      </div>
      {partly.length > 0 && (
        <Card id="partly" title={say('Days that were measured in part')}>
          <ul>
            {partly.map(({ date, reason }) => (
              <li key={date}>
                {sayWith('{day}: {reason}', {
                  day: textOfDate(date),
                  reason: <span class="soft">{sayOfApi(reason)}</span>,
                })}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

const ORDER: readonly DayStatus[] = [
  'within',
  'amber',
  'exceeded',
  'open',
  'partly',
  'measured',
  'readings',
  'excluded',
  'none',
];

interface LegendProps {
  readonly unitId: string;
  readonly shown: readonly DayStatus[];
  readonly isCompared: boolean;
}

function Legend({ unitId, shown, isCompared }: LegendProps) {
  return (
    <div class="row legend small soft">
      {ORDER.filter((status) => shown.includes(status)).map((status) => (
        <span key={status} class="row">
          <span class={`day key ${status}`} />
          {statusWord(status)}
        </span>
      ))}
      <span>{say('The bar is how much of the day was measured.')}</span>
      {shown.includes('excluded') && <span>{say('The number of an excluded day is what would have counted.')}</span>}
      {!isCompared && !isOfMain() && <span>{say('Days have no colour without a limit: enter one above.')}</span>}
      {!isCompared && isOfMain() && (
        <span>
          {sayWith('This meter has no permit: enter a limit above, or make a {permit}.', {
            permit: <Link to={`settings/sites?unit=${unitId}#permits`}>{say('permit ## to make one')}</Link>,
          })}
        </span>
      )}
    </div>
  );
}

type TotalProps = Pick<Props, 'indices' | 'index' | 'limit' | 'exceeded'>;

/** Days that the number leaves out are named beside it. */
function Total({ indices: { days, total }, index, limit, exceeded }: TotalProps) {
  const leftOut = days.filter(({ date, coverage }) => total.left_out.includes(date) && coverage.all > 0);
  if (total.days === 0 && leftOut.length === 0) return null;
  const loud = leftOut.filter(({ date, [index]: level }) => countedOf(exceeded.get(date)) > 0 || isAbove(level, limit));
  const level = total.mean_of_days[index];
  const names = (some: typeof days) => listOf(some.map(({ date }) => textOfDate(date)));
  return (
    <section class="card" aria-label={say('All whole days')}>
      <p>
        {sayWith('{level} of {count} whole day{remark}.|{level} of {count} whole days{remark}.', {
          count: total.days,
          level: (
            <span class="level">
              <span class="value">{decibels(level)}</span>
              <span class="unit">dB {INDEX_NAMES[index]}</span>
            </span>
          ),
          remark: (
            <>
              {total.days > 1 && <span class="soft">{say(', each day counts the same')}</span>}
              {isAbove(level, limit) && (
                <strong class="over">{say(', above the limit of {limit} dB', { limit: decibels(limit) })}</strong>
              )}
            </>
          ),
        })}
      </p>
      {total.days > 1 && (
        <p class="soft small">
          {say('By measured time, where a day with gaps counts less: {level} dB.', { level: decibels(total[index]) })}
        </p>
      )}
      {total.excluded_s > 0 && (
        <p class="soft small">
          {say('{length} are excluded by notes. With this time it would be {level} dB, by measured time.', {
            length: span(total.excluded_s),
            level: decibels(total.index_all),
          })}
        </p>
      )}
      {leftOut.length > 0 && (
        <p class="soft small">
          {say('It leaves out {days}, measured in part.', { days: names(leftOut) })}
          {loud.length > 0 && (
            <strong class="over">
              {' '}
              {say('A limit was exceeded on one of them: {days}.|A limit was exceeded on {count} of them: {days}.', {
                count: loud.length,
                days: names(loud),
              })}
            </strong>
          )}
        </p>
      )}
    </section>
  );
}

export type ExceededDay = Pick<schemas.AlertDay, 'count' | 'excluded' | 'worst' | 'limit' | 'rule_name' | 'sentences'>;

interface DayCellProps {
  readonly unit: Unit;
  /** Of the day, ms. */
  readonly noon: number;
  readonly day: Day | undefined;
  readonly index: IndexName;
  readonly exceeded: ExceededDay | undefined;
  readonly status: DayStatus;
  /** The time that is to be excluded. */
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
}

/** A day. Its link opens its history. Its button chooses it as time to be excluded, with all days up to it. */
function DayCell(props: DayCellProps) {
  const { unit, noon, status, chosen, choose } = props;
  const day = dateText(noon, unit.timezone);
  if (status === 'none' || !mayOperate.value) return <DayLink {...props} />;
  // Of today, the time that is over.
  const end = Math.min(midnight(noon + DAY_MS, unit.timezone), Date.now());
  const time = { from: midnight(noon, unit.timezone), to: end };
  return (
    <div class="day-place">
      <DayLink {...props} />
      <button
        type="button"
        class="plain small"
        aria-pressed={isChosen(time, chosen)}
        title={say('Exclude time of {day}', { day })}
        onClick={() => choose(toggled(time, chosen))}
      >
        <span aria-hidden="true">✎</span>
        <span class="hidden-label">{say('Exclude time of {day}', { day })}</span>
      </button>
    </div>
  );
}

function DayLink({ unit, noon, day, index, exceeded, status }: DayCellProps) {
  const { unit_id, timezone } = unit;
  const date = dateText(noon, timezone);
  const covered = day?.coverage.all ?? 0;
  if (status === 'none')
    return (
      <div class="day none">
        <span class="soft small">{date}</span>
        <span class="hidden-label">{statusWord('none')}</span>
      </div>
    );
  const [from = '', to = ''] = [midnight(noon, timezone), midnight(noon + DAY_MS, timezone)].map((at) =>
    new Date(at).toISOString(),
  );
  const query = new URLSearchParams({ from, to, ...ofChannel() });
  return (
    <Link to={`${meterPath(unit_id, 'history')}?${query}`} class={`day ${status}`}>
      <span class="soft small">{date}</span>
      {status === 'readings' && <span class="small">{statusWord(status)}</span>}
      {status === 'excluded' && <ExcludedLevel day={day} />}
      {status !== 'readings' && status !== 'excluded' && <Levels day={day} index={index} />}
      {day !== undefined && day.excluded_s > 0 && status !== 'excluded' && (
        <span class="soft small">{say('{length} excluded', { length: span(day.excluded_s) })}</span>
      )}
      {exceeded && countedOf(exceeded) === 0 && (
        <span class="soft small">{say('{number} × above, excluded', { number: exceeded.count })}</span>
      )}
      {exceeded && countedOf(exceeded) > 0 && (
        <strong class="small over" title={textOf(exceeded, 'rule_name')}>
          {say('{number} × above, {level} of {limit} dB', {
            number: countedOf(exceeded),
            level: decibels(exceeded.worst),
            limit: decibels(exceeded.limit),
          })}
        </strong>
      )}
      {day?.lmax_bound != null && (
        <span class="soft small">{say('Lmax at most {level}', { level: decibels(day.lmax_bound) })}</span>
      )}
      <span class="bar">
        <span style={{ width: `${covered * 100}%` }} />
      </span>
      <span class="hidden-label">
        {say('dB {index}, measured {share}, {status}.', {
          index: INDEX_NAMES[index],
          share: percent(covered),
          status: statusWord(status),
        })}{' '}
        {day?.reason && sayOfApi(day.reason)}
      </span>
    </Link>
  );
}

/** The figure of a day that notes exclude as a whole, as it would have counted. */
function ExcludedLevel({ day }: Pick<DayCellProps, 'day'>) {
  return (
    <>
      <span class="value light">
        {day?.index_all == null ? ['Leq', decibels(day?.leq_all)].join(' ') : decibels(day.index_all)}
      </span>
      <span class="small">{statusWord('excluded')}</span>
    </>
  );
}

function Levels({ day, index }: Pick<DayCellProps, 'day' | 'index'>) {
  const isPartly = day !== undefined && !day.valid;
  return (
    <>
      <span class={`value${isPartly ? ' light' : ''}`}>
        {decibels(day?.[index])}
        {isPartly && <span class="small"> {say('partly')}</span>}
      </span>
      <span class="soft small">{say('night {level}', { level: decibels(day?.lnight) })}</span>
    </>
  );
}
