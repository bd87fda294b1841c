/** Links of an event: to its part of the history, and to sound whose copies overlap it. */
import { type AlertEvent, GATEWAY_ID, type SoundRecording } from '../../client/index.ts';
import { Listen } from '../files/listen.tsx';
import { client } from '../state/access.ts';
import { MAIN, meterPath } from '../state/address.ts';
import { changes, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { clockTime, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

const MOST = 1_000;
/** More units in an address are too many. */
const MOST_UNITS = 100;

type Span = readonly [from: number, to: number];
type Events = readonly AlertEvent[];

/** The recordings of each of these events, in one request; asked again when a job ends, because a run brings copies. */
export function useRecordings(events: Events): (event: AlertEvent) => readonly SoundRecording[] {
  const heard = events.filter(({ recordings }) => recordings !== null);
  const about = heard.map(({ id, closed_at }) => `${id} ${closed_at}`).join();
  const { found } = useFound(() => ask(heard), [about, changes.value.job]);
  return (event) => (found ?? []).filter((one) => one.unit_id === event.unit_id && overlap(mayBe(one), spanOf(event)));
}

async function ask(events: Events): Promise<readonly SoundRecording[]> {
  if (events.length === 0) return [];
  const spans = events.map(spanOf);
  const [from, to] = [Math.min(...spans.map(([begin]) => begin)), Math.max(...spans.map(([, end]) => end))];
  const units = [...new Set(events.map(({ unit_id }) => unit_id))];
  return client.value.recordings({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    limit: MOST,
    ...(units.length <= MOST_UNITS && { unit: units.join(',') }),
  });
}

/** As in `recordings` of the event: an event that ended at once has its moment. */
export function spanOf({ window_from, opened_at, closed_at }: AlertEvent): Span {
  const from = Date.parse(window_from ?? opened_at);
  return [from, closed_at === null ? Math.max(Date.now(), from + 1) : Math.max(Date.parse(closed_at), from + 1)];
}

const mayBe = ({ from, to, uncertainty_s }: SoundRecording): Span => [
  Date.parse(from) - uncertainty_s * 1_000,
  Date.parse(to) + uncertainty_s * 1_000,
];

const overlap = ([from, to]: Span, [begin, end]: Span): boolean => from < end && to > begin;

export function EventRecordings({ recordings }: { readonly recordings: readonly SoundRecording[] }) {
  return (
    <>
      {recordings.map((one) => (
        <div key={`${one.card} ${one.path}`} class="heard small">
          <Listen unitId={one.unit_id} file={one} when={whenOf(one)} />
        </div>
      ))}
    </>
  );
}

function whenOf({ unit_id, from, to, uncertainty_s }: SoundRecording): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  const time = clockTime(from, unitOf(unit_id)?.timezone);
  return say('{length} s, from {time}, ± {uncertainty} s', { length: seconds, time, uncertainty: uncertainty_s });
}

/** The page shows this much before and after the event, ms. */
const AROUND_MS = 1_800_000;

/** Address of the meter of an event, or of the settings for an event of the whole gateway. */
export const placeOfEvent = ({ unit_id }: Pick<AlertEvent, 'unit_id'>): string =>
  unit_id === GATEWAY_ID ? 'settings/gateway' : meterPath(unit_id);

/** Address of the history page that shows an event in its channel; for an event of the whole gateway its place. */
export function aroundEvent({ unit_id, channel, window_from, opened_at, closed_at }: AlertEvent): string {
  if (unit_id === GATEWAY_ID) return placeOfEvent({ unit_id });
  const from = Date.parse(window_from ?? opened_at) - AROUND_MS;
  const to = Date.parse(closed_at ?? opened_at) + AROUND_MS;
  const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  if (channel !== null && channel !== MAIN) query.set('channel', channel);
  return `${meterPath(unit_id, 'history')}?${query}`;
}

/** `15 min of it excluded`: where notes say that time of an event does not count; otherwise empty. */
export const excludedWords = ({ excluded_s: seconds }: Pick<AlertEvent, 'excluded_s'>): string =>
  seconds === null || seconds === 0 ? '' : say('{length} of it excluded', { length: span(seconds) });
