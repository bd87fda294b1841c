import { readFile } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import t from 'tap';
import { hangUpEnds, isPath, isWithin, moveOver, notChecked, othersMay, syncFolder } from '../../lib/system.ts';

t.test('on Windows the mode that Node makes up refuses no file, and a warning says that nobody looks', async (t) => {
  const FILE = 0o100666;
  t.equal(othersMay(0o077, FILE, 'posix'), true);
  t.equal(othersMay(0o077, 0o100600, 'posix'), false);
  t.equal(othersMay(0o077, FILE, 'windows'), false);
  t.match(notChecked('windows'), /cannot see who else may read or change its files/);
  t.equal(notChecked('posix'), undefined);
});

t.test('a folder is put on the disk where the system can do that', async (t) => {
  const missing = `${t.testdir()}/none`;
  await t.rejects(syncFolder(missing, 'posix'), { code: 'ENOENT' });
  await syncFolder(missing, 'windows');
  await syncFolder(t.testdir());
});

t.test('a file takes the place of another one, which on Windows may be held by a reader for a moment', async (t) => {
  const after = (_ms: number, fire: () => void) => {
    fire();
    return () => {};
  };
  const clock = { now: () => 0, elapsed: () => 0, after };
  const held = (times: number, code: string) => {
    const tries = { count: 0 };
    const move = async () => {
      tries.count += 1;
      if (tries.count <= times) throw Object.assign(new Error(code), { code });
    };
    return { tries, move };
  };
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    const { tries, move } = held(3, code);
    await moveOver('a', 'b', { system: 'windows', move, clock });
    t.equal(tries.count, 4, code);
  }
  await t.rejects(moveOver('a', 'b', { system: 'windows', ...held(1_000, 'EPERM'), clock }), { code: 'EPERM' });
  await t.rejects(moveOver('a', 'b', { system: 'windows', ...held(1, 'ENOENT'), clock }), { code: 'ENOENT' });
  await t.rejects(moveOver('a', 'b', { system: 'posix', ...held(1, 'EPERM'), clock }), { code: 'EPERM' });
  const folder = t.testdir({ draft: 'new', file: 'old' });
  await moveOver(`${folder}/draft`, `${folder}/file`);
  t.equal(await readFile(`${folder}/file`, 'utf8'), 'new');
});

t.test('paths in a folder follow the rules of each system', async (t) => {
  for (const [folder, path] of [
    ['C:\\slm\\data', 'C:\\slm\\data'],
    ['C:\\slm\\data', 'c:\\SLM\\Data\\deep\\secret.key'],
    ['C:\\slm\\data', 'C:\\slm\\data\\..key'],
  ] as const)
    t.equal(isWithin(folder, path, win32), true, path);
  for (const path of ['C:\\slm\\secret.key', 'C:\\slm\\data-keys\\secret.key', 'D:\\slm\\data\\secret.key'])
    t.equal(isWithin('C:\\slm\\data', path, win32), false, path);
  t.equal(isWithin('/slm/data', '/slm/data/deep/key', posix), true);
  for (const path of ['/slm/key', '/slm/data-keys/key', '/']) t.equal(isWithin('/slm/data', path, posix), false, path);
});

t.test('a plugin is named by its path as each system writes it, or by its name', async (t) => {
  for (const path of [
    '../main/mine.js',
    '../mine.js',
    '/opt/mine.js',
    '.\\mine.js',
    'C:\\slm\\mine.js',
    'C:/slm/mine.js',
  ])
    t.equal(isPath(path, win32), true, path);
  for (const path of ['../main/mine.js', '../mine.js', '/opt/mine.js']) t.equal(isPath(path, posix), true, path);
  for (const name of ['status', 'mine/plugin', '@scope/plugin', '.hidden'])
    for (const rules of [win32, posix]) t.equal(isPath(name, rules), false, name);
});

t.test(
  'a window that is closed ends the gateway; elsewhere SIGHUP without a terminal is a wish to read again',
  async (t) => {
    t.equal(hangUpEnds(false, 'posix'), false);
    t.equal(hangUpEnds(true, 'posix'), true);
    t.equal(hangUpEnds(false, 'windows'), true);
  },
);
