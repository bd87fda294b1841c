/** Processes that serve HTTPS share meters out: their links, and what one passes on to the other, go over TLS. One that does not trust their certificate says so. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { WebSocket } from 'ws';
import { startMeter } from '../../simulator/index.ts';
import { selfSigned } from '../support/certificate.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { gatewayProcess } from '../support/gateway-process.ts';
import { freshDatabase } from '../support/postgres.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

t.test('a meter of the other instance is read and streamed over it', { timeout: 240_000 }, async (t) => {
  const url = await freshDatabase(t);
  const meter = await startMeter({ profile: 'instant', soundStepMs: 100 });
  t.teardown(() => meter.stop());
  const folder = t.testdir();
  const { cert, key } = selfSigned('instances');
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const begin = async (name: string, trust: NodeJS.ProcessEnv) => {
    const env = { ...childEnvironment(), SLM_DATABASE_URL: url, SLM_SECRET_KEY: KEY, ...trust };
    const tls = ['--tls-cert-file', files.cert, '--tls-key-file', files.key];
    const { base } = await gatewayProcess(
      t,
      join(folder, name),
      ['--instance-name', name, '--share-meters', ...tls],
      env,
    );
    t.match(base, /^https:/);
    // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
    const ask = async (method: string, path: string, body?: object): Promise<{ status: number; json: any }> => {
      const headers = { 'Content-Type': 'application/json' };
      const sent = request(base + path, { method, headers, ca: cert, agent: false });
      sent.end(body && JSON.stringify(body));
      const [answer] = await once(sent, 'response');
      return { status: Number(answer.statusCode), json: await json(answer) };
    };
    return { base, ask };
  };
  const trust = { NODE_EXTRA_CA_CERTS: files.cert };
  const north = await begin('north', trust);
  const south = await begin('south', trust);
  const config = { host: meter.host, tcp_port: meter.tcpPort, poll_enabled: false, history: 'off' };
  t.equal((await north.ask('PUT', '/roof/config', config)).status, 200);
  // In real time: the deadline is the one of the test.
  const unitsOf = async (name: string) =>
    (await north.ask('GET', '/_cluster')).json.data.find((one: { name: string }) => one.name === name)?.units;
  while ((await unitsOf('south')) !== 1) await wait(250);
  for (const { ask } of [north, south])
    t.match(await ask('GET', '/roof/live'), { status: 200, json: { data: { lp: /^\d/ } } });

  const socket = new WebSocket(`${south.base.replace('https', 'wss')}/roof/live`, { ca: cert });
  t.teardown(() => socket.terminate());
  const seen = new Set<number>();
  socket.on('message', (text) => {
    const { counter } = JSON.parse(String(text));
    if (typeof counter === 'number') seen.add(counter);
  });
  while (seen.size < 3) await wait(50);
  t.ok(seen.size >= 3, 'frames follow each other');

  const stranger = await begin('stranger', {});
  const ask = () => stranger.ask('GET', '/roof/live');
  let refused = await ask();
  for (; /at this moment/.test(refused.json.detail); refused = await ask()) await wait(250);
  t.match(refused, { status: 503, json: { detail: /does not accept the certificate/ } });
});
