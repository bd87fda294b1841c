/** Every rule at every unit to which it applies. It uses values that the gateway reads anyway: a rule costs the meter nothing. */

import type { Budget } from '../../../client/schemas.ts';
import {
  type DeviceState,
  GATEWAY_ID,
  type Job,
  keyedPage,
  listQuery,
  NEXT,
  type PageQuery,
  TIME_OR_NULL,
  zones,
} from '../../../lib/built-in.ts';
import {
  type DeviceConfig,
  type EventData,
  type Host,
  isGatewayError,
  named,
  reaches,
  type Schema,
  TIME,
} from '../../../lib/index.ts';
import type { WithCalibrations } from '../../calibration/index.ts';
import type { WithNotes } from '../../notes/index.ts';
import { escalate } from '../delivery/messages.ts';
import type { EventLog } from '../events/event-log.ts';
import { ID, VALUE } from '../schemas.ts';
import type { RuleStore } from '../stores.ts';
import type { Facts, UnitKnown } from './kind.ts';
import { isOfGateway } from './kinds.ts';
import type { Rule } from './rule.ts';
import { type LateRows, UnitWatches } from './unit-watches.ts';

/** How often time is checked: windows that end, conditions that hold long enough, values that grow old. */
const TICK_MS = 5_000;
/** A budget is published when its state changes, and otherwise this often. */
const BUDGET_MS = 60_000;

interface WatchesParts {
  readonly host: Host & WithNotes & WithCalibrations;
  readonly events: EventLog;
  readonly rules: Pick<RuleStore, 'list' | 'find'>;
}

export class Watches {
  readonly #host: WatchesParts['host'];
  readonly #events: EventLog;
  readonly #rules: WatchesParts['rules'];
  readonly #units = new Map<string, UnitWatches>();
  readonly #ftpFailing = new Map<string, boolean>();
  readonly #drifts = new Map<string, EventData['drift']>();
  readonly #stations = new Map<string, EventData['stations']>();
  readonly #budgets = new Map<string, { readonly state: Budget['state']; readonly at: number }>();
  #late: (unitId: string, span: LateRows) => void = () => {};
  #cancelTick: (() => void) | undefined;

  constructor({ host, events, rules }: WatchesParts) {
    this.#host = host;
    this.#events = events;
    this.#rules = rules;
  }

  start(): void {
    const host = this.#host;
    const watched = { units: this.#units };
    host.on('rows', ({ unitId, data }) => this.#units.get(unitId)?.rows(data), watched);
    host.configs.onChange(() => this.refresh(), ['tags', 'timezone']);
    host.on('removal', ({ unitId }) => {
      for (const known of [this.#drifts, this.#stations]) known.delete(unitId);
    });
    for (const kind of ['reading', 'state', 'reachability'] as const)
      host.on(kind, ({ unitId }) => this.#look(unitId), watched);
    host.on('drift', ({ unitId, data }) => this.#drifts.set(unitId, data));
    host.on('stations', ({ unitId, data }) => this.#stations.set(unitId, data));
    host.on('job', ({ unitId, data }) => this.#job(unitId, data));
    host.onStop(() => this.#cancelTick?.());
    this.refresh();
  }

  /** Rules, units or tags have changed. Open events end if they are not watched now. */
  refresh(): void {
    const configs = this.#host.configs.list();
    const enabled = this.#rules.list().filter((rule) => rule.enabled);
    const rules = byUnit(enabled, configs);
    const watched = new Set<string>();
    for (const config of configs) {
      const own = rules.get(config.unitId) ?? [];
      for (const { id } of own) watched.add(`${id} ${config.unitId}`);
      if (own.length === 0) this.#units.delete(config.unitId);
      else this.#unit(config.unitId).follow(own, config);
    }
    this.#followGateway(enabled.filter(isOfGateway), watched);
    const units = new Set([GATEWAY_ID, ...configs.map(({ unitId }) => unitId)]);
    for (const unitId of this.#units.keys()) if (!units.has(unitId)) this.#units.delete(unitId);
    const now = this.#host.clock.now();
    for (const { ruleId, unitId } of this.#events.open)
      if (!watched.has(`${ruleId} ${unitId}`)) this.#events.end(ruleId, unitId, now);
    if (this.#units.size > 0) this.#cancelTick ??= this.#tickLater();
  }

  /** Rules about the gateway as a whole are kept like rules of a unit. No meter can have its id; its zone is the default. */
  #followGateway(own: readonly Rule[], watched: Set<string>): void {
    for (const { id } of own) watched.add(`${id} ${GATEWAY_ID}`);
    if (own.length === 0) this.#units.delete(GATEWAY_ID);
    else this.#unit(GATEWAY_ID).follow(own, this.#host.configs.defaults);
  }

  onLate(listener: (unitId: string, span: LateRows) => void): void {
    this.#late = listener;
  }

  readAgain(unitId: string): void {
    this.#units.get(unitId)?.readAgain();
  }

  known(unitId: string): UnitKnown {
    const [drift, stations] = [this.#drifts.get(unitId), this.#stations.get(unitId)];
    const isSilent = (channel: string) => this.#units.get(unitId)?.isSilent(channel) ?? false;
    const now = this.#host.clock.now();
    const isExcluded = (channel: string) =>
      this.#host.notes.excluded(unitId, { from: now, to: now + 1 }, channel).ranges.length > 0;
    return { drift, stations, calibration: this.#host.calibrations.state(unitId), isSilent, isExcluded };
  }

  budgets(unitId: string): readonly Budget[] {
    return this.#units.get(unitId)?.budgets() ?? [];
  }

  #unit(unitId: string): UnitWatches {
    const known =
      this.#units.get(unitId) ?? new UnitWatches(unitId, this.#host, this.#events, (span) => this.#late(unitId, span));
    this.#units.set(unitId, known);
    return known;
  }

  #tickLater(): () => void {
    return this.#host.clock.after(TICK_MS, () => {
      this.#cancelTick = this.#units.size > 0 ? this.#tickLater() : undefined;
      escalate(this.#events, this.#rules, this.#host.clock.now());
      for (const [unitId, unit] of this.#units) {
        unit.tick();
        this.#look(unitId);
        this.#tellBudgets(unitId, unit.budgets());
      }
    });
  }

  #tellBudgets(unitId: string, budgets: readonly Budget[]): void {
    const now = this.#host.clock.elapsed();
    for (const budget of budgets) {
      const key = `${budget.rule} ${unitId}`;
      const last = this.#budgets.get(key);
      if (last?.state === budget.state && now - last.at < BUDGET_MS) continue;
      this.#budgets.set(key, { state: budget.state, at: now });
      this.#host.publish(unitId, 'alert', { change: 'budget', budget });
    }
  }

  #look(unitId: string): void {
    const unit = this.#units.get(unitId);
    const config = this.#host.configs.get(unitId);
    if (unit && config?.tcpEnabled) unit.look(() => this.#facts(config));
  }

  #facts({ unitId, pollIntervalSeconds, timezone }: DeviceConfig): Facts {
    const now = this.#host.clock.now();
    return {
      reachability: this.#host.reachability(unitId),
      state: this.#state(unitId),
      status: this.#host.status.of(unitId),
      pollIntervalSeconds,
      recording: this.#host.history.status,
      ftpFailing: this.#ftpFailing.get(unitId),
      ...this.known(unitId),
      now,
      today: () => zones.localIso(timezone, now).slice(0, 10),
    };
  }

  #state(unitId: string): DeviceState | undefined {
    try {
      return this.#host.meter(unitId).deviceState;
    } catch (error) {
      if (isGatewayError(error)) return undefined;
      throw error;
    }
  }

  #job(unitId: string, { kind, state, error }: Job): void {
    if (state === 'failed' && error?.code.startsWith('FTP_')) this.#ftpFailing.set(unitId, true);
    else if (
      state === 'done' &&
      this.#host.jobs.kinds().some(({ name, fetchesFiles }) => name === kind && fetchesFiles)
    )
      this.#ftpFailing.set(unitId, false);
  }
}

/** The rules by unit, so that thousands of rules are not compared with each of a thousand units. */
function byUnit(rules: readonly Rule[], configs: readonly DeviceConfig[]): ReadonlyMap<string, readonly Rule[]> {
  const tagged = new Map<string, string[]>();
  for (const { unitId, tags } of configs)
    for (const tag of new Set(tags)) {
      const units = tagged.get(tag) ?? [];
      units.push(unitId);
      tagged.set(tag, units);
    }
  const found = new Map<string, Rule[]>(configs.map(({ unitId }) => [unitId, []]));
  for (const rule of rules)
    for (const unitId of rule.units ?? tagged.get(rule.tag ?? '') ?? []) found.get(unitId)?.push(rule);
  return found;
}

const BUDGET_FIELDS: Readonly<Record<string, Schema>> = {
  rule: ID,
  name: { type: 'string' },
  quantity: { type: 'string' },
  channel: { type: 'string', description: 'Channel of the meter that the limit is for.' },
  limit_db: { type: 'number' },
  window_from: TIME,
  window_to: TIME,
  elapsed_s: { type: 'number' },
  measured_s: { type: 'number' },
  leq_so_far: { ...VALUE, description: 'For another quantity than leq: its value so far.' },
  remaining_may_average_db: {
    ...VALUE,
    description: 'dB that the rest of the window may average; null: nothing is left, or there is no budget.',
  },
  will_exceed_at: {
    ...TIME_OR_NULL,
    description: 'If the noise of the last five minutes goes on; null: not within this window.',
  },
  state: {
    type: 'string',
    enum: ['ok', 'warning', 'exceeded', 'no_data'],
    description:
      'no_data: nothing was measured in this window so far, half a minute after its beginning or later; or less than min_coverage of the rule, and note says what is missing.',
  },
  note: { type: ['string', 'null'], description: 'Why there is no budget; null if there is one.' },
};
const BUDGET: Schema = named('Budget', BUDGET_FIELDS);
const UNIT_BUDGET: Schema = named('UnitBudget', { unit_id: { type: 'string' }, ...BUDGET_FIELDS });
const QUERY = listQuery({}, { type: 'string', maxLength: 80 });
const keyOf = ({ rule }: Budget): string => rule.padStart(15, '0');

/** Shows how much noise each limit still allows: of one unit, and of all that the API key may see. */
export function addBudgetRoutes({ host, watches }: { readonly host: Host; readonly watches: Watches }): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/{unit_id}/budget',
    access: 'viewer',
    summary: 'Show how much noise each limit still allows',
    description: 'One entry for each level rule of the unit with a window now. The meter is not contacted.',
    query: QUERY,
    answer: { data: { type: 'array', items: BUDGET }, next: NEXT },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId, query }) {
      host.configs.of(unitId);
      const { page, next } = keyedPage(watches.budgets(unitId), query, keyOf);
      return { data: page, next };
    },
  });

  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_budget',
    access: 'viewer',
    filtersUnits: true,
    operation: 'getBudgets',
    summary: 'Show how much noise each limit still allows, of all meters',
    description: 'Of units that the API key may see. Later changes come as `alert` on WS _live.',
    query: QUERY,
    answer: { data: { type: 'array', items: UNIT_BUDGET }, next: NEXT },
    errors: [],
    handle({ identity, query }) {
      const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
      const all = own.flatMap(({ unitId }) =>
        watches.budgets(unitId).map((budget) => ({ unit_id: unitId, ...budget })),
      );
      const { page, next } = keyedPage(all, query, (budget) => `${budget.unit_id}/${keyOf(budget)}`);
      return { data: page, next };
    },
  });
}
