/**
 * The audit log of a running gateway. Records are chained in memory in the order in which requests end. A caller can
 * wait until its record is on the disk. Records that arrive during a write are written together, with one sync.
 */
import { mkdir } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { lastLink, latest } from './backward.ts';
import { agesFrom, append, chained, endOf, fileFor, filesIn, type Link, laterFile, remove, sizeOf } from './chain.ts';
import type {
  AuditEntry,
  AuditNotes,
  AuditQuery,
  AuditReader,
  AuditRecord,
  AuditSealer,
  AuditWriter,
  DaySeal,
} from './contract.ts';

const SECRET =
  /pass(?:word|phrase)?$|secret|token|ticket|credential|user_?name|authorization|^(?:api_?)?key$|^link$|^signature$|^endpoint$|^p256dh$|^auth$/i;
const MOST_BYTES = 4_096;
const MASK = '***';

/**
 * Limits the data of a request for the audit log: no secrets, and a limited size. A copy in which every text under a
 * name that sounds like a secret is `***`; a value that is too large becomes its size.
 */
export function withoutSecrets(value: unknown): unknown {
  if (value === undefined) return null;
  const copy = maskedPart(value, 0);
  const size = Buffer.byteLength(JSON.stringify(copy));
  return size > MOST_BYTES ? { left_out_bytes: size } : copy;
}

function maskedPart(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 8) return MASK;
  if (Array.isArray(value)) return value.map((part) => maskedPart(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      SECRET.test(name) && (typeof part === 'string' || typeof part === 'number') ? MASK : maskedPart(part, depth + 1),
    ]),
  );
}

/** Time until the next attempt after a failed one, ms; a new record also tries. */
const AGAIN_MS = 5_000;

/** For `/health`. `full`: no more records can wait. */
function notWritten(full: boolean): { readonly full: boolean; readonly detail: string } {
  const words = full ? 'further ones are lost' : 'they are lost if the process ends before it can';
  return { full, detail: `The audit log cannot be written. Its records wait in memory: ${words}.` };
}

export interface JournalOptions {
  /** Created (mode 0700) if it is missing. */
  readonly folder: string;
  /** Whole months that ended longer ago are removed; 0 keeps all. Days. */
  readonly keepDays: number;
  /**
   * Above this size the oldest months are removed early; if the rest is still too large, it takes no more records.
   * Bytes.
   */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
/** Share of the limit from which a warning is shown. */
const NEARLY_FULL = 0.9;
/** If the disk cannot be written, records above this number are lost. The next written record has their number. */
const MOST_WAITING = 10_000;

/** Opens or creates the log and continues after its last complete record. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const journal = new Journal(options, await lastLink(options));
  await journal.begin();
  return journal;
}

/** The audit log of a running gateway. */
export class Journal implements AuditWriter, AuditNotes, AuditReader, AuditSealer {
  #options: JournalOptions;
  readonly #waiting: { readonly file: string; readonly text: string; readonly done: () => void }[] = [];
  #last: Link;
  #lost = 0;
  #month = '';
  /** On the disk and waiting. */
  #bytes = 0;
  #retiring: Promise<void> | undefined;
  #isLogged = false;
  /** Seals whose record waits for the disk: a repeated request gets the same record. */
  readonly #unsealed = new Map<string, AuditRecord>();
  /** Ends the wait for the next attempt; undefined: the last one has not failed. */
  #cancelRetry: (() => void) | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: JournalOptions, last: Link) {
    this.#options = options;
    this.#last = last;
  }

  async begin(): Promise<void> {
    const { folder, log, clock } = this.#options;
    this.#month = laterFile(fileFor(clock.now()), (await filesIn(folder)).at(-1) ?? '');
    for (const name of await filesIn(folder)) this.#bytes += await sizeOf(folder, name);
    log.info({ records: this.#last.n, head: this.#last.hash }, 'the audit log goes on here');
    await this.#retire();
  }

  add(entry: AuditEntry): Promise<void> {
    const { request, who, keyId, address, method, route, unitId, params, body, before, status, code, answer } = entry;
    if (this.#loses()) return Promise.resolve();
    const { written } = this.#chain('request', {
      request,
      who,
      key_id: keyId,
      address,
      method,
      route,
      unit_id: unitId,
      ...(params && Object.keys(params).length > 0 && { params: withoutSecrets(params) }),
      body: withoutSecrets(body),
      before: withoutSecrets(before),
      status,
      code: code ?? null,
      answer: withoutSecrets(answer),
    });
    return written;
  }

  async seal(seal: DaySeal): Promise<AuditRecord> {
    const name = JSON.stringify(seal);
    const before = this.#unsealed.get(name);
    if (!before && (this.#waiting.length >= MOST_WAITING || this.#isFull))
      throw new Error('the audit log takes no more records');
    const { record, written } = before
      ? { record: before, written: this.#triedAgain() }
      : this.#chain('seal', { ...seal });
    await written;
    const waits = this.#waiting.some(({ text }) => text.includes(`"hash":"${record.hash}"`));
    this.#unsealed.delete(name);
    if (!waits) return record;
    this.#unsealed.set(name, record);
    throw new Error('the audit log cannot be written');
  }

  async note(kind: 'key', fields: Readonly<Record<string, unknown>>): Promise<AuditRecord | undefined> {
    if (this.#loses()) return undefined;
    const { record, written } = this.#chain(kind, fields);
    await written;
    return record;
  }

  async read({ unitId, before = Number.POSITIVE_INFINITY, limit, units }: AuditQuery): Promise<readonly AuditRecord[]> {
    await this.#written();
    const wanted = (record: AuditRecord) =>
      (unitId === undefined || record.unit_id === unitId) && (units === null || units.includes(String(record.unit_id)));
    const found: AuditRecord[] = [];
    for (const name of (await filesIn(this.#options.folder)).reverse()) {
      found.push(...(await latest(this.#options.folder, name, { before, limit: limit - found.length, wanted })));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** A warning for people; undefined while there is space. `full`: records are lost. */
  get shortage(): { readonly full: boolean; readonly detail: string } | undefined {
    if (this.#cancelRetry) return notWritten(this.#waiting.length >= MOST_WAITING);
    const share = this.#bytes / this.#options.maxBytes;
    if (share < NEARLY_FULL) return undefined;
    const words = this.#isFull ? 'is full and takes no more records' : `is ${Math.floor(share * 100)} % full`;
    return { full: this.#isFull, detail: `The audit log ${words}; move old months away or raise audit_max_mb.` };
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#options.maxBytes;
  }

  /** Applies these limits from now on: months that are too old or too large are removed. */
  retain(limits: Pick<JournalOptions, 'keepDays' | 'maxBytes'>): void {
    this.#options = { ...this.#options, ...limits };
    this.#makeRoom();
  }

  /** Writes the waiting records. May be called twice. */
  async close(): Promise<void> {
    await this.#retiring;
    await this.#written();
    await this.#triedAgain();
    this.#endRetry();
  }

  /** True: a new record is lost, and the next written record counts it. */
  #loses(): boolean {
    if (this.#waiting.length < MOST_WAITING && !this.#isFull) return false;
    if (this.#isFull) this.#makeRoom();
    this.#lost += 1;
    // Nothing else would notice that the disk works again.
    this.#beginWriting();
    return true;
  }

  #chain(kind: AuditRecord['kind'], fields: Readonly<Record<string, unknown>>) {
    const now = this.#options.clock.now();
    const lost = kind !== 'anchor' && this.#lost > 0 ? { lost: this.#lost } : {};
    const record = chained(this.#last, { at: new Date(now).toISOString(), kind, ...fields, ...lost });
    if (kind !== 'anchor') this.#lost = 0;
    this.#last = record;
    const file = laterFile(fileFor(now), this.#month);
    const text = `${JSON.stringify(record)}\n`;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#waiting.push({ file, text, done });
    this.#bytes += Buffer.byteLength(text);
    this.#beginWriting();
    if (file !== this.#month || this.#isFull) {
      this.#month = file;
      this.#makeRoom();
    }
    this.#tellShortage();
    return { record, written: promise };
  }

  async #written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #triedAgain(): Promise<void> {
    this.#beginWriting();
    return this.#written();
  }

  /** Without waiting records the write would end before it is noted, and would then count as running for ever. */
  #beginWriting(): void {
    if (this.#waiting.length > 0) this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#write();
      if (this.#cancelRetry) this.#options.log.info({}, 'the audit log is written again');
      this.#endRetry();
    } catch (error) {
      if (!this.#cancelRetry) this.#complain(error);
      this.#endRetry();
      this.#cancelRetry = this.#options.clock.after(AGAIN_MS, () => this.#beginWriting());
      // The records stay in the queue, but nobody waits for a disk that cannot be written.
      for (const { done } of this.#waiting) done();
    } finally {
      this.#writing = undefined;
    }
  }

  #endRetry(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  /** Writes all waiting records of one file at once. Records that could not be written stay first in the queue. */
  async #write(): Promise<void> {
    const file = this.#waiting[0]?.file ?? '';
    const other = this.#waiting.findIndex((line) => line.file !== file);
    const count = other < 0 ? this.#waiting.length : other;
    const text = this.#waiting.slice(0, count).map((line) => line.text);
    await append(this.#options.folder, file, text.join(''));
    for (const { done } of this.#waiting.splice(0, count)) done();
  }

  #complain(error: unknown): void {
    const { log } = this.#options;
    log.error({ reason: messageOf(error), waiting: this.#waiting.length }, 'the audit log could not be written');
  }

  #tellShortage(): void {
    const { shortage } = this;
    if (shortage && !this.#isLogged) this.#options.log[shortage.full ? 'error' : 'warn'](shortage.detail);
    this.#isLogged = shortage !== undefined;
  }

  #makeRoom(): void {
    this.#retiring ??= this.#retire()
      .catch((error) => this.#complain(error))
      .finally(() => {
        this.#retiring = undefined;
      });
  }

  /**
   * Removes old months, and further ones if the log is too large. Before that, an anchor record notes the last removed
   * record and hash: the check must know where the rest begins.
   */
  async #retire(): Promise<void> {
    const { folder } = this.#options;
    // If the disk cannot be written, the anchor cannot be written either.
    await this.#written();
    if (this.#waiting.length > 0) return;
    const old = await this.#oldMonths();
    const last = old.at(-1);
    if (last === undefined) return;
    const [end] = await latest(folder, last.name, { limit: 1 });
    if (!end) return;
    const bytes = old.reduce((sum, { size }) => sum + size, 0);
    this.#bytes -= bytes;
    void this.#chain('anchor', { removed_through: end.n, removed_hash: end.hash });
    await this.#written();
    if (this.#waiting.length > 0) this.#bytes += bytes;
    else for (const { name } of old) await remove(folder, name);
  }

  async #oldMonths(): Promise<{ readonly name: string; readonly size: number }[]> {
    const { folder, keepDays, maxBytes, clock } = this.#options;
    const names = await filesIn(folder);
    const from = agesFrom(names, this.#month, clock.now());
    const limit = keepDays === 0 ? Number.NEGATIVE_INFINITY : from - keepDays * DAY_MS;
    const old: { name: string; size: number }[] = [];
    let left = this.#bytes;
    for (const name of names) {
      if (name >= this.#month || (endOf(name) > limit && left < maxBytes)) break;
      const size = await sizeOf(folder, name);
      old.push({ name, size });
      left -= size;
    }
    return old;
  }
}
