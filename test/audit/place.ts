/** An audit log in a folder of its own, on a clock that the test moves. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { AuditEntry } from '../../lib/audit/contract.ts';
import { type JournalOptions, openJournal } from '../../lib/audit/journal.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';

export const DAY_MS = 86_400_000;

export const entry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  request: 'r-1',
  who: 'anna',
  keyId: 'k1',
  role: 'operator',
  address: '192.0.2.9',
  method: 'PUT',
  route: '/{unit_id}/clock',
  unitId: 'roof',
  params: {},
  body: { datetime: '2026/11/21,06:00:00' },
  before: { clock: '2026/11/21 05:00:00' },
  status: 200,
  code: undefined,
  answer: { clock: '2026/11/21 06:00:00' },
  ...over,
});

export function place(t: Test, over: Partial<JournalOptions> = {}) {
  const folder = join(t.testdir(), 'audit');
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const open = async () => {
    const journal = await openJournal({ folder, keepDays: 0, maxBytes: 1e9, clock, log, ...over });
    t.teardown(() => journal.close());
    return journal;
  };
  const file = async () => join(folder, (await readdir(folder)).sort()[0] ?? '');
  return { folder, clock, lines, open, file };
}
