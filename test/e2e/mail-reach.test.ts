/** Mails that the server takes for some of their addresses: alerts, tests of targets and kept reports. And mails whose fate is not known. */
import { type AddressInfo, createServer } from 'node:net';
import t, { type Test } from 'tap';
import { type Mailbox, mailSettings, openMailbox, type TakenMail } from '../support/mailbox.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const [ANNA, BEN, CLEO] = ['anna@example.org', 'ben@example.org', 'cleo@example.org'];
const LATER = '450 4.2.0 greylisted, come back later';
const UNKNOWN = '550 5.1.1 no such user';

async function opened(t: Test, settings: object = {}): Promise<{ world: World; box: Mailbox }> {
  const box = await openMailbox(t);
  const world = await openWorld(t, { settings: { plugin_settings: { alerts: mailSettings(box) }, ...settings } });
  await addTarget(world);
  return { world, box };
}

const addTarget = async (world: World) =>
  t.match(await world.post('/_alerts/targets', { name: 'Mail', kind: 'mail', to: [ANNA, BEN, CLEO] }), { status: 201 });

/** A rule that opens an event at once. */
const RULE = {
  name: 'Standstill',
  units: ['sim-1'],
  kind: 'device',
  condition: 'not_measuring',
  for: '0s',
  targets: ['1'],
};
async function alarm(world: World): Promise<void> {
  t.match(await world.post('/_alerts/rules', RULE), { status: 201 });
  await world.post('/sim-1/stop');
  await world.get('/sim-1/live');
}

async function calm(world: World): Promise<void> {
  await world.post('/sim-1/start');
  await world.get('/sim-1/live');
}

const deliveries = async (world: World): Promise<Json[]> => (await world.get('/_alerts/deliveries')).body.data;

async function deliveryIs(world: World, isIt: (one: Json) => boolean): Promise<Json> {
  let last: Json[] = [];
  for (let tries = 0; tries < 2_000; tries += 1) {
    last = await deliveries(world);
    const found = last.find(isIt);
    if (found) return found;
    await world.clock.pass(4_000, { stepMs: 1_000 });
  }
  throw new Error(`not among the deliveries: ${JSON.stringify(last)}`);
}

const problems = async (world: World): Promise<Json[]> => {
  const health: Json = await (await fetch(new URL('/health', world.base))).json();
  return health.problems ?? [];
};

t.test(
  'an address that the server puts off gets the alert later and alone; an address that it refuses is named',
  async (t) => {
    const { world, box } = await opened(t);
    box.refusals.set(BEN, LATER).set(CLEO, UNKNOWN);
    await alarm(world);
    const first = await deliveryIs(world, ({ tries }) => tries > 0);
    t.match(first, { state: 'waiting', tries: 1 });
    t.match(first.outcome, `accepted the mail for ${ANNA}.`);
    t.match(first.outcome, `for ${BEN} (${LATER})`);
    t.match(first.outcome, `refused the mail for ${CLEO} (${UNKNOWN})`);
    box.refusals.delete(BEN);
    const last = await deliveryIs(world, ({ state }) => state !== 'waiting');
    t.match(last, { state: 'failed', tries: 2 });
    t.match(last.outcome, `refused the mail for ${CLEO} (${UNKNOWN})`, 'who never got it is told');
    t.strictSame(
      box.taken.map(({ to }) => to),
      [[ANNA], [BEN]],
      'nobody gets it twice',
    );
    t.equal(new Set(box.taken.map(({ messageId }) => messageId)).size, 1);
    t.match(box.taken[0]?.text, /^Auto-Submitted: auto-generated\r$/m);
    t.match(box.taken[1]?.text, new RegExp(`^To: ${ANNA}, ${BEN}, ${CLEO}\r$`, 'm'));
    const told = [{ part: 'alert messages', detail: /addresses of alerts: 1 of target 1\./ }];
    t.match(await problems(world), told);
    t.notMatch(JSON.stringify(await problems(world)), '@', 'anybody may read it');
    await world.restart(1_000);
    await world.pass(1_000);
    t.match(await problems(world), told, 'also after a restart');
    box.refusals.clear();
    t.match((await world.post('/_alerts/targets/1/test')).body, { delivered: true });
    t.strictSame(await problems(world), []);
  },
);

t.test('while an address is put off, the next alert goes to the others at once', async (t) => {
  const { world, box } = await opened(t);
  box.refusals.set(BEN, LATER);
  await alarm(world);
  await deliveryIs(world, ({ tries }) => tries > 1);
  await calm(world);
  const end = await deliveryIs(world, ({ type, tries }) => type === 'closed' && tries > 0);
  t.match(end.outcome, `accepted the mail for ${ANNA}, ${CLEO}.`);
  await world.clock.advance(HOUR);
  await deliveryIs(world, ({ type, tries }) => type === 'closed' && tries > 1);
  t.match(await problems(world), [{ detail: /1 of target 1/ }], 'put off for an hour');
  box.refusals.clear();
  await deliveryIs(world, ({ type, state }) => type === 'closed' && state === 'done');
  await deliveryIs(world, ({ type, state }) => type === 'opened' && state === 'done');
  t.strictSame(await problems(world), []);
});

t.test('a target whose addresses are all refused or put off is tried again only when that helps', async (t) => {
  const { world, box } = await opened(t);
  box.refusals.set(ANNA, UNKNOWN).set(BEN, UNKNOWN).set(CLEO, '552 5.5.3 too many recipients');
  const { body } = await world.post('/_alerts/targets/1/test');
  t.match(body, { delivered: false, message: `now for ${CLEO} (552 5.5.3 too many recipients)` });
  t.match(body.message, `refused the mail for ${ANNA} (${UNKNOWN}), ${BEN} (${UNKNOWN})`);
  t.match(body.message, 'a test is not sent again');
  t.notMatch(body.message, 'tried again');
  box.refusals.set(CLEO, UNKNOWN);
  await alarm(world);
  t.match(await deliveryIs(world, ({ tries }) => tries > 0), { state: 'failed', tries: 1 });
  t.match(await problems(world), [{ detail: /3 of target 1/ }]);
  await world.put('/_alerts/targets/1', { name: 'Mail', kind: 'mail', to: ['dora@example.org'] });
  t.strictSame(await problems(world), [], 'addresses that are gone do not count');
});

t.test(
  'a kept report goes on to the address that was put off; the run names the address that is refused',
  async (t) => {
    const { world, box } = await opened(t);
    box.refusals.set(BEN, LATER).set(CLEO, `550 5.1.1 <${CLEO}> is unknown`);
    const report = { name: 'Days', units: ['sim-1'], zone: 'UTC', formats: ['csv'], period: 'day', targets: ['1'] };
    await world.post('/_reports', report);
    await world.post('/_reports/1/run?mail=true');
    const mailOf = async (): Promise<Json> => (await world.get('/_reports/1/runs')).body.data[0]?.mails[0];
    while (!((await mailOf())?.tries > 0)) await world.pass(500);
    t.match(await mailOf(), { state: 'waiting', outcome: `now for ${BEN} (${LATER})` });
    box.refusals.delete(BEN);
    while ((await mailOf()).state === 'waiting' || (await mailOf()).state === 'sending') await world.pass(1_000);
    t.match(await mailOf(), { state: 'failed', tries: 2, outcome: `refused the mail for ${CLEO} (550 5.1.1` });
    t.strictSame(
      box.taken.map(({ to }) => to),
      [[ANNA], [BEN]],
    );
    const told = [{ part: 'mail of reports', detail: /refuses addresses of mail targets of reports: 1\./ }];
    t.match(await problems(world), told);
    await world.restart(1_000);
    t.match(await problems(world), told);
    box.refusals.clear();
    await world.post('/_reports/1/run?mail=true');
    while ((await mailOf())?.state !== 'done') await world.pass(1_000);
    t.strictSame(await problems(world), []);
    const { headers } = await world.key({ name: 'reader' });
    const { data } = (await world.ask('GET', '/_reports/1/runs', { headers })).body;
    t.match(data[1].mails[0].outcome, '...@example.org');
    t.notMatch(JSON.stringify(data), 'cleo', 'viewers see no mail address');
  },
);

for (const verdict of ['cut', 'leave'] as const)
  t.test(`a mail that was sent whole before the server left (${verdict}) is said to be "not known"`, async (t) => {
    const { world, box } = await opened(t);
    box.verdict = verdict;
    await alarm(world);
    const first = await deliveryIs(world, ({ tries }) => tries > 0);
    t.match(first, { state: 'waiting', outcome: /^It is not known whether the mail server has taken the mail: / });
    t.match(first.outcome, /It is sent again with the same Message-ID\.$/);
    await calm(world);
    box.verdict = 'take';
    await deliveryIs(world, ({ type, state }) => type === 'opened' && state === 'done');
    await deliveryIs(world, ({ type, state }) => type === 'closed' && state === 'done');
    const ids = box.seen.map(({ messageId }) => messageId);
    const [known] = box.taken;
    t.equal(ids[0], known?.messageId, 'the same Message-ID');
    t.match(ids[0], /^<msg_\d+_\d+@example\.org>$/);
    const subject = (mail: TakenMail | undefined) => /^Subject: (.*)\r$/m.exec(mail?.text ?? '')?.[1];
    t.equal(subject(box.seen[0]), subject(known), 'and the same mail: what happened since is in the next one');
    t.equal(box.taken.length, 2);
    t.equal(new Set(ids).size, 2);
  });

t.test('words of the mail server that repeat the password reach nobody, also in Base64', async (t) => {
  const password = 'Spring-2026!';
  const token = Buffer.from(`\0gateway\0${password}`).toString('base64');
  const talk: Record<string, string> = {
    EHLO: '250-here\r\n250 AUTH PLAIN',
    AUTH: `535 5.7.8 no: gateway/${password} (AUTH PLAIN ${token}, x${Buffer.from(password).toString('base64')})`,
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 here\r\n');
    socket.on('data', (bytes) => socket.write(`${talk[bytes.toString().slice(0, 4)] ?? '221 bye'}\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const smtp = { smtp_host: '127.0.0.1', smtp_port: (server.address() as AddressInfo).port, smtp_security: 'none' };
  const login = { smtp_from: 'gateway@example.org', smtp_user: 'gateway', smtp_password: password };
  const world = await openWorld(t, { settings: { plugin_settings: { alerts: { ...smtp, ...login } } } });
  await addTarget(world);
  const { message } = (await world.post('/_alerts/targets/1/test')).body;
  t.match(message, 'no: gateway/*** (AUTH PLAIN ***, ***)');
  await alarm(world);
  const { outcome } = await deliveryIs(world, ({ tries }) => tries > 0);
  t.match(outcome, '535 5.7.8 no: gateway/***');
  t.notMatch(outcome, token);
});

t.test(
  'a test of a target that a mail server takes for nobody, or leaves open, says that it is not sent again',
  async (t) => {
    const { world, box } = await opened(t);
    for (const address of [ANNA, BEN, CLEO]) box.refusals.set(address, '451 4.3.0 try again later');
    const putOff = (await world.post('/_alerts/targets/1/test')).body;
    t.match(putOff, { delivered: false, message: /451 4\.3\.0 try again later\): a test is not sent again\.$/ });
    box.refusals.clear();
    box.verdict = 'leave';
    const unknown = (await world.post('/_alerts/targets/1/test')).body;
    t.match(unknown, { delivered: false, message: /^It is not known .* A test is not sent again\.$/ });
    await world.clock.advance(HOUR);
    t.equal(box.seen.length, 1);
    t.strictSame(await deliveries(world), []);
  },
);

t.test('a test of a target waits a minute for a slow mail server, not ten', async (t) => {
  const { world, box } = await opened(t);
  box.verdict = 'never';
  const answer = world.post('/_alerts/targets/1/test');
  while (box.seen.length === 0) await world.pass(10);
  await world.pass(61_000);
  t.match((await answer).body, {
    delivered: false,
    message: /within 60 s, so it is not known whether the test arrives/,
  });
});
