/**
 * A report that is due while the process is killed (kill -9): its documents are made, and its mail arrives once at a mail
 * server on loopback. Killed at random moments, and at the critical moment: the server has all bytes of the mail, and has not
 * answered. REPORT_KILLS: how often, 6 times unless it is set.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { gatewayProcess } from '../support/gateway-process.ts';
import { Mailbox as Mails, mailSettings, openMailbox } from '../support/mailbox.ts';

const KILLS = Number(process.env.REPORT_KILLS ?? 6);
/** After the start the first look comes in 2 s. */
const FIRST_LOOK_MS = 2_000;
const SPREAD_MS = 1_500;
const DAY_MS = 86_400_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
// biome-ignore lint/suspicious/noExplicitAny: JSON of an answer
type Json = any;

async function ask(base: string, method: string, path: string, body?: object): Promise<Json> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const parsed: Json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path} ${JSON.stringify(parsed)}`);
  return parsed;
}

/** A gateway with a report of yesterday that is due since a day, and was killed before it could know. */
async function due(t: Test) {
  const folder = t.testdir();
  const box = await openMailbox(t);
  await mkdir(join(folder, 'data'));
  const file = join(folder, 'settings.json');
  await writeFile(file, JSON.stringify({ plugin_settings: { alerts: mailSettings(box) } }));
  const start = () => gatewayProcess(t, folder, ['--config', file]);
  const kill = async ({ child }: Awaited<ReturnType<typeof start>>) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const first = await start();
  await ask(first.base, 'PUT', '/roof/config', { host: '192.0.2.1', tcp_enabled: false });
  await ask(first.base, 'POST', '/_alerts/targets', { name: 'Client', kind: 'mail', to: ['client@example.org'] });
  const report = { name: 'Days', units: ['roof'], period: 'day', at: '00:05', zone: 'UTC', formats: ['pdf', 'csv'] };
  await ask(first.base, 'POST', '/_reports', { ...report, targets: ['1'] });
  await kill(first);
  const database = new Database(join(folder, 'data', 'gateway.db'));
  database.prepare('update reports_report set handled_until = ?').run(Date.now() - DAY_MS);
  database.close();
  return { box, start, kill };
}

async function mailed(base: string): Promise<Json> {
  for (;;) {
    const { data } = await ask(base, 'GET', '/_reports/1/runs');
    if (data[0]?.mails[0]?.state === 'done') return data;
    await pause(100);
  }
}

async function arrivedOnce(t: Test, base: string, taken: readonly Parameters<typeof Mails.files>[0][]) {
  const runs = await mailed(base);
  t.equal(runs.length, 1, 'due once');
  t.equal(taken.length, 1, 'arrived once');
  const { data: documents } = await ask(base, 'GET', '/_reports/1/documents');
  t.equal(documents.length, 2);
  const [mail] = taken;
  const files = mail ? Mails.files(mail) : new Map<string, Buffer>();
  for (const { name, sha256, href } of documents) {
    t.equal(
      createHash('sha256')
        .update(files.get(name) ?? '')
        .digest('hex'),
      sha256,
      `${name} in the mail`,
    );
    const bytes = Buffer.from(await (await fetch(`${base}${href}`)).arrayBuffer());
    t.equal(createHash('sha256').update(bytes).digest('hex'), sha256, `${name} as it is kept`);
  }
}

t.test('killed at random moments: it is due once, and its mail arrives under one Message-ID', async (t) => {
  const { box, start, kill } = await due(t);
  for (let n = 0; n < KILLS; n++) {
    const gateway = await start();
    await pause(FIRST_LOOK_MS * (n === 0 ? 0 : 0.8) + Math.random() * SPREAD_MS);
    await kill(gateway);
  }
  const last = await start();
  await mailed(last.base);
  await pause(FIRST_LOOK_MS + 1_000);
  // The one window: the server had answered, and the answer was not noted.
  const again = box.taken.filter(({ messageId }, index) => box.taken[index - 1]?.messageId !== messageId);
  if (again.length < box.taken.length) t.comment(`${box.taken.length} times, with one Message-ID`);
  await arrivedOnce(t, last.base, again);
});

t.test('killed while the server has the mail and has not answered: it is sent again and arrives once', async (t) => {
  const { box, start, kill } = await due(t);
  box.verdict = 'never';
  const gateway = await start();
  while (box.seen.length === 0) await pause(20);
  await kill(gateway);
  box.verdict = 'take';
  const next = await start();
  await arrivedOnce(t, next.base, box.taken);
  t.equal(box.seen.length, 2);
  t.equal(new Set(box.seen.map(({ messageId }) => messageId)).size, 1, 'with the same Message-ID');
  await kill(next);
  const last = await start();
  await pause(FIRST_LOOK_MS + 1_500);
  await arrivedOnce(t, last.base, box.taken);
  t.equal(box.seen.length, 2, 'and not again after it has arrived');
});
