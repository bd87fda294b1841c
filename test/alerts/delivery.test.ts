/** Messages to targets: signed, in order, at least once, a day long; mail in one piece; quiet hours. On virtual time. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { type Sentence, sentenceIn } from '../../lib/words.ts';
import { Deliveries, type DeliveriesParts, DeliveryQueue } from '../../plugins/alerts/delivery/deliveries.ts';
import { mailTextOf } from '../../plugins/alerts/delivery/mail/mail-text.ts';
import { bodyOf, messageIdOf, quietUntil } from '../../plugins/alerts/delivery/messages.ts';
import type { Sent } from '../../plugins/alerts/delivery/target.ts';
import { signatureOf } from '../../plugins/alerts/delivery/webhook/webhook.ts';
import { english, sentence } from '../../plugins/alerts/rules/sentences.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, DELIVERIES, type DeliveryRow } from '../../plugins/alerts/tables.ts';
import { folder, until } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const HOUR_MS = 3_600_000;

async function outbox(t: Test) {
  const place = folder(t);
  const store = await place.open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const { clock } = place;
  const row = (id: number, more: Partial<DeliveryRow> = {}): DeliveryRow => ({
    id,
    targetId: 1,
    phone: null,
    eventId: id,
    type: 'opened',
    event: { unit_id: 'roof' },
    state: 'waiting',
    tries: 0,
    createdAt: clock.now(),
    notBefore: clock.now(),
    endedAt: null,
    outcome: '',
    batch: null,
    reach: null,
    ...more,
  });
  const put = (...rows: DeliveryRow[]) => tables.write((all) => all.put(DELIVERIES, rows));
  const all = () => tables.read((rows) => rows.find(DELIVERIES, { order: { id: 'asc' } }));
  const end = new AbortController();
  const queue = (
    send: (ids: number[]) => Sent,
    { targetId = 1, ...more }: { targetId?: number; most?: number; gatherMs?: number } = {},
  ) =>
    new DeliveryQueue({
      tables,
      clock,
      log: createLog('silent'),
      signal: end.signal,
      own: { targetId, phone: null },
      most: 1,
      gatherMs: 0,
      ...more,
      send: async (messages) => send(messages.map(({ id }) => id)),
    });
  t.teardown(() => end.abort(new Error('the test is over')));
  /** Real turns for the database, virtual time for the pauses. */
  const pass = async (ms: number, stepMs = 1_000) => {
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.advance(Math.min(stepMs, left));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { clock, tables, row, put, all, queue, pass, end };
}

t.test('a message is signed as Standard Webhooks wants it, and its id is the same at each try', async (t) => {
  const message = { id: 12, createdAt: Date.now(), type: 'opened', event: { unit_id: 'roof', name: 'Lärm' } } as const;
  const body = bodyOf(message);
  const now = Math.floor(message.createdAt / 1_000);
  const headers = {
    'webhook-id': messageIdOf(message),
    'webhook-timestamp': String(now),
    'webhook-signature': signatureOf(SECRET, messageIdOf(message), now, body),
  };
  t.match(new Webhook(SECRET).verify(body, headers), { type: 'alert.opened', data: { unit_id: 'roof', name: 'Lärm' } });
  t.throws(() => new Webhook(SECRET).verify(`${body} `, headers));
});

t.test('the receiver of the docs takes signed messages and no others', async (t) => {
  const { verify } = await import(new URL('../../docs/examples/verify-webhook.mjs', import.meta.url).href);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1000',
    'webhook-signature': `v1,AAAA ${signatureOf(SECRET, 'msg_1', 1_000, '{}')}`,
  };
  t.equal(verify(SECRET, headers, '{}', 1_100), true);
  t.equal(verify(SECRET, headers, '{ }', 1_100), false, 'changed');
  t.equal(verify(SECRET, headers, '{}', 1_301), false, 'old');
  t.equal(verify(`whsec_${Buffer.alloc(24, 8).toString('base64')}`, headers, '{}', 1_100), false, 'another secret');
  const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  t.ok(text.includes(readFileSync(new URL('../../docs/examples/verify-webhook.mjs', import.meta.url), 'utf8')));
});

const PYTHON = spawnSync('python3', ['--version']).status === 0;
const python = { skip: PYTHON ? false : 'python3 is not installed on this machine: this test has not run' };

t.test('the Python receiver of the docs takes signed messages and no others', python, async (t) => {
  const file = new URL('../../docs/examples/verify_webhook.py', import.meta.url);
  const example = readFileSync(file, 'utf8');
  t.ok(readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').includes(example));
  const signed = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1000' };
  const right = { ...signed, 'webhook-signature': `v1,AAAA ${signatureOf(SECRET, 'msg_1', 1_000, '{"a":"ä"}')}` };
  const cases = [
    [SECRET, right, '{"a":"ä"}', 1_100, true],
    [SECRET, right, '{"a":"a"}', 1_100, false],
    [SECRET, right, '{"a":"ä"}', 1_301, false],
    [`whsec_${Buffer.alloc(24, 8).toString('base64')}`, right, '{"a":"ä"}', 1_100, false],
    [SECRET, { ...right, 'webhook-timestamp': 'NaN' }, '{"a":"ä"}', 1_100, false],
    [SECRET, { ...right, 'webhook-signature': 'v1,ä' }, '{"a":"ä"}', 1_100, false],
  ] as const;
  const main = `
import json, sys
for secret, headers, body, now, _ in json.load(sys.stdin): print(verify(secret, headers, body.encode(), now))
`;
  const { stdout, stderr } = spawnSync('python3', ['-c', example + main], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  t.equal(stderr, '');
  t.strictSame(
    stdout.trim().split('\n'),
    cases.map(([, , , , isRight]) => (isRight ? 'True' : 'False')),
  );
});

t.test('a failed message is tried again with growing pauses, and later messages wait', async (t) => {
  const { row, put, all, queue, pass } = await outbox(t);
  await put(row(1), row(2), row(3));
  const sent: number[] = [];
  let left = 3;
  queue(([id = 0]) => {
    sent.push(id);
    return id === 1 && left-- > 0 ? { ok: false, outcome: 'The target answered 503.' } : { ok: true, outcome: 'fine' };
  });
  await pass(4_000);
  t.same(sent, [1]);
  t.match(await all(), [
    { state: 'waiting', tries: 1, outcome: 'The target answered 503.' },
    { tries: 0 },
    { tries: 0 },
  ]);
  await pass(180_000, 5_000);
  await until(() => sent.length === 6);
  t.same(sent, [1, 1, 1, 1, 2, 3], 'after 5, 30 and 120 s');
});

t.test('after a day the gateway drops a message, and the next has its turn; other targets do not wait', async (t) => {
  const { row, put, all, queue, pass } = await outbox(t);
  await put(row(1), row(2), row(3, { targetId: 2 }));
  const other: number[] = [];
  queue(([id]) => ({ ok: id !== 1, outcome: 'down' }));
  queue(
    ([id = 0]) => {
      other.push(id);
      return { ok: true, outcome: 'fine' };
    },
    { targetId: 2 },
  );
  await pass(10_000);
  t.same(other, [3]);
  await pass(27 * HOUR_MS, 600_000);
  t.match(await all(), [{ state: 'failed', outcome: 'down' }, { state: 'done' }, { state: 'done' }]);
  const [first] = await all();
  t.ok(first && (first.endedAt ?? 0) - first.createdAt >= 24 * HOUR_MS);
});

t.test('messages of a minute are one mail', async (t) => {
  const { row, put, all, queue, pass, clock } = await outbox(t);
  await put(row(1));
  const mails: number[][] = [];
  const mail = queue(
    (ids) => {
      mails.push(ids);
      return { ok: true, outcome: 'fine' };
    },
    { most: 50, gatherMs: 60_000 },
  );
  await pass(20_000, 5_000);
  await put(row(2), row(3, { notBefore: clock.now() + HOUR_MS }));
  mail.wake();
  await pass(60_000, 5_000);
  t.same(mails, [[1, 2]], 'what waits for the end of quiet hours is not in it');
  t.match(await all(), [{ state: 'done' }, { state: 'done' }, { state: 'waiting' }]);
});

t.test('quiet hours end when the clock of the place says so', async (t) => {
  const quiet = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const, from: '22:00', to: '06:00' }];
  const at = (text: string) => quietUntil({ quiet }, 'Europe/Berlin', Date.parse(text));
  t.equal(at('2026-11-21T23:30:10Z'), Date.parse('2026-11-22T05:00:00Z'));
  t.equal(at('2026-11-21T12:00:10Z'), Date.parse('2026-11-21T12:00:10Z'));
  const always = [{ days: quiet[0]?.days ?? [], from: '00:00', to: '24:00' }];
  t.equal(quietUntil({ quiet: always }, 'UTC', 5), 5, 'hours that never end are none');
});

t.test('no name of a rule becomes a header, a line of its own, or a tag', async (t) => {
  const evil = 'x\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script>';
  const event = { kind: 'level', rule_name: evil, unit_id: 'roof', severity: 'critical', detail: evil, worst: 80 };
  const messages = [
    { type: 'opened', event },
    { type: 'closed', event },
  ] as const;
  const { subject, text, html } = mailTextOf(messages, () => ({ name: evil, place: evil, timezone: 'UTC' }));
  t.notMatch(subject, /[\r\n]/);
  t.notMatch(text, /^Bcc/m);
  t.notMatch(html, /<script/);
  t.match(subject, /^Alert: x Bcc: .* and 1 more$/);
});

t.test('a mail names the meter as people do, and its times are those of the clock at its place', async (t) => {
  const event = {
    kind: 'level',
    rule_name: 'Night limit',
    unit_id: 'sim-3',
    severity: 'critical',
    limit: 45,
    worst: 48.666,
    detail: 'The Leq of 1 h is above 45 dB.',
    worst_at: '2026-11-22T01:12:08.000Z',
    window_from: '2026-11-22T01:00:00.000Z',
    window_to: '2026-11-22T02:00:00.000Z',
    opened_at: '2026-11-22T01:10:30.000Z',
    closed_at: '2026-11-22T02:00:00.000Z',
  };
  const roof = { name: 'Roof, north side', place: 'Main Street 1', timezone: 'Europe/Berlin' };
  const { subject, text } = mailTextOf([{ type: 'closed', event }], () => roof);
  t.equal(subject, 'Resolved: Night limit at Roof, north side');
  t.strictSame(text.trimEnd().split('\n').slice(1), [
    'Meter: Roof, north side, Main Street 1, sim-3',
    'Severity: critical',
    'What: The Leq of 1 h is above 45 dB.',
    'Worst value: 48.7 dB at 2026-11-22 02:12:08 UTC+1',
    'Window: 2026-11-22 02:00 UTC+1 to 2026-11-22 03:00 UTC+1',
    'Began: 2026-11-22 02:10:30 UTC+1',
    'Ended: 2026-11-22 03:00 UTC+1, after 49 min 30 s',
  ]);
  t.notMatch(mailTextOf([{ type: 'closed', event: { ...event, detail: '' } }], () => roof).text, /What:/);
  const half = mailTextOf([{ type: 'closed', event: { ...event, worst: 77.05 } }], () => roof).text;
  t.match(half, 'Worst value: 77.1 dB', 'half a step is rounded up, as limits are compared');
  const bare = { name: null, place: null, timezone: 'UTC' };
  const revised = (was: number | null) =>
    mailTextOf([{ type: 'revised', event: { ...event, revised: { value: 51.04, was } } }], () => bare).text;
  t.match(revised(48.66), /^Corrected: Night limit at sim-3\n/);
  t.match(revised(48.66), /^Corrected by the card: 51\.0 dB; it was 48\.7 dB before$/m, 'both numbers are told');
  t.match(revised(null), /^Corrected by the card: 51\.0 dB; nothing was recorded before$/m);
  t.match(revised(null), /^Began: 2026-11-22 01:10:30 UTC$/m);
});

t.test(
  'deliveries that have ended go after 30 days, and a clock that is ten years ahead takes none away',
  async (t) => {
    const { clock, tables, row, put, all, end } = await outbox(t);
    const DAY_MS = 24 * HOUR_MS;
    const ended = (id: number, days: number) => {
      const at = clock.now() - days * DAY_MS;
      return row(id, { state: 'done', createdAt: at, endedAt: at });
    };
    await put(ended(1, 40), ended(2, 20), ended(3, 1));
    const target = { id: '1', kind: 'webhook', enabled: true };
    const host = { clock, log: createLog('silent'), signal: end.signal, onStop: () => {}, part: () => {} };
    const targets = { list: () => [target], find: () => target, onChange: () => {} };
    const phones = { list: () => [], onChange: () => {} };
    const deliveries = new Deliveries(standIn<DeliveriesParts>({ host, tables, targets, phones, links: {}, push: {} }));
    const now = clock.now.bind(clock);
    clock.now = () => now() + 3_650 * DAY_MS;
    await deliveries.start();
    await clock.advance(6 * HOUR_MS);
    await tables.write(async () => {});
    t.same(
      (await all()).map(({ id }) => id),
      [2, 3],
    );
    deliveries.drop('1');
  },
);

t.test(
  'a mail in German has sentences, numbers and times of German; an old event keeps its English sentence',
  async (t) => {
    const words = sentence('level_rule', { level: 'Leq', window: sentence('night'), limit: 45 });
    const old = {
      kind: 'level',
      unit: 'dB',
      rule_name: 'Leq of the night above 45 dB',
      unit_id: 'sim-3',
      severity: 'critical',
      worst: 48.666,
      worst_at: '2026-11-22T01:12:08.000Z',
      detail: 'The Leq of the night is above 45 dB.',
      opened_at: '2026-11-22T01:10:30.000Z',
      closed_at: null,
    };
    const detail = sentence('level_above', { level: 'Leq', window: sentence('night'), limit: 45 });
    const event = { ...old, sentences: { rule_name: words, detail } };
    const unit = { name: 'Dach', place: null, timezone: 'Europe/Berlin' };
    const german = (about: object, count: number) => {
      const messages = Array.from({ length: count }, () => ({ type: 'opened', event: { ...about } }) as const);
      return mailTextOf(messages, () => unit, [], 'de');
    };
    const { subject, text, html } = german(event, 1);
    t.equal(subject, 'Alarm: Leq über die Nacht: über 45 dB an Dach');
    t.strictSame(text.trimEnd().split('\n').slice(1), [
      'Messgerät: Dach, sim-3',
      'Schwere: kritisch',
      'Was: Der Leq über die Nacht liegt über 45 dB.',
      'Höchster Wert: 48,7 dB um 22.11.2026, 02:12:08 UTC+1',
      'Begann: 22.11.2026, 02:10:30 UTC+1',
    ]);
    t.match(html, '<html lang="de">');
    t.match(german(event, 3).subject, / und 2 weitere$/);
    t.match(german(old, 1).text, /^Was: The Leq of the night is above 45 dB\.$/m);
  },
);

t.test('a sentence has the plural, the list and the times of its language', async (t) => {
  const inGerman = (said: Sentence) => sentenceIn('de', said, (at) => `am ${new Date(at).getUTCDate()}.`);
  const due = (count: number) => sentence('calibration_due', { count });
  t.strictSame(
    [1, 2].map((count) => inGerman(due(count))),
    ['Die letzte Kalibrierung war vor 1 Tag.', 'Die letzte Kalibrierung war vor 2 Tagen.'],
  );
  t.equal(english(due(1)), 'The last calibration was 1 day ago.');
  const stations = [
    sentence('station_last', { station: 'mast', time: '2026-11-22T01:12:08.000Z' }),
    sentence('station_never', { station: 'roof' }),
  ];
  const silent = sentence('station_silent', { stations });
  t.equal(
    inGerman(silent),
    'Von diesen Stationen ist nichts über das Wetter bekannt: mast (zuletzt am 22.), roof (nie).',
  );
  t.match(english(silent), /mast \(last at 2026-11-22T01:12:08\.000Z\), roof \(never\)/);
});
