/** Lists of the gateway: the newest entries, as far as one answer goes, or a file for spreadsheets. */
import type { Query } from '../client/index.ts';
import { type CommandCall, type Option, WrongWords } from './contract.ts';
import { FORCE, saveFile } from './download.ts';

const MOST = 1_000;

/** At most 1,000 entries; a note says where there are more. Throws GatewayProblem. */
export async function youngest<Item>(call: CommandCall, path: string, query: Query): Promise<readonly Item[]> {
  const asked = { query: { ...query, limit: MOST }, signal: call.signal };
  const { data, next } = await call.client().call<{ data: readonly Item[]; next: string | null }>(path, asked);
  if (next !== null) call.terminal.note(`Only the newest ${MOST} are shown; there are more.`);
  return data;
}

export const TABLE_OPTIONS: readonly Option[] = [
  { name: 'output', value: 'FILE', help: 'save all of them as a table, by the ending of FILE: .csv or .xlsx' },
  FORCE,
];

/** Saves `--output`. Undefined: it was not asked for. Throws WrongWords, GatewayProblem. */
export function savedTable(call: CommandCall, path: string, query: Query): Promise<undefined> | undefined {
  const { output: target } = call.options;
  if (typeof target !== 'string') return undefined;
  const [, format] = /\.(csv|xlsx)$/i.exec(target) ?? [];
  if (format === undefined) throw new WrongWords('--output is a name with the ending .csv or .xlsx');
  return saveFile(call, target, path, { ...query, format: format.toLowerCase() });
}
