/**
 * One source of frames, many watchers. Publishing is synchronous and never waits for a watcher; a watcher that throws
 * is removed, and the others continue. The mailbox (`mailbox.ts`) counts frames that are lost on the way to a watcher.
 */
export type FeedStatus = 'ok' | 'interrupted' | 'lost';

/** A watcher must return quickly. */
export interface Watcher<Frame> {
  /** True for one that keeps frames and shows them to nobody: where another instance has the session they may come some ten milliseconds later, which costs less. Default: false. */
  readonly mayWait?: boolean;
  frame(frame: Frame): void;
  /** The status of the feed changed; `detail` has the reason, for a person. */
  status(status: FeedStatus, detail: string): void;
  /** The feed has ended for good; no further calls follow. */
  end(reason: FeedEnd, detail: string): void;
}

/**
 * Reason for the end of a feed: the unit was removed or its TCP switched off, the gateway stops, or the source gave up.
 */
export type FeedEnd = 'removed' | 'stopping' | 'failed';

/** The frames of one meter, for any number of watchers. */
export interface Feed<Frame> {
  /** Adds a watcher. A watcher that joins a running feed gets its last frame at once. The disposer removes it. */
  watch(watcher: Watcher<Frame>): () => void;
  readonly watchers: number;
  /** Watchers that want each frame at once. */
  readonly viewers: number;
  /** The present status: `ok` also before the first frame and while nobody watches. */
  readonly state: FeedStatus;
}
