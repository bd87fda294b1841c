/** Messages between the main thread and the thread of the history. */
import type { InputError } from '../../errors.ts';
import type { Work } from '../stored/work.ts';
import type { HistoryCalls } from './history-calls.ts';

type CallName = keyof {
  [K in keyof HistoryCalls as HistoryCalls[K] extends (...args: never[]) => unknown ? K : never]: K;
};

/** Argument and result of each call. */
export type Calls = {
  [K in CallName]: HistoryCalls[K] extends (...args: infer A) => infer R
    ? {
        readonly argument: A extends [infer One] ? One : undefined;
        readonly result: R extends Work<infer Result> ? Result : R;
      }
    : never;
};

/** A call to the thread. */
export interface Call {
  readonly id: number;
  readonly name: keyof Calls;
  readonly argument: unknown;
}

/** Its answer: a value or an error. */
export interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly errors?: readonly InputError[] };
}
