/** The counters of every meter and of the process, for Prometheus. From memory: no meter is contacted. */
import { type Plugin, reaches, text } from '../../lib/index.ts';
import { createMetrics } from './exposition.ts';

const plugin: Plugin = {
  name: 'metrics',
  about: 'Numbers for a monitoring system',
  register(host) {
    const metrics = createMetrics(host);
    host.onStop(() => metrics.close());
    host.route({
      method: 'GET',
      path: '/metrics',
      besideBase: true,
      access: 'viewer',
      filtersUnits: true,
      summary: 'Show the counters of all meters in the text format of Prometheus',
      description: 'Counters of the meters that the API key may see. They begin at 0 when the process starts.',
      answer: 'text',
      errors: [],
      handle: async ({ identity }) =>
        text({
          text: await metrics.text((unitId) => reaches(identity, unitId)),
          contentType: metrics.contentType,
        }),
    });
  },
};
export default plugin;
