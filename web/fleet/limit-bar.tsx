/** The limit of a meter that is nearest to being broken, as a bar with its numbers. Nothing if there is no limit now. */
import { useComputed } from '@preact/signals';
import type { Budget } from '../../client/index.ts';
import { budgetsOf, shareOf, tightest } from '../state/alerts.ts';
import { decibels } from '../state/numbers.ts';
import { say } from '../words/say.ts';

/** The bar of one meter. */
export function LimitBar({ unitId }: { readonly unitId: string }) {
  const budget = useComputed(() => tightest(budgetsOf(unitId))).value;
  if (!budget) return null;
  const { state, name, leq_so_far, limit_db } = budget;
  return (
    <span class="limit" title={name}>
      <span class={`bar ${state}`}>
        <span style={{ width: `${Math.round(shareOf(budget) * 100)}%` }} />
      </span>
      <span class={state === 'ok' ? 'soft' : 'said bad'}>
        {leq_so_far === null
          ? say('limit {limit} dB, no data yet', { limit: decibels(limit_db) })
          : wordsOf(budget, decibels(leq_so_far), decibels(limit_db))}
      </span>
    </span>
  );
}

/** A window that was too loud so far may still keep its limit in the end: then the bar is full and there is no alarm. */
function wordsOf({ state, leq_so_far, limit_db }: Budget, level: string, limit: string): string {
  if (state === 'exceeded') return say('{level} of {limit} dB, exceeded', { level, limit });
  if (state === 'warning') return say('{level} of {limit} dB, soon exceeded', { level, limit });
  if (state === 'no_data') return say('{level} of {limit} dB, no data', { level, limit });
  return (leq_so_far ?? 0) > limit_db
    ? say('{level} of {limit} dB so far, not exceeded yet', { level, limit })
    : say('{level} of {limit} dB', { level, limit });
}
