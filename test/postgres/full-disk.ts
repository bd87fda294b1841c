/** The disk of the server is full: changes are refused with that reason, and all goes on once there is room. */
import { randomBytes } from 'node:crypto';
import { chmodSync, statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { BEAT_MS } from '../../lib/store/postgres/owner.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { config, folder } from '../store/setup.ts';
import { startPostgres } from '../support/postgres.ts';
import { smallDisk } from '../support/small-disk.ts';

t.test('a full disk of the server: 507 or 503, nothing is lost, and it recovers', async (t) => {
  const place = await smallDisk(t, 120);
  if ('reason' in place) return void t.comment(`not tried: ${place.reason}`);
  chmodSync(place.disk, 0o777);
  const server = await startPostgres(place.disk);
  t.teardown(() => server.stop());
  const timer = new VirtualClock();
  const store = await folder(t).open({ server: databaseAddress(server.url), timer });
  await store.configs.change('roof', () => config('roof', { tcpPort: 1 }));
  const filler = join(place.disk, 'filler');
  const { bavail, bsize } = statfsSync(place.disk);
  await writeFile(filler, Buffer.alloc(bavail * bsize - 2_000_000));
  const codes = new Set<string>();
  const long = (index: number) => config(`unit-${index}`, { place: randomBytes(150_000).toString('base64') });
  for (let index = 0; index < 400 && store.trouble() === undefined; index += 1)
    await store.configs.change(`unit-${index}`, () => long(index)).catch(({ code }) => codes.add(code));
  t.match([...codes], [/^STORAGE_(FULL|FAILED)$/]);
  t.match(store.trouble(), /^(The disk of the database server is full|The database cannot be written)/);
  t.equal(store.configs.get('roof')?.tcpPort, 1);
  await rm(filler);
  for (let tries = 0; tries < 30 && store.trouble() !== undefined; tries += 1) {
    await timer.advance(BEAT_MS);
    await store.configs.change('roof', () => config('roof', { tcpPort: 2 })).catch(() => {});
  }
  t.equal(store.trouble(), undefined);
  t.equal(store.configs.get('roof')?.tcpPort, 2);
});
