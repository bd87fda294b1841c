/** Long work of the gateway: listed, shown, cancelled. The plugins that bring the kinds of jobs start them. */
import {
  type DescribedKind,
  FORM_FIELD,
  type Job,
  type JobState,
  listQuery,
  NEXT,
  type PageQuery,
  pageOf,
  shownField,
  shownJob,
  TIME_OR_NULL,
  UNIT_ID_WORD,
} from '../../lib/built-in.ts';
import {
  GatewayError,
  type Host,
  type Identity,
  named,
  orNull,
  type Plugin,
  reaches,
  type Schema,
  TIME,
  whole,
} from '../../lib/index.ts';

const STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const satisfies readonly JobState[];

const FIELDS: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  kind: { type: 'string', description: 'The kind of work, such as mirror.' },
  title: { type: 'string', description: 'The name of the kind for people.' },
  unit_id: { type: ['string', 'null'], description: 'null: it is not about a single unit.' },
  state: { type: 'string', enum: STATES },
  progress: orNull(
    whole({
      done: { type: 'number' },
      total: { type: ['number', 'null'], description: 'null: not known.' },
      unit: { type: 'string', description: 'The counted unit.' },
    }),
  ),
  message: { type: ['string', 'null'] },
  created_at: TIME,
  started_at: TIME_OR_NULL,
  ended_at: TIME_OR_NULL,
  error: orNull(whole({ code: { type: 'string' }, detail: { type: 'string' } })),
  result: { description: 'The result; its form depends on the kind.' },
};
const JOB: Schema = named('Job', FIELDS);

const JOB_KIND: Schema = named('JobKind', {
  kind: { type: 'string' },
  title: { type: 'string', description: 'For people.' },
  fields: { type: 'array', items: FORM_FIELD, description: 'The fields to start it with.' },
  one_at_a_time: {
    type: ['string', 'null'],
    description: 'Jobs of all kinds with the same word run one after the other on a unit; null: no limit.',
  },
  goes_on: {
    type: 'boolean',
    description: 'Whether a job that runs while the gateway stops goes on after the next start.',
  },
});

interface JobListQuery extends PageQuery {
  readonly unit?: string;
  readonly state?: string;
  readonly kind?: string;
}

const words = (word: string, description: string): Schema => ({
  type: 'string',
  pattern: `^${word}(,${word}){0,99}$`,
  description,
});

const JOB_LIST_QUERY = listQuery({
  unit: words(UNIT_ID_WORD, 'units, separated by commas'),
  state: words(`(${STATES.join('|')})`, `states, separated by commas: ${STATES.join(', ')}`),
  kind: words('[a-z][a-z0-9-]{0,63}', 'kinds, separated by commas'),
});

const plugin: Plugin = {
  name: 'jobs',
  about: 'Long work',
  register(host) {
    readRoutes(host);
    cancelRoute(host);
  },
};
export default plugin;

function readRoutes(host: Host): void {
  host.route<unknown, JobListQuery>({
    method: 'GET',
    path: '/_jobs',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List long work, the newest first',
    description: 'Jobs of units that the API key may see. The last 1,000 that ended are kept.',
    query: JOB_LIST_QUERY,
    answer: { data: { type: 'array', items: JOB }, next: NEXT },
    etag: true,
    errors: [],
    async handle({ query, identity }) {
      const { limit } = query;
      const units = unitsOf(identity, listed(query.unit));
      if (units?.length === 0) return { data: [], next: null };
      const filter = { units, states: states(query.state), kinds: listed(query.kind) };
      const before = query.cursor === undefined ? undefined : Number(query.cursor);
      const jobs = await host.jobs.list({ ...filter, before, limit: limit + 1 });
      const { page, next } = pageOf(jobs, limit, ({ id }) => id);
      return { data: page.map(shownJob), next };
    },
  });

  host.route({
    method: 'GET',
    path: '/_jobs/kinds',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listJobKinds',
    summary: 'Describe the kinds of long work',
    answer: { data: { type: 'array', items: JOB_KIND } },
    etag: true,
    errors: [],
    handle: () => ({ data: host.jobs.kinds().map(shownKind) }),
  });

  host.route({
    method: 'GET',
    path: '/_jobs/{id}',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show one piece of long work',
    params: ID,
    answer: { data: JOB },
    etag: true,
    errors: ['JOB_NOT_FOUND'],
    async handle({ params, identity }) {
      return { data: shownJob(await found(host, params.id, identity)) };
    },
  });
}

function cancelRoute(host: Host): void {
  host.route({
    method: 'DELETE',
    path: '/_jobs/{id}',
    access: 'operator',
    operation: 'cancelJob',
    filtersUnits: true,
    summary: 'Cancel long work',
    description:
      'A waiting job is cancelled at once. A running job is asked to end, and is cancelled when it has ended. A job that has ended does not change.',
    params: ID,
    answer: { message: { type: 'string' }, data: JOB },
    errors: ['JOB_NOT_FOUND'],
    async handle({ params, identity, before }) {
      const present = await found(host, params.id, identity);
      before(shownJob(present));
      const job = (await host.jobs.cancel(present.id)) ?? present;
      return { message: outcome(job), data: shownJob(job) };
    },
  });
}

const shownKind = ({ name, title, fields, oneAtATime, goesOn }: DescribedKind) => ({
  kind: name,
  title,
  fields: fields.map(shownField),
  one_at_a_time: oneAtATime ?? null,
  goes_on: goesOn,
});

const ID = { id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a job' } } as const;

const listed = (text: string | undefined): readonly string[] | undefined => text?.split(',');
/** The schema of the query allows no other words. */
const states = (text: string | undefined) => listed(text) as readonly JobState[] | undefined;

function unitsOf(identity: Identity, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (identity.units === null) return wanted;
  return (wanted ?? identity.units).filter((unitId) => reaches(identity, unitId));
}

/** If the caller may not see a job, the answer does not show that it exists. */
async function found(host: Host, id: string | undefined, identity: Identity): Promise<Job> {
  const job = await host.jobs.get(Number(id));
  const visible = job && (job.unitId === null ? identity.units === null : reaches(identity, job.unitId));
  if (!job || !visible) throw new GatewayError('JOB_NOT_FOUND', `There is no job ${id}.`);
  return job;
}

function outcome({ id, state }: Job): string {
  if (state === 'cancelled') return `The job ${id} is cancelled.`;
  if (state === 'running') return `The job ${id} is asked to end.`;
  return `The job ${id} has ended already: it is ${state}.`;
}
