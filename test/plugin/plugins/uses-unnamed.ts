/** Wants another plugin without naming it in `uses`. */
import type { Plugin } from '../../../lib/index.ts';
import offers from './offers.ts';

const plugin: Plugin = {
  name: 'uses-unnamed',
  register: (host) => void host.use(offers),
};
export default plugin;
