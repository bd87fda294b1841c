/**
 * The fast stream of one unit for those who watch it here, wherever its session is. It watches the session of the moment, tells its
 * watchers when there is none, and goes on when there is one again.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { LiveFrame, Meter } from '../meter/contract.ts';
import type { Feed, FeedEnd, FeedStatus, Watcher } from '../meter/live/contract.ts';
import { Hub } from '../meter/live/hub.ts';
import type { SessionPlace } from './session-place.ts';

/** What the stream needs. */
export interface SharedFeedParts {
  readonly unitId: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Frames that came while there was no gateway: they go first. They are given once. */
  readonly kept: () => readonly LiveFrame[];
  /** The session has ended: there may be another one, or none, or the unit is gone. */
  readonly look: () => void;
  /** A frame of the present session has come. */
  readonly onFrame: () => void;
  /** Where the present session is. */
  readonly place: () => Pick<SessionPlace, 'isHere' | 'view'> | undefined;
}

/** A session whose stream ended while the unit goes on is watched again after so long, ms. */
const AGAIN_MS = 1_000;

/** The watcher of one session. */
interface SessionWatch {
  unwatch(): void;
  /** A frame or a status came. */
  hasSpoken: boolean;
}

/** Nobody watches, and there is no session at first. */
export class SharedFeed implements Feed<LiveFrame> {
  readonly #hub: Hub<LiveFrame>;
  readonly #parts: SharedFeedParts;
  #session: Meter | undefined;
  /** Why there is no session, in words. */
  #why = '';
  #watching: SessionWatch | undefined;
  #disarm = () => {};
  /** A feed that ended before it said anything was watched once more. */
  #isSecond = false;
  #isClosed = false;

  constructor(parts: SharedFeedParts) {
    this.#parts = parts;
    this.#hub = new Hub({
      log: parts.log,
      onWatched: () => {},
      onUnwatched: () => {
        this.#leave();
        this.#hub.reset();
        if (!this.#session) this.#hub.status('interrupted', this.#why);
      },
      onViewed: (isViewed) => {
        if (this.#watching) this.#view(isViewed);
      },
    });
  }

  get watchers(): number {
    return this.#hub.watchers;
  }

  get viewers(): number {
    return this.#hub.viewers;
  }

  get state(): FeedStatus {
    return this.#hub.state;
  }

  /** The session is watched when the first watcher has been told what there is already: it is told the rest once. */
  watch(watcher: Watcher<LiveFrame>): () => void {
    const leave = this.#hub.watch(watcher);
    if (!this.#watching && this.watchers > 0) this.#watch();
    return leave;
  }

  /** The session of the moment; undefined: there is none, `why` in words. */
  follow(session: Meter | undefined, why: string): void {
    if (this.#isClosed) return;
    const before = this.#session;
    this.#session = session;
    this.#why = why;
    if (session === before && session) return;
    this.#leave();
    if (!session) this.#hub.status(this.#hub.state === 'lost' ? 'lost' : 'interrupted', why);
    else if (this.#hub.watchers > 0) {
      if (before) this.#hub.status('interrupted', MOVED);
      this.#watch();
    } else this.#hub.reset();
  }

  /** There is no session for so long that nobody should wait for the next frame. */
  lose(why: string): void {
    if (!this.#session) this.#why = why;
    if (!this.#isClosed) this.#hub.status('lost', why);
  }

  /** Ends it for all present and all later watchers. */
  close(reason: FeedEnd, detail: string): void {
    this.#isClosed = true;
    this.#leave();
    this.#hub.close(reason, detail);
  }

  #leave(): void {
    this.#disarm();
    const watching = this.#watching;
    this.#watching = undefined;
    watching?.unwatch();
  }

  #watch(): void {
    this.#leave();
    if (!this.#session) return;
    const own: SessionWatch = { unwatch: () => {}, hasSpoken: false };
    this.#watching = own;
    let isGreeting = true;
    let last: LiveFrame | undefined;
    let ended: (() => void) | undefined;
    const unwatch = this.#session.feed.watch({
      // Whether somebody sees its frames is said by itself: it changes while this goes on.
      mayWait: true,
      frame: (frame) => {
        if (isGreeting) last = frame;
        else this.#frame(own, frame);
      },
      status: (status, detail) => {
        if (this.#watching !== own) return;
        own.hasSpoken = true;
        this.#hub.status(status, detail);
      },
      end: (reason, detail) => {
        ended = () => this.#ended(own, reason, detail);
        if (!isGreeting) ended();
      },
    });
    isGreeting = false;
    own.unwatch = unwatch;
    // The last watcher has left when it was told the status.
    if (this.#watching !== own) {
      unwatch();
      return;
    }
    if (this.viewers > 0) this.#view(true);
    const kept = this.#parts.kept();
    for (const frame of kept) this.#frame(own, frame);
    if (last && kept.length === 0) this.#frame(own, last);
    ended?.();
  }

  #view(isViewed: boolean): void {
    const { place, unitId } = this.#parts;
    place()?.view?.(unitId, isViewed);
  }

  #frame(own: SessionWatch, frame: LiveFrame): void {
    if (this.#watching !== own) return;
    own.hasSpoken = true;
    this.#isSecond = false;
    this.#parts.onFrame();
    this.#hub.status('ok', '');
    this.#hub.publish(frame);
  }

  #ended(own: SessionWatch, reason: FeedEnd, detail: string): void {
    if (this.#watching !== own) return;
    this.#watching = undefined;
    if (reason === 'failed') {
      this.#failed(own, detail);
      return;
    }
    // Its session is over; the unit is not, unless its config says so.
    this.#parts.look();
    if (this.#isClosed || this.#watching || !this.#session) return;
    this.#hub.status('interrupted', detail);
    this.#disarm = this.#parts.clock.after(AGAIN_MS, () => {
      if (this.#hub.watchers > 0) this.#watch();
    });
  }

  /** The word of another instance may still be about the session before: it is asked once more. */
  #failed(own: SessionWatch, detail: string): void {
    const isCertain = own.hasSpoken || this.#isSecond || this.#parts.place()?.isHere !== false;
    this.#isSecond = !isCertain;
    if (isCertain) this.#hub.end('failed', detail);
    else this.#watch();
  }
}

const MOVED = 'The session with the meter goes on at another instance.';
