/**
 * Connections of a gateway that may lose its meters to another gateway. Its right to act is checked directly before
 * each connection and directly before each send: a process can stand still at any other point.
 */
import { GatewayError } from '../errors.ts';
import type { ByteStream, Transport } from './contract.ts';

/** `mayAct`: true while no other gateway can have the meters. Errors of `dial`: STOPPING if it is false. */
export function leased(transport: Transport, mayAct: () => boolean): Transport {
  const { resolve } = transport;
  return {
    ...(resolve && { resolve: (address, signal) => resolve.call(transport, address, signal) }),
    async dial(address, signal, resolved) {
      if (!mayAct()) throw new GatewayError('STOPPING', 'Another instance of the gateway may have this meter now.');
      const stream = await transport.dial(address, signal, resolved);
      return new LeasedStream(stream, mayAct);
    },
  };
}

/** The same stream; if the gateway has lost its right to act, `send` drops the stream instead. */
class LeasedStream implements ByteStream {
  readonly #stream: ByteStream;
  readonly #mayAct: () => boolean;

  constructor(stream: ByteStream, mayAct: () => boolean) {
    this.#stream = stream;
    this.#mayAct = mayAct;
  }

  get peer() {
    return this.#stream.peer;
  }

  get ended() {
    return this.#stream.ended;
  }

  get ending() {
    return this.#stream.ending;
  }

  get traffic() {
    return this.#stream.traffic;
  }

  receive(listener: (chunk: Uint8Array) => void): void {
    this.#stream.receive(listener);
  }

  readPending(): Promise<void> {
    return this.#stream.readPending();
  }

  send(bytes: Uint8Array): void {
    if (this.#mayAct()) this.#stream.send(bytes);
    else this.#stream.destroy('another instance of the gateway may have the meter now');
  }

  close(reason: string): void {
    this.#stream.close(reason);
  }

  destroy(reason: string): void {
    this.#stream.destroy(reason);
  }
}
