/** A meter is added in a real browser: what is there is never changed unasked, and a try that failed leaves nothing behind. */
import t from 'tap';
import { stageTest } from './support/stage.ts';

stageTest(t, 'adding a meter asks before it changes one, and forgets what does not answer', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', place: null });
  const { configs } = stage.gateway.store;
  const port = String(stage.meter.tcpPort);
  const page = await stage.open('settings');
  const name = page.getByLabel('Short name, for addresses');
  const add = page.getByRole('button', { name: 'Add and test the connection' });

  await name.fill('Dach Süd');
  await page.getByLabel('Address in the network').fill('127.0.0.1');
  await page.getByText('no blanks, no umlauts').waitFor();
  await add.click();
  t.equal(await page.locator('.steps li').count(), 0, 'a short name that cannot be used is said, and nothing is sent');

  await name.fill('roof');
  await page.getByLabel('Port', { exact: true }).fill('1');
  await page.getByPlaceholder('Main Street 1').fill('Somewhere else');
  await add.click();
  await page.getByText('There is a meter with the short name roof already').waitFor();
  await page.getByText(`Roof, at 127.0.0.1, port ${port}. Nothing was changed.`).waitFor();
  t.equal(String(configs.get('roof')?.tcpPort), port, 'a meter that is there is not changed unasked');

  await page.getByRole('button', { name: 'Change roof' }).click();
  await page.getByText('roof is as it was.').waitFor();
  t.match(configs.get('roof'), { tcpPort: stage.meter.tcpPort, place: null, name: 'Roof' }, 'nor by a try that fails');

  await name.fill('yard');
  await add.click();
  await page.getByText('Nothing of this try is left.').waitFor();
  t.equal(configs.get('yard'), undefined);
  await page.getByRole('button', { name: 'Add it without a test' }).click();
  await page.getByRole('link', { name: 'Open yard' }).waitFor();
  t.match(configs.get('yard'), { tcpPort: 1, place: 'Somewhere else' }, 'unless somebody wants it');

  await name.fill('gate');
  await page.getByLabel('Port', { exact: true }).fill(port);
  await add.click();
  await page.getByRole('link', { name: 'Open gate' }).waitFor();
  t.equal(String(configs.get('gate')?.tcpPort), port, 'a meter that answers stays');
});
