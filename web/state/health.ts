/** Parts of the gateway that do not work, in the words of `/health`. Example: a history without room on the disk. */
import { signal } from '@preact/signals';
import { ROOT } from './address.ts';

interface Problem {
  readonly part: string;
  readonly detail: string;
}

/** Troubles of the gateway itself, for the frame of the page. */
export const problems = signal<readonly Problem[]>([]);

/** Without an answer the old problems stay: another part of the page says that the gateway is silent. */
export async function askHealth(): Promise<void> {
  try {
    const answer = await fetch(new URL('health', ROOT));
    const { problems: found = [] } = (await answer.json()) as { problems?: readonly Problem[] };
    problems.value = found;
  } catch {
    // The next look comes soon.
  }
}
