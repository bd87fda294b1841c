/**
 * Sends messages to phones: encrypted for each (RFC 8291), signed for its push service (RFC 8292). The policy for
 * outgoing calls must allow the address of the service.
 */
import {
  type Clock,
  countOf,
  GatewayError,
  type Host,
  messageOf,
  type Outbound,
  suffices,
} from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import type { AlertSettings } from '../mail/mail-settings.ts';
import type { MailUnit } from '../mail/mail-text.ts';
import type { Sent } from '../sent.ts';
import type { ActionSignatures } from './action-signatures.ts';
import type { PhoneRow } from './phone-tables.ts';
import type { Phones } from './phones.ts';
import { pushRequestOf } from './push-request.ts';
import { type PushText, pushTextOf, topicOf } from './push-text.ts';
import { contactOf, type Vapid } from './vapid.ts';

export interface PushSenderParts {
  readonly phones: Phones;
  readonly vapid: Vapid;
  readonly signatures: ActionSignatures;
  readonly rightsOf: Host['rightsOf'];
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly settings: AlertSettings;
}

/** The most bytes of an answer of a push service. */
const MOST_BYTES = 65_536;
const GONE: readonly number[] = [404, 410];

/** One try for one phone after the other. */
export class PushSender {
  readonly #parts: PushSenderParts;

  constructor(parts: PushSenderParts) {
    this.#parts = parts;
  }

  /** `people`: the owners of the phones, if the message is for no single phone; undefined: everybody. Errors: as `InternetCalls.postBytes`. */
  async send(
    message: DeliveryRow,
    people: readonly string[] | undefined,
    unit: MailUnit,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { phones } = this.#parts;
    const unitId = typeof message.event.unit_id === 'string' ? message.event.unit_id : undefined;
    if (message.phone !== null) {
      const phone = phones.find(message.phone);
      if (!phone || !phones.mayGet(phone, unitId))
        return { ok: false, isFinal: true, outcome: 'The owner of this phone has lost the right to see this unit.' };
      return this.#toPhone(phone, message, unit, signal);
    }
    const all = phones.reached(people, unitId);
    if (all.length === 0) return { ok: false, outcome: NOBODY };
    const sent: Sent[] = [];
    for (const phone of all) {
      const failed = (error: unknown): Sent => ({ ok: false, outcome: messageOf(error) });
      sent.push(await this.#toPhone(phone, message, unit, signal).catch(failed));
    }
    const taken = sent.filter(({ ok }) => ok).length;
    const why = sent.find(({ ok }) => !ok)?.outcome;
    return {
      ok: taken > 0,
      outcome: `${taken} of ${countOf(all.length, 'phone')}: ${why ?? 'the push services took it.'}`,
    };
  }

  async #toPhone(phone: PhoneRow, message: DeliveryRow, unit: MailUnit, signal: AbortSignal): Promise<Sent> {
    const { phones, outbound } = this.#parts;
    const subscription = await phones.subscriptionOf(phone);
    if (!subscription) {
      const outcome = 'The subscription of this phone is lost: subscribe again.';
      await phones.remove(phone.id, outcome);
      return { ok: false, isFinal: true, outcome };
    }
    const text = pushTextOf(message, unit, await this.#buttons(phone, message));
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
  async #buttons(phone: PhoneRow, message: DeliveryRow): Promise<PushText['actions']> {
    const { signatures, rightsOf } = this.#parts;
    const { type, eventId, event } = message;
    if (eventId === null || type === 'closed' || event.ack) return [];
    const quiet = { title: 'Quiet for an hour', body: await signatures.make('quiet', phone, message) };
    const role = rightsOf(phone.owner)?.role;
    if (role === undefined || !suffices(role, 'operator')) return [quiet];
    return [{ title: 'Acknowledge', body: await signatures.make('acknowledge', phone, message) }, quiet];
  }

  #contact(): string {
    const contact = contactOf(this.#parts.settings);
    if (contact === undefined) throw new GatewayError('OUTBOUND_FAILED', NO_CONTACT);
    return contact;
  }
}

/** The reason why a target of phones can reach none. */
export const NOBODY = 'No phone is subscribed: somebody has to turn alerts on in the settings of the dashboard.';
/** The reason why nothing can be sent to any phone. */
export const NO_CONTACT =
  'Push services want a contact that exists outside: set push_contact of the plugin alerts, such as mailto:noise@example.org. Names such as localhost or gateway.local do not count.';
