import type { Page } from 'playwright-core';

/**
 * Resolves when this expression is true in the page, which is asked ten times a second: asked once a picture, the page would draw all the
 * time. The policy of the dashboard lets no text be run inside the page, so `waitForFunction` fails there whenever its first answer is false. The
 * deadline is that of the test file.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.evaluate('new Promise((next) => setTimeout(next, 100))');
}
