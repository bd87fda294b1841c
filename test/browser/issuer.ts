/** People in a real browser, signed in by a real issuer: in, out there too, and at the end of the session. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { makePeople } from '../support/people.ts';
import { isFit } from './support/axe.ts';
import { openRealIssuer } from './support/issuer.ts';
import { inBrowser, openStage } from './support/stage.ts';

const GATEWAY = 'Sign in with Town hall';

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: GATEWAY }).click();
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Go on' }).click();
}

inBrowser(
  t,
  'a person signs in by the issuer, signs out, and signs in again after the session has ended',
  async (t) => {
    const issuer = await openRealIssuer(t);
    const people = {
      issuer: issuer.url,
      issuer_name: 'Town hall',
      client_id: 'gateway',
      client_secret: 'a secret of this test alone',
      role_claim: 'groups',
      roles: { operator: ['acoustics'] },
    };
    let later = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    const settings = { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings: { people } };
    const stage = await openStage(t, settings, { clock });
    issuer.serve(stage.url);
    await stage.addMeter('roof');
    await makePeople(stage.dataDir, systemClock, [{ name: 'Max', role: 'admin' }]);
    const page = await stage.open('m/roof/history?span=day');
    await page.getByRole('link', { name: GATEWAY }).waitFor();
    await isFit(t, page);
    const other = await page.context().newPage();
    await other.goto(stage.url);
    await other.getByRole('link', { name: GATEWAY }).waitFor();

    await signIn(page, 'anna');
    await page.getByRole('button', { name: 'Sign out anna' }).waitFor();
    t.equal(page.url(), `${stage.url}m/roof/history?span=day`, 'the page that was asked for');
    await other.getByRole('button', { name: 'Sign out anna' }).waitFor();
    t.equal(await page.evaluate('document.cookie'), '', 'no script reads the cookie');

    await page.getByRole('button', { name: 'Sign out anna' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('link', { name: GATEWAY }).waitFor();
    await other.getByRole('link', { name: GATEWAY }).waitFor();
    await other.close();
    // From now on the worker asks for pages: the way back from the issuer is a link on another site.
    await page.evaluate(
      'navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ?? new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve))).then(() => undefined)',
    );
    await signIn(page, 'berta');
    await page.getByRole('button', { name: 'Sign out berta' }).waitFor();

    later = 13 * 3_600_000;
    await page.reload();
    await page.getByRole('link', { name: GATEWAY }).waitFor();
  },
);

inBrowser(t, 'an answer of the issuer that does not belong here is a page that says so', async (t) => {
  const issuer = await openRealIssuer(t);
  const people = { issuer: issuer.url, client_id: 'gateway', role_claim: 'groups', roles: { viewer: ['others'] } };
  const settings = {
    outbound_allow_networks: ['127.0.0.0/8'],
    plugin_settings: { people: { ...people, issuer_name: 'Town hall', client_secret: 'a secret of this test alone' } },
  };
  const stage = await openStage(t, settings);
  issuer.serve(stage.url);
  const page = await stage.open('');
  await signIn(page, 'anna');
  await page.getByText('Nothing in the claim groups gives a role here.').waitFor();
  await isFit(t, page);
  await page.goto(`${stage.url}sign-in/callback?code=x&state=y`);
  await page.getByText('This sign-in was not begun in this browser').waitFor();
  await page.getByRole('link', { name: 'Sign in another way' }).click();
  await page.getByLabel('API key').waitFor();
});
