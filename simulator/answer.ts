/** The decision of the meter on a command. `reply-writer.ts` turns it into bytes, the conversation acts on it. */
import type { RefusalCode, ResultCode } from '../lib/drivers/nl43/spec/results.ts';
import type { DisplayValues, PerChannel } from './contract.ts';
import type { Work } from './response-time.ts';

/** The part after the result line. */
export type Data =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'display'; readonly values: PerChannel<DisplayValues> };

/** Result, data, and what the conversation has to do. */
export interface Answer {
  readonly result: ResultCode;
  readonly data?: Data;
  /** Frames follow until SUB. */
  readonly stream?: 'plain' | 'status';
  /** The connection does not outlive this reply. */
  readonly cuts?: true;
  readonly work: Work;
}

/** Success without data. */
export const done = (work: Work = 'query'): Answer => ({ result: 'R+0000', work });
export const refusal = (result: RefusalCode): Answer => ({ result, work: 'query' });
/** Success with one line of data. */
export const says = (text: string): Answer => ({ result: 'R+0000', data: { kind: 'text', text }, work: 'query' });
