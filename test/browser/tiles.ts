/** The levels of a measurement on the page of a meter: percentiles stand with their percentage, not with their place on the display. */
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'each percentile says which it is', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof');
  stage.meter.set('Percentile 2', '20');
  await stage.client.control('roof', 'start');
  // Background readings ask for them and for the weightings one by one.
  const isKnown = async () => {
    const [unit] = await stage.client.units();
    return Object.keys(unit?.ln ?? {}).length === 5 && typeof unit?.time_weighting === 'string';
  };
  while (!(await isKnown())) await new Promise((resolve) => setTimeout(resolve, 200));
  const page = await stage.open('m/roof');
  for (const percent of [5, 20, 50, 90, 95]) {
    // Beside the stream they are read rarely, so that they may say that they are old.
    const tile = page.locator('.levels .level', { hasText: new RegExp(`^\\d+\\.\\d\\s*dB LAF${percent}( |$)`) });
    await tile.waitFor();
    t.ok(await tile.isVisible(), `L${percent}`);
  }
  t.equal(
    await page
      .locator('.levels')
      .getByText(/LN[1-5]/)
      .count(),
    0,
  );
});
