/** The kinds of targets. A new kind is a folder beside these and a line here. Only the dashboard knows some by name: people choose a language for mail and push. */
import { mailKind } from './mail/mail-kind.ts';
import { mqttKind } from './mqtt/mqtt-message.ts';
import { pushKind } from './push/push-kind.ts';
import type { TargetKind } from './target-kind.ts';
import { webhookKind } from './webhook/webhook.ts';

/** In the order of the form. A plugin may add further kinds before alerts begin. */
export const TARGET_KINDS: TargetKind[] = [mailKind, pushKind, webhookKind, mqttKind];

/** Undefined: the plugin of this kind is not loaded. */
export const targetKindOf = (kind: string): TargetKind | undefined => TARGET_KINDS.find(({ name }) => name === kind);
