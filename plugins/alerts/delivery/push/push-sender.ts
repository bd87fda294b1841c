/**
 * Sends messages to phones: encrypted for each (RFC 8291), signed for its push service (RFC 8292). The policy for
 * outgoing calls must allow the address of the service.
 */

import { createECDH } from 'node:crypto';
import type { PushAction } from '../../../../client/schemas.ts';
import { countOf, type Language, languageOf, type Say, sayIn, suffices } from '../../../../lib/built-in.ts';
import { GatewayError, type Host, messageOf } from '../../../../lib/index.ts';
import type { AlertSettings } from '../../settings.ts';
import type { DeliveryRow, PhoneRow } from '../../tables.ts';
import { linesOf, type MailUnit } from '../mail/mail-text.ts';
import type { ActionSignatures } from '../signed-links.ts';
import type { Sent } from '../target.ts';
import type { PhoneAddress, Phones } from './phones.ts';
import { contactOf, type Vapid, type VapidPair, vapidHeader } from './vapid.ts';

interface PushMessage {
  readonly address: PhoneAddress;
  /** At most 3,993 bytes as UTF-8. */
  readonly text: string;
  readonly topic: string;
  readonly urgency: 'normal' | 'high';
}

interface PushOrigin {
  readonly pair: VapidPair;
  readonly contact: string;
  readonly now: number;
}

/** The time in seconds for which the push service keeps a message for a phone that is off. */
const KEPT_S = 86_400;

/** The message encrypted for one browser (RFC 8291) with a key of its own, signed for the push service (RFC 8292). */
export async function pushRequestOf(message: PushMessage, { pair, contact, now }: PushOrigin) {
  const { endpoint, p256dh, auth } = message.address;
  // Loaded only where somebody has subscribed.
  const { default: library } = await import('http_ece');
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  const keys = { version: 'aes128gcm', dh: p256dh, authSecret: auth, privateKey } as const;
  return {
    url: endpoint,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      'user-agent': 'slm-gateway',
      authorization: vapidHeader(pair, endpoint, contact, now),
      ttl: String(KEPT_S),
      urgency: message.urgency,
      topic: message.topic,
    },
    body: library.encrypt(Buffer.from(message.text), keys),
  };
}

/** As the service worker of the dashboard reads it. */
interface PushText {
  /** Another layout has another number. */
  readonly version: 1;
  readonly title: string;
  readonly body: string;
  /** A notification replaces the notification with the same tag: one for each event. */
  readonly tag: string;
  /** The page to open, from the root of the dashboard. */
  readonly open: string;
  /** Buttons, with the body that each sends to `POST _push/actions`. */
  readonly actions: readonly { readonly title: string; readonly body: PushAction }[];
}

interface Reader {
  readonly unit: MailUnit;
  readonly language: Language;
}

/** Encrypted, with its overhead, a message has at most 4,096 bytes (RFC 8291). */
const LONGEST_TITLE = 150;
const LONGEST_BODY = 600;

function pushTextOf(
  message: Pick<DeliveryRow, 'type' | 'event' | 'eventId'>,
  { unit, language }: Reader,
  actions: PushText['actions'],
): PushText {
  const [title = '', ...lines] = linesOf(message, unit, language);
  const { eventId } = message;
  return {
    version: 1,
    title: cut(title, LONGEST_TITLE),
    body: cut(lines.join('\n'), LONGEST_BODY),
    tag: topicOf(message),
    open: eventId === null ? 'alerts' : `alerts/${eventId}`,
    actions,
  };
}

/** Tag of the notification, and topic at the push service: a newer message replaces a message that was not fetched (RFC 8030, 5.4). */
const topicOf = ({ eventId }: Pick<DeliveryRow, 'eventId'>): string => (eventId === null ? 'test' : `event-${eventId}`);

/** Counts characters, so that none is cut in two. */
const cut = (text: string, most: number): string => {
  const all = [...text];
  return all.length <= most ? text : `${all.slice(0, most - 1).join('')}…`;
};

interface PushSenderParts extends Pick<Host<AlertSettings>, 'clock' | 'outbound' | 'rightsOf' | 'settings'> {
  readonly phones: Phones;
  readonly vapid: Vapid;
  readonly signatures: ActionSignatures;
}

const MOST_BYTES = 65_536;
const GONE: readonly number[] = [404, 410];

export class PushSender {
  readonly #parts: PushSenderParts;

  constructor(parts: PushSenderParts) {
    this.#parts = parts;
  }

  /** `people`: the owners of the phones, if the message is for no single phone; undefined: everybody. Errors: as `InternetCalls.postBytes`. */
  async send(
    message: DeliveryRow,
    people: readonly string[] | undefined,
    reader: Reader,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { phones } = this.#parts;
    const unitId = typeof message.event.unit_id === 'string' ? message.event.unit_id : undefined;
    if (message.phone !== null) {
      const phone = phones.find(message.phone);
      if (!phone || !phones.mayGet(phone, unitId))
        return { ok: false, isFinal: true, outcome: 'The owner of this phone has lost the right to see this unit.' };
      return this.#toPhone(phone, message, reader, signal);
    }
    const all = phones.reached(people, unitId);
    if (all.length === 0) return { ok: false, outcome: NOBODY };
    const sent: Sent[] = [];
    for (const phone of all) {
      const failed = (error: unknown): Sent => ({ ok: false, outcome: messageOf(error) });
      sent.push(await this.#toPhone(phone, message, reader, signal).catch(failed));
    }
    const taken = sent.filter(({ ok }) => ok).length;
    const why = sent.find(({ ok }) => !ok)?.outcome;
    return {
      ok: taken > 0,
      outcome: `${taken} of ${countOf(all.length, 'phone')}: ${why ?? 'the push services took it.'}`,
    };
  }

  async #toPhone(
    phone: PhoneRow,
    message: DeliveryRow,
    { unit, language: usual }: Reader,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { phones, outbound } = this.#parts;
    const subscription = await phones.subscriptionOf(phone);
    if (!subscription) {
      const outcome = 'The subscription of this phone is lost: subscribe again.';
      await phones.remove(phone.id, outcome);
      return { ok: false, isFinal: true, outcome };
    }
    const language = phone.language === null ? usual : languageOf(phone.language);
    const text = pushTextOf(message, { unit, language }, await this.#buttons(phone, message, sayIn(language)));
    const origin = { pair: await this.#parts.vapid.pair(), contact: this.#contact(), now: this.#parts.clock.now() };
    const urgency = message.event.severity === 'critical' ? 'high' : 'normal';
    const sealed = { address: subscription, text: JSON.stringify(text), topic: topicOf(message), urgency } as const;
    const call = { ...(await pushRequestOf(sealed, origin)), mostBytes: MOST_BYTES };
    const { status } = await outbound.internet.postBytes(call, signal);
    const ok = status >= 200 && status < 300;
    if (ok) await phones.taken(phone.id);
    const isGone = GONE.includes(status);
    const outcome = `The push service answered ${status}.${isGone ? ' The phone gets no more messages: subscribe again.' : ''}`;
    if (isGone) await phones.remove(phone.id, outcome);
    return { ok, outcome, isFinal: isGone };
  }

  /** The notification has the button to acknowledge only if the owner may acknowledge. */
  async #buttons(phone: PhoneRow, message: DeliveryRow, say: Say): Promise<PushText['actions']> {
    const { signatures, rightsOf } = this.#parts;
    const { type, eventId, event } = message;
    if (eventId === null || type === 'closed' || event.ack) return [];
    const quiet = { title: say('Quiet for an hour'), body: await signatures.make('quiet', phone, message) };
    const role = rightsOf(phone.owner)?.role;
    if (role === undefined || !suffices(role, 'operator')) return [quiet];
    return [{ title: say('Acknowledge'), body: await signatures.make('acknowledge', phone, message) }, quiet];
  }

  #contact(): string {
    const contact = contactOf(this.#parts.settings);
    if (contact === undefined) throw new GatewayError('OUTBOUND_FAILED', NO_CONTACT);
    return contact;
  }
}

const NOBODY = 'No phone is subscribed: somebody has to turn alerts on in the settings of the dashboard.';
export const NO_CONTACT =
  'Push services want a contact that exists outside: set push_contact of the plugin alerts, such as mailto:noise@example.org. Names such as localhost or gateway.local do not count.';
