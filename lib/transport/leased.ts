/**
 * Connections of a gateway that may lose its meters to another gateway. Its right to act is checked directly before
 * each connection and directly before each send: a process can stand still at any other point.
 */
import { GatewayError } from '../errors.ts';
import type { Transport } from './contract.ts';

/** `mayAct`: true while no other gateway can have the meters. Errors of `dial`: STOPPING if it is false. */
export function leased(transport: Transport, mayAct: () => boolean): Transport {
  const { resolve } = transport;
  return {
    ...(resolve && { resolve: resolve.bind(transport) }),
    async dial(address, signal, resolved) {
      if (!mayAct()) throw new GatewayError('STOPPING', 'Another instance of the gateway may have this meter now.');
      const stream = await transport.dial(address, signal, resolved);
      const send = stream.send.bind(stream);
      stream.send = (bytes) => {
        if (mayAct()) send(bytes);
        else stream.destroy('another instance of the gateway may have the meter now');
      };
      return stream;
    },
  };
}
