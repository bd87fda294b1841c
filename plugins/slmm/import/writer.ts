/** Writes the data of a database of SLMM into the gateway, step by step. Every step can be repeated. */
import { countOf, invalid, type Weighting } from '../../../lib/built-in.ts';
import { isGatewayError, type Tables } from '../../../lib/index.ts';
import { gatewayRule, ruleChange, SLMM_RULES, TAKEN } from '../alert-rule.ts';
import type { SlmmGateway, SlmmRequest, SlmmValues } from '../route.ts';
import type { Plan, PlannedEvent, PlannedRule, PlannedUnit } from './plan.ts';
import type { UnitReadings } from './readings.ts';

const EVENTS_AT_ONCE = 500;
const RULES_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 3_600;
/** Quick steps of a check that may run in a row. */
const TURN = 100;

/** Two rules with the same name are the same for a person. */
const nameOf = ({ name, units, quantity, window, limit_db }: SlmmValues): string =>
  JSON.stringify([name, units, quantity, window, limit_db]);

/** The check of a rule puts its path below `/rule`; the words are those of its creation. */
const reasonOf = ({ message }: Error): string => message.replace('at /rule/', 'at /');

interface WriterParts {
  readonly gateway: SlmmGateway;
  /** Its rights count, and its signal ends the work. */
  readonly request: SlmmRequest;
  readonly tables: Tables;
  readonly plan: Plan;
  /** True: nothing is written. */
  readonly check: boolean;
  readonly weighting: Weighting;
  /** Called with the number of finished and of all units, rules, events and readings. */
  readonly progress: (done: number, total: number) => void;
}

export interface Taken {
  readonly units: number;
  readonly rules: number;
  readonly events: number;
  readonly readings: number;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #total: number;
  #done = 0;
  readonly #ruleIds = new Map<number, number>();

  constructor(parts: WriterParts) {
    const { plan } = parts;
    this.#parts = parts;
    let readings = 0;
    for (const { count } of plan.readings.values()) readings += count;
    this.#total = plan.units.length + plan.rules.length + plan.events.length + readings;
  }

  /** Rejects with the reason of the signal, STORAGE_FULL, STORAGE_FAILED. Written data stays, and a further import finds it. */
  async write(): Promise<Taken> {
    const units = await this.#units();
    const rules = await this.#rules();
    const events = await this.#events();
    return { units, rules, events, readings: await this.#readings() };
  }

  #step(count: number): void {
    this.#parts.request.caller.signal.throwIfAborted();
    this.#done += count;
    this.#parts.progress(this.#done, this.#total);
  }

  async #units(): Promise<number> {
    let taken = 0;
    for (const planned of this.#parts.plan.units) {
      if (await this.#takeUnit(planned)) taken += 1;
      this.#step(1);
    }
    return taken;
  }

  /** False: the unit exists already, and does not change. */
  async #takeUnit({ unitId, fields }: PlannedUnit): Promise<boolean> {
    const { configs } = this.#parts.gateway.host;
    const { left, mended } = this.#parts.plan;
    const present = configs.get(unitId);
    if (present) {
      left.add(`The unit ${unitId} exists already: its config stays as it is.`);
      if (fields.history === 'stream' && present.history !== 'stream')
        left.add(
          `The unit ${unitId} was monitored; here its history is "${present.history}": set it to "stream" to record all levels.`,
        );
      return false;
    }
    if (fields.history === 'stream')
      mended.add(`The unit ${unitId} was monitored: its history is "stream", so that all levels are recorded.`);
    if (this.#parts.check) await this.#turn();
    else await configs.change(unitId, (other) => other ?? { ...configs.defaults, ...fields, unitId });
    return true;
  }

  /** Other work can run here, because a check never waits. */
  #turn(): Promise<void> | undefined {
    return this.#done % TURN === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  }

  async #rules(): Promise<number> {
    const present = await this.#presentRules();
    const { left, mended } = this.#parts.plan;
    let taken = 0;
    for (const planned of this.#parts.plan.rules) {
      const { unitId, rule } = planned;
      try {
        if (await this.#takeRule(planned, present)) {
          taken += 1;
          const change = ruleChange(rule);
          if (change) mended.add(`The rule "${rule.name}" of ${unitId}: ${change}`);
        } else left.add(`The rule "${rule.name}" of ${unitId} exists already.`);
      } catch (error) {
        if (!isGatewayError(error, 'INVALID', 'NOT_FOUND')) throw error;
        left.add(`The rule "${rule.name}" of ${unitId}: ${reasonOf(error)}`);
      }
      this.#step(1);
    }
    return taken;
  }

  /** False: the rule exists already, from an earlier import or from a user. Errors: INVALID if it has no equal here. */
  async #takeRule({ key, slmmId, unitId, rule }: PlannedRule, present: ReadonlyMap<string, number>): Promise<boolean> {
    const body = gatewayRule(unitId, rule);
    const [before] = await this.#parts.tables.read((rows) => rows.find(TAKEN, { where: { key } }));
    const known = before?.id ?? present.get(nameOf(body));
    if (known !== undefined) this.#ruleIds.set(slmmId, known);
    if (known !== undefined) return false;
    if (this.#parts.check) {
      // Its unit may not exist yet, so the check is made with a tag.
      const { units: _, ...rest } = body;
      const asked = { method: 'POST', path: '/_alerts/rules/check', body: { rule: { ...rest, tag: 'slmm' } } } as const;
      await this.#parts.gateway.ask(this.#parts.request, asked);
      return true;
    }
    const { data } = await this.#parts.gateway.ask(this.#parts.request, {
      method: 'POST',
      path: '/_alerts/rules',
      body,
    });
    const id = Number((data as { id: string }).id);
    this.#ruleIds.set(slmmId, id);
    await this.#parts.tables.write(async (rows) => {
      await rows.put(SLMM_RULES, [{ id, body: rule }]);
      await rows.put(TAKEN, [{ key, id }]);
    });
    return true;
  }

  /** Ids of the existing rules, by their content: no rule is created twice if an import broke off before its id was noted. */
  async #presentRules(): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    let cursor: unknown;
    do {
      const query = { limit: RULES_AT_ONCE, ...(cursor ? { cursor: String(cursor) } : {}) };
      const asked = { method: 'GET', path: '/_alerts/rules', query } as const;
      const { data = [], next } = await this.#parts.gateway.ask(this.#parts.request, asked).catch((error: unknown) => {
        if (isGatewayError(error, 'NOT_FOUND')) return {} as SlmmValues;
        throw error;
      });
      for (const rule of data as readonly SlmmValues[]) found.set(nameOf(rule), Number(rule.id));
      cursor = next;
    } while (cursor);
    return found;
  }

  async #events(): Promise<number> {
    const { events } = this.#parts.plan;
    let [taken, present] = [0, 0];
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
      const part = events.slice(at, at + EVENTS_AT_ONCE);
      const body = { events: part.map((event) => this.#shown(event)) };
      const query = { check: this.#parts.check };
      const asked = { method: 'POST', path: '/_alerts/events/import', body, query } as const;
      try {
        const answer = await this.#parts.gateway.ask(this.#parts.request, asked);
        taken += Number(answer.taken);
        present += Number(answer.present);
        this.#step(part.length);
      } catch (error) {
        if (!isGatewayError(error, 'NOT_FOUND')) throw error;
        this.#parts.plan.left.add(`${countOf(events.length, 'event')}: the plugin alerts is not loaded.`);
        return 0;
      }
    }
    if (present > 0) this.#parts.plan.left.add(`${countOf(present, 'event')} existed already.`);
    const impossible = events.length - taken - present;
    if (impossible > 0)
      this.#parts.plan.left.add(`${countOf(impossible, 'event')} with a level that is not from -20 to 160 dB.`);
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
  async #readings(): Promise<number> {
    const { history } = this.#parts.gateway.host;
    const before = history.status.duplicates;
    let given = 0;
    let fresh = 0;
    for (const [unitId, readings] of this.#parts.plan.readings) {
      given += readings.count;
      if (this.#parts.check) {
        const seconds = readings.seconds();
        fresh += seconds.length - (await this.#present(unitId, seconds));
        this.#step(readings.count);
      } else await this.#append(unitId, readings);
    }
    if (!this.#parts.check) fresh = given - (history.status.duplicates - before);
    if (given > fresh) this.#parts.plan.left.add(`${countOf(given - fresh, 'reading')} existed already.`);
    return fresh;
  }

  async #append(unitId: string, readings: UnitReadings): Promise<void> {
    const { history } = this.#parts.gateway.host;
    for (const seconds of readings.rows(ROWS_AT_ONCE)) {
      const { lost } = history.append({ unitId, source: 'poll', weighting: this.#parts.weighting, seconds });
      if (lost > 0)
        throw invalid([{ path: '', message: 'the history cannot take more levels now; send the file again later' }]);
      await history.flush(this.#parts.request.caller.signal);
      this.#step(seconds.length);
    }
  }

  /** The number of these seconds with a reading. If the history has only minutes, as many of a minute as it has. */
  async #present(unitId: string, inOrder: readonly number[]): Promise<number> {
    const { history } = this.#parts.gateway.host;
    const { signal } = this.#parts.request.caller;
    const { series } = await history.extent(unitId, {}, signal);
    if (!series.some(({ source }) => source === 'poll')) return 0;
    const over = { from: inOrder[0] ?? 0, to: (inOrder.at(-1) ?? 0) + 1, step: 1 };
    const answer = await history.query({ unitId, over, source: 'poll', weighting: this.#parts.weighting }, signal);
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
