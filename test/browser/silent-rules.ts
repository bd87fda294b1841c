import t from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { inBrowser, openStage, stageTest } from './support/stage.ts';

const device = (name: string, more: object) => ({ name, kind: 'device', for: '1m', ...more });

stageTest(t, 'the form and the list of rules say where a rule cannot ring', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', history: 'off' });
  const send = (path: string, method: string, body: object) =>
    fetch(`${stage.gateway.baseUrl}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  const made = await Promise.all([
    send('/_alerts/rules', 'POST', device('Keys', { units: ['roof'], condition: 'settings_changed' })),
    send('/_alerts/rules', 'POST', device('Nowhere', { tag: 'site', condition: 'unreachable' })),
    send('/_alerts/rules', 'POST', device('Reach', { units: ['roof'], condition: 'unreachable' })),
  ]);
  t.strictSame(
    made.map(({ status }) => status),
    [201, 201, 201],
  );
  // In its first seconds a gateway does not know the profiles yet, and says that.
  await until(async () => {
    const answer = await fetch(`${stage.gateway.baseUrl}/_alerts/rules/1`);
    return !JSON.stringify(await answer.json()).includes('not known yet');
  });
  const page = await stage.open('alerts');
  const rule = (name: string) =>
    page.locator('section[aria-labelledby=rules] li', { has: page.getByText(name, { exact: true }) });
  await rule('Keys')
    .getByText(/roof has no profile, so this rule has nothing to compare/)
    .waitFor();
  await rule('Nowhere').getByText('No meter has the tag site: nothing is watched.').waitFor();
  await rule('Reach').waitFor();
  t.equal(await rule('Reach').locator('.trouble').count(), 0, 'one that can ring says nothing');

  await page.locator('summary', { hasText: 'A new rule' }).click();
  const form = page.locator('section[aria-labelledby=rules] form');
  await form.getByLabel('Is about').selectOption('device');
  await form.getByLabel('The meter').selectOption('settings_changed');
  await form
    .getByRole('status')
    .getByText(/roof has no profile/)
    .waitFor();
  t.equal(await form.getByText(/Too little is recorded/).count(), 0, 'recording would not help');
});

inBrowser(t, 'a broker that is away is on every page, until it is back', async (t) => {
  const broker = await openBroker(t);
  const stage = await openStage(t, { plugin_settings: { mqtt: { url: broker.url } } });
  await stage.addMeter('roof');
  const page = await stage.open('');
  await page.getByRole('link', { name: 'roof' }).first().waitFor();
  const sentence = page.getByRole('alert').getByText(/There has been no connection to the MQTT broker/);
  t.equal(await sentence.count(), 0);
  broker.refuse();
  await sentence.waitFor({ timeout: 60_000 });
  for (const path of ['m/roof', 'alerts', 'settings', 'overview', 'wall']) {
    await page.goto(`${stage.url}${path}`);
    await sentence.waitFor();
    t.equal(await sentence.count(), 1, path);
  }
  broker.allow();
  await sentence.waitFor({ state: 'detached', timeout: 120_000 });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('it does not become true');
}
