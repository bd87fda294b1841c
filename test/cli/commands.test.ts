/** The commands of `slm` against a gateway with a simulated meter. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const world = await openWorld(t);

t.test('units and status show each meter on a line, and all of it as JSON', async (t) => {
  await world.get('/sim-1/live');
  const units = await slm(world, 'units');
  t.match(units.out, /^UNIT +NAME +STATE +MEASUREMENT +LP +LEQ +BATTERY +SEEN\nsim-1 +- +online +stopped +\d+\.\d +/);
  t.match((await slm(world, 'units --json')).json, [{ unit_id: 'sim-1', lp: Number }]);
  t.match((await slm(world, 'units --find nowhere')).out, 'No meters.');
  const status = await slm(world, 'status sim-1 --now');
  t.match(status.out, /^unit +sim-1\n[\s\S]*levels +lp \d+\.\d {2}leq/);
  t.match((await slm(world, 'status sim-1 --json')).json, { unit_id: 'sim-1' });
});

t.test('a gateway without others says so', async (t) => {
  t.match((await slm(world, 'cluster')).out, /^This gateway keeps its data in its own folder/);
  t.strictSame((await slm(world, 'cluster --json')).json, []);
});

t.test('add, config, edit and remove are the life of a unit', async (t) => {
  const secret = join(t.testdir({ secret: 'hunter2\n' }), 'secret');
  world.meter.log.clear();
  const added = await slm(
    world,
    `add yard 192.0.2.1 --name "Back yard" --tags a,b --port 2256 --poll 120 --ftp-user me --ftp --ftp-password-file ${secret}`,
  );
  t.equal(added.code, 0);
  t.match(added.out, 'The config of yard is created.');
  t.match(await slm(world, 'add yard 192.0.2.77'), { code: 1, err: /yard exists already, at \S+: slm edit/ });
  const { json } = await slm(world, 'config yard --json');
  t.match(json, { name: 'Back yard', tags: ['a', 'b'], tcp_port: 2256, poll_interval_seconds: 120, ftp_enabled: true });
  t.equal(json.ftp_credentials_set, true);
  const edited = await slm(world, 'edit yard "name=Front yard" poll_enabled=false tags=c --json');
  t.match(edited.json, { name: 'Front yard', poll_enabled: false, tags: ['c'] });
  const digits = await slm(world, 'edit yard name=12 place=null ftp_username=1234 latitude=52.5 --json');
  t.match(digits.json, { name: '12', place: 'null', latitude: 52.5 }, 'a text may look like something else');
  t.match(await slm(world, 'edit yard ftp_password=x'), { code: 2, err: /--ftp-password-file/ });
  t.match(await slm(world, 'edit yard tcp_port=0'), { code: 2, err: /^slm: The value at \/tcp_port .*\(INVALID\)\n$/ });
  t.match(await slm(world, 'remove yard'), { code: 2, err: /--yes/ });
  t.match(await slm(world, 'remove yard --yes'), { code: 0 });
  t.match(await slm(world, 'config yard'), { code: 5, err: /UNIT_NOT_FOUND/ });
});

t.test('start, pause, resume and stop control a measurement; what the meter refuses is exit code 7', async (t) => {
  t.match(await slm(world, 'start sim-1'), { code: 0, out: 'The measurement is started.\n' });
  t.match(await slm(world, 'start sim-1'), { code: 7, err: /DEVICE_WRONG_STATE/ });
  for (const word of ['pause', 'resume', 'reset', 'stop', 'store'])
    t.match(await slm(world, `${word} sim-1`), { code: 0 }, word);
});

t.test('get and set read and change a setting of the meter', async (t) => {
  t.match(await slm(world, 'set sim-1 frequency-weighting C --channel Sub1'), { code: 0 });
  t.match((await slm(world, 'get sim-1 frequency-weighting --channel Sub1')).out, /frequency_weighting +C/);
  t.match(await slm(world, 'set sim-1 measurement-time 15m'), { code: 0, out: /15m/ });
  t.match(await slm(world, 'set sim-1 index_number 42'), { code: 0, out: /0042/ }, 'as get shows it');
  t.match(await slm(world, 'set sim-1 sleep on'), { code: 0 });
  t.match((await slm(world, 'get sim-1 sleep')).out, /On/);
  t.match(await slm(world, 'set sim-1 sleep off'), { code: 0 });
  t.match(await slm(world, 'set sim-1 battery 5'), { code: 2, err: /can only be read/ });
  t.match(await slm(world, 'set sim-1 sleep constructor'), { code: 2, err: /sleep takes on or off/ });
  t.match(await slm(world, 'set sim-1 colour red'), { code: 2, err: /is not a setting; the settings are clock/ });
  t.match((await slm(world, 'get sim-1 --json')).json, { frequency_weighting: 'A', measurement_time: '15m' });
});

t.test(
  'live prints frames: on a screen one line that moves, elsewhere a line each, as JSON one object each',
  async (t) => {
    const moving = await slm(world, 'live sim-1 --count 3', { columns: 120 });
    t.equal(moving.out.split('\r').length - 1, 3);
    t.equal(moving.out.split('\n').length, 2);
    t.match(moving.out, /\d\d:\d\d:\d\d {2}(Lp|LAF) \d+\.\d .* dB {2}[#.]+\n$/);
    const lines = (await slm(world, 'live sim-1 --count 2')).out.trimEnd().split('\n');
    t.equal(lines.length, 2);
    const [first = ''] = (await slm(world, 'live sim-1 --count 2 --json --hz 10')).out.split('\n');
    t.match(JSON.parse(first), { lp: Number, leq: Number, counter: Number });
    t.match(await slm(world, 'live nobody'), { code: 5 });
    t.match(await slm(world, 'live sim-1 --hz x'), { code: 2 });
    t.match(await slm(world, 'live sim-1 --hz 20'), { code: 2, err: /--hz takes a whole number from 1 to 10/ });
  },
);

t.test('watch prints events until it is left', async (t) => {
  const leaving = new AbortController();
  const watching = slm(world, 'watch --json --events config --count 1', { signal: leaving.signal });
  // Again and again: the first change may come before it listens.
  let changes = 0;
  const change = () => void world.asked('PUT', '/sim-1/config', { json: { place: `North ${changes++}` } });
  const changing = setInterval(change, 100);
  const [hello = '', event = ''] = (await watching.finally(() => clearInterval(changing))).out.split('\n');
  t.match(JSON.parse(hello), { event: 'hello' });
  t.match(JSON.parse(event), { event: 'config', unit_id: 'sim-1' });
  t.match(await slm(world, 'units'), { out: /sim-1 .* stopped / });
  t.match((await slm(world, 'status sim-1')).out, /^measurement +stopped$/m);
  t.match(await slm(world, 'watch --events state,noise'), {
    code: 2,
    err: /"noise" is none of reading, state, setting/,
  });
});

t.test(
  'files lists the card; download fetches, never over a file that is there, and goes on where it broke off',
  async (t) => {
    await world.ftpOn();
    const listed = await slm(world, 'files sim-1 /NL-43 --json');
    const folder = listed.json.find((entry: { is_dir: boolean }) => entry.is_dir);
    const inside = (await slm(world, `files sim-1 ${folder.path} --json`)).json;
    const file = inside.find((entry: { is_dir: boolean; size: number }) => !entry.is_dir && entry.size > 100);
    t.match((await slm(world, 'files sim-1 /NL-43')).out, /^NAME +SIZE +MODIFIED\n/);
    const target = join(t.testdir(), 'file');
    const fetched = await slm(world, `download sim-1 ${file.path} -o ${target}`);
    t.match(fetched, { code: 0, out: new RegExp(`${file.size} B|kB`) });
    const whole = readFileSync(target);
    t.equal(whole.length, file.size);
    t.match(await slm(world, `download sim-1 ${file.path} -o ${target}`), { code: 2, err: /--force/ });

    // As a download leaves it that broke off in the middle.
    const again = `${target}-2`;
    writeFileSync(`${again}.part`, whole);
    truncateSync(`${again}.part`, 40);
    const { headers } = await world.ask('HEAD', `/sim-1/ftp/file?path=${encodeURIComponent(file.path)}`);
    writeFileSync(`${again}.part.etag`, headers.get('etag') ?? '');
    t.match(await slm(world, `download sim-1 ${file.path} -o ${again}`), { code: 0, err: /Going on at 40 B/ });
    t.same(readFileSync(again), whole);
    t.notOk(existsSync(`${again}.part`) || existsSync(`${again}.part.etag`));

    writeFileSync(`${again}.part`, 'another file');
    writeFileSync(`${again}.part.etag`, '"of before"');
    t.match(await slm(world, `download sim-1 ${file.path} -o ${again} --force`), { code: 0, err: '' });
    t.equal(statSync(again).size, file.size, 'and a file that has changed is fetched from its start');

    // Ended when all had come and it had not got its name yet.
    writeFileSync(`${again}.part`, whole);
    writeFileSync(`${again}.part.etag`, headers.get('etag') ?? '');
    t.match(await slm(world, `download sim-1 ${file.path} -o ${again} --force`), { code: 0 });
    t.same(readFileSync(again), whole);
    t.match(await slm(world, `download sim-1 /none -o ${again} --force`), { code: 5 });
  },
);

t.test('files --kept lists a folder of the copies, and no folder that only begins like it', async (t) => {
  const { job } = (await slm(world, 'mirror sim-1 --json')).json;
  t.match(await slm(world, `job ${job}`), { code: 0 });
  const paths = async (folder: string) =>
    (await slm(world, `files sim-1 ${folder} --kept --json`)).json.map(({ path }: { path: string }) => path);
  const [file = '', ...more] = await paths('/NL-43/Screenshot');
  t.match([file, more], [/\.bmp$/, []]);
  for (const same of ['/NL-43/Screenshot/', file]) t.strictSame(await paths(same), [file], same);
  t.strictSame(await paths('/NL-43/Screen'), []);
});

t.test('history, indices and alerts show recorded values', async (t) => {
  t.match(await slm(world, 'history sim-1 --from 2h --step 1h'), { code: 0, out: /^START UTC +LEQ +LMAX/ });
  t.match((await slm(world, 'history sim-1 --from 2h --csv')).out, /^start,/);
  t.match(await slm(world, 'indices sim-1 --from 2d'), { code: 0, out: /DATE/ });
  t.match(await slm(world, 'assessment sim-1 --from 2d --limits lden:55'), { code: 0, out: /not assessable/ });
  t.match(await slm(world, 'assessment presets'), { code: 0, out: /de-ta-laerm/ });
  t.match(await slm(world, 'alerts'), { code: 0, out: 'No alerts.\n' });
  const passed = { rule: 0, rule_name: 'Night', severity: 'warning', kind: 'level', what: 'leq', unit_id: 'sim-1' };
  const times = { opened_at: '2025-11-02T14:50:00Z', closed_at: '2025-11-02T14:55:00Z' };
  const event = { ...passed, ...times, limit: 50, worst: 52, detail: 'Loud.' };
  await world.post('/_alerts/events/import', { events: [event] });
  t.match(await slm(world, 'ack 1 --cause Fireworks'), { code: 0, out: /Its cause is Fireworks\./ });
  t.match((await world.get('/_alerts/events/1')).body.data, { cause: 'Fireworks', ack: { note: '' } });
  const folder = t.testdir();
  const csv = join(folder, 'alerts.csv');
  t.match(await slm(world, `alerts --output ${csv}`), { code: 0, out: /alerts\.csv: \d+ B/ });
  t.match(readFileSync(csv, 'utf8'), /^id,unit_id,/);
  t.match(await slm(world, `alerts --output ${csv}`), { code: 2, err: /exists already: add --force/ });
  t.match(await slm(world, 'alerts --output alerts.pdf'), { code: 2, err: /ending \.csv or \.xlsx/ });
  const events = ['events', 'sim-1', '--threshold', '70'];
  t.match(await slm(world, events), { code: 0, out: /^(No events\.|START)[\s\S]*% of this time was measured/ });
  t.match((await slm(world, [...events, '--json'])).json, { unit_id: 'sim-1', events: Array });
  const xlsx = join(folder, 'day.XLSX');
  t.match(await slm(world, [...events, '--output', xlsx, '--json']), { code: 0 });
  t.equal(readFileSync(xlsx).subarray(0, 2).toString(), 'PK', 'a workbook');
  t.match(await slm(world, 'events sim-1'), { code: 2, err: /threshold/ });
  t.match(await slm(world, 'jobs'), { code: 0 });
  t.match(await slm(world, 'history sim-1 --from monday'), { code: 2, err: /is not a time: write 24h/ });
});

t.test('a date is midnight at the place of the meter, or in the given zone', async (t) => {
  await slm(world, 'edit sim-1 timezone=Europe/Berlin');
  const dates = ['--from', '2025-12-01', '--to', '2025-12-03'];
  const spanOf = async (...words: string[]) => {
    const { from, to } = (await slm(world, ['history', 'sim-1', '--json', ...dates, ...words])).json;
    return [from, to].map((time) => new Date(time).toISOString());
  };
  t.strictSame(await spanOf(), ['2025-11-30T23:00:00.000Z', '2025-12-02T23:00:00.000Z']);
  t.strictSame(await spanOf('--zone', 'UTC'), ['2025-12-01T00:00:00.000Z', '2025-12-03T00:00:00.000Z']);
  const { days } = (await slm(world, ['indices', 'sim-1', '--json', ...dates])).json;
  t.strictSame(
    days.map(({ date }: { date: string }) => date),
    ['2025-12-01', '2025-12-02'],
  );
  t.match(await slm(world, 'alerts --from 2025-12-01'), { code: 0 });
  t.match(await slm(world, 'history nobody --from 2025-12-01'), { code: 5 });
});

t.test('profiles are kept and brought to meters; a cycle is followed to its end', async (t) => {
  const file = join(
    t.testdir({ 'site.json': '{"description":"Site","settings":{"lp_interval":"100ms"}}' }),
    'site.json',
  );
  t.match(await slm(world, `profile put site ${file}`), { code: 0, out: /is created/ });
  t.match((await slm(world, 'profile list')).out, /^site +0 +lp_interval=100ms +Site$/m);
  t.strictSame(JSON.parse((await slm(world, 'profile show site')).out), JSON.parse(readFileSync(file, 'utf8')));
  t.match(await slm(world, 'profile apply site sim-1 nobody'), { code: 1, err: /nobody: .*apply-profile.*done/s });
  t.match((await slm(world, 'profile drift site')).out, /^sim-1 +same$/m);
  t.match(await slm(world, 'cycle start sim-1 --profile site'), { code: 0, out: /The meter measures/ });
  t.match(await slm(world, 'cycle start sim-1'), { code: 1 }, 'it measures already');
  t.match(await slm(world, 'jobs sim-1'), { out: /cycle-start +sim-1 +done/ });
  t.match(await slm(world, 'stop sim-1'), { code: 0 });
  t.match(await slm(world, 'profile remove site'), { code: 0 });
});

t.test('doctor says that a meter works, or which trouble it has', async (t) => {
  const well = await slm(world, 'doctor sim-1');
  t.match(well, { code: 0, out: /\[ {2}ok {2}\] identity +The meter is of the type NL-43/ });
  await slm(world, 'edit sim-1 tcp_enabled=false');
  const ill = await slm(world, 'doctor sim-1');
  t.match(ill, {
    code: 8,
    out: /\[WRONG \] config[\s\S]*What to do: Switch on[^\n]*\n +Command: slm edit sim-1 tcp_enabled=true/,
  });
  t.match((await slm(world, 'doctor sim-1 --json')).json, { healthy: false });
});

t.test('indices name both ways in which days are put together', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/roof/config', { host: '192.0.2.1', tcp_enabled: false, history: 'stream', timezone: 'UTC' });
  const midnight = Date.UTC(2025, 11, 21) / 1_000;
  const quarters = (day: number, leq: number, isMissing: (hour: number) => boolean) =>
    Array.from({ length: 96 }, (_, quarter) => quarter)
      .filter((quarter) => !isMissing(quarter / 4))
      .map((quarter) => ({
        at: midnight + day * 86_400 + quarter * 900,
        duration: 900,
        leq,
        lmax: leq,
        lmin: leq,
        lpeak: null,
        lieq: null,
        percentiles: [],
        flags: 0,
      }));
  // The louder day lacks two hours: it counts less by measured time, and the same by days.
  const intervals = [...quarters(0, 60, () => false), ...quarters(1, 70, (hour) => hour >= 10 && hour < 12)];
  const weighting = { frequency: 'A', time: 'F' } as const;
  world.gateway.history.append({ unitId: 'roof', source: 'card', weighting, intervals });
  await world.gateway.history.flush();
  const dates = ['--from', '2025-12-21T00:00:00Z', '--to', '2025-12-23T00:00:00Z'];
  const { out } = await slm(world, ['indices', 'roof', ...dates]);
  // Lday, the first column.
  const byTime = 10 * Math.log10((12 * 1e6 + 10 * 1e7) / 22);
  const byDays = 10 * Math.log10((1e6 + 1e7) / 2);
  t.match(out, new RegExp(`all, by measured time +${byTime.toFixed(2)} `), 'rounded once, as the API has it');
  t.match(out, new RegExp(`all, mean of days +${byDays.toFixed(2)} `));
  t.not(byTime.toFixed(1), byDays.toFixed(1));
  const grouped = await slm(world, ['indices', 'roof', ...dates, '--by', 'month']);
  t.match(grouped.out, new RegExp(`2025-12, mean of 2 days +${byDays.toFixed(2)} ± 3\\.55 `));
  t.match(await slm(world, ['indices', 'roof', ...dates, '--by', 'moon']), { code: 2, err: /week, month, year/ });
});

t.test('reports: kept, listed, made, fetched whole, and removed', async (t) => {
  const added = await slm(
    world,
    'reports add "Week of the bridge" sim-1 --period week --zone Europe/Berlin --formats csv,html --limits lden:58',
  );
  t.match(added, { code: 0, out: /The report Week of the bridge is kept\. Its id is 1\./ });
  t.match((await slm(world, 'reports --json')).json, [
    { id: '1', period: 'week', formats: ['csv', 'html'], limits: 'lden:58', at: '06:00' },
  ]);
  t.match(
    (await slm(world, 'reports')).out,
    /^ID +NAME +UNITS +PERIOD +NEXT +LAST RUN[\s\S]*\n1 +Week of the bridge +sim-1 +week +/,
  );
  const made = await slm(world, 'reports run 1 --json');
  t.match(made, { code: 0, json: [{ id: '1-csv' }, { id: '1-html' }] });
  const list = await slm(world, 'reports documents 1 --json');
  t.strictSame(list.json, made.json);
  t.ok((await slm(world, 'reports documents 1')).out.includes(made.json[0].sha256));
  const target = join(t.testdir(), 'week.csv');
  t.match(await slm(world, `reports get 1 1-csv --output ${target}`), { code: 0 });
  t.equal(createHash('sha256').update(readFileSync(target)).digest('hex'), made.json[0].sha256);
  t.match(await slm(world, `reports get 1 1-csv --output ${target}`), { code: 2, err: /--force/ });
  t.match(await slm(world, 'reports get 1 ../config'), { code: 2 });
  t.match(await slm(world, 'reports run ../1'), { code: 2 });
  t.match(await slm(world, 'reports run 9'), { code: 5, err: /There is no report 9/ });
  t.match(await slm(world, 'reports add Bad nobody'), { code: 2, err: /\/units\/0/ });
  t.match(await slm(world, 'reports remove 1'), { code: 0, out: /are removed/ });
  t.match((await slm(world, 'reports')).out, 'No reports.');
});

t.test('a kept report has what a person says for its preset', async (t) => {
  const words = 'reports add Factory sim-1 --preset es-rd1367 --tonal day:3 --low-frequency 0';
  const kept = (await slm(world, `${words} --json`)).json;
  t.match(kept, { preset: 'es-rd1367', tonal: 'day:3', low_frequency: '0', residual: null });
  t.match(await slm(world, `${words} --residual noon:3`), { code: 2, err: /has no period noon/ });
  t.match(await slm(world, `reports remove ${kept.id}`), { code: 0 });
});

t.test('evidence make, list and get: a package is made, fetched and whole', async (t) => {
  const target = join(t.testdir(), 'roof.zip');
  const to = new Date(world.clock.now()).toISOString();
  const from = new Date(world.clock.now() - 3_600_000).toISOString();
  const made = await slm(world, `evidence make sim-1 --from ${from} --to ${to} --include levels,notes`);
  t.match(made, { code: 0, out: /^Package \d+, .*SHA-256 [0-9a-f]{64}/ });
  const list = await slm(world, 'evidence list sim-1 --json');
  t.match(list.json, [{ include: ['levels', 'notes'], sha256: /^[0-9a-f]{64}$/ }]);
  const { id } = list.json[0];
  t.match((await slm(world, 'evidence list sim-1')).out, /^ID +FROM +TO +SIZE +MADE +STAMPED[\s\S]* no +levels notes/);
  t.match(await slm(world, `evidence get sim-1 ${id} --output ${target}`), { code: 0 });
  t.match(await slm(world, `evidence get sim-1 ${id} --output ${target}`), { code: 2, err: /--force/ });
  t.match(await slm(world, `verify ${target}`), { code: 0 });
  t.match(await slm(world, 'evidence get sim-1 ../config'), { code: 2 });
  t.match(await slm(world, `evidence make sim-1 --from ${to} --to ${from}`), { code: 2, err: /\/to/ });
  t.match(await slm(world, 'evidence make sim-1 --include gossip'), { code: 2, err: /include/ });
});
