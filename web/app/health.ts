/** Parts of the gateway that do not work, such as a history for which there is no room, in the words of `/health`. */
import { signal } from '@preact/signals';
import { ROOT } from './address.ts';

interface Problem {
  readonly part: string;
  readonly detail: string;
}

/** What the gateway says of itself that is wrong, for the frame of the page. */
export const problems = signal<readonly Problem[]>([]);

/** What was known stays while the gateway does not answer: that is said elsewhere. */
export async function askHealth(): Promise<void> {
  try {
    const answer = await fetch(new URL('health', ROOT));
    const { problems: found = [] } = (await answer.json()) as { problems?: readonly Problem[] };
    problems.value = found;
  } catch {
    // The next look comes soon.
  }
}
