/** The observations of a station over a span, and the steps of their sums. Times are ms since 1970 UTC. */
import { tables } from '../../lib/built-in.ts';
import { rest } from '../../lib/index.ts';
import { condensed, type StationSpans } from './proposals.ts';
import { LONGEST_OBSERVATION_S } from './read.ts';
import type { StationStore } from './store.ts';
import { type ObservedSpan, observedSpans } from './sum.ts';
import type { ObservationRule, StationRow } from './tables.ts';

/** In pages, in the order of their times. `whole`: also an observation that ends after the span and reaches into it. */
export async function* readSpans(
  store: StationStore,
  { id, body }: StationRow,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  whole = false,
): AsyncGenerator<readonly ObservedSpan[]> {
  let last = (await store.latest(id, after))?.at;
  for await (const page of store.read(id, { after, upTo: whole ? upTo + LONGEST_OBSERVATION_S * 1_000 : upTo })) {
    const spans = observedSpans(page, body.intervalS * 1_000, last);
    const end = spans.findIndex(({ from }) => from >= upTo);
    yield end < 0 ? spans : spans.slice(0, end);
    if (end >= 0) return;
    await rest();
    last = page.at(-1)?.at;
  }
}

/** How far outside a span the rules look: their margins reach into it, and a time must last long enough to be judged. ms */
export const marginOf = (rules: readonly ObservationRule[]): number =>
  1_000 * Math.max(0, ...rules.map(({ before_s, after_s, min_s }) => Math.max(before_s, after_s) + min_s));

/** The observations of a unit's stations that the rules need to judge a span. */
export async function observedFor(
  store: StationStore,
  unitId: string,
  rules: readonly ObservationRule[],
  within: { readonly from: number; readonly to: number },
): Promise<StationSpans[]> {
  const margin = marginOf(rules);
  const stations: StationSpans[] = [];
  for (const station of store.listFor(unitId)) {
    const ends = { after: within.from - margin, upTo: within.to + margin };
    stations.push({ id: station.id, spans: await condensed(readSpans(store, station, ends, true), rules) });
  }
  return stations;
}

/** The steps of the local clock over a span, as in the history. */
export function stepsOf(
  span: { readonly from: number; readonly to: number },
  step: tables.StepName,
  zone: string,
): { from: number; to: number }[] {
  const over = tables.rowsOver(span, step, zone);
  const ms = ({ from, to }: { readonly from: number; readonly to: number }) => ({ from: from * 1_000, to: to * 1_000 });
  if ('ranges' in over) return over.ranges.map(ms);
  const steps = [];
  const restarts = [...(over.restarts ?? [])];
  for (let from = over.from; from < over.to; ) {
    while (restarts[0] !== undefined && restarts[0] <= from) restarts.shift();
    const to = Math.min(over.to, from + over.step, restarts[0] ?? Number.POSITIVE_INFINITY);
    steps.push(ms({ from, to }));
    from = to;
  }
  return steps;
}
