/**
 * The open alerts of each meter, and the rest of its limits. They come from one request each, and then from the live events.
 */
import { computed, signal } from '@preact/signals';
import type { AlertEvent, Budget } from '../../client/index.ts';
import { client } from './access.ts';
import { needsLook, withoutAlert } from './alarms.ts';

const open = signal<ReadonlyMap<string, AlertEvent>>(new Map());
const byUnit = computed(() => Map.groupBy(open.value.values(), ({ unit_id }) => unit_id));
/** As many as one page of the API can have. */
const MOST = 1_000;

export const alertsOf = (unitId: string): readonly AlertEvent[] => byUnit.value.get(unitId) ?? [];

/** The limits that are exceeded while no alert tells it, with their meters. */
export const exceededOnly = computed(() =>
  [...budgets.value].flatMap(([unitId, some]) =>
    withoutAlert(some, alertsOf(unitId)).map((budget) => ({ unitId, budget })),
  ),
);

/** How many alerts and exceeded limits need a look. */
export const countToSee = computed(() => [...open.value.values()].filter(needsLook).length + exceededOnly.value.length);

/** After a failure the last answer stays. */
export async function askAlerts(): Promise<void> {
  const found = await client.value.alerts({ open: 'true', limit: MOST }).catch(() => undefined);
  if (found) open.value = new Map(found.map((event) => [event.id, event]));
}

/** As an `alert` event of WS _live tells it. */
export function takeAlert(event: Partial<AlertEvent>): void {
  if (!isWhole(event)) return;
  const next = new Map(open.value);
  if (event.closed_at === null) next.set(event.id, event);
  else next.delete(event.id);
  open.value = next;
}

const isWhole = (event: Partial<AlertEvent>): event is AlertEvent =>
  event.id !== undefined && event.closed_at !== undefined;

export const budgets = signal<ReadonlyMap<string, readonly Budget[]>>(new Map());

/** A meter may have a bar as long as some meter has a limit. */
export const budgetsOf = (unitId: string): readonly Budget[] => budgets.value.get(unitId) ?? [];

/** Without an answer of the gateway the list is empty. Never rejects. */
export async function askBudgets(): Promise<void> {
  const all = await client.value.budgets().catch(() => []);
  budgets.value = Map.groupBy(all, ({ unit_id }) => unit_id);
}

/** As an `alert` event of WS _live tells it. */
export function takeBudget(unitId: string, budget: Budget): void {
  const others = budgetsOf(unitId).filter(({ rule }) => rule !== budget.rule);
  budgets.value = new Map(budgets.value).set(unitId, [...others, budget]);
}

/** The bar begins this far below the limit, dB. */
const SCALE_DB = 20;
const RANK = { exceeded: 3, warning: 2, no_data: 1, ok: 0 };

/** 0 to 1: how full the bar is. */
export function shareOf({ leq_so_far, limit_db, state }: Budget): number {
  if (state === 'exceeded') return 1;
  if (leq_so_far === null) return 0;
  return Math.min(1, Math.max(0, 1 - (limit_db - leq_so_far) / SCALE_DB));
}

/** The limit that is nearest to being broken; undefined without limits. */
export const tightest = (some: readonly Budget[]): Budget | undefined =>
  some.toSorted((one, other) => RANK[other.state] - RANK[one.state] || shareOf(other) - shareOf(one))[0];
