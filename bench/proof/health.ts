/** What the instances say of themselves meanwhile: `/health`, as a monitor would ask it. */
import type { Host } from './network.ts';
import { originOf } from './programs.ts';

const EVERY_MS = 2_000;
const PATIENCE_MS = 1_500;

/** What an instance said, ms since 1970 UTC. */
interface Said {
  readonly at: number;
  readonly host: Host;
  /** Of each part that does not work, a sentence. */
  readonly problems: readonly string[];
}

/** Asks all instances until it is closed. */
export class HealthWatch {
  readonly said: Said[] = [];
  readonly #hosts: readonly Host[];
  readonly #timer: NodeJS.Timeout;

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
    this.#timer = setInterval(() => void Promise.all(this.#hosts.map((host) => this.#ask(host))), EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Each sentence that was said within the span, with the instances that said it. */
  between(from: number, to: number): ReadonlyMap<string, ReadonlySet<Host>> {
    const sentences = new Map<string, Set<Host>>();
    for (const { at, host, problems } of this.said) {
      if (at < from || at > to) continue;
      for (const text of problems) sentences.set(text, (sentences.get(text) ?? new Set()).add(host));
    }
    return sentences;
  }

  /** An instance that gives no answer says nothing: a monitor sees that itself. */
  async #ask(host: Host): Promise<void> {
    const at = Date.now();
    try {
      const answer = await fetch(`${originOf(host)}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const { problems = [] } = (await answer.json()) as { problems?: { part: string; detail: string }[] };
      this.said.push({ at, host, problems: problems.map(({ part, detail }) => `${part}: ${detail}`) });
    } catch {
      // See above.
    }
  }
}
