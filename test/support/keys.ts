/** API keys for tests, made the way the command line makes them. */
import type { Words } from '../../lib/access/command-words.ts';
import { create, revoke } from '../../lib/access/commands.ts';
import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';

export interface MadeKey {
  readonly id: string;
  readonly text: string;
  readonly headers: { readonly Authorization: string };
}

export async function makeKey(dataDir: string, words: Partial<Words>, clock: Clock = systemClock): Promise<MadeKey> {
  const said: string[] = [];
  const command = { dataDir, clock, say: (line: string) => void said.push(line), note: () => {} };
  await create({ role: 'viewer', rest: [], ...words }, command);
  const [text = ''] = said;
  return { id: text.split('_')[1] ?? '', text, headers: { Authorization: `Bearer ${text}` } };
}

export const revokeKey = (dataDir: string, { id }: MadeKey, clock: Clock = systemClock): Promise<void> =>
  revoke({ rest: [id] }, { dataDir, clock, say: () => {}, note: () => {} });
