/** Time is excluded only after it was chosen and a reason was given; the page says what is covered, and offers to undo it. */

import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { addMinutes, DAY_S, HOUR_S, iso } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

const today = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S;

/** Two whole days of 66 dB, and a day with 6 h of it; three exceeded limits in the two days. */
async function openLoudWeek(t: Parameters<typeof openStage>[0]) {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream', pollEnabled: false });
  await addMinutes(stage, { from: today - 2 * DAY_S, leq: 66 }, 48 * 60);
  await addMinutes(stage, { from: today - 4 * DAY_S, leq: 66 }, 6 * 60);
  const rule = { name: 'Site limit', kind: 'level', units: ['roof'], quantity: 'leq', window: '15m' } as const;
  await stage.client.addAlertRule({ ...rule, limit_db: 60 });
  const events = [10, 14, 36].map((hour) => ({
    rule_name: 'Site limit',
    unit_id: 'roof',
    kind: 'level',
    what: 'leq',
    limit: 60,
    worst: 66,
    opened_at: iso(today - 2 * DAY_S + hour * HOUR_S),
    closed_at: iso(today - 2 * DAY_S + hour * HOUR_S + 900),
  }));
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  return stage;
}

const formOf = (page: Page) => {
  const form = page.getByRole('form', { name: 'New note' });
  const exclude = form.getByRole('button', { name: 'Exclude this time' });
  return { form, exclude, undo: form.getByRole('button', { name: 'Undo' }) };
};

/** Tab, or back with Shift, until the keyboard is there. */
async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < 250; stops++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${target}`);
}

inBrowser(t, 'when a time is drawn in the chart, it is excluded with its reason and can be undone', async (t) => {
  const stage = await openLoudWeek(t);
  const page = await stage.open(`m/roof/history?from=${iso(today - 2 * DAY_S)}&to=${iso(today)}`);
  const { form, exclude, undo } = formOf(page);
  const plot = page.locator('.u-over');
  await plot.waitFor();
  t.equal(await exclude.isDisabled(), true, 'nothing is chosen: one click excludes nothing');
  t.notMatch(await exclude.getAttribute('class'), /main/, 'it is a secondary button');

  const hand = new Hand(page);
  await hand.drag(0.1, 0.4);
  await form.getByText(/^This covers 14 h, 2 exceeded limits\.$/).waitFor();
  await page.getByText(/^Chosen: /).waitFor();
  t.equal(new URL(page.url()).searchParams.get('from'), iso(today - 2 * DAY_S), 'what is shown stays');

  await exclude.click();
  await form.getByRole('alert').filter({ hasText: 'Choose a reason first.' }).waitFor();
  t.same(await stage.client.notes('roof'), [], 'without a reason nothing is excluded');
  await hand.choose(form.getByLabel('Reason'), 'own_noise');
  await hand.click(exclude);
  await form.getByText(/^Excluded: 14 h, 2 exceeded limits\./).waitFor();
  t.match(await stage.client.notes('roof'), [{ kind: 'exclusion', reason: 'own_noise' }]);
  await hand.click(undo);
  await form.getByText('Undone: this time counts again.').waitFor();
  hand.count(t, 'a time is excluded, and counts again', 4);
  t.same(await stage.client.notes('roof'), [], 'it counts again');
  await isFit(t, page);
  await fitsPhone(page);
  t.equal(await exclude.isDisabled(), true);
});

inBrowser(t, 'when ten seconds have passed, the list of notes still takes it back', async (t) => {
  const stage = await openLoudWeek(t);
  const page = await stage.open('about:blank');
  await page.clock.install();
  await page.goto(`${stage.url}m/roof/history?from=${iso(today - 2 * DAY_S)}&to=${iso(today)}`);
  const { form, exclude, undo } = formOf(page);
  // With the keyboard alone: two rows of the table, the reason, the button.
  await reach(page, page.getByText('The same as a table'));
  await page.keyboard.press('Enter');
  const rows = page.getByRole('checkbox', { name: /^Choose / });
  await reach(page, rows.first());
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  t.equal(await rows.nth(1).isChecked(), true, 'the row between them is chosen, too');
  const step = (Date.parse(iso(today)) - Date.parse(iso(today - 2 * DAY_S))) / (await rows.count());
  await reach(page, form.getByLabel('Reason'), 'Shift+Tab');
  await page.keyboard.type('Rain');
  await reach(page, exclude);
  await page.keyboard.press('Enter');
  await undo.and(page.locator(':focus')).waitFor();
  t.match(await stage.client.notes('roof'), [
    { reason: 'rain', from: iso(today - 2 * DAY_S), to: iso(today - 2 * DAY_S + (3 * step) / 1_000) },
  ]);
  await page.clock.fastForward(10_500);
  await undo.waitFor({ state: 'detached' });
  t.equal(await page.evaluate('document.activeElement.type'), 'datetime-local', 'the keyboard stays in the form');
  const line = page.getByRole('listitem').filter({ hasText: 'Does not count: ' });
  await line.getByRole('button', { name: /^Remove/ }).click();
  await line.getByRole('button', { name: /^Yes, remove/ }).click();
  await line.waitFor({ state: 'detached' });
  t.same(await stage.client.notes('roof'), []);
});

inBrowser(t, 'when whole days are excluded, no page shows them as quiet', async (t) => {
  const stage = await openLoudWeek(t);
  const page = await stage.open('m/roof/days');
  const { form, exclude } = formOf(page);
  const choices = page.getByRole('button', { name: /^Exclude time of / });
  await choices.last().waitFor();
  t.equal(await exclude.isDisabled(), true, 'today is not chosen before somebody chooses it');
  const looks = () => page.locator('a.day').evaluateAll((cells) => cells.map(({ className }) => className));
  t.strictSame(
    (await looks()).filter((look) => look !== 'day none'),
    ['day partly', 'day exceeded', 'day exceeded'],
  );

  // The first and the last of the two loud days.
  await choices.nth(1).click();
  await choices.nth(2).click();
  await form.getByText('This covers 2 d, 3 exceeded limits.').waitFor();
  await isFit(t, page);
  await form.getByLabel('Reason').selectOption('fault');
  await exclude.click();
  const excluded = page.locator('a.day.excluded');
  await excluded.nth(1).waitFor();
  t.equal(await excluded.count(), 2);
  // Lden of 66 dB all day: 66 + 6.4 dB.
  t.match(await excluded.first().innerText(), /72\.4\s+excluded by notes/, 'with the figure that would have counted');
  t.match(await excluded.first().innerText(), /2 × above, excluded/);
  t.match(
    await page.evaluate("getComputedStyle(document.querySelector('a.day.excluded')).backgroundImage"),
    'repeating-linear-gradient',
    'it is hatched',
  );
  await isFit(t, page);
  await fitsPhone(page);
  await page.setViewportSize({ width: 1_440, height: 900 });

  await page.goto(`${stage.url}overview`);
  await page.locator('a.day.excluded').nth(1).waitFor();
  t.match(await page.locator('a.day.excluded').first().innerText(), /66\.0[\s\S]*24 h/);
  t.equal(await page.locator('a.day.within').count(), 0);

  // A third of a day counts: not enough to call it quiet.
  const [note] = await stage.client.notes('roof');
  await stage.client.call(`/roof/notes/${note?.id}`, { method: 'PUT', body: { to: iso(today - 8 * HOUR_S) } });
  await page.goto(`${stage.url}m/roof/days`);
  await page.locator('a.day.partly').nth(1).waitFor();
  t.equal(await page.locator('a.day.within').count(), 0);
  t.match(await page.locator('a.day.partly').last().innerText(), /16 h excluded/);
});
