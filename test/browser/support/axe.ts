import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

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
