/** The form of permits: added, refused at a field, changed by keyboard, made into rules, and removed. */
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a permit is added, changed and removed in the settings', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', tags: ['depot'], pollEnabled: false });
  const page = await stage.open('m/roof/days');
  const hand = new Hand(page);
  await hand.link('permit');
  const permits = page.getByRole('region', { name: 'Permits' });
  const form = permits.getByRole('form', { name: 'A new permit' });
  await hand.fill(form.getByLabel('Id of the permit'), 'depot');
  t.ok(await form.getByRole('checkbox', { name: 'Roof' }).isChecked(), 'the meter of the page is chosen');
  await hand.fill(form.getByLabel('Title'), 'Depot');
  await hand.fill(form.getByLabel('Limit 1: limit, dB'), '60');
  await hand.fill(form.getByLabel('Limit 1: warning from, dB'), '65');
  await hand.button('Save this permit');
  hand.count(t, 'a permit is written', 6);
  await form.getByRole('alert').filter({ hasText: 'must be below the limit' }).waitFor();
  t.strictSame(await stage.client.permits(), [], 'nothing is half kept');
  await form.getByLabel('Limit 1: warning from, dB').fill('55');
  await form.getByRole('button', { name: 'Another limit' }).click();
  await form.getByLabel('Limit 2: Level').selectOption('LAFmax');
  await form.getByLabel('Limit 2: limit, dB').fill('85');
  await form.getByLabel('Limit 2: warning from, dB').fill('');
  await isFit(t, page);
  await fitsPhone(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByLabel('Limit 2: limit, dB').press('Enter');
  await permits.getByText('Roof · 2 limits').waitFor();
  const times = { from: '07:00', to: '20:00', window: '15m' };
  t.match(await stage.client.permits(), [
    {
      name: 'depot',
      units: ['roof'],
      limits: [
        { ...times, index: 'leq', limit_db: 60, amber_db: 55 },
        { ...times, index: 'lmax', limit_db: 85 },
      ],
    },
  ]);
  await permits.getByRole('button', { name: 'Make the rules Depot' }).click();
  await permits.getByText('2 rules are created.').waitFor();
  t.strictSame((await stage.client.alertRules()).map(({ limit_db }) => limit_db).sort(), [60, 85]);

  await permits.getByRole('button', { name: 'Change Depot' }).press('Enter');
  const change = permits.getByRole('form', { name: 'Change Depot' });
  await change.getByRole('combobox', { name: 'Meters' }).selectOption('all with the tag depot');
  await change.getByLabel('Its limits').selectOption({ value: 'de-ta-laerm' });
  await change.getByLabel('Area').selectOption('MI');
  await change.getByLabel('Tones, by ear, dB').fill('day:3');
  await change.getByRole('button', { name: 'Save this permit' }).press('Enter');
  await permits.getByText('all with the tag depot · de-ta-laerm, MI').waitFor();
  const [changed] = await stage.client.permits();
  t.match(changed, { tag: 'depot', preset: 'de-ta-laerm', area: 'MI', additions: { tonal: { day: 3 } } });
  t.notOk(changed?.limits);
  await page.goto(`${stage.url}overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.equal(await page.getByText('without a permit').count(), 0);
  await page.goto(`${stage.url}settings/sites#permits`);
  await permits.getByRole('button', { name: 'Remove Depot' }).click();
  await permits.getByRole('button', { name: 'Yes, remove Depot' }).click();
  await permits.getByText('There are none yet').waitFor();
});

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

stageTest(
  t,
  'Overview, Days, Assessment and the wall show one verdict of a day',
  { timezone: 'UTC' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream', pollEnabled: false });
    const today = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S;
    const dateOf = (ago: number) => new Date((today - ago * DAY_S) * 1_000).toISOString().slice(0, 10);
    const loud = (hour: number) => (hour === 10 ? 66 : 50);
    /** By the days before today: the look of the day, and its hours with levels. */
    const kinds = [
      { look: 'open', hours: 0, level: () => 50 },
      { look: 'within', hours: 24, level: () => 50 },
      { look: 'exceeded', hours: 24, level: loud },
      { look: 'excluded', hours: 24, level: loud },
      { look: 'partly', hours: 12, level: () => 50 },
      // A holiday with a lower limit.
      { look: 'exceeded', hours: 24, level: () => 51 },
    ];
    for (const [ago, { hours, level }] of kinds.entries()) {
      const intervals = Array.from({ length: hours * 4 }, (_, quarter) => {
        const leq = level(Math.floor(quarter / 4));
        const at = today - ago * DAY_S + quarter * 900;
        return { at, duration: 900, leq, lmax: leq + 5, lmin: leq - 5, lpeak: null };
      });
      const weighting = { frequency: 'A', time: 'F' } as const;
      if (hours > 0) stage.gateway.history.append({ unitId: 'roof', source: 'card', weighting, intervals });
    }
    await stage.gateway.history.flush();
    const [from, to] = [3, 2].map((ago) => `${dateOf(ago)}T00:00:00Z`);
    await stage.client.addNote('roof', {
      kind: 'exclusion',
      reason: 'other',
      text: 'Fair',
      from: from ?? '',
      to: to ?? '',
    });
    await stage.client.saveCalendar('own', [{ date: dateOf(5), name: 'Fair' }]);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    const limit = { index: 'leq', window: '1h', from: '00:00', to: '24:00', days, limit_db: 60 } as const;
    const limits = [limit, { ...limit, days: ['holiday'] as const, limit_db: 45 }];
    await stage.client.savePermit('works', { title: 'Works', units: ['roof'], calendar: 'own', limits });
    const looks = kinds.map(({ look }) => look);

    const page = await stage.open('overview');
    await page.locator('.week a.day.open').waitFor();
    const lookOf = (cells: readonly { className: string }[]) =>
      cells.map(({ className }) => /\b(open|within|exceeded|excluded|partly)\b/.exec(className)?.[0] ?? '');
    const week = await page.locator('.week a.day').evaluateAll(lookOf);
    t.strictSame(week.toReversed().slice(0, looks.length), looks, 'Overview');

    await page.goto(`${stage.url}m/roof/days`);
    await page.locator('.calendar .day.open').first().waitFor();
    const calendar = await page.locator('.calendar .day').evaluateAll(lookOf);
    // The coming days of the week are open, too.
    const present = calendar.indexOf('open');
    t.strictSame(
      calendar
        .slice(0, present + 1)
        .toReversed()
        .slice(0, looks.length),
      looks,
      'Days',
    );

    await page.goto(`${stage.url}m/roof/assessment`);
    await page.locator('summary .day.key.open').waitFor();
    const assessed = await page.locator('summary .day.key').evaluateAll(lookOf);
    t.strictSame(assessed.slice(0, looks.length), looks, 'Assessment');

    await page.goto(`${stage.url}wall`);
    await page.locator('.tile .day.key.open').waitFor();
    const judged = await stage.client.verdicts('roof', { from: dateOf(5), to: dateOf(0) });
    const verdicts = judged.days.map(({ verdict }) => verdict).toReversed();
    t.strictSame(verdicts, ['not_over', 'met', 'exceeded', 'excluded', 'not_assessable', 'exceeded'], 'the API');
  },
);
