/**
 * A gateway is killed with SIGKILL at random moments: while it starts a measurement, and while it ends it and fetches its
 * files. Each time a new gateway goes on. One start, one store, all files whole. `npm run test:more`; CYCLE_KILLS: how often,
 * 4 times each unless it is set. `test/campaign/cycle-kills.test.ts` does the same at every moment, in memory.
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type SimulatedMeter, startMeter } from '../../simulator/index.ts';
import { gatewayProcess } from '../support/gateway-process.ts';

const KILLS = Number(process.env.CYCLE_KILLS ?? 4);
/** A start and a stop take about so long here, ms. */
const LONGEST_MS = 5_000;

class Gateway {
  readonly child: ChildProcess;
  readonly base: string;

  constructor(child: ChildProcess, base: string) {
    this.child = child;
    this.base = base;
  }

  static async start(t: Test, folder: string): Promise<Gateway> {
    const faster = ['--unsafe-spacing', '--meter-spacing-ms', '100'];
    const { child, base } = await gatewayProcess(t, folder, faster);
    return new Gateway(child, base);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  async ask(method: string, path: string, body?: object): Promise<any> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(this.base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return response.json();
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  /** The job after its end, in real time: the deadline is that of the test. */
  async ended(job: string) {
    for (;;) {
      const { data } = await this.ask('GET', `/_jobs/${job}`);
      if (!['queued', 'running'].includes(data.state)) return data;
      await wait(100);
    }
  }
}

/** Begins the job and kills the gateway again and again. Waits in the last gateway for the end of the job. */
async function killed(t: Test, folder: string, what: 'start' | 'stop', first: Gateway) {
  let gateway = first;
  const { job } = await gateway.ask('POST', `/roof/cycle/${what}`);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await wait(Math.random() * LONGEST_MS);
    await gateway.kill();
    gateway = await Gateway.start(t, folder);
  }
  return { gateway, job: await gateway.ended(job) };
}

const contentOf = (meter: SimulatedMeter, path: string): Buffer => Buffer.concat([...(meter.card.read(path) ?? [])]);

t.test('killed at random moments, a cycle is made once and loses nothing', { timeout: 600_000 }, async (t) => {
  const folder = t.testdir();
  const meter = await startMeter({ profile: 'instant', soundStepMs: 100 });
  t.teardown(() => meter.stop());
  meter.set('Store Mode', 'Auto');
  meter.set('Measurement Time Preset Auto', '24h');
  meter.set('FTP', 'Off');
  meter.card.addFile('/NL-43/Auto_0001/kept.rnh', Buffer.from('kept'), Date.now());
  const gateway = await Gateway.start(t, folder);
  await gateway.ask('PUT', '/roof/config', {
    host: meter.host,
    tcp_port: meter.tcpPort,
    ftp_port: meter.ftpPort,
    ftp_enabled: true,
    ftp_username: 'USER',
    ftp_password: '0000',
    poll_enabled: false,
    history: 'off',
    mirror: { parse: false },
  });
  const count = (text: string) => meter.log.commands.filter((one) => one === text).length;

  const start = await killed(t, folder, 'start', gateway);
  t.match(start.job, { state: 'done', result: { store_name: '0002' } });
  t.equal(count('Measure,Start'), 1, 'one start');
  t.equal(meter.read('Measure'), 'Start');
  t.equal(String(contentOf(meter, '/NL-43/Auto_0001/kept.rnh')), 'kept');
  await wait(2_000);

  const stop = await killed(t, folder, 'stop', start.gateway);
  t.match(stop.job, { state: 'done', result: { folder: '/NL-43/Auto_0002', verified: true } });
  t.equal(count('Measure,Stop'), 1, 'one stop');
  t.equal(meter.read('FTP'), 'Off', 'as before');
  const { data } = await stop.gateway.ask('GET', '/roof/files?limit=1000');
  const own = data.filter(({ path }: { path: string }) => path.startsWith('/NL-43/Auto_0002/'));
  t.equal(own.length, stop.job.result.files);
  for (const { path, sha256 } of own)
    t.equal(sha256, createHash('sha256').update(contentOf(meter, path)).digest('hex'), path);
  await stop.gateway.kill();
});
