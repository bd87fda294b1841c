/** The levels around an event, with its limit, sound that was recorded, excluded time and the weather. */
import { useState } from 'preact/hooks';
import type { AlertEvent, History, SoundRecording, schemas } from '../../client/index.ts';
import { EventRecordings, spanOf, useRecordings } from '../alerts/event-recordings.tsx';
import { HistoryChart } from '../history/history-chart.tsx';
import { WeatherLanes } from '../history/weather-lane.tsx';
import { client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { textOf } from '../state/alarms.ts';
import type { ChosenTime } from '../state/chosen-time.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { say } from '../words/say.ts';

/** The page shows this much before and after the event, ms. */
const AROUND_MS = 600_000;
const QUANTITIES = 'leq,lmax,lp';

/** The time that the page shows; it ends now at the latest. */
export function spanAround(event: AlertEvent): ChosenTime {
  const [from, to] = spanOf(event);
  return { from: from - AROUND_MS, to: Math.max(from, Math.min(to + AROUND_MS, Date.now())) };
}

interface Found {
  readonly history: History;
  readonly notes: readonly schemas.Note[];
}

async function ask({ unit_id, channel }: AlertEvent, { from, to }: ChosenTime): Promise<Found> {
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const of = channel ?? MAIN;
  const [history, notes] = await Promise.all([
    client.value.history(unit_id, { ...times, quantities: QUANTITIES, channel: of }),
    client.value.all<schemas.Note>(`/${encodeURIComponent(unit_id)}/notes`, times),
  ]);
  return { history, notes: notes.filter(({ channels }) => channels === null || channels.includes(of)) };
}

export function EventLevels({ event }: { readonly event: AlertEvent }) {
  const [closer, setCloser] = useState<ChosenTime | undefined>(undefined);
  const shown = closer ?? spanAround(event);
  const recordings = useRecordings([event])(event);
  const { found } = useFound(() => ask(event, shown), [event.id, event.closed_at, closer, changes.value.alert]);
  if (!found) return null;
  const { history, notes } = found;
  const span = { from: Date.parse(history.from), to: Date.parse(history.to) };
  const [begin, end] = spanOf(event);
  const look = (from: number, to: number) => setCloser({ from: Math.floor(from), to: Math.ceil(to) });
  return (
    <section class="card" aria-label={say('Levels')}>
      {history.weighting ? (
        <HistoryChart
          history={history}
          limits={event.limit === null ? [] : [{ level: event.limit, label: textOf(event, 'rule_name') }]}
          notes={notes}
          onZoom={(from, to) => look(from * 1_000, to * 1_000)}
          chosen={{ from: begin, to: end }}
          onChoose={look}
        />
      ) : (
        <p>{say('Nothing was recorded in this time.')}</p>
      )}
      <SoundLane recordings={recordings} span={span} />
      <WeatherLanes unitId={event.unit_id} from={span.from} to={span.to} />
      <EventRecordings recordings={recordings} />
      {closer && (
        <button type="button" onClick={() => setCloser(undefined)}>
          {say('Show all of it')}
        </button>
      )}
    </section>
  );
}

/** When sound was recorded, on the axis of the chart. */
function SoundLane({
  recordings,
  span,
}: {
  readonly recordings: readonly SoundRecording[];
  readonly span: ChosenTime;
}) {
  if (recordings.length === 0) return null;
  const placeOf = (time: string) => Math.min(1, Math.max(0, (Date.parse(time) - span.from) / (span.to - span.from)));
  return (
    <figure class="lane sound-lane">
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" role="img" aria-label={say('Recorded sound')}>
        {recordings.map(({ card, path, from, to }) => (
          <rect key={`${card} ${path}`} x={placeOf(from)} width={placeOf(to) - placeOf(from)} height={1} />
        ))}
      </svg>
      <figcaption class="soft small">{say('Recorded sound')}</figcaption>
    </figure>
  );
}
