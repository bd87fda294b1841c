/**
 * One source of frames, many watchers. Publishing is synchronous and never waits for a watcher; a watcher that throws is
 * removed, and the others go on. Frames that are lost on the way to a watcher are counted by its mailbox (`mailbox.ts`).
 */
export type FeedStatus = 'ok' | 'interrupted' | 'lost';

/** Who watches. It must return quickly. */
export interface Watcher<Frame> {
  /** True for one that keeps frames and shows them to nobody: where another instance has the session they may come some ten milliseconds later, which costs less. Default: false. */
  readonly mayWait?: boolean;
  frame(frame: Frame): void;
  /** The status of the feed changed; `detail` says why, for a person. */
  status(status: FeedStatus, detail: string): void;
  /** The feed is over for good; nothing follows. */
  end(reason: FeedEnd, detail: string): void;
}

/** Why a feed ends: the unit was removed or its TCP switched off, the gateway stops, or the source gave up. */
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
