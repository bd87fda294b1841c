/**
 * A small file in memory that other processes may replace: it is checked once a second, whether anybody asks or not, so that a change on
 * the command line counts soon and no request waits for the disk. Reading is synchronous: the file has some kilobytes, and is read only
 * after a change.
 */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { stampOf } from '../http/file-stamp.ts';
import type { Log } from '../log.ts';

const LOOK_MS = 1_000;

/** What is watched, and who is told. */
export interface Watched<Content> {
  readonly path: string;
  /** For the log: `API keys`. */
  readonly what: string;
  /** Throws if the file exists and cannot be used. */
  readonly read: (path: string) => Content;
  /** Called with each new content. */
  readonly changed: (content: Content) => void;
  readonly log: Log;
}

/** Looks at these files once a second, with one timer, until the disposer is called. */
export function watchFiles(clock: Clock, files: readonly { look(): void }[]): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(LOOK_MS, () => {
      for (const file of files) file.look();
      next();
    });
  };
  next();
  return () => cancel();
}

/** Calls `changed` with the content at once, and with each new one when somebody looks. */
export class WatchedFile<Content> {
  readonly #watched: Watched<Content>;
  #stamp: string;

  /** Throws if the file exists and cannot be used. */
  constructor(watched: Watched<Content>) {
    this.#watched = watched;
    this.#stamp = stampOf(watched.path);
    watched.changed(watched.read(watched.path));
  }

  /** Reads the file again if it has changed. */
  look(): void {
    const { path, what, read, changed, log } = this.#watched;
    try {
      const stamp = stampOf(path);
      if (stamp === this.#stamp) return;
      this.#stamp = stamp;
      changed(read(path));
      log.info(`the ${what} have changed`);
    } catch (error) {
      log.error({ reason: messageOf(error) }, `the ${what} cannot be read again; the last ones stay valid`);
    }
  }
}
