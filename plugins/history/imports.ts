/**
 * Imports of CSV. The file is read while it arrives and is not kept. The history shows its rows when all of them are on the
 * disk; after an error it shows none. An import is a job, which can be listed and cancelled; the answer comes at its end.
 */
import {
  countOf,
  GatewayError,
  type Host,
  type IntervalRow,
  iso,
  json,
  type Request,
  refuseChannel,
  unlessAborted,
  type Weighting,
} from '../../lib/index.ts';
import { type LeftOut, readRows } from './import-csv.ts';
import type { ImportQuery } from './schemas.ts';

const KIND = 'history-import';

interface Input {
  /** Absent: the main channel. */
  readonly channel?: string;
  readonly weighting: Weighting;
  /** Id of the file that arrives. After a restart the file is gone. */
  readonly file: string;
}

type Imported = Awaited<ReturnType<Host['history']['import']>>;

/** The result of the job: times are those of the API, not seconds. */
type Result = ReturnType<typeof shown>;
const shown = ({ rows, from, to }: Imported, leftOut: LeftOut) => ({
  rows,
  from: iso(from * 1_000),
  to: iso(to * 1_000),
  left_out: leftOut.count,
});

interface Arriving {
  readonly rows: AsyncIterable<readonly IntervalRow[]>;
  readonly leftOut: LeftOut;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<Imported>;
}

/** Handles POST history/import. */
export type TakeImport = (request: Request<unknown, ImportQuery>) => Promise<object>;

/** Registers the kind of the job; returns the function that takes a file. */
export function createImports(host: Host): TakeImport {
  const arriving = new Map<string, Arriving>();
  const byJob = new Map<unknown, Arriving>();

  host.jobs.kind<Input, Result, unknown>({
    name: KIND,
    oneAtATime: 'unit',
    async run({ unitId, input, signal, progress }) {
      const file = arriving.get(input.file);
      if (!file || unitId === null) throw new GatewayError('STOPPING', 'The file is no longer there; send it again.');
      const ended = AbortSignal.any([signal, file.signal]);
      try {
        const { channel, weighting } = input;
        const target = { unitId, weighting, ...(channel && { channel }) };
        const imported = await host.history.import(target, counted(file.rows, progress), ended);
        file.done.resolve(imported);
        return shown(imported, file.leftOut);
      } catch (error) {
        file.done.reject(error);
        throw error;
      }
    },
  });
  // A job that is cancelled while it waits never runs.
  host.on('job', ({ data: { id, state } }) => {
    if (state === 'cancelled') byJob.get(id)?.done.reject(new GatewayError('STOPPING', 'The import was cancelled.'));
  });

  return async ({ unitId, query, upload, caller }) => {
    const { channel } = query;
    if (channel) refuseChannel(channel, host.families.find(host.configs.of(unitId).family), '/channel');
    host.configs.of(unitId);
    const weighting = { frequency: query.frequency_weighting, time: query.time_weighting };
    const leftOut: LeftOut = { count: 0, rows: [] };
    const file: Arriving = {
      rows: readRows(upload, leftOut),
      leftOut,
      signal: caller.signal,
      done: Promise.withResolvers(),
    };
    const name = crypto.randomUUID();
    arriving.set(name, file);
    try {
      const { id } = await host.jobs.start(KIND, unitId, { weighting, file: name, ...(channel && { channel }) });
      byJob.set(id, file);
      const { rows } = await unlessAborted(file.done.promise, caller.signal).finally(() => byJob.delete(id));
      const message = `${rowsWere(rows)} imported into the history of ${unitId}.${wordsOf(leftOut)}`;
      return json({ message, job: String(id), left_out: leftOut.rows }, { status: 202, location: `/_jobs/${id}` });
    } finally {
      arriving.delete(name);
      file.done.promise.catch(() => {});
    }
  };
}

const rowsWere = (rows: number) => countOf(rows, 'row was', 'rows were');

/** Names each row by its line. */
function wordsOf({ count, rows }: LeftOut): string {
  if (count === 0) return '';
  const lines = rows.map(({ path, message }) => `${path.replace('/line/', 'line ')} ${message}`);
  const more = count > rows.length ? [`and ${count - rows.length} more`] : [];
  return ` ${rowsWere(count)} left out: ${[...lines, ...more].join('; ')}.`;
}

async function* counted(
  pages: AsyncIterable<readonly IntervalRow[]>,
  progress: (done: number, total: number | null, unit: string) => void,
): AsyncGenerator<readonly IntervalRow[]> {
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    progress(rows, null, 'rows');
    yield page;
  }
}
