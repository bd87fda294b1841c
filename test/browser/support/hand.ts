/** The hand of a person on a page of the dashboard. */
import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';

/** A page on which clicks are counted; a field that is filled in, and a drag, count as one. */
export class Hand {
  readonly page: Page;
  clicks = 0;
  readonly #begin = performance.now();

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async fill(what: Locator, text: string): Promise<void> {
    this.clicks += 1;
    await what.fill(text);
  }

  async choose(what: Locator, value: string): Promise<void> {
    this.clicks += 1;
    await what.selectOption(value);
  }

  link = (name: string | RegExp) => this.click(this.page.getByRole('link', { name }).first());
  button = (name: string | RegExp) => this.click(this.page.getByRole('button', { name }).first());

  /** Over the chart, by shares of its width. */
  async drag(from = 0.2, to = 0.5): Promise<void> {
    this.clicks += 1;
    const plot = this.page.locator('.u-over');
    await plot.waitFor();
    const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await this.page.mouse.move(x + width * from, y + 50);
    await this.page.mouse.down();
    await this.page.mouse.move(x + width * to, y + 60, { steps: 5 });
    await this.page.mouse.up();
  }

  /** How many clicks and seconds the task took so far, with no time to think. More clicks than `most` fail. */
  count(t: Test, task: string, most: number): void {
    const seconds = (performance.now() - this.#begin) / 1_000;
    t.ok(this.clicks <= most, `${task}: ${this.clicks} clicks, ${seconds.toFixed(1)} s`);
  }
}
