/** A plugin with one kind of job, which runs until it is cancelled. */
import { json, type Plugin } from '../../lib/index.ts';

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
  },
};
export default plugin;
