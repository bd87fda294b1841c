/** The key of evidence: made once, kept over restarts and new secrets, replaced on demand and when it is lost; the audit log says each. */
import { createHash, createPublicKey } from 'node:crypto';
import t from 'tap';
import { inStore } from '../support/stored.ts';
import { openWorld, type World } from '../support/world.ts';

const keyOf = async (world: World) => (await world.get('/_evidence/key')).body;
const shownBy = async (world: World) => (await world.get('/_about')).body.data.evidence_key;
const notes = async (world: World) =>
  (await world.get('/_audit')).body.records.filter(({ kind }: { kind: string }) => kind === 'key');

t.test('the key is made at first use, once, and is the same after a restart', async (t) => {
  const world = await openWorld(t);
  t.equal(await shownBy(world), null, 'nobody needed it yet');
  const [{ data, retired }, other] = await world.passing(
    Promise.all([world.asked('GET', '/_evidence/key'), world.asked('GET', '/_evidence/key')]).then((answers) =>
      answers.map(({ body }) => body),
    ),
  );
  t.strictSame(other.data, data, 'two callers at once get the same');
  t.strictSame(retired, []);
  const key = createPublicKey(data.pem);
  t.equal(key.asymmetricKeyType, 'ed25519');
  const der = key.export({ type: 'spki', format: 'der' });
  t.equal(data.fingerprint, `sha256:${createHash('sha256').update(der).digest('hex')}`);
  t.equal(await shownBy(world), data.fingerprint);
  await world.restart(1_000);
  t.strictSame((await keyOf(world)).data, data);
  t.match(await notes(world), [{ fingerprint: data.fingerprint, replaces: null, reason: 'first' }]);
  t.equal((await notes(world)).length, 1);
  const facts = JSON.stringify(await inStore(world, 'select * from store_fact'));
  t.match(facts, 'secret:evidence:');
  t.notMatch(facts + world.answers.join(''), /BEGIN PRIVATE KEY/, 'the private half is nowhere to read');
});

t.test('a private half that cannot be read: another key signs, and the audit log says so', async (t) => {
  const world = await openWorld(t);
  const { data: before } = await keyOf(world);
  await world.passing(world.gateway.stop());
  const changed = await inStore(
    world,
    "update store_fact set value = 'v1:AAAA:AAAA' where name like 'secret:evidence:%' returning name",
  );
  t.equal(changed.length, 1);
  await world.restart(1_000);
  const { data, retired } = await keyOf(world);
  t.not(data.fingerprint, before.fingerprint);
  t.match(retired, [{ fingerprint: before.fingerprint, pem: before.pem, reason: 'lost', retired_at: data.since }]);
  t.match((await notes(world))[0], { fingerprint: data.fingerprint, replaces: before.fingerprint, reason: 'lost' });
});
