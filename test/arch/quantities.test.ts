/** A quantity is one row of a table: a made-up one is in every place, with no other file of the gateway changed. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const HOOK = new URL('made-up/quantity-hook.ts', import.meta.url);
const PROCESS = fileURLToPath(new URL('made-up/quantity.ts', import.meta.url));

t.test(
  'a made-up quantity is there in API, streams, history, metrics, MQTT, Home Assistant, alerts, clients, slm and pages',
  (t) => {
    // In the environment: the thread of the history has it too.
    const env = { ...process.env, NODE_OPTIONS: `--import=${HOOK.href}` };
    execFile(process.execPath, [PROCESS], { env, timeout: 120_000 }, (error, out) => {
      t.equal(error, null, out.slice(-6_000));
      t.end();
    });
  },
);
