/** Limits in a real browser: a rule is tried and made, crossed, seen in the list of meters, and acknowledged. */
import t from 'tap';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('an exceeded limit is shown and can be acknowledged', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', tags: ['site-a'] });
  const page = await stage.open('alerts');
  await page.getByText('There are no rules yet.').waitFor();

  await page.getByLabel('Name of the target').fill('Site office');
  await page.getByLabel('Mail addresses, with commas between').fill('site@example.org');
  await page.getByRole('button', { name: 'Save this target' }).click();
  await page.getByText('The target Site office is created. No mail server is set').waitFor();
  t.ok(
    await page.getByText('The target Site office is created. No mail server is set').isVisible(),
    'a mail target says at once that there is no mail server',
  );
  await page.getByRole('button', { name: 'Send a test to Site office' }).click();
  await page.locator('.said.bad', { hasText: 'smtp_host' }).waitFor();
  t.ok(
    await page.locator('.said.bad', { hasText: 'smtp_host' }).isVisible(),
    'a target that cannot be reached is said with what is missing',
  );

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
  t.ok(
    await page.locator('.limit', { hasText: /of 70\.0 dB so far, exceeded/ }).isVisible(),
    'the list of meters shows it',
  );
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
  t.ok(
    await banner.getByText(/70\.0 dB allowed\./).isVisible(),
    'an exceeded limit is attention: in the list, the navigation, the tab, and on the page of the meter',
  );

  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByPlaceholder('What is done about it').fill('Rang the site.');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText(/Acknowledged by local user.*Rang the site\./).waitFor();
  t.ok(
    await page.getByText(/Acknowledged by local user.*Rang the site\./).isVisible(),
    'it is acknowledged with a note',
  );
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
  await page.getByRole('heading', { name: 'Limits that were exceeded' }).waitFor();
  t.match(page.url(), /\/m\/roof\/history\?from=/, 'what is over leads to its hour in the history');
});
