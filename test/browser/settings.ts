/** Work of an administrator on the pages of the settings: keys, the activity, a backup. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import t from 'tap';
import { Client } from '../../client/index.ts';
import { makeKey } from '../support/keys.ts';
import { isFit } from './support/axe.ts';
import { record } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'keys are made, shown once and revoked; changes and a backup are there', async (t, stage) => {
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

stageTest(t, 'a person sees what the own role may not change, and is offered no form', async (t, stage) => {
  const { client, dataDir, url } = stage;
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  await record(stage);
  await client.changeStation('mast', { title: 'Mast', units: ['roof'] });
  await client.addReport({ name: 'Bridge', units: ['roof'] });
  await client.changeReportLetterhead('office', { lines: ['Noise Office'], logo: null });
  await client.changeReportTemplate('permit', { title: 'Permit', sections: ['limits'] });
  const openAs = async (path: string, words: Parameters<typeof makeKey>[1], options = {}) => {
    const { text } = await makeKey(dataDir, { name: `${words.role}`, ...words });
    const page = await stage.open(path, options);
    await page.getByLabel('API key').fill(text);
    await page.keyboard.press('Enter');
    return page;
  };
  const isOffered = (page: Page, name: RegExp) => page.getByRole('button', { name }).count();

  const sites = await openAs('settings/sites', { role: 'admin', units: 'roof' });
  const stations = sites.getByRole('region', { name: 'Weather stations' });
  await stations.getByText('Mast').first().waitFor();
  t.equal(await stations.getByRole('button', { name: /Change|Remove/ }).count(), 0, 'an admin of some meters');
  t.equal(await stations.getByText('A new station').count(), 0);

  const operated = await openAs('reports', { role: 'operator', units: 'roof' });
  await operated.getByRole('region', { name: 'Letterheads' }).getByText('Noise Office').waitFor();
  await operated.getByRole('region', { name: 'Templates' }).getByText('Permit', { exact: true }).waitFor();
  t.equal(await isOffered(operated, /^(Change Permit|Change office|Remove office)/), 0, 'an operator');
  t.equal(await operated.getByText(/^A new (template|letterhead)$/).count(), 0);

  const seen = await openAs('reports', { role: 'viewer' }, { viewport: { width: 360, height: 740 } });
  await seen.locator('.entry', { hasText: 'Bridge' }).waitFor();
  t.equal(await isOffered(seen, /^Documents of Bridge/), 1);
  t.equal(await isOffered(seen, /^(Change|Remove|Run now|Keep)/), 0, 'a viewer');
  t.equal(await seen.getByRole('form').count(), 0);
  await isFit(t, seen);

  await seen.goto(`${url}settings`);
  await seen.getByRole('region', { name: 'Sessions' }).waitFor();
  const pages = seen.getByRole('navigation', { name: 'Pages of the settings' }).getByRole('link');
  t.strictSame(await pages.allTextContents(), ['People and keys', 'Recipients', 'This gateway']);
  await seen.goto(`${url}settings/data`);
  await seen.getByRole('region', { name: 'Sessions' }).waitFor();
  t.equal(new URL(seen.url()).pathname, '/settings/people', 'an address that is not for the role leads to one that is');
});
