/** A card of a hundred thousand files, all but one known: a run fetches the unknown file, and the process goes on meanwhile. */
import { Readable } from 'node:stream';
import t from 'tap';
import type { FileEntry, JobRun } from '../../lib/built-in.ts';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { Host } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import { copyPlaceOf } from '../../plugins/mirror/places.ts';
import { MirrorRun, type MirrorSettings } from '../../plugins/mirror/run.ts';
import { MirrorStore } from '../../plugins/mirror/store.ts';
import { CLOCKS, FILES, HOURS, MIRROR_MIGRATIONS, RECORDINGS, UNITS, VERSIONS } from '../../plugins/mirror/tables.ts';
import { configOf } from '../plugin/doubles.ts';
import { folder } from '../store/setup.ts';
import { heldMb } from '../support/held.ts';
import { standIn } from '../support/stand-in.ts';

const FOLDERS = 100;
const FILES_EACH = 1_000;
const NEW = { name: 'new.rnd', bytes: Buffer.from('CSV\r\n') };

const entry = (path: string, size: number, isDir = false): FileEntry => ({
  name: path.split('/').at(-1) ?? '',
  path,
  size,
  modified: 'Dec 24 2025',
  modifiedAt: '2025-12-24T02:13:00',
  isDir,
});

t.test('100,000 files that are known cost a listing and little else', { timeout: 300_000 }, async (t) => {
  const { home, clock, open } = folder(t);
  const log = createLog('silent');
  const tables = await (await open()).tables(
    'mirror',
    [FILES, VERSIONS, UNITS, CLOCKS, HOURS, RECORDINGS],
    MIRROR_MIGRATIONS,
  );
  const listing = new Map<string, FileEntry[]>([['/NL-43', []]]);
  for (let number = 0; number < FOLDERS; number += 1) {
    const path = `/NL-43/Auto_Lp_${number}`;
    listing.get('/NL-43')?.push(entry(path, 0, true));
    listing.set(
      path,
      Array.from({ length: FILES_EACH }, (_, at) => entry(`${path}/${at}.rnd`, 100)),
    );
  }
  for (const entries of [...listing.values()].slice(1)) {
    const held = {
      card: 1,
      unitId: 'roof',
      sha256: 'x',
      kept: 100,
      wholeModified: '2025-12-24T02:13:00',
      fetchedAt: 1,
    };
    const rest = { state: 'complete' as const, half: 0, parsed: null, rows: 0, problems: [], stored: '' };
    const rows = entries.map(({ path, size, modifiedAt }) => ({
      ...held,
      ...rest,
      id: copyPlaceOf(home, 'roof', 1, path).id,
      path,
      size,
      modified: modifiedAt ?? '',
    }));
    await tables.write((table) => table.add(FILES, rows));
  }
  listing.get('/NL-43/Auto_Lp_7')?.push(entry(`/NL-43/Auto_Lp_7/${NEW.name}`, NEW.bytes.length));
  listing.get('/NL-43/Auto_Lp_3')?.shift();

  const config = { ...configOf({ unitId: 'roof', timezone: 'UTC', tcpEnabled: false }) };
  const asked: string[] = [];
  const host = standIn<Host<MirrorSettings>>({
    configs: {
      of: () => ({
        ...config,
        mirror: { ...config.mirror, paths: ['/NL-43'], parse: false, maxGb: 100, maxMbPerDay: 0 },
      }),
    },
    settings: { min_free_mb: 0 },
    families: createFamilies(),
    publish: () => {},
    card: () => ({
      visit: () => ({
        list: async (path: string) => listing.get(path) ?? [],
        open: async (path: string) => {
          asked.push(path);
          return { name: NEW.name, size: NEW.bytes.length, stream: Readable.from([NEW.bytes]) };
        },
        release() {},
        close: async () => {},
      }),
    }),
  });
  const job = standIn<JobRun<object>>({
    id: 1,
    unitId: 'roof',
    caller: { signal: new AbortController().signal, deadlineMs: 600_000 },
    input: {},
    checkpoint: undefined,
    signal: new AbortController().signal,
    clock,
    log,
    progress: () => {},
    say: () => {},
    save: async () => {},
  });
  const before = heldMb();
  let longest = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  t.teardown(() => clearInterval(ticking));
  const result = await new MirrorRun(host, new MirrorStore(tables), home, job, Date.now).run();
  t.match(result, { listed: FOLDERS * FILES_EACH, fetched: 1, gone: 1, stopped: null });
  t.same(asked, [`/NL-43/Auto_Lp_7/${NEW.name}`]);
  t.ok(heldMb() - before < 20, 'nothing of it stays');
  t.comment(`longest time without a turn for others: ${longest.toFixed(0)} ms`);
});
