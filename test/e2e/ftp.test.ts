/** The switch of the meter's FTP server, its card listed and downloaded. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import t from 'tap';
import { farEnd } from '../support/far-end.ts';
import { openWorld, type World } from '../support/world.ts';

const MB = 1_048_576;

t.test('enable and disable switch the server of the meter, status reads it', async (t) => {
  const world = await openWorld(t);
  t.match(await world.post('/sim-1/ftp/enable'), { status: 200, body: { status: 'ok', message: String } });
  t.same((await world.get('/sim-1/ftp/status')).body, { status: 'ok', ftp_status: 'On', ftp_enabled: true });
  t.match(await world.post('/sim-1/ftp/disable'), { status: 200, body: { status: 'ok', message: String } });
  t.same((await world.get('/sim-1/ftp/status')).body, { status: 'ok', ftp_status: 'Off', ftp_enabled: false });
});

t.test('a folder is listed with sizes, dates and full paths', async (t) => {
  const world = await openWorld(t);
  world.meter.card.addFolder('/JOB', world.clock.now() - 400 * 86_400_000);
  world.meter.card.addFile('/JOB/a file.rnd', { bytes: 1_234, seed: 1 }, world.clock.now() - 3_600_000);
  await world.ftpOn();
  const root = (await world.get('/sim-1/ftp/files')).body;
  t.match(root, { status: 'ok', path: '/', count: root.files.length });
  const folder = root.files.find(({ name }: { name: string }) => name === 'JOB');
  t.match(folder, { path: '/JOB', size: 0, is_dir: true, modified: /^[A-Z][a-z]{2} \d{2} \d{4}$/ });
  t.notOk('modified_at' in folder, 'an old entry has a date alone');
  const { body } = await world.get(`/sim-1/ftp/files?path=${encodeURIComponent('/JOB')}`);
  t.match(body, { path: '/JOB', count: 1 });
  const [file] = body.files;
  t.match(file, {
    name: 'a file.rnd',
    path: '/JOB/a file.rnd',
    size: 1_234,
    is_dir: false,
    modified: /^[A-Z][a-z]{2} \d{2} \d{4}$/,
  });
  t.match(file.modified_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/);
});

t.test('a file that is not on the card is 404 FILE_NOT_FOUND', async (t) => {
  const world = await openWorld(t);
  await world.ftpOn();
  const missing = { status: 404, body: { code: 'FILE_NOT_FOUND', detail: String } };
  t.match(await world.get('/sim-1/ftp/files?path=/nowhere'), missing);
  t.match(await world.post('/sim-1/ftp/download', { remote_path: '/nowhere.rnd' }), missing);
  t.match(await world.post('/sim-1/ftp/download', { remote_path: '/' }), missing);
});

const download = (world: World, path: string): Promise<Response> =>
  fetch(`${world.base}/sim-1/ftp/download`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ remote_path: path }),
  });

t.test('a file of 50 MB arrives bit for bit, with its name and size', async (t) => {
  const world = await openWorld(t);
  const content = randomBytes(50 * MB);
  world.meter.card.addFile('/large file.wav', content, world.clock.now());
  await world.ftpOn();
  const response = await world.passing(download(world, '/large file.wav'));
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/octet-stream');
  t.equal(response.headers.get('content-length'), String(50 * MB));
  t.match(response.headers.get('content-disposition'), /^attachment; filename="large file\.wav"/);
  const bytes = await world.passing(response.arrayBuffer());
  t.ok(content.equals(Buffer.from(bytes)), 'the same bytes');
});

t.test('a client that counts the bytes and leaves with the last one has had a good transfer', async (t) => {
  const world = await openWorld(t);
  world.meter.card.addFile('/some.rnd', { bytes: 300_000, seed: 3 }, world.clock.now());
  await world.ftpOn();
  t.equal(await world.passing(leaveWithTheLastByte(world, '/some.rnd')), 300_000);
  const isQuit = ({ kind, text }: { readonly kind: string; readonly text?: string }) =>
    kind === 'ftp' && text === '> QUIT';
  await world.until('the session has ended with QUIT', () => world.meter.log.events.some(isQuit));
  t.notOk(world.log.some((line) => line.includes('file transfer broke')));
});

/** As curl does: it closes the connection as soon as it has what Content-Length promised. */
function leaveWithTheLastByte(world: World, path: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${world.base}/sim-1/ftp/download`, { method: 'POST', headers }, (response) => {
      let bytes = 0;
      response.on('error', () => {});
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < Number(response.headers['content-length'])) return;
        response.destroy();
        resolve(bytes);
      });
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({ remote_path: path }));
  });
}

t.test('a client that stops reading holds the transfer, not the file in memory', async (t) => {
  const world = await openWorld(t);
  world.meter.card.addFile('/large.wav', { bytes: 200 * MB, seed: 7 }, world.clock.now());
  await world.ftpOn();
  const before = process.memoryUsage().arrayBuffers;
  const response = await world.passing(download(world, '/large.wav'));
  const reader = response.body?.getReader();
  await reader?.read();
  await world.pass(5_000);
  const held = process.memoryUsage().arrayBuffers - before;
  t.ok(held < 20 * MB, `${Math.round(held / MB)} MB held`);
  await reader?.cancel();
});

for (const ending of ['aborted', 'claims-complete', 'vanishes']) {
  t.test(`a transfer that breaks off midway (${ending}) breaks the response`, async (t) => {
    const world = await openWorld(t);
    world.meter.card.addFile('/cut.wav', { bytes: 5 * MB, seed: 7 }, world.clock.now());
    await world.ftpOn();
    world.meter.faults.on('ftp-cut', { after_bytes: MB, ending, breaks: 'files' });
    await t.rejects(world.post('/sim-1/ftp/download', { remote_path: '/cut.wav' }));
    world.meter.faults.clear();
    t.match(await world.get('/sim-1/ftp/files'), { status: 200 }, 'and the next request is fine');
  });
}

t.test('the errors for a wrong login, and for a server that is off, say what to check', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/ftp/disable');
  t.match(await world.get('/sim-1/ftp/files'), { status: 502, body: { code: 'DEVICE_UNREACHABLE', detail: String } });
  await world.ftpOn();
  await world.put('/sim-1/config', { ftp_password: 'wrong' });
  t.match(await world.get('/sim-1/ftp/files'), { status: 502, body: { code: 'FTP_LOGIN_FAILED', detail: String } });
});

t.test('a server that says nothing is 504, for a listing and a download', async (t) => {
  const world = await openWorld(t);
  const mute = await farEnd(t, () => 'silence');
  await world.put('/sim-1/config', { ftp_port: mute.config.tcp_port });
  const late = { status: 504, body: { code: 'DEVICE_TIMEOUT', detail: String } };
  t.match(await world.get('/sim-1/ftp/files'), late);
  t.match(await world.post('/sim-1/ftp/download', { remote_path: '/a.rnd' }), late);
});

t.test('files are there while TCP control is disabled', async (t) => {
  const world = await openWorld(t);
  await world.ftpOn();
  await world.put('/sim-1/config', { tcp_enabled: false });
  t.match(await world.get('/sim-1/ftp/files'), { status: 200, body: { path: '/' } });
});

t.test('commands and transfers of one meter do not follow each other closely', async (t) => {
  const world = await openWorld(t, { quirks: { ftp_start_delay_ms: 0 } });
  await world.post('/sim-1/ftp/enable');
  const began = world.meter.log.events.at(-1)?.at ?? 0;
  await world.get('/sim-1/ftp/files');
  const first = world.meter.log.events.find(({ kind, at }) => kind === 'ftp' && at > began);
  t.ok((first?.at ?? 0) - began >= 1_000, 'the meter rested before the login');
  const last = world.meter.log.events.findLast(({ kind }) => kind === 'ftp')?.at ?? 0;
  await world.get('/sim-1/battery');
  const command = world.meter.log.events.findLast(({ kind }) => kind === 'command')?.at ?? 0;
  t.ok(command - last >= 1_000, 'and before the next command');
});
