/** Changes in a real browser: rules, targets, profiles and schedules. Fields that a form does not show do not change. */

import type { Locator } from 'playwright-core';
import t from 'tap';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a rule and whom it tells are changed in their places', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof' });
  await stage.addMeter('gate', { name: 'Gate' });
  await stage.client.addAlertTarget({ name: 'Night shift', kind: 'mail', to: ['night@example.org'] });
  await stage.client.addAlertRule({
    name: 'Site limit',
    kind: 'level',
    units: ['roof', 'gate'],
    quantity: 'l05',
    window: '15m',
    limit_db: 55,
    align: 'sliding',
    clear_db: 50,
    min_coverage: 0.8,
    severity: 'warning',
    targets: [],
    ack_within: '10m',
    escalate_to: ['1'],
    schedule: [
      { days: ['mon'], from: '07:00', to: '12:00' },
      { days: ['tue'], from: '07:00', to: '24:00' },
    ],
  });
  const page = await stage.open('alerts');
  const [before] = await stage.client.alertRules();

  await page.getByRole('button', { name: 'Change Site limit' }).click();
  const form = page.getByRole('form', { name: 'Change Site limit' });
  t.equal(await form.getByLabel('Name of the rule').inputValue(), 'Site limit');
  await form.getByRole('button', { name: 'Leave it as it is' }).click();
  const button = page.getByRole('button', { name: 'Change Site limit' });
  t.ok(
    await button.evaluate((element) => element === element.ownerDocument.activeElement),
    'the keyboard is back at it',
  );
  await button.click();
  await form.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText('The rule Site limit is changed.').waitFor();
  const same = ({ changed_at: _, ...rule }: Record<string, unknown>) => rule;
  const [unchanged] = await stage.client.alertRules();
  t.strictSame(
    same({ ...unchanged }),
    same({ ...before }),
    'what is not touched stays as it is, down to the end of a day',
  );

  await page.getByRole('button', { name: 'Change Site limit' }).click();
  await form.getByLabel('Limit, dB').fill('60.5');
  await form.getByLabel('Severity').selectOption('critical');
  await form.getByRole('checkbox', { name: 'Night shift' }).check();
  await form.getByRole('checkbox', { name: 'Switched on' }).uncheck();
  await form.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText(/the last 15 min above 60\.5 dB.*critical, tells Night shift.*switched off/).waitFor();
  t.match((await stage.client.alertRules())[0], {
    limit_db: 60.5,
    clear_db: 55.5,
    min_coverage: 0.8,
    enabled: false,
    targets: ['1'],
    units: ['roof', 'gate'],
    ack_within: '10m',
    escalate_to: ['1'],
  });

  await page.getByText('A new target').click();
  const target = page.getByRole('form', { name: 'A new target' });
  await target.getByLabel('By').selectOption('mqtt');
  await target.getByLabel('Name of the target').fill('Broker');
  await target.getByLabel('Address of the broker').fill('mqtts://192.0.2.7:8883');
  await target.getByRole('textbox', { name: 'Topic' }).fill('site/alerts');
  await target.getByLabel('User at the broker').fill('slm');
  await target.getByLabel('Password at the broker').fill(' secret ');
  const sending = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/targets'));
  await target.getByRole('button', { name: 'Save this target' }).click();
  t.equal((await sending).postDataJSON().secret, 'secret', 'pasted with spaces around it');
  await page.getByText('mqtt: mqtts://192.0.2.7:8883, topic site/alerts').waitFor();
  await page.getByRole('button', { name: 'Change Broker' }).click();
  const change = page.getByRole('form', { name: 'Change Broker' });
  t.equal(await change.getByLabel('Password at the broker').inputValue(), '', 'the password is not shown');
  await change.getByRole('textbox', { name: 'Topic' }).fill('site/alarms');
  await change.getByRole('checkbox', { name: 'Also send the end of an alert' }).uncheck();
  await change.getByRole('button', { name: 'Save this target' }).click();
  await page.getByText('mqtt: mqtts://192.0.2.7:8883, topic site/alarms').waitFor();
  t.match((await stage.client.alertTargets())[1], { username: 'slm', secret_set: true, resolved: false });

  await page.getByRole('button', { name: 'Change Broker' }).click();
  await change.getByLabel('Address of the broker').fill('mqtts://192.0.2.8:8883');
  await change.getByRole('button', { name: 'Save this target' }).click();
  await change.getByRole('alert').filter({ hasText: 'is needed again' }).waitFor();
  t.equal(
    await change.getByLabel('Address of the broker').inputValue(),
    'mqtts://192.0.2.8:8883',
    'what the gateway refuses is said, and the form stays as it was filled',
  );

  // The rule above had them record everything.
  for (const unitId of ['roof', 'gate']) await stage.client.configure(unitId, { history: 'poll' });
  await page.getByText('A new rule').click();
  const fresh = page.getByRole('form', { name: 'A new rule' });
  const tooLittle = fresh.getByText(/Too little is recorded at/);
  await fresh.getByPlaceholder('Leq of 15 min above 55 dB').waitFor();
  await tooLittle.waitFor();
  t.match(await tooLittle.textContent(), 'at Gate for this rule', 'readings give a mean late: it is said');
  await fresh.getByLabel(/^Level/).selectOption('lmax');
  await fresh.getByText('Too little is recorded at Gate for this rule.').waitFor();
  await fresh.getByLabel(/^At/).selectOption('several');
  await fresh.getByRole('group', { name: 'These meters' }).getByRole('checkbox', { name: 'Roof' }).check();
  await fresh.getByText('Too little is recorded at Gate, Roof for this rule.').waitFor();
  t.notOk(
    (await stage.client.alertRules()).some(({ quantity }) => quantity === 'lmax'),
    'a meter that keeps too little for a limit is named before the rule is made',
  );
  await fresh.getByRole('checkbox', { name: 'Record everything there' }).uncheck();
  await fresh.getByText('It would stay silent there.').waitFor();
  await fresh.getByRole('checkbox', { name: 'Record everything there' }).check();
  await fresh.getByText('When the rule is made, everything is recorded there').waitFor();
  await fresh.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText(/Lmax of 15 min above 55 dB, at Gate, Roof/).waitFor();
  await page.getByText(/^The rule Lmax .* is created\./).waitFor();
  t.match(stage.gateway.store.configs.get('roof'), { history: 'stream' });
  t.strictSame((await stage.client.alertRules()).at(-1)?.units, ['gate', 'roof'], 'a rule can be about several meters');
});

const MADE_UP = new URL('../arch/made-up/alert-kinds.ts', import.meta.url).pathname;

stageTest(
  t,
  'the forms are made from what the API says: kinds that a plugin brings have theirs',
  {
    plugins: ['about', 'status', 'live', 'config', 'history', 'dashboard', MADE_UP],
  },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', history: 'stream' });
    const page = await stage.open('alerts');
    const target = page.getByRole('form', { name: 'A new target' });
    await target.getByLabel('By').selectOption('a printer');
    await target.getByLabel('Name of the target').fill('Printer');
    await target.getByLabel('Tray').fill('upper');
    await target.getByRole('button', { name: 'Save this target' }).click();
    await page.getByText('The target Printer is created.').waitFor();
    const form = page.getByRole('form', { name: 'A new rule' });
    await form.getByLabel('Is about').selectOption('silence');
    await form.getByLabel('Floor, dB').fill('35');
    t.equal(await form.getByLabel('Panes, panes').count(), 0);
    await form.getByLabel('Where').selectOption('in a room');
    await form.getByLabel('Panes, panes').fill('2');
    await form.getByPlaceholder('quieter than 35 dB inside').waitFor();
    await form.getByRole('button', { name: 'Save this rule' }).click();
    await page.getByText('quieter than 35 dB inside, at Roof, warning').waitFor();
    t.match((await stage.client.alertRules())[0], { kind: 'quiet', floor_db: 35, place: 'inside', glass: 2 });

    await form.getByLabel('Is about').selectOption('a level');
    await form.getByLabel(/^Over/).selectOption('night');
    t.equal(await form.getByLabel('Windows').count(), 0, 'a period of the day has its place on the clock');
    await form.getByLabel(/^Over/).selectOption('15m');
    await form.getByLabel('Windows').selectOption('always the last');
    await form.locator('summary', { hasText: 'More' }).click();
    const goesOn = form.getByRole('checkbox', { name: 'One event goes on over the end of a window' });
    t.ok(
      await goesOn.isChecked(),
      'an exceedance that goes on is one alert, unless somebody wants one for each window',
    );
    await form.getByLabel('Share of the window that needs data').fill('0.8');
    await form.getByRole('button', { name: 'Save this rule' }).click();
    await page.getByText(/^Leq of the last 15 min above 55 dB, at Roof/).waitFor();
    t.match((await stage.client.alertRules())[1], {
      align: 'sliding',
      min_coverage: 0.8,
      clear_db: 53,
      continue: true,
    });
  },
);

stageTest(t, 'a profile and an entry of a schedule are changed in their places', async (t, stage) => {
  await stage.addMeter('roof');
  await stage.client.saveProfile('night', {
    description: 'Nights',
    settings: { lp_interval: '1s', frequency_weighting_sub1: 'Z' },
  });
  await stage.client.setSchedule('roof', {
    entries: [
      { cron: '30 6 * * 1-5', action: 'start_cycle', profile: 'night' },
      { cron: '*/10 8-18 * * *', action: 'mirror' },
    ],
  });
  const page = await stage.open('settings');
  await page.locator('summary', { hasText: 'Nights' }).click();
  await page.getByRole('button', { name: 'Change night' }).click();
  const form = page.getByRole('form', { name: 'Change night' });
  await form.getByLabel('What it is for').fill('Quiet nights');
  await form.getByLabel('Lp store interval').selectOption('as it is');
  await form.getByLabel('Frequency weighting').selectOption('C');
  await form.getByRole('button', { name: 'Save this profile' }).click();
  await page.getByText('The profile night is changed.').waitFor();
  t.match((await stage.client.profiles())[0], {
    description: 'Quiet nights',
    settings: { frequency_weighting: 'C', frequency_weighting_sub1: 'Z' },
  });
  t.notOk('lp_interval' in ((await stage.client.profiles())[0]?.settings ?? {}));

  await page.goto(`${stage.url}m/roof/campaign`);
  await page.getByRole('button', { name: 'Change 06:30 Mon Tue Wed Thu Fri' }).click();
  const entry = page.getByRole('form', { name: /Change 06:30/ });
  await entry.getByLabel('At', { exact: true }).fill('07:15');
  await entry.getByRole('checkbox', { name: 'Fri' }).uncheck();
  await entry.getByRole('button', { name: 'Save this entry' }).click();
  await page.locator('strong', { hasText: '07:15 Mon Tue Wed Thu' }).waitFor();
  await page.getByRole('button', { name: 'Change */10 8-18' }).click();
  const often = page.getByRole('form', { name: /Change \*\/10/ });
  await often.getByLabel('Minute, hour, day, month, weekday').fill('*/20 8-18 * * *');
  await often.getByRole('button', { name: 'Save this entry' }).click();
  await page.locator('strong', { hasText: '*/20 8-18 * * *' }).waitFor();
  t.strictSame((await stage.client.schedule('roof')).entries, [
    { cron: '15 7 * * 1,2,3,4', action: 'start_cycle', profile: 'night', store: null },
    { cron: '*/20 8-18 * * *', action: 'mirror', profile: null, store: null },
  ]);
});

stageTest(
  t,
  'the form of a schedule says what the card is to store, and asks again where that is nothing',
  async (t, stage) => {
    await stage.addMeter('roof');
    for (const [name, store_mode] of [
      ['files', 'Auto'],
      ['bare', 'Manual'],
    ] as const)
      await stage.client.saveProfile(name, { description: '', settings: { store_mode } });
    const page = await stage.open('m/roof/campaign');
    const fill = async (form: Locator, profile: string) => {
      await form.getByLabel('Do this').selectOption('start_cycle');
      await form.getByLabel('With the profile').selectOption(profile);
    };
    const make = page.getByRole('form', { name: 'A new entry' });
    await fill(make, '');
    await make.getByText('The store mode that the meter has then decides').waitFor();
    await fill(make, 'bare');
    await make.getByText('The profile bare sets the store mode Manual: the measurement leaves no files.').waitFor();
    await make.getByRole('button', { name: 'Save this entry' }).click();
    const unsure = make.getByRole('checkbox', { name: 'It is to measure without files' });
    t.ok(
      await unsure.evaluate((box) => box.matches(':invalid:focus')),
      'a new entry is refused, and the question shown',
    );
    t.strictSame((await stage.client.schedule('roof')).entries, []);
    await fill(make, 'files');
    await make.getByText('The meter stores on its card, as the profile files says.').waitFor();
    await make.getByRole('button', { name: 'Save this entry' }).click();
    await page.locator('strong', { hasText: '06:00' }).waitFor();

    await page.getByRole('button', { name: /^Change 06:00/ }).click();
    const edit = page.getByRole('form', { name: /Change 06:00/ });
    await fill(edit, 'bare');
    await edit.getByRole('button', { name: 'Save this entry' }).click();
    const again = edit.getByRole('checkbox', { name: 'It is to measure without files' });
    t.ok(await again.evaluate((box) => box.matches(':invalid:focus')), 'so is a change');
    t.match((await stage.client.schedule('roof')).entries, [{ profile: 'files' }]);
    await again.check();
    await edit.getByRole('button', { name: 'Save this entry' }).click();
    await page.getByText('06:00 every day start a measurement (bare)').waitFor();
    t.match((await stage.client.schedule('roof')).entries, [{ profile: 'bare', store: null }], 'who wants it gets it');

    await page.getByRole('button', { name: /^Change 06:00/ }).click();
    await edit.getByLabel('Keep on the card').selectOption('auto');
    await edit.getByText('The meter stores on its card.').waitFor();
    t.equal(await again.count(), 0, 'what the entry says of the card goes before the profile');
    await edit.getByRole('button', { name: 'Save this entry' }).click();
    await page.getByText('06:00 every day start a measurement (bare), levels on the card').waitFor();
    t.match((await stage.client.schedule('roof')).entries, [{ profile: 'bare', store: 'auto' }]);
  },
);
