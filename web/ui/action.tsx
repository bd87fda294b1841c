/** A request to the gateway and its outcome: nothing counts as done before the answer is there. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { GatewayProblem } from '../../client/index.ts';
import { say, sayOfApi } from '../words/say.ts';
import { pathWords, problemText } from './problem-text.ts';

/** How far a request is. */
export type Outcome =
  | { readonly state: 'idle' | 'waiting' }
  | { readonly state: 'done'; readonly said: string }
  | { readonly state: 'failed'; readonly said: string; readonly code: string; readonly problems: Problems };

/** A text, or an answer of the gateway with its texts. */
export type Answered = string | { readonly message: string; readonly warning?: string | null };

export const textOfAnswer = (answer: Answered): string =>
  typeof answer === 'string' ? answer : [answer.message, answer.warning].filter(Boolean).join(' ');

/** `work` resolves with what the gateway or the meter said. A second call while one waits is ignored. */
export function useAction() {
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' });
  const run = async (work: () => Promise<Answered>): Promise<boolean> => {
    if (outcome.state === 'waiting') return false;
    setOutcome({ state: 'waiting' });
    try {
      setOutcome({ state: 'done', said: sayOfApi(textOfAnswer(await work())) });
      return true;
    } catch (error) {
      const problems = error instanceof GatewayProblem ? error.errors : [];
      setOutcome({ state: 'failed', said: messageOf(error), code: codeOf(error), problems });
      return false;
    }
  };
  return { outcome, run, waits: outcome.state === 'waiting' };
}

/** The values that the gateway refused in a request. */
export const problemsOf = (outcome: Outcome): Problems => (outcome.state === 'failed' ? outcome.problems : []);

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

interface ButtonProps {
  work(): Promise<Answered>;
  done?(): void;
  readonly waiting?: string;
  /** Read to people who do not see the line, behind the text. */
  readonly hidden?: string;
  readonly isMain?: boolean;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** A button for one request, and the outcome beside it. */
export function ActionButton({ work, done, waiting = '', hidden, isMain, disabled = false, children }: ButtonProps) {
  const { outcome, run, waits } = useAction();
  const act = async () => {
    if (await run(work)) done?.();
  };
  return (
    <>
      <button type="button" class={isMain ? 'main' : ''} disabled={waits || disabled} onClick={() => void act()}>
        {children}
        {hidden && <span class="hidden-label"> {hidden}</span>}
      </button>
      <Said outcome={outcome} waiting={waiting} />
    </>
  );
}

/** The text about the failure of a request; nothing without one. */
export const Failed = ({ failure }: { readonly failure: unknown }) =>
  failure === undefined ? null : <p class="said bad">{messageOf(failure)}</p>;

/** As the gateway names them: JSON Pointers with what is wrong. */
export type Problems = readonly { readonly path: string; readonly message: string }[];

/** The faults at the path and below it; empty without a fault. */
export const problemAt = (problems: Problems, at: string): string =>
  problems
    .filter(({ path }) => `${path}/`.startsWith(`${at}/`))
    .map(({ path, message }) => `${pathWords(path.slice(at.length))} ${problemText(message)}`.trim())
    .join('; ');

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
