/**
 * LCeq and LAIeq of the same time from another channel, if the unit records such a channel. Corrections by LCeq - LAeq
 * and LAIeq - LAeq need them. A channel that lacks a part of the time does not count: the part may have been the loudest.
 */
import type { HistoryQuery, HistoryRow, Host } from '../../lib/index.ts';
import { type ExcludedTime, unionOf, type WithNotes } from '../notes/index.ts';
import type * as assessment from './model/index.ts';

/** The other channel must have this share of the time of the levels. Channels begin a few frames apart. */
const ENOUGH = 0.99;

export type BesideName = 'lceq' | 'laieq';

const QUERIES: Readonly<Record<BesideName, Pick<HistoryQuery, 'frequency' | 'weighting'>>> = {
  lceq: { frequency: 'C' },
  laieq: { weighting: { frequency: 'A', time: 'I' } },
};

/** The levels that a preset needs, unless a person has chosen the correction for all periods. */
export const besideOf = (preset: assessment.PresetBody): readonly BesideName[] =>
  [preset.impulse, preset.low_frequency, preset.tonal, preset.other].flatMap((rule) =>
    rule?.by === 'lceq' || rule?.by === 'laieq' ? [rule.by] : [],
  );

/** ms since 1970. `excluded`: time that does not count in the levels. */
interface BesideAsked extends Pick<HistoryQuery, 'channel' | 'weighting'> {
  readonly unitId: string;
  readonly span: { readonly from: number; readonly to: number };
  readonly excluded: ExcludedTime;
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

/** How much higher the other level is in each range, dB; null: it is not known for the whole time. */
export type BesideRows = AsyncGenerator<number | null, undefined>;

/** Null if no channel has this level. The caller ends the work by leaving the loop. */
export async function readBeside(
  { history, notes }: Pick<Host, 'history'> & WithNotes,
  name: BesideName,
  { unitId, span, excluded, ranges, ...levels }: BesideAsked,
  signal: AbortSignal,
): Promise<BesideRows | null> {
  const over = { ranges };
  const found = await history.query({ unitId, channel: null, over, ...QUERIES[name] }, signal);
  for await (const _ of found.rows) break;
  const { channel, weighting } = found;
  if (channel === null || weighting === null) return null;
  // Time that is excluded in one of the two channels counts in neither: both levels must be about the same time.
  const both = unionOf(excluded.ranges, notes.excluded(unitId, span, channel).ranges);
  const other = await history.query({ unitId, channel, weighting, over, excluded: both }, signal);
  const own = await history.query({ unitId, ...levels, over, excluded: both }, signal);
  return differences(name, oneByOne(other.rows), oneByOne(own.rows));
}

async function* differences(name: BesideName, other: Rows, own: Rows): BesideRows {
  try {
    for await (const { leq, lieq, measured } of other) {
      const { value } = await own.next();
      const level = name === 'lceq' ? leq : lieq;
      const isWhole = value && measured >= value.measured * ENOUGH;
      yield isWhole && level !== null && value.leq !== null ? level - value.leq : null;
    }
  } finally {
    await own.return(undefined);
  }
}

type Row = Pick<HistoryRow, 'leq' | 'lieq' | 'measured'>;
type Rows = AsyncGenerator<Row, undefined>;

export async function* oneByOne<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, undefined> {
  for await (const page of pages) yield* page;
}
