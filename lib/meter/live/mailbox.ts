/**
 * Sits in front of one client's connection and holds at most one frame: the newest. Knows no socket; it is given a way to
 * send and a way to ask how many bytes the network has not taken yet.
 *
 *   flowing --too many bytes under way--> full --drained--> flowing
 *                                          full for too long --> tooSlow, once
 *
 * While full it checks by itself whether the client has drained. It does not wait for the next frame, because a feed
 * that falls silent would leave it full for ever.
 */
import type { Clock } from '../../clock.ts';

/** How to send, and when a client counts as too slow: bytes that wait, ms without progress. */
export interface MailboxParts<Frame> {
  readonly clock: Clock;
  /** Hands one frame to the network. `missed`: frames that this client did not get since its last one. */
  readonly send: (frame: Frame, missed: number) => void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: () => number;
  /** The client has been full for `slowMs` without a break. Nothing is sent afterwards. */
  readonly tooSlow: () => void;
  /** More bytes than this under way: the client is full. */
  readonly fullBytes: number;
  readonly slowMs: number;
}

/** How often a full client is checked. */
const LOOK_MS = 50;

/** The frames on their way to one client. */
export interface Mailbox<Frame> {
  /** Sends the frame, or keeps it until there is room; a newer one takes its place. */
  offer(frame: Frame): void;
  /** The client has gone: nothing is sent or called any more. May be called twice. */
  close(): void;
  /** All frames that did not reach the client. */
  readonly dropped: number;
}

/** Empty at first. It sets a timer only while something waits. */
export function createMailbox<Frame>(parts: MailboxParts<Frame>): Mailbox<Frame> {
  const { clock, send, buffered, tooSlow, fullBytes, slowMs } = parts;
  let newest: { readonly frame: Frame } | undefined;
  let missed = 0;
  let dropped = 0;
  let fullSince: number | undefined;
  let cancelLook = () => {};
  let closed = false;

  const isFull = () => buffered() > fullBytes;

  const close = () => {
    closed = true;
    newest = undefined;
    cancelLook();
  };

  const deliver = (frame: Frame) => {
    const lost = missed;
    missed = 0;
    send(frame, lost);
  };

  const keep = (frame: Frame) => {
    if (newest) {
      missed += 1;
      dropped += 1;
    }
    newest = { frame };
    if (fullSince !== undefined) return;
    fullSince = clock.elapsed();
    cancelLook = clock.after(LOOK_MS, look);
  };

  const look = () => {
    if (!isFull()) return release();
    if (clock.elapsed() - (fullSince ?? 0) >= slowMs) {
      close();
      return tooSlow();
    }
    cancelLook = clock.after(LOOK_MS, look);
  };

  const release = () => {
    cancelLook();
    fullSince = undefined;
    const last = newest;
    newest = undefined;
    if (last) deliver(last.frame);
  };

  return {
    offer(frame) {
      if (closed) return;
      if (isFull()) return keep(frame);
      if (fullSince !== undefined) release();
      deliver(frame);
    },
    close,
    get dropped() {
      return dropped;
    },
  };
}
