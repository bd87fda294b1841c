import { stat } from 'node:fs/promises';
import t from 'tap';
import { config, folder } from './setup.ts';

t.test('folder and files are only for the owner', async (t) => {
  const { open, dataDir, database, keyFile } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof'));
  const modes = await Promise.all(
    [dataDir, database, `${database}-wal`, keyFile].map(async (path) => (await stat(path)).mode & 0o777),
  );
  t.same(modes, [0o700, 0o600, 0o600, 0o600]);
});
