/** Parts of the gateway that do not work, in the words of `/health`. Example: a history without room on the disk. */
import { signal } from '@preact/signals';
import { ROOT } from './address.ts';

interface Problem {
  readonly part: string;
  readonly detail: string;
}

export const problems = signal<readonly Problem[]>([]);

/** Whether the gateway answered within this time, ms. Without an answer the old problems stay. */
export async function askHealth(limitMs: number): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  try {
    const answer = await fetch(new URL('health', ROOT), { signal: late.signal });
    const { problems: found = [] } = (await answer.json()) as { problems?: readonly Problem[] };
    problems.value = found;
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
