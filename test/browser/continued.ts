/** An event that goes on over the end of a window: how long, and in which windows, on every page that shows it. */
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { addLoud, HOUR_S, iso } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'an event in several windows says how long and which', async (t) => {
  const now = Math.floor(Date.now() / 1_000);
  const hour = Math.floor(now / HOUR_S) * HOUR_S;
  // The gateway's clock follows the levels: the rule is made two hours ago.
  let ahead = (hour - 2 * HOUR_S - now) * 1_000;
  const stage = await openStage(t, {}, { clock: { ...systemClock, now: () => Date.now() + ahead } });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  await stage.client.addAlertRule({
    name: 'Hour limit',
    kind: 'level',
    units: ['roof'],
    quantity: 'leq',
    limit_db: 60,
    window: '1h',
    continue: true,
  });
  for (const from of [hour - 2 * HOUR_S, hour - HOUR_S, hour]) {
    ahead = Math.min(0, (from + 60 - now) * 1_000);
    await addLoud(stage, from, Math.min(60, now - from + 1));
  }
  const timeOf = (at: number) => new Date(at * 1_000).toISOString().slice(11, 16);
  const windows = new RegExp(`in 3 windows, .*${timeOf(hour - 2 * HOUR_S)} to .*${timeOf(hour + HOUR_S)}`);
  const lasted = /for (2|2\.\d|3) h/;

  const page = await stage.open('alerts', { timezoneId: 'UTC' });
  page.setDefaultTimeout(20_000);
  const open = page.getByRole('list', { name: 'Open', exact: true });
  await open.getByText('Hour limit').waitFor();
  t.match(await open.innerText(), windows, 'the list of alerts: which windows');
  t.match(await open.innerText(), lasted, 'the list of alerts: how long');
  t.equal(await open.getByRole('listitem').count(), 1, 'it is one event');

  await page.goto(`${stage.url}m/roof`);
  const banner = page.getByRole('list', { name: 'What is wrong' });
  await banner.getByText('Hour limit').waitFor();
  t.match(await banner.innerText(), windows, 'the page of the meter');
  t.match(await banner.innerText(), lasted);

  await page.goto(`${stage.url}m/roof/history?from=${iso(hour - 3 * HOUR_S)}&to=${iso(hour + HOUR_S)}`);
  const exceeded = page.getByRole('region', { name: 'Limits that were exceeded' });
  await exceeded.getByText('Hour limit').waitFor();
  t.match(await exceeded.innerText(), windows, 'its history');
  await page.getByText(/Pale: before the rule was made\. Hour limit: \w+/).waitFor();

  const [rule] = await stage.client.alertRules();
  await stage.client.removeAlertRule(rule?.id ?? '');
  await page.goto(`${stage.url}alerts`);
  const over = page.getByRole('region', { name: 'Ended' });
  await over.getByText('Hour limit').first().waitFor();
  t.match(await over.getByRole('row').nth(1).innerText(), windows, 'those that are over');
});
