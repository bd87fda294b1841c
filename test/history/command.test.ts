/** `npm run history`: whole units to a file and back, and what verify finds. One process a command, as an operator does it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { openHistory } from '../../lib/history/index.ts';
import { openFileUnits } from '../../lib/history/sqlite/file-units.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, HOUR, interval, reading, rowsOf, second, stream } from '../contract/history/rows.ts';

const COMMAND = fileURLToPath(new URL('../../lib/app/history-command.ts', import.meta.url));

const run = (dataDir: string, ...words: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...words, '--data-dir', dataDir], (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });

const open = (folder: string) =>
  openHistory({ path: join(folder, 'history.db'), clock: new VirtualClock(), log: createLog('silent') });

async function filled(t: Test): Promise<string> {
  const folder = t.testdir();
  const history = await open(folder);
  const seconds = Array.from({ length: 4_000 }, (_, index) =>
    second(HOUR + index, 40 + (index % 300) / 10, { flags: { over: index < 5 } }),
  );
  history.append(stream('roof', seconds));
  history.append({ unitId: 'roof', source: 'poll', weighting: AF, seconds: [reading(HOUR + 9_000, 50)] });
  const intervals = [interval(HOUR + 20_000, 900, 55, { ln: { 10: 58.5 }, line: 3 })];
  history.append({ unitId: 'roof', source: 'card', weighting: AF, intervals });
  await history.close();
  return folder;
}

async function answersOf(folder: string, unitId: string) {
  const history = await open(folder);
  const day = { from: HOUR, to: HOUR + 86_400 };
  const rows = await rowsOf(history, { unitId, over: { ...day, step: 60 }, percentiles: [10, 50], counts: true });
  const seconds = await rowsOf(history, { unitId, over: { ...day, to: HOUR + 4_100, step: 1 }, percentiles: [10] });
  await history.close();
  return { rows, seconds };
}

t.test('an export gives the same answers elsewhere', async (t) => {
  const folder = await filled(t);
  const file = join(folder, 'roof.jsonl.gz');
  t.match(await run(folder, 'export', 'roof', '--file', file), { code: 0, out: /roof was written/, err: '' });
  const head = JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n')[0] ?? '');
  t.match(head, {
    format: 'slm-history',
    version: 2,
    unit_id: 'roof',
    columns: { intervals: ['at', 'duration', 'leq'] },
  });
  const elsewhere = join(folder, 'elsewhere');
  t.match(await run(elsewhere, 'import', file, '--as', 'cellar'), { code: 0, out: /cellar: 3 hours and 1 interval/ });
  t.strictSame(await answersOf(elsewhere, 'cellar'), await answersOf(folder, 'roof'));
  t.match(await run(elsewhere, 'import', file, '--as', 'cellar'), {
    code: 1,
    err: /already has .*nothing was written/,
  });
  t.match(await run(elsewhere, 'verify'), { code: 0, out: /whole: 3 hours/ });
  t.match(await run(folder, 'export', 'attic'), { code: 1, err: /no history of "attic".*roof/ });
});

t.test('the channels of a unit are exported and taken apart; earlier releases refuse such a file', async (t) => {
  const folder = await filled(t);
  const history = await open(folder);
  history.append({ ...stream('roof', [second(HOUR, 71)]), channel: 'sub1' });
  await history.close();
  const source = await openFileUnits(join(folder, 'history.db'));
  const lines: string[] = [];
  for await (const line of source.lines('roof')) lines.push(line);
  await source.close();
  t.match(JSON.parse(lines[0] ?? ''), { version: 3 });
  t.equal(lines.filter((line) => line.includes('"channel":"sub1"')).length, 1);
  const elsewhere = join(folder, 'channels');
  const target = await openFileUnits(join(elsewhere, 'history.db'));
  async function* given() {
    yield* lines.map((line) => line.trimEnd());
  }
  t.match(await target.take(given), { unitId: 'roof', hours: 4, intervals: 1 });
  await target.close();
  t.strictSame(await answersOf(elsewhere, 'roof'), await answersOf(folder, 'roof'));
  const taken = await open(elsewhere);
  t.teardown(() => taken.close());
  const [sub] = await rowsOf(taken, { unitId: 'roof', channel: 'sub1', over: { from: HOUR, to: HOUR + 1, step: 1 } });
  t.match(sub, { leq: 71, measured: 1 });
});

/** The same lines with the hash that belongs to them. */
function rehashed(text: string): string {
  const lines = text.split('\n').slice(0, -2);
  const hash = createHash('sha256').update(lines.map((line) => `${line}\n`).join(''));
  return `${lines.join('\n')}\n${JSON.stringify({ lines: lines.length, sha256: hash.digest('hex') })}\n`;
}

t.test('a file that was changed or cut is refused as a whole', async (t) => {
  const folder = await filled(t);
  const source = await openFileUnits(join(folder, 'history.db'));
  const text = (await Readable.from(source.lines('roof')).toArray()).join('');
  await source.close();
  const target = await openFileUnits(join(folder, 'new.db'));
  async function* linesOf(content: string) {
    yield* content.split('\n').filter((line) => line !== '');
  }
  for (const [content, why] of [
    [text.replace('[0,10,1,', '[0,10,0,'), /hash/],
    [text.slice(0, text.lastIndexOf('{')), /ends too early/],
    ['{"some":"json"}\n', /not a file of a history/],
    [text.replace('"version":2', '"version":4'), /version 4/],
    [rehashed(text.replace('"lmax"', '"lnew"')), /the column lnew of the file is not known/],
    ['no json', /JSON/],
  ] as const) {
    await t.rejects(
      target.take(() => linesOf(content)),
      why,
    );
  }
  t.strictSame(await target.units(), []);
  t.match(await target.take(() => linesOf(text)), { unitId: 'roof', hours: 3, intervals: 1 });
  await target.close();
});

t.test('an export that fails leaves no file, and an existing file is not written over', async (t) => {
  const folder = await filled(t);
  const target = join(folder, 'exports');
  await mkdir(target);
  const file = join(target, 'roof.jsonl');
  await writeFile(file, 'kept');
  t.match(await run(folder, 'export', 'roof', '--file', file), {
    code: 1,
    err: /the file .*roof\.jsonl exists already/,
  });
  t.equal(await readFile(file, 'utf8'), 'kept');
  await rm(file);
  // Its first hour can be read and written, its second cannot: as with a disk that becomes full in between.
  await (await openFileUnits(join(folder, 'history.db'))).close();
  const database = new Database(join(folder, 'history.db'));
  database.prepare("update history_second_hour set rows = x'00' where hour = ?").run(HOUR / 3_600 + 1);
  database.close();
  t.match(await run(folder, 'export', 'roof', '--file', file), { code: 1, err: /./, out: '' });
  t.strictSame(await readdir(target), []);
});

t.test('a history in which nothing was recorded yet is whole, and belongs to nobody', async (t) => {
  const folder = t.testdir({ 'history.db': '' });
  t.match(await run(folder, 'verify'), { code: 0, out: /whole: 0 hours/, err: '' });
  t.match(await run(folder, 'export', 'roof'), { code: 1, err: /no history of "roof"; units with a history: none/ });
});

t.test('verify names the hour that is damaged', async (t) => {
  const folder = await filled(t);
  // Opening it folds the hours that are open.
  await (await openFileUnits(join(folder, 'history.db'))).close();
  const database = new Database(join(folder, 'history.db'));
  database.prepare('update history_hour set leq = leq + 1 where hour = ?').run(HOUR / 3_600);
  database.prepare("update history_second_hour set rows = x'00' where hour = ?").run(HOUR / 3_600 + 1);
  database.close();
  const { code, out } = await run(folder, 'verify');
  t.equal(code, 1);
  t.match(out, /roof, stream, 2025-12-23T22:00:00.000Z: its sum is not that of its minutes/);
  t.match(out, /roof, stream, 2025-12-23T23:00:00.000Z: it cannot be read/);
});

t.test('the error of a wrong command line helps', async (t) => {
  const folder = t.testdir();
  t.match(await run(folder, 'burn'), { code: 2, err: /"burn" is none of export, import, verify/ });
  t.match(await run(folder, 'verify'), { code: 1, err: /no history in .*--data-dir/ });
});
