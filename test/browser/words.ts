/** The dashboard in all its languages: the first view, its size on the line, and its language for the browser. */
import t from 'tap';
import { stageTest } from './support/stage.ts';

/** Of a table of the first view; the code that all languages share is about 1 kB more. */
const MOST_BYTES = 5_600;

/** Words of the first view in each language. */
const WORDS = {
  de: { meters: 'Messgeräte', count: '1 Messgerät', stopped: 'Angehalten' },
  fr: { meters: 'Appareils', count: '1 appareil', stopped: 'Arrêté' },
  es: { meters: 'Sonómetros', count: '1 sonómetro', stopped: 'Detenido' },
  ja: { meters: '騒音計', count: '騒音計 1 台', stopped: '停止中' },
};

stageTest(t, 'the first view is in the language that a person chose', async (t, stage) => {
  await stage.addMeter('roof');
  for (const [code, { meters, count, stopped }] of Object.entries(WORDS)) {
    const page = await stage.browse('about:blank');
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const sizes = new Map<string, number>();
    const names = new Map<string, string>();
    network.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url));
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
      sizes.set(names.get(requestId)?.split('/').at(-1) ?? '', encodedDataLength),
    );
    await page.addInitScript(`localStorage.setItem('language', '${code}')`);
    await page.goto(stage.url);
    await page.getByRole('list', { name: meters }).getByText(stopped).waitFor();
    await page.getByText(count).first().waitFor();
    t.equal(await page.locator('html').getAttribute('lang'), code);
    const [[name = '', size = 0] = []] = [...sizes].filter(([name]) => name.includes('-first-'));
    t.ok(name.startsWith(`words-${code}-`) && size < MOST_BYTES, `${name}: ${size} bytes`);
    await page.context().close();
  }
});

stageTest(t, 'the browser says the language, until a person chooses one', async (t, stage) => {
  await stage.addMeter('roof');
  const page = await stage.open('', { locale: 'de-AT' });
  await page.getByRole('list', { name: 'Messgeräte' }).getByText('Angehalten').waitFor();
  await page.getByLabel('Sprache').selectOption('English');
  await page.getByRole('list', { name: 'Meters' }).getByText('Stopped').waitFor();
  t.equal(await page.locator('html').getAttribute('lang'), 'en');
  await page.getByLabel('Language').selectOption('日本語');
  await page.getByRole('link', { name: '設定' }).click();
  await page.getByRole('heading', { name: '騒音計を追加' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: '騒音計を追加' }).waitFor();
  t.equal(await page.locator('html').getAttribute('lang'), 'ja', 'the browser keeps the choice');
});

stageTest(t, 'a page whose words do not come is shown in English; English needs none', async (t, stage) => {
  await stage.addMeter('roof');
  const asked: string[] = [];
  const page = await stage.open('');
  page.on('request', (request) => asked.push(request.url()));
  await page.reload();
  await page.getByText('Stopped').waitFor();
  t.equal(asked.filter((url) => url.includes('words-')).length, 0);
  const cut = await stage.browse('about:blank');
  await cut.addInitScript(`localStorage.setItem('language', 'de')`);
  await cut.route(/words-de/, (route) => route.fulfill({ json: {} }));
  await cut.goto(stage.url);
  await cut.getByText('Stopped').waitFor();
});
