/** Evidence: what the other side of a quarrel can check without this gateway. */
import type { Plugin } from '../../lib/index.ts';
import { keyRoute } from './key-route.ts';

const plugin: Plugin = {
  name: 'evidence',
  about: 'Signed packages of levels, and the key that signs them',
  register(host) {
    keyRoute(host);
  },
};
export default plugin;
