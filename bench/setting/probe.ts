/** A plugin that lets a bench in the same process see what plugins see. */
import type { Host, Plugin } from '../../lib/index.ts';

let seen: Host | undefined;

export function pluginHost(): Host {
  if (!seen) throw new Error('no gateway has loaded the probe');
  return seen;
}

const plugin: Plugin = {
  name: 'probe',
  register(host) {
    seen = host;
  },
};
export default plugin;
