/** Data folders of earlier releases, as those wrote them (`test/fixtures`): they open, and every number is what it was. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import type { HistoryRow } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { openFileUnits } from '../../lib/history/sqlite/file-units.ts';
import { verifyFile } from '../../lib/history/sqlite/verify.ts';
import { createLog } from '../../lib/log.ts';
import { openStore } from '../../lib/store/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { HOUR, PERCENTILES, rowsOf } from '../contract/history/rows.ts';

const RELEASES = ['0.1.0', '0.2.0'];
const log = createLog('silent');

const fixture = (release: string, file: string) =>
  fileURLToPath(new URL(`../fixtures/data-${release}/${file}`, import.meta.url));

function unpacked(t: Test, release: string, ...files: readonly string[]): string {
  const folder = t.testdir();
  for (const file of files)
    writeFileSync(join(folder, file), gunzipSync(readFileSync(fixture(release, `${file}.gz`))), { mode: 0o600 });
  return folder;
}

type Answers = Readonly<Record<'1' | '60' | '3600', readonly HistoryRow[]>>;

/** The answers of that release and of today, without the fields that came later. Means had two decimals at first. */
async function sameAnswers(t: Test, release: string, path: string): Promise<void> {
  const wanted: Answers = JSON.parse(gunzipSync(readFileSync(fixture(release, 'history.json.gz'))).toString());
  const history = await openHistory({ path, clock: new VirtualClock(), log });
  t.teardown(() => history.close());
  for (const step of ['1', '60', '3600'] as const) {
    const rows = wanted[step];
    const over = { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 0, step: Number(step) };
    const found = await rowsOf(history, { unitId: 'roof', over, percentiles: [5, 10, 90], counts: step !== '1' });
    t.ok(rows.length > 10, `${rows.length} rows of ${step} s`);
    t.strictSame(
      found.map((row, index) => asThen(row, rows[index] ?? row)),
      rows,
      `rows of ${step} s`,
    );
  }
}

function asThen(now: HistoryRow, then: HistoryRow): object {
  const same = (a: number | null, b: number | null) => (a !== null && b !== null && Math.abs(a - b) < 0.0051 ? b : a);
  const row = { ...now, leq: same(now.leq, then.leq), lp: same(now.lp, then.lp) };
  const known = (now: object, then: object) =>
    Object.fromEntries(Object.keys(then).map((name) => [name, Reflect.get(now, name)]));
  return { ...known(row, then), flagged: known(now.flagged, then.flagged) };
}

for (const release of RELEASES) {
  t.test(`the history of ${release} answers as it did`, async (t) => {
    const path = join(unpacked(t, release, 'history.db'), 'history.db');
    await sameAnswers(t, release, path);
  });

  t.test(`the packed hours of ${release} are whole, also once the hours of its journal are packed`, async (t) => {
    const path = join(unpacked(t, release, 'history.db'), 'history.db');
    const units = await openFileUnits(path);
    await units.close();
    const { hours, faults } = verifyFile(path);
    t.strictSame(faults, []);
    t.ok(hours >= 4, `${hours} hours`);
    await sameAnswers(t, release, path);
  });

  t.test(`a history that ${release} exported is taken`, async (t) => {
    const path = join(t.testdir(), 'history.db');
    const units = await openFileUnits(path);
    const read = () =>
      createInterface({ input: createReadStream(fixture(release, 'roof.jsonl.gz')).pipe(createGunzip()) });
    t.match(await units.take(read), { unitId: 'roof', intervals: 3 });
    await units.close();
    await sameAnswers(t, release, path);
  });

  t.test(`another channel beside the rows of ${release} changes none of them`, async (t) => {
    const path = join(unpacked(t, release, 'history.db'), 'history.db');
    const history = await openHistory({ path, clock: new VirtualClock(), log });
    const weighting = { frequency: 'A', time: 'F' } as const;
    const seconds = Array.from({ length: 7_200 }, (_, place) => ({ at: HOUR + place, steps: 10, leq: 99, lmax: 99 }));
    history.append({ unitId: 'roof', channel: 'sub1', source: 'stream', weighting, seconds });
    await history.close();
    await sameAnswers(t, release, path);
  });

  t.test(`seconds are added to an hour that ${release} recorded`, async (t) => {
    const path = join(unpacked(t, release, 'history.db'), 'history.db');
    const history = await openHistory({ path, clock: new VirtualClock(), log });
    t.teardown(() => history.close());
    const minute = { unitId: 'roof', over: { from: HOUR + 600, to: HOUR + 660, step: 60 }, ...PERCENTILES };
    const before = await rowsOf(history, minute);
    t.match(before, [{ measured: 0 }], 'that release recorded a gap here');
    const second = { at: HOUR + 610, steps: 10, leq: 60, lmax: 62, lmin: 58, lpeak: 75, lp: Array(10).fill(60) };
    const weighting = { frequency: 'A', time: 'F' } as const;
    history.append({ unitId: 'roof', source: 'stream', weighting, seconds: [second] });
    await history.flush();
    t.match(await rowsOf(history, minute), [{ measured: 1, leq: 60, lmax: 62, lmin: 58, lpeak: 75 }]);
  });

  t.test(`configs and last values of ${release} are there`, async (t) => {
    const dataDir = unpacked(t, release, 'gateway.db');
    const clock = new VirtualClock();
    const secretKey = 'the-key-of-an-old-folder';
    const store = await openStore({
      dataDir,
      keyFile: join(dataDir, 'none'),
      secretKey,
      timezone: () => 'UTC',
      clock,
      log,
    });
    t.teardown(() => store.close());
    t.match(store.configs.get('roof'), {
      host: '192.0.2.7',
      tcpPort: 2255,
      tcpEnabled: true,
      ftpEnabled: true,
      pollEnabled: false,
      history: 'off',
      ftpUsername: 'canary-user-7f3a',
      mirror: { every: '6h', keepReplacedDays: 0 },
    });
    t.match(store.snapshots.get('roof'), {
      measurementState: 'Measure',
      lp: '51.2',
      leq: '53.4',
      lmax: '70.1',
      lmin: '40.0',
      lpeak: '88.8',
      le: '90.5',
      ln1: '60.0',
      ln2: null,
      ln5: '42.1',
      batteryLevel: '80',
      lastSeen: Number,
    });
  });

  t.test(
    `a gateway opens the folder of ${release}: no key is needed as before, and what came later is as it was without it`,
    async (t) => {
      const dataDir = unpacked(t, release, 'gateway.db', 'history.db');
      const settings = {
        port: 0,
        data_dir: dataDir,
        key_file: join(dataDir, 'none'),
        // None that would call the meter by itself.
        plugins: ['config', 'status', 'history'],
        secret_key: 'the-key-of-an-old-folder',
      };
      const gateway = await startGateway(settings, { log });
      t.teardown(() => gateway.stop());
      const get = async (path: string) => (await fetch(new URL(`/api/nl43/roof/${path}`, gateway.baseUrl))).json();
      t.match(await get('config'), {
        data: {
          family: 'nl43',
          host: '192.0.2.7',
          tcp_port: 2255,
          tcp_enabled: true,
          ftp_enabled: true,
          poll_enabled: false,
          history: 'off',
          mirror: { every: '6h', keep_replaced_days: 0 },
        },
      });
      t.match(await get('status'), { data: { lp: '51.2', leq: '53.4', lmax: '70.1', battery_level: '80' } });
    },
  );
}
