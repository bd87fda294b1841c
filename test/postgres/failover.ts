/** A standby without the last changes becomes the primary: another timeline, and nobody gets what somebody may have by a lost change. */
import t from 'tap';
import type { BeatRequest, ClusterAnswer } from '../../lib/cluster/contract.ts';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { FORMER_OWNER } from '../../lib/domain/former-owner.ts';
import { PostgresClusterStore } from '../../lib/store/postgres/cluster-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { inDatabase, startPostgres, startStandby } from '../support/postgres.ts';

const UNITS = ['1', '2', '3'].map((unit) => ({ unit, site: 'x' }));
const never = () => new AbortController().signal;
const joining = (member: string) => ({ kind: 'join' as const, member, sites: ['x'], ...aboutMember(member) });
const beating = (member: string, beat: number, more: Partial<BeatRequest> = {}): BeatRequest => {
  const none = { release: [], close: [], claim: [], voters: [], state: 'staying' as const };
  return { kind: 'beat', member, epoch: 1, beat, answered: 0, ...none, ...more };
};
const ownersIn = (answer: ClusterAnswer) => answer !== 'refused' && answer.owners.map(({ member }) => member);
const timelineOf = (answer: ClusterAnswer) => (answer === 'refused' ? undefined : answer.timeline);

t.test('a claim that is lost with the primary', async (t) => {
  const primary = await startPostgres();
  const before = new PostgresClusterStore(databaseAddress(primary.url), UNITS);
  t.teardown(() => before.close().then(() => primary.stop()));
  for (const member of ['a', 'b', 'c']) await before.ask(joining(member), never());
  await before.ask(beating('a', 1, { claim: ['1'] }), never());
  const standby = await startStandby(primary);
  const after = new PostgresClusterStore(databaseAddress(standby.url), UNITS);
  t.teardown(() => after.close().then(() => standby.stop()));
  const lost = await before.ask(beating('b', 1, { claim: ['2'] }), never());
  t.strictSame(ownersIn(lost), ['a', 'b', undefined]);
  const timeline = timelineOf(lost);
  t.equal(timeline, '00000001');

  await t.rejects(after.ask(beating('c', 1), never()), { code: '25006' }, 'a standby is not the database');
  const left = "select from pg_stat_activity where application_name = 'slm-gateway cluster'";
  // A connection that is kept would be one more with each try.
  while ((await inDatabase(standby.url, left)).length > 0);
  await inDatabase(standby.url, 'select pg_promote()');
  const first = await after.ask(beating('c', 1, { claim: ['2', '3'], timeline }), never());
  t.equal(timelineOf(first), '00000002');
  t.strictSame(ownersIn(first), ['a', FORMER_OWNER.id, FORMER_OWNER.id], 'c does not get what b acts at');
  const goesOn = await after.ask(beating('a', 2, { answered: 1, timeline }), never());
  t.strictSame(ownersIn(goesOn), ['a', FORMER_OWNER.id, FORMER_OWNER.id], 'who is known as the owner goes on');
  t.equal(await after.ask(beating('b', 2, { answered: 1, timeline }), never()), 'refused', 'b has lost its beat');
});
