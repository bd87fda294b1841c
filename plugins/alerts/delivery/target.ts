/** Where alerts are sent to. Its words are those of the API; secrets (of a webhook, of a broker) are kept elsewhere. Data only. */
import type { ScheduleEntry } from '../rules/rule.ts';

interface Common {
  readonly name: string;
  readonly enabled: boolean;
  /** Whether the end of an event is sent, too. */
  readonly resolved: boolean;
  /** Times at which only critical events are sent; the others wait for the end of these times. */
  readonly quiet?: readonly ScheduleEntry[] | undefined;
  /** IANA name of the clock of `quiet`. */
  readonly zone?: string | undefined;
}
export interface WebhookTarget extends Common {
  readonly kind: 'webhook';
  readonly url: string;
}
export interface MailTarget extends Common {
  readonly kind: 'mail';
  readonly to: readonly string[];
}
export interface MqttTarget extends Common {
  readonly kind: 'mqtt';
  readonly url: string;
  readonly topic: string;
  readonly username?: string | undefined;
}
export type TargetBody = WebhookTarget | MailTarget | MqttTarget;
export type Target = TargetBody & { readonly id: string; readonly createdAt: number; readonly changedAt: number };
