/** Weeks of days, what their colours mean, and the index of all that count. */
import type { Indices, Unit } from '../../client/index.ts';
import { isOfMain } from '../state/address.ts';
import { decibels, span } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { LOCALES } from '../words/language.ts';
import { listOf, say, sayWith } from '../words/say.ts';
import { dateOf, INDEX_NAMES, type IndexName, textOfDate, WEEKS } from './calendar-days.ts';
import { DayCell, type ExceededDay } from './day-cell.tsx';
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
  readonly isWatched: boolean;
  /** Noon of the day whose time is to be excluded, ms. */
  readonly chosen: number | undefined;
  choose(noon: number | undefined): void;
}

/** Five weeks of a meter, a cell for each day. */
export function Calendar({ unit, indices, index, first, exceeded, limit, isWatched, chosen, choose }: Props) {
  const byDate = new Map(indices.days.map((day) => [day.date, day]));
  const all = Array.from({ length: WEEKS * 7 }, (_, count) => {
    const noon = first + count * DAY_MS;
    const date = dateOf(noon, unit.timezone);
    const [day, over] = [byDate.get(date), exceeded.get(date)];
    const status = statusOf({ day, level: day?.[index], exceeded: countedOf(over), limit, isWatched });
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
      <Legend shown={statuses} isCompared={isWatched || limit !== undefined} />
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
          <DayCell key={day.noon} unit={unit} index={index} {...day} isChosen={day.noon === chosen} choose={choose} />
        ))}
      </div>
      {partly.length > 0 && (
        <section class="card" aria-labelledby="partly">
          <h2 id="partly">{say('Days that were measured in part')}</h2>
          <ul>
            {partly.map(({ date, reason }) => (
              <li key={date}>
                {sayWith('{day}: {reason}', { day: textOfDate(date), reason: <span class="soft">{reason}</span> })}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const ORDER: readonly DayStatus[] = ['within', 'exceeded', 'partly', 'measured', 'readings', 'excluded', 'none'];

function Legend({ shown, isCompared }: { readonly shown: readonly DayStatus[]; readonly isCompared: boolean }) {
  return (
    <div class="row legend small soft">
      {ORDER.filter((status) => shown.includes(status)).map((status) => (
        <span key={status} class="row">
          <span class={`day key ${status}`} />
          {statusWord(status)}
        </span>
      ))}
      <span>{say('The bar is how much of the day was measured.')}</span>
      {!isCompared && !isOfMain() && <span>{say('Days have no colour without a limit: enter one above.')}</span>}
      {!isCompared && isOfMain() && (
        <span>
          {sayWith('This meter has no limit: enter one above, or make a {rule}.', {
            rule: <Link to="alerts">{say('rule ## to make one')}</Link>,
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
