/** The kinds of targets. A new one is a folder beside these and a line here; nothing else knows them by name. */
import { mailKind } from './mail/mail-kind.ts';
import { mqttKind } from './mqtt/mqtt-kind.ts';
import { pushKind } from './push/push-kind.ts';
import type { TargetKind } from './target-kind.ts';
import { webhookKind } from './webhook/webhook-kind.ts';

/** In the order in which a form shows them. */
export const TARGET_KINDS: readonly TargetKind[] = [mailKind, pushKind, webhookKind, mqttKind];
