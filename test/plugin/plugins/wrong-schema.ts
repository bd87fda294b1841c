import type { Host, Plugin } from '../../../lib/index.ts';

const plugin: Plugin = {
  name: 'wrong-schema',
  register(host: Host) {
    host.route({
      method: 'GET',
      path: '/greeting',
      access: 'public',
      summary: 'Greets',
      query: { name: { type: 'txt' } },
      answer: { greeting: { type: 'string' } },
      errors: [],
      handle: () => ({ greeting: 'hello' }),
    });
  },
};
export default plugin;
