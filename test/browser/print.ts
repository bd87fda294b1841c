/** Pages on paper, and the list of meters on a tablet. */
import t from 'tap';
import { violationsOf } from './support/axe.ts';
import { EVERY_ADDRESS } from './support/every-address.ts';
import { addSeconds, record } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

// The path of the folder in the card is in a nav, but is no control.
const CONTROLS = 'button, form, nav:not([aria-label=Folder]), select, textarea, input, .skip';

stageTest(t, 'on paper there are no controls, and all texts can be read', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', tags: ['site-a'] });
  await record(stage);
  await stage.client.addNote('roof', { kind: 'note', text: 'We cut the hedge' });
  // The screen may be dark, but paper is light.
  const page = await stage.open('m/roof/days', { colorScheme: 'dark' });
  await page.locator('a.day').first().waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const path of EVERY_ADDRESS) {
    await page.goto(`${stage.url}${path}`);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {});
    const controls = page.locator(CONTROLS).locator('visible=true');
    t.strictSame(
      await controls.evaluateAll((found) => found.map(({ outerHTML }) => outerHTML.slice(0, 120))),
      [],
      `/${path} has no controls`,
    );
    t.ok((await page.locator('main').innerText()).length > 10, `/${path} has its content`);
    if (path === 'm/roof/history') await page.getByText('We cut the hedge').first().waitFor();
    const violations = await violationsOf(page, ['color-contrast']);
    const found = violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${html} ${any[0]?.message}`));
    t.strictSame(found, [], `/${path} can be read on paper`);
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    t.ok(Number(wide) <= 0, `/${path} fits the paper`);
  }
});

stageTest(t, 'on a tablet the small lines stay, and share a scale on wish', async (t, stage) => {
  const now = Math.floor(Date.now() / 1_000);
  for (const [unitId, leq] of [
    ['quiet', 40],
    ['loud', 80],
  ] as const) {
    await stage.addMeter(unitId, { host: '192.0.2.40', pollEnabled: false });
    await addSeconds(stage, { unitId, from: now - 300, leq }, 300);
  }
  const page = await stage.open('?view=list', { viewport: { width: 820, height: 1_180 } });
  const heightOf = async (unitId: string): Promise<number> => {
    const row = page.getByRole('listitem').filter({ hasText: unitId });
    const path = (await row.locator('.spark path').last().getAttribute('d')) ?? '';
    return Number(/^M[\d.]+ ([\d.]+)/.exec(path)?.[1]);
  };
  await page.locator('.spark').nth(1).waitFor();
  t.ok(await page.locator('.spark').nth(1).isVisible());
  t.equal(await heightOf('quiet'), await heightOf('loud'), 'each line has its own scale');
  const same = page.getByRole('checkbox', { name: 'Same scale' });
  await same.check();
  await page
    .getByText(/on a scale of 40\.0 to 80\.0 dB/)
    .first()
    .waitFor({ state: 'attached' });
  t.ok((await heightOf('quiet')) - (await heightOf('loud')) > 20, 'the quiet one lies low, the loud one high');
  await page.reload();
  await page
    .getByText(/on a scale of/)
    .first()
    .waitFor({ state: 'attached' });
  t.ok(await same.isChecked(), 'the address keeps it');
  await same.uncheck();
  await page
    .getByText(/on a scale of/)
    .first()
    .waitFor({ state: 'detached' });
});
