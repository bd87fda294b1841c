/** Mail through the server of the settings. The library is loaded with the first mail. */
import { readFileSync } from 'node:fs';
import type { SendMailOptions, Transporter } from 'nodemailer';
import {
  type HistoryRow,
  levelChartFile,
  localTime,
  MAIN_CHANNEL,
  messageOf,
  type TargetMail,
  unlessAborted,
} from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import type { Sent } from '../sent.ts';
import type { SendParts } from '../target-kind.ts';
import type { AlertSettings } from './mail-settings.ts';
import { mailTextOf } from './mail-text.ts';

/** What sending a mail needs of the gateway. */
export type MailParts = Pick<SendParts, 'clock' | 'history' | 'settings' | 'unitOf' | 'signal'>;

const TIMEOUT_MS = 15_000;
const HOUR_S = 3_600;
/** More drawings would be too much for a mail on a telephone. */
const MOST_CHARTS = 3;

/** Why no mail can be sent, in a sentence. */
export const lacksServer = ({ smtp_host, smtp_from }: AlertSettings): string | undefined =>
  smtp_host === '' || smtp_from === ''
    ? 'No mail server is set: see the settings smtp_host and smtp_from of the plugin alerts.'
    : undefined;

/** One mail for these messages. `links`: where each of them can be acknowledged. The outcome says in words what went wrong; rejects only if the signal aborts. */
export async function sendMail(
  to: readonly string[],
  messages: readonly DeliveryRow[],
  parts: MailParts,
  links: readonly (string | undefined)[] = [],
): Promise<Sent> {
  return posted(to, parts, async () => ({
    ...mailTextOf(messages, parts.unitOf, links),
    attachments: await chartsOf(parts, messages),
  }));
}

/** One mail of another plugin, with its files. Its `Message-ID` is the same for each try. */
export function sendFiles(
  to: readonly string[],
  { id, subject, text, attachments }: TargetMail,
  parts: Pick<MailParts, 'settings' | 'signal'>,
): Promise<Sent> {
  const domain =
    parts.settings.smtp_from
      .split('@')
      .at(-1)
      ?.replace(/[^A-Za-z0-9.-]/g, '') || 'localhost';
  const files = attachments.map(({ name, contentType, bytes }) => ({
    ...{ filename: name, contentType, content: Buffer.from(bytes) },
  }));
  return posted(to, parts, async () => ({ messageId: `<${id}@${domain}>`, subject, text, attachments: files }));
}

async function posted(
  to: readonly string[],
  { settings, signal }: Pick<MailParts, 'settings' | 'signal'>,
  contentOf: () => Promise<SendMailOptions>,
): Promise<Sent> {
  const lacks = lacksServer(settings);
  if (lacks !== undefined) return { ok: false, outcome: lacks };
  try {
    const transporter = await connectionTo(settings);
    const mail = { ...(await contentOf()), from: settings.smtp_from, to: [...to] };
    await unlessAborted(transporter.sendMail(mail), signal);
    return { ok: true, outcome: 'The mail server accepted the mail.' };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ok: false, outcome: `The mail server did not accept the mail: ${messageOf(error)}.` };
  }
}

/** The address comes from the settings, not from a user, so the policy does not apply. */
async function connectionTo(settings: AlertSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const {
    smtp_host: host,
    smtp_port: port,
    smtp_security,
    smtp_user: user,
    smtp_password: pass,
    smtp_ca_file,
  } = settings;
  return createTransport({
    ...{ host, port, secure: smtp_security === 'tls', requireTLS: smtp_security === 'starttls' },
    ignoreTLS: smtp_security === 'none',
    // Read again for each mail: certificates change while the gateway runs.
    ...(smtp_ca_file !== '' && { tls: { ca: readFileSync(smtp_ca_file) } }),
    ...(user !== '' && { auth: { user, pass } }),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    // Nothing in a message makes it read a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

async function chartsOf(parts: MailParts, messages: readonly DeliveryRow[]) {
  // Messages from before 0.3 do not say their unit.
  const ofLevels = messages.filter(({ event }) => (event.unit ?? (event.kind === 'level' && 'dB')) === 'dB');
  const series = [...new Map(ofLevels.map(({ event }) => [`${event.unit_id} ${channelOf(event)}`, event])).values()];
  const charts = series.slice(0, MOST_CHARTS).map(async (event) => {
    const unitId = String(event.unit_id);
    const channel = channelOf(event);
    const limit = typeof event.limit === 'number' ? event.limit : undefined;
    const content = await lastHour(parts, { unitId, channel, limit });
    const name = channel === MAIN_CHANNEL ? unitId : `${unitId}_${channel}`;
    return { filename: `${name.replace(/[^A-Za-z0-9_-]/g, '_')}.svg`, contentType: 'image/svg+xml', content };
  });
  return Promise.all(charts);
}

/** Events that are about no level of a channel are drawn over the main one. */
const channelOf = ({ channel }: DeliveryRow['event']): string => (typeof channel === 'string' ? channel : MAIN_CHANNEL);

async function lastHour(
  { history, clock, unitOf, signal }: MailParts,
  { unitId, channel, limit }: { readonly unitId: string; readonly channel: string; readonly limit: number | undefined },
): Promise<string> {
  const to = Math.floor(clock.now() / 60_000) * 60;
  const over = { from: to - HOUR_S, to, step: 60 };
  const rows: HistoryRow[] = [];
  const answer = await history.query({ unitId, channel, over }, signal);
  for await (const page of answer.rows) rows.push(...page);
  const { timezone: zone } = unitOf(unitId);
  const span = { from: over.from * 1_000, to: over.to * 1_000 };
  const of = channel === MAIN_CHANNEL ? unitId : `${unitId} (${channel})`;
  const title = `${of}: Leq (dark) and Lmax (light) of each minute, dB; ${zone}`;
  return levelChartFile(title, { rows, span, zone, show: localTime(zone), limit });
}
