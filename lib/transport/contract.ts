/**
 * An ordered pipe of bytes to one address. It knows no command, no line and no retry.
 */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * The allowed IP addresses for a host and port, at least one. Rejects with a GatewayError if none is allowed, or with
 * the resolver's error.
 */
export type FindAddresses = (host: string, port: number) => Promise<readonly string[]>;

/** Opens streams to meters. */
export interface Transport {
  /**
   * The IP addresses of the host, at least one. Rejects as `dial`. Without it a host is taken for an address of its own.
   */
  resolve?(address: Address, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Rejects with a `DialError`, with a GatewayError if the address is not allowed, or with the reason of the signal;
   * nothing stays open then. Sets no time limit of its own. `resolved`: a recent result of `resolve`.
   */
  dial(address: Address, signal: AbortSignal, resolved?: readonly string[]): Promise<ByteStream>;
}

/** Why a connection failed. */
export type DialFault = 'refused' | 'unreachable' | 'unresolved' | 'failed';

/** The connection failed; `fault` has the reason. */
export class DialError extends Error {
  readonly fault: DialFault;

  constructor(fault: DialFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DialError';
    this.fault = fault;
  }
}

/** How a connection ended: we closed it, the peer closed it (FIN), or it broke (RST, network). */
export interface Ending {
  readonly by: 'us' | 'peer' | 'fault';
  readonly reason: string;
}

/** An open connection: bytes in order, both ways. */
export interface ByteStream {
  readonly peer: string;
  /** Settles once, with the first ending. Never rejects. */
  readonly ended: Promise<Ending>;
  /** The same, readable without waiting; undefined while the connection is open. */
  readonly ending: Ending | undefined;
  readonly traffic: Readonly<{ sent: number; received: number }>;
  /**
   * Passes on every chunk in order; chunks before the first listener are kept for it. A listener that throws ends only
   * this connection, with a fault.
   */
  receive(listener: (chunk: Uint8Array) => void): void;
  /** Resolves when all bytes that have arrived at this computer by now have been passed on. */
  readPending(): Promise<void>;
  /**
   * Queues bytes for sending, in order. After the end it does nothing: a caller that waits for a reply sees `ended`.
   */
  send(bytes: Uint8Array): void;
  /** Closes the connection (FIN) after the queued bytes were sent. May be called twice. */
  close(reason: string): void;
  /** Drops the connection at once (RST). May be called twice; the first reason wins. */
  destroy(reason: string): void;
}

/** Address and port in one word, for messages; an IPv6 address has brackets. */
export const endpointOf = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
