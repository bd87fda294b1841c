/**
 * A port that stays reserved for the meter while nothing listens on it. The system gives closed ports of its own range to the next
 * who asks, so this one is taken from below that range (it begins at 32768 or higher).
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FROM = 20_000;
const BELOW = 32_000;
const ATTEMPTS = 50;

const promised = new Set<number>();

/** A port that is free now and not reserved in this process. Give it back with `releasePort`. */
export async function reservePort(host: string): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FROM, BELOW);
    if (promised.has(port)) continue;
    promised.add(port);
    if (await canListen(host, port)) return port;
    promised.delete(port);
  }
  throw new Error(`no free port on ${host} in ${ATTEMPTS} attempts`);
}

/** The system may give it to others again. */
export const releasePort = (port: number): void => void promised.delete(port);

/** False where the port is taken; Windows keeps some for itself (EACCES). Any other error is thrown: a wrong host is not cured by another port. */
function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    );
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
