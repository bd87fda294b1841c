/** Open alerts and budgets as gauges, from their events. The number of series is limited. */
import { Gauge, type Registry } from 'prom-client';

/** Data of an `alert` event. */
type Data = Readonly<Record<string, unknown>>;

interface SeenBudget {
  readonly unitId: string;
  readonly rule: string;
  readonly data: Data;
  readonly at: number;
}

/** Budgets are published once a minute: if a budget stops, its rule or window is gone. */
const FORGET_MS = 180_000;
const MOST_BUDGETS = 5_000;
const STATES: Readonly<Record<string, number>> = { ok: 0, warning: 1, exceeded: 2, no_data: 3 };

/** Made from the events; the number of series is limited for the monitoring system. */
export class AlertGauges {
  readonly #open = new Map<string, { readonly unitId: string; readonly severity: string }>();
  readonly #budgets = new Map<string, SeenBudget>();

  /** `at`: monotonic, ms. */
  see(unitId: string, data: Data, at: number): void {
    const { change, id, severity, closed_at } = data;
    if (change === 'budget') this.#budget(unitId, data.budget as Data, at);
    else if (closed_at !== null) this.#open.delete(String(id));
    else this.#open.set(String(id), { unitId, severity: String(severity) });
  }

  #budget(unitId: string, data: Data, at: number): void {
    const rule = String(data.rule);
    const key = `${rule} ${unitId}`;
    if (this.#budgets.has(key) || this.#budgets.size < MOST_BUDGETS) this.#budgets.set(key, { unitId, rule, data, at });
  }

  show(registry: Registry, units: readonly string[], now: number): void {
    const visible = new Set(units);
    const open = new Gauge({
      name: 'slm_alerts_open',
      help: 'Events of alerts that are open',
      labelNames: ['unit_id', 'severity'],
      registers: [registry],
    });
    for (const { unitId: unit_id, severity } of this.#open.values())
      if (visible.has(unit_id)) open.inc({ unit_id, severity });
    const of = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ['unit_id', 'rule'], registers: [registry] });
    const left = of('slm_budget_remaining_db', 'Level that the rest of the window of a rule may average');
    const state = of(
      'slm_budget_state',
      '0 ok, 1 will be exceeded if the last five minutes go on, 2 exceeded, 3 too little is measured to say',
    );
    const coverage = of('slm_window_coverage_ratio', 'Share of the window so far that has data');
    for (const [key, { unitId: unit_id, rule, data, at }] of this.#budgets) {
      if (now - at > FORGET_MS) this.#budgets.delete(key);
      if (now - at > FORGET_MS || !visible.has(unit_id)) continue;
      if (typeof data.remaining_may_average_db === 'number') left.set({ unit_id, rule }, data.remaining_may_average_db);
      const number = STATES[String(data.state)];
      if (number !== undefined) state.set({ unit_id, rule }, number);
      const elapsed = Number(data.elapsed_s);
      if (elapsed > 0) coverage.set({ unit_id, rule }, Math.min(1, Number(data.measured_s) / elapsed));
    }
  }
}
