/** A rotation that is killed before any of its changes on the disk: the credentials are there, whichever key is in force. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CANARY_PASSWORD, config, folder } from './setup.ts';

const child = fileURLToPath(new URL('./rotates-and-dies.ts', import.meta.url));
const AT_ONCE = 4;

t.test('killed at each of its steps, a rotation loses nothing', async (t) => {
  const { home, dataDir, keyFile, open } = folder(t);
  const store = await open();
  for (let unit = 0; unit < 5; unit += 1) await store.configs.change(`unit-${unit}`, () => config(`unit-${unit}`));
  await store.close();

  /** Whether the rotation came to its end before that step. */
  const killedAt = async (step: number): Promise<boolean> => {
    const place = join(home, `step-${step}`);
    await cp(dataDir, join(place, 'data'), { recursive: true });
    await cp(join(keyFile, '..'), join(place, 'keys'), { recursive: true });
    const own = { dataDir: join(place, 'data'), keyFile: join(place, 'keys', 'gateway.key') };
    const rotation = spawn(process.execPath, [child, own.dataDir, own.keyFile, String(step)], { stdio: 'inherit' });
    const [code, signal] = await once(rotation, 'exit');
    t.ok(code === 0 || signal === 'SIGKILL', `step ${step} ends as it should`);
    const after = await open(own);
    const passwords = after.configs.list().map(({ ftpPassword }) => ftpPassword);
    t.same(passwords, Array(5).fill(CANARY_PASSWORD), `all is there after a kill at step ${step}`);
    await after.close();
    return code !== 0;
  };

  let killed = 0;
  for (let first = 1; ; first += AT_ONCE) {
    const steps = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    const outcomes = await Promise.all(steps.map(killedAt));
    killed += outcomes.filter(Boolean).length;
    if (outcomes.includes(false)) break;
  }
  t.ok(killed >= 7, `${killed} steps`);
});
