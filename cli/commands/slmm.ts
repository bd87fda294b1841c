/** Taking over from SLMM. */
import { openAsBlob } from 'node:fs';
import { type Command, WrongWords } from '../contract.ts';
import { printed } from '../output.ts';
import { harmless } from '../text-table.ts';

interface Answer {
  readonly message: string;
  readonly data: { readonly taken: object; readonly mended: readonly string[]; readonly left: readonly string[] };
}

/** `import-slmm`. */
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
    notes: ['Stop SLMM first. If you send the file again, only missing data is added.'],
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
      return printed(call, answer.data, () => report(answer));
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

function report({ message, data: { mended, left } }: Answer): string {
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${harmless(line)}`)];
  return [message, ...part('Corrected:', mended), ...part('Left out:', left)].join('\n');
}
