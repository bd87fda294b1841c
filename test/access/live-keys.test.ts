import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { keyFileIn } from '../../lib/access/key-file.ts';
import { LastUse, readUse, useFileIn } from '../../lib/access/last-use.ts';
import { LiveKeys, standingOf } from '../../lib/access/live-keys.ts';
import { watchFiles } from '../../lib/access/watched-file.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { makeKey, revokeKey } from '../support/keys.ts';

function setup(t: Test) {
  const clock = new VirtualClock();
  const dataDir = join(t.testdir(), 'data');
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const open = () => {
    const keys = new LiveKeys(keyFileIn(dataDir), clock, log);
    const close = watchFiles(clock, [keys]);
    t.teardown(close);
    return Object.assign(keys, { close });
  };
  return { clock, dataDir, log, lines, open };
}

t.test('a key made or revoked beside a running gateway counts within a second', async (t) => {
  const { clock, dataDir, open } = setup(t);
  const keys = open();
  t.equal(keys.ever, false);
  const made = await makeKey(dataDir, { name: 'a' }, clock);
  t.equal(keys.find(made.id), undefined, 'the file is not looked at on every call');
  await clock.advance(1_000);
  t.equal(keys.find(made.id)?.name, 'a');
  await revokeKey(dataDir, made, clock);
  await clock.advance(1_000);
  const record = keys.find(made.id);
  t.equal(record && standingOf(record, clock.now()), 'revoked');
  t.equal(keys.good, 0);
  t.equal(keys.ever, true, 'taking the last key away opens nothing');
});

t.test('a key is checked without reading the disk, and no file is watched after the end', async (t) => {
  const { clock, dataDir, open } = setup(t);
  const keys = open();
  const made = await makeKey(dataDir, { name: 'a' }, clock);
  await clock.advance(999);
  t.equal(keys.find(made.id), undefined);
  await clock.advance(1);
  rmSync(dataDir, { recursive: true });
  t.equal(keys.find(made.id)?.name, 'a', 'what was read stays, also right after the file has gone');
  keys.close();
  await clock.advance(60_000);
  t.equal(keys.find(made.id)?.name, 'a');
  t.equal(clock.pending, 0);
});

t.test('a key file that is deleted takes all keys along and opens nothing', async (t) => {
  const { clock, dataDir, open } = setup(t);
  const made = await makeKey(dataDir, { name: 'a' }, clock);
  const keys = open();
  rmSync(keyFileIn(dataDir));
  await clock.advance(1_000);
  t.equal(keys.find(made.id), undefined);
  t.equal(keys.ever, true);
});

t.test('a key file that breaks leaves the last keys in force and is logged once', async (t) => {
  const { clock, dataDir, open, lines } = setup(t);
  const made = await makeKey(dataDir, { name: 'a' }, clock);
  const keys = open();
  writeFileSync(keyFileIn(dataDir), '{ broken');
  for (let second = 0; second < 5; second++) {
    await clock.advance(1_000);
    t.equal(keys.find(made.id)?.name, 'a');
  }
  t.equal(lines.filter((line) => line.includes('cannot be read again')).length, 1);
  t.throws(open, { message: /cannot be used/ }, 'a gateway does not start with it');
});

t.test('the last use of a key is written behind, a minute later or at the end', async (t) => {
  const { clock, dataDir, log } = setup(t);
  const path = useFileIn(dataDir);
  const use = new LastUse(path, clock, log);
  use.note('0000000a');
  await clock.advance(59_999);
  t.notOk(existsSync(path));
  await clock.advance(1);
  await clock.until(
    new Promise<void>((resolve) =>
      (function look() {
        if (existsSync(path)) resolve();
        else setImmediate(look);
      })(),
    ),
  );
  t.strictSame(readUse(path), { '0000000a': '2025-12-24T02:00:00.000Z' });
  use.note('0000000b');
  await use.close();
  t.strictSame(Object.keys(readUse(path)), ['0000000a', '0000000b']);
  t.equal(clock.pending, 0);
  const next = new LastUse(path, clock, log);
  await next.close();
  t.match(readFileSync(path, 'utf8'), '0000000a', 'the next gateway keeps what it finds');
});

t.test('a file of last uses that is broken is no reason not to start', async (t) => {
  const { clock, dataDir, log } = setup(t);
  await makeKey(dataDir, { name: 'a' }, clock);
  writeFileSync(useFileIn(dataDir), 'null');
  t.strictSame(readUse(useFileIn(dataDir)), {});
  const use = new LastUse(useFileIn(dataDir), clock, log);
  use.note('0000000a');
  await use.close();
  t.strictSame(Object.keys(readUse(useFileIn(dataDir))), ['0000000a']);
});
