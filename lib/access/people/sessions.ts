/**
 * Sessions of signed-in people. A session is opened by a sign-in and found by its cookie; only the hash of the cookie
 * is stored. It ends by sign-out, after a time without use, and by its age. It also ends when its person or key is
 * changed, removed or revoked. Its WebSockets end with it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Tables } from '../../store/contract.ts';
import type { Arrival } from '../contract.ts';
import { hashOf } from '../key-text.ts';
import { type Holder, SESSIONS, type SessionRecord } from '../tables.ts';

/** Most sessions of a gateway: above it the session with the oldest use ends. */
export const MOST_SESSIONS = 5_000;
export const MOST_SESSIONS_OF_ONE = 50;
const WRITE_MS = 60_000;
const SWEEP_MS = 60_000;
const LONGEST_AGENT = 200;

export interface SessionTimes {
  readonly idleMs: number;
  readonly mostMs: number;
}

interface SessionsParts {
  readonly tables: Tables;
  readonly times: SessionTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** The holder with its present rights; undefined: it is gone, or has changed since the sign-in. */
  readonly present: (holder: Holder) => Holder | undefined;
}

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

export class Sessions {
  readonly #parts: SessionsParts;
  /** By the hash of the cookie, the least recently used first. */
  readonly #open = new Map<string, Open>();
  readonly #unwritten = new Set<string>();
  #times: SessionTimes;
  #cancelSweep = () => {};
  #cancelWrite: (() => void) | undefined;

  private constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#times = parts.times;
  }

  /** Errors: STORAGE_FAILED. */
  static async open(parts: SessionsParts): Promise<Sessions> {
    const sessions = new Sessions(parts);
    const records = await parts.tables.read((rows) => rows.find(SESSIONS, { order: { used: 'asc' } }));
    for (const record of records) sessions.#keep(record);
    sessions.review();
    sessions.#sweep();
    return sessions;
  }

  change(times: SessionTimes): void {
    this.#times = times;
    this.review();
  }

  /** The text of the cookie is stored nowhere. Resolves when it is on the disk. Errors: STORAGE_FULL, STORAGE_FAILED. */
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

  /** Counts as a use. */
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

  /** Does not count as a use. */
  lasts(hash: string): boolean {
    const open = this.#open.get(hash);
    return open !== undefined && this.#check(open);
  }

  /** The most recently used first. */
  get all(): readonly LastingSession[] {
    this.review();
    return [...this.#open.values()].map(shown).toReversed();
  }

  /** ms UTC. */
  endOf({ created, used }: SessionRecord): { readonly until: number; readonly idleUntil: number } {
    const until = created + this.#times.mostMs;
    return { until, idleUntil: Math.min(until, used + this.#times.idleMs) };
  }

  /** Resolves when the end is on the disk; a session whose end cannot be written lasts. Errors: STORAGE_FULL, STORAGE_FAILED. */
  async end(hash: string): Promise<void> {
    const open = this.#open.get(hash);
    if (!open) return;
    await this.#parts.tables.write((rows) => rows.remove(SESSIONS, { hash }));
    this.#drop(open);
  }

  review(): void {
    for (const open of [...this.#open.values()]) this.#check(open);
  }

  async close(): Promise<void> {
    this.#cancelSweep();
    await this.#write();
  }

  #keep(record: SessionRecord): Open {
    const open = { record, end: new AbortController() };
    this.#open.set(record.hash, open);
    return open;
  }

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

  /** Never rejects: an ended session stays ended, even if the store still has it. */
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
          // `change` and not `put`: a session whose end is written meanwhile must not come back.
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

const SESSION = 'slm_session';
const nameOf = (secure: boolean, name: string): string => (secure ? `__Host-${name}` : name);
/** base64url; browsers refuse a longer cookie. */
const FORM = /^[\w-]{1,4000}$/;

/**
 * Cookies of a session, and of a sign-in that has begun. Scripts cannot read such a cookie, and other sites cannot send
 * it with a change. Under TLS its name begins with `__Host-`: a browser accepts such a name only from this very host,
 * over TLS, for all paths.
 *
 * The value of `Set-Cookie`: the browser keeps it until it is closed. Empty: the browser deletes the cookie. `name`:
 * default session.
 */
export function cookieText({ secure }: Pick<Arrival, 'secure'>, value: string, name = SESSION): string {
  const parts = [`${nameOf(secure, name)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  if (value === '') parts.push('Max-Age=0');
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

/** Two cookies of the same name mean that somebody has set one for another path: neither counts. */
export function cookieIn({ headers, secure }: Pick<Arrival, 'headers' | 'secure'>, name = SESSION): string | undefined {
  const before = `${nameOf(secure, name)}=`;
  const found = (headers.cookie ?? '').split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(before) ? text.slice(before.length) : [];
  });
  const [value = ''] = found;
  return found.length === 1 && FORM.test(value) ? value : undefined;
}
