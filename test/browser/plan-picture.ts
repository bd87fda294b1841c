/** A picture of the site as the plan, in a real browser: sent, refused, meters put on it by mouse, by keys and by finger. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { JPEG, PNG } from '../support/pictures.ts';
import { isFit } from './support/axe.ts';
import { inBrowser, openStage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

const quiet = { host: '192.0.2.40', pollEnabled: false };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A picture of 400 x 200 pixels, drawn by the browser. */
async function drawn(page: Page, type: string): Promise<Buffer> {
  const address: string = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [400, 200];
    canvas.getContext('2d').fillRect(20, 20, 100, 60);
    return canvas.toDataURL('${type}');
  })()`);
  return Buffer.from(address.split(',')[1] ?? '', 'base64');
}
// biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
const answerOf = async (answer: Promise<Response>): Promise<any> => (await answer).json();
const middleOf = async (page: Page, selector: string, text: string) => {
  const box = await page.locator(selector, { hasText: text }).boundingBox();
  if (!box) throw new Error(`no ${text}`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
/** The point of the page that lies at these shares of the picture. */
const onPicture = async (page: Page, x: number, y: number) => {
  await page.locator('.placing img').scrollIntoViewIfNeeded();
  const box = await page.locator('.placing img').boundingBox();
  if (!box) throw new Error('no picture');
  return { x: box.x + x * box.width, y: box.y + y * box.height };
};

inBrowser(t, 'a picture of the site is the plan, and meters are dragged onto it', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  await stage.addMeter('gate', { ...quiet, name: 'Gate' });
  const marks = async () => (await answerOf(fetch(`${stage.gateway.baseUrl}/_plan`))).data.marks;
  const near = async (what: string, unitId: string, x: number, y: number) => {
    const mark = (await marks()).find(({ unit_id }: { unit_id: string }) => unit_id === unitId);
    t.ok(Math.abs(mark?.x - x) < 0.02 && Math.abs(mark?.y - y) < 0.02, `${what}: ${JSON.stringify(mark)}`);
  };
  const page = await stage.open('settings/sites');
  const field = page.getByLabel('Picture', { exact: true });

  await t.test('a file that is no picture is refused in words', async () => {
    const send = (name: string, mimeType: string, buffer: Buffer) => field.setInputFiles({ name, mimeType, buffer });
    await send('plan.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    await page.getByText('SVG and PDF are not taken').waitFor();
    await send('plan.jpg', 'image/jpeg', JPEG.subarray(0, JPEG.length - 2));
    await page.getByText('The picture is broken or not whole').waitFor();
    await send('large.png', 'image/png', Buffer.concat([PNG, Buffer.alloc(5_000_000)]));
    await page.getByText('the picture may have 5 MB').waitFor();
  });
  await field.setInputFiles({ name: 'plan.png', mimeType: 'image/png', buffer: await drawn(page, 'image/png') });
  await page.getByText('The plan is a picture of 400 x 200 pixels.').waitFor();
  await page.locator('section[aria-labelledby=plan-picture]').getByRole('link', { name: 'Plan' }).click();
  await page.getByRole('list', { name: 'Meters that are not on the plan' }).waitFor();
  await page.getByRole('button', { name: 'Move meters' }).click();
  await page.locator('.placing img').waitFor();

  await t.test('a meter is dragged with the mouse', async () => {
    const to = await onPicture(page, 0.25, 0.75);
    const from = await middleOf(page, '.waiting', 'Roof');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x + 9, to.y, { steps: 4 });
    await page.mouse.move(to.x, to.y);
    await page.mouse.up();
    await page.getByText(/^Roof is 2\d(\.\d)? % from the left/).waitFor();
    await near('dragged onto it', 'roof', 0.25, 0.75);
    const [start, end] = [await middleOf(page, '.pin', 'Roof'), await onPicture(page, 0.5, 0.5)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: 4 });
    await page.mouse.up();
    await page.getByText(/^Roof is (50|49(\.\d)?) % from the left/).waitFor();
    await near('dragged on it', 'roof', 0.5, 0.5);
  });

  await t.test('a meter is moved with the keyboard alone', async () => {
    await page.locator('.waiting', { hasText: 'Gate' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Gate is 50 % from the left and 50 % from the top.').waitFor();
    // The keyboard goes on with it, a picture later.
    await untilTrue(page, 'document.activeElement.textContent === "Gate"');
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowUp', 'Shift+ArrowUp'])
      await page.keyboard.press(key);
    await page.getByText('Gate is 44.5 % from the left and 40 % from the top.').waitFor();
    t.match(
      (await marks()).find(({ unit_id }: { unit_id: string }) => unit_id === 'gate'),
      { x: 0.445, y: 0.4 },
      'no press is lost while a place is saved',
    );
    for (let presses = 0; presses < 12; presses += 1) await page.keyboard.press('Shift+ArrowLeft');
    await page.getByText('Gate is 0 % from the left').waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('Gate is not on the plan any more.').waitFor();
    t.equal((await marks()).length, 1);
  });

  await t.test('a meter is dragged with a finger on a telephone', async () => {
    const phone = await stage.open('?view=plan', PHONE);
    await phone.getByRole('button', { name: 'Move meters' }).click();
    const touch = await phone.context().newCDPSession(phone);
    const to = await onPicture(phone, 0.8, 0.3);
    const from = await middleOf(phone, '.waiting', 'Gate');
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', [from]);
    await send('touchMove', [{ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }]);
    await send('touchMove', [to]);
    await send('touchEnd', []);
    await phone.getByText(/^Gate is (80|79(\.\d)?) % from the left/).waitFor();
    await near('dragged by finger', 'gate', 0.8, 0.3);
    await isFit(t, phone);
    await phone.getByRole('button', { name: 'Done' }).click();
    await phone.locator('.plan.picture image').waitFor();
    t.ok(
      await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'nothing is wider than the screen',
    );
  });

  await page.reload();
  await page.locator('a.plan-label', { hasText: 'Roof' }).waitFor();
  await isFit(t, page);
  await page.locator('a.plan-label', { hasText: 'Roof' }).click();
  t.equal(new URL(page.url()).pathname, '/m/roof');

  await page.goto(`${stage.url}?view=plan`);
  await page.getByRole('button', { name: 'Move meters' }).click();
  await page.getByRole('button', { name: 'Remove Gate from the plan' }).click();
  await page.getByText('Gate is not on the plan any more.').waitFor();
  await page.goto(`${stage.url}settings/sites`);
  await page.getByRole('button', { name: 'Remove the picture' }).click();
  await page.getByRole('button', { name: 'Yes, remove it with the places of the meters' }).click();
  await page.getByText('The picture of the plan is removed.').waitFor();
  await page.goto(`${stage.url}?view=list`);
  await page.getByRole('list', { name: 'Meters', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  t.equal(await page.getByRole('link', { name: 'Plan' }).count(), 0, 'no picture and no position, no plan');
});

inBrowser(t, 'a viewer sees the picture and moves nothing; positions stay a click away', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', latitude: 52.5, longitude: 13.4 });
  const page = await stage.open('settings/sites');
  await page.getByLabel('Picture', { exact: true }).setInputFiles({
    name: 'plan.jpg',
    mimeType: 'image/jpeg',
    buffer: await drawn(page, 'image/jpeg'),
  });
  await page.getByText('The plan is a picture of 400 x 200 pixels.').waitFor();
  const { baseUrl } = stage.gateway;
  const call = (path: string, method: string, body: object, key = '') =>
    fetch(`${baseUrl}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
    });
  await call('/roof/plan', 'PUT', { x: 0.5, y: 0.5 });
  const made = await answerOf(call('/_keys', 'POST', { name: 'boss', role: 'admin' }));
  const seen = await answerOf(call('/_keys', 'POST', { name: 'guest', role: 'viewer' }, made.key));
  t.match(seen, { key: String }, JSON.stringify(seen));

  const guest = await stage.open('?view=plan');
  await guest.getByLabel('API key').fill(seen.key);
  await guest.keyboard.press('Enter');
  await guest.locator('.plan.picture image').waitFor({ state: 'attached' });
  await guest.locator('a.plan-label', { hasText: 'Roof' }).waitFor();
  t.equal(await guest.getByRole('button', { name: 'Move meters' }).count(), 0);
  await guest.getByRole('link', { name: 'By position' }).click();
  await guest.locator('.plan .grid').waitFor({ state: 'attached' });
  await guest.getByRole('link', { name: 'Picture' }).click();
  await guest.locator('.plan.picture image').waitFor({ state: 'attached' });
});
