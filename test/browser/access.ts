/** Rights in a real browser: sign-in by key, and the buttons of each role. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { makeKey } from '../support/keys.ts';
import { inBrowser, openStage, stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

inBrowser(t, 'a gateway with keys asks for one, and offers what its role may do', async (t) => {
  // A key that was just made counts within a second, and for open streams on their next ping.
  const stage = await openStage(t, { ws_ping_ms: 1_000 });
  await stage.addMeter('roof');
  const { text: viewer } = await makeKey(stage.dataDir, { name: 'Site office', role: 'viewer' });
  const { text: operator } = await makeKey(stage.dataDir, { name: 'Night shift', role: 'operator' });
  const page = await stage.open('m/roof');
  const signIn = async (key: string) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  await signIn('slm_not-a-key');
  await page.getByRole('alert').waitFor();
  t.match(await page.getByRole('alert').textContent(), /\w/, 'a wrong key is refused in words');
  await focused(t, page, 'INPUT', 'and the keyboard is in the field');

  await signIn(viewer);
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof', 'the page that was asked for comes after signing in');
  t.equal(await page.getByRole('button', { name: 'Start', exact: true }).count(), 0, 'a viewer is offered no control');
  await page.reload();
  await page.getByText('live, ten times a second').waitFor();
  t.ok(await page.getByText('live, ten times a second').isVisible(), 'the key is kept for this tab');
  const other = await page.context().newPage();
  await other.goto(stage.url);
  await other.getByText('1 meter').waitFor();
  t.ok(await other.getByText('1 meter').isVisible(), 'and holds for another one');
  await page.getByRole('button', { name: /Sign out/ }).click();
  await other.getByLabel('API key').waitFor();
  t.ok(await other.getByLabel('API key').isVisible(), 'who signs out has signed out in all of them');
  await other.close();
  const later = await page.context().newPage();
  await later.goto(stage.url);
  await later.getByLabel('API key').waitFor();
  t.ok(await later.getByLabel('API key').isVisible(), 'then no new one knows a key');
  await later.close();

  await signIn(operator);
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  t.ok(await page.getByRole('button', { name: 'Start', exact: true }).isVisible(), 'an operator is offered control');
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
  await focused(t, page, 'H1', 'after navigation the keyboard is at the heading');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  t.equal(await page.getByRole('heading', { name: 'Add a meter' }).count(), 0, 'and no meters to add');
  await focused(t, page, 'H1', 'also where the page is loaded late');
  await page.reload();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await focused(t, page, 'MAIN', 'the first key skips the navigation');
});

/** The keyboard follows a picture later than the text that is there. */
async function focused(t: Test, page: Page, tag: string, what: string): Promise<void> {
  await untilTrue(page, `document.activeElement.tagName === '${tag}'`);
  t.pass(what);
}

stageTest(t, 'a page that is open when the first key is made asks for one', { ws_ping_ms: 1_000 }, async (t, stage) => {
  await stage.addMeter('roof');
  const page = await stage.open('m/roof');
  await page.getByText('live, ten times a second').waitFor();
  const { text } = await makeKey(stage.dataDir, { name: 'Site office', role: 'viewer' });
  await page.getByLabel('API key').fill(text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof', 'and goes on where it was');
});
