/** What the clock of a meter shows, in the form of GET clock. `shown`: as if it showed UTC, ms; null: not known. */
import { clockText } from '../../lib/index.ts';

export const deviceTime = (shown: number | null): string | null =>
  shown === null ? null : clockText(shown).replace(' ', ',');
