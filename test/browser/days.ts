/** The calendar of days in a real browser: coloured by limits, with what its total leaves out. */
import t from 'tap';
import { HOUR_S } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

const DAY_S = 24 * HOUR_S;

stageTest(
  t,
  'a day is coloured by its limits, and a loud one is marked although it is not complete',
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
    const { history } = stage.gateway;
    const today = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S;
    const levels = { steps: 10, leq: 50, lmax: 55, lmin: 45, lpeak: 70, lp: Array(10).fill(50) };
    const record = async (day: number, hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        const from = today - day * DAY_S + hour * HOUR_S;
        const seconds = Array.from({ length: HOUR_S }, (_, second) => ({ at: from + second, ...levels }));
        history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, seconds });
        await history.flush();
      }
    };
    await record(3, 24);
    await record(2, 9);
    await record(1, 12);
    const page = await stage.open('m/roof/days');
    await page.getByText('1 whole day').waitFor();
    await page.getByText('This meter has no permit').waitFor();
    t.equal(await page.locator('a.day.measured').count(), 1, 'without a limit no day is coloured');
    await page.getByText(/It leaves out .*, measured in part/).waitFor();
    await stage.client.addAlertRule({
      name: 'Day limit',
      kind: 'level',
      units: ['roof'],
      quantity: 'leq',
      window: '15m',
      limit_db: 70,
      severity: 'warning',
      targets: [],
      enabled: true,
    });
    const at = (second: number) => new Date((today - DAY_S + second) * 1_000).toISOString();
    const event = (second: number, worst: number) => ({
      rule_name: 'Day limit',
      unit_id: 'roof',
      kind: 'level',
      what: 'leq',
      limit: 70,
      worst,
      opened_at: at(second),
      closed_at: at(second + 60),
    });
    await stage.client.call('/_alerts/events/import', {
      method: 'POST',
      body: { events: [event(100, 78.94), event(900, 71)] },
    });
    await page.reload();
    await page.locator('a.day.exceeded', { hasText: '2 × above, 78.9 of 70.0 dB' }).waitFor();
    t.equal(await page.locator('a.day.exceeded').count(), 1);
    t.match(
      await page.locator('a.day.exceeded').textContent(),
      /partly/,
      'the loud day is marked although it is not complete',
    );
    t.equal(await page.locator('a.day.measured').count(), 1, 'without a permit a quiet day is not green');
    t.equal(await page.locator('a.day.partly').count(), 1);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
    const limits = [{ index: 'leq', window: '1h', from: '00:00', to: '24:00', days, limit_db: 60, amber_db: 58 }];
    await stage.client.call('/_permits/roof', { method: 'PUT', body: { units: ['roof'], limits } });
    await page.reload();
    await page.locator('a.day.within').waitFor();
    t.equal(await page.locator('a.day.within').count(), 1, 'by the permit');
    t.equal(await page.locator('a.day.exceeded').count(), 0, 'the permit has another limit than the rule');
    t.match(await page.locator('.legend').textContent(), /within the limits.*measured in part.*no data/);
    await stage.client.call('/_permits/roof', { method: 'DELETE' });
    await page.reload();

    const total = page.getByRole('region', { name: 'All whole days' });
    t.match(await total.textContent(), /dB Lden of 1 whole day\..*A limit was exceeded on one of them/);

    await page.getByLabel('Limit of the Lden, dB').fill('50');
    await total.getByText('above the limit of 50.0 dB').waitFor();
    t.equal(await page.locator('a.day.exceeded').count(), 2, 'the index may have a limit of its own');
    await page.reload();
    await total.getByText('above the limit of 50.0 dB').waitFor();
    await page.locator('a.day.exceeded').last().click();
    await page.getByRole('heading', { name: 'Limits that were exceeded' }).waitFor();
  },
);

stageTest(t, 'a day with single readings alone says so in its cell', async (t, stage) => {
  await stage.addMeter('yard', { name: 'Yard', timezone: 'UTC', history: 'poll', pollEnabled: false });
  const noon = (Math.floor(Date.now() / 1_000 / DAY_S) - 2) * DAY_S + DAY_S / 2;
  const seconds = [{ at: noon, steps: 0, leq: null, lmax: null, lmin: null, lpeak: null, lp: [47.3] }];
  const weighting = { frequency: 'A', time: 'F' } as const;
  stage.gateway.history.append({ unitId: 'yard', source: 'poll', weighting, seconds });
  await stage.gateway.history.flush();
  const page = await stage.open('m/yard/days', { viewport: { width: 390, height: 844 } });
  const day = page.locator('a.day.readings');
  await day.waitFor();
  t.equal(await day.count(), 1);
  t.match(await day.innerText(), /single readings only/);
  t.equal(await day.locator('.value').count(), 0, 'no dash in the place of a level: none was measured');
  t.match(await page.locator('.legend').textContent(), /single readings only/);
});
