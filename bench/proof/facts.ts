/** What was seen of one fault: by the meters, by those who asked, and by who watches `/health`. */
import type { Done } from './fault.ts';
import type { HealthWatch } from './health.ts';
import { ask, type Load } from './load.ts';
import type { Host } from './network.ts';
import type { Referee } from './referee.ts';

/** Of one fault. */
export interface Facts {
  /** Time of each streamed meter without a connection, s, sorted; `open`: so many have none again. */
  readonly gaps: readonly number[];
  readonly open: number;
  /** Connections of all meters that were served, that ended, and that came to a place that was taken. */
  readonly served: number;
  readonly ended: number;
  readonly knocks: number;
  /** Changes of configs and notes, by what was answered: `200`, `503 STORAGE_FAILED`, `no answer`. */
  readonly writes: ReadonlyMap<string, number>;
  readonly notes: ReadonlyMap<string, number>;
  /** Until the alert of the meter that was loud came, s; undefined: it did not come in this time. */
  readonly alertAfter: number | undefined;
  /** Sentences of `/health`, and how many instances said each. */
  readonly health: ReadonlyMap<string, number>;
}

/** Who saw it. */
export interface Witnesses {
  readonly referee: Referee;
  readonly load: Load;
  readonly health: HealthWatch;
  /** Meters that are recorded all the time. */
  readonly streamed: readonly string[];
}

const EDGE_MS = 1_000;

/** `loud`: the meter that is loud meanwhile. */
export function factsOf({ from, to }: Done, loud: string, { referee, load, health, streamed }: Witnesses): Facts {
  const within = ({ at }: { readonly at: number }) => at >= from - EDGE_MS && at <= to;
  const seen = referee.sights.filter(within);
  const count = (...kinds: string[]) => seen.filter(({ kind }) => kinds.includes(kind)).length;
  const gaps: number[] = [];
  let open = 0;
  for (const unit of streamed) {
    const own = referee.sights.filter(({ unit: of, kind }) => of === unit && /^(dis)?connect$/.test(kind));
    for (const [n, sight] of own.entries()) {
      if (sight.kind !== 'disconnect' || !within(sight)) continue;
      const next = own.slice(n + 1).find(({ kind }) => kind === 'connect');
      if (next) gaps.push((next.at - sight.at) / 1_000);
      else open += 1;
    }
  }
  const opened = load.messages.find(
    (message) => message.type === 'alert.opened' && message.unit === loud && within(message),
  );
  return {
    gaps: gaps.toSorted((a, b) => a - b),
    open,
    served: count('connect'),
    ended: count('disconnect'),
    knocks: count('refused', 'held'),
    writes: answersIn(load.writes.filter(within)),
    notes: answersIn(load.notes.filter(within)),
    alertAfter: opened && (opened.at - from) / 1_000,
    health: new Map([...health.between(from, to)].map(([text, hosts]) => [text, hosts.size])),
  };
}

function answersIn(asked: readonly { readonly status: number; readonly code: string }[]): Map<string, number> {
  const answers = new Map<string, number>();
  for (const { status, code } of asked) {
    const answer = status === 0 ? 'no answer' : `${status} ${code}`.trim();
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  return answers;
}

/** A share of sorted numbers, 0 of none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

/** Stored seconds of all these meters in a span, ms since 1970 UTC. */
export async function secondsIn(host: Host, units: readonly string[], from: number, to: number): Promise<number> {
  const [begin, end] = [from, to].map((ms) => new Date(Math.ceil(ms / 1_000) * 1_000).toISOString());
  let kept = 0;
  for (const unit of units) {
    const { json } = await ask(host, 'GET', `/${unit}/history?from=${begin}&to=${end}&step=1s&quantities=leq`);
    const { columns = [], rows = [] }: { columns?: string[]; rows?: number[][] } = json.data ?? {};
    const place = columns.indexOf('coverage');
    for (const row of rows) kept += row[place] ?? 0;
  }
  return kept;
}
