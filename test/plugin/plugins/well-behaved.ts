import type { Host, Plugin } from '../../../lib/index.ts';
import { journal } from './journal.ts';

const plugin: Plugin<{ greeting: string; times: number }> = {
  name: 'well-behaved',
  settings: {
    type: 'object',
    properties: {
      greeting: { type: 'string', title: 'What to say', default: 'hello' },
      times: { type: 'integer', minimum: 1, title: 'How often', default: 1 },
    },
  },
  register(host: Host<{ greeting: string; times: number }>) {
    host.onStop(() => void journal.push('first registered, last undone'));
    host.route({
      method: 'GET',
      path: '/greeting',
      access: 'public',
      summary: 'Greets',
      answer: { greeting: { type: 'string' } },
      errors: [],
      handle: () => ({ greeting: host.settings.greeting.repeat(host.settings.times) }),
    });
    host.onStop(() => void journal.push(`last registered, signal aborted: ${host.signal.aborted}`));
  },
};
export default plugin;
