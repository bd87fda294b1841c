/** The kinds of targets. A new kind is a folder beside these and a line here; no other code has their names. */
import { mailKind } from './mail/mail-kind.ts';
import { mqttKind } from './mqtt/mqtt-message.ts';
import { pushKind } from './push/push-kind.ts';
import type { TargetKind } from './target-kind.ts';
import { webhookKind } from './webhook/webhook.ts';

/** In the order of the form. */
export const TARGET_KINDS: readonly TargetKind[] = [mailKind, pushKind, webhookKind, mqttKind];
