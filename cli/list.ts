/** Lists of the gateway that begin with the newest, as far as one answer goes. */
import type { Query } from '../client/index.ts';
import type { CommandCall } from './contract.ts';

const MOST = 1_000;

/** At most 1,000 entries; a note says where there are more. Throws GatewayProblem. */
export async function youngest<Item>(call: CommandCall, path: string, query: Query): Promise<readonly Item[]> {
  const asked = { query: { ...query, limit: MOST }, signal: call.signal };
  const { data, next } = await call.client().call<{ data: readonly Item[]; next: string | null }>(path, asked);
  if (next !== null) call.terminal.note(`Only the newest ${MOST} are shown; there are more.`);
  return data;
}
