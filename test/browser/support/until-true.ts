import type { Page } from 'playwright-core';

/**
 * Resolves when this expression is true in the page, which is asked once a picture. The policy of the dashboard lets no text be run inside the
 * page, so `waitForFunction` fails there whenever its first answer is false. The deadline is that of the test file.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.evaluate('new Promise((next) => requestAnimationFrame(next))');
}
