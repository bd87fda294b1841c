/**
 * A process that records is killed at random moments, again and again, on one file. All rows that it confirmed are there, all
 * rows are right, and the file is whole. `npm run test:more`; HISTORY_KILLS: how often, 12 times unless it is set.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { rowsOf } from '../contract/history/rows.ts';

const KILLS = Number(process.env.HISTORY_KILLS ?? 12);
/** Beyond the first fold of hours that are over. */
const LONGEST_MS = 7_000;
const BEGIN = 1_700_000_000 - (1_700_000_000 % 3_600);
const UNITS = 20;
const WRITER = fileURLToPath(new URL('../support/history-writer.ts', import.meta.url));

interface FromChild {
  readonly ready?: true;
  readonly flushed?: number;
  readonly imported?: number;
  readonly from?: number;
}

/** Runs a writer for a random time. Returns its messages before it was killed. */
async function killed(t: Test, path: string, begin: number): Promise<FromChild[]> {
  const child: ChildProcess = spawn(process.execPath, [WRITER, path, String(begin)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const told: FromChild[] = [];
  if (!child.stdout) throw new Error('no output');
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => told.push(JSON.parse(line)));
  await once(lines, 'line');
  await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
  child.kill('SIGKILL');
  await once(child, 'exit');
  return told;
}

t.test('after a kill at any moment, nothing acknowledged is lost, and the file is whole', async (t) => {
  const path = join(t.testdir(), 'history.db');
  let next = BEGIN;
  let imported = 0;
  const levelAt = (at: number) => Math.round((30 + (at % 600) / 10) * 100) / 100;
  for (let kill = 0; kill < KILLS; kill++) {
    const told = await killed(t, path, next);
    const flushed = told.findLast((one) => one.flushed !== undefined)?.flushed ?? next - 1;
    imported += told.reduce((sum, one) => sum + (one.imported ?? 0), 0);

    const database = new Database(path);
    t.equal(
      database.pragma('integrity_check', { simple: true }),
      'ok',
      `kill ${kill + 1}, after second ${flushed - BEGIN}`,
    );
    database.close();
    const history = await openHistory({ path, clock: systemClock, log: createLog('error') });
    for (const unit of [0, UNITS - 1]) {
      const rows = await rowsOf(history, { unitId: `unit-${unit}`, over: { from: BEGIN, to: flushed + 3, step: 1 } });
      const kept = rows.filter(({ from, leq, measured }) => measured === 1 && leq === levelAt(from));
      const wrong = rows.filter(({ leq, from }) => leq !== null && leq !== levelAt(from));
      t.strictSame(wrong, [], 'no row is wrong');
      t.ok(kept.filter(({ from }) => from <= flushed).length === flushed - BEGIN + 1, 'every flushed second is there');
    }
    const { series } = await history.extent('imports');
    const measured = series.reduce((sum, one) => sum + one.measured, 0);
    t.ok(measured >= imported * 60, 'every acknowledged import is there');
    t.equal(measured % (400 * 60), 0, 'and no part of another');
    await history.close();
    // The next one goes on where this one may have been.
    next = flushed + 1;
    imported = measured / 60;
  }
});
