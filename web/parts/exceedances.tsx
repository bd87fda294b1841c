/** When limits of a meter were exceeded in a span of time, each of which can be looked at. */
import type { AlertEvent } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { changes } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime, decibels } from '../app/numbers.ts';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  show(from: number, to: number): void;
}

const MOST = 50;
/** What is shown around one, ms. */
const AROUND_MS = 1_800_000;

export function Exceedances({ unitId, zone, from, to, show }: Props) {
  const ask = () => client.value.alerts({ unit: unitId, from, to, limit: MOST });
  const { found = [] } = useFound(ask, [unitId, from, to, changes.value.alert]);
  const events = found.filter(({ kind }) => kind === 'level');
  if (events.length === 0) return null;
  const look = ({ window_from, opened_at, closed_at }: AlertEvent) => {
    const begin = Date.parse(window_from ?? opened_at);
    show(begin - AROUND_MS, (closed_at === null ? Date.parse(opened_at) : Date.parse(closed_at)) + AROUND_MS);
  };
  return (
    <section class="card" aria-labelledby="exceedances">
      <h2 id="exceedances">Limits that were exceeded</h2>
      <ul>
        {events.map((event) => (
          <li key={event.id}>
            <button type="button" class="plain" onClick={() => look(event)}>
              {dayAndTime(event.opened_at, zone)}
            </button>{' '}
            <bdi>{event.rule_name}</bdi>: {decibels(event.worst)} dB, {decibels(event.limit)} dB allowed
            {event.closed_at === null && <strong>, still open</strong>}
          </li>
        ))}
      </ul>
    </section>
  );
}
