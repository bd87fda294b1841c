/**
 * Events and their messages when the process is killed: at random moments in a process that does nothing else, and in a whole
 * gateway at the two critical moments. No published event is lost, nothing happens twice, no message is left out.
 * ALERT_KILLS: how often, 8 times unless it is set.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { startMeter } from '../../simulator/index.ts';
import { gatewayProcess } from '../support/gateway-process.ts';

const KILLS = Number(process.env.ALERT_KILLS ?? 8);
const LONGEST_MS = 700;
const WRITER = fileURLToPath(new URL('../support/alerts-writer.ts', import.meta.url));

interface Said {
  readonly told?: string;
  readonly event?: number;
  readonly sent?: number;
  readonly target?: number;
  readonly type?: string;
}

async function writer(t: Test, folder: string, mode: 'kill' | 'drain'): Promise<Said[]> {
  const child: ChildProcess = spawn(process.execPath, [WRITER, folder, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const said: Said[] = [];
  if (!child.stdout) throw new Error('no output');
  const lines = createInterface({ input: child.stdout });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  lines.on('line', (line) => said.push(JSON.parse(line)));
  await once(lines, 'line');
  if (mode === 'kill') {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
    child.kill('SIGKILL');
  }
  await ended;
  return said;
}

t.test('killed at random moments: each event is there once, and each of its messages goes out', async (t) => {
  const folder = t.testdir();
  const said: Said[] = [];
  for (let kill = 0; kill < KILLS; kill++) said.push(...(await writer(t, folder, 'kill')));
  said.push(...(await writer(t, folder, 'drain')));

  const database = new Database(join(folder, 'data', 'gateway.db'), { readonly: true });
  t.teardown(() => database.close());
  const events = database
    .prepare<[], { id: number; unit_id: string; window_from: number; closed_at: number | null }>(
      'select id, unit_id, window_from, closed_at from alerts_event',
    )
    .all();
  t.ok(events.length > KILLS, `${events.length} events`);
  t.equal(new Set(events.map((each) => `${each.unit_id} ${each.window_from}`)).size, events.length, 'no window twice');
  t.ok(
    events.every(({ closed_at }) => closed_at !== null),
    'none is left open',
  );
  const kept = new Set(events.map(({ id }) => id));
  t.ok(
    said.every(({ told, event }) => told === undefined || kept.has(event ?? 0)),
    'all published events are kept',
  );

  const rows = database
    .prepare<[], { id: number; event_id: number; target_id: number; type: string; state: string }>(
      'select id, event_id, target_id, type, state from alerts_delivery order by id',
    )
    .all();
  t.ok(
    rows.every(({ state }) => state === 'done'),
    'nothing waits',
  );
  const wanted = events.flatMap(({ id }) =>
    ['opened', 'closed'].flatMap((type) => [`${id} ${type} 1`, `${id} ${type} 2`]),
  );
  const made = rows.map(({ event_id, type, target_id }) => `${event_id} ${type} ${target_id}`);
  t.strictSame(made.toSorted(), wanted.toSorted(), 'one message for each change and target');
  for (const target of [1, 2]) {
    const sent = said.flatMap((each) => (each.target === target && each.sent !== undefined ? each.sent : []));
    const order = sent.filter((id, index) => sent.indexOf(id) === index);
    t.strictSame(
      order,
      rows.filter(({ target_id }) => target_id === target).map(({ id }) => id),
      'all, in order',
    );
    t.ok(sent.length - order.length <= KILLS, 'at most one again after each kill, under its own id');
  }
});

const gateway = (t: Test, folder: string) =>
  gatewayProcess(t, folder, [], { ...process.env, SLM_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8' });

t.test(
  'a gateway that is killed while its message is under way has one event, and sends that message again',
  async (t) => {
    const folder = t.testdir();
    const meter = await startMeter();
    t.teardown(() => meter.stop());
    const calls: { readonly id: string; readonly type: string }[] = [];
    const arrival: { tell: () => void } = { tell: () => {} };
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        calls.push({ id: String(request.headers['webhook-id']), type: JSON.parse(body).type });
        arrival.tell();
        // The first answer of each message never comes.
        if (calls.filter(({ id }) => id === calls.at(-1)?.id).length > 1) response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const arrived = () =>
      new Promise<void>((resolve) => {
        arrival.tell = resolve;
      });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const rule = { name: 'Standstill', units: ['roof'], kind: 'device', condition: 'not_measuring', for: '0s' };

    let running = await gateway(t, folder);
    const ask = async (method: string, path: string, body?: object) => {
      const { status, text, json } = await running.ask(method, path, body);
      t.ok(status < 300, `${method} ${path} ${text.slice(0, 200)}`);
      return json;
    };
    const kill = async () => {
      await running.kill();
      const again = arrived();
      running = await gateway(t, folder);
      await again;
    };
    const unit = { host: meter.host, tcp_port: meter.tcpPort, poll_enabled: false, history: 'off' };
    await ask('PUT', '/roof/config', unit);
    await ask('POST', '/_alerts/targets', { name: 'Hook', kind: 'webhook', url, secret });
    await ask('POST', '/_alerts/rules', { ...rule, targets: ['1'] });
    const opened = arrived();
    await ask('GET', '/roof/live');
    await opened;
    await kill();
    const closed = arrived();
    await ask('POST', '/roof/start');
    await ask('GET', '/roof/live');
    await closed;
    await kill();
    const { data } = await ask('GET', '/_alerts/events');
    t.match(data, [{ id: '1', what: 'not_measuring', closed_at: String }], 'one event');
    t.equal(data.length, 1);
    t.strictSame(
      calls.map(({ type }) => type),
      ['alert.opened', 'alert.opened', 'alert.closed', 'alert.closed'],
    );
    t.equal(new Set(calls.map(({ id }) => id)).size, 2, 'the same message has the same id');
  },
);
