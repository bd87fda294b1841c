/** What the requests of a member change in the tables of a cluster, each within a transaction in turn. */
import type pg from 'pg';
import type { BeatRequest, DeclaredUnit, JoinRequest } from '../../cluster/contract.ts';
import { GATEWAY_ROLE } from '../../domain/cluster-units.ts';
import { isOtherTimeline } from '../../domain/timeline.ts';
import { closeFence, givenToFormerOwner, OF_FORMER_OWNER, waitAnew } from './cluster-fences.ts';

/** Gives the epoch that begins. */
export async function join(
  client: pg.Client,
  { member, sites, name, address, version, place }: JoinRequest,
): Promise<number> {
  const { rows } = await client.query<{ epoch: number }>(
    `insert into cluster_member (id, epoch, beat, open, leaving, sites, name, address, version, place, unlinked_epoch)
     values ($1, 1, 0, true, false, $2, $3, $4, $5, $6, 1)
     on conflict (id) do update set epoch = cluster_member.epoch + 1, beat = 0, open = true, leaving = false,
       sites = excluded.sites, name = excluded.name, address = excluded.address, version = excluded.version,
       place = excluded.place, voters = case when cluster_member.open then cluster_member.voters end, removed = false,
       unlinked_epoch = cluster_member.epoch + 1
     returning epoch`,
    [member, JSON.stringify(sites), name, address, version, place],
  );
  await givenToFormerOwner(client, member);
  return rows[0]?.epoch ?? 0;
}

/** False where it is refused. */
export async function beat(
  client: pg.Client,
  request: BeatRequest,
  always: readonly DeclaredUnit[],
  timeline: string | undefined,
): Promise<boolean> {
  const { member, epoch, release, close, claim, units, linked, state } = request;
  const isOld = isOtherTimeline(request.timeline, timeline);
  // What it gives away may have another owner by a change that is lost, and who was silent for it may have beaten.
  const next = isOld ? OF_FORMER_OWNER : 'null';
  const { rowCount } = await client.query(
    `update cluster_member set beat = $3, leaving = $4, voters = $5, unlinked_epoch = case when $7 then 0 else epoch end
      where id = $1 and epoch = $2 and open and beat < $3 and (not $6 or ${OF_FORMER_OWNER} is not null)`,
    [member, epoch, request.beat, state !== 'staying', JSON.stringify(request.voters), isOld, linked],
  );
  if (rowCount === 0) return false;
  let freed = 0;
  if (release.length > 0) {
    const update = `update cluster_owner set member = ${next} where unit = any($1) and member = $2`;
    freed += (await client.query(update, [release, member])).rowCount ?? 0;
  }
  for (const seen of isOld ? [] : close)
    freed += await closeFence(client, 'id = $1 and epoch = $2 and beat = $3', [seen.id, seen.epoch, seen.beat]);
  if (state === 'gone') freed += await closeFence(client, 'id = $1', [member], next);
  if (isOld && freed > 0) await waitAnew(client);
  if (units) await declare(client, member, units, always);
  if (units || freed > 0) await client.query('delete from cluster_owner where removed and member is null');
  let claimed = 0;
  if (claim.length > 0 && state !== 'gone') {
    const update = 'update cluster_owner set member = $2 where unit = any($1) and member is null';
    claimed = (await client.query(update, [claim, member])).rowCount ?? 0;
  }
  if (state === 'gone' || freed + claimed > 0) await client.query('notify slm_cluster_changed');
  return true;
}

/** Makes rows of units that have none, and marks those that are no units any more. */
async function declare(
  client: pg.Client,
  member: string,
  units: readonly DeclaredUnit[],
  always: readonly DeclaredUnit[],
): Promise<void> {
  const role = 'select from cluster_owner where unit = $1 and member = $2';
  if ((await client.query(role, [GATEWAY_ROLE, member])).rowCount === 0) return;
  const named = [units.map(({ unit }) => unit), units.map(({ site }) => site)];
  const kept = always.map(({ unit }) => unit);
  await client.query(
    `insert into cluster_owner (unit, site) select unit, site from unnest($1::text[], $2::text[]) as named (unit, site)
     on conflict do nothing`,
    named,
  );
  await client.query(
    `update cluster_owner set site = named.site, removed = false from unnest($1::text[], $2::text[]) as named (unit, site)
     where cluster_owner.unit = named.unit and (removed or cluster_owner.site <> named.site) and cluster_owner.unit <> all($3)`,
    [...named, kept],
  );
  await client.query(
    `update cluster_owner set removed = true
     where not removed and unit not in (select unnest($1::text[])) and unit <> all($2)`,
    [named[0], kept],
  );
}
