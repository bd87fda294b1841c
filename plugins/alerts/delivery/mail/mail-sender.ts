/** Mail targets of alerts, for other plugins that have mail to send. */
import type { Host, MailSender } from '../../../../lib/index.ts';
import type { TargetStore } from '../target-store.ts';
import { sendFiles } from './mail.ts';
import { mailKind } from './mail-kind.ts';
import type { AlertSettings } from './mail-settings.ts';
import { lacksServer } from './smtp.ts';

/** Sends with the server of the settings. */
export function mailSender(
  { settings, clock }: Pick<Host<AlertSettings>, 'settings' | 'clock'>,
  targets: TargetStore,
): MailSender {
  const find = (id: string) => {
    const target = targets.find(id);
    return target?.kind === mailKind.name ? target : undefined;
  };
  return {
    target: find,
    lacks: () => lacksServer(settings),
    async send(targetId, mail, signal) {
      const target = find(targetId);
      if (!target) return { ok: false, outcome: `There is no mail target ${targetId}.` };
      const to = mailKind.recipients?.({ to: [], ...target }) ?? [];
      return sendFiles(to, mail, { settings, clock, signal });
    },
  };
}
