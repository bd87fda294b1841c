/**
 * The level in a line of the meter that SLMM has stored. Releases before 2026-01-07 took the fields of a line of the stream one too
 * far to the left, and those from then until 2026-06-08 the fields of a line of the display: the columns next to the line are wrong,
 * the line is right.
 */
import type { Family } from '../../../lib/index.ts';

/** Null: the line does not have it. */
export interface RawLevels {
  /** dB */
  readonly lp: number;
  readonly leq: number | null;
}

/** `read`: of the family of the meter. Undefined: it is another kind of line, or has no level. */
export function levelsIn(line: string, read: Family['readStoredLine']): RawLevels | undefined {
  try {
    const { lp = null, leq = null } = read?.(line) ?? {};
    return lp === null ? undefined : { lp: Number(lp), leq: leq === null ? null : Number(leq) };
  } catch {
    return undefined;
  }
}
