/** The notification that a phone shows about an event, and the bodies that its buttons send. Pure. */
import type { DeliveryRow } from '../delivery-tables.ts';
import { linesOf, type MailUnit } from '../mail/mail-text.ts';
import type { SignedAction } from './action-signatures.ts';

/** As the service worker of the dashboard reads it. */
export interface PushText {
  /** Another layout has another number. */
  readonly version: 1;
  readonly title: string;
  readonly body: string;
  /** A notification replaces the notification with the same tag: one for each event. */
  readonly tag: string;
  /** The page to open, from the root of the dashboard. */
  readonly open: string;
  /** Buttons, with the body that each sends to `POST _push/actions`. */
  readonly actions: readonly { readonly title: string; readonly body: SignedAction }[];
}

/** Encrypted, with its overhead, a message has at most 4,096 bytes (RFC 8291). */
const LONGEST_TITLE = 150;
const LONGEST_BODY = 600;

/** Unit, rule, value, and since when. */
export function pushTextOf(
  message: Pick<DeliveryRow, 'type' | 'event' | 'eventId'>,
  unit: MailUnit,
  actions: PushText['actions'],
): PushText {
  const [title = '', ...lines] = linesOf(message, unit);
  const { eventId } = message;
  return {
    version: 1,
    title: cut(title, LONGEST_TITLE),
    body: cut(lines.join('\n'), LONGEST_BODY),
    tag: topicOf(message),
    open: eventId === null ? 'alerts' : `alerts#event-${eventId}`,
    actions,
  };
}

/** Tag of the notification, and topic at the push service: a newer message replaces a message that was not fetched (RFC 8030, 5.4). */
export const topicOf = ({ eventId }: Pick<DeliveryRow, 'eventId'>): string =>
  eventId === null ? 'test' : `event-${eventId}`;

/** Counts characters, so that none is cut in two. */
const cut = (text: string, most: number): string => {
  const all = [...text];
  return all.length <= most ? text : `${all.slice(0, most - 1).join('')}…`;
};
