/** Schemas of jobs in answers, and the filters of their list. */
import {
  FORM_FIELD,
  type JobState,
  listQuery,
  named,
  orNull,
  type PageQuery,
  type Schema,
  TIME,
  TIME_OR_NULL,
  UNIT_ID_WORD,
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
/** A job in answers. */
export const JOB: Schema = named('Job', FIELDS);

/** A kind of job in answers. */
export const JOB_KIND: Schema = named('JobKind', {
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

/** The filters of the list. */
export interface JobListQuery extends PageQuery {
  readonly unit?: string;
  readonly state?: string;
  readonly kind?: string;
}

const words = (word: string, description: string): Schema => ({
  type: 'string',
  pattern: `^${word}(,${word}){0,99}$`,
  description,
});

export const JOB_LIST_QUERY = listQuery({
  unit: words(UNIT_ID_WORD, 'units, separated by commas'),
  state: words(`(${STATES.join('|')})`, `states, separated by commas: ${STATES.join(', ')}`),
  kind: words('[a-z][a-z0-9-]{0,63}', 'kinds, separated by commas'),
});
