/** One route that checks a meter step by step, and says why it does not work. */
import { named, type Plugin, reaches, type Schema, whole } from '../../lib/index.ts';
import { CHECKS, examine } from './examination.ts';

const FINDING: Schema = whole({
  check: { type: 'string', enum: [...CHECKS] },
  outcome: {
    type: 'string',
    enum: ['ok', 'warning', 'failed', 'skipped'],
    description: 'warning: it works, but may be unwanted. skipped: an earlier step must be repaired first.',
  },
  detail: { type: 'string', description: 'The result in words.' },
  advice: { type: ['string', 'null'], description: 'A step to repair it, for a person.' },
  command: { type: ['string', 'null'], description: 'A command of `slm` that does it; null: none.' },
});

const EXAMINATION: Schema = named('Examination', {
  unit_id: { type: 'string' },
  healthy: { type: 'boolean', description: 'Nothing has failed; there may be warnings.' },
  checks: { type: 'array', items: FINDING },
});

const plugin: Plugin = {
  name: 'doctor',
  about: 'Checks of a meter, with advice',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/doctor',
      access: 'viewer',
      summary: 'Look for faults of a meter, step by step',
      description:
        'Name, address, port, reply, identity, weightings, clock, FTP and its data connection, each with an advice. Asks the meter about ten questions, which takes as many seconds, and changes nothing. Beside a watched stream it asks only for unknown values. The answer is 200 even if something is wrong with the meter.',
      answer: { data: EXAMINATION },
      errors: ['UNIT_NOT_FOUND'],
      async handle({ unitId, caller, identity }) {
        const checks = await examine(host, host.configs.of(unitId), caller, (other) => reaches(identity, other));
        return { data: { unit_id: unitId, healthy: checks.every(({ outcome }) => outcome !== 'failed'), checks } };
      },
    });
  },
};
export default plugin;
