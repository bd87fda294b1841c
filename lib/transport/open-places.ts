/**
 * Which local port each open connection has, kept on the disk. After a power loss of this computer, or a connection that was cut, the other
 * end of the connection stays open, and a meter that serves one connection serves nobody. A new connection from the same address and port ends it: the
 * meter's system answers to the old one, which this computer does not know any more, and resets it (RFC 9293, 3.10.7.4 and 3.5.1).
 *
 * One small file a peer, written when a connection has opened, removed when the other end is known to have ended it.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from './contract.ts';

/** The connections of one data folder. */
export class OpenPlaces {
  readonly #folder: string;
  /** Local ports of connections that may still be open at their other end, by file name. */
  readonly #left = new Map<string, number>();
  /** The last work on each file: one after the other. */
  readonly #work = new Map<string, Promise<void>>();

  /** Reads what an earlier process has left. Makes the folder. Errors: those of the file system. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const port = Number(readFileSync(join(folder, name), 'utf8'));
      if (Number.isInteger(port) && port > 0 && port < 65_536) this.#left.set(name, port);
    }
  }

  /** The local port of a connection that this peer may still have open; undefined: there is none. */
  left(peer: Address): number | undefined {
    return this.#left.get(nameOf(peer));
  }

  /** A connection is open. While another one may have the place, the port of that one stays. */
  opened(peer: Address, localPort: number): void {
    if (this.left(peer) === undefined) this.#write(peer, localPort);
  }

  /** The peer answers on this connection: it has no other one. */
  served(peer: Address, localPort: number): void {
    if (this.#left.delete(nameOf(peer))) this.#write(peer, localPort);
  }

  /** Our end is closed. `isKnown`: the peer has closed its own; else it may not know. */
  closed(peer: Address, localPort: number, isKnown: boolean): void {
    const name = nameOf(peer);
    if ((this.#left.get(name) ?? localPort) !== localPort) return;
    if (!isKnown) this.#left.set(name, localPort);
    else this.ended(peer);
  }

  /** Nothing of this peer is open. */
  ended(peer: Address): void {
    this.#left.delete(nameOf(peer));
    this.#after(peer, () => rm(join(this.#folder, nameOf(peer)), { force: true }));
  }

  /** All that was said is on the disk. Never rejects: where the disk is full, the next power loss is as it was before. */
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

/** A name of a file of any system; letters of a host in any case are one. */
const nameOf = ({ host, port }: Address): string =>
  Buffer.from(`${host.toLowerCase()} ${port}`).toString('hex').slice(0, 240);
