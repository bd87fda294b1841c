/** One day of the calendar: its index, how often a limit was exceeded, and how much of it was measured. */
import type { Day, Unit } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { meterPath, ofChannel } from '../state/address.ts';
import { decibels, percent, span } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { dateText, INDEX_NAMES, type IndexName, midnight } from './calendar-days.ts';
import { countedOf, type DayStatus, statusWord } from './day-status.ts';

const DAY_MS = 86_400_000;

/** Of `_alerts/days`. */
export interface ExceededDay {
  readonly count: number;
  /** Events among `count` whose whole time notes exclude. */
  readonly excluded: number;
  readonly worst: number | null;
  readonly limit: number | null;
  readonly rule_name: string;
}

interface Props {
  readonly unit: Unit;
  /** Of the day, ms. */
  readonly noon: number;
  readonly day: Day | undefined;
  readonly index: IndexName;
  readonly exceeded: ExceededDay | undefined;
  readonly status: DayStatus;
  /** Whether time of this day is to be excluded. */
  readonly isChosen: boolean;
  choose(noon: number | undefined): void;
}

/** A day; its link opens the history of it, its button chooses it as time to be excluded. */
export function DayCell(props: Props) {
  const { unit, noon, status, isChosen, choose } = props;
  const day = dateText(noon, unit.timezone);
  if (status === 'none' || !mayOperate.value) return <DayLink {...props} />;
  return (
    <div class="day-place">
      <DayLink {...props} />
      <button
        type="button"
        class="plain small"
        aria-pressed={isChosen}
        title={say('Exclude time of {day}', { day })}
        onClick={() => choose(isChosen ? undefined : noon)}
      >
        <span aria-hidden="true">✎</span>
        <span class="hidden-label">{say('Exclude time of {day}', { day })}</span>
      </button>
    </div>
  );
}

function DayLink({ unit, noon, day, index, exceeded, status }: Props) {
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
      {status === 'readings' || status === 'excluded' ? (
        <span class="small">{statusWord(status)}</span>
      ) : (
        <Levels day={day} index={index} />
      )}
      {day !== undefined && day.excluded_s > 0 && status !== 'excluded' && (
        <span class="soft small">{say('{length} excluded', { length: span(day.excluded_s) })}</span>
      )}
      {exceeded && countedOf(exceeded) === 0 && (
        <span class="soft small">{say('{number} × above, excluded', { number: exceeded.count })}</span>
      )}
      {exceeded && countedOf(exceeded) > 0 && (
        <strong class="small over" title={exceeded.rule_name}>
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
        {day?.reason}
      </span>
    </Link>
  );
}

function Levels({ day, index }: Pick<Props, 'day' | 'index'>) {
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
