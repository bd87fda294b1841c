/** The decision of the meter on a command. `reply-writer.ts` turns it into bytes, the conversation acts on it. */
import type { RefusalCode, ResultCode } from '../lib/drivers/nl43/spec/framing.ts';
import type { DisplayValues, PerChannel } from './contract.ts';
import type { Profile } from './profile.ts';
import { between, type Random } from './random.ts';

export type Data =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'display'; readonly values: PerChannel<DisplayValues> };

export interface Answer {
  readonly result: ResultCode;
  readonly data?: Data;
  /** Frames follow until SUB. */
  readonly stream?: 'plain' | 'status';
  /** The connection does not outlive this reply. */
  readonly cuts?: true;
  readonly work: Work;
}

export const done = (work: Work = 'query'): Answer => ({ result: 'R+0000', work });
export const refusal = (result: RefusalCode): Answer => ({ result, work: 'query' });
export const says = (text: string): Answer => ({ result: 'R+0000', data: { kind: 'text', text }, work: 'query' });

/** The work of the meter before it answers. Its times are drawn from the profile; the figures are the field log's. */
type Work = 'query' | 'start' | 'stop' | 'store';

/** One start of fourteen took this much longer in the field log, ms. */
const SLOW_START_MS = 490;

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
