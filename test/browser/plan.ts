/** The plan of the fleet page in a real browser: where it is offered, what it shows, and how meters that are close together are read. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { violationsOf } from './support/axe.ts';
import { HARD_NAME } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

/** A unit that is never asked. */
const quiet = { host: '192.0.2.40', pollEnabled: false };
const PLAN = '?view=plan';
const labelOf = (page: Page, name: string | RegExp) => page.locator('a.plan-label', { hasText: name });
const titleOf = (page: Page) => page.locator('.plan title').textContent();

inBrowser(t, 'the plan is offered where a meter has a position', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  await stage.addMeter('gate', { ...quiet, name: 'Gate' });
  const page = await stage.open(PLAN);
  await page.getByRole('list', { name: 'Meters' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Plan' }).count(), 0, 'no position, no plan');

  await t.test('a position is entered, changed and taken away', async (t) => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.locator('summary', { hasText: 'Roof' }).click();
    const field = page.getByLabel('Position: latitude, longitude');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const { configs } = stage.gateway.store;
    for (const half of ['55.5', '55,5', '55.5,']) {
      await field.fill(half);
      t.equal(await page.locator('.configs input:invalid').count(), 1, `${half} is half a position`);
    }
    await field.fill('55.5012 -3.4987');
    await save.click();
    await page.getByText('The config of roof is changed.').waitFor();
    t.equal(await page.locator('.configs input:invalid').count(), 0);
    t.match(configs.get('roof'), { latitude: 55.5012, longitude: -3.4987 });
    await field.fill('');
    await save.click();
    await save.and(page.locator(':enabled')).waitFor();
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Meters' }).click();
    await page.getByRole('link', { name: 'Plan' }).waitFor({ state: 'detached' });
    t.match(configs.get('roof'), { latitude: null, longitude: null });
  });

  await stage.client.configure('roof', { latitude: 55.5, longitude: 3.5 });
  await page.getByRole('link', { name: 'Plan' }).click();
  t.equal(new URL(page.url()).search, PLAN);
  await labelOf(page, 'Roof').waitFor();
  t.equal(await titleOf(page), 'Plan: north is up, a square is 50 m wide', 'one meter alone');
  const elsewhere = page.getByRole('list', { name: 'Meters without a position' });
  await page.getByRole('heading', { name: '1 meter has no position' }).waitFor();
  t.match(await elsewhere.textContent(), 'Gate');
  await page.goBack();
  await page.getByRole('list', { name: 'Meters', exact: true }).waitFor();
  t.equal(await page.locator('.plan').count(), 0, 'the button back goes back to the list');
  await page.goForward();
  await page.reload();
  await labelOf(page, 'Roof').focus();
  await page.keyboard.press('Enter');
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof', 'a label leads to its meter, by keyboard, too');
  await page.goBack();
  await page.locator('.plan a[aria-hidden] path').click();
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof', 'and so does its mark');
});

inBrowser(t, 'nothing on the plan looks fresher than it is', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', latitude: 55.5, longitude: 179.999 });
  await stage.addMeter('gate', { ...quiet, name: 'Gate', latitude: 55.5, longitude: -179.999, tags: ['site-b'] });
  const page = await stage.open(PLAN);
  const roof = labelOf(page, 'Roof');
  await roof.getByText(/\d+\.\d/).waitFor();
  t.match(await roof.locator('.level').textContent(), /^\d+\.\ddB L/, 'a level has its unit');
  t.match(await roof.textContent(), /(Measuring|Stopped) · \d s ago/);
  t.match(await labelOf(page, 'Gate').textContent(), /–dB .*Not tried yet · never/);
  t.equal(await titleOf(page), 'Plan: north is up, a square is 10 m wide', 'neighbours over the date line');

  await page.getByLabel('Tag').selectOption('site-b');
  await roof.waitFor({ state: 'detached' });
  await page.getByLabel('Tag').selectOption('');
  await page.getByLabel('Search').fill('roof');
  await labelOf(page, 'Gate').waitFor({ state: 'detached' });
  await page.getByLabel('Search').fill('');

  stage.meter.faults.on('wedge', {});
  await roof.getByText(/Unreachable|Needs a power cycle/).waitFor();
  await page.locator('.mark.away.old .around.needs').waitFor();
  await roof.locator('.level.old .value').waitFor();
  t.match(
    await page.evaluate(
      'getComputedStyle(document.querySelector("a.plan-label[href$=roof] .level.old .value")).textDecorationLine',
    ),
    'line-through',
    'a meter that is gone is said in words and by its mark, and its level is struck through',
  );
});

inBrowser(t, 'many meters stay readable', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: HARD_NAME, place: HARD_NAME, latitude: 55.5, longitude: 3.5 });
  for (let index = 0; index < 7; index++)
    await stage.addMeter(`pier-${index}`, { ...quiet, latitude: 55.51, longitude: 3.52 });
  for (let index = 0; index < 60; index++) {
    const place = { latitude: 55.48 + (index % 8) / 1_000, longitude: 3.49 + index / 10_000 };
    await stage.addMeter(`yard-${index}`, { ...quiet, ...place });
  }
  await stage.addMeter('van', { ...quiet, name: 'Van' });
  for (const width of [390, 1440]) {
    const page = await stage.open(PLAN, { viewport: { width, height: 900 } });
    await page.getByRole('heading', { name: '1 meter has no position' }).waitFor();
    await isReadable(t, page, `at ${width} px`);

    await page.getByRole('link', { name: /^7 meters/ }).press('Enter');
    await page.getByRole('heading', { name: '7 meters close together' }).waitFor();
    t.equal(await page.getByRole('list', { name: 'Meters close together' }).locator('li').count(), 7);
    // The keyboard follows a picture later.
    await untilTrue(page, 'document.activeElement?.textContent.startsWith("7 meters of this part")');
    await page.reload();
    await page.getByRole('heading', { name: '7 meters close together' }).waitFor();
    await isReadable(t, page, `of one spot at ${width} px`);
    await page.getByRole('link', { name: 'The whole plan' }).click();
    await page.getByRole('heading', { name: '1 meter has no position' }).waitFor();

    t.ok((await closer(page)) > 0, 'step by step each meter has a label of its own');
    await page.context().close();
  }
});

/** Opens the first group again and again until none is left but the spot that nothing parts; how often. */
async function closer(page: Page): Promise<number> {
  const groups = page.locator('a.plan-label', { hasText: /meters/, hasNotText: /^7 meters/ });
  for (let steps = 0; ; steps++) {
    if ((await groups.count()) === 0) return steps;
    const address = await groups.first().getAttribute('href');
    await groups.first().click();
    await page.locator(`a.plan-label[href="${address}"]`).waitFor({ state: 'detached' });
  }
}

async function isReadable(t: Test, page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await violationsOf(page);
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    t.strictSame(found, [], `the plan ${where}, ${colorScheme}`);
  }
  t.equal(await page.locator('.plan [style]').count(), 0, 'no inline styles');
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.ok(Number(wide) <= 0, `the plan ${where} is not wider than the screen`);
  const boxes = await page.locator('.plan-label').evaluateAll((labels) =>
    labels.map((label) => {
      const { left, top, right, bottom } = label.getBoundingClientRect();
      return { text: label.textContent, left, top, right, bottom };
    }),
  );
  const covered = boxes.filter((one) =>
    boxes.some(
      (other) =>
        one !== other &&
        one.left < other.right &&
        other.left < one.right &&
        one.top < other.bottom &&
        other.top < one.bottom,
    ),
  );
  t.ok(boxes.length > 0);
  t.strictSame(covered, [], `no label of the plan ${where} covers another`);
}
