/** The time on the clock of a meter, in the form of GET clock. `shown`: ms, as if the clock were in UTC; null: not known. */
import { clockText } from '../../lib/index.ts';

/** `2026-11-21,07:00:00` or null. */
export const deviceTime = (shown: number | null): string | null =>
  shown === null ? null : clockText(shown).replace(' ', ',');
