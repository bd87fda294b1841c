import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import { PacedClock } from '../../../simulator/control/paced-clock.ts';
import { startControlServer } from '../../../simulator/control/server.ts';
import { startMeter } from '../../../simulator/index.ts';

const CLIENT = new URL('../../../docs/examples/survives-a-wedge.mjs', import.meta.url).pathname;

t.test('the client of the tutorial survives what the tutorial does to it, through the control API alone', async (t) => {
  const clock = new PacedClock();
  const meter = await startMeter({ clock, profile: 'instant', soundStepMs: 100 });
  const server = await startControlServer({ meters: [{ unitId: 'sim-1', meter }], clock, port: 0 });
  t.teardown(async () => {
    await server.close();
    await meter.stop();
  });
  const say = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/meters/sim-1/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    t.equal(answer.status, 200, `${method} ${path}`);
    return answer.json();
  };
  await say('PUT', 'values', { FTP: 'On' });

  const client = spawn(process.execPath, [CLIENT, String(meter.tcpPort), String(meter.ftpPort), '50']);
  t.teardown(() => client.kill('SIGKILL'));
  const lines = createInterface({ input: client.stdout });
  const line = async (wanted: RegExp) => {
    for (;;) {
      const [said] = await once(lines, 'line');
      if (wanted.test(said)) return;
    }
  };
  const reading = /^Lp [\d.]+ dB, Leq /;

  await line(reading);
  await say('POST', 'faults', { kind: 'wedge' });
  await line(/^WEDGED/);
  await say('POST', 'power-cycle');
  await line(reading);
  for (const kind of ['half-line', 'reset-mid-reply', 'no-reply', 'garbled']) {
    await say('POST', 'faults', { kind, when: { times: 1 } });
    await line(/^(no reply in time|the connection ended|refused|Lp)/);
    await line(reading);
  }
  for (const kind of ['one-byte', 'split', 'joined', 'prompt-doubled']) {
    await say('POST', 'faults', { kind });
    await line(reading);
    await say('DELETE', 'faults');
  }
  client.kill();
});
