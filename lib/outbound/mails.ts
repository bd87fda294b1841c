/** Connects the plugin that sends mail with plugins that want to send mail: one sender at a time. */
import type { MailSender, Mails } from './contract.ts';

export function createMails(): Mails {
  let present: MailSender | undefined;
  return {
    offer(sender) {
      if (present) throw new Error('mail is sent already by another plugin');
      present = sender;
      return () => {
        present = undefined;
      };
    },
    sender: () => present,
  };
}
