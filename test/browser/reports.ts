/** The page of kept reports: one is kept, tried, run, changed and removed; its documents are saved whole; looked at by axe. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { Mailbox, mailSettings, openMailbox } from '../support/mailbox.ts';
import { isFit, isFitInLightAndDark } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { record } from './support/levels.ts';
import { inBrowser, openStage, stageTest } from './support/stage.ts';

stageTest(t, 'a report is kept, tried, run, saved, changed and removed', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  await record(stage);
  await stage.client.addAlertTarget({ name: 'Site office', kind: 'mail', enabled: true, to: ['site@example.org'] });
  await stage.client.call('/_reports/letterheads/office', {
    method: 'PUT',
    body: { lines: ['Noise Office', 'Harbour Road 1'] },
  });
  const page = await stage.open('');
  const hand = new Hand(page);
  await hand.click(page.getByRole('link', { name: 'Reports', exact: true }));
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  await page.getByText('None yet.').waitFor();

  const form = page.getByRole('form', { name: 'New report' });
  await hand.fill(form.getByLabel('Name', { exact: true }), 'Week of the bridge');
  await hand.click(form.getByLabel('Roof'));
  await hand.click(form.getByLabel('tables (CSV)'));
  await hand.click(form.getByLabel('Site office'));
  await hand.choose(form.getByLabel('Letterhead'), 'office');
  await hand.fill(form.getByLabel('Your own limits, dB'), 'nothing:1');
  await hand.click(form.getByRole('button', { name: 'Save this report' }));
  hand.count(t, 'a report is kept', 8);
  await form.locator('.said.bad').waitFor();
  await form.getByLabel('Your own limits, dB').fill('lden:58');
  await form.getByRole('button', { name: 'Save this report' }).click();
  await page.getByText('every week, on Monday, next').waitFor();
  await page.getByText('smtp_host').waitFor();
  const [kept] = await stage.client.reports();
  if (!kept) throw new Error('no report is kept');
  t.match(kept, {
    name: 'Week of the bridge',
    period: 'week',
    formats: ['pdf', 'csv'],
    targets: ['1'],
    limits: 'lden:58',
    letterhead: 'office',
  });

  await page.getByRole('button', { name: 'Change Week of the bridge' }).click();
  const changing = page.getByRole('form', { name: 'Change Week of the bridge' });
  await changing.getByLabel('Judged by').selectOption('de-ta-laerm');
  await changing.getByLabel('Area').selectOption('WA');
  await changing.getByLabel('Tones, by ear, dB').fill('day:3,night:0');
  await changing.getByLabel('Your own limits, dB').fill('');
  await changing.getByLabel('Holidays').selectOption('de');
  await changing.getByRole('button', { name: 'Save this report' }).click();
  await changing.waitFor({ state: 'detached' });
  const judged = {
    preset: 'de-ta-laerm',
    area: 'WA',
    tonal: 'day:3,night:0',
    limits: null,
    calendar: 'de',
    residual: null,
  };
  t.match(await stage.client.report('1'), judged);
  await stage.client.changeReport('1', { ...kept, preset: 'eu-lden', limits: 'lden:58' });

  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Preview of Week of the bridge' }).click();
  const preview = await opening;
  await preview.getByRole('heading', { name: 'Noise report: Roof' }).waitFor();
  await preview.getByText('Harbour Road 1').waitFor();
  await preview.close();

  await page.getByRole('button', { name: 'Send by mail ... Week of the bridge' }).click();
  const mail = page.getByRole('region', { name: 'The mail of Week of the bridge' });
  await mail.getByText('Site office: site@example.org').waitFor();
  t.match(await mail.textContent(), /SubjectWeek of the bridge: .*report_.*\.pdf, report_.*\.csv/s);
  await mail.getByRole('button', { name: 'Cancel' }).click();
  await mail.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Run now Week of the bridge' }).click();
  await page.getByText('The last run was made').waitFor();
  const link = page.getByRole('link', { name: 'Save CSV 1-csv' });
  await link.waitFor();
  const saving = page.waitForEvent('download');
  await link.click();
  const bytes = await readFile(await (await saving).path());
  const documents = await stage.client.reportDocuments('1');
  const csv = documents.find(({ format }) => format === 'csv');
  t.equal(createHash('sha256').update(bytes).digest('hex'), csv?.sha256);
  await t.test('somebody without a key has the saved file checked, and another one', async (t) => {
    const reader = await stage.open('verify');
    await reader.getByRole('heading', { level: 1, name: 'Check a report' }).waitFor();
    t.equal(await reader.getByRole('link').count(), 0, 'it leads nowhere else');
    await reader
      .getByLabel('File of a report')
      .setInputFiles({ name: 'week.csv', mimeType: 'text/csv', buffer: bytes });
    const year = new Date(csv?.made_at ?? '').getFullYear();
    await reader
      .getByText(new RegExp(`This file \\(week\\.csv\\) is the report that the gateway kept on .*${year}`))
      .waitFor();
    const changed = Buffer.from(bytes.toString().replace(/[0-9]/, '9 ')).toString('base64');
    await reader.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob('${changed}'), (letter) => letter.charCodeAt(0))], 'changed.csv'));
      document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
    await reader.getByText('This gateway keeps no report with the content of changed.csv.').waitFor();
    await isFit(t, reader);
  });
  await isFitInLightAndDark(t, page);

  await page.getByRole('button', { name: 'Change Week of the bridge' }).click();
  const change = page.getByRole('form', { name: 'Change Week of the bridge' });
  await change.getByLabel('It is made').selectOption('none');
  await change.getByLabel('Letterhead').selectOption('none');
  await change.getByRole('button', { name: 'Save this report' }).click();
  await page.locator('.entry', { hasText: 'when somebody asks' }).waitFor();
  t.match((await stage.client.reports())[0], {
    period: 'none',
    limits: 'lden:58',
    formats: ['pdf', 'csv'],
    letterhead: null,
  });
  await page.getByRole('button', { name: 'Remove Week of the bridge' }).click();
  await page.getByRole('button', { name: 'Yes, remove Week of the bridge' }).click();
  await page.getByText('None yet.').waitFor();
  t.strictSame(await stage.client.reports(), []);
});

inBrowser(
  t,
  'the mail of a report is looked at and then sent: the mail server gets what the page showed, once',
  async (t) => {
    const box = await openMailbox(t);
    const stage = await openStage(t, { plugin_settings: { alerts: mailSettings(box) } });
    await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
    await record(stage);
    const to = ['site@example.org', 'client@example.org'];
    await stage.client.addAlertTarget({ name: 'Site office', kind: 'mail', enabled: true, to });
    const kept = {
      name: 'Week of the bridge',
      units: ['roof'],
      period: 'day',
      formats: ['csv'],
      targets: ['1'],
    } as const;
    await stage.client.addReport(kept);
    const page = await stage.open('reports');
    await page.getByRole('button', { name: 'Send by mail ... Week of the bridge' }).click();
    const mail = page.getByRole('region', { name: 'The mail of Week of the bridge' });
    await mail.getByText(`Site office: ${to.join(', ')}`).waitFor();
    const shown = async (name: string) =>
      (await mail.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').textContent()) ?? '';
    const [subject, text, attached] = [await shown('Subject'), await shown('Text'), await shown('Attached')];
    t.strictSame(box.seen, [], 'nothing is sent by looking');
    const slow = Promise.withResolvers<void>();
    box.held = slow.promise;
    await mail.getByRole('button', { name: 'Send this mail' }).click();
    await page.getByText('Mail to target 1: sending.').waitFor();
    // The page asks until the server has answered, more than once.
    for (let asked = 0; asked < 2; asked++)
      await page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/_reports'));
    slow.resolve();
    await page.getByText('Its mails were sent.').waitFor();
    const [taken, ...others] = box.taken;
    if (!taken) throw new Error('no mail came');
    t.strictSame(others, []);
    t.strictSame(taken.to, to);
    t.match(taken.text, `Subject: ${subject}\r\n`);
    for (const line of text.trim().split('\n')) t.match(taken.text, line);
    const files = Mailbox.files(taken);
    t.strictSame([...files.keys()], [attached]);
    const [document] = await stage.client.reportDocuments('1');
    t.equal(
      createHash('sha256')
        .update(files.get(attached) ?? '')
        .digest('hex'),
      document?.sha256,
    );
    t.equal(await mail.count(), 0);
  },
);
