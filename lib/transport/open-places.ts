/**
 * Which local port each open connection has, kept on the disk. After a power loss of this computer, or a connection that was cut, the other
 * end of the connection stays open, and a meter that serves one connection serves nobody. A new connection from the same address and port ends it: the
 * meter's system answers to the old one, which this computer does not know any more, and resets it (RFC 9293, 3.10.7.4 and 3.5.1).
 *
 * One small file a peer, written when a connection has opened, removed when the other end is known to have ended it.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from './contract.ts';

/** The connections of one data folder. */
export class OpenPlaces {
  readonly #folder: string;
  /** Local ports of connections that may still be open at their other end, by file name; undefined: there is none. Read when somebody asks. */
  readonly #left = new Map<string, number | undefined>();
  /** The last work on each file: one after the other. */
  readonly #work = new Map<string, Promise<void>>();

  /** Makes the folder. Errors: those of the file system. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** The local port of a connection that this peer may still have open, also of an earlier process; undefined: there is none. */
  left(peer: Address): number | undefined {
    const name = nameOf(peer);
    if (!this.#left.has(name)) this.#left.set(name, portIn(join(this.#folder, name)));
    return this.#left.get(name);
  }

  /** A connection is open. While another one may have the place, the port of that one stays. */
  opened(peer: Address, localPort: number): void {
    if (this.left(peer) === undefined) this.#write(peer, localPort);
  }

  /** The peer answers on this connection: it has no other one. */
  served(peer: Address, localPort: number): void {
    if (this.left(peer) === undefined) return;
    this.#left.set(nameOf(peer), undefined);
    this.#write(peer, localPort);
  }

  /** Our end is closed. `isKnown`: the peer has closed its own; else it may not know. */
  closed(peer: Address, localPort: number, isKnown: boolean): void {
    if ((this.left(peer) ?? localPort) !== localPort) return;
    if (isKnown) this.ended(peer);
    else this.#left.set(nameOf(peer), localPort);
  }

  /** Nothing of this peer is open. */
  ended(peer: Address): void {
    this.#left.set(nameOf(peer), undefined);
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

function portIn(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** A name of a file of any system; letters of a host in any case are one. */
const nameOf = ({ host, port }: Address): string =>
  Buffer.from(`${host.toLowerCase()} ${port}`).toString('hex').slice(0, 240);
