/** The words of a mail: one for all events of a minute. What comes from users is text here, never a header or a tag. Pure. */
import { html } from '../../lib/index.ts';
import type { DeliveryRow } from './delivery-tables.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TITLES: Readonly<Record<DeliveryRow['type'], string>> = {
  opened: 'Alert',
  closed: 'Resolved',
  revised: 'Corrected',
  escalated: 'Nobody has acknowledged',
  test: 'Test',
};
const LONGEST_SUBJECT = 150;

type Message = Pick<DeliveryRow, 'type' | 'event'>;

export function mailTextOf(messages: readonly Message[]): MailText {
  const lines = messages.map(linesOf);
  const [first] = messages;
  const more = messages.length > 1 ? ` and ${messages.length - 1} more` : '';
  return {
    subject: plain(first ? `${headOf(first)}${more}` : '').slice(0, LONGEST_SUBJECT),
    text: `${lines.map((each) => each.join('\n')).join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${lines.map(htmlOf).join('')}</body></html>`,
  };
}

const word = (event: Message['event'], name: string): string => {
  const value = event[name];
  return value === null || value === undefined ? '' : plain(String(value));
};

const headOf = ({ type, event }: Message): string =>
  type === 'test' ? 'Test of alerts' : `${TITLES[type]}: ${word(event, 'rule_name')} at ${word(event, 'unit_id')}`;

function linesOf(message: Message): string[] {
  const { type, event } = message;
  if (type === 'test') return [headOf(message), 'Alerts of the sound level meter gateway arrive here.'];
  const unit = event.kind === 'level' ? ' dB' : '';
  const named = [
    ['Severity', word(event, 'severity')],
    ['What', word(event, 'detail')],
    ['Worst value', word(event, 'worst') && `${word(event, 'worst')}${unit} at ${word(event, 'worst_at')}`],
    ['Began', word(event, 'opened_at')],
    ['Ended', word(event, 'closed_at')],
  ] as const;
  return [headOf(message), ...named.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`)];
}

const htmlOf = ([head = '', ...lines]: readonly string[]): string =>
  html`<h3>${head}</h3><p>${lines.map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`)}</p>`.text;

/** One line: a line end in a name would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
