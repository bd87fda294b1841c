/**
 * Who is signed in. A session is opened by a sign-in and found by its cookie, of which only the hash is kept. It ends by sign-out, by a time
 * without use, by its age, and as soon as its person or key is changed, removed or revoked; its WebSockets end with it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Tables } from '../../store/contract.ts';
import { hashOf } from '../key-text.ts';
import { type Holder, SESSIONS } from '../tables.ts';

/** A session as it is stored; times in ms UTC. */
export interface SessionRecord {
  /** 16 hexadecimal digits, no secret. */
  readonly id: string;
  /** SHA-256 of the cookie, hex. */
  readonly hash: string;
  readonly holder: Holder;
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string;
  readonly created: number;
  readonly used: number;
}

/** Most sessions of a gateway: beyond it the one that was not used for longest ends. */
export const MOST_SESSIONS = 5_000;
/** Most sessions of one person or key. */
export const MOST_SESSIONS_OF_ONE = 50;
/** So long until uses, and ends by time, are written. */
const WRITE_MS = 60_000;
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
  readonly tables: Tables;
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

/** All sessions, in memory and in the store. */
export class Sessions {
  readonly #parts: SessionsParts;
  /** By the hash of the cookie, those that were used last at the end. */
  readonly #open = new Map<string, Open>();
  /** Hashes of sessions whose use, or whose end, is not written yet. */
  readonly #unwritten = new Set<string>();
  #times: SessionTimes;
  #cancelSweep = () => {};
  #cancelWrite: (() => void) | undefined;

  private constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#times = parts.times;
  }

  /** With those that the store has. Errors: STORAGE_FAILED. */
  static async open(parts: SessionsParts): Promise<Sessions> {
    const sessions = new Sessions(parts);
    const records = await parts.tables.read((rows) => rows.find(SESSIONS, { order: { used: 'asc' } }));
    for (const record of records) sessions.#keep(record);
    sessions.review();
    sessions.#sweep();
    return sessions;
  }

  /** Counts from now on, for sessions that are open, too. */
  change(times: SessionTimes): void {
    this.#times = times;
    this.review();
  }

  /** A new session: the text of its cookie, which is nowhere else, and when it ends. Resolves when it is on the disk. Errors: STORAGE_FULL, STORAGE_FAILED. */
  async begin(
    holder: Holder,
    from: Pick<SessionRecord, 'address' | 'agent'>,
  ): Promise<{ cookie: string; session: LastingSession }> {
    const cookie = randomBytes(32).toString('base64url');
    const now = this.#parts.clock.now();
    const record: SessionRecord = {
      id: randomBytes(8).toString('hex'),
      hash: hashOf(cookie),
      holder,
      address: from.address,
      agent: from.agent.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, LONGEST_AGENT),
      created: now,
      used: now,
    };
    await this.#parts.tables.write((rows) => rows.add(SESSIONS, [record]));
    this.#makeRoom(ownerOf(holder));
    return { cookie, session: shown(this.#keep(record)) };
  }

  /** The session of a cookie, and its holder as it is now. Counts as a use. */
  use(cookie: string): LastingSession | undefined {
    const open = this.#open.get(hashOf(cookie));
    if (!open || !this.#check(open)) return undefined;
    const { hash } = open.record;
    open.record = { ...open.record, used: this.#parts.clock.now() };
    this.#open.delete(hash);
    this.#open.set(hash, open);
    this.#writeLater(hash);
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

  /** Ends it, its WebSockets too. Resolves when that is on the disk; a session whose end cannot be written lasts. Errors: STORAGE_FULL, STORAGE_FAILED. */
  async end(hash: string): Promise<void> {
    const open = this.#open.get(hash);
    if (!open) return;
    await this.#parts.tables.write((rows) => rows.remove(SESSIONS, { hash }));
    this.#drop(open);
  }

  /** Ends those whose person or key has changed, and those whose time is over. */
  review(): void {
    for (const open of [...this.#open.values()]) this.#check(open);
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    this.#cancelSweep();
    await this.#write();
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
    return false;
  }

  #drop({ record, end }: Open): void {
    this.#open.delete(record.hash);
    end.abort();
    this.#writeLater(record.hash);
  }

  #writeLater(hash: string): void {
    this.#unwritten.add(hash);
    this.#cancelWrite ??= this.#parts.clock.after(WRITE_MS, () => void this.#write());
  }

  /** Never rejects: a session that has ended counts for nothing, whatever the store says of it. */
  async #write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const hashes = [...this.#unwritten];
    if (hashes.length === 0) return;
    this.#unwritten.clear();
    try {
      await this.#parts.tables.write(async (rows) => {
        const ended = hashes.filter((hash) => !this.#open.has(hash));
        await rows.remove(SESSIONS, { hash: ended });
        for (const hash of hashes) {
          const used = this.#open.get(hash)?.record.used;
          // Changed, never put: a session whose end is written meanwhile must not come back.
          if (used !== undefined) await rows.change(SESSIONS, { hash }, { used });
        }
      });
    } catch (error) {
      for (const hash of hashes) this.#unwritten.add(hash);
      this.#parts.log.warn({ reason: messageOf(error) }, 'the sessions cannot be written');
    }
  }

  #makeRoom(owner: string): void {
    const all = [...this.#open.values()];
    const own = all.filter(({ record }) => ownerOf(record.holder) === owner);
    const [oldest] = own.length >= MOST_SESSIONS_OF_ONE ? own : all.length >= MOST_SESSIONS ? all : [];
    if (oldest) this.#drop(oldest);
  }

  #sweep(): void {
    this.#cancelSweep = this.#parts.clock.after(SWEEP_MS, () => {
      this.review();
      this.#sweep();
    });
  }
}

const shown = ({ record, end }: Open): LastingSession => ({ ...record, ended: end.signal });
