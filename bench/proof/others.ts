/** Where meters are shared out: what became of those whose instance was not hit. */
import { type Facts, type Lacking, quantile } from './facts.ts';
import type { Done } from './fault.ts';
import type { Line } from './line.ts';
import type { Referee } from './referee.ts';

/** A meter that is given away may be without a connection for so long, s. */
const MOVED_S = 5;
/** A second at the edge of a span may be there in part. */
const EDGE_S = 1;

/** One fault, and levels that each of `facts.steady` lacks, s, sorted. */
export interface Seen extends Done {
  readonly facts: Facts;
  readonly lacking: readonly Lacking[];
}

/** The promises of docs/standby.md about them. */
export function othersOf(seen: readonly Seen[], streamed: readonly string[], referee: Referee): readonly Line[] {
  const steady = seen.reduce((sum, { facts }) => sum + facts.steady.length, 0);
  const dropped = seen.flatMap(({ facts }) => facts.dropped);
  const moved = movedIn(seen, streamed, referee);
  const about = (gaps: readonly number[]) =>
    gaps.length === 0
      ? '0'
      : `${gaps.length}, for ${quantile(gaps, 0.5).toFixed(1)} s (p50), ${Math.max(...gaps).toFixed(1)} s at most`;
  return [
    {
      what: 'streamed meters of instances that were not hit keep their connections',
      found: `${steady} did, counted in each fault; without one although nobody took them: ${about(dropped)}`,
      isKept: steady > 0 && dropped.length === 0,
    },
    {
      what: 'a streamed meter that is given to another instance is without a connection for a moment',
      found: about(moved),
      isKept: moved.length > 0 && quantile(moved, 0.99) <= MOVED_S,
    },
    levelsOf(seen),
  ];
}

function levelsOf(seen: readonly Seen[]): Line {
  const promised = seen.filter(({ fault: { lacks = 0 }, lacking }) => Number.isFinite(lacks) && lacking.length > 0);
  const wrong = promised.filter(({ fault: { lacks = 0 }, lacking }) => (lacking.at(-1)?.s ?? 0) > lacks + EDGE_S);
  const all = promised.flatMap(({ lacking }) => lacking);
  const sum = all.reduce((total, { s }) => total + s, 0);
  const words = wrong.map(({ fault, lacking }) => {
    const { unit = '', s = 0 } = lacking.at(-1) ?? {};
    return `; ${fault.name}: ${s.toFixed(1)} s (${unit})`;
  });
  const found = `${sum.toFixed(0)} s are missing of ${all.length} meters, beside what questions to them took, in ${promised.length} faults, and more than was promised in ${wrong.length}${words.join('')}`;
  return { what: 'their levels have no gap', found, isKept: promised.length > 0 && wrong.length === 0 };
}

/** Time without a connection of each meter that went from an instance that was not hit to another one, s, sorted. */
function movedIn(seen: readonly Done[], streamed: readonly string[], referee: Referee): readonly number[] {
  const moved: number[] = [];
  for (const unit of streamed) {
    const served = referee.servedOf(unit);
    for (const [n, { host, to: ended }] of served.entries()) {
      const next = served[n + 1];
      if (!next || ended === undefined || next.host === host) continue;
      if (!seen.some(({ hit, from, to }) => hit === host && from <= ended && ended <= to))
        moved.push((next.from - ended) / 1_000);
    }
  }
  return moved.toSorted((a, b) => a - b);
}
