import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** The rules whose answer depends on colours, and so on whether a page is light or dark. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds on this page, by all its rules or by some. All of its work is done in the page itself: a second page that
 * puts the findings of frames together takes three times as long, and no page here has frames.
 */
export async function violationsOf(page: Page, rules?: readonly string[]) {
  if (page.frames().length > 1) throw new Error('frames are not looked at');
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules([...rules]) : axe).analyze();
  return violations;
}
