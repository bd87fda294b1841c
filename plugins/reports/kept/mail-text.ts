/** The two lines of a mail with a report. Pure. */
import { type MailAttachment, zones } from '../../../lib/index.ts';
import type { ReportBody } from './schemas.ts';
import type { ReportRun } from './tables.ts';

/** `2026-11-16 06:00 +01:00`, as the clock of the zone shows it. */
const local = (zone: string, at: number): string =>
  zones.localIso(zone, at).replace(/^(.{10})T(\d\d:\d\d):\d\d(.*)$/, '$1 $2 $3');

/** The first line says what it is, the second what is attached, and whether it is late. Names are one line each already. */
export function mailText(
  { name, zone }: Pick<ReportBody, 'name' | 'zone'>,
  { fromAt, toAt, dueAt, late, documents }: ReportRun,
  attached: readonly Pick<MailAttachment, 'name'>[],
): { readonly subject: string; readonly text: string } {
  const days = [fromAt, toAt - 1].map((at) => zones.localIso(zone, at).slice(0, 10));
  const names = attached.map((one) => one.name);
  const left = documents.map((one) => one.name).filter((one) => !names.includes(one));
  const second = [
    names.length > 0 ? `Attached: ${names.join(', ')}.` : 'Nothing is attached.',
    ...(left.length > 0 ? [`Too large for a mail, and kept by the gateway: ${left.join(', ')}.`] : []),
    ...(late && dueAt !== null ? [`It was due at ${local(zone, dueAt)} and is made late.`] : []),
  ];
  return {
    subject: `${name}: ${days.join(' to ')}`,
    text: `${name}: ${local(zone, fromAt)} to ${local(zone, toAt)}, times of ${zone}.\n${second.join(' ')}\n`,
  };
}
