import type { Plugin } from '../../../lib/index.ts';
import { journal } from './journal.ts';

const plugin: Plugin = {
  name: 'fails-to-register',
  async register(host) {
    host.route({
      method: 'GET',
      path: '/half',
      access: 'public',
      summary: 'Registered before the failure',
      answer: {},
      errors: [],
      handle: () => ({}),
    });
    host.socket({
      path: '/half-socket',
      access: 'public',
      summary: 'x',
      messages: [],
      errors: [],
      admit() {},
      open() {},
    });
    host.onStop(() => {
      throw new Error('the undoing fails too');
    });
    host.onStop(() => void journal.push('half undone'));
    await Promise.resolve();
    throw new Error('no luck');
  },
};
export default plugin;
