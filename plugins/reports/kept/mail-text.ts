/** The two lines of a mail with a report, in its language. Pure. */
import { LANGUAGES, MAIN_CHANNEL, type MailAttachment, zones } from '../../../lib/index.ts';
import { ReportSpeech } from '../speech.ts';
import type { ReportBody } from './schemas.ts';
import type { ReportRun } from './tables.ts';

/** The first line says what it is, the second what is attached, and whether it is late. Names are one line each already. */
export function mailText(
  { name, zone, wishes }: Pick<ReportBody, 'name' | 'zone' | 'wishes'>,
  { fromAt, toAt, dueAt, late, documents }: ReportRun,
  attached: readonly Pick<MailAttachment, 'name'>[],
): { readonly subject: string; readonly text: string } {
  const speech = new ReportSpeech(LANGUAGES.find((lang) => lang === wishes.lang) ?? 'en');
  const { say } = speech;
  const { channel = MAIN_CHANNEL } = wishes;
  const moment = (at: number) => speech.moment(zone, new Date(at).toISOString());
  const day = (at: number) => speech.date(zones.localIso(zone, at).slice(0, 10));
  const [from, to] = [day(fromAt), day(toAt - 1)];
  const title = channel === MAIN_CHANNEL ? name : say('{title}, channel {channel}', { title: name, channel });
  const names = attached.map((one) => one.name);
  const left = documents.map((one) => one.name).filter((one) => !names.includes(one));
  const second = [
    names.length > 0 ? say('Attached: {names}.', { names: names.join(', ') }) : say('Nothing is attached.'),
    ...(left.length > 0
      ? [say('Too large for a mail, and kept by the gateway: {names}.', { names: left.join(', ') })]
      : []),
    ...(late && dueAt !== null ? [say('It was due at {time} and is made late.', { time: moment(dueAt) })] : []),
  ];
  return {
    subject:
      from === to ? say('{name}: {date}', { name, date: from }) : say('{name}: {from} to {to}', { name, from, to }),
    text: `${say('{title}: {from} to {to}, times of {zone}.', { title, from: moment(fromAt), to: moment(toAt), zone })}\n${second.join(' ')}\n`,
  };
}
