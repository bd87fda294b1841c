/** The calibrator is measured from the page, the check is logged, and a drift is said. */
import t from 'tap';
import type { schemas } from '../../client/index.ts';
import { isFit } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { stageTest } from './support/stage.ts';

stageTest(
  t,
  'a check with the calibrator is measured, logged and shown with the drift',
  { timezone: 'UTC' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
    const lastWeek = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const body = { time: lastWeek, nominal_db: 94, before_db: 94.1, after_db: 94, calibrator: 'NC-75' };
    await stage.client.call('/roof/calibrations', { method: 'POST', body });
    stage.meter.instrument.play({ steadyDb: 94.6 });

    const page = await stage.open('m/roof/days');
    const card = page.getByRole('region', { name: 'Calibration', exact: true });
    await card.getByText('94.10 dB at 94.00 dB, adjusted to 94.00 dB.').waitFor();
    await card.getByText('Log a check by hand').click();
    await card.getByRole('button', { name: 'Measure the calibrator for 20 s' }).click();
    await card.getByText('Measuring for 20 s').waitFor();
    await card.getByText('94.60 dB, steady. This time is excluded.').waitFor({ timeout: 45_000 });
    t.equal(await card.getByLabel('Meter showed, dB').inputValue(), '94.60');
    await card.getByLabel('After it was adjusted, dB').fill('94.0');
    await card.getByLabel('Calibrator', { exact: true }).fill('NC-75, 34512345');
    await card.getByRole('button', { name: 'Log this check' }).click();
    await card.getByText('The calibration 2 is logged.').waitFor();
    await card.getByText(/the levels are doubtful: the meter drifted by 0\.60 dB/).waitFor();
    t.equal(await card.getByRole('listitem').count(), 2);
    t.match((await stage.client.notes('roof'))[0], { kind: 'exclusion', reason: 'calibration' });
    await isFit(t, page);

    await page.setViewportSize({ width: 390, height: 844 });
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= 390'), 'it fits a phone');
  },
);

stageTest(
  t,
  'a calibration is two clicks, and a calibrator that nobody announced is one',
  { timezone: 'UTC' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
    const begin = Math.floor(Date.now() / 1_000) - 3_600;
    const seconds = Array.from({ length: 60 }, (_, second) => {
      const level = second >= 20 && second < 45 ? 113.8 : 50 + (second % 7);
      const lp = Array(10).fill(level);
      return { at: begin + second, steps: 10, leq: level, lmax: level, lmin: level, lpeak: 120, lp };
    });
    const weighting = { frequency: 'A', time: 'F' } as const;
    stage.gateway.history.append({ unitId: 'roof', source: 'stream', weighting, seconds });
    await stage.gateway.history.flush();
    const page = await stage.open('m/roof/days');
    const card = page.getByRole('region', { name: 'Calibration', exact: true });
    await card.getByText('This looks like a calibrator that nobody announced:').waitFor();
    await card.getByText(/113\.80 dB, -0\.20 dB from 114\.00 dB/).waitFor();
    await card.getByRole('button', { name: 'Log it and exclude its time' }).click();
    await card.getByText('The calibration 1 is logged.').waitFor();
    await card.getByText('113.80 dB at 114.00 dB, not adjusted.').waitFor();
    t.match(await stage.client.notes('roof'), [{ kind: 'exclusion', reason: 'calibration' }]);

    stage.meter.instrument.play({ steadyDb: 94.4 });
    await card.getByLabel('Calibrator gives, dB').first().fill('94');
    const hand = new Hand(page);
    await hand.button('Start calibration');
    await card.getByText(/this time is excluded, and rules are quiet/).waitFor();
    await card.getByText(/94\.40 dB, \+0\.40 dB from 94\.00 dB/).waitFor({ timeout: 45_000 });
    await isFit(t, page);
    await hand.button('End and log');
    await card.getByText('The calibration 2 is logged.').waitFor();
    hand.count(t, 'a calibration', 2);
    await card.getByText('94.40 dB at 94.00 dB, not adjusted.').waitFor();
    const [last] = await stage.client.all<schemas.Calibration>('/roof/calibrations');
    t.match(last, { before_db: 94.4, from: String, to: String });
  },
);
