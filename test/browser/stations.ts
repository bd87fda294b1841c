import t from 'tap';
import { fitsPhone, isFitInLightAndDark } from './support/axe.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a station is added, sends, is changed and removed', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const page = await stage.open('settings/sites');
  const card = page.getByRole('region', { name: 'Weather stations' });
  await card.getByText('None yet: nothing is known of the weather.').waitFor();
  await card.getByText('A new station').click();
  await card.getByLabel('Id, as it sends').fill('mast');
  await card.getByLabel('Name').fill('Mast <b>');
  await card.getByLabel('Place').fill('10 m above the roof');
  await card.getByLabel('Time zone').fill('Mars/Crater');
  await card.getByLabel('For all meters').uncheck();
  await card.getByLabel('Roof').check();
  await card.getByRole('button', { name: 'Save this station' }).click();
  await card.locator('.said.bad', { hasText: 'zone' }).waitFor();
  t.strictSame(await stage.client.stations(), [], 'nothing is half kept');
  await card.getByLabel('Time zone').fill('Europe/Berlin');
  await card.getByLabel('Silent after, s').fill('3600');
  await card.getByRole('button', { name: 'Save this station' }).click();
  await card.getByText('Last observation: never').waitFor();
  t.match(await stage.client.stations(), [
    { id: 'mast', title: 'Mast <b>', units: ['roof'], zone: 'Europe/Berlin', interval_s: 600, silent_after_s: 3_600 },
  ]);

  await card.getByText('How a station sends').click();
  const [curl = '', mqtt = ''] = await card.locator('pre').allTextContents();
  t.match(curl, `${stage.gateway.baseUrl}/_stations/mast/observations`);
  t.match(mqtt, 'mosquitto_pub -h BROKER -t slm/station/mast');
  const [line = ''] = /\{.*\}/.exec(curl) ?? [];
  const sent = JSON.stringify({ ...JSON.parse(line), time: new Date().toISOString() });
  const file = new Blob([sent], { type: 'application/x-ndjson' });
  await stage.client.call('/_stations/mast/observations', { method: 'POST', file });
  await page.reload();
  await card.getByText(/Last observation: \d+ s ago/).waitFor();
  await isFitInLightAndDark(t, page);

  await card.getByRole('button', { name: 'Change Mast <b>' }).click();
  const change = page.getByRole('form', { name: 'Change Mast <b>' });
  await change.getByLabel('For all meters').check();
  await change.getByLabel('Silent after, s').fill('');
  await card.getByRole('button', { name: 'Save this station' }).click();
  await card.locator('.entry', { hasText: 'For all meters' }).waitFor();
  t.match(await stage.client.stations(), [{ units: null, silent_after_s: null, silent: false }]);
  await fitsPhone(page);
  await card.getByRole('button', { name: 'Remove Mast <b>' }).click();
  await card.getByRole('button', { name: 'Yes, remove Mast <b>' }).click();
  await card.getByText('None yet').waitFor();
  t.strictSame(await stage.client.stations(), []);
});

for (const [who, answer] of [
  ['the gateway', { status: 503, headers: { 'Retry-After': '6' } }],
  ['a proxy', { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }],
] as const)
  stageTest(t, `when ${who} cannot answer, the list comes later`, { timezone: 'UTC' }, async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
    await stage.client.changeStation('mast', { title: 'Mast', units: ['roof'] });
    const page = await stage.open('');
    let refused = 0;
    await page.route('**/_stations', (route) => (refused++ === 0 ? route.fulfill(answer) : route.continue()));
    await page.goto(new URL('settings/sites', page.url()).href);
    await page.getByRole('region', { name: 'Weather stations' }).getByText('Mast').first().waitFor();
    t.equal(refused, 2, 'after one pause');
  });
