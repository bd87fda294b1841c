/** A loud time is chosen with the mouse and excluded; the numbers follow, and it counts again when the note is removed. */
import t from 'tap';
import { fitsPhone } from './support/axe.ts';
import { HOUR_S } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'an hour is excluded with the mouse', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const { history } = stage.gateway;
  const end = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S;
  const level = (leq: number) => ({
    steps: 10,
    leq,
    lmax: leq + 5,
    lmin: leq - 5,
    lpeak: leq + 20,
    lp: Array(10).fill(leq),
  });
  for (let hour = 6; hour > 0; hour--) {
    const from = end - hour * HOUR_S;
    const own = level(hour === 3 || hour === 4 ? 90 : 50);
    const seconds = Array.from({ length: HOUR_S }, (_, second) => ({ at: from + second, ...own }));
    history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, seconds });
    await history.flush();
  }
  const iso = (second: number) => new Date(second * 1_000).toISOString();
  const span = { from: iso(end - 6 * HOUR_S), to: iso(end) };
  const leq = async () => (await stage.client.indices('roof', { ...span, zone: 'UTC' })).total;
  const loud = (await stage.client.history('roof', { ...span, step: '1h', quantities: 'leq' })).rows[2]?.[1];
  t.equal(loud, 90);

  const page = await stage.open(`m/roof/history?from=${span.from}&to=${span.to}`);
  const plot = page.locator('.u-over');
  await plot.waitFor();
  const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const x = (share: number) => box.x + box.width * share;
  // The two loud hours are the third and the fourth of six: from a little before to a little after.
  await page.mouse.move(x(0.32), box.y + 50);
  await page.mouse.down();
  await page.mouse.move(x(0.5), box.y + 60, { steps: 5 });
  await page.mouse.move(x(0.68), box.y + 60, { steps: 5 });
  await page.mouse.up();
  const form = page.getByRole('form', { name: 'New note' });
  await form.getByLabel('Reason').selectOption('own_noise');
  await form.getByLabel('Text').fill('We cut the hedge');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  const line = page.getByRole('listitem').filter({ hasText: 'Does not count: ' });
  await line.waitFor();
  t.match(await line.textContent(), /Our own noise: We cut the hedge/);

  await fitsPhone(page);
  await page.setViewportSize({ width: 1_440, height: 900 });
  const [note] = await stage.client.notes('roof');
  t.match(note, { kind: 'exclusion', reason: 'own_noise', by: 'anybody' });
  const found = await stage.client.history('roof', {
    ...span,
    step: '1h',
    quantities: 'leq,lmax',
    exclusions: 'apply',
  });
  t.strictSame(
    found.rows.map(([, own]) => own).filter((own) => own !== null),
    [50, 50, 50, 50],
    'what is left is quiet',
  );
  t.ok((await leq()).excluded_s >= 2 * HOUR_S);
  await page.goto(`${stage.url}m/roof/days`);
  await page.getByText(/are excluded by notes/).waitFor();

  await page.goto(`${stage.url}m/roof/history?from=${span.from}&to=${span.to}`);
  await line.getByRole('button', { name: /^Remove/ }).click();
  await line.getByRole('button', { name: /^Yes, remove/ }).click();
  await line.waitFor({ state: 'detached' });
  t.equal((await leq()).excluded_s, 0, 'it counts again');
});
