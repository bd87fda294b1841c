/** All rules at one unit: gets its rows and its state, and turns what they mean into events. Asks no meter anything. */
import { type Batch, type DeviceConfig, type Host, messageOf } from '../../../lib/index.ts';
import type { EventLog } from '../events/event-log.ts';
import { aboutRule, levelEvent, rounded } from '../events/level-event.ts';
import { type Budget, budgetOf } from './budget.ts';
import type { Facts } from './device-condition.ts';
import { DeviceWatch } from './device-watch.ts';
import { type Piece, SlidingSum } from './level-sum.ts';
import { LevelWatch, type Step } from './level-watch.ts';
import { piecesOf } from './pieces.ts';
import { piecesBetween, refillFrom } from './refill.ts';
import type { DeviceRule, LevelRule, Rule } from './rule.ts';

type Kept<Kind> = Kind & Pick<Rule, 'id' | 'createdAt' | 'changedAt'>;

interface Level {
  readonly rule: Kept<LevelRule>;
  readonly zone: string;
  readonly watch: LevelWatch;
  /** Pieces that come while the history is read; undefined: it has been. */
  held: Piece[] | undefined;
}
interface Device {
  readonly rule: Kept<DeviceRule>;
  readonly zone: string;
  readonly watch: DeviceWatch;
}

/** `will_exceed_at` supposes that the last five minutes go on. */
const GOING_ON_S = 300;

type Parts = Pick<Host, 'clock' | 'log' | 'history' | 'signal'>;

export class UnitWatches {
  readonly #parts: Parts;
  readonly #events: EventLog;
  readonly #unitId: string;
  readonly #recent = new SlidingSum(GOING_ON_S, false);
  #levels: readonly Level[] = [];
  #devices: readonly Device[] = [];
  #weighting: string | undefined;

  constructor(unitId: string, parts: Parts, events: EventLog) {
    this.#unitId = unitId;
    this.#parts = parts;
    this.#events = events;
  }

  /** An unchanged rule keeps its levels. */
  follow(rules: readonly Rule[], { timezone: zone }: Pick<DeviceConfig, 'timezone'>): void {
    const known = new Set(this.#levels);
    const [levels, devices] = [byRule(this.#levels, zone), byRule(this.#devices, zone)];
    this.#levels = rules.flatMap((rule) =>
      rule.kind === 'level' ? [levels.get(keyOf(rule)) ?? this.#level(rule, zone)] : [],
    );
    this.#devices = rules.flatMap((rule) =>
      rule.kind === 'device' ? [devices.get(keyOf(rule)) ?? this.#device(rule, zone)] : [],
    );
    for (const level of this.#levels) if (!known.has(level)) void this.#refill(level);
  }

  rows({ source, weighting, ...batch }: Batch): void {
    // Levels of the card are late: they correct reported events (revision.ts). Levels of an import are not the gateway's own.
    if (source !== 'stream' && source !== 'poll') return;
    const name = `${weighting.frequency}${weighting.time}`;
    if (this.#weighting !== undefined && name !== this.#weighting) this.#forget();
    this.#weighting = name;
    for (const piece of piecesOf(batch)) {
      this.#recent.add(piece);
      for (const level of this.#levels) {
        if (level.held) level.held.push(piece);
        else this.#apply(level, level.watch.take(piece));
      }
    }
  }

  tick(): void {
    const now = this.#parts.clock.now() / 1_000;
    for (const level of this.#levels) if (!level.held) this.#apply(level, level.watch.tick(now));
  }

  look(facts: () => Facts): void {
    if (this.#devices.length === 0) return;
    const { clock } = this.#parts;
    const moment = { time: clock.now(), elapsed: clock.elapsed() };
    const known = facts();
    for (const { rule, watch } of this.#devices) {
      const step = watch.look(known, moment);
      if (step?.kind === 'close') this.#events.end(Number(rule.id), this.#unitId, moment.time);
      if (step?.kind !== 'open') continue;
      const { value, detail } = step.judgement;
      this.#events.begin({
        ...aboutRule(rule, this.#unitId),
        what: rule.condition,
        limitValue: rule.threshold ?? null,
        windowFrom: null,
        windowTo: null,
        openedAt: moment.time,
        worst: value,
        worstAt: moment.time,
        detail,
      });
    }
  }

  budgets(): Budget[] {
    const now = this.#parts.clock.now() / 1_000;
    const goingOn = this.#recent.value('leq', undefined);
    return this.#levels.flatMap(({ rule, watch }) => budgetOf(rule, watch, now, goingOn) ?? []);
  }

  #forget(): void {
    this.#recent.clear();
    for (const { watch } of this.#levels) watch.forget();
  }

  #level(rule: Kept<LevelRule>, zone: string): Level {
    const watch = new LevelWatch(rule, zone);
    const last = this.#events.lastWindowOf(Number(rule.id), this.#unitId);
    const open = this.#events.openOf(Number(rule.id), this.#unitId);
    // Not later than now: the wall clock may have been ahead then.
    if (last !== undefined)
      watch.resume({
        from: Math.min(last, this.#parts.clock.now()) / 1_000,
        worst: open ? (open.worst ?? rule.limit_db) : undefined,
      });
    return { rule, zone, watch, held: [] };
  }

  #device(rule: Kept<DeviceRule>, zone: string): Device {
    const isOpen = this.#events.openOf(Number(rule.id), this.#unitId) !== undefined;
    return { rule, zone, watch: new DeviceWatch(rule, zone, isOpen) };
  }

  /** If the history cannot be read, a rule goes on with new levels only. */
  async #refill(level: Level): Promise<void> {
    const { clock, history, log, signal } = this.#parts;
    const { rule, zone } = level;
    const to = Math.floor(clock.now() / 1_000);
    const from = refillFrom(rule, zone, to);
    try {
      for await (const piece of piecesBetween(history, { unitId: this.#unitId, rule, from, to }, signal))
        if (this.#levels.includes(level)) this.#apply(level, level.watch.take(piece));
    } catch (error) {
      if (!signal.aborted)
        log.warn(
          { unit_id: this.#unitId, rule: rule.id, reason: messageOf(error) },
          'a window begins without its earlier levels',
        );
    }
    const held = level.held ?? [];
    level.held = undefined;
    if (!this.#levels.includes(level)) return;
    for (const piece of held) if (piece.at >= to) this.#apply(level, level.watch.take(piece));
  }

  #apply({ rule, zone }: Level, steps: readonly Step[]): void {
    const id = Number(rule.id);
    for (const step of steps) {
      if (step.kind === 'close') this.#events.end(id, this.#unitId, step.at * 1_000);
      else if (step.kind === 'worse') this.#events.worse(id, this.#unitId, rounded(step.value), step.valueAt * 1_000);
      else this.#events.begin(levelEvent(rule, zone, this.#unitId, step));
    }
  }
}

const keyOf = ({ id, changedAt }: Pick<Rule, 'id' | 'changedAt'>): string => `${id} ${changedAt}`;

/** Those of this zone. */
const byRule = <T extends { readonly rule: Rule; readonly zone: string }>(all: readonly T[], zone: string) =>
  new Map(all.filter((one) => one.zone === zone).map((one) => [keyOf(one.rule), one]));
