/**
 * The feeds that a gateway watches. They go on when it is lost, and what comes then is kept for the next one. This part outlives the
 * links.
 */
import type { Clock } from '../clock.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import type { LiveFrame } from '../meter/contract.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { FeedEnd, FeedStatus } from '../meter/live/contract.ts';
import { KeptFrames, type KeptLimits } from './kept-frames.ts';
import type { FrameOnLink } from './messages.ts';
import { SentFrames } from './sent-frames.ts';

/** Who hears of the feeds: the link of now. */
export interface FeedListener {
  frame(frame: FrameOnLink): void;
  kept(frames: readonly FrameOnLink[], unitId: string, lost: number): void;
  last(frame: FrameOnLink): void;
  status(unitId: string, status: FeedStatus, detail: string): void;
  end(unitId: string, reason: FeedEnd, detail: string): void;
}

/** What the feeds need. */
export interface ServedFeedsParts {
  readonly clock: Clock;
  readonly fleet: Pick<Fleet, 'meter'>;
  /** The unit is served here now. */
  readonly isServed: (unitId: string) => boolean;
  /** The unit was removed, not only given away. */
  readonly isGone: (unitId: string) => boolean;
  readonly limits: KeptLimits & FeedLimits;
}

/** A gateway that has confirmed nothing for so long, ms, may be lost: its link ends later. */
const UNCONFIRMED_MS = 3_000;

/** How long feeds go on that nobody has asked for again, ms: without a gateway, and after one has come. */
export interface FeedLimits {
  readonly withoutGatewayMs: number;
  readonly unclaimedMs: number;
}

/** Nobody watches at first. */
export class ServedFeeds {
  readonly #parts: ServedFeedsParts;
  readonly #kept: KeptFrames;
  readonly #sent: SentFrames;
  /** The feeds that are wanted, and how the present watcher of each is removed; undefined: the unit is not served now. */
  readonly #wanted = new Map<string, (() => void) | undefined>();
  /** Of a gateway that is lost: the next one has not asked for them yet. */
  readonly #unclaimed = new Set<string>();
  #listener: FeedListener | undefined;
  #disarm = () => {};

  constructor(parts: ServedFeedsParts) {
    this.#parts = parts;
    this.#kept = new KeptFrames(parts.clock, parts.limits);
    this.#sent = new SentFrames(parts.clock);
  }

  /** A gateway has come. What it does not ask for in time is not watched any longer. `had`: frames that came over its last link. */
  to(listener: FeedListener | undefined, had = 0): void {
    const { clock, limits } = this.#parts;
    this.#sent.had(had);
    this.#sent.next();
    this.#listener = listener;
    this.#disarm();
    this.#disarm = clock.after(limits.unclaimedMs, () => this.#drop());
  }

  /** The gateway was here: what it watches goes on without it. */
  hold(units: readonly string[]): void {
    for (const unitId of units) {
      if (this.#wanted.has(unitId)) continue;
      this.#wanted.set(unitId, undefined);
      this.#begin(unitId, true);
    }
    this.lost();
  }

  /** So many frames of this link have come. */
  had(frames: number): void {
    this.#sent.had(frames);
  }

  /** The gateway is lost. */
  lost(): void {
    const { clock, limits } = this.#parts;
    this.#listener = undefined;
    for (const unitId of this.#wanted.keys()) this.#unclaimed.add(unitId);
    this.#disarm();
    if (this.#unclaimed.size > 0) this.#disarm = clock.after(limits.withoutGatewayMs, () => this.#drop());
  }

  /** Frames of the unit are kept for the next gateway, from now on or still; or the gateway is silent, so that nobody would begin the stream elsewhere. */
  keeps(unitId: string): boolean {
    const isSilent = this.#sent.waitingMs > UNCONFIRMED_MS;
    return this.#unclaimed.has(unitId) || (isSilent && this.#wanted.has(unitId));
  }

  /** A frame of a feed. Of one that nobody has asked for again it is kept. True: the gateway here may have it now. */
  frame(frame: FrameOnLink): boolean {
    if (this.#unclaimed.has(frame[0])) this.#kept.add(frame);
    else if (this.#listener) {
      this.#sent.add(frame);
      this.#listener.frame(frame);
    } else return true;
    return false;
  }

  watch(unitId: string): void {
    const before = this.#wanted.get(unitId);
    const kept = this.take(unitId);
    const hasKept = kept.frames.length > 0 || kept.lost > 0;
    if (hasKept && this.#listener) {
      this.#sent.add(...kept.frames);
      this.#listener.kept(kept.frames, unitId, kept.lost);
    }
    this.#wanted.set(unitId, undefined);
    this.#begin(unitId, hasKept);
    before?.();
  }

  unwatch(unitId: string): void {
    const remove = this.#wanted.get(unitId);
    this.#wanted.delete(unitId);
    this.#unclaimed.delete(unitId);
    this.#forget(unitId);
    remove?.();
  }

  /** What was kept of a unit. It is asked for again with this. */
  take(unitId: string): { readonly frames: readonly FrameOnLink[]; readonly lost: number } {
    const { clock, limits } = this.#parts;
    this.#unclaimed.delete(unitId);
    const sent = this.#sent.take(unitId);
    const young = sent.filter(([, , elapsed]) => clock.elapsed() - elapsed < limits.keptMs);
    const { frames, lost } = this.#kept.take(unitId);
    return { frames: [...young, ...frames], lost: lost + sent.length - young.length };
  }

  /** Takes the watcher of a lost gateway away, when the gateway here watches by itself. */
  claimedHere(unitId: string): void {
    const remove = this.#wanted.get(unitId);
    this.#wanted.delete(unitId);
    remove?.();
  }

  /** Which units are served has changed. */
  served(): void {
    for (const [unitId, remove] of [...this.#wanted]) {
      if (!remove && this.#parts.isServed(unitId)) this.#begin(unitId, false);
    }
  }

  close(): void {
    this.#disarm();
    for (const unitId of [...this.#wanted.keys()]) this.unwatch(unitId);
  }

  #forget(unitId: string): void {
    this.#kept.forget(unitId);
    this.#sent.take(unitId);
  }

  /** Those that nobody has asked for again. */
  #drop(): void {
    for (const unitId of [...this.#unclaimed]) this.unwatch(unitId);
    this.#sent.drop();
  }

  #begin(unitId: string, isQuiet: boolean): void {
    const { fleet, isServed, isGone } = this.#parts;
    if (!isServed(unitId) && !isGone(unitId)) return;
    let isGreeting = true;
    let hasEnded = false;
    const ended = (reason: FeedEnd, detail: string) => {
      hasEnded = true;
      if (this.#wanted.get(unitId) !== remove) return;
      // Another instance owns the unit now, or soon this one again.
      if (reason === 'stopping' || (!isServed(unitId) && !isGone(unitId))) {
        this.#wanted.set(unitId, undefined);
        this.#listener?.status(unitId, 'lost', detail);
        return;
      }
      this.#wanted.delete(unitId);
      this.#listener?.end(unitId, reason, detail);
    };
    let remove: (() => void) | undefined;
    try {
      const watched = fleet.meter(unitId).feed.watch({
        // The events of the fleet have the frames, also those that come after the last watcher has left.
        frame: (live) => {
          if (isGreeting && !isQuiet) this.#listener?.last(frameToLink(unitId, live));
        },
        status: (status, detail) => this.#listener?.status(unitId, status, detail),
        end: ended,
      });
      isGreeting = false;
      if (hasEnded) return;
      remove = watched;
      this.#wanted.set(unitId, remove);
    } catch (error) {
      ended(isGatewayError(error, 'STOPPING') ? 'stopping' : 'removed', messageOf(error));
    }
  }
}

/** Times as they are here. */
const frameToLink = (unitId: string, { at, elapsed, begun, shown, frame }: LiveFrame): FrameOnLink => [
  unitId,
  at,
  elapsed,
  begun,
  shown,
  frame,
];
