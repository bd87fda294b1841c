/** Transactions on a server. Each first checks the owner of the database: a former owner changes nothing. */
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import { unlessAborted } from '../../clock.ts';
import { inSeconds } from '../../domain/figures.ts';
import { GatewayError, messageOf } from '../../errors.ts';
import type { Durability, Medium } from '../commits.ts';
import { codesOf } from '../commits.ts';
import { isBroken, serverTrouble } from './problems.ts';
import type { ServerSession } from './session.ts';

interface ServerParts {
  readonly orm: MikroORM;
  readonly session: ServerSession;
  /** Undefined while the database is opened. */
  readonly ownership: () => Ownership | undefined;
}

/** The database belongs to this instance while the row of the lease has both values. */
export interface Ownership {
  /** A UUID. */
  readonly member: string;
  readonly incarnation: number;
}

type Open = Awaited<ReturnType<ReturnType<MikroORM['em']['getConnection']>['begin']>>;

/** Time after which the server ends a lock, or an idle transaction of a gateway whose computer died, ms. */
const SERVER_LIMIT_MS = 15_000;
const LIMITS = `set_config('idle_in_transaction_session_timeout', '${SERVER_LIMIT_MS}', true), set_config('lock_timeout', '${SERVER_LIMIT_MS}', true)`;
const FORGOTTEN = "set_config('synchronous_commit', 'off', true)";
/** Code of the server for an id that it has not used yet. */
const IN_THE_FUTURE = '22023';

/** Statements of a transaction use the connection on which it began, or fail with it. */
export function serverMedium({ orm, session, ownership }: ServerParts): Medium {
  const connection = orm.em.getConnection();
  /** Ids of transactions with an unanswered commit. The server may continue them while its standby or its disk stands still. */
  const unheard = new Set<string>();
  /** A connection is dropped when its caller no longer waits for the answer. */
  async function given<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const drop = () => session.drop();
    signal.addEventListener('abort', drop, { once: true });
    try {
      return await unlessAborted(work(), signal);
    } catch (error) {
      if (isBroken(error)) drop();
      throw error;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }
  async function worked<T>(open: Open, work: (em: SqlEntityManager) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      const em = orm.em.fork();
      em.setTransactionContext(open);
      return await work(em);
    } catch (error) {
      // The next transaction gets another connection.
      await connection.rollback(open).catch(() => {
        if (!signal.aborted) session.drop();
      });
      throw error;
    }
  }
  async function commit(open: Open, id: string, signal: AbortSignal): Promise<void> {
    unheard.add(id);
    try {
      await connection.commit(open);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isBroken(error)) session.drop();
      const isStored = isBroken(error) && (await hasCommitted(orm, id, signal));
      unheard.delete(id);
      if (!isStored) throw error;
    }
    unheard.delete(id);
  }
  return {
    transaction: (durability, work, signal) =>
      given(signal, async () => {
        const open = await connection.begin();
        const done = await worked(
          open,
          async (em) => {
            const id = await begin(em, durability, ownership());
            const result = await work(em, signal);
            signal.throwIfAborted();
            return { id, result };
          },
          signal,
        );
        await commit(open, done.id, signal);
        return done.result;
      }),
    read: (work, signal) => given(signal, () => work(orm.em.fork(), signal)),
    async goesOn(em) {
      for (const id of unheard) {
        if ((await outcomeOf(em, id)) === 'in progress') return true;
        unheard.delete(id);
      }
      return false;
    },
    troubleOf: serverTrouble,
    lateWords: (ms) =>
      `The database did not answer within ${inSeconds(ms)}. A change that was under way may have been stored: look, and repeat the change if it was not stored.`,
  };
}

/** Returns the id of the transaction. Errors: STORAGE_FAILED if another gateway owns the database. */
async function begin(em: SqlEntityManager, durability: Durability, ownership: Ownership | undefined): Promise<string> {
  const settings = durability === 'full' ? LIMITS : `${LIMITS}, ${FORGOTTEN}`;
  // The lock lets beats pass, and delays a takeover until this transaction has ended.
  const owned = ownership ? 'from store_owner where id = 1 and member = ? and incarnation = ? for key share' : '';
  const [row] = await em.execute<{ id: string }[]>(
    `select pg_current_xact_id()::text as id, ${settings} ${owned}`,
    ownership ? [ownership.member, ownership.incarnation] : [],
  );
  if (row) return row.id;
  throw new GatewayError(
    'STORAGE_FAILED',
    'Another gateway has taken over the database. Nothing was changed. Stop one of the two gateways. If this gateway is to stay, start it again.',
  );
}

/** The connection was lost before the answer to the commit. Errors: STORAGE_FAILED if the outcome is unknown. */
async function hasCommitted(orm: MikroORM, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    for (;;) {
      const outcome = await unlessAborted(outcomeOf(orm.em.fork(), id), signal);
      if (outcome === 'committed') return true;
      if (outcome !== 'in progress') return false;
    }
  } catch (error) {
    throw new GatewayError(
      'STORAGE_FAILED',
      `The connection to the database was lost during a change (${messageOf(error)}), and it is not known whether the change was stored. Look, and repeat the change if it was not stored.`,
      { cause: error },
    );
  }
}

/** Undefined: the server has forgotten the transaction, or became the primary without it. */
async function outcomeOf(em: SqlEntityManager, id: string): Promise<string | undefined> {
  try {
    const [row] = await em.execute<{ outcome: string | null }[]>(`select pg_xact_status('${id}'::xid8) as outcome`);
    return row?.outcome ?? undefined;
  } catch (error) {
    if (codesOf(error).includes(IN_THE_FUTURE)) return undefined;
    throw error;
  }
}
