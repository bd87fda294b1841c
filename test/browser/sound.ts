/** A recording among the copies of a card, in a real browser: it is fetched with the key of the page, and played. */
import t from 'tap';
import { recording } from '../../simulator/card/index.ts';
import { isFit } from './support/axe.ts';
import { inBrowser, openStage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

const MINUTE = 60_000;
const RATE = 8_000;

/** A second of a tone: 16 bits, one channel. */
function tone(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 2 * RATE, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(2 * RATE, 28);
  header.write('data', 36);
  header.writeUInt32LE(2 * RATE, 40);
  const samples = Int16Array.from(
    { length: RATE },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * 1_000 * index) / RATE),
  );
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

inBrowser(t, 'a recording of a card is played where its copy is', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { host: '192.0.2.40', pollEnabled: false });
  const wav = tone();
  const file = (path: string, sha256: string | null) => ({
    path,
    card: 1,
    size: wav.length,
    modified: '2026-11-21T10:05:00',
    sha256,
    fetched_at: null,
    rows: 0,
    versions: 1,
    problems: [],
    state: sha256 ? 'complete' : 'growing',
  });
  const sha256 = 'a'.repeat(64);
  const data = [file('/SOUND/0001.WAV', sha256), file('/SOUND/0002.wav', null), file('/NL-43/0001.rnd', sha256)];
  const page = await stage.browse('about:blank');
  await page.route(/\/roof\/files\?/, (route) => route.fulfill({ json: { status: 'ok', data, next: null } }));
  const asked: string[] = [];
  await page.route(/\/roof\/files\/content/, (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('path') ?? '');
    return route.fulfill({ body: wav, contentType: 'application/octet-stream' });
  });
  await page.goto(`${stage.url}m/roof/files`);
  await page.getByText('/NL-43/0001.rnd').waitFor();
  t.equal(await page.getByRole('button', { name: /^Listen/ }).count(), 1, 'only a whole sound file can be played');
  t.strictSame(asked, [], 'nothing is fetched before somebody wants to listen');
  await page.getByRole('button', { name: 'Listen to /SOUND/0001.WAV' }).click();
  await page.getByText('The card lists it with 2026-11-21 10:05:00, by the clock of the meter.').waitFor();
  t.strictSame(asked, ['/SOUND/0001.WAV']);
  await untilTrue(page, "document.querySelector('audio').readyState >= 1");
  t.equal(await page.evaluate("document.querySelector('audio').duration"), 1, 'the browser can read it');
  await isFit(t, page);
});

inBrowser(t, 'an alert leads to the recording of its time, where it is played', async (t) => {
  const stage = await openStage(t);
  const ftp = { ftpEnabled: true, ftpUsername: 'USER', ftpPassword: '0000' };
  await stage.addMeter('roof', {
    ...ftp,
    mirror: { ...stage.gateway.store.configs.defaults.mirror, paths: ['/NL-43/Auto_0019/SOUND'] },
  });
  const now = Date.now();
  const time = (minutes: number) => new Date(now - minutes * MINUTE).toISOString();
  const event = (name: string, from: number, to: number) => ({
    unit_id: 'roof',
    rule_name: name,
    kind: 'level',
    what: 'leq',
    limit: 70,
    worst: 78.2,
    opened_at: time(from),
    closed_at: time(to),
    detail: 'The Leq of 15 min was above 70 dB.',
  });
  const events = [event('Heard', 60, 45), event('Not heard', 180, 165)];
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  const shown = Date.parse(`${stage.meter.read('Clock').replaceAll('/', '-').replace(' ', 'T')}Z`);
  const made = recording({ at: shown - 50 * MINUTE, seconds: 20, seed: 1, model: 'NL-43' });
  stage.meter.card.addFile(made.path, made.bytes, made.modifiedAt);

  const page = await stage.open('alerts');
  const row = page.getByRole('row', { name: /^.*Heard at/ }).filter({ hasNotText: 'Not heard' });
  await row.waitFor();
  t.equal(await page.getByRole('button', { name: /^Listen/ }).count(), 0, 'nothing was copied yet');
  await stage.client.mirror('roof');
  const listen = row.getByRole('button', { name: `Listen to ${made.path}` });
  await listen.waitFor();
  t.equal(await page.getByRole('button', { name: /^Listen/ }).count(), 1, 'the other alert has none');
  await listen.click();
  await untilTrue(page, "document.querySelector('audio')?.readyState >= 1");
  t.equal(await page.evaluate("document.querySelector('audio').duration"), 20, 'it is the recording');
  t.match(await row.innerText(), /20 s, from \d\d:\d\d:\d\d, ± 1 s/, 'with its time');
  await isFit(t, page);

  await row.getByRole('link').click();
  await page.getByRole('img', { name: 'Recorded sound' }).waitFor();
  await page.getByRole('button', { name: `Listen to ${made.path}` }).waitFor();

  await page.goto(`${stage.url}m/roof/history?from=${time(240)}&to=${time(0)}`);
  await page
    .getByRole('region', { name: 'Limits that were exceeded' })
    .getByRole('button', { name: /^Listen/ })
    .waitFor();

  await page.goto(`${stage.url}alerts`);
  await page.route(/\/roof\/files\/content/, (route) => route.fulfill({ body: Buffer.from('no sound') }));
  await listen.click();
  await row.getByText('This browser cannot play it: save it.').waitFor();
  const saved = page.waitForEvent('download');
  await row.getByRole('link', { name: 'save it' }).click();
  t.equal((await saved).suggestedFilename(), made.path.split('/').at(-1), 'what cannot be played is downloaded');
});
