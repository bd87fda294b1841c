/** Stations and rules are read from memory; a change is on the disk before memory shows it. Observations are on the disk. */
import { invalid } from '../../lib/built-in.ts';
import { type Clock, GatewayError, type Tables, UnitChanges } from '../../lib/index.ts';
import { OBSERVED_NAMES } from './quantities.ts';
import {
  OBSERVATION_RULES,
  OBSERVATIONS,
  type ObservationRow,
  type ObservationRule,
  STATIONS,
  type StationBody,
  type StationObservation,
  type StationRow,
  type UnitRules,
} from './tables.ts';

export const MOST_STATIONS = 500;
/** The most observations of one station: one a minute for three years. */
export const MOST_KEPT = 1_600_000;
const DAY_MS = 86_400_000;
/** Rows that are read at once; other requests can read in between. */
const PAGE_ROWS = 1_000;
/** The most rows that a single statement removes: other requests must not wait long. */
const REMOVED_AT_ONCE = 5_000;

/** After `from`, up to and including `to`: an observation is named by its end. ms since 1970 UTC. */
interface Ends {
  readonly after: number;
  readonly upTo: number;
}

/** Stations by id. */
export class StationStore {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #stations = new Map<string, StationRow>();
  readonly #rules = new Map<string, UnitRules>();
  readonly #newest = new Map<string, StationObservation>();
  readonly #changes: UnitChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changes = new UnitChanges({
      clock,
      look: () => this.load(),
      remove: (unitIds) => this.#removeRules(unitIds),
    });
  }

  async load(): Promise<void> {
    const [stations, rules] = await this.#tables.read(async (rows) => [
      await rows.find(STATIONS),
      await rows.find(OBSERVATION_RULES),
    ]);
    const newest = new Map<string, StationObservation>();
    for (const { id } of stations) {
      const found = await this.latest(id);
      if (found) newest.set(id, found);
    }
    for (const mirror of [this.#stations, this.#rules, this.#newest]) mirror.clear();
    for (const [id, found] of newest) this.#newest.set(id, found);
    for (const { body, ...row } of stations) {
      // Rows from before this field.
      const { silentAfterS = null, ...rest }: Omit<StationBody, 'silentAfterS'> & Partial<StationBody> = body;
      this.#stations.set(row.id, { ...row, body: { ...rest, silentAfterS } });
    }
    for (const row of rules) this.#rules.set(row.unitId, row);
  }

  list(): readonly StationRow[] {
    return [...this.#stations.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  listFor(unitId: string): readonly StationRow[] {
    return this.list().filter(({ body: { units } }) => units === null || units.includes(unitId));
  }

  find(id: string): StationRow | undefined {
    return this.#stations.get(id);
  }

  /** Errors: INVALID where there are too many stations; STORAGE_FULL, STORAGE_FAILED. */
  put(id: string, body: StationBody): Promise<StationRow> {
    return this.#changes.inTurn(async () => {
      if (!this.#stations.has(id) && this.#stations.size >= MOST_STATIONS)
        throw new GatewayError('INVALID', `There are ${MOST_STATIONS} stations already; remove one.`);
      const row = { id, body, changedAt: this.#clock.now() };
      await this.#tables.write((rows) => rows.put(STATIONS, [row]));
      this.#stations.set(id, row);
      return row;
    });
  }

  /** Removes the station with its observations. Errors: STORAGE_FULL, STORAGE_FAILED. */
  remove(id: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      await this.#tables.write((rows) => rows.remove(STATIONS, { id }));
      this.#stations.delete(id);
      this.#newest.delete(id);
      await this.#removeUpTo(id, Number.MAX_SAFE_INTEGER);
    });
  }

  /** Values that were not sent stay. Errors: INVALID for too many observations; STORAGE_FULL, STORAGE_FAILED. */
  keep(station: string, observations: readonly StationObservation[]): Promise<void> {
    return this.#changes.inTurn(async () => {
      await this.#tables.write(async (rows) => {
        const [first, last] = [observations[0]?.at ?? 0, observations.at(-1)?.at ?? 0];
        const where = { station, at: { atLeast: first, atMost: last } };
        const known = new Map((await rows.find(OBSERVATIONS, { where })).map((row) => [row.at, row]));
        const added = observations.filter(({ at }) => !known.has(at)).length;
        if ((await rows.count(OBSERVATIONS, { station })) + added > MOST_KEPT)
          throw invalid([{ path: '', message: `a station keeps at most ${MOST_KEPT} observations` }]);
        await rows.put(
          OBSERVATIONS,
          observations.map((one): ObservationRow => ({ ...joined(known.get(one.at), one), station })),
        );
      });
      const last = observations.at(-1);
      if (last && last.at >= (this.#newest.get(station)?.at ?? 0)) this.#newest.set(station, last);
    });
  }

  /** In pages, in the order of their times. */
  async *read(station: string, { after, upTo }: Ends): AsyncGenerator<readonly StationObservation[]> {
    const order = { at: 'asc' } as const;
    for (let last = after; ; ) {
      const where = { station, at: { above: last, atMost: upTo } };
      const page = await this.#tables.read((rows) => rows.find(OBSERVATIONS, { where, order, limit: PAGE_ROWS }));
      if (page.length > 0) yield page;
      if (page.length < PAGE_ROWS) return;
      last = page.at(-1)?.at ?? last;
    }
  }

  /** The newest observation, from memory. */
  newest(station: string): StationObservation | undefined {
    return this.#newest.get(station);
  }

  /** The newest observation at this time or before. */
  async latest(station: string, upTo = Number.MAX_SAFE_INTEGER): Promise<StationObservation | undefined> {
    const where = { station, at: { atMost: upTo } };
    const [row] = await this.#tables.read((rows) =>
      rows.find(OBSERVATIONS, { where, order: { at: 'desc' }, limit: 1 }),
    );
    return row;
  }

  /**
   * Removes older observations of all stations. If the clock is years ahead for an hour, this must not remove all: the
   * limit is at most a day after the newest observation of a station.
   * Errors: STORAGE_FULL, STORAGE_FAILED.
   */
  async forget(olderThanMs: number): Promise<void> {
    for (const { id } of this.list()) {
      const from = Math.min(this.#clock.now(), (this.newest(id)?.at ?? 0) + DAY_MS);
      await this.#changes.inTurn(() => this.#removeUpTo(id, from - olderThanMs - 1));
    }
  }

  async #removeUpTo(station: string, upTo: number): Promise<void> {
    for (;;) {
      const left = await this.#tables.write(async (rows) => {
        const order = { at: 'asc' } as const;
        const where = { station, at: { atMost: upTo } };
        const [edge] = await rows.find(OBSERVATIONS, { where, order, limit: 1, offset: REMOVED_AT_ONCE });
        await rows.remove(OBSERVATIONS, { station, at: { atMost: edge?.at ?? upTo } });
        return edge !== undefined;
      });
      if (!left) return;
    }
  }

  /** Undefined: the unit has no rules of its own. */
  rulesOf(unitId: string): UnitRules | undefined {
    return this.#rules.get(unitId);
  }

  /** `auto`: the rules write exclusions, from now on if they did not before. Errors: STORAGE_FULL, STORAGE_FAILED. */
  putRules(unitId: string, rules: readonly ObservationRule[], auto: boolean): Promise<void> {
    return this.#changes.inTurn(() => {
      const [now, present] = [this.#clock.now(), this.#rules.get(unitId)];
      const [autoSince, autoFrom] = auto ? [present?.autoSince ?? now, present?.autoFrom ?? now] : [null, null];
      return this.#putRules({ unitId, rules, changedAt: now, autoSince, autoFrom });
    });
  }

  /** The units of this station whose rules write exclusions. */
  autoUnitsOf(station: string): readonly string[] {
    const units = this.#stations.get(station)?.body.units;
    return [...this.#rules.values()]
      .filter(({ unitId, autoSince }) => autoSince !== null && (units?.includes(unitId) ?? true))
      .map(({ unitId }) => unitId);
  }

  /** Earlier times are judged. No change if the rules were changed meanwhile. Errors: STORAGE_FULL, STORAGE_FAILED. */
  judgedUntil(before: UnitRules, autoFrom: number): Promise<void> {
    return this.#changes.inTurn(async () => {
      if (this.#rules.get(before.unitId) === before) await this.#putRules({ ...before, autoFrom });
    });
  }

  async #putRules(row: UnitRules): Promise<void> {
    await this.#tables.write((all) => all.put(OBSERVATION_RULES, [row]));
    this.#rules.set(row.unitId, row);
  }

  /** Another meter may get the id of a removed unit later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forgetRules(unitId: string): Promise<void> {
    return this.#changes.forget(unitId, this.#rules.delete(unitId));
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }

  async #removeRules(unitIds: readonly string[]): Promise<void> {
    await this.#tables.write((rows) => rows.remove(OBSERVATION_RULES, { unitId: unitIds }));
    for (const unitId of unitIds) this.#rules.delete(unitId);
  }
}

function joined(known: StationObservation | undefined, sent: StationObservation): StationObservation {
  if (!known) return sent;
  const kept = Object.fromEntries(OBSERVED_NAMES.map((name) => [name, sent[name] ?? known[name]]));
  return { ...sent, ...kept };
}
