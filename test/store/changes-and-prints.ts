/** Changes configs, says so once each change is acknowledged, and then waits to be killed. Started by `disk.test.ts`. */
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { openStore } from '../../lib/store/index.ts';
import { config } from './setup.ts';

const [dataDir = '', keyFile = ''] = process.argv.slice(2);
const store = await openStore({
  dataDir,
  keyFile,
  timezone: () => 'UTC',
  clock: systemClock,
  log: createLog('silent'),
});
for (let port = 1; port <= 5; port += 1) await store.configs.change('roof', () => config('roof', { tcpPort: port }));
process.stdout.write('acknowledged 5\n');
setInterval(() => {}, 1_000);
