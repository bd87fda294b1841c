/**
 * Half a gigabyte of rows, and an eighth of it of random bytes, as files of levels: memory stays flat. `npm run test:more`; RND_MB says how
 * many megabytes of rows, 512 unless it is set.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { readRnd } from '../../lib/drivers/nl43/card/rnd.ts';
import { heldMb } from '../support/held.ts';

const MB = 1_048_576;
/** As wide as with the bands of four channels. */
const BANDS = 132;
const NAMES = `Address,Start Time,Lp(Main),Leq(Main),${Array.from({ length: BANDS }, (_, at) => `Band ${at},`).join('')}`;
const ROW = `     1,2025/12/24 02:00:00.000, 43.7, 43.5,${' 40.0,'.repeat(BANDS)}\r\n`;
const MOST_MB = 20;
const SIZE = Number(process.env.RND_MB ?? 512) * MB;

async function* rows(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`CSV\r\n${NAMES}\r\n`);
  const piece = Buffer.from(ROW.repeat(1_000));
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

async function* noise(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`CSV\r\n${NAMES}\r\n`);
  for (let sent = 0; sent < bytes; sent += MB) yield randomBytes(MB);
}

t.test('a large file is read row by row in flat memory', { timeout: 600_000 }, async (t) => {
  const before = heldMb();
  let count = 0;
  let most = 0;
  for await (const item of readRnd(rows(SIZE))) {
    if ('row' in item) count += 1;
    if (count % 100_000 === 0) most = Math.max(most, heldMb() - before);
  }
  t.ok(count * ROW.length >= SIZE, `${count} rows`);
  t.ok(most < MOST_MB, `${most.toFixed(1)} MB more`);
});

t.test('random bytes of any length are a hundred problems and no row', { timeout: 600_000 }, async (t) => {
  const before = heldMb();
  const items = [];
  for await (const item of readRnd(noise(SIZE / 8))) items.push(item);
  t.equal(items.length, 100);
  t.notOk(items.some((item) => 'row' in item));
  // Dropped objects are freed beside the main thread.
  for (let turn = 0; turn < 100 && heldMb() - before >= MOST_MB; turn += 1) await setImmediate();
  t.ok(heldMb() - before < MOST_MB);
});
