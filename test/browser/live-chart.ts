/** The live chart in a real browser, pixel by pixel: each frame counts, and a gap is a gap. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { framesOfLastHour } from './support/frames.ts';
import { addSeconds } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

const ALARM = [0xa8, 0x20, 0x1a];
const ACCENT = [0x0b, 0x65, 0x66];

inBrowser(t, 'in a whole hour a single loud frame is seen, and half a minute without frames', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof');
  const page = await stage.browse('about:blank');
  // 36,000 frames are much for a page on a busy computer.
  page.setDefaultTimeout(150_000);
  const hole = { from: 1_200, to: 1_230 };
  await page.addInitScript(framesOfLastHour({ unitId: 'roof', hole, overRangeAt: [2_400.3, 2_700.4, 3_000.5] }));
  await page.goto(`${stage.url}m/roof`);
  await page.getByRole('button', { name: '1 h', exact: true }).click();
  await page.locator('html[data-frames=sent]').waitFor({ state: 'attached' });
  // The chart ends now, a little after the last frame.
  const lateBy = async () => Number(await page.evaluate('(Date.now() - window.framesBegin) / 1000')) - 3_600;
  // A busy page has taken all frames a while after they came.
  await until(async () => (await columnsOf(page, ALARM, await lateBy())).some((second) => second > 2_980));
  await page.getByRole('button', { name: 'Stand still' }).click();
  const late = await lateBy();
  const red = await columnsOf(page, ALARM, late);
  for (const at of [2_400, 2_700, 3_000])
    t.ok(
      red.some((second) => Math.abs(second - at) < 20),
      `over range for 100 ms at ${at} s is drawn: ${red.map(Math.round).join(' ')}`,
    );
  const line = await columnsOf(page, ACCENT, late);
  const within = line.filter((second) => second > hole.from + 8 && second < hole.to - 8);
  t.strictSame(within, [], 'nothing is drawn where no frames were');
  t.ok(
    line.some((second) => second > hole.to && second < hole.to + 20),
    'and it goes on after the gap',
  );
});

inBrowser(t, 'the chart begins with the last minutes, and knows them when one comes back', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof');
  const now = Math.floor(Date.now() / 1_000);
  await addSeconds(stage, { source: 'stream', from: now - 300, leq: 60 }, 300);
  const page = await stage.open('m/roof');
  await page.getByRole('button', { name: '5 min', exact: true }).click();
  const leftHalf = async () => (await columnsOf(page, ACCENT, 0)).filter((at) => at > 600 && at < 1_800).length;
  await until(async () => (await leftHalf()) > 200);
  t.ok((await leftHalf()) > 200, 'what was recorded is drawn at once');
  await page.getByText('live, ten times a second').waitFor();
  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await page.getByRole('link', { name: 'Live' }).click();
  await page.route(/\/history\?/, (route) => route.abort());
  await page.getByRole('button', { name: '5 min', exact: true }).click();
  await until(async () => (await leftHalf()) > 200);
  t.ok((await leftHalf()) > 200, 'and comes from memory when one comes back');
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('it does not become true');
}

/** The columns of pixels that have this colour, as seconds of the hour. */
async function columnsOf(page: Page, [red, green, blue]: readonly number[], late: number): Promise<readonly number[]> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('.chart canvas');
    const over = document.querySelector('.chart .u-over').getBoundingClientRect();
    const place = canvas.getBoundingClientRect();
    const ratio = canvas.width / place.width;
    const [left, top] = [(over.left - place.left) * ratio, (over.top - place.top) * ratio];
    const [width, height] = [Math.floor(over.width * ratio), Math.floor(over.height * ratio)];
    const { data } = canvas.getContext('2d').getImageData(left, top, width, height);
    const columns = new Set();
    for (let index = 0; index < data.length; index += 4) {
      const near = [${red}, ${green}, ${blue}].every((value, part) => Math.abs(data[index + part] - value) < 24);
      if (near && data[index + 3] > 200) columns.add((index / 4) % width);
    }
    return [...columns].sort((one, other) => one - other).map((column) => (column / width) * 3600 + ${late});
  })()`);
}
