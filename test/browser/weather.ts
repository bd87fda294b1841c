/** Wind and rain below the levels of a meter; what they are a reason to exclude is accepted with a click. */
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { addSeconds, HOUR_S, iso } from './support/levels.ts';
import { stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

stageTest(t, 'a windy hour is shown, proposed, and excluded once', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const end = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S;
  await addSeconds(stage, { from: end - 6 * HOUR_S, leq: 60 }, 6 * HOUR_S);
  const [from, to] = [iso(end - 6 * HOUR_S), iso(end)];
  const path = `m/roof/history?from=${from}&to=${to}`;

  const page = await stage.open(path);
  await page.locator('.u-over').waitFor();
  t.equal(await page.getByRole('heading', { name: 'Weather' }).count(), 0, 'without a station there is no word of it');

  await stage.client.call('/_stations/mast', {
    method: 'PUT',
    body: { title: 'Mast <b>', units: ['roof'], interval_s: 3_600 },
  });
  const observed = [2, 3, 8.5, 4, 3].map((wind_speed, hour) =>
    JSON.stringify({ time: iso(end - (5 - hour) * HOUR_S), wind_speed, rain: hour === 1 ? 0.4 : 0 }),
  );
  const file = new Blob([observed.join('\n')], { type: 'application/x-ndjson' });
  await stage.client.call('/_stations/mast/observations', { method: 'POST', file });
  await page.reload();
  const lane = page.getByRole('img', { name: /^Mast <b>: wind up to 8.5 m\/s, rain 0.4 mm; wind observed 83.3 %/ });
  await lane.waitFor();
  const [plot, drawn] = [await page.locator('.u-over').boundingBox(), await lane.boundingBox()];
  t.ok(Math.abs((plot?.x ?? 0) - (drawn?.x ?? 99)) < 2, 'its left edge is that of the levels');
  t.ok(Math.abs((plot?.width ?? 0) - (drawn?.width ?? 99)) < 2, 'and so is its width');
  const card = page.getByRole('region', { name: 'Weather' });
  t.match(await card.textContent(), /wind speed 8.5 m\/s \(above 5\) at mast/);
  t.match(await card.textContent(), /The wind was not observed for 60 min of this time/);
  await isFit(t, page);

  await card.getByRole('button', { name: 'Exclude one time because of wind' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Does not count: ' }).waitFor();
  await untilTrue(page, "!document.body.textContent.includes('because of wind')");
  t.match(await stage.client.notes('roof'), [{ kind: 'exclusion', reason: 'wind', from: iso(end - 4 * HOUR_S) }]);
  const box = card.getByLabel('Exclude such times without asking');
  t.equal(await box.isChecked(), false, 'nothing is excluded without asking at first');
  t.match(
    await card.textContent(),
    /Wind above 5 m\/s.*Rain above 0 mm.*Where no station observes anything, nothing is/s,
  );
  // It is ticked when the gateway has said so, not with the click.
  await box.click();
  await card.getByText('The rules of roof are changed.').waitFor();
  t.match(await stage.client.exclusionRules('roof'), { auto_exclude: true, rules: [{ quantity: 'wind_speed' }, {}] });
  await card.getByText(/The observations are judged until/).waitFor();
  t.equal(await box.isChecked(), true);
  await box.click();
  await untilTrue(page, "!document.body.textContent.includes('are judged until')");
  t.match(await stage.client.exclusionRules('roof'), {
    auto_exclude: false,
    rules: [{ quantity: 'wind_speed', above: 5 }, {}],
  });
  // That takes longer than a test may: the answer says it.
  await page.route('**/_stations', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: object[] };
    await route.fulfill({
      response: answer,
      json: { ...body, data: body.data.map((one) => ({ ...one, silent: true })) },
    });
  });
  await page.reload();
  await page
    .getByText(/^The station Mast <b> has sent nothing for .*: of wind and rain now nothing is known\.$/)
    .waitFor();
  await isFit(t, page);
  await fitsPhone(page);
});
