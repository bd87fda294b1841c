/** Rules about the instances that share a database: told once, with which and since when, to those who may see all meters. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import type { InstancesKnown, MemberState } from '../../lib/cluster/contract.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { placesIn } from '../support/empty-data.ts';
import { send } from '../support/send.ts';

const RULE = { name: 'Pair', kind: 'instances', fault: 'instance_silent', for: '1m' };
const usual = { version: '1', lastSeen: undefined };
const NORTH: MemberState = {
  ...usual,
  id: 'n',
  name: 'north',
  address: 'http://192.0.2.10:8100',
  state: 'active',
  isSelf: true,
};
const SOUTH: MemberState = {
  ...usual,
  id: 's',
  name: 'south',
  address: 'http://192.0.2.11:8100',
  state: 'standby',
  isSelf: false,
};

/** A gateway that learns of its instances from the test. */
async function openGateway(t: Test, first: Partial<InstancesKnown> = { members: [NORTH, SOUTH] }) {
  const clock = new VirtualClock();
  const folder = t.testdir();
  let known: InstancesKnown = { members: [], takeovers: 1, gap: undefined, ...first };
  const seat = {
    ownership: { member: 'n', incarnation: 1 },
    mayAct: () => true,
    known: () => known,
    remove: async () => false,
    troubles: () => [],
    beforeListen: async () => {},
  };
  const settings = { ...placesIn(join(folder, 'data')), port: 0, timezone: 'Asia/Kolkata' };
  const start = () => clock.until(startGateway(settings, { clock, log: createLog('silent'), instance: seat }));
  let gateway = await start();
  t.teardown(() => clock.until(gateway.stop()));
  const ask = async (method: string, path: string, json?: object, key?: string) => {
    const headers = {
      ...(json && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    };
    const body = json && { body: JSON.stringify(json) };
    return clock.until(send(new URL(`${gateway.baseUrl}${path}`), { method, headers, ...body }));
  };
  return {
    pass: (ms: number) => clock.pass(ms, { stepMs: 500 }),
    clock,
    ask,
    events: async () => (await ask('GET', '/_alerts/events')).json.data,
    tell: (next: Partial<InstancesKnown>) => {
      known = { ...known, ...next };
    },
    restart: async () => {
      await clock.until(gateway.stop());
      gateway = await start();
    },
  };
}

t.test(
  'a silent instance is one event, which names it and its last sign of life, and ends when it is heard',
  async (t) => {
    const { pass, ask, events, tell, restart } = await openGateway(t);
    const made = await ask('POST', '/_alerts/rules', RULE);
    t.match(made.json, { data: { words: 'An instance is silent for 1 min', state: 'watched', warnings: [] } });
    const lastSeen = Date.UTC(2026, 10, 23, 12, 5, 20);
    tell({ members: [NORTH, { ...SOUTH, state: 'silent', lastSeen }] });
    await pass(55_000);
    t.strictSame(await events(), [], 'not before its time');
    await pass(15_000);
    const [event, ...more] = await events();
    t.strictSame(more, []);
    t.match(event, {
      unit_id: '_gateway',
      kind: 'instances',
      what: 'instance_silent',
      closed_at: null,
      worst: null,
      detail: 'The instance south has given no sign of life since 2026-11-23 17:35:20+05:30: it could not take over.',
      sentences: {
        detail: { code: 'instance_silent', values: { instance: 'south', since: '2026-11-23 17:35:20+05:30' } },
      },
    });
    await restart();
    await pass(120_000);
    t.equal((await events()).length, 1, 'it is reported once, also over a restart');
    tell({ members: [NORTH, SOUTH] });
    await pass(10_000);
    const [ended] = await events();
    t.equal(ended.id, event.id);
    t.ok(ended.closed_at);
    tell({ members: [NORTH, { ...SOUTH, state: 'left' }] });
    await pass(120_000);
    t.equal((await events()).length, 1, 'an instance that has left is no fault');
  },
);

t.test('a time without an owner is reported once, when it is over', async (t) => {
  const { clock, pass, ask, events, tell, restart } = await openGateway(t);
  await ask('POST', '/_alerts/rules', { ...RULE, fault: 'meters_unowned' });
  await pass(60_000);
  const to = clock.now();
  tell({ gap: { from: to - 59_999, to } });
  await pass(10_000);
  t.strictSame(await events(), [], 'shorter than the rule says');
  const later = clock.now();
  tell({ gap: { from: later - 60_000, to: later } });
  await pass(10_000);
  const [event] = await events();
  t.match(event, {
    unit_id: '_gateway',
    what: 'meters_unowned',
    duration_s: 60,
    detail: /^No instance was active for 60 s, from \d.*\+05:30 to \d.*\+05:30: no levels were recorded\.$/,
  });
  t.equal(event.closed_at, new Date(Math.round(later)).toISOString());
  await restart();
  await pass(30_000);
  t.equal((await events()).length, 1);
});

t.test('a gap from before the rule is no event', async (t) => {
  const { pass, ask, events } = await openGateway(t, { members: [NORTH], gap: { from: -200_000, to: -100_000 } });
  await ask('POST', '/_alerts/rules', { ...RULE, fault: 'meters_unowned' });
  await pass(30_000);
  t.strictSame(await events(), []);
});

t.test('wrong rules are refused, and a single gateway says that it has nothing to judge', async (t) => {
  const { ask } = await openGateway(t, {});
  for (const [change, path, message] of [
    [{ units: ['roof'] }, '/units', /about the gateway as a whole: leave it out/],
    [{ tag: 'site' }, '/tag', /about the gateway as a whole: leave it out/],
    [{ fault: undefined }, '/fault', /is needed for rules of the kind instances/],
    [{ fault: 'asleep' }, '/fault', /instance_silent/],
    [{ condition: 'stale' }, '/condition', /is not for rules of the kind instances/],
  ] as const) {
    const { status, json } = await ask('POST', '/_alerts/rules', { ...RULE, ...change });
    t.match({ status, errors: json.errors }, { status: 422, errors: [{ path, message }] }, path);
  }
  const { json } = await ask('POST', '/_alerts/rules', RULE);
  t.match(json.data, {
    state: 'no_data',
    warnings: [{ unit_id: '_gateway', recordable: false, message: /^This gateway is alone/ }],
  });
  const kinds = (await ask('GET', '/_alerts/kinds')).json.data.rules;
  t.strictSame(
    kinds.filter((kind: { of_gateway: boolean }) => kind.of_gateway).map(({ kind }: { kind: string }) => kind),
    ['instances'],
  );
});

t.test('a key that is limited to some meters sees neither rule nor event', async (t) => {
  const { pass, ask, tell } = await openGateway(t);
  await ask('POST', '/_alerts/rules', RULE);
  tell({ members: [NORTH, { ...SOUTH, state: 'silent' }] });
  await pass(80_000);
  const { key: admin } = (await ask('POST', '/_keys', { name: 'me', role: 'admin' })).json;
  const few = { name: 'few', role: 'admin', units: ['roof'] };
  const { key } = (await ask('POST', '/_keys', few, admin)).json;
  for (const path of ['/_alerts/rules', '/_alerts/events']) {
    t.equal((await ask('GET', path, undefined, admin)).json.data.length, 1, path);
    t.strictSame((await ask('GET', path, undefined, key)).json.data, [], path);
  }
  t.equal((await ask('POST', '/_alerts/rules', RULE, key)).status, 403);
});
