/** Packages of evidence and their time stamps: asked for, kept, shown, and said to be missing with the reason. */
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import t, { type Test } from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import plugin from '../../plugins/evidence/index.ts';
import { checkStampSettings, type EvidenceSettings } from '../../plugins/evidence/stamping.ts';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { placesIn } from '../support/empty-data.ts';
import { sourceOf } from '../support/evidence.ts';
import { downloaded, endedJob } from '../support/packages.ts';
import { serveHttp } from '../support/serve-http.ts';
import { NO_OPENSSL, type Office, openOffice } from '../support/time-stamp-office.ts';
import { unzip } from '../support/unzip.ts';
import { openWorld, type World } from '../support/world.ts';

const SPAN = { from: '2025-12-22T00:00:00Z', to: '2025-12-23T00:00:00Z', include: ['levels', 'notes', 'settings'] };

/** The answer of a test server to a request over an imprint. */
type Answer = (query: Buffer) => Buffer | number;

/** A server whose answer the test changes. */
async function openServer(t: Test) {
  const state: { answer: Answer; requests: number } = { answer: () => 500, requests: 0 };
  const url = await serveHttp(t, async (request, response) => {
    state.requests += 1;
    const answer = state.answer(await buffer(request));
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(answer);
  });
  return Object.assign(state, { url: `${url}/` });
}

const worldOf = (t: Test, evidence: Readonly<Record<string, string>>) =>
  openWorld(t, { settings: { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings: { evidence } } });

/** The job, and the bytes of its package. */
async function made(world: World) {
  const { body } = await world.post('/sim-1/evidence', SPAN);
  const job = await endedJob(world, body.job);
  if (job.state !== 'done') throw new Error(JSON.stringify(job));
  return { job, bytes: (await downloaded(world, job.result.href)).bytes };
}

/** An office whose clock is that of the world. */
const honest =
  (office: Office, world: World): Answer =>
  (query) => {
    const { messageImprint, nonce } = AsnConvert.parse(query, TimeStampReq);
    const imprint = new Uint8Array(messageImprint.hashedMessage.buffer);
    const at = new Date(world.clock.now());
    return office.madeUp({ imprint, at, nonce: new Uint8Array(nonce ?? new ArrayBuffer(0)) });
  };

t.test('a package is stamped; list, job and verifier name the authority and time', { skip: NO_OPENSSL }, async (t) => {
  const office = openOffice(t);
  const server = await openServer(t);
  const world = await worldOf(t, { timestamp_url: server.url, timestamp_ca_file: join(office.folder, 'ca.pem') });
  await world.post('/sim-1/notes', { from: SPAN.from, text: 'A note.', kind: 'remark' });
  server.answer = honest(office, world);
  const { job, bytes } = await made(world);
  const { stamped } = job.result;
  t.match(stamped, { authority: 'O=Büro, CN=tsa', fingerprint: office.fingerprint('tsa'), is_known: true });
  t.match(job, { message: `Stamped at ${stamped.at} by O=Büro, CN=tsa.`, result: { not_stamped: null } });
  t.match((await world.get('/sim-1/evidence')).body.data, [{ stamped, not_stamped: null }]);
  const report = await verifyPackage(sourceOf(bytes));
  const { is_known: _, ...shown } = stamped;
  t.match(report, { outcome: 'whole', stamped: { ...shown, valid: true }, not_stamped: null, differences: [] });

  await world.pass(5_000);
  const [one, other] = [unzip(bytes), unzip((await made(world)).bytes)];
  const different = [...one.keys()].filter((name) => !one.get(name)?.equals(other.get(name) ?? Buffer.of()));
  t.strictSame(different, ['signature/envelope.json', 'signature/timestamp.tsr']);
  t.match(String(one.get('README.txt')), /timestamp\.tsr is the time stamp/);
  t.equal(server.requests, 2);
  await world.restart(1_000);
  t.match((await world.get('/sim-1/evidence')).body.data, [{ stamped: { is_known: true } }, { stamped }]);
});

t.test('without a stamp the package is made, too, and says why', { skip: NO_OPENSSL }, async (t) => {
  const office = openOffice(t);
  office.authority('stranger');
  const server = await openServer(t);
  const world = await worldOf(t, { timestamp_url: server.url, timestamp_ca_file: join(office.folder, 'stranger.pem') });
  const without = async (answer: Answer, reason: RegExp) => {
    server.answer = answer;
    const { job, bytes } = await made(world);
    const { not_stamped } = job.result;
    t.match(job.result, { stamped: null, not_stamped: reason });
    t.equal(job.message, `Not stamped: ${not_stamped}.`);
    t.match((await world.get('/sim-1/evidence')).body.data[0], { stamped: null, not_stamped });
    t.match(await verifyPackage(sourceOf(bytes)), { outcome: 'whole', stamped: null, not_stamped });
    t.notOk(unzip(bytes).has('signature/timestamp.tsr'));
  };
  await without(honest(office, world), /does not lead to an authority that you named$/);
  await without((query) => office.reply(query), /does not lead|more than 5 minutes from the clock/);
  await without(() => Buffer.from('<html>'), /is no time stamp$/);
  await without(() => 404, /^the time stamp server answered 404$/);
  await without(() => 503, /^the time stamp server answered 503$/);
  t.ok(world.log.some((line) => line.includes('a package of evidence is not stamped')));
});

t.test('a job that is cancelled while it waits for a stamp leaves nothing', async (t) => {
  const server = await openServer(t);
  const world = await worldOf(t, { timestamp_url: server.url });
  server.answer = () => 503;
  const job = `/_jobs/${(await world.asked('POST', '/sim-1/evidence', { json: SPAN })).body.job}`;
  // The clock stands still from here on: it waits for its second try.
  await world.until('the server was asked', () => server.requests > 0);
  t.match((await world.asked('GET', job)).body.data, { state: 'running' });
  await world.asked('DELETE', job);
  await world.pass(1_000);
  t.match((await world.get(job)).body.data, { state: 'cancelled', result: null });
  t.equal(server.requests, 1);
  t.strictSame((await world.get('/sim-1/evidence')).body.data, []);
  t.strictSame(await readdir(join(placesIn(world.dataDir).data_dir, 'plugins', 'evidence', 'sim-1')), []);
});

t.test('without a server, with a forbidden server, and with impossible settings', async (t) => {
  const world = await openWorld(t);
  const { job, bytes } = await made(world);
  t.match(job.result, { stamped: null, not_stamped: 'no time stamp server is set' });
  const path = join(t.testdir(), 'package.zip');
  writeFileSync(path, bytes);
  t.match(await verifyPackage(sourceOf(bytes)), { outcome: 'whole', not_stamped: 'no time stamp server is set' });

  const settings = { plugin_settings: { evidence: { timestamp_url: 'http://127.0.0.1:9/' } } };
  const closed = await openWorld(t, { settings });
  const { not_stamped } = (await made(closed)).job.result;
  t.match(not_stamped, /^the time stamp server could not be asked: .*loopback.*outbound_allow_networks/);
  for (const given of [
    { timestamp_url: 'ftp://192.0.2.1/' },
    { timestamp_url: 'http://user:secret@192.0.2.1/' },
    { timestamp_url: 'http://:x/' },
    { timestamp_ca_file: 'ca.pem' },
  ])
    t.throws(() => checkStampSettings(settingsOf(plugin, given) as EvidenceSettings), { message: /timestamp_/ });
});
