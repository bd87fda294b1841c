/**
 * A request to the gateway and its outcome: nothing counts as done before the answer is there. A refusal is shown at its field.
 */
import { useState } from 'preact/hooks';
import { GatewayProblem } from '../../client/index.ts';
import { say, sayOfApi } from '../words/say.ts';
import { pathWords } from './form-values.ts';
import { problemText } from './problem-text.ts';

/** How far a request is. */
export type Outcome =
  | { readonly state: 'idle' | 'waiting' }
  | { readonly state: 'done'; readonly said: string }
  | { readonly state: 'failed'; readonly said: string; readonly code: string };

/** `run` resolves with what the gateway or the meter said. A second call while one waits is ignored. */
export function useAction() {
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' });
  const run = async (work: () => Promise<string>): Promise<boolean> => {
    if (outcome.state === 'waiting') return false;
    setOutcome({ state: 'waiting' });
    try {
      setOutcome({ state: 'done', said: sayOfApi(await work()) });
      return true;
    } catch (error) {
      setOutcome({ state: 'failed', said: messageOf(error), code: codeOf(error) });
      return false;
    }
  };
  return { outcome, run, waits: outcome.state === 'waiting' };
}

/** The text of the gateway about an error; for wrong input, each field with its problem. */
export const messageOf = (error: unknown): string => {
  if (error instanceof GatewayProblem && error.errors.length > 0) {
    return error.errors.map(({ path, message }) => `${pathWords(path)} ${problemText(message)}`).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};
/** The code of the gateway's error; PAGE for one of this page itself. */
export const codeOf = (error: unknown): string => (error instanceof GatewayProblem ? error.code : 'PAGE');

/** The outcome in words; a screen reader says it when it changes. */
export function Said({
  outcome,
  waiting = say('Waiting for the meter ...'),
}: {
  readonly outcome: Outcome;
  readonly waiting?: string;
}) {
  const text = outcome.state === 'waiting' ? waiting : 'said' in outcome ? outcome.said : '';
  return (
    <p class={`said${outcome.state === 'failed' ? ' bad' : ''}`} role="status">
      {text}
    </p>
  );
}

/** The text about the failure of a request; nothing without one. */
export const Failed = ({ failure }: { readonly failure: unknown }) =>
  failure === undefined ? null : <p class="said bad">{messageOf(failure)}</p>;

/** As the gateway names them: JSON Pointers with what is wrong. */
export type Problems = readonly { readonly path: string; readonly message: string }[];

interface Props {
  readonly problems: Problems;
  /** Of the field; what is wrong below it is shown, too, unless `exact`. */
  readonly at: string;
  readonly exact?: boolean;
}

/** Nothing where nothing is wrong. */
export function Wrong({ problems, at, exact = false }: Props) {
  const own = problems.filter(({ path }) => path === at || (!exact && path.startsWith(`${at}/`)));
  return (
    <>
      {own.map(({ path, message }) => (
        <p key={path + message} class="said bad small" role="alert">
          {pathWords(path.slice(at.length))} {problemText(message)}
        </p>
      ))}
    </>
  );
}
