/** Long work of the gateway: the list, and following one piece of it to its end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../../client/index.ts';
import { givenIn, UNIT } from '../command-line.ts';
import type { Command, CommandCall } from '../contract.ts';
import { EXIT } from '../exit-codes.ts';
import { youngest } from '../list.ts';
import { moment, printed, printedMessage, printedRows, text } from '../output.ts';

const LOOK_MS = 500;

export const JOBS: readonly Command[] = [
  {
    name: 'jobs',
    summary: 'List the long work of the gateway, the newest first',
    words: [{ ...UNIT, optional: true }],
    options: [{ name: 'state', value: 'A,B', help: 'of queued, running, done, failed, cancelled' }],
    examples: ['slm jobs', 'slm jobs roof --state running'],
    run(call) {
      const query = { unit: call.words.UNIT, ...givenIn(call.options, 'state') };
      const head = ['id', 'kind', 'unit', 'state', 'progress', 'created', 'message'];
      return printedRows(call, youngest<Job>(call, '/_jobs', query), head, jobRow, 'No jobs.');
    },
  },
  {
    name: 'job',
    summary: 'Follow one piece of long work until it ends',
    words: [{ name: 'ID' }],
    examples: ['slm job 12'],
    run: (call) => follow(call, call.words.ID ?? ''),
  },
  {
    name: 'cancel',
    summary: 'Cancel one piece of long work',
    words: [{ name: 'ID' }],
    examples: ['slm cancel 12'],
    run: (call) => printedMessage(call, call.client().call(pathOf(call.words.ID ?? ''), { method: 'DELETE' })),
  },
];

const pathOf = (id: string): string => `/_jobs/${encodeURIComponent(id)}`;

/** Tells each change of a job; 0 when it is done, 1 when it failed or was cancelled. Ctrl-C leaves it running. */
export const follow = async (call: CommandCall, id: string): Promise<number> => finish(call, await ended(call, id));

/** Tells each change of a job until it has ended. Ctrl-C leaves it running. */
export async function ended(call: CommandCall, id: string): Promise<Job> {
  let told = '';
  for (;;) {
    const { data: job } = await call.client().call<{ data: Job }>(pathOf(id), { signal: call.signal });
    const line = [job.state, progress(job), text(job.message)].filter((word) => word !== '-').join('  ');
    if (line !== told)
      call.terminal.note(`${[job.kind, job.unit_id].filter((word) => word !== null).join(' ')}: ${line}`);
    told = line;
    if (job.state !== 'queued' && job.state !== 'running') return job;
    await pause(LOOK_MS, undefined, { signal: call.signal });
  }
}

export function finish(call: CommandCall, job: Job): number {
  printed(call, job, () => text(job.error?.detail ?? job.message ?? job.state));
  return job.state === 'done' ? EXIT.done : EXIT.failed;
}

const progress = ({ progress: of }: Job): string =>
  of ? `${of.done}${of.total === null ? '' : ` of ${of.total}`} ${of.unit}` : '-';

const jobRow = (job: Job): string[] => [
  ...[job.id, job.kind, text(job.unit_id), job.state, progress(job), moment(job.created_at)],
  text(job.error?.detail ?? job.message),
];
