/**
 * The level in a line of the meter that SLMM has stored. The columns beside the line are wrong, the line is right. Releases
 * before 2026-01-07 took the fields of a line of the stream one too far to the left. Releases from then until 2026-06-08
 * did the same with a line of the display.
 */
import type { Family } from '../../../lib/index.ts';

/** Null: the line does not contain it. */
export interface RawLevels {
  /** dB */
  readonly lp: number;
  readonly leq: number | null;
}

/** `read`: of the family of the meter. Undefined: the line is of another kind, or has no level. */
export function levelsIn(line: string, read: Family['readStoredLine']): RawLevels | undefined {
  try {
    const { lp = null, leq = null } = read?.(line) ?? {};
    return lp === null ? undefined : { lp: Number(lp), leq: leq === null ? null : Number(leq) };
  } catch {
    return undefined;
  }
}
