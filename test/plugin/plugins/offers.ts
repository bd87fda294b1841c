/** Offers a word to plugins that use it. */
import type { Plugin } from '../../../lib/index.ts';
import { journal } from './journal.ts';

const plugin: Plugin<unknown, { word(): string }> = {
  name: 'offers',
  register(host) {
    host.onStop(() => void journal.push('offers has ended'));
    return { word: () => 'hello from offers' };
  },
};
export default plugin;
