/** A viewer of a feed that writes down all that it gets. */

import type { FeedEnd, FeedStatus, LiveFrame, Watcher } from '../../../lib/meter/contract.ts';

export class Viewer implements Watcher<LiveFrame> {
  readonly counters: number[] = [];
  readonly statuses: FeedStatus[] = [];
  readonly details: string[] = [];
  ended: FeedEnd | undefined;

  frame({ frame }: LiveFrame): void {
    this.counters.push(frame.counter);
  }

  status(status: FeedStatus, detail: string): void {
    this.statuses.push(status);
    this.details.push(detail);
  }

  end(reason: FeedEnd, detail: string): void {
    this.ended = reason;
    this.details.push(detail);
  }
}
