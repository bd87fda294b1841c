/** API keys and people are the same at all instances: what changes at one comes to the others, and nobody loses a file without a copy. */
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { replaceFile } from '../../lib/access/replace-file.ts';
import { InstanceFiles } from '../../lib/cluster/shared-files.ts';
import { createLog } from '../../lib/log.ts';
import { MemoryFiles } from './support/memory-store.ts';

async function instances(t: Test) {
  const store = new MemoryFiles();
  const folder = await mkdtemp(join(tmpdir(), 'slm-files-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const { signal } = new AbortController();
  const open = async (name: string) => {
    const own = await mkdtemp(join(folder, name));
    const path = join(own, 'keys.json');
    const begin = () => new InstanceFiles({ store, paths: [path], replace: replaceFile, log });
    let files = begin();
    return {
      write: (text: string) => writeFile(path, text),
      read: () => readFile(path, 'utf8').catch(() => undefined),
      before: () => readFile(`${path}.before-joining`, 'utf8').catch(() => undefined),
      exchange: () => files.exchange(signal),
      restart: () => {
        files = begin();
      },
    };
  };
  return { open, store, lines };
}

t.test('a file of one comes to the other, and so does each change, both ways', async (t) => {
  const { open } = await instances(t);
  const [one, other] = [await open('one'), await open('other')];
  await one.write('first');
  await one.exchange();
  await other.exchange();
  t.equal(await other.read(), 'first');
  await other.write('second');
  await other.exchange();
  await one.exchange();
  t.equal(await one.read(), 'second');
  await one.exchange();
  await other.exchange();
  t.equal(await other.read(), 'second', 'and then nothing changes any more');
});

t.test('who joins with another file takes that of the others, and keeps its own beside it', async (t) => {
  const { open, lines } = await instances(t);
  const [one, other] = [await open('one'), await open('other')];
  await one.write('of all');
  await one.exchange();
  await other.write('of its own');
  await other.exchange();
  t.equal(await other.read(), 'of all');
  t.equal(await other.before(), 'of its own');
  t.ok(lines.some((line) => line.includes('keys.json')));
});

t.test('after a restart of an instance the file of all is the latest one', async (t) => {
  const { open } = await instances(t);
  const [one, other] = [await open('one'), await open('other')];
  await one.write('first');
  await one.exchange();
  await other.exchange();
  await other.write('while the first was down');
  await other.exchange();
  one.restart();
  await one.exchange();
  t.equal(await one.read(), 'while the first was down');
});

t.test('of two that change it at once one stays, the same at both', async (t) => {
  const { open } = await instances(t);
  const [one, other] = [await open('one'), await open('other')];
  await one.write('first');
  await one.exchange();
  await other.exchange();
  await one.write('by one');
  await other.write('by the other');
  await Promise.all([one.exchange(), other.exchange()]);
  await Promise.all([one.exchange(), other.exchange()]);
  t.equal(await one.read(), await other.read());
});

t.test('while the store is away nothing changes, and it is told once', async (t) => {
  const { open, store, lines } = await instances(t);
  const one = await open('one');
  store.versions = () => Promise.reject(new Error('away'));
  await one.write('first');
  for (let times = 0; times < 3; times += 1) await one.exchange();
  t.equal(await one.read(), 'first');
  t.equal(lines.filter((line) => line.includes('could not be exchanged')).length, 1, 'once');
});

t.test('a store that does not answer ends with the signal, and the next exchange works again', async (t) => {
  const { store, lines } = await instances(t);
  const path = join(t.testdir(), 'keys.json');
  await writeFile(path, 'own');
  let isSilent = true;
  const silent = { versions: () => (isSilent ? new Promise<never>(() => {}) : store.versions()) };
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const shared = { ...silent, read: (name: string) => store.read(name), write: store.write.bind(store) };
  const files = new InstanceFiles({ store: shared, paths: [path], replace: replaceFile, log });
  const ending = new AbortController();
  const exchange = files.exchange(ending.signal);
  ending.abort(new Error('late'));
  await exchange;
  isSilent = false;
  await files.exchange(new AbortController().signal);
  t.match(await store.read('keys.json'), { text: 'own' });
});
