/**
 * Fills a registry from the reports of the meters at each request. Nothing is counted here: the numbers come from the
 * sessions and the snapshots; open alerts and budgets from their events.
 */
import { Counter, Gauge, Registry } from 'prom-client';
import {
  INSTANCE_STATES,
  type InstancesKnown,
  METER_COUNTER_NAMES,
  METER_COUNTERS,
  snakeCase,
} from '../../lib/built-in.ts';
import type { Card, Clock, GatewayEvent, Host } from '../../lib/index.ts';
import { LoopDelay, type MeasuredDelay } from './loop-delay.ts';
import { showValues } from './values.ts';

const FTP_COUNTERS = {
  slm_meter_ftp_sessions_total: ['sessions', 'FTP sessions with the meter'],
  slm_meter_ftp_bytes_sent_total: ['bytesSent', 'Bytes sent to the meter by FTP'],
  slm_meter_ftp_bytes_received_total: ['bytesReceived', 'Bytes received from the meter by FTP, control and data'],
} as const satisfies Record<string, readonly [keyof Card['traffic'], string]>;

export interface MetricSources
  extends Pick<
    Host,
    'configs' | 'counters' | 'guesses' | 'instances' | 'parts' | 'reachability' | 'report' | 'status'
  > {
  /** Alerts are events; they are counted from now on. */
  on(kind: 'alert', listener: (event: GatewayEvent<'alert'>) => void): void;
  card(unitId: string): Pick<Card, 'traffic'>;
  readonly clock: Pick<Clock, 'elapsed' | 'after'>;
}

export interface Metrics {
  readonly contentType: string;
  text(maySee: (unitId: string) => boolean): Promise<string>;
  /** Stops watching the event loop. May be called twice. */
  close(): void;
}

/** Costs requests nothing: numbers are read when a monitoring system asks. */
export function createMetrics(sources: MetricSources): Metrics {
  const delay = new LoopDelay(sources.clock);
  const alerts = new AlertGauges();
  sources.on('alert', ({ unitId, elapsed, data }) => alerts.see(unitId, data, elapsed));
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    text(maySee) {
      const registry = new Registry();
      const configs = sources.configs.list().filter(({ unitId }) => maySee(unitId));
      const units = configs.map(({ unitId }) => unitId);
      const shown = configs.map((config) => ({ ...config, reachability: sources.reachability(config.unitId) }));
      counters(registry, sources, units);
      states(registry, sources, units);
      showValues(registry, sources.status, shown);
      alerts.show(registry, units, sources.clock.elapsed());
      memory(registry);
      guesses(registry, sources);
      parts(registry, sources);
      showInstances(registry, sources.instances());
      return textWith(registry, delay.measured);
    },
    close: () => delay.close(),
  };
}

const gaugeIn = (registry: Registry, name: string, help: string, ...labelNames: string[]) =>
  new Gauge({ name, help, labelNames, registers: [registry] });
const counterIn = (registry: Registry, name: string, help: string, ...labelNames: string[]) =>
  new Counter({ name, help, labelNames, registers: [registry] });

function counters(registry: Registry, sources: MetricSources, units: readonly string[]): void {
  const show = (name: string, help: string, read: (unitId: string) => number) => {
    const counter = counterIn(registry, name, help, 'unit_id');
    for (const unit_id of units) counter.inc({ unit_id }, read(unit_id));
  };
  for (const name of METER_COUNTER_NAMES)
    show(`slm_meter_${snakeCase(name)}_total`, METER_COUNTERS[name], (unitId) => sources.counters(unitId)?.[name] ?? 0);
  for (const [name, [field, help]] of Object.entries(FTP_COUNTERS))
    show(name, help, (unitId) => sources.card(unitId).traffic[field]);
}

type Value = (unitId: string) => number | null;

/** An unknown value is left out, as Prometheus recommends. */
function states(registry: Registry, sources: MetricSources, units: readonly string[]): void {
  const show = (name: string, help: string, read: Value) => {
    const gauge = gaugeIn(registry, name, help, 'unit_id');
    for (const unit_id of units) {
      const value = read(unit_id);
      if (value !== null) gauge.set({ unit_id }, value);
    }
  };
  const seconds = (at: number | null) => (at === null ? null : at / 1_000);
  show('slm_meter_reachable', '1 when the last attempt brought a valid reply, 0 when it did not', (unit) => {
    const reachable = sources.reachability(unit)?.reachable ?? null;
    return reachable === null ? null : Number(reachable);
  });
  show(
    'slm_meter_queue_length',
    'Operations that wait for their turn',
    (unit) => sources.report(unit)?.waiting.length ?? 0,
  );
  show('slm_meter_watchers', 'Clients of the fast stream', (unit) => sources.report(unit)?.watchers ?? 0);
  show('slm_meter_connected', '1 while a connection is open', (unit) =>
    Number(sources.report(unit)?.connectedSince != null),
  );
  show('slm_meter_levels_timestamp_seconds', 'When the levels of the last snapshot were measured', (unit) =>
    seconds(sources.status.of(unit).values.levelsAt),
  );
  show('slm_meter_lp_timestamp_seconds', 'When the last Lp was measured; a stream brings it alone', (unit) =>
    seconds(sources.status.of(unit).values.lpAt),
  );
}

const DELAY = 'slm_event_loop_delay_seconds';

/** Node counts the classes, and the registry does not accept counts of others. */
async function textWith(registry: Registry, { count, sum, classes }: MeasuredDelay): Promise<string> {
  const edges: [string, number][] = classes.map(([edge, number]) => [String(edge), number]);
  const lines = [
    `# HELP ${DELAY} How late the event loop was, measured while a monitoring system asks`,
    `# TYPE ${DELAY} histogram`,
    ...[...edges, ['+Inf', count]].map(([le, number]) => `${DELAY}_bucket{le="${le}"} ${number}`),
    `${DELAY}_sum ${sum}`,
    `${DELAY}_count ${count}`,
  ];
  return `${await registry.metrics()}\n${lines.join('\n')}\n`;
}

function guesses(registry: Registry, sources: MetricSources): void {
  const { wrongKeys, wrongTickets } = sources.guesses();
  const show = (name: string, help: string, count: number) => counterIn(registry, name, help).inc(count);
  show('slm_wrong_keys_total', 'Requests with an API key that was wrong; the log has the addresses', wrongKeys);
  show('slm_wrong_tickets_total', 'Handshakes with a ticket that was used, expired or unknown', wrongTickets);
}

function parts(registry: Registry, sources: MetricSources): void {
  const gauge = gaugeIn(
    registry,
    'slm_part_working',
    '1 while a part of the gateway works (history, mqtt, alert messages), 0 while it does not; /health says why',
    'part',
  );
  const counter = counterIn(
    registry,
    'slm_part_failures_total',
    'How often a part of the gateway has failed since the process began: of reports, each try at one that was due',
    'part',
  );
  for (const { name, trouble, failures } of sources.parts()) {
    gauge.set({ part: name }, trouble ? 0 : 1);
    if (failures !== undefined) counter.inc({ part: name }, failures);
  }
}

function memory(registry: Registry): void {
  const { rss, heapUsed } = process.memoryUsage();
  gaugeIn(registry, 'slm_memory_resident_bytes', 'Memory of the process').set(rss);
  gaugeIn(registry, 'slm_memory_heap_bytes', 'Objects in use').set(heapUsed);
}

/** `member`: the label `instance` belongs to Prometheus, which puts the address of its request there. */
function showInstances(registry: Registry, { members, takeovers }: InstancesKnown): void {
  const self = members.find(({ isSelf }) => isSelf);
  if (!self) return;
  const count = gaugeIn(
    registry,
    'slm_instances',
    'Instances that share the database, by their state as the answering instance knows it',
    'state',
  );
  for (const state of INSTANCE_STATES) count.set({ state }, members.filter((member) => member.state === state).length);
  const up = gaugeIn(
    registry,
    'slm_instance_heard',
    '1 while an instance gives signs of life, 0 while it is silent; an instance that was stopped regularly has no value',
    ...['member', 'version'],
  );
  for (const { name, version, state } of members)
    if (state !== 'left') up.set({ member: name, version }, state === 'silent' ? 0 : 1);
  const active = gaugeIn(registry, 'slm_instance_active', '1 if the instance is active', 'member');
  for (const { name, state } of members) active.set({ member: name }, Number(state === 'active'));
  const help = 'How often the process that answers became active since it began, the first time included';
  counterIn(registry, 'slm_instance_takeovers_total', help, 'member').inc({ member: self.name }, takeovers);
}

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
class AlertGauges {
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
    const open = gaugeIn(registry, 'slm_alerts_open', 'Events of alerts that are open', 'unit_id', 'severity');
    for (const { unitId: unit_id, severity } of this.#open.values())
      if (visible.has(unit_id)) open.inc({ unit_id, severity });
    const of = (name: string, help: string) => gaugeIn(registry, name, help, 'unit_id', 'rule');
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
