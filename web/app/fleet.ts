/**
 * What is known of every meter, from one WebSocket. Each meter is a signal of its own, so that a new reading draws one row
 * and no other.
 */
import { batch, type Signal, signal } from '@preact/signals';
import { GatewayProblem, type LiveEvent, type Unit } from '../../client/index.ts';
import { askForKey, client } from './access.ts';

/** Points of the small line of a meter, and how far it reaches back, ms. */
const MOST_POINTS = 120;
export const LINE_MS = 600_000;

export type Point = readonly [at: number, level: number];
export interface Known {
  readonly unit: Signal<Unit>;
  readonly line: Signal<readonly Point[]>;
}

export const meters = signal<ReadonlyMap<string, Known> | undefined>(undefined);
/** Since when the gateway does not answer, ms of this machine; undefined while it does. */
export const lostSince = signal<number | undefined>(undefined);
/** Time of the gateway, ms. Moves once a second. */
export const now = signal(Date.now());
/** Grows with each job, alert or config event: lists of them are asked for anew. */
export const changes = signal({ job: 0, alert: 0, config: 0 });

let aheadMs = 0;
setInterval(() => {
  now.value = Date.now() + aheadMs;
}, 1_000);

/**
 * Meters that are streamed bring no readings, and their frames do not come here: their values are asked for now and then, all
 * in one request that touches no meter.
 */
const ASK_MS = 10_000;
function askForStreamed(signal: AbortSignal): void {
  const timer = setInterval(() => void askOnce(), ASK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

async function askOnce(): Promise<void> {
  const isQuiet = ({ state, measured_at }: Unit) =>
    state === 'online' && measured_at !== null && now.peek() - Date.parse(measured_at) > ASK_MS * 2;
  if (document.hidden || lostSince.peek() !== undefined) return;
  if (![...(meters.peek()?.values() ?? [])].some(({ unit }) => isQuiet(unit.peek()))) return;
  const units = await client.value.units().catch(() => []);
  batch(() => {
    for (const unit of units) {
      const known = meters.peek()?.get(unit.unit_id);
      if (!known) continue;
      const isNew = unit.lp_at !== known.unit.peek().lp_at;
      known.unit.value = unit;
      if (isNew && unit.lp_at) extend(known, Date.parse(unit.lp_at));
    }
  });
}

/** Until the signal aborts. */
export async function follow(signal: AbortSignal): Promise<void> {
  askForStreamed(signal);
  const connection = (state: 'open' | 'lost') => {
    if (state === 'open') lostSince.value = undefined;
    else lostSince.value ??= Date.now();
  };
  try {
    for await (const event of client.value.events({ signal, connection })) batch(() => take(event));
  } catch (error) {
    if (error instanceof GatewayProblem && !signal.aborted) askForKey(error.message);
  }
}

function take(event: LiveEvent): void {
  if (event.event === 'hello') begin(event.time, event.data);
  else hear(event);
}

function hear(event: Exclude<LiveEvent, { event: 'hello' }>): void {
  const { unit_id, data } = event;
  if (event.event === 'config') configured(unit_id, data.unit as Unit | null);
  if (event.event === 'job' || event.event === 'alert' || event.event === 'config') {
    changes.value = { ...changes.value, [event.event]: changes.value[event.event] + 1 };
  }
  const known = meters.value?.get(unit_id);
  if (!known || !['reading', 'state', 'reachability'].includes(event.event)) return;
  const before = known.unit.value;
  const levels =
    event.event === 'reading' ? { last_seen: event.time, ...(data.measured_at ? { stale: false } : {}) } : {};
  known.unit.value = { ...before, ...levels, ...(data as Partial<Unit>) };
  if (event.event === 'reading') extend(known, Date.parse(event.time));
}

function begin(time: string, units: readonly Unit[]): void {
  aheadMs = Date.parse(time) - Date.now();
  now.value = Date.parse(time);
  const before = meters.value;
  meters.value = new Map(units.map((unit) => [unit.unit_id, knownOf(unit, before?.get(unit.unit_id))]));
}

function knownOf(unit: Unit, before: Known | undefined): Known {
  const known = before ?? { unit: signal(unit), line: signal<readonly Point[]>([]) };
  known.unit.value = unit;
  if (!before) void recall(known);
  return known;
}

function configured(unitId: string, unit: Unit | null): void {
  const next = new Map(meters.value);
  if (unit) next.set(unitId, knownOf(unit, next.get(unitId)));
  else next.delete(unitId);
  meters.value = next;
}

function extend({ unit, line }: Known, at: number): void {
  const { lp, leq } = unit.value;
  const level = lp ?? leq;
  if (level === null) return;
  line.value = [...line.value, [at, level] as const].filter(([then]) => then > at - LINE_MS).slice(-MOST_POINTS);
}

/** The small line begins with what was recorded. Of large fleets only as much as does not burden the gateway. */
const MOST_RECALLED = 30;
async function recall({ unit, line }: Known): Promise<void> {
  if ((meters.value?.size ?? 0) > MOST_RECALLED || unit.value.history === 'off') return;
  const to = Date.now() + aheadMs;
  const query = {
    from: new Date(to - LINE_MS).toISOString(),
    to: new Date(to).toISOString(),
    ...{ step: '10s', quantities: 'leq,lp' },
  };
  const { rows } = await client.value.history(unit.value.unit_id, query).catch(() => ({ rows: [] }));
  const points = rows.flatMap(([start, leq, lp]): Point[] => {
    const level = leq ?? lp;
    return typeof level === 'number' ? [[Date.parse(String(start)), level]] : [];
  });
  const first = line.value[0]?.[0] ?? Number.POSITIVE_INFINITY;
  line.value = [...points.filter(([at]) => at < first), ...line.value].slice(-MOST_POINTS);
}
