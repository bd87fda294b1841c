/** All rules at one unit: gets its rows and its state, and makes events of them. It sends no command to a meter. */
import type { Budget } from '../../../client/schemas.ts';
import { type Batch, MAIN_CHANNEL } from '../../../lib/built-in.ts';
import { type DeviceConfig, type GatewayEvent, type Host, messageOf } from '../../../lib/index.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Facts, HistoryParts, Opening, Piece, RuleEvents, RuleWatch } from './kind.ts';
import { channelOfRule, ruleKindOf } from './kinds.ts';
import { GRACE_S, SlidingSum } from './level/level-sum.ts';
import { piecesBetween } from './level/refill.ts';
import type { Rule } from './rule.ts';
import { english } from './sentences.ts';

interface Watched {
  readonly rule: Rule;
  readonly zone: string;
  readonly watch: RuleWatch;
  readonly channel: string;
  readonly leavesOut: boolean;
}

/** The newest levels of one channel. Seconds since 1970 UTC. */
interface Heard {
  readonly recent: SlidingSum;
  readonly from: number;
  to: number;
  weighting: string;
}

/** Levels of the gateway itself whose windows may be over. Seconds since 1970 UTC. */
export type LateRows = GatewayEvent<'late'>['data'];

/** `will_exceed_at` supposes that the last five minutes go on. */
const GOING_ON_S = 300;
/** A continuous level may come so long after its time; its windows wait less for other levels. */
const LONGEST_DELAY_S = 120;
/** A channel without levels for so long is silent, if the main channel has levels. */
const SILENT_S = 60;

type Parts = Pick<Host, 'clock' | 'log' | 'instances'> & HistoryParts;
export type WatchedEvents = Pick<EventLog, 'openOf' | 'lastWindowOf' | 'begin' | 'worse' | 'further' | 'end'>;

/** The watches of one unit, renewed when rules or its config change. */
export class UnitWatches {
  readonly #parts: Parts;
  readonly #events: WatchedEvents;
  readonly #late: (rows: LateRows) => void;
  readonly #unitId: string;
  #watched: readonly Watched[] = [];
  readonly #heard = new Map<string, Heard>();
  readonly #readAgain = new Map<string, Pick<Heard, 'recent' | 'to'>>();

  /** `late` gets levels that came too late for the present windows. */
  constructor(unitId: string, parts: Parts, events: WatchedEvents, late: (rows: LateRows) => void = () => {}) {
    this.#unitId = unitId;
    this.#parts = parts;
    this.#events = events;
    this.#late = late;
  }

  /** An unchanged rule keeps its levels. */
  follow(rules: readonly Rule[], { timezone: zone }: Pick<DeviceConfig, 'timezone'>): void {
    const present = new Map(this.#watched.map((one) => [keyOf(one.rule, one.zone), one]));
    this.#watched = rules.flatMap((rule) => {
      const key = keyOf(rule, zone);
      const kept = present.get(key) ?? this.#begin(rule, zone);
      present.delete(key);
      return kept ?? [];
    });
    for (const { watch } of present.values()) watch.stop?.();
  }

  /** After late levels: open windows are filled again from the history, as after a restart. Their events go on. */
  readAgain(): void {
    for (const { watch } of this.#watched) if (watch.level) watch.stop?.();
    this.#watched = this.#watched.flatMap((one) => (one.watch.level ? (this.#begin(one.rule, one.zone) ?? []) : one));
    const channels = this.#watched.flatMap(({ channel, watch }) => (watch.budget ? channel : []));
    for (const channel of new Set(channels)) void this.#readRecent(channel);
  }

  rows({ source, weighting, channel = MAIN_CHANNEL, ...batch }: Batch): void {
    // Levels of the card and of an import are late: revision.ts makes the windows be read again.
    if (source !== 'stream' && source !== 'poll') return;
    const name = `${weighting.frequency}${weighting.time}`;
    const pieces = piecesOf(batch);
    const late = pieces.filter((piece) => this.#isLate(piece, channel));
    const [first, last] = [late[0], late.at(-1)];
    if (first && last) this.#late({ source, channel, from: first.at, to: last.to });
    const isLate = new Set(late);
    for (const piece of pieces) {
      if (isLate.has(piece)) continue;
      const heard = this.#heardOf(channel, name, piece.at);
      heard.recent.add(piece);
      heard.to = piece.to;
      for (const one of this.#watched)
        if (one.channel === channel && !(one.leavesOut && this.#isExcluded(piece, channel))) one.watch.level?.(piece);
    }
  }

  /** By the wall clock alone: if it was ahead and is right again, present levels come after later times. */
  #isLate({ at, to }: Piece, channel: string): boolean {
    const age = this.#parts.clock.now() / 1_000 - to;
    return age > LONGEST_DELAY_S || (age > GRACE_S && at < (this.#heard.get(channel)?.to ?? at));
  }

  isSilent(channel: string): boolean {
    const main = this.#heard.get(MAIN_CHANNEL);
    return main !== undefined && main.to - (this.#heard.get(channel)?.to ?? main.from) >= SILENT_S;
  }

  tick(): void {
    const now = this.#parts.clock.now() / 1_000;
    for (const { watch } of this.#watched) watch.tick?.(now);
  }

  /** `facts` are read only if a rule needs them. */
  look(facts: () => Facts): void {
    const looking = this.#watched.filter(({ watch }) => watch.look !== undefined);
    if (looking.length === 0) return;
    const { clock } = this.#parts;
    const moment = { time: clock.now(), elapsed: clock.elapsed() };
    const known = facts();
    for (const { watch } of looking) watch.look?.(known, moment);
  }

  budgets(): Budget[] {
    const now = this.#parts.clock.now() / 1_000;
    const goingOn = (channel: string) => {
      const [heard, read] = [this.#heard.get(channel), this.#readAgain.get(channel)];
      const newest = heard && heard.to >= (read?.to ?? 0) ? heard : read;
      return newest && newest.to > now - GOING_ON_S ? newest.recent.value : null;
    };
    const next = ({ channel, leavesOut }: Watched) =>
      leavesOut && this.#isExcluded({ at: now, to: now + 1 }, channel) ? null : goingOn(channel);
    return this.#watched.flatMap((one) => one.watch.budget?.(now, next(one)) ?? []);
  }

  /** Levels of an import count as a continuation, like levels of the meter. */
  async #readRecent(channel: string): Promise<void> {
    const { clock, log, signal } = this.#parts;
    const [unitId, end] = [this.#unitId, Math.floor(clock.now() / 1_000)];
    const recent = new SlidingSum(GOING_ON_S, 'leq');
    let to = 0;
    try {
      const rule = { quantity: 'leq', channel, align: 'sliding', window: '5m' } as const;
      for await (const piece of piecesBetween(this.#parts, { unitId, rule, from: end - GOING_ON_S, to: end })) {
        recent.add(piece);
        to = piece.to;
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn({ unit_id: unitId, reason: messageOf(error) }, 'the last five minutes are not known');
      return;
    }
    this.#readAgain.set(channel, { recent, to });
  }

  /** True even if only a part is excluded. Seconds since 1970 UTC. */
  #isExcluded({ at, to }: { readonly at: number; readonly to: number }, channel: string): boolean {
    const span = { from: at * 1_000, to: to * 1_000 };
    return this.#parts.notes.excluded(this.#unitId, span, channel).ranges.length > 0;
  }

  #heardOf(channel: string, weighting: string, at: number): Heard {
    const known = this.#heard.get(channel);
    if (known?.weighting === weighting) return known;
    if (known) for (const one of this.#watched) if (one.channel === channel) one.watch.forget?.();
    const heard = { recent: new SlidingSum(GOING_ON_S, 'leq'), from: known?.from ?? at, to: at, weighting };
    this.#heard.set(channel, heard);
    return heard;
  }

  #begin(rule: Rule, zone: string): Watched | undefined {
    const kind = ruleKindOf(rule.kind);
    if (!kind) return undefined;
    const watch = kind.watch(rule, {
      ...this.#parts,
      zone,
      unitId: this.#unitId,
      open: this.#events.openOf(Number(rule.id), this.#unitId),
      lastWindow: this.#events.lastWindowOf(Number(rule.id), this.#unitId),
      events: this.#eventsOf(rule),
    });
    return { rule, zone, watch, channel: channelOfRule(rule), leavesOut: kind.leavesOut?.(rule) ?? false };
  }

  #eventsOf(rule: Rule): RuleEvents {
    const [id, unitId] = [Number(rule.id), this.#unitId];
    return {
      begin: (opening) => this.#events.begin(eventOf(rule, unitId, opening)),
      worse: (worse) => this.#events.worse(id, unitId, worse),
      further: (windowTo) => this.#events.further(id, unitId, windowTo),
      end: (at) => this.#events.end(id, unitId, at),
    };
  }
}

/** A new event with the fields of its rule. A rule that is named by its words has its name in every language. */
export function eventOf(rule: Rule, unitId: string, opening: Opening) {
  const { id, name, severity, kind } = rule;
  const words = ruleKindOf(kind)?.words(rule);
  const rule_name = words && english(words) === name ? { rule_name: words } : {};
  const sentences = { ...rule_name, ...opening.sentences };
  return { ruleId: Number(id), unitId, ruleName: name, severity, kind, ...opening, sentences };
}

const keyOf = ({ id, changedAt }: Pick<Rule, 'id' | 'changedAt'>, zone: string): string => `${id} ${changedAt} ${zone}`;

const STEP_S = 0.1;

/** The newest rows of the recorder, in order of time. A single reading has no duration, so it gives no piece. */
export function piecesOf({ seconds = [], intervals = [] }: Pick<Batch, 'seconds' | 'intervals'>): Piece[] {
  const pieces: Piece[] = [];
  for (const row of seconds) {
    const { at, steps, leq, lp } = row;
    if (leq !== null) pieces.push({ at, to: at + 1, seconds: steps * STEP_S, levels: row, lp });
  }
  for (const row of intervals)
    pieces.push({ at: row.at, to: row.at + row.duration, seconds: row.duration, levels: row });
  return pieces;
}
