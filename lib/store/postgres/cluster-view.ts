/** Members and owners as the database has them, after a request and out of turn: what others have changed since is in it, too. */
import type pg from 'pg';
import type { ClusterAnswer, ClusterRequest, ClusterView, DeclaredUnit, MemberRow } from '../../cluster/contract.ts';
import { isOtherTimeline } from '../../domain/timeline.ts';
import { LOCKS_END, TIMELINE } from './cluster-fences.ts';

type Member = Omit<MemberRow, 'voters'> & { readonly voters: string[] | null };
type Owner = DeclaredUnit & {
  readonly pinned: string | null;
  readonly member: string | null;
  readonly removed: boolean;
};

/** All at one moment. `tells`: the server tells its timeline. */
const VIEW = (tells: boolean) => `begin isolation level repeatable read read only; ${LOCKS_END};
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as time, ${tells ? TIMELINE : 'null'} as timeline;
  select id, epoch, beat, open, leaving, sites, unlinked_epoch <> epoch as linked, name, address, version, place, voters
    from cluster_member where open or not removed order by id;
  select unit, site, pinned, member, removed from cluster_owner order by unit;
  commit`;

/** Rejects where the server cannot be asked for all of it. */
export async function clusterView(client: pg.Client, tells: boolean): Promise<ClusterView> {
  // One text without parameters may have several statements; the answer is one for each.
  const answers: unknown = await client.query(VIEW(tells));
  const [, , now, members, owners] = answers as [
    unknown,
    unknown,
    pg.QueryResult<{ time: number; timeline: string | null }>,
    pg.QueryResult<Member>,
    pg.QueryResult<Owner>,
  ];
  return {
    time: now.rows[0]?.time,
    timeline: now.rows[0]?.timeline ?? undefined,
    members: members.rows.map(({ voters, ...row }) => ({ ...row, voters: voters ?? undefined })),
    owners: owners.rows.map(({ pinned, member, ...row }) => ({
      ...row,
      pinned: pinned ?? undefined,
      member: member ?? undefined,
    })),
  };
}

/** What was done, and what was seen after it. Throws where another server has answered meanwhile: nobody knows then what it knows. */
export function answerFrom(
  seen: ClusterView,
  request: ClusterRequest,
  done: { readonly epoch: number; readonly timeline: string | undefined },
): ClusterAnswer {
  if (isOtherTimeline(done.timeline, seen.timeline))
    throw new Error('another server is the database since the request');
  const isGone = request.kind === 'beat' && request.state === 'gone';
  const isSame = seen.members.some(({ id, epoch, open }) => id === request.member && epoch === done.epoch && open);
  // It was closed, or has joined again, since.
  return isGone || isSame ? seen : 'refused';
}
