/** People in a real browser: in by name and password, out, and ended by somebody else. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { withKeys } from '../support/keys.ts';
import { makePeople, PASSWORD } from '../support/people.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

t.test('a person signs in and out in all tabs, and sees and ends sessions', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
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
  t.ok(await other.getByText('1 meter').isVisible(), 'the other tab is signed in, too');
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
  t.ok(await admin.getByLabel('Password').isVisible(), 'so does who was removed');
});
