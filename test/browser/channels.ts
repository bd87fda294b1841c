/** A unit that records two channels: each page of its levels shows the chosen one, and the settings choose which are recorded. */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { isFit } from './support/axe.ts';
import { addMinutes, DAY_S, iso } from './support/levels.ts';
import { inBrowser, openStage, type Stage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

const PHONE = { viewport: { width: 390, height: 844 } };
const LABEL = 'Channel of the meter';

/** Yesterday with 50 dB in the main channel and 70 dB, with S, in the first sub channel; its first second. */
async function withTwo(t: Test): Promise<{ stage: Stage; yesterday: number }> {
  const stage = await openStage(t, { timezone: 'UTC' });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', historyChannels: ['main', 'sub1'] });
  const yesterday = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S - DAY_S;
  const from = yesterday - DAY_S;
  await addMinutes(stage, { from, leq: 50 }, 48 * 60);
  await addMinutes(stage, { from, leq: 70, channel: 'sub1', weighting: { frequency: 'A', time: 'S' } }, 48 * 60);
  return { stage, yesterday };
}

inBrowser(t, 'history, days and assessment show the channel that is chosen', async (t) => {
  const { stage, yesterday } = await withTwo(t);
  const rule = { name: 'Day limit', kind: 'level', quantity: 'leq', window: '15m', limit_db: 60 } as const;
  await stage.client.addAlertRule({ ...rule, units: ['roof'] });
  const span = `from=${iso(yesterday)}&to=${iso(yesterday + DAY_S)}`;
  const page = await stage.open(`m/roof/history?${span}`);
  await page.getByText('weighting A, F').waitFor();
  await page.getByText('60.0 dB').or(page.getByText('Day limit')).first().waitFor();
  await page.getByLabel(LABEL).selectOption('sub1');
  await page.getByText('weighting A, S').waitFor();
  t.equal(new URL(page.url()).searchParams.get('channel'), 'sub1', 'the address keeps it');
  await page.getByText('Comparisons are about the main channel').waitFor();
  t.equal(await page.getByText('Day limit').count(), 0, 'a limit of the main channel is not one of this one');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  t.match(file.suggestedFilename(), /^roof_sub1_/);
  const csv = readFileSync(await file.path(), 'utf8');
  t.match(csv, /^\ufeff/, 'a byte order mark');
  t.match(csv, /LASmax dB \(sub1\)/, 'the file has the weighting of this channel');
  t.match(csv, /,300,70,78,/);
  t.notMatch(csv, /,300,50,/, 'and no level of the other');
  await isFit(t, page);
  await page.getByRole('button', { name: 'Earlier' }).click();
  await page.waitForURL((url) => url.searchParams.get('from') === iso(yesterday - DAY_S));
  await page.getByText('weighting A, S').waitFor();
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.has('last'));
  t.equal(new URL(page.url()).searchParams.get('channel'), 'sub1', 'another time is of the same channel');
  await page.getByLabel(LABEL).selectOption('main');
  await page.getByText('weighting A, F').waitFor();
  t.notOk(new URL(page.url()).searchParams.has('channel'));

  await page.goto(`${stage.url}m/roof/days?channel=sub1`);
  const total = page.getByRole('region', { name: 'All whole days' });
  await total.getByText('76.4', { exact: true }).waitFor();
  t.equal(await page.locator('a.day.measured').count(), 2, 'the rule says nothing about this channel');
  await page.getByLabel('Limit of the Lden, dB').fill('60');
  await total.getByText('above the limit of 60.0 dB').waitFor();
  t.equal(new URL(page.url()).searchParams.get('channel'), 'sub1');
  await page.locator('a.day.exceeded').last().click();
  await page.getByText('weighting A, S').waitFor();
  await page.goBack();
  await page.getByLabel(LABEL).selectOption('main');
  await total.getByText('56.4', { exact: true }).waitFor();

  await stage.client.addNote('roof', {
    kind: 'exclusion',
    reason: 'fault',
    text: 'We tested the main channel',
    channels: ['main'],
    from: iso(yesterday + 600),
    to: iso(yesterday + 660),
  });
  await page.goto(`${stage.url}m/roof/assessment?limits=lden:60`);
  await page.getByText('2 met, 0 exceeded, 12 not assessable').waitFor();
  const note = page.getByText('We tested the main channel');
  t.equal(await note.count(), 1);
  await page.getByLabel(LABEL).selectOption('sub1');
  await page.getByText('0 met, 2 exceeded, 12 not assessable').waitFor();
  t.equal(await note.count(), 0, 'a note about the main channel alone excludes nothing here');
  const loud = page.locator('details', { hasText: ': exceeded' }).first();
  await loud.locator('summary').click();
  t.match(await loud.getByRole('link', { name: 'The levels of this day' }).getAttribute('href'), /channel=sub1/);
  t.equal(await page.getByRole('region', { name: 'Limits as rules' }).count(), 0, 'rules are about the main channel');
  await page.getByLabel('Preset').first().selectOption('iso20906');
  await page.waitForURL((url) => url.searchParams.get('preset') === 'iso20906');
  t.equal(new URL(page.url()).searchParams.get('channel'), 'sub1', 'another preset judges the same channel');
});

inBrowser(t, 'on a telephone, too; with the main channel alone there is nothing to choose', async (t) => {
  const { stage } = await withTwo(t);
  const page = await stage.open('m/roof/history?last=604800000&channel=sub1', PHONE);
  for (const [part, shown] of [
    ['history?last=604800000&channel=sub1', 'weighting A, S'],
    ['days?channel=sub1', '76.4'],
    ['assessment?channel=sub1&limits=lden:60', '0 met, 2 exceeded'],
  ] as const) {
    await page.goto(`${stage.url}m/roof/${part}`);
    await page.getByText(shown).first().waitFor();
    t.equal(await page.getByLabel(LABEL).inputValue(), 'sub1', part);
    await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
  }
  await page.goto(`${stage.url}m/roof/history?channel=nonsense`);
  await page.getByText('is no channel of this meter; it has main, sub1, sub2, sub3').waitFor();
  t.equal(await page.getByText('weighting').count(), 0, 'and no level of another channel is below it');

  await page.goto(`${stage.url}settings`);
  const meter = page.locator('details', { hasText: 'Roof' }).first();
  await meter.locator('summary').first().click();
  const channels = meter.getByRole('group', { name: 'Recorded beside the main channel' });
  t.equal(await channels.getByLabel('sub1').isChecked(), true);
  t.equal(await channels.getByLabel('main').count(), 0, 'the main one is always recorded');
  await channels.getByLabel('sub2').check();
  await channels.getByLabel('sub1').uncheck();
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
  await meter.getByRole('button', { name: 'Save' }).click();
  await meter.getByText('The config of roof is changed.').waitFor();
  t.strictSame((await stage.client.config('roof')).history_channels, ['main', 'sub2']);
  await page.goto(`${stage.url}m/roof/history`);
  await page.getByLabel(LABEL).waitFor();
  t.strictSame(await page.getByLabel(LABEL).locator('option').allTextContents(), ['Main channel', 'sub2']);
  await stage.client.configure('roof', { history_channels: ['main'] });
  await page.getByLabel(LABEL).waitFor({ state: 'detached' });
  t.equal(await page.getByLabel(LABEL).count(), 0);
});

inBrowser(t, 'a channel that is off at the meter says so, and not only that nothing was recorded', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'stream', historyChannels: ['main', 'sub1'] });
  const page = await stage.open('m/roof/history?last=3600000&channel=sub1');
  await page.getByText('Nothing was recorded in this time.').waitFor();
  // The stream has to begin, and the weighting to be asked for, before the gateway knows.
  const isKnown = async () =>
    (await stage.client.extent('roof', 'sub1')).recording.channels[0]?.reason?.includes('is switched off');
  await page.exposeFunction('isKnown', isKnown);
  await untilTrue(page, 'isKnown()');
  await page.reload();
  const words = page.getByText('Nothing was recorded in this time. The meter gives no levels of this channel');
  await words.waitFor();
  t.match(await words.textContent(), /it is switched off there\. The setting channel_sub1 switches it on\.$/);
});

inBrowser(t, 'a report is about the channel that is chosen, and a note names its channels', async (t) => {
  const { stage, yesterday } = await withTwo(t);
  await stage.addMeter('yard', { name: 'Yard', timezone: 'UTC' });
  const page = await stage.open('reports');
  const form = page.getByRole('form', { name: 'New report' });
  await form.getByLabel('Name').fill('C of the roof');
  await form.getByRole('checkbox', { name: 'Yard' }).check();
  t.equal(await form.getByLabel(LABEL).count(), 0, 'the yard records the main channel alone');
  await form.getByRole('checkbox', { name: 'Roof' }).check();
  await form.getByLabel(LABEL).selectOption('sub1');
  await form.getByRole('button', { name: 'Save this report' }).click();
  await page.getByText('on Monday, channel sub1, next').waitFor();
  await page.getByText('yard does not record the channel sub1.').waitFor();
  t.match(await stage.client.report('1'), { channel: 'sub1' });
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Preview of C of the roof' }).click();
  const preview = await opening;
  await preview.getByRole('heading', { name: 'Roof, channel sub1', exact: true }).first().waitFor();
  await preview.getByText('The channel sub1 of the meter is not recorded for this unit').waitFor();
  await isFit(t, page);

  await stage.client.addNote('roof', {
    kind: 'exclusion',
    reason: 'fault',
    text: 'Cable',
    channels: ['main', 'sub1'],
    from: iso(yesterday + 600),
    to: iso(yesterday + 660),
  });
  await page.goto(`${stage.url}m/roof/history?from=${iso(yesterday)}&to=${iso(yesterday + DAY_S)}&channel=sub1`);
  await page.getByText('Channels: Main channel, sub1').waitFor();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  const link = page.getByRole('link', { name: 'Open the report' });
  t.match(await link.getAttribute('href'), /channel=sub1/);
  const [own] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  await own.getByRole('heading', { name: 'Noise report: Roof, channel sub1' }).waitFor();

  const event = { unit_id: 'roof', severity: 'warning', kind: 'level', what: 'leq', limit: 60, worst: 70, detail: '' };
  const times = { opened_at: iso(yesterday + 3_600), closed_at: iso(yesterday + 7_200) };
  const events = [
    { ...event, ...times, rule_name: 'Limit for C', channel: 'sub1' },
    { ...event, ...times, rule_name: 'Limit for A' },
  ];
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  await page.reload();
  const exceeded = page.getByRole('region', { name: 'Limits that were exceeded' });
  await exceeded.getByText('Limit for C').waitFor();
  t.equal(
    await exceeded.getByText('Limit for A').count(),
    0,
    'a limit of the main channel was not exceeded in this one',
  );
  t.match(await exceeded.getByRole('link').first().getAttribute('href'), /channel=sub1/);
  await page.getByLabel(LABEL).selectOption('main');
  await exceeded.getByText('Limit for A').waitFor();
  t.equal(await exceeded.getByText('Limit for C').count(), 0);
  t.notMatch(await exceeded.getByRole('link').first().getAttribute('href'), /channel=/);
});
