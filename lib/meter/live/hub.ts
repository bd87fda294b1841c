/**
 * One source of frames, many watchers. It keeps only the last frame and the last status of the feed. Publishing is
 * synchronous and never waits for a watcher; a watcher that throws is removed, and the others continue.
 */
import { messageOf } from '../../errors.ts';
import { guarded } from '../../guarded.ts';
import type { Log } from '../../log.ts';
import type { Feed, FeedEnd, FeedStatus, Watcher } from '../contract.ts';

interface HubParts {
  readonly log: Pick<Log, 'warn'>;
  readonly onWatched: () => void;
  readonly onUnwatched: () => void;
}

interface Word<Name extends string> {
  readonly name: Name;
  readonly detail: string;
}

const FINE: Word<FeedStatus> = { name: 'ok', detail: '' };

export class Hub<Frame> implements Feed<Frame> {
  readonly #parts: HubParts;
  readonly #watchers = new Set<Watcher<Frame>>();
  #status: Word<FeedStatus> = FINE;
  #last: { readonly frame: Frame } | undefined;
  #closed: Word<FeedEnd> | undefined;

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get state(): FeedStatus {
    return this.#status.name;
  }

  /** After its disposer was called a watcher gets no more calls, even if the feed is sending just then. */
  watch(watcher: Watcher<Frame>): () => void {
    const entry = bound(watcher);
    const closed = this.#closed;
    if (closed) {
      this.#tell(entry, (it) => it.end(closed.name, closed.detail));
      return () => {};
    }
    this.#watchers.add(entry);
    if (this.#watchers.size === 1) this.#parts.onWatched();
    this.#greet(entry);
    return () => this.#remove(entry);
  }

  publish(frame: Frame): void {
    this.#last = { frame };
    this.#tellAll((watcher) => watcher.frame(frame));
  }

  /** Informs the watchers; an equal status is not repeated. */
  status(name: FeedStatus, detail: string): void {
    if (name === this.#status.name && detail === this.#status.detail) return;
    this.#status = { name, detail };
    this.#tellAll((watcher) => watcher.status(name, detail));
  }

  reset(): void {
    this.#last = undefined;
    this.#status = FINE;
  }

  /** Ends it for all present watchers; a later watcher starts it again. */
  end(reason: FeedEnd, detail: string): void {
    this.reset();
    const leaving = [...this.#watchers];
    this.#watchers.clear();
    // Before the watchers are informed: one of them may watch again at once.
    if (leaving.length > 0) this.#parts.onUnwatched();
    for (const watcher of leaving) this.#tell(watcher, (it) => it.end(reason, detail));
  }

  /** Ends it for all present and all later watchers. */
  close(reason: FeedEnd, detail: string): void {
    this.#closed ??= { name: reason, detail };
    this.end(reason, detail);
  }

  #greet(watcher: Watcher<Frame>): void {
    const { name, detail } = this.#status;
    const last = this.#last;
    if (name !== 'ok') this.#tell(watcher, (it) => it.status(name, detail));
    else if (last) this.#tell(watcher, (it) => it.frame(last.frame));
  }

  /** A copy of the list: watchers may come and go meanwhile. */
  #tellAll(say: (watcher: Watcher<Frame>) => void): void {
    for (const watcher of [...this.#watchers]) {
      if (this.#watchers.has(watcher)) this.#tell(watcher, say);
    }
  }

  #tell(watcher: Watcher<Frame>, say: (watcher: Watcher<Frame>) => void): void {
    guarded(say, (error) => {
      this.#parts.log.warn({ error: messageOf(error) }, 'a watcher failed and was removed');
      this.#remove(watcher);
    })(watcher);
  }

  #remove(watcher: Watcher<Frame>): void {
    if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#parts.onUnwatched();
  }
}

/** A separate entry for each call of `watch`: a watcher that watches twice is two entries, and disposers do not mix. */
const bound = <Frame>(watcher: Watcher<Frame>): Watcher<Frame> => ({
  frame: (frame) => watcher.frame(frame),
  status: (status, detail) => watcher.status(status, detail),
  end: (reason, detail) => watcher.end(reason, detail),
});
