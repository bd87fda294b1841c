/** An instance whose clock is ten years ahead takes over: it says so, meters are served, and nothing that there was is lost. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { startMeter } from '../../simulator/index.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { gatewayProcess } from '../support/gateway-process.ts';
import { freshDatabase } from '../support/postgres.ts';

const YEARS_MS = 3_650 * 86_400_000;
/** For `node --import`, in each thread: the wall clock is ahead, and the monotonic one stays. */
const AHEAD = `data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${YEARS_MS}`)}`;

t.test('its clock is reported, and the old levels, notes and configs are there', { timeout: 240_000 }, async (t) => {
  const url = await freshDatabase(t);
  const meter = await startMeter({ profile: 'instant', soundStepMs: 100 });
  t.teardown(() => meter.stop());
  const home = t.testdir();
  const begin = async (name: string, more: NodeJS.ProcessEnv = {}) => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const env = { ...childEnvironment(), SLM_DATABASE_URL: url, SLM_SECRET_KEY: key, ...more };
    const { child, base, ask } = await gatewayProcess(t, join(home, name), ['--instance-name', name], env);
    /** In real time: the deadline is that of the test. */
    const takesOver = async () => {
      while ((await fetch(new URL('/readyz', base)).catch(() => undefined))?.status !== 200) await wait(100);
    };
    const stop = async () => {
      child.kill('SIGTERM');
      t.strictSame(await once(child, 'exit'), [0, null]);
    };
    return { ask, takesOver, stop };
  };
  type Asking = Pick<Awaited<ReturnType<typeof begin>>, 'ask'>;
  const began = Math.floor(Date.now() / 60_000) * 60_000;
  /** The recorded seconds of the true time. */
  const seconds = async ({ ask }: Asking): Promise<string[]> => {
    const [from, to] = [began, Math.ceil(Date.now() / 60_000) * 60_000].map((at) => new Date(at).toISOString());
    const { json } = await ask('GET', `/roof/history?from=${from}&to=${to}&step=1s&quantities=leq`);
    const rows: [string, number | null][] = json.data?.rows ?? [];
    return rows.filter(([, leq]) => leq !== null).map(([start]) => start);
  };

  const north = await begin('north');
  const config = { host: meter.host, tcp_port: meter.tcpPort, poll_enabled: false, history: 'stream' };
  t.equal((await north.ask('PUT', '/roof/config', config)).status, 200);
  t.equal(
    (await north.ask('POST', '/roof/notes', { from: new Date(began).toISOString(), kind: 'note', text: 'a lorry' }))
      .status,
    201,
  );
  while ((await seconds(north)).length < 5) await wait(250);

  const south = await begin('south', { NODE_OPTIONS: `--import=${AHEAD}` });
  t.match((await south.ask('GET', '/../../health')).json.problems, [
    {
      part: 'clock',
      detail: /^The clock of this computer is 3650 days ahead of that of the database: one of them is wrong/,
    },
  ]);
  const before = await seconds(north);
  await north.stop();
  await south.takesOver();
  /** The data from before is there. */
  const isThere = async (one: Asking) => {
    const kept = await seconds(one);
    t.strictSame(
      before.filter((at) => !kept.includes(at)),
      [],
      'levels',
    );
    t.match((await one.ask('GET', '/roof/notes')).json.data, [{ text: 'a lorry' }]);
    t.match((await one.ask('GET', '/roof/live')).json, { data: { lp: /^\d/ } });
  };
  await isThere(south);

  const again = await begin('north');
  await south.stop();
  await again.takesOver();
  await isThere(again);
  while ((await seconds(again)).length < before.length + 3) await wait(250);
  t.pass('and levels of the true time go on');
});
