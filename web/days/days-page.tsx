/** A calendar of days with the index and the coverage of each day. A click on a day opens its history. */
import { useEffect, useState } from 'preact/hooks';
import type { Day, Indices, Unit } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { go, meterPath, search } from '../app/address.ts';
import { now } from '../app/fleet.ts';
import { decibels, localInput, momentOf, percent } from '../app/numbers.ts';
import { PRESETS } from '../app/presets.ts';
import { messageOf } from '../ui/action.tsx';
import { Link } from '../ui/link.tsx';
import { RecordingNote } from '../ui/recording-note.tsx';

const NAMES = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' };
const DAY_MS = 86_400_000;
const WEEKS = 5;

/** Monday, four weeks before that of today, in the zone of the meter. */
function firstDay(zone: string | null): number {
  const noon = momentOf(`${localInput(now.peek(), zone).slice(0, 10)}T12:00`, zone);
  const weekday = (new Date(`${localInput(noon, zone).slice(0, 10)}T12:00Z`).getUTCDay() + 6) % 7;
  return noon - (weekday + (WEEKS - 1) * 7) * DAY_MS;
}
const midnight = (noon: number, zone: string | null): number =>
  momentOf(`${localInput(noon, zone).slice(0, 10)}T00:00`, zone);

export function DaysPage({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const [indices, setIndices] = useState<Indices | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const wanted = search.value.get('preset');
  const [preset, index] = PRESETS.find(([name]) => name === wanted) ?? (['eu', 'lden'] as const);
  const first = firstDay(timezone);
  useEffect(() => {
    const leaving = new AbortController();
    const from = midnight(first, timezone);
    const to = midnight(first + WEEKS * 7 * DAY_MS, timezone);
    const query = { preset, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    client.value.indices(unit_id, query, leaving.signal).then(
      (answer) => {
        setIndices(answer);
        setFailure('');
      },
      (error: unknown) => leaving.signal.aborted || setFailure(messageOf(error)),
    );
    return () => leaving.abort();
  }, [unit_id, preset]);
  return (
    <>
      <div class="row end">
        <label class="row small soft">
          Index
          <select
            value={preset}
            onChange={({ currentTarget }) => go(`${meterPath(unit_id, 'days')}?preset=${currentTarget.value}`)}
          >
            {PRESETS.map(([name, , word]) => (
              <option key={name} value={name}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <p class="soft small">
          {NAMES[index]} in dB of each day in {timezone ?? 'UTC'}. The bar is how much of the day was measured.
        </p>
      </div>
      <RecordingNote unit={unit} />
      {failure !== '' && <p class="said bad">{failure}</p>}
      {indices && <Calendar unit={unit} indices={indices} index={index} first={first} />}
    </>
  );
}

interface CalendarProps {
  readonly unit: Unit;
  readonly indices: Indices;
  readonly index: 'lden' | 'ldn' | 'cnel';
  readonly first: number;
}

function Calendar({ unit, indices, index, first }: CalendarProps) {
  const byDate = new Map(indices.days.map((day) => [day.date, day]));
  const all = Array.from({ length: WEEKS * 7 }, (_, count) => first + count * DAY_MS);
  // Weeks before the first one with data are left out.
  const begin = all.findIndex(
    (noon) => (byDate.get(localInput(noon, unit.timezone).slice(0, 10))?.coverage.all ?? 0) > 0,
  );
  const days = begin < 0 ? all.slice(-7) : all.slice(begin - (begin % 7));
  const partly = indices.days.filter(({ valid, coverage }) => !valid && coverage.all > 0);
  return (
    <>
      <div class="calendar">
        {days.slice(0, 7).map((noon) => (
          <div key={noon} class="soft small weekday">
            {new Date(noon).toLocaleDateString([...navigator.languages], { weekday: 'short', ...zoned(unit) })}
          </div>
        ))}
        {days.map((noon) => {
          const day = byDate.get(localInput(noon, unit.timezone).slice(0, 10));
          return <DayCell key={noon} unit={unit} noon={noon} day={day} index={index} />;
        })}
      </div>
      <Together total={indices.total} index={index} />
      {partly.length > 0 && (
        <section class="card" aria-labelledby="partly">
          <h2 id="partly">Days that were measured in part</h2>
          <ul>
            {partly.map(({ date, reason }) => (
              <li key={date}>
                {dateText(Date.parse(`${date}T12:00Z`))}: <span class="soft">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The valid days as one number, in both ways in which that can be meant. */
function Together({ total, index }: { readonly total: Indices['total']; readonly index: CalendarProps['index'] }) {
  if (total.days < 2) return null;
  return (
    <p class="soft small">
      {NAMES[index]} of {total.days} valid days: {decibels(total.mean_of_days[index])} dB as the mean of days (each day
      counts the same, the long-term definition), {decibels(total[index])} dB by measured time (a day with gaps counts
      less).
    </p>
  );
}

const zoned = ({ timezone }: Unit) => (timezone ? { timeZone: timezone } : {});

const dateText = (noon: number, timeZone = 'UTC'): string =>
  new Date(noon).toLocaleDateString([...navigator.languages], { day: 'numeric', month: 'short', timeZone });

interface CellProps {
  readonly unit: Unit;
  readonly noon: number;
  readonly day: Day | undefined;
  readonly index: 'lden' | 'ldn' | 'cnel';
}

function DayCell({ unit, noon, day, index }: CellProps) {
  const { unit_id, timezone } = unit;
  const date = dateText(noon, timezone);
  const covered = day?.coverage.all ?? 0;
  if (!day || covered === 0) {
    return (
      <div class="day blank">
        <span class="soft small">{date}</span>
      </div>
    );
  }
  const level = day[index];
  const [from, to] = [midnight(noon, timezone), midnight(noon + DAY_MS, timezone)].map((at) =>
    new Date(at).toISOString(),
  );
  const title = day.valid ? '' : (day.reason ?? '');
  return (
    <Link
      to={`${meterPath(unit_id, 'history')}?from=${from}&to=${to}`}
      class={`day band-${bandOf(level)}${day.valid ? '' : ' invalid'}`}
    >
      <span class="soft small">{date}</span>
      <span class="value" title={title}>
        {decibels(level)}
        {!day.valid && <span class="small"> partly</span>}
      </span>
      <span class="soft small">night {decibels(day.lnight)}</span>
      <span class="bar">
        <span style={{ width: `${covered * 100}%` }} />
      </span>
      <span class="hidden-label">
        dB {NAMES[index]}, measured {percent(covered)}. {title}
      </span>
    </Link>
  );
}

/** Steps of 5 dB from 50 dB on. */
const bandOf = (level: number | null): number =>
  level === null ? 0 : Math.min(4, Math.max(0, Math.floor((level - 45) / 5)));
