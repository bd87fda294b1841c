/** A kind of target: its fields, and its way of sending. `target-kinds.ts` lists the kinds. */
import { type FormField, type InputError, type Outbound, PLAIN_TEXT } from '../../../lib/built-in.ts';
import type { Clock, History } from '../../../lib/index.ts';
import type { AlertSettings } from '../settings.ts';
import type { DeliveryRow } from '../tables.ts';
import type { MailUnit } from './mail/mail-text.ts';
import type { PushSender } from './push/push-sender.ts';
import type { AckLinks } from './signed-links.ts';
import type { Sent, Target, TargetBody } from './target.ts';

/** `Own`: the fields that the kind adds to every target. */
export interface TargetKind<Own extends object = object> {
  readonly name: string;
  /** Alerts are sent by it: `mail`. */
  readonly title: string;
  /** A field that is `writeOnly` is the secret: it is kept encrypted and never shown. */
  readonly fields: readonly FormField[];
  /** Checks that the description of the fields cannot express. `present`: the target that is to be replaced. */
  problems?(given: Partial<Own> & WithSecret, present: Present<Own> | undefined): InputError[];
  /** The address that a user entered, which the policy for outgoing calls must allow. */
  addressOf?(target: Own): string;
  /** The people whom a message of this target is sent to, where a link may let them acknowledge it. */
  recipients?(target: Own): readonly string[];
  /**
   * For a kind that sends to phones: the owners of the phones; undefined: everybody. Each phone gets its messages one
   * after the other, independently of other phones.
   */
  phonesOf?(target: Own): readonly string[] | undefined;
  /** Says in a sentence what setting or phone is missing for this kind; undefined: nothing is missing. */
  lacks?(settings: AlertSettings): string | undefined;
  /** The most messages that are sent as one, and how long the first waits for others (ms). Default: each alone, at once. */
  readonly gather?: { readonly most: number; readonly ms: number };
  /** Sends at least one message. Rejects with the reason if it cannot. */
  send(target: Target & Own, messages: readonly DeliveryRow[], parts: SendParts): Promise<Sent>;
}

interface WithSecret {
  readonly secret?: string;
}

/** A target as it is kept now, without its secret. */
export type Present<Own extends object = object> = TargetBody & Partial<Own> & { readonly hasSecret: boolean };

export interface SendParts {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly history: Pick<History, 'query'>;
  readonly settings: AlertSettings;
  readonly unitOf: (unitId: string) => MailUnit;
  /** Undefined: the target has no secret, or it is lost. */
  readonly secret: string | undefined;
  readonly signal: AbortSignal;
  readonly links: Pick<AckLinks, 'linkFor'>;
  readonly push: Pick<PushSender, 'send'>;
}

export const URL_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  description: 'For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883',
} as const;

export const SECRET_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: PLAIN_TEXT,
  writeOnly: true,
  description:
    'for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it',
} as const;

export const isBrokerUrl = (url: string): boolean => /^\s*mqtts?:/i.test(url);
