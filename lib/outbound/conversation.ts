/** A connection to one checked address, for a protocol that the caller speaks. It is closed when the conversation ends, also after an error. */
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OutboundAddress } from './address.ts';
import type { Talk } from './contract.ts';
import { outboundError, pinned } from './pinned.ts';

/** A far end that sends more is cut off. */
const MOST_BYTES = 65_536;

/**
 * Opens a connection to a checked address. Closes it when `talk` has settled, when the signal aborts, or when too many
 * bytes arrive.
 */
export async function conversation<T>(
  address: OutboundAddress,
  found: readonly string[],
  talk: Talk<T>,
  signal: AbortSignal,
): Promise<T> {
  const socket = open(address, found);
  const broken = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  broken.catch(() => {});
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) socket.destroy(new Error(`more than ${MOST_BYTES} bytes came`));
  });
  // The caller has its listeners before more data can come.
  socket.pause();
  try {
    await Promise.race([once(socket, address.isTls ? 'secureConnect' : 'connect', { signal }), broken]);
    const result = await Promise.race([talk(socket, signal), broken]);
    // Data that was written still goes out.
    socket.destroySoon();
    return result;
  } catch (error) {
    socket.destroy();
    throw outboundError(address.name, error, signal);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function open({ host, port, isTls }: OutboundAddress, found: readonly string[]): Socket {
  const lookup = pinned(found);
  if (!isTls) return connectTcp({ host, port, lookup });
  // An IP address is no server name of TLS.
  return connectTls({ host, port, lookup, ...(isIP(host) === 0 && { servername: host }) });
}
