/** When limits of a meter were exceeded in a span of time; each time can be opened. */
import type { AlertEvent } from '../../client/index.ts';
import { aroundEvent, EventRecordings, excludedWords, useRecordings } from '../alerts/event-recordings.tsx';
import { concernsShown } from '../state/address.ts';
import { isOfLevels, lastedOf, textOf, windowWords } from '../state/alarms.ts';
import { tick } from '../state/fleet.ts';
import { dayAndTime, decibels } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { say, sayWith } from '../words/say.ts';

interface Props {
  readonly zone: string;
  /** Of the span that is shown. */
  readonly events: readonly AlertEvent[];
}

/** The list of exceeded limits of the shown channel in a span; empty without such limits. */
export function Exceedances({ zone, events: all }: Props) {
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
