/** The kinds of targets. A new kind is a folder beside these and a line here. Only the dashboard knows some by name: people choose a language for mail and push. */
import { mailKind } from './mail/mail-kind.ts';
import { mqttKind } from './mqtt/mqtt-message.ts';
import { pushKind } from './push/push-kind.ts';
import type { TargetKind } from './target-kind.ts';
import { webhookKind } from './webhook/webhook.ts';

/** In the order of the form. */
export const TARGET_KINDS: readonly TargetKind[] = [mailKind, pushKind, webhookKind, mqttKind];
