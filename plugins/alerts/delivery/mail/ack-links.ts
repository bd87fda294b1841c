/**
 * Links that acknowledge one event, for people who have a mail and no API key. HMAC-SHA-256 signs the event, the target
 * with its addresses, and the end of the link. So a link acknowledges no other event. It does nothing after the
 * addresses of the target have changed.
 */
import { type Log, messageOf, type Secrets } from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import { SigningKey } from '../signing-key.ts';

/** How long a link can be used, ms. */
const LINK_MS = 7 * 86_400_000;
const KEY_NAME = 'acknowledge links';

/** A target as its links name it. */
export interface MailedTo {
  readonly id: string;
  /** Its addresses, in any order. */
  readonly to: readonly string[];
}

/** The event that a link acknowledges. */
export interface LinkedEvent {
  readonly id: number;
  /** ms since 1970 UTC. After a restore of an old backup, an id can mean another event; this time shows the difference. */
  readonly openedAt: number;
}

/** The query of a link. */
export interface LinkQuery {
  readonly target: string;
  /** The link can be used before this time, s since 1970 UTC. */
  readonly expires: number;
  readonly signature: string;
}

interface Parts {
  readonly secrets: Secrets;
  /** ms since 1970 UTC. */
  readonly now: () => number;
  /** Address of the API for people outside; empty: mails have no links. */
  readonly publicUrl: string;
  readonly log: Pick<Log, 'warn'>;
}

/** Makes and checks the links. The key that signs them is made with the first link and stored. */
export class AckLinks {
  readonly #parts: Parts;
  readonly #key: SigningKey;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#key = new SigningKey(parts.secrets, KEY_NAME);
  }

  /**
   * The link of a message. Undefined: the mail is sent without a link, since there is nothing to acknowledge, no public
   * address of the gateway, or no key to sign with. Never rejects.
   */
  async linkFor(
    target: MailedTo,
    message: Pick<DeliveryRow, 'eventId' | 'event' | 'type'>,
  ): Promise<string | undefined> {
    const { publicUrl, now, log } = this.#parts;
    const { eventId, event, type } = message;
    if (publicUrl === '' || eventId === null || type === 'closed' || event.ack) return undefined;
    const expires = Math.floor((now() + LINK_MS) / 1_000);
    const linked = { id: eventId, openedAt: Date.parse(String(event.opened_at)) };
    const signature = await this.#key.sign(signedBy(target, linked, expires)).catch((error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'a mail goes out without its link: there is no key to sign it with');
    });
    if (signature === undefined) return undefined;
    const query = new URLSearchParams({ target: target.id, expires: String(expires), signature });
    return `${publicUrl}/_alerts/events/${eventId}/ack-link?${query}`;
  }

  /** `expired`: the signature is right, but too old. The comparison takes the same time for every wrong signature. */
  async check(
    target: MailedTo,
    event: LinkedEvent,
    { expires, signature }: LinkQuery,
  ): Promise<'good' | 'expired' | 'wrong'> {
    if (!(await this.#key.isOf(signature, signedBy(target, event, expires)))) return 'wrong';
    return this.#parts.now() < expires * 1_000 ? 'good' : 'expired';
  }
}

const signedBy = (target: MailedTo, event: LinkedEvent, expires: number): readonly unknown[] => [
  'acknowledge',
  ...[event.id, event.openedAt, target.id, target.to.toSorted(), expires],
];
