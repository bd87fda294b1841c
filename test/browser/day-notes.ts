/** A day, or a span of it, is excluded in the calendar itself with the mouse; the figures of the page change at once. */
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { HOUR_S } from './support/levels.ts';
import { stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

const DAY_S = 24 * HOUR_S;

stageTest(t, 'time of a day is excluded, changed and ended on the page Days', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const { history } = stage.gateway;
  const today = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S;
  // Two days of 50 dB; in the second one a loud hour from 12:00.
  for (let hour = 0; hour < 48; hour++) {
    const from = today - 2 * DAY_S + hour * HOUR_S;
    const leq = hour === 36 ? 80 : 50;
    const own = { steps: 10, leq, lmax: leq + 5, lmin: leq - 5, lpeak: leq + 20, lp: Array(10).fill(leq) };
    const seconds = Array.from({ length: HOUR_S }, (_, second) => ({ at: from + second, ...own }));
    history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, seconds });
    await history.flush();
  }
  const opened = (today - DAY_S + 12 * HOUR_S) * 1_000;
  const event = {
    rule_name: 'Day limit',
    unit_id: 'roof',
    kind: 'level',
    what: 'leq',
    limit: 70,
    worst: 80,
    opened_at: new Date(opened).toISOString(),
    closed_at: new Date(opened + 900_000).toISOString(),
  };
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events: [event] } });
  const date = new Date((today - DAY_S) * 1_000).toISOString().slice(0, 10);
  const iso = (time: string) => new Date(`${date}T${time}Z`).toISOString();

  const page = await stage.open('m/roof/days');
  const days = page.locator('a.day:not(.none)');
  await days.nth(1).waitFor();
  t.match(await days.nth(1).getAttribute('class'), 'exceeded');
  // Lden: 10 lg((12 * 10^5 + 4 * 10^5.5 + 8 * 10^6) / 24). The loud hour is one of the twelve hours of the day. With half of
  // it excluded: half an hour of eleven and a half.
  t.equal(await days.nth(0).locator('.value').textContent(), '56.4');
  t.equal(await days.nth(1).locator('.value').textContent(), '66.6');
  await isFit(t, page);

  const span = `from=${new Date((today - 2 * DAY_S) * 1_000).toISOString()}&to=${new Date(today * 1_000).toISOString()}`;
  /** Cells of the second day in the page of a report. */
  const reported = async () => {
    await page.goto(`${stage.gateway.baseUrl}/_reports/preview?units=roof&${span}&format=html`);
    const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Levening' }) });
    return (await table.getByRole('row').nth(2).getByRole('cell').allTextContents()).slice(1, 5);
  };
  const judged = async () => {
    await page.goto(`${stage.url}m/roof/assessment?limits=lden:60`);
    const line = page.getByText(/^\d met, \d exceeded/);
    await line.waitFor();
    return line.textContent();
  };
  t.strictSame(await reported(), ['69.3', '50.0', '50.0', '66.6'], 'Lday, Levening, Lnight and Lden');
  t.match(await judged(), '1 met, 1 exceeded');
  await page.goto(`${stage.url}m/roof/days`);

  // The day is chosen with the mouse; the form has all of it, and the person makes it one hour.
  const form = page.getByRole('form', { name: 'New note' });
  const choice = page.getByRole('button', { name: /^Exclude time of / }).nth(1);
  const box = (await choice.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await untilTrue(page, `document.activeElement.value === '${date}T00:00'`);
  t.equal(await choice.getAttribute('aria-pressed'), 'true');
  const from = form.getByLabel('From', { exact: true });
  const to = form.getByLabel('to', { exact: true });
  await from.fill(`${date}T13:00`);
  await to.fill(`${date}T12:00`);
  await form.getByLabel('Reason').selectOption('own_noise');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  await form.getByRole('alert').filter({ hasText: 'must be later than from' }).waitFor();
  t.same(
    await stage.client.notes('roof'),
    [],
    'a span that ends before it begins is refused at its field, nothing is kept',
  );

  await from.fill(`${date}T12:00`);
  await to.fill(`${date}T13:00`);
  await form.getByLabel('Reason').selectOption('own_noise');
  await form.getByLabel('Text').fill('We cut the hedge');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  const line = page.getByRole('listitem').filter({ hasText: 'Does not count: ' });
  await line.waitFor();
  t.match(await line.textContent(), /Our own noise: We cut the hedge/);
  // The rest of the day was measured in part, and was quiet.
  await page.locator('a.day', { hasText: '60 min excluded' }).waitFor();
  const value = page.locator('a.day', { hasText: 'min excluded' }).locator('.value');
  t.equal(await value.textContent(), '56.4', 'the figure of the day follows without a reload');
  t.match(await value.locator('..').textContent(), /1 × above, excluded/, 'its event stays, and the day is not red');
  t.equal(await page.locator('a.day.exceeded').count(), 0);
  const indices = async () =>
    (await stage.client.indices('roof', { from: iso('00:00'), to: iso('23:59:59'), zone: 'UTC' })).total;
  t.equal((await indices()).excluded_s, HOUR_S);
  t.match(await stage.client.notes('roof'), [
    { from: iso('12:00'), to: iso('13:00'), reason: 'own_noise', kind: 'exclusion' },
  ]);
  await isFit(t, page);

  t.strictSame(await reported(), ['50.0', '50.0', '50.0', '56.4'], 'the report changes with it');
  t.match(await judged(), '2 met, 0 exceeded', 'and so does the assessment');
  await page.goto(`${stage.url}m/roof/days`);

  await line.getByRole('button', { name: /^Change/ }).click();
  const change = page.getByRole('form', { name: /^Change note/ });
  await change.getByLabel('From', { exact: true }).fill(`${date}T12:30`);
  await change.getByLabel('Reason').selectOption('rain');
  await change.getByRole('button', { name: 'Save this note' }).click();
  await page.locator('a.day', { hasText: '30 min excluded' }).waitFor();
  t.equal(await page.locator('a.day', { hasText: '30 min excluded' }).locator('.value').textContent(), '64.2');
  t.match(await stage.client.notes('roof'), [{ version: 2, from: iso('12:30'), to: iso('13:00'), reason: 'rain' }]);

  await page.getByRole('button', { name: /^Remove note/ }).click();
  await page.getByRole('button', { name: /^Yes, remove/ }).click();
  await line.waitFor({ state: 'detached' });
  await page.locator('a.day', { hasText: '66.6' }).waitFor();
  t.equal((await indices()).excluded_s, 0, 'it counts again');

  // The whole day: it does not read as a day without data.
  await from.fill(`${date}T00:00`);
  await to.fill(new Date(today * 1_000).toISOString().slice(0, 16));
  await form.getByLabel('Reason').selectOption('fault');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  const excluded = page.locator('a.day.excluded');
  await excluded.waitFor();
  t.match(await excluded.textContent(), /excluded by notes/);

  // From now on, until it is ended.
  await choice.click();
  t.equal(await form.getByLabel('From now, until I end it').count(), 0, 'a day that was chosen has its times');
  await choice.click();
  await form.getByLabel('From now, until I end it').check();
  await form.getByLabel('Reason').selectOption('calibration');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  const open = page.getByRole('listitem').filter({ hasText: 'and goes on.' });
  await open.getByRole('button', { name: 'End it now' }).waitFor();
  await fitsPhone(page);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await untilTrue(page, `${Date.now() + 1_100} < Date.now()`);
  await open.getByRole('button', { name: 'End it now' }).click();
  await open.waitFor({ state: 'detached' });
  const [last] = await stage.client.notes('roof', { reason: 'calibration' });
  t.type(last?.to, 'string', 'it has its end');
});

stageTest(t, 'a viewer cannot choose a time', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const page = await stage.open('m/roof/days');
  await page.getByRole('form', { name: 'New note' }).waitFor();
  t.equal(
    await page.getByRole('button', { name: /^Exclude time of / }).count(),
    0,
    'days without data are not offered',
  );
});
