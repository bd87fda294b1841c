import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { TEST_FAMILIES } from '../support/families/index.ts';
import { Box } from '../support/families/jsonbox/box.ts';
import { inBrowser, openStage, stageTest } from './support/stage.ts';

stageTest(t, 'with one family nobody is asked for it', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.open('settings');
  await page.locator('summary').filter({ hasText: 'Roof' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  t.equal(await page.getByLabel('Short name, for addresses').count(), 1, 'both forms are there');
  t.equal(await page.getByLabel('Family of the meter').count(), 0);
});

inBrowser(t, 'with several a meter of another family is added, and a config shows and keeps it', async (t) => {
  const stage = await openStage(t, {}, { families: TEST_FAMILIES });
  const box = await Box.open(systemClock);
  t.teardown(() => box.close());
  const { configs } = stage.gateway.store;
  const page = await stage.open('settings');
  const add = page.getByRole('region', { name: 'Add a meter' });
  await add.getByLabel('Family of the meter').selectOption('box that answers in JSON');
  await add.getByLabel('Short name, for addresses').fill('box');
  await add.getByLabel('Address in the network').fill(box.host);
  await add.getByLabel('Port', { exact: true }).fill(String(box.port));
  await add.getByRole('button', { name: 'Add and test the connection' }).click();
  await add.getByRole('link', { name: 'Open box' }).waitFor();
  t.equal(configs.get('box')?.family, 'jsonbox');
  t.same(box.heard, ['MEAS?'], 'it was asked for nothing that it does not have');

  await page.reload();
  await page.locator('summary').filter({ hasText: 'box' }).click();
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Save', exact: true }) });
  t.equal(await form.getByLabel('Family of the meter').inputValue(), 'jsonbox');
  await form.getByLabel('Name for people').fill('The box');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await form.getByText('The config of box is changed.').waitFor();
  t.match(configs.get('box'), { family: 'jsonbox', name: 'The box' });
});

inBrowser(
  t,
  'the pages of a meter of another family show its level, and ask it for nothing that it does not have',
  async (t) => {
    const stage = await openStage(t, {}, { families: TEST_FAMILIES });
    const box = await Box.open(systemClock);
    t.teardown(() => box.close());
    box.hear(63.4);
    const { configs } = stage.gateway.store;
    const place = { host: box.host, tcpPort: box.port, family: 'jsonbox', pollIntervalSeconds: 2 };
    await configs.change('box', () => ({ ...configs.defaults, unitId: 'box', name: 'Box', ...place }));
    const page = await stage.open('');
    await page.getByText('63.4').first().waitFor();
    for (const part of ['history', 'days', 'assessment', 'evidence', 'files', 'campaign', 'log']) {
      await page.goto(`${stage.url}m/box/${part}`);
      await page.getByRole('heading', { name: 'Box' }).first().waitFor();
    }
    await page.goto(`${stage.url}m/box`);
    await page.getByText('63.4').first().waitFor();
    t.same(box.heard, ['MEAS?']);
  },
);
