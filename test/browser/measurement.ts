/** Start, Stop and Reset on the page of a meter: the page asks for the levels that they bring, without a further click. */
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

for (const history of ['off', 'stream'] as const)
  inBrowser(t, `after each click the page has the levels of now, history ${history}`, async (t) => {
    const stage = await openStage(t);
    await stage.addMeter('roof', { pollEnabled: false, history });
    const page = await stage.open('m/roof');
    const control = page.getByRole('region', { name: 'Measurement', exact: true });
    const leq = page.locator('.levels .level', { hasText: /dB LAeq/ }).first();
    for (const name of ['Start', 'Reset', 'Stop']) {
      const readings = () => stage.meter.log.commands.filter((text) => text === 'DOD?').length;
      const before = readings();
      await control.getByRole('button', { name, exact: true }).click();
      if (name !== 'Start') await control.getByRole('button', { name: `Yes, ${name.toLowerCase()}` }).click();
      await control.getByText(/The meter confirmed it at/).waitFor();
      while (readings() === before) await page.waitForTimeout(50);
      await leq.waitFor();
      const [unit] = await stage.client.units();
      t.equal(unit?.measurement_state, name === 'Stop' ? 'Stop' : 'Measure');
      if (name !== 'Stop')
        t.ok(
          Date.parse(unit?.measured_at ?? '') >= Date.parse(unit?.measurement_start_time ?? ''),
          `after ${name} the levels are those of the measurement that it began`,
        );
      t.equal(readings(), before + 1, `one reading after ${name}`);
    }
  });

inBrowser(t, 'a touch of Stop, Reset or a second Start sends nothing until it is confirmed', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { pollEnabled: false });
  const page = await stage.open('m/roof');
  const control = page.getByRole('region', { name: 'Measurement', exact: true });
  const button = (name: string) => control.getByRole('button', { name, exact: true });
  await button('Start').click();
  await control.getByText(/The meter confirmed it at/).waitFor();
  await page.getByText('Measuring', { exact: true }).first().waitFor();
  const changes = () => stage.meter.log.commands.filter((text) => /^(Measure|Reset)\b.*[^?]$/.test(text)).length;
  const before = changes();
  for (const [name, sure] of [
    ['Stop', 'Yes, stop'],
    ['Reset', 'Yes, reset'],
    ['Start', 'Yes, start again'],
  ] as const) {
    const place = await button(name).boundingBox();
    await button(name).dblclick();
    t.equal(await button(sure).count(), 0, 'two touches in one place leave it as it is');
    await button(name).click();
    await button(sure).waitFor();
    const cancel = await button('Cancel').boundingBox();
    t.equal(Math.round(cancel?.x ?? 0), Math.round(place?.x ?? 0), 'a second touch in this place cancels it');
    await button('Cancel').click();
  }
  t.equal(changes(), before);
  await button('Stop').click();
  await button('Yes, stop').click();
  await page.getByText('Stopped', { exact: true }).first().waitFor();
});
