/** The result of the last finished measurement, main channel. */
import { COMMAND_ERRORS, type Plugin, type Schema, whole } from '../lib/index.ts';

const LEVEL: Schema = { type: ['string', 'null'], description: 'dB, one decimal; null before the first measurement.' };
const LEVELS = { leq: LEVEL, lmax: LEVEL, lmin: LEVEL, lpeak: LEVEL };

const plugin: Plugin = {
  name: 'results',
  about: 'The result of the last measurement',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/results',
      access: 'viewer',
      summary: 'Read the result of the last finished measurement',
      answer: { data: whole(LEVELS) },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const { main } = await host.meter(unitId).perform('lastResult', caller);
        return { data: { leq: main.leq, lmax: main.lmax, lmin: main.lmin, lpeak: main.lpeak } };
      },
    });
  },
};
export default plugin;
