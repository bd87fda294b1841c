/** Spans with levels, as tests need them. */
import type { SpanLevels } from '../../../../lib/domain/indices/index.ts';

const NOTHING: SpanLevels = {
  seconds: 0,
  leq: null,
  lmax: null,
  lmaxAt: null,
  lmin: null,
  lpeak: null,
  counts: null,
  readings: 0,
  flaggedS: 0,
};

export const spanOf = (known: Partial<SpanLevels>): SpanLevels => ({ ...NOTHING, ...known });
