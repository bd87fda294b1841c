/** Taking over from SLMM. */
import { openAsBlob } from 'node:fs';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { EXIT } from '../exit-codes.ts';
import { harmless, printed } from '../output.ts';
import { ended, finish } from './jobs.ts';

interface Imported {
  readonly taken: object;
  readonly mended: readonly string[];
  readonly left: readonly string[];
}

/** Without data the job goes on. Gateways up to 0.2.0 have no job. */
interface Answer {
  readonly message: string;
  readonly job?: string;
  readonly data?: Imported;
}

export const SLMM: readonly Command[] = [
  {
    name: 'import-slmm',
    summary: 'Take over the database of SLMM: units, rules, events, levels',
    words: [{ name: 'FILE', completion: 'file' }],
    options: [
      { name: 'check', help: 'only check: nothing is written' },
      {
        name: 'weighting',
        value: 'AF',
        help: 'frequency and time weighting of the levels, which SLMM does not keep (AF)',
      },
    ],
    examples: ['slm import-slmm slmm.db --check', 'slm import-slmm slmm.db'],
    notes: [
      'Stop SLMM first. If you send the file again, only missing data is added.',
      'A large file is a job of the gateway: slm waits for its end. Ctrl-C leaves it running.',
    ],
    async run(call) {
      const weighting = String(call.options.weighting ?? 'AF');
      if (!/^[ACZ][FSI]$/.test(weighting))
        throw new WrongWords(`${JSON.stringify(weighting)} is no weighting such as AF`);
      const file = await opened(call.words.FILE ?? '');
      const answer = await call.client().call<Answer>('/_import/slmm', {
        method: 'POST',
        query: {
          check: call.options.check === true ? 'true' : undefined,
          frequency_weighting: weighting.slice(0, 1),
          time_weighting: weighting.slice(1),
        },
        file,
        signal: call.signal,
      });
      const { message, data, job } = answer;
      if (data === undefined && job !== undefined) return followed(call, job);
      return printed(call, data ?? {}, () => report(message, data));
    },
  },
];

/** Not read before it is sent, and then piece by piece. */
async function opened(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type: 'application/vnd.sqlite3' });
  } catch {
    throw new WrongWords(`the file ${path} cannot be read`);
  }
}

async function followed(call: CommandCall, id: string): Promise<number> {
  const job = await ended(call, id);
  if (job.state !== 'done') return finish(call, job);
  printed(call, job.result as Imported, () => report(job.message ?? '', job.result as Imported));
  return EXIT.done;
}

function report(message: string, found: Imported | undefined): string {
  const part = (title: string, lines: readonly string[] = []) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${harmless(line)}`)];
  return [message, ...part('Corrected:', found?.mended), ...part('Left out:', found?.left)].join('\n');
}
