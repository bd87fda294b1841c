/** Targets that get mail: one mail for all events of a minute. */
import {
  type Language,
  languageOf,
  levelChartFile,
  localTime,
  MAIN_CHANNEL,
  type MailSender,
  type TargetMail,
} from '../../../../lib/built-in.ts';
import type { HistoryRow, Host } from '../../../../lib/index.ts';
import type { AlertSettings } from '../../settings.ts';
import type { TargetStore } from '../../stores.ts';
import type { DeliveryRow } from '../../tables.ts';
import { messageIdOf } from '../messages.ts';
import type { Sent } from '../target.ts';
import type { SendParts, TargetKind } from '../target-kind.ts';
import { mailTextOf } from './mail-text.ts';
import { lacksServer, type SmtpParts, tryMail } from './smtp.ts';

type MailParts = Pick<SendParts, 'clock' | 'history' | 'settings' | 'unitOf' | 'signal'>;

const HOUR_S = 3_600;
/** More drawings would be too much for a mail on a phone. */
const MOST_CHARTS = 3;

/** `links`: the acknowledging link of each message. Rejects only if the signal aborts. */
export async function sendMail(
  to: readonly string[],
  messages: readonly DeliveryRow[],
  parts: MailParts,
  links: readonly (string | undefined)[] = [],
  language?: Language,
): Promise<Sent> {
  const [first] = messages;
  if (!first) throw new Error('there is no message to send');
  return tryMail(
    { id: messageIdOf(first), to, reach: first.reach, isTest: first.type === 'test' },
    parts,
    async () => ({
      ...mailTextOf(messages, parts.unitOf, links, language),
      attachments: await chartsOf(parts, messages),
    }),
  );
}

function sendFiles(
  to: readonly string[],
  { id, subject, text, attachments, reach }: TargetMail,
  parts: SmtpParts,
): Promise<Sent> {
  const files = attachments.map(({ name, contentType, bytes }) => ({
    filename: name,
    contentType,
    content: Buffer.from(bytes),
  }));
  return tryMail({ id, to, reach }, parts, async () => ({ subject, text, attachments: files }));
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

/** Events that are about no channel are drawn over the main channel. */
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

interface MailFields {
  readonly to: readonly string[];
}

export const mailKind: TargetKind<MailFields> = {
  name: 'mail',
  title: 'mail',
  fields: [
    {
      name: 'to',
      label: 'Mail addresses',
      example: 'site@example.org',
      needed: true,
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        items: {
          type: 'string',
          maxLength: 254,
          pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
          description: 'one mail address such as site@example.org, without a name',
        },
      },
    },
  ],
  lacks: lacksServer,
  gather: { most: 50, ms: 60_000 },
  recipients: ({ to }) => to,
  async send({ id, to, language }, messages, parts) {
    const links = await Promise.all(messages.map((message) => parts.links.linkFor({ id, to }, message)));
    return sendMail(to, messages, parts, links, languageOf(language));
  },
};

/** Mail targets of alerts, for other plugins that have mail to send. Sends with the server of the settings. */
export function mailSender(
  { settings, clock }: Pick<Host<AlertSettings>, 'settings' | 'clock'>,
  targets: TargetStore,
): MailSender {
  const find = (id: string) => {
    const target = targets.find(id);
    if (target?.kind !== mailKind.name) return undefined;
    const { name, enabled } = target;
    return { id, name, enabled, to: mailKind.recipients?.({ to: [], ...target }) ?? [] };
  };
  return {
    target: find,
    lacks: () => lacksServer(settings),
    async send(targetId, mail, signal) {
      const target = find(targetId);
      if (!target) return { ok: false, outcome: `There is no mail target ${targetId}.` };
      return sendFiles(target.to, mail, { settings, clock, signal });
    },
  };
}
