/** The span of levels that a caller asks for. */
import { invalid, seriesAsked, type zones } from '../../lib/built-in.ts';
import { type HistoryQuery, type Host, spanOf } from '../../lib/index.ts';
import { type ExcludedTime, NOTHING_EXCLUDED, type WithNotes } from '../notes/index.ts';
import type { SpreadQuery } from './spread-schemas.ts';

const DAY_MS = 86_400_000;

/** A span of full minutes, its excluded time, and the query of the history. */
interface AskedLevels {
  readonly span: zones.Span;
  readonly excluded: ExcludedTime;
  readonly asked: Pick<HistoryQuery, 'channel' | 'weighting' | 'excluded' | 'unitId'>;
}

/** At most `most` days. Errors: UNIT_NOT_FOUND, INVALID. */
export function askedLevels(
  { configs, notes, families }: Host & WithNotes,
  unitId: string,
  query: SpreadQuery,
  most: number,
): AskedLevels {
  const of = seriesAsked(query, families.find(configs.of(unitId).family));
  const asked = spanOf(query);
  if (asked.to - asked.from > most * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${most} days after from` }]);
  const span = { from: Math.floor(asked.from / 60_000) * 60_000, to: Math.ceil(asked.to / 60_000) * 60_000 };
  const excluded = query.exclusions === 'apply' ? notes.excluded(unitId, span, of.channel) : NOTHING_EXCLUDED;
  return { span, excluded, asked: { unitId, excluded: excluded.ranges, ...of } };
}

export const spanSeconds = ({ from, to }: zones.Span): number => (to - from) / 1_000;
