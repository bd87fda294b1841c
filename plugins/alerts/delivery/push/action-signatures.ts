/** Signatures for the buttons of a notification: each is for one action, event and phone, and expires. */
import type { Secrets } from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import type { LinkedEvent } from '../mail/ack-links.ts';
import { SigningKey } from '../signing-key.ts';
import type { PhoneRow } from './phones.ts';

export const PUSH_ACTIONS = ['acknowledge', 'quiet'] as const;

/** The body that a button sends. */
export interface SignedAction {
  readonly action: (typeof PUSH_ACTIONS)[number];
  /** An id. */
  readonly event: string;
  readonly phone: string;
  /** The button can be used before this time, s since 1970 UTC. */
  readonly expires: number;
  readonly signature: string;
}

/** How long a button can be used, ms. */
const BUTTON_MS = 86_400_000;

type SignedPhone = Pick<PhoneRow, 'id' | 'createdAt'>;

export class ActionSignatures {
  readonly #key: SigningKey;
  readonly #now: () => number;

  /** `now`: ms since 1970 UTC. */
  constructor(secrets: Secrets, now: () => number) {
    this.#key = new SigningKey(secrets, 'push actions');
    this.#now = now;
  }

  /** Errors: those of the store of secrets. */
  async make(
    action: SignedAction['action'],
    { id, createdAt }: SignedPhone,
    { eventId, event }: Pick<DeliveryRow, 'eventId' | 'event'>,
  ): Promise<SignedAction> {
    const expires = Math.floor((this.#now() + BUTTON_MS) / 1_000);
    const linked = { id: eventId ?? 0, openedAt: Date.parse(String(event.opened_at)) };
    const signature = await this.#key.sign(signedBy(action, { id, createdAt }, linked, expires));
    return { action, event: String(eventId), phone: String(id), expires, signature };
  }

  /** `expired`: the signature is right, but too old. */
  async check(
    { action, expires, signature }: SignedAction,
    phone: SignedPhone,
    event: LinkedEvent,
  ): Promise<'good' | 'expired' | 'wrong'> {
    if (!(await this.#key.isOf(signature, signedBy(action, phone, event, expires)))) return 'wrong';
    return this.#now() < expires * 1_000 ? 'good' : 'expired';
  }
}

const signedBy = (
  action: SignedAction['action'],
  phone: SignedPhone,
  event: LinkedEvent,
  expires: number,
): readonly unknown[] => [action, phone.id, phone.createdAt, event.id, event.openedAt, expires];
