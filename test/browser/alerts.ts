/** Limits in a real browser: a rule is tried and made, crossed, seen in the list of meters, and acknowledged. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { isFit } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { record } from './support/levels.ts';
import { stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

stageTest(t, 'an exceeded limit is shown and can be acknowledged', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', tags: ['site-a'] });
  const page = await stage.open('alerts');
  await page.getByText('There are no rules yet.').waitFor();

  await page.getByLabel('Name of the target').fill('Site office');
  await page.getByLabel('Mail addresses, with commas between').fill('site@example.org');
  await page.getByRole('button', { name: 'Save this target' }).click();
  await page.getByText('The target Site office is created. No mail server is set').waitFor();
  await page.getByRole('button', { name: 'Send a test to Site office' }).click();
  await page.locator('.said.bad', { hasText: 'smtp_host' }).waitFor();

  await page.getByLabel(/^Over/).selectOption('15m');
  await page.getByLabel('Limit, dB').fill('70');
  await page.getByLabel(/^Counts/).selectOption('always');
  await page.getByRole('checkbox', { name: 'Site office' }).check();
  await page.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await page.getByText('This rule would have opened no event.').waitFor();
  await page.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText('Leq of 15 min above 70 dB, at Roof, warning, tells Site office').waitFor();
  await page.getByText('The rule Leq of 15 min above 70 dB is created.').waitFor();

  await page.getByLabel('Is about').selectOption('device');
  await page.getByLabel('The meter').selectOption('battery_below');
  await page.getByLabel(/^At/).selectOption('tag:site-a');
  await page.getByLabel(/^Counts/).selectOption('times');
  await page.getByRole('button', { name: 'Save this rule' }).click();
  t.match(
    await page.locator('.soft.small').filter({ hasText: 'has little battery' }).textContent(),
    /for 5 min, at all with the tag site-a, Mon Tue Wed Thu Fri 07:00/,
    'rules say in words what they watch, where and when',
  );

  const now = Math.floor(Date.now() / 1_000);
  const loud = { steps: 10, leq: 101.2, lmax: 104, lmin: 99, lpeak: 118, lp: Array(10).fill(101) };
  const weighting = { frequency: 'A', time: 'F' } as const;
  stage.gateway.history.append({ unitId: 'roof', source: 'stream', weighting, seconds: [{ at: now, ...loud }] });
  await page.getByRole('link', { name: 'Meters' }).click();
  await page.locator('.limit', { hasText: /of 70\.0 dB so far, exceeded/ }).waitFor();
  await page.getByText('1 meter, 1 needs attention').waitFor();
  await page.getByText(/Leq of 15 min above 70 dB: [0-9.]+ dB (so far|at worst), 70\.0 dB allowed\./).waitFor();
  await page.getByRole('link', { name: 'Alerts 1 to be looked at' }).waitFor();
  t.equal(await page.title(), '(1) Meters - Sound levels');
  t.equal(await page.locator('link[rel=icon]').getAttribute('href'), 'icon-alarm.svg');
  t.equal((await fetch(`${stage.url}icon-alarm.svg`)).status, 200);
  await page.getByRole('link', { name: /Roof/ }).click();
  const banner = page.getByRole('list', { name: 'What is wrong' });
  await banner.getByText(/70\.0 dB allowed\..*Since/).waitFor();
  t.equal(await page.title(), '(1) Roof - Sound levels');
  await page.reload();
  await banner.getByText(/70\.0 dB allowed\./).waitFor();

  const german = await stage.open('alerts', { locale: 'de-DE' });
  await german.getByText('Roof: Der Leq über 15 min liegt über 70 dB.').waitFor();
  await german.getByRole('link', { name: 'Leq über 15 min: über 70 dB' }).waitFor();
  await german.getByText('Leq über 15 min: über 70 dB, an Roof').waitFor();
  await german.context().close();

  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByPlaceholder('What is done about it').fill('Rang the site.');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText(/Acknowledged by local user.*Rang the site\./).waitFor();
  await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
  t.equal(await page.title(), 'Alerts - Sound levels');
  t.equal(await page.locator('link[rel=icon]').getAttribute('href'), 'icon.svg', 'then the count is gone');

  const rule = page.locator('section[aria-labelledby=rules] li', {
    has: page.getByText('Leq of 15 min above 70 dB', { exact: true }),
  });
  await rule.getByRole('button', { name: 'Remove' }).click();
  await rule.getByRole('button', { name: 'Keep' }).click();
  t.equal(await rule.count(), 1, 'a rule is removed after a second look');
  await rule.getByRole('button', { name: 'Remove' }).click();
  await rule.getByRole('button', { name: 'Yes, remove' }).click();
  const over = page.getByRole('row', {
    name: /Leq of 15 min above 70 dB at Roof, acknowledged by local user: Rang the site\..* dB$/,
  });
  await over.getByRole('link').click();
  await page.getByRole('heading', { name: 'Leq of 15 min above 70 dB at Roof' }).waitFor();
  await page.getByText(/Acknowledged by local user\. Rang the site\./).waitFor();
  await page.getByRole('link', { name: 'See it in the history' }).click();
  await page.getByRole('heading', { name: 'Limits that were exceeded' }).waitFor();
  t.match(page.url(), /\/m\/roof\/history\?from=/, 'what is over leads to its page, and from there to its hour');
});

stageTest(t, 'an event that has ended gets its cause in three clicks, on a page to pass on', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', pollEnabled: false });
  const from = await record(stage);
  const time = (second: number) => new Date((from + second) * 1_000).toISOString();
  const event = (second: number, more: object) => ({
    unit_id: 'roof',
    rule_name: 'Day limit',
    kind: 'level',
    what: 'leq',
    limit: 48,
    worst: 50,
    detail: 'Too loud.',
    opened_at: time(second),
    closed_at: time(second + 300),
    ...more,
  });
  const events = [event(900, {}), event(2_400, { rule_name: 'Before', cause: 'Crane' })];
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  const page = await stage.open('');
  const hand = new Hand(page);
  await hand.link(/^Alerts/);
  const row = page.getByRole('row', { name: /Day limit at Roof/ });
  await hand.click(row.getByRole('link'));
  const chart = page.getByRole('img', { name: 'Recorded levels' });
  await chart.waitFor();
  const answer = page.getByRole('region', { name: 'What was it?' });
  t.match(
    await answer.getByRole('button').allInnerTexts(),
    ['Crane', 'Construction'],
    'a cause that the site has had is offered first',
  );
  await hand.click(answer.getByRole('button', { name: 'Crane' }));
  await answer.getByText('The event is acknowledged. Its cause is Crane.').waitFor();
  hand.count(t, 'an event gets its cause', 3);
  await page.getByRole('region', { name: 'What was done' }).getByText('Acknowledged by local user.').waitFor();
  t.match(await stage.client.alerts({ unit: 'roof' }), [{}, { cause: 'Crane', ack: { by: 'anybody' } }]);

  await answer.getByLabel('Another cause').fill('Church bells');
  await page.keyboard.press('Enter');
  await answer.getByRole('button', { name: 'Church bells', pressed: true }).waitFor();
  await isFit(t, page);
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as PDF' }).click();
  const file = await saved;
  t.equal(file.suggestedFilename(), `report_${time(300).slice(0, 10)}_${time(1_800).slice(0, 10)}.pdf`);
  t.equal(
    readFileSync(await file.path())
      .subarray(0, 5)
      .toString(),
    '%PDF-',
  );
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.getByText('The link is copied.').waitFor();
  t.equal(await page.evaluate('navigator.clipboard.readText()'), `${stage.url}alerts/1`);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${stage.url}alerts/1`);
  await chart.waitFor();
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
  await page.goto(`${stage.url}alerts/99`);
  await page.getByText('There is no event 99.').waitFor();
});
