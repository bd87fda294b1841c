/** A gateway with only the mirror, to be killed: `mirror-process.ts FOLDER`. Its base URL is the first line of its output. */
import { join } from 'node:path';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';

const [, , folder = ''] = process.argv;
const { baseUrl } = await startGateway(
  {
    port: 0,
    plugins: ['config', 'jobs', 'mirror'],
    allow_loopback_meters: true,
    meter_spacing_ms: 0,
    unsafe_spacing: true,
    data_dir: join(folder, 'data'),
    key_file: join(folder, 'key'),
  },
  { log: createLog('silent') },
);
process.stdout.write(`${baseUrl}\n`);
