/** The routes of the alerts: rules without end, rules as patterns, and secrets looked for in everything that comes out. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { noInstances } from '../../lib/app/instances.ts';
import type { ConfigStore } from '../../lib/built-in.ts';
import { createLog } from '../../lib/log.ts';
import type { EventLog } from '../../plugins/alerts/events/event-log.ts';
import type { AlertsHost } from '../../plugins/alerts/parts.ts';
import type { KeptLevelRule, LevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import { MOST_RULES } from '../../plugins/alerts/rules/rule-routes.ts';
import { UnitWatches } from '../../plugins/alerts/rules/unit-watches.ts';
import { Watches } from '../../plugins/alerts/rules/watches.ts';
import { NOTHING_EXCLUDED } from '../../plugins/notes/excluded.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { configOf } from '../plugin/doubles.ts';
import { until } from '../store/setup.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';
import { openWorld } from '../support/world.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

const BODY = {
  ...({ name: 'limit', units: ['roof'], enabled: true, severity: 'warning', targets: [], kind: 'level' } as const),
  ...({ quantity: 'leq', window: '15m', align: 'clock', limit_db: 75, clear_db: 73, min_coverage: 0.5 } as const),
};
const ruleOf = (id: number, more: Partial<LevelRule> = {}): KeptLevelRule => ({
  ...BODY,
  id: String(id),
  createdAt: 0,
  changedAt: 0,
  ...more,
});
const noEvents = standIn<EventLog>({ open: [], openOf: () => undefined, lastWindowOf: () => undefined });

t.test('as many rules as can be at one meter leave time: a second of them takes less than a second', async (t) => {
  const clock = new VirtualClock();
  const plain = new PlainHistory(() => clock.now());
  let queries = 0;
  const query = (...words: Parameters<typeof plain.query>) => {
    queries += 1;
    return plain.query(...words);
  };
  const history = { query };
  const { signal } = new AbortController();
  const notes = { excluded: () => NOTHING_EXCLUDED };
  const instances = () => ({ members: [], takeovers: 0, gap: undefined });
  const parts = { clock, history, notes, instances, signal, log: createLog('silent') };
  const watches = new UnitWatches('roof', parts, noEvents);
  const rules = Array.from({ length: MOST_RULES }, (_, id) => ruleOf(id + 1, { limit_db: 200 }));
  watches.follow(rules, { timezone: 'UTC' });
  const weighting = { frequency: 'A', time: 'F' } as const;
  const begin = Math.floor(clock.now() / 1_000);
  const rows = Array.from({ length: 11 }, (_, index) => ({
    at: begin + index,
    steps: 10,
    leq: 60,
    lmax: 61,
    lmin: 59,
    lpeak: 70,
    lp: [60],
  }));
  const feed = (some: typeof rows) => {
    for (const row of some) watches.rows({ unitId: 'roof', source: 'stream', weighting, seconds: [row] });
  };
  feed(rows.slice(0, 1));
  // The windows are filled from the history first; what comes meanwhile waits.
  await until(() => watches.budgets().every(({ measured_s }) => measured_s === 1));
  t.ok(queries <= 2, `rules with one window share its reading: ${queries} queries`);
  const used = process.cpuUsage();
  feed(rows.slice(1));
  watches.follow(rules, { timezone: 'UTC' });
  const { user, system } = process.cpuUsage(used);
  t.ok((user + system) / 1e6 < 10, `${(user + system) / 1_000} ms for 10 s`);
  t.equal(watches.budgets().at(-1)?.measured_s, 11);
});

t.test('a rule of a tag is about units that have it word by word: no tag and no name is a pattern', async (t) => {
  const configs = [
    configOf({ unitId: 'roof', tags: ['site', '(a+)+$'] }),
    configOf({ unitId: 'yard', tags: ['a'.repeat(40)] }),
  ];
  const host = standIn<AlertsHost>({
    clock: new VirtualClock(),
    log: createLog('silent'),
    history: new PlainHistory(() => 0),
    notes: { excluded: () => NOTHING_EXCLUDED },
    signal: new AbortController().signal,
    configs: standIn<ConfigStore>({ list: () => configs, get: () => undefined }),
    instances: noInstances.known,
    on: () => () => {},
    onStop: () => {},
  });
  const by = (tag: string) => [ruleOf(1, { units: undefined, tag, window: '1m' })];
  const watched = (tag: string) => {
    const rules = { list: () => by(tag), find: () => undefined };
    const watches = new Watches({ host, events: noEvents, rules });
    watches.refresh();
    return configs.filter(({ unitId }) => watches.budgets(unitId).length > 0).map(({ unitId }) => unitId);
  };
  t.strictSame(watched('site'), ['roof']);
  t.strictSame(watched('(a+)+$'), ['roof']);
  for (const tag of ['.*', 'sit', 'SITE', '^site$', 'toString', '__proto__']) t.strictSame(watched(tag), [], tag);
  for (const folder of ['plugins/alerts', 'plugins/mqtt', 'lib/outbound'])
    for (const file of readdirSync(join(PACKAGE, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ))
      t.notMatch(readFileSync(join(PACKAGE, folder, file), 'utf8'), /new RegExp|RegExp\(/, `${folder}/${file}`);
});

const CANARIES = {
  webhook: `whsec_${Buffer.from('canary-webhook-5e81-of-32-bytes!').toString('base64')}`,
  broker: 'canary-broker-a7c3',
  smtp: 'canary-smtp-0d94',
  mqtt: 'canary-mqtt-61fe',
  wrong: 'canary-wrong-b2e9',
};
const forms = Object.values(CANARIES).flatMap((text) => [
  ...[text, text.replace(/^whsec_/, ''), Buffer.from(text).toString('base64').slice(0, -4)],
  ...[Buffer.from(text).toString('hex'), encodeURIComponent(text)],
]);

t.test('no secret of a target, mail server or broker is in an answer, log line or file', async (t) => {
  const plugin_settings = {
    alerts: {
      smtp_host: '127.0.0.1',
      smtp_port: 1,
      smtp_from: 'a@example.org',
      smtp_user: 'u',
      smtp_password: CANARIES.smtp,
    },
    mqtt: { url: 'mqtt://127.0.0.1:1', username: 'u', password: CANARIES.mqtt },
  };
  const world = await openWorld(t, {
    meters: 0,
    settings: { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings },
  });
  const webhook = { name: 'Hook', kind: 'webhook', url: 'http://127.0.0.1:1/', secret: CANARIES.webhook };
  const broker = {
    name: 'Broker',
    kind: 'mqtt',
    url: 'mqtt://127.0.0.1:1',
    topic: 'a',
    username: 'u',
    secret: CANARIES.broker,
  };
  const mail = { name: 'Mail', kind: 'mail', to: ['a@example.org'] };
  for (const target of [webhook, broker, mail]) t.equal((await world.post('/_alerts/targets', target)).status, 201);
  await world.post('/_alerts/targets', { ...webhook, secret: CANARIES.wrong });
  await world.post('/_alerts/targets', { ...mail, secret: CANARIES.wrong });
  await world.put('/_alerts/targets/2', { ...broker, topic: '#', secret: CANARIES.wrong });
  await world.put('/_alerts/targets/1', { ...webhook, name: 'Hook 2' });
  for (const id of [1, 2, 3]) t.match((await world.post(`/_alerts/targets/${id}/test`)).body, { delivered: false });
  for (const path of ['/_alerts/targets', '/_alerts/targets/2', '/_alerts/deliveries', '/_audit', '/openapi.json', '/'])
    await world.get(path);
  for (const path of ['/_settings', '/settings', '/metrics'])
    world.answers.push(await (await fetch(new URL(path.slice(1), `${world.base}/`))).text());
  await world.pass(2_000);
  const outputs: Record<string, string | Buffer> = { answers: world.answers.join('\n'), log: world.log.join('') };
  const data = join(world.dataDir, 'data');
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) outputs[`file ${entry.name}`] = await readFile(join(entry.parentPath, entry.name));
  t.ok(Object.keys(outputs).length >= 4);
  for (const [where, bytes] of Object.entries(outputs))
    t.strictSame(
      forms.filter((form) => bytes.includes(form)),
      [],
      where,
    );
});
