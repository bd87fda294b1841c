/** Servers and connections of the operating system. */
import type { Server } from 'node:net';

/** Answers the port. Rejects where the port is taken. Port 0 takes any free one. */
export async function listening(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

const TURNS = 4;

/**
 * Resolves after a few turns of the event loop. A client that closes a connection and opens the next one sends its end before its
 * SYN, but the system may report the two in the other order. After these turns every end that was sent before has been read, so
 * a decision that depends on it is the same each time.
 */
export async function endsAreRead(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
