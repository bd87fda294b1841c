/** The settings of a recorded meter on its page. Known values are there at once with their age. The others come one by one, in one break of the stream. */
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

const NOT_READ = 'not read yet';

inBrowser(t, 'known settings are shown at once with their age, the others as they are read', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { pollEnabled: false, history: 'stream' });
  await stage.client.setting('roof', 'lp-interval');
  await stage.client.set('roof', 'time-weighting', { weighting: 'S' });
  const { commands } = stage.meter.log;
  const page = await stage.open('m/roof');
  const panel = page.getByRole('region', { name: 'Settings of the meter' });
  const fieldOf = (name: string) => panel.locator('.field', { hasText: name });
  await fieldOf('Lp store interval')
    .getByText(/^\d+ s ago$/)
    .waitFor();
  t.equal(await panel.getByLabel('Lp store interval').inputValue(), '100ms');
  t.equal(await panel.getByLabel('Time weighting').inputValue(), 'S');
  t.equal(await fieldOf('Measurement time').getByText(NOT_READ).count(), 1);
  t.equal(await panel.getByLabel('Measurement time').inputValue(), '');
  t.notOk(commands.includes('Leq Calculation Interval Preset?'), 'the page has asked for nothing');

  await page.getByText('live, ten times a second').waitFor();
  const from = stage.meter.log.commands.length;
  await panel.getByRole('button', { name: 'Read from the meter' }).click();
  const seen = new Set<string>();
  while (![...seen].some((text) => /^Read at /.test(text))) {
    seen.add((await panel.getByRole('status').first().textContent()) ?? '');
    await page.waitForTimeout(50);
  }
  for (const count of [1, 3])
    t.ok(
      [...seen].some((text) => text.startsWith(`${count} of 6 were read`)),
      `${count} of them are shown before the others: ${[...seen].join(' | ')}`,
    );
  t.equal(await panel.getByText(NOT_READ).count(), 0);
  t.equal(await panel.getByLabel('Leq interval').inputValue(), '10m');
  t.match(await panel.getByLabel('Number of the series').inputValue(), /^\d{4}$/);
  const sent = stage.meter.log.commands.slice(from);
  const last = sent.findLastIndex((text) => text.endsWith('?') && !text.startsWith('DRD'));
  t.notOk(
    sent.slice(0, last).some((text) => text.startsWith('DRD')),
    `one break of the stream: ${sent.join(' ')}`,
  );
});

inBrowser(t, 'a meter that does not answer is named once, and what is known stays', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { pollEnabled: false });
  await stage.client.setting('roof', 'lp-interval');
  const page = await stage.open('m/roof');
  const panel = page.getByRole('region', { name: 'Settings of the meter' });
  await panel.getByText(/^\d+ s ago$/).waitFor();
  await stage.meter.stop();
  await panel.getByRole('button', { name: 'Read from the meter' }).click();
  await panel.locator('.said.bad').waitFor();
  t.equal(await panel.locator('.said.bad').count(), 1);
  t.equal(await panel.getByLabel('Lp store interval').inputValue(), '100ms');
});

inBrowser(t, 'while the meter measures, settings that it would refuse are grey, with the reason', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { pollEnabled: false });
  await stage.client.control('roof', 'start');
  const page = await stage.open('m/roof');
  const panel = page.getByRole('region', { name: 'Settings of the meter' });
  const reason = panel.getByText('The meter measures. The grey settings can be changed when it has stopped.');
  await reason.waitFor();
  const names = [
    ...['Frequency weighting', 'Time weighting', 'Measurement time', 'Leq interval', 'Lp store interval'],
    'Number of the series',
  ];
  for (const name of names) {
    t.ok(await panel.getByLabel(name).isDisabled(), name);
    t.equal(await panel.getByLabel(name).getAttribute('aria-describedby'), await reason.getAttribute('id'));
  }
  await t.rejects(stage.client.set('roof', 'time-weighting', { weighting: 'S' }), { code: 'DEVICE_WRONG_STATE' });
  await stage.client.control('roof', 'stop');
  await reason.waitFor({ state: 'detached' });
  for (const name of names) t.notOk(await panel.getByLabel(name).isDisabled(), name);
});
