/** The open events of each unit, for a switch or a lamp that follows them. */
import { type GatewayEvent, iso } from '../../lib/index.ts';
import type { Payload } from './messages.ts';

const SEVERITIES = ['info', 'warning', 'critical'];
/** The most events of a unit that are named; all are counted. */
const MOST_NAMED = 20;

interface OpenEvent {
  readonly severity: string;
  readonly rule_name: unknown;
  readonly detail: unknown;
  readonly opened_at: unknown;
}

/** Begins empty: after a start, alerts publishes the events that were open before. */
export class OpenAlerts {
  readonly #open = new Map<string, Map<string, OpenEvent>>();

  /** False if nothing changed: budgets, and events of no unit. */
  see({ unitId, data }: GatewayEvent<'alert'>): boolean {
    const { change, id, severity, rule_name, detail, opened_at, closed_at } = data;
    if (unitId === '' || change === 'budget' || id === undefined) return false;
    const ofUnit = this.#open.get(unitId) ?? new Map<string, OpenEvent>();
    this.#open.set(unitId, ofUnit);
    if ((closed_at ?? null) === null) {
      ofUnit.set(String(id), { severity: String(severity), rule_name, detail, opened_at });
      return true;
    }
    return ofUnit.delete(String(id));
  }

  forget(unitId: string): void {
    this.#open.delete(unitId);
  }

  /** `worst`: the highest severity of the open events; null: no open event. */
  of(unitId: string, now: number): Payload {
    const open = [...(this.#open.get(unitId)?.values() ?? [])];
    const worst = Math.max(...open.map(({ severity }) => SEVERITIES.indexOf(severity)));
    return {
      time: iso(now),
      open: open.length,
      worst: open.length === 0 ? null : (SEVERITIES[worst] ?? null),
      events: open.slice(-MOST_NAMED),
    };
  }
}
