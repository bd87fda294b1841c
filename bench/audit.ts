/**
 * The time until the audit record of a change is on the disk: one change after the other, and sixteen at once. Compared with
 * a bare write and sync of the same bytes in the same run. Exits with 1 beyond a bound.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../lib/audit/journal.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { quantile } from './setting/index.ts';

const CHANGES = 800;
/** Milliseconds more than the bare write, p50. */
const BOUND_MS = 2;

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const log = createLog('silent');
const journal = await openJournal({ folder, keepDays: 0, maxBytes: 1e9, clock: systemClock, log });
const record = (request: string) => ({
  request,
  who: 'anna',
  keyId: 'k1',
  role: 'operator',
  address: '192.0.2.9',
  method: 'PUT',
  route: '/{unit_id}/clock',
  unitId: 'roof',
  params: {},
  status: 200,
  code: undefined,
  body: { datetime: '2026/11/21,06:00:00' },
  before: undefined,
  answer: { clock: '2026/11/21 06:00:00' },
});

/** Milliseconds of each piece of work, `atOnce` of them side by side. */
async function times(atOnce: number, work: (number: number) => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  const row = async (first: number) => {
    for (let number = first; number < CHANGES; number += atOnce) {
      const began = performance.now();
      await work(number);
      found.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, first) => row(first)));
  return found;
}

const bare = await open(join(folder, 'bare'), 'a');
const plain = async () => {
  await bare.appendFile('x'.repeat(500));
  await bare.datasync();
};
const write = (number: number) => journal.add(record(`r-${number}`));
await times(1, plain);
const found = {
  'a bare write and sync': await times(1, plain),
  'a record, one after the other': await times(1, write),
  'a record, sixteen at once': await times(16, write),
};
for (const [what, ms] of Object.entries(found))
  console.log(`${what}: ${quantile(ms, 0.5).toFixed(2)} ms (p50), ${quantile(ms, 0.99).toFixed(2)} ms (p99)`);
await journal.close();
await bare.close();
await rm(folder, { recursive: true });
const more = quantile(found['a record, one after the other'], 0.5) - quantile(found['a bare write and sync'], 0.5);
console.log(`${more.toFixed(2)} ms more than the disk needs (bound ${BOUND_MS})`);
process.exitCode = more <= BOUND_MS ? 0 : 1;
