/** Seals of local days: when, over what, and what becomes of them when the levels of a day change later. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { verify } from '../../lib/audit/chain.ts';
import { dayRoot, MerkleTree, PLAIN_HASHES } from '../../plugins/evidence/verify/merkle.ts';
import { pageText } from '../docs/page.ts';
import { openWorld, type World } from '../support/world.ts';

/** The first look after a start, and the pause between two. */
const [FIRST_LOOK_MS, LOOK_MS] = [61_000, 330_000];
const WEIGHTING = { frequency: 'A', time: 'F' } as const;
const at = (text: string) => Date.parse(text) / 1_000;
const seconds = (from: number, count: number, leq = 50) =>
  Array.from({ length: count }, (_, n) => ({ at: from + n, steps: 10, leq, lmax: leq + 1 }));

/** A gateway whose only unit is in St John's: its days begin at 03:30 UTC. */
async function inStJohns(t: Test): Promise<World> {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/sim-1/config', {
    host: '192.0.2.40',
    timezone: 'America/St_Johns',
    history: 'off',
    poll_enabled: false,
    tcp_enabled: false,
  });
  return world;
}
const append = (world: World, rows: ReturnType<typeof seconds>) => {
  world.gateway.history.append({ unitId: 'sim-1', source: 'stream', weighting: WEIGHTING, seconds: rows });
  return world.gateway.history.flush();
};
const seals = async (world: World, query = '') => (await world.get(`/sim-1/seals${query}`)).body.data;
/** Jumps over the pause of the sealer, and waits until it has made the seals: real work of a thread, as long as the test file may take. */
async function sealed(world: World, count: number, query = '') {
  await world.clock.advance(LOOK_MS);
  for (;;) {
    const found = await seals(world, query);
    if (found.length >= count) return found;
    await world.pass(1_000);
  }
}

t.test('a local day is sealed an hour after its end, once, and the audit log has it', async (t) => {
  const world = await inStJohns(t);
  // The clock of the world begins at 02:00 UTC: 23 December ends there at 03:30.
  await append(world, [...seconds(at('2025-12-23T05:00:00Z'), 60), ...seconds(at('2025-12-24T03:29:59Z'), 2)]);
  await world.restart(at('2025-12-24T04:28:30Z') * 1_000 - world.clock.now());
  await world.pass(FIRST_LOOK_MS);
  t.same(await seals(world), [], 'not before');
  const [seal, ...others] = await sealed(world, 1);
  t.same(others, []);
  t.match(seal, { day: '2025-12-23', version: 1, replaces: null, audit: { kind: 'seal', day: '2025-12-23' } });
  t.same(
    seal.kinds.map(({ kind, rows }: { kind: string; rows: number }) => `${kind} ${rows}`),
    ['intervals 0', 'minutes 2', 'seconds 61'],
    'the second after midnight is of the next day',
  );
  // The root again, from the lines alone.
  const kinds = [];
  for (const kind of ['intervals', 'minutes', 'seconds'] as const) {
    const tree = new MerkleTree(PLAIN_HASHES);
    const span = { unitId: 'sim-1', kind, from: at('2025-12-23T03:30:00Z'), to: at('2025-12-24T03:30:00Z') };
    for await (const lines of world.gateway.history.lines(span)) for (const line of lines) tree.add(line);
    kinds.push({ kind, root: Buffer.from(tree.root()).toString('hex'), rows: tree.count });
  }
  t.equal(seal.root, dayRoot(kinds));
  const [record] = (await world.get('/_audit?unit=sim-1')).body.records;
  t.strictSame(seal.audit, record, 'the newest record of the log');
  await world.restart(1_000);
  await world.pass(FIRST_LOOK_MS);
  t.equal((await seals(world)).length, 1, 'also after a restart');
});

t.test(
  'a day that changes later gets a new version that names the old root; missed days are sealed after the start',
  async (t) => {
    const world = await inStJohns(t);
    await append(world, seconds(at('2025-12-20T11:00:00Z'), 60));
    await append(world, seconds(at('2025-12-22T11:00:00Z'), 60));
    const first = await sealed(world, 2);
    t.same(
      first.map(({ day, version }: { day: string; version: number }) => `${day} ${version}`),
      ['2025-12-20 1', '2025-12-22 1'],
      'a day without levels has none',
    );
    await append(world, seconds(at('2025-12-20T12:00:00Z'), 60, 80));
    const [, changed] = await sealed(world, 2, '?to=2025-12-20');
    t.match(changed, { day: '2025-12-20', version: 2, rows: first[0].rows + 61, replaces: first[0].root });
    const csv = 'start,duration_s,leq\n2025-12-22T15:00:00Z,900,61.5\n';
    const imported = await world.ask('POST', '/sim-1/history/import', {
      raw: csv,
      headers: { 'Content-Type': 'text/csv' },
    });
    t.equal(imported.status, 202);
    const [, second] = await sealed(world, 2, '?from=2025-12-22');
    t.match(second, { version: 2, replaces: first[1].root, kinds: [{ kind: 'intervals', rows: 1 }, {}, {}] });
    t.match(await verify(join(world.dataDir, 'audit')), { broken: undefined }, 'the chain is whole');
  },
);

const NO_PYTHON = spawnSync('python3', ['--version']).status === 0 ? false : 'no python3';
const [, CHECK = ''] = pageText('docs/evidence.md').match(/```python\n([\s\S]*?)```/) ?? [];
/** As somebody checks it who follows docs/evidence.md. */
const checked = (proof: object) =>
  spawnSync('python3', ['-c', CHECK], { input: JSON.stringify(proof), encoding: 'utf8' });

t.test('one row of a sealed day is proved by its hashes, without the gateway', { skip: NO_PYTHON }, async (t) => {
  const world = await inStJohns(t);
  await append(world, seconds(at('2025-12-22T05:00:00Z'), 61));
  const card = seconds(at('2025-12-22T05:00:30Z'), 1, 50.5);
  world.gateway.history.append({ unitId: 'sim-1', source: 'card', weighting: WEIGHTING, seconds: card });
  await world.gateway.history.flush();
  await sealed(world, 1);
  const rows = '/sim-1/seals/2025-12-22/rows';
  for (const [query, count] of [
    ['?time=2025-12-22T05:00:00Z', 1],
    ['?time=2025-12-22T05:00:30Z', 2],
    ['?time=2025-12-22T08:01:00%2B03:00', 1],
    ['?time=2025-12-22T05:01:00Z&kind=minutes', 1],
  ] as const) {
    const { body: proof } = await world.get(rows + query);
    t.equal(proof.data?.rows.length, count, query);
    t.match(checked(proof), { status: 0, stdout: /^proved, sealed with the root [0-9a-f]{64}\n$/ }, query);
    const [row, ...others] = proof.data.rows;
    const forged = { data: { ...proof.data, rows: [{ ...row, line: row.line.replace('50', '49') }, ...others] } };
    t.match(checked(forged), { status: 1, stderr: /another row/ });
    const swapped = { data: { ...proof.data, seal: { ...proof.data.seal, root: '00'.repeat(32) } } };
    t.match(checked(swapped), { status: 1, stderr: /another day/ });
  }
  const codeOf = async (path: string) => (await world.get(path)).body.code;
  t.equal(await codeOf(`${rows}?time=2025-12-22T05:01:01Z`), 'SEAL_NOT_FOUND', 'a second without a row');
  t.equal(await codeOf(`${rows}?time=2025-12-23T03:30:00Z`), 'INVALID', 'the first second of the next local day');
  t.equal(await codeOf(`${rows}?time=2025-12-23T03:29:59Z`), 'SEAL_NOT_FOUND', 'the last of this one');
  t.equal(await codeOf('/sim-1/seals/2025-12-21/rows?time=2025-12-21T05:00:00Z'), 'SEAL_NOT_FOUND', 'no levels');
  t.equal(await codeOf('/sim-9/seals/2025-12-21/rows?time=2025-12-21T05:00:00Z'), 'UNIT_NOT_FOUND');
  await append(world, seconds(at('2025-12-22T06:00:00Z'), 1));
  t.equal(await codeOf(`${rows}?time=2025-12-22T05:00:00Z`), 'SEAL_OUTDATED', 'until it is sealed again');
  await sealed(world, 2);
  t.match((await world.get(`${rows}?time=2025-12-22T05:00:00Z`)).body.data, { seal: { version: 2 } });
});

t.test('an impossible span is refused with its place', async (t) => {
  const world = await inStJohns(t);
  for (const [query, path] of [
    ['?from=2025-12-24&to=2025-12-23', '/to'],
    ['?from=yesterday', '/from'],
  ])
    t.match((await world.get(`/sim-1/seals${query}`)).body, { code: 'INVALID', errors: [{ path }] });
  t.equal((await world.get('/sim-9/seals')).body.code, 'UNIT_NOT_FOUND');
});
