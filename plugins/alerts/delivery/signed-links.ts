/**
 * Links in mails and buttons of notifications, for people without an API key. HMAC-SHA-256 signs the event, the
 * receiver and the end of the link: a link is for one event and expires. A link does nothing after the addresses of its
 * target have changed.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PushAction } from '../../../client/schemas.ts';
import type { Secrets } from '../../../lib/built-in.ts';
import { type Host, messageOf } from '../../../lib/index.ts';
import type { DeliveryRow, EventRow, PhoneRow } from '../tables.ts';

/** A secret that is made at its first use, and kept encrypted. Errors: those of the store of secrets. */
export function madeOnce(secrets: Secrets, name: string, make: () => string): () => Promise<string> {
  const open = async () => {
    const kept = await secrets.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    await secrets.put(name, made);
    return made;
  };
  let known: Promise<string> | undefined;
  return () => {
    known ??= open().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

type SignerHost = Pick<Host, 'clock' | 'secrets'>;

interface Signature {
  /** It can be used before this time, s since 1970 UTC. */
  readonly expires: number;
  readonly signature: string;
}

class Signer {
  readonly #host: SignerHost;
  readonly #key: () => Promise<string>;
  readonly #lastsMs: number;

  constructor(host: SignerHost, keyName: string, lastsMs: number) {
    this.#host = host;
    this.#key = madeOnce(host.secrets, keyName, () => randomBytes(32).toString('base64url'));
    this.#lastsMs = lastsMs;
  }

  async sign(about: readonly unknown[]): Promise<Signature> {
    const expires = Math.floor((this.#host.clock.now() + this.#lastsMs) / 1_000);
    return { expires, signature: await this.#signatureOf([...about, expires]) };
  }

  /** `expired`: the signature is right, but too old. The comparison takes the same time for every wrong signature. */
  async check(about: readonly unknown[], { expires, signature }: Signature): Promise<'good' | 'expired' | 'wrong'> {
    const [right, given] = [Buffer.from(await this.#signatureOf([...about, expires])), Buffer.from(signature)];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return 'wrong';
    return this.#host.clock.now() < expires * 1_000 ? 'good' : 'expired';
  }

  async #signatureOf(signed: readonly unknown[]): Promise<string> {
    return createHmac('sha256', await this.#key())
      .update(JSON.stringify(signed))
      .digest('base64url');
  }
}

/** After a restore of an old backup, an id can mean another event; `openedAt` shows the difference. */
type LinkedEvent = Pick<EventRow, 'id' | 'openedAt'>;

const eventOf = ({ eventId, event }: Pick<DeliveryRow, 'eventId' | 'event'>): LinkedEvent => ({
  id: eventId ?? 0,
  openedAt: Date.parse(String(event.opened_at)),
});

/** A target as its links name it; its addresses in any order. */
export interface MailedTo {
  readonly id: string;
  readonly to: readonly string[];
}

export interface LinkQuery extends Signature {
  readonly target: string;
}

const linked = ({ id, to }: MailedTo, event: LinkedEvent) => [
  'acknowledge',
  ...[event.id, event.openedAt, id, to.toSorted()],
];

/** Links in mails that acknowledge an event, for a week. */
export class AckLinks {
  readonly #host: SignerHost & Pick<Host, 'log'>;
  readonly #signer: Signer;
  readonly #publicUrl: string;

  /** `publicUrl`: address of the API for people outside; empty: mails have no links. */
  constructor(host: SignerHost & Pick<Host, 'log'>, publicUrl: string) {
    this.#host = host;
    this.#signer = new Signer(host, 'acknowledge links', 7 * 86_400_000);
    this.#publicUrl = publicUrl;
  }

  /** Undefined: the mail is sent without a link, since there is nothing to acknowledge, no public address, or no key. Never rejects. */
  async linkFor(
    target: MailedTo,
    message: Pick<DeliveryRow, 'eventId' | 'event' | 'type'>,
  ): Promise<string | undefined> {
    const { eventId, event, type } = message;
    if (this.#publicUrl === '' || eventId === null || type === 'closed' || event.ack) return undefined;
    try {
      const { expires, signature } = await this.#signer.sign(linked(target, eventOf(message)));
      const query = new URLSearchParams({ target: target.id, expires: String(expires), signature });
      return `${this.#publicUrl}/_alerts/events/${eventId}/ack-link?${query}`;
    } catch (error) {
      const text = 'a mail goes out without its link: there is no key to sign it with';
      this.#host.log.warn({ reason: messageOf(error) }, text);
      return undefined;
    }
  }

  check(target: MailedTo, event: LinkedEvent, query: LinkQuery) {
    return this.#signer.check(linked(target, event), query);
  }
}

export const PUSH_ACTIONS = ['acknowledge', 'quiet'] as const;

type SignedPhone = Pick<PhoneRow, 'id' | 'createdAt'>;

const pressed = (action: PushAction['action'], phone: SignedPhone, event: LinkedEvent) => [
  action,
  ...[phone.id, phone.createdAt, event.id, event.openedAt],
];

/** Buttons of notifications, for a day. */
export class ActionSignatures {
  readonly #signer: Signer;

  constructor(host: SignerHost) {
    this.#signer = new Signer(host, 'push actions', 86_400_000);
  }

  async make(
    action: PushAction['action'],
    phone: SignedPhone,
    message: Pick<DeliveryRow, 'eventId' | 'event'>,
  ): Promise<PushAction> {
    const signed = await this.#signer.sign(pressed(action, phone, eventOf(message)));
    return { action, event: String(message.eventId), phone: String(phone.id), ...signed };
  }

  check(given: PushAction, phone: SignedPhone, event: LinkedEvent) {
    return this.#signer.check(pressed(given.action, phone, event), given);
  }
}
