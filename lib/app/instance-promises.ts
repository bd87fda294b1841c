/** What an instance asks the others while the database is away, and what it answers them. */
import type { MemberRow } from '../cluster/contract.ts';
import type { MemberLoop } from '../cluster/member-loop.ts';
import { type PassedOn, PROOF_HEADER, type Receiver } from '../cluster/passed-on.ts';
import { isPromise, PROMISE_PATH, promiseAsker, promiseProof, promiseQuestion } from '../cluster/promise-words.ts';
import { askInstance } from '../http/ask-instance.ts';
import type { AskedOfInstance } from '../http/asked.ts';

/** `me`: this instance under its present epoch; undefined before it has joined. */
export function promisesOf(passedOn: PassedOn, loop: () => MemberLoop | undefined, me: () => Receiver | undefined) {
  /** True if the other one promises not to take the meters of this one. Rejects where it cannot be asked. */
  async function ask(voter: MemberRow, signal: AbortSignal): Promise<boolean> {
    const asker = me();
    if (!asker) return false;
    const question = promiseQuestion(passedOn, asker, voter);
    const headers = await askInstance(voter.address, question.url, { [PROOF_HEADER]: question.proof }, signal);
    const proof = headers?.[PROOF_HEADER];
    return typeof proof === 'string' && isPromise(passedOn, question, proof, asker);
  }
  const asked: AskedOfInstance = {
    path: PROMISE_PATH,
    answer: ({ url = '', headers }) => {
      const self = me();
      const proof = headers[PROOF_HEADER];
      const question = { url, proof: typeof proof === 'string' ? proof : '' };
      const asker = self && promiseAsker(passedOn, question, self);
      if (!asker || !loop()?.promise(asker)) return undefined;
      return { [PROOF_HEADER]: promiseProof(passedOn, question, asker) };
    },
  };
  return { ask, asked };
}
