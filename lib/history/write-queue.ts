/**
 * Rows on the way to the disk: packed on arrival, and written by another part every half second, all meters in one
 * batch. A failed batch is kept and tried again. Meanwhile rows above the limit are lost and counted.
 *
 * The journal stores the rows in this form, and they are read off the main thread. One row:
 *
 *   series u16 | at u32 | steps u8 | flags u8 | each level i16 | samples u8 | sample i16 ...    (little-endian)
 *
 * The journal names the levels of the rows with each batch; rows of earlier releases have the levels of `UNNAMED`.
 */
import { type Clock, unlessAborted } from '../clock.ts';
import { FLAGS } from '../domain/flags.ts';
import { KEPT } from '../domain/quantities.ts';
import { messageOf } from '../errors.ts';
import { guarded } from '../guarded.ts';
import type { Log } from '../log.ts';
import { checkBatch } from './check.ts';
import type { Appended, Batch, HistoryStatus, RecordingState, SecondRow, SeriesKey } from './contract.ts';
import { centiOf, centiOfMean, energyOfCenti, NONE, STEPS_A_SECOND } from './rows/bytes.ts';
import { noLevels, placeOf } from './rows/columns.ts';
import type { PackedSecond } from './rows/seconds.ts';
import { type IntervalRecord, storedInterval } from './stored/columns.ts';

/** A crash costs at most twice this: these rows, and the unfinished second. */
const FLUSH_MS = 500;
const FIRST_RETRY_MS = 1_000;
/** Rows are recorded within two seconds after the disk has room again. */
const SLOWEST_RETRY_MS = 1_500;
/** After so many consecutive batches whose rows mostly existed, it is not an accident: 5 s or more. */
const DROPPED_BATCHES = 10;
/** Over three minutes of 200 meters; 4 MB. */
const MOST_WAITING = 50_000;

/** Rows and intervals have the number of their series in the list. */
export interface PackedBatch {
  readonly series: readonly SeriesKey[];
  /** Output of `PackedRows`. */
  readonly rows: Uint8Array;
  readonly intervals: readonly { readonly series: number; readonly row: IntervalRecord }[];
}

interface Written {
  /** Rows dropped since the process started, because their time already had a row. */
  readonly duplicates: number;
}

interface WriteQueueParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Writes all rows or none. `null` with `sync`: only makes sure that earlier writes are on the disk. */
  readonly write: (batch: PackedBatch | null, sync: boolean) => Promise<Written>;
  readonly problemOf: (error: unknown) => Exclude<RecordingState, 'recording' | 'closed'>;
  readonly mostWaiting?: number | undefined;
}

class Filling {
  readonly #places = new Map<string, number>();
  readonly #rows = new PackedRows();
  readonly #series: SeriesKey[] = [];
  readonly #intervals: { series: number; row: IntervalRecord }[] = [];

  get count(): number {
    return this.#rows.rows + this.#intervals.length;
  }

  add({ unitId, source, channel, weighting, seconds = [], intervals = [] }: Batch, most: number): number {
    const { frequency, time } = weighting;
    const place = this.#place({ unitId, source, ...(channel && { channel }), weighting: { frequency, time } });
    const before = this.count;
    for (const row of seconds.slice(0, most)) this.#rows.add(place, row);
    for (const row of intervals.slice(0, Math.max(0, most - seconds.length)))
      this.#intervals.push({ series: place, row: storedInterval(row) });
    return this.count - before;
  }

  batch(): PackedBatch {
    return { series: this.#series, rows: this.#rows.bytes, intervals: this.#intervals };
  }

  #place(key: SeriesKey): number {
    const text = JSON.stringify(key);
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#series.length);
    return this.#series.push(key) - 1;
  }
}

export class WriteQueue {
  readonly #parts: WriteQueueParts;
  readonly #listeners = new Set<(status: HistoryStatus) => void>();
  #filling = new Filling();
  #held: Filling | undefined;
  #writing: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #failures = 0;
  #state: RecordingState = 'recording';
  #since: number;
  #reason: string | null = null;
  #lost = 0;
  #duplicates = 0;
  /** Consecutive batches whose rows were mostly dropped. */
  #dropped = 0;
  #away: string | null = null;
  #damage: string | null = null;

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
    this.#since = parts.clock.now();
  }

  get status(): HistoryStatus {
    const waiting = this.#filling.count + (this.#held?.count ?? 0);
    const state = { state: this.#state, since: this.#since, reason: this.#reason, away: this.#away };
    return {
      ...state,
      waiting,
      lost: this.#lost,
      duplicates: this.#duplicates,
      drops: this.#drops,
      damage: this.#damage,
    };
  }

  get #drops(): boolean {
    return this.#dropped >= DROPPED_BATCHES;
  }

  onState(listener: (status: HistoryStatus) => void): () => void {
    const { log } = this.#parts;
    const own = guarded(listener, (error) =>
      log.error({ err: error }, 'a listener for the state of the history failed'),
    );
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  append(batch: Batch): Appended {
    checkBatch(batch);
    const offered = (batch.seconds?.length ?? 0) + (batch.intervals?.length ?? 0);
    const room = (this.#parts.mostWaiting ?? MOST_WAITING) - this.status.waiting;
    const taken = this.#state === 'closed' || room <= 0 ? 0 : this.#filling.add(batch, room);
    this.#lost += offered - taken;
    this.#schedule();
    return { taken, lost: offered - taken };
  }

  noteAway(away: string | null): void {
    const before = this.#away;
    this.#away = away;
    const { log } = this.#parts;
    if (before === null && away !== null)
      log.error(
        { reason: away },
        'the shared database takes no levels: they stay on this computer until it takes them',
      );
    else if (before !== null && away === null) log.info({}, 'the shared database takes levels again');
  }

  /** A page of the file cannot be read. It does not repair itself: the state stays until the next start. */
  noteDamage(reason: string): void {
    if (this.#damage !== null) return;
    this.#damage = reason;
    this.#parts.log.error(
      { reason },
      'the history is damaged: some levels cannot be read. Stop the gateway and restore a backup of it (slm restore), or find the damage with npm run history -- verify',
    );
  }

  /** Rejects with the error of the first write that fails. */
  async flush(signal?: AbortSignal): Promise<void> {
    const wait = <T>(work: Promise<T>) => (signal ? unlessAborted(work, signal) : work);
    // Rows that arrive meanwhile wait for the next flush.
    for (let rounds = 0; rounds < 2 && (this.#held || this.#filling.count > 0); rounds++) await wait(this.#writeNow());
    if (this.#held) await wait(this.#writeNow());
    await wait(this.#parts.write(null, true));
  }

  /** One last attempt; rows that cannot be written are lost. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    await this.flush().catch((error: unknown) => {
      const { waiting } = this.status;
      this.#lost += waiting;
      this.#parts.log.error(
        { rows: waiting, reason: messageOf(error) },
        'the last rows of the history were not written',
      );
    });
    this.#cancel?.();
    this.#change('closed', null);
  }

  #schedule(): void {
    if (this.#cancel || this.#writing || this.#state === 'closed') return;
    if (!this.#held && this.#filling.count === 0) return;
    const pause = FIRST_RETRY_MS * 2 ** (this.#failures - 1);
    const wait = this.#failures === 0 ? FLUSH_MS : Math.min(pause, SLOWEST_RETRY_MS);
    this.#cancel = this.#parts.clock.after(wait, () => {
      this.#cancel = undefined;
      this.#writeNow().catch(() => {});
    });
  }

  #writeNow(): Promise<void> {
    if (!this.#writing) {
      const writing = this.#write().finally(() => {
        this.#writing = undefined;
        this.#schedule();
      });
      this.#writing = writing;
    }
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (!this.#held) {
      this.#held = this.#filling;
      this.#filling = new Filling();
    }
    try {
      const { duplicates } = await this.#parts.write(this.#held.batch(), false);
      this.#noteDropped(duplicates - this.#duplicates, this.#held.count);
      this.#duplicates = Math.max(this.#duplicates, duplicates);
      this.#held = undefined;
      this.#failures = 0;
      this.#change('recording', null);
    } catch (error) {
      this.#failures += 1;
      this.#change(this.#parts.problemOf(error), messageOf(error));
      throw error;
    }
  }

  /** `dropped`: rows since the batch before. Rows copied to a shared database count, too, but only once. */
  #noteDropped(dropped: number, rows: number): void {
    const before = this.#drops;
    this.#dropped = 2 * dropped >= rows ? this.#dropped + 1 : 0;
    const { log } = this.#parts;
    if (!before && this.#drops)
      log.error({}, 'levels are dropped: their times have levels already; see the clock of this computer');
    else if (before && !this.#drops) log.info({}, 'levels are kept again');
  }

  #change(state: RecordingState, reason: string | null): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#reason = reason;
    this.#since = this.#parts.clock.now();
    const { status } = this;
    if (state === 'full' || state === 'failing') this.#parts.log.error({ ...status }, 'levels are not being recorded');
    else if (state === 'recording') this.#parts.log.info({ ...status }, 'levels are recorded again');
    for (const listener of this.#listeners) listener(status);
  }
}

const LEVELS_AT = 8;

const MOST_BYTES = LEVELS_AT + 2 * KEPT.length + 1 + 2 * STEPS_A_SECOND;

export class PackedRows {
  rows = 0;
  #bytes = Buffer.alloc(16_384);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** `series`: number of the series in the batch, below 65,536. */
  add(series: number, row: SecondRow): void {
    if (this.#length + MOST_BYTES > this.#bytes.length) {
      const larger = Buffer.alloc(this.#bytes.length * 2);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    const bytes = this.#bytes;
    let at = bytes.writeUInt16LE(series, this.#length);
    at = bytes.writeUInt32LE(row.at, at);
    at = bytes.writeUInt8(row.steps, at);
    at = bytes.writeUInt8(flagBits(row), at);
    for (const name of KEPT) at = bytes.writeInt16LE(centiOf(row[name] ?? null), at);
    const samples = row.lp ?? [];
    at = bytes.writeUInt8(samples.length, at);
    for (const sample of samples) at = bytes.writeInt16LE(centiOf(sample), at);
    this.#length = at;
    this.rows += 1;
  }
}

const flagBits = ({ flags }: SecondRow): number =>
  flags ? FLAGS.reduce((bits, name, bit) => bits | (flags[name] ? 1 << bit : 0), 0) : 0;

const meanOf = (samples: readonly number[]): number =>
  centiOfMean(
    samples.reduce((sum, sample) => sum + energyOfCenti(sample), 0),
    samples.length,
  );

/** `row.offset` counts from the full hour. Both objects are used again for the next row. */
type RowVisitor = (series: number, at: number, row: PackedSecond, samples: readonly number[]) => void;

/** `names`: the levels of each row. Unknown levels are skipped. */
export function visitRows(bytes: Buffer, names: readonly string[], visit: RowVisitor): void {
  const levels = noLevels();
  const row: PackedSecond = { offset: 0, steps: 0, flags: 0, levels, lp: NONE };
  const samples: number[] = [];
  const places = names.map(placeOf);
  const samplesAt = LEVELS_AT + 2 * names.length;
  let at = 0;
  while (at < bytes.length) {
    const series = bytes.readUInt16LE(at);
    const time = bytes.readUInt32LE(at + 2);
    row.offset = time % 3_600;
    row.steps = bytes.readUInt8(at + 6);
    row.flags = bytes.readUInt8(at + 7);
    for (let index = 0; index < places.length; index++) {
      const place = places[index] ?? -1;
      if (place >= 0) levels[place] = bytes.readInt16LE(at + LEVELS_AT + 2 * index);
    }
    const count = bytes.readUInt8(at + samplesAt);
    at += samplesAt + 1;
    samples.length = 0;
    for (let sample = 0; sample < count; sample++) samples.push(bytes.readInt16LE(at + 2 * sample));
    row.lp = row.steps === 0 ? meanOf(samples) : NONE;
    visit(series, time, row, samples);
    at += 2 * count;
  }
}
