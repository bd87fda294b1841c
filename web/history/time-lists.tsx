/** Times in a span that can be opened: exceeded limits, and times without data. */
import type { AlertEvent, Extent, History } from '../../client/index.ts';
import { aroundEvent, EventRecordings, excludedWords, useRecordings } from '../alerts/event-recordings.tsx';
import { client } from '../state/access.ts';
import { concernsShown, shownChannel } from '../state/address.ts';
import { isOfLevels, lastedOf, textOf, windowWords } from '../state/alarms.ts';
import type { ChosenTime } from '../state/chosen-time.ts';
import { now, tick } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, decibels, span } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { say, sayWith } from '../words/say.ts';

/** The list of exceeded limits of the shown channel in a span; empty without such limits. */
export function Exceedances({ zone, events: all }: { readonly zone: string; readonly events: readonly AlertEvent[] }) {
  const events = all.filter(
    (event) => isOfLevels(event) && concernsShown(event.channel === null ? null : [event.channel]),
  );
  const recordingsOf = useRecordings(events);
  if (events.length === 0) return null;
  return (
    <section class="card" aria-labelledby="exceedances">
      <h2 id="exceedances">{say('Limits that were exceeded')}</h2>
      <ul>
        {events.map((event) => (
          <li key={event.id}>
            <Exceeded event={event} zone={zone} />
            <EventRecordings recordings={recordingsOf(event)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** When, which rule, how loud, and how long. */
function Exceeded({ event, zone }: { readonly event: AlertEvent; readonly zone: string }) {
  const windows = windowWords(event, zone);
  const gaps = {
    time: <Link to={aroundEvent(event)}>{dayAndTime(event.opened_at, zone)}</Link>,
    rule: <bdi>{textOf(event, 'rule_name')}</bdi>,
    level: decibels(event.worst),
    limit: decibels(event.limit),
    length: lastedOf(event, tick.value),
  };
  const open = event.closed_at === null && <strong>{say(', still open')}</strong>;
  return (
    <>
      {windows === ''
        ? sayWith('{time} {rule}: {level} dB, {limit} dB allowed, for {length}', gaps)
        : sayWith('{time} {rule}: {level} dB, {limit} dB allowed, for {length}, {windows}', { ...gaps, windows })}
      {open}
      {excludedWords(event) !== '' && <span class="soft">{`, ${excludedWords(event)}`}</span>}
    </>
  );
}

const MOST_GAPS = 20;

interface GapListProps {
  readonly unitId: string;
  readonly history: History;
  readonly show: (from: number, to: number) => void;
}

export function GapList({ unitId, history, show }: GapListProps) {
  const { from, to } = history;
  const { found: extent } = useFound(
    () => client.value.extent(unitId, shownChannel()),
    [unitId, from, to, shownChannel()],
  );
  const gaps = extent ? gapsWithin(extent, Date.parse(from), Math.min(Date.parse(to), now.peek())) : [];
  if (gaps.length === 0) return null;
  return (
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">{say('Times without data')}</h2>
      <ul>
        {gaps.slice(0, MOST_GAPS).map(({ from, to }) => (
          <li key={from}>
            <button type="button" class="plain" onClick={() => show(from - (to - from), to + (to - from))}>
              {say('{from} to {to}', { from: dayAndTime(from, history.zone), to: dayAndTime(to, history.zone) })}
            </button>{' '}
            <span class="soft">{span((to - from) / 1_000)}</span>
          </li>
        ))}
      </ul>
      {gaps.length > MOST_GAPS && (
        <p class="soft small">{say('And {number} more.', { number: gaps.length - MOST_GAPS })}</p>
      )}
    </section>
  );
}

/** To the second, with any step of the chart; the times before the first and after the last level are gaps, too. */
function gapsWithin({ first, last, gaps, gap_s }: Extent, from: number, to: number): readonly ChosenTime[] {
  const found = gaps.map((gap) => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) })).toReversed();
  const [begin, end] = [Date.parse(first ?? ''), Date.parse(last ?? '')];
  const around = [
    { from, to: begin },
    { from: end, to },
  ].filter((gap) => gap.to - gap.from > gap_s * 1_000);
  return [...found, ...around]
    .map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .toSorted((a, b) => a.from - b.from);
}
