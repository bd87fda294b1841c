/**
 * Transactions on the one connection to SQLite. On a full disk SQLite itself rolls a transaction back, and an explicit
 * rollback is then an error: so they are opened and closed here.
 */
import type { MikroORM } from '@mikro-orm/sqlite';
import type BetterSqlite from 'better-sqlite3';
import { unlessAborted } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { Durability, Medium } from './commits.ts';

/** Durability as SQLite calls it: "PRAGMA synchronous". */
export function sqliteMedium(orm: MikroORM, native: BetterSqlite.Database): Medium {
  let present: Durability | undefined;
  return {
    async transaction(durability, work, signal) {
      if (present !== durability) await orm.em.getConnection().execute(`pragma synchronous = ${durability}`);
      present = durability;
      native.exec('begin immediate');
      try {
        const result = await unlessAborted(work(orm.em.fork(), signal), signal);
        signal.throwIfAborted();
        native.exec('commit');
        return result;
      } finally {
        // After an error, unless SQLite has done so already.
        if (native.inTransaction) native.exec('rollback');
      }
    },
    read: (work, signal) => unlessAborted(work(orm.em.fork(), signal), signal),
    troubleOf: storageTrouble,
    damageOf: (error) => (isDamage(error) ? DAMAGE_WORDS : undefined),
    lateWords: (ms) => `The database did not finish within ${inSeconds(ms)}; nothing was changed.`,
    settle: () => void native.pragma('wal_checkpoint(passive)'),
  };
}

const FULL = /^(SQLITE_FULL|ENOSPC|EDQUOT)/;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
const FAILED = /^(SQLITE_IOERR|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_BUSY|SQLITE_LOCKED|EROFS|EIO)/;

function storageTrouble(error: unknown): GatewayError | undefined {
  const [full, failed] = [FULL, FAILED].map((codes) => codesOf(error).some((code) => codes.test(code)));
  if (full)
    return new GatewayError('STORAGE_FULL', 'The disk of the data folder is full. Nothing was changed.', {
      cause: error,
    });
  if (isDamage(error)) return new GatewayError('STORAGE_FAILED', DAMAGE_WORDS, { cause: error });
  if (!failed) return undefined;
  const reason = messageOf(error).split(' - ').at(-1);
  return new GatewayError('STORAGE_FAILED', `The database cannot be written (${reason}). Nothing was changed.`, {
    cause: error,
  });
}

/** Whether a page of the file is damaged. */
const isDamage = (error: unknown): boolean => codesOf(error).some((code) => DAMAGED.test(code));

const DAMAGE_WORDS =
  'The database gateway.db is damaged: the requested data cannot be read or changed. Stop the gateway and restore a backup (slm restore).';

/** Codes of an error and of its causes: the ORM wraps errors of the driver. */
export function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return ['code' in error ? String(error.code) : '', ...codesOf(error.cause)];
}
