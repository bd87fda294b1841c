/**
 * LCeq and LAIeq of the same time from another channel, where the unit records one: for the corrections by LCeq - LAeq and LAIeq - LAeq. A
 * channel that lacks some of the time is no answer: what it lacks may have been the loud part.
 */
import { type assessment, type ExcludedTime, type HistoryQuery, type Host, unionOf } from '../../lib/index.ts';

/** Share of the time of the levels that the other channel must have. Channels begin a few frames apart. */
const ENOUGH = 0.99;

/** What is formed beside the levels. */
export type BesideName = 'lceq' | 'laieq';

const QUERIES: Readonly<Record<BesideName, Pick<HistoryQuery, 'frequency' | 'weighting'>>> = {
  lceq: { frequency: 'C' },
  laieq: { weighting: { frequency: 'A', time: 'I' } },
};

/** Those that a preset forms, and nobody has chosen by ear for all periods. */
export const besideOf = (preset: assessment.PresetBody): readonly BesideName[] =>
  [preset.impulse, preset.low_frequency, preset.tonal, preset.other].flatMap((rule) =>
    rule?.by === 'lceq' || rule?.by === 'laieq' ? [rule.by] : [],
  );

/** Of which unit; `excluded`: time that does not count in the levels. ms since 1970. */
export interface BesideAsked {
  readonly unitId: string;
  readonly span: { readonly from: number; readonly to: number };
  readonly excluded: ExcludedTime;
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

/** A level of each range with the time that it was measured, s; null: no channel has this weighting in the span. */
export type BesideRows = AsyncGenerator<{ readonly level: number | null; readonly measured: number }, undefined>;

/** Null where no channel has it. Leaving the loop ends the work. */
export async function readBeside(
  { history, notes }: Pick<Host, 'history' | 'notes'>,
  name: BesideName,
  { unitId, span, excluded, ranges }: BesideAsked,
  signal: AbortSignal,
): Promise<BesideRows | null> {
  const asked = { unitId, channel: null, over: { ranges }, ...QUERIES[name] };
  const found = await history.query(asked, signal);
  for await (const _ of found.rows) break;
  const { channel, weighting } = found;
  if (channel === null || weighting === null) return null;
  // A fault of that channel alone does not count there, either.
  const both = unionOf(excluded.ranges, notes.excluded(unitId, span, channel).ranges);
  const answer = await history.query({ unitId, channel, weighting, over: { ranges }, excluded: both }, signal);
  async function* rows(): BesideRows {
    for await (const page of answer.rows)
      for (const { leq, lieq, measured } of page) yield { level: name === 'lceq' ? leq : lieq, measured };
  }
  return rows();
}

/** The level, if it is of the whole time of the levels. */
export const ofSameTime = (
  beside: { readonly level: number | null; readonly measured: number } | undefined,
  measured: number,
): number | null => (beside && beside.measured >= measured * ENOUGH ? beside.level : null);
