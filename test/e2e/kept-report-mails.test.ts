/**
 * Documents of kept reports by mail: to mail targets of alerts, with the kept bytes, once, tried again. A missing target is
 * reported.
 */
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { type Mailbox, Mailbox as Mails, mailSettings, openMailbox } from '../support/mailbox.ts';
import { written } from '../support/reports.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Without a PDF, which is printed in a process of its own: the mail of each format is the same. */
const REPORT = { name: 'Days', units: ['sim-1'], zone: 'UTC', formats: ['csv'], period: 'day', at: '06:00' };

async function opened(t: Test): Promise<{ world: World; box: Mailbox }> {
  const box = await openMailbox(t);
  const world = await openWorld(t, { settings: { plugin_settings: { alerts: mailSettings(box) } } });
  const target = { name: 'Client', kind: 'mail', to: ['client@example.org'] };
  t.match(await world.post('/_alerts/targets', target), { status: 201, body: { data: { id: '1' } } });
  return { world, box };
}

const runs = async (world: World): Promise<Json[]> => (await world.get('/_reports/1/runs')).body.data;

/** Until the mails of the newest run are in this state. */
async function mailIs(world: World, state: string): Promise<Json> {
  for (;;) {
    const [run] = await runs(world);
    if (run?.mails.some((mail: Json) => mail.state === state)) return run;
    await world.pass(1_000);
  }
}

const problems = async (world: World): Promise<Json[]> => {
  const health: Json = await (await fetch(new URL('/health', world.base))).json();
  return health.problems ?? [];
};

t.test('a report that is due goes out once, with its documents and two lines, also over restarts', async (t) => {
  const { world, box } = await opened(t);
  const { body } = await world.post('/_reports', { ...REPORT, formats: ['pdf', 'csv'], targets: ['1'] });
  t.match(body.data, { targets: ['1'], warnings: [] });
  const due = Date.parse(body.data.next_due_at);
  await world.clock.advance(due - world.clock.now());
  const run = await mailIs(world, 'done');
  t.match(run, { late: false, mails: [{ target: '1', tries: 1, outcome: 'The mail server accepted the mail.' }] });
  const [mail] = box.taken;
  if (!mail) throw new Error('no mail came');
  const day = written(new Date(due - DAY).toISOString().slice(0, 10));
  t.strictSame(mail.to, ['client@example.org']);
  t.match(mail.text, `Subject: Days: ${day}\r\n`);
  t.match(mail.text, `Days: ${day}, times of UTC.`);
  t.match(mail.messageId, /^<[\w-]{36}@example\.org>$/);
  const files = Mails.files(mail);
  const { data: documents } = (await world.get('/_reports/1/documents')).body;
  t.equal(documents.length, 2);
  for (const { name, sha256 } of documents)
    t.equal(
      createHash('sha256')
        .update(files.get(name) ?? '')
        .digest('hex'),
      sha256,
      name,
    );
  await world.restart(10_000);
  await world.pass(60_000);
  t.equal(box.seen.length, 1, 'once');
  await world.restart(DAY + HOUR);
  while ((await runs(world)).length < 2) await world.pass(1_000);
  t.match(await mailIs(world, 'done'), { late: true });
  t.match(box.taken[1]?.text.replaceAll(/=\r\n/g, ''), /It was due at .* and is made late\./);
  t.equal(box.taken.length, 2);
});

t.test('a mail is shown before it is sent, and each address has its own result', async (t) => {
  const { world, box } = await opened(t);
  const [anna, ben] = ['anna@example.org', 'ben@example.org'];
  await world.post('/_alerts/targets', { name: 'Two', kind: 'mail', to: [anna, ben] });
  await world.post('/_reports', { ...REPORT, period: 'none', targets: ['2'] });
  const span = 'from=2025-11-03T00:00:00Z&to=2025-11-04T00:00:00Z';
  const { data: draft } = (await world.get(`/_reports/1/mail?${span}`)).body;
  t.match(draft, {
    subject: 'Days: Mon 3 Nov 2025',
    text: /^Days: Mon 3 Nov 2025, times of UTC\.\nAttached: report_2025-11-03_2025-11-03\./,
    attachments: [/^report_2025-11-03_2025-11-03\./],
    targets: [{ id: '2', name: 'Two', enabled: true, addresses: [anna, ben] }],
  });
  t.strictSame(await runs(world), [], 'nothing is made or sent');
  t.match(await world.get('/_reports/1/mail'), { status: 422, body: { errors: [{ path: '/from' }] } });
  box.refusals.set(ben, '550 5.1.1 no such user');
  await world.post(`/_reports/1/run?${span}&mail=true`);
  const { mails } = await mailIs(world, 'failed');
  t.strictSame(
    mails[0].recipients.map(({ address, state }: Json) => [address, state]),
    [
      [anna, 'sent'],
      [ben, 'refused'],
    ],
  );
  t.match(mails[0].recipients[1].said, 'no such user');
  t.match(box.taken[0]?.text, `Subject: ${draft.subject}\r\n`, 'as it was shown');
});

t.test('the mail has the language and the channel of its report', async (t) => {
  const { world, box } = await opened(t);
  await world.put('/sim-1/config', { history_channels: ['main', 'sub1'], timezone: 'UTC' });
  const { history } = world.gateway;
  const at = Date.parse('2025-11-03T00:00:00Z') / 1_000;
  const intervals = [{ at, duration: 3_600, leq: 60, lmax: 70, lmin: 50, lpeak: null }];
  const weighting = { frequency: 'C', time: 'F' } as const;
  history.append({ unitId: 'sim-1', channel: 'sub1', source: 'card', weighting, intervals });
  await history.flush();
  await world.post('/_reports', { ...REPORT, period: 'none', lang: 'de', channel: 'sub1', targets: ['1'] });
  const span = 'from=2025-11-02T23:00:00Z&to=2025-11-04T00:00:00Z';
  t.equal((await world.post(`/_reports/1/run?${span}&mail=true`)).status, 202);
  await mailIs(world, 'done');
  const text = String(box.taken[0]?.text.replaceAll(/=\r\n/g, ''));
  t.match(text, 'Subject: Days: So., 2. Nov. 2025 bis Mo., 3. Nov. 2025');
  t.match(text, 'Days, Kanal sub1: So., 2. Nov. 2025, 23:00 bis Di., 4. Nov. 2025, 00:00, Uhrzeiten');
  t.match(text, 'Im Anhang: report_2025-11-02_2025-11-03.csv.');
});

t.test(
  'a run on request is mailed if the request says so; a refused mail is tried again with the same id',
  async (t) => {
    const { world, box } = await opened(t);
    await world.post('/_reports', { ...REPORT, targets: ['1'], period: 'month' });
    await world.post('/_reports/1/run');
    while ((await runs(world))[0]?.state !== 'done') await world.pass(500);
    t.strictSame((await runs(world))[0].mails, []);
    box.verdict = 'refuse';
    await world.post('/_reports/1/run?mail=true');
    const refused = await mailIs(world, 'waiting');
    t.equal(refused.state, 'done', 'the documents are kept');
    while (box.seen.length < 2) await world.pass(1_000);
    t.match(await mailIs(world, 'waiting'), { mails: [{ outcome: /did not accept the mail/ }] });
    await world.clock.advance(HOUR + 600_000);
    t.match(await problems(world), [{ part: 'mail of reports', detail: /have not gone out for an hour/ }]);
    await mailIs(world, 'waiting');
    box.verdict = 'take';
    await world.restart(3_600_000);
    await mailIs(world, 'done');
    // A try that the stop has interrupted may have been taken: then the same mail comes once more (docs/reports.md).
    t.ok(box.taken.length >= 1, `${box.taken.length} times`);
    t.equal(new Set(box.seen.map(({ messageId }) => messageId)).size, 1, 'the same Message-ID');
  },
);

t.test('while the mail server is away for an hour, a mail waits and is reported; then it goes out once', async (t) => {
  const { world, box } = await opened(t);
  const { body } = await world.post('/_reports', { ...REPORT, targets: ['1'] });
  box.verdict = 'away';
  await world.clock.advance(Date.parse(body.data.next_due_at) - world.clock.now());
  const { mails } = await mailIs(world, 'waiting');
  t.match(mails, [{ target: '1' }]);
  await world.clock.advance(HOUR + 600_000);
  t.match(await problems(world), [{ part: 'mail of reports', detail: /have not gone out for an hour/ }]);
  const [run] = await runs(world);
  t.equal(run.state, 'done', 'the document is there all the time');
  t.ok(run.mails[0].tries > 2, `${run.mails[0].tries} tries`);
  t.equal(box.seen.length, 0);
  box.verdict = 'take';
  await world.clock.advance(HOUR);
  t.match(await mailIs(world, 'done'), { late: false, mails: [{ outcome: 'The mail server accepted the mail.' }] });
  await world.clock.advance(HOUR);
  t.equal(box.seen.length, 1, 'once');
  t.strictSame(await problems(world), []);
});

t.test('a mail that was under way when the gateway ended is sent again with the same id', async (t) => {
  const { world, box } = await opened(t);
  await world.post('/_reports', { ...REPORT, targets: ['1'], period: 'month' });
  box.verdict = 'never';
  await world.post('/_reports/1/run?mail=true');
  await mailIs(world, 'sending');
  await world.until('it is with the server', () => box.seen.length > 0);
  box.verdict = 'take';
  await world.restart(10_000);
  await mailIs(world, 'done');
  t.equal(box.taken.length, 1);
  t.equal(new Set(box.seen.map(({ messageId }) => messageId)).size, 1, 'the same Message-ID');
});

t.test('a target that is no mail target is refused; a target that is gone or off is reported', async (t) => {
  const { world, box } = await opened(t);
  t.match(await world.post('/_reports', { ...REPORT, targets: ['1', '2'] }), {
    status: 422,
    body: { errors: [{ path: '/targets/1', message: 'is no mail target of alerts' }] },
  });
  await world.post('/_reports', { ...REPORT, targets: ['1'], period: 'month' });
  const { data: target } = (await world.get('/_alerts/targets/1')).body;
  await world.put('/_alerts/targets/1', { ...target, enabled: false });
  await world.post('/_reports/1/run?mail=true');
  t.match((await mailIs(world, 'skipped')).mails, [{ outcome: 'The target 1 is switched off.' }]);
  t.equal((await world.delete('/_alerts/targets/1')).status, 200);
  t.match((await world.get('/_reports/1')).body.data.warnings, ['There is no mail target 1 any more.']);
  t.match(await problems(world), [{ part: 'mail of reports', detail: /not there any more: 1 \(report 1\)/ }]);
  await world.post('/_reports/1/run?mail=true');
  t.match((await mailIs(world, 'failed')).mails, [{ outcome: 'There is no mail target 1 any more.' }]);
  t.equal(box.seen.length, 0);
  const { data } = (await world.get('/_reports/1')).body;
  await world.put('/_reports/1', { ...data, targets: [] });
  t.strictSame(await problems(world), []);
});

t.test('a removed report is not mailed, and a missing mail server is reported', async (t) => {
  const { world, box } = await opened(t);
  await world.post('/_reports', { ...REPORT, targets: ['1'], period: 'month' });
  box.verdict = 'refuse';
  await world.post('/_reports/1/run?mail=true');
  while (box.seen.length === 0) await world.pass(1_000);
  await mailIs(world, 'waiting');
  await world.delete('/_reports/1');
  box.verdict = 'take';
  await world.clock.advance(HOUR);
  t.equal(box.taken.length, 0);
  const silent = await openWorld(t);
  await silent.post('/_alerts/targets', { name: 'Client', kind: 'mail', to: ['client@example.org'] });
  const { body } = await silent.post('/_reports', { ...REPORT, targets: ['1'] });
  t.match(body.data.warnings, [/smtp_host/]);
});
