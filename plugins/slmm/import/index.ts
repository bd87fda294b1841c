/**
 * Takes over the database of SLMM: units, rules, events and levels. The file is checked as a whole before anything is
 * written. It is a job; the answer to a small file comes at its end, to a large one before. Existing data is not added
 * twice, so a broken import can be sent again.
 */
import { Readable } from 'node:stream';
import { countOf, type JobRun, unlessAborted, type Weighting } from '../../../lib/built-in.ts';
import { GatewayError, type Host, json, type Request, type Schema, type Tables } from '../../../lib/index.ts';
import { gatewayOf, type SlmmRequest, type SlmmSettings, type SlmmValues } from '../route.ts';
import { type ArrivedDatabase, arrive, removeLeft } from './database.ts';
import { planOf } from './plan.ts';
import { type Taken, Writer } from './writer.ts';

const KIND = 'slmm-import';
const MB = 1_000_000;
const LIMIT_MB = 500;
/** The answer to a larger file does not wait for its end. A file of this size takes some seconds. */
const LONG_MB = 4;

const COUNT: Schema = { type: 'integer', minimum: 0 };
const LINES: Schema = { type: 'array', items: { type: 'string' } };
const counts = { units: COUNT, rules: COUNT, events: COUNT, readings: COUNT };
const DATA: Schema = {
  type: 'object',
  description: 'Absent while the job goes on; then it is the result of the job.',
  properties: {
    taken: { type: 'object', properties: counts, required: Object.keys(counts), additionalProperties: false },
    mended: { ...LINES, description: 'Wrong data in the database that is corrected here.' },
    left: { ...LINES, description: 'Data that was left out, and why.' },
  },
  required: ['taken', 'mended', 'left'],
  additionalProperties: false,
};

interface Query {
  readonly check: boolean;
  readonly frequency_weighting: Weighting['frequency'];
  readonly time_weighting: Weighting['time'];
}

interface Result {
  readonly taken: Taken;
  readonly mended: readonly string[];
  readonly left: readonly string[];
}

interface Outcome {
  readonly message: string;
  readonly data: Result;
}

interface Import {
  readonly file: ArrivedDatabase;
  readonly request: Request<unknown, Query>;
  readonly done: PromiseWithResolvers<Outcome>;
  job: number | undefined;
}

/** The route that takes the file. */
export async function addImport(host: Host<SlmmSettings>, tables: Tables): Promise<void> {
  const folder = await host.folder();
  await removeLeft(folder);
  /** True from the first byte of a file on. */
  let isTaken = false;
  let current: Import | undefined;

  const end = async (one: Import, error: GatewayError): Promise<void> => {
    if (current !== one) return;
    current = undefined;
    one.done.reject(error);
    await one.file.end();
    isTaken = false;
  };

  host.jobs.kind<object, Result, unknown>({
    name: KIND,
    title: 'Import from SLMM',
    async run(job) {
      const own = current;
      if (!own || (own.job !== undefined && own.job !== job.id))
        throw new GatewayError('STOPPING', 'The file is no longer there; send it again.');
      try {
        const outcome = await imported(host, tables, own, job);
        own.done.resolve(outcome);
        return outcome.data;
      } catch (error) {
        own.done.reject(error);
        throw error;
      } finally {
        await end(own, ended());
      }
    },
  });
  // A job that is cancelled while it waits never runs.
  host.on('job', ({ data: { id, endedAt } }) => {
    if (current?.job === id && endedAt !== null) void end(current, ended());
  });

  const start = async (request: Request<unknown, Query>): Promise<object> => {
    isTaken = true;
    const file = await arrive(folder, request.upload).catch((error: unknown) => {
      isTaken = false;
      throw error;
    });
    const own: Import = { file, request, done: Promise.withResolvers(), job: undefined };
    own.done.promise.catch(() => {});
    current = own;
    const { query, caller } = request;
    try {
      const { id } = await host.jobs.start(KIND, null, query);
      own.job = id;
      const job = String(id);
      const options = { location: `/_jobs/${id}` };
      if (file.bytes <= LONG_MB * MB)
        return json({ ...(await unlessAborted(own.done.promise, caller.signal)), job }, options);
      const message = `The database is being ${query.check ? 'checked' : 'taken over'}; job ${id} shows its progress and result.`;
      return json({ message, job }, { ...options, status: 202 });
    } finally {
      if (own.job === undefined) await end(own, ended());
    }
  };

  host.route<SlmmValues, Query>({
    ...ROUTE,
    handle(request) {
      if (isTaken)
        throw new GatewayError('JOB_RUNNING', 'Another database is being taken over; send this one when it is done.');
      return start(request);
    },
  });
}

const ROUTE = {
  method: 'POST',
  path: '/_import/slmm',
  operation: 'importSlmm',
  access: 'admin',
  summary: 'Take over the database of SLMM',
  description: `The file slmm.db: units, rules, events and levels. If it is sent again, only missing data is added. With check nothing is written, and the answer says what would be taken over. It is a job, one at a time: up to ${LONG_MB} MB the answer is 200 and comes at its end, for a larger file it is 202 and comes before.`,
  query: {
    check: { type: 'boolean', default: false, description: 'Only check: nothing is written.' },
    frequency_weighting: {
      type: 'string',
      enum: ['A', 'C', 'Z'],
      default: 'A',
      description: 'SLMM does not store it.',
    },
    time_weighting: { type: 'string', enum: ['F', 'S', 'I'], default: 'F' },
  },
  upload: { contentType: 'application/vnd.sqlite3', limit: LIMIT_MB * MB },
  answer: { message: { type: 'string' }, job: { type: 'string', description: 'Id of the job.' }, data: DATA },
  optional: ['data'],
  statuses: [200, 202],
  errors: ['JOB_RUNNING', 'DEVICE_BUSY', 'STORAGE_FULL', 'STORAGE_FAILED'],
} as const;

const ended = (): GatewayError => new GatewayError('STOPPING', 'The import was ended before it was done.');

async function imported(
  host: Host<SlmmSettings>,
  tables: Tables,
  { file, request: { query, identity, log } }: Import,
  job: JobRun,
): Promise<Outcome> {
  const { signal } = job;
  const { check, frequency_weighting: frequency, time_weighting: time } = query;
  const { readStoredLine } = host.families.get(host.configs.defaults.family);
  job.say('The database is being read.');
  const plan = await planOf(file.database, readStoredLine, signal);
  // The request may have ended; its rights count until the end of the job.
  const request: SlmmRequest = {
    method: 'POST',
    path: ROUTE.path,
    unitId: '',
    params: {},
    query: {},
    body: {},
    upload: Readable.from([]),
    identity,
    log,
    before: () => {},
    caller: job.caller,
  };
  job.say(check ? 'The database is being compared.' : 'The database is being taken over.');
  const progress = (done: number, total: number) => job.progress(done, total, 'rows');
  const parts = { gateway: gatewayOf(host), request, tables, plan, check, weighting: { frequency, time }, progress };
  const taken = await new Writer(parts).write();
  const { units, rules, events, readings } = taken;
  const message = `${countOf(units, 'unit')}, ${countOf(rules, 'rule')}, ${countOf(events, 'event')} and ${countOf(readings, 'reading')} ${check ? 'would be' : 'were'} taken over.`;
  job.say(message);
  return { message, data: { taken, mended: plan.mended.list(), left: plan.left.list() } };
}
