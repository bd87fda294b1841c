/** The limit of a meter that is nearest to being broken, as a bar with its numbers. Nothing if there is no limit now. */
import { useComputed } from '@preact/signals';
import type { Budget } from '../../client/index.ts';
import { budgetsOf, shareOf, tightest } from '../app/budgets.ts';
import { decibels } from '../app/numbers.ts';

const WORDS = { ok: 'within the limit', warning: 'soon exceeded', exceeded: 'exceeded', no_data: 'no data' };

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
          ? `limit ${decibels(limit_db)} dB, no data yet`
          : `${decibels(leq_so_far)} of ${decibels(limit_db)} dB${wordsOf(budget)}`}
      </span>
    </span>
  );
}

/** A window that was too loud so far may still keep its limit in the end: then the bar is full and there is no alarm. */
function wordsOf({ state, leq_so_far, limit_db }: Budget): string {
  if (state !== 'ok') return `, ${WORDS[state]}`;
  return (leq_so_far ?? 0) > limit_db ? ' so far, not exceeded yet' : '';
}
