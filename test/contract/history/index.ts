/**
 * Promises of every history (`lib/history/contract.ts`), run on each implementation. Answers are compared with those of
 * `PlainHistory`, which keeps the rows as they came. Each test has units of its own, so one history serves them all.
 */
import type { Test } from 'tap';
import { answers, choices } from './answers.ts';
import { doubts, imports, refusals, removals, statements } from './changes.ts';
import { channels } from './channels.ts';
import { excludedTime } from './excluded.ts';
import { counted, placed } from './placed.ts';
import type { Stage } from './rows.ts';
import { sums } from './sums.ts';

export function historyContract(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  for (const part of [
    answers,
    choices,
    channels,
    placed,
    counted,
    sums,
    excludedTime,
    imports,
    doubts,
    statements,
    removals,
    refusals,
  ])
    part(t, setUp);
}
