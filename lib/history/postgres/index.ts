/** The history in a PostgreSQL that gateways share. The thread of the history loads it only if it is configured. */
import { systemClock, unlessAborted, within } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Doubt, Restated, Retention, StatedWeighting } from '../contract.ts';
import type { SharedStore } from '../sqlite/history-calls.ts';
import { LocalRows } from '../sqlite/local-rows.ts';
import type { OwnFile } from '../sqlite/source.ts';
import { Imports } from '../stored/imports.ts';
import type { LevelSource } from '../stored/source.ts';
import { finished, type Work, waitFor } from '../stored/work.ts';
import { BothPlaces, hoursHere } from './both-places.ts';
import { Carrying } from './carrying.ts';
import { doubtStored, removeStored, restateStored, retain } from './changes.ts';
import { DatabaseAway, PostgresDatabase, type Statements } from './database.ts';
import { PostgresImports } from './imports.ts';
import { PresentHours } from './present.ts';
import { PostgresSource } from './source.ts';
import { Months, makeTables } from './tables.ts';

/** One piece of work at a time, in the order of arrival, also after failures. */
class OneByOne {
  #before: Promise<unknown> = Promise.resolve();

  *of<T>(work: () => Work<T>): Work<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#before;
    this.#before = Promise.all([before, promise]);
    try {
      yield before;
      return yield* work();
    } finally {
      resolve();
    }
  }
}

/** The search for old rows reads the whole database. */
const RETAIN_S = 60;
/** Copy steps in a tick of five seconds: more than a thousand meters need in an hour. */
const STEPS_A_TICK = 64;
/** Time limit for a database that does not answer at the end, ms. */
const CLOSE_MS = 2_000;

/** For the thread of the history. */
export const openShared = (url: string, own: OwnFile): SharedStore => new PostgresHistory(url, own);

class PostgresHistory implements SharedStore {
  readonly imports: Imports;
  readonly #importStore: PostgresImports;
  readonly #database: PostgresDatabase;
  readonly #own: OwnFile;
  readonly #carrying: Carrying;
  readonly #present: PresentHours;
  readonly #turns = new OneByOne();
  /** Resolves when this computer has the rows of others. Rejects if the database was away, until the next tick. */
  #whole = Promise.withResolvers<void>();
  #version = 0;
  #away: string | null = null;
  #retainAt = 0;

  constructor(url: string, own: OwnFile) {
    this.#database = new PostgresDatabase(url);
    this.#own = own;
    this.#importStore = new PostgresImports(this.#database);
    this.imports = new Imports(this.#importStore);
    const here = new LocalRows(own.parts, own.writer);
    this.#carrying = new Carrying({ database: this.#database, months: new Months(this.#database), here });
    const { catalogue, recorder } = own.parts;
    this.#whole.resolve();
    this.#present = new PresentHours({ database: this.#database, catalogue, recorder, path: own.writer.name });
  }

  get away(): string | null {
    return this.#away;
  }

  *ready(): Work<void> {
    yield* waitFor(makeTables(this.#database));
    yield* this.#present.begin();
    this.#whole = Promise.withResolvers();
  }

  *takeOver(): Work<void> {
    yield* this.#turns.of(() => this.#takeOthers());
  }

  source(): LevelSource {
    const there = new PostgresSource(this.#database, () => this.#version);
    return new BothPlaces(there, this.#own.source, () => this.#whole.promise);
  }

  get stored() {
    const database = this.#database;
    return {
      source: new PostgresSource(database, () => this.#version),
      *units(): Work<readonly string[]> {
        return yield* storedUnits(database);
      },
    };
  }

  *tick(now: number, retention: Retention): Work<void> {
    try {
      yield* this.#turns.of(() => this.#carry());
      if (now >= this.#retainAt || now < this.#retainAt - RETAIN_S) {
        const gone = yield* this.#turns.of(() => retain(retention, now, this.#database));
        this.#retainAt = gone > 0 ? now : now + RETAIN_S;
        if (gone > 0) this.#version += 1;
      }
      this.#away = null;
    } catch (error) {
      this.#away = messageOf(error);
    }
  }

  doubt(asked: Doubt, here: () => Work<number>): Work<number> {
    return this.#both(doubtStored(asked, this.#database), here, (there, own) => there + own);
  }

  restate(stated: StatedWeighting, here: () => Work<Restated>): Work<Restated> {
    return this.#both(restateStored(stated, this.#database), here, (there, own) => ({
      moved: there.moved + own.moved,
      confirmed: there.confirmed + own.confirmed,
      left: there.left + own.left,
    }));
  }

  remove({ unitId, ...span }: { unitId: string; from: number; to: number }, here: () => Work<number>): Work<number> {
    return this.#both(removeStored(unitId, span, this.#database), here, (there, own) => there + own);
  }

  *units(): Work<readonly string[]> {
    yield* waitFor(this.#whole.promise);
    const { catalogue } = this.#own.parts;
    const here = catalogue
      .units()
      .filter((unitId) =>
        catalogue
          .of(unitId)
          .some(({ id, intervalsFrom }) => intervalsFrom !== null || hoursHere(id, this.#own.source).length > 0),
      );
    // The local units are read first: a unit that has moved is found there.
    const there = yield* storedUnits(this.#database);
    return [...new Set([...there, ...here])].sort();
  }

  *bytes(): Work<number> {
    const [row] = yield* waitFor(
      this.#database.rows<{ bytes: number }>(
        `select coalesce(sum(pg_total_relation_size(oid)), 0)::int8 as bytes from pg_class
         where relnamespace = current_schema()::regnamespace and relname like 'history\\_%' and relkind = 'r'`,
      ),
    );
    return row?.bytes ?? 0;
  }

  /** Sends new rows first, if the database takes them in time; the rest stays in the file. */
  async close(): Promise<void> {
    const last = finished(this.#turns.of(() => this.#present.shipLast()))
      .catch(() => {})
      .then(() => this.#database.close());
    const late = () => new Error('the database does not answer');
    await within(systemClock, CLOSE_MS, late, (signal) => unlessAborted(last, signal)).catch(() => {});
  }

  *#carry(): Work<void> {
    yield* this.#takeOthers();
    let went = 1;
    for (let step = 0; step < STEPS_A_TICK && went > 0; step++) {
      went = yield* this.#carrying.step();
      if (went > 0) this.#version += 1;
      yield null;
    }
    yield* this.#present.ship(went === 0);
    const fence = (statements: Statements) => this.#present.fence(statements);
    yield* this.imports.clean(() => this.#importStore.unfinished(fence));
    // The state of the database must be known even if no rows wait.
    yield* waitFor(this.#database.rows('select 1'));
  }

  *#takeOthers(): Work<void> {
    let away: DatabaseAway | undefined;
    try {
      yield* this.#present.takeOthers();
    } catch (error) {
      // Another error of these rows must not stop all other levels.
      if (error instanceof DatabaseAway) away = error;
      throw error;
    } finally {
      this.#tookOthers(away);
    }
  }

  /** For waiting queries, and for queries until the next attempt. */
  #tookOthers(away: DatabaseAway | undefined): void {
    const before = this.#whole;
    this.#whole = Promise.withResolvers();
    for (const whole of [before, this.#whole]) {
      if (away) whole.reject(away);
      else whole.resolve();
      whole.promise.catch(() => {});
    }
  }

  /** The database first: if it is away, nothing has changed here either. */
  *#both<T>(there: Work<T>, here: () => Work<T>, sum: (there: T, here: T) => T): Work<T> {
    yield* waitFor(this.#whole.promise);
    const self = this;
    return yield* this.#turns.of(function* () {
      const done = yield* there;
      self.#version += 1;
      const all = sum(done, yield* here());
      // Removed rows must not come back through another computer. If the database is away now, the next tick does this.
      try {
        yield* self.#present.ship(false);
      } catch {}
      return all;
    });
  }
}

function* storedUnits(database: PostgresDatabase): Work<string[]> {
  const rows = yield* waitFor(
    database.rows<{ unit_id: string }>(
      `select distinct unit_id from history_series one where ready and (intervals_from is not null
         or exists (select 1 from history_hour where series = one.id)) order by unit_id`,
    ),
  );
  return rows.map((row) => row.unit_id);
}
