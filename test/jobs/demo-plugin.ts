/** A plugin with a kind of job that runs until it is cancelled. A route keeps a meter busy. */
import { json, type Plugin, type Reservation } from '../../lib/index.ts';

const plugin: Plugin = {
  name: 'demo-jobs',
  register(host) {
    host.jobs.kind({
      name: 'demo',
      run: (job) =>
        new Promise((_, reject) => {
          job.progress(1, null, 'files');
          job.signal.addEventListener('abort', () => reject(job.signal.reason));
        }),
    });
    host.route({
      method: 'POST',
      path: '/{unit_id}/demo',
      access: 'operator',
      summary: 'Start a job',
      statuses: [202],
      answer: { job: { type: 'object' } },
      errors: [],
      async handle({ unitId }) {
        const { id, state } = await host.jobs.start('demo', unitId, null);
        const job = { id: String(id), state, unit_id: unitId };
        return json({ job }, { status: 202, location: `/_jobs/${id}` });
      },
    });
    host.route({
      method: 'POST',
      path: '/{unit_id}/busy',
      access: 'operator',
      summary: 'Use the meter for two minutes',
      statuses: [202],
      answer: { message: { type: 'string' } },
      errors: [],
      async handle({ unitId }) {
        const { clock, signal } = host;
        const ends = clock.elapsed() + 120_000;
        const work = async (reservation: Reservation) => {
          while (clock.elapsed() < ends) await reservation.perform('measuring');
        };
        host
          .meter(unitId)
          .reserve('two minutes', work, { signal, deadlineMs: 600_000 })
          .catch(() => {});
        return json({ message: 'The meter is in use.' }, { status: 202 });
      },
    });
  },
};
export default plugin;
