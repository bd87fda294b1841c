/** Spans with levels, as tests need them. */
import type { SpanLevels } from '../../../../lib/domain/indices/index.ts';
import { EXTREMES, KEPT, levelsBy } from '../../../../lib/domain/quantities.ts';

const NOTHING: SpanLevels = {
  seconds: 0,
  ...levelsBy(KEPT, () => null),
  bounds: levelsBy(EXTREMES, () => null),
  lmaxAt: null,
  counts: null,
  readings: 0,
  flaggedS: 0,
};

export const spanOf = (known: Partial<SpanLevels>): SpanLevels => ({ ...NOTHING, ...known });
