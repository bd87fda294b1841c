/** The limits of the rules of observations are entered in a form; a refused value has its message at the field. */
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { HOUR_S, iso } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

stageTest(
  t,
  'a limit of the wind is changed with the mouse, and the proposals follow',
  { timezone: 'UTC' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
    const end = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S;
    await stage.client.call('/_stations/mast', { method: 'PUT', body: { units: ['roof'], interval_s: 3_600 } });
    const observed = [3, 5.5, 8, 4].map((wind_speed, hour) =>
      JSON.stringify({ time: iso(end - (3 - hour) * HOUR_S), wind_speed, rain: 0 }),
    );
    const file = new Blob([observed.join('\n')], { type: 'application/x-ndjson' });
    await stage.client.call('/_stations/mast/observations', { method: 'POST', file });

    const page = await stage.open(`m/roof/history?from=${iso(end - 4 * HOUR_S)}&to=${iso(end)}`);
    const card = page.getByRole('region', { name: 'Weather' });
    await card.getByText('(above 5) at mast').first().waitFor();
    t.match(await card.textContent(), /wind speed 8 m\/s \(above 5\)/);
    await card.getByRole('button', { name: 'Change the rules' }).click();
    const form = page.getByRole('form', { name: 'Change the rules of this meter' });
    const wind = form.getByRole('group', { name: 'Rule 1' });
    const limit = wind.getByLabel('Limit, m/s');
    t.equal(await limit.inputValue(), '5', 'the form begins with what is in force');
    await isFit(t, page);

    const save = form.getByRole('button', { name: 'Save these rules' });
    const refused = async (text: string) => {
      await save.click();
      await wind.getByRole('alert').filter({ hasText: text }).waitFor();
      t.match(await stage.client.exclusionRules('roof'), { usual: true }, 'nothing is kept');
    };
    await limit.fill('');
    await refused('needs one of above and below');
    await limit.fill('150');
    await refused('must be between 0 and 150 m/s');
    await limit.fill('6.5');
    await wind.getByLabel('Also after it, s').fill('7201');
    await refused('7200');
    await wind.getByLabel('Also after it, s').fill('600');
    await form.getByRole('button', { name: 'Remove rule 2' }).click();
    await form.getByRole('button', { name: 'Another rule' }).click();
    const cold = form.getByRole('group', { name: 'Rule 2' });
    await cold.getByLabel('What is observed').selectOption('temperature');
    await cold.getByLabel('Excluded where it is').selectOption('below');
    await cold.getByLabel('Limit, °C').fill('-10');
    await cold.getByLabel('Reason').selectOption('other');
    await fitsPhone(page);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await save.click();
    await card.getByText('The rules of roof are changed.').waitFor();
    const kept = await stage.client.exclusionRules('roof');
    t.strictSame([kept.usual, kept.auto_exclude], [false, false], 'the box beside the rules is as it was');
    t.match(kept.rules, [
      { quantity: 'wind_speed', above: 6.5, below: null, after_s: 600, reason: 'wind' },
      { quantity: 'temperature', above: null, below: -10, reason: 'other' },
    ]);
    t.equal(kept.rules.length, 2);
    await card.getByText('(above 6.5) at mast').waitFor();
    t.match(await card.textContent(), /Wind above 6\.5 m\/s.*10 min after.*Temperature below -10 °C/s);
    t.match(await card.textContent(), /Temperature was not observed/, 'a rule without data says so');
    t.notMatch(await card.textContent(), /5\.5 m\/s/, 'what the new limit lets pass is not proposed');

    await card.getByRole('button', { name: 'Change the rules' }).click();
    await form.getByLabel('Limit, m/s').fill('99');
    await form.getByRole('button', { name: 'Leave it as it is' }).click();
    t.match(await stage.client.exclusionRules('roof'), { rules: [{ above: 6.5 }, {}] }, 'left alone it stays');
  },
);
