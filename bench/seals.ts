/**
 * The cost of the seals of a day. A unit with a whole day of the stream (86,400 seconds of ten samples) is read as it is
 * stored, and hashed. CPU of all threads, as a share of one core for 200 units. Exits with 1 beyond the bound.
 * `node bench/seals.ts [units]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { openHistory } from '../lib/history/index.ts';
import { createLog } from '../lib/log.ts';
import { NATIVE_HASHES } from '../plugins/evidence/native-hashes.ts';
import { MerkleTree } from '../plugins/evidence/verify/merkle.ts';

const DAY_S = 86_400;
const UNITS = 200;
const BOUND = 0.001;
const units = Number(process.argv[2] ?? 8);
const from = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S - 2 * DAY_S;

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const history = await openHistory({ path: join(folder, 'history.db'), clock: systemClock, log: createLog('silent') });
try {
  for (let unit = 0; unit < units; unit++)
    for (let hour = 0; hour < 24; hour++) {
      const seconds = Array.from({ length: 3_600 }, (_, n) => ({
        at: from + hour * 3_600 + n,
        steps: 10,
        leq: 50 + (n % 60) / 7,
        lmax: 62,
        lmin: 41,
        lpeak: 75,
        lp: Array.from({ length: 10 }, (_, step) => 48 + ((n * 7 + step * 13) % 80) / 10),
      }));
      history.append({ unitId: `unit-${unit}`, source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
      await history.flush();
    }
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const began = process.cpuUsage();
  let lines = 0;
  for (let unit = 0; unit < units; unit++)
    for (const kind of ['intervals', 'minutes', 'seconds'] as const) {
      const tree = new MerkleTree(NATIVE_HASHES);
      const span = { unitId: `unit-${unit}`, kind, from, to: from + DAY_S };
      for await (const page of history.lines(span)) for (const line of page) tree.add(line);
      tree.root();
      lines += tree.count;
    }
  const { user, system } = process.cpuUsage(began);
  const each = (user + system) / 1e6 / units;
  const share = (each * UNITS) / DAY_S;
  console.log(
    `a day of a unit: ${(lines / units).toFixed(0)} rows, ${each.toFixed(2)} s of CPU; ${UNITS} units: ${(share * 100).toFixed(2)} % of a core (at most ${BOUND * 100} %)`,
  );
  if (share > BOUND) process.exitCode = 1;
} finally {
  await history.close();
  await rm(folder, { recursive: true, force: true });
}
