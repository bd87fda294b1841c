/** Lists of the gateway: the newest entries, as far as one answer goes, or a file for spreadsheets. */
import type { Query } from '../client/index.ts';
import { type CommandCall, type Option, WrongWords } from './contract.ts';
import { download } from './download.ts';
import { printed, size } from './output.ts';

const MOST = 1_000;

/** At most 1,000 entries; a note says where there are more. Throws GatewayProblem. */
export async function youngest<Item>(call: CommandCall, path: string, query: Query): Promise<readonly Item[]> {
  const asked = { query: { ...query, limit: MOST }, signal: call.signal };
  const { data, next } = await call.client().call<{ data: readonly Item[]; next: string | null }>(path, asked);
  if (next !== null) call.terminal.note(`Only the newest ${MOST} are shown; there are more.`);
  return data;
}

/** Of commands whose list can be saved. */
export const TABLE_OPTIONS: readonly Option[] = [
  { name: 'output', value: 'FILE', help: 'save all of them as a table, by the ending of FILE: .csv or .xlsx' },
  { name: 'force', help: 'replace a file that is there' },
];

/** Saves `--output`. Undefined: it was not asked for. Throws WrongWords, GatewayProblem. */
export function savedTable(call: CommandCall, path: string, query: Query): Promise<undefined> | undefined {
  const { output: target, force } = call.options;
  if (typeof target !== 'string') return undefined;
  const [, format] = /\.(csv|xlsx)$/i.exec(target) ?? [];
  if (format === undefined) throw new WrongWords('--output is a name with the ending .csv or .xlsx');
  return save(call, { path, query: { ...query, format: format.toLowerCase() }, target, force: force === true });
}

interface Wanted {
  readonly path: string;
  readonly query: Query;
  readonly target: string;
  readonly force: boolean;
}

async function save(call: CommandCall, { path, query, target, force }: Wanted): Promise<undefined> {
  const { terminal, signal } = call;
  const open = (from: number, etag: string | undefined) => call.client().open(path, { query, from, etag, signal });
  const bytes = await download(open, { target, force, terminal, signal });
  return printed(call, { file: target, bytes }, () => `${target}: ${size(bytes)}`);
}
