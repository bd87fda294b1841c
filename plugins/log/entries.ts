/** Entries of the log, made from events of the gateway. Undefined: the event does not belong into the log. */
import { countOf, type DeviceState, fixed, type Job, type JobState } from '../../lib/built-in.ts';
import type { EventData } from '../../lib/index.ts';
import type { LogEntry } from './unit-log.ts';

const ENDED = { us: 'by the gateway', peer: 'by the meter', fault: 'by a fault' } as const;

export function connectionEntry(data: EventData['connection']): LogEntry {
  if (data.change === 'opened') return { kind: 'connection', text: `Connected to ${data.endpoint}.`, outcome: 'ok' };
  const { endpoint, by, reason } = data;
  const text = `The connection to ${endpoint} was ended ${ENDED[by]}: ${reason}`;
  return { kind: 'connection', text, ...(by === 'us' && { outcome: 'ok' }) };
}

export const reachabilityEntry = ({ from, reachability }: EventData['reachability']): LogEntry => ({
  kind: 'reachability',
  text: `${from === reachability.state ? 'still' : `${from} ->`} ${reachability.state}: ${reachability.reason}`,
});

const STATE_WORDS: Readonly<Record<keyof DeviceState, string | null>> = {
  measuring: 'measuring',
  paused: 'paused',
  // Follows from measuring.
  startedAt: null,
  startSource: null,
  storeName: 'store name',
  frequencyWeighting: 'frequency weighting',
  weightingSource: null,
  channelWeightings: 'weightings of other channels',
  timeWeighting: 'time weighting',
  percentiles: 'percentiles',
};

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'not known';
  if (Array.isArray(value)) return value.map((one) => one ?? '?').join(' ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([channel, { frequency, time }]) => `${channel} ${frequency ?? '?'}${time ?? '?'}`)
      .join(', ');
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

export function stateEntry(before: DeviceState | undefined, after: DeviceState): LogEntry | undefined {
  const changes = Object.entries(STATE_WORDS).flatMap(([name, word]) => {
    const [old, now] = [before?.[name as keyof DeviceState] ?? null, after[name as keyof DeviceState]];
    return word === null || shown(old) === shown(now) ? [] : [`${word}: ${shown(old)} -> ${shown(now)}`];
  });
  return changes.length === 0 ? undefined : { kind: 'state', text: changes.join(', ') };
}

export const exchangeEntry = ({ from, to }: EventData['exchange']): LogEntry => ({
  kind: 'state',
  text: `Another meter answers: serial number ${from} -> ${to}`,
});

export function changeEntry({ by, role, method, route, fields, status, code }: EventData['request']): LogEntry {
  const named = fields.length > 0 ? ` (${fields.slice(0, 20).join(', ')})` : '';
  const text = `${method} ${route.replace('/{unit_id}/', '')}${named}`;
  return { kind: 'change', text, outcome: code ?? (status < 400 ? 'ok' : String(status)), keyName: by, role };
}

/** Plugins decide the data of files and jobs: each value is checked before it is used. */
export function fileEntry(data: EventData['file']): LogEntry | undefined {
  const { path, size, state, by, reconciliation } = data;
  if (typeof reconciliation === 'object' && reconciliation !== null) return reconciliationEntry(reconciliation);
  if (typeof path !== 'string') return undefined;
  const bytes = typeof size === 'number' ? `, ${countOf(size, 'byte')}` : '';
  const how = typeof state === 'string' ? state : 'downloaded';
  const keyName = typeof by === 'string' ? by : null;
  return { kind: 'file', text: `${path}: ${how}${bytes}`, outcome: state === 'gone_from_card' ? state : 'ok', keyName };
}

function reconciliationEntry(hour: object): LogEntry {
  const { hour: at, meanDifference, otherWeighting } = hour as Record<string, unknown>;
  const when = typeof at === 'number' ? new Date(at * 1_000).toISOString().slice(0, 13) : '';
  const what =
    typeof meanDifference === 'number'
      ? `Card and stream differ by ${fixed(meanDifference, 2)} dB`
      : `The stream had the weighting ${otherWeighting} and the card another one`;
  return { kind: 'file', text: `${what} in the hour from ${when}:00Z.`, outcome: 'differs' };
}

const OUTCOMES: Readonly<Record<JobState, string | null>> = {
  queued: null,
  running: null,
  done: 'ok',
  failed: 'failed',
  cancelled: 'cancelled',
};

export function jobEntry({ id, kind, state, message, error, startedAt, endedAt }: Job): LogEntry {
  const outcome = OUTCOMES[state];
  const text = `${kind}, job ${id}: ${state}${message !== null && outcome !== null ? `. ${message}` : ''}`;
  const took = startedAt !== null && endedAt !== null ? endedAt - startedAt : null;
  return { kind: 'job', text, outcome: error?.code ?? outcome, ms: took };
}

export const recordingEntry = ({ state, reason }: EventData['recording']): LogEntry => ({
  kind: 'recording',
  text: reason ?? 'Levels are recorded again.',
  outcome: state,
});
