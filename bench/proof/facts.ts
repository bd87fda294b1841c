/** What was seen of one fault: by the meters, by those who asked, and by who watches `/health`. */
import type { Done } from './fault.ts';
import type { HealthWatch } from './health.ts';
import { ask, type Load } from './load.ts';
import type { Host } from './network.ts';
import type { Referee, Sight } from './referee.ts';

/** Of one fault. */
export interface Facts {
  /** Time of each streamed meter without a connection, s, sorted; `open`: so many have none again. */
  readonly gaps: readonly number[];
  readonly open: number;
  /** Those of `gaps` after which another instance had the meter, although the one before was not hit: it was given away. */
  readonly moved: readonly number[];
  /** Those of `gaps` at an instance that was not hit, which had the meter again. */
  readonly dropped: readonly number[];
  /**
   * Streamed meters of instances that were not hit which kept their connection all the time. One whose clock was set, whose config was changed or whose card was read
   * meanwhile is left out: that interrupts its stream.
   */
  readonly steady: readonly string[];
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
/** A stream goes on after so long when a command is over. */
const INTERRUPTED_MS = 5_000;
/** What a stream itself sends, and how long it is away for anything else: the rest before and after a command, s. */
const STREAM = /^(DRD\?|<SUB>)/;
const QUESTION_S = 2.3;
/** Of it, before the command: `<SUB>` and a rest. */
const BEFORE_S = 1.1;
/** Settings that are asked for by others than the fault, as the meter hears them. */
const ASKED_FOR = ['Clock,', 'FTP,'];

/** `loud`: the meter that is loud meanwhile. */
export function factsOf(done: Done, loud: string, { referee, load, health, streamed }: Witnesses): Facts {
  const { from, to } = done;
  const within = ({ at }: { readonly at: number }) => at >= from - EDGE_MS && at <= to;
  const seen = referee.sights.filter(within);
  const count = (...kinds: string[]) => seen.filter(({ kind }) => kinds.includes(kind)).length;
  const opened = load.messages.find(
    (message) => message.type === 'alert.opened' && message.unit === loud && within(message),
  );
  return {
    ...gapsOf(done, streamed, referee, load),
    served: count('connect'),
    ended: count('disconnect'),
    knocks: count('refused', 'held'),
    writes: answersIn(load.writes.filter(within)),
    notes: answersIn(load.notes.filter(within)),
    alertAfter: opened && (opened.at - from) / 1_000,
    health: new Map([...health.between(from, to)].map(([text, hosts]) => [text, hosts.size])),
  };
}

function gapsOf({ hit, from, to }: Done, streamed: readonly string[], referee: Referee, load: Load) {
  const gaps: number[] = [];
  const moved: number[] = [];
  const dropped: number[] = [];
  const steady: string[] = [];
  let open = 0;
  const isMeanwhile = ({ at }: { readonly at: number }) => at >= from - INTERRUPTED_MS && at <= to;
  const isSet = (unit: string) =>
    load.writes.some((write) => write.unit === unit && isMeanwhile(write)) ||
    referee.of(unit).some((sight) => ASKED_FOR.some((word) => sight.text.startsWith(word)) && isMeanwhile(sight));
  for (const unit of streamed) {
    const served = referee.servedOf(unit);
    for (const [n, one] of served.entries()) {
      const next = served[n + 1];
      const { to: ended = Number.POSITIVE_INFINITY } = one;
      if (one.host !== hit && one.from <= from && ended > to && !isSet(unit)) steady.push(unit);
      if (ended < from - EDGE_MS || ended > to) continue;
      if (!next) {
        open += 1;
        continue;
      }
      const gap = (next.from - ended) / 1_000;
      gaps.push(gap);
      if (one.host === hit) continue;
      if (next.host === one.host) dropped.push(gap);
      else moved.push(gap);
    }
  }
  const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
  return { gaps: sorted(gaps), open, moved: sorted(moved), dropped: sorted(dropped), steady };
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
  for (const unit of units) kept += await keptOf(host, unit, `from=${begin}&to=${end}`);
  return kept;
}

/** What a meter lacks, s, beside what questions to it took: a question interrupts a stream. */
export interface Lacking {
  readonly unit: string;
  readonly s: number;
}

/** Seconds that each of these meters lacks in a span, ms since 1970 UTC; sorted. */
export async function lackingIn(
  host: Host,
  units: readonly string[],
  { from, to }: Pick<Done, 'from' | 'to'>,
  referee: Referee,
): Promise<Lacking[]> {
  const lacking: Lacking[] = [];
  for (const unit of units) {
    const isQuestion = ({ at, kind, text }: Sight) =>
      at >= from - QUESTION_S * 1_000 && at <= to + BEFORE_S * 1_000 && kind === 'command' && !STREAM.test(text);
    const missing = wholeSeconds(from, to) - (await secondsIn(host, [unit], from, to));
    lacking.push({ unit, s: Math.max(0, missing - referee.of(unit).filter(isQuestion).length * QUESTION_S) });
  }
  return lacking.toSorted((a, b) => a.s - b.s);
}

const wholeSeconds = (from: number, to: number): number => Math.ceil(to / 1_000) - Math.ceil(from / 1_000);

async function keptOf(host: Host, unit: string, span: string): Promise<number> {
  const { json } = await ask(host, 'GET', `/${unit}/history?${span}&step=1s&quantities=leq`);
  const { columns = [], rows = [] }: { columns?: string[]; rows?: number[][] } = json.data ?? {};
  const place = columns.indexOf('coverage');
  return rows.reduce((sum, row) => sum + (row[place] ?? 0), 0);
}
