/** A recording among the copies of a card, in a real browser: it is fetched with the key of the page, and played. */
import { AxeBuilder } from '@axe-core/playwright';
import t from 'tap';
import { NO_BROWSER, openStage } from './support/stage.ts';

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

t.test('a recording of a card is played where its copy is', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { host: '192.0.2.40', pollEnabled: false });
  const wav = tone();
  const file = (path: string, sha256: string | null) => ({
    ...{ path, card: 1, size: wav.length, modified: '2026-11-21T10:05:00', sha256, fetched_at: null, rows: 0 },
    ...{ versions: 1, problems: [], state: sha256 ? 'complete' : 'growing' },
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
  await page.waitForFunction("document.querySelector('audio').readyState >= 1");
  t.equal(await page.evaluate("document.querySelector('audio').duration"), 1, 'the browser can read it');
  const { violations } = await new AxeBuilder({ page }).analyze();
  t.strictSame(
    violations.map(({ id }) => id),
    [],
    'axe finds nothing',
  );
});
