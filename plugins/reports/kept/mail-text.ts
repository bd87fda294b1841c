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
  const title = channel === MAIN_CHANNEL ? name : say('titleOfChannel', { title: name, channel });
  const names = attached.map((one) => one.name);
  const left = documents.map((one) => one.name).filter((one) => !names.includes(one));
  const second = [
    names.length > 0 ? say('mailAttached', { names: names.join(', ') }) : say('mailNothing'),
    ...(left.length > 0 ? [say('mailTooLarge', { names: left.join(', ') })] : []),
    ...(late && dueAt !== null ? [say('mailLate', { time: moment(dueAt) })] : []),
  ];
  return {
    subject: from === to ? say('mailSubjectDay', { name, date: from }) : say('mailSubject', { name, from, to }),
    text: `${say('mailAbout', { title, from: moment(fromAt), to: moment(toAt), zone })}\n${second.join(' ')}\n`,
  };
}
