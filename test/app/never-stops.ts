import type { Plugin } from '../../lib/index.ts';

/** A plugin that hangs when it is asked to stop. */
const plugin: Plugin = {
  name: 'never-stops',
  register(host) {
    host.socket({
      path: '/stream',
      access: 'public',
      summary: 'Open until somebody closes it',
      messages: [],
      errors: [],
      admit() {},
      open() {},
    });
    host.onStop(() => new Promise(() => {}));
  },
};
export default plugin;
