/** Waits for ever in its registration, after one route; then it tries another. */
import type { Plugin } from '../../../lib/index.ts';

export const waiting = Promise.withResolvers<void>();

const route = (path: string) => ({
  method: 'GET' as const,
  path,
  access: 'viewer' as const,
  summary: 'Never there',
  answer: {},
  errors: [],
  handle: () => ({}),
});

const plugin: Plugin = {
  name: 'never-registers',
  async register(host) {
    host.route(route('/never'));
    await waiting.promise;
    host.route(route('/too-late'));
  },
};
export default plugin;
