/** A job as the API shows it, and how jobs are asked for. */
import { iso, type Job, type JobState, type Schema } from '../../lib/index.ts';

const STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const satisfies readonly JobState[];
const MOMENT: Schema = { type: ['string', 'null'], format: 'date-time' };

const FIELDS: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  kind: { type: 'string', description: 'What is done, such as mirror.' },
  unit_id: { type: ['string', 'null'], description: 'null: it concerns no single unit.' },
  state: { type: 'string', enum: STATES },
  progress: {
    type: ['object', 'null'],
    properties: {
      done: { type: 'number' },
      total: { type: ['number', 'null'], description: 'null: not known.' },
      unit: { type: 'string', description: 'What is counted.' },
    },
    required: ['done', 'total', 'unit'],
    additionalProperties: false,
  },
  message: { type: ['string', 'null'] },
  created_at: { type: 'string', format: 'date-time' },
  started_at: MOMENT,
  ended_at: MOMENT,
  error: {
    type: ['object', 'null'],
    properties: { code: { type: 'string' }, detail: { type: 'string' } },
    required: ['code', 'detail'],
    additionalProperties: false,
  },
  result: { description: 'What came out; its form is that of the kind.' },
};
export const JOB: Schema = {
  type: 'object',
  properties: FIELDS,
  required: Object.keys(FIELDS),
  additionalProperties: false,
};

export interface ListQuery {
  readonly unit?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly limit: number;
  readonly cursor?: string;
}

const words = (word: string, description: string): Schema => ({
  type: 'string',
  pattern: `^${word}(,${word}){0,99}$`,
  description,
});

export const LIST_QUERY: Readonly<Record<string, Schema>> = {
  unit: words('[A-Za-z0-9][A-Za-z0-9._-]{0,63}', 'units, separated by commas'),
  state: words(`(${STATES.join('|')})`, `states, separated by commas: ${STATES.join(', ')}`),
  kind: words('[a-z][a-z0-9-]{0,63}', 'kinds, separated by commas'),
  limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  cursor: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the `next` of the page before' },
};

export const shown = (job: Job) => ({
  id: String(job.id),
  kind: job.kind,
  unit_id: job.unitId,
  state: job.state,
  progress: job.progress,
  message: job.message,
  created_at: iso(job.createdAt),
  started_at: iso(job.startedAt),
  ended_at: iso(job.endedAt),
  error: job.error,
  result: job.result,
});
