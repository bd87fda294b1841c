/**
 * In front of one client's connection. Keeps at most one frame: the newest. Knows no socket; it gets a function that
 * sends, and a function that counts the bytes not yet taken by the network.
 *
 *   flowing --too many bytes under way--> full --drained--> flowing
 *                                          full for too long --> tooSlow, once
 *
 * While full it checks regularly whether the client has drained. It does not wait for the next frame, because a feed
 * that falls silent would leave it full for ever.
 */
import type { Clock } from '../../clock.ts';

/** How to send, and when a client counts as too slow: waiting bytes, ms without progress. */
export interface MailboxParts<Frame> {
  readonly clock: Clock;
  /** Passes one frame to the network. `missed`: frames that this client missed since its last one. */
  readonly send: (frame: Frame, missed: number) => void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: () => number;
  /** The client has been full for `slowMs` without a break. Nothing is sent afterwards. */
  readonly tooSlow: () => void;
  /** With more bytes under way the client is full. */
  readonly fullBytes: number;
  readonly slowMs: number;
}

/** How often a full client is checked. */
const LOOK_MS = 50;

/** The frames on their way to one client. */
export interface Mailbox<Frame> {
  /** Sends the frame, or keeps it until there is room; a newer frame replaces it. */
  offer(frame: Frame): void;
  /** The client has gone: no further frames and no further calls. May be called twice. */
  close(): void;
  /** All frames that did not reach the client. */
  readonly dropped: number;
}

/** Empty at first. It sets a timer only while a frame waits. */
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
