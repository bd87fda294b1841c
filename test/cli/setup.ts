/** `slm` in this process, against the gateway of a world. */
import { run } from '../../cli/run.ts';
import type { World } from '../support/world.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: the output is what the test says it is
  readonly json: any;
}

export interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly home?: string;
  readonly signal?: AbortSignal;
  /** ms since 1970 UTC; without it the clock of the world. */
  readonly now?: () => number;
}

/** The words of a line: those in double quotes are one. */
const typed = (line: string) => [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** Runs to the end, while the time of the world goes on. */
export async function slm(
  world: Pick<World, 'base' | 'clock' | 'passing'> | undefined,
  line: string | readonly string[],
  around: Around = {},
): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal = {
    env: { ...(world && { SLM_URL: world.base }), ...around.env },
    home: around.home ?? '/nonexistent',
    columns: around.columns,
    now: around.now ?? (() => world?.clock.now() ?? 0),
    write: (text: string) => {
      out += text;
    },
    note: (line: string) => {
      err += `${line}\n`;
    },
  };
  const work = run(
    typeof line === 'string' ? typed(line) : line,
    terminal,
    around.signal ?? new AbortController().signal,
  );
  const code = await (world ? world.passing(work) : work);
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}

/** The words of a line as a shell would give them to `slm`: up to a pipe, a redirection or a comment, without quotes. */
export function wordsOf(line: string): string[] {
  const [own = ''] =
    line
      .replaceAll(/\$\([^)]*\)/g, 'X')
      .replace(/^.*?\bslm /, '')
      .match(/^(?:"[^"]*"|[^|>#;"])*/) ?? [];
  return [...own.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''));
}
