/** GET log: what happened at a unit, as a person who looks for trouble sees it; and the trace of every line on the wire. */
import t from 'tap';
import { mirrored } from '../support/packages.ts';
import { openWorld } from '../support/world.ts';

t.test(
  'the log of a unit has commands, connections, states, changes by whom, files and jobs, and survives a restart',
  async (t) => {
    const world = await openWorld(t);
    const { card } = world.meter;
    card.addFile('/JOB/a.rnd', { bytes: 100, seed: 1 }, world.clock.now());
    await world.put('/sim-1/config', { mirror: { paths: ['/JOB'], parse: false }, ftp_password: 'geheim-1' });
    await world.put('/sim-1/config', { ftp_password: '0000' });
    await world.post('/sim-1/start');
    await world.get('/sim-1/battery');
    await world.post('/sim-1/store');
    await world.ftpOn();
    await world.get('/sim-1/ftp/file?path=/JOB/a.rnd');
    t.match(await mirrored(world), { state: 'done' });
    world.meter.faults.on('reset-mid-reply', {});
    await world.get('/sim-1/clock');
    world.meter.faults.clear();

    type Shown = {
      kind: string;
      text: string;
      outcome: string | null;
      by: string | null;
      role: string | null;
      duration_ms: number | null;
    };
    const all = async (query = ''): Promise<Shown[]> => (await world.get(`/sim-1/log?limit=1000${query}`)).body.data;
    const seen = await all();
    const has = (kind: string, text: RegExp, more: object = {}) => {
      const found = seen.find((entry) => entry.kind === kind && text.test(entry.text));
      t.ok(found, `${kind} ${text}`);
      t.match(found ?? {}, more);
    };
    has('command', /^Battery Level\?$/, { outcome: 'ok', duration_ms: Number, by: null });
    has('command', /^Clock\?$/, { outcome: 'DEVICE_UNREACHABLE' });
    has('connection', /^Connected to 127\.0\.0\.1:\d+\.$/);
    has('connection', /was ended by (a fault|the meter): /, { outcome: null });
    has('state', /measuring: not known -> yes|measuring: no -> yes/);
    has('change', /^PUT config \(mirror, ftp_password\)$/, { outcome: 'ok', by: 'anybody', role: 'admin' });
    has('change', /^POST start$/, { outcome: 'ok', by: 'anybody' });
    has('change', /^POST store$/, { outcome: 'DEVICE_WRONG_STATE' });
    has('file', /^\/JOB\/a\.rnd: downloaded, 100 bytes$/, { by: 'anybody' });
    has('file', /^\/JOB\/a\.rnd: complete, 100 bytes$/);
    has('job', /^mirror, job 1: done\. 1 of 1 file was fetched/, { outcome: 'ok' });
    t.notMatch(JSON.stringify(seen), /geheim-1/, 'no value of a body is in it');

    t.same(new Set((await all('&kind=job,file')).map(({ kind }) => kind)), new Set(['job', 'file']));
    t.same(
      (await all('&q=battery')).map(({ text }) => text),
      ['Battery Level?'],
    );
    t.ok((await all('&outcome=failed')).every(({ outcome }) => outcome !== null && outcome !== 'ok'));
    t.same(await all(`&to=${new Date(world.clock.now() - 86_400_000).toISOString()}`), []);
    t.match(await world.get('/sim-1/log?from=2025-01-01T00:00:00'), {
      status: 422,
      body: { errors: [{ path: '/from' }] },
    });
    t.match(await world.get('/sim-1/log?kind=gossip'), { status: 422, body: { errors: [{ path: '/kind' }] } });
    t.match(await world.get('/nobody/log'), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });

    const { body: first } = await world.get('/sim-1/log?limit=3');
    const { body: second } = await world.get(`/sim-1/log?limit=3&cursor=${first.next}`);
    t.same(
      [...first.data, ...second.data].map(({ text }: Shown) => text),
      seen.slice(0, 6).map(({ text }) => text),
    );
    const csv = await world.get('/sim-1/log?format=csv');
    const lines = String(csv.body).trimEnd().split('\r\n');
    t.equal(lines[0], 'time,kind,text,outcome,duration_ms,by,role');
    t.ok(lines.some((line) => line.includes(',change,POST start,ok,,anybody,admin')));
    const forPeople = await world.get('/sim-1/log?format=csv-de');
    t.match(String(forPeople.body), /^\ufefftime;kind;text;/, 'a byte order mark');

    await world.restart(1_000);
    const kept = await all();
    t.ok(seen.every(({ text, kind }) => kept.some((entry) => entry.text === text && entry.kind === kind)));
    await world.delete('/sim-1/config');
    await world.configure('sim-1', world.meter);
    t.notMatch(JSON.stringify(await all()), /Battery Level/, 'the log of a unit that was removed is gone');
  },
);

t.test('a trace has every line with its time for the requested length, and no credential', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { ftp_username: 'USER', ftp_password: '0000' });
  t.match((await world.get('/sim-1/trace')).body.data, { active: false, from: null, lines: [] });
  t.match(await world.post('/sim-1/trace', { seconds: 3_601 }), {
    status: 422,
    body: { errors: [{ path: '/seconds' }] },
  });
  t.match(await world.post('/sim-1/trace', { seconds: 60 }), { status: 200, body: { data: { active: true } } });
  await world.ftpOn();
  await world.get('/sim-1/battery');
  await world.get('/sim-1/ftp/files?path=/');
  const { data } = (await world.get('/sim-1/trace')).body;
  const texts = data.lines.map(({ port, direction, text }: Record<string, string>) => `${port} ${direction} ${text}`);
  for (const wanted of [
    /^control sent FTP,On$/,
    /^control sent Battery Level\?$/,
    /^control received .*R\+0000$/,
    /^ftp sent USER \*{4}$/,
    /^ftp sent PASS \*{4}$/,
    /^ftp sent LIST/,
    /^ftp received 226 /,
  ])
    t.ok(
      texts.some((text: string) => wanted.test(text)),
      String(wanted),
    );
  t.notOk(
    texts.some((text: string) => /0000$/.test(text) && text.startsWith('ftp')),
    'the password is not in it',
  );
  for (const { time } of data.lines) t.match(time, /^\d{4}-.*Z$/);

  await world.clock.advance(60_000);
  const { lines } = (await world.get('/sim-1/trace')).body.data;
  await world.get('/sim-1/battery');
  t.match((await world.get('/sim-1/trace')).body.data, { active: false, lines }, 'after its time nothing is added');
  await world.post('/sim-1/trace', { seconds: 60 });
  await world.delete('/sim-1/trace');
  await world.get('/sim-1/battery');
  t.match((await world.get('/sim-1/trace')).body.data, { active: false, lines: [] }, 'it can be ended early');
});
