/** Requests of a part of a page to the gateway. */
import { useEffect, useState } from 'preact/hooks';
import { GatewayProblem } from '../../client/index.ts';

interface Found<T> {
  /** Undefined until the first answer. */
  readonly found: T | undefined;
  /** Asks once more. */
  again(): void;
  /** Takes an answer from elsewhere, for example from saving. */
  put(answer: T): void;
}

/** The answer of a part of the gateway; `none` where that part is not loaded. Rejects for other faults: no answer is no good news. */
export const unlessAbsent = <T, None>(answer: Promise<T>, none: None): Promise<T | None> =>
  answer.catch((error: unknown) => {
    if (error instanceof GatewayProblem && error.status === 404) return none;
    throw error;
  });

/** Asks when the part is shown, and again when one of `about` changes. After a failure the last answer stays. */
export function useFound<T>(ask: () => Promise<T>, about: readonly unknown[]): Found<T> {
  const [found, put] = useState<T | undefined>(undefined);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let left = false;
    ask().then(
      (answer) => left || put(() => answer),
      () => {},
    );
    return () => {
      left = true;
    };
  }, [...about, asked]);
  return { found, again: () => setAsked((count) => count + 1), put: (answer) => put(() => answer) };
}
