/** Secrets planted in every place where there are some, and looked for in everything that comes out. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { verify } from '../../lib/audit/chain.ts';
import { maskedSettings, settingsFrom } from '../../lib/settings/index.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { openWorld, type World } from '../support/world.ts';

const CANARIES = {
  user: 'canary-user-5b1f',
  password: 'canary-password-9c2e',
  secretKey: 'canary-secret-key-77ab-of-the-environment',
  bearer: 'canary-bearer-31d0',
  wrong: 'canary-in-a-refused-body-e4',
};

/** As they are, and in the forms in which software likes to write things. */
const forms = Object.values(CANARIES).flatMap((text) => [
  text,
  Buffer.from(text).toString('base64').slice(0, -4),
  Buffer.from(text).toString('hex'),
  encodeURIComponent(text),
  [...text].reverse().join(''),
]);

const found = (bytes: string | Buffer): string[] => forms.filter((form) => bytes.includes(form));

/** Everything that a caller, a log reader or the owner of a backup gets to see. */
async function outputs(world: World): Promise<Record<string, string | Buffer>> {
  const all: Record<string, string | Buffer> = { answers: world.answers.join('\n'), log: world.log.join('') };
  const data = join(world.dataDir, 'data');
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) all[`file ${entry.name}`] = await readFile(join(entry.parentPath, entry.name));
  return all;
}

t.test('no secret is in any answer, log line, file of the data folder, document, metric or audit record', async (t) => {
  const world = await openWorld(t, { settings: { secret_key: CANARIES.secretKey } });
  const secrets = { ftp_username: CANARIES.user, ftp_password: CANARIES.password };
  const headers = { Authorization: `Bearer ${CANARIES.bearer}` };
  await world.put('/sim-1/config', secrets);
  await world.put('/sim-1/config', { ...secrets, host: 'a b' });
  await world.put('/sim-1/config', { ...secrets, ftp_passwort: CANARIES.wrong });
  await world.put('/sim-1/config', { ftp_password: `${CANARIES.wrong}\r\n` });
  await world.ask('PUT', '/sim-1/config', { raw: `{"ftp_password":"${CANARIES.wrong}"` });
  for (const { method, path, body } of ENDPOINTS.filter(({ path }) => path !== '/config' && path !== '/settings/all'))
    await world.ask(method, `/sim-1${path}`, { headers, ...(body && { json: body }) });
  for (const path of ['', '/openapi.json', '/sim-1/config', '/_audit', '/_audit?unit=sim-1', '/nothing', '/metrics'])
    await world.ask('GET', path, { headers }).catch(() => {});
  for (const path of ['/metrics', '/health']) world.answers.push(await (await fetch(new URL(path, world.base))).text());
  await world.delete('/sim-1/config');
  await world.pass(2_000);
  const all = await outputs(world);
  t.ok(Object.keys(all).length >= 4, Object.keys(all).join());
  t.ok(all.log?.includes('FTP_LOGIN_FAILED') || all.answers?.includes('FTP_LOGIN_FAILED'), 'the login was refused');
  for (const [where, bytes] of Object.entries(all)) t.same(found(bytes), [], where);
});

t.test('the settings are shown without their secrets', async (t) => {
  const settings = settingsFrom({ secret_key: CANARIES.secretKey }, { env: {}, home: '/' });
  t.same(found(JSON.stringify(maskedSettings(settings))), []);
});

t.test('the audit log has each change: author, place, before, after and the answer of the meter', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/lp-interval');
  await world.put('/sim-1/lp-interval', { preset: '1s' });
  await world.put('/sim-1/lp-interval', { preset: '200ms' });
  await world.put('/sim-1/lp-interval', { preset: 'never' });
  await world.post('/sim-1/start');
  await world.post('/sim-1/start');
  await world.put('/sim-1/config', { ftp_password: CANARIES.password, ftp_port: 2121 });
  await world.delete('/sim-1/config');
  const { body } = await world.get('/_audit?limit=8');
  const [removed, changed, refused, started, wrong, second, first] = body.records;
  const anybody = { who: 'anybody', key_id: null, address: '127.0.0.1', unit_id: 'sim-1' };
  t.match(first, { ...anybody, method: 'PUT', body: { preset: '1s' }, before: { lp_interval: String }, status: 200 });
  t.match(second, { body: { preset: '200ms' }, before: { lp_interval: '1s' }, answer: { lp_interval: '200ms' } });
  t.match(wrong, { status: 422, code: 'INVALID', body: null, before: { lp_interval: '200ms' } });
  t.match(started, { method: 'POST', route: '/{unit_id}/start', status: 200, code: null });
  t.match(refused, { status: 409, code: 'DEVICE_WRONG_STATE', answer: /R\+0004/ });
  t.match(changed, {
    body: { ftp_password: '***', ftp_port: 2121 },
    before: { ftp_port: Number },
    answer: { data: { ftp_port: 2121 } },
  });
  t.match(removed, { method: 'DELETE', before: { unit_id: 'sim-1' } });
  t.match(await world.get('/_audit?unit=none'), { status: 200, body: { records: [], next: null } });
  t.match((await world.get('/_audit?limit=2')).body, { records: [{}, {}], next: Number });
  t.match(await verify(join(world.dataDir, 'data', 'audit')), { broken: undefined, found: true });
});
