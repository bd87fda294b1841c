/** Configs: created, changed, listed, removed; what happens to the meter then; credentials that never come out. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { farEnd } from '../support/far-end.ts';
import { configOf, openWorld } from '../support/world.ts';

const CANARY = 'canary-7f3a';

t.test('a new config gets the defaults, and shows no credentials', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: { timezone: 'Europe/Vienna' } });
  const { status, body } = await world.put('/roof/config', { host: '127.0.0.1', tcp_enabled: false });
  const data = {
    unit_id: 'roof',
    family: 'nl43',
    host: '127.0.0.1',
    tcp_port: 2255,
    tcp_enabled: false,
    ftp_enabled: false,
    web_enabled: false,
    ftp_port: 21,
    ftp_mode: 'active',
    ftp_credentials_set: false,
    poll_enabled: true,
    poll_interval_seconds: 60,
    name: null,
    place: null,
    latitude: null,
    longitude: null,
    timezone: 'Europe/Vienna',
    tags: [],
    verified_until: null,
    sim_valid_until: null,
    history: 'poll',
    history_channels: ['main'],
    mirror: {
      enabled: false,
      every: '6h',
      paths: ['/NL-43'],
      max_gb: 10,
      max_mb_per_day: 0,
      keep_replaced_days: 0,
      parse: true,
    },
  };
  t.equal(status, 200);
  t.same(body.data, data);
  t.notOk('sleep_mode' in body, 'a meter that is not to be talked to is left alone');
  t.same((await world.get('/roof/config')).body, { status: 'ok', data });
});

t.test('an unknown family of meters is refused, and the error lists the known ones', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const { status, body } = await world.put('/roof/config', { host: '127.0.0.1', family: 'nl99' });
  t.equal(status, 422);
  t.match(body.errors, [{ path: '/family', message: /^is not a family of meters that this gateway knows: nl43$/ }]);
  t.equal((await world.get('/roof/config')).status, 404, 'and nothing is stored');
});

t.test('an unchanged config is 304, a changed config is sent', async (t) => {
  const world = await openWorld(t, { meters: 1 });
  const get = (path: string, tag = '') =>
    world.passing(fetch(`${world.base}${path}`, { headers: { 'If-None-Match': tag } }));
  for (const path of ['/sim-1/config', '']) {
    const tag = (await get(path)).headers.get('etag') ?? 'none';
    t.equal((await get(path, tag)).status, 304, path);
    await world.put('/sim-1/config', { place: `Yard ${path}` });
    t.equal((await get(path, tag)).status, 200, path);
  }
});

t.test('with If-None-Match: * only a new config is saved', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const put = (body: object) =>
    world.passing(
      fetch(`${world.base}/roof/config`, {
        method: 'PUT',
        body: JSON.stringify({ tcp_enabled: false, ...body }),
        headers: { 'Content-Type': 'application/json', 'If-None-Match': '*' },
      }),
    );
  t.equal((await put({ host: '192.0.2.40' })).status, 200);
  const again = await put({ host: '192.0.2.41' });
  t.equal(again.status, 412);
  t.match(await again.json(), {
    code: 'PRECONDITION_FAILED',
    detail: 'There is a meter roof already. It was not changed.',
  });
  t.match((await world.get('/roof/config')).body, { data: { host: '192.0.2.40' } });
  await world.delete('/roof/config');
  const three = await Promise.all([1, 2, 3].map((part) => put({ host: `192.0.2.${part}` })));
  t.strictSame(three.map(({ status }) => status).sort(), [200, 412, 412], 'of several at once one is saved');
  t.equal((await world.put('/roof/config', { host: '192.0.2.42' })).status, 200, 'without it a config is changed');
});

t.test('fields left out keep their value', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const first = { host: 'meter.example', tcp_enabled: false, tcp_port: 80, ftp_enabled: true, ftp_mode: 'passive' };
  await world.put('/roof/config', {
    ...first,
    ftp_username: 'USER',
    ftp_password: '0000',
    web_enabled: true,
    ftp_port: 2121,
    poll_interval_seconds: 300,
  });
  const { body } = await world.put('/roof/config', { host: '::1' });
  t.match(body.data, { ...first, host: '::1', web_enabled: true, ftp_port: 2121, ftp_credentials_set: true });
  t.match(body.data, { poll_enabled: true, poll_interval_seconds: 300 });
  const nothing = Object.fromEntries(Object.keys(body.data).map((name) => [name, null]));
  const { unit_id: _, ftp_credentials_set: __, ...nulls } = nothing;
  const unchanged = await world.put('/roof/config', { ...nulls, ftp_username: null, ftp_password: null });
  t.same(unchanged.body.data, body.data, 'null says the same as leaving it out');
  const without = await world.put('/roof/config', { ftp_password: '' });
  t.equal(without.body.data.ftp_credentials_set, false, 'the empty string removes a credential');
});

t.test('the data of a GET can be sent back, with one thing changed', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const secrets = { ftp_username: 'USER', ftp_password: '0000' };
  await world.put('/roof/config', { host: '192.0.2.7', tcp_enabled: false, name: 'Roof', ...secrets });
  const { data } = (await world.get('/roof/config')).body;
  const { status, body } = await world.put('/roof/config', { ...data, place: 'Gate 3' });
  t.equal(status, 200);
  t.same(body.data, { ...data, place: 'Gate 3' });
  t.same(body.data.ftp_credentials_set, true, 'the credentials stay');
  const elsewhere = await world.put('/gate/config', data);
  t.match(elsewhere, { status: 422, body: { code: 'INVALID', errors: [{ path: '/unit_id' }] } });
});

t.test('a unit has a name, a place, a zone, tags, history and a mirror', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const said = {
    name: 'Roof, north side',
    place: 'Am Tor 3, Köln',
    latitude: 50.9375,
    longitude: -6.96,
    timezone: 'America/St_Johns',
    tags: ['building-a', 'straße'],
    verified_until: '2027-12-31',
    sim_valid_until: '2028-02-29',
    history: 'stream',
  };
  await world.put('/roof/config', { host: '192.0.2.7', tcp_enabled: false });
  const { body } = await world.put('/roof/config', { ...said, mirror: { enabled: true, max_gb: 2 } });
  t.match(body.data, { ...said, mirror: { enabled: true, every: '6h', paths: ['/NL-43'], max_gb: 2, parse: true } });
  t.same((await world.get('/roof/config')).body.data, body.data);
  const foreign = { name: 'גג \u200f(צפון)', place: 'سطح' };
  t.match((await world.put('/roof/config', foreign)).body.data, foreign, 'writing from right to left is text');
  await world.restart(1_000);
  const [unit] = (await world.get('/_status')).body.data;
  t.match(unit, { verified_until: said.verified_until, sim_valid_until: said.sim_valid_until });
  const none = { name: '', place: '', latitude: '', longitude: '', timezone: '', sim_valid_until: '' };
  const taken = (await world.put('/roof/config', none)).body.data;
  t.match(taken, { name: null, place: null, latitude: null, sim_valid_until: null, tags: said.tags });
  t.match(taken, { longitude: null, verified_until: said.verified_until });
  t.not(taken.timezone, said.timezone, 'the zone of the gateway again');
});

t.test('impossible values are refused and named', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/roof/config', { host: '192.0.2.7', tcp_enabled: false });
  const refused: [object, string][] = [
    [{ name: 'x'.repeat(81) }, '/name'],
    [{ name: 'two\nlines' }, '/name'],
    ...[...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].map((mark): [object, string] => [
      { name: `North ${mark}foor` },
      '/name',
    ]),
    [{ place: 'Yard\u202e' }, '/place'],
    [{ latitude: 90.1 }, '/latitude'],
    [{ longitude: 'east' }, '/longitude'],
    [{ verified_until: '2027-02-29' }, '/verified_until'],
    [{ sim_valid_until: 'next year' }, '/sim_valid_until'],
    [{ timezone: 'Mars/Olympus' }, '/timezone'],
    [{ timezone: '+02:00' }, '/timezone'],
    [{ tags: Array.from({ length: 17 }, (_, index) => `t${index}`) }, '/tags'],
    [{ tags: ['two words'] }, '/tags/0'],
    [{ tags: ['a', 'a'] }, '/tags'],
    [{ history: 'all' }, '/history'],
    [{ mirror: { every: '1m' } }, '/mirror/every'],
    [{ mirror: { paths: ['/a/../b'] } }, '/mirror/paths/0'],
    [{ mirror: { max_gb: 0 } }, '/mirror/max_gb'],
    [{ mirror: { unknown: 1 } }, '/mirror/unknown'],
    [{ mirror: true }, '/mirror'],
  ];
  for (const [body, path] of refused) {
    const answer = await world.put('/roof/config', body);
    t.match(answer, { status: 422, body: { detail: /^The value at .*\.$/, errors: [{ path }] } }, path);
  }
});

t.test('a config without host cannot be created, only changed', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const answer = await world.put('/roof/config', { tcp_port: 80 });
  t.match(answer, {
    status: 422,
    body: {
      code: 'INVALID',
      detail: 'The value at /host is required to create a config.',
      errors: [{ path: '/host' }],
    },
  });
  t.equal((await world.get('/roof/config')).status, 404);
});

t.test('hosts of every valid form are taken', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  for (const host of [
    'localhost',
    'meter-1.site.example',
    '10.0.0.1',
    '::1',
    'fd00::210:50ff:fe00:1',
    '2001:DB8::1',
    'A1',
  ]) {
    const { status, body } = await world.put('/roof/config', { host, tcp_enabled: false });
    t.match({ status, host: body.data?.host }, { status: 200, host }, host);
  }
});

t.test('creating or changing a config switches the sleep mode of the meter off', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Sleep Mode', 'On');
  const { body } = await world.put('/sim-1/config', { web_enabled: true });
  t.match(body, { status: 'ok', message: String, sleep_mode: 'Off' });
  t.notOk('warning' in body);
  t.equal(world.meter.read('Sleep Mode'), 'Off');
  t.same(world.meter.log.commands, ['Sleep Mode,Off']);
});

t.test('a config is saved whatever the meter does, within a bounded time', async (t) => {
  const world = await openWorld(t);
  const [{ tcpPort }] = [world.meter];
  await world.passing(world.meter.stop());
  const began = world.clock.elapsed();
  const { status, body } = await world.put('/other/config', { host: '127.0.0.1', tcp_port: tcpPort });
  t.match(
    { status, body },
    { status: 200, body: { sleep_mode: 'unknown', warning: String, data: { unit_id: 'other' } } },
  );
  t.ok(world.clock.elapsed() - began <= 6_000, 'in time');
  t.equal((await world.get('/other/config')).status, 200);
});

t.test('a meter that says nothing does not hold up its config', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const mute = await farEnd(t, () => 'silence');
  const began = world.clock.elapsed();
  const { status, body } = await world.put('/mute/config', mute.config);
  t.match({ status, body }, { status: 200, body: { sleep_mode: 'unknown', warning: /saved/ } });
  t.ok(world.clock.elapsed() - began <= 6_000, 'in time');
});

t.test('the answer does not wait for a command that still runs when the time is over', async (t) => {
  const slow = { think_query_ms: [3_000, 3_000], data_delay_ms: 3_000 } as const;
  const world = await openWorld(t, { quirks: slow });
  const before = world.asked('GET', '/sim-1/battery');
  await world.pass(3_000);
  const began = world.clock.elapsed();
  const { status, body } = await world.put('/sim-1/config', { web_enabled: true });
  t.match({ status, body }, { status: 200, body: { sleep_mode: 'unknown', warning: /within 5 s/ } });
  // Its own answer would come after ten seconds; time also moves while the config is written to the disk.
  t.ok(world.clock.elapsed() - began < 8_000, `${world.clock.elapsed() - began} ms`);
  t.equal((await world.passing(before)).status, 200);
  await world.pass(5_000);
  t.same(world.meter.log.commands, ['Battery Level?', 'Sleep Mode,Off'], 'it is finished all the same');
});

t.test('two units with one address are taken, with a warning', async (t) => {
  const world = await openWorld(t);
  const { status, body } = await world.put('/twin/config', { ...configOf(world.meter), web_enabled: true });
  t.match({ status, body }, { status: 200, body: { warning: /^Another unit \(sim-1\) has the same address/ } });
  t.match((await world.get('/sim-1/config')).body, { warning: /\(twin\)/ }, 'both configs say so');
  t.match((await world.get('/twin/config')).body, { warning: /\(sim-1\)/ });
  t.notOk('warning' in (await world.put('/twin/config', { tcp_enabled: false })).body);
  await world.passing(world.meter.stop());
  const both = await world.put('/sim-1/config', { name: 'Roof' });
  t.notMatch(both.body.warning, /Another unit/, 'the twin is off');
  const { warning } = (await world.put('/twin/config', { tcp_enabled: true })).body;
  t.match(warning, /sleep mode.*could not be switched off.*Another unit \(sim-1\)/s, 'both warnings are there');
});

t.test('two units with one meter, by name and address, have a note in both configs after a connection', async (t) => {
  const world = await openWorld(t);
  await world.put('/twin/config', { ...configOf(world.meter), host: 'localhost' });
  await world.pass(2_000);
  await world.get('/sim-1/battery');
  await world.get('/twin/battery');
  t.match((await world.get('/twin/config')).body, { warning: /\(sim-1\) has the same address/ });
  t.match((await world.get('/sim-1/config')).body, { warning: /\(twin\) has the same address/ });
  await world.put('/twin/config', { tcp_enabled: false });
  t.notOk('warning' in (await world.get('/twin/config')).body);
});

t.test('the list shows all units, DELETE takes one out with its snapshot', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const { body } = await world.get('');
  t.match(body, { status: 'ok', count: 2, units: [{ unit_id: 'sim-1' }, { unit_id: 'sim-2' }] });
  await world.get('/sim-1/live');
  t.match(await world.delete('/sim-1/config'), { status: 200, body: { status: 'ok', message: /sim-1/ } });
  t.match(await world.delete('/sim-1/config'), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
  t.equal((await world.get('')).body.count, 1);
  const [first] = world.meters;
  if (!first) return t.fail('no meter');
  await world.put('/sim-1/config', { ...configOf(first), tcp_enabled: false });
  t.match(
    (await world.get('/sim-1/status')).body.data,
    { lp: null, last_seen: null },
    'a new unit of the same name knows nothing',
  );
});

t.test('a changed address is used from the next command on', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const [first, second] = world.meters;
  if (!first || !second) return t.fail('two meters');
  second.set('Battery Level', 'Low');
  t.equal((await world.get('/sim-1/battery')).body.battery_level, '100');
  await world.delete('/sim-2/config');
  await world.pass(6_000);
  await world.configure('sim-1', second);
  t.equal((await world.get('/sim-1/battery')).body.battery_level, '30');
});

t.test('names that objects have of their own are harmless as units', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  for (const unit of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    t.equal((await world.get(`/${unit}/config`)).status, 404, unit);
    await world.put(`/${unit}/config`, { host: '127.0.0.1', tcp_enabled: false });
    t.equal((await world.get(`/${unit}/status`)).body.data.unit_id, unit);
    t.equal((await world.delete(`/${unit}/config`)).status, 200, unit);
  }
});

t.test('FTP credentials are in no answer, no log line and no file in clear', async (t) => {
  const world = await openWorld(t);
  const secrets = { ftp_username: `${CANARY}-user`, ftp_password: `${CANARY}-password` };
  await world.put('/sim-1/config', secrets);
  await world.put('/sim-1/config', { ...secrets, host: 'a b' });
  await world.put('/sim-1/config', { ...secrets, [`${CANARY}-property`.slice(0, 3)]: 1 });
  await world.get('/sim-1/config');
  await world.get('');
  await world.get('/sim-1/ftp/files');
  await world.post('/sim-1/ftp/download', { remote_path: '/x' });
  t.notOk(
    world.answers.some((text) => text.includes(CANARY)),
    'no answer',
  );
  t.notOk(
    world.log.some((line) => line.includes(CANARY)),
    'no log line',
  );
  const kept = await readdir(join(world.dataDir, 'data'), { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of kept.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(parentPath, name));
    t.notOk(bytes.includes(CANARY), name);
  }
});
