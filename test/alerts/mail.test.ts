/** Mail as it goes out: with and without TLS, to servers whose certificate is right, wrong or missing, and with its drawing. */
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import t, { type Test } from 'tap';
import { sendMail } from '../../plugins/alerts/delivery/mail/mail-kind.ts';
import type { AlertSettings } from '../../plugins/alerts/settings.ts';
import type { DeliveryRow } from '../../plugins/alerts/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { PlainHistory } from '../support/plain-history.ts';

const signal = new AbortController().signal;
const server = selfSigned('mail');
const clock = new VirtualClock();

interface Mailbox {
  readonly port: number;
  readonly mails: { readonly secure: boolean; readonly user: string; readonly text: string }[];
}

async function mailbox(t: Test, options: SMTPServerOptions): Promise<Mailbox> {
  const mails: { secure: boolean; user: string; text: string }[] = [];
  const smtp = new SMTPServer({
    logger: false,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += String(chunk);
      });
      stream.on('end', () => {
        mails.push({ secure: session.secure, user: String(session.user ?? ''), text });
        done();
      });
    },
    ...options,
  });
  smtp.on('error', () => {});
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(() => new Promise<void>((resolve) => smtp.close(resolve)));
  return { mails, port: (smtp.server.address() as AddressInfo).port };
}

function caFile(t: Test, { cert }: Certificate): string {
  const path = join(t.testdir(), 'ca.pem');
  writeFileSync(path, cert);
  return path;
}

const event = {
  kind: 'level',
  unit_id: 'roof',
  rule_name: 'Limit\r\nBcc: all@example.org',
  severity: 'critical',
  limit: 75,
  detail: 'The leq of 15m is above 75 dB.',
  worst: 76.2,
  worst_at: '2026-11-21T06:12:00.000Z',
};
const unit = { name: 'Roof\r\nX: 1', place: 'Main Street 1', timezone: 'Europe/Berlin' };
const message: DeliveryRow = {
  id: 1,
  targetId: 1,
  phone: null,
  eventId: 1,
  type: 'opened',
  event,
  state: 'waiting',
  tries: 0,
  createdAt: 0,
  notBefore: 0,
  endedAt: null,
  outcome: '',
  batch: null,
  reach: null,
};

function send(port: number, more: Partial<AlertSettings>) {
  const history = new PlainHistory(() => clock.now());
  const to = Math.floor(clock.now() / 60_000) * 60;
  const intervals = Array.from({ length: 60 }, (_, minute) => minute).flatMap((minute) =>
    minute >= 20 && minute < 25
      ? []
      : [
          {
            at: to - 3_600 + minute * 60,
            duration: 60,
            leq: 60 + minute / 4,
            lmax: 70 + minute / 4,
            lmin: 50,
            lpeak: null,
          },
        ],
  );
  history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  const settings: AlertSettings = {
    smtp_host: 'localhost',
    smtp_port: port,
    smtp_user: '',
    smtp_password: '',
    smtp_security: 'starttls',
    smtp_from: 'alerts@example.org',
    smtp_ca_file: '',
    public_url: '',
    push_contact: '',
    causes: [],
    ...more,
  };
  return sendMail(['site@example.org'], [message], { settings, clock, history, unitOf: () => unit, signal });
}

t.test('STARTTLS and TLS from the first byte, with a password, to a server of an authority of our own', async (t) => {
  const smtp_ca_file = caFile(t, server);
  const login = { smtp_user: 'gateway', smtp_password: 'right', smtp_ca_file };
  const starttls = await mailbox(t, server);
  t.match(await send(starttls.port, login), { ok: true, outcome: /accepted the mail/ });
  t.match(starttls.mails, [{ secure: true, user: 'gateway' }]);
  const tls = await mailbox(t, { ...server, secure: true });
  t.match(await send(tls.port, { ...login, smtp_security: 'tls' }), { ok: true });
  t.match(tls.mails, [{ secure: true, user: 'gateway' }]);
  const wrong = await send(tls.port, { ...login, smtp_security: 'tls', smtp_password: 'canary' });
  t.match(wrong, { ok: false, outcome: /did not accept the mail/ });
  t.notMatch(wrong.outcome, /canary/);
});

t.test('a certificate of a stranger, and a server without STARTTLS, get no mail and no password', async (t) => {
  const stranger = await mailbox(t, { ...server, secure: true });
  t.match(await send(stranger.port, { smtp_security: 'tls' }), { ok: false, outcome: /self-signed certificate/ });
  const other = caFile(t, selfSigned('other'));
  t.match(await send(stranger.port, { smtp_security: 'tls', smtp_ca_file: other }), { ok: false });
  const seen: string[] = [];
  const clear = await mailbox(t, {
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => {
      seen.push(String(password));
      done(null, { user: 'x' });
    },
  });
  t.match(await send(clear.port, { smtp_user: 'gateway', smtp_password: 'right' }), { ok: false, outcome: /TLS/i });
  t.strictSame([seen, clear.mails, stranger.mails], [[], [], []]);
  t.match(await send(clear.port, { smtp_ca_file: '/nowhere/ca.pem' }), { ok: false, outcome: /ENOENT/ });
  t.match(await send(clear.port, { smtp_security: 'none' }), { ok: true }, 'in the clear where the settings say so');
});

t.test('a mail has plain text, HTML and the last hour as a drawing; no name becomes a header', async (t) => {
  const box = await mailbox(t, { disabledCommands: ['STARTTLS'] });
  t.match(await send(box.port, { smtp_security: 'none' }), { ok: true });
  const text = box.mails[0]?.text ?? '';
  const [head = ''] = text.split('\r\n\r\n');
  t.match(head, /^Subject: Alert: Limit Bcc: all@example.org at Roof X: 1\r$/m);
  t.notMatch(head, /^(Bcc|X):/im);
  t.match(text, /Content-Type: text\/plain/);
  t.match(text, /Content-Type: text\/html/);
  const [, encoded = ''] = /Content-Type: image\/svg\+xml[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(text) ?? [];
  const svg = Buffer.from(encoded, 'base64').toString('utf8');
  t.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  t.equal(svg.match(/class="gap"/g)?.length, 5, 'five minutes without data are seen');
  t.match(svg, /class="limit"/);
  t.notMatch(svg, /<script|href/);
});
