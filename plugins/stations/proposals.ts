/** The time that the rules of a unit would exclude, and the time that they cannot judge. Pure; times are ms since 1970 UTC. */
import { rest } from '../../lib/index.ts';
import { type Note, type NoteReason, unionOf } from '../notes/index.ts';
import { OBSERVED, type ObservedName } from './quantities.ts';
import type { ObservedSpan } from './sum.ts';
import type { ObservationRule } from './tables.ts';

/** From `from` up to, not including, `to`. */
interface Time {
  readonly from: number;
  readonly to: number;
}

/** The observations of a station in a span, in order, without overlaps. */
export interface StationSpans {
  readonly id: string;
  readonly spans: readonly ObservedSpan[];
}

/** The cause of a proposal: the value that is furthest beyond the limit of the rule. */
interface Cause {
  readonly station: string;
  readonly rule: ObservationRule;
  readonly value: number;
  readonly duration: number;
}

export interface Proposal extends Time {
  readonly reason: NoteReason;
  readonly causes: readonly Cause[];
}

/** Times of the span, the oldest first, without times that are already excluded for the same reason. */
export async function proposalsOf(
  rules: readonly ObservationRule[],
  stations: readonly StationSpans[],
  within: Time,
  notes: readonly Note[],
): Promise<Proposal[]> {
  const found: Proposal[] = [];
  for (const rule of rules)
    for (const station of stations) for (const time of await timesOf(rule, station, within)) found.push(time);
  const left: Proposal[] = [];
  for (const reason of new Set(found.map((time) => time.reason))) {
    const joined = await joinedTimes(found.filter((time) => time.reason === reason));
    const known = notes.filter((note) => note.kind === 'exclusion' && note.reason === reason && note.channels === null);
    await rest();
    left.push(...without(joined, timesOfNotes(known)));
  }
  await rest();
  return left.sort((one, other) => one.from - other.from || one.to - other.to);
}

/** The same with each calm time as one span, so that a year of minutes needs little memory. */
export async function condensed(
  pages: AsyncIterable<readonly ObservedSpan[]>,
  rules: readonly ObservationRule[],
): Promise<ObservedSpan[]> {
  const quantities = [...new Set(rules.map(({ quantity }) => quantity))];
  const isCalm = ({ values }: ObservedSpan) =>
    rules.every((rule) => values[rule.quantity] === null || !isBeyond(rule, Number(values[rule.quantity])));
  const found: ObservedSpan[] = [];
  let isLastCalm = false;
  for await (const spans of pages)
    for (const span of spans) {
      const last = found.at(-1);
      const isSame =
        last?.to === span.from &&
        quantities.every((name) => (last.values[name] === null) === (span.values[name] === null));
      const wasCalm = isLastCalm;
      isLastCalm = isCalm(span);
      if (last && isSame && wasCalm && isLastCalm) found[found.length - 1] = { ...last, to: span.to };
      else found.push(span);
    }
  return found;
}

/** Times of one rule at one station, with its margins. */
async function timesOf(rule: ObservationRule, { id, spans }: StationSpans, within: Time): Promise<Proposal[]> {
  const times: { from: number; to: number; value: number; duration: number }[] = [];
  for (const { from, to, duration, values } of spans) {
    await rest();
    const value = values[rule.quantity];
    if (value === null || !isBeyond(rule, value)) continue;
    const last = times.at(-1);
    if (last && last.to === from) {
      last.to = to;
      const most = further(rule, last, { value, duration });
      last.value = most.value;
      last.duration = most.duration;
    } else times.push({ from, to, value, duration });
  }
  return times
    .filter(({ from, to }) => to - from >= rule.min_s * 1_000)
    .map(({ from, to, value, duration }) => ({
      from: Math.max(within.from, from - rule.before_s * 1_000),
      to: Math.min(within.to, to + rule.after_s * 1_000),
      reason: rule.reason,
      causes: [{ station: id, rule, value, duration }],
    }))
    .filter(({ from, to }) => from < to);
}

const isBeyond = ({ above, below }: ObservationRule, value: number): boolean =>
  (above !== null && value > above) || (below !== null && value < below);

type Seen = Pick<Cause, 'value' | 'duration'>;

const further = ({ above }: ObservationRule, one: Seen, { value, duration }: Seen): Seen =>
  (above === null ? value < one.value : value > one.value) ? { value, duration } : one;

async function joinedTimes(times: readonly Proposal[]): Promise<Proposal[]> {
  const joined: Proposal[] = [];
  for (const time of times.toSorted((one, other) => one.from - other.from)) {
    await rest();
    const last = joined.at(-1);
    if (!last || time.from > last.to) joined.push(time);
    else joined.splice(-1, 1, { ...last, to: Math.max(last.to, time.to), causes: merged(last.causes, time.causes) });
  }
  return joined;
}

function merged(some: readonly Cause[], others: readonly Cause[]): Cause[] {
  const all: Cause[] = [];
  for (const cause of [...some, ...others]) {
    const at = all.findIndex(({ station, rule }) => station === cause.station && rule === cause.rule);
    const present = all[at];
    if (!present) all.push(cause);
    else all[at] = { ...present, ...further(cause.rule, present, cause) };
  }
  return all;
}

/** Times without the excluded times. Both lists are in order without overlaps, so each entry is read once. */
function without(times: readonly Proposal[], excluded: readonly Time[]): Proposal[] {
  const left: Proposal[] = [];
  let first = 0;
  for (const time of times) {
    while ((excluded[first]?.to ?? Number.POSITIVE_INFINITY) <= time.from) first += 1;
    let { from } = time;
    for (let at = first; from < time.to; at++) {
      const next = excluded[at] ?? { from: time.to, to: time.to };
      const to = Math.min(time.to, next.from);
      if (from < to) left.push({ ...time, from, to });
      from = Math.max(from, next.to);
    }
  }
  return left;
}

/** In order and without overlaps. */
const timesOfNotes = (notes: readonly Note[]): readonly Time[] =>
  unionOf(
    [],
    notes.map(({ from, to }) => ({ from, to: to ?? Number.POSITIVE_INFINITY })),
  );

/** `wind speed 7.2 m/s (above 5) at mast`. A sum such as the rain names the time of its one observation. */
export const causeWords = ({ station, rule, value, duration }: Cause): string => {
  const { quantity, above, below } = rule;
  const { unit, joining } = OBSERVED[quantity];
  const limit = above === null ? `below ${below}` : `above ${above}`;
  const level = joining === 'sum' ? `up to ${value} ${unit} in ${minutesOf(duration)} min` : `${value} ${unit}`;
  return `${quantity.replace('_', ' ')} ${level} (${limit}) at ${station}`;
};

const minutesOf = (duration: number): number => Math.round(duration / 6_000) / 10;

/** The times of a span in which no station observed this quantity: rules about it cannot judge them. */
export async function unobservedTimes(
  quantity: ObservedName,
  stations: readonly StationSpans[],
  within: Time,
): Promise<readonly Time[]> {
  let lacks: readonly Time[] = [within];
  for (const { spans } of stations) lacks = inBoth(lacks, await gapsOf(quantity, spans, within));
  return lacks;
}

async function gapsOf(quantity: ObservedName, spans: readonly ObservedSpan[], within: Time): Promise<Time[]> {
  const gaps: Time[] = [];
  let until = within.from;
  for (const { from, to, values } of spans) {
    await rest();
    if (values[quantity] === null) continue;
    if (until >= within.to) break;
    if (from > until) gaps.push({ from: until, to: Math.min(from, within.to) });
    until = Math.max(until, to);
  }
  return until < within.to ? [...gaps, { from: until, to: within.to }] : gaps;
}

/** Times that both have. Each is in order, without overlaps. */
function inBoth(some: readonly Time[], others: readonly Time[]): Time[] {
  const both: Time[] = [];
  let [one, other] = [0, 0];
  for (let [a, b] = [some[0], others[0]]; a && b; [a, b] = [some[one], others[other]]) {
    const time = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
    if (time.from < time.to) both.push(time);
    if (a.to < b.to) one += 1;
    else other += 1;
  }
  return both;
}
