/** People in a real browser: in by name and password, out, and ended by somebody else. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { withKeys } from '../support/keys.ts';
import { makePeople, PASSWORD } from '../support/people.ts';
import { isFit } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { stageTest } from './support/stage.ts';

async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

stageTest(t, 'a person signs in and out in all tabs, and sees and ends sessions', async (t, stage) => {
  await stage.addMeter('roof');
  await makePeople(stage.dataDir, systemClock, [
    { name: 'Anna', role: 'operator' },
    { name: 'Max', role: 'admin' },
  ]);
  const page = await stage.open('m/roof');
  await signIn(page, 'Anna', 'wrong wrong wrong');
  await page.getByRole('alert').waitFor();
  t.equal(await page.getByRole('alert').textContent(), 'The name or the password is wrong.');
  await page.getByRole('button', { name: 'Use an API key' }).click();
  await page.getByLabel('API key').waitFor();
  await page.getByRole('button', { name: 'Sign in with name and password' }).click();

  const other = await page.context().newPage();
  await other.goto(stage.url);
  await other.getByLabel('Password').waitFor();
  await signIn(page, 'Anna');
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof', 'the page that was asked for');
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await other.getByText('1 meter').waitFor();
  t.equal(await page.evaluate('document.cookie'), '', 'no script reads the cookie');
  const stored = 'Object.keys(sessionStorage).concat(Object.keys(localStorage)).join()';
  t.equal(await page.evaluate(stored), 'last values', 'for the time without a gateway, and nothing beside it');
  const values = await page.evaluate<string>("localStorage.getItem('last values')");
  t.strictSame(Object.keys(JSON.parse(values)).toSorted(), ['about', 'at', 'units']);
  await page.reload();
  await page.getByText('live, ten times a second').waitFor();
  await page.getByRole('button', { name: 'Sign out Anna' }).click();
  await page.getByLabel('Password').waitFor();
  await other.getByLabel('Password').waitFor();
  t.ok(
    (await page.getByLabel('Password').isVisible()) && (await other.getByLabel('Password').isVisible()),
    'out in all tabs',
  );
  t.equal(await page.evaluate(stored), '', 'the last values are gone with the sign-in');
  await other.close();

  await signIn(page, 'Anna');
  await page.getByText('live, ten times a second').waitFor();
  const admin = await stage.open('settings/people');
  await signIn(admin, 'Max');
  await admin.getByText('Max admin, this browser').waitFor();
  await admin.getByRole('button', { name: 'End the session of Anna' }).click();
  await page.getByLabel('Password').waitFor();
  t.equal(
    await page.getByRole('alert').textContent(),
    'The session has ended: sign in again.',
    'who is signed out by somebody else sees it at once',
  );

  await withKeys(stage.dataDir, (admin) => admin.removePerson('Max'));
  await admin.getByLabel('Password').waitFor();
});

stageTest(
  t,
  'the first admin signs up with the code, and invites a client who sees the own site',
  { auth: 'required' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', tags: ['harbour'] });
    await stage.addMeter('yard', { name: 'Yard', tcpEnabled: false });
    const page = await stage.open('settings/people');
    await page.getByLabel('Code from the log').fill('AAAA-BBBB-CCCC-DDDD');
    await choosePassword(page, 'Max');
    await page.getByText(/unknown, was used, or has ended/).waitFor();
    await isFit(t, page, 'the page for the code');
    await page.getByLabel('Code from the log').fill(stage.gateway.about().firstCode ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Max admin, this browser').waitFor();

    await page.goto(stage.url);
    const hand = new Hand(page);
    await hand.link('Settings');
    await hand.link('People and keys');
    const whose = page.getByRole('form', { name: 'Invite somebody' }).locator('select').nth(1);
    await hand.choose(whose, 'all with the tag harbour');
    await hand.click(page.getByRole('button', { name: 'Invite', exact: true }));
    const link = (await page.locator('.key-text').textContent()) ?? '';
    hand.count(t, 'somebody is invited', 4);
    await page.getByText('Invitations that wait').waitFor();
    await isFit(t, page, 'the settings of people');

    const phone = await stage.browse(link, { viewport: { width: 390, height: 800 } });
    await phone.getByText('viewer: may look, all with the tag harbour').waitFor();
    await isFit(t, phone, 'the page of an invitation');
    t.ok(Number(await phone.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, 'fits a phone');
    await phone.getByLabel('Your name').focus();
    for (const text of ['Carla', 'Tab', PASSWORD, 'Enter'])
      await (text.length > 3 && text !== 'Enter' ? phone.keyboard.type(text) : phone.keyboard.press(text));
    await phone.getByText('Roof').first().waitFor();
    t.equal(await phone.getByText('Yard').count(), 0, 'the client sees the own site only');
    t.notMatch(phone.url(), /#/, 'the secret is gone from the address');
    const late = await stage.browse(link);
    await late.getByRole('alert').filter({ hasText: 'unknown, was used, or has ended' }).waitFor();
    t.equal(await late.getByLabel('New password').count(), 0, 'a used link offers nothing');

    await page.reload();
    await page.getByRole('button', { name: 'Change Carla' }).click();
    const form = page.getByRole('form', { name: 'Change Carla' });
    await form.locator('select').first().selectOption('operator');
    await form.getByLabel('Last day (none: without an end)').fill('12040-01-31');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').filter({ hasText: 'a time with its offset from UTC' }).waitFor();
    await form.getByLabel('Last day (none: without an end)').fill('2040-01-31');
    await isFit(t, page, 'the form of a person');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/operator: may control meters, all with the tag harbour, until .*2040/).waitFor();
    await phone.getByLabel('Password').waitFor();
    await signIn(phone, 'Carla');
    await phone.getByText('Roof').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign out everywhere Carla' }).click();
    await phone.getByLabel('Password').waitFor();
    await page.getByRole('button', { name: 'Remove Carla' }).click();
    await page.getByRole('button', { name: 'Yes, remove Carla' }).click();
    await page.getByRole('button', { name: 'Change Carla' }).waitFor({ state: 'detached' });
    t.strictSame(await peopleOf(page), ['Max']);
  },
);

async function choosePassword(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const peopleOf = (page: Page) => page.locator('section[aria-labelledby=people] li strong').allTextContents();
