import type { Page } from 'playwright-core';

/**
 * Resolves when this expression is true in the page. The page is asked ten times a second: with a question for each frame it
 * would draw all the time. The policy of the dashboard forbids text that runs as code in the page. So `waitForFunction` fails
 * there when its first answer is false. The deadline is that of the test file.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.evaluate('new Promise((next) => setTimeout(next, 100))');
}
