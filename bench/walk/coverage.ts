/** Which functions of `lib` and `plugins` ran on the main thread of this process, as V8 counts them. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OURS = /^(lib|plugins)\//;

export interface Ran {
  /** From the root. */
  readonly file: string;
  readonly line: number;
  /** Empty for a function without a name. */
  readonly name: string;
  readonly count: number;
}

export interface Counter {
  /** Functions that ran since the last call. The code of a module itself, which runs when it is loaded, is left out. */
  take(): Promise<Ran[]>;
  close(): void;
}

export async function countCalls(): Promise<Counter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result.flatMap(({ url, functions }) => {
        const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)).replaceAll('\\', '/') : '';
        if (!OURS.test(file)) return [];
        return functions.flatMap(({ functionName, ranges: [range] }) => {
          const isModule = range?.startOffset === 0;
          if (!range || isModule || range.count === 0) return [];
          return [{ file, line: lineAt(file, range.startOffset), name: functionName, count: range.count }];
        });
      });
    },
    close: () => session.disconnect(),
  };
}

const texts = new Map<string, string>();

function lineAt(file: string, offset: number): number {
  const text = texts.get(file) ?? readFileSync(`${ROOT}/${file}`, 'utf8');
  texts.set(file, text);
  return text.slice(0, offset).split('\n').length;
}
