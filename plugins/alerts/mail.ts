/** Mail through the server of the settings. The library is loaded with the first mail. */
import type { Transporter } from 'nodemailer';
import { type Clock, type History, messageOf, unlessAborted } from '../../lib/index.ts';
import { chartOf } from './chart.ts';
import type { Sent } from './delivery-queue.ts';
import type { DeliveryRow } from './delivery-tables.ts';
import type { AlertSettings } from './mail-settings.ts';
import { mailTextOf } from './mail-text.ts';

export interface Mailer {
  /** One mail for these messages. Says in words what went wrong; rejects only when the signal ends it. */
  send(to: readonly string[], messages: readonly DeliveryRow[], signal: AbortSignal): Promise<Sent>;
}

const TIMEOUT_MS = 15_000;
const MINUTES = 60;
/** More drawings would be more than a mail for a telephone. */
const MOST_CHARTS = 3;

export function createMailer(settings: AlertSettings, clock: Clock, history: History): Mailer {
  let transporter: Promise<Transporter> | undefined;
  return {
    async send(to, messages, signal) {
      if (settings.smtp_host === '' || settings.smtp_from === '')
        return {
          ok: false,
          outcome: 'No mail server is set: see the settings smtp_host and smtp_from of the plugin alerts.',
        };
      try {
        transporter ??= connectionTo(settings);
        const { subject, text, html } = mailTextOf(messages);
        const attachments = await chartsOf(history, clock, messages, signal);
        const mail = { from: settings.smtp_from, to: [...to], subject, text, html, attachments };
        await unlessAborted((await transporter).sendMail(mail), signal);
        return { ok: true, outcome: 'The mail server took the mail.' };
      } catch (error) {
        if (signal.aborted) throw error;
        return { ok: false, outcome: `The mail server did not take the mail: ${messageOf(error)}.` };
      }
    },
  };
}

/** The address is one of the settings, not of a user: no policy judges it. */
async function connectionTo(settings: AlertSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { smtp_host: host, smtp_port: port, smtp_security, smtp_user: user, smtp_password: pass } = settings;
  return createTransport({
    ...{ host, port, secure: smtp_security === 'tls', requireTLS: smtp_security === 'starttls' },
    ignoreTLS: smtp_security === 'none',
    ...(user !== '' && { auth: { user, pass } }),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    // Nothing in a message makes it read a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

async function chartsOf(history: History, clock: Clock, messages: readonly DeliveryRow[], signal: AbortSignal) {
  const ofLevels = messages.filter(({ event }) => event.kind === 'level');
  const units = [...new Map(ofLevels.map((message) => [String(message.event.unit_id), message])).entries()];
  const charts = units.slice(0, MOST_CHARTS).map(async ([unitId, { event }]) => {
    const levels = await lastHour(history, clock, unitId, signal);
    const limit = typeof event.limit === 'number' ? event.limit : null;
    const content = chartOf({ title: `${unitId}, Leq of each minute, dB`, levels, limit });
    return { filename: `${unitId.replace(/[^A-Za-z0-9_-]/g, '_')}.svg`, contentType: 'image/svg+xml', content };
  });
  return Promise.all(charts);
}

async function lastHour(history: History, clock: Clock, unitId: string, signal: AbortSignal) {
  const to = Math.floor(clock.now() / 60_000) * 60;
  const levels: (number | null)[] = [];
  const { rows } = await history.query({ unitId, over: { from: to - MINUTES * 60, to, step: 60 } }, signal);
  for await (const page of rows) levels.push(...page.map(({ leq }) => leq));
  return levels;
}
