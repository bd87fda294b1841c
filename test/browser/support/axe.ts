import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { untilTrue } from './until-true.ts';

/** The rules whose answer depends on colours, and so on whether a page is light or dark. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Violations that axe finds on this page, by all its rules or by some. axe is loaded once into a page. It describes only
 * violations: the description of the rest was a quarter of the work.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<AxeResults['violations']> {
  if (page.frames().length > 1) throw new Error('frames are not looked at');
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'] };
  if (rules) options.runOnly = { type: 'rule', values: [...rules] };
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`);
}

/** Everybody can use the page: axe finds nothing. */
export async function isFit(t: Test, page: Page, what = 'the page'): Promise<void> {
  const violations = await violationsOf(page);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  t.strictSame(found, [], `${what} is fit for everybody`);
}

/** The same, light and dark. */
export async function isFitInLightAndDark(t: Test, page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await isFit(t, page, colorScheme);
  }
}

/** From now on the page is as wide as a telephone, and nothing of it is wider. */
export async function fitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
}
