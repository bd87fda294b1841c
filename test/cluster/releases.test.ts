/** Instances whose links have different versions, with meters shared out: what an update from one release to another goes through. */
import t from 'tap';
import type { ClusterRequest, SharedClusterStore } from '../../lib/cluster/contract.ts';
import { LINK_VERSION } from '../../lib/remote/messages.ts';
import { SHARED_SITE, sharedSiteOf } from '../../lib/remote/shared-site.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openSharing } from './support/sharing.ts';

const OTHER_SITE = `shared ${LINK_VERSION - 1}`;

const NAMES: ReadonlyMap<string, string> = new Map([
  [SHARED_SITE, OTHER_SITE],
  [OTHER_SITE, SHARED_SITE],
]);
const renamed = <Sited extends { readonly site: string }>(row: Sited): Sited => ({
  ...row,
  site: NAMES.get(row.site) ?? row.site,
});
const renamedAll = (sites: readonly string[]) => sites.map((site) => NAMES.get(site) ?? site);

/** A store as one instance sees it: by its own word it is of this release, by that of the others it is of another one. */
function ofOtherRelease(store: SharedClusterStore): SharedClusterStore {
  const asked = (request: ClusterRequest): ClusterRequest => {
    if (request.kind === 'join') return { ...request, sites: renamedAll(request.sites) };
    return request.units ? { ...request, units: request.units.map(renamed) } : request;
  };
  return {
    ...store,
    async ask(request, signal) {
      const answer = await store.ask(asked(request), signal);
      if (answer === 'refused') return answer;
      const members = answer.members.map((row) => ({ ...row, sites: renamedAll(row.sites) }));
      return { ...answer, members, owners: answer.owners.map(renamed) };
    },
  };
}

/** Releases of the instances that are started from now on. */
async function twoReleases() {
  const database = await memoryDatabase();
  const release = { isOther: true };
  const store = () => (release.isOther ? ofOtherRelease(database.store()) : database.store());
  return { release, open: async () => ({ ...database, store }) };
}

t.test('the network of the units says which version of the link it is of', async (t) => {
  t.match(SHARED_SITE, new RegExp(`\\b${LINK_VERSION}$`));
  t.equal(sharedSiteOf(['', OTHER_SITE]), OTHER_SITE);
  t.equal(sharedSiteOf(['', 'shared']), 'shared', 'before versions were said');
  t.equal(sharedSiteOf(['', 'sharedish']), undefined);
});

t.test('one instance after the other is updated, the gateway last: there is always one for each meter', async (t) => {
  const { release, open } = await twoReleases();
  const { begin, instances, atRest, unitsOf, knocks, passing, takesOver, ask, lines } = await openSharing(
    t,
    open,
    ['one', 'two', 'three'],
    4,
    { history: 'stream' },
  );
  const [one, two, three] = instances;
  if (!one || !two || !three) throw new Error('there are no instances');
  t.strictSame(await atRest(), { one: 0, two: 2, three: 2 });
  release.isOther = false;
  await passing(three.instance.stop());
  const newThree = await begin('three');
  t.match(await atRest(), { three: 0 }, 'the link of the new one has another version');
  t.strictSame(await unitsOf(newThree.base), [200, 200, 200, 200]);
  const told = /^The instance three \(.*\) serves no meters, because its link has another version than that of one \(/;
  for (const { instance } of [one, two, newThree]) {
    const { problems } = (await ask('GET', `http://127.0.0.1:${instance.port}/health`)).json;
    t.match(problems, [{ part: 'instances', detail: told }], 'each of them says so');
  }
  t.ok(lines.some((line) => line.includes('an instance serves no meters: its link has another version')));
  await passing(two.instance.stop());
  const newTwo = await begin('two');
  t.strictSame(await atRest(), { one: 4, two: 0, three: 0 });
  t.strictSame(await unitsOf(newTwo.base), [200, 200, 200, 200]);
  await passing(one.instance.stop());
  const gateway = () => [newTwo, newThree].find(({ instance }) => instance.gateway());
  for (let tries = 0; tries < 300 && !gateway(); tries += 1) await passing(Promise.resolve());
  const taker = gateway() ?? newTwo;
  await takesOver(taker.instance, 100);
  await begin('one');
  const shares = await atRest(taker.base);
  t.strictSame(Object.values(shares).toSorted(), [0, 2, 2], 'shared out as before');
  t.strictSame(await unitsOf(taker.base), [200, 200, 200, 200]);
  t.equal((await ask('GET', `http://127.0.0.1:${taker.instance.port}/health`)).json.problems, undefined);
  t.strictSame(knocks(), [], 'no meter saw two of them');
});

t.test('a new gateway gets the meters of an instance whose link has another version at once', async (t) => {
  const { release, open } = await twoReleases();
  const { begin, first, atRest, unitsOf, knocks, passing, takesOver, served, clock, instances } = await openSharing(
    t,
    open,
    ['one', 'two'],
    4,
    { history: 'stream' },
  );
  const [, two] = instances;
  t.strictSame(await atRest(), { one: 1, two: 3 });
  release.isOther = false;
  const three = await begin('three');
  t.match(await atRest(), { three: 0 });
  if (!two) throw new Error('there is no second instance');
  // It hears of the change later, so the new one takes over.
  two.store.isAway = true;
  await passing(first.instance.stop());
  await takesOver(three.instance, 100);
  two.store.isAway = false;
  const before = clock.elapsed();
  for (let tries = 0; tries < 200 && (await served(three.base)).three !== 4; tries += 1) await clock.pass(100);
  t.ok(clock.elapsed() - before < 15_000, 'it waits for no silence');
  t.strictSame(await unitsOf(three.base), [200, 200, 200, 200]);
  t.strictSame(knocks(), []);
});
