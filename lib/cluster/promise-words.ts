/**
 * How one instance asks another for a promise, and how that one gives it: a path and a proof each way (`passed-on.ts`). The answer names the question, so that
 * an old answer is worth nothing.
 */
import { randomBytes } from 'node:crypto';
import { ofInstances, type PassedOn, type Receiver } from './passed-on.ts';

/** The path below which promises are asked for. Instances alone use it. */
export const PROMISE_PATH = '/_promise';

/** A question. */
export interface PromiseQuestion {
  /** Path and query. */
  readonly url: string;
  readonly proof: string;
}

/** What is proved of a question and of its answer beside the URL. */
const ask = (url: string) => ofInstances('POST', url);
const give = (url: string) => ofInstances('PROMISE', url);

/** `asker` asks `voter`. */
export function promiseQuestion(passedOn: PassedOn, asker: Receiver, voter: Receiver): PromiseQuestion {
  const words = new URLSearchParams({
    member: asker.id,
    epoch: String(asker.epoch),
    round: randomBytes(12).toString('base64url'),
  });
  const url = `${PROMISE_PATH}?${words}`;
  return { url, proof: passedOn.prove(ask(url), voter) };
}

/** Who asks. Undefined: no instance of this cluster does, or it means another one than `me`. */
export function promiseAsker(passedOn: PassedOn, { url, proof }: PromiseQuestion, me: Receiver): Receiver | undefined {
  if (!passedOn.check(proof, ask(url), me)) return undefined;
  const words = new URLSearchParams(url.split('?')[1]);
  return { id: words.get('member') ?? '', epoch: Number(words.get('epoch')) };
}

/** The proof that the promise is given. */
export const promiseProof = (passedOn: PassedOn, { url }: PromiseQuestion, asker: Receiver): string =>
  passedOn.prove(give(url), asker);

/** True if an instance of this cluster gave the promise that was asked for. */
export const isPromise = (passedOn: PassedOn, { url }: PromiseQuestion, proof: string, asker: Receiver): boolean =>
  passedOn.check(proof, give(url), asker) !== undefined;
