/** API keys for tests, made the way the command line makes them. */
import { create, revoke, type Words } from '../../lib/access/commands.ts';
import type { KeyAdmin } from '../../lib/access/key-admin.ts';
import { withKeyAdmin } from '../../lib/app/keys-admin.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { settingsFrom } from '../../lib/settings/index.ts';

export interface MadeKey {
  readonly id: string;
  readonly text: string;
  readonly headers: { readonly Authorization: string };
}

/** The `database_url` of data folders whose tables are on a server. */
const databases = new Map<string, string>();

export function nameDatabase(dataDir: string, url: string): void {
  databases.set(dataDir, url);
}

/** Works on the keys and people of a data folder like the command line, with or without a running gateway. */
export function withKeys<T>(
  dataDir: string,
  work: (admin: KeyAdmin) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  const given = { data_dir: dataDir, database_url: databases.get(dataDir) ?? '' };
  return withKeyAdmin(settingsFrom(given, { env: {}, home: '/' }), clock, work, createLog('silent'));
}

export async function makeKey(dataDir: string, words: Partial<Words>, clock: Clock = systemClock): Promise<MadeKey> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const whole = { role: 'viewer', rest: [], ...words };
  await withKeys(dataDir, (admin) => create(whole, { admin, clock, say, note: () => {} }), clock);
  const [text = ''] = said;
  return { id: text.split('_')[1] ?? '', text, headers: { Authorization: `Bearer ${text}` } };
}

export const revokeKey = (dataDir: string, { id }: MadeKey, clock: Clock = systemClock): Promise<void> =>
  withKeys(dataDir, (admin) => revoke({ rest: [id] }, { admin, clock, say: () => {}, note: () => {} }), clock);
