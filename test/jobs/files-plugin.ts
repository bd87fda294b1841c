/** A plugin whose jobs end as a caller says: two kinds that fetch files or do not, and neither is the mirror. */
import { GatewayError, json, type Plugin } from '../../lib/index.ts';

const run = async ({ input }: { readonly input: { readonly fails: boolean } }) => {
  if (input.fails) throw new GatewayError('FTP_FAILED', 'The card does not answer.');
  return {};
};

const plugin: Plugin = {
  name: 'files-jobs',
  register(host) {
    host.jobs.kind({ name: 'fetch', fetchesFiles: true, run });
    host.jobs.kind({ name: 'other', run });
    host.route<{ readonly kind: string; readonly fails: boolean }, unknown>({
      method: 'POST',
      path: '/{unit_id}/files-job',
      access: 'operator',
      summary: 'Start a job',
      body: {
        type: 'object',
        required: ['kind', 'fails'],
        properties: { kind: { type: 'string' }, fails: { type: 'boolean' } },
      },
      statuses: [202],
      answer: {},
      errors: [],
      async handle({ unitId, body: { kind, fails } }) {
        await host.jobs.start(kind, unitId, { fails });
        return json({}, { status: 202 });
      },
    });
  },
};
export default plugin;
