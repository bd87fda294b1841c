/** The words of a mail about all events of a minute. Input of users is plain text here, never a header or a tag. Pure. */
import {
  type DeviceConfig,
  duration,
  GATEWAY_ID,
  html,
  localTime,
  type ShowTime,
  tables,
} from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';

/** The same words twice: as text and as HTML. */
interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TITLES: Readonly<Record<DeliveryRow['type'], string>> = {
  opened: 'Alert',
  critical: 'Limit exceeded',
  closed: 'Resolved',
  revised: 'Corrected',
  escalated: 'Nobody has acknowledged',
  test: 'Test',
};
const LONGEST_SUBJECT = 150;

type Message = Pick<DeliveryRow, 'type' | 'event'>;

/** The names of a unit, and its time zone. */
export type MailUnit = Pick<DeviceConfig, 'name' | 'place' | 'timezone'>;

/** One mail about these messages, in their order. `unitOf`: name, place and zone of a unit. `links`: the acknowledging link of each. */
export function mailTextOf(
  messages: readonly Message[],
  unitOf: (unitId: string) => MailUnit,
  links: readonly (string | undefined)[] = [],
): MailText {
  const lines = messages.map((message) => linesOf(message, unitOf(word(message.event, 'unit_id'))));
  const texts = lines.map((each, at) => [...each, ...(links[at] ? [`To acknowledge it, open ${links[at]}`] : [])]);
  const more = messages.length > 1 ? ` and ${messages.length - 1} more` : '';
  return {
    subject: `${lines[0]?.[0] ?? ''}${more}`.slice(0, LONGEST_SUBJECT),
    text: `${texts.map((each) => each.join('\n')).join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${lines.map((each, at) => htmlOf(each, links[at])).join('')}</body></html>`,
  };
}

const word = (event: Message['event'], name: string): string => {
  const value = event[name];
  return value === null || value === undefined ? '' : plain(String(value));
};

/** The event for people: a title, then one line for each thing that is known. */
export function linesOf({ type, event }: Message, { name, place, timezone }: MailUnit): string[] {
  if (type === 'test') return ['Test of alerts', 'Alerts of the sound level meter gateway arrive here.'];
  const unitId = word(event, 'unit_id');
  const isOfGateway = unitId === GATEWAY_ID;
  // With the offset: the reader may be elsewhere, and one hour of the year comes twice.
  const show = localTime(timezone, true);
  const time = (field: string) => word(event, field) && show(Date.parse(word(event, field)));
  const after = (Date.parse(word(event, 'closed_at')) - Date.parse(word(event, 'opened_at'))) / 1_000;
  const named = [
    ['Meter', isOfGateway ? '' : [plain(name ?? ''), plain(place ?? ''), unitId].filter(Boolean).join(', ')],
    ['Severity', word(event, 'severity')],
    ['What', word(event, 'detail')],
    ['Worst value', word(event, 'worst') && `${value(event, event.worst)} at ${time('worst_at')}`],
    ['Corrected by the card', correction(event)],
    ['Window', windowOf(event, show)],
    ['Began', time('opened_at')],
    ['Ended', time('closed_at') && `${time('closed_at')}, after ${duration(after)}`],
    ['Its page', word(event, 'page')],
  ] as const;
  return [
    `${TITLES[type]}: ${word(event, 'rule_name')}${isOfGateway ? '' : ` at ${plain(name ?? '') || unitId}`}`,
    ...named.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`),
  ];
}

/** Levels have one decimal. Messages from before 0.3 do not say their unit. */
function value({ kind, unit }: Message['event'], worst: unknown): string {
  const isLevel = unit === 'dB' || (unit === undefined && kind === 'level');
  if (isLevel) return `${tables.levelText(Number(worst))} dB`;
  return typeof unit === 'string' ? `${worst} ${unit}` : String(worst);
}

function correction(event: Message['event']): string {
  const revised = event.revised as { value: number; was: number | null } | null | undefined;
  if (!revised) return '';
  const before = revised.was === null ? 'nothing was recorded before' : `it was ${value(event, revised.was)} before`;
  return `${value(event, revised.value)}; ${before}`;
}

/** Only for a window of the clock: a sliding window ends where the event begins. */
function windowOf({ window_from: from, window_to: to, opened_at }: Message['event'], show: ShowTime): string {
  if (typeof from !== 'string' || typeof to !== 'string' || to === opened_at) return '';
  return `${show(Date.parse(from))} to ${show(Date.parse(to))}`;
}

const htmlOf = ([head = '', ...lines]: readonly string[], link: string | undefined): string =>
  html`<h3>${head}</h3><p>${lines.map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`)}</p>${
    link === undefined ? null : html`<p><a href="${link}">Acknowledge this alert</a></p>`
  }`.text;

/** One line, because a line end in a name would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
