/** Requests of a part of a page to the gateway. */
import { useEffect, useState } from 'preact/hooks';
import { GatewayProblem } from '../../client/index.ts';

interface Found<T> {
  /** Undefined until the first answer. */
  readonly found: T | undefined;
  /** Why the last request failed; undefined where it did not. */
  readonly failure: unknown;
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

/** Pauses before the next request, s: without another request, a part that once got no answer would stay empty. */
const AGAIN_S = { least: 5, most: 60 };
/** The gateway was away or busy, or a proxy before it says so. For a meter that does not answer, people ask again. */
const canPass = (error: unknown): error is GatewayProblem =>
  error instanceof GatewayProblem &&
  ([0, 429].includes(error.status) ||
    (error.status === 503 && error.code !== 'DEVICE_BUSY') ||
    (error.code === 'NO_PROBLEM_FORMAT' && [502, 504].includes(error.status)));
const pauseAfter = ({ retryAfterS = 0 }: GatewayProblem): number =>
  Math.min(AGAIN_S.most, Math.max(AGAIN_S.least, retryAfterS)) * 1_000;

/**
 * Asks when the part is shown, when one of `about` changes, and each `everyMs` while the page is visible. After a failure the
 * last answer stays, and the part asks again if the gateway was away or busy. The signal ends a request without a listener.
 */
export function useFound<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
  everyMs?: number,
): Found<T> {
  const [found, put] = useState<T | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [asked, setAsked] = useState(0);
  const again = () => setAsked((count) => count + 1);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askNow = () =>
      ask(signal).then(
        (answer) => {
          if (signal.aborted) return;
          put(() => answer);
          setFailure(undefined);
        },
        (error: unknown) => {
          if (signal.aborted) return;
          setFailure(error);
          if (everyMs === undefined && canPass(error)) timer = setTimeout(again, pauseAfter(error));
        },
      );
    const askIfSeen = () => void (document.hidden || askNow());
    void askNow();
    const turns = everyMs === undefined ? undefined : setInterval(askIfSeen, everyMs);
    if (turns !== undefined) document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      clearInterval(turns);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [...about, everyMs, asked]);
  return { found, failure, again, put: (answer) => put(() => answer) };
}
