/** The packages that are kept: the limits met exactly, and what a process leaves that was killed while it wrote one. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { EvidencePackage } from '../../client/schemas.ts';
import { type KeptPackages, MOST_PACKAGES, MOST_PACKED_BYTES, openPackages } from '../../plugins/evidence/packages.ts';

const recordOf = (unitId: string, id: number, bytes = 3): EvidencePackage => ({
  id: String(id),
  unit_id: unitId,
  from: '2026-11-20T00:00:00Z',
  to: '2026-11-21T00:00:00Z',
  timezone: 'UTC',
  include: ['levels'],
  sha256: '00',
  bytes,
  fingerprint: 'sha256:00',
  made_at: '2026-11-21T01:00:00Z',
  stamped: null,
  not_stamped: null,
});

async function kept(packages: KeptPackages, record: EvidencePackage): Promise<void> {
  const draft = await packages.draft(record.unit_id, record.id);
  await writeFile(draft, 'ZIP');
  await packages.keep(draft, record);
}
const idsOf = (packages: KeptPackages, unitId: string) => packages.of(unitId).map(({ id }) => Number(id));

t.test('fifty packages of a unit stay, the oldest goes for the next one, and other units keep theirs', async (t) => {
  const folder = t.testdir();
  const packages = await openPackages(folder);
  await kept(packages, recordOf('wall', 1));
  for (let id = 2; id <= MOST_PACKAGES + 1; id += 1) await kept(packages, recordOf('roof', id));
  t.equal(idsOf(packages, 'roof').length, 50);
  t.equal(idsOf(packages, 'roof').at(-1), 2, 'all of them');
  await kept(packages, recordOf('roof', 99));
  t.strictSame(
    [idsOf(packages, 'roof').length, idsOf(packages, 'roof').at(0), idsOf(packages, 'roof').at(-1)],
    [50, 99, 3],
  );
  t.notOk(existsSync(join(folder, 'roof', '2.zip')), 'its file, too');
  t.strictSame(idsOf(packages, 'wall'), [1]);
  t.strictSame(idsOf(await openPackages(folder), 'roof'), idsOf(packages, 'roof'), 'the same after a restart');
});

t.test('50 GB stay to the last byte; beyond it the oldest of all units go, never the fresh one', async (t) => {
  const packages = await openPackages(t.testdir());
  t.equal(MOST_PACKED_BYTES, 50_000_000_000);
  await kept(packages, recordOf('wall', 1, 20_000_000_000));
  await kept(packages, recordOf('roof', 2, 20_000_000_000));
  await kept(packages, recordOf('roof', 3, 10_000_000_000));
  t.strictSame([idsOf(packages, 'wall'), idsOf(packages, 'roof')], [[1], [3, 2]], 'exactly 50 GB');
  await kept(packages, recordOf('roof', 4, 1));
  t.strictSame([idsOf(packages, 'wall'), idsOf(packages, 'roof')], [[], [4, 3, 2]], 'a byte more');
  await kept(packages, recordOf('roof', 5, 60_000_000_000));
  t.strictSame(idsOf(packages, 'roof'), [5]);
});

t.test('half packages of a killed process are gone after the start, whole packages are not', async (t) => {
  const folder = t.testdir();
  const before = await openPackages(folder);
  await kept(before, recordOf('roof', 1));
  // Killed while it wrote, after the ZIP had its name, and between the JSON and its name.
  await writeFile(await before.draft('roof', '2'), 'half');
  await writeFile(join(folder, 'roof', '3.zip'), 'whole, but nothing says what it is');
  await writeFile(join(folder, 'roof', '3.json.draft'), '{"id":');
  await mkdir(join(folder, 'wall'));
  await writeFile(join(folder, 'wall', '4.json'), JSON.stringify(recordOf('wall', 4)));
  const after = await openPackages(folder);
  t.strictSame([idsOf(after, 'roof'), idsOf(after, 'wall')], [[1], []]);
  t.strictSame((await readdir(join(folder, 'roof'))).sort(), ['1.json', '1.zip']);
  t.strictSame(await readdir(join(folder, 'wall')), []);
});
