/**
 * The audit log of a running gateway. Records are chained in memory in the order in which requests end, and written behind
 * at once: no answer waits for the disk. A crash may cost the records of its last moments, never the chain.
 */
import { mkdir } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { chained, type Link, parsed, START } from './chain.ts';
import type { AuditEntry, AuditQuery, AuditReader, AuditRecord, AuditWriter } from './contract.ts';
import { append, endOf, fileFor, filesIn, laterFile, linesOf, mend, remove } from './files.ts';
import { masked } from './mask.ts';

export interface JournalOptions {
  /** Made (mode 0700) where it does not exist. */
  readonly folder: string;
  /** Whole months that ended longer ago are taken away; 0 keeps everything. Days. */
  readonly keepDays: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Journal extends AuditWriter, AuditReader {
  /** Writes what is left. May be called twice. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** With a disk that takes nothing, records beyond this are lost, and the next one that is written says how many. */
const MOST_WAITING = 10_000;

export async function openJournal(options: JournalOptions): Promise<Journal> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const journal = new FileJournal(options, await lastLink(options));
  await journal.begin();
  return journal;
}

/** Where the chain goes on. A last line that is no record leaves a gap that the check will name. */
async function lastLink({ folder, log }: JournalOptions): Promise<Link> {
  for (const name of (await filesIn(folder)).reverse()) {
    const torn = await mend(folder, name);
    if (torn > 0) log.warn({ file: name, bytes: torn }, 'an unfinished last record of the audit log was cut off');
    let last: string | undefined;
    for await (const line of linesOf(folder, name)) last = line;
    const record = last === undefined ? undefined : parsed(last);
    if (record) return record;
    if (last !== undefined) log.error({ file: name }, 'the audit log is damaged: run npm run audit -- verify');
  }
  return START;
}

class FileJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #waiting: { readonly file: string; readonly text: string }[] = [];
  #last: Link;
  #lost = 0;
  #month = '';
  #writing: Promise<void> | undefined;

  constructor(options: JournalOptions, last: Link) {
    this.#options = options;
    this.#last = last;
  }

  async begin(): Promise<void> {
    const { folder, log, clock } = this.#options;
    this.#month = laterFile(fileFor(clock.now()), (await filesIn(folder)).at(-1) ?? '');
    log.info({ records: this.#last.n, head: this.#last.hash }, 'the audit log goes on here');
    await this.#retire();
  }

  add({ request, who, keyId, address, method, route, unitId, body, before, status, code, answer }: AuditEntry): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#lost += 1;
      // Nothing else would find out that the disk is back.
      this.#writing ??= this.#writeAll();
      return;
    }
    this.#chain('request', {
      request,
      who,
      key_id: keyId,
      address,
      method,
      route,
      unit_id: unitId,
      body: masked(body),
      before: masked(before),
      status,
      code: code ?? null,
      answer: masked(answer),
      ...(this.#lost > 0 && { lost: this.#lost }),
    });
    this.#lost = 0;
  }

  async read({ unitId, before = Number.POSITIVE_INFINITY, limit, units }: AuditQuery): Promise<readonly AuditRecord[]> {
    await this.#written();
    const wanted = (record: AuditRecord) =>
      record.n < before &&
      (unitId === undefined || record.unit_id === unitId) &&
      (units === null || units.includes(String(record.unit_id)));
    const found: AuditRecord[] = [];
    for (const name of (await filesIn(this.#options.folder)).reverse()) {
      found.push(...(await this.#latest(name, limit - found.length, wanted)));
      if (found.length >= limit) break;
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#written();
    if (this.#waiting.length === 0) return;
    this.#writing = this.#writeAll();
    await this.#written();
  }

  /** The last ones of a file that match, the newest first; holds no more than that. */
  async #latest(name: string, limit: number, wanted: (record: AuditRecord) => boolean): Promise<AuditRecord[]> {
    const kept: AuditRecord[] = [];
    for await (const line of linesOf(this.#options.folder, name)) {
      const record = parsed(line);
      if (!record || !wanted(record)) continue;
      kept.push(record);
      if (kept.length > limit) kept.shift();
    }
    return kept.reverse();
  }

  #chain(kind: AuditRecord['kind'], fields: Readonly<Record<string, unknown>>): void {
    const now = this.#options.clock.now();
    const record = chained(this.#last, { at: new Date(now).toISOString(), kind, ...fields });
    this.#last = record;
    const file = laterFile(fileFor(now), this.#month);
    this.#waiting.push({ file, text: `${JSON.stringify(record)}\n` });
    this.#writing ??= this.#writeAll();
    if (file !== this.#month) {
      this.#month = file;
      this.#retire().catch((error) => this.#complain(error));
    }
  }

  async #written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#write();
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Everything that waits for the same file, in one go. What could not be written stays first in line. */
  async #write(): Promise<void> {
    const file = this.#waiting[0]?.file ?? '';
    const other = this.#waiting.findIndex((line) => line.file !== file);
    const count = other < 0 ? this.#waiting.length : other;
    const text = this.#waiting.slice(0, count).map((line) => line.text);
    await append(this.#options.folder, file, text.join(''));
    this.#waiting.splice(0, count);
  }

  #complain(error: unknown): void {
    const { log } = this.#options;
    log.error({ reason: messageOf(error), waiting: this.#waiting.length }, 'the audit log could not be written');
  }

  /**
   * Takes old months away. An anchor record says first up to which record and hash they reached, so that the check knows
   * that what is left begins where it should.
   */
  async #retire(): Promise<void> {
    const { folder, keepDays, clock } = this.#options;
    if (keepDays === 0) return;
    const limit = clock.now() - keepDays * DAY_MS;
    const old = (await filesIn(folder)).filter((name) => endOf(name) <= limit);
    const last = old.at(-1);
    if (last === undefined) return;
    const [end] = await this.#latest(last, 1, () => true);
    if (!end) return;
    this.#chain('anchor', { removed_through: end.n, removed_hash: end.hash });
    await this.#written();
    if (this.#waiting.length === 0) for (const name of old) await remove(folder, name);
  }
}
