/** The result of the last finished measurement, main channel. */
import { quantities } from '../lib/built-in.ts';
import { COMMAND_ERRORS, type Plugin, type Schema, whole } from '../lib/index.ts';

const LEVEL: Schema = { type: ['string', 'null'], description: 'dB, one decimal; null before the first measurement.' };
/** Quantities of the whole measurement. */
const LEVELS = quantities.KEPT;

const plugin: Plugin = {
  name: 'results',
  about: 'The result of the last measurement',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/results',
      access: 'viewer',
      summary: 'Read the result of the last finished measurement',
      answer: {
        data: whole(
          quantities.levelsBy(LEVELS, () => LEVEL),
          {},
          quantities.OPTIONAL,
        ),
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const { main } = await host.meter(unitId).perform('lastResult', caller);
        return { data: quantities.withoutUnsent(quantities.levelsBy(LEVELS, (name) => main[name] ?? null)) };
      },
    });
  },
};
export default plugin;
