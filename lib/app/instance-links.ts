/** The links of a gateway to the instances that serve sessions: each is opened again and again while its instance is there. */
import { type Clock, sleep } from '../clock.ts';
import type { MemberRow } from '../cluster/contract.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { MessagePipe } from '../remote/contract.ts';
import type { SharedMeters } from '../remote/shared-meters.ts';
import { LinkLasting, UNREACHED_MS } from './link-lasting.ts';

/** What they need. */
export interface InstanceLinksParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** What comes over them goes there. */
  readonly meters: Pick<SharedMeters, 'link' | 'stay'>;
  /** Rejects with the reason where the instance is not reached in time. */
  readonly open: (other: MemberRow, signal: AbortSignal) => Promise<MessagePipe>;
}

/** Until it is tried again, ms. */
const AGAIN_MS = 1_000;

interface Link {
  /** As it was seen last. */
  other: MemberRow;
  readonly end: AbortController;
  readonly lasting: LinkLasting;
  /** When the last trouble with it began, on the monotonic clock. */
  troubleAt: number;
}

/** Of one gateway. There are none at first. */
export class InstanceLinks {
  readonly #parts: InstanceLinksParts;
  /** By instance and epoch. */
  readonly #links = new Map<string, Link>();

  constructor(parts: InstanceLinksParts) {
    this.#parts = parts;
  }

  /** True while one instance that may be given units has no link that carries messages. */
  get lacksOne(): boolean {
    return [...this.#links.values()].some(({ other, lasting }) => other.linked && !lasting.carries);
  }

  /** Instances that have had no link for some time, or where one begins and ends again and again. */
  get lacking(): readonly MemberRow[] {
    const now = this.#parts.clock.elapsed();
    const lacks = ({ troubleAt, lasting }: Link) => now - troubleAt >= UNREACHED_MS && !lasting.isGood(now);
    return [...this.#links.values()].filter(lacks).map(({ other }) => other);
  }

  /** The instances that serve sessions now. */
  keep(others: readonly MemberRow[]): void {
    const { clock, meters } = this.#parts;
    const keys = new Map(others.map((other) => [`${other.id} ${other.epoch}`, other]));
    for (const [key, link] of this.#links) {
      if (keys.has(key)) continue;
      link.end.abort(new Error('the instance has left'));
      this.#links.delete(key);
    }
    for (const [key, other] of keys) {
      const present = this.#links.get(key);
      if (present) {
        present.other = other;
        continue;
      }
      const begun = { end: new AbortController(), lasting: new LinkLasting(), troubleAt: clock.elapsed() };
      const link: Link = { other, ...begun };
      this.#links.set(key, link);
      void this.#hold(link);
    }
    meters.stay(this.lacksOne);
  }

  /** This instance is not the gateway any more. */
  end(): void {
    for (const { end } of this.#links.values()) end.abort(new Error('this instance is not the gateway any more'));
  }

  /** Until the signal aborts. Never rejects. */
  async #hold(link: Link): Promise<void> {
    const { clock, log, meters, open } = this.#parts;
    const { other } = link;
    const { signal } = link.end;
    let isTold = false;
    while (!signal.aborted) {
      try {
        const pipe = await open(other, signal);
        // One that opens, and is silent or ends at once, is none.
        meters.link(other.id, pipe, () => {
          log.info({ instance: other.name }, 'the sessions of another instance are linked');
          isTold = false;
          link.lasting.began(clock.elapsed());
          meters.stay(this.lacksOne);
        });
        const end = () => pipe.close('the gateway has ended the link');
        signal.addEventListener('abort', end, { once: true });
        const reason = await pipe.ended;
        signal.removeEventListener('abort', end);
        const isNews = !isTold && !signal.aborted;
        isTold ||= !link.lasting.carries;
        if (link.lasting.ended(clock.elapsed())) link.troubleAt = clock.elapsed();
        if (!signal.aborted) meters.stay(this.lacksOne);
        if (isNews) log.warn({ instance: other.name, reason }, 'the link to another instance has ended');
      } catch (error) {
        if (!isTold && !signal.aborted)
          log.warn({ instance: other.name, reason: messageOf(error) }, 'another instance cannot be linked');
        isTold = true;
      }
      await sleep(clock, AGAIN_MS, signal).catch(() => {});
    }
  }
}
