/**
 * The owner of the database without a lease: a program that embeds the gateway, and `npm run database`. The owner
 * counts beats in the row of the lease. Another program that starts watches the row: while the beats go on, it does not
 * start.
 * No wall clock is compared and no lock of a connection is held: both mislead behind poolers and after failures. Every
 * transaction checks the row (`medium.ts`), so a former owner changes nothing.
 */
import { hostname } from 'node:os';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Clock, sleep } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Commits } from '../commits.ts';
import { StoreError } from '../problem.ts';

/** Time between two beats, ms. */
export const BEAT_MS = 5_000;
/** After this time without a beat the owner counts as gone, ms. */
export const GONE_MS = 60_000;

interface Owner {
  readonly member: string;
  readonly name: string;
  readonly incarnation: number;
  /** Null: the owner has stopped regularly. */
  readonly beat: number | null;
}

export type OwnerWork = <T>(work: (em: SqlEntityManager) => Promise<T>) => Promise<T>;

export interface Claim {
  readonly member: string;
  readonly where: string;
  readonly run: OwnerWork;
  readonly timer: Clock;
  readonly log: Log;
}

/**
 * Resolves with the incarnation under which this gateway owns the database. Throws StoreError `in-use` while another
 * owner lives.
 */
export async function claimDatabase(claim: Claim): Promise<number> {
  let seen = await ownerOf(claim.run);
  for (let waited = 0; ; waited += BEAT_MS) {
    if (!seen || seen.beat === null || seen.member === claim.member || waited >= GONE_MS) {
      const incarnation = await take(claim, seen);
      if (incarnation !== undefined) return incarnation;
    } else {
      if (waited === 0)
        claim.log.warn(
          { owner: seen.name, wait_ms: GONE_MS },
          'another gateway owned the database and did not report its stop; this gateway waits to see whether the other still runs',
        );
      await sleep(claim.timer, BEAT_MS);
    }
    const now = await ownerOf(claim.run);
    const alive = now && seen && now.member !== claim.member && now.beat !== null && now.beat !== seen.beat;
    if (alive)
      throw new StoreError(
        'in-use',
        `the database ${claim.where} is in use by the gateway on ${now.name}: stop that gateway first, or give this one a database of its own`,
      );
    seen = now;
  }
}

async function ownerOf(run: OwnerWork): Promise<Owner | undefined> {
  const rows = await run((em) =>
    em.execute<Owner[]>('select member, name, incarnation, beat from store_owner where id = 1'),
  );
  return rows[0];
}

/** Undefined: the row has changed since it was read. */
async function take({ member, run }: Claim, seen: Owner | undefined): Promise<number | undefined> {
  const rows = await run(async (em) => {
    // Waits for the transactions of the former owner.
    if (seen) await em.execute('select 1 from store_owner where id = 1 for update');
    return seen
      ? em.execute<Owner[]>(
          'update store_owner set member = ?, name = ?, incarnation = incarnation + 1, beat = 0, alone = false where id = 1 and incarnation = ? and beat is not distinct from ? returning incarnation',
          [member, hostname(), seen.incarnation, seen.beat],
        )
      : em.execute<Owner[]>(
          'insert into store_owner (id, member, name, incarnation, beat) values (1, ?, ?, 1, 0) on conflict do nothing returning incarnation',
          [member, hostname()],
        );
  });
  return rows[0]?.incarnation;
}

/** Beats until the disposer is called. A failed beat is reported like any failed write, and tried again. */
export function keepBeating(commits: Commits, timer: Clock): () => void {
  let cancel = () => {};
  let ended = false;
  const next = () => {
    if (!ended) cancel = timer.after(BEAT_MS, beat);
  };
  const beat = () => {
    commits
      .commit('normal', (em) => em.execute('update store_owner set beat = beat + 1 where id = 1'))
      .catch(() => {})
      .then(next);
  };
  next();
  return () => {
    ended = true;
    cancel();
  };
}

/** After this the next gateway need not wait. */
export const releaseDatabase = (commits: Commits): Promise<unknown> =>
  commits.commit('full', (em) => em.execute('update store_owner set beat = null where id = 1'));
