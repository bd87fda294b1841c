/**
 * The present hours. Rows of hours that are not in the database yet are in the local journal. Every few seconds its new
 * entries go to the database, for all meters in one piece. After a takeover the other computer reads these rows as if
 * it had recorded them. A row that arrives twice is stored once.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SeriesKey } from '../contract.ts';
import type { Catalogue } from '../sqlite/catalogue.ts';
import { type JournalEntry, type JournalHead, renamed } from '../sqlite/journal.ts';
import type { RowWriter } from '../sqlite/recorder.ts';
import { type Work, waitFor } from '../stored/work.ts';
import type { PostgresDatabase, Statements } from './database.ts';

/** Size of a piece before compression, bytes; a thousand streamed meters have half a megabyte in five seconds. */
const PIECE_BYTES = 4_000_000;
/** Pieces per step: after a start a whole hour may have to go. */
const PIECES_A_STEP = 8;
const PIECES_AT_ONCE = 4;

interface PresentParts {
  readonly database: PostgresDatabase;
  readonly catalogue: Catalogue;
  readonly recorder: RowWriter;
  readonly path: string;
}

/** The journal of this computer in the database. One computer at a time may write it: the last one that began. */
export class PresentHours {
  readonly #parts: PresentParts;
  readonly #writer: string;
  #epoch = 0;
  /** The last entry of each piece in the database, in order. */
  #pieces: number[] = [];
  #shipped = 0;
  /** The rows under the name of this computer belong to another journal. */
  #isNew = true;
  #areOwnLost = false;
  /** The last piece that was read from another computer. */
  #taken: readonly [writer: string, entry: number] = ['', 0];
  #isAllTaken = false;
  /** Up to this entry the journal has rows of others; 0: none that must still be sent. */
  #takenUntil = 0;

  constructor(parts: PresentParts) {
    this.#parts = parts;
    this.#writer = `${hostname()} ${resolve(parts.path)}`;
  }

  /** This computer records from now on: late pieces of others are refused. */
  *begin(): Work<void> {
    yield* this.#claim(
      `insert into history_writer (writer, epoch) values ($1, 1)
       on conflict (is_only) do update set writer = excluded.writer, epoch = history_writer.epoch + 1 returning epoch`,
    );
    const own = yield* waitFor(
      this.#parts.database.rows<{ last: number }>('select last from history_present where writer = $1 order by last', [
        this.#writer,
      ]),
    );
    const { journalId } = this.#parts.recorder;
    const lasts = own.map(({ last }) => last);
    const latest = lasts.at(-1) ?? 0;
    // A new file also needs the own pieces back.
    this.#areOwnLost = journalId === 0;
    // Numbers start again after an empty journal.
    this.#isNew = journalId === 0 || latest > journalId;
    if (this.#isNew) return;
    this.#pieces = lasts;
    this.#shipped = latest;
  }

  *#claim(statement: string): Work<void> {
    const [row] = yield* waitFor(this.#parts.database.rows<{ epoch: number }>(statement, [this.#writer]));
    this.#epoch = row?.epoch ?? 0;
  }

  /** Reads the new pieces of other computers. */
  *takeOthers(): Work<void> {
    const { database, recorder } = this.#parts;
    while (!this.#isAllTaken) {
      const pieces = yield* waitFor(
        database.rows<{ writer: string; entry: number; entries: Buffer }>(
          `select writer, entry, entries from history_present where writer <> $1 and (writer, entry) > ($2, $3)
           order by writer, entry limit ${PIECES_AT_ONCE}`,
          [this.#areOwnLost ? '' : this.#writer, ...this.#taken],
        ),
      );
      for (const { writer, entry, entries } of pieces) {
        for (const one of unpacked(entries)) {
          recorder.absorb(one);
          yield null;
        }
        this.#taken = [writer, entry];
        this.#takenUntil = recorder.journalId;
      }
      this.#isAllTaken = pieces.length < PIECES_AT_ONCE;
    }
  }

  /** For a file that nobody records into: also its own pieces, if it has lost them. The database stays as it is. */
  *takeAll(): Work<void> {
    this.#areOwnLost = this.#parts.recorder.journalId === 0;
    yield* this.takeOthers();
  }

  /**
   * Sends new entries, and removes entries whose hours are finished in the database. Throws if another computer has
   * begun. `isCarried`: no finished hour is only on this computer.
   */
  *ship(isCarried: boolean): Work<void> {
    const { database, recorder } = this.#parts;
    // The thread has ended and started again.
    if (this.#epoch === 0)
      yield* this.#claim('update history_writer set epoch = epoch + 1 where writer = $1 returning epoch');
    for (let count = 0; count < PIECES_A_STEP; count++) {
      const needed = recorder.journalNeededFrom;
      const gone = isCarried ? needed : 0;
      const entries = recorder.entriesAfter(Math.max(this.#shipped, gone - 1), PIECE_BYTES);
      const last = entries.at(-1)?.id ?? recorder.journalId;
      const areTaken = isCarried && this.#isAllTaken && this.#takenUntil > 0 && last >= this.#takenUntil;
      const isDue = entries.length > 0 || areTaken || (this.#pieces[0] ?? gone) < gone;
      if (!isDue) return;
      const piece = entries.length > 0 ? this.#packed(entries) : undefined;
      const change = { first: entries[0]?.id ?? 0, last, piece, gone, areTaken };
      yield* waitFor(database.transaction((statements) => this.#write(change, statements)));
      this.#isNew = false;
      this.#pieces = this.#pieces.filter((end) => end >= gone);
      if (piece) this.#pieces.push(last);
      this.#shipped = last;
      if (areTaken) this.#takenUntil = 0;
      if (!piece) return;
      yield null;
    }
  }

  /** As `ship`, before the end; does nothing if this computer does not record. */
  *shipLast(): Work<void> {
    if (this.#epoch > 0) yield* this.ship(false);
  }

  async #write({ first, last, piece, gone, areTaken }: Change, statements: Statements): Promise<void> {
    const own = [this.#writer];
    await this.fence(statements);
    const before = this.#isNew ? Number.MAX_SAFE_INTEGER : gone;
    await statements.rows('delete from history_present where writer = $1 and last < $2', [...own, before]);
    if (piece)
      await statements.rows('insert into history_present (writer, entry, last, entries) values ($1, $2, $3, $4)', [
        ...[...own, first, last, piece],
      ]);
    // The rows of others are now among the own rows.
    if (areTaken) await statements.rows('delete from history_present where writer <> $1', own);
  }

  /** Throws if another computer has begun; nobody can begin before the transaction ends. */
  async fence(statements: Statements): Promise<void> {
    const own = await statements.rows('select 1 from history_writer where writer = $1 and epoch = $2 for share', [
      ...[this.#writer, this.#epoch],
    ]);
    if (own.length === 0) throw new Error('another gateway records levels with this database now');
  }

  #packed(entries: readonly JournalEntry[]): Buffer {
    const places = new Map<number, number>();
    const heads = entries.map(({ head, rows }): PieceHead => {
      const place = (series: number) => places.get(series) ?? places.set(series, places.size).size - 1;
      return { head: renamed(head, place), bytes: rows.length };
    });
    const series = [...places.keys()].map((id): SeriesKey => {
      const record = this.#parts.catalogue.get(id);
      if (!record) throw new Error(`the journal names a series that there is not: ${id}`);
      const { unitId, channel, source, weighting } = record;
      return { unitId, channel, source, weighting };
    });
    const words = Buffer.from(JSON.stringify({ series, heads }));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(words.length);
    return deflateRawSync(Buffer.concat([size, words, ...entries.map(({ rows }) => rows)]), { level: 1 });
  }
}

interface Change {
  readonly first: number;
  readonly last: number;
  readonly piece: Buffer | undefined;
  /** Pieces that end before this entry are in finished hours. */
  readonly gone: number;
  readonly areTaken: boolean;
}

interface PieceHead {
  /** Series by their index in the list of the piece. */
  readonly head: JournalHead;
  readonly bytes: number;
}

function* unpacked(piece: Buffer): Generator<JournalEntry<SeriesKey>> {
  const bytes = inflateRawSync(piece);
  const size = bytes.readUInt32LE(0);
  const { series, heads } = JSON.parse(bytes.toString('utf8', 4, 4 + size)) as {
    readonly series: readonly SeriesKey[];
    readonly heads: readonly PieceHead[];
  };
  let at = 4 + size;
  for (const { head, bytes: length } of heads) {
    const key = (place: number) => {
      const found = series[place];
      if (!found) throw new Error('a piece of the present hours names a series that it does not have');
      return found;
    };
    yield { head: renamed(head, key), rows: bytes.subarray(at, at + length) };
    at += length;
  }
}
