/** Start, Stop and Reset on the page of a meter: the page asks for the levels that they bring, without a further click. */
import t from 'tap';
import { Client } from '../../client/index.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

for (const history of ['off', 'stream'] as const)
  t.test(`after each click the page has the levels of now, history ${history}`, { skip: NO_BROWSER }, async (t) => {
    const stage = await openStage(t);
    await stage.addMeter('roof', { pollEnabled: false, history });
    const client = new Client({ baseUrl: stage.gateway.baseUrl });
    const page = await stage.open('m/roof');
    const control = page.getByRole('region', { name: 'Measurement', exact: true });
    const leq = page.locator('.levels .level', { hasText: /dB LAeq/ }).first();
    for (const name of ['Start', 'Reset', 'Stop']) {
      const readings = () => stage.meter.log.commands.filter((text) => text === 'DOD?').length;
      const before = readings();
      await control.getByRole('button', { name, exact: true }).click();
      await control.getByText(/The meter confirmed it at/).waitFor();
      while (readings() === before) await page.waitForTimeout(50);
      await leq.waitFor();
      const [unit] = await client.units();
      t.equal(unit?.measurement_state, name === 'Stop' ? 'Stop' : 'Measure');
      if (name !== 'Stop')
        t.ok(
          Date.parse(unit?.measured_at ?? '') >= Date.parse(unit?.measurement_start_time ?? ''),
          `after ${name} the levels are those of the measurement that it began`,
        );
      t.equal(readings(), before + 1, `one reading after ${name}`);
    }
  });
