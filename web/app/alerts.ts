/** The alerts that are open at each meter, from one request and then from the live events. */
import { computed, signal } from '@preact/signals';
import type { AlertEvent } from '../../client/index.ts';
import { client } from './access.ts';
import { needsLook, withoutAlert } from './alarms.ts';
import { budgets } from './budgets.ts';

/** By id. */
const open = signal<ReadonlyMap<string, AlertEvent>>(new Map());
const byUnit = computed(() => Map.groupBy(open.value.values(), ({ unit_id }) => unit_id));
/** As many as one page of the API can have. */
const MOST = 1_000;

/** The open alerts of a meter. */
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
