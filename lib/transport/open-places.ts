/**
 * Keeps the local port of each open connection on the disk. After a power loss of this computer, or a cut connection,
 * the other end stays open. A meter that serves only one connection then serves nobody.
 * A new connection from the same address and port ends it. The meter's system answers to the old connection. This
 * computer does not know that connection and resets it (RFC 9293, 3.10.7.4 and 3.5.1).
 *
 * One small file per peer. It is written after a connection has opened, and removed when the other end is known to be
 * closed.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from './contract.ts';

export class OpenPlaces {
  readonly #folder: string;
  /** Local ports that may still be open at their other end, by file name; undefined: none. */
  readonly #left = new Map<string, number | undefined>();
  readonly #work = new Map<string, Promise<void>>();

  /** Creates the folder. Errors: those of the file system. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Of a connection that this peer may still have open, also from an earlier process; undefined: none. */
  left(peer: Address): number | undefined {
    const name = nameOf(peer);
    if (!this.#left.has(name)) this.#left.set(name, portIn(join(this.#folder, name)));
    return this.#left.get(name);
  }

  /** A connection is open. While another connection may hold the place, the port of that connection stays. */
  opened(peer: Address, localPort: number): void {
    if (this.left(peer) === undefined) this.#write(peer, localPort);
  }

  /** The peer answers on this connection: it has no other connection. */
  served(peer: Address, localPort: number): void {
    if (this.left(peer) === undefined) return;
    this.#left.set(nameOf(peer), undefined);
    this.#write(peer, localPort);
  }

  /** Our end is closed. `isKnown`: the peer has closed its end; otherwise it may not know. */
  closed(peer: Address, localPort: number, isKnown: boolean): void {
    if ((this.left(peer) ?? localPort) !== localPort) return;
    if (isKnown) this.ended(peer);
    else this.#left.set(nameOf(peer), localPort);
  }

  ended(peer: Address): void {
    this.#left.set(nameOf(peer), undefined);
    this.#after(peer, () => rm(join(this.#folder, nameOf(peer)), { force: true }));
  }

  /** All changes are on the disk. Never rejects: with a full disk, the next power loss has its usual effect. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.values());
  }

  #write(peer: Address, localPort: number): void {
    const file = join(this.#folder, nameOf(peer));
    this.#after(peer, () => writeFile(file, String(localPort), { flush: true, mode: 0o600 }));
  }

  #after(peer: Address, work: () => Promise<void>): void {
    const name = nameOf(peer);
    const done = (this.#work.get(name) ?? Promise.resolve()).then(work).catch(() => {});
    this.#work.set(name, done);
    void done.then(() => {
      if (this.#work.get(name) === done) this.#work.delete(name);
    });
  }
}

function portIn(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** A file name that is valid on any system; hosts that differ only in case are the same. */
const nameOf = ({ host, port }: Address): string =>
  Buffer.from(`${host.toLowerCase()} ${port}`).toString('hex').slice(0, 240);
