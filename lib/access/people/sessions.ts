/**
 * Who is signed in. A session is opened by a sign-in and found by its cookie, of which only the hash is kept. It ends by sign-out, by a time
 * without use, by its age, and as soon as its person or key is changed, removed or revoked; its WebSockets end with it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { hashOf } from '../key-text.ts';
import { LateFile } from '../late-file.ts';
import { type Holder, readSessions, type SessionRecord } from './session-file.ts';

/** Most sessions of a gateway: beyond it the one that was not used for longest ends. */
export const MOST_SESSIONS = 5_000;
/** Most sessions of one person or key. */
export const MOST_SESSIONS_OF_ONE = 50;
const SWEEP_MS = 60_000;
const LONGEST_AGENT = 200;

/** How long sessions last, ms. */
export interface SessionTimes {
  /** Without a request. */
  readonly idleMs: number;
  /** From the sign-in, whatever happens. */
  readonly mostMs: number;
}

/** What the sessions need. */
export interface SessionsParts {
  readonly path: string;
  readonly times: SessionTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** The holder as it is now; undefined: it is gone, or not what it was when it signed in. */
  readonly present: (holder: Holder) => Holder | undefined;
}

/** A session that lasts. */
export interface LastingSession extends SessionRecord {
  /** Aborts when it ends. */
  readonly ended: AbortSignal;
}

interface Open {
  record: SessionRecord;
  readonly end: AbortController;
}

/** In one word: `person 1a2b3c4d`. */
export const ownerOf = ({ kind, id }: Holder): string => `${kind} ${id}`;

/** All sessions, in memory and in their file. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #file: LateFile;
  /** By the hash of the cookie, those that were used last at the end. */
  readonly #open = new Map<string, Open>();
  #times: SessionTimes;
  #cancel = () => {};

  /** A file that cannot be read is no reason not to start: everybody signs in again. */
  constructor(parts: SessionsParts) {
    const { path, clock, log, times } = parts;
    this.#parts = parts;
    this.#times = times;
    const content = () => ({ version: 1, sessions: [...this.#open.values()].map(({ record }) => record) });
    this.#file = new LateFile({ path, what: 'the sessions', content, clock, log });
    try {
      for (const record of readSessions(path)) this.#keep(record);
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the sessions cannot be read: everybody has to sign in again');
    }
    this.review();
    this.#sweep();
  }

  /** Counts from now on, for sessions that are open, too. */
  change(times: SessionTimes): void {
    this.#times = times;
    this.review();
  }

  /** A new session: the text of its cookie, which is nowhere else, and when it ends. Resolves when it is on the disk. */
  async begin(
    holder: Holder,
    from: Pick<SessionRecord, 'address' | 'agent'>,
  ): Promise<{ cookie: string; session: LastingSession }> {
    this.#makeRoom(ownerOf(holder));
    const cookie = randomBytes(32).toString('base64url');
    const now = this.#parts.clock.now();
    const id = randomBytes(8).toString('hex');
    const agent = from.agent.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, LONGEST_AGENT);
    const open = this.#keep({
      id,
      hash: hashOf(cookie),
      holder,
      address: from.address,
      agent,
      created: now,
      used: now,
    });
    await this.#file.now();
    return { cookie, session: shown(open) };
  }

  /** The session of a cookie, and its holder as it is now. Counts as a use. */
  use(cookie: string): LastingSession | undefined {
    const open = this.#open.get(hashOf(cookie));
    if (!open || !this.#check(open)) return undefined;
    const { hash } = open.record;
    open.record = { ...open.record, used: this.#parts.clock.now() };
    this.#open.delete(hash);
    this.#open.set(hash, open);
    this.#file.later();
    return shown(open);
  }

  /** Whether it lasts; asking is no use. */
  lasts(hash: string): boolean {
    const open = this.#open.get(hash);
    return open !== undefined && this.#check(open);
  }

  /** All that last, the one that was used last first. */
  get all(): readonly LastingSession[] {
    this.review();
    return [...this.#open.values()].map(shown).toReversed();
  }

  /** When it ends if it is not used any more, and when at the latest; ms UTC. */
  endOf({ created, used }: SessionRecord): { readonly until: number; readonly idleUntil: number } {
    const until = created + this.#times.mostMs;
    return { until, idleUntil: Math.min(until, used + this.#times.idleMs) };
  }

  /** Ends it at once, its WebSockets too. Resolves when that is on the disk. */
  async end(hash: string): Promise<void> {
    const open = this.#open.get(hash);
    if (!open) return;
    this.#drop(open);
    await this.#file.now();
  }

  /** Ends those whose person or key has changed, and those whose time is over. */
  review(): void {
    for (const open of [...this.#open.values()]) this.#check(open);
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    this.#cancel();
    await this.#file.close();
  }

  #keep(record: SessionRecord): Open {
    const open = { record, end: new AbortController() };
    this.#open.set(record.hash, open);
    return open;
  }

  /** False, and then it has ended: its time is over, or its holder is not what it was. */
  #check(open: Open): boolean {
    const { record } = open;
    const holder = this.#parts.present(record.holder);
    const isOver = this.#parts.clock.now() >= this.endOf(record).idleUntil;
    if (holder && !isOver) return true;
    this.#drop(open);
    this.#file.later();
    return false;
  }

  #drop({ record, end }: Open): void {
    this.#open.delete(record.hash);
    end.abort();
  }

  #makeRoom(owner: string): void {
    const all = [...this.#open.values()];
    const own = all.filter(({ record }) => ownerOf(record.holder) === owner);
    const [oldest] = own.length >= MOST_SESSIONS_OF_ONE ? own : all.length >= MOST_SESSIONS ? all : [];
    if (oldest) this.#drop(oldest);
  }

  #sweep(): void {
    this.#cancel = this.#parts.clock.after(SWEEP_MS, () => {
      this.review();
      this.#sweep();
    });
  }
}

const shown = ({ record, end }: Open): LastingSession => ({ ...record, ended: end.signal });
