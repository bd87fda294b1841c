/** The words of a mail about all events of a minute, in the language of its target. Input of users is plain text here, never a header or a tag. Pure. */
import {
  duration,
  GATEWAY_ID,
  type Language,
  localTime,
  type Say,
  type Sentence,
  type ShowTime,
  sayIn,
  sentenceIn,
  tables,
} from '../../../../lib/built-in.ts';
import { type DeviceConfig, html, texts } from '../../../../lib/index.ts';
import type { DeliveryRow } from '../../tables.ts';

interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TITLES = texts({
  opened: 'Alert: {rule}',
  critical: 'Limit exceeded: {rule}',
  closed: 'Resolved: {rule}',
  revised: 'Corrected: {rule}',
  escalated: 'Nobody has acknowledged: {rule}',
});
const SEVERITIES = texts({
  info: 'info ## severity',
  warning: 'warning ## severity',
  critical: 'critical ## severity',
});
const LONGEST_SUBJECT = 150;

type Message = Pick<DeliveryRow, 'type' | 'event'>;

export type MailUnit = Pick<DeviceConfig, 'name' | 'place' | 'timezone'>;

/** One mail about these messages, in their order. `unitOf`: name, place and zone of a unit. `links`: the acknowledging link of each. */
export function mailTextOf(
  messages: readonly Message[],
  unitOf: (unitId: string) => MailUnit,
  links: readonly (string | undefined)[] = [],
  language: Language = 'en',
): MailText {
  const say = sayIn(language);
  const all = messages.map((message) => linesOf(message, unitOf(word(message.event, 'unit_id')), language));
  const plainText = all.map((each, at) => {
    const link = links[at];
    return [...each, ...(link === undefined ? [] : [say('To acknowledge it, open {link}', { link })])].join('\n');
  });
  const [first = ''] = all[0] ?? [];
  const subject = all.length > 1 ? say('{first} and {count} more', { first, count: all.length - 1 }) : first;
  return {
    subject: subject.slice(0, LONGEST_SUBJECT),
    text: `${plainText.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><body>${all.map((each, at) => htmlOf(each, links[at], say)).join('')}</body></html>`,
  };
}

const word = (event: Message['event'], name: string): string => {
  const value = event[name];
  return value === null || value === undefined ? '' : plain(String(value));
};

/** A text of the event in a language. Older messages and events have it in English only. */
function textOf(event: Message['event'], field: string, language: Language, show: ShowTime): string {
  const sentences = event.sentences as Readonly<Record<string, Sentence>> | undefined;
  const sentence = language === 'en' ? undefined : sentences?.[field];
  return sentence ? plain(sentenceIn(language, sentence, show)) : word(event, field);
}

export function linesOf(
  { type, event }: Message,
  { name, place, timezone }: MailUnit,
  language: Language = 'en',
): string[] {
  const say = sayIn(language);
  if (type === 'test') return [say('Test of alerts'), say('Alerts of the sound level meter gateway arrive here.')];
  const unitId = word(event, 'unit_id');
  const isOfGateway = unitId === GATEWAY_ID;
  const show = timesOf(timezone, language);
  const time = (field: string) => word(event, field) && show(Date.parse(word(event, field)));
  const after = (Date.parse(word(event, 'closed_at')) - Date.parse(word(event, 'opened_at'))) / 1_000;
  const rule = textOf(event, 'rule_name', language, show);
  const detail = textOf(event, 'detail', language, show);
  const severity = word(event, 'severity');
  const isKnown = (name: string): name is keyof typeof SEVERITIES => Object.hasOwn(SEVERITIES, name);
  const meter = [plain(name ?? ''), plain(place ?? ''), unitId].filter(Boolean).join(', ');
  const worst = word(event, 'worst') && value(event, event.worst, language);
  const [from, to] = windowOf(event, show);
  const lines = [
    isOfGateway ? '' : say('Meter: {meter}', { meter }),
    severity && say('Severity: {severity}', { severity: isKnown(severity) ? say(SEVERITIES[severity]) : severity }),
    detail && say('What: {detail}', { detail }),
    worst && say('Worst value: {value} at {time}', { value: worst, time: time('worst_at') }),
    correction(event, language),
    from === undefined || to === undefined ? '' : say('Window: {from} to {to}', { from, to }),
    time('opened_at') && say('Began: {time}', { time: time('opened_at') }),
    time('closed_at') && say('Ended: {time}, after {length}', { time: time('closed_at'), length: duration(after) }),
    word(event, 'page') && say('Its page: {address}', { address: word(event, 'page') }),
  ];
  const about = isOfGateway ? rule : say('{rule} at {meter}', { rule, meter: plain(name ?? '') || unitId });
  return [say(TITLES[type], { rule: about }), ...lines.filter((line) => line !== '')];
}

/** With the offset: the reader may be elsewhere, and one hour of the year comes twice. */
function timesOf(timeZone: string, language: Language): ShowTime {
  if (language === 'en') return localTime(timeZone, true);
  const form = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone } as const;
  const format = new Intl.DateTimeFormat(language, form);
  return (at) => `${format.format(at)} ${localTime(timeZone, true)(at).split(' ').at(-1)}`;
}

/** Levels have one decimal. Messages from before 0.3 do not say their unit. */
function value({ kind, unit }: Message['event'], worst: unknown, language: Language): string {
  const isLevel = unit === 'dB' || (unit === undefined && kind === 'level');
  const places = { minimumFractionDigits: isLevel ? 1 : 0, useGrouping: false };
  const figure = isLevel ? tables.levelText(Number(worst)) : String(worst);
  const written = language === 'en' ? figure : Number(figure).toLocaleString(language, places);
  if (isLevel) return `${written} dB`;
  return typeof unit === 'string' ? `${written} ${unit}` : written;
}

function correction(event: Message['event'], language: Language): string {
  const revised = event.revised as { value: number; was: number | null } | null | undefined;
  if (!revised) return '';
  const say = sayIn(language);
  const level = value(event, revised.value, language);
  return revised.was === null
    ? say('Corrected by the card: {level}; nothing was recorded before', { level })
    : say('Corrected by the card: {level}; it was {before} before', {
        level,
        before: value(event, revised.was, language),
      });
}

/** Only for a window of the clock: a sliding window ends where the event begins. */
function windowOf({ window_from: from, window_to: to, opened_at }: Message['event'], show: ShowTime): string[] {
  if (typeof from !== 'string' || typeof to !== 'string' || to === opened_at) return [];
  return [show(Date.parse(from)), show(Date.parse(to))];
}

const htmlOf = ([head = '', ...lines]: readonly string[], link: string | undefined, say: Say): string =>
  html`<h3>${head}</h3><p>${lines.map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`)}</p>${
    link === undefined ? null : html`<p><a href="${link}">${say('Acknowledge this alert')}</a></p>`
  }`.text;

/** One line, because a line end in a name would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
