import type { Plugin } from '../../../lib/index.ts';

const plugin: Plugin = {
  name: 'takes-a-path',
  register(host) {
    const route = { method: 'GET', path: '/greeting', access: 'public', summary: 'x', answer: {}, errors: [] } as const;
    host.route({ ...route, handle: () => ({}) });
  },
};
export default plugin;
