/** A database that does not answer for a while: it stores a change all the same, or not. */
import { GatewayError } from '../../lib/errors.ts';
import type { Tables } from '../../lib/store/contract.ts';

/** `answers`: no change is answered, and what is asked is not either; `stores`: the change is stored all the same. */
export interface Answering {
  answers: boolean;
  stores: boolean;
}

export const silence = () => new GatewayError('STORAGE_FAILED', 'The database did not answer.');

/** `work` as such a database would do it. */
export async function changed<T>(state: Answering, work: () => Promise<T>): Promise<T> {
  if (!state.stores) throw silence();
  const done = await work();
  if (!state.answers) throw silence();
  return done;
}

export async function looked<T>(state: Answering, work: () => Promise<T>): Promise<T> {
  if (!state.answers) throw silence();
  return work();
}

/** These tables in such a database. */
export function unanswered(real: Tables): { readonly tables: Tables; readonly state: Answering } {
  const state = { answers: true, stores: true };
  const tables: Tables = {
    read: (work) => looked(state, () => real.read(work)),
    write: (work) => changed(state, () => real.write(work)),
  };
  return { tables, state };
}
