/** How long the meter takes before it answers, drawn from the profile; the figures are the field log's. */
import type { Profile } from './profile.ts';
import { between, type Random } from './random.ts';

/** The work of the meter before it answers. */
export type Work = 'query' | 'start' | 'stop' | 'store';

/** One start of fourteen took this much longer in the field log, ms. */
const SLOW_START_MS = 490;

/** One draw, ms. */
export function responseMs(work: Work, profile: Profile, random: Random): number {
  switch (work) {
    case 'start':
      return (
        between(random, profile.think_start_ms) + (random() * 100 < profile.slow_start_percent ? SLOW_START_MS : 0)
      );
    case 'stop':
      return between(random, profile.think_stop_ms);
    case 'store':
      return between(random, profile.think_store_ms);
    default:
      return between(random, profile.think_query_ms);
  }
}
