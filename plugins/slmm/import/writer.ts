/** Writes what was read from a database of SLMM into the gateway, step by step. Every step can be repeated. */
import { invalid, isGatewayError, type Request, type Tables, type Weighting } from '../../../lib/index.ts';
import { gatewayRule, ruleChange } from '../alert-rule.ts';
import type { SlmmGateway, SlmmValues } from '../route.ts';
import { SLMM_RULES, TAKEN } from '../tables.ts';
import type { Plan, PlannedEvent, PlannedRule } from './plan.ts';

/** As many as one call of the alerts takes. */
const EVENTS_AT_ONCE = 500;
const RULES_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 3_600;

/** What makes two rules the same for a person. */
const nameOf = ({ name, units, quantity, window, limit_db }: SlmmValues): string =>
  JSON.stringify([name, units, quantity, window, limit_db]);

/** Each step answers how many it took. With `check` nothing is written. */
export class Writer {
  readonly #gateway: SlmmGateway;
  readonly #request: Request<SlmmValues, SlmmValues>;
  readonly #tables: Tables;
  readonly #plan: Plan;
  readonly #check: boolean;
  /** Ids of the rules here, by those in SLMM. */
  readonly #ruleIds = new Map<number, number>();

  constructor(
    gateway: SlmmGateway,
    request: Request<SlmmValues, SlmmValues>,
    tables: Tables,
    plan: Plan,
    check: boolean,
  ) {
    this.#gateway = gateway;
    this.#request = request;
    this.#tables = tables;
    this.#plan = plan;
    this.#check = check;
  }

  /** An existing unit stays as it is. */
  async units(): Promise<number> {
    const { configs } = this.#gateway.host;
    let taken = 0;
    for (const { unitId, fields } of this.#plan.units) {
      const present = configs.get(unitId);
      if (present) {
        this.#plan.left.add(`The unit ${unitId} exists already: its config stays as it is.`);
        if (fields.history === 'stream' && present.history !== 'stream')
          this.#plan.left.add(
            `The unit ${unitId} was monitored; here its history is "${present.history}": set it to "stream" to record all levels.`,
          );
        continue;
      }
      taken += 1;
      if (fields.history === 'stream')
        this.#plan.mended.add(
          `The unit ${unitId} was monitored: its history is "stream", so that all levels are recorded.`,
        );
      if (this.#check) continue;
      await configs.change(unitId, (present) => present ?? { ...configs.defaults, ...fields, unitId });
    }
    return taken;
  }

  async rules(): Promise<number> {
    const present = await this.#presentRules();
    let taken = 0;
    for (const planned of this.#plan.rules) {
      const { unitId, rule } = planned;
      try {
        if (await this.#takeRule(planned, present)) {
          taken += 1;
          const change = ruleChange(rule);
          if (change) this.#plan.mended.add(`The rule "${rule.name}" of ${unitId}: ${change}`);
        } else this.#plan.left.add(`The rule "${rule.name}" of ${unitId} exists already.`);
      } catch (error) {
        if (!isGatewayError(error, 'INVALID', 'NOT_FOUND')) throw error;
        this.#plan.left.add(`The rule "${rule.name}" of ${unitId}: ${error.message}`);
      }
    }
    return taken;
  }

  /** False: it exists already, from an earlier import or written by a user. Errors: INVALID if it has no equal here. */
  async #takeRule({ key, slmmId, unitId, rule }: PlannedRule, present: ReadonlyMap<string, number>): Promise<boolean> {
    const body = gatewayRule(unitId, rule);
    const [before] = await this.#tables.read((rows) => rows.find(TAKEN, { where: { key } }));
    const known = before?.id ?? present.get(nameOf(body));
    if (known !== undefined) this.#ruleIds.set(slmmId, known);
    if (known !== undefined || this.#check) return known === undefined;
    const { data } = await this.#gateway.ask(this.#request, { method: 'POST', path: '/_alerts/rules', body });
    const id = Number((data as { id: string }).id);
    this.#ruleIds.set(slmmId, id);
    await this.#tables.write(async (rows) => {
      await rows.put(SLMM_RULES, [{ id, body: rule }]);
      await rows.put(TAKEN, [{ key, id }]);
    });
    return true;
  }

  /** Ids of the existing rules, by their content: a rule is not made again if its import broke off before it was noted. */
  async #presentRules(): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const query = { limit: RULES_AT_ONCE };
    const asked = { method: 'GET', path: '/_alerts/rules', query } as const;
    const { data = [] } = await this.#gateway.ask(this.#request, asked).catch((error: unknown) => {
      if (isGatewayError(error, 'NOT_FOUND')) return {} as SlmmValues;
      throw error;
    });
    for (const rule of data as readonly SlmmValues[]) found.set(nameOf(rule), Number(rule.id));
    return found;
  }

  async events(): Promise<number> {
    const { events } = this.#plan;
    let taken = 0;
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
      const part = events.slice(at, at + EVENTS_AT_ONCE);
      const body = { events: part.map((event) => this.#shown(event)) };
      const query = { check: this.#check };
      const asked = { method: 'POST', path: '/_alerts/events/import', body, query } as const;
      try {
        taken += Number((await this.#gateway.ask(this.#request, asked)).taken);
      } catch (error) {
        if (!isGatewayError(error, 'NOT_FOUND')) throw error;
        this.#plan.left.add(`${events.length} events: the plugin alerts is not loaded.`);
        return 0;
      }
    }
    if (taken < events.length) this.#plan.left.add(`${events.length - taken} events existed already.`);
    return taken;
  }

  #shown({ slmmRule, unitId, name, metric, limit, openedAt, closedAt, worst, ack, detail }: PlannedEvent) {
    const iso = (at: number) => new Date(at).toISOString();
    const isDevice = metric === 'connectivity';
    return {
      rule: this.#ruleIds.get(slmmRule) ?? 0,
      unit_id: unitId,
      rule_name: name,
      kind: isDevice ? 'device' : 'level',
      what: isDevice ? 'unreachable' : metric,
      limit,
      opened_at: iso(openedAt),
      closed_at: iso(closedAt),
      worst,
      detail,
      ...(ack && { ack: { by: ack.by, at: iso(ack.at) } }),
    };
  }

  /** A second that the history has already is not added again; the history counts duplicates. */
  async readings(weighting: Weighting): Promise<number> {
    const { history } = this.#gateway.host;
    let given = 0;
    for (const rows of this.#plan.readings.values()) given += rows.length;
    if (this.#check) return this.#readingsNotThere(given, weighting);
    const before = history.status.duplicates;
    for (const [unitId, rows] of this.#plan.readings) {
      const inOrder = rows.toSorted((a, b) => a.at - b.at);
      for (let at = 0; at < inOrder.length; at += ROWS_AT_ONCE) {
        const seconds = inOrder.slice(at, at + ROWS_AT_ONCE);
        const { lost } = history.append({ unitId, source: 'poll', weighting, seconds });
        if (lost > 0)
          throw invalid([{ path: '', message: 'the history cannot take more levels now; send the file again later' }]);
        await history.flush(this.#request.caller.signal);
      }
    }
    const present = history.status.duplicates - before;
    if (present > 0) this.#plan.left.add(`${present} readings existed already.`);
    return given - present;
  }

  /** How many of them the history would take: it keeps one for each second. */
  async #readingsNotThere(given: number, weighting: Weighting): Promise<number> {
    const { signal } = this.#request.caller;
    let fresh = 0;
    for (const [unitId, rows] of this.#plan.readings) {
      const seconds = new Set(rows.map(({ at }) => at));
      fresh += seconds.size - (await this.#present(unitId, seconds, weighting, signal));
    }
    if (given > fresh) this.#plan.left.add(`${given - fresh} readings existed already.`);
    return fresh;
  }

  /** How many of these seconds have a reading already. Where the history keeps minutes only, as many of a minute as it has. */
  async #present(unitId: string, seconds: ReadonlySet<number>, weighting: Weighting, signal: AbortSignal) {
    const { history } = this.#gateway.host;
    const { series } = await history.extent(unitId, {}, signal);
    if (!series.some(({ source }) => source === 'poll')) return 0;
    const inOrder = [...seconds].sort((a, b) => a - b);
    const over = { from: inOrder[0] ?? 0, to: (inOrder.at(-1) ?? 0) + 1, step: 1 };
    const answer = await history.query({ unitId, over, source: 'poll', weighting }, signal);
    let present = 0;
    let next = 0;
    for await (const page of answer.rows) {
      for (const { from, to, readings } of page) {
        let here = 0;
        for (; (inOrder[next] ?? Number.POSITIVE_INFINITY) < to; next++) if ((inOrder[next] ?? 0) >= from) here += 1;
        present += Math.min(here, readings);
      }
    }
    return present;
  }
}
