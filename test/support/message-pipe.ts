/** Two ends of a link in one process. Messages go as JSON text, in order, each in a turn of its own. */
import type { MessagePipe } from '../../lib/remote/contract.ts';

export interface PipeEnd extends MessagePipe {
  /** Bytes that wait, as a test says. */
  waiting: number;
  /** The texts that were sent from here. */
  readonly sent: string[];
}

/** The line between the two ends: it may stand still, and be cut. */
export interface PipeLine {
  /** While it is true nothing arrives at either end. */
  isSilent: boolean;
  cut(reason?: string): void;
}

class End implements PipeEnd {
  waiting = 0;
  readonly sent: string[] = [];
  readonly ended: Promise<string>;
  readonly #closed = Promise.withResolvers<string>();
  readonly #line: PipeLine;
  #listener: ((message: unknown) => void) | undefined;
  #early: unknown[] = [];
  #isOver = false;
  other: End | undefined;

  constructor(line: PipeLine) {
    this.#line = line;
    this.ended = this.#closed.promise;
  }

  send(message: object): void {
    if (this.#isOver) return;
    const text = JSON.stringify(message);
    this.sent.push(text);
    queueMicrotask(() => {
      if (!this.#line.isSilent) this.other?.take(JSON.parse(text));
    });
  }

  receive(listener: (message: unknown) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  take(message: unknown): void {
    if (this.#isOver) return;
    if (this.#listener) this.#listener(message);
    else this.#early.push(message);
  }

  close(reason: string): void {
    this.end(reason);
    queueMicrotask(() => this.other?.end(reason));
  }

  end(reason: string): void {
    this.#isOver = true;
    this.#closed.resolve(reason);
  }
}

/** `near` and `far` are alike. */
export function messagePipe(): { near: PipeEnd; far: PipeEnd; line: PipeLine } {
  const line: PipeLine = {
    isSilent: false,
    cut(reason = 'the line was cut') {
      near.end(reason);
      far.end(reason);
    },
  };
  const near = new End(line);
  const far = new End(line);
  near.other = far;
  far.other = near;
  return { near, far, line };
}
