/** Messages between two instances of the gateway. Which there are: `messages.ts`; who implements it: whoever opens the link. */

/** Messages between two instances, in order. Each is an object that JSON can carry. */
export interface MessagePipe {
  /** Does nothing after the end. */
  send(message: object): void;
  /** Every message in order; those before the first listener are kept. Replaces the listener. */
  receive(listener: (message: unknown) => void): void;
  /** Bytes that wait to be sent. */
  readonly waiting: number;
  /** Settles once, with the reason. Never rejects. */
  readonly ended: Promise<string>;
  /** May be called twice; the first reason counts. */
  close(reason: string): void;
}
