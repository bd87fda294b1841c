/** Uses the word of another plugin. */
import type { Plugin } from '../../../lib/index.ts';
import { journal } from './journal.ts';
import offers from './offers.ts';

const plugin: Plugin = {
  name: 'uses-offer',
  uses: ['offers'],
  register(host) {
    const { word } = host.use(offers);
    host.onStop(() => void journal.push(`at the end: ${word()}`));
  },
};
export default plugin;
