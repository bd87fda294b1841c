/** Two meters in one chart, and this week against the last one, in a real browser; the address shows the same again. */
import t from 'tap';
import { Hand } from './support/hand.ts';
import { inBrowser, openStage } from './support/stage.ts';

const DAY_S = 86_400;

inBrowser(t, 'meters are compared, zoomed by the wheel, and shared by the address', async (t) => {
  const stage = await openStage(t);
  const end = Math.floor(Date.now() / 60_000) * 60;
  for (const [unitId, name, leq] of [
    ['roof', 'Roof', 60],
    ['gate', 'Gate', 50],
  ] as const) {
    await stage.addMeter(unitId, { name, pollEnabled: false, timezone: 'UTC' });
    for (const week of [0, 7]) {
      const level = { duration: 60, leq: leq - week, lmax: leq, lmin: 40, lpeak: 80 };
      const from = end - week * DAY_S - DAY_S / 2;
      const intervals = Array.from({ length: 720 }, (_, index) => ({ at: from + index * 60, ...level }));
      const weighting = { frequency: 'A', time: 'F' } as const;
      stage.gateway.history.append({ unitId, source: 'card', weighting, intervals });
    }
  }
  const midnight = Math.floor(end / DAY_S) * DAY_S;
  for (const [unitId, daysAgo, hour, leq] of [
    ['roof', 4, 10, 60],
    ['roof', 4, 11, 70],
    ['gate', 3, 11, 64],
    ['gate', 3, 12, 50],
  ] as const) {
    const from = midnight - daysAgo * DAY_S + hour * 3_600;
    const level = { duration: 60, leq, lmax: leq, lmin: 40, lpeak: 80 };
    const intervals = Array.from({ length: 60 }, (_, index) => ({ at: from + index * 60, ...level }));
    stage.gateway.history.append({ unitId, source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  }
  await stage.gateway.history.flush();
  const page = await stage.open('m/roof/history', {
    hasTouch: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const links = page.getByRole('region', { name: 'Levels' }).locator('.row.end > .row').first();
  await links.getByRole('button', { name: 'Evidence' }).waitFor();
  const places = await links
    .locator('a, button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  const gaps = places.slice(1).map(([left = 0], index) => Math.round(left - (places[index]?.[1] ?? 0)));
  t.equal(gaps.length, 4);
  t.equal(new Set(gaps).size, 1, `the same gap between all of them: ${gaps}`);
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByRole('heading', { name: 'Compare', exact: true }).waitFor();
  const legend = page.locator('.u-legend');
  await legend.getByText('Roof, the week before').waitFor();
  await page.getByRole('checkbox', { name: 'Gate' }).check();
  await legend.getByText('Gate, the week before').waitFor();
  t.match(page.url(), /units=gate%2Croof/);
  const over = page.locator('.u-over');
  const box = await over.boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
  await legend.getByText('60.0 dB').waitFor();
  const values = await legend.innerText();
  t.match(values, /50\.0 dB[\s\S]*60\.0 dB[\s\S]*43\.0 dB[\s\S]*53\.0 dB/, 'one cursor reads all lines');
  const before = new URL(page.url()).searchParams;
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Shift');
  await page.waitForURL((url) => url.searchParams.get('from') !== before.get('from'));
  const after = new URL(page.url()).searchParams;
  const lengthOf = (search: URLSearchParams) =>
    Date.parse(search.get('to') ?? '') - Date.parse(search.get('from') ?? '');
  t.ok(lengthOf(after) < lengthOf(before), 'the wheel zooms, and the address says so');
  await page.getByRole('button', { name: 'Copy the address of this' }).click();
  await page.getByText('The address is copied.').waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  await page.goto(copied);
  await legend.getByText('Gate, the week before').waitFor();
  t.equal(lengthOf(new URL(page.url()).searchParams), lengthOf(after), 'the address shows exactly this');

  const tab = await page.context().newCDPSession(page);
  const shown = await over.boundingBox();
  if (!shown) throw new Error('no chart');
  const touch = (type: 'touchStart' | 'touchMove', ...shares: readonly number[]) => {
    const touchPoints = shares.map((share, id) => ({ id, x: shown.x + shown.width * share, y: shown.y + 100 }));
    return tab.send('Input.dispatchTouchEvent', { type, touchPoints });
  };
  await touch('touchStart', 0.4, 0.6);
  await touch('touchMove', 0.35, 0.65);
  await touch('touchMove', 0.3, 0.7);
  await tab.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForURL((url) => lengthOf(url.searchParams) < lengthOf(after));
  const share = lengthOf(new URL(page.url()).searchParams) / lengthOf(after);
  t.ok(Math.abs(share - 0.5) < 0.02, `two fingers that part to twice their distance show half of the time: ${share}`);

  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.has('last'));
  const { searchParams } = new URL(page.url());
  t.equal(searchParams.get('last'), String(7 * DAY_S * 1_000), 'a usual span');
  t.equal(searchParams.get('units'), 'gate,roof', 'of the same meters');

  const hand = new Hand(page);
  const days = page.getByRole('region', { name: 'Two days side by side' });
  const dayOf = (daysAgo: number) => new Date((midnight - daysAgo * DAY_S) * 1_000).toISOString().slice(0, 10);
  for (const [which, unit, daysAgo] of [
    ['First day', 'roof', 4],
    ['Second day', 'gate', 3],
  ] as const) {
    await hand.choose(days.getByRole('group', { name: which }).getByLabel('Meter'), unit);
    await hand.fill(days.getByRole('group', { name: which }).getByLabel('Day'), dayOf(daysAgo));
  }
  const rowOf = (name: string) => days.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
  // Just after midnight a row of 12:00 is there with the days before, too.
  await rowOf('11:00').getByText('64.0').waitFor();
  hand.count(t, 'two days are compared', 4);
  const shownAs = (name: string) => rowOf(name).getByRole('cell').allTextContents();
  t.strictSame(await shownAs('10:00'), ['60.0', '–', '–']);
  t.strictSame(await shownAs('11:00'), ['70.0', '64.0', '-6.0']);
  t.strictSame(await shownAs('All of the day'), ['67.4', '61.2', ''], 'averages of the energy, of hours that differ');
  t.strictSame(await shownAs('Hours of both days'), ['70.0', '64.0', '-6.0']);
  const { searchParams: kept } = new URL(page.url());
  t.strictSame(
    [kept.get('unit_a'), kept.get('day_b'), kept.get('units')],
    ['roof', dayOf(3), 'gate,roof'],
    'the address has the days, and what it had before',
  );
});
