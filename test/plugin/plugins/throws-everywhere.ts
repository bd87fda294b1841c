import type { Plugin } from '../../../lib/index.ts';

const fail = (where: string): never => {
  throw new Error(`thrown ${where}`);
};

/** A plugin that registers well and throws in everything that is called later. */
const plugin: Plugin = {
  name: 'throws-everywhere',
  register(host) {
    host.on('config', () => fail('by a listener'));
    host.route({
      method: 'GET',
      path: '/throws',
      access: 'public',
      summary: 'Throws',
      answer: {},
      errors: [],
      handle: () => fail('by a handler'),
    });
    host.socket({
      path: '/throws-when-open',
      access: 'public',
      summary: 'Throws once it is open',
      messages: [],
      errors: [],
      admit() {},
      open: () => fail('by an open stream'),
    });
    host.socket({
      path: '/throws-before',
      access: 'public',
      summary: 'Throws before it is open',
      messages: [],
      errors: [],
      admit: () => fail('before a stream'),
      open() {},
    });
    host.jobs.kind({ name: 'throws', run: () => fail('by a job') });
    host.onStop(() => fail('by the end'));
  },
};
export default plugin;
