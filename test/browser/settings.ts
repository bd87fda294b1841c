/** Work of an administrator on the pages of the settings: keys, the activity, a backup. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { Client } from '../../client/index.ts';
import { makeKey } from '../support/keys.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('keys are made, shown once and revoked; changes and a backup are there', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.open('settings#keys');
  const keys = page.getByRole('region', { name: 'Keys' });
  const form = keys.getByRole('form', { name: 'New key' });
  await form.getByText('The first key is for you').waitFor();
  t.equal(new URL(page.url()).pathname, '/settings/people', 'an old link to a section finds its page');
  await form.getByLabel('Name').fill('me');
  await form.getByRole('button', { name: 'Make the key' }).click();
  const text = await keys.locator('.key-text').textContent();
  t.match(text, /^slm_[0-9a-f]{8}_/);
  await page.getByRole('button', { name: 'Sign out me' }).waitFor();
  t.equal((await fetch(`${stage.gateway.baseUrl}/_about`)).status, 401, 'everybody needs a key now');
  await keys.getByRole('button', { name: 'I have it' }).click();
  await keys.locator('.key-text').waitFor({ state: 'detached' });

  await form.getByLabel('Name').fill('site office');
  await form.getByLabel('Role').selectOption('operator');
  await form.getByLabel('Ends').selectOption('30');
  await form.getByRole('button', { name: 'Make the key' }).click();
  const line = keys.getByRole('listitem').filter({ hasText: 'site office' });
  await line.getByText(/operator: may control meters, all meters/).waitFor();
  const office = new Client({
    baseUrl: stage.gateway.baseUrl,
    key: (await keys.locator('.key-text').textContent()) ?? '',
  });
  t.match((await office.about()).caller, { name: 'site office', role: 'operator' });
  await office.addNote('roof', { kind: 'note', text: 'Rain <b>today</b>' });

  await page.getByRole('link', { name: 'This gateway' }).click();
  const activity = page.getByRole('region', { name: 'Activity' });
  const row = activity.getByRole('row').filter({ hasText: 'POST notes' });
  await row.waitFor();
  t.match(await row.textContent(), /site office.*roof.*kind: note, text: Rain <b>today<\/b>.*done/);
  const who = await row.getByText('site office').boundingBox();
  t.ok(who && who.height < 30, 'a name fits in one line');
  t.notOk((await activity.textContent())?.includes(text ?? ''), 'no key is in it');

  await page.getByRole('link', { name: 'People and keys' }).click();
  await line.getByRole('button', { name: 'Revoke site office' }).click();
  await line.getByRole('button', { name: 'Yes, revoke site office' }).click();
  await keys.getByText('1 key has ended').waitFor();
  t.equal(await office.about().catch(({ status }: { status: number }) => status), 401);

  await page.getByRole('link', { name: 'Data', exact: true }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save a backup' }).click();
  const file = await (await saving).path();
  t.match(gunzipSync(readFileSync(file)).toString('latin1'), /slm-backup/);
});

t.test('a viewer is offered only the settings that have something for him', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const key = await makeKey(stage.dataDir, { name: 'guest', role: 'viewer' });
  const page = await stage.open('settings');
  await page.getByLabel('API key').fill(key.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('region', { name: 'Sessions' }).waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages of the settings' }).getByRole('link');
  t.strictSame(await pages.allTextContents(), ['People and keys', 'Recipients', 'This gateway']);
  await page.goto(`${stage.url}settings/data`);
  await page.getByRole('region', { name: 'Sessions' }).waitFor();
  t.equal(
    new URL(page.url()).pathname,
    '/settings/people',
    'an address that is not for him leads to the first that is',
  );
});
