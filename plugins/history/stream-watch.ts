/** Keeps the fast stream of one meter running, as one of its viewers. Passes each frame on with its times of arrival. */
import type { FeedEnd, FeedStatus, Host, LiveFrame, Meter, Watcher } from '../../lib/index.ts';
import type { ArrivedFrame } from './recording/frame-clock.ts';

/** A meter that refuses the stream is asked again after this time, ms. */
const REFUSED_MS = 60_000;

/** The receivers of frames and of interruptions. */
export interface StreamWatchParts {
  readonly clock: Host['clock'];
  readonly meter: Meter;
  readonly onFrame: (frame: ArrivedFrame) => void;
  /** The stream is back after an interruption or a loss. */
  readonly onBack: () => void;
}

/** Watches until `stop`. */
export class StreamWatch implements Watcher<LiveFrame> {
  readonly mayWait = true;
  readonly #parts: StreamWatchParts;
  #unwatch: (() => void) | undefined;
  #disarm = () => {};
  #trouble: string | null = 'The stream has not begun yet.';
  #refused = false;
  #lost = false;
  #frames = 0;
  #interruptions = 0;
  #losses = 0;

  constructor(parts: StreamWatchParts) {
    this.#parts = parts;
  }

  /** The reason why no frames come, in words; null while they come. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** No frames come, and the cause is not a command: only readings can be recorded. */
  get isAway(): boolean {
    return this.#refused || this.#lost;
  }

  /** Asks for a refused stream at once. */
  retryNow(): void {
    if (this.#refused) this.start();
  }

  get frames(): number {
    return this.#frames;
  }

  /** How often a command interrupted the stream, or the meter sent no frame for some seconds. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /** How often the stream was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** May be called twice. */
  start(): void {
    this.#disarm();
    this.#unwatch ??= this.#parts.meter.feed.watch(this);
  }

  /** May be called twice. */
  stop(): void {
    this.#disarm();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  frame({ at, elapsed, begun, frame }: LiveFrame): void {
    this.#frames += 1;
    this.#trouble = null;
    this.#refused = false;
    this.#lost = false;
    this.#parts.onFrame({ frame, begun, time: at, elapsed });
  }

  status(status: FeedStatus, detail: string): void {
    this.#lost = status === 'lost';
    if (status === 'ok') {
      this.#trouble = null;
      this.#parts.onBack();
      return;
    }
    this.#trouble = detail;
    if (status === 'interrupted') this.#interruptions += 1;
    else this.#losses += 1;
  }

  end(reason: FeedEnd, detail: string): void {
    this.#unwatch = undefined;
    this.#trouble = detail;
    if (reason !== 'failed') return;
    this.#refused = true;
    this.#disarm = this.#parts.clock.after(REFUSED_MS, () => this.start());
  }
}
